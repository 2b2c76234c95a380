//! The keys that say which part of the source a load reads, and which staged rows are deletions.

use crate::diagnostic::Diagnostic;
use crate::spec::Bound;
use crate::spec::Deletes;
use crate::spec::Incremental;
use crate::spec::Located;
use crate::spec::OverlapWindow;
use crate::spec::Window;
use crate::spec::read::{Choices, Reader, located};
use crate::spec::schema;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Value};

/// Units of a fixed length, in seconds.
const UNITS: &[(&str, u64)] = &[("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800)];

/// Units whose length depends on the calendar, and about how many days they have.
const CALENDAR_UNITS: &[(&str, u64)] = &[("month", 31), ("quarter", 92), ("year", 366)];

/// Short forms that people write elsewhere.
const SHORT_UNITS: &[(&str, &str)] = &[
    ("s", "second"),
    ("sec", "second"),
    ("m", "minute"),
    ("min", "minute"),
    ("h", "hour"),
    ("hr", "hour"),
    ("d", "day"),
    ("w", "week"),
];

/// `overlap_window`: a length of time, or steps on an integer cursor.
pub(super) fn overlap(r: &mut Reader, entry: &Entry) -> Option<Located<OverlapWindow>> {
    let node = &entry.value;
    let text = match &node.value {
        Value::Number(spelled) | Value::Text(spelled) => spelled.trim(),
        _ => {
            r.wrong(
                "`overlap_window`",
                "a length",
                node,
                "write `1 day`, `3 hours`, or a whole number for an integer column",
            );
            return None;
        }
    };
    match parse_overlap(text) {
        Ok(overlap) => Some(located(overlap, node)),
        Err((why, help)) => {
            r.fault(Diagnostic::error("spec-overlap", why).at(node.span.clone(), "").help(help));
            None
        }
    }
}

/// A length of time in seconds.
pub(super) fn length(r: &mut Reader, entry: &Entry, example: &str) -> Option<Located<u64>> {
    let (key, node) = (&entry.key, &entry.value);
    let (Value::Number(text) | Value::Text(text)) = &node.value else {
        r.wrong(&format!("`{key}`"), "a length of time", node, format!("write `{key}: {example}`"));
        return None;
    };
    let (why, help) = match parse_overlap(text.trim()) {
        Ok(OverlapWindow::Seconds(0)) => {
            (format!("`{key}` is no time at all"), format!("write `{key}: {example}`, or remove the key"))
        }
        Ok(OverlapWindow::Seconds(seconds)) => return Some(located(seconds, node)),
        Ok(OverlapWindow::Steps(_)) => (format!("`{text}` has no unit"), format!("write `{key}: {example}`")),
        Err((_, _)) if text.trim().starts_with('-') => {
            (format!("`{text}` is negative"), format!("write `{key}: {example}`"))
        }
        Err((why, _)) => (why, format!("write it in seconds, minutes, hours or days: `{key}: {example}`")),
    };
    r.fault(Diagnostic::error("spec-length", why).at(node.span.clone(), "").help(help));
    None
}

/// Reads an overlap, or says what is wrong and what to write.
fn parse_overlap(text: &str) -> Result<OverlapWindow, (String, String)> {
    if let Ok(steps) = text.parse() {
        return Ok(OverlapWindow::Steps(steps));
    }
    let usual = || "write `1 day`, `3 hours`, `15 minutes`, or a whole number for an integer column".to_owned();
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let Ok(count) = digits.parse::<u64>() else {
        let why = if text.starts_with('-') {
            format!("`{text}` is negative: the overlap is how far the window reaches back")
        } else {
            format!("`{text}` is not a length of time")
        };
        return Err((why, usual()));
    };
    let long = SHORT_UNITS.iter().find(|(short, _)| *short == unit).map(|(_, long)| *long);
    let one = unit.strip_suffix('s').unwrap_or(&unit);
    if let Some((_, seconds)) = UNITS.iter().find(|(name, _)| *name == one) {
        return match count.checked_mul(*seconds) {
            Some(seconds) => Ok(OverlapWindow::Seconds(seconds)),
            None => Err((format!("`{text}` is longer than can be counted in seconds"), usual())),
        };
    }
    if let Some((name, days)) = CALENDAR_UNITS.iter().find(|(name, _)| *name == one) {
        let why = format!("a {name} has no fixed length, so two runs could read different windows");
        return Err((why, format!("write `{} days`", count.saturating_mul(*days))));
    }
    match long {
        Some(long) => Err((
            format!("`{unit}` is not a unit of time here"),
            format!("write the unit out: `{count} {long}{}`", if count == 1 { "" } else { "s" }),
        )),
        None if unit.starts_with('.') => Err((
            format!("`{text}` is not a whole number"),
            "use a smaller unit: `90 minutes` for `1.5 hours`".to_owned(),
        )),
        None => Err((format!("`{unit}` is not a unit of time"), usual())),
    }
}

/// `incremental_column`: a name, or a name and the staged column behind it.
pub(super) fn incremental(r: &mut Reader, entry: &Entry) -> Option<Incremental> {
    let Value::Mapping(entries) = &entry.value.value else {
        return r.text(entry).map(|column| Incremental { column, source_column: None, is_utc: false });
    };
    let mut draft = (None, None, false);
    r.mapping(entries, &entry.value.span, &INCREMENTAL, &mut draft);
    Some(Incremental { column: draft.0?, source_column: draft.1, is_utc: draft.2 })
}

type IncrementalDraft = (Option<Located<String>>, Option<Located<String>>, bool);

const ZONES: Choices<bool> =
    &[("utc", "the values are in UTC", true), ("local", "the values follow a local clock", false)];

/// The keys of `incremental_column` as a mapping.
pub(super) static INCREMENTAL: Vocabulary<IncrementalDraft> = Vocabulary {
    what: "`incremental_column`",
    keys: &[
        Key {
            name: "column",
            doc: "the target's column",
            needed: Some("column: updated_at"),
            schema: schema::text,
            read: |r, e, draft| draft.0 = r.text(e),
        },
        Key {
            name: "source_column",
            doc: "the staged column or expression that is compared with the window, when it differs",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.1 = r.text(e),
        },
        Key {
            name: "zone",
            doc: "`utc` says that a timestamp without a zone is in UTC, so that no clock change makes two of it",
            needed: None,
            schema: || schema::choice(ZONES),
            read: |r, e, draft| draft.2 = r.choice(e, ZONES).is_some_and(|zone| zone.value),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("name", "write `column`"),
        ("source", "write `source_column`"),
        ("lag", "write the table's `overlap_window`"),
        ("initial_value", "write it as a key of the table"),
        ("cursor_path", "write `column`"),
    ],
};

/// `window`: start and end given by the caller.
pub(super) fn window(r: &mut Reader, entry: &Entry) -> Option<Window> {
    let entries = r.entries("`window`", &entry.value, "write `window: {start: ..., end: ...}`")?;
    let mut draft = (None, None);
    r.mapping(entries, &entry.value.span, &WINDOW, &mut draft);
    Some(Window { start: draft.0?, end: draft.1 })
}

type WindowDraft = (Option<Located<Bound>>, Option<Located<Bound>>);

/// The keys of `window`.
pub(super) static WINDOW: Vocabulary<WindowDraft> = Vocabulary {
    what: "`window`",
    keys: &[
        Key {
            name: "start",
            doc: "the first value inside: a value, a template variable in quotes, or {parameter: name}",
            needed: Some("start: \"{{ start }}\""),
            schema: schema::bound,
            read: |r, e, draft| draft.0 = bound(r, e),
        },
        Key {
            name: "end",
            doc: "the first value behind it: a value, a template variable in quotes, or {parameter: name}",
            needed: None,
            schema: schema::bound,
            read: |r, e, draft| draft.1 = bound(r, e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("from", "write `start`"),
        ("begin", "write `start`"),
        ("start_date", "write `start`"),
        ("to", "write `end`: the first value that is not loaded any more"),
        ("until", "write `end`: the first value that is not loaded any more"),
        ("end_date", "write `end`: the first value that is not loaded any more"),
        ("column", "write the table's `incremental_column`"),
    ],
};

fn bound(r: &mut Reader, entry: &Entry) -> Option<Located<Bound>> {
    let node = &entry.value;
    match &node.value {
        Value::Text(text) if text.contains("{{") => Some(located(Bound::Variable(text.clone()), node)),
        Value::Mapping(entries) if !node.template => {
            let mut name = None;
            r.mapping(entries, &node.span, &PARAMETER, &mut name);
            Some(located(Bound::Parameter(name?.value), node))
        }
        _ => {
            let scalar = r.scalar(&format!("`{}` of `window`", entry.key), node)?;
            Some(Located { value: Bound::Value(scalar.value), span: scalar.span })
        }
    }
}

/// The keys of `{parameter: name}`.
pub(super) static PARAMETER: Vocabulary<Option<Located<String>>> = Vocabulary {
    what: "a parameter",
    keys: &[Key {
        name: "parameter",
        doc: "the name of the bind parameter",
        needed: Some("parameter: start"),
        schema: schema::text,
        read: |r, e, name| *name = r.text(e),
    }],
    home: crate::spec::file::home,
    foreign: &[("name", "write `parameter`"), ("param", "write `parameter`")],
};

/// `deletes`: a predicate, and what such a row does.
pub(super) fn deletes(r: &mut Reader, entry: &Entry) -> Option<Deletes> {
    let help = "write `deletes: {when: \"op = 'D'\", action: delete}`";
    let entries = r.entries("`deletes`", &entry.value, help)?;
    let mut draft = DeletesDraft::default();
    r.mapping(entries, &entry.value.span, &DELETES, &mut draft);
    match (&draft.action, &draft.flag) {
        (Some(action), Some(flag)) => both(r, "deletes", action, flag),
        (None, None) if !r.alone && !entries.iter().any(|entry| entry.key == "action" || entry.key == "flag") => r
            .fault(
                Diagnostic::error("spec-missing-key", "`deletes` does not say what a deletion does")
                    .at(entry.key_span.clone(), "")
                    .help("add `action: delete` to remove the row, or `flag: is_deleted` to mark it in that column"),
            ),
        _ => {}
    }
    Some(Deletes { when: draft.when?, flag: draft.flag })
}

#[derive(Default)]
pub(super) struct DeletesDraft {
    when: Option<Located<String>>,
    action: Option<Located<()>>,
    flag: Option<Located<String>>,
}

/// What becomes of a row, where it is not flagged.
pub(super) const ACTIONS: Choices<()> = &[("delete", "the row is removed from the target", ())];

/// The fault of a key that says both what removes a row and what keeps it.
pub(super) fn both(r: &mut Reader, key: &str, action: &Located<()>, flag: &Located<String>) {
    r.fault(
        Diagnostic::error("spec-either-or", format!("`{key}` has both `action: delete` and `flag`"))
            .at(flag.span.clone(), "this keeps the row and marks it")
            .at(action.span.clone(), "this removes the row")
            .help("keep one of the two"),
    );
}

/// The keys of `deletes`.
pub(super) static DELETES: Vocabulary<DeletesDraft> = Vocabulary {
    what: "`deletes`",
    keys: &[
        Key {
            name: "when",
            doc: "a predicate over the staged row that is true for a deletion: op = 'D'",
            needed: Some("when: \"op = 'D'\""),
            schema: schema::text,
            read: |r, e, draft| draft.when = r.text(e),
        },
        Key {
            name: "action",
            doc: "what a deletion does; give this or `flag`",
            needed: None,
            schema: || schema::choice(ACTIONS),
            read: |r, e, draft| draft.action = r.choice(e, ACTIONS),
        },
        Key {
            name: "flag",
            doc: "the boolean column that is set instead of removing the row",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.flag = r.text(e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("where", "write `when`"),
        ("condition", "write `when`"),
        ("column", "write `flag` for the boolean column that is set, or `when` for the predicate"),
        ("hard_delete", "write `action: delete`"),
        ("soft_delete", "write `flag: is_deleted`"),
    ],
};
