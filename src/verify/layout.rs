//! The columns of a plan as the makers of rows want them, and made-up rows put back into its tables.

use super::batch::{self, Bounds, Content, Cursor, Field, PRESENT, Scale, default_unit, epoch, ticks};
use super::scenario::{Scenario, Staging, loads};
use super::shape::{value, written};
use super::tables::UNKNOWN;
use crate::dialect::Dialect;
use crate::dialect::types::{Overlap, Type};
use crate::engine::value::{Row, Value};
use crate::plan::{Column, Plan, PlannedBounds, PlannedWindow, Staged, ValueFrom};

/// The fields of a made-up row and the tables that they belong to.
pub(super) struct Layout<'a> {
    plan: &'a Plan,
    /// The columns of the target that are written and are not of a period, then those of the staged table that only an expression names.
    pub fields: Vec<Field>,
    /// How many of the fields are columns of the target.
    targets: usize,
    /// The fields that the staged rows hold, in order.
    staged: Vec<usize>,
}

impl<'a> Layout<'a> {
    /// The layout of a plan.
    ///
    /// # Errors
    /// When the staged rows come from tables whose columns the plan does not know.
    pub fn of(plan: &'a Plan) -> Result<Self, String> {
        let words = words(plan);
        let made_up = written(plan).into_iter().filter(|column| !column.is_period());
        let mut fields: Vec<Field> = made_up.map(|column| target_field(plan, column, &words)).collect();
        let targets = fields.len();
        let mut staged = Vec::new();
        match &plan.staged {
            Staged::Query(_) => return Err("the source is a query: give rows of the tables that it reads".to_owned()),
            Staged::Table { columns, .. } => {
                for (name, ty) in columns {
                    let place = fields.iter().position(|field| field.name == *name).unwrap_or_else(|| {
                        fields.push(staged_field(plan, name, ty.as_ref(), &words));
                        fields.len() - 1
                    });
                    staged.push(place);
                }
            }
            Staged::Parameters => {
                let names: Vec<&str> =
                    plan.columns.iter().filter(|column| column.is_staged()).map(|column| &*column.name).collect();
                staged.extend((0..targets).filter(|at| names.contains(&&*fields[*at].name)));
            }
            Staged::Rows => {}
        }
        Ok(Self { plan, fields, targets, staged })
    }

    /// Whether keys and versions are staged as they are stored, so that two rows can be told apart before they are loaded.
    pub fn is_plain(&self) -> Result<(), String> {
        let computed = self
            .plan
            .columns
            .iter()
            .filter(|column| !column.is_period())
            .find(|column| (column.key || column.version) && !column.plain)
            .map(|column| {
                format!("`{}` is computed by an expression, so staged rows cannot be told apart by it", column.name)
            });
        // Literal rows are what they are, in every order.
        if matches!(self.plan.staged, Staged::Table { .. } | Staged::Parameters) {
            computed.map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }

    /// The values of a made-up row that are staged.
    fn staged_row(&self, row: &Row) -> Row {
        self.staged.iter().map(|at| row[*at].clone()).collect()
    }

    /// The periods of target rows of which each is the only version of its key.
    fn add_periods(&self, before: &mut batch::Batch) {
        let periods = written(self.plan).into_iter().filter(|column| column.is_period());
        let place = |name: &str| self.fields.iter().position(|field| field.name == name);
        let named = |index: Option<&usize>| index.and_then(|index| place(&self.plan.columns[*index].name));
        let (version, flag) = (named(self.plan.version.first()), named(self.plan.deletion_column.as_ref()));
        for column in periods {
            before.columns.push((column.name.clone(), column.ty.clone()));
            for row in &mut before.rows {
                row.push(match version {
                    Some(version) if column.key => row[version].clone(),
                    _ if column.nullable => Value::Null,
                    _ => Value::Bool(flag.is_none_or(|flag| row[flag] != Value::Bool(true))),
                });
            }
        }
    }

    /// Made-up rows in the tables of the plan.
    pub fn scenario(&self, made: batch::Scenario) -> Scenario {
        let typed = |at: usize| {
            let field = &self.fields[at];
            // The type that the table has, which may hold more than the values that were made.
            let column = self.plan.columns.iter().find(|column| column.name == field.name);
            (field.name.clone(), column.filter(|_| at < self.targets).map_or(&field.ty, |column| &column.ty).clone())
        };
        let mut before = batch::Batch {
            columns: (0..self.targets).map(typed).collect(),
            rows: made.before.iter().map(|row| row[..self.targets].to_vec()).collect(),
        };
        self.add_periods(&mut before);
        // Bind parameters are rows of no table.
        let parts = match &self.plan.staged {
            Staged::Table { parts, .. } => Some(parts.clone()),
            Staged::Parameters => Some(Vec::new()),
            _ => None,
        };
        let stage = |rows: &Vec<Row>| {
            let staging = parts.iter().map(|parts| Staging {
                parts: parts.clone(),
                columns: self.staged.iter().map(|at| typed(*at)).collect(),
                rows: rows.iter().map(|row| self.staged_row(row)).collect(),
            });
            staging.collect()
        };
        Scenario { name: made.name, before, batches: made.batches.iter().map(stage).flat_map(loads).collect() }
    }
}

/// A column of the target.
fn target_field(plan: &Plan, column: &Column, words: &[String]) -> Field {
    let place = |list: &[usize]| list.iter().position(|at| plan.columns[*at].name == column.name);
    let ty = kept(plan.dialect, &column.ty);
    let window = plan.window.as_ref().filter(|window| plan.columns[window.column].name == column.name);
    let is_filtered = plan.staged_filter.as_ref().is_some_and(|filter| names(plan, filter, &column.sql));
    let content = if is_filtered {
        Content::Fixed
    } else if !column.is_staged() {
        Content::Plain
    } else if is_read(plan, &column.sql) || in_scope(plan, &column.sql) {
        contrasts(words, &ty, column.nullable)
    } else {
        Content::Edges
    };
    Field {
        name: column.name.clone(),
        nullable: column.nullable && !is_filtered,
        // Rows are made by batches where they have no key.
        key: column.key || is_batch(plan, column),
        version: place(&plan.version).and_then(|at| u32::try_from(plan.version.len() - 1 - at).ok()),
        cursor: window.and_then(|window| cursor(window, &ty)),
        group: place(&plan.group).is_some(),
        content,
        ty,
    }
}

/// Whether a column names the batch of a row.
fn is_batch(plan: &Plan, column: &Column) -> bool {
    let batch = plan.log.as_ref().and_then(|log| log.batch);
    batch.is_some_and(|at| plan.columns[at].name == column.name)
}

/// A column of the staged table that only an expression names. What has no type is read by the predicate that tells a
/// deletion: `op = 'D'`, `cancelled_at IS NOT NULL`.
fn staged_field(plan: &Plan, name: &str, ty: Option<&Type>, words: &[String]) -> Field {
    let sql = plan.dialect.identifier(name, false);
    let window = plan.window.as_ref().filter(|window| names(plan, &window.staged, &sql));
    let nullable = may_be_null(plan, &sql);
    let content = match ty {
        Some(ty) => contrasts(words, ty, nullable),
        None => Content::Words(words.iter().map(|word| (**word).into()).chain(["other".into(), Value::Null]).collect()),
    };
    let ty = kept(plan.dialect, ty.unwrap_or(&UNKNOWN));
    Field {
        name: name.to_owned(),
        nullable,
        key: false,
        version: None,
        cursor: window.and_then(|window| cursor(window, &ty)),
        group: false,
        content,
        ty,
    }
}

/// Words that make a value of null.
const FILLS: &[&str] = &["coalesce", "ifnull", "isnull", "nvl", "case", "concat", "null"];

/// Whether null may be staged in a column that only expressions name: not where a column that takes none is made of it, and
/// nothing in the expression makes a value of null.
fn may_be_null(plan: &Plan, sql: &str) -> bool {
    !plan.load.batch.items.iter().any(|item| {
        let value = item.value.to_lowercase();
        let fills = value.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| FILLS.contains(&word));
        let column = plan.columns.iter().find(|column| column.sql == item.name);
        !fills && column.is_some_and(|column| !column.nullable) && names(plan, &item.value, sql)
    })
}

/// The type whose values the dialect keeps as they are. Without digits in the name of its type, a decimal is a floating
/// point number, which keeps 15.
fn kept(dialect: &Dialect, ty: &Type) -> Type {
    match ty {
        Type::Decimal { precision, scale } if !(dialect.type_name)(ty).contains(&precision.to_string()) => {
            Type::Decimal { precision: (*precision).min(15), scale: (*scale).min(15) }
        }
        other => other.clone(),
    }
}

/// Whether an expression over the staged row names a column.
fn names(plan: &Plan, expression: &str, sql: &str) -> bool {
    holds_name(expression, &format!("{}.{sql}", plan.load.names.s))
}

/// Whether a text holds a qualified name, and not as the beginning of another.
fn holds_name(expression: &str, name: &str) -> bool {
    expression.match_indices(name).any(|(at, _)| {
        let behind = expression[at + name.len()..].chars().next();
        behind.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    })
}

/// Whether another column than the one of that name is computed from a column.
fn is_read(plan: &Plan, sql: &str) -> bool {
    plan.load.batch.items.iter().any(|item| !item.plain && names(plan, &item.value, sql))
}

/// Whether the scope of missing rows depends on a column.
fn in_scope(plan: &Plan, sql: &str) -> bool {
    let name = format!("{}.{sql}", plan.load.names.o);
    plan.missing.as_ref().and_then(|missing| missing.scope.as_ref()).is_some_and(|scope| holds_name(scope, &name))
}

/// What an expression compares a text with, something else, and null. Values of other types tell nothing apart by words.
fn contrasts(words: &[String], ty: &Type, nullable: bool) -> Content {
    if words.is_empty() || !ty.is_text() {
        return Content::Edges;
    }
    let fits = |word: &str| match ty {
        Type::Varchar(length) | Type::Char(length) => word.chars().count() <= usize::try_from(*length).unwrap_or(0),
        _ => true,
    };
    let known = words.iter().map(String::as_str).chain(["other"]).filter(|word| fits(word)).map(Value::from);
    Content::Words(known.chain(nullable.then_some(Value::Null)).collect())
}

/// The texts that the expressions of a plan compare with, so that made-up rows meet them: the `D` of `op = 'D'`.
fn words(plan: &Plan) -> Vec<String> {
    let expressions = plan.load.batch.items.iter().filter(|item| !item.plain).map(|item| item.value.as_str());
    let constants = plan.columns.iter().filter_map(|column| match &column.value {
        ValueFrom::Staged(value) => Some(value.as_str()),
        _ => None,
    });
    let scope = plan.missing.iter().filter_map(|missing| missing.scope.as_deref());
    let mut words: Vec<String> = expressions
        .chain(constants)
        .chain(scope)
        .flat_map(|text| text.split('\'').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort();
    words.dedup();
    words
}

/// The scale of the window's column: its numbers are a quarter of the overlap apart, or a sixteenth of a given window, so
/// that rows lie inside it, at its edges and outside.
fn cursor(window: &PlannedWindow, ty: &Type) -> Option<Cursor> {
    let tick = |literal| value(literal, ty).as_ref().and_then(ticks);
    // What is made is at most 16 numbers away from the present, and small types must hold that.
    let most = match ty {
        Type::SmallInt => i64::from(i16::MAX) / 32,
        Type::Int => i64::from(i32::MAX) / 32,
        Type::BigInt | Type::Date | Type::Timestamp | Type::Timestamptz => i64::MAX / 1024,
        _ => return None,
    };
    let of_overlap = |overlap: i64| match overlap / 4 {
        0 => default_unit(ty),
        quarter => quarter.min(most),
    };
    let (present, unit, bounds) = match &window.bounds {
        PlannedBounds::Watermark { overlap, initial } => {
            let overlap = match *overlap {
                Overlap::Steps(steps) => i64::try_from(steps).ok()?,
                Overlap::Seconds(_) if *ty == Type::Date => i64::try_from(overlap.in_days()).ok()?,
                Overlap::Seconds(seconds) => i64::try_from(seconds).ok()?.checked_mul(1_000_000)?,
            };
            let unit = of_overlap(overlap);
            // Nothing that is made lies before the first value.
            let first = initial.as_ref().and_then(tick).unwrap_or_else(|| epoch(ty));
            (first.checked_add(unit * 16)?, unit, Bounds::Watermark(overlap))
        }
        PlannedBounds::Given { start, end } => {
            let start = start.as_ref().and_then(tick)?;
            let end = end.as_ref().and_then(|end| end.as_ref().and_then(tick));
            let unit = end.map_or_else(|| default_unit(ty), |end| ((end - start) / 16).max(1));
            let present = if end.is_some_and(|end| end - start < 16) { start } else { start + unit * 8 };
            (present, unit, Bounds::Given(start, end))
        }
    };
    Some(Cursor { scale: Scale { zero: present.checked_sub(unit.checked_mul(PRESENT)?)?, unit }, bounds })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::diagnostic::Source;
    use crate::spec::Spec;
    use std::sync::Arc;

    fn plan_of(text: &str, dialect: &str) -> Plan {
        let none = |_: &str| Err("there is no file".to_owned());
        let spec = Spec::read(Arc::new(Source::new("spec.yaml", text)), &none).unwrap();
        let table = spec.tables()[0].for_dialect(dialect).unwrap();
        crate::plan::plan(&table, crate::dialect::find(dialect).unwrap(), None).unwrap()
    }

    fn field<'a>(layout: &'a Layout<'_>, name: &str) -> &'a Field {
        layout.fields.iter().find(|field| field.name == name).unwrap()
    }

    const EVENTS: &str = "\
version: 1
tables:
  - name: events
    source: {table: staged_events}
    unique_key: [id]
    version: [epoch, changed_at]
    incremental_column: {column: seen_at, source_column: \"COALESCE(modified_at, made_at)\"}
    overlap_window: 4 hours
    target_filter: \"region = 'x'\"
    deletes: {when: \"op = 'D' OR gone IS NOT NULL\", flag: is_gone}
    columns:
      - {name: id, type: int}
      - {name: region, type: varchar(5), nullable: false, update: never}
      - {name: epoch, type: smallint}
      - {name: changed_at, type: timestamp}
      - {name: seen_at, type: timestamp, nullable: false}
      - {name: total, type: \"decimal(30,10)\"}
      - {name: kind, type: varchar(9), source: \"CASE WHEN code = 'abc' THEN 'first' ELSE code END\"}
      - {name: is_gone, type: bool, nullable: false}
      - {name: loaded_at, type: timestamp, value: now}
";

    #[test]
    fn every_column_has_its_part() {
        let plan = plan_of(EVENTS, "sqlite");
        let layout = Layout::of(&plan).unwrap();
        assert!(field(&layout, "id").key);
        assert_eq!(field(&layout, "region").content, Content::Fixed);
        assert_eq!(field(&layout, "epoch").version, Some(1));
        assert_eq!(field(&layout, "changed_at").version, Some(0));
        assert_eq!(field(&layout, "loaded_at").content, Content::Plain);
        // A floating point number keeps 15 digits.
        assert_eq!(field(&layout, "total").ty, Type::Decimal { precision: 15, scale: 10 });
        let cursor = field(&layout, "seen_at").cursor.unwrap();
        assert_eq!(cursor.bounds, Bounds::Watermark(4 * 3_600_000_000));
        assert_eq!(cursor.scale.unit, 3_600_000_000);
        for staged in ["modified_at", "made_at"] {
            assert_eq!(field(&layout, staged).cursor, Some(cursor), "{staged}");
        }
        for staged in ["op", "gone", "code"] {
            let Content::Words(words) = &field(&layout, staged).content else { panic!("{staged}") };
            let has = |word: &str| words.contains(&Value::from(word));
            assert!(has("D") && has("abc") && has("other") && words.contains(&Value::Null), "{staged}: {words:?}");
        }
        assert!(layout.is_plain().is_ok());
    }

    #[test]
    fn rows_go_back_into_the_columns_of_their_tables() {
        let plan = plan_of(EVENTS, "postgres");
        let layout = Layout::of(&plan).unwrap();
        assert_eq!(field(&layout, "total").ty, Type::Decimal { precision: 30, scale: 10 });
        let made = layout.scenario(batch::large(&layout.fields, 8, 1));
        let names = |columns: &[(String, Type)]| columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&made.before.columns).len(), 9);
        let staging = &made.batches[0][0];
        assert_eq!(staging.parts, ["staged_events"]);
        let staged = names(&staging.columns);
        assert!(staged.contains(&"op".to_owned()) && !staged.contains(&"loaded_at".to_owned()), "{staged:?}");
        assert!(staging.rows.iter().all(|row| row.len() == staged.len()));
    }

    #[test]
    fn a_computed_key_cannot_tell_rows_apart_before_they_are_loaded() {
        let text = EVENTS.replace("{name: id, type: int}", "{name: id, type: int, source: \"raw_id + 1\"}");
        let plan = plan_of(&text, "sqlite");
        let fault = Layout::of(&plan).unwrap().is_plain().unwrap_err();
        assert!(fault.contains("`id` is computed"), "{fault}");
    }

    #[test]
    fn a_cursor_lies_in_its_window_whatever_its_type_and_overlap() {
        for (ty, window) in [
            ("smallint", "overlap_window: 30000"),
            ("int", "overlap_window: 0"),
            ("bigint", "overlap_window: 3\n    initial_value: 5"),
            ("date", "overlap_window: 1 day"),
            ("date", "window: {start: 2024-06-01, end: 2024-06-02}"),
            ("timestamptz", "window: {start: \"2024-06-01T00:00:00Z\", end: \"2024-06-02T00:00:00Z\"}"),
            ("int", "window: {start: 5}"),
        ] {
            let text = format!(
                "version: 1\ntables:\n  - name: t\n    source: {{table: s}}\n    unique_key: [k]\n    \
                 incremental_column: at\n    {window}\n    columns:\n      - {{name: k, type: int}}\n      \
                 - {{name: at, type: {ty}, nullable: false}}\n"
            );
            let plan = plan_of(&text, "postgres");
            let cursor = field(&Layout::of(&plan).unwrap(), "at").cursor.unwrap();
            let present = cursor.scale.tick(PRESENT);
            if let Bounds::Given(start, end) = cursor.bounds {
                assert!(present >= start && end.is_none_or(|end| present < end), "{ty}, {window}");
            }
            // As far from the present as any row that is made: the type still holds it.
            let most = cursor.scale.tick(PRESENT + 16);
            assert!(ty != "smallint" || most <= i16::MAX.into(), "{most}");
            assert!(cursor.scale.tick(PRESENT - 16) >= if window.contains("initial") { 5 } else { i64::MIN });
        }
    }
}
