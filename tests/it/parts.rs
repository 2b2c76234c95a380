//! What each engine is tried with: not every one can take every row, or has the time for every scenario.

use idemsql::dialect::types::Type;
use idemsql::engine::value::{Row, Value};
use idemsql::verify::Scenarios;

/// The name of the scenario of a case's own rows.
pub const OWN_ROWS: &str = "the given rows";

/// What an engine is tried with.
#[derive(Clone, Copy)]
pub struct Part {
    engine: &'static str,
    /// The guarantees; none named are all.
    pub guarantees: &'static [&'static str],
    /// How many scenarios, and how many sets of batches that commute, are tried of a strategy that is not the spec's own.
    others: [usize; 2],
    /// How many sets of batches that commute are tried of the spec's own: each is run in many orders.
    sets: usize,
    /// Of the spec's own strategy only these made-up scenarios are tried, each of a case, where every statement takes long.
    pub made_up: Option<&'static [(&'static str, &'static str)]>,
    /// How many rows of bind parameters are tried in a scenario: each is a load.
    bound: usize,
    /// Whether a value has room in a column of the type. A row with one that has none is left out.
    has_room: fn(&Value, &Type) -> bool,
    /// What the page says of it.
    pub says: &'static str,
}

/// A server takes its time: what the spec does not ask for is tried with less.
const SERVER: Part = Part {
    engine: "",
    guarantees: &[],
    others: [6, 2],
    sets: usize::MAX,
    made_up: None,
    bound: usize::MAX,
    has_room: |_, _| true,
    says: "",
};

/// No sessions: a bridge cannot have the same session killed and go on.
const ALONE: &[&str] = &["rerun", "quiet", "right", "order", "split"];

/// A stand-in with tables of files says nothing of sessions, and batches take it minutes. Its page says so.
const SHORT: &[&str] = &["rerun", "quiet", "right"];

/// Engines that are not tried as a server is.
const PARTS: [Part; 10] = [
    Part {
        engine: "clickhouse",
        guarantees: ALONE,
        others: [1, 1],
        sets: 2,
        bound: 5,
        says: "Two sets of batches that commute were tried of the spec's own strategy; other strategies with the rows of the \
               fixture and one such set; and scenarios of bind parameters with five rows.",
        ..SERVER
    },
    Part {
        engine: "databend",
        guarantees: SHORT,
        others: [1, 0],
        made_up: Some(MADE_UP_WHERE_SLOW),
        has_room: has_room_in_databend,
        says: "G4 and G5 were left out, as batches take it long. Each fixture was tried with its own rows, and by the strategy of \
               its spec with made-up rows where a mechanism of the dialect shows. Its timestamps end on 9999-12-30: rows with \
               later ones were left out.",
        ..SERVER
    },
    Part { engine: "duckdb", others: [1, 1], ..SERVER },
    Part {
        engine: "firebird",
        guarantees: ALONE,
        bound: 5,
        has_room: has_room_in_firebird,
        says: "It keeps four digits of a second, and blanks at the end of a text do not count: rows with more were left out. \
               Scenarios of bind parameters were tried with five rows.",
        ..SERVER
    },
    Part { engine: "h2", has_room: has_room_in_utf16, says: UTF16, ..SERVER },
    Part { engine: "hsqldb", has_room: has_room_in_utf16, says: UTF16, ..SERVER },
    Part { engine: "mysql", others: [1, 1], ..SERVER },
    Part {
        engine: "sail",
        guarantees: SHORT,
        others: [1, 0],
        made_up: Some(MADE_UP_WHERE_SLOW),
        says: "G4 and G5 were left out, as batches take it long. Each fixture was tried with its own rows, and by the strategy of \
               its spec with made-up rows where a mechanism of the dialect shows.",
        ..SERVER
    },
    Part {
        engine: "spark",
        guarantees: SHORT,
        others: [0, 0],
        bound: 5,
        made_up: Some(MADE_UP_WHERE_SLOW),
        says: "G4 and G5 were left out, as batches take it long. Each fixture was tried by the strategy of its spec, with its own \
               rows, and with made-up rows where a mechanism of the dialect shows.",
        ..SERVER
    },
    Part { engine: "sqlite", others: [usize::MAX; 2], ..SERVER },
];

/// The made-up rows that are tried where each statement takes long, a case and a scenario.
const MADE_UP_WHERE_SLOW: &[(&str, &str)] = &[
    ("cars_deleted", "deletions of older and newer rows"),
    ("every_type", "values at the limits of their types"),
    ("orders_delete_insert", "rows at the edges of the window"),
    ("orders_insert_ignore", "duplicates in an empty target"),
    ("orders_merge", "older, equal and newer rows"),
    ("orders_merge", "rows that differ in one column"),
    ("profiles", "null payloads"),
    ("tenant_stock", "null keys: tenant"),
];

/// Both count the length of a text in UTF-16, so that a character outside the basic plane takes the place of two. The
/// standard counts characters.
fn has_room_in_utf16(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Text(text), Type::Varchar(length) | Type::Char(length)) => {
            text.encode_utf16().count() <= *length as usize
        }
        _ => true,
    }
}

const UTF16: &str = "It counts the length of a text in UTF-16: rows whose texts have no room then were left out.";

/// Databend has no timestamps on the last day of the year 9999: there would be zones in which the year is another.
fn has_room_in_databend(value: &Value, _: &Type) -> bool {
    !matches!(value, Value::Timestamp(at) if at.date() == jiff::civil::Date::MAX)
}

/// Firebird keeps four digits of a second, and its collations pad: a blank at the end of a text is no difference.
/// <https://firebirdsql.org/file/documentation/html/en/refdocs/fblangref50/firebird-50-language-reference.html#fblangref50-datatypes-datetime>
fn has_room_in_firebird(value: &Value, _: &Type) -> bool {
    let nanoseconds = match value {
        Value::Text(text) => return !text.ends_with(' '),
        Value::Time(time) => time.subsec_nanosecond(),
        Value::Timestamp(at) => at.subsec_nanosecond(),
        Value::Timestamptz(at) => at.subsec_nanosecond(),
        _ => 0,
    };
    nanoseconds % 100_000 == 0
}

/// What was left out of the scenarios.
pub struct Reduced {
    /// How many rows.
    pub left_out: usize,
    /// True when the case's own rows are all there.
    pub whole: bool,
}

impl Part {
    /// What the engine is tried with.
    pub fn of(engine: &str) -> &'static Self {
        PARTS.iter().find(|part| part.engine == engine).unwrap_or(&SERVER)
    }

    /// Leaves of the scenarios of a case what is tried.
    pub fn reduce(&self, case: &str, own: bool, scenarios: &mut Scenarios) -> Reduced {
        if own {
            scenarios.commuting.truncate(self.sets);
            if let Some(made_up) = self.made_up {
                let wanted = |name: &str| name == OWN_ROWS || made_up.contains(&(case, name));
                scenarios.plain.retain(|scenario| wanted(&scenario.name));
            }
        } else {
            scenarios.plain.truncate(self.others[0]);
            scenarios.commuting.truncate(self.others[1]);
            scenarios.given = false;
        }
        let mut reduced = Reduced { left_out: 0, whole: true };
        let all = scenarios.plain.iter_mut().chain(&mut scenarios.commuting);
        for scenario in all.chain(&mut scenarios.large) {
            let bound = scenario.batches.iter().flatten().any(|staging| staging.parts.is_empty());
            if bound && scenario.name != OWN_ROWS {
                scenario.batches.truncate(self.bound);
            }
            let mut left_out = self.leave_out(&scenario.before.columns, &mut scenario.before.rows);
            for staging in scenario.batches.iter_mut().flatten() {
                left_out += self.leave_out(&staging.columns, &mut staging.rows);
            }
            reduced.whole &= scenario.name != OWN_ROWS || left_out == 0;
            reduced.left_out += left_out;
        }
        reduced
    }

    /// Takes out the rows with a value that has no room, and counts them.
    fn leave_out(&self, columns: &[(String, Type)], rows: &mut Vec<Row>) -> usize {
        let before = rows.len();
        rows.retain(|row| row.iter().zip(columns).all(|(value, (_, ty))| (self.has_room)(value, ty)));
        before - rows.len()
    }
}
