//! INSERT, UPDATE and DELETE.

use super::Checker;
use super::arity::width;
use sqlparser::ast::{
    Assignment, AssignmentTarget, ConflictTarget, Delete, DoUpdate, FromTable, Insert, ObjectName, OnConflict,
    OnConflictAction, OnInsert, Query, SetExpr, TableFactor, TableObject, Update, UpdateTableFromKind,
};

impl Checker<'_> {
    pub(super) fn insert(&mut self, insert: &Insert) {
        let syntax = self.dialect.syntax;
        if insert.or.is_some() {
            self.need(syntax.insert_or, "INSERT OR");
        }
        if insert.ignore {
            self.need(syntax.insert_ignore, "INSERT IGNORE");
        }
        if insert.replace_into {
            self.need(syntax.replace_into, "REPLACE");
        }
        if insert.overwrite {
            self.need(syntax.insert_overwrite, "INSERT OVERWRITE");
        }
        if insert.returning.is_some() {
            self.need(syntax.returning, "RETURNING");
        }
        self.insert_alias(insert);
        for column in &insert.columns {
            self.object(column);
        }
        self.distinct_columns(&insert.columns.iter().collect::<Vec<_>>());
        if let Some(source) = &insert.source {
            self.insert_source(insert, source);
        }
        match &insert.on {
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => {
                self.need(syntax.on_duplicate_key, "ON DUPLICATE KEY");
                self.assignments(assignments, &insert_names(insert));
            }
            Some(OnInsert::OnConflict(_)) if !syntax.on_conflict => self.need(false, "ON CONFLICT"),
            Some(OnInsert::OnConflict(conflict)) => self.on_conflict(insert, conflict),
            _ => {}
        }
    }

    fn insert_alias(&mut self, insert: &Insert) {
        let noted = self.parsed.notes.iter().find(|note| note.place == "alias").map(|note| note.range.clone());
        let place = noted.or_else(|| insert.table_alias.as_ref().map(|alias| self.of_name(&alias.alias)));
        if let Some(place) = place.filter(|_| !self.dialect.syntax.insert_alias) {
            self.refuse(place, format!("{} has no alias for the target of an INSERT", self.dialect.title));
        } else if let Some(alias) = &insert.table_alias {
            self.table_alias(alias.explicit, &alias.alias);
        }
    }

    fn insert_source(&mut self, insert: &Insert, source: &Query) {
        if source.with.is_some() && !self.dialect.syntax.with_inside_insert {
            let range = self.place("WITH");
            self.refuse(range, format!("in {} the WITH of an INSERT stands before it", self.dialect.title));
        }
        let columns = insert.columns.len() + insert.after_columns.len();
        if let Some(values) = width(source).filter(|&values| columns > 0 && values > 0 && values != columns) {
            let range = self.parsed.range.clone();
            self.refuse(range, format!("the INSERT names {columns} columns and gives {values} values"));
        }
    }

    fn on_conflict(&mut self, insert: &Insert, conflict: &OnConflict) {
        let syntax = self.dialect.syntax;
        let title = self.dialect.title;
        let place = self.place("ON CONFLICT");
        if insert.source.as_ref().is_some_and(|source| ends_in_from(source)) && !syntax.on_conflict_after_from {
            self.refuse(
                place.clone(),
                format!("{title} reads this ON as the ON of a join; the SELECT needs a WHERE before it: `WHERE true`"),
            );
        }
        if let Some(ConflictTarget::Columns { columns, .. }) = &conflict.conflict_target {
            // An expression is a column whose name has a bracket or a space in it: see `gaps`.
            for column in columns.iter().filter(|column| !column.value.contains(['(', ' '])) {
                self.name(column);
            }
        }
        if let OnConflictAction::DoUpdate(DoUpdate { assignments, .. }) = &conflict.action {
            if conflict.conflict_target.is_none() && !syntax.on_conflict_update_without_target {
                self.refuse(place, format!("in {title} ON CONFLICT DO UPDATE needs a conflict target"));
            }
            self.assignments(assignments, &insert_names(insert));
        }
    }

    pub(super) fn update(&mut self, update: &Update) {
        let syntax = self.dialect.syntax;
        if !update.table.joins.is_empty() {
            self.need(syntax.update_join, "UPDATE JOIN");
        }
        if matches!(update.from, Some(UpdateTableFromKind::AfterSet(_))) && !syntax.update_from {
            let range = self.place("FROM");
            self.refuse(range, format!("{} has no FROM in UPDATE", self.dialect.title));
        }
        if update.returning.is_some() {
            self.need(syntax.returning, "RETURNING");
        }
        self.assignments(&update.assignments, &table_names(&update.table.relation));
    }

    pub(super) fn delete(&mut self, delete: &Delete) {
        let syntax = self.dialect.syntax;
        let title = self.dialect.title;
        if delete.using.is_some() && !syntax.delete_using {
            let range = self.place("USING");
            self.refuse(range, format!("{title} has no USING in DELETE"));
        }
        let bare = matches!(delete.from, FromTable::WithoutKeyword(_)) || !delete.tables.is_empty();
        if bare && !syntax.delete_target_list {
            let range = self.place("DELETE");
            self.refuse(range, format!("in {title} DELETE needs FROM and one table"));
        }
        if delete.returning.is_some() {
            self.need(syntax.returning, "RETURNING");
        }
    }

    /// Assignments to a target that has these names.
    pub(super) fn assignments(&mut self, assignments: &[Assignment], target: &[String]) {
        for assignment in assignments {
            let columns: &[ObjectName] = match &assignment.target {
                AssignmentTarget::ColumnName(column) => std::slice::from_ref(column),
                AssignmentTarget::Tuple(columns) => columns,
            };
            for column in columns {
                self.object(column);
                let qualifier = column.0.iter().rev().nth(1).and_then(|part| part.as_ident());
                let Some(qualifier) = qualifier.filter(|_| !self.dialect.syntax.set_qualified) else { continue };
                // With another qualifier it may be a field of a composite column.
                if target.iter().any(|name| name.eq_ignore_ascii_case(&qualifier.value)) {
                    let title = self.dialect.title;
                    let message = format!("in {title} a column that is set stands without its table: `{column}`");
                    self.refuse(self.of_object(column), message);
                }
            }
        }
    }
}

/// True when a SELECT ends in its FROM, so that a following ON could belong to a join.
fn ends_in_from(query: &Query) -> bool {
    let mut body = &*query.body;
    while let SetExpr::SetOperation { right, .. } = body {
        body = right;
    }
    let open = match body {
        SetExpr::Select(select) => {
            let closed = select.selection.is_some()
                || select.having.is_some()
                || select.qualify.is_some()
                || !select.named_window.is_empty()
                || select.group_by != sqlparser::ast::GroupByExpr::Expressions(Vec::new(), Vec::new());
            !select.from.is_empty() && !closed
        }
        _ => false,
    };
    open && query.order_by.is_none() && query.limit_clause.is_none()
}

/// The names under which the target of an INSERT can be called.
fn insert_names(insert: &Insert) -> Vec<String> {
    let table = match &insert.table {
        TableObject::TableName(name) => name.0.last().map(ToString::to_string),
        _ => None,
    };
    let alias = insert.table_alias.as_ref().map(|alias| alias.alias.value.clone());
    table.into_iter().chain(alias).collect()
}

/// The names under which a table can be called.
pub(super) fn table_names(table: &TableFactor) -> Vec<String> {
    match table {
        TableFactor::Table { name, alias, .. } => {
            let last = name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.clone());
            last.into_iter().chain(alias.as_ref().map(|alias| alias.name.value.clone())).collect()
        }
        _ => Vec::new(),
    }
}
