//! The statements of `processed_marker` for one event.

use super::{Binder, Body, Named, StatementsPlan, claim, claimed, older, told};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::mechanism::{DeleteJoin, Form};
use crate::dialect::types::Type;
use crate::plan::form::form_name;
use crate::plan::planner::Planner;
use crate::plan::{Column, Decision, Plan, ValueFrom, expression};
use crate::spec::{self, Located};
use crate::sql::bind::{braced, named, unnamed};
use crate::strategy::Strategy;
use std::ops::Range;

/// What stands for the batch of new events in an effect.
pub const EVENTS: &str = "{events}";

/// What the effects of a table cannot be. `span` is where its strategy is named.
pub(super) fn check(table: &spec::Table, span: &Range<usize>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if table.effect.is_empty() {
        let message = "`processed_marker` needs what happens once for each event";
        let help = "write `effect: [\"UPDATE stock SET level = level - :quantity WHERE sku = :sku\"]`";
        faults.push(Diagnostic::error("plan-effect", message).at(span.clone(), "asked for here").help(help));
    }
    if let Some(retention) = table.retention.as_ref().filter(|_| !table.source.value.is_parameters()) {
        let message = "`retention` needs a staged table that forgets its events first, which no script can know";
        let help = "leave it out, and delete old markers in a job of your own when no staged row can be as old";
        faults.push(Diagnostic::error("plan-key-unused", message).at(retention.span.clone(), "").help(help));
    }
    if let Some(lease) = &table.lease {
        let message = "`lease` says nothing for the strategy `processed_marker`";
        let help = "a claim and its effect are one transaction, which ends by itself; leave `lease` out";
        faults.push(Diagnostic::error("plan-key-unused", message).at(lease.span.clone(), "").help(help));
    }
    faults
}

impl Planner<'_> {
    /// How a batch of events is marked.
    pub(in crate::plan) fn effect_form(&mut self) -> Result<Form, Diagnostic> {
        if self.dialect.script.is_some_and(|script| script.batch.is_some()) {
            let why = "what is new is known before anything is written, and is marked with its effect or not at all";
            self.decisions.push(Decision::new("form", form_name(Form::ClaimEffects), why));
            return Ok(Form::ClaimEffects);
        }
        let message = format!(
            "a batch of events needs a temporary table in a transaction, which scripts for {} do without",
            self.dialect.title
        );
        let help = "bind one event at a time: `source: {parameters: true}`";
        Err(Diagnostic::error("plan-effect", message).at(self.table.source.span.clone(), "this batch").help(help))
    }

    /// The effects of a batch of events.
    pub(in crate::plan) fn effects(&mut self, form: Form) {
        let Some(staging) = self.load.staging.as_ref().filter(|_| form == Form::ClaimEffects) else { return };
        let name = staging.name.clone();
        // Where a temporary table can be named once in a statement, the batch is joined.
        let once =
            self.dialect.script.and_then(|script| script.batch).is_some_and(|batch| batch.delete == DeleteJoin::Join);
        for effect in &self.table.effect {
            let fault = |message: String, help: &str| {
                Diagnostic::error("plan-effect", message).at(effect.span.clone(), "this statement").help(help)
            };
            let text = expression::query_text(&effect.value);
            let places = braced(text, EVENTS, self.dialect).unwrap_or_default();
            let uses = places.len();
            let bound =
                named(text, self.dialect).unwrap_or_default().into_iter().next().map(|(_, name)| format!(":{name}"));
            if let Some(name) = bound.or_else(|| unnamed(text, self.dialect).unwrap_or_default()) {
                let message = format!("`{name}` is a value of one event, and this is a batch");
                let help = "read it from the batch: `SELECT e.quantity FROM {events} AS e`, or write `source: {parameters: true}`";
                self.faults.push(fault(message, help));
            } else if uses == 0 {
                let message = "the effect does not read `{events}`, so every run would have it again".to_owned();
                self.faults
                    .push(fault(message, "read the new events, each once: `SELECT e.quantity FROM {events} AS e`"));
            } else if once && uses > 1 {
                let message = format!(
                    "{} opens a temporary table once in a statement, and this one reads `{EVENTS}` {uses} times",
                    self.dialect.title
                );
                let help = format!(
                    "join it once, `UPDATE stock AS t JOIN (SELECT .. FROM {EVENTS} GROUP BY ..) AS e ON .. SET ..`, under \
                     `overrides: {{{}: {{effect: ..}}}}` for this dialect alone",
                    self.dialect.name
                );
                self.faults.push(fault(message, &help));
            } else {
                let mut text = text.to_owned();
                for place in places.into_iter().rev() {
                    text.replace_range(place, &name);
                }
                match expression::check_effect(&text, &effect.span, self.dialect) {
                    Ok(()) => self.load.effects.push(Self::verbatim(&text)),
                    Err(found) => self.faults.push(found),
                }
            }
        }
    }
}

/// Plans the statements.
pub(super) fn plan(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: &'static Strategy,
) -> Result<StatementsPlan, Vec<Diagnostic>> {
    let faults = super::check(table, dialect, strategy);
    if !faults.is_empty() {
        return Err(faults);
    }
    let plan = claim(table, dialect, strategy)?;
    let mut about = vec![
        "Marks the event. When it writes no row, the event has had its effect: stop here.".to_owned(),
        "Else run every effect in the same transaction, and commit.".to_owned(),
    ];
    about.extend(told(&plan, true));
    let mut statements = vec![Named { name: "claim".to_owned(), about, parameters: claimed(&plan), body: Body::Claim }];
    let mut faults = Vec::new();
    for (at, effect) in table.effect.iter().enumerate() {
        match one(effect, &plan) {
            Ok((text, binder)) => {
                let name = if at == 0 { "effect".to_owned() } else { format!("effect_{}", at + 1) };
                statements.push(binder.named(&name, &["In the transaction of the claim."], Body::Given { text }));
            }
            Err(fault) => faults.push(fault),
        }
    }
    if let Some(retention) = &table.retention {
        match purge(&plan, retention) {
            Ok(purge) => statements.push(purge),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let retention = table.retention.as_ref().map(|retention| retention.value);
    Ok(StatementsPlan { table: plan.clone(), plan, statements, lease: None, retention })
}

/// An effect with its parameters bound.
fn one(effect: &Located<String>, plan: &Plan) -> Result<(String, Binder), Diagnostic> {
    let fault = |message: &str, help: &str| {
        Diagnostic::error("plan-effect", message).at(effect.span.clone(), "this statement").help(help)
    };
    let text = expression::query_text(&effect.value);
    if braced(text, EVENTS, plan.dialect).is_ok_and(|places| !places.is_empty()) {
        let help = "write `source: {table: ..}` for a batch of events, or bind the values of one: `:quantity`";
        return Err(fault("`{events}` stands for a batch of events, and this table is marked one by one", help));
    }
    if let Some(found) = unnamed(text, plan.dialect).unwrap_or_default() {
        let message = format!("`{found}` would be bound to a value that no name tells");
        return Err(fault(&message, "give every value that is bound a name: `:quantity`"));
    }
    let mut binder = Binder::new(plan.dialect);
    let mut out = String::new();
    let mut end = 0;
    for (range, name) in named(text, plan.dialect).unwrap_or_default() {
        let column = plan.columns.iter().find(|column| column.name == name);
        // What no column has a type for is of the type of whatever it meets.
        let written = binder.bind(&name, column.map_or(&Type::Text, |column| &column.ty));
        out.push_str(&text[end..range.start]);
        out.push_str(&written);
        end = range.end;
    }
    out.push_str(&text[end..]);
    expression::check_effect(&out, &effect.span, plan.dialect)?;
    Ok((out, binder))
}

/// Forgets the markers that are older than the retention.
fn purge(plan: &Plan, retention: &Located<u64>) -> Result<Named, Diagnostic> {
    let is_clock = |column: &&Column| {
        matches!(column.ty, Type::Timestamptz | Type::Timestamp)
            && column.value == ValueFrom::Load((plan.dialect.now)(&column.ty).to_owned())
    };
    let column = plan.columns.iter().find(is_clock).ok_or_else(|| {
        Diagnostic::error("plan-effect", "no column says when an event was marked, so no marker is ever too old")
            .at(retention.span.clone(), "")
            .help("add `{name: processed_at, type: timestamptz, value: now}` to `columns`")
    })?;
    let filter = older(plan, &column.name, retention.value).into_iter().collect();
    let about =
        ["Forgets the markers whose retention is over: an event that comes again after that has its effect again."];
    Ok(Binder::new(plan.dialect).named("purge", &about, Body::Delete { table: plan.load.target.clone(), filter }))
}
