//! MERGE.

use super::Checker;
use super::change::table_names;
use crate::dialect::syntax::MergeGrammar;
use crate::sql::token;
use sqlparser::ast::{
    AssignmentTarget, Expr, Merge, MergeAction, MergeClause, MergeClauseKind, MergeInsertExpr, MergeInsertKind,
    MergeUpdateExpr, MergeUpdateKind, TableFactor, Values,
};
use std::ops::Range;

impl Checker<'_> {
    pub(super) fn merge(&mut self, merge: &Merge) {
        let Some(grammar) = self.dialect.syntax.merge else {
            return self.need(false, "MERGE");
        };
        let title = self.dialect.title;
        if let TableFactor::Table { alias: Some(alias), .. } = &merge.table
            && !grammar.target_alias
        {
            self.refuse(self.of_name(&alias.name), format!("{title} has no alias for the target of a MERGE"));
        }
        if !grammar.source_query && !matches!(merge.source, TableFactor::Table { .. }) {
            let range = self.place("USING");
            self.refuse(range, format!("{title} takes a table alone as the source of a MERGE"));
        }
        let hint = self.parsed.notes.iter().find(|note| note.place == "hint").map(|note| note.range.clone());
        let hints = self.dialect.merge_syntax.is_some_and(|syntax| !syntax.hint.is_empty());
        if let Some(hint) = hint.filter(|_| !hints) {
            self.refuse(hint, format!("{title} has no hint on the target of a MERGE"));
        }
        if let TableFactor::Table { with_hints, .. } = &merge.table
            && !with_hints.is_empty()
        {
            let range = self.place("WITH");
            self.refuse(range, "the hint of a MERGE stands before the alias of its target");
        }
        if grammar.on_parentheses && !matches!(*merge.on, Expr::Nested(_)) {
            let range = self.place("ON");
            self.refuse(range, format!("in {title} the ON of a MERGE needs brackets"));
        }
        if grammar.semicolon && !self.parsed.terminated {
            let end = self.parsed.range.end;
            self.refuse(end..end, format!("in {title} a MERGE must end in a semicolon"));
        }
        let target = table_names(&merge.table);
        for clause in &merge.clauses {
            self.branch(clause, grammar, &target);
        }
        self.branches(&merge.clauses, grammar);
    }

    /// Which branches may stand together.
    fn branches(&mut self, clauses: &[MergeClause], grammar: MergeGrammar) {
        let title = self.dialect.title;
        let matched = clauses.iter().filter(|clause| side(clause) == Side::Matched);
        if let (Some(next), true) =
            (matched.clone().nth(usize::from(grammar.matched_branches)), grammar.matched_branches > 0)
        {
            let most = grammar.matched_branches;
            self.refuse(self.when(next), format!("{title} takes at most {most} WHEN MATCHED in a MERGE"));
        }
        for (at, clause) in clauses.iter().enumerate() {
            let always = |before: &&MergeClause| side(before) == side(clause) && before.predicate.is_none();
            if clauses[..at].iter().find(always).is_some() {
                self.refuse(self.when(clause), "this branch is never reached: an earlier one takes every row");
            }
        }
        let absent = clauses.iter().any(|clause| side(clause) == Side::NotMatched);
        if grammar.both_branches && !(matched.count() > 0 && absent) {
            let range = self.place("MERGE");
            self.refuse(range, format!("in {title} a MERGE needs both WHEN MATCHED and WHEN NOT MATCHED"));
        }
        if let (true, Some(first)) = (grammar.both_branches && absent, clauses.first())
            && side(first) != Side::Matched
        {
            self.refuse(self.when(first), format!("in {title} WHEN MATCHED stands before WHEN NOT MATCHED"));
        }
    }

    fn branch(&mut self, clause: &MergeClause, grammar: MergeGrammar, target: &[String]) {
        let title = self.dialect.title;
        let when = self.when(clause);
        let by =
            matches!(clause.clause_kind, MergeClauseKind::NotMatchedBySource | MergeClauseKind::NotMatchedByTarget);
        if by && !grammar.by_source {
            self.refuse(when.clone(), format!("{title} has no BY SOURCE or BY TARGET in a MERGE"));
        }
        if clause.predicate.is_some() && !grammar.condition {
            self.refuse(when.clone(), format!("{title} has no condition behind WHEN MATCHED"));
        }
        match &clause.action {
            MergeAction::DoNothing { .. } => self.need(grammar.do_nothing, "DO NOTHING"),
            MergeAction::Delete { .. } if !grammar.delete => {
                self.refuse(when, format!("{title} has no DELETE branch in a MERGE"));
            }
            MergeAction::Delete { .. } => {}
            MergeAction::Update(MergeUpdateExpr { kind, update_predicate, delete_predicate, .. }) => {
                let condition = update_predicate.is_some() || delete_predicate.is_some();
                match kind {
                    MergeUpdateKind::Wildcard if !grammar.star => {
                        self.refuse(when.clone(), format!("{title} has no UPDATE SET *"));
                    }
                    MergeUpdateKind::Wildcard => {}
                    MergeUpdateKind::Set(assignments) => {
                        self.assignments(assignments, target);
                        let columns = assignments.iter().filter_map(|assignment| match &assignment.target {
                            AssignmentTarget::ColumnName(column) => Some(column),
                            AssignmentTarget::Tuple(_) => None,
                        });
                        self.distinct_columns(&columns.collect::<Vec<_>>());
                    }
                }
                self.branch_where(when, condition, grammar);
            }
            MergeAction::Insert(insert) => {
                self.branch_insert(insert, when.clone(), grammar);
                self.branch_where(when, insert.insert_predicate.is_some(), grammar);
            }
        }
    }

    fn branch_where(&mut self, when: Range<usize>, is: bool, grammar: MergeGrammar) {
        if is && !grammar.branch_where {
            self.refuse(when, format!("{} has no WHERE in a branch of a MERGE", self.dialect.title));
        }
    }

    fn branch_insert(&mut self, insert: &MergeInsertExpr, when: Range<usize>, grammar: MergeGrammar) {
        for column in &insert.columns {
            self.object(column);
        }
        self.distinct_columns(&insert.columns.iter().collect::<Vec<_>>());
        match &insert.kind {
            MergeInsertKind::Wildcard if !grammar.star => {
                self.refuse(when, format!("{} has no INSERT *", self.dialect.title));
            }
            MergeInsertKind::Values(Values { rows, .. }) => {
                let columns = insert.columns.len();
                let values = rows.first().map_or(0, |row| row.content.len());
                if rows.len() != 1 {
                    self.refuse(when, "the INSERT of a MERGE takes one row");
                } else if columns > 0 && columns != values {
                    self.refuse(when, format!("the INSERT names {columns} columns and gives {values} values"));
                }
            }
            _ => {}
        }
    }

    fn when(&self, clause: &MergeClause) -> Range<usize> {
        token::bytes(clause.when_token.0.span).unwrap_or_else(|| self.parsed.range.clone())
    }
}

#[derive(PartialEq, Eq)]
enum Side {
    Matched,
    NotMatched,
    BySource,
}

fn side(clause: &MergeClause) -> Side {
    match clause.clause_kind {
        MergeClauseKind::Matched => Side::Matched,
        MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => Side::NotMatched,
        MergeClauseKind::NotMatchedBySource => Side::BySource,
    }
}
