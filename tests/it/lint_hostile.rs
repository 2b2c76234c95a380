//! What nobody would write and what breaks readers, through the built program: it says what it could not read, checks the
//! rest all the same, never breaks, and never takes the square of the time: these texts would not end then.

use crate::cli::{Desk, Ran};
use std::fs;

/// A script with one finding, which is there in every run.
const NEIGHBOUR: &str = "SELECT 1;\nUPDATE counter SET n = n + 1;\n";

/// Lints bytes beside a script with a known finding, which must be found whatever the bytes are.
#[track_caller]
fn beside(name: &str, bytes: &[u8], more: &[&str]) -> Ran {
    let desk = Desk::new();
    desk.write("z.sql", NEIGHBOUR);
    fs::write(desk.path().join(name), bytes).unwrap();
    let ran = desk.run(&[&["lint", "--format", "concise"], more].concat());
    sane(name, &ran);
    assert!(ran.stdout.lines().any(|line| line.starts_with("z.sql:2:") && line.contains("IDM201")), "{name}: {ran}");
    ran
}

/// The linter did not break, and its exit code is one of its own.
#[track_caller]
fn sane(name: &str, ran: &Ran) {
    assert!((0..=2).contains(&ran.code), "{name} ended with {}", ran.code);
    assert!(!ran.stderr.contains("the linter broke") && !ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
}

/// The findings and problems that name the file.
fn said<'r>(ran: &'r Ran, name: &str) -> Vec<&'r str> {
    ran.stdout.lines().filter(|line| line.starts_with(name)).collect()
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let first = |text: &str| text.chars().take(2_000).collect::<String>();
        write!(f, "exit {}\n{}\n{}", self.code, first(&self.stdout), first(&self.stderr))
    }
}

#[test]
fn files_without_a_statement_are_clean() {
    for text in ["", " \n\t\r\n", "\u{feff}", "-- nothing\n/* at all */\n", "-- x", ";;;;\n;", "/**/"] {
        let ran = beside("a.sql", text.as_bytes(), &[]);
        assert_eq!((ran.code, said(&ran, "a.sql").len()), (1, 0), "{text:?}: {ran}");
    }
}

#[test]
fn nul_bytes_and_bytes_that_are_no_text_stop_nothing() {
    let noise: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
    for bytes in [&b"\0"[..], b"\0\0\0\0;\0", b"SELECT 1;\0\0\nSELECT\0 2;", &[0; 5_000], &[0xff; 5_000], &noise] {
        for dialect in ["postgres", "sqlserver", "mysql", "oracle"] {
            beside("a.sql", bytes, &["--dialect", dialect]);
        }
    }
}

#[test]
fn the_same_script_has_the_same_findings_in_every_encoding() {
    let text = "SELECT 'caf\u{e9}' FROM s;\nUPDATE caf\u{e9} SET n = n + 1;\n";
    let wide = |bytes: fn(u16) -> [u8; 2], mark: &str| {
        format!("{mark}{text}").encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
    };
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let all = [
        ("UTF-8", text.as_bytes().to_vec()),
        ("UTF-8 with a mark", format!("\u{feff}{text}").into_bytes()),
        ("Latin-1", latin),
        ("UTF-16 LE with a mark", wide(u16::to_le_bytes, "\u{feff}")),
        ("UTF-16 BE with a mark", wide(u16::to_be_bytes, "\u{feff}")),
        ("UTF-16 LE", wide(u16::to_le_bytes, "")),
        ("UTF-16 BE", wide(u16::to_be_bytes, "")),
    ];
    for (name, bytes) in all {
        let ran = beside("a.sql", &bytes, &[]);
        let found = said(&ran, "a.sql:2:");
        assert!(found.iter().any(|line| line.contains("IDM201")), "{name}: {ran}");
    }
    // Half a character at the end of the file.
    let mut cut = wide(u16::to_le_bytes, "\u{feff}");
    cut.pop();
    beside("a.sql", &cut, &[]);
}

#[test]
fn what_never_ends_is_told_and_hides_no_other_file() {
    for open in
        ["'", "\"", "/* ", "/* /* */", "$$", "$a$ $b$", "E'\\'", "N'", "q'[", "`", "[", "{{ ", "{% if ", "{# ", "${"]
    {
        let text = format!("SELECT 1;\nINSERT INTO t (a) VALUES ({open} x);\n");
        for dialect in ["postgres", "sqlserver", "mysql", "oracle", "sqlite", "bigquery"] {
            let ran = beside("a.sql", text.as_bytes(), &["--dialect", dialect]);
            assert!(!said(&ran, "a.sql").is_empty(), "{open} in {dialect}: {ran}");
        }
    }
}

#[test]
fn one_line_of_a_megabyte_is_read() {
    let million = 1 << 20;
    let texts = [
        format!("SELECT '{}';", "x".repeat(million)),
        format!("INSERT INTO t (a) VALUES {}(1);", "(1),".repeat(million / 4)),
        "a ".repeat(million / 2),
        "x".repeat(million),
        "1".repeat(million),
        " ".repeat(million),
        "@".repeat(million),
        "*".repeat(million),
        "%(".repeat(million / 2),
        "[a".repeat(million / 2),
        "{a".repeat(million / 2),
        "$a".repeat(million / 2),
        ";".repeat(million / 4),
    ];
    for text in &texts {
        for dialect in [&[][..], &["--dialect", "sqlserver"], &["--dialect", "postgres"]] {
            beside("a.sql", text.as_bytes(), dialect);
        }
    }
}

#[test]
fn nesting_without_end_is_refused_in_time() {
    let times = 40_000;
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(times), close.repeat(times));
    let texts = [
        format!("SELECT {};", nested("(", "1", ")")),
        format!("SELECT {}", "(".repeat(times)),
        ")".repeat(times),
        format!("SELECT {};", nested("CASE WHEN a THEN ", "1", " END")),
        nested("CASE WHEN a THEN ", "SELECT 1;", " END CASE;"),
        nested("BEGIN ", "SELECT 1;", " END;"),
        "BEGIN\n".repeat(times),
        "END ".repeat(times),
        nested("IF a THEN ", "SELECT 1;", " END IF;"),
        nested("IF a BEGIN ", "SELECT 1 ", " END "),
        nested("SELECT * FROM (", "SELECT 1", ") AS x"),
        format!("INSERT INTO t {};", nested("SELECT * FROM (", "SELECT 1", ") AS x")),
        format!("DELETE FROM t WHERE {};", nested("EXISTS (SELECT 1 FROM s WHERE ", "a = 1", ")")),
        format!("DELETE FROM t WHERE {}a;", "NOT ".repeat(times)),
        format!("UPDATE t SET a = a{};", " + 1".repeat(times)),
        format!("UPDATE t SET a = a{};", " || 'x'".repeat(times)),
        // Too little text to be slow, unless each operator doubles the time.
        format!("UPDATE t SET a = f(a){};", " + 1".repeat(500)),
        format!("UPDATE t SET a = {}f(a){};", "coalesce(".repeat(300), " + 1, 0)".repeat(300)),
        nested("WITH a AS (", "SELECT 1", ") SELECT 1"),
        "/*".repeat(times),
        "DECLARE ".repeat(times),
        "LOOP ".repeat(times),
        "CREATE FUNCTION f AS ".repeat(times),
        "EXPLAIN ".repeat(times),
    ];
    for text in &texts {
        for dialect in ["postgres", "sqlserver", "oracle"] {
            beside("a.sql", text.as_bytes(), &["--dialect", dialect]);
        }
    }
}

#[test]
fn very_many_statements_on_one_table_are_no_square() {
    let times = 15_000;
    let statements = [
        "INSERT INTO t (a) VALUES (1);\n",
        "UPDATE t SET a = a + 1 WHERE b = 1;\n",
        "UPDATE t SET a = 'x' WHERE a = 'y';\n",
        "DELETE FROM t WHERE a = 1;\n",
        "CREATE TABLE t (a int);\n",
        "ALTER TABLE t ADD COLUMN a int;\n",
        "DROP TABLE t;\n",
        "FOO BAR BAZ;\n",
        "BEGIN; INSERT INTO t VALUES (1); COMMIT;\n",
        "IF a THEN INSERT INTO t VALUES (1); END IF;\n",
        "-- +goose Up\nDROP TABLE t;\n",
        "-- idemsql: allow IDM101\nINSERT INTO t VALUES (1);\n",
    ];
    for statement in statements {
        beside("a.sql", statement.repeat(times).as_bytes(), &["--dialect", "postgres"]);
    }
    // No semicolon tells where these end.
    for statement in ["INSERT INTO t (a) VALUES (1)\n", "DECLARE @a int\n", "IF @a = 1 PRINT 'x'\n"] {
        beside("a.sql", statement.repeat(times).as_bytes(), &["--dialect", "sqlserver"]);
    }
    let tables: String = (0..times).map(|n| format!("INSERT INTO t{n} (a) VALUES (1);\n")).collect();
    beside("a.sql", tables.as_bytes(), &["--dialect", "postgres"]);
}

#[test]
#[cfg(unix)]
fn a_folder_full_of_traps_costs_only_the_traps() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let desk = Desk::new();
    desk.write("sub/z.sql", NEIGHBOUR);
    let at = |name: &str| desk.path().join(name);
    fs::create_dir(at("folder.sql")).unwrap();
    desk.write("folder.sql/in.sql", NEIGHBOUR);
    symlink("..", at("sub/loop")).unwrap();
    symlink(".", at("self")).unwrap();
    symlink("b.sql", at("a.sql")).unwrap();
    symlink("a.sql", at("b.sql")).unwrap();
    symlink("gone.sql", at("broken.sql")).unwrap();
    symlink("folder.sql", at("link.sql")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe.sql")).status().unwrap().success());
    desk.write("shut.sql", NEIGHBOUR);
    fs::set_permissions(at("shut.sql"), fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read(at("shut.sql")).is_ok();

    let ran = desk.run(&["lint", "--format", "concise"]);
    sane("traps", &ran);
    assert_eq!(ran.code, 2, "{ran}");
    for file in ["sub/z.sql:2:", "folder.sql/in.sql:2:"] {
        assert_eq!(said(&ran, file).iter().filter(|line| line.contains("IDM201")).count(), 1, "{file}: {ran}");
    }
    for name in ["a.sql", "b.sql", "broken.sql", "pipe.sql"] {
        assert!(ran.stderr.contains(name), "{name}: {ran}");
    }
    assert!(is_root || ran.stderr.contains("cannot read shut.sql"), "{ran}");
    // Without what was not checked, the findings decide.
    assert_eq!(desk.run(&["lint", "--allow-unchecked"]).code, 1);
    // Each of them named by itself is told, and nothing waits for a writer that never comes.
    for name in ["a.sql", "broken.sql", "pipe.sql"] {
        let ran = desk.run(&["lint", name]);
        sane(name, &ran);
        assert!(ran.code == 2 && ran.stderr.contains(name), "{name}: {ran}");
    }
    let ran = desk.run(&["lint", "folder.sql", "link.sql"]);
    assert_eq!(ran.code, 1, "{ran}");
}
