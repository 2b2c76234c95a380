//! The ways in which a dialect can do a thing. A dialect names one; plans, templates and proofs branch on it.

use super::types::Type;

/// Whether a dialect can do something, or the words that tell a user why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support<T: 'static> {
    /// In this way.
    Yes(T),
    /// Not at all.
    No {
        /// Why not, as a clause: "it has no MERGE statement".
        because: &'static str,
        /// The strategy to use instead.
        instead: &'static str,
    },
}

/// The shape of a keyed load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `INSERT .. SELECT .. ON CONFLICT (key) DO UPDATE SET .. WHERE guard`, or `DO NOTHING`. The staged rows are
    /// first joined to the target, so that a row that would change nothing is never proposed.
    OnConflict,
    /// `INSERT .. SELECT .. ON DUPLICATE KEY UPDATE`. It has no WHERE: the guard stands in every assignment.
    OnDuplicateKey,
    /// One standard `MERGE`.
    Merge,
    /// The staged rows that change something in a temporary table, then a `MERGE` without conditions.
    StagedMerge,
    /// The staged rows in a temporary table, then `DELETE`, `UPDATE` and `INSERT` in one transaction.
    UpdateInsert,
    /// `INSERT .. SELECT ..` of the rows whose key is not in the target, in the way of [`Absent`].
    AntiJoin,
    /// `INSERT` of a new version of every row that changed; the engine keeps the newest.
    AppendVersion,
    /// The new events in a temporary table; their markers and their effects in one transaction.
    ClaimEffects,
    /// `INSERT` of the batches that are not in a log, and of their rows, in one transaction.
    AppendBatch,
}

/// How the staged rows are reduced to one per unique key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// `SELECT DISTINCT ON (key) .. ORDER BY key, version DESC`
    DistinctOn,
    /// `SELECT .. QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY version DESC) = 1`
    Qualify {
        /// True where QUALIFY is refused without a WHERE, so that `WHERE TRUE` stands in its place.
        needs_where: bool,
    },
    /// `SELECT .. FROM (SELECT .., ROW_NUMBER() OVER (..) AS rn ..) AS d WHERE d.rn = 1`
    RowNumber,
    /// `SELECT .. ORDER BY version DESC LIMIT 1 BY key`
    LimitBy,
}

/// Equality in which null is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullSafe {
    /// `a IS NOT DISTINCT FROM b`
    IsNotDistinctFrom,
    /// `a <=> b`
    Spaceship,
    /// `a IS b`
    Is,
    /// `(a = b OR (a IS NULL AND b IS NULL))`
    OrBothNull,
    /// `DECODE(a, b, 1, 0) = 1`
    Decode,
}

/// The row-change guard: true when at least one column differs, with null as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// `(t.a, t.b) IS DISTINCT FROM (s.a, s.b)`
    RowDistinct,
    /// `(t.a IS DISTINCT FROM s.a OR t.b IS DISTINCT FROM s.b)`
    ColumnDistinct,
    /// `NOT (t.a <=> s.a AND t.b <=> s.b)`
    NotSpaceship,
    /// `(t.a IS NOT s.a OR t.b IS NOT s.b)`
    IsNot,
    /// `EXISTS (SELECT s.a, s.b EXCEPT SELECT t.a, t.b)`
    ExistsExcept,
    /// `(DECODE(t.a, s.a, 0, 1) = 1 OR DECODE(t.b, s.b, 0, 1) = 1)`
    Decode,
    /// `(t.a <> s.a OR (t.a IS NULL) <> (s.a IS NULL))`
    Expanded,
}

/// How the staged rows whose key the target lacks are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// `WHERE NOT EXISTS (SELECT 1 FROM target AS o WHERE key)`
    NotExists,
    /// `LEFT JOIN (SELECT key, 1 AS hit FROM target) AS o ON key WHERE COALESCE(o.hit, 0) = 0`: a missing row is null,
    /// or the default of the type in an engine that fills it in.
    LeftJoin,
}

/// How literal rows become a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// `(VALUES (1, 'a'), (2, 'b')) AS s (id, name)`
    Values,
    /// `(SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b') AS s`, with what must stand behind each row.
    UnionAll {
        /// ` FROM dual`, or nothing.
        from: &'static str,
    },
}

/// What a text literal is in a relation of literal rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowText {
    /// A text of any length.
    Plain,
    /// A CHAR, which other rows' longer literals pad, or of no type: the first row is cast. Literals of `real` are cast
    /// too, since some compare a REAL by its shortest decimal and others by its exact value.
    CastFirst,
    /// Right for every type but CHAR, whose padding it lacks: there it is cast.
    CastChar,
}

/// How a bind parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `$1`, `$2`
    Dollar,
    /// `?`, by position
    Question,
    /// `:name`
    Colon,
    /// `@name`
    At,
    /// `{name:Type}`
    Braces,
}

/// What the engine's unique index says of nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexNulls {
    /// Each null differs from each other one, unless the index is made `NULLS NOT DISTINCT`.
    DistinctOrNot,
    /// Each null differs from each other one: a second run would add the row again.
    Distinct,
    /// Two nulls are the same value.
    Same,
    /// There is no unique index, or it is not enforced.
    NotEnforced,
}

/// How a script makes sure that one load of a table runs at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// A statement inside the transaction; `{name}` is the lock's name as a string literal, `{table}` the target.
    InTransaction(&'static str),
    /// A named lock around the transaction.
    Around {
        /// Takes it; `{name}` is its name as a string literal.
        acquire: &'static str,
        /// Gives it back.
        release: &'static str,
    },
    /// The transaction itself is exclusive, by the way in which it begins.
    ByBegin,
    /// None that a script can hold.
    No {
        /// Why not, as a clause.
        because: &'static str,
    },
}

/// How a script of several statements is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    /// Statements before the transaction, such as `SET XACT_ABORT ON`.
    pub before: &'static [&'static str],
    /// Begins the transaction.
    pub begin: &'static str,
    /// Commits it.
    pub commit: &'static str,
    /// How staged rows are kept between statements and applied; `None` where each load is one statement.
    pub batch: Option<Batch>,
}

/// How a script keeps the staged rows in a temporary table and applies them to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// True where creating a temporary table commits, so that it stands before the transaction.
    pub stage_outside: bool,
    /// The temporary table that holds the staged rows.
    pub staging: Staging,
    /// `UPDATE` with rows of another table.
    pub update: UpdateFrom,
    /// `DELETE` with rows of another table.
    pub delete: DeleteJoin,
    /// How a `DELETE` finds the target rows that are no longer staged.
    pub unstaged: Unstaged,
    /// `CREATE INDEX {name} ON .. ({columns})` on the temporary table, where a subquery for each target row would else read
    /// all of it; nothing where the engine finds another way.
    pub index: &'static str,
}

/// How a `DELETE` finds the target rows that are no longer staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstaged {
    /// `NOT EXISTS (SELECT 1 FROM staged AS s WHERE key)`
    NotExists,
    /// `(key) NOT IN (SELECT key FROM staged AS s WHERE key IS NOT NULL)`: where a correlated subquery is run for each row
    /// and finds no index on the staged rows, and the list is sorted once.
    NotIn,
}

/// How a temporary table is filled from a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staging {
    /// `CREATE TEMP TABLE x AS SELECT ..`
    CreateAs {
        /// What stands before the name: `CREATE TEMP TABLE`.
        create: &'static str,
        /// What drops it, when it is there: `DROP TABLE IF EXISTS`.
        drop: &'static str,
        /// The table's name.
        name: &'static str,
    },
    /// `SELECT .. INTO #x FROM ..`
    SelectInto {
        /// What drops it, when it is there.
        drop: &'static str,
        /// The table's name.
        name: &'static str,
    },
}

impl Staging {
    /// The temporary table's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateAs { name, .. } | Self::SelectInto { name, .. } => name,
        }
    }
}

/// How an UPDATE reads a second table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateFrom {
    /// `UPDATE t SET .. FROM b WHERE ..`; the target has no alias.
    From,
    /// `UPDATE t AS t JOIN b ON .. SET ..`
    Join,
    /// `UPDATE t SET .. FROM target AS t JOIN b ON ..`, with the target's probe hint.
    AliasFrom,
}

/// How a DELETE reads a second table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteJoin {
    /// `DELETE FROM target WHERE EXISTS (SELECT 1 FROM b ..)`
    Exists,
    /// `DELETE t FROM target AS t JOIN b ON .. WHERE ..`; the batch may be named once in a statement.
    Join,
    /// `DELETE t FROM target AS t WHERE EXISTS (..)`
    AliasExists,
}

/// The syntax of a MERGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeSyntax {
    /// Where the condition of a branch stands.
    pub condition: BranchCondition,
    /// A hint between the target and its alias, such as `WITH (HOLDLOCK)`.
    pub hint: &'static str,
    /// `WHEN NOT MATCHED` or `WHEN NOT MATCHED BY TARGET`.
    pub not_matched: &'static str,
    /// False where the target cannot have an alias and is called by its name.
    pub target_alias: bool,
    /// False where the alias of the source cannot name its columns: `USING (..) AS b (id, name)`.
    pub source_columns: bool,
    /// Where the WITH of a source query stands.
    pub with: WithPlace,
}

/// Where the condition of a MERGE branch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchCondition {
    /// `WHEN MATCHED AND condition THEN`
    And,
    /// `WHEN MATCHED THEN UPDATE SET .. WHERE condition DELETE WHERE condition`
    Where,
    /// Nowhere: the source must hold the rows that change something, and no others.
    None,
}

/// Where common table expressions may stand in a MERGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithPlace {
    /// In the USING query.
    InUsing,
    /// Before the MERGE.
    Before,
}

/// A table, as far as its storage depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Storage<'a> {
    /// The unique key, in SQL; empty for a table of staged rows.
    pub key: &'a [String],
    /// True when a column of the key takes null.
    pub nullable_key: bool,
    /// The version and its type, when it is one column that takes no null.
    pub version: Option<(&'a str, &'a Type)>,
}

/// How far the SQL of a dialect is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Read back and compared with its plan; no engine ran it.
    Parsed,
    /// Read back, and run by our tests on another engine that has the same clauses.
    StandIn {
        /// That engine.
        engine: &'static str,
        /// What it says of the dialect, and what it does not, as a clause.
        what: &'static str,
    },
    /// Run by our tests on this engine.
    Executed(&'static str),
}
