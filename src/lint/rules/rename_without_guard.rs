//! IDM507.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM507",
    name: "rename-without-guard",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "RENAME of something that has its new name when the script is run again",
    setup: "CREATE TABLE orders (id int, a int); CREATE TABLE bill (id int);",
    docs: "\
## What it finds

Tables, columns and other objects that are renamed without a check.

```sql,bad,fails
ALTER TABLE orders RENAME COLUMN a TO qty;
```

```sql,bad,fails
ALTER TABLE bill RENAME TO invoice;
```

```sql,good
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'a' AND NOT attisdropped) THEN
        ALTER TABLE orders RENAME COLUMN a TO qty;
    END IF;
END $$;
```

## Why

After the first run the old name is gone, and the second run stops.

## Instead

Ask for the old name first. To put a new table in the place of an old one, make the new one in the same script and drop
what the last run left, so that each run does the whole again:

```sql,good
DROP TABLE IF EXISTS bill_new, bill_old;
CREATE TABLE bill_new (id int, label text);
ALTER TABLE bill RENAME TO bill_old;
ALTER TABLE bill_new RENAME TO bill;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let wanted = |act| matches!(act, Act::Rename(_) | Act::RenameColumn | Act::RenamePart);
    for (step, failure) in definition::failures(check, wanted) {
        let help = if failure.swap.is_some() {
            "make the new table in this script, and `DROP TABLE IF EXISTS` what the last run left, so that each run swaps anew"
                .to_owned()
        } else {
            definition::probe(check.context, failure)
        };
        check.report(step, definition::report(failure).help(help));
    }
}
