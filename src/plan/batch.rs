//! The batch: where the staged rows come from, which of them are taken, and how they become one per key.

use super::column::{Column, ValueFrom};
use super::expression;
use super::load::{Aliases, Batch, Item, Reduction};
use super::planner::Planner;
use super::value;
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::{Form, Reduce, RowSource, RowText};
use crate::dialect::types::{Literal, Type};
use crate::spec::{Row, Source};
use crate::sql::expression::query;
use std::collections::HashMap;

impl Planner<'_> {
    /// The batch without its filter on the window.
    pub(super) fn batch(&mut self, form: Form, deletion: Option<(&str, String)>) -> Batch {
        let staged: Vec<Item> = self
            .columns
            .iter()
            .filter_map(|column| match &column.value {
                ValueFrom::Staged(value) => {
                    Some(Item { plain: column.plain, value: value.clone(), name: column.sql.clone() })
                }
                // dbt keeps the rows in a table of its own before they are loaded.
                ValueFrom::Load(value) if self.adapter.is_some() => {
                    Some(Item { plain: false, value: value.clone(), name: column.sql.clone() })
                }
                ValueFrom::Load(_) | ValueFrom::Period(_) | ValueFrom::Engine => None,
            })
            .chain(deletion.map(|(name, when)| Item {
                value: format!("CASE WHEN {when} THEN 1 ELSE 0 END"),
                name: name.to_owned(),
                plain: false,
            }))
            .collect();
        let reduce = match &self.table.source.value {
            // Rows without a key are counted.
            _ if form == Form::AppendBatch => None,
            Source::Table(_) | Source::Query(_) => Some(self.reduction(&staged)),
            // Rows whose keys differ as they are written can have one key once an expression has read them.
            Source::Rows { .. } if self.columns.iter().any(|column| self.tells_rows_apart(column) && !column.plain) => {
                Some(self.reduction(&staged))
            }
            Source::Rows { .. } | Source::Parameters => None,
        };
        let staging = matches!(form, Form::UpdateInsert | Form::StagedMerge | Form::AppendBatch)
            || self.strategy.replaces()
            || self.strategy.versions;
        let names_columns = form != Form::Merge
            || self.dialect.rows != RowSource::Values
            || self.dialect.merge_syntax.is_none_or(|merge| merge.source_columns);
        let bare = reduce.is_none()
            && !staging
            && self.adapter.is_none()
            && names_columns
            && self.table.target_filter.is_none()
            && staged.iter().all(|item| item.plain);
        let Aliases { s, b, .. } = self.load.names.clone();
        let source = self.source(if bare { &b } else { &s });
        Batch { source, bare, items: staged, filter: Vec::new(), reduce }
    }

    /// One row per key: the greatest version first, then every other staged column, so that the winner never depends on
    /// chance.
    fn reduction(&mut self, staged: &[Item]) -> Reduction {
        let value_of = |column: &Column| match &column.value {
            ValueFrom::Staged(value) => (self.dialect.comparable)(value, &column.ty),
            _ => String::new(),
        };
        let nulls = |column: &Column| if column.nullable && self.dialect.nulls_last { " NULLS LAST" } else { "" };
        let by: Vec<String> =
            self.columns.iter().filter(|column| self.tells_rows_apart(column)).map(value_of).collect();
        let ordering = if self.strategy.versions { &[][..] } else { self.version.as_slice() };
        let version = ordering.iter().map(|at| &self.columns[*at]);
        let flag =
            self.table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref()).map(|flag| flag.value.as_str());
        let is_flag = |column: &&Column| Some(column.name.as_str()) == flag;
        let this = &*self;
        let others = |compared: bool| {
            this.columns.iter().filter(move |column| {
                let orders = !this.is_missing_flag(column);
                orders && column.is_staged() && !column.key && !column.version && column.is_compared() == compared
            })
        };
        // A deletion wins against another row of the same version.
        let mut order: Vec<String> = version
            .chain(self.columns.iter().filter(is_flag))
            .chain(others(true).filter(|column| !is_flag(column)))
            .chain(others(false).filter(|column| !is_flag(column)))
            .map(|column| format!("{} DESC{}", value_of(column), nulls(column)))
            .collect();
        if let Some(item) = staged.iter().find(|item| Some(&item.name) == self.deletion_flag.as_ref()) {
            order.insert(ordering.len(), format!("{} DESC", item.value));
        }
        if order.is_empty() && self.dialect.reduce != Reduce::DistinctOn {
            // Every column is in the key, so all rows of a key are equal; a window needs an order all the same.
            order.clone_from(&by);
        }
        let how = match self.dialect.reduce {
            Reduce::DistinctOn => "distinct_on",
            Reduce::Qualify { .. } => "qualify",
            Reduce::RowNumber => "row_number",
            Reduce::LimitBy => "limit_by",
        };
        Reduction { how, by, order, rank: self.free_name("rn") }
    }

    /// What stands in FROM.
    fn source(&mut self, alias: &str) -> String {
        let as_ = self.dialect.table_alias;
        self.check_query();
        match &self.table.source.value {
            Source::Table(path) => format!("{} {as_}{alias}", self.path_of(path, &self.table.source.span)),
            Source::Query(text) => {
                let text = expression::query_text(text);
                let text = if breaks_safely(text) { text.replace('\n', "\n  ") } else { Self::verbatim(text) };
                format!("(\n  {text}\n) {as_}{alias}")
            }
            Source::Rows { rows, seed } => {
                let rows = rows.clone();
                let seed = seed.clone();
                let before = self.faults.len();
                let literals = self.literal_rows(&rows);
                if let Some(seed) = seed {
                    for fault in &mut self.faults[before..] {
                        fault.source = Some(seed.clone());
                    }
                }
                let rows: Vec<Vec<String>> = literals
                    .iter()
                    .enumerate()
                    .map(|(at, row)| {
                        row.iter().map(|(column, literal)| self.relation_value(*column, literal, at == 0)).collect()
                    })
                    .collect();
                self.literals = literals;
                self.relation(&rows, alias)
            }
            Source::Parameters => {
                let row = self
                    .columns
                    .iter()
                    .filter(|column| column.is_staged())
                    .enumerate()
                    .map(|(at, column)| {
                        let parameter = self.dialect.parameter(at + 1, &column.name, &column.ty);
                        if column.ty == Type::Json {
                            // As a literal is written: some engines would store the text itself as one JSON string.
                            let text = (self.dialect.string)("x");
                            let json = (self.dialect.json)("x");
                            if json.contains(&text) {
                                return json.replace(&text, &parameter);
                            }
                        }
                        // Cast to a length, a longer value would be cut without a word; the column refuses it.
                        let ty = if column.ty.is_text() { &Type::Text } else { &column.ty };
                        self.dialect.cast(&parameter, ty)
                    })
                    .collect();
                self.relation(&[row], alias)
            }
        }
    }

    /// Refuses a query that begins with WITH where such a query cannot stand in FROM.
    fn check_query(&mut self) {
        let Source::Query(text) = &self.table.source.value else { return };
        let has_with =
            query(text, self.dialect).is_ok_and(|facts| facts.lines().iter().any(|fact| fact.place == "with"));
        if has_with && !self.dialect.with_in_from {
            self.faults.push(
                Diagnostic::error("plan-query", format!("{} takes no query with WITH inside a statement", self.dialect.title))
                    .at(self.table.source.span.clone(), "begins with WITH")
                    .help(format!(
                        "write it with subqueries in FROM, or make it a view: `overrides: {{{}: {{source: {{table: ..}}}}}}`",
                        self.dialect.name
                    )),
            );
        }
    }

    /// Rows of ready values as a relation.
    fn relation(&self, rows: &[Vec<String>], alias: &str) -> String {
        let names: Vec<&str> =
            self.columns.iter().filter(|column| column.is_staged()).map(|column| column.sql.as_str()).collect();
        let as_ = self.dialect.table_alias;
        match self.dialect.rows {
            RowSource::Values => {
                let rows: Vec<String> = rows.iter().map(|row| format!("    ({})", row.join(", "))).collect();
                format!("(\n  VALUES\n{}\n) {as_}{alias} ({})", rows.join(",\n"), names.join(", "))
            }
            RowSource::UnionAll { from } => {
                let rows: Vec<String> = rows
                    .iter()
                    .enumerate()
                    .map(|(at, row)| {
                        let values: Vec<String> = row
                            .iter()
                            .zip(&names)
                            .map(|(value, name)| if at == 0 { format!("{value} AS {name}") } else { value.clone() })
                            .collect();
                        format!("  SELECT {}{from}", values.join(", "))
                    })
                    .collect();
                format!("(\n{}\n) {as_}{alias}", rows.join("\n  UNION ALL\n"))
            }
        }
    }

    /// A literal inside a relation, where nothing else tells the type of a null, and on some engines that of a text.
    fn relation_value(&self, column: usize, literal: &Literal, first: bool) -> String {
        let column = &self.columns[column];
        let text = Self::verbatim(&self.dialect.literal(literal, &column.ty));
        let cast = match self.dialect.row_text {
            _ if *literal == Literal::Null => true,
            RowText::Plain => false,
            RowText::CastFirst => column.ty == Type::Real || (first && column.ty.is_text()),
            RowText::CastChar => matches!(column.ty, Type::Char(_)),
        };
        if cast { self.dialect.cast(&text, &column.ty) } else { text }
    }

    /// The literal rows, each with the index of the column of every value; faults are noted.
    fn literal_rows(&mut self, rows: &[Row]) -> Vec<Vec<(usize, Literal)>> {
        let mut faults = Vec::new();
        let mut seen: HashMap<String, &Row> = HashMap::new();
        let mut all = Vec::new();
        for row in rows {
            let mut values = Vec::new();
            for (at, column) in self.columns.iter().enumerate().filter(|(_, column)| column.is_staged()) {
                let given = row.values.iter().find(|(name, _)| name.value == column.name);
                let span = given.map_or(&row.span, |(_, value)| &value.span);
                let read = given.map_or(Ok(Literal::Null), |(_, scalar)| value::literal(&scalar.value, &column.ty));
                match read {
                    Ok(Literal::Null) if !column.nullable => faults.push(
                        Diagnostic::error(
                            "plan-null",
                            format!("column `{}` is never null, and here it is", column.name),
                        )
                        .at(span.clone(), "no value")
                        .help(format!("give it a value, or write `nullable: true` at column `{}`", column.name)),
                    ),
                    Ok(literal) => values.push((at, literal)),
                    Err(wrong) => faults.push(wrong.at(&format!("column `{}`", column.name), span.clone())),
                }
            }
            let named = values.iter().filter(|(at, _)| self.tells_rows_apart(&self.columns[*at]));
            let key: Vec<String> = named.map(|(_, literal)| key_text(literal)).collect();
            if let Some(first) = seen.insert(key.join("\u{1f}"), row) {
                faults.push(
                    Diagnostic::error("plan-duplicate-key", "two rows have the same unique key")
                        .at(row.span.clone(), "this row")
                        .at(first.span.clone(), "has the key of this one")
                        .help("keep one of them"),
                );
            }
            all.push(values);
        }
        self.faults.append(&mut faults);
        all
    }

    /// True when the column is one of those by which two staged rows are two: the key, and the version where each has a row.
    fn tells_rows_apart(&self, column: &Column) -> bool {
        column.is_staged() && (column.key || column.version && self.strategy.versions)
    }

    /// True for a value that is spelled in the spec, so that the short form may be used.
    pub(super) fn has_rows(&self) -> bool {
        matches!(self.table.source.value, Source::Rows { .. } | Source::Parameters)
    }
}

/// True when no line of the user's query ends inside a text, a name or a comment, so that its lines may be indented.
/// Texts with escapes of their own are not looked into.
fn breaks_safely(text: &str) -> bool {
    if text.contains(['\\', '$', '#', '{']) || text.contains("/*") {
        return false;
    }
    text.lines().all(|line| {
        let code = line.split("--").next().unwrap_or_default();
        ['\'', '"', '`'].iter().all(|quote| code.matches(*quote).count() % 2 == 0)
    })
}

/// A text that is the same for two literals of a column that the engine takes for one key.
fn key_text(literal: &Literal) -> String {
    match literal {
        Literal::Decimal(digits) if digits.contains('.') => {
            format!("{:?}", Literal::Decimal(digits.trim_end_matches('0').trim_end_matches('.').to_owned()))
        }
        other => format!("{other:?}"),
    }
}
