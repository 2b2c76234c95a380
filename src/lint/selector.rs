//! The words that name rules: a code, a name, the beginning of a code, or `all`.

use crate::diagnostic::nearest;
use crate::lint::rule::Rule;

/// The word for every rule.
pub const ALL: &str = "all";

/// A word that names no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The code or the name that was most likely meant.
    pub nearest: Option<&'static str>,
}

impl Unknown {
    /// What to do about it, as an order.
    pub fn help(self) -> String {
        match self.nearest {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`idemsql explain rules` lists the codes and the names".to_owned(),
        }
    }
}

/// The rules that a word names. A beginning of a code needs a digit less, not a letter: `IDM5`, and not `ID`.
pub fn select(word: &str, catalogue: &[&'static Rule]) -> Result<Vec<&'static Rule>, Unknown> {
    if word.eq_ignore_ascii_case(ALL) {
        return Ok(catalogue.to_vec());
    }
    let exact = |rule: &&&Rule| rule.code.eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word);
    if let Some(rule) = catalogue.iter().find(exact) {
        return Ok(vec![*rule]);
    }
    let upper = word.to_ascii_uppercase();
    let begins = |rule: &&&Rule| {
        let letters = rule.code.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        upper.len() >= letters && rule.code.starts_with(&upper)
    };
    let group: Vec<&'static Rule> = catalogue.iter().filter(begins).copied().collect();
    if !group.is_empty() {
        return Ok(group);
    }
    let names = catalogue.iter().flat_map(|rule| [rule.name, rule.code]);
    Err(Unknown { nearest: nearest(word, names) })
}

#[cfg(test)]
mod tests {
    use super::select;
    use crate::lint::testing::CATALOGUE;

    fn codes(word: &str) -> Result<Vec<&'static str>, Option<&'static str>> {
        match select(word, CATALOGUE) {
            Ok(rules) => Ok(rules.iter().map(|rule| rule.code).collect()),
            Err(unknown) => Err(unknown.nearest),
        }
    }

    #[test]
    fn a_rule_is_named_by_code_name_or_the_beginning_of_its_code() {
        assert_eq!(codes("IDM101"), Ok(vec!["IDM101"]));
        assert_eq!(codes("idm101"), Ok(vec!["IDM101"]));
        assert_eq!(codes("Create-Without-Guard"), Ok(vec!["IDM501"]));
        assert_eq!(codes("IDM5"), Ok(vec!["IDM501", "IDM502"]));
        assert_eq!(codes("IDM").map(|all| all.len()), Ok(CATALOGUE.len()));
        assert_eq!(codes("all").map(|all| all.len()), Ok(CATALOGUE.len()));
    }

    #[test]
    fn any_other_word_names_nothing() {
        assert_eq!(codes("create-without-gard"), Err(Some("create-without-guard")));
        assert_eq!(codes("IDM105"), Err(Some("IDM101")));
        assert_eq!(codes("ID"), Err(None));
        assert_eq!(codes(""), Err(None));
        assert_eq!(codes("5"), Err(None));
    }
}
