//! Which relations of a join have one row for a key: what the key and the constants settle, and what follows along the
//! equalities of the conditions.

use super::rows::{aggregates, starred};
use super::{Column, Doubt, Env, Prover, Rows, keyish};
use crate::lint::proof::pairs;
use crate::sql::clause::{Item, Join, Relation, Select, Table};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};
use std::collections::HashSet;

/// A column of a relation, by the relation's number; `usize::MAX` where nobody knows whose it is.
pub(super) type Node = (usize, String);

/// What is wanted of a query: the expressions of the key.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    pub(super) values: Vec<Sql<'a>>,
    texts: HashSet<String>,
    names: Vec<String>,
    /// Columns that `b.*` gives.
    nodes: Vec<Node>,
}

/// What the key settles.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) nodes: HashSet<Node>,
    pub(super) relations: HashSet<usize>,
}

impl Settled {
    fn has(&self, node: &Node) -> bool {
        self.relations.contains(&node.0) || self.nodes.contains(node)
    }

    pub(super) fn columns(&self, relation: usize) -> Vec<Column> {
        let mut names: Vec<&String> = self.nodes.iter().filter(|node| node.0 == relation).map(|node| &node.1).collect();
        names.sort();
        names.into_iter().map(Column::named).collect()
    }
}

/// The relations of a query with their conditions.
pub(super) struct Joins<'j, 'c, 'a> {
    pub(super) prover: &'j Prover<'c, 'a>,
    pub(super) env: Env<'j, 'a>,
    pub(super) select: Option<&'j Select<'a>>,
    pub(super) relations: &'j [Relation<'a>],
    pub(super) filter: Option<Sql<'a>>,
}

impl<'j, 'c, 'a> Joins<'j, 'c, 'a> {
    pub(super) fn new(prover: &'j Prover<'c, 'a>, env: Env<'j, 'a>, select: &'j Select<'a>) -> Self {
        Self { prover, env, select: Some(select), relations: &select.from, filter: select.filter }
    }

    /// The expressions of the key's columns.
    pub(super) fn wanted(&self, key: &[Column]) -> Wanted<'a> {
        let mut wanted = Wanted::default();
        let Some(select) = self.select else { return wanted };
        let starred_relation = self.starred_relation();
        let stars = select.items.iter().any(|item| starred(item.value));
        for column in key {
            let item = item(select, column);
            wanted.names.push(column.name.clone());
            if let Some(item) = item {
                wanted.values.push(item.value);
                wanted.texts.insert(item.value.unqualified());
                wanted.names.extend(item.name.clone());
            } else if stars || select.group_by.is_some_and(|group| group.names_column(&column.name)) {
                wanted.texts.insert(column.name.clone());
                wanted.nodes.extend(starred_relation.map(|at| (at, column.name.clone())));
            }
        }
        wanted
    }

    /// The relation whose columns the only star gives: `b.*`, or `*` of one relation.
    fn starred_relation(&self) -> Option<usize> {
        let mut stars = self.select?.items.iter().filter(|item| starred(item.value));
        let (star, None) = (stars.next()?.value, stars.next()) else { return None };
        // A star with EXCEPT or REPLACE behind it may give other values.
        if self.relations.len() == 1 && star.len() == 1 {
            return Some(0);
        }
        let (name, end) = star.name(0)?;
        let whole = star.kind(end) == Some(Kind::Dot) && star.symbol(end + 1, "*") && star.len() == end + 2;
        let called = name.last();
        self.relations.iter().position(|one| whole && one.called().as_ref() == Some(&called))
    }

    /// The column of a relation that a column of the select list is, where it is one as it stands.
    pub(super) fn origin(&self, column: &Column) -> Option<Node> {
        let node = match item(self.select?, column) {
            Some(item) => self.node(item.value.as_name()?),
            None => (self.starred_relation()?, column.name.clone()),
        };
        (node.0 != usize::MAX).then_some(node)
    }

    pub(super) fn node(&self, name: Name<'_>) -> Node {
        let column = name.last();
        if let Some(qualifier) = name.qualifier() {
            let at = self.relations.iter().position(|one| one.called().as_ref() == Some(&qualifier));
            return (at.unwrap_or(usize::MAX), column);
        }
        if self.relations.len() == 1 {
            return (0, column);
        }
        let has = |relation: &Relation<'a>| match &relation.table {
            Table::Name(name) => {
                self.prover.context.table(*name).is_some_and(|table| table.columns.iter().any(|one| one.name == column))
            }
            Table::Query(query) => {
                query.select().is_some_and(|select| select.items.iter().any(|item| item.name.as_ref() == Some(&column)))
            }
            Table::Other => false,
        };
        let mut all = (0..self.relations.len()).filter(|at| has(&self.relations[*at]));
        match (all.next(), all.next()) {
            (Some(one), None) => (one, column),
            _ => (usize::MAX, column),
        }
    }

    /// What the key and the constants of the conditions settle.
    pub(super) fn start(&self, wanted: &Wanted<'a>) -> Settled {
        let mut settled = Settled::default();
        for value in &wanted.values {
            settled.nodes.extend(pairs::column(*value).map(|name| self.node(name)));
        }
        settled.nodes.extend(wanted.nodes.iter().cloned());
        // A column that a star gives.
        let only = self.relations.len() == 1;
        for name in wanted.texts.iter().filter(|_| self.select.is_some()) {
            if only {
                settled.nodes.insert((0, name.clone()));
            }
            settled.nodes.insert((usize::MAX, name.clone()));
        }
        let ons =
            self.relations.iter().filter(|one| matches!(one.join, Join::Inner | Join::None)).filter_map(|one| one.on);
        for condition in self.filter.into_iter().chain(ons) {
            for pair in pairs::equalities(condition) {
                for (side, other) in [(pair.left, pair.right), (pair.right, pair.left)] {
                    if other.is_constant() {
                        settled.nodes.extend(pairs::column(side).map(|name| self.node(name)));
                    }
                }
            }
            // `rn <= 1` of a number that begins with 1.
            for one in condition.conjuncts() {
                if one.symbol(1, "<=") && one.text(2) == "1" && one.len() == 3 {
                    settled.nodes.extend(one.slice(0..1).as_name().map(|name| self.node(name)));
                }
            }
        }
        settled
    }

    pub(super) fn settle(&self, wanted: &Wanted<'a>) -> Settled {
        let mut settled = self.start(wanted);
        self.spread(&mut settled);
        settled
    }

    /// Goes on along the equalities until nothing more is settled.
    pub(super) fn spread(&self, settled: &mut Settled) {
        let mut links: Vec<(Node, Node)> = Vec::new();
        let mut link = |condition: Sql<'a>, only: Option<usize>| {
            for pair in pairs::equalities(condition) {
                let (Some(left), Some(right)) = (pairs::column(pair.left), pairs::column(pair.right)) else { continue };
                let (left, right) = (self.node(left), self.node(right));
                if only.is_none_or(|at| right.0 == at) {
                    links.push((left.clone(), right.clone()));
                }
                if only.is_none_or(|at| left.0 == at) {
                    links.push((right, left));
                }
            }
        };
        if let Some(filter) = self.filter {
            link(filter, None);
        }
        for (at, relation) in self.relations.iter().enumerate() {
            let only = matches!(relation.join, Join::Left | Join::Right | Join::Full).then_some(at);
            if let Some(on) = relation.on {
                link(on, only);
            }
        }
        for (at, relation) in self.relations.iter().enumerate() {
            for column in relation.using.into_iter().flat_map(Sql::commas).filter_map(Sql::as_name) {
                for other in (0..at).chain([usize::MAX]) {
                    links.push(((other, column.last()), (at, column.last())));
                    links.push(((at, column.last()), (other, column.last())));
                }
            }
        }
        loop {
            let mut changed = false;
            for (from, to) in &links {
                if settled.has(from) && !settled.has(to) {
                    settled.nodes.insert(to.clone());
                    changed = true;
                }
            }
            for (at, relation) in self.relations.iter().enumerate() {
                if settled.relations.contains(&at) {
                    continue;
                }
                let key = settled.columns(at);
                let once = match self.prover.relation(self.env, relation, &key) {
                    _ if relation.join == Join::Anti => true,
                    Rows::Once => true,
                    Rows::Doubt(Doubt::Table(name)) => at > 0 && self.looked_up(relation, name, &key),
                    _ => false,
                };
                if once {
                    settled.relations.insert(at);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// True when a table of which nothing is known is joined by what is called like its own key, to a column that refers
    /// to it: `JOIN customers AS c ON c.id = o.customer_id`.
    fn looked_up(&self, relation: &Relation<'a>, table: Name<'a>, key: &[Column]) -> bool {
        let (Table::Name(_), Some(called)) = (&relation.table, relation.called()) else { return false };
        let table = table.last();
        let own = |name: Name<'a>| name.qualifier().as_ref() == Some(&called) && keyish(&name.last(), &table);
        self.filter.into_iter().chain(relation.on).flat_map(pairs::equalities).any(|pair| {
            let (Some(left), Some(right)) = (pair.left.as_name(), pair.right.as_name()) else { return false };
            let (mine, other) = if own(left) { (left.last(), right.last()) } else { (right.last(), left.last()) };
            (own(left) || own(right)) && (mine != other || mine.len() > 4) && key.iter().any(|one| one.name == mine)
        })
    }

    /// True when an expression has one value for the key.
    pub(super) fn determined(&self, value: Sql<'a>, wanted: &Wanted<'a>, settled: &Settled) -> bool {
        let value = value.bare();
        if let Some(select) = self.select {
            if value.kind(0) == Some(Kind::Number) && value.len() == 1 {
                let item = value.text(0).parse::<usize>().ok().and_then(|n| select.items.get(n.checked_sub(1)?));
                return item.is_some_and(|item| self.determined_value(item.value, wanted, settled));
            }
            if let Some(name) = value.as_name().filter(|name| name.sql.len() == 1) {
                let item = select.items.iter().find(|item| item.name.as_ref() == Some(&name.last()));
                if item.is_some() && wanted.names.contains(&name.last()) {
                    return true;
                }
            }
        }
        self.determined_value(value, wanted, settled)
    }

    fn determined_value(&self, value: Sql<'a>, wanted: &Wanted<'a>, settled: &Settled) -> bool {
        if value.is_constant() || wanted.texts.contains(&value.unqualified()) {
            return true;
        }
        if let Some(name) = value.as_name() {
            return settled.has(&self.node(name));
        }
        // A function of settled columns.
        let mut names = value.names().peekable();
        names.peek().is_some()
            && !value.mentions("select")
            && !value.mentions("over")
            && !aggregates(value)
            && names.all(|name| settled.has(&self.node(name)))
    }

    /// The numbers that QUALIFY keeps at 1.
    pub(super) fn numbered(&self, qualify: Sql<'a>) -> Vec<Sql<'a>> {
        let mut all = Vec::new();
        for one in qualify.conjuncts() {
            let Some(at) = one.top().find(|at| one.symbol(*at, "=") || one.symbol(*at, "<=")) else { continue };
            let (left, right) = (one.slice(0..at), one.from(at + 1));
            let side = if right.normal() == "1" { left } else { right };
            if let (Some(name), Some(select)) = (side.as_name(), self.select) {
                let item = select.items.iter().find(|item| item.name.as_ref() == Some(&name.last()));
                all.extend(item.map(|item| item.value));
            } else {
                all.push(side);
            }
        }
        all
    }

    /// Why the relations are not all settled.
    pub(super) fn open(&self, settled: &Settled) -> Option<Doubt<'a>> {
        let mut found = None;
        for at in (0..self.relations.len()).filter(|at| !settled.relations.contains(at)) {
            match self.prover.relation(self.env, &self.relations[at], &settled.columns(at)) {
                Rows::Doubt(Doubt::Opaque) => return Some(Doubt::Opaque),
                Rows::Doubt(doubt) => found = found.or(Some(doubt)),
                _ => found = found.or(Some(Doubt::Opaque)),
            }
        }
        found
    }
}

/// The entry of the select list that gives a column.
fn item<'s, 'a>(select: &'s Select<'a>, column: &Column) -> Option<&'s Item<'a>> {
    let stars = select.items.iter().any(|item| starred(item.value));
    let placed = column.at.filter(|_| !stars).and_then(|at| select.items.get(at));
    placed.or_else(|| select.items.iter().find(|item| item.name.as_ref() == Some(&column.name)))
}
