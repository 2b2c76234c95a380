//! dbt models: every fixture makes one for every adapter or says why not, and real dbt runs them.
//!
//! `IDEMSQL_TEST_DBT` is the path of the dbt program, in an environment that `tests/dbt/run` makes. Without it nothing runs
//! dbt; with it, DuckDB and the PostgreSQL of `IDEMSQL_TEST_POSTGRES` must work.

use crate::support::{Golden, cases, spec};
use idemsql::dialect::mechanism::Support;
use idemsql::dialect::{self, Dialect};
use idemsql::plan::dbt::{DbtPlan, plan_dbt};
use idemsql::render::{DbtFile, render_dbt};
use std::fmt::Write as _;

#[path = "../dbt/mod.rs"]
mod real;

const ROOT: &str = "fixtures/dbt";

/// The cases whose models are kept as files.
const KEPT: &[&str] = &[
    "cars_deleted",
    "countries",
    "daily_sales",
    "order_lines",
    "orders",
    "profiles",
    "quoted_names",
    "role_grants",
    "tenant_stock",
];

/// The models of a case for an adapter, or why there is none.
fn models(case: &str, dialect: &'static Dialect, adapter: &str) -> Result<Vec<(DbtPlan, Vec<DbtFile>)>, Vec<String>> {
    let mut all = Vec::new();
    for table in spec(case).tables() {
        let mut table = table.for_dialect(dialect.name).unwrap();
        let mut asked = table.dbt.unwrap_or_default();
        asked.adapter = Some(idemsql::spec::Located { value: adapter.to_owned(), span: 0..0 });
        table.dbt = Some(asked);
        let plan = plan_dbt(&table, dialect, None)
            .map_err(|faults| faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>())?;
        let files = render_dbt(&plan, &[format!("idemsql: {case}")]);
        let files = files.unwrap_or_else(|fault| panic!("{case}, {adapter}: {}", fault.message));
        all.push((plan, files));
    }
    Ok(all)
}

#[test]
fn every_fixture_makes_a_model_for_every_adapter_or_says_why_not() {
    let mut golden = Golden::new(ROOT);
    let mut refused = String::new();
    for case in cases("fixtures/load") {
        for dialect in dialect::ALL {
            for adapter in dialect.adapters().iter().filter(|adapter| matches!(adapter.model, Support::Yes(_))) {
                match models(&case, dialect, adapter.name) {
                    Ok(models) if KEPT.contains(&case.as_str()) => {
                        for (_, files) in models {
                            golden.file(&format!("{case}/{}.sql", adapter.name), &files[0].text);
                            if adapter.name == "postgres" {
                                let texts = files.iter().filter(|file| file.is_yaml());
                                let texts = texts.map(|file| format!("# {}\n{}", file.path, file.text));
                                golden.file(&format!("{case}/properties.yml"), &texts.collect::<Vec<_>>().join("\n"));
                            }
                        }
                    }
                    Ok(_) => {}
                    Err(faults) => faults.iter().for_each(|fault| {
                        writeln!(refused, "{case}, {}: {fault}", adapter.name).unwrap();
                    }),
                }
            }
        }
    }
    golden.file("refused.txt", &refused);
    golden.finish(|_| true);
}
