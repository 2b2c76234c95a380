//! Scripts, statement by statement.
#![allow(clippy::unwrap_used)]

use super::Script;
use crate::dialect;
use crate::sql::clause::read;

/// Each statement with the blocks around it.
fn outline(text: &str, name: &str) -> Vec<String> {
    let script = Script::read(text, dialect::find(name).unwrap());
    let mut out = Vec::new();
    for statement in &script.statements {
        let sql = script.sql(statement);
        let mut frames: Vec<String> = script
            .frames_of(statement)
            .map(|frame| format!("{:?}({})", frame.kind, script.view(&frame.head).source().trim()).replace("()", ""))
            .collect();
        frames.reverse();
        let fault = read(sql).err().map(|fault| format!("  !! {}", fault.message)).unwrap_or_default();
        let line = sql.source().split_whitespace().collect::<Vec<_>>().join(" ");
        out.push(format!("{}{}{line}{fault}", frames.join("/"), if frames.is_empty() { "" } else { ": " }));
    }
    out
}

#[track_caller]
fn check(name: &str, text: &str, expected: &[&str]) {
    assert_eq!(outline(text, name), expected, "{name}: {text}");
}

#[test]
fn semicolons_end_statements_outside_quotes() {
    check(
        "postgres",
        "-- a;\nSELECT 'x;''y;', \"a;b\" /* ; /* ; */ ; */ ;; SELECT $f$ ; $$ ; $f$ -- ;\n; SELECT E'\\';' ; -- end",
        &["SELECT 'x;''y;', \"a;b\"", "SELECT $f$ ; $$ ; $f$ -- ;".trim_end_matches(" -- ;"), "SELECT E'\\';'"],
    );
}

#[test]
fn do_blocks_and_bodies_are_read() {
    check(
        "postgres",
        "DO $$ DECLARE n int; BEGIN IF NOT EXISTS (SELECT 1 FROM t) THEN INSERT INTO t VALUES (1); ELSIF n = 1 THEN \
         DELETE FROM t; ELSE NULL; END IF; EXCEPTION WHEN duplicate_object THEN NULL; END $$;\nINSERT INTO t VALUES (2);",
        &[
            "DO $$ DECLARE n int; BEGIN IF NOT EXISTS (SELECT 1 FROM t) THEN INSERT INTO t VALUES (1); ELSIF n = 1 THEN \
             DELETE FROM t; ELSE NULL; END IF; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
            "Do/Block/If(NOT EXISTS (SELECT 1 FROM t)): INSERT INTO t VALUES (1)",
            "Do/Block/Else(n = 1): DELETE FROM t",
            "Do/Block/Else: NULL",
            "Do/Block/Handler(EXCEPTION WHEN duplicate_object): NULL",
            "INSERT INTO t VALUES (2)",
        ],
    );
    check(
        "postgres",
        "CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $f$ BEGIN INSERT INTO log VALUES (1); RETURN NEW; END; $f$ \
         LANGUAGE plpgsql; CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; DROP TABLE x;",
        &[
            "CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $f$ BEGIN INSERT INTO log VALUES (1); RETURN NEW; END; $f$ LANGUAGE plpgsql",
            "Routine/Block: INSERT INTO log VALUES (1)",
            "Routine/Block: RETURN NEW",
            "CREATE FUNCTION g() RETURNS int",
            "Routine: SELECT 1",
            "Routine: SELECT 2",
            "DROP TABLE x",
        ],
    );
}

#[test]
fn psql_lines_and_copy_data_are_no_statements() {
    check(
        "postgres",
        "\\set x 1\nCOPY shelf (who, note) FROM stdin;\nit's; -- odd (\n\\N\tDELETE FROM shelf;\n\\.\n\nINSERT INTO :tbl \
         VALUES (:'x', :y);\n\\copy t FROM 'a;b.csv' csv\n\\if :x\nDROP TABLE t;\n\\endif\nSELECT 1;",
        &[
            "COPY shelf (who, note) FROM stdin",
            "INSERT INTO :tbl VALUES (:'x', :y)",
            "copy t FROM 'a;b.csv' csv",
            "If: DROP TABLE t",
            "SELECT 1",
        ],
    );
}

#[test]
fn delimiter_changes_what_ends_a_statement() {
    check(
        "mysql",
        "DELIMITER $$\nCREATE PROCEDURE bump(IN p INT)\nBEGIN\n  UPDATE counter SET n = n + 1 WHERE id = p;\n  INSERT INTO log \
         (msg) VALUES ('bumped; ok');\nEND$$\nDELIMITER ;\nCALL bump(1);\n/*!40101 SET NAMES utf8 */;\nINSERT INTO r (code) VALUES ('O') # x;\n;",
        &[
            "CREATE PROCEDURE bump(IN p INT)",
            "Routine: UPDATE counter SET n = n + 1 WHERE id = p",
            "Routine: INSERT INTO log (msg) VALUES ('bumped; ok')",
            "CALL bump(1)",
            "SET NAMES utf8",
            "INSERT INTO r (code) VALUES ('O')",
        ],
    );
    check(
        "mysql",
        "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN IF NEW.a IS NULL THEN SET NEW.a = 1; END IF; END; DROP TABLE t",
        &[
            "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW",
            "Routine/If(NEW.a IS NULL): SET NEW.a = 1",
            "DROP TABLE t",
        ],
    );
}

#[test]
fn t_sql_needs_no_semicolons() {
    check(
        "sqlserver",
        "USE db\nGO\nIF NOT EXISTS (SELECT 1 FROM dbo.t WHERE id = 1)\n  INSERT INTO dbo.t (id) VALUES (1)\nELSE\nBEGIN\n  \
         UPDATE dbo.t SET a = 1 WHERE id = 1\n  DELETE FROM dbo.u\nEND\nGO\nSET NOCOUNT ON\nDECLARE @x TABLE (id int)\nINSERT \
         INTO @x\nSELECT id FROM dbo.t WITH (NOLOCK)\nINSERT INTO #t EXEC dbo.p\nDROP TABLE IF EXISTS #t\nALTER TABLE \
         a.b.dbo.t DROP CONSTRAINT IF EXISTS ck, COLUMN IF EXISTS d\nALTER TABLE dbo.t ADD c int;\nWITH q AS (SELECT 1 AS a) INSERT INTO dbo.t SELECT a FROM q\nGO",
        &[
            "USE db",
            "If(NOT EXISTS (SELECT 1 FROM dbo.t WHERE id = 1)): INSERT INTO dbo.t (id) VALUES (1)",
            "Else/Block: UPDATE dbo.t SET a = 1 WHERE id = 1",
            "Else/Block: DELETE FROM dbo.u",
            "SET NOCOUNT ON",
            "DECLARE @x TABLE (id int)",
            "INSERT INTO @x SELECT id FROM dbo.t WITH (NOLOCK)",
            "INSERT INTO #t EXEC dbo.p",
            "DROP TABLE IF EXISTS #t",
            "ALTER TABLE a.b.dbo.t DROP CONSTRAINT IF EXISTS ck, COLUMN IF EXISTS d",
            "ALTER TABLE dbo.t ADD c int",
            "WITH q AS (SELECT 1 AS a) INSERT INTO dbo.t SELECT a FROM q",
        ],
    );
    check(
        "sqlserver",
        "CREATE OR ALTER PROCEDURE dbo.p @a int AS\nBEGIN\n  SET NOCOUNT ON;\n  BEGIN TRY\n    BEGIN TRAN\n    MERGE dbo.t AS t USING s ON \
         t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);\n    COMMIT\n  END TRY\n  \
         BEGIN CATCH\n    ROLLBACK\n    THROW\n  END CATCH\nEND\nGO\nSELECT CASE WHEN 1 = 1 THEN 2 ELSE 3 END FROM t\nPRINT 'x'",
        &[
            "CREATE OR ALTER PROCEDURE dbo.p @a int AS",
            "Routine/Block: SET NOCOUNT ON",
            "Routine/Block/Try: BEGIN TRAN",
            "Routine/Block/Try: MERGE dbo.t AS t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
            "Routine/Block/Try: COMMIT",
            "Routine/Block/Handler: ROLLBACK",
            "Routine/Block/Handler: THROW",
            "SELECT CASE WHEN 1 = 1 THEN 2 ELSE 3 END FROM t",
            "PRINT 'x'",
        ],
    );
}

#[test]
fn oracle_blocks_end_at_a_slash() {
    check(
        "oracle",
        "SET DEFINE OFF\nPROMPT it's\nBEGIN\n  EXECUTE IMMEDIATE 'CREATE TABLE t (a NUMBER)';\nEXCEPTION WHEN OTHERS THEN IF \
         SQLCODE != -955 THEN RAISE; END IF;\nEND;\n/\nCREATE OR REPLACE PROCEDURE p IS n NUMBER; BEGIN n := 1; INSERT INTO t VALUES \
         (n); END p;\n/\nINSERT INTO t VALUES (seq.NEXTVAL, q'[it's; ]')\n/\nCOMMIT;",
        &[
            "Block: EXECUTE IMMEDIATE 'CREATE TABLE t (a NUMBER)'",
            "Block/Dynamic: CREATE TABLE t (a NUMBER)",
            "Block/Handler(EXCEPTION WHEN OTHERS)/If(SQLCODE != -955): RAISE",
            "CREATE OR REPLACE PROCEDURE p IS n NUMBER;",
            "Routine: n := 1",
            "Routine: INSERT INTO t VALUES (n)",
            "INSERT INTO t VALUES (seq.NEXTVAL, q'[it's; ]')",
            "COMMIT",
        ],
    );
}

#[test]
fn scripting_of_warehouses_is_read() {
    check(
        "bigquery",
        "DECLARE d DATE DEFAULT CURRENT_DATE();\nBEGIN TRANSACTION;\nFOR r IN (SELECT 1 AS a) DO INSERT INTO `p.d.t` VALUES (r.a); END \
         FOR;\nCOMMIT TRANSACTION;\nIF d IS NULL THEN SELECT 1; END IF;",
        &[
            "DECLARE d DATE DEFAULT CURRENT_DATE()",
            "BEGIN TRANSACTION",
            "Loop(FOR r IN (SELECT 1 AS a)): INSERT INTO `p.d.t` VALUES (r.a)",
            "COMMIT TRANSACTION",
            "If(d IS NULL): SELECT 1",
        ],
    );
    check(
        "snowflake",
        "EXECUTE IMMEDIATE $$ DECLARE n INT; BEGIN INSERT INTO t SELECT 1; END; $$;\nCOPY INTO t FROM @s/p/ FILE_FORMAT = (TYPE = \
         CSV) FORCE = TRUE;",
        &[
            "EXECUTE IMMEDIATE $$ DECLARE n INT; BEGIN INSERT INTO t SELECT 1; END; $$",
            "Dynamic/Block: INSERT INTO t SELECT 1",
            "COPY INTO t FROM @s/p/ FILE_FORMAT = (TYPE = CSV) FORCE = TRUE",
        ],
    );
}

#[test]
fn holes_of_templates_are_names() {
    check(
        "postgres",
        "INSERT INTO ${schema}.t_{{ env }} (a) SELECT {{ x }}, '%s', %s, %(n)s FROM {{ ref('e') }} AS e {# no #} WHERE d = '{{ ds }}';\n\
         {{ config(a=1) }}\nSELECT 1",
        &[
            "INSERT INTO ${schema}.t_{{ env }} (a) SELECT {{ x }}, '%s', %s, %(n)s FROM {{ ref('e') }} AS e {# no #} WHERE d = '{{ ds }}'",
            "{{ config(a=1) }} SELECT 1",
        ],
    );
}

#[test]
fn an_if_of_t_sql_does_not_wait_for_the_then_of_a_case() {
    check(
        "sqlserver",
        "IF @a = 1\nBEGIN\n  SET @b = 2\nEND\n\nSELECT CASE WHEN @b = 2 THEN 1 ELSE 0 END\n",
        &["If(@a = 1)/Block: SET @b = 2", "SELECT CASE WHEN @b = 2 THEN 1 ELSE 0 END"],
    );
    check("sqlserver", "GOTO done\ndone:\nPRINT 'x'\nCOMMIT", &["GOTO done", "PRINT 'x'", "COMMIT"]);
    check(
        "sqlserver",
        "CREATE VIEW v AS\nWITH a AS (SELECT 1 AS n)\nSELECT n FROM a\nGO\nSELECT 2",
        &["CREATE VIEW v AS WITH a AS (SELECT 1 AS n) SELECT n FROM a", "SELECT 2"],
    );
}

#[test]
fn clients_and_runners_cut_where_no_semicolon_stands() {
    check(
        "postgres",
        "-- +goose StatementBegin\nSELECT 1\n-- +goose StatementEnd\nSELECT 2",
        &["SELECT 1", "SELECT 2"],
    );
    check("mysql", "warnings\nDROP TABLE t;\nsource x.sql\nSELECT 1", &["DROP TABLE t", "SELECT 1"]);
    check("snowflake", "!source x.sql\nSELECT 1", &["SELECT 1"]);
    check("oracle", "BEGIN\n  p;\nEND;/\nSELECT 1 FROM dual;\n.\n", &["Block: p", "SELECT 1 FROM dual"]);
    check(
        "postgres",
        "delimiter d//\nSELECT 1; SELECT 2 d//\ndelimiter ;\nSELECT 3;",
        &["SELECT 1", "SELECT 2", "SELECT 3"],
    );
    check("ansi", "SELECT 'a\\'b', 'c\\', 1", &["SELECT 'a\\'b', 'c\\', 1"]);
}

#[test]
fn one_declare_stands_for_all_declarations() {
    check(
        "snowflake",
        "DECLARE\n  a INT DEFAULT 1;\n  r RESULTSET;\nBEGIN\n  DELETE FROM t;\nEND;",
        &["Block: DELETE FROM t"],
    );
    check(
        "bigquery",
        "DECLARE a INT64;\nBEGIN\n  DELETE FROM t WHERE TRUE;\nEND;",
        &["DECLARE a INT64", "Block: DELETE FROM t WHERE TRUE"],
    );
    check("snowflake", "SELECT * FROM IDENTIFIER('a.b')", &["SELECT * FROM IDENTIFIER('a.b')"]);
}

#[test]
fn wide_spaces_are_spaces() {
    check(
        "postgres",
        "\u{feff}SELECT\u{a0}1;\u{3000}SELECT '注文\u{a0}';",
        &["SELECT\u{a0}1".replace('\u{a0}', " ").as_str(), "SELECT '注文 '"],
    );
}

fn blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

proptest::proptest! {
    /// Tokens and comments are apart and in order, and nothing but blanks stands between them.
    #[test]
    fn every_byte_is_read_once(text in r#"([a-zé'"`;$\\\[\]/*\n #eEqQ(){}%@:<>.-]|--|/\*|\*/|\$\$|q'\[|E'|'''|\{\{|\{%|%\}|\}\}|\nGO\n|\n/\n|DELIMITER //|-- \+goose Down\n|COPY t FROM stdin;|BEGIN |END |IF |CASE |INSERT INTO t ){0,40}"#) {
        for dialect in dialect::ALL {
            let lexis = crate::sql::lexis::Lexis::of(dialect);
            let extras = crate::sql::lex::Extras { client: Some(&dialect.client), templates: true };
            let lexed = crate::sql::lex::lex(&text, 0..text.len(), lexis, extras);
            let mut all: Vec<(u32, u32)> = lexed.tokens.iter().map(|token| (token.start, token.end)).collect();
            all.extend(lexed.comments.iter().map(|comment| (comment.start, comment.end)));
            all.sort_unstable();
            let mut at = 0;
            for (start, end) in all {
                proptest::prop_assert!(start as usize >= at && end > start, "{}: {:?}", dialect.name, (start, end, at));
                proptest::prop_assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize));
                proptest::prop_assert!(blank(&text[at..start as usize]));
                at = end as usize;
            }
            proptest::prop_assert!(blank(&text[at..]));
            let script = Script::read(&text, dialect);
            for statement in &script.statements {
                let _ = read(script.sql(statement));
            }
        }
    }
}

#[test]
fn statements_that_nothing_ends_take_no_square() {
    let start = std::time::Instant::now();
    for (name, part) in [
        ("sqlserver", "IF a = 1 PRINT 'x'\n"),
        ("sqlserver", "DECLARE @a int\n"),
        ("sqlserver", "CREATE FUNCTION f AS "),
        ("oracle", "DECLARE a;\n"),
        ("postgres", "@"),
        ("postgres", "&"),
        ("postgres", "%("),
    ] {
        let text = part.repeat(30_000);
        let script = Script::read(&text, dialect::find(name).unwrap());
        assert!(!script.statements.is_empty(), "{part}");
    }
    assert!(start.elapsed().as_secs() < 60);
}
