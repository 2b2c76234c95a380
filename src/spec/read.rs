//! Reads values out of the YAML tree, one kind of value at a time. Nothing stops at a fault: it is noted, and the rest of
//! the file is read.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::nearest;
use crate::spec::Located;
use crate::spec::Scalar;
use crate::spec::seed::Files;
use crate::spec::vocabulary::Vocabulary;
use crate::spec::yaml::{Entry, Node, Value};

/// What a reading knows, and the faults that it found.
pub(super) struct Reader<'a> {
    /// The dialect that `type: {dialect: ...}` is read for.
    pub dialect: &'a str,
    /// The files that the spec names.
    pub files: &'a Files,
    /// True while `defaults`, a table or an override is read by itself, so that what it lacks may stand elsewhere.
    pub alone: bool,
    /// What was found, in any order, perhaps twice.
    pub faults: Vec<Diagnostic>,
}

/// The words of a choice: the word, what it means, the value.
pub(super) type Choices<T> = &'static [(&'static str, &'static str, T)];

impl Reader<'_> {
    /// Notes a fault.
    pub fn fault(&mut self, fault: Diagnostic) {
        self.faults.push(fault);
    }

    /// Notes a value of the wrong kind. `what` is the key in words, `wants` the kind that it takes.
    pub fn wrong(&mut self, what: &str, wants: &str, node: &Node, help: impl Into<String>) {
        let fault = match node.value {
            Value::Null => Diagnostic::error("spec-no-value", format!("{what} has no value"))
                .at(node.span.clone(), format!("{wants} is wanted here")),
            _ => Diagnostic::error("spec-wrong-kind", format!("{what} takes {wants}, not {}", kind(&node.value)))
                .at(node.span.clone(), ""),
        };
        self.faults.push(fault.help(help));
    }

    /// Text that is not empty: a name, a predicate, a description.
    pub fn text(&mut self, entry: &Entry) -> Option<Located<String>> {
        self.text_of(&format!("`{}`", entry.key), &entry.value)
    }

    /// Text that is not empty, at a place that is called `what`.
    pub fn text_of(&mut self, what: &str, node: &Node) -> Option<Located<String>> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                let fault = Diagnostic::error("spec-no-value", format!("{what} is empty"));
                self.fault(
                    fault.at(node.span.clone(), "text is wanted here").help("write the text, or remove the key"),
                );
                None
            }
            Value::Text(text) => Some(located(text.clone(), node)),
            Value::Number(spelled) => {
                self.wrong(what, "text", node, format!("put quotes around it: `\"{spelled}\"`"));
                None
            }
            Value::Bool(value) => {
                self.wrong(what, "text", node, format!("put quotes around it: `\"{value}\"`"));
                None
            }
            Value::Mapping(_) if node.template => {
                self.wrong(what, "text", node, "put quotes around the template: `\"{{ ... }}\"`");
                None
            }
            Value::Null => {
                self.wrong(what, "text", node, "write it behind the `:`, or remove the key");
                None
            }
            _ => {
                self.wrong(what, "text", node, "write one text here");
                None
            }
        }
    }

    /// An SQL expression; a number or a truth value is one too.
    pub fn expression(&mut self, entry: &Entry) -> Option<Located<String>> {
        match &entry.value.value {
            Value::Number(spelled) => Some(located(spelled.clone(), &entry.value)),
            Value::Bool(value) => Some(located(value.to_string(), &entry.value)),
            _ => self.text(entry),
        }
    }

    /// `true` or `false`.
    pub fn flag(&mut self, entry: &Entry) -> Option<Located<bool>> {
        let what = format!("`{}`", entry.key);
        match &entry.value.value {
            Value::Bool(value) => return Some(located(*value, &entry.value)),
            Value::Text(text) => {
                let help = match text.to_ascii_lowercase().as_str() {
                    "yes" | "y" | "on" | "true" => format!("write `{}: true`", entry.key),
                    "no" | "n" | "off" | "false" => format!("write `{}: false`", entry.key),
                    _ => format!("write `{0}: true` or `{0}: false`", entry.key),
                };
                self.wrong(&what, "`true` or `false`", &entry.value, help);
            }
            _ => {
                self.wrong(
                    &what,
                    "`true` or `false`",
                    &entry.value,
                    format!("write `{0}: true` or `{0}: false`", entry.key),
                );
            }
        }
        None
    }

    /// One word of a few.
    pub fn choice<T: Copy>(&mut self, entry: &Entry, choices: Choices<T>) -> Option<Located<T>> {
        self.choice_of(&entry.key, &entry.value, choices)
    }

    /// One or more words of a few, none twice.
    pub fn some_of<T: Copy>(&mut self, entry: &Entry, choices: Choices<T>) -> Vec<Located<T>> {
        // What is no list of names is a fault that is noted with them.
        let names = self.names(entry);
        let node = |name: &Located<String>| Node {
            value: Value::Text(name.value.clone()),
            span: name.span.clone(),
            template: false,
        };
        names.iter().filter_map(|name| self.choice_of(&entry.key, &node(name), choices)).collect()
    }

    /// One word of a few as a value of a key.
    fn choice_of<T: Copy>(&mut self, key: &str, node: &Node, choices: Choices<T>) -> Option<Located<T>> {
        let words: Vec<&str> = choices.iter().map(|(word, ..)| *word).collect();
        let allowed = list_of(&words, "or");
        let Value::Text(text) = &node.value else {
            self.wrong(&format!("`{key}`"), "a word", node, format!("write {allowed}"));
            return None;
        };
        if let Some((.., value)) = choices.iter().find(|(word, ..)| word == text) {
            return Some(located(*value, node));
        }
        let message = format!("`{text}` is not a value of `{key}`");
        let help = match nearest(text, words) {
            Some(near) => format!("did you mean `{near}`? It takes {allowed}"),
            None => format!("write {allowed}"),
        };
        self.fault(Diagnostic::error("spec-unknown-word", message).at(node.span.clone(), "").help(help));
        None
    }

    /// A list of texts, or one text; not none.
    pub fn texts(&mut self, entry: &Entry, example: &str) -> Vec<Located<String>> {
        let key = &entry.key;
        let help = format!("write `{key}: [\"{example}\"]`");
        let items = self.items(entry, "a list of texts", &help, &help);
        items.iter().filter_map(|item| self.text_of(&format!("a text of `{key}`"), item)).collect()
    }

    /// The items of a list, or a text as the only one. `help` says what to write for what is neither, `none` for no items.
    fn items<'n>(&mut self, entry: &'n Entry, what: &str, help: &str, none: &str) -> &'n [Node] {
        let key = &entry.key;
        match &entry.value.value {
            Value::List(items) => {
                if items.is_empty() {
                    let fault = Diagnostic::error("spec-empty-list", format!("`{key}` is an empty list"));
                    self.fault(fault.at(entry.value.span.clone(), "").help(none));
                }
                items
            }
            Value::Text(_) => std::slice::from_ref(&entry.value),
            _ => {
                self.wrong(&format!("`{key}`"), what, &entry.value, help.to_owned());
                &[]
            }
        }
    }

    /// A list of names, or one plain name; no name twice, and not none.
    pub fn names(&mut self, entry: &Entry) -> Vec<Located<String>> {
        let key = &entry.key;
        let help = format!("write `{key}: [a, b]`");
        let items = self.items(entry, "a list of names", &help, "name at least one, or remove the key");
        let mut names: Vec<Located<String>> = Vec::new();
        for item in items {
            let Some(name) = self.text_of(&format!("a name in `{key}`"), item) else { continue };
            if let Some(first) = names.iter().find(|other| other.value == name.value) {
                let fault = Diagnostic::error("spec-twice", format!("`{key}` names `{}` twice", name.value))
                    .at(name.span.clone(), "again here")
                    .at(first.span.clone(), "first here");
                self.fault(fault.help("remove one of the two"));
            } else {
                names.push(name);
            }
        }
        names
    }

    /// A single value: null, a truth value, a number or text.
    pub fn scalar(&mut self, what: &str, node: &Node) -> Option<Located<Scalar>> {
        let value = match &node.value {
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Number(spelled) => Scalar::Number(spelled.clone()),
            Value::Text(text) => Scalar::Text(text.clone()),
            Value::Mapping(_) if node.template => {
                self.wrong(what, "a single value", node, "put quotes around the template: `\"{{ ... }}\"`");
                return None;
            }
            Value::Null => {
                self.wrong(what, "a value", node, "write it behind the `:`, or remove the key");
                return None;
            }
            _ => {
                self.wrong(what, "a single value", node, "write a number, a text or a date here");
                return None;
            }
        };
        Some(located(value, node))
    }

    /// The entries of a mapping, or a fault that says what the mapping should hold.
    pub fn entries<'n>(&mut self, what: &str, node: &'n Node, help: &str) -> Option<&'n [Entry]> {
        if let Value::Mapping(entries) = &node.value {
            return Some(entries);
        }
        self.wrong(what, "a mapping", node, help);
        None
    }

    /// Reads a mapping by its vocabulary: the keys in the vocabulary's order, so that a later one may use an earlier one.
    pub fn mapping<T>(&mut self, entries: &[Entry], span: &Range<usize>, words: &Vocabulary<T>, into: &mut T) {
        let known = self.known(entries, words);
        for key in words.keys {
            if let Some(entry) = known.iter().find(|entry| entry.key == key.name) {
                (key.read)(self, entry, into);
                continue;
            }
            let hinted = entries.iter().any(|entry| words.stands_for(entry, key.name));
            if let Some(example) = key.needed.filter(|_| !self.alone && !hinted) {
                let message = format!("{} has no `{}`", words.what, key.name);
                let fault = Diagnostic::error("spec-missing-key", message).at(span.clone(), "");
                self.fault(fault.help(format!("add `{example}`")));
            }
        }
    }

    /// Notes a key that is given twice.
    pub fn twice(&mut self, again: &Entry, first: &Entry) {
        let fault = Diagnostic::error("spec-duplicate-key", format!("`{}` is given twice", again.key))
            .at(again.key_span.clone(), "again here")
            .at(first.key_span.clone(), "first here");
        self.fault(fault.help("remove one of the two"));
    }

    /// The entries whose keys the vocabulary has, each key once; the others are noted as faults.
    pub fn known<'n, T>(&mut self, entries: &'n [Entry], words: &Vocabulary<T>) -> Vec<&'n Entry> {
        let mut known: Vec<&Entry> = Vec::new();
        for entry in entries {
            if let Some(first) = known.iter().find(|first| first.key == entry.key) {
                self.twice(entry, first);
            } else if words.keys.iter().any(|key| key.name == entry.key) {
                known.push(entry);
            } else {
                self.fault(words.unknown(entry, entries));
            }
        }
        known
    }
}

/// A value at the bytes of a node.
pub(super) fn located<T>(value: T, node: &Node) -> Located<T> {
    Located { value, span: node.span.clone() }
}

/// What a value is, for a message.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Mapping(_) => "a mapping",
    }
}

/// `a`, `b` or `c`: names in backticks, joined for a sentence.
pub(super) fn list_of<S: AsRef<str>>(words: &[S], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    match quoted.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => String::new(),
    }
}
