//! Definitions as the files of a migration tool: its file names and the comments that it reads.

use super::ddl::{render_statements, render_steps};
use super::fault;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::plan::ddl::{Action, DdlPlan};
use std::fmt::Write as _;

/// A migration tool.
#[derive(Debug)]
pub struct Runner {
    /// What `--form` calls it.
    pub name: &'static str,
    /// What its files are, for people.
    pub doc: &'static str,
    /// The shape of its files.
    shape: Shape,
    /// What a version may be made of besides digits.
    version: &'static str,
}

/// The shape of a tool's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `V1__name.sql`
    Flyway,
    /// `R__name.sql` with the load, which runs again when it changes.
    Repeatable,
    /// `1_name.sql` with a line before what is done and one before what undoes it; a block needs lines of its own.
    Marked { up: &'static str, down: &'static str, block: [&'static str; 2] },
    /// `1_name.up.sql` and `1_name.down.sql`
    Two,
    /// `1_name.sql` with a change set for each statement.
    ChangeSets,
}

/// Every tool, sorted by name.
pub static RUNNERS: &[Runner] = &[
    // https://github.com/amacneil/dbmate#creating-migrations
    Runner {
        name: "dbmate",
        doc: "a migration of dbmate, 1_name.sql",
        shape: Shape::Marked { up: "-- migrate:up", down: "-- migrate:down", block: ["", ""] },
        version: "",
    },
    // https://documentation.red-gate.com/fd/versioned-migrations-273973333.html
    Runner {
        name: "flyway",
        doc: "a versioned migration of Flyway, V1__name.sql",
        shape: Shape::Flyway,
        version: "._",
    },
    // https://documentation.red-gate.com/fd/repeatable-migrations-273973335.html
    Runner {
        name: "flyway-repeatable",
        doc: "the load as a repeatable migration of Flyway, R__name.sql",
        shape: Shape::Repeatable,
        version: "",
    },
    // https://github.com/golang-migrate/migrate/blob/master/MIGRATIONS.md
    Runner {
        name: "golang-migrate",
        doc: "a migration of golang-migrate, 1_name.up.sql and .down.sql",
        shape: Shape::Two,
        version: "",
    },
    // https://pressly.github.io/goose/documentation/annotations
    Runner {
        name: "goose",
        doc: "a migration of goose, 1_name.sql",
        shape: Shape::Marked {
            up: "-- +goose Up",
            down: "-- +goose Down",
            block: ["-- +goose StatementBegin", "-- +goose StatementEnd"],
        },
        version: "",
    },
    // https://docs.liquibase.com/concepts/changelogs/sql-format.html
    Runner {
        name: "liquibase",
        doc: "a changelog of Liquibase in SQL, 1_name.sql",
        shape: Shape::ChangeSets,
        version: "._-",
    },
    // https://docs.rs/sqlx/latest/sqlx/macro.migrate.html
    Runner {
        name: "sqlx",
        doc: "a reversible migration of sqlx, 1_name.up.sql and .down.sql",
        shape: Shape::Two,
        version: "",
    },
];

/// A file of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationFile {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// What a migration is made of.
#[derive(Debug)]
pub struct Migration<'a> {
    /// The tables, in order.
    pub tables: Vec<&'a DdlPlan>,
    /// Its version.
    pub version: &'a str,
    /// Its name: letters, digits and `_`.
    pub name: String,
    /// What undoes it may drop tables and columns.
    pub allow_drop: bool,
}

impl Runner {
    /// True for a migration that holds the load, has no version, and runs again when it changes.
    pub fn is_repeatable(&self) -> bool {
        self.shape == Shape::Repeatable
    }

    /// Why the text can be no version for this tool, or `None` when it can.
    pub fn version_fault(&self, version: &str) -> Option<String> {
        let fits = |c: char| c.is_ascii_digit() || self.version.contains(c);
        let is_number = self.version.is_empty() && version.parse::<i64>().is_err();
        let ends = version.ends_with(|c: char| c.is_ascii_digit()) && version.starts_with(|c: char| c.is_ascii_digit());
        let others =
            if self.version.is_empty() { ", up to 19 of them".to_owned() } else { format!(" and `{}`", self.version) };
        (!ends || !version.chars().all(fits) || is_number)
            .then(|| format!("`{version}` is no version for {}: it has digits{others}", self.name))
            .or_else(|| {
                let is_zero = self.version.is_empty() && version.parse() == Ok(0_i64);
                is_zero.then(|| format!("`{version}` is no version for {}: count from 1", self.name))
            })
    }

    /// The files of a migration. The statements are proved one by one.
    ///
    /// # Errors
    /// What a tool would read otherwise, or a fault of ours.
    pub fn files(&self, migration: &Migration<'_>, header: &[String]) -> Result<Vec<MigrationFile>, Diagnostic> {
        let Migration { tables, version, name, allow_drop } = migration;
        let mut up = Vec::new();
        let mut down = Vec::new();
        for ddl in tables {
            up.extend(render_statements(ddl)?);
        }
        for ddl in tables.iter().rev().filter(|_| *allow_drop) {
            down.extend(render_steps(&ddl.plan, &ddl.undo())?);
        }
        if down.is_empty() {
            down.extend(kept(tables));
        } else if let Some(lost) = lost(tables) {
            down.insert(0, lost);
        }
        let top: String = header.iter().map(|line| format!("-- {}\n", line.replace(['\n', '\r'], " "))).collect();
        let one = |name: String, text: String| vec![MigrationFile { name, text }];
        let files = match self.shape {
            Shape::Flyway => one(format!("V{version}__{name}.sql"), format!("{top}\n{}\n", up.join("\n\n"))),
            Shape::Repeatable => Vec::new(),
            Shape::Marked { up: first, down: second, block } => {
                let part =
                    |statements: &[String]| statements.iter().map(|text| blocked(text, block)).collect::<Vec<_>>();
                let (up, down) = (part(&up).join("\n\n"), part(&down).join("\n\n"));
                one(format!("{version}_{name}.sql"), format!("{top}\n{first}\n{up}\n\n{second}\n{down}\n"))
            }
            Shape::Two => [("up", up), ("down", down)]
                .map(|(way, statements)| MigrationFile {
                    name: format!("{version}_{name}.{way}.sql"),
                    text: format!("{top}\n{}\n", statements.join("\n\n")),
                })
                .into(),
            Shape::ChangeSets => one(format!("{version}_{name}.sql"), change_sets(&top, migration)?),
        };
        self.checked(files, tables.first().map(|ddl| &ddl.plan))
    }

    /// The file of a load that runs again when it changes; `load` is its proved SQL.
    ///
    /// # Errors
    /// What the tool would read otherwise.
    pub fn repeatable(&self, plan: &Plan, load: String) -> Result<Vec<MigrationFile>, Diagnostic> {
        let name = format!("R__load_{}.sql", plain(&plan.table));
        self.checked(vec![MigrationFile { name, text: load }], Some(plan))
    }

    /// Refuses what the tool takes for a place of its own: `${name}`.
    fn checked(&self, files: Vec<MigrationFile>, plan: Option<&Plan>) -> Result<Vec<MigrationFile>, Diagnostic> {
        let replaces = matches!(self.shape, Shape::Flyway | Shape::Repeatable | Shape::ChangeSets);
        if let (true, Some(plan)) = (replaces && files.iter().any(|file| file.text.contains("${")), plan) {
            let message =
                format!("the SQL of `{}` holds `${{`, which {} takes for a place to fill", plan.table, self.name);
            return Err(Diagnostic::error("render-migration", message).help("write the text without it"));
        }
        match plan {
            Some(plan) if files.is_empty() => Err(fault(plan, "ddl.sql", "The migration has no file")),
            _ => Ok(files),
        }
    }
}

/// A name as a file's, in letters, digits and `_`.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// What stands in the place of statements where nothing is undone.
fn kept(tables: &[&DdlPlan]) -> Option<String> {
    let is_undone = |ddl: &&&DdlPlan| !ddl.undo().is_empty();
    let names: Vec<&str> = tables.iter().filter(is_undone).map(|ddl| ddl.plan.table.as_str()).collect();
    let made = names.join(", ");
    let said = if names.is_empty() {
        "-- Nothing is undone: what was changed stays as it is.".to_owned()
    } else {
        format!(
            "-- Nothing is undone: dropping what was made in {made} would lose rows. To drop it, render with --allow-drop."
        )
    };
    // Some tools refuse a text of comments alone.
    let nothing = if tables.first()?.plan.dialect.syntax.select_without_from { "\nSELECT 1;" } else { "" };
    Some(format!("{}{said}{nothing}", lost(tables).map(|lost| lost + "\n").unwrap_or_default()))
}

/// What nothing brings back.
fn lost(tables: &[&DdlPlan]) -> Option<String> {
    let dropped = tables.iter().flat_map(|ddl| &ddl.steps).filter_map(|step| match &step.action {
        Action::DropColumn { table, name, .. } => Some(format!("{table}.{name}")),
        _ => None,
    });
    let names: Vec<String> = dropped.collect();
    (!names.is_empty()).then(|| format!("-- Not undone: {} with what stood in it is gone.", names.join(", ")))
}

/// A statement that holds others, and ends at a line `/`, in the lines that the tool wants around it.
fn blocked(text: &str, [begin, end]: [&str; 2]) -> String {
    match text.strip_suffix("\n/") {
        Some(block) if !begin.is_empty() => format!("{begin}\n{block}\n{end}"),
        _ => text.to_owned(),
    }
}

/// What says that a change set is not undone: <https://docs.liquibase.com/workflows/liquibase-community/liquibase-rollback.html>
const NO_ROLLBACK: &str = "not required";

/// A changelog: a set for each statement, since most engines commit each.
fn change_sets(top: &str, migration: &Migration<'_>) -> Result<String, Diagnostic> {
    let mut out = format!("--liquibase formatted sql\n{top}");
    let mut number = 0;
    for ddl in &migration.tables {
        for (statement, step) in render_statements(ddl)?.iter().zip(&ddl.steps) {
            number += 1;
            // A block is one statement, and its line `/` is a client's.
            let (text, whole) = match statement.strip_suffix("\n/") {
                Some(block) => (block, " splitStatements:false"),
                None => (statement.as_str(), ""),
            };
            let undo = ddl.undo_of(step);
            let rollback = match (&step.action, &undo) {
                // Without the line Liquibase stops where it is told to undo the set.
                (Action::DropColumn { .. }, _) => String::new(),
                (_, Some(undo)) if migration.allow_drop => {
                    format!("\n--rollback {}", render_steps(&ddl.plan, std::slice::from_ref(undo))?.concat())
                }
                (_, Some(_)) => format!("\n--rollback {NO_ROLLBACK}: nothing is dropped without --allow-drop"),
                (_, None) => format!("\n--rollback {NO_ROLLBACK}"),
            };
            let id = format!("{}-{number}", migration.version);
            // Writing to a String cannot fail.
            let _ = write!(out, "\n--changeset idemsql:{id}{whole}\n{text}{rollback}\n");
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::RUNNERS;

    #[test]
    fn the_tools_are_sorted_and_take_versions_that_they_can_read() {
        assert!(RUNNERS.is_sorted_by_key(|runner| runner.name));
        for (name, version, fits) in [
            ("flyway", "1.2", true),
            ("flyway", "1.", false),
            ("flyway", "v1", false),
            ("goose", "20240501120000", true),
            ("goose", "1.2", false),
            ("sqlx", "99999999999999999999", false),
            ("liquibase", "2024-05-01", true),
            ("dbmate", "", false),
        ] {
            let runner = RUNNERS.iter().find(|runner| runner.name == name);
            assert_eq!(runner.map(|runner| runner.version_fault(version).is_none()), Some(fits), "{name} {version}");
        }
    }
}
