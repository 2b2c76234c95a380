//! IDM902: a comment that is to suppress findings and does not do what it says.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::rule::{Class, Rule};

/// The rule. What it finds is told by `lint::suppress`, which alone knows what each comment did.
pub static RULE: Rule = Rule {
    code: "IDM902",
    name: "suppression-problem",
    severity: Severity::Warning,
    class: Class::Script,
    setup: "CREATE TABLE member (id int); CREATE TABLE applicant (id int); INSERT INTO applicant VALUES (1), (2)",
    summary: "a comment that is to suppress findings names an unknown rule, suppresses nothing, or gives no reason",
    docs: DOCS,
    check,
};

/// Nothing: see above.
fn check(_: &mut Check<'_, '_>) {}

const DOCS: &str = "\
## What it finds

A comment `-- idemsql: allow ..` or `-- noqa: IDM..` that names a rule which does not exist, or that suppresses nothing.
Where the settings say `require_reason: true`, also one without a reason.

```sql,bad,same
-- idemsql: allow no-such-rule
SELECT 1;
```

## Why

A comment with a misspelt name suppresses nothing, and one whose statement was mended hides the next fault in that place.

## Instead

Name a rule by its code, its name or the beginning of its code, and say why:

```sql,good
-- idemsql: allow not-in-null-trap -- no member is without an id
INSERT INTO member (id) SELECT id FROM applicant WHERE id NOT IN (SELECT id FROM member);
```

The form is `-- idemsql: allow insert-values-without-guard -- each run adds its row`, in front of the statement, in it, or
behind it on its last line; `-- idemsql: allow-file ..` covers the whole file.
";
