//! What undoes a definition: it drops what was made, with all that was written into it.

use super::{Action, DdlPlan, Step};
use crate::dialect::ddl::Guard;

impl DdlPlan {
    /// The steps that drop what the script makes, the last one first. A changed type is left as it is.
    pub fn undo(&self) -> Vec<Step> {
        let dialect = self.plan.dialect;
        let guards = dialect.client.guards;
        let words = |has: bool| if has { "IF EXISTS " } else { "" };
        let undone = self.steps.iter().rev().filter_map(|step| match &step.action {
            // Other tables may be noted in the log.
            Action::CreateTable(definition) if definition.table != self.plan.load.target => None,
            Action::CreateTable(definition) => Some(Action::DropTable {
                // What newer versions have alone is no guard.
                guard: words(guards.drop && guards.since.is_none()),
                table: definition.table.clone(),
            }),
            Action::AddColumn { table, column, .. } => Some(Action::DropColumn {
                table: table.clone(),
                guard: words(dialect.ddl.drop == Guard::Words),
                name: column.name.clone(),
            }),
            _ => None,
        });
        undone.map(|action| Step { action, wrap: None }).collect()
    }
}
