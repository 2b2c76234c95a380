//! What a dialect's own parser accepts, where `sqlparser` accepts more. Read by the conformance check in `sql`.

/// One answer for each construct that some dialects have and others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    /// `INSERT .. ON CONFLICT (..) DO ..`
    pub on_conflict: bool,
    /// `ON CONFLICT DO UPDATE` without a conflict target.
    pub on_conflict_update_without_target: bool,
    /// A SELECT that ends in its FROM may be followed by ON CONFLICT.
    pub on_conflict_after_from: bool,
    /// `INSERT .. ON DUPLICATE KEY UPDATE`
    pub on_duplicate_key: bool,
    /// `INSERT IGNORE`
    pub insert_ignore: bool,
    /// `INSERT OR REPLACE`, `INSERT OR IGNORE`
    pub insert_or: bool,
    /// `REPLACE INTO`
    pub replace_into: bool,
    /// `INSERT OVERWRITE`
    pub insert_overwrite: bool,
    /// `INSERT INTO target AS alias`
    pub insert_alias: bool,
    /// `MERGE`, and how much of it.
    pub merge: Option<MergeGrammar>,
    /// `QUALIFY`
    pub qualify: bool,
    /// `SELECT DISTINCT ON (..)`
    pub distinct_on: bool,
    /// `LIMIT n`
    pub limit: bool,
    /// `LIMIT n BY ..`
    pub limit_by: bool,
    /// `UPDATE .. FROM`
    pub update_from: bool,
    /// `UPDATE a JOIN b ON .. SET ..`
    pub update_join: bool,
    /// `DELETE FROM t USING s`
    pub delete_using: bool,
    /// `DELETE t FROM t ..`, or `DELETE t WHERE`
    pub delete_target_list: bool,
    /// `RETURNING` on INSERT
    pub returning: bool,
    /// `INTERVAL '1' DAY` and its kin
    pub interval: bool,
    /// `x::type`
    pub double_colon_cast: bool,
    /// `a IS DISTINCT FROM b`
    pub is_distinct_from: bool,
    /// `a <=> b`
    pub spaceship: bool,
    /// `a IS b` for any two values
    pub is_any: bool,
    /// `` `name` ``
    pub backtick_names: bool,
    /// `[name]`
    pub bracket_names: bool,
    /// `"name"` is an identifier (and not a string)
    pub double_quote_names: bool,
    /// `TRUE` and `FALSE`
    pub bool_literals: bool,
    /// `WITH q AS (..) INSERT INTO ..`
    pub with_before_insert: bool,
    /// `INSERT INTO t (..) WITH q AS (..) SELECT ..`
    pub with_inside_insert: bool,
    /// `SELECT 1` without a FROM
    pub select_without_from: bool,
    /// `FROM t AS x` (Oracle has `FROM t x` alone)
    pub table_alias_as: bool,
    /// `SET t.a = ..` in UPDATE, upsert and MERGE
    pub set_qualified: bool,
}

/// How much of MERGE a dialect has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeGrammar {
    /// `WHEN MATCHED AND condition`
    pub condition: bool,
    /// `UPDATE SET .. WHERE ..` in a branch (Oracle)
    pub branch_where: bool,
    /// How many `WHEN MATCHED` branches may stand; 0 for any number.
    pub matched_branches: u8,
    /// `WHEN NOT MATCHED BY SOURCE`
    pub by_source: bool,
    /// `THEN DO NOTHING`
    pub do_nothing: bool,
    /// `UPDATE SET *`, `INSERT *`
    pub star: bool,
    /// `DELETE` as the action of a branch
    pub delete: bool,
    /// `WITH q AS (..) MERGE`
    pub with_before: bool,
    /// ON must stand in parentheses
    pub on_parentheses: bool,
    /// The target may have an alias
    pub target_alias: bool,
    /// The statement must end in a semicolon
    pub semicolon: bool,
    /// Both `WHEN MATCHED` and `WHEN NOT MATCHED` must stand, in this order (Redshift)
    pub both_branches: bool,
    /// The source may be a query, and not a table alone
    pub source_query: bool,
}
