//! The facts of CREATE TABLE without a query, of CREATE INDEX and of ALTER TABLE.

use super::{Writer, list};
use sqlparser::ast::{
    AlterTable, AlterTableOperation, ColumnDef, ColumnOption, ColumnOptionDef, CreateIndex, CreateTable, DataType,
};

impl Writer {
    /// `CREATE TABLE`: its columns, what they say, its constraints, and all that is left.
    pub(super) fn create_table(&mut self, create: &CreateTable) {
        let guard = if create.if_not_exists { "IF NOT EXISTS " } else { "" };
        self.fact("create table", format!("{guard}{}", create.name));
        for column in &create.columns {
            self.fact("column", &column.name);
            self.column(column);
        }
        self.fact_each("constraint", &create.constraints);
        // What is left prints as `CREATE TABLE name` and its options, whatever a newer version adds.
        let rest = CreateTable { if_not_exists: false, columns: Vec::new(), constraints: Vec::new(), ..create.clone() };
        let rest = rest.to_string();
        let options = rest.strip_prefix(&format!("CREATE TABLE {}", create.name)).unwrap_or(&rest);
        let options = options.trim().trim_start_matches("()").trim();
        if !options.is_empty() {
            self.fact("create table options", options);
        }
    }

    /// What a column says behind its name.
    fn column(&mut self, column: &ColumnDef) {
        let ColumnDef { name: _, data_type, options } = column;
        if *data_type != DataType::Unspecified {
            self.fact("type", data_type);
        }
        for ColumnOptionDef { name, option } in options {
            self.unplanned(name.as_ref());
            match option {
                ColumnOption::Null => self.fact("null", ""),
                ColumnOption::NotNull => self.fact("not null", ""),
                ColumnOption::Default(value) => self.fact("default", value),
                other => self.fact("option", other),
            }
        }
    }

    /// `CREATE INDEX`.
    pub(super) fn create_index(&mut self, create: &CreateIndex) {
        let unique = if create.unique { "UNIQUE " } else { "" };
        let guard = if create.if_not_exists { "IF NOT EXISTS " } else { "" };
        let name = create.name.as_ref().map(ToString::to_string).unwrap_or_default();
        self.fact("create index", format!("{unique}{guard}{name}"));
        self.fact("on", &create.table_name);
        self.fact("key", list(&create.columns));
        if let Some(distinct) = create.nulls_distinct {
            self.fact("nulls", if distinct { "NULLS DISTINCT" } else { "NULLS NOT DISTINCT" });
        }
        let bare = CreateIndex {
            unique: false,
            if_not_exists: false,
            name: None,
            columns: Vec::new(),
            nulls_distinct: None,
            ..create.clone()
        };
        let plain = format!("CREATE INDEX ON {}", create.table_name);
        let rest = bare.to_string();
        let rest = rest.strip_prefix(&plain).unwrap_or(&rest).trim().trim_start_matches("()").trim();
        if !rest.is_empty() {
            self.fact("create index options", rest);
        }
    }

    /// `ALTER TABLE`: each change, then the guards.
    pub(super) fn alter_table(&mut self, alter: &AlterTable) {
        self.fact("alter table", &alter.name);
        let mut guards = Vec::new();
        for operation in &alter.operations {
            match operation {
                AlterTableOperation::AddColumn { column_keyword: _, if_not_exists, column_def, column_position } => {
                    self.fact("add column", &column_def.name);
                    self.column(column_def);
                    self.unplanned(column_position.as_ref());
                    guards.extend(if_not_exists.then_some("if not exists"));
                }
                AlterTableOperation::DropColumn { has_column_keyword: _, column_names, if_exists, drop_behavior } => {
                    self.fact("drop column", list(column_names));
                    self.unplanned(drop_behavior.as_ref());
                    guards.extend(if_exists.then_some("if exists"));
                }
                other => self.fact("operation", other),
            }
        }
        let bare = AlterTable { operations: Vec::new(), ..alter.clone() };
        let plain = format!("ALTER TABLE {}", alter.name);
        let rest = bare.to_string();
        let rest = rest.strip_prefix(&plain).unwrap_or(&rest).trim();
        if !rest.is_empty() {
            self.fact("alter table options", rest);
        }
        for guard in guards {
            self.fact(guard, "");
        }
    }
}
