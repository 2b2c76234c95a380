//! The statements of a load, as the plan says them.

use super::{Outcome, Said, created, hint_words, restored};
use crate::plan::load::{Content, MergeShape, Vanished};
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;

impl Said<'_> {
    /// Statements that stand in the plan as they are.
    pub(super) fn lines(&self, lines: &[String]) -> Outcome<Vec<Facts>> {
        let mut all = Vec::new();
        for line in lines {
            let line = restored(line);
            let parsed = parse(&line, self.dialect).map_err(|fault| format!("{line}: {}", fault.message))?;
            all.extend(parsed.iter().map(facts));
        }
        Ok(all)
    }

    pub(super) fn on_conflict(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert(&load.alias);
        self.proposed(&mut out)?;
        out.push("conflict target", load.key.join(", "));
        if load.updates.is_empty() {
            out.push("conflict action", "nothing");
        } else {
            out.push("conflict action", "update");
            self.sets(&mut out, "set", &load.updates, "")?;
            self.predicates(&mut out, "guard", &load.change)?;
        }
        Ok(out)
    }

    /// The rows that an upsert clause proposes: those of VALUES, or of the batch what would change something.
    fn proposed(&self, out: &mut Facts) -> Outcome<()> {
        if self.load.rows.is_empty() {
            self.select(out, &self.load.inserts)?;
            self.batch_as_b(out, "from")?;
            self.unless_settled(out)?;
            return self.order_by_key(out);
        }
        for row in &self.load.rows {
            let row = row.iter().map(|value| self.scalar(value)).collect::<Outcome<Vec<_>>>()?;
            out.push("values", row.join(", "));
        }
        Ok(())
    }

    pub(super) fn on_duplicate_key(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert("");
        self.proposed(&mut out)?;
        if load.updates.is_empty() {
            let first = load.key.first().map_or("", String::as_str);
            out.push("duplicate key set", format!("{first} = {}.{first}", load.me));
        } else {
            self.sets(&mut out, "duplicate key set", &load.updates, "")?;
        }
        Ok(out)
    }

    pub(super) fn merge(&self) -> Outcome<Facts> {
        let load = self.load;
        let shape = load.merge.as_ref().ok_or("no MERGE syntax")?;
        let mut out = Facts::default();
        let mut batch = Facts::default();
        self.reduced(&mut batch)?;
        let with = |out: &mut Facts| {
            out.push("with", load.names.batch.clone());
            out.nest(&format!("with {}", load.names.batch), &batch);
        };
        if load.vanished.is_some() && shape.with_before {
            with(&mut out);
        }
        let merge = self.merge_into(shape);
        out.extend(&merge);
        if load.vanished.is_some() {
            let mut using = Facts::default();
            if !shape.with_before {
                with(&mut using);
            }
            self.with_vanished(&mut using)?;
            out.push("using", self.derived(&load.names.b));
            out.nest("using", &using);
        } else {
            self.batch_as_b(&mut out, "using")?;
        }
        self.predicates(&mut out, "on", &load.same_key)?;
        if shape.condition == "and" {
            self.branches(&mut out, shape.not_matched)?;
        } else {
            self.branches_where(&mut out, shape.not_matched)?;
        }
        Ok(out)
    }

    /// `MERGE INTO target hint alias`.
    pub(super) fn merge_into(&self, shape: &MergeShape) -> Facts {
        let mut out = Facts::default();
        out.push("merge", self.load.target.clone());
        self.alias(&mut out);
        if !shape.hint.is_empty() {
            out.push("hint", hint_words(&shape.hint));
        }
        out
    }

    /// The rows of the batch, and with them the target rows that are no longer staged.
    pub(super) fn with_vanished(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        let Some(vanished) = &load.vanished else { return Ok(()) };
        for item in &load.batch.items {
            out.push("select", format!("{}.{}", load.names.b, item.name));
        }
        if !vanished.flag.is_empty() {
            out.push("select", format!("0 AS {}", vanished.flag));
        }
        out.push("from", self.relation(&load.names.batch, &load.names.b));
        self.union_vanished(out, vanished)
    }

    /// The target rows that are no longer staged, behind the batch.
    fn union_vanished(&self, out: &mut Facts, vanished: &Vanished) -> Outcome<()> {
        out.push("union all", "");
        for item in &vanished.items {
            out.push("select", self.scalar(&item.value)?);
        }
        if !vanished.flag.is_empty() {
            out.push("select", "1");
        }
        out.push("from", self.relation(&self.load.target, &self.load.names.o));
        self.predicates(out, "where", &vanished.scope)?;
        self.predicates(out, "where", std::slice::from_ref(&vanished.absent))
    }

    /// The rows of the temporary table: the batch, and with it the rows that are flagged.
    fn with_flagged(&self, out: &mut Facts) -> Outcome<()> {
        match self.load.vanished.as_ref().filter(|vanished| vanished.flag.is_empty()) {
            None => self.versions(out),
            Some(vanished) => {
                for item in &self.load.batch.items {
                    out.push("select", format!("{}.{}", self.load.names.b, item.name));
                }
                self.derived_batch(out, "from")?;
                self.union_vanished(out, vanished)
            }
        }
    }

    /// The target rows that are deleted because they are no longer staged.
    pub(super) fn gone(&self) -> Option<&Vanished> {
        self.load.vanished.as_ref().filter(|vanished| !vanished.flag.is_empty())
    }

    /// Branches with their conditions behind WHEN.
    pub(super) fn branches(&self, out: &mut Facts, not_matched: &str) -> Outcome<()> {
        let load = self.load;
        if let Some(vanished) = self.gone() {
            self.branch(out, "when matched", &[self.of_batch(&vanished.flag, 1)])?;
            out.push("delete", "");
        }
        if let Some(deletion) = &load.deletion {
            let mut when = vec![self.of_batch(&deletion.flag, 1)];
            when.extend(deletion.not_older.iter().cloned());
            self.branch(out, "when matched", &when)?;
            out.push("delete", "");
        }
        if !load.updates.is_empty() {
            let mut when: Vec<String> = load.deletion.iter().map(|deletion| self.of_batch(&deletion.flag, 0)).collect();
            when.extend(load.change.iter().cloned());
            self.branch(out, "when matched", &when)?;
            self.sets(out, "set", &load.updates, "")?;
        }
        let staged: Vec<String> = self.flags().iter().map(|flag| self.of_batch(flag, 0)).collect();
        self.branch(out, &not_matched.to_lowercase(), &staged)?;
        self.insert_branch(out)
    }

    /// Branches with their conditions behind the action.
    pub(super) fn branches_where(&self, out: &mut Facts, not_matched: &str) -> Outcome<()> {
        let load = self.load;
        if !load.updates.is_empty() {
            out.push("when matched", "");
            self.sets(out, "set", &load.updates, "")?;
            let mut gone: Vec<String> =
                self.gone().into_iter().map(|vanished| self.of_batch(&vanished.flag, 1)).collect();
            let delete: Vec<String> = self.flags().iter().map(|flag| self.of_batch(flag, 1)).collect();
            gone.extend(load.deletion.iter().map(|deletion| {
                let mut when = vec![self.of_batch(&deletion.flag, 1)];
                when.extend(deletion.not_older.iter().cloned());
                format!("({})", when.join(" AND "))
            }));
            if gone.is_empty() {
                self.predicates(out, "update where", &load.change)?;
            } else {
                let any = format!("{} OR ({})", gone.join(" OR "), load.change.join(" AND "));
                self.predicates(out, "update where", &[any])?;
                self.predicates(out, "delete where", &[delete.join(" OR ")])?;
            }
        }
        out.push(not_matched.to_lowercase(), "");
        self.insert_branch(out)?;
        let staged: Vec<String> = self.flags().iter().map(|flag| self.of_batch(flag, 0)).collect();
        self.predicates(out, "insert where", &staged)
    }

    pub(super) fn staged_merge(&self) -> Outcome<Vec<Facts>> {
        let load = self.load;
        let staging = load.staging.as_ref().ok_or("no temporary table")?;
        let mut stage = Facts::default();
        stage.push("create table", created(&staging.create, &staging.name));
        stage.push("select", format!("{}.*", load.names.b));
        self.batch_as_b(&mut stage, "from")?;
        self.unless_settled(&mut stage)?;
        let mut out = Facts::default();
        out.push("merge", load.target.clone());
        out.push("using", self.relation(&staging.name, &load.names.b));
        self.predicates(&mut out, "on", &load.same_key)?;
        out.push("when matched", "");
        self.sets(&mut out, "set", &load.updates, "")?;
        out.push("when not matched", "");
        self.insert_branch(&mut out)?;
        Ok(vec![stage, out])
    }

    /// The statement that fills the temporary table.
    pub(super) fn staged(&self) -> Outcome<Facts> {
        let staging = self.load.staging.as_ref().ok_or("no temporary table")?;
        let mut out = Facts::default();
        if staging.create.is_empty() {
            out.push("select into", staging.name.clone());
            out.push("select", format!("{}.*", self.load.names.b));
            let mut rows = Facts::default();
            self.with_flagged(&mut rows)?;
            out.push("from", self.derived(&self.load.names.b));
            out.nest("from", &rows);
        } else {
            out.push("create table", created(&staging.create, &staging.name));
            self.with_flagged(&mut out)?;
        }
        Ok(out)
    }

    /// The temporary table of the events that have no marker.
    pub(super) fn new_events(&self) -> Outcome<Facts> {
        let mut out = self.kept()?;
        self.absent(&mut out)?;
        Ok(out)
    }

    /// The batch in its temporary table.
    pub(super) fn kept(&self) -> Outcome<Facts> {
        let staging = self.load.staging.as_ref().ok_or("no temporary table")?;
        let mut out = Facts::default();
        if staging.create.is_empty() {
            out.push("select into", staging.name.clone());
        } else {
            out.push("create table", created(&staging.create, &staging.name));
        }
        out.push("select", format!("{}.*", self.load.names.b));
        self.batch_as_b(&mut out, "from")?;
        Ok(out)
    }

    /// The markers of the new events.
    pub(super) fn markers(&self) -> Outcome<Facts> {
        let mut out = self.insert("");
        self.select(&mut out, &self.load.inserts)?;
        out.push("from", self.staged_rows()?);
        Ok(out)
    }

    /// The temporary table as the batch.
    fn staged_rows(&self) -> Outcome<String> {
        let staging = self.load.staging.as_ref().ok_or("no temporary table")?;
        Ok(self.relation(&staging.name, &self.load.names.b))
    }

    /// The one row that names the batch by a digest of its rows.
    fn named_by_content(&self, out: &mut Facts, content: &Content) -> Outcome<()> {
        let names = &self.load.names;
        let (mut all, mut rows) = (Facts::default(), Facts::default());
        rows.push("select", format!("{} AS {}", self.scalar(&content.of_row)?, content.row));
        rows.push("from", self.staged_rows()?);
        all.push("select", format!("{} AS {}", self.scalar(&content.value)?, content.id));
        all.push("from", self.derived(&names.w));
        all.nest("from", &rows);
        self.predicates(&mut all, "having", &["COUNT(*) > 0".to_owned()])?;
        out.push("from", self.derived(&names.d));
        out.nest("from", &all);
        Ok(())
    }

    pub(super) fn update_insert(&self) -> Outcome<Vec<Facts>> {
        let load = self.load;
        let staging = load.staging.as_ref().ok_or("no temporary table")?;
        let shape = load.script.as_ref().ok_or("no script")?;
        let batch = self.relation(&staging.name, &load.names.b);
        let target_as_t = self.relation(&load.target, &load.names.t);
        let mut all = Vec::new();
        if let Some(vanished) = self.gone() {
            all.extend(self.lines(&vanished.bounds)?);
            let mut out = Facts::default();
            if shape.delete == "join" && !vanished.same_group.is_empty() {
                out.push("delete", load.names.t.clone());
                out.push("from", target_as_t.clone());
                out.push("from join", self.relation(&vanished.groups, &load.names.g));
                self.predicates(&mut out, "from join on", &vanished.same_group)?;
                self.predicates(&mut out, "where", std::slice::from_ref(&vanished.absent))?;
            } else {
                self.delete(&mut out, shape.delete);
                self.predicates(&mut out, "where", &vanished.scope)?;
                self.predicates(&mut out, "where", std::slice::from_ref(&vanished.absent))?;
            }
            all.push(out);
        }
        if let Some(deletion) = &load.deletion {
            let mut out = Facts::default();
            let mut when = vec![self.of_batch(&deletion.flag, 1)];
            when.extend(deletion.not_older.iter().cloned());
            if shape.delete == "join" {
                out.push("delete", load.names.t.clone());
                out.push("from", target_as_t.clone());
                out.push("from join", batch.clone());
                self.predicates(&mut out, "from join on", &load.same_key)?;
                self.predicates(&mut out, "where", &when)?;
            } else {
                self.delete(&mut out, shape.delete);
                let all = [load.same_key.clone(), when].concat().join(" AND ");
                self.predicates(&mut out, "where", &[format!("EXISTS (SELECT 1 FROM {batch} WHERE {all})")])?;
            }
            all.push(out);
        }
        if !load.updates.is_empty() {
            all.push(self.update(shape.update, &batch)?);
        }
        let mut out = self.insert("");
        self.select(&mut out, &load.inserts)?;
        out.push("from", batch);
        self.absent(&mut out)?;
        self.not_deleted(&mut out)?;
        all.push(out);
        Ok(all)
    }

    pub(super) fn update(&self, how: &str, batch: &str) -> Outcome<Facts> {
        let load = self.load;
        let mut out = Facts::default();
        match how {
            "join" => {
                out.push("update", load.target.clone());
                out.push(self.alias_place(), load.names.t.clone());
                out.push("update join", batch);
                self.predicates(&mut out, "update join on", &load.same_key)?;
                self.sets(&mut out, "set", &load.updates, &format!("{}.", load.names.t))?;
            }
            "alias_from" => {
                out.push("update", load.names.t.clone());
                self.sets(&mut out, "set", &load.updates, "")?;
                out.push("from", format!("{}{}", self.relation(&load.target, &load.names.t), load.probe_hint));
                out.push("from join", batch);
                self.predicates(&mut out, "from join on", &load.same_key)?;
            }
            _ => {
                out.push("update", load.target.clone());
                self.sets(&mut out, "set", &load.updates, "")?;
                out.push("from", batch);
                self.predicates(&mut out, "where", &load.same_key)?;
            }
        }
        self.predicates(&mut out, "where", &load.change)?;
        self.not_deleted(&mut out)?;
        Ok(out)
    }

    pub(super) fn anti_join(&self) -> Outcome<Facts> {
        let mut out = self.insert("");
        self.select(&mut out, &self.load.inserts)?;
        self.batch_as_b(&mut out, "from")?;
        self.absent(&mut out)?;
        Ok(out)
    }

    /// The note of every new batch, its rows, and the end of the note.
    pub(super) fn append_batch(&self) -> Outcome<Vec<Facts>> {
        let load = self.load;
        let once = load.once.as_ref().ok_or("no log")?;
        let mut note = Facts::default();
        note.push("insert", once.log.clone());
        once.columns.iter().for_each(|column| note.push("column", column.clone()));
        if once.content.is_none() {
            note.push("distinct", "");
        }
        self.select(&mut note, &once.values)?;
        match &once.content {
            None => self.from(&mut note, "from", &load.batch.source)?,
            Some(content) => self.named_by_content(&mut note, content)?,
        }
        let (log, noted) = (self.relation(&once.log, &load.names.o), once.noted.join(" AND "));
        self.predicates(&mut note, "where", &[format!("NOT EXISTS (SELECT 1 FROM {log} WHERE {noted})")])?;
        let mut rows = self.insert("");
        self.select(&mut rows, &load.inserts)?;
        if once.content.is_some() {
            rows.push("from", self.staged_rows()?);
            let open = once.open.join(" AND ");
            self.predicates(&mut rows, "where", &[format!("EXISTS (SELECT 1 FROM {log} WHERE {open})")])?;
        } else {
            self.batch_as_b(&mut rows, "from")?;
        }
        let mut close = Facts::default();
        close.push("update", once.log.clone());
        close.push("set", format!("{} = {}", once.loaded, self.scalar(&once.now)?));
        self.predicates(&mut close, "where", &once.closes)?;
        Ok(vec![note, rows, close])
    }

    pub(super) fn append_version(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert("");
        self.select(&mut out, &load.inserts)?;
        self.batch_as_b(&mut out, "from")?;
        self.unless_found(&mut out)?;
        Ok(out)
    }

    /// The columns of the target joined as o, where a miss may give defaults, and the rows that would change something.
    pub(super) fn unless_found(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        out.push("from left join", self.derived(&load.names.o));
        for column in &load.columns {
            out.push("from left join select", column.clone());
        }
        out.push("from left join select", format!("1 AS {}", load.hit));
        out.push("from left join from", self.probed());
        self.predicates(out, "from left join on", &load.same_key_probe)?;
        let settled = self.missing_or_changed();
        self.predicates(out, "where", &[settled])
    }
}
