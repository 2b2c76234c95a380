//! How a script asks whether something is there before it changes it, where no IF EXISTS does that.

/// The way of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// A DO block around the statement, with IF and a query on the catalogue.
    DoBlock,
    /// IF stands in the script itself, and functions answer: `IF OBJECT_ID(N't') IS NULL`.
    ObjectId,
    /// A block runs the statement from a string and catches the one error that is meant.
    Caught,
    /// IF stands in procedures only.
    Procedure,
    /// IF stands in the script itself, between IF and END IF, and `INFORMATION_SCHEMA` answers.
    Scripting,
    /// Scripts have no IF: whoever runs the script asks, with a query that begins like this.
    Caller(&'static str),
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What it is, in SQL's words: `TABLE`, `COLUMN`, `CONSTRAINT`.
    pub object: &'a str,
    /// Its name, without quotes.
    pub name: &'a str,
    /// What it belongs to, if to anything: the table of a column.
    pub of: Option<&'a str>,
    /// The statement needs it; where false, the statement makes it.
    pub there: bool,
}

impl Probe {
    /// Words for a help: an order with the condition to write.
    pub fn order(self, asked: &Asked<'_>) -> String {
        let not = if asked.there { "" } else { "NOT " };
        match self {
            Self::DoBlock => format!(
                "put it in a DO block: `DO $$ BEGIN IF {not}EXISTS ({}) THEN .. END IF; END $$`",
                asked.catalogue()
            ),
            // CREATE SCHEMA must be the first statement of its batch, which a string is.
            Self::ObjectId if asked.object == "SCHEMA" && !asked.there => {
                let plain = asked.name.chars().all(|c| c.is_alphanumeric() || c == '_');
                let name = if plain { asked.name.to_owned() } else { format!("[{}]", text(asked.name)) };
                format!("write `{} EXEC (N'CREATE SCHEMA {name}')`", asked.object_id())
            }
            Self::ObjectId => format!("put `{}` before it", asked.object_id()),
            Self::Caught => format!(
                "run it with `EXECUTE IMMEDIATE` in a block: `EXCEPTION WHEN OTHERS THEN IF SQLCODE <> {} THEN RAISE; \
                 END IF`",
                asked.error()
            ),
            Self::Procedure => {
                format!("put it in a procedure, behind `IF {not}EXISTS ({}) THEN`", asked.schema("DATABASE()"))
            }
            Self::Scripting => format!("put it between `IF {not}EXISTS ({}) THEN` and `END IF`", asked.schema("")),
            Self::Caller(query) => {
                let state = if asked.there { "finds" } else { "does not find" };
                format!("let the program that runs the script do this only where `{query}` {state} `{}`", asked.name)
            }
        }
    }
}

/// A name as the text of a string.
fn text(name: &str) -> String {
    name.replace('\'', "''")
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Asked<'_> {
    /// The query on the catalogue, for [`Probe::DoBlock`].
    fn catalogue(&self) -> String {
        let name = text(last(self.name));
        let of = self.of.map(text);
        match (self.object, of) {
            ("CONSTRAINT" | "PRIMARY KEY" | "FOREIGN KEY", Some(of)) if self.name.is_empty() => {
                format!("SELECT 1 FROM pg_constraint WHERE conrelid = '{of}'::regclass AND contype = 'p'")
            }
            ("CONSTRAINT", Some(of)) => {
                format!("SELECT 1 FROM pg_constraint WHERE conname = '{name}' AND conrelid = '{of}'::regclass")
            }
            ("COLUMN", Some(of)) => {
                format!(
                    "SELECT 1 FROM pg_attribute WHERE attrelid = '{of}'::regclass AND attname = '{name}' AND NOT \
                     attisdropped"
                )
            }
            ("VALUE", Some(of)) => {
                format!("SELECT 1 FROM pg_enum WHERE enumtypid = '{of}'::regtype AND enumlabel = '{name}'")
            }
            ("TYPE" | "DOMAIN", _) => format!("SELECT 1 FROM pg_type WHERE typname = '{name}'"),
            ("ROLE" | "USER", _) => format!("SELECT 1 FROM pg_roles WHERE rolname = '{name}'"),
            ("POLICY", Some(of)) => {
                format!("SELECT 1 FROM pg_policy WHERE polname = '{name}' AND polrelid = '{of}'::regclass")
            }
            ("TRIGGER", Some(of)) => {
                format!("SELECT 1 FROM pg_trigger WHERE tgname = '{name}' AND tgrelid = '{of}'::regclass")
            }
            ("FUNCTION" | "PROCEDURE", _) => format!("SELECT 1 FROM pg_proc WHERE proname = '{name}'"),
            ("SCHEMA", _) => format!("SELECT 1 FROM pg_namespace WHERE nspname = '{name}'"),
            ("DATABASE", _) => format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"),
            _ => format!("SELECT 1 FROM pg_class WHERE relname = '{name}'"),
        }
    }

    /// The condition with its IF, for [`Probe::ObjectId`].
    fn object_id(&self) -> String {
        let not = if self.there { "NOT " } else { "" };
        let exists = if self.there { "" } else { "NOT " };
        let name = text(self.name);
        match (self.object, self.of.map(text)) {
            ("COLUMN", Some(of)) => format!("IF COL_LENGTH(N'{of}', N'{name}') IS {not}NULL"),
            ("INDEX", Some(of)) => format!(
                "IF {exists}EXISTS (SELECT 1 FROM sys.indexes WHERE name = N'{}' AND object_id = OBJECT_ID(N'{of}'))",
                last(&name)
            ),
            ("PRIMARY KEY", Some(of)) => format!(
                "IF {exists}EXISTS (SELECT 1 FROM sys.key_constraints WHERE type = 'PK' AND parent_object_id = \
                 OBJECT_ID(N'{of}'))"
            ),
            // A constraint is an object of the schema of its table.
            ("CONSTRAINT", Some(of)) => {
                let schema = of.rsplit_once('.').map(|(schema, _)| format!("{schema}.")).unwrap_or_default();
                format!("IF OBJECT_ID(N'{schema}{name}') IS {not}NULL")
            }
            ("SCHEMA", _) => format!("IF SCHEMA_ID(N'{name}') IS {not}NULL"),
            ("DATABASE", _) => format!("IF DB_ID(N'{name}') IS {not}NULL"),
            ("TYPE" | "DOMAIN", _) => format!("IF TYPE_ID(N'{name}') IS {not}NULL"),
            ("LOGIN", _) => format!("IF SUSER_ID(N'{name}') IS {not}NULL"),
            ("ROLE" | "USER", _) => format!("IF DATABASE_PRINCIPAL_ID(N'{name}') IS {not}NULL"),
            _ => format!("IF OBJECT_ID(N'{name}') IS {not}NULL"),
        }
    }

    /// The error that [`Probe::Caught`] passes over.
    fn error(&self) -> &'static str {
        match (self.object, self.there) {
            ("COLUMN", false) => "-1430",
            ("COLUMN", true) => "-904",
            ("CONSTRAINT", false) => "-2264",
            ("CONSTRAINT", true) => "-2443",
            ("PRIMARY KEY", _) => "-2260",
            ("TRIGGER", false) => "-4081",
            ("TRIGGER", true) => "-4080",
            ("ROLE", false) => "-1921",
            ("ROLE", true) => "-1919",
            ("USER", false) => "-1920",
            ("USER", true) => "-1918",
            ("INDEX", true) => "-1418",
            ("SEQUENCE", true) => "-2289",
            ("VIEW" | "TABLE", true) => "-942",
            (_, false) => "-955",
            (_, true) => "-4043",
        }
    }

    /// The query on the standard's schema; in the database that is in use, where the dialect has a word for it.
    fn schema(&self, database: &str) -> String {
        let name = text(last(self.name));
        let of = text(last(self.of.unwrap_or_default()));
        let here = |column: &str| {
            if database.is_empty() { String::new() } else { format!("{column} = {database} AND ") }
        };
        match self.object {
            "COLUMN" => format!(
                "SELECT 1 FROM information_schema.columns WHERE {}table_name = '{of}' AND column_name = '{name}'",
                here("table_schema")
            ),
            "INDEX" if !of.is_empty() => format!(
                "SELECT 1 FROM information_schema.statistics WHERE {}table_name = '{of}' AND index_name = '{name}'",
                here("table_schema")
            ),
            "CONSTRAINT" => format!(
                "SELECT 1 FROM information_schema.table_constraints WHERE {}table_name = '{of}' AND constraint_name = \
                 '{name}'",
                here("table_schema")
            ),
            "PRIMARY KEY" => format!(
                "SELECT 1 FROM information_schema.table_constraints WHERE {}table_name = '{of}' AND constraint_type = \
                 'PRIMARY KEY'",
                here("table_schema")
            ),
            "TRIGGER" => format!(
                "SELECT 1 FROM information_schema.triggers WHERE {}trigger_name = '{name}'",
                here("trigger_schema")
            ),
            "FUNCTION" | "PROCEDURE" => format!(
                "SELECT 1 FROM information_schema.routines WHERE {}routine_name = '{name}'",
                here("routine_schema")
            ),
            "SCHEMA" | "DATABASE" => {
                format!("SELECT 1 FROM information_schema.schemata WHERE schema_name = '{name}'")
            }
            _ => {
                format!("SELECT 1 FROM information_schema.tables WHERE {}table_name = '{name}'", here("table_schema"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Probe};
    use crate::dialect;

    #[test]
    fn every_dialect_answers_for_every_kind_of_thing() {
        for dialect in dialect::ALL {
            for object in
                ["TABLE", "COLUMN", "CONSTRAINT", "PRIMARY KEY", "INDEX", "TYPE", "ROLE", "USER", "TRIGGER", "VIEW"]
            {
                for there in [false, true] {
                    let asked = Asked { object, name: "it's", of: Some("a.t"), there };
                    let order = dialect.client.probe.order(&asked);
                    assert!(order.starts_with(char::is_lowercase) && order.contains('`'), "{}: {order}", dialect.name);
                }
            }
        }
    }

    #[test]
    fn names_become_strings() {
        let asked = Asked { object: "COLUMN", name: "it's", of: Some("dbo.t"), there: false };
        assert_eq!(Probe::ObjectId.order(&asked), "put `IF COL_LENGTH(N'dbo.t', N'it''s') IS NULL` before it");
        let asked = Asked { object: "SCHEMA", name: "ref", of: None, there: false };
        assert_eq!(Probe::ObjectId.order(&asked), "write `IF SCHEMA_ID(N'ref') IS NULL EXEC (N'CREATE SCHEMA ref')`");
        let asked = Asked { object: "LOGIN", name: "bob", of: None, there: false };
        assert_eq!(Probe::ObjectId.order(&asked), "put `IF SUSER_ID(N'bob') IS NULL` before it");
    }
}
