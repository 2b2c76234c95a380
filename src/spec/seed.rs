//! The files that a spec names, and seed files in CSV: every field with its bytes in the file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use csv_core::ReadFieldResult;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Source;
use crate::spec::Column;
use crate::spec::Located;
use crate::spec::Row;
use crate::spec::Scalar;
use crate::spec::column::Family;
use crate::spec::read::Reader;
use crate::spec::yaml::{Entry, is_decimal};

/// The files that a spec names, each read once: the text, or why it cannot be read.
pub(super) type Files = BTreeMap<String, Result<Arc<Source>, String>>;

/// The file that a key names.
pub(super) fn file(r: &mut Reader, entry: &Entry) -> Option<Arc<Source>> {
    let path = r.text(entry)?;
    let why = match r.files.get(&path.value) {
        Some(Ok(file)) if file.text.trim().is_empty() => "the file is empty",
        Some(Ok(file)) => return Some(Arc::clone(file)),
        Some(Err(why)) => why.as_str(),
        None => "the file was not asked for",
    };
    let fault = Diagnostic::error("spec-file", format!("cannot read `{}`: {why}", path.value));
    r.fault(fault.at(path.span, "").help("write a path beside the spec file"));
    None
}

/// One field: its text without quotes, and its bytes with them.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    text: String,
    span: Range<usize>,
}

/// Splits a CSV text (RFC 4180: commas, quotes doubled inside quotes, any line break) into records; empty lines are
/// passed over.
fn records(text: &str) -> Vec<Vec<Field>> {
    let mut reader = csv_core::Reader::new();
    let (mut all, mut record) = (Vec::new(), Vec::new());
    let mut buffer = vec![0; 256];
    // A byte order mark is no part of the first name.
    let (mut at, mut start, mut written) = (if text.starts_with('\u{feff}') { 3 } else { 0 }, None, 0);
    loop {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let (result, read, wrote) = reader.read_field(rest, buffer.get_mut(written..).unwrap_or_default());
        let from = *start.get_or_insert(at);
        at += read;
        written += wrote;
        match result {
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::OutputFull => buffer.resize(buffer.len() * 2, 0),
            ReadFieldResult::Field { record_end } => {
                let field = String::from_utf8_lossy(buffer.get(..written).unwrap_or_default()).into_owned();
                let from = if record.is_empty() { behind_breaks(text, from..at) } else { from };
                record.push(Field { text: field, span: trimmed(text, from..at) });
                (start, written) = (None, 0);
                if record_end {
                    all.push(std::mem::take(&mut record));
                }
            }
            ReadFieldResult::End => return all,
        }
    }
}

/// Where the first field of a record begins, behind empty lines.
fn behind_breaks(text: &str, span: Range<usize>) -> usize {
    let whole = text.get(span.clone()).unwrap_or_default();
    span.end - whole.trim_start_matches(BREAKS).len()
}

/// The bytes of a field without the separator or the line break behind it.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let field = text.get(span.clone()).unwrap_or_default();
    let field = field.strip_suffix(',').unwrap_or_else(|| field.trim_end_matches(BREAKS));
    span.start..span.start + field.len()
}

const BREAKS: [char; 2] = ['\r', '\n'];

/// The rows of a seed file. Faults are noted with the seed file as their source.
pub(super) fn rows(r: &mut Reader, seed: &Arc<Source>, columns: &[Column]) -> Vec<Row> {
    let mut records = records(&seed.text).into_iter();
    let header = records.next().unwrap_or_default();
    let mut fault = |fault: Diagnostic| r.faults.push(fault.in_source(seed));
    for (at, name) in header.iter().enumerate() {
        if header.iter().take(at).any(|other| other.text == name.text) {
            let message = format!("the header names `{}` twice", name.text);
            fault(
                Diagnostic::error("spec-twice", message)
                    .at(name.span.clone(), "")
                    .help("remove one of the two columns"),
            );
        }
    }
    let mut rows = Vec::new();
    for record in records {
        let span = match (record.first(), record.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => continue,
        };
        if record.len() != header.len() {
            let message = format!("the row has {} fields, but the header names {} columns", record.len(), header.len());
            let help = "give every row as many fields as the header; put quotes around a text that holds a comma";
            fault(Diagnostic::error("spec-ragged-row", message).at(span.clone(), "").help(help));
            continue;
        }
        let values = header.iter().zip(record).map(|(name, field)| {
            let column = columns.iter().find(|column| column.name.value == name.text);
            let quoted = seed.text.get(field.span.clone()).is_some_and(|written| written.starts_with('"'));
            let value = Located { value: value(field.text, quoted, column), span: field.span };
            (Located { value: name.text.clone(), span: name.span.clone() }, value)
        });
        rows.push(Row { span, values: values.collect() });
    }
    rows
}

/// What a field means: empty is null, except in a text column that is not nullable; `""` is empty text in any text
/// column; numbers and truth values are those of columns that hold such.
fn value(text: String, quoted: bool, column: Option<&Column>) -> Scalar {
    let family = column.and_then(Column::family);
    let nullable = column.and_then(|column| column.nullable.as_ref()).is_none_or(|nullable| nullable.value);
    match family {
        _ if text.is_empty() && !(family == Some(Family::Text) && (quoted || !nullable)) => Scalar::Null,
        Some(Family::Integer | Family::Fraction) if is_decimal(text.trim()) => Scalar::Number(text.trim().to_owned()),
        Some(Family::Bool) if text.eq_ignore_ascii_case("true") => Scalar::Bool(true),
        Some(Family::Bool) if text.eq_ignore_ascii_case("false") => Scalar::Bool(false),
        _ => Scalar::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::records;

    /// Each field's text and what stands in the file.
    fn fields(text: &str) -> Vec<Vec<(String, &str)>> {
        let fields = |record: Vec<super::Field>| record.into_iter().map(|f| (f.text, &text[f.span])).collect();
        records(text).into_iter().map(fields).collect()
    }

    #[test]
    fn every_field_has_its_bytes() {
        let own = |fields: &[(&str, &'static str)]| -> Vec<(String, &'static str)> {
            fields.iter().map(|(text, written)| ((*text).to_owned(), *written)).collect()
        };
        assert_eq!(fields("a,b\n1,\n"), [own(&[("a", "a"), ("b", "b")]), own(&[("1", "1"), ("", "")])]);
        assert_eq!(
            fields("a,b\r\n\r\n\"x,\"\"y\",\"\""),
            [own(&[("a", "a"), ("b", "b")]), own(&[("x,\"y", "\"x,\"\"y\""), ("", "\"\"")])]
        );
        assert_eq!(
            fields("\u{feff}é\n\"two\nlines\"\n"),
            [own(&[("é", "é")]), own(&[("two\nlines", "\"two\nlines\"")])]
        );
        assert_eq!(fields(",x"), [own(&[("", ""), ("x", "x")])]);
        let long = "y".repeat(1000);
        assert_eq!(records(&format!("{long},z"))[0][0].text, long);
        assert!(records("").is_empty());
    }
}
