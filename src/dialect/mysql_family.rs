//! What MySQL and MariaDB answer alike.

use super::adapter::DbtModel;
use super::digest::Digest;
use super::literal::{doubled, hex, without_zone};
use super::mechanism::{Batch, DeleteJoin, Lock, Script, Staging, Support, Unstaged, UpdateFrom};
use super::native::{Native, Reading, WIDER, decimal, near, same, standard, timed};
use super::types::{Overlap, Type};

/// No model is written for the adapters of dbt: <https://github.com/dbeatty10/dbt-mysql>.
pub(super) const NOT_KEPT_UP: Support<DbtModel> =
    Support::No { because: "its adapter is not kept up: the last one is for dbt 1.7", instead: "sql" };

/// Creating and dropping a temporary table does not commit, unlike all other definitions:
/// <https://dev.mysql.com/doc/refman/8.4/en/implicit-commit.html>. A temporary table can be named once in a statement.
pub(super) const SCRIPT: Script = Script {
    before: &[],
    begin: "START TRANSACTION",
    commit: "COMMIT",
    batch: Some(Batch {
        stage_outside: false,
        staging: Staging::CreateAs {
            create: "CREATE TEMPORARY TABLE",
            drop: "DROP TEMPORARY TABLE IF EXISTS",
            name: "idemsql_batch",
        },
        update: UpdateFrom::Join,
        delete: DeleteJoin::Join,
        unstaged: Unstaged::NotExists,
        index: "",
    }),
};

/// A lock of the session, which outlives a transaction and ends with the connection. GET_LOCK answers 0 after its
/// timeout, which a plain script does not look at: a subquery of two rows makes that an error (1242), so that no load
/// goes on without the lock. <https://dev.mysql.com/doc/refman/8.4/en/locking-functions.html>,
/// <https://mariadb.com/kb/en/get_lock/>
pub(super) const LOCK: Lock = Lock::Around {
    acquire: "SELECT IF(GET_LOCK({name}, 60) = 1, 1, (SELECT 1 UNION ALL SELECT 2)) AS locked",
    release: "SELECT RELEASE_LOCK({name})",
};

/// A backslash escapes or does not, by sql_mode NO_BACKSLASH_ESCAPES; a text that holds one is written as its bytes,
/// which no mode reads otherwise. `_utf8mb4 X'..'` would do but for a UNION with plain texts, which fails (1271) when
/// the connection's collation is not the default. <https://dev.mysql.com/doc/refman/8.4/en/string-literals.html>
pub(super) fn string(text: &str) -> String {
    if text.contains('\\') { format!("CONVERT(X'{}' USING utf8mb4)", hex(text.as_bytes())) } else { doubled(text) }
}

pub(super) fn temporal(text: &str, ty: &Type) -> String {
    match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        _ => format!("TIMESTAMP '{}'", without_zone(text)),
    }
}

pub(super) fn type_name(ty: &Type) -> String {
    match ty {
        Type::Bool => "TINYINT(1)".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INT".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "FLOAT".to_owned(),
        Type::Double => "DOUBLE".to_owned(),
        Type::Char(length @ 1..=255) => format!("CHAR({length})"),
        // A row ends at 65,535 bytes, of which a character takes up to four; so do TEXT and BLOB.
        Type::Varchar(length @ 1..=16_383) | Type::Char(length @ 1..=16_383) => format!("VARCHAR({length})"),
        Type::Text | Type::Varchar(_) | Type::Char(_) => "LONGTEXT".to_owned(),
        Type::Bytes => "LONGBLOB".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME(6)".to_owned(),
        // TIMESTAMP ends in 2038 and moves with the time zone of the session.
        Type::Timestamp | Type::Timestamptz => "DATETIME(6)".to_owned(),
        Type::Uuid => "CHAR(36)".to_owned(),
        Type::Json => "JSON".to_owned(),
        Type::Other(name) => name.clone(),
    }
}

/// A declared type, as the catalogue shows it too: <https://dev.mysql.com/doc/refman/8.4/en/data-types.html>
pub(super) fn read_type(native: &Native) -> Option<Reading> {
    // The number behind a type of whole numbers is a width for printing.
    match (native.words(), native.numbers().as_slice()) {
        ("tinyint", [1]) => same(Type::Bool),
        ("tinyint" | "tinyint unsigned", _) => near(Type::SmallInt, WIDER),
        ("smallint", _) => same(Type::SmallInt),
        ("smallint unsigned" | "mediumint" | "mediumint unsigned", _) => near(Type::Int, WIDER),
        ("int" | "integer", _) => same(Type::Int),
        ("int unsigned" | "integer unsigned", _) => near(Type::BigInt, WIDER),
        ("bigint", _) => same(Type::BigInt),
        ("bigint unsigned" | "serial", _) => near(Type::Decimal { precision: 20, scale: 0 }, WIDER),
        ("decimal" | "numeric" | "dec" | "fixed", []) => decimal(10, 0),
        ("float", []) => same(Type::Real),
        ("double" | "real", _) => same(Type::Double),
        ("tinytext" | "mediumtext" | "longtext", _) => same(Type::Text),
        ("binary" | "varbinary", [_]) => near(Type::Bytes, "its length is not kept"),
        ("tinyblob" | "blob" | "mediumblob" | "longblob", _) => same(Type::Bytes),
        // Without digits it has none.
        ("time", digits) => timed(Type::Time, digits.first().copied().or(Some(0))),
        ("datetime", digits) => timed(Type::Timestamp, digits.first().copied().or(Some(0))),
        ("timestamp", _) => near(Type::Timestamp, "it is shown in the time zone of the session, and ends in 2038"),
        _ => standard(native),
    }
}

/// CAST has types of its own: <https://dev.mysql.com/doc/refman/8.4/en/cast-functions.html#function_cast>
pub(super) fn cast_name(ty: &Type) -> String {
    match ty {
        Type::Bool | Type::SmallInt | Type::Int | Type::BigInt => "SIGNED".to_owned(),
        Type::Text | Type::Varchar(_) | Type::Char(_) | Type::Uuid => "CHAR".to_owned(),
        Type::Bytes => "BINARY".to_owned(),
        _ => type_name(ty),
    }
}

/// The start of the statement, in UTC: <https://dev.mysql.com/doc/refman/8.4/en/date-and-time-functions.html>
pub(super) fn now(ty: &Type) -> &'static str {
    match ty {
        Type::Date => "UTC_DATE()",
        Type::Time => "UTC_TIME(6)",
        _ => "UTC_TIMESTAMP(6)",
    }
}

/// The least supported day: <https://dev.mysql.com/doc/refman/8.4/en/datetime.html>
pub(super) fn floor(ty: &Type) -> Option<String> {
    match ty {
        Type::Date => Some("DATE '1000-01-01'".to_owned()),
        Type::Timestamp | Type::Timestamptz => Some("TIMESTAMP '1000-01-01 00:00:00'".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    }
}

pub(super) fn shift_back(expression: &str, overlap: Overlap, ty: &Type) -> String {
    match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - INTERVAL {} DAY", overlap.in_days()),
        ((n, unit), _) => format!("{expression} - INTERVAL {n} {unit}"),
    }
}

/// Geometries compare by their binary form.
pub(super) fn comparable(expression: &str, ty: &Type) -> String {
    const GEOMETRIES: &[&str] = &["geometry", "linestring", "point", "polygon"];
    match ty {
        Type::Other(name) if GEOMETRIES.contains(&name.to_ascii_lowercase().as_str()) => {
            format!("ST_AsBinary({expression})")
        }
        _ => expression.to_owned(),
    }
}

/// A collation may ignore case, accents and trailing spaces; the bytes of one character set do not. CHAR pads, so its
/// trailing spaces never count.
pub(super) fn exact(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Text | Type::Varchar(_) => format!("CAST(CONVERT({expression} USING utf8mb4) AS BINARY)"),
        Type::Char(_) => format!("CAST(CONVERT(RTRIM({expression}) USING utf8mb4) AS BINARY)"),
        _ => comparable(expression, ty),
    }
}

/// A FLOAT is shown with six digits, and its double with all of them. SHA2 is not among the functions that MySQL 9.6 moved into a
/// component: <https://dev.mysql.com/doc/refman/9.6/en/encryption-functions.html>
pub(super) const DIGEST: Digest = Digest {
    row: |cells| {
        let written = |(cell, ty): &(&str, &Type)| match ty {
            Type::Real => format!("{cell} + 0e0"),
            Type::Bytes => format!("HEX({cell})"),
            _ => (*cell).to_owned(),
        };
        let cells: Vec<String> = cells.iter().map(written).collect();
        format!("SHA2(CONVERT(JSON_ARRAY({}) USING utf8mb4), 256)", cells.join(", "))
    },
    number: |hex| format!("CAST(CONV({hex}, 16, 10) AS DECIMAL(20))"),
};
