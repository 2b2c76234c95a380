//! Whether the source of an INSERT leaves out what the target holds already, in each of the forms that people write.

use crate::sql::clause::{
    Body, Common, ConflictAction, Inner, Insert, Join, Mode, Query, Relation, Select, Source, Table, Verb, read,
};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql, same_table};

/// How a guard is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `NOT EXISTS (SELECT ..)`
    NotExists,
    /// `LEFT JOIN t .. WHERE t.id IS NULL`
    LeftJoin,
    /// `ANTI JOIN t`
    AntiJoin,
    /// `EXCEPT SELECT .. FROM t`, `MINUS`
    Except,
    /// `NOT IN (SELECT .. FROM t)`
    NotIn,
    /// `(SELECT count(*) FROM t ..) = 0`
    Count,
    /// `HAVING count(t.id) = 0`
    Having,
    /// `ts > (SELECT max(ts) FROM t)`
    Watermark,
    /// The rows come out of a change of the same statement that gives them once: a claim, a DELETE.
    Claim,
}

impl Form {
    /// Its words in SQL.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotExists => "NOT EXISTS",
            Self::LeftJoin => "LEFT JOIN .. IS NULL",
            Self::AntiJoin => "ANTI JOIN",
            Self::Except => "EXCEPT",
            Self::NotIn => "NOT IN",
            Self::Count => "count",
            Self::Having => "HAVING count",
            Self::Watermark => "the high watermark",
            Self::Claim => "RETURNING",
        }
    }
}

/// A guard that was found.
#[derive(Clone, Debug)]
pub struct AntiJoin<'a> {
    /// How it is written.
    pub form: Form,
    /// Where it stands.
    pub sql: Sql<'a>,
    /// The table that it looks at, behind all WITH entries; the target's where it looks at that.
    pub table: Option<Name<'a>>,
    /// It looks at the target of the INSERT.
    pub target: bool,
    /// It looks at a table that the rows come from: it picks among the source's rows.
    pub source: bool,
    /// The column that it compares with itself, so that it is true of every row or of none.
    pub itself: Option<Sql<'a>>,
}

/// What is found of an INSERT.
#[derive(Clone, Debug, Default)]
pub struct AntiJoins<'a> {
    /// Every guard, whatever it looks at.
    pub all: Vec<AntiJoin<'a>>,
    /// Every row of the source passes a guard that looks at the target.
    pub guarded: bool,
    /// The tables that the rows come from.
    pub sources: Vec<Name<'a>>,
}

/// WITH entries behind WITH entries beyond this are left alone; a recursive one refers to itself.
const HOPS: usize = 12;

/// Looks for guards in the source of an INSERT. `aliases` are other names of tables: (name, table).
pub fn of<'a>(insert: &Insert<'a>, aliases: &[(String, String)]) -> AntiJoins<'a> {
    let Source::Query(query) = &insert.source else { return AntiJoins::default() };
    let mut finder = Finder { target: insert.target, aliases, all: Vec::new() };
    let scope: Vec<&Common<'a>> = insert.with.iter().collect();
    let guarded = finder.query(query, &scope, HOPS);
    let mut sources = Vec::new();
    driving(query, &scope, HOPS, &mut sources);
    let mut all = finder.all;
    for one in &mut all {
        one.source = one.table.is_some_and(|table| sources.iter().any(|source| source.key() == table.key()));
    }
    AntiJoins { all, guarded, sources }
}

/// The tables that a query reads, behind all WITH entries; those of subqueries in expressions are left out.
pub fn tables<'a>(query: &Query<'a>, scope: &[&Common<'a>], hops: usize, out: &mut Vec<Name<'a>>) {
    let scope: Vec<&Common<'a>> = scope.iter().copied().chain(&query.with).collect();
    for (_, body) in &query.branches {
        match body {
            Body::Select(select) => select.from.iter().for_each(|one| relation_tables(one, &scope, hops, out)),
            Body::Query(inner) => tables(inner, &scope, hops, out),
            Body::Table(name) => name_tables(*name, &scope, hops, out),
            Body::Values(_) => {}
        }
    }
}

/// The tables that the rows of a query come from: not those that a LEFT JOIN looks up.
fn driving<'a>(query: &Query<'a>, scope: &[&Common<'a>], hops: usize, out: &mut Vec<Name<'a>>) {
    let scope: Vec<&Common<'a>> = scope.iter().copied().chain(&query.with).collect();
    for (word, body) in &query.branches {
        match body {
            _ if matches!(word.as_str(), "except" | "minus" | "intersect") => {}
            Body::Select(select) => {
                for one in select.from.iter().filter(|one| !matches!(one.join, Join::Left | Join::Anti)) {
                    match &one.table {
                        Table::Query(inner) => driving(inner, &scope, hops, out),
                        Table::Name(name) => match common(*name, &scope) {
                            Some(Common { inner: Inner::Query(inner), .. }) if hops > 0 => {
                                driving(inner, &scope, hops - 1, out);
                            }
                            _ => name_tables(*name, &scope, hops, out),
                        },
                        Table::Other => {}
                    }
                }
            }
            Body::Query(inner) => driving(inner, &scope, hops, out),
            Body::Table(name) => name_tables(*name, &scope, hops, out),
            Body::Values(_) => {}
        }
    }
}

fn relation_tables<'a>(one: &Relation<'a>, scope: &[&Common<'a>], hops: usize, out: &mut Vec<Name<'a>>) {
    match &one.table {
        Table::Name(name) => name_tables(*name, scope, hops, out),
        Table::Query(inner) => tables(inner, scope, hops, out),
        Table::Other => {}
    }
}

fn name_tables<'a>(name: Name<'a>, scope: &[&Common<'a>], hops: usize, out: &mut Vec<Name<'a>>) {
    match common(name, scope) {
        Some(_) if hops == 0 => {}
        Some(Common { inner: Inner::Query(query), .. }) => tables(query, scope, hops - 1, out),
        Some(Common { inner: Inner::Change(verb), .. }) => out.extend(changed(verb)),
        None => out.push(name),
    }
}

/// The WITH entry that a name means; a later one hides an earlier one.
pub fn common<'s, 'a>(name: Name<'_>, scope: &[&'s Common<'a>]) -> Option<&'s Common<'a>> {
    if name.qualifier().is_some() {
        return None;
    }
    let last = name.last();
    scope.iter().rev().copied().find(|common| common.name == last)
}

/// The table that a statement changes.
fn changed<'a>(verb: &Verb<'a>) -> Option<Name<'a>> {
    match verb {
        Verb::Insert(insert) => Some(insert.target),
        Verb::Update(update) => Some(update.table()),
        Verb::Delete(delete) => Some(delete.table()),
        Verb::Merge(merge) => Some(merge.target),
        _ => None,
    }
}

/// A query in brackets, read.
pub(super) fn subquery(inside: Sql<'_>) -> Option<Query<'_>> {
    let bare = inside.bare();
    if !bare.is_any(0, &["select", "with", "table", "values"]) {
        return None;
    }
    match read(bare) {
        Ok(Verb::Query(query)) => Some(*query),
        _ => None,
    }
}

struct Finder<'f, 'a> {
    target: Name<'a>,
    aliases: &'f [(String, String)],
    all: Vec<AntiJoin<'a>>,
}

impl<'a> Finder<'_, 'a> {
    fn is_target(&self, name: Name<'a>) -> bool {
        if name.may_be(self.target) {
            return true;
        }
        let (key, target) = (name.key(), self.target.key());
        self.aliases
            .iter()
            .any(|(alias, table)| same_table(&alias.to_lowercase(), &key) && same_table(&table.to_lowercase(), &target))
    }

    /// Notes a guard; true when it looks at the target.
    fn note(&mut self, form: Form, sql: Sql<'a>, looked: &[Name<'a>], itself: Option<Sql<'a>>) -> bool {
        let target = looked.iter().copied().find(|name| self.is_target(*name));
        let table = target.or_else(|| looked.first().copied());
        self.all.push(AntiJoin { form, sql, table, target: target.is_some(), source: false, itself });
        target.is_some()
    }

    /// True when every row of the query passed a guard.
    fn query(&mut self, query: &Query<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        let scope: Vec<&Common<'a>> = scope.iter().copied().chain(&query.with).collect();
        let mut guarded = false;
        for (at, (word, body)) in query.branches.iter().enumerate() {
            match word.as_str() {
                "except" | "minus" => {
                    let mut looked = Vec::new();
                    let sql = match body {
                        Body::Select(select) => {
                            select.from.iter().for_each(|one| relation_tables(one, &scope, hops, &mut looked));
                            select.sql
                        }
                        Body::Query(inner) => {
                            tables(inner, &scope, hops, &mut looked);
                            inner.sql
                        }
                        Body::Table(name) => {
                            name_tables(*name, &scope, hops, &mut looked);
                            name.sql
                        }
                        Body::Values(_) => continue,
                    };
                    guarded |= self.note(Form::Except, sql, &looked, None);
                }
                "intersect" => {}
                _ => {
                    let this = self.body(body, &scope, hops);
                    guarded = this && (guarded || at == 0);
                }
            }
        }
        guarded
    }

    fn body(&mut self, body: &Body<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        match body {
            Body::Select(select) => self.select(select, scope, hops),
            Body::Query(inner) => self.query(inner, scope, hops),
            Body::Table(name) => self.entry(*name, scope, hops),
            Body::Values(_) => false,
        }
    }

    /// A WITH entry that the rows come from.
    fn entry(&mut self, name: Name<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        match common(name, scope) {
            _ if hops == 0 => false,
            Some(Common { inner: Inner::Query(query), .. }) => self.query(query, scope, hops - 1),
            Some(Common { inner: Inner::Change(verb), .. }) => {
                let once = self.gives_once(verb);
                if once {
                    self.note(Form::Claim, name.sql, &[self.target], None);
                }
                once
            }
            None => false,
        }
    }

    /// A change of the same statement whose RETURNING gives each row in one run only: a DELETE, an INSERT that skips what
    /// is there, an UPDATE that looks at what it sets.
    fn gives_once(&self, verb: &Verb<'a>) -> bool {
        match verb {
            Verb::Delete(_) => true,
            Verb::Insert(insert) => {
                let skips = insert.mode == Mode::Ignore
                    || insert
                        .conflict
                        .as_ref()
                        .is_some_and(|conflict| matches!(conflict.action, ConflictAction::Nothing));
                skips || of(insert, self.aliases).guarded
            }
            Verb::Update(update) => {
                update.filter.is_some_and(|filter| update.sets.iter().any(|set| filter.names_column(&set.column)))
            }
            _ => false,
        }
    }

    fn select(&mut self, select: &Select<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        let mut guarded = false;
        for one in &select.from {
            match (one.join, &one.table) {
                (Join::Anti, _) => {
                    let mut looked = Vec::new();
                    relation_tables(one, scope, hops, &mut looked);
                    guarded |= self.note(Form::AntiJoin, one.sql, &looked, None);
                }
                (Join::None | Join::Inner, Table::Query(inner)) => guarded |= self.query(inner, scope, hops),
                (Join::None | Join::Inner, Table::Name(name)) => guarded |= self.entry(*name, scope, hops),
                _ => {}
            }
        }
        for filter in [select.filter, select.having, select.qualify].into_iter().flatten() {
            for part in filter.conjuncts() {
                guarded |= self.condition(part, select, scope, hops);
            }
        }
        // A condition of an inner join is one of WHERE.
        for on in select.from.iter().filter(|one| one.join == Join::Inner).filter_map(|one| one.on) {
            for part in on.conjuncts().into_iter().filter(|part| part.mentions("select")) {
                guarded |= self.condition(part, select, scope, hops);
            }
        }
        guarded
    }

    /// One part of a condition.
    fn condition(&mut self, part: Sql<'a>, select: &Select<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        let part = part.bare();
        if part.top().any(|at| part.is(at, "or")) {
            return self.either(part, select, scope, hops);
        }
        if let Some(name) = null_test(part) {
            return self.outer(name, part, select, scope, hops, Form::LeftJoin);
        }
        if let Some(name) = zero_count(part) {
            return self.outer(name, part, select, scope, hops, Form::Having);
        }
        let Some((form, inside)) = negative(part) else {
            return claims(part) && self.positive(part, scope, hops);
        };
        let Some(query) = subquery(inside) else { return false };
        let mut looked = Vec::new();
        tables(&query, scope, hops, &mut looked);
        // `(SELECT count(*) FROM ..)` of no table, a list of values.
        if looked.is_empty() {
            return false;
        }
        let itself = if form == Form::NotExists { compares_itself(&query) } else { None };
        self.note(form, part, &looked, itself)
    }

    /// `t.id IS NULL OR t.v <> s.v`: rows that are missing or differ. Each part must look at the target.
    fn either(&mut self, part: Sql<'a>, select: &Select<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        let before = self.all.len();
        let parts = part.disjuncts();
        let called: Vec<String> = select
            .from
            .iter()
            .filter(|one| {
                let mut looked = Vec::new();
                relation_tables(one, scope, hops, &mut looked);
                looked.iter().any(|name| self.is_target(*name))
            })
            .filter_map(Relation::called)
            .collect();
        let mut missing = false;
        let mut rest = true;
        for one in parts {
            let found = one.conjuncts().into_iter().any(|inner| self.condition(inner, select, scope, hops));
            missing |= found;
            rest &= found || one.names().any(|name| name.qualifier().is_some_and(|q| called.contains(&q)));
        }
        let guarded = missing && rest;
        if !guarded {
            self.all.truncate(before);
        }
        guarded
    }

    /// A column of an outer-joined relation is null.
    fn outer(
        &mut self,
        name: Name<'a>,
        part: Sql<'a>,
        select: &Select<'a>,
        scope: &[&Common<'a>],
        hops: usize,
        form: Form,
    ) -> bool {
        let qualifier = name.qualifier();
        let tested = |one: &Relation<'a>| match &qualifier {
            Some(qualifier) => one.called().as_ref() == Some(qualifier),
            None => one.called().is_some_and(|called| called == name.last()),
        };
        for (at, one) in select.from.iter().enumerate() {
            let outer = matches!(one.join, Join::Left | Join::Full)
                || select.from.iter().skip(at + 1).any(|later| matches!(later.join, Join::Right | Join::Full));
            if !outer {
                continue;
            }
            let mut looked = Vec::new();
            relation_tables(one, scope, hops, &mut looked);
            let target = looked.iter().any(|name| self.is_target(*name));
            if tested(one) || (qualifier.is_none() && target) {
                return self.note(form, part, &looked, None);
            }
        }
        false
    }

    /// `EXISTS (SELECT 1 FROM claim)`, `id IN (SELECT id FROM claim)`.
    fn positive(&mut self, part: Sql<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        let Some(open) = part.top().filter(|at| part.kind(*at) == Some(Kind::Open)).last() else { return false };
        let Some(query) = subquery(part.inside(open)) else { return false };
        query
            .selects()
            .into_iter()
            .flat_map(|select| &select.from)
            .any(|one| matches!(&one.table, Table::Name(name) if self.change_entry(*name, scope, hops)))
    }

    fn change_entry(&mut self, name: Name<'a>, scope: &[&Common<'a>], hops: usize) -> bool {
        matches!(common(name, scope), Some(Common { inner: Inner::Change(_), .. })) && self.entry(name, scope, hops)
    }
}

/// A condition that may ask for the rows of a change of the same statement.
fn claims(part: Sql<'_>) -> bool {
    part.is(0, "exists") || part.top().any(|at| part.is(at, "in") && part.kind(at + 1) == Some(Kind::Open))
}

/// `t.id IS NULL`, `t.id ISNULL`, `coalesce(t.id, 0) = 0`
pub(super) fn null_test(part: Sql<'_>) -> Option<Name<'_>> {
    if part.is(0, "coalesce") || part.is_any(0, &["isnull", "ifnull", "nvl"]) {
        let first = part.inside(1).commas().into_iter().next()?;
        let equals = part.after(1);
        return (part.symbol(equals, "=") && part.from(equals + 1).is_literal()).then(|| first.as_name()).flatten();
    }
    let (name, end) = part.name(0)?;
    let null =
        part.len() == end + 2 && part.words(end, &["is", "null"]) || part.len() == end + 1 && part.is(end, "isnull");
    null.then_some(name)
}

/// `count(t.id) = 0`, `max(t.id) IS NULL`
fn zero_count(part: Sql<'_>) -> Option<Name<'_>> {
    if part.kind(1) != Some(Kind::Open) || !part.is_any(0, &["count", "max", "min", "sum"]) {
        return None;
    }
    let rest = part.from(part.after(1));
    let none = rest.words(0, &["is", "null"])
        || (rest.symbol(0, "=") && rest.text(1) == "0")
        || (rest.symbol(0, "<") && rest.text(1) == "1");
    let inside = part.inside(1);
    let inside = if inside.is(0, "distinct") { inside.from(1) } else { inside };
    none.then(|| inside.as_name()).flatten()
}

/// The form of a condition that holds where a query finds nothing, and what stands in the query's brackets.
pub fn negative(part: Sql<'_>) -> Option<(Form, Sql<'_>)> {
    let open = |at: usize| part.kind(at) == Some(Kind::Open);
    if part.words(0, &["not", "exists"]) && open(2) {
        return Some((Form::NotExists, part.inside(2)));
    }
    if part.is(0, "not") && open(1) && part.after(1) == part.len() {
        let inner = part.inside(1).bare();
        if inner.is(0, "exists") {
            return Some((Form::NotExists, inner.inside(1)));
        }
        let at = inner.top().find(|at| inner.is(*at, "in"))?;
        return Some((Form::NotIn, inner.inside(at + 1)));
    }
    if part.is(0, "not") {
        let at = part.top().find(|at| part.is(*at, "in") && open(at + 1))?;
        return Some((Form::NotIn, part.inside(at + 1)));
    }
    if part.is(0, "exists") && open(1) {
        let rest = part.from(part.after(1));
        let none = (rest.symbol(0, "=") && (rest.is(1, "false") || rest.text(1) == "0"))
            || rest.words(0, &["is", "false"])
            || rest.words(0, &["is", "not", "true"]);
        return none.then(|| (Form::NotExists, part.inside(1)));
    }
    if let Some(at) = part.top().find(|at| part.words(*at, &["not", "in"]) && open(at + 2)) {
        return Some((Form::NotIn, part.inside(at + 2)));
    }
    let unequal = |at: usize| part.symbol(at, "<>") || part.symbol(at, "!=");
    if let Some(at) = part.top().find(|at| unequal(*at) && part.is(at + 1, "all") && open(at + 2)) {
        return Some((Form::NotIn, part.inside(at + 2)));
    }
    if open(0) && part.inside(0).bare().is_any(0, &["select", "with"]) {
        let rest = part.from(part.after(0));
        let none = rest.words(0, &["is", "null"])
            || (rest.symbol(0, "=") && rest.text(1) == "0")
            || (rest.symbol(0, "<") && rest.text(1) == "1");
        if none {
            return Some((Form::Count, part.inside(0)));
        }
    }
    if part.text(0) == "0" && part.symbol(1, "=") && open(2) {
        return Some((Form::Count, part.inside(2)));
    }
    watermark(part)
}

/// `ts > (SELECT max(ts) FROM t)`: strictly later than all that is there.
fn watermark(part: Sql<'_>) -> Option<(Form, Sql<'_>)> {
    let at = part.top().find(|at| part.symbol(*at, ">") || part.symbol(*at, "<"))?;
    let side = if part.symbol(at, ">") { part.from(at + 1) } else { part.slice(0..at) };
    // Less an overlap the same rows come again; the query may stand in COALESCE.
    if !(side.mentions("max") && side.mentions("select")) || minus(side) {
        return None;
    }
    let open =
        (0..side.len()).find(|i| side.kind(*i) == Some(Kind::Open) && side.is_any(i + 1, &["select", "with"]))?;
    Some((Form::Watermark, side.inside(open)))
}

/// True when something is taken away: `- INTERVAL '3 days'`, a function that subtracts.
fn minus(side: Sql<'_>) -> bool {
    (0..side.len()).any(|at| side.symbol(at, "-"))
        || side.calls().any(|(_, name)| {
            let name = name.to_ascii_lowercase();
            name.contains("sub")
                || name.contains("dateadd")
                || name.contains("date_add")
                || name.contains("timestampadd")
        })
}

/// `t.id = id` and `t.id = t.id` inside a query over one table: both sides are the inner one's column.
fn compares_itself<'a>(query: &Query<'a>) -> Option<Sql<'a>> {
    let select = query.select()?;
    let [one] = select.from.as_slice() else { return None };
    let called = one.called()?;
    let parts = select.filter?.conjuncts();
    let same = |part: &&Sql<'a>| {
        let Some(at) = part.top().find(|at| part.symbol(*at, "=")) else { return false };
        let (Some(left), Some(right)) = (part.slice(0..at).as_name(), part.from(at + 1).as_name()) else {
            return false;
        };
        let own = |name: Name<'_>| name.qualifier().is_none_or(|qualifier| qualifier == called);
        left.last() == right.last() && own(left) && own(right)
    };
    // One other part that names nothing outside would do, but then the guard is no worse than it was meant to be.
    parts.iter().find(same).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dialect;
    use crate::sql::script::Script;

    fn look(text: &str) -> (bool, Vec<(Form, bool)>) {
        let script = Script::read(text, dialect::find("postgres").unwrap());
        let Ok(Verb::Insert(insert)) = read(script.sql(&script.statements[0])) else { panic!("{text}") };
        let found = of(&insert, &[("live_plan_view".to_owned(), "live.plan".to_owned())]);
        (found.guarded, found.all.iter().map(|one| (one.form, one.target)).collect())
    }

    #[test]
    fn every_form_that_looks_at_the_target_is_seen() {
        for (query, form) in [
            (
                "SELECT p.id FROM s AS p WHERE NOT EXISTS (SELECT 1 FROM live.plan AS t WHERE t.id = p.id)",
                Form::NotExists,
            ),
            ("SELECT p.id FROM s AS p WHERE NOT (EXISTS (SELECT 1 FROM plan AS t WHERE t.id = p.id))", Form::NotExists),
            ("SELECT p.id FROM s AS p WHERE p.a > 1 AND (NOT EXISTS (TABLE live.plan))", Form::NotExists),
            ("SELECT p.id FROM s AS p LEFT JOIN live.plan AS t ON t.id = p.id WHERE t.id IS NULL", Form::LeftJoin),
            ("SELECT p.id FROM s AS p LEFT JOIN live.plan ON plan.id = p.id WHERE plan.id IS NULL", Form::LeftJoin),
            ("SELECT p.id FROM live.plan AS t RIGHT JOIN s AS p ON t.id = p.id WHERE t.id IS NULL", Form::LeftJoin),
            (
                "SELECT p.id FROM s AS p LEFT JOIN (SELECT id FROM live.plan) AS t ON t.id = p.id WHERE t.id IS NULL",
                Form::LeftJoin,
            ),
            (
                "SELECT p.id FROM s AS p LEFT JOIN live.plan AS t ON t.id = p.id WHERE t.id IS NULL OR t.v <> p.v",
                Form::LeftJoin,
            ),
            ("SELECT p.id FROM s AS p ANTI JOIN live.plan AS t ON t.id = p.id", Form::AntiJoin),
            ("SELECT id FROM s EXCEPT SELECT id FROM live.plan", Form::Except),
            ("SELECT id FROM s EXCEPT ALL (SELECT id FROM live.plan)", Form::Except),
            ("SELECT id FROM s WHERE id NOT IN (SELECT id FROM live.plan)", Form::NotIn),
            ("SELECT id FROM s WHERE NOT id IN (SELECT id FROM live.plan)", Form::NotIn),
            ("SELECT id FROM s WHERE id <> ALL (SELECT id FROM live.plan)", Form::NotIn),
            ("SELECT id, a FROM s WHERE (id, a) NOT IN (SELECT id, a FROM live.plan)", Form::NotIn),
            ("SELECT id FROM s WHERE (SELECT count(*) FROM live.plan AS t WHERE t.id = s.id) = 0", Form::Count),
            ("SELECT id FROM s WHERE 0 = (SELECT count(*) FROM live.plan AS t WHERE t.id = s.id)", Form::Count),
            (
                "SELECT p.id FROM s AS p LEFT JOIN live.plan AS t USING (id) GROUP BY p.id HAVING count(t.id) = 0",
                Form::Having,
            ),
            ("SELECT id FROM s WHERE ts > (SELECT coalesce(max(ts), '2000-01-01') FROM live.plan)", Form::Watermark),
            ("SELECT 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM live.plan WHERE id = 1)", Form::NotExists),
            (
                "WITH h AS (SELECT id FROM live.plan), g AS (SELECT * FROM h) SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM g WHERE g.id = s.id)",
                Form::NotExists,
            ),
            ("WITH n AS (SELECT id FROM s WHERE id NOT IN (SELECT id FROM live.plan)) SELECT id FROM n", Form::NotIn),
            ("SELECT id FROM (SELECT id FROM s EXCEPT SELECT id FROM live.plan) AS x", Form::Except),
            (
                "SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM live_plan_view AS t WHERE t.id = s.id)",
                Form::NotExists,
            ),
        ] {
            let text = format!("INSERT INTO live.plan (id) {query};");
            let (guarded, all) = look(&text);
            assert!(guarded && all.contains(&(form, true)), "{text}: {guarded} {all:?}");
        }
    }

    #[test]
    fn what_is_no_guard_of_the_target_is_told_apart() {
        for query in [
            "SELECT id FROM s",
            "SELECT p.id FROM s AS p LEFT JOIN live.plan AS t ON t.id = p.id",
            "SELECT p.id FROM s AS p LEFT JOIN x ON x.id = p.id WHERE p.gone IS NULL",
            "SELECT p.id FROM s AS p WHERE EXISTS (SELECT 1 FROM live.plan AS t WHERE t.id = p.id)",
            "SELECT p.id FROM s AS p WHERE NOT EXISTS (SELECT 1 FROM old.plan AS t WHERE t.id = p.id)",
            "SELECT id FROM s WHERE id NOT IN (1, 2)",
            "SELECT id FROM s WHERE ts >= (SELECT max(ts) FROM live.plan)",
            "SELECT id FROM s WHERE ts > (SELECT max(ts) - 3 FROM live.plan)",
            "SELECT id FROM s EXCEPT SELECT id FROM live.plan UNION ALL SELECT id FROM r",
            "SELECT id FROM s UNION ALL SELECT id FROM r WHERE NOT EXISTS (SELECT 1 FROM live.plan AS t WHERE t.id = r.id)",
            "SELECT p.id FROM s AS p LEFT JOIN live.plan AS t ON t.id = p.id WHERE t.id IS NULL OR p.again",
        ] {
            let text = format!("INSERT INTO live.plan (id) {query};");
            assert!(!look(&text).0, "{text}");
        }
        let (_, all) =
            look("INSERT INTO live.plan (id) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM old.plan WHERE id = 1);");
        assert_eq!(all, [(Form::NotExists, false)]);
    }

    #[test]
    fn a_claim_gives_its_rows_once() {
        let claim = "WITH c AS (INSERT INTO seen VALUES ('e') ON CONFLICT DO NOTHING RETURNING 1)";
        assert!(look(&format!("{claim} INSERT INTO live.plan (id) SELECT 1 WHERE EXISTS (SELECT 1 FROM c);")).0);
        assert!(look(&format!("{claim} INSERT INTO live.plan (id) SELECT 1 FROM c;")).0);
        assert!(look("WITH m AS (DELETE FROM q RETURNING id) INSERT INTO live.plan (id) SELECT id FROM m;").0);
        assert!(
            !look("WITH c AS (INSERT INTO seen VALUES ('e') RETURNING 1) INSERT INTO live.plan (id) SELECT 1 FROM c;")
                .0
        );
        let upsert = "WITH u AS (UPDATE live.plan SET v = 1 WHERE id = 1 RETURNING id) \
                      INSERT INTO live.plan (id) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM u);";
        assert!(look(upsert).0);
    }
}
