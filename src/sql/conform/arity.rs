//! How many columns a query gives, and lists that must be as long.

use super::Checker;
use sqlparser::ast::{ExcludeSelectItem, Query, Select, SelectItem, SetExpr, Values};

/// The number of columns of a query; `None` where a `*` hides it.
pub(super) fn width(query: &Query) -> Option<usize> {
    body_width(&query.body)
}

fn body_width(body: &SetExpr) -> Option<usize> {
    let mut body = body;
    while let SetExpr::SetOperation { left, .. } = body {
        body = left;
    }
    match body {
        SetExpr::Select(select) => select_width(select),
        SetExpr::Query(query) => width(query),
        SetExpr::Values(Values { rows, .. }) => rows.first().map(|row| row.content.len()),
        _ => None,
    }
}

fn select_width(select: &Select) -> Option<usize> {
    let plain = |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
    let excluded: Option<&ExcludeSelectItem> = select.exclude.as_ref();
    (select.projection.iter().all(plain) && excluded.is_none()).then_some(select.projection.len())
}

impl Checker<'_> {
    /// Rows of one VALUES, and the branches of one UNION, are equally long.
    pub(super) fn equal_widths(&mut self, body: &SetExpr) {
        let mut body = body;
        while let SetExpr::SetOperation { left, right, op, set_quantifier } = body {
            let by_name = set_quantifier.to_string().contains("BY NAME");
            if let (Some(one), Some(other), false) = (body_width(left), body_width(right), by_name)
                && one != other
            {
                let range = self.place(&op.to_string());
                self.refuse(range, format!("the branches of {op} have {one} and {other} columns"));
            }
            body = left;
        }
        if let SetExpr::Values(Values { rows, .. }) = body {
            let first = rows.first().map_or(0, |row| row.content.len());
            if let Some(row) = rows.iter().find(|row| row.content.len() != first) {
                let range = crate::sql::token::bytes(row.opening_token.0.span).unwrap_or(self.parsed.range.clone());
                let found = row.content.len();
                self.refuse(range, format!("this row has {found} values, the first one has {first}"));
            }
        }
    }
}
