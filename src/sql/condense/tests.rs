//! What is cut out, what is kept, and that neither depends on how the bytes arrive.
#![allow(clippy::unwrap_used)]

use super::Condenser;
use crate::diagnostic::{Bulk, Elided, Encoding};
use crate::dialect;
use crate::sql::lexis::Lexis;
use crate::sql::split::{Kind, split};
use proptest::prelude::*;

fn of(name: &str) -> Lexis {
    Lexis::of(dialect::find(name).unwrap())
}

/// The script given in pieces of these sizes, over and over.
fn condense(script: &[u8], lexis: Lexis, pieces: &[usize]) -> (Vec<u8>, Vec<Elided>) {
    let mut condenser = Condenser::new(lexis, Encoding::Utf8);
    let mut sizes = pieces.iter().cycle();
    let mut rest = script;
    while !rest.is_empty() {
        let room = condenser.room();
        let size = (*sizes.next().unwrap()).clamp(1, rest.len().min(room.len()));
        room[..size].copy_from_slice(&rest[..size]);
        condenser.filled(size);
        rest = &rest[size..];
    }
    condenser.finish()
}

/// The text with `<n rows>` and the like where something is left out.
fn shown(script: &str, name: &str) -> String {
    let (text, elided) = condense(script.as_bytes(), of(name), &[usize::MAX]);
    restored(script.as_bytes(), &text, &elided);
    let mut text = String::from_utf8(text).unwrap();
    for one in elided.iter().rev() {
        let words = match one.what {
            Bulk::Rows(n) => format!("<{n} rows>"),
            Bulk::Statements(n) => format!("<{n} statements>"),
            Bulk::Data(n) => format!("<{n} lines>"),
        };
        text.insert_str(one.at, &words);
    }
    text
}

/// What is left out, put back from its place in the script, gives the script.
fn restored(script: &[u8], text: &[u8], elided: &[Elided]) {
    let mut whole = Vec::new();
    let mut from = 0;
    for one in elided {
        whole.extend_from_slice(&text[from..one.at]);
        from = one.at;
        let bytes = usize::try_from(one.bytes).unwrap();
        let out = &script[whole.len()..whole.len() + bytes];
        assert_eq!(one.lines, memchr::memchr_iter(b'\n', out).count() as u64);
        let line = out.rsplit(|byte| *byte == b'\n').next().unwrap();
        assert_eq!(one.tail, crate::diagnostic::chars(line));
        whole.extend_from_slice(out);
    }
    whole.extend_from_slice(&text[from..]);
    assert_eq!(whole, script);
}

#[test]
fn the_middle_of_a_list_of_rows_is_left_out() {
    let rows =
        "INSERT INTO t (a, b) VALUES (1, 'x'), (2, f(2)), (3, ')'),\n (4, '('), (5, 'it''s'), (6, \"(\"), (7, 0)";
    let kept = "INSERT INTO t (a, b) VALUES (1, 'x'), (2, f(2)), (3, ')'),\n <3 rows>(7, 0)";
    for end in ["", ";", " ON CONFLICT (a) DO NOTHING;", "\nRETURNING a ; SELECT 1;"] {
        assert_eq!(shown(&format!("{rows}{end}"), "postgres"), format!("{kept}{end}"));
    }
    let few = "INSERT INTO t VALUES (1), (2), (3), (4) ON DUPLICATE KEY UPDATE a = VALUES(a);";
    assert_eq!(shown(few, "mysql"), few);
    assert_eq!(
        shown("replace into t values row(1), ROW (2), row(3), row(4), /* ( */ row(5), # )\n row(6)", "mysql"),
        "replace into t values row(1), ROW (2), row(3), <2 rows>row(6)"
    );
    for none in ["SELECT * FROM (VALUES (1), (2), (3), (4), (5), (6)) AS t;", "VALUES (1), (2), (3), (4), (5), (6);"] {
        assert_eq!(shown(none, "postgres"), none);
    }
}

#[test]
fn quotes_are_those_of_the_dialect() {
    let strings = "INSERT INTO t VALUES ('\\'), (2), (3), (4), (5), (6), ('\\');";
    assert_eq!(shown(strings, "postgres"), "INSERT INTO t VALUES ('\\'), (2), (3), <3 rows>('\\');");
    assert_eq!(shown(strings, "mysql"), strings);
    let escape = "INSERT INTO t VALUES (E'\\''), ($$'$$), ($a$(;$a$), (4), (e'(\\\\'), ('''');";
    assert_eq!(shown(escape, "postgres"), "INSERT INTO t VALUES (E'\\''), ($$'$$), ($a$(;$a$), <2 rows>('''');");
    let names = "INSERT [a;] VALUES (1), (2), (3), ([)]), (4), (5);";
    assert_eq!(shown(names, "sqlserver"), "INSERT [a;] VALUES (1), (2), (3), <2 rows>(5);");
    let delimited = "INSERT INTO t VALUES (q'[)']'), (2), (3), (nq'{'}'), (5), (6);";
    assert_eq!(shown(delimited, "oracle"), "INSERT INTO t VALUES (q'[)']'), (2), (3), <2 rows>(6);");
    let triple = "INSERT INTO t VALUES ('''(''), '''), (2), (3), (\"\"\"x\\\"\"\"\"), (5), (6);";
    assert_eq!(shown(triple, "bigquery"), "INSERT INTO t VALUES ('''(''), '''), (2), (3), <2 rows>(6);");
}

#[test]
fn a_run_of_equal_inserts_is_left_out() {
    let line = |n: u32| format!("INSERT INTO t (a) VALUES ({n}) ON CONFLICT DO NOTHING;\n");
    let lines = |from: u32, to: u32| (from..=to).map(line).collect::<String>();
    let all = format!("BEGIN;\n{}COMMIT;\n", lines(1, 9));
    assert_eq!(shown(&all, "postgres"), format!("BEGIN;\n{}<5 statements>{}COMMIT;\n", lines(1, 3), line(9)));
    let other = format!("{}-- idemsql: allow x\n{}{}", lines(1, 4), lines(5, 6), line(7).replace("t (a)", "u (a)"));
    assert_eq!(shown(&other, "postgres"), other);
    let many = "INSERT INTO t VALUES (1),(2),(3),(4),(5),(6);\n";
    let one = "INSERT INTO t VALUES (1),(2),(3),<2 rows>(6);\n";
    assert_eq!(shown(&many.repeat(6), "mysql"), format!("{}<2 statements>{one}", one.repeat(3)));
}

#[test]
fn scripts_without_semicolons_have_runs_too() {
    let line = "INSERT [dbo].[t] ([a]) VALUES (N'x;')\r\n";
    let script =
        format!("SET IDENTITY_INSERT [t] ON\r\n{}GO\r\n{}GO\r\nPRINT 'x'\r\nGO\r\n", line.repeat(4), line.repeat(4));
    assert_eq!(
        shown(&script, "sqlserver"),
        format!("SET IDENTITY_INSERT [t] ON\r\n{}<4 statements>{line}GO\r\nPRINT 'x'\r\nGO\r\n", line.repeat(3))
    );
    let twice = format!("{}GO 5\r\n{}", line.repeat(4), line.repeat(4));
    assert!(shown(&twice, "sqlserver").contains("GO 5"));
}

#[test]
fn the_data_of_a_copy_are_left_out() {
    let script = "\\restrict it's\nCOPY public.t (a, b) FROM stdin;\n1\tit's\n\\N\t(\n\\.x\n\\.\n\nCOPY u FROM STDIN;\n\\.\nSELECT 1;\n";
    assert_eq!(
        shown(script, "postgres"),
        "\\restrict it's\nCOPY public.t (a, b) FROM stdin;\n<3 lines>\\.\n\nCOPY u FROM STDIN;\n\\.\nSELECT 1;\n"
    );
    assert_eq!(shown("COPY t FROM STDIN;\n1\n2", "postgres"), "COPY t FROM STDIN;\n<2 lines>");
    let from_file = "COPY t FROM '/x/stdin';\nSELECT 1;\n";
    assert_eq!(shown(from_file, "postgres"), from_file);
}

const PIECES: &str = r#"(INSERT INTO t VALUES |INSERT INTO t VALUES \(1\);|INSERT INTO t VALUES \(1\)|, ?|\(1,'a'\)|\('é'\),|\(\(2\)\),|,\(3\),\(4\),|
|\n|;|;\n| |'|''|"|`|\[|\]|\(|\)|\\|--|-- x\n|#|/\*|\*/|\$|\$\$|\$a\$|E'|q'\[|\]'|'''|GO\n|GO|COPY t FROM STDIN;\n|\\\.|\\\.\n|1\t2\n|REM it's\n|REPLACE |VALUES|ROW\(1\)|a|b|\x00|.){0,60}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]
    #[test]
    fn pieces_of_any_size_give_the_same(script in PIECES, bulk in 0..7usize, sizes in prop::collection::vec(1..200usize, 1..5)) {
        let script = script.replacen("(1,'a')", &"(1,'a'),".repeat(bulk), 1).repeat(1 + bulk % 3);
        for dialect in dialect::ALL {
            let lexis = Lexis::of(dialect);
            let whole = condense(script.as_bytes(), lexis, &[usize::MAX]);
            restored(script.as_bytes(), &whole.0, &whole.1);
            prop_assert_eq!(&condense(script.as_bytes(), lexis, &[1]), &whole);
            prop_assert_eq!(&condense(script.as_bytes(), lexis, &sizes), &whole);
        }
    }

    #[test]
    fn any_bytes_are_read(script in prop::collection::vec(any::<u8>(), 0..300), sizes in prop::collection::vec(1..50usize, 1..5)) {
        for dialect in dialect::ALL {
            let (text, elided) = condense(&script, Lexis::of(dialect), &sizes);
            restored(&script, &text, &elided);
        }
    }
}

const STATEMENTS: &str = r#"(INSERT INTO t VALUES |INSERT INTO t VALUES \(1\);|INSERT INTO t VALUES \('a\\'\);|, ?|\(1,'a'\)|,\(';'\),|\(3\)|;
|;|
| |'it''s;'|'a\\'|"a;"|`;`|\[;\]|-- ;
|#;
|/\*;\*/|/\* /\* ; \*/|\*/|\$\$;\$\$|\$a\$;|\$1|E'\\';'|q'\[';\]'|''';'''|nq'<'>'|/\*! ; \*/|--;|a|b|SELECT ){0,40}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]
    #[test]
    fn the_splitter_finds_the_same_statements(script in STATEMENTS, bulk in 0..9usize, times in 1..7usize) {
        let script = script.replacen("(1,'a')", &"(1,'a'),".repeat(bulk), 1).repeat(times);
        for dialect in dialect::ALL {
            let statements =
                |text: &str| split(text, dialect).iter().filter(|piece| piece.kind == Kind::Statement).count();
            let (text, elided) = condense(script.as_bytes(), Lexis::of(dialect), &[usize::MAX]);
            let text = String::from_utf8(text).unwrap();
            let (mut out, mut read, mut kept) = (0, 0, 0);
            let mut closed = true;
            for one in &elided {
                read += one.at - kept;
                kept = one.at;
                let part = &script[read..][..usize::try_from(one.bytes).unwrap()];
                read += part.len();
                if let Bulk::Statements(n) = one.what {
                    // Without semicolons, the splitter takes all of them for one.
                    closed &= part.trim_end().ends_with(';');
                    prop_assert!(!closed || n <= statements(part) as u64);
                    out += statements(part);
                }
            }
            if closed {
                prop_assert_eq!(statements(&script), statements(&text) + out, "{}: {:?}", dialect.name, text);
            }
        }
    }
}

#[test]
fn long_rows_and_long_runs_cross_every_border() {
    let row = |n: usize| format!("({n}, '{}', \"(\", -- )\n {n})", "it''s".repeat(n % 700));
    let rows: Vec<String> = (0..2000).map(row).collect();
    let list = format!("INSERT INTO t (a) VALUES {}\nON CONFLICT DO NOTHING;\n", rows.join(", "));
    let run: String = (0..9000).map(|n| format!("INSERT INTO u VALUES ({n});\n")).collect();
    let copy = format!("COPY t FROM stdin;\n{}\\.\n", "1\t\\N\n".repeat(200_000));
    let script = format!("{list}{run}{copy}{list}{list}{list}{list}{list}");
    let whole = condense(script.as_bytes(), of("postgres"), &[usize::MAX]);
    restored(script.as_bytes(), &whole.0, &whole.1);
    let what: Vec<Bulk> = whole.1.iter().map(|one| one.what).collect();
    assert_eq!(
        what,
        [
            Bulk::Rows(1996),
            Bulk::Statements(8996),
            Bulk::Data(200_000),
            Bulk::Rows(1996),
            Bulk::Rows(1996),
            Bulk::Rows(1996),
            Bulk::Statements(1),
            Bulk::Rows(1996)
        ]
    );
    for sizes in [&[1000][..], &[65_536], &[7, 80, 81, 79, 3000], &[200_000]] {
        assert_eq!(condense(script.as_bytes(), of("postgres"), sizes), whole);
    }
}
