//! The facts of INSERT, UPDATE, DELETE and of tables made from a query.

use super::{Writer, list};
use sqlparser::ast::{
    ConflictTarget, CreateTable, Delete, DoUpdate, FromTable, Insert, InsertAliases, OnConflict, OnConflictAction,
    OnInsert, Statement, TableAlias, TableAliasWithoutColumns, TableFactor, TableWithJoins, Update,
    UpdateTableFromKind,
};

/// Where AS may not stand, or must, is not for the printer to hide.
fn alias_place(explicit: bool) -> &'static str {
    if explicit { "alias" } else { "alias without AS" }
}

impl Writer {
    /// The facts of a statement that changes rows; `None` when it is no such statement.
    pub(super) fn change(&mut self, statement: &Statement) -> Option<()> {
        match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            _ => return None,
        }
        Some(())
    }

    fn insert(&mut self, insert: &Insert) {
        let Insert {
            insert_token: _,
            optimizer_hints,
            or,
            ignore,
            into,
            table,
            table_alias,
            columns,
            by_name,
            overwrite,
            source,
            assignments,
            partitioned,
            after_columns,
            overriding,
            has_table_keyword: _,
            on,
            returning,
            output,
            replace_into,
            priority,
            insert_alias,
            settings,
            format_clause,
            multi_table_insert_type,
            multi_table_into_clauses,
            multi_table_when_clauses,
            multi_table_else_clause,
        } = insert;
        self.fact(if *replace_into { "replace" } else { "insert" }, table);
        // Most engines refuse an INSERT without INTO, and an alias without AS behind it.
        self.flag("insert without INTO", !*into && !*overwrite);
        self.noted("alias");
        if let Some(TableAliasWithoutColumns { explicit, alias }) = table_alias {
            self.fact(alias_place(*explicit), alias);
        }
        self.fact_each("optimizer hint", optimizer_hints);
        self.optional("insert or", or.as_ref());
        self.flag("insert ignore", *ignore);
        self.flag("insert overwrite", *overwrite);
        self.optional("insert priority", priority.as_ref());
        self.fact_each("column", columns);
        self.fact_each("column", after_columns);
        self.flag("insert by name", *by_name);
        self.optional("partition", partitioned.as_ref().map(|parts| list(parts)).as_ref());
        self.optional("overriding", overriding.as_ref());
        self.unplanned(output.as_ref());
        self.unplanned(settings.as_ref().map(|settings| list(settings)));
        self.unplanned(format_clause.as_ref());
        self.unplanned(multi_table_insert_type.as_ref());
        self.fact_each("unplanned", multi_table_into_clauses);
        self.fact_each("unplanned", multi_table_when_clauses);
        self.unplanned(multi_table_else_clause.as_ref().map(|clauses| format!("ELSE {}", list(clauses))));
        self.fact_each("set", assignments);
        match source {
            Some(source) => self.query(source),
            None => self.flag("default values", assignments.is_empty()),
        }
        if let Some(InsertAliases { row_alias, col_aliases }) = insert_alias {
            self.fact("row alias", row_alias);
            self.fact_each("row alias column", col_aliases.as_deref().unwrap_or_default());
        }
        match on {
            None => {}
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => self.fact_each("duplicate key set", assignments),
            Some(OnInsert::OnConflict(conflict)) => self.on_conflict(conflict),
            Some(other) => self.unplanned(Some(other)),
        }
        self.fact_each("returning", returning.as_deref().unwrap_or_default());
    }

    fn on_conflict(&mut self, conflict: &OnConflict) {
        let OnConflict { conflict_target, action } = conflict;
        match conflict_target {
            None => self.fact("conflict target", ""),
            Some(ConflictTarget::OnConstraint(name)) => self.fact("conflict constraint", name),
            Some(ConflictTarget::Columns { columns, predicate }) => {
                self.fact("conflict target", list(columns));
                self.conjuncts("conflict target where", predicate.as_ref());
            }
        }
        match action {
            OnConflictAction::DoNothing => self.fact("conflict action", "nothing"),
            OnConflictAction::DoUpdate(DoUpdate { assignments, selection }) => {
                self.fact("conflict action", "update");
                self.fact_each("set", assignments);
                self.conjuncts("guard", selection.as_ref());
            }
        }
    }

    fn update(&mut self, update: &Update) {
        let Update {
            update_token: _,
            optimizer_hints,
            table,
            on_cluster,
            assignments,
            from,
            selection,
            returning,
            output,
            or,
            order_by,
            limit,
            settings,
        } = update;
        let TableWithJoins { relation, joins } = table;
        self.target("update", relation);
        self.fact_each("optimizer hint", optimizer_hints);
        self.optional("update or", or.as_ref());
        self.unplanned(on_cluster.as_ref());
        self.joins("update", joins);
        let (place, tables) = match from {
            None => ("from", &[][..]),
            Some(UpdateTableFromKind::AfterSet(tables)) => ("from", &tables[..]),
            Some(UpdateTableFromKind::BeforeSet(tables)) => ("from before set", &tables[..]),
        };
        self.fact_each("set", assignments);
        for table in tables {
            self.table_with_joins(place, table);
        }
        self.conjuncts("where", selection.as_ref());
        self.fact_each("order by", order_by);
        self.optional("limit", limit.as_ref());
        self.fact_each("returning", returning.as_deref().unwrap_or_default());
        self.unplanned(output.as_ref());
        self.unplanned(settings.as_ref().map(|settings| list(settings)));
    }

    fn delete(&mut self, delete: &Delete) {
        let Delete {
            delete_token: _,
            optimizer_hints,
            tables,
            from,
            on_cluster,
            using,
            selection,
            returning,
            output,
            order_by,
            limit,
            settings,
        } = delete;
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = from;
        self.fact_each("delete", tables);
        for (at, table) in from.iter().enumerate() {
            if at == 0 && tables.is_empty() {
                let TableWithJoins { relation, joins } = table;
                self.target("delete", relation);
                self.joins("delete", joins);
            } else {
                self.table_with_joins("from", table);
            }
        }
        self.fact_each("optimizer hint", optimizer_hints);
        self.unplanned(on_cluster.as_ref());
        for table in using.iter().flatten() {
            self.table_with_joins("using", table);
        }
        self.conjuncts("where", selection.as_ref());
        self.fact_each("order by", order_by);
        self.optional("limit", limit.as_ref());
        self.fact_each("returning", returning.as_deref().unwrap_or_default());
        self.unplanned(output.as_ref());
        self.unplanned(settings.as_ref().map(|settings| list(settings)));
    }

    /// The table that is changed: its name (with hints and the like) and its alias are two facts.
    pub(super) fn target(&mut self, place: &str, target: &TableFactor) {
        let mut bare = target.clone();
        let TableFactor::Table { alias, .. } = &mut bare else {
            return self.relation(place, target);
        };
        let alias = alias.take();
        self.fact(place, bare);
        if let Some(TableAlias { explicit, name, columns, at }) = alias {
            self.fact(alias_place(explicit), name);
            self.fact_each("unplanned", &columns);
            self.unplanned(at);
        }
    }

    /// `CREATE TABLE .. AS`: the words around the name, then the query.
    pub(super) fn create_table_as(&mut self, statement: &Statement) {
        let Statement::CreateTable(create) = statement else { return };
        let mut text = String::new();
        for (is, words) in
            [(create.or_replace, "OR REPLACE "), (create.temporary, "TEMP "), (create.if_not_exists, "IF NOT EXISTS ")]
        {
            text.push_str(if is { words } else { "" });
        }
        self.fact("create table", format!("{text}{}", create.name));
        // What is left prints as `CREATE TABLE name` and its options, whatever a newer version adds.
        let rest =
            CreateTable { or_replace: false, temporary: false, if_not_exists: false, query: None, ..create.clone() };
        let rest = rest.to_string();
        let options = rest.strip_prefix(&format!("CREATE TABLE {}", create.name)).unwrap_or(&rest);
        let options = options.trim().trim_start_matches("()").trim();
        if !options.is_empty() {
            self.fact("create table options", options);
        }
        if let Some(query) = &create.query {
            self.query(query);
        }
    }
}
