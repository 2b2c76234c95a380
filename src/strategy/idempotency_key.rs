//! `idempotency_key`: the store behind an `Idempotency-Key` header, so that a request may be sent again.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "idempotency_key",
    summary: "the store behind an Idempotency-Key header: claim, complete, replay, fail, expire, purge",
    docs: "\
# idempotency_key

A client that heard no answer sends its request again, with the same key. The store makes sure that the work is done once
and that every request of the key gets the one answer. `render` writes the statements by name, with bind parameters, for an
application; `render --form ddl` makes the table. The columns are given by the strategy:

```yaml
- name: idempotency_keys
  strategy: idempotency_key
  lease: 1 minute       # how long a claim holds when nobody completes it; this is the default
  retention: 24 hours   # how long an answer is kept; this is the default
```

1. `claim`, `take_over` and `replay`, each in a transaction of its own (autocommit), with a `claim_id` that is new for every
   request. `claim` inserts the key when it is not there. `take_over` takes a claim whose lease is over, because the server that
   made it is most likely dead, and a key whose retention is over. `replay` says in `outcome` what now stands there:
   `claimed`: the request is yours, do the work; `completed`: send the stored answer; `in_progress`: another request is at
   work, answer 409 and let the client try again; `conflict`: the key came with another request, answer 422.
2. The work and `complete` in one transaction. When `complete` changes no row, the claim was taken over: roll back, and ask
   `replay` for the answer. This is what keeps a server that was slow and not dead from doing the work twice.
3. `fail` gives the claim back when the work failed and left nothing behind, so that the client can try again at once.

`scope` says who a key belongs to, such as the tenant and the route: two clients may send one key. `fingerprint` is a hash of the
request (method, path, body), made by the application. `expire` forgets one key that nobody works on; `purge` forgets
the keys whose retention is over and belongs into a job that runs now and then. All times are the database's own, so servers whose
clocks differ agree.

What the work does outside of the database, such as a call to a payment provider, is in no transaction: send the key along, so
that the provider does it once, too.

`idemsql verify` plays this on your database, in a schema of its own: requests and answers sent again (G1), without a write (G2),
every outcome, the lease, the retention and a server that was slow and not dead (G3), two sessions that send the same keys (G6),
and sessions that are killed before and behind the claim and before the answer is committed (G7). A request is no batch, so G4 and
G5 say nothing of it.

Promises: one request of a key does the work, and every request of it gets one answer.

A database whose unique index is not enforced would let two requests win, so it is refused there.
",
    form: |dialect| dialect.insert_ignore,
    versions: false,
    insert_only: true,
    replaces: Replaces::Nothing,
    purpose: Purpose::Request,
};
