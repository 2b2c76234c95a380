//! The columns of a plan: their names in SQL, where their values come from, and the first refusals.

use super::column::{self, Column, ValueFrom};
use super::expression;
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::dialect::types::{TYPE_NAMES, Type};
use crate::spec::{self, Update};

impl Planner<'_> {
    pub(super) fn name_columns(&mut self) {
        let table = self.table;
        let in_list = |list: &[spec::Located<String>], name: &str| list.iter().any(|located| located.value == name);
        let version: Vec<String> = if table.version.is_empty() {
            table.incremental.iter().map(|incremental| incremental.column.value.clone()).collect()
        } else {
            table.version.iter().map(|located| located.value.clone()).collect()
        };
        let flag = table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
        let missing = table.missing_rows.as_ref().and_then(|missing| missing.flag.as_ref());
        for spec in &table.columns {
            let name = spec.name.value.clone();
            let ty = match column::type_of(spec, self.dialect) {
                Ok(ty) => ty,
                Err((span, fault)) => {
                    let types = TYPE_NAMES.join(", ");
                    self.faults.push(Diagnostic::error("plan-type", fault).at(span, "").help(format!(
                        "use one of {types}, or name it for one dialect: `type: {{{}: ..}}`",
                        self.dialect.name
                    )));
                    Type::Text
                }
            };
            if let Some(fault) =
                spec.ty.as_ref().and_then(|written| expression::check_type(written, self.dialect).err())
                && spec.ty_is_native
            {
                self.faults.push(fault);
            }
            let key = in_list(&table.unique_key, &name);
            let sql = self.dialect.identifier(&name, table.quote_always);
            let is_flag = flag.is_some_and(|flag| flag.value == name);
            // A row that is staged is not missing.
            let value = if !is_flag && missing.is_some_and(|flag| flag.value == name) {
                ValueFrom::Staged(self.dialect.bools.1.to_owned())
            } else {
                self.value_of(spec, &ty, &sql, is_flag)
            };
            self.columns.push(Column {
                plain: value == ValueFrom::Staged(format!("{}.{sql}", self.load.names.s)),
                sql,
                nullable: spec.nullable.as_ref().map_or(!key, |nullable| nullable.value),
                key,
                version: version.contains(&name) && !key,
                value,
                update: spec.update.as_ref().map_or(Update::Always, |update| update.value),
                compared: spec.compare.as_ref().is_none_or(|compare| compare.value),
                span: spec.name.span.clone(),
                ty,
                name,
            });
        }
        let position = |name: &String| self.columns.iter().position(|column| column.name == *name && column.version);
        self.version = version.iter().filter_map(position).collect();
        if self.strategy.versions {
            self.period_columns();
        }
    }

    /// Where the value of a column comes from.
    pub(super) fn value_of(&mut self, spec: &spec::Column, ty: &Type, sql: &str, is_flag: bool) -> ValueFrom {
        let staged = self.load.names.s.clone();
        let mut read = |outcome: Result<String, Diagnostic>| match outcome {
            Ok(text) => text,
            Err(fault) => {
                self.faults.push(fault);
                String::new()
            }
        };
        if spec.generated || spec.identity {
            return ValueFrom::Engine;
        }
        if let (true, Some(deletes)) = (is_flag, &self.table.deletes) {
            let when = read(expression::qualified(&deletes.when, "`deletes.when`", &staged, self.dialect));
            let (yes, no) = self.dialect.bools;
            return ValueFrom::Staged(format!("CASE WHEN {when} THEN {yes} ELSE {no} END"));
        }
        if let Some(value) = &spec.value {
            if value.value == "now" {
                return ValueFrom::Load((self.dialect.now)(ty).to_owned());
            }
            let mut found = None;
            let text = read(expression::qualified_by(value, "`value`", self.dialect, |name| {
                Err(Diagnostic::error(
                    "plan-value",
                    format!("`value` is computed by the load, which knows no column `{name}`"),
                )
                .at(value.span.clone(), "")
                .help("write `source: ..` for an expression over the staged row, or quote a text: \"'..'\""))
            }));
            found.get_or_insert(text);
            return ValueFrom::Load(found.map(|text| Self::verbatim(&text)).unwrap_or_default());
        }
        if let Some(source) = &spec.source {
            let text = read(expression::qualified(source, "`source`", &staged, self.dialect));
            if let Some(function) = expression::volatile(&source.value, self.dialect) {
                self.faults.push(
                    Diagnostic::error(
                        "plan-volatile",
                        format!("`{function}` gives another value on every run, so no run could be quiet"),
                    )
                    .at(source.span.clone(), "")
                    .help(
                        "write `value: now` for the time of the load; keys and content must come from the staged row",
                    ),
                );
            }
            return ValueFrom::Staged(Self::verbatim(&text));
        }
        ValueFrom::Staged(format!("{staged}.{sql}"))
    }
}
