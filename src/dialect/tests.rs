//! The catalogue of dialects tested as data: complete, sorted, and safe against every name and text.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::literal::hex;
use super::mechanism::{Absent, Form, Lock, Reduce, Support};
use super::types::{Literal, Overlap, Type};
use super::{ALL, Dialect, find, find_any};
use sqlparser::tokenizer::{Token, Tokenizer};
use std::collections::BTreeMap;

fn dialect(name: &str) -> &'static Dialect {
    find(name).unwrap()
}

fn types() -> Vec<Type> {
    let mut types: Vec<Type> =
        ["bool", "smallint", "int", "bigint", "decimal(12,2)", "decimal(38,20)", "real", "double"]
            .iter()
            .chain(&["text", "varchar(20)", "varchar(9000)", "char(3)", "char(5000)", "bytes", "date", "time"])
            .chain(&["timestamp", "timestamptz", "uuid", "json"])
            .map(|text| Type::parse(text).unwrap())
            .collect();
    types.push(Type::Other("geometry".to_owned()));
    types
}

#[test]
fn dialects_are_listed_by_name() {
    assert_eq!(ALL.len(), 14);
    assert!(ALL.is_sorted_by(|a, b| a.name < b.name), "{:?}", ALL.iter().map(|d| d.name).collect::<Vec<_>>());
    assert!(find("dbase").is_none());
}

#[test]
fn aliases_and_endings_are_sorted_lower_and_of_one_dialect() {
    let mut seen = BTreeMap::new();
    for dialect in ALL {
        let lists = [dialect.client.aliases, dialect.client.endings];
        for list in lists {
            assert!(list.is_sorted_by(|a, b| a < b), "{}: {list:?}", dialect.name);
            assert!(list.iter().all(|word| *word == word.to_lowercase() && !word.contains('.')), "{list:?}");
        }
        for alias in dialect.client.aliases.iter().chain([&dialect.name]) {
            assert_eq!(seen.insert(("name", *alias), dialect.name), None, "{alias}");
            assert_eq!(find_any(&alias.to_uppercase()).unwrap().name, dialect.name);
        }
        for ending in dialect.client.endings {
            assert_eq!(seen.insert(("ending", *ending), dialect.name), None, "{ending}");
        }
    }
    assert_eq!(find_any("generic").unwrap().name, "ansi");
    assert!(find("generic").is_none() && find_any("dbase").is_none());
}

#[test]
fn signs_and_headers_are_sorted_upper_and_of_one_dialect() {
    let mut seen = BTreeMap::new();
    for dialect in ALL {
        let signs = dialect.client.signs;
        assert!(signs.is_sorted_by(|a, b| a < b), "{}: {signs:?}", dialect.name);
        for sign in signs {
            assert_eq!(*sign, sign.to_ascii_uppercase());
            assert!(sign.is_ascii() && sign.len() >= 4 && !sign.starts_with(' '), "{sign}");
            assert_eq!(seen.insert(*sign, dialect.name), None, "{sign}");
        }
        for header in dialect.client.headers.iter().chain(dialect.client.dumps) {
            assert_eq!(seen.insert(*header, dialect.name), None, "{header}");
        }
        assert_eq!(signs.is_empty(), dialect.client.lenient, "{}", dialect.name);
    }
}

/// Answers that hang together.
#[test]
fn the_answers_about_scripts_agree_with_each_other() {
    for dialect in ALL {
        let (client, guards) = (&dialect.client, &dialect.client.guards);
        assert!(!client.ddl_in_transaction || client.truncate_in_transaction || dialect.name == "redshift");
        assert!(!guards.create_trigger || guards.create_table, "{}", dialect.name);
        assert!(guards.drop && (guards.create_table || guards.or_alter), "{}", dialect.name);
        assert_eq!(client.lenient, guards.create_table && guards.or_alter && guards.add_constraint, "{}", dialect.name);
    }
    let lenient: Vec<_> = ALL.iter().filter(|dialect| dialect.client.lenient).map(|dialect| dialect.name).collect();
    assert_eq!(lenient, ["ansi"]);
}

#[test]
fn dialects_are_documented() {
    for dialect in ALL {
        // A full stop and a space end a sentence, but for those of INSERT .. SELECT.
        let sentences = dialect.docs.replace(".. ", "").matches(". ").count() + 1;
        assert!((3..=9).contains(&sentences), "{} has {sentences} sentences", dialect.name);
        assert!(dialect.docs.ends_with('.') && !dialect.docs.contains("  "), "{}", dialect.name);
        assert!(!dialect.title.is_empty(), "{}", dialect.name);
    }
}

#[test]
fn reserved_words_are_sorted_lower_and_unique() {
    for dialect in ALL {
        assert!(dialect.reserved.is_sorted_by(|a, b| a < b), "{}", dialect.name);
        assert!(
            dialect
                .reserved
                .iter()
                .all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')),
            "{}",
            dialect.name
        );
        for word in ["select", "order", "group", "from"] {
            assert!(dialect.reserved.binary_search(&word).is_ok(), "{}: {word}", dialect.name);
        }
        for word in ["id", "order_id", "updated_at", "status", "amount"] {
            assert!(dialect.reserved.binary_search(&word).is_err(), "{}: {word}", dialect.name);
        }
    }
}

/// Names that people have, and the text of each in every dialect.
#[test]
fn names_are_quoted_where_they_need_it() {
    let double =
        ["order_id", "\"order\"", "\"OrderId\"", "\"a b\"", "\"a\"\"b\"", "\"a`b\"", "\"a]b\"", "\"注文\"", "\"\""];
    let upper =
        ["order_id", "\"ORDER\"", "\"OrderId\"", "\"a b\"", "\"a\"\"b\"", "\"a`b\"", "\"a]b\"", "\"注文\"", "\"\""];
    let tick = ["order_id", "`order`", "`OrderId`", "`a b`", "`a\"b`", "`a``b`", "`a]b`", "`注文`", "``"];
    let escaped = ["order_id", "`order`", "`OrderId`", "`a b`", "`a\"b`", "`a\\`b`", "`a]b`", "`注文`", "``"];
    let bracket = ["order_id", "[order]", "[OrderId]", "[a b]", "[a\"b]", "[a`b]", "[a]]b]", "[注文]", "[]"];
    let expected = [
        ("ansi", upper),
        ("bigquery", escaped),
        ("clickhouse", escaped),
        ("databricks", tick),
        ("duckdb", double),
        ("mariadb", tick),
        ("mysql", tick),
        ("oracle", upper),
        ("postgres", double),
        ("redshift", double),
        ("snowflake", upper),
        ("sqlite", double),
        ("sqlserver", bracket),
        ("trino", double),
    ];
    assert_eq!(expected.len(), ALL.len());
    for (name, texts) in expected {
        let names = ["order_id", "order", "OrderId", "a b", "a\"b", "a`b", "a]b", "注文", ""];
        for (raw, text) in names.iter().zip(texts) {
            assert_eq!(dialect(name).identifier(raw, false), text, "{name}");
        }
    }
}

#[test]
fn a_quoted_name_is_one_word_for_the_reader() {
    for dialect in ALL {
        for name in ["order", "OrderId", "a b", "a\"b", "a]b", "注文", "x; DROP TABLE t; --"] {
            if dialect.name_fault(name).is_some() {
                continue;
            }
            let text = dialect.identifier(name, true);
            let tokens = Tokenizer::new(&*(dialect.parser)(), &text).tokenize().unwrap();
            match tokens.as_slice() {
                [Token::Word(word)] => assert!(word.quote_style.is_some(), "{}: {text}", dialect.name),
                other => panic!("{}: {text} is {other:?}", dialect.name),
            }
        }
    }
}

#[test]
fn faults_of_names_are_told() {
    for dialect in ALL {
        assert!(dialect.name_fault("").is_some(), "{}", dialect.name);
        assert!(dialect.name_fault("a\0b").is_some(), "{}", dialect.name);
        assert!(dialect.name_fault("order").is_none(), "{}", dialect.name);
    }
    assert!(dialect("oracle").name_fault("a\"b").unwrap().contains("no way to write"));
}

/// The limits are counted in bytes by some engines and in characters by others; one of our letters is three bytes.
#[test]
fn names_are_measured_in_the_unit_of_the_engine() {
    let limits = [
        ("ansi", 128, false),
        ("bigquery", 300, false),
        ("databricks", 255, false),
        ("mariadb", 64, false),
        ("mysql", 64, false),
        ("oracle", 128, true),
        ("postgres", 63, true),
        ("redshift", 127, true),
        ("snowflake", 255, false),
        ("sqlserver", 128, false),
    ];
    for (name, limit, bytes) in limits {
        let dialect = dialect(name);
        assert!(dialect.name_fault(&"a".repeat(limit)).is_none(), "{name}");
        assert!(dialect.name_fault(&"a".repeat(limit + 1)).is_some(), "{name}");
        assert_eq!(dialect.name_fault(&"注".repeat(limit)).is_some(), bytes, "{name}");
    }
    for dialect in ALL.iter().filter(|d| !limits.iter().any(|(name, ..)| *name == d.name)) {
        assert!(dialect.name_limit.is_none() && dialect.name_fault(&"a".repeat(5000)).is_none(), "{}", dialect.name);
    }
}

/// Texts that break out of careless literals.
const TEXTS: [&str; 10] =
    ["plain", "O'Brien", "a\\b", "a\\'b", "$(x)", "&x", "a\nb", "😀", "", "'); DROP TABLE t; --\\"];

/// What a dialect makes of [`TEXTS`].
type Literals = [&'static str; TEXTS.len()];

const DOUBLED: Literals = [
    "'plain'",
    "'O''Brien'",
    "'a\\b'",
    "'a\\''b'",
    "'$(x)'",
    "'&x'",
    "'a\nb'",
    "'😀'",
    "''",
    "'''); DROP TABLE t; --\\'",
];
const BACKSLASHED: Literals = [
    "'plain'",
    "'O\\'Brien'",
    "'a\\\\b'",
    "'a\\\\\\'b'",
    "'$(x)'",
    "'&x'",
    "'a\\nb'",
    "'😀'",
    "''",
    "'\\'); DROP TABLE t; --\\\\'",
];
const MYSQL: Literals = [
    "'plain'",
    "'O''Brien'",
    "CONVERT(X'615C62' USING utf8mb4)",
    "CONVERT(X'615C2762' USING utf8mb4)",
    "'$(x)'",
    "'&x'",
    "'a\nb'",
    "'😀'",
    "''",
    "CONVERT(X'27293B2044524F50205441424C4520743B202D2D5C' USING utf8mb4)",
];
const ORACLE: Literals = [
    "'plain'",
    "'O''Brien'",
    "'a\\b'",
    "'a\\''b'",
    "'$(x)'",
    "(CHR(38) || 'x')",
    "('a' || CHR(10) || 'b')",
    "'😀'",
    "''",
    "'''); DROP TABLE t; --\\'",
];
const REDSHIFT: Literals = [
    "'plain'",
    "'O''Brien'",
    "('a' || CHR(92) || 'b')",
    "('a' || CHR(92) || '''b')",
    "'$(x)'",
    "'&x'",
    "'a\nb'",
    "'😀'",
    "''",
    "('''); DROP TABLE t; --' || CHR(92))",
];
const SNOWFLAKE: Literals = [
    "'plain'",
    "'O''Brien'",
    "'a\\\\b'",
    "'a\\\\''b'",
    "'$(x)'",
    "'&x'",
    "'a\nb'",
    "'😀'",
    "''",
    "'''); DROP TABLE t; --\\\\'",
];
const SQLSERVER: Literals = [
    "'plain'",
    "'O''Brien'",
    "'a\\b'",
    "'a\\''b'",
    "('$' + '(x)')",
    "'&x'",
    "('a' + CHAR(10) + 'b')",
    "N'😀'",
    "''",
    "'''); DROP TABLE t; --\\'",
];

#[test]
fn texts_become_literals() {
    let expected = [
        ("ansi", DOUBLED),
        ("bigquery", BACKSLASHED),
        ("clickhouse", BACKSLASHED),
        ("databricks", BACKSLASHED),
        ("duckdb", DOUBLED),
        ("mariadb", MYSQL),
        ("mysql", MYSQL),
        ("oracle", ORACLE),
        ("postgres", DOUBLED),
        ("redshift", REDSHIFT),
        ("snowflake", SNOWFLAKE),
        ("sqlite", DOUBLED),
        ("sqlserver", SQLSERVER),
        ("trino", DOUBLED),
    ];
    assert_eq!(expected.len(), ALL.len());
    for (name, literals) in expected {
        for (text, literal) in TEXTS.iter().zip(literals) {
            assert_eq!((dialect(name).string)(text), literal, "{name}");
        }
    }
}

/// What a literal means: one quoted text, or a sum of texts and characters, or bytes made into text.
fn read_back(dialect: &Dialect, literal: &str) -> String {
    let tokens = Tokenizer::new(&*(dialect.parser)(), literal).tokenize().unwrap();
    let mut value = String::new();
    let mut tokens = tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_)));
    while let Some(token) = tokens.next() {
        match token {
            Token::SingleQuotedString(text) | Token::NationalStringLiteral(text) => value.push_str(&text),
            Token::HexStringLiteral(digits) => {
                let bytes: Vec<u8> =
                    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect();
                value.push_str(std::str::from_utf8(&bytes).unwrap());
            }
            Token::Word(word) if matches!(word.value.as_str(), "CHR" | "CHAR") => {
                assert_eq!(tokens.next(), Some(Token::LParen));
                let Some(Token::Number(code, _)) = tokens.next() else { panic!("{literal}") };
                value.push(char::from(code.parse::<u8>().unwrap()));
            }
            Token::Word(word) if matches!(word.value.as_str(), "CONVERT" | "USING" | "utf8mb4") => {}
            Token::LParen | Token::RParen | Token::StringConcat | Token::Plus => {}
            other => panic!("{}: {literal} holds {other:?}", dialect.name),
        }
    }
    value
}

#[test]
fn literals_read_back_as_the_text() {
    for dialect in ALL {
        for text in TEXTS.iter().copied().chain(["\r\n", "$($($", "\\\\", "''", "\"`[]", "日本語 & \\n"]) {
            let literal = (dialect.string)(text);
            assert_eq!(read_back(dialect, &literal), text, "{}: {literal}", dialect.name);
        }
    }
}

#[test]
fn sqlite_reads_every_literal_as_the_value() {
    let sqlite = dialect("sqlite");
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for text in TEXTS {
        let sql = format!("SELECT {}", (sqlite.string)(text));
        let value: String = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(value, text);
    }
    let bytes: Vec<u8> =
        connection.query_row(&format!("SELECT {}", (sqlite.bytes)(&[0, 39, 255])), [], |row| row.get(0)).unwrap();
    assert_eq!(hex(&bytes), "0027FF");
    for number in [0.1, -0.0, 1e300, 3.0, 123_456_789.123] {
        let sql = format!("SELECT {}", sqlite.literal(&Literal::Float(number), &Type::Double));
        let value: f64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert!((value - number).abs() < f64::EPSILON, "{sql}");
    }
}

/// The start of a window, compared as the text that SQLite compares: a row at the exact bound is in it, with and
/// without a fraction, and a row more than a second before it is not.
#[test]
fn sqlite_windows_hold_the_row_at_the_bound() {
    let sqlite = dialect("sqlite");
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let start = |greatest: &str, seconds: u64, ty: &Type| -> String {
        let sql = format!("SELECT {}", (sqlite.shift_back)(&format!("'{greatest}'"), Overlap::Seconds(seconds), ty));
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    for (greatest, seconds, at_bound, before) in [
        ("2024-03-02 10:00:00", 86_400, "2024-03-01 10:00:00", "2024-03-01 09:59:58"),
        ("2024-03-02 10:00:00.5", 86_400, "2024-03-01 10:00:00.5", "2024-03-01 09:59:59"),
        ("2024-03-02 10:00:00.999999", 5_400, "2024-03-02 08:30:00.999999", "2024-03-02 08:29:59.9"),
        ("2024-01-01 00:00:00", 1, "2023-12-31 23:59:59", "2023-12-31 23:59:57"),
    ] {
        let start = start(greatest, seconds, &Type::Timestamptz);
        assert!(start.as_str() <= at_bound, "{start} is after {at_bound}");
        assert!(start.as_str() > before, "{start} is before {before}");
    }
    assert_eq!(start("2024-03-01", 172_800, &Type::Date), "2024-02-28");
    assert_eq!(start("2024-03-01", 3_600, &Type::Date), "2024-02-29");
}

#[test]
fn sqlite_runs_clocks_floors_and_comparisons() {
    let sqlite = dialect("sqlite");
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for ty in types() {
        let sql = format!("SELECT {} IS NOT NULL", (sqlite.now)(&ty));
        assert!(connection.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap(), "{sql}");
        if let Some(floor) = (sqlite.floor)(&ty) {
            let least = if ty.is_integer() { ty.least_integer().unwrap().to_owned() } else { "'0000'".to_owned() };
            let sql = format!("SELECT {floor} <= {least}");
            assert!(connection.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap(), "{sql}");
        }
    }
    let sql = format!("SELECT {} = {}", (sqlite.comparable)("'{\"a\": 1}'", &Type::Json), "'{\"a\":1}'");
    assert!(connection.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap(), "{sql}");
}

#[test]
fn moments_are_written_for_each_dialect() {
    let instant = Literal::Timestamptz("2024-01-31T12:30:00.5Z".parse().unwrap());
    for (name, expected) in [
        ("ansi", "TIMESTAMP '2024-01-31 12:30:00.5+00:00'"),
        ("bigquery", "TIMESTAMP '2024-01-31 12:30:00.5+00:00'"),
        ("clickhouse", "toDateTime64('2024-01-31 12:30:00.5', 6, 'UTC')"),
        ("databricks", "TIMESTAMP '2024-01-31 12:30:00.5+00:00'"),
        ("duckdb", "TIMESTAMPTZ '2024-01-31 12:30:00.5+00:00'"),
        ("mariadb", "TIMESTAMP '2024-01-31 12:30:00.5'"),
        ("mysql", "TIMESTAMP '2024-01-31 12:30:00.5'"),
        ("oracle", "TIMESTAMP '2024-01-31 12:30:00.5 +00:00'"),
        ("postgres", "TIMESTAMPTZ '2024-01-31 12:30:00.5+00:00'"),
        ("redshift", "'2024-01-31 12:30:00.5+00:00'::TIMESTAMPTZ"),
        ("snowflake", "'2024-01-31 12:30:00.5 +00:00'::TIMESTAMP_TZ"),
        ("sqlite", "'2024-01-31 12:30:00.5'"),
        ("sqlserver", "CAST('2024-01-31 12:30:00.5 +00:00' AS DATETIMEOFFSET(6))"),
        ("trino", "TIMESTAMP '2024-01-31 12:30:00.5 +00:00'"),
    ] {
        assert_eq!(dialect(name).literal(&instant, &Type::Timestamptz), expected, "{name}");
    }
}

/// An exact number must not pass through a floating point one.
#[test]
fn exact_numbers_stay_exact() {
    let ty = Type::parse("decimal(38,20)").unwrap();
    let digits = "123456789012345678.12345678901234567890";
    for dialect in ALL {
        let literal = dialect.literal(&Literal::Decimal(digits.to_owned()), &ty);
        let expected = match dialect.name {
            "bigquery" => format!("BIGNUMERIC '{digits}'"),
            "clickhouse" => format!("CAST('{digits}' AS Decimal(38, 20))"),
            _ => digits.to_owned(),
        };
        assert_eq!(literal, expected, "{}", dialect.name);
        let integer = dialect.literal(&Literal::Integer("-7".to_owned()), &Type::Int);
        assert_eq!(integer, "-7", "{}", dialect.name);
    }
}

/// What a column of 32 bits keeps of 0.1 is not 0.1, and the guard would see a difference for ever.
#[test]
fn a_short_real_is_written_as_it_is_stored() {
    let tenth = Literal::Float(0.1);
    for dialect in ALL {
        let expected = match dialect.name {
            "bigquery" | "snowflake" | "sqlite" => "0.1",
            _ => "0.10000000149011612",
        };
        assert_eq!(dialect.literal(&tenth, &Type::Real), expected, "{}", dialect.name);
        assert_eq!(dialect.literal(&tenth, &Type::Double), "0.1", "{}", dialect.name);
    }
}

/// A day is 24 hours of an instant, whole days of a date, and never a unit that the engine refuses.
#[test]
fn windows_move_by_the_step_of_their_type() {
    let day = Overlap::Seconds(86_400);
    let quarter = Overlap::Seconds(900);
    for (name, ty, overlap, expected) in [
        ("ansi", Type::Timestamp, Overlap::Seconds(100 * 86_400), "x - INTERVAL '100' DAY(3)"),
        ("ansi", Type::Timestamp, day, "x - INTERVAL '1' DAY"),
        ("bigquery", Type::Timestamptz, quarter, "TIMESTAMP_SUB(x, INTERVAL 15 MINUTE)"),
        ("bigquery", Type::Timestamp, quarter, "DATETIME_SUB(x, INTERVAL 15 MINUTE)"),
        ("bigquery", Type::Date, quarter, "DATE_SUB(x, INTERVAL 1 DAY)"),
        ("clickhouse", Type::Timestamptz, day, "x - INTERVAL 24 HOUR"),
        ("databricks", Type::Timestamptz, day, "x - INTERVAL 24 HOUR"),
        ("databricks", Type::Timestamp, day, "x - INTERVAL 1 DAY"),
        ("duckdb", Type::Timestamptz, day, "x - INTERVAL 24 HOUR"),
        ("duckdb", Type::Date, day, "x - 1"),
        ("mariadb", Type::Timestamp, quarter, "x - INTERVAL 15 MINUTE"),
        ("mysql", Type::Timestamp, day, "x - INTERVAL 1 DAY"),
        ("oracle", Type::Timestamp, day, "x - INTERVAL '1' DAY"),
        ("oracle", Type::Date, day, "x - 1"),
        ("oracle", Type::Timestamp, Overlap::Seconds(240 * 3_600 + 3_600), "x - INTERVAL '241' HOUR(3)"),
        ("postgres", Type::Timestamptz, day, "x - INTERVAL '24 hours'"),
        ("redshift", Type::Timestamp, day, "DATEADD(DAY, -1, x)"),
        ("redshift", Type::Timestamptz, day, "DATEADD(HOUR, -24, x)"),
        ("snowflake", Type::Timestamp, day, "DATEADD(DAY, -1, x)"),
        ("snowflake", Type::Date, quarter, "DATEADD(DAY, -1, x)"),
        ("sqlite", Type::Timestamp, day, "datetime(substr(x, 1, 19), '-1 day')"),
        ("sqlserver", Type::Timestamp, quarter, "DATEADD(MINUTE, -15, x)"),
        ("sqlserver", Type::Date, quarter, "DATEADD(DAY, -1, x)"),
        ("trino", Type::Timestamp, day, "x - INTERVAL '1' DAY"),
    ] {
        assert_eq!((dialect(name).shift_back)("x", overlap, &ty), expected, "{name} {ty:?}");
    }
    for dialect in ALL {
        assert_eq!((dialect.shift_back)("x", Overlap::Steps(1_000), &Type::BigInt), "x - 1000", "{}", dialect.name);
    }
}

#[test]
fn every_answer_parses_as_an_expression() {
    for dialect in ALL {
        let mut expressions = vec![dialect.bools.0.to_owned(), dialect.bools.1.to_owned()];
        expressions.extend(TEXTS.iter().map(|text| (dialect.string)(text)));
        expressions.push((dialect.bytes)(&[0, 39, 255]));
        expressions.push((dialect.json)("{\"a\": \"O'Brien \\\\ \"}"));
        expressions.push((dialect.uuid)("0195b4f0-0000-7000-8000-00000000000a"));
        for ty in types() {
            expressions.push((dialect.now)(&ty).to_owned());
            expressions.extend((dialect.floor)(&ty));
            expressions.push((dialect.comparable)("t.x", &ty));
            expressions.push((dialect.exact)("t.x", &ty));
            expressions.push((dialect.shift_back)("t.x", Overlap::Seconds(5_400), &ty));
        }
        for (text, ty) in [
            ("2024-01-31", Type::Date),
            ("2024-01-31 12:30:00.5", Type::Timestamp),
            ("2024-01-31 12:30:00.5+00:00", Type::Timestamptz),
            ("{{ ds }}", Type::Date),
        ] {
            expressions.push((dialect.temporal)(text, &ty));
        }
        let reader = (dialect.parser)();
        for expression in expressions {
            let sql = format!("SELECT {expression} FROM t");
            let parsed = sqlparser::parser::Parser::parse_sql(&*reader, &sql);
            assert!(parsed.is_ok(), "{}: {sql}: {parsed:?}", dialect.name);
        }
    }
}

#[test]
fn an_incremental_column_has_a_floor_everywhere() {
    for dialect in ALL {
        for ty in [Type::Date, Type::Timestamp, Type::Timestamptz, Type::SmallInt, Type::Int, Type::BigInt] {
            assert!((dialect.floor)(&ty).is_some(), "{}: {ty:?}", dialect.name);
        }
        assert!((dialect.floor)(&Type::Text).is_none(), "{}", dialect.name);
    }
}

/// The answers of one dialect agree with one another: a form has the pieces that it is made of.
#[test]
fn forms_have_what_they_are_made_of() {
    for dialect in ALL {
        let name = dialect.name;
        let forms =
            [dialect.insert_ignore, dialect.upsert, dialect.merge, dialect.delete_insert, dialect.without_index];
        for form in forms {
            match form {
                Support::Yes(Form::OnConflict) => assert!(dialect.syntax.on_conflict, "{name}"),
                Support::Yes(Form::OnDuplicateKey) => assert!(dialect.syntax.on_duplicate_key, "{name}"),
                Support::Yes(Form::Merge) => {
                    assert!(dialect.merge_syntax.is_some() && dialect.syntax.merge.is_some(), "{name}");
                }
                Support::Yes(Form::StagedMerge) => {
                    assert!(dialect.merge_syntax.is_some() && dialect.script.unwrap().batch.is_some(), "{name}");
                }
                Support::Yes(Form::UpdateInsert | Form::ClaimEffects) => {
                    assert!(dialect.script.unwrap().batch.is_some(), "{name}");
                }
                Support::Yes(Form::AntiJoin | Form::AppendVersion | Form::AppendBatch) => {}
                Support::No { because, instead } => {
                    assert!(!because.is_empty() && !because.ends_with('.'), "{name}");
                    assert!(["insert_ignore", "upsert", "merge", "delete_insert"].contains(&instead), "{name}");
                }
            }
        }
        match dialect.lock {
            Lock::InTransaction(sql) => {
                assert!(sql.contains("{name}") || sql.contains("{table}"), "{name}");
                assert!(dialect.script.is_some(), "{name}");
            }
            Lock::Around { acquire, release } => {
                assert!(acquire.contains("{name}") && release.contains("{name}"), "{name}");
            }
            Lock::ByBegin => assert!(dialect.script.is_some(), "{name}"),
            Lock::No { because } => assert!(!because.is_empty(), "{name}"),
        }
        match dialect.reduce {
            Reduce::DistinctOn => assert!(dialect.syntax.distinct_on, "{name}"),
            Reduce::Qualify { .. } => assert!(dialect.syntax.qualify, "{name}"),
            Reduce::LimitBy => assert!(dialect.syntax.limit_by, "{name}"),
            Reduce::RowNumber => {}
        }
        assert!(matches!(dialect.absent, Absent::NotExists | Absent::LeftJoin), "{name}");
        assert_eq!(dialect.table_alias.is_empty(), !dialect.syntax.table_alias_as, "{name}");
        let quote = dialect.quotes.open;
        let quotes = [
            ('"', dialect.syntax.double_quote_names),
            ('`', dialect.syntax.backtick_names),
            ('[', dialect.syntax.bracket_names),
        ];
        assert!(quotes.contains(&(quote, true)), "{name} quotes with {quote}");
    }
}
