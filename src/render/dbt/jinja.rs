//! Text that dbt's Jinja reads: SQL that must come out of it as it is, literals, and a query that differs between two runs.

use crate::plan::LINE_END;
use crate::plan::dbt::{Rows, STAGED, TARGET};
use serde_json::Value;

/// The width up to which a literal stands in one line.
const WIDTH: usize = 100;

/// The text, so written that Jinja gives it as it is.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '{' && matches!(rest.peek(), Some('{' | '%' | '#')) {
            out.push_str("{{ '{' }}");
        } else {
            out.push(c);
        }
    }
    out
}

/// SQL of a plan for a model's file: Jinja gives it as it is, and names the tables in it.
pub(super) fn sql(text: &str, rows: Option<&Rows>) -> String {
    let rows = rows.map(call).unwrap_or_default();
    let text = escaped(text).replace(LINE_END, "\n");
    text.replace(TARGET, "{{ this }}").replace(STAGED, &format!("{{{{ {rows} }}}}"))
}

/// How dbt is asked for a table of staged rows.
fn call(rows: &Rows) -> String {
    match rows {
        Rows::Ref(model) => format!("ref({})", string(model)),
        Rows::Source { source, table, .. } => format!("source({}, {})", string(source), string(table)),
    }
}

/// SQL of a plan as one line of text, for a literal; only the user's own line ends stay.
pub(super) fn line(text: &str) -> String {
    let mut out = String::new();
    for part in text.split('\n').map(str::trim_start) {
        let tight = out.is_empty() || out.ends_with('(') || part.starts_with(')');
        if !tight {
            out.push(' ');
        }
        out.push_str(part);
    }
    out.replace(LINE_END, "\n").replace(TARGET, "{table}")
}

/// Two texts as one: what differs stands in the branches of an `if` over the kind of the run.
pub(super) fn by_run(first: &str, later: &str) -> String {
    let (first, later): (Vec<&str>, Vec<&str>) = (first.lines().collect(), later.lines().collect());
    let shorter = first.len().min(later.len());
    let head = first.iter().zip(&later).take_while(|(a, b)| a == b).count();
    let tail = first.iter().rev().zip(later.iter().rev()).take(shorter - head).take_while(|(a, b)| a == b).count();
    let mut out: Vec<&str> = first[..head].to_vec();
    let (first_part, later_part) = (&first[head..first.len() - tail], &later[head..later.len() - tail]);
    // At the very top there is no line end to take away.
    let dash = |text: &'static str, plain: &'static str| if head == 0 { plain } else { text };
    if !later_part.is_empty() || !first_part.is_empty() {
        out.push(dash("{%- if is_incremental() %}", "{% if is_incremental() -%}"));
        out.extend(later_part);
        if !first_part.is_empty() {
            out.push(if head == 0 { "{%- else -%}" } else { "{%- else %}" });
            out.extend(first_part);
        }
        out.push("{%- endif %}");
    }
    out.extend(&first[first.len() - tail..]);
    out.join("\n")
}

/// A literal of a text.
pub(super) fn string(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// A literal of any value, in one line while that is short; `depth` is the indentation of the line that it begins in.
pub(super) fn literal(value: &Value, depth: usize) -> String {
    let flat = flat(value);
    let is_list_of_pairs = matches!(value, Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_array));
    if flat.chars().count() + depth <= WIDTH && !is_list_of_pairs {
        return flat;
    }
    let pad = " ".repeat(depth + 2);
    let lines: Vec<String> = match value {
        Value::Array(items) => items.iter().map(|item| format!("{pad}{}", literal(item, depth + 2))).collect(),
        Value::Object(entries) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{pad}{}: {}", string(key), literal(value, depth + 2));
            entries.iter().map(entry).collect()
        }
        _ => return flat,
    };
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    format!("{open}\n{}\n{}{close}", lines.join(",\n"), " ".repeat(depth))
}

fn flat(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| format!("{}: {}", string(key), flat(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{by_run, escaped, line, string};

    #[test]
    fn what_differs_stands_in_branches() {
        assert_eq!(by_run("a\nc", "a\nb\nc"), "a\n{%- if is_incremental() %}\nb\n{%- endif %}\nc");
        assert_eq!(by_run("a\nx\nc", "a\nb\nc"), "a\n{%- if is_incremental() %}\nb\n{%- else %}\nx\n{%- endif %}\nc");
        assert_eq!(by_run("x", "a\nb"), "{% if is_incremental() -%}\na\nb\n{%- else -%}\nx\n{%- endif %}");
        assert_eq!(by_run("a", "a"), "a");
        assert_eq!(by_run("a\na", "a\na\na"), "a\na\n{%- if is_incremental() %}\na\n{%- endif %}");
    }

    #[test]
    fn texts_come_out_as_they_are() {
        assert_eq!(escaped("'{{{' {% {# { }}"), "'{{ '{' }}{{ '{' }}{' {{ '{' }}% {{ '{' }}# { }}");
        assert_eq!(string("it's"), "\"it's\"");
        assert_eq!(string("'\"\\\n"), "'\\'\"\\\\\\n'");
        assert_eq!(line("(\n  a\n  OR b\n)"), "(a OR b)");
    }
}
