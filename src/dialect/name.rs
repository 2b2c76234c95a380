//! Identifiers: quoted where a dialect needs it, measured in the unit that it counts.

use super::Dialect;

/// The quotes around an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotes {
    /// The opening quote.
    pub open: char,
    /// The closing quote.
    pub close: char,
    /// How a closing quote inside a name is written.
    pub escape: Escape,
}

/// How a closing quote inside a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Twice.
    Double,
    /// With a backslash before it; a backslash is doubled.
    Backslash,
    /// Not at all: such a name cannot be written.
    Never,
}

/// What an engine makes of a name without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
    /// Nothing: it is kept as written.
    Kept,
}

/// The longest name that an engine takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameLimit {
    /// The greatest length.
    pub length: usize,
    /// True when the length counts bytes of UTF-8, false for characters.
    pub bytes: bool,
}

impl Dialect {
    /// The identifier as it stands in SQL: bare when that means the same column, quoted otherwise or when `always`.
    ///
    /// A plain lower-case name means "as created without quotes", so where the engine folds to upper case and the name
    /// is a reserved word it is quoted in upper case: the column `order` of Oracle is `"ORDER"`. A name with an
    /// upper-case letter, a space or another script is quoted exactly as it is spelled.
    pub fn identifier(&self, name: &str, always: bool) -> String {
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let leading_underscore = name.starts_with('_') && self.fold == Fold::Upper;
        if !always && plain && !leading_underscore && self.reserved.binary_search(&name).is_err() {
            return name.to_owned();
        }
        let spelled =
            if plain && !always && self.fold == Fold::Upper { name.to_ascii_uppercase() } else { name.to_owned() };
        let Quotes { open, close, escape } = self.quotes;
        let inner = match escape {
            Escape::Double | Escape::Never => spelled.replace(close, &format!("{close}{close}")),
            Escape::Backslash => spelled.replace('\\', "\\\\").replace(close, &format!("\\{close}")),
        };
        format!("{open}{inner}{close}")
    }

    /// Why the name cannot be a column or table of this dialect, or `None` when it can.
    pub fn name_fault(&self, name: &str) -> Option<String> {
        if name.is_empty() {
            return Some("a name cannot be empty".to_owned());
        }
        // Line ends and signs that turn the direction of text would make the SQL read as something that it is not.
        let unseen = |c: &char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if let Some(unseen) = name.chars().find(unseen) {
            return Some(format!("a name cannot hold the character U+{:04X}", u32::from(unseen)));
        }
        if self.quotes.escape == Escape::Never && name.contains(self.quotes.close) {
            return Some(format!("{} has no way to write `{}` inside a name", self.title, self.quotes.close));
        }
        if let Some(unfit) = name.chars().find(|c| self.unfit_in_names.contains(*c)) {
            return Some(format!("{} takes no `{unfit}` in a name", self.title));
        }
        let limit = self.name_limit?;
        let length = if limit.bytes { name.len() } else { name.chars().count() };
        (length > limit.length).then(|| {
            let unit = if limit.bytes { "bytes" } else { "characters" };
            format!("it is {length} {unit} long; {} takes {}", self.title, limit.length)
        })
    }

    /// The form under which two names are one column for this engine.
    pub fn folded(&self, name: &str) -> String {
        if self.ignores_case { name.to_lowercase() } else { name.to_owned() }
    }
}
