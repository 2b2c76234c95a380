//! Comments by which a runner knows its files and cuts them into parts.

use super::{Policy, Runner, Section};
use crate::dialect;
use crate::lint::detect::{TOP, head, top_lines};

/// How far into a text the first mark is looked for. Whoever has none further up has none at all, and a dump of
/// gigabytes is not searched to its end.
const FIRST: usize = 64 * 1024;

/// A comment that opens a part.
struct Mark {
    runner: &'static str,
    /// The words behind the dashes, lower case. Others may follow.
    words: &'static str,
    down: bool,
    /// What the runner does by itself.
    in_transaction: Option<bool>,
    /// Words behind the mark that keep it from doing so.
    without: &'static str,
    /// The runner takes what stands above the first mark for a part, too.
    above: bool,
}

const fn mark(runner: &'static str, words: &'static str, down: bool, in_transaction: Option<bool>) -> Mark {
    Mark { runner, words, down, in_transaction, without: "no such words", above: false }
}

const MARKS: &[Mark] = &[
    // https://pressly.github.io/goose/documentation/annotations
    mark("goose", "+goose up", false, Some(true)),
    mark("goose", "+goose down", true, Some(true)),
    // https://github.com/amacneil/dbmate#migration-options
    Mark { without: "transaction:false", ..mark("dbmate", "migrate:up", false, Some(true)) },
    mark("dbmate", "migrate:down", true, Some(true)),
    // https://github.com/rubenv/sql-migrate#writing-migrations
    Mark { without: "notransaction", ..mark("sql-migrate", "+migrate up", false, Some(true)) },
    mark("sql-migrate", "+migrate down", true, Some(true)),
    // https://github.com/amberframework/micrate
    mark("micrate", "+micrate up", false, None),
    mark("micrate", "+micrate down", true, None),
    // https://github.com/elwinar/rambler
    mark("rambler", "rambler up", false, Some(true)),
    mark("rambler", "rambler down", true, Some(true)),
    // https://www.playframework.com/documentation/latest/Evolutions, where autocommit is the default.
    mark("Play", "!ups", false, Some(false)),
    mark("Play", "!downs", true, Some(false)),
    // https://salsita.github.io/node-pg-migrate/migrations/sql-migrations
    mark("node-pg-migrate", "up migration", false, Some(true)),
    mark("node-pg-migrate", "down migration", true, Some(true)),
    // https://github.com/mbucc/shmig
    mark("shmig", "==== up ====", false, None),
    mark("shmig", "==== down ====", true, None),
    // https://github.com/jackc/tern
    Mark { above: true, ..mark("tern", "create above / drop below ----", true, Some(true)) },
    // https://mybatis.org/migrations/newscript.html
    Mark { above: true, ..mark("MyBatis Migrations", "//@undo", true, None) },
];

/// The runner whose marks stand in the text.
pub(super) fn runner(text: &str) -> Option<Runner> {
    if let Some(runner) = liquibase(text).or_else(|| sqitch(text)).or_else(|| generated(text)) {
        return Some(runner);
    }
    let first = comments(head(text, FIRST)).find_map(|(_, words)| MARKS.iter().find(|mark| is(mark, words)))?;
    let mut runner = Runner {
        name: Some(first.runner),
        policy: Policy::Once,
        in_transaction: first.in_transaction,
        ..Runner::unknown()
    };
    let mut parts = Vec::new();
    for (at, words) in comments(text) {
        if let Some(mark) = MARKS.iter().find(|mark| mark.runner == first.runner && is(mark, words)) {
            if mark.above && parts.is_empty() {
                parts.push((0, None, false));
            }
            parts.push((at, None, mark.down));
            if words.to_ascii_lowercase().contains(mark.without) {
                runner.in_transaction = Some(false);
            }
        } else if first.runner == "goose" && begins(words, "+goose no transaction") {
            runner.in_transaction = Some(false);
        }
    }
    runner.sections = sections(&parts, text.len());
    Some(runner)
}

/// The comments that fill a line, with the place of the line: without the dashes and the spaces around. Few lines are
/// comments, so that most are left after a look at their first letter.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < bytes.len() {
            let at = next;
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            next = end + 1;
            let from = if at == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { at };
            let Some(blank) = bytes[from..end].iter().position(|byte| !byte.is_ascii_whitespace()) else { continue };
            let line = &text[from + blank..end];
            if let Some(comment) = line.strip_prefix("--").or_else(|| line.strip_prefix('#')) {
                return Some((at, comment.trim_start_matches(['-', ' ', '\t']).trim_end()));
            }
        }
        None
    })
}

fn is(mark: &Mark, words: &str) -> bool {
    // Two words of plain English open a part only when they are alone.
    let alone = mark.runner != "node-pg-migrate" || words.trim_end_matches(['-', ' ', ':']).len() == mark.words.len();
    alone && begins(words, mark.words)
}

/// The text begins with the words, in any case, and the last of them ends there.
fn begins(text: &str, words: &str) -> bool {
    let Some((head, rest)) = text.split_at_checked(words.len()) else { return false };
    head.eq_ignore_ascii_case(words) && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Parts from where each begins.
fn sections(parts: &[(usize, Option<Policy>, bool)], end: usize) -> Vec<Section> {
    let ends = parts.iter().skip(1).map(|(at, ..)| *at).chain([end]);
    let parts = parts.iter().zip(ends).map(|(&(at, policy, down), end)| Section { range: at..end, policy, down });
    parts.filter(|section| !section.range.is_empty()).collect()
}

/// Formatted SQL, in which each changeset says how often it is run:
/// <https://docs.liquibase.com/concepts/changelogs/sql-format.html>
fn liquibase(text: &str) -> Option<Runner> {
    let first = top_lines(text).find(|line| !line.is_empty())?;
    let words = first.strip_prefix("--")?.trim_start();
    if !begins(words, "liquibase formatted sql") {
        return None;
    }
    let mut parts = Vec::new();
    let (mut again, mut outside) = (0, 0);
    for (at, words) in comments(text) {
        if !begins(words, "changeset") {
            continue;
        }
        let words = words.to_ascii_lowercase();
        let rerun = words.contains("runonchange:true") || words.contains("runalways:true");
        again += usize::from(rerun);
        outside += usize::from(words.contains("runintransaction:false"));
        parts.push((at, Some(if rerun { Policy::Rerun } else { Policy::Once }), false));
    }
    let all = parts.len();
    Some(Runner {
        name: Some("Liquibase"),
        policy: if again > 0 && again == all { Policy::Rerun } else { Policy::Once },
        repeats: again > 0,
        // Where some changesets are and others are not, the file as a whole has no answer.
        in_transaction: if outside == 0 { Some(true) } else { (outside == all).then_some(false) },
        sections: sections(&parts, text.len()),
    })
}

/// The first line of a script of sqitch: <https://sqitch.org/docs/manual/sqitch-add/>
fn sqitch(text: &str) -> Option<Runner> {
    let first = top_lines(text).find(|line| !line.is_empty())?;
    let words = first.strip_prefix("-- ")?;
    let (_, engine) = words.rsplit_once(" to ").or_else(|| words.rsplit_once(" from ")).or(words.rsplit_once(" on "))?;
    dialect::find_any(engine)?;
    let (policy, down) = match words.split(' ').next()? {
        "Deploy" => (Policy::Once, false),
        "Revert" => (Policy::Once, true),
        "Verify" => (Policy::Rerun, false),
        _ => return None,
    };
    let sections = if down { sections(&[(0, None, true)], text.len()) } else { Vec::new() };
    Some(Runner { name: Some("Sqitch"), policy, sections, ..Runner::unknown() })
}

/// Scripts that a tool wrote and marked by the way.
fn generated(text: &str) -> Option<Runner> {
    // https://learn.microsoft.com/en-us/ef/core/managing-schemas/migrations/applying: with --idempotent, each change asks
    // whether it was made, and the script may be run against a database of any version.
    let top = head(text, TOP).as_bytes();
    let has = |what: &str| memchr::memmem::find(top, what.as_bytes()).is_some();
    if has("__EFMigrationsHistory") {
        let asks = top_lines(text).any(|line| line.contains("WHERE") && line.contains("MigrationId"));
        let policy = if asks { Policy::Rerun } else { Policy::Once };
        return Some(Runner { name: Some("EF Core"), policy, ..Runner::unknown() });
    }
    // https://orm.drizzle.team/docs/drizzle-kit-generate
    let breaks =
        has("--> statement-breakpoint") && top_lines(text).any(|line| line.ends_with("--> statement-breakpoint"));
    breaks.then(|| Runner {
        name: Some("Drizzle"),
        policy: Policy::Once,
        in_transaction: Some(true),
        ..Runner::unknown()
    })
}

/// Templates whose words only one runner fills in.
const TEMPLATES: &[(&str, &[&str])] = &[
    // https://docs.getdbt.com/reference/dbt-jinja-functions
    ("dbt", &["config(", "ref(", "source(", "this }}", "this}}", "this.", "is_incremental()"]),
    // https://airflow.apache.org/docs/apache-airflow/stable/templates-ref.html
    (
        "Airflow",
        &["ds }}", "ds}}", "ds_nodash", "ts }}", "ts_nodash", "data_interval_", "execution_date", "macros.ds_"],
    ),
];

/// A model or a task, by its template: run at every interval.
pub(super) fn model(text: &str) -> Option<Runner> {
    if !["{{", "{%"].iter().any(|open| memchr::memmem::find(head(text, TOP).as_bytes(), open.as_bytes()).is_some()) {
        return None;
    }
    let name = top_lines(text).find_map(|line| {
        line.match_indices('{').find_map(|(at, _)| {
            let inside = line[at + 1..].strip_prefix(['{', '%'])?.trim_start_matches(['-', '+', ' ']);
            let inside = ["if not ", "if "].iter().find_map(|word| inside.strip_prefix(word)).unwrap_or(inside);
            let fits = |(_, words): &&(&str, &[&str])| words.iter().any(|word| inside.starts_with(word));
            TEMPLATES.iter().find(fits).map(|(name, _)| *name)
        })
    })?;
    Some(Runner { name: Some(name), policy: Policy::Rerun, repeats: true, ..Runner::unknown() })
}

/// The runner that a comment at the top keeps from wrapping the file in a transaction.
pub(super) fn without_transaction(text: &str) -> Option<&'static str> {
    // https://docs.rs/sqlx/latest/sqlx/macro.migrate.html: the file itself must begin so.
    if begins(text, "-- no-transaction") {
        return Some("sqlx");
    }
    comments(head(text, TOP)).find_map(|(_, words)| {
        // https://atlasgo.io/versioned/apply#transaction-configuration
        if begins(words, "atlas:txmode none") {
            return Some("Atlas");
        }
        // https://documentation.red-gate.com/fd/flyway-execute-in-transaction-setting-277578997.html
        let says = words.contains('=') && words.to_ascii_lowercase().contains("executeintransaction=false");
        says.then_some("Flyway")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the sections, each with a minus before it where it is a down part.
    fn parts(text: &str) -> Vec<String> {
        let sections = runner(text).map(|runner| runner.sections).unwrap_or_default();
        let cut = |section: &Section| text[section.range.clone()].lines().nth(1).unwrap_or("").to_owned();
        sections.iter().map(|section| format!("{}{}", if section.down { "-" } else { "+" }, cut(section))).collect()
    }

    #[test]
    fn every_runner_with_marks_has_an_up_and_a_down_part() {
        for (name, text, in_transaction) in [
            ("goose", "-- +goose Up\nu;\n-- +goose Down\nd;\n", Some(true)),
            ("goose", "-- +goose up\r\nu;\r\n-- +goose down\r\nd;\r\n", Some(true)),
            ("goose", "\u{feff}-- +goose Up\nu;\n-- +goose Down\nd;", Some(true)),
            ("dbmate", "-- migrate:up\nu;\n-- migrate:down\nd;", Some(true)),
            ("sql-migrate", "-- +migrate Up\nu;\n-- +migrate Down\nd;", Some(true)),
            ("micrate", "-- +micrate Up\nu;\n-- +micrate Down\nd;", None),
            ("rambler", "-- rambler up\nu;\n-- rambler down\nd;", Some(true)),
            ("Play", "# --- !Ups\nu;\n# --- !Downs\nd;", Some(false)),
            ("Play", "-- !Ups\nu;\n-- !Downs\nd;", Some(false)),
            ("node-pg-migrate", "-- Up Migration\nu;\n-- Down Migration\nd;", Some(true)),
            ("shmig", "-- ==== UP ====\nu;\n-- ==== DOWN ====\nd;", None),
            ("tern", "-- x\nu;\n---- create above / drop below ----\nd;", Some(true)),
            ("MyBatis Migrations", "-- // a change\nu;\n-- //@UNDO\nd;", None),
        ] {
            let found = runner(text);
            assert_eq!(found.as_ref().and_then(|runner| runner.name), Some(name), "{text}");
            assert_eq!(found.as_ref().map(|runner| runner.policy), Some(Policy::Once), "{text}");
            assert_eq!(found.and_then(|runner| runner.in_transaction), in_transaction, "{text}");
            assert_eq!(parts(text), ["+u;", "-d;"], "{text}");
        }
        assert!(MARKS.iter().all(|mark| mark.words == mark.words.to_lowercase()));
    }

    #[test]
    fn a_mark_may_keep_the_transaction_away() {
        for text in [
            "-- +goose NO TRANSACTION\n-- +goose Up\nu;",
            "-- +goose Up\n-- +goose no transaction\nu;",
            "-- migrate:up transaction:false\nu;",
            "-- +migrate Up notransaction\nu;",
            "--liquibase formatted sql\n--changeset a:1 runInTransaction:false\nu;",
        ] {
            assert_eq!(runner(text).and_then(|runner| runner.in_transaction), Some(false), "{text}");
        }
        assert_eq!(without_transaction("-- no-transaction\nu;"), Some("sqlx"));
        assert_eq!(without_transaction("u;\n-- no-transaction\n"), None);
        assert_eq!(without_transaction("-- no-transactional rows\n"), None);
    }

    #[test]
    fn a_changeset_says_how_often_it_is_run() {
        let text = "--liquibase formatted sql\n\n--changeset a:1\nCREATE TABLE t (a int);\n--rollback DROP TABLE t;\n\
                    -- changeset a:2 runOnChange:true\nu;\n--changeset a:3 RunAlways:TRUE splitStatements:false\nv;\n";
        let found = runner(text).unwrap_or_else(Runner::unknown);
        let policies: Vec<_> = found.sections.iter().map(|section| section.policy).collect();
        assert_eq!(policies, [Some(Policy::Once), Some(Policy::Rerun), Some(Policy::Rerun)]);
        assert_eq!((found.name, found.policy, found.repeats), (Some("Liquibase"), Policy::Once, true));
        assert_eq!(found.in_transaction, Some(true));
        let always = "-- Liquibase formatted SQL\n-- changeset a:1 runAlways:true\nu;";
        assert_eq!(runner(always).map(|runner| runner.policy), Some(Policy::Rerun));
        let mixed = "--liquibase formatted sql\n--changeset a:1 runInTransaction:false\n--changeset a:2\n";
        assert_eq!(runner(mixed).and_then(|runner| runner.in_transaction), None);
        assert_eq!(runner("--liquibase formatted sql\n").map(|runner| runner.policy), Some(Policy::Once));
        assert!(runner("u;\n--changeset a:1 runAlways:true\n").is_none());
    }

    #[test]
    fn tools_are_known_by_what_they_write() {
        for (text, name, policy) in [
            ("-- Deploy flipr:users to pg\n\nBEGIN;\n", Some("Sqitch"), Policy::Once),
            ("-- Revert flipr:users from pg\n\nBEGIN;\n", Some("Sqitch"), Policy::Once),
            ("-- Verify flipr:users on pg\n\nBEGIN;\n", Some("Sqitch"), Policy::Rerun),
            ("-- Deploy the house to Anna\n", None, Policy::Unknown),
            ("CREATE TABLE t (a int);--> statement-breakpoint\nx", Some("Drizzle"), Policy::Once),
            ("IF OBJECT_ID(N'[__EFMigrationsHistory]') IS NULL\nBEGIN\n", Some("EF Core"), Policy::Once),
            (
                "IF NOT EXISTS (\n SELECT * FROM [__EFMigrationsHistory]\n WHERE [MigrationId] = N'1'\n)\n",
                Some("EF Core"),
                Policy::Rerun,
            ),
            ("-- an up migration and a down migration\n", None, Policy::Unknown),
            ("-- Up migration of the users\n", None, Policy::Unknown),
            ("SELECT '\n -- x';\n", None, Policy::Unknown),
            ("", None, Policy::Unknown),
        ] {
            let found = runner(text).unwrap_or_else(Runner::unknown);
            assert_eq!((found.name, found.policy), (name, policy), "{text}");
        }
        assert!(runner("-- Revert a from pg\nDROP").is_some_and(|runner| runner.sections[0].down));
    }

    #[test]
    fn templates_name_their_runner() {
        for (text, name) in [
            ("{{ config(materialized='incremental') }}\nSELECT 1", Some("dbt")),
            ("{{config()}}", Some("dbt")),
            ("SELECT * FROM {{ ref('orders') }}", Some("dbt")),
            ("SELECT * FROM {{ source('a', 'b') }}", Some("dbt")),
            ("{%- if is_incremental() %}", Some("dbt")),
            ("WHERE ts > (SELECT max(ts) FROM {{ this }})", Some("dbt")),
            ("DELETE FROM t WHERE d = '{{ ds }}'", Some("Airflow")),
            ("WHERE d = '{{ data_interval_start }}'", Some("Airflow")),
            ("WHERE d = '{{ day }}' AND {x} = 1", None),
            ("SELECT '{\"ref(\": 1}'", None),
            ("INSERT INTO t VALUES ('{{thing}}')", None),
        ] {
            assert_eq!(model(text).and_then(|runner| runner.name), name, "{text}");
            assert!(model(text).is_none_or(|runner| runner.repeats && runner.policy == Policy::Rerun));
        }
    }

    #[test]
    fn a_mark_far_below_is_none() {
        let far = format!("{}-- +goose Up\n", "SELECT 1;\n".repeat(FIRST / 10 + 1));
        assert!(runner(&far).is_none());
        let near = format!("-- +goose Up\n{}-- +goose Down\nd;", "SELECT 1;\n".repeat(FIRST / 10 + 1));
        assert_eq!(runner(&near).map(|runner| runner.sections.len()), Some(2));
    }
}
