//! The facts of MERGE.

use super::Writer;
use sqlparser::ast::{
    Merge, MergeAction, MergeClause, MergeClauseKind, MergeInsertExpr, MergeInsertKind, MergeUpdateExpr,
    MergeUpdateKind, Values,
};

impl Writer {
    pub(super) fn merge(&mut self, merge: &Merge) {
        let Merge { merge_token: _, optimizer_hints, into, table, source, on, clauses, output } = merge;
        self.target("merge", table);
        self.flag("merge without INTO", !*into);
        self.noted("hint");
        self.fact_each("optimizer hint", optimizer_hints);
        self.relation("using", source);
        self.conjuncts("on", Some(on));
        for clause in clauses {
            self.merge_clause(clause);
        }
        self.unplanned(output.as_ref());
    }

    fn merge_clause(&mut self, clause: &MergeClause) {
        let MergeClause { when_token: _, clause_kind, predicate, action } = clause;
        let place = match clause_kind {
            MergeClauseKind::Matched => "when matched",
            MergeClauseKind::NotMatched => "when not matched",
            MergeClauseKind::NotMatchedByTarget => "when not matched by target",
            MergeClauseKind::NotMatchedBySource => "when not matched by source",
        };
        self.fact(place, predicate.as_ref().map(ToString::to_string).unwrap_or_default());
        match action {
            MergeAction::Delete { delete_token: _ } => self.fact("delete", ""),
            MergeAction::DoNothing { do_token: _, nothing_token: _ } => self.fact("do nothing", ""),
            MergeAction::Update(MergeUpdateExpr { update_token: _, kind, update_predicate, delete_predicate }) => {
                match kind {
                    MergeUpdateKind::Set(assignments) => self.fact_each("set", assignments),
                    MergeUpdateKind::Wildcard => self.fact("set *", ""),
                }
                self.conjuncts("update where", update_predicate.as_ref());
                self.conjuncts("delete where", delete_predicate.as_ref());
            }
            MergeAction::Insert(MergeInsertExpr {
                insert_token: _,
                columns,
                kind_token: _,
                kind,
                insert_predicate,
            }) => {
                self.fact_each("insert column", columns);
                match kind {
                    MergeInsertKind::Values(Values { explicit_row: _, value_keyword: _, rows }) => {
                        for row in rows {
                            self.fact_each("insert value", &row.content);
                        }
                        self.flag("unplanned", rows.len() != 1);
                    }
                    MergeInsertKind::Row => self.fact("insert row", ""),
                    MergeInsertKind::Wildcard => self.fact("insert *", ""),
                }
                self.conjuncts("insert where", insert_predicate.as_ref());
            }
        }
    }
}
