//! The parts of a statement: the batch, the probe of the target, assignments, predicates.

use super::{Outcome, Said, restored};
use crate::plan::load::{Assignment, Batch, Item};
use crate::sql::expression::{expression, query, scalar};
use crate::sql::facts::Facts;

impl Said<'_> {
    /// `INSERT INTO target alias (columns)`.
    pub(super) fn insert(&self, alias: &str) -> Facts {
        let mut out = Facts::default();
        out.push("insert", self.load.target.clone());
        if !alias.is_empty() {
            self.alias(&mut out);
        }
        for column in &self.load.columns {
            out.push("column", column.clone());
        }
        out
    }

    /// The alias of the target where it is written.
    pub(super) fn alias(&self, out: &mut Facts) {
        if !self.load.alias.is_empty() {
            out.push(self.alias_place(), self.load.me.clone());
        }
    }

    pub(super) fn alias_place(&self) -> &'static str {
        if self.load.as_word.is_empty() { "alias without AS" } else { "alias" }
    }

    /// `DELETE FROM target`, in the way of the dialect.
    pub(super) fn delete(&self, out: &mut Facts, how: &str) {
        if how == "exists" {
            out.push("delete", self.load.target.clone());
            self.alias(out);
        } else {
            out.push("delete", self.load.names.t.clone());
            out.push("from", self.relation(&self.load.target, &self.load.names.t));
        }
    }

    pub(super) fn select(&self, out: &mut Facts, values: &[String]) -> Outcome<()> {
        for value in values {
            out.push("select", self.scalar(value)?);
        }
        Ok(())
    }

    /// The batch as a relation called b.
    pub(super) fn batch_as_b(&self, out: &mut Facts, place: &str) -> Outcome<()> {
        if self.load.batch.bare {
            self.from(out, place, &self.load.batch.source)
        } else {
            self.derived_batch(out, place)
        }
    }

    pub(super) fn derived_batch(&self, out: &mut Facts, place: &str) -> Outcome<()> {
        let mut batch = Facts::default();
        self.versions(&mut batch)?;
        out.push(place, self.derived(&self.load.names.b));
        out.nest(place, &batch);
        Ok(())
    }

    /// The rows of the batch; for a history with them the target's versions of their keys, and the period of each version.
    pub(super) fn versions(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        let Some(history) = &load.history else { return self.reduced(out) };
        let (mut staged, mut both) = (Facts::default(), Facts::default());
        self.reduced(&mut staged)?;
        for item in &load.batch.items {
            both.push("select", format!("{}.{}", load.names.b, item.name));
        }
        both.push("from", self.derived(&load.names.b));
        both.nest("from", &staged);
        both.push("union all", "");
        self.select(&mut both, &history.stored)?;
        both.push("from", self.relation(&load.target, &load.names.o));
        self.predicates(&mut both, "where", &history.beside)?;
        self.items(out, &history.items)?;
        out.push("from", self.derived(&load.names.u));
        out.nest("from", &both);
        Ok(())
    }

    /// The staged rows, at most one per key.
    pub(super) fn reduced(&self, out: &mut Facts) -> Outcome<()> {
        let batch = &self.load.batch;
        let Some(reduce) = &batch.reduce else {
            self.items(out, &batch.items)?;
            return self.taken(out, batch);
        };
        let by = reduce.by.iter().map(|key| self.scalar(key)).collect::<Outcome<Vec<_>>>()?;
        let over =
            format!("ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {})", reduce.by.join(", "), reduce.order.join(", "));
        match reduce.how {
            "distinct_on" => {
                out.push("distinct on", by.join(", "));
                self.items(out, &batch.items)?;
                self.taken(out, batch)?;
                self.order_by(out, &reduce.by)?;
                self.order_by(out, &reduce.order)?;
            }
            "qualify" => {
                self.items(out, &batch.items)?;
                self.taken(out, batch)?;
                self.predicates(out, "qualify", &[format!("{over} = 1")])?;
            }
            "limit_by" => {
                self.items(out, &batch.items)?;
                self.taken(out, batch)?;
                self.order_by(out, &reduce.order)?;
                out.push("limit", "1");
                for key in &by {
                    out.push("limit by", key.clone());
                }
            }
            _ => {
                let d = &self.load.names.d;
                let mut ranked = Facts::default();
                self.items(&mut ranked, &batch.items)?;
                ranked.push("select", format!("{} AS {}", self.scalar(&over)?, reduce.rank));
                self.taken(&mut ranked, batch)?;
                batch.items.iter().for_each(|item| out.push("select", format!("{d}.{}", item.name)));
                out.push("from", self.derived(d));
                out.nest("from", &ranked);
                out.push("where", format!("{d}.{} = 1", reduce.rank));
            }
        }
        Ok(())
    }

    pub(super) fn items(&self, out: &mut Facts, items: &[Item]) -> Outcome<()> {
        for item in items {
            let value = self.scalar(&item.value)?;
            out.push("select", if item.plain { value } else { format!("{value} AS {}", item.name) });
        }
        Ok(())
    }

    pub(super) fn taken(&self, out: &mut Facts, batch: &Batch) -> Outcome<()> {
        self.from(out, "from", &batch.source)?;
        self.predicates(out, "where", &batch.filter)
    }

    /// A relation of the plan, which may be a whole query of the user.
    pub(super) fn from(&self, out: &mut Facts, place: &str, source: &str) -> Outcome<()> {
        let text = restored(&format!("SELECT 1 FROM {source}"));
        let read = query(&text, self.dialect).map_err(|fault| format!("{text}: {}", fault.message))?;
        for fact in read.lines().iter().filter(|fact| fact.place.starts_with("from")) {
            out.push(fact.place.replacen("from", place, 1), fact.text.clone());
        }
        Ok(())
    }

    /// The target joined as o, and the rows that would change something.
    pub(super) fn unless_settled(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        out.push("from left join", self.relation(&load.target, &load.names.o));
        self.predicates(out, "from left join on", &load.same_key_probe)?;
        let settled = self.missing_or_changed();
        self.predicates(out, "where", &[settled])
    }

    /// A batch row that has no target row, or would change it.
    pub(super) fn missing_or_changed(&self) -> String {
        let load = self.load;
        match load.change_probe.as_slice() {
            [] => load.missing.clone(),
            [one] => format!("{} OR {one}", load.missing),
            all => format!("{} OR ({})", load.missing, all.join(" AND ")),
        }
    }

    /// The key is not in the target.
    pub(super) fn absent(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        if load.absent == "not_exists" {
            let same = load.same_key_probe.join(" AND ");
            let target = format!("{}{}", self.relation(&load.target, &load.names.o), load.probe_hint);
            return self.predicates(out, "where", &[format!("NOT EXISTS (SELECT 1 FROM {target} WHERE {same})")]);
        }
        out.push("from left join", self.derived(&load.names.o));
        load.probe.iter().for_each(|column| out.push("from left join select", column.clone()));
        out.push("from left join select", format!("1 AS {}", load.hit));
        out.push("from left join from", self.probed());
        self.predicates(out, "from left join on", &load.same_key_probe)?;
        self.predicates(out, "where", &[format!("COALESCE({}.{}, 0) = 0", load.names.o, load.hit)])?;
        Ok(())
    }

    /// The target where it is probed in a subquery of its own.
    pub(super) fn probed(&self) -> String {
        format!("{}{}", self.load.target, self.load.probe_hint)
    }

    pub(super) fn not_deleted(&self, out: &mut Facts) -> Outcome<()> {
        let staged: Vec<String> = self.load.deletion.iter().map(|deletion| self.of_batch(&deletion.flag, 0)).collect();
        self.predicates(out, "where", &staged)
    }

    /// The batch column of that name is 0 or 1.
    pub(super) fn of_batch(&self, flag: &str, value: u8) -> String {
        format!("{}.{flag} = {value}", self.load.names.b)
    }

    /// The batch columns that mark a row which is not to be inserted.
    pub(super) fn flags(&self) -> Vec<&str> {
        let vanished = self.gone().into_iter().map(|vanished| vanished.flag.as_str());
        vanished.chain(self.load.deletion.iter().map(|deletion| deletion.flag.as_str())).collect()
    }

    pub(super) fn branch(&self, out: &mut Facts, place: &str, when: &[String]) -> Outcome<()> {
        let when = if when.is_empty() { String::new() } else { self.scalar(&when.join(" AND "))? };
        out.push(place, when);
        Ok(())
    }

    pub(super) fn insert_branch(&self, out: &mut Facts) -> Outcome<()> {
        self.load.columns.iter().for_each(|column| out.push("insert column", column.clone()));
        for value in &self.load.inserts {
            out.push("insert value", self.scalar(value)?);
        }
        Ok(())
    }

    pub(super) fn sets(&self, out: &mut Facts, place: &str, updates: &[Assignment], before: &str) -> Outcome<()> {
        for update in updates {
            out.push(place, format!("{before}{} = {}", update.column, self.scalar(&update.value)?));
        }
        Ok(())
    }

    pub(super) fn order_by(&self, out: &mut Facts, items: &[String]) -> Outcome<()> {
        for item in items {
            let (value, direction) = match item.split_once(" DESC") {
                Some((value, nulls)) => (value, format!(" DESC{nulls}")),
                None => (item.as_str(), String::new()),
            };
            out.push("order by", format!("{}{direction}", self.scalar(value)?));
        }
        Ok(())
    }

    pub(super) fn order_by_key(&self, out: &mut Facts) -> Outcome<()> {
        for value in &self.load.key_order {
            out.push("order by", self.scalar(value)?);
        }
        Ok(())
    }

    pub(super) fn predicates(&self, out: &mut Facts, place: &str, predicates: &[String]) -> Outcome<()> {
        for predicate in predicates {
            let text = restored(predicate);
            let read = expression(&text, self.dialect).map_err(|fault| format!("{text}: {}", fault.message))?;
            for conjunct in read {
                out.push(place, conjunct);
            }
        }
        Ok(())
    }

    /// The normal form of an expression.
    pub(super) fn scalar(&self, text: &str) -> Outcome<String> {
        let text = restored(text);
        scalar(&text, self.dialect).map_err(|fault| format!("{text}: {}", fault.message))
    }

    pub(super) fn relation(&self, name: &str, alias: &str) -> String {
        format!("{name} {}{alias}", self.load.as_word)
    }

    pub(super) fn derived(&self, alias: &str) -> String {
        format!("(..) {}{alias}", self.load.as_word)
    }
}
