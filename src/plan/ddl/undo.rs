//! What undoes a definition: it drops what was made, with all that was written into it.

use super::{Action, DdlPlan, Step};
use crate::dialect::ddl::Guard;
use crate::dialect::mechanism::Support;

impl DdlPlan {
    /// The steps that drop what the script makes, the last one first.
    pub fn undo(&self) -> Vec<Step> {
        self.steps.iter().rev().filter_map(|step| self.undo_of(step)).collect()
    }

    /// The step that drops what another one makes; none for a changed type, which is left as it is, and for what this dialect
    /// does not drop.
    pub fn undo_of(&self, step: &Step) -> Option<Step> {
        let dialect = self.plan.dialect;
        let guards = dialect.client.guards;
        let words = |has: bool| if has { "IF EXISTS " } else { "" };
        let action = match &step.action {
            // Its own batches alone, and where the table goes too: one that is made again holds none of them.
            Action::CreateTable(definition) if definition.table != self.plan.load.target => {
                let is_target = |step: &Step| matches!(&step.action, Action::CreateTable(made) if made.table == self.plan.load.target);
                if !self.steps.iter().any(is_target) {
                    return None;
                }
                self.forgotten()?
            }
            Action::CreateTable(definition) => Action::DropTable {
                // What newer versions have alone is no guard.
                guard: words(guards.drop && guards.since.is_none()),
                table: definition.table.clone(),
            },
            Action::AddColumn { table, column, .. } => match dialect.ddl.drop {
                Support::Yes(drop) if drop.bound.is_none() || !self.has_default(&column.name) => Action::DropColumn {
                    table: table.clone(),
                    guard: words(drop.guard == Guard::Words),
                    name: column.name.clone(),
                },
                _ => return None,
            },
            _ => return None,
        };
        Some(Step { action, wrap: None })
    }

    /// Takes the batches of this table out of the log.
    fn forgotten(&self) -> Option<Action> {
        let once = self.plan.load.once.as_ref()?;
        let (column, value) = (once.columns.first()?.clone(), once.values.first()?.clone());
        Some(Action::Forget { log: once.log.clone(), column, value })
    }

    /// True for a column, by its name in SQL, that has a default.
    fn has_default(&self, sql: &str) -> bool {
        self.columns.iter().any(|column| column.column.sql == sql && column.default.is_some())
    }
}
