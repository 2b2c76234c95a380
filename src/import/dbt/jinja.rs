//! The SELECT of a model, as its first run would have it: rendered with stand-ins for what dbt gives a model.

use crate::dialect::Dialect;
use crate::sql::dbt::{Given, Relation, environment, silent_config};
use crate::sql::lex::{Extras, lex};
use crate::sql::lexis::Lexis;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The names by which a model finds relations, each with its name in SQL.
#[derive(Default)]
pub(super) struct Names {
    /// `ref('orders')` by `orders`.
    pub refs: HashMap<String, String>,
    /// `source('raw', 'orders')` by `raw.orders`.
    pub sources: HashMap<String, String>,
}

/// The SELECT on the first run, without comments; the error says what cannot be followed.
pub(super) fn first_run(code: &str, names: Names, this: &str, dialect: &Dialect) -> Result<String, String> {
    let Names { refs, sources } = names;
    let relation = move |name: Relation<'_>| {
        let found = match name {
            Relation::Ref { model, .. } => refs.get(model),
            Relation::Source(source, table) => sources.get(&format!("{source}.{table}")),
        };
        found.cloned().ok_or_else(|| "is not in the manifest".to_owned())
    };
    let given = Given { this: this.to_owned(), is_incremental: false, relation, config: silent_config() };
    let rendered = environment(given).render_str(code, ());
    let text = rendered.map_err(|fault| {
        let mut message = fault.to_string();
        if let Some(detail) = fault.detail().filter(|detail| !message.contains(*detail)) {
            let _ = write!(message, ": {detail}");
        }
        message.split(" (in <string>").next().unwrap_or_default().to_owned()
    })?;
    Ok(without_comments(&text, dialect))
}

/// SQL without comments, Jinja's among them, and without lines that are empty then.
pub(super) fn without_comments(sql: &str, dialect: &Dialect) -> String {
    let lexed = lex(sql, 0..sql.len(), Lexis::of(dialect), Extras { client: None, templates: true });
    let mut out = String::with_capacity(sql.len());
    let mut at = 0;
    for comment in lexed.comments.iter().filter(|comment| !comment.control) {
        let range = comment.start as usize..comment.end as usize;
        out.push_str(&sql[at..range.start]);
        if sql[range.clone()].starts_with("/*") {
            out.push(' ');
        }
        at = range.end;
    }
    out.push_str(&sql[at..]);
    let lines = out.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim_end_matches(';').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dialect;

    fn names() -> Names {
        let mut names = Names::default();
        names.refs.insert("stg_orders".to_owned(), "main.stg_orders".to_owned());
        names.sources.insert("raw.orders".to_owned(), "raw.orders".to_owned());
        names
    }

    #[test]
    fn a_model_is_rendered_as_on_its_first_run() {
        let code = "{{ config(materialized='incremental', unique_key=['a', 'b']) }}\n-- all of it\nselect a, '--' as b\n\
                    from {{ ref('stg_orders') }}\n{% if is_incremental() %}\nwhere a > (select max(a) from {{ this }})\n\
                    {% endif %}\n";
        assert_eq!(
            first_run(code, names(), "main.t", dialect::REFERENCE).unwrap(),
            "select a, '--' as b\nfrom main.stg_orders"
        );
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        let fault =
            first_run("select {{ dbt_utils.star(ref('stg_orders')) }}", names(), "t", dialect::REFERENCE).unwrap_err();
        assert!(fault.contains("undefined"), "{fault}");
        let fault = first_run("select * from {{ ref('nope') }}", names(), "t", dialect::REFERENCE).unwrap_err();
        assert!(fault.contains("ref('nope') is not in the manifest"), "{fault}");
    }
}
