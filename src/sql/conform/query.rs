//! SELECT and the expressions in it.

use super::Checker;
use crate::sql::expression::unit_argument;
use crate::sql::token;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, LimitClause, Query, Select, SetExpr, TableAlias, TableFactor, Value,
};
use std::ops::Range;

impl Checker<'_> {
    pub(super) fn query(&mut self, query: &Query) {
        let syntax = &self.dialect.syntax;
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, limit_by, .. }) => {
                if !limit_by.is_empty() {
                    self.need(syntax.limit_by, "LIMIT BY");
                } else if limit.is_some() {
                    self.need(syntax.limit, "LIMIT");
                }
            }
            Some(LimitClause::OffsetCommaLimit { .. }) => self.need(syntax.limit, "LIMIT"),
            None => {}
        }
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                self.name(&cte.alias.name);
            }
            match &*query.body {
                SetExpr::Insert(_) if !syntax.with_before_insert => {
                    let range = self.place("WITH");
                    let title = self.dialect.title;
                    self.refuse(range, format!("in {title} the WITH of an INSERT stands behind its column list"));
                }
                SetExpr::Merge(_) if syntax.merge.is_some_and(|merge| !merge.with_before) => {
                    let range = self.place("WITH");
                    self.refuse(range, format!("{} has no WITH before MERGE", self.dialect.title));
                }
                _ => {}
            }
        }
        self.equal_widths(&query.body);
    }

    pub(super) fn select(&mut self, select: &Select) {
        let syntax = &self.dialect.syntax;
        if matches!(select.distinct, Some(Distinct::On(_))) {
            self.need(syntax.distinct_on, "DISTINCT ON");
        }
        if select.qualify.is_some() {
            self.need(syntax.qualify, "QUALIFY");
        }
        if select.from.is_empty() && !syntax.select_without_from {
            let range = token::bytes(select.select_token.0.span).unwrap_or(self.parsed.range.clone());
            self.refuse(range, format!("{} has no SELECT without FROM", self.dialect.title));
        }
    }

    pub(super) fn table(&mut self, table: &TableFactor) {
        let alias = match table {
            TableFactor::Table { alias, with_hints, .. } => {
                let hints = with_hints.iter().filter_map(|hint| match hint {
                    Expr::Identifier(word) => token::bytes(word.span),
                    _ => None,
                });
                self.words.extend(hints);
                alias
            }
            TableFactor::Derived { alias, .. } | TableFactor::NestedJoin { alias, .. } => alias,
            _ => &None,
        };
        if let Some(TableAlias { explicit, name, .. }) = alias {
            self.table_alias(*explicit, name);
        }
    }

    pub(super) fn table_alias(&mut self, explicit: bool, name: &sqlparser::ast::Ident) {
        self.name(name);
        if explicit && !self.dialect.syntax.table_alias_as {
            let title = self.dialect.title;
            let alias = &self.text[self.of_name(name)];
            self.refuse(self.of_name(name), format!("{title} has no AS before the alias of a table: `{alias}`"));
        }
    }

    pub(super) fn expression(&mut self, expression: &Expr) {
        let syntax = &self.dialect.syntax;
        match expression {
            Expr::Interval(_) => self.need(syntax.interval, "INTERVAL"),
            Expr::IsDistinctFrom(..) => self.need(syntax.is_distinct_from, "IS DISTINCT FROM"),
            Expr::IsNotDistinctFrom(..) => self.need(syntax.is_distinct_from, "IS NOT DISTINCT FROM"),
            Expr::BinaryOp { op: BinaryOperator::Is | BinaryOperator::IsNot, .. } if !syntax.is_any => {
                let range = self.place("IS");
                self.refuse(range, format!("{} has no IS between two values", self.dialect.title));
            }
            Expr::Value(value) if matches!(value.value, Value::Boolean(_)) && !syntax.bool_literals => {
                let range = token::bytes(value.span).unwrap_or(self.parsed.range.clone());
                self.no_bool_literal(range);
            }
            // Some readers of `sqlparser` take the word for a column.
            Expr::Identifier(name)
                if !syntax.bool_literals
                    && name.quote_style.is_none()
                    && ["true", "false"].contains(&&*name.value.to_lowercase()) =>
            {
                self.no_bool_literal(self.of_name(name));
            }
            Expr::Function(function) => {
                self.words.extend(unit_argument(function).and_then(|unit| token::bytes(unit.span)));
            }
            Expr::Identifier(name) => self.name_in_expression(name),
            Expr::CompoundIdentifier(names) => {
                if let Some(first) = names.first() {
                    self.name_in_expression(first);
                }
            }
            _ => {}
        }
    }

    fn no_bool_literal(&mut self, range: Range<usize>) {
        let message = format!("{} has no literal `{}`", self.dialect.title, &self.text[range.clone()]);
        self.refuse(range, message);
    }
}
