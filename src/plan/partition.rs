//! `partition`: what `replace_partition` takes for a partition, and what cannot be one.

use super::Decision;
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::dialect::types::Type;
use crate::spec::{Located, Partition, Source, Table, Update};
use crate::strategy::{Replaces, Strategy};

/// What does not fit between the strategy that a spec names and `partition`.
pub(super) fn fault(strategy: &Strategy, table: &Table) -> Result<(), Diagnostic> {
    let Some(partition) = table.partition.as_ref().filter(|_| strategy.replaces != Replaces::Partition) else {
        return Ok(());
    };
    let fault = format!("`partition` says what `replace_partition` replaces, and the strategy is `{}`", strategy.name);
    let help = "write `strategy: replace_partition`, or leave `partition` out";
    Err(Diagnostic::error("plan-partition", fault).at(partition.column.span.clone(), "").help(help))
}

impl Planner<'_> {
    /// What of the load does not fit partitions that are replaced whole.
    pub(super) fn check_partition(&mut self) {
        if self.strategy.replaces != Replaces::Partition {
            return;
        }
        let asked = self.table.asked_at();
        let Some(Partition { column: name, grain }) = &self.table.partition else {
            let fault = "`replace_partition` must know what a partition is";
            let fault = Diagnostic::error("plan-partition", fault).at(asked, "");
            self.faults.push(fault.help("write `partition: sale_date`, the column whose values are the partitions"));
            return;
        };
        let refuse = |fault: String, at: &Located<String>, label: &str| {
            Diagnostic::error("plan-partition", fault).at(at.span.clone(), label)
        };
        if matches!(self.table.source.value, Source::Parameters) {
            let fault = "with `replace_partition` one row of bind parameters would be its whole partition";
            let fault = Diagnostic::error("plan-partition", fault).at(self.table.source.span.clone(), "");
            self.faults
                .push(fault.help("stage the rows in a table, or write `strategy: upsert` for one row at a time"));
        }
        let Some(column) = self.column(&name.value).cloned() else { return };
        if !column.is_staged() {
            let fault = format!("the staged rows do not hold the partition column `{}`", column.name);
            self.faults
                .push(refuse(fault, name, "its value comes from elsewhere").help("name a column that is staged"));
        }
        if column.update != Update::Always {
            let fault = format!("`update` does not fit the partition column `{}`", column.name);
            self.faults.push(
                refuse(fault, name, "a row that is staged for another partition moves there")
                    .help("leave `update` out, or put the column into `unique_key`: a key then never moves"),
            );
        }
        if let Some(grain) = grain
            && !(grain.value && column.ty == Type::Date)
        {
            let fault = format!("a part of `{}` as a partition is not supported yet", column.name);
            let fault = Diagnostic::error("plan-partition", fault).at(grain.span.clone(), "");
            self.faults.push(fault.help(
                "load a column that holds the day, the month or whatever a partition is, and name it: \
                 `partition: sale_month`",
            ));
        }
        if !column.key {
            self.decisions.push(Decision::new(
                "partition",
                "a key may move to another",
                "the unique key holds over the whole table, so the row leaves its old partition for the one that it is \
                 staged in, and never stands in both",
            ));
        }
    }
}
