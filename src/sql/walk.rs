//! A walk over everything that a statement holds.
//!
//! `sqlparser` makes the code of a walk anew for each type of visitor, over its hundreds of types: the dearest part of
//! building this crate. So there is one type, and whoever watches the walk is called through a table of functions.

use sqlparser::ast::{Expr, ObjectName, Query, Select, Statement, TableFactor, Visit, Visitor};
use std::ops::ControlFlow;

/// What may be seen on the way; each part before its own parts, unless it says otherwise.
pub(super) trait Watch {
    /// A statement.
    fn statement(&mut self, _: &Statement) {}
    /// A query.
    fn query(&mut self, _: &Query) {}
    /// The same query, behind its parts.
    fn query_end(&mut self, _: &Query) {}
    /// A SELECT.
    fn select(&mut self, _: &Select) {}
    /// A name of a table.
    fn relation(&mut self, _: &ObjectName) {}
    /// A table or a subquery in FROM.
    fn table(&mut self, _: &TableFactor) {}
    /// An expression.
    fn expression(&mut self, _: &Expr) {}
    /// The same expression, behind its parts.
    fn expression_end(&mut self, _: &Expr) {}
}

/// Walks over all parts.
pub(super) fn walk(statement: Part<'_>, watch: &mut dyn Watch) {
    let mut walk = Walk(watch);
    let _ = match statement {
        Part::Statement(part) => part.visit(&mut walk),
        Part::Query(part) => part.visit(&mut walk),
        Part::Expression(part) => part.visit(&mut walk),
    };
}

/// Where a walk begins.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    /// At a statement.
    Statement(&'a Statement),
    /// At a query.
    Query(&'a Query),
    /// At an expression.
    Expression(&'a Expr),
}

struct Walk<'a>(&'a mut dyn Watch);

impl Visitor for Walk<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, part: &Statement) -> ControlFlow<()> {
        self.0.statement(part);
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, part: &Query) -> ControlFlow<()> {
        self.0.query(part);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, part: &Query) -> ControlFlow<()> {
        self.0.query_end(part);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, part: &Select) -> ControlFlow<()> {
        self.0.select(part);
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, part: &ObjectName) -> ControlFlow<()> {
        self.0.relation(part);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, part: &TableFactor) -> ControlFlow<()> {
        self.0.table(part);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, part: &Expr) -> ControlFlow<()> {
        self.0.expression(part);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, part: &Expr) -> ControlFlow<()> {
        self.0.expression_end(part);
        ControlFlow::Continue(())
    }
}
