//! The facts of queries: WITH, SELECT, FROM, joins, set operations, VALUES.

use super::{Writer, list};
use sqlparser::ast::{
    Cte, Distinct, GroupByExpr, Join, JoinConstraint, JoinOperator, LimitClause, Offset, OrderBy, OrderByKind, Query,
    Select, SelectFlavor, SetExpr, SetQuantifier, TableFactor, TableWithJoins, Values, With,
};

impl Writer {
    pub(super) fn query(&mut self, query: &Query) {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if let Some(with) = with {
            self.with(with);
        }
        self.body(body);
        if let Some(OrderBy { kind, interpolate }) = order_by {
            match kind {
                OrderByKind::Expressions(expressions) => self.fact_each("order by", expressions),
                OrderByKind::All(options) => self.unplanned(Some(format!("ORDER BY ALL{options}"))),
            }
            self.unplanned(interpolate.as_ref().map(|interpolate| format!("{interpolate:?}")));
        }
        match limit_clause {
            None => {}
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                self.optional("limit", limit.as_ref());
                self.fact_each("limit by", limit_by);
                self.optional("offset", offset.as_ref().map(|Offset { value, rows: _ }| value));
            }
            Some(clause @ LimitClause::OffsetCommaLimit { .. }) => self.unplanned(Some(clause)),
        }
        self.optional("fetch", fetch.as_ref());
        self.fact_each("lock", locks);
        self.unplanned(for_clause.as_ref());
        self.fact_each("settings", settings.as_deref().unwrap_or_default());
        self.unplanned(format_clause.as_ref());
        self.fact_each("unplanned", pipe_operators);
    }

    fn with(&mut self, with: &With) {
        let With { with_token: _, recursive, cte_tables } = with;
        self.flag("with recursive", *recursive);
        for Cte { alias, query, from, materialized, closing_paren_token: _ } in cte_tables {
            let mut name = alias.clone();
            name.explicit = false;
            self.fact("with", &name);
            self.unplanned(from.as_ref());
            self.optional("with materialized", materialized.as_ref());
            self.within(&format!("with {}", alias.name), |inner| inner.query(query));
        }
    }

    fn body(&mut self, body: &SetExpr) {
        // UNION is left-deep: a thousand literal rows would be a thousand calls deep.
        let mut branches = Vec::new();
        let mut left_most = body;
        while let SetExpr::SetOperation { left, op, set_quantifier, right } = left_most {
            branches.push((op, set_quantifier, right));
            left_most = left;
        }
        self.branch(left_most);
        for (op, quantifier, right) in branches.into_iter().rev() {
            let mut place = op.to_string().to_lowercase();
            if *quantifier != SetQuantifier::None {
                place = format!("{place} {}", quantifier.to_string().to_lowercase());
            }
            self.fact(&place, "");
            match &**right {
                // `a UNION (b UNION c)` is not `a UNION b UNION c`.
                nested @ SetExpr::SetOperation { .. } => self.within(&place, |inner| inner.body(nested)),
                branch => self.branch(branch),
            }
        }
    }

    fn branch(&mut self, branch: &SetExpr) {
        match branch {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.within("(", |inner| inner.query(query)),
            SetExpr::Values(values) => self.values("values", values),
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => {
                if self.change(statement).is_none() {
                    self.unplanned(Some(statement));
                }
            }
            SetExpr::Table(table) => self.unplanned(Some(table)),
            SetExpr::SetOperation { .. } => self.body(branch),
        }
    }

    /// One fact for each row.
    pub(super) fn values(&mut self, place: &str, values: &Values) {
        let Values { explicit_row, value_keyword: _, rows } = values;
        let place = if *explicit_row { format!("{place} row") } else { place.to_owned() };
        for row in rows {
            self.fact(&place, list(&row.content));
        }
    }

    fn select(&mut self, select: &Select) {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if let Some(into) = into {
            let text = into.to_string();
            self.fact("select into", text.strip_prefix("INTO ").unwrap_or(&text));
        }
        self.fact_each("optimizer hint", optimizer_hints);
        match distinct {
            None => {}
            Some(Distinct::All) => self.fact("select all", ""),
            Some(Distinct::Distinct) => self.fact("distinct", ""),
            Some(Distinct::On(keys)) => self.fact("distinct on", list(keys)),
        }
        self.unplanned(select_modifiers.as_ref());
        self.optional("top", top.as_ref());
        self.fact_each("select", projection);
        self.unplanned(exclude.as_ref());
        for table in from {
            self.table_with_joins("from", table);
        }
        self.fact_each("unplanned", lateral_views);
        self.conjuncts("prewhere", prewhere.as_ref());
        self.conjuncts("where", selection.as_ref());
        self.fact_each("unplanned", connect_by);
        match group_by {
            GroupByExpr::Expressions(expressions, modifiers) => {
                self.fact_each("group by", expressions);
                self.fact_each("unplanned", modifiers);
            }
            GroupByExpr::All(modifiers) => {
                self.fact("group by all", "");
                self.fact_each("unplanned", modifiers);
            }
        }
        self.fact_each("cluster by", cluster_by);
        self.fact_each("distribute by", distribute_by);
        self.fact_each("sort by", sort_by);
        self.conjuncts("having", having.as_ref());
        self.fact_each("window", named_window);
        self.conjuncts("qualify", qualify.as_ref());
        self.unplanned(value_table_mode.as_ref());
        match flavor {
            SelectFlavor::Standard | SelectFlavor::FromFirst => {}
            SelectFlavor::FromFirstNoSelect => self.unplanned(Some("FROM without SELECT")),
        }
    }

    pub(super) fn table_with_joins(&mut self, place: &str, table: &TableWithJoins) {
        let TableWithJoins { relation, joins } = table;
        self.relation(place, relation);
        self.joins(place, joins);
    }

    /// Joins to what stands at `place`: `from left join`, `from left join on`.
    pub(super) fn joins(&mut self, place: &str, joins: &[Join]) {
        for Join { relation, global, join_operator } in joins {
            let (join, constraint) = join_place(join_operator);
            let place = format!("{place} {join}");
            self.relation(&place, relation);
            self.flag(&format!("{place} global"), *global);
            if let JoinOperator::AsOf { match_condition, constraint: _ } = join_operator {
                self.fact(&format!("{place} match"), match_condition);
            }
            match constraint {
                None | Some(JoinConstraint::None) => {}
                Some(JoinConstraint::On(on)) => self.conjuncts(&format!("{place} on"), Some(on)),
                Some(JoinConstraint::Using(columns)) => self.fact(&format!("{place} using"), list(columns)),
                Some(JoinConstraint::Natural) => self.fact(&format!("{place} natural"), ""),
                Some(JoinConstraint::UsingAlias(columns, alias)) => {
                    self.fact(&format!("{place} using"), format!("{} AS {alias}", list(columns)));
                }
            }
        }
    }

    /// A table, or `(..) AS alias` and the facts of the query in the brackets.
    pub(super) fn relation(&mut self, place: &str, relation: &TableFactor) {
        match relation {
            TableFactor::Derived { lateral, subquery, alias, sample } => {
                let lateral = if *lateral { "LATERAL " } else { "" };
                let alias = alias.as_ref().map(|alias| format!(" {alias}"));
                self.fact(place, format!("{lateral}(..){}", alias.unwrap_or_default()));
                self.unplanned(sample.as_ref().map(|sample| format!("{sample:?}")));
                self.within(place, |inner| inner.query(subquery));
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let alias = alias.as_ref().map(|alias| format!(" {alias}")).unwrap_or_default();
                self.fact(place, format!("(join){alias}"));
                self.within(place, |inner| inner.table_with_joins("from", table_with_joins));
            }
            // `FINAL` was put into a hint: see `gaps`.
            other => {
                let text = other.to_string();
                let text = text.strip_suffix(" WITH (FINAL)").map_or(text.clone(), |table| format!("{table} FINAL"));
                self.fact(place, text);
            }
        }
    }
}

fn join_place(operator: &JoinOperator) -> (&'static str, Option<&JoinConstraint>) {
    match operator {
        JoinOperator::Join(on) | JoinOperator::Inner(on) => ("join", Some(on)),
        JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => ("left join", Some(on)),
        JoinOperator::Right(on) | JoinOperator::RightOuter(on) => ("right join", Some(on)),
        JoinOperator::FullOuter(on) => ("full join", Some(on)),
        JoinOperator::CrossJoin(on) => ("cross join", Some(on)),
        JoinOperator::Semi(on) => ("semi join", Some(on)),
        JoinOperator::LeftSemi(on) => ("left semi join", Some(on)),
        JoinOperator::RightSemi(on) => ("right semi join", Some(on)),
        JoinOperator::Anti(on) => ("anti join", Some(on)),
        JoinOperator::LeftAnti(on) => ("left anti join", Some(on)),
        JoinOperator::RightAnti(on) => ("right anti join", Some(on)),
        JoinOperator::AsOf { match_condition: _, constraint } => ("asof join", Some(constraint)),
        JoinOperator::StraightJoin(on) => ("straight join", Some(on)),
        JoinOperator::CrossApply => ("cross apply", None),
        JoinOperator::OuterApply => ("outer apply", None),
        JoinOperator::ArrayJoin => ("array join", None),
        JoinOperator::LeftArrayJoin => ("left array join", None),
        JoinOperator::InnerArrayJoin => ("inner array join", None),
    }
}
