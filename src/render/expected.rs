//! What the SQL of a plan must say, statement by statement, written down from the plan and not from the template.

use crate::dialect::Dialect;
use crate::dialect::mechanism::Form;
use crate::plan::load::{Assignment, Batch, Item, Load};
use crate::plan::{LINE_END, Plan};
use crate::sql::expression::{expression, query, scalar};
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;

/// Facts, or why the plan's own expressions cannot be read.
type Outcome<T> = Result<T, String>;

/// The facts of every statement, in order.
///
/// # Errors
/// When an expression of the plan cannot be read back: a fault of ours.
pub(super) fn expected(plan: &Plan) -> Outcome<Vec<Facts>> {
    let said = Said { load: &plan.load, dialect: plan.dialect };
    let mut all = said.lines(&plan.load.frame.open)?;
    let begin = said.lines(&plan.load.frame.begin)?;
    match plan.form {
        Form::UpdateInsert => {
            all.push(said.staged()?);
            all.extend(begin);
            all.extend(said.update_insert()?);
        }
        form => {
            all.extend(begin);
            all.extend(match form {
                Form::OnConflict => vec![said.on_conflict()?],
                Form::OnDuplicateKey => vec![said.on_duplicate_key()?],
                Form::Merge => vec![said.merge()?],
                Form::StagedMerge => said.staged_merge()?,
                Form::AntiJoin => vec![said.anti_join()?],
                Form::AppendVersion => vec![said.append_version()?],
                Form::UpdateInsert => Vec::new(),
            });
        }
    }
    all.extend(said.lines(&plan.load.frame.close)?);
    Ok(all)
}

/// Writes down what a load says.
struct Said<'a> {
    load: &'a Load,
    dialect: &'a Dialect,
}

impl Said<'_> {
    // ---- statements

    /// Statements that stand in the plan as they are.
    fn lines(&self, lines: &[String]) -> Outcome<Vec<Facts>> {
        let mut all = Vec::new();
        for line in lines {
            let line = restored(line);
            let parsed = parse(&line, self.dialect).map_err(|fault| format!("{line}: {}", fault.message))?;
            all.extend(parsed.iter().map(facts));
        }
        Ok(all)
    }

    fn on_conflict(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert(&load.alias);
        if load.rows.is_empty() {
            self.select(&mut out, &load.inserts)?;
            self.batch_as_b(&mut out, "from")?;
            self.unless_settled(&mut out)?;
            self.order_by_key(&mut out);
        } else {
            for row in &load.rows {
                let row = row.iter().map(|value| self.scalar(value)).collect::<Outcome<Vec<_>>>()?;
                out.push("values", row.join(", "));
            }
        }
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

    fn on_duplicate_key(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert("");
        self.select(&mut out, &load.inserts)?;
        self.batch_as_b(&mut out, "from")?;
        self.unless_settled(&mut out)?;
        self.order_by_key(&mut out);
        if load.updates.is_empty() {
            let first = load.key.first().map_or("", String::as_str);
            out.push("duplicate key set", format!("{first} = {}.{first}", load.me));
        } else {
            self.sets(&mut out, "duplicate key set", &load.updates, "")?;
        }
        Ok(out)
    }

    fn merge(&self) -> Outcome<Facts> {
        let load = self.load;
        let shape = load.merge.as_ref().ok_or("no MERGE syntax")?;
        let mut out = Facts::default();
        let mut batch = Facts::default();
        self.reduced(&mut batch)?;
        let with = |out: &mut Facts| {
            out.push("with", "batch");
            out.nest("with batch", &batch);
        };
        if load.vanished.is_some() && shape.with_before {
            with(&mut out);
        }
        out.push("merge", load.target.clone());
        self.alias(&mut out);
        if !shape.hint.is_empty() {
            out.push("hint", hint_words(&shape.hint));
        }
        if let Some(vanished) = &load.vanished {
            let mut using = Facts::default();
            if !shape.with_before {
                with(&mut using);
            }
            for item in &load.batch.items {
                using.push("select", format!("b.{}", item.name));
            }
            using.push("select", format!("0 AS {}", vanished.flag));
            using.push("from", self.relation("batch", "b"));
            using.push("union all", "");
            for item in &vanished.items {
                using.push("select", self.scalar(&item.value)?);
            }
            using.push("select", "1");
            using.push("from", self.relation(&load.target, "o"));
            self.predicates(&mut using, "where", &vanished.scope)?;
            self.predicates(&mut using, "where", std::slice::from_ref(&vanished.absent))?;
            out.push("using", self.derived("b"));
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

    /// Branches with their conditions behind WHEN.
    fn branches(&self, out: &mut Facts, not_matched: &str) -> Outcome<()> {
        let load = self.load;
        if let Some(vanished) = &load.vanished {
            self.branch(out, "when matched", &[format!("b.{} = 1", vanished.flag)])?;
            out.push("delete", "");
        }
        if let Some(deletion) = &load.deletion {
            let mut when = vec![format!("b.{} = 1", deletion.flag)];
            when.extend(deletion.not_older.iter().cloned());
            self.branch(out, "when matched", &when)?;
            out.push("delete", "");
        }
        if !load.updates.is_empty() {
            let mut when: Vec<String> =
                load.deletion.iter().map(|deletion| format!("b.{} = 0", deletion.flag)).collect();
            when.extend(load.change.iter().cloned());
            self.branch(out, "when matched", &when)?;
            self.sets(out, "set", &load.updates, "")?;
        }
        let staged: Vec<String> = self.flags().iter().map(|flag| format!("b.{flag} = 0")).collect();
        self.branch(out, &not_matched.to_lowercase(), &staged)?;
        self.insert_branch(out)
    }

    /// Branches with their conditions behind the action.
    fn branches_where(&self, out: &mut Facts, not_matched: &str) -> Outcome<()> {
        let load = self.load;
        if !load.updates.is_empty() {
            out.push("when matched", "");
            self.sets(out, "set", &load.updates, "")?;
            let mut gone: Vec<String> =
                load.vanished.iter().map(|vanished| format!("b.{} = 1", vanished.flag)).collect();
            let delete: Vec<String> = self.flags().iter().map(|flag| format!("b.{flag} = 1")).collect();
            gone.extend(load.deletion.iter().map(|deletion| {
                let mut when = vec![format!("b.{} = 1", deletion.flag)];
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
        let staged: Vec<String> = self.flags().iter().map(|flag| format!("b.{flag} = 0")).collect();
        self.predicates(out, "insert where", &staged)
    }

    fn staged_merge(&self) -> Outcome<Vec<Facts>> {
        let load = self.load;
        let staging = load.staging.as_ref().ok_or("no temporary table")?;
        let mut stage = Facts::default();
        stage.push("create table", created(&staging.create, &staging.name));
        stage.push("select", "b.*");
        self.batch_as_b(&mut stage, "from")?;
        self.unless_settled(&mut stage)?;
        let mut out = Facts::default();
        out.push("merge", load.target.clone());
        out.push("using", self.relation(&staging.name, "b"));
        self.predicates(&mut out, "on", &load.same_key)?;
        out.push("when matched", "");
        self.sets(&mut out, "set", &load.updates, "")?;
        out.push("when not matched", "");
        self.insert_branch(&mut out)?;
        Ok(vec![stage, out])
    }

    /// The statement that fills the temporary table.
    fn staged(&self) -> Outcome<Facts> {
        let staging = self.load.staging.as_ref().ok_or("no temporary table")?;
        let mut out = Facts::default();
        if staging.create.is_empty() {
            out.push("select into", staging.name.clone());
            out.push("select", "b.*");
            self.derived_batch(&mut out, "from")?;
        } else {
            out.push("create table", created(&staging.create, &staging.name));
            self.reduced(&mut out)?;
        }
        Ok(out)
    }

    fn update_insert(&self) -> Outcome<Vec<Facts>> {
        let load = self.load;
        let staging = load.staging.as_ref().ok_or("no temporary table")?;
        let shape = load.script.as_ref().ok_or("no script")?;
        let batch = self.relation(&staging.name, "b");
        let target_as_t = self.relation(&load.target, "t");
        let mut all = Vec::new();
        if let Some(vanished) = &load.vanished {
            all.extend(self.lines(&vanished.bounds)?);
            let mut out = Facts::default();
            if shape.delete == "join" && !vanished.same_group.is_empty() {
                out.push("delete", "t");
                out.push("from", target_as_t.clone());
                out.push("from join", self.derived("v"));
                let mut keys = Facts::default();
                for key in &vanished.key {
                    keys.push("select", self.scalar(key)?);
                }
                keys.push("from", self.relation(&load.target, "o"));
                keys.push("from join", batch.clone());
                self.predicates(&mut keys, "from join on", &vanished.same_group)?;
                for key in &vanished.key {
                    keys.push("group by", self.scalar(key)?);
                }
                let same = load.same_key_probe.join(" AND ");
                self.predicates(&mut keys, "having", &[format!("MAX(CASE WHEN {same} THEN 1 ELSE 0 END) = 0")])?;
                out.nest("from join", &keys);
                self.predicates(&mut out, "from join on", &vanished.same_key)?;
            } else {
                self.delete(&mut out, shape.delete);
                self.predicates(&mut out, "where", &vanished.scope)?;
                self.predicates(&mut out, "where", std::slice::from_ref(&vanished.absent))?;
            }
            all.push(out);
        }
        if let Some(deletion) = &load.deletion {
            let mut out = Facts::default();
            let mut when = vec![format!("b.{} = 1", deletion.flag)];
            when.extend(deletion.not_older.iter().cloned());
            if shape.delete == "join" {
                out.push("delete", "t");
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

    fn update(&self, how: &str, batch: &str) -> Outcome<Facts> {
        let load = self.load;
        let mut out = Facts::default();
        match how {
            "join" => {
                out.push("update", load.target.clone());
                out.push(self.alias_place(), "t");
                out.push("update join", batch);
                self.predicates(&mut out, "update join on", &load.same_key)?;
                self.sets(&mut out, "set", &load.updates, "t.")?;
            }
            "alias_from" => {
                out.push("update", "t");
                self.sets(&mut out, "set", &load.updates, "")?;
                out.push("from", format!("{}{}", self.relation(&load.target, "t"), load.probe_hint));
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

    fn anti_join(&self) -> Outcome<Facts> {
        let mut out = self.insert("");
        self.select(&mut out, &self.load.inserts)?;
        self.batch_as_b(&mut out, "from")?;
        self.absent(&mut out)?;
        Ok(out)
    }

    fn append_version(&self) -> Outcome<Facts> {
        let load = self.load;
        let mut out = self.insert("");
        self.select(&mut out, &load.inserts)?;
        self.batch_as_b(&mut out, "from")?;
        out.push("from left join", self.derived("o"));
        for column in &load.columns {
            out.push("from left join select", column.clone());
        }
        out.push("from left join select", format!("1 AS {}", load.hit));
        out.push("from left join from", self.probed());
        self.predicates(&mut out, "from left join on", &load.same_key_probe)?;
        let settled = self.missing_or_changed();
        self.predicates(&mut out, "where", &[settled])?;
        Ok(out)
    }

    // ---- parts of statements

    /// `INSERT INTO target alias (columns)`.
    fn insert(&self, alias: &str) -> Facts {
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
    fn alias(&self, out: &mut Facts) {
        if !self.load.alias.is_empty() {
            out.push(self.alias_place(), self.load.me.clone());
        }
    }

    fn alias_place(&self) -> &'static str {
        if self.load.as_word.is_empty() { "alias without AS" } else { "alias" }
    }

    /// `DELETE FROM target`, in the way of the dialect.
    fn delete(&self, out: &mut Facts, how: &str) {
        if how == "exists" {
            out.push("delete", self.load.target.clone());
            self.alias(out);
        } else {
            out.push("delete", "t");
            out.push("from", self.relation(&self.load.target, "t"));
        }
    }

    fn select(&self, out: &mut Facts, values: &[String]) -> Outcome<()> {
        for value in values {
            out.push("select", self.scalar(value)?);
        }
        Ok(())
    }

    /// The batch as a relation called b.
    fn batch_as_b(&self, out: &mut Facts, place: &str) -> Outcome<()> {
        if self.load.batch.bare {
            self.from(out, place, &self.load.batch.source)
        } else {
            self.derived_batch(out, place)
        }
    }

    fn derived_batch(&self, out: &mut Facts, place: &str) -> Outcome<()> {
        let mut batch = Facts::default();
        self.reduced(&mut batch)?;
        out.push(place, self.derived("b"));
        out.nest(place, &batch);
        Ok(())
    }

    /// The staged rows, at most one per key.
    fn reduced(&self, out: &mut Facts) -> Outcome<()> {
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
                let mut ranked = Facts::default();
                self.items(&mut ranked, &batch.items)?;
                ranked.push("select", format!("{} AS {}", self.scalar(&over)?, reduce.rank));
                self.taken(&mut ranked, batch)?;
                batch.items.iter().for_each(|item| out.push("select", format!("d.{}", item.name)));
                out.push("from", self.derived("d"));
                out.nest("from", &ranked);
                out.push("where", format!("d.{} = 1", reduce.rank));
            }
        }
        Ok(())
    }

    fn items(&self, out: &mut Facts, items: &[Item]) -> Outcome<()> {
        for item in items {
            let value = self.scalar(&item.value)?;
            out.push("select", if item.plain { value } else { format!("{value} AS {}", item.name) });
        }
        Ok(())
    }

    fn taken(&self, out: &mut Facts, batch: &Batch) -> Outcome<()> {
        self.from(out, "from", &batch.source)?;
        self.predicates(out, "where", &batch.filter)
    }

    /// A relation of the plan, which may be a whole query of the user.
    fn from(&self, out: &mut Facts, place: &str, source: &str) -> Outcome<()> {
        let text = restored(&format!("SELECT 1 FROM {source}"));
        let read = query(&text, self.dialect).map_err(|fault| format!("{text}: {}", fault.message))?;
        for fact in read.lines().iter().filter(|fact| fact.place.starts_with("from")) {
            out.push(fact.place.replacen("from", place, 1), fact.text.clone());
        }
        Ok(())
    }

    /// The target joined as o, and the rows that would change something.
    fn unless_settled(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        if load.change_probe.is_empty() {
            return Ok(());
        }
        out.push("from left join", self.relation(&load.target, "o"));
        self.predicates(out, "from left join on", &load.same_key_probe)?;
        let settled = self.missing_or_changed();
        self.predicates(out, "where", &[settled])
    }

    /// A batch row that has no target row, or would change it.
    fn missing_or_changed(&self) -> String {
        let load = self.load;
        match load.change_probe.as_slice() {
            [one] => format!("{} OR {one}", load.missing),
            all => format!("{} OR ({})", load.missing, all.join(" AND ")),
        }
    }

    /// The key is not in the target.
    fn absent(&self, out: &mut Facts) -> Outcome<()> {
        let load = self.load;
        if load.absent == "not_exists" {
            let same = load.same_key_probe.join(" AND ");
            let target = format!("{}{}", self.relation(&load.target, "o"), load.probe_hint);
            return self.predicates(out, "where", &[format!("NOT EXISTS (SELECT 1 FROM {target} WHERE {same})")]);
        }
        out.push("from left join", self.derived("o"));
        load.key.iter().for_each(|key| out.push("from left join select", key.clone()));
        out.push("from left join select", format!("1 AS {}", load.hit));
        out.push("from left join from", self.probed());
        self.predicates(out, "from left join on", &load.same_key_probe)?;
        self.predicates(out, "where", &[format!("COALESCE(o.{}, 0) = 0", load.hit)])?;
        Ok(())
    }

    /// The target where it is probed in a subquery of its own.
    fn probed(&self) -> String {
        format!("{}{}", self.load.target, self.load.probe_hint)
    }

    fn not_deleted(&self, out: &mut Facts) -> Outcome<()> {
        let staged: Vec<String> =
            self.load.deletion.iter().map(|deletion| format!("b.{} = 0", deletion.flag)).collect();
        self.predicates(out, "where", &staged)
    }

    /// The batch columns that mark a row which is not to be inserted.
    fn flags(&self) -> Vec<&str> {
        let vanished = self.load.vanished.iter().map(|vanished| vanished.flag.as_str());
        vanished.chain(self.load.deletion.iter().map(|deletion| deletion.flag.as_str())).collect()
    }

    fn branch(&self, out: &mut Facts, place: &str, when: &[String]) -> Outcome<()> {
        let when = if when.is_empty() { String::new() } else { self.scalar(&when.join(" AND "))? };
        out.push(place, when);
        Ok(())
    }

    fn insert_branch(&self, out: &mut Facts) -> Outcome<()> {
        self.load.columns.iter().for_each(|column| out.push("insert column", column.clone()));
        for value in &self.load.inserts {
            out.push("insert value", self.scalar(value)?);
        }
        Ok(())
    }

    fn sets(&self, out: &mut Facts, place: &str, updates: &[Assignment], before: &str) -> Outcome<()> {
        for update in updates {
            out.push(place, format!("{before}{} = {}", update.column, self.scalar(&update.value)?));
        }
        Ok(())
    }

    fn order_by(&self, out: &mut Facts, items: &[String]) -> Outcome<()> {
        for item in items {
            let (value, direction) = match item.split_once(" DESC") {
                Some((value, nulls)) => (value, format!(" DESC{nulls}")),
                None => (item.as_str(), String::new()),
            };
            out.push("order by", format!("{}{direction}", self.scalar(value)?));
        }
        Ok(())
    }

    fn order_by_key(&self, out: &mut Facts) {
        self.load.key.iter().for_each(|key| out.push("order by", format!("b.{key}")));
    }

    fn predicates(&self, out: &mut Facts, place: &str, predicates: &[String]) -> Outcome<()> {
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
    fn scalar(&self, text: &str) -> Outcome<String> {
        let text = restored(text);
        scalar(&text, self.dialect).map_err(|fault| format!("{text}: {}", fault.message))
    }

    fn relation(&self, name: &str, alias: &str) -> String {
        format!("{name} {}{alias}", self.load.as_word)
    }

    fn derived(&self, alias: &str) -> String {
        format!("(..) {}{alias}", self.load.as_word)
    }
}

/// The text as it is written: with its own line ends.
fn restored(text: &str) -> String {
    text.replace(LINE_END, "\n")
}

/// `CREATE TEMP TABLE` and a name, as the facts of the statement say it.
fn created(create: &str, name: &str) -> String {
    let temporary = create.contains("TEMP");
    let replace = create.contains("OR REPLACE");
    format!("{}{}{name}", if replace { "OR REPLACE " } else { "" }, if temporary { "TEMP " } else { "" })
}

/// The words of a hint without `WITH` and brackets.
fn hint_words(hint: &str) -> String {
    hint.trim().trim_start_matches("WITH").trim().trim_start_matches('(').trim_end_matches(')').to_owned()
}
