//! The statements of `idempotency_key`.

use super::{Binder, Body, Named, StatementsPlan, claim, claimed, older, seconds, told};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::mechanism::RowText;
use crate::dialect::types::Type;
use crate::plan::load::Assignment;
use crate::plan::{Column, Plan, plan_any};
use crate::spec;
use crate::strategy::Strategy;

/// The columns that a claim writes.
const CLAIMED: [&str; 5] = ["scope", "idempotency_key", "fingerprint", "claim_id", "claimed_at"];

/// The columns that an answer fills.
const ANSWERED: [&str; 3] = ["completed_at", "response_status", "response_body"];

/// A minute, in seconds: how long a claim holds.
const LEASE: u64 = 60;

/// A day, in seconds: how long an answer is kept. Stripe keeps one for at least as long.
/// <https://docs.stripe.com/api/idempotent_requests>
const RETENTION: u64 = 86_400;

/// What the columns of the table and its lengths cannot be.
pub(super) fn check(table: &spec::Table) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let all = || CLAIMED.into_iter().chain(ANSWERED);
    for column in table.columns.iter().filter(|column| all().all(|known| known != column.name.value)) {
        let message = format!("no statement of a key store writes `{}`", column.name.value);
        let help = format!(
            "leave it out; the columns of `strategy: idempotency_key` are {}, and what else belongs to a request stands in a \
             table of its own",
            all().collect::<Vec<_>>().join(", ")
        );
        faults.push(Diagnostic::error("plan-key-store", message).at(column.name.span.clone(), "").help(help));
    }
    if let Some(lacking) = all().find(|name| table.column(name).is_none()) {
        let message = format!("a key store has a column `{lacking}`, and this table has none");
        let help = "write `strategy: idempotency_key` into the spec of the table, which gives it its columns";
        faults.push(Diagnostic::error("plan-key-store", message).at(table.name.span.clone(), "").help(help));
    }
    let (lease, retention) = (seconds(table.lease.as_ref(), LEASE), seconds(table.retention.as_ref(), RETENTION));
    if lease >= retention {
        let length = table.retention.as_ref().or(table.lease.as_ref());
        let message = "a key would be forgotten before the lease of its claim is over";
        let span = length.map_or(table.name.span.clone(), |length| length.span.clone());
        let help = "give `retention` a longer time than `lease`";
        faults.push(Diagnostic::error("plan-key-store", message).at(span, "").help(help));
    }
    if let Some(effect) = table.effect.first() {
        let message = "`effect` says nothing for the strategy `idempotency_key`";
        let help = "the application does its work between `claim` and `complete`; leave `effect` out";
        faults.push(Diagnostic::error("plan-key-unused", message).at(effect.span.clone(), "").help(help));
    }
    faults
}

/// Plans the statements.
pub(super) fn plan(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: &'static Strategy,
) -> Result<StatementsPlan, Vec<Diagnostic>> {
    let whole = plan_any(table, dialect, strategy)?;
    let mut first = table.clone();
    first.columns.retain(|column| CLAIMED.contains(&column.name.value.as_str()));
    let plan = claim(&first, dialect, strategy)?;
    let lease = seconds(table.lease.as_ref(), LEASE);
    let retention = seconds(table.retention.as_ref(), RETENTION);
    let store = Store { plan: &whole, lease, retention };
    let mut about = vec![
        "Inserts the key when it is not there; a row that is there stays as it is.".to_owned(),
        "In a transaction of its own, before `take_over` and `replay`; `claim_id` is new for every request.".to_owned(),
    ];
    about.extend(told(&plan, false));
    let claim = Named { name: "claim".to_owned(), about, parameters: claimed(&plan), body: Body::Claim };
    let rest = [store.take_over(), store.replay(), store.complete(), store.fail(), store.expire(), store.purge()];
    let statements = std::iter::once(claim).chain(rest).collect();
    Ok(StatementsPlan { plan, table: whole, statements, lease: Some(lease), retention: Some(retention) })
}

/// What the statements are made of.
struct Store<'a> {
    /// The plan of the whole table.
    plan: &'a Plan,
    /// How long a claim holds, in seconds.
    lease: u64,
    /// How long an answer is kept, in seconds.
    retention: u64,
}

impl Store<'_> {
    fn table(&self) -> String {
        self.plan.load.target.clone()
    }

    fn binder(&self) -> Binder {
        Binder::new(self.plan.dialect)
    }

    /// A column. The check has found every one.
    fn column(&self, name: &str) -> Option<&Column> {
        self.plan.columns.iter().find(|column| column.name == name)
    }

    /// A column as it is written.
    fn sql(&self, name: &str) -> String {
        self.column(name).map_or_else(|| name.to_owned(), |column| column.sql.clone())
    }

    /// A bind parameter of the type of its column.
    fn bind(&self, binder: &mut Binder, name: &str) -> String {
        self.column(name).map_or_else(String::new, |column| binder.bind(name, &column.ty))
    }

    fn equal(&self, binder: &mut Binder, name: &str) -> String {
        let value = self.bind(binder, name);
        format!("{} = {value}", self.sql(name))
    }

    /// The key is that of the request.
    fn same_key(&self, binder: &mut Binder) -> Vec<String> {
        vec![self.equal(binder, "scope"), self.equal(binder, "idempotency_key")]
    }

    /// The claim is that of the request, and nobody completed it.
    fn own(&self, binder: &mut Binder) -> Vec<String> {
        let mut filter = self.same_key(binder);
        filter.extend([self.equal(binder, "claim_id"), self.open()]);
        filter
    }

    fn open(&self) -> String {
        format!("{} IS NULL", self.sql("completed_at"))
    }

    fn claimed_before(&self, seconds: u64) -> String {
        older(self.plan, "claimed_at", seconds).unwrap_or_default()
    }

    fn now(&self, name: &str) -> String {
        self.column(name).map_or_else(String::new, |column| (self.plan.dialect.now)(&column.ty).to_owned())
    }

    fn assign(&self, name: &str, value: String) -> Assignment {
        Assignment { column: self.sql(name), value }
    }

    fn take_over(&self) -> Named {
        let mut binder = self.binder();
        let mut set = Vec::new();
        for name in ["fingerprint", "claim_id"] {
            let value = self.bind(&mut binder, name);
            set.push(self.assign(name, value));
        }
        set.push(self.assign("claimed_at", self.now("claimed_at")));
        set.extend(ANSWERED.map(|name| self.assign(name, "NULL".to_owned())));
        let mut filter = self.same_key(&mut binder);
        let same = self.equal(&mut binder, "fingerprint");
        filter.push(format!(
            "(({} AND {same} AND {}) OR {})",
            self.open(),
            self.claimed_before(self.lease),
            self.claimed_before(self.retention)
        ));
        let about = [
            "Takes over a claim whose lease is over, and a key whose retention is over.",
            "Changes one row when the claim is now that of this request, and none otherwise.",
        ];
        binder.named("take_over", &about, Body::Update { table: self.table(), set, filter })
    }

    fn replay(&self) -> Named {
        let mut binder = self.binder();
        // Where a literal is a CHAR, a longer one beside it pads it.
        let text = |text: &str| {
            let literal = (self.plan.dialect.string)(text);
            match self.plan.dialect.row_text {
                RowText::CastFirst => self.plan.dialect.cast(&literal, &Type::Varchar(11)),
                RowText::Plain | RowText::CastChar => literal,
            }
        };
        let own = self.equal(&mut binder, "claim_id");
        let other = self.bind(&mut binder, "fingerprint");
        let outcome = format!(
            "CASE WHEN {own} AND {open} THEN {} WHEN {} <> {other} THEN {} WHEN {open} THEN {} ELSE {} END",
            text("claimed"),
            self.sql("fingerprint"),
            text("conflict"),
            text("in_progress"),
            text("completed"),
            open = self.open(),
        );
        let mut items = vec![Assignment { column: "outcome".to_owned(), value: outcome }];
        items.extend(ANSWERED[1..].iter().map(|name| Assignment { column: self.sql(name), value: self.sql(name) }));
        let filter = self.same_key(&mut binder);
        let about = [
            "What stands behind the key, in `outcome`: `claimed`: do the work; `completed`: send the answer that is stored;",
            "`in_progress`: another request is at work; `conflict`: the key came with another request.",
        ];
        binder.named("replay", &about, Body::Select { table: self.table(), items, filter })
    }

    fn complete(&self) -> Named {
        let mut binder = self.binder();
        let mut set = vec![self.assign("completed_at", self.now("completed_at"))];
        for name in &ANSWERED[1..] {
            let value = self.bind(&mut binder, name);
            set.push(self.assign(name, value));
        }
        let filter = self.own(&mut binder);
        let about = [
            "Stores the answer, in the transaction of the work.",
            "When it changes no row, the claim was taken over: roll the work back, and ask `replay`.",
        ];
        binder.named("complete", &about, Body::Update { table: self.table(), set, filter })
    }

    fn fail(&self) -> Named {
        let mut binder = self.binder();
        let filter = self.own(&mut binder);
        let about =
            ["Gives the claim back, after work that failed and left nothing behind: the next request does it anew."];
        binder.named("fail", &about, Body::Delete { table: self.table(), filter })
    }

    fn expire(&self) -> Named {
        let mut binder = self.binder();
        let mut filter = self.same_key(&mut binder);
        let done = format!("{} IS NOT NULL", self.sql("completed_at"));
        filter.push(format!("({done} OR {})", self.claimed_before(self.lease)));
        let about = ["Forgets one key before its time, unless somebody works on it."];
        binder.named("expire", &about, Body::Delete { table: self.table(), filter })
    }

    fn purge(&self) -> Named {
        let filter = vec![self.claimed_before(self.retention)];
        let about = ["Forgets the keys whose retention is over."];
        self.binder().named("purge", &about, Body::Delete { table: self.table(), filter })
    }
}
