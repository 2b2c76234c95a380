//! `batch`: the log of batches that `batch_once` reads and writes, and what does not fit such a load.

use super::Decision;
use super::column::ValueFrom;
use super::compare::equal_values;
use super::load::{Content, Once};
use super::name::name_parts;
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::{Form, IndexNulls, Storage};
use crate::dialect::types::Type;
use crate::spec::{self, BatchBy, Source};
use crate::strategy::Strategy;
use std::ops::Range;

/// The longest name of a table, and of a batch, that the log takes.
pub const LENGTH: u32 = 200;

/// The log, for whoever makes it or reads it.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its name, part by part, without quotes.
    pub parts: Vec<String>,
    /// Its columns: the target, the batch, and when it was loaded.
    pub columns: [(String, Type); 3],
    /// The column of the target that names the batch of a row: a place in the columns. None where the content does.
    pub batch: Option<usize>,
    /// What stands behind the brackets of its definition.
    pub storage: String,
    /// True when the engine enforces its key.
    pub enforced: bool,
}

/// What does not fit between the strategy that a spec names and `batch`.
pub(super) fn fault(strategy: &Strategy, table: &spec::Table) -> Result<(), Diagnostic> {
    let Some(batch) = table.batch.as_ref().filter(|_| !strategy.appends()) else { return Ok(()) };
    let fault = format!("`batch` says what `batch_once` appends, and the strategy is `{}`", strategy.name);
    let help = "write `strategy: batch_once`, or leave `batch` out";
    Err(Diagnostic::error("plan-batch", fault).at(batch.span().clone(), "").help(help))
}

impl Planner<'_> {
    /// What of the load does not fit batches that are appended once.
    pub(super) fn check_batch(&mut self) {
        if !self.strategy.appends() {
            return;
        }
        let table = self.table;
        let asked = table.asked_at();
        let fault = |text: String, span: &Range<usize>| Diagnostic::error("plan-batch", text).at(span.clone(), "");
        let others = [
            ("unique_key", table.unique_key.first().map(|name| &name.span)),
            ("incremental_column", table.incremental.as_ref().map(|incremental| &incremental.column.span)),
            ("version", table.version.first().map(|name| &name.span)),
            ("deletes", table.deletes.as_ref().map(|deletes| &deletes.when.span)),
            ("target_filter", table.target_filter.as_ref().map(|filter| &filter.span)),
        ];
        for (key, span) in others {
            if let Some(span) = span {
                let text = format!("`batch_once` appends whole batches and looks at no row, so `{key}` says nothing");
                let help = format!("leave `{key}` out, or write `strategy: upsert` for rows that have a key");
                self.faults.push(fault(text, span).help(help));
            }
        }
        if matches!(table.source.value, Source::Rows { .. } | Source::Parameters) {
            let text = "the source is read twice, and literal rows and bind parameters stand in a statement once";
            self.faults.push(
                fault(text.to_owned(), &table.source.span).help("stage the rows in a table: `source: {table: ..}`"),
            );
        }
        let Some(batch) = &table.batch else {
            let text = "`batch_once` must know which batch a row is of".to_owned();
            self.faults.push(fault(text, &asked).help(
                "write `batch: file_name`, the column that names the batch of a row, or `batch: {content: true}`",
            ));
            return;
        };
        let named = match &batch.by {
            BatchBy::Column(named) => named,
            BatchBy::Content(asked) => {
                if self.dialect.digest.is_none() {
                    let text = format!(
                        "a batch is not named by its content on {}: no digest of rows is known for it that is the same in \
                         every session",
                        self.dialect.title
                    );
                    self.faults
                        .push(fault(text, asked).help(
                            "stage the name of the batch with its rows, and name its column: `batch: file_name`",
                        ));
                }
                for column in &self.columns {
                    if matches!((&column.value, &column.ty), (ValueFrom::Staged(_), Type::Other(_))) {
                        let text = format!(
                            "how `{}` is written may be the session's to say, and the digest of the staged rows with it",
                            column.name
                        );
                        self.faults.push(fault(text, &column.span).help(
                            "stage the name of the batch with its rows, and name its column: `batch: file_name`",
                        ));
                    }
                }
                return;
            }
        };
        let Some(column) = self.column(&named.value).cloned() else { return };
        let at = &named.span;
        if !column.is_staged() {
            let text = format!("the staged rows do not hold the batch column `{}`", column.name);
            self.faults.push(fault(text, at).help("name a column that is staged"));
        }
        if column.nullable {
            let text = format!("the batch column `{}` may be null, and such a row would be of no batch", column.name);
            self.faults.push(fault(text, at).help(format!("write `nullable: false` at column `{}`", column.name)));
        }
        if !matches!(column.ty, Type::Varchar(length) if length <= LENGTH) {
            let text =
                format!("the log keeps names of at most {LENGTH} characters, and `{}` may be another", column.name);
            let help = format!("give the column `type: varchar({LENGTH})`, and a `source` that makes a text of it");
            self.faults.push(fault(text, at).help(help));
        }
    }

    /// The log, and what the load asks of it.
    pub(super) fn once(&mut self) {
        if !self.strategy.appends() {
            return;
        }
        let Some(batch) = self.table.batch.clone() else { return };
        let (log, parts) = if let Some(path) = &batch.log {
            (self.path_of(&path.value, &path.span), name_parts(&path.value))
        } else {
            let beside = [self.table.catalog.as_ref(), self.table.schema.as_ref()];
            let mut parts: Vec<String> = beside.into_iter().flatten().map(|part| part.value.clone()).collect();
            parts.push("idemsql_batches".to_owned());
            let quote = self.table.quote_always;
            let sql = parts.iter().map(|part| self.dialect.identifier(part, quote)).collect::<Vec<_>>().join(".");
            (sql, parts)
        };
        let name = self.table_name();
        if name.chars().count() > LENGTH as usize {
            self.faults.push(
                Diagnostic::error("plan-batch", format!("the log keeps names of at most {LENGTH} characters"))
                    .at(self.table.name.span.clone(), "this one is longer")
                    .help("give the table a shorter name"),
            );
        }
        let (varchar, time) = (Type::Varchar(LENGTH), Type::Timestamp);
        let columns = [("target_table", varchar.clone()), ("batch_id", varchar), ("loaded_at", time)];
        let [target, id, loaded] = columns.each_ref().map(|(name, _)| self.dialect.identifier(name, false));
        let o = &self.load.names.o;
        let name = (self.dialect.string)(&name);
        let of_target = format!("{o}.{target} = {name}");
        let is_open = format!("{o}.{loaded} IS NULL");
        let place = batch.column().and_then(|column| self.place(&column.value));
        let (staged, same, content) = if let Some(place) = place {
            let column = &self.columns[place];
            let ValueFrom::Staged(staged) = &column.value else { return };
            (staged.clone(), equal_values(self.dialect, column, &format!("{o}.{id}"), staged), None)
        } else {
            let Some(content) = self.content(&id) else { return };
            let of_all = format!("{}.{id}", self.load.names.d);
            (of_all.clone(), format!("{o}.{id} = {of_all}"), Some(content))
        };
        let noted = vec![of_target.clone(), same.clone()];
        // All rows of a content are of the one batch that is open.
        let open = if content.is_some() { vec![of_target, is_open] } else { vec![of_target, same, is_open] };
        if content.is_none() {
            let as_ = &self.load.as_word;
            let all = open.join("\n  AND ").replace('\n', "\n  ");
            self.load.batch.filter.push(format!("EXISTS (\n  SELECT 1\n  FROM {log} {as_}{o}\n  WHERE {all}\n)"));
        }
        let chosen = match batch.column() {
            Some(column) => format!("by `{}`, noted in {log}", column.value),
            None => format!("by a digest of the staged rows, noted in {log}"),
        };
        self.load.once = Some(Once {
            values: vec![name.clone(), staged],
            columns: vec![target.clone(), id],
            closes: vec![format!("{target} = {name}"), format!("{loaded} IS NULL")],
            loaded: loaded.clone(),
            now: (self.dialect.now)(&Type::Timestamp).to_owned(),
            noted,
            open,
            content,
            log,
        });
        let enforced = self.dialect.index_nulls != IndexNulls::NotEnforced;
        self.log = Some(Log {
            parts,
            columns: columns.map(|(name, ty)| (name.to_owned(), ty)),
            batch: place,
            storage: (self.dialect.storage)(&Storage { key: &[], nullable_key: false, version: None }),
            enforced,
        });
        self.decisions.push(Decision::new(
            "batches",
            chosen,
            if batch.column().is_some() {
                "a batch is noted before its rows are read, and the note is closed behind them: rows that are staged in \
                 between are of a batch that is noted, or of one that is left for the next run"
            } else {
                "the digest is taken of rows in a temporary table, and those are appended: rows that are staged in between \
                 are of the next batch"
            },
        ));
    }
}

impl Planner<'_> {
    /// How the name of all staged rows is made, as the column of that name.
    fn content(&self, id: &str) -> Option<Content> {
        let digest = self.dialect.digest?;
        let (b, w) = (&self.load.names.b, &self.load.names.w);
        let staged: Vec<(String, &Type)> = self
            .columns
            .iter()
            .filter(|column| matches!(column.value, ValueFrom::Staged(_)))
            .map(|column| (column.of(b), &column.ty))
            .collect();
        let cells: Vec<(&str, &Type)> = staged.iter().map(|(cell, ty)| (cell.as_str(), *ty)).collect();
        let row = "digest".to_owned();
        Some(Content {
            value: digest.whole(&format!("{w}.{row}")),
            of_row: (digest.row)(&cells),
            row,
            id: id.to_owned(),
        })
    }
}

/// What `batch_once` promises; none for another form. `locked` says that a lock is taken.
pub(super) fn promises(planner: &Planner<'_>, form: Form, locked: bool) -> Option<[Result<String, String>; 7]> {
    if form != Form::AppendBatch {
        return None;
    }
    let yes = |text: &str| Ok(text.to_owned());
    let no = |text: &str| Err(text.to_owned());
    let first = "a batch is what was staged under its name when it was loaded first";
    let by_content = planner.load.once.as_ref().is_some_and(|once| once.content.is_some());
    Some([
        yes("a batch that is in the log is left out"),
        yes(if by_content {
            "a batch that is in the log is left out, and the temporary table alone is written"
        } else {
            "a batch that is in the log is left out"
        }),
        yes("every row of a batch that is not in the log is appended, as often as it is staged"),
        if by_content { yes("a batch is appended once, whatever was loaded before it") } else { no(first) },
        if by_content { no("a part of the rows is another batch") } else { no(first) },
        if locked {
            yes("a lock makes the second session wait")
        } else if planner.log.as_ref().is_some_and(|log| log.enforced) {
            yes(
                "the key of the log lets one of two sessions note a batch; the other fails, and finds it noted when it runs \
                 again",
            )
        } else {
            no("nothing stops two sessions from noting one batch: let the scheduler run one load at a time")
        },
        yes("the note and the rows are in one transaction"),
    ])
}
