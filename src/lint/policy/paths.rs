//! Files that a runner knows by their names, and folders whose files are run in one way.

use super::{Policy, Runner, Section};
use crate::dialect;

/// What a name tells of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    name: Option<&'static str>,
    policy: Policy,
    repeats: bool,
    in_transaction: Option<bool>,
    /// The whole file takes a change back.
    down: bool,
}

impl Kind {
    const fn new(name: &'static str, policy: Policy) -> Self {
        Self { name: Some(name), ..Self::plain(policy) }
    }

    const fn plain(policy: Policy) -> Self {
        Self { name: None, policy, repeats: false, in_transaction: None, down: false }
    }

    const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    const fn in_transaction(self, answer: bool) -> Self {
        Self { in_transaction: Some(answer), ..self }
    }

    const fn down(self) -> Self {
        Self { down: true, ..self }
    }

    pub(super) fn runner(self, text: &str) -> Runner {
        let all = Section { range: 0..text.len(), policy: None, down: true };
        Runner {
            name: self.name,
            policy: self.policy,
            repeats: self.repeats,
            in_transaction: self.in_transaction,
            sections: if self.down { vec![all] } else { Vec::new() },
        }
    }
}

const ONCE: Kind = Kind::plain(Policy::Once);
const RERUN: Kind = Kind::plain(Policy::Rerun);
const FLYWAY_ONCE: Kind = Kind::new("Flyway", Policy::Once).in_transaction(true);
const FLYWAY_AGAIN: Kind = Kind::new("Flyway", Policy::Rerun).repeats().in_transaction(true);
const POST_DEPLOY: Kind = Kind::new("SSDT", Policy::Rerun).repeats();
const POP: Kind = Kind::new("Ory pop/fizz", Policy::Once).in_transaction(true);
const SEED: Kind = Kind::new("seed", Policy::Rerun);

/// A dump of a database or of its schema.
pub(super) const DUMP: Kind = Kind::new("dump", Policy::Once);

/// The last components of a path in lower case, with `/` between them. `*` stands for any characters of a component,
/// `#` for one or more digits, `@` for the name of a dialect. The first one that fits counts.
const FILES: &[(&str, Kind)] = &[
    // Versioned, undo, baseline and repeatable migrations: a version is digits with `.` or `_` between them.
    // https://documentation.red-gate.com/fd/migrations-271585107.html. Schemachange and Evolve name theirs alike, and
    // schemachange has `A__` for a script that always runs: https://github.com/Snowflake-Labs/schemachange
    ("v#*__*.sql", FLYWAY_ONCE),
    ("b#*__*.sql", FLYWAY_ONCE),
    ("u#*__*.sql", FLYWAY_ONCE.down()),
    ("r__*.sql", FLYWAY_AGAIN),
    ("a__*.sql", Kind::new("schemachange", Policy::Rerun).repeats()),
    // Callbacks, with `__` and a description or without: https://documentation.red-gate.com/fd/callbacks-275218509.html
    ("beforemigrate*.sql", FLYWAY_AGAIN),
    ("aftermigrate*.sql", FLYWAY_AGAIN),
    ("beforeeachmigrate*.sql", FLYWAY_AGAIN),
    ("aftereachmigrate*.sql", FLYWAY_AGAIN),
    ("beforerepeatables*.sql", FLYWAY_AGAIN),
    ("afterversioned*.sql", FLYWAY_AGAIN),
    ("beforevalidate*.sql", FLYWAY_AGAIN),
    ("aftervalidate*.sql", FLYWAY_AGAIN),
    ("beforeclean*.sql", FLYWAY_AGAIN),
    ("afterclean*.sql", FLYWAY_AGAIN),
    ("beforebaseline*.sql", FLYWAY_AGAIN),
    ("afterbaseline*.sql", FLYWAY_AGAIN),
    // pop, with the engine before the direction: https://gobuffalo.io/documentation/database/migrations/
    ("*.@.up.sql", POP),
    ("*.@.down.sql", POP.down()),
    ("*.@.autocommit.up.sql", POP.in_transaction(false)),
    ("*.@.autocommit.down.sql", POP.in_transaction(false).down()),
    // bun: https://bun.uptrace.dev/guide/migrations.html
    ("*.tx.up.sql", ONCE.in_transaction(true)),
    ("*.tx.down.sql", ONCE.in_transaction(true).down()),
    // https://github.com/golang-migrate/migrate/blob/master/MIGRATIONS.md, which makes six digits. A timestamp may also
    // be that of sqlx, which wraps: https://docs.rs/sqlx/latest/sqlx/macro.migrate.html
    ("000#_*.up.sql", Kind::new("golang-migrate", Policy::Once).in_transaction(false)),
    ("000#_*.down.sql", Kind::new("golang-migrate", Policy::Once).in_transaction(false).down()),
    ("*.up.sql", ONCE),
    ("*.down.sql", ONCE.down()),
    // Postgrator: https://github.com/rickbergfalk/postgrator
    ("#.do.*", ONCE),
    ("#.undo.*", ONCE.down()),
    // https://diesel.rs/guides/getting-started, with the date in one of two forms and perhaps a folder for the engine;
    // https://hasura.io/docs/2.0/migrations-metadata-seeds/manage-migrations/, with a folder for the database.
    ("migrations/*/#-#-#-#_*/up.sql", Kind::new("Diesel", Policy::Once).in_transaction(true)),
    ("migrations/*/#-#-#-#_*/down.sql", Kind::new("Diesel", Policy::Once).in_transaction(true).down()),
    ("migrations/@/#_*/up.sql", ONCE),
    ("migrations/@/#_*/down.sql", ONCE.down()),
    ("migrations/*/#_*/up.sql", Kind::new("Hasura", Policy::Once).in_transaction(true)),
    ("migrations/*/#_*/down.sql", Kind::new("Hasura", Policy::Once).in_transaction(true).down()),
    ("migrations/*/up.sql", Kind::new("Diesel", Policy::Once).in_transaction(true)),
    ("migrations/*/down.sql", Kind::new("Diesel", Policy::Once).in_transaction(true).down()),
    ("up.sql", ONCE),
    ("down.sql", ONCE.down()),
    // https://www.prisma.io/docs/orm/prisma-migrate. It wraps nothing, but some engines run a text of several
    // statements as one transaction.
    ("*/migration.sql", Kind::new("Prisma", Policy::Once)),
    // https://supabase.com/docs/guides/local-development/seeding-your-database
    ("supabase/migrations/*.sql", Kind::new("Supabase", Policy::Once)),
    ("supabase/seed.sql", Kind::new("Supabase", Policy::Rerun).repeats()),
    ("supabase/seeds/*.sql", Kind::new("Supabase", Policy::Rerun).repeats()),
    // https://orm.drizzle.team/docs/drizzle-kit-generate
    ("drizzle/#_*.sql", Kind::new("Drizzle", Policy::Once).in_transaction(true)),
    ("drizzle/migrations/#_*.sql", Kind::new("Drizzle", Policy::Once).in_transaction(true)),
    // https://hasura.io/docs/2.0/migrations-metadata-seeds/manage-seeds/ and whatever else is called so
    ("seed.sql", SEED),
    ("seeds.sql", SEED),
    ("seed[-_.]*.sql", SEED),
    ("seeds[-_.]*.sql", SEED),
    ("seeddata*.sql", SEED),
    ("*[-_.]seed.sql", SEED),
    ("*[-_.]seeds.sql", SEED),
    ("*[-_.]seed[-_.]data.sql", SEED),
    // https://learn.microsoft.com/en-us/sql/ssdt/how-to-specify-predeployment-or-postdeployment-scripts: at every
    // publish.
    ("*postdeploy*.sql", POST_DEPLOY),
    ("*post-deploy*.sql", POST_DEPLOY),
    ("*post_deploy*.sql", POST_DEPLOY),
    ("*predeploy*.sql", POST_DEPLOY),
    ("*pre-deploy*.sql", POST_DEPLOY),
    ("*pre_deploy*.sql", POST_DEPLOY),
    // https://guides.rubyonrails.org/active_record_migrations.html#schema-dumping-and-you
    ("db/structure.sql", Kind::new("Rails", Policy::Once)),
    ("db/*_structure.sql", Kind::new("Rails", Policy::Once)),
    ("structure.sql", DUMP),
    ("schema.sql", DUMP),
    ("dump.sql", DUMP),
    ("*[-_.]dump.sql", DUMP),
    ("*[-_.]backup.sql", DUMP),
    // Scripts beside a change that take it back.
    ("rollback.sql", ONCE.down()),
    ("*[-_.]rollback.sql", ONCE.down()),
    ("rollback[-_.]*.sql", ONCE.down()),
    ("*[-_.]undo.sql", ONCE.down()),
    ("#*_down.sql", ONCE.down()),
    ("#*-down.sql", ONCE.down()),
];

/// A folder in lower case. Of a path's folders the one nearest to the file counts.
const FOLDERS: &[(&str, Kind)] = &[
    ("migrations", ONCE),
    ("migration", ONCE),
    ("migrate", ONCE),
    ("dbmigrations", ONCE),
    ("db_migrations", ONCE),
    ("schema_migrations", ONCE),
    // Files that a changelog names.
    ("changelog", ONCE),
    ("changelogs", ONCE),
    ("changeset", ONCE),
    ("changesets", ONCE),
    // https://www.playframework.com/documentation/latest/Evolutions
    ("evolutions", ONCE),
    ("upgrades", ONCE),
    ("upgrade", ONCE),
    ("patches", ONCE),
    ("patch", ONCE),
    // https://alembic.sqlalchemy.org/en/latest/tutorial.html
    ("alembic", Kind::new("Alembic", Policy::Once).in_transaction(true)),
    // The image of an engine runs these when its data folder is empty.
    ("docker-entrypoint-initdb.d", ONCE),
    ("rollback", ONCE.down()),
    ("rollbacks", ONCE.down()),
    ("revert", ONCE.down()),
    ("downgrade", ONCE.down()),
    ("undo", ONCE.down()),
    ("seed", SEED),
    ("seeds", SEED),
    ("seeders", SEED),
    ("seeddata", SEED),
    ("seed-data", SEED),
    ("seed_data", SEED),
    ("post-deploy", POST_DEPLOY),
    ("post-deployment", POST_DEPLOY),
    ("post_deploy", POST_DEPLOY),
    ("post_deployment", POST_DEPLOY),
    ("postdeploy", POST_DEPLOY),
    ("postdeployment", POST_DEPLOY),
    ("predeployment", POST_DEPLOY),
    ("repeatable", RERUN.repeats()),
    ("repeatables", RERUN.repeats()),
    // https://airflow.apache.org/docs/apache-airflow/stable/core-concepts/dags.html: at every interval.
    ("dags", Kind::new("Airflow", Policy::Rerun).repeats()),
    ("etl", RERUN),
    ("elt", RERUN),
    ("load", RERUN),
    ("loads", RERUN),
    ("jobs", RERUN),
    ("models", RERUN),
    // Definitions that are put in place anew.
    ("views", RERUN),
    ("procedures", RERUN),
    ("procs", RERUN),
    ("sprocs", RERUN),
    ("storedprocedures", RERUN),
    ("stored_procedures", RERUN),
    ("stored procedures", RERUN),
    ("routines", RERUN),
    ("functions", RERUN),
    ("triggers", RERUN),
];

/// What a name alone tells in a folder that tells nothing.
///
/// A migrator of one's own looks like any other: whoever puts a date or a version before a name wants an order, and
/// whoever keeps an order for years keeps a list of what has run. So such a file is run once, like those of the runners
/// that we know, and findings about its data count less. Should it be run again all the same, the team says so in its
/// configuration. A short number is no version: `01_stage.sql` and `02_merge.sql` are steps of one load, run every day.
const NUMBERED: &[(&str, Kind)] = &[
    ("####-##-##[-_t. ]*", ONCE),
    ("####_##_##[-_t. ]*", ONCE),
    ("########*[-_.]*", ONCE),
    ("0###[-_]*", ONCE),
    ("#####[-_]*", ONCE),
    // From one version to the next: `4_1_0-to-4_1_1_upgrade.sql`.
    ("#[._]#*-to-#[._]#*", ONCE),
    ("#[._]#*_to_#[._]#*", ONCE),
    ("upgrade*-#[._]#*", ONCE),
    ("upgrade*_to_#*", ONCE),
    // The words of a load: `load_gz.sql`, `supplier_load_data.sql`.
    ("load.sql", RERUN),
    ("load[-_.]*.sql", RERUN),
    ("*[-_.]load.sql", RERUN),
    ("*[-_.]load[-_.]*.sql", RERUN),
    ("etl[-_.]*.sql", RERUN),
    ("*[-_.]etl.sql", RERUN),
];

/// What a file's own name tells, with the folders next to it.
pub(super) fn by_file(path: &str) -> Option<Kind> {
    let path = plain(path);
    first(FILES, &path)
}

/// What the nearest folder tells, or else the order in which the name puts the file.
pub(super) fn by_folder(path: &str) -> Option<Kind> {
    let path = plain(path);
    let mut folders = path.rsplit('/').skip(1);
    let of = |folder: &str| FOLDERS.iter().find(|(name, _)| *name == folder).map(|(_, kind)| *kind);
    folders.find_map(of).or_else(|| first(NUMBERED, &path))
}

/// Runners differ in whether case counts, file systems too: nobody has two files that differ in case alone.
fn plain(path: &str) -> String {
    path.to_ascii_lowercase().replace('\\', "/")
}

fn first(table: &[(&str, Kind)], path: &str) -> Option<Kind> {
    table.iter().find(|(pattern, _)| fits(pattern, end(path, pattern))).map(|(_, kind)| *kind)
}

/// As many components from the end of a path as a pattern has.
fn end<'p>(path: &'p str, pattern: &str) -> &'p str {
    let slashes = pattern.matches('/').count();
    path.rmatch_indices('/').nth(slashes).map_or(path, |(at, _)| &path[at + 1..])
}

/// `*` is any characters of a component, `#` a digit, or the last `#` of a row as many as there are, `[..]` one of some,
/// `@` the name of a dialect.
fn fits(pattern: &str, text: &str) -> bool {
    fits_bytes(pattern.as_bytes(), text.as_bytes())
}

fn fits_bytes(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => {
            let component = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
            (0..=component).any(|skip| fits_bytes(rest, &text[skip..]))
        }
        [b'#', rest @ ..] => match text {
            [digit, after @ ..] if digit.is_ascii_digit() => {
                fits_bytes(rest, after) || (rest.first() != Some(&b'#') && fits_bytes(pattern, after))
            }
            _ => false,
        },
        [b'@', rest @ ..] => {
            let end = text.iter().position(|byte| matches!(byte, b'.' | b'/')).unwrap_or(text.len());
            let named = std::str::from_utf8(&text[..end]).ok().and_then(dialect::find_any);
            named.is_some() && fits_bytes(rest, &text[end..])
        }
        [b'[', rest @ ..] => {
            let Some(close) = rest.iter().position(|byte| *byte == b']') else { return false };
            matches!(text, [byte, after @ ..] if rest[..close].contains(byte) && fits_bytes(&rest[close + 1..], after))
        }
        [byte, rest @ ..] => matches!(text, [first, after @ ..] if first == byte && fits_bytes(rest, after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(path: &str) -> Option<Kind> {
        by_file(path).or_else(|| by_folder(path))
    }

    /// One path for each row of the tables.
    #[test]
    fn every_row_is_reached_by_a_path_and_by_no_row_before_it() {
        let example = |pattern: &str| {
            let mut path =
                pattern.replace("[-_t. ]", "_").replace("[-_.]", "_").replace("[-_]", "_").replace("[._]", "_");
            path = path.replace("####-##-##", "2024-01-31").replace("####_##_##", "2024_01_31");
            path.replace("########", "20240131")
                .replace("0###", "0123")
                .replace("#####", "12345")
                .replace('@', "sqlite3")
                .replace('#', "1")
                .replace('*', "x")
        };
        for (table, look) in [(FILES, by_file as fn(&str) -> Option<Kind>), (NUMBERED, by_folder)] {
            for (pattern, kind) in table {
                let path = example(pattern);
                assert_eq!(look(&path).as_ref(), Some(kind), "{pattern}: {path}");
                let upper = path.to_uppercase().replace('/', "\\");
                assert_eq!(look(&format!("Other\\{upper}")).as_ref(), Some(kind), "{pattern}: {upper}");
            }
        }
        for (folder, kind) in FOLDERS {
            assert_eq!(is(&format!("a/{folder}/b/x.sql")).as_ref(), Some(kind), "{folder}");
            assert_eq!(FOLDERS.iter().filter(|(other, _)| other == folder).count(), 1, "{folder}");
            assert_eq!(*folder, folder.to_lowercase());
        }
    }

    #[test]
    fn paths_of_real_projects_are_known() {
        for (path, name, policy) in [
            (
                "src/main/resources/db/migration/postgresql/V2.14.0.20231025170057__altas_read_restricted_role.sql",
                Some("Flyway"),
                Policy::Once,
            ),
            ("db/oracle/V2.8.0.20200130124345__fe_analysis_aggregate.sql", Some("Flyway"), Policy::Once),
            ("db/migration/R__views.sql", Some("Flyway"), Policy::Rerun),
            ("db/callback/afterMigrate__grants.sql", Some("Flyway"), Policy::Rerun),
            ("db/callback/afterMigrate.sql", Some("Flyway"), Policy::Rerun),
            ("db/B1__base.sql", Some("Flyway"), Policy::Once),
            ("A__grants.sql", Some("schemachange"), Policy::Rerun),
            ("migrations/2022-06-21-123144_language-tags/up.sql", Some("Diesel"), Policy::Once),
            ("migrations/00000000000000_diesel_initial_setup/up.sql", Some("Diesel"), Policy::Once),
            ("migrations/mysql/2018-01-14-171611_create_tables/up.sql", Some("Diesel"), Policy::Once),
            ("hasura/migrations/default/1600000000000_init/up.sql", Some("Hasura"), Policy::Once),
            ("supabase/migrations/20260810000000_event_outbox_and_read_model.sql", Some("Supabase"), Policy::Once),
            ("supabase/seed.sql", Some("Supabase"), Policy::Rerun),
            (
                "persistence/sql/migrations/sql/20251104000000000000_identity_id.sqlite.up.sql",
                Some("Ory pop/fizz"),
                Policy::Once,
            ),
            ("util/Migrator/DbScripts/2026-06-15_00_AddCohortBulkAssignmentSync.sql", None, Policy::Once),
            ("sql/4_1_0-to-4_1_1_upgrade.sql", None, Policy::Once),
            ("sql/7_0_3-to-7_0_4_upgrade.sql", None, Policy::Once),
            ("2014_02_18_00_world_creature.sql", None, Policy::Once),
            ("sql/old/3.1.3/12345_world.sql", None, Policy::Once),
            ("akd_storage/migrations/ms_sql/20251002_01_create_azks_table/up.sql", None, Policy::Once),
            ("mimic-iv/buildmimic/mysql/1-define.sql", None, Policy::Unknown),
            ("mimic-iv/buildmimic/postgres/load_gz.sql", None, Policy::Rerun),
            ("emr_scripts/sql/supplier_load_data.sql", None, Policy::Rerun),
            ("migrations/00037_default_admin_perms.sql", None, Policy::Once),
            ("internal/db/migrations/000012_users.up.sql", Some("golang-migrate"), Policy::Once),
            ("migrations/20240101120000_users.up.sql", None, Policy::Once),
            ("migrations/20240101120000_users.cockroach.up.sql", Some("Ory pop/fizz"), Policy::Once),
            ("migrations/20240101120000_users.v2.up.sql", None, Policy::Once),
            ("migrations/0001_x.sql", None, Policy::Once),
            ("prisma/migrations/20240101000000_init/migration.sql", Some("Prisma"), Policy::Once),
            ("drizzle/0000_wide_ghost.sql", Some("Drizzle"), Policy::Once),
            ("alembic/versions/sql/x.sql", Some("Alembic"), Policy::Once),
            ("db/structure.sql", Some("Rails"), Policy::Once),
            ("schema.sql", Some("dump"), Policy::Once),
            ("Scripts\\Post-Deployment\\Script.PostDeployment1.sql", Some("SSDT"), Policy::Rerun),
            ("MyDb/PostDeployment/Lookup.sql", Some("SSDT"), Policy::Rerun),
            ("airflow/dags/sql/load.sql", Some("Airflow"), Policy::Rerun),
            ("db/seeds/users.sql", Some("seed"), Policy::Rerun),
            ("seed_users.sql", Some("seed"), Policy::Rerun),
            ("users.seed.sql", Some("seed"), Policy::Rerun),
            ("models/marts/orders.sql", None, Policy::Rerun),
            ("dbo/Stored Procedures/x.sql", None, Policy::Rerun),
        ] {
            let kind = is(path).unwrap_or(Kind::plain(Policy::Unknown));
            assert_eq!((kind.name, kind.policy), (name, policy), "{path}");
        }
    }

    #[test]
    fn the_nearest_folder_counts() {
        for (path, policy) in [
            ("views/migrations/x.sql", Policy::Once),
            ("migrations/views/x.sql", Policy::Rerun),
            ("migrations/20240101_x/views/x.sql", Policy::Rerun),
            ("etl/20240101_x.sql", Policy::Rerun),
            ("dags/migrations/20240101_x.sql", Policy::Once),
        ] {
            assert_eq!(is(path).map(|kind| kind.policy), Some(policy), "{path}");
        }
    }

    #[test]
    fn what_takes_a_change_back_is_known() {
        for path in [
            "migrations/000001_x.down.sql",
            "migrations/2022-06-21-123144_x/down.sql",
            "db/U1__x.sql",
            "db/rollback/x.sql",
            "1_x_down.sql",
            "001.undo.x.sql",
            "x.sqlite.down.sql",
        ] {
            let runner = is(path).map(|kind| kind.runner("SELECT 1"));
            let sections = runner.map(|runner| runner.sections);
            assert_eq!(sections, Some(vec![Section { range: 0..8, policy: None, down: true }]), "{path}");
        }
        assert_eq!(is("migrations/x.up.sql").map(|kind| kind.runner("x").sections), Some(Vec::new()));
    }

    #[test]
    fn other_names_tell_nothing() {
        for path in [
            "x.sql",
            "V__x.sql",
            "V1_x.sql",
            "Version1__x.sql",
            "view__x.sql",
            "01_stage.sql",
            "2024_sales.sql",
            "drill_down.sql",
            "seedling.sql",
            "reseed_tables.sql",
            "upload_x.sql",
            "loader.sql",
            "viewer/x.sql",
            "mymigrations/x.sql",
            "migrations.sql",
            "models.sql",
            "my_schema.sql",
            "structure.sql.txt",
            "setup.sql",
            "update_stock.sql",
            "to-do.sql",
            "",
        ] {
            assert_eq!(is(path), None, "{path}");
        }
    }

    #[test]
    fn patterns_fit_whole_components() {
        for (pattern, text, answer) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "ab/c", false),
            ("a#c", "a12c", true),
            ("a#c", "ac", false),
            ("####-#", "2024-1", true),
            ("####-#", "204-1", false),
            ("##*", "123x", true),
            ("x.@.y", "x.pgsql.y", true),
            ("x.@.y", "x.dbase.y", false),
            ("x.@.y", "x..y", false),
            ("[-_]x", "_x", true),
            ("[-_]x", "x", false),
            ("[-", "-", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, text), answer, "{pattern} {text}");
        }
    }
}
