//! The smallest rows that break a guarantee, in two files: one to try again, and SQL to paste.

use super::place::Place;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use crate::verify::batch::{Batch, inserts};
use crate::verify::{Fault, Scenario, Staging, Subject, tables};
use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a load came from, with paths as they were given.
pub(super) struct Origin<'a> {
    /// The spec.
    pub spec: Option<&'a Path>,
    /// The table, or what else people call the load.
    pub table: &'a str,
    /// The strategy; empty when there is none.
    pub strategy: &'static str,
    /// The SQL of the user.
    pub sql: Option<&'a Path>,
    /// The set-up.
    pub setup: Option<&'a Path>,
}

/// Writes both files. Gives the path of the one to try again; the other has the same name and ends in `.sql`.
pub(super) fn write(
    folder: &Path,
    origin: &Origin<'_>,
    subject: &Subject,
    fault: &Fault,
    scenario: &Scenario,
    place: &Place,
) -> Result<PathBuf> {
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
    };
    let parts = [origin.table, origin.strategy, place.engine, fault.guarantee];
    let name = parts.iter().filter(|part| !part.is_empty()).map(|part| safe(part)).collect::<Vec<_>>().join("-");
    let file = folder.join(format!("{name}.json"));
    let path = |path: &Path| path.display().to_string();
    let document = json!({
        "idemsql": env!("CARGO_PKG_VERSION"),
        "engine": place.engine,
        "version": place.version,
        "spec": origin.spec.map(path),
        "table": origin.table,
        "strategy": origin.strategy,
        "sql": origin.sql.map(path),
        "setup": origin.setup.map(path),
        "guarantee": fault.guarantee,
        "steps": fault.steps,
        "found": fault.found,
        "scenario": scenario_json(scenario),
    });
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let write =
        |file: &Path, text: &str| fs::write(file, text).with_context(|| format!("cannot write {}", file.display()));
    write(&file.with_extension("sql"), &paste(subject, fault, scenario, place))?;
    write(&file, &format!("{document:#}\n"))?;
    Ok(file)
}

/// A scenario as JSON: `{"name", "before": {"columns", "rows"}, "batches": [[{"table", "columns", "rows"}]]}`, with every
/// value as text.
pub(super) fn scenario_json(scenario: &Scenario) -> Json {
    let batch = |staging: &Vec<Staging>| -> Vec<Json> {
        let one = |staging: &Staging| {
            let mut made = rows_json(&staging.columns, &staging.rows);
            made["table"] = json!(staging.parts);
            made
        };
        staging.iter().map(one).collect()
    };
    json!({
        "name": scenario.name,
        "before": rows_json(&scenario.before.columns, &scenario.before.rows),
        "batches": scenario.batches.iter().map(batch).collect::<Vec<_>>(),
    })
}

fn rows_json(columns: &[(String, Type)], rows: &[Row]) -> Json {
    let cell = |value: &Value| match value {
        Value::Null => Json::Null,
        Value::Text(text) => json!(text),
        other => json!(other.to_string()),
    };
    json!({
        "columns": columns.iter().map(|(name, ty)| json!([name, ty.to_string()])).collect::<Vec<_>>(),
        "rows": rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>()).collect::<Vec<_>>(),
    })
}

/// Reads a scenario that [`scenario_json`] wrote.
pub(super) fn scenario(json: &Json) -> Result<Scenario> {
    let list = |json: &Json| json.as_array().cloned().context("a list is missing");
    let before = rows(&json["before"])?;
    let mut batches = Vec::new();
    for batch in list(&json["batches"])? {
        let mut all = Vec::new();
        for staging in list(&batch)? {
            let parts = list(&staging["table"])?.iter().map(text).collect::<Result<_>>()?;
            let Batch { columns, rows } = rows(&staging)?;
            all.push(Staging { parts, columns, rows });
        }
        batches.push(all);
    }
    Ok(Scenario { name: text(&json["name"])?, before, batches })
}

/// The columns and the rows of one table.
fn rows(json: &Json) -> Result<Batch> {
    let list = |json: &Json| json.as_array().cloned().context("a list is missing");
    let mut columns = Vec::new();
    for column in list(&json["columns"])? {
        let (name, ty) = (text(&column[0])?, text(&column[1])?);
        let ty = Type::parse(&ty).unwrap_or(Type::Other(ty));
        columns.push((name, ty));
    }
    let mut all = Vec::new();
    for row in list(&json["rows"])? {
        let cells = list(&row)?;
        if cells.len() != columns.len() {
            bail!("a row has {} values for {} columns", cells.len(), columns.len());
        }
        let cell = |(cell, (_, ty)): (&Json, &(String, Type))| match cell {
            Json::Null => Ok(Value::Null),
            cell => Value::parse(&text(cell)?, ty),
        };
        all.push(cells.iter().zip(&columns).map(cell).collect::<Result<_>>()?);
    }
    Ok(Batch { columns, rows: all })
}

/// A text of the document.
pub(super) fn text(json: &Json) -> Result<String> {
    json.as_str().map(str::to_owned).context("a text is missing")
}

/// The SQL that makes the tables, fills them and loads them, to paste into the database's own client.
fn paste(subject: &Subject, fault: &Fault, scenario: &Scenario, place: &Place) -> String {
    let dialect = subject.dialect;
    let mut out = String::new();
    let comment = |text: &str| text.lines().map(|line| format!("-- {line}\n")).collect::<String>();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "-- `{}` is broken on {} {}: {}", fault.guarantee, place.title, place.version, fault.steps);
    out.push_str(&comment(&fault.found));
    out.push_str("-- Run this in a database of its own; the schemas must be there.\n\n");
    for statement in &subject.setup {
        let _ = writeln!(out, "{statement};\n");
    }
    let none = Vec::new();
    let first = scenario.batches.first().unwrap_or(&none);
    for staging in first.iter().filter(|staging| !staging.parts.is_empty()) {
        let _ = writeln!(out, "{};\n", tables::staged(dialect, staging));
    }
    if let Some(target) = subject.targets.first() {
        for insert in inserts(dialect, &target.sql, &scenario.before.columns, &scenario.before.rows) {
            let _ = writeln!(out, "{insert};");
        }
    }
    for (number, batch) in scenario.batches.iter().enumerate() {
        let _ = writeln!(out, "\n-- batch {}", number + 1);
        for staging in batch {
            if staging.parts.is_empty() {
                out.push_str("-- Bind these values, one row for each run:\n");
                for row in &staging.rows {
                    let values: Vec<String> = row.iter().map(ToString::to_string).collect();
                    out.push_str(&comment(&values.join(", ")));
                }
                continue;
            }
            let path = tables::path(dialect, &staging.parts);
            let _ = writeln!(out, "DELETE FROM {path};");
            for insert in inserts(dialect, &path, &staging.columns, &staging.rows) {
                let _ = writeln!(out, "{insert};");
            }
        }
        out.push_str("\n-- the load\n");
        for statement in &subject.statements {
            let _ = writeln!(out, "{statement};");
        }
    }
    for target in &subject.targets {
        let _ = writeln!(out, "\nSELECT * FROM {};", target.sql);
    }
    out
}
