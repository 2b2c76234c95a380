//! `sarif`: SARIF 2.1.0, for code scanning servers and editors.
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html>

use super::fingerprint::Fingerprints;
use super::json::{pretty, summary};
use super::place::{Lines, Unit};
use super::{Format, Report, TOOL, VERSION, escape, words};
use crate::diagnostic::Severity;
use crate::lint::finding::{Edit, Finding, Fix};
use crate::lint::rule::Rule;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// The format.
pub static FORMAT: Format =
    Format { name: "sarif", about: "SARIF 2.1.0, for code scanning", for_people: false, whole: true, write };

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The folder in which the program was run: the root of the repository on a server.
const ROOT: &str = "%SRCROOT%";

fn write(report: &Report<'_>) -> String {
    let findings = || report.checked.iter().flat_map(|checked| &checked.findings);
    let rules: BTreeMap<&str, &Rule> = findings().map(|finding| (finding.rule.code, finding.rule)).collect();
    let indices: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(index, code)| (*code, index)).collect();
    let mut fingerprints = Fingerprints::default();
    let mut results = Vec::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let file = File { artifact: artifact(&checked.source.name), lines: Lines::of(&checked.source) };
        for finding in &checked.findings {
            let fingerprint = fingerprints.next(&checked.source.name, &file.lines, finding);
            results.push(file.result(finding, indices.get(finding.rule.code).copied(), &fingerprint));
        }
    }
    let skipped = report.run.skipped.iter().map(|one| {
        json!({
            "level": "warning",
            "message": {"text": message(&format!("skipped: {}", one.reason))},
            "locations": [{"physicalLocation": {"artifactLocation": artifact(&one.path)}}],
        })
    });
    pretty(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": TOOL,
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": rules.into_values().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": skipped.collect::<Vec<_>>(),
            }],
            "originalUriBaseIds": {
                ROOT: {"description": {"text": "the folder in which idemsql was run"}},
            },
            // Readers that do not look here count as editors do.
            "columnKind": "utf16CodeUnits",
            "results": results,
            "properties": {"summary": summary(report.run)},
        }],
    }))
}

fn rule(rule: &Rule) -> Value {
    let docs = if rule.docs.is_empty() { rule.summary.to_owned() } else { plain_fences(rule.docs) };
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": finds(rule)},
        "help": {"text": docs, "markdown": docs},
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {
            "tags": ["sql", "idempotence"],
            "problem.severity": words::by_severity(rule.severity, "error", "warning", "recommendation"),
        },
    })
}

/// The first part of a rule's page without its examples, or its summary where the page has none.
fn finds(rule: &Rule) -> String {
    let mut fenced = false;
    let part = rule.docs.lines().skip_while(|line| !line.starts_with("## ")).skip(1);
    let part = part.take_while(|line| !line.starts_with("## ")).filter(|line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    let text = part.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    if text.is_empty() { rule.summary.to_owned() } else { text }
}

/// The page with the names of languages as other readers know them: `sql` and not `sql,bad`.
fn plain_fences(docs: &str) -> String {
    let line = |line: &str| match line.strip_prefix("```") {
        Some(language) => format!("```{}\n", language.split(',').next().unwrap_or_default()),
        None => format!("{line}\n"),
    };
    docs.lines().map(line).collect()
}

fn level(severity: Severity) -> &'static str {
    words::by_severity(severity, "error", "warning", "note")
}

fn artifact(name: &str) -> Value {
    match escape::uri(name) {
        (uri, true) => json!({"uri": uri, "uriBaseId": ROOT}),
        (uri, false) => json!({"uri": uri}),
    }
}

/// A message in which nothing is a placeholder: `{0}` would be one. A brace is doubled only there, because most readers
/// show both of two.
fn message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, brace) = rest.split_at(at);
        let inside = brace.trim_start_matches('{');
        let digits = inside.len() - inside.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let braces = brace.len() - inside.len();
        out.push_str(before);
        out.push_str(&brace[..braces]);
        rest = inside;
        if digits > 0 && inside[digits..].starts_with('}') {
            out.push('{');
            out.push_str(&inside[..digits]);
            out.push_str("}}");
            rest = &inside[digits + 1..];
        }
    }
    out + rest
}

/// A file with findings.
struct File<'a> {
    artifact: Value,
    lines: Lines<'a>,
}

impl File<'_> {
    fn result(&self, finding: &Finding, rule: Option<usize>, fingerprint: &str) -> Value {
        let mut result = json!({
            "ruleId": finding.rule.code,
            "ruleIndex": rule,
            "level": level(finding.severity()),
            "message": {"text": message(&words::whole(&self.lines, finding))},
            "locations": [{"physicalLocation": self.physical(&finding.span())}],
            "partialFingerprints": {"statementHash/v1": fingerprint},
        });
        let labels = finding.diagnostic.labels.iter().skip(1).map(|label| (&label.span, label.text.as_str()));
        let more = finding.more.iter().map(|span| (span, words::SAME));
        let related: Vec<Value> = labels
            .chain(more)
            .enumerate()
            .map(|(id, (span, text))| {
                let mut location = json!({"id": id, "physicalLocation": self.physical(span)});
                if !text.is_empty() {
                    location["message"] = json!({"text": message(text)});
                }
                location
            })
            .collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        if let Some(fix) = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty()) {
            result["fixes"] = json!([self.fix(fix)]);
        }
        result
    }

    fn physical(&self, span: &Range<usize>) -> Value {
        json!({"artifactLocation": self.artifact, "region": self.region(span)})
    }

    fn region(&self, span: &Range<usize>) -> Value {
        let place = self.lines.place(span, Unit::Utf16);
        json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        })
    }

    fn fix(&self, fix: &Fix) -> Value {
        let replacement = |edit: &Edit| {
            let mut value = json!({"deletedRegion": self.region(&edit.range)});
            if !edit.text.is_empty() {
                value["insertedContent"] = json!({"text": edit.text});
            }
            value
        };
        json!({
            "description": {"text": message(&format!("{} ({})", fix.title, words::option(fix)))},
            "artifactChanges": [{
                "artifactLocation": self.artifact,
                "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{message, plain_fences};

    #[test]
    fn only_a_placeholder_has_its_braces_doubled() {
        for (text, expected) in [
            ("no brace", "no brace"),
            ("a {0} b", "a {{0}} b"),
            ("{{ ref('e') }} {x} {} {12", "{{ ref('e') }} {x} {} {12"),
            ("{{1}} {", "{{{1}}} {"),
        ] {
            assert_eq!(message(text), expected);
        }
    }

    #[test]
    fn a_fence_keeps_the_name_of_its_language() {
        assert_eq!(plain_fences("a\n```sql,bad,x\nb,c\n```"), "a\n```sql\nb,c\n```\n");
    }
}
