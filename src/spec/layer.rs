//! Lays defaults under a table and overrides over it: for each key the last layer wins, columns are merged by their names.

use crate::spec::column::family;
use crate::spec::key_store;
use crate::spec::table::{entries, under};
use crate::spec::yaml::{Entry, Node, Value};

/// The keys of a table for one dialect: what its strategy gives, defaults, then the table, then the
/// overrides of the dialect.
pub(super) fn effective(defaults: &[Entry], table: &[Entry], dialect: &str) -> Vec<Entry> {
    let mut all = lay(defaults, table, &|base, over| columns(over, base, under_column, None));
    if let Some(given) = key_store::given(&all) {
        all = lay(&given, &all, &|base, over| columns(base, over, over_column, None));
    }
    for layer in [defaults, table] {
        let over = entries(under(entries(under(layer, "overrides")), dialect));
        all = lay(&all, over, &|base, over| columns(base, over, over_column, Some(dialect)));
    }
    all.retain(|entry| entry.key != "overrides");
    all
}

/// One layer over another; `merge` puts the two lists of columns together.
fn lay(base: &[Entry], over: &[Entry], merge: &dyn Fn(&Node, &Node) -> Node) -> Vec<Entry> {
    let mut all = base.to_vec();
    for entry in over {
        match all.iter_mut().find(|below| below.key == entry.key) {
            Some(below) if entry.key == "columns" => below.value = merge(&below.value, &entry.value),
            Some(below) => *below = entry.clone(),
            None => all.push(entry.clone()),
        }
    }
    all
}

/// Two lists of columns as one: those of `first` in their order, each put together with the column of the same name in
/// `second` by `join`, then the columns that only `second` has.
fn columns(first: &Node, second: &Node, join: fn(&Node, &Node) -> Node, dialect: Option<&str>) -> Node {
    let (Value::List(one), Value::List(two)) = (&first.value, &second.value) else {
        // Not a list: the reader says so, at the layer that is wrong.
        return if matches!(second.value, Value::List(_)) { first.clone() } else { second.clone() };
    };
    let two: Vec<Node> = two.iter().map(|column| native(column, dialect)).collect();
    let same = |a: &Node, b: &Node| name(a).is_some() && name(a) == name(b);
    let joined = one.iter().map(|column| match two.iter().find(|other| same(column, other)) {
        Some(other) => join(column, other),
        None => column.clone(),
    });
    let new = two.iter().filter(|column| !one.iter().any(|other| same(column, other))).cloned();
    Node { value: Value::List(joined.chain(new).collect()), ..first.clone() }
}

fn over_column(column: &Node, over: &Node) -> Node {
    let keys = lay(entries(Some(column)), entries(Some(over)), &|_, over| over.clone());
    Node { value: Value::Mapping(keys), ..column.clone() }
}

fn under_column(column: &Node, below: &Node) -> Node {
    Node { span: column.span.clone(), ..over_column(below, column) }
}

fn name(column: &Node) -> Option<&str> {
    match &under(entries(Some(column)), "name")?.value {
        Value::Text(name) => Some(name),
        _ => None,
    }
}

/// A column of an override, whose type may be the dialect's own without saying so again.
fn native(column: &Node, dialect: Option<&str>) -> Node {
    let mut column = column.clone();
    if let (Value::Mapping(keys), Some(dialect)) = (&mut column.value, dialect) {
        for key in keys.iter_mut().filter(|key| key.key == "type") {
            if matches!(&key.value.value, Value::Text(ty) if family(ty).is_none()) {
                let entry = Entry { key: dialect.to_owned(), ..key.clone() };
                key.value.value = Value::Mapping(vec![entry]);
            }
        }
    }
    column
}
