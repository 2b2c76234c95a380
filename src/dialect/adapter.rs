//! The adapters of dbt that speak a dialect: what each does where a model names no strategy, and how we write models for it.

use super::mechanism::{Form, Storage, Support};

/// One adapter of dbt.
#[derive(Clone, Copy, Debug)]
pub struct Adapter {
    /// `adapter_type` in dbt's manifest, and what profiles call it.
    pub name: &'static str,
    /// The strategy of an incremental model that has a `unique_key` and names none.
    pub keyed: &'static str,
    /// The strategy of one that has neither.
    pub keyless: &'static str,
    /// How we write a model for it; `instead` is another form to render.
    pub model: Support<DbtModel>,
}

/// How we write a model for an adapter.
#[derive(Clone, Copy, Debug)]
pub struct DbtModel {
    /// How it changes rows that are there.
    pub load: DbtLoad,
    /// dbt's strategy that only inserts.
    pub append: &'static str,
    /// True when the adapter quotes the names of tables, so that any name can be one.
    pub quotes_tables: bool,
    /// What the model's configuration must say besides, as literals of Jinja.
    pub config: fn(&Storage<'_>) -> Vec<(&'static str, String)>,
}

/// How a dbt model changes rows that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbtLoad {
    /// A strategy of our own, by a macro of the project, in this form.
    Strategy(Form),
    /// dbt's own `merge`, of rows that were compared with the target before: where the adapter takes no strategy but its own.
    FilteredMerge,
    /// dbt's own append of new versions of which the engine keeps the newest.
    AppendVersion,
}

impl Adapter {
    /// Deletes the rows of the staged keys, then inserts: <https://docs.getdbt.com/docs/build/incremental-strategy>
    pub(super) const fn deleting(name: &'static str, model: Support<DbtModel>) -> Self {
        Self { name, keyed: "delete+insert", keyless: "append", model }
    }

    /// Merges, on nothing where there is no key: <https://docs.getdbt.com/docs/build/incremental-strategy>
    pub(super) const fn merging(name: &'static str, model: Support<DbtModel>) -> Self {
        Self { name, keyed: "merge", keyless: "append", model }
    }

    /// Appends, with a `unique_key` too, which is then not looked at:
    /// <https://docs.getdbt.com/reference/resource-configs/spark-configs#incremental-models>
    pub(super) const fn appending(name: &'static str, model: Support<DbtModel>) -> Self {
        Self { name, keyed: "append", keyless: "append", model }
    }
}

/// An adapter for which we write no models yet.
pub(super) const NOT_LOOKED_AT: Support<DbtModel> =
    Support::No { because: "its adapter has not been looked at by us", instead: "sql" };
