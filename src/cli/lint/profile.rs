//! What the settings file and the command line say, made into the linter's options for one file. No file is touched here.

use super::globs::Globs;
use crate::diagnostic::{Diagnostic, Severity, nearest};
use crate::dialect::{self, Dialect};
use crate::lint::options::{LOAD_COLUMNS, Options, STAGING};
use crate::lint::policy::Policy;
use crate::lint::rule::Rule;
use crate::lint::selector::select;
use crate::spec::{Located, Runs, Settings};

/// The rules that one word names.
#[derive(Clone, Debug)]
pub(super) struct Named(pub Vec<&'static Rule>);

impl Named {
    fn has(&self, rule: &Rule) -> bool {
        self.0.iter().any(|one| one.code == rule.code)
    }
}

/// What the command line says of all files.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub dialect: Option<&'static Dialect>,
    pub policy: Option<Policy>,
    /// In place of the rules that the settings turn on and off for all files.
    pub select: Vec<Named>,
    pub ignore: Vec<Named>,
    pub severity: Vec<(Named, Severity)>,
    pub pedantic: bool,
}

/// The settings with their names looked up.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// Files that are left out.
    pub exclude: Globs,
    catalogue: Vec<&'static Rule>,
    dialect: Option<&'static Dialect>,
    /// None for all files.
    policy: Vec<(Option<Globs>, Policy)>,
    select: Option<Vec<Named>>,
    ignore: Vec<Named>,
    severity: Vec<(Named, Severity)>,
    per_file: Vec<ForFile>,
    append_only: Vec<String>,
    staging: Vec<String>,
    load_columns: Vec<String>,
    aliases: Vec<(String, String)>,
    in_transaction: Option<bool>,
    guard_comments: Vec<(String, String)>,
    require_reason: bool,
    bodies: bool,
}

/// What differs for some files.
#[derive(Clone, Debug, Default)]
struct ForFile {
    paths: Globs,
    dialect: Option<&'static Dialect>,
    policy: Option<Policy>,
    select: Option<Vec<Named>>,
    ignore: Vec<Named>,
    severity: Vec<(Named, Severity)>,
    in_transaction: Option<bool>,
}

impl Profile {
    /// Looks up every name of the settings. `faults` are those that the settings have already; all are told at once.
    pub fn new(
        settings: Option<&Settings>,
        faults: Vec<Diagnostic>,
        catalogue: &[&'static Rule],
    ) -> Result<Self, Vec<Diagnostic>> {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let blank = Self {
            catalogue: catalogue.to_vec(),
            staging: owned(STAGING),
            load_columns: owned(LOAD_COLUMNS),
            ..Self::default()
        };
        let Some(settings) = settings else { return Ok(blank) };
        let lint = &settings.lint;
        let mut look = LookUp { catalogue, faults };
        let made = Self {
            exclude: look.globs(&lint.exclude),
            dialect: lint.dialect.as_ref().and_then(|name| look.dialect(name)),
            policy: lint
                .policy
                .iter()
                .map(|(glob, runs)| (glob.as_ref().map(|glob| look.globs(std::slice::from_ref(glob))), policy(*runs)))
                .collect(),
            select: lint.select.as_ref().map(|words| look.rules(words)),
            ignore: look.rules(&lint.ignore),
            severity: look.severities(&lint.severity),
            per_file: lint
                .per_file
                .iter()
                .map(|one| ForFile {
                    paths: look.globs(&one.path),
                    dialect: one.dialect.as_ref().and_then(|name| look.dialect(name)),
                    policy: one.policy.map(policy),
                    select: one.select.as_ref().map(|words| look.rules(words)),
                    ignore: look.rules(&one.ignore),
                    severity: look.severities(&one.severity),
                    in_transaction: one.in_transaction,
                })
                .collect(),
            append_only: patterns(&lint.append_only),
            staging: lint.staging.as_deref().map_or(blank.staging, patterns),
            load_columns: lint.load_columns.as_deref().map_or(blank.load_columns, patterns),
            aliases: lint.aliases.iter().map(|(name, table)| (name.value.clone(), table.value.clone())).collect(),
            in_transaction: lint.in_transaction,
            guard_comments: lint.guard_comments.clone(),
            require_reason: lint.require_reason,
            bodies: lint.bodies,
            catalogue: blank.catalogue,
        };
        let faults = look.faults;
        if faults.is_empty() {
            return Ok(made);
        }
        // The first label is the main one; people read a file from its top.
        let mut faults: Vec<_> = faults.into_iter().map(|fault| fault.in_source(settings.source())).collect();
        faults.sort_by_key(|fault| fault.labels.first().map_or(0, |label| label.span.start));
        Err(faults)
    }

    /// The options for one file. `path` is seen from the folder of the settings, with `/` between its parts.
    pub fn options(&self, path: &str, given: &Given) -> Options {
        let mine: Vec<&ForFile> = self.per_file.iter().filter(|one| one.paths.matches(path)).collect();
        let own_policy = self.policy.iter().rfind(|(globs, _)| globs.as_ref().is_none_or(|globs| globs.matches(path)));
        Options {
            dialect: given.dialect.or(mine.iter().rev().find_map(|one| one.dialect)).or(self.dialect),
            policy: given
                .policy
                .or(mine.iter().rev().find_map(|one| one.policy))
                .or(own_policy.map(|(_, policy)| *policy)),
            rules: self.rules(&mine, given),
            pedantic: given.pedantic,
            append_only: self.append_only.clone(),
            staging: self.staging.clone(),
            load_columns: self.load_columns.clone(),
            aliases: self.aliases.clone(),
            in_transaction: mine.iter().rev().find_map(|one| one.in_transaction).or(self.in_transaction),
            guard_comments: self.guard_comments.clone(),
            require_reason: self.require_reason,
            bodies: self.bodies,
            dbt: None,
        }
    }

    /// The rules that are on, with their severities.
    fn rules(&self, mine: &[&ForFile], given: &Given) -> Vec<(&'static Rule, Option<Severity>)> {
        let any = |words: &[Named], rule: &Rule| words.iter().any(|named| named.has(rule));
        let is_on = |rule: &Rule| {
            let chosen = if given.select.is_empty() {
                self.select.as_ref().is_none_or(|select| any(select, rule)) && !any(&self.ignore, rule)
            } else {
                any(&given.select, rule)
            };
            let here =
                |one: &&ForFile| one.select.as_ref().is_none_or(|select| any(select, rule)) && !any(&one.ignore, rule);
            chosen && !any(&given.ignore, rule) && mine.iter().all(here)
        };
        let layers = || {
            let files = mine.iter().map(|one| &one.severity);
            std::iter::once(&self.severity).chain(files).chain([&given.severity])
        };
        let severity = |rule: &Rule| {
            let said = |layer: &Vec<(Named, Severity)>| {
                // A rule's own name says more than the beginning of its code; of equal ones the last counts.
                let mut best: Option<(usize, Severity)> = None;
                for (named, severity) in layer.iter().filter(|(named, _)| named.has(rule)) {
                    if best.is_none_or(|(size, _)| named.0.len() <= size) {
                        best = Some((named.0.len(), *severity));
                    }
                }
                best.map(|(_, severity)| severity)
            };
            layers().filter_map(said).next_back()
        };
        let mut rules: Vec<_> =
            self.catalogue.iter().filter(|rule| is_on(rule)).map(|rule| (*rule, severity(rule))).collect();
        rules.sort_by_key(|(rule, _)| rule.code);
        rules
    }
}

/// Looks up names and notes those that are unknown.
struct LookUp<'c> {
    catalogue: &'c [&'static Rule],
    faults: Vec<Diagnostic>,
}

impl LookUp<'_> {
    fn fault<T>(&mut self, code: &'static str, message: String, at: &Located<T>, help: String) {
        self.faults.push(Diagnostic::error(code, message).at(at.span.clone(), "").help(help));
    }

    fn dialect(&mut self, name: &Located<String>) -> Option<&'static Dialect> {
        let found = dialect::find(&name.value);
        if found.is_none() {
            let message = format!("`{}` is not a dialect", name.value);
            self.fault("config-dialect", message, name, dialect_help(&name.value));
        }
        found
    }

    fn named(&mut self, word: &Located<String>) -> Named {
        match select(&word.value, self.catalogue) {
            Ok(rules) => Named(rules),
            Err(unknown) => {
                self.fault("config-rule", format!("`{}` is not a rule", word.value), word, unknown.help());
                Named(Vec::new())
            }
        }
    }

    fn rules(&mut self, words: &[Located<String>]) -> Vec<Named> {
        words.iter().map(|word| self.named(word)).collect()
    }

    fn severities(&mut self, all: &[(Located<String>, Severity)]) -> Vec<(Named, Severity)> {
        all.iter().map(|(word, severity)| (self.named(word), *severity)).collect()
    }

    fn globs(&mut self, patterns: &[Located<String>]) -> Globs {
        match Globs::new(patterns.iter().map(|one| one.value.as_str())) {
            Ok(globs) => globs,
            Err((number, why)) => {
                if let Some(pattern) = patterns.get(number) {
                    let message = format!("`{}` is not a glob: {why}", pattern.value);
                    let help = "write a path with `*` for any characters of a name and `**` for any folders";
                    self.fault("config-glob", message, pattern, help.to_owned());
                }
                Globs::default()
            }
        }
    }
}

/// What to write instead of an unknown dialect.
fn dialect_help(name: &str) -> String {
    let names = || dialect::ALL.iter().map(|dialect| dialect.name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
    }
}

fn policy(runs: Runs) -> Policy {
    match runs {
        Runs::Once => Policy::Once,
        Runs::Again => Policy::Rerun,
    }
}

/// Patterns of names, as they are compared.
fn patterns(list: &[Located<String>]) -> Vec<String> {
    list.iter().map(|one| one.value.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Given, Named, Profile};
    use crate::diagnostic::{Severity, Source, short};
    use crate::lint::options::Options;
    use crate::lint::policy::Policy;
    use crate::lint::selector::select;
    use crate::lint::testing::CATALOGUE;
    use crate::spec::Settings;
    use std::sync::Arc;

    fn profile(yaml: &str) -> Result<Profile, String> {
        let source = Arc::new(Source::new("idemsql.yaml", yaml));
        let (settings, faults) = Settings::read(&source);
        Profile::new(Some(&settings), faults, CATALOGUE).map_err(|faults| {
            short(&faults) + &faults.iter().filter_map(|fault| fault.help.clone()).collect::<Vec<_>>().join("\n")
        })
    }

    fn named(word: &str) -> Named {
        Named(select(word, CATALOGUE).unwrap_or_default())
    }

    fn codes(options: &Options) -> String {
        options.rules.iter().map(|(rule, _)| rule.code.trim_start_matches("IDM")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_settings_every_rule_is_on() {
        let options = Profile::new(None, Vec::new(), CATALOGUE).unwrap().options("a.sql", &Given::default());
        assert_eq!(codes(&options), "101 201 501 502 901 902");
        assert!(options.rules.iter().all(|(_, severity)| severity.is_none()));
        assert!(options.staging.contains(&"stg_*".to_owned()));
        assert!(options.load_columns.contains(&"*loaded_at".to_owned()));
        assert!(options.dialect.is_none() && options.policy.is_none() && options.in_transaction.is_none());
    }

    #[test]
    fn rules_are_chosen_by_settings_then_by_file_and_the_command_line_beats_both() {
        let profile = profile(
            "lint: {select: [IDM1, IDM5, suppression-problem], ignore: [IDM502], per_file: [{path: old, ignore: IDM1}, \
             {path: \"*.ddl\", select: [IDM5]}]}",
        )
        .unwrap();
        let rules = |path: &str, given: &Given| codes(&profile.options(path, given));
        let none = Given::default();
        assert_eq!(rules("a.sql", &none), "101 501 902");
        assert_eq!(rules("db/old/a.sql", &none), "501 902");
        assert_eq!(rules("a.ddl", &none), "501");
        let select = Given { select: vec![named("IDM502"), named("IDM1")], ..Given::default() };
        assert_eq!(rules("a.sql", &select), "101 502", "what is asked for is there although the settings turn it off");
        assert_eq!(rules("old/a.sql", &select), "502", "what differs for a file differs still");
        let ignore = Given { ignore: vec![named("IDM9")], ..Given::default() };
        assert_eq!(rules("a.sql", &ignore), "101 501");
    }

    #[test]
    fn the_nearest_word_decides_the_severity() {
        let profile = profile(
            "lint: {severity: {IDM501: info, IDM5: error, all: warning}, per_file: [{path: x, severity: {IDM5: info}}]}",
        )
        .unwrap();
        let severity = |path: &str, code: &str, given: &Given| {
            let options = profile.options(path, given);
            options.rules.iter().find(|(rule, _)| rule.code == code).and_then(|(_, severity)| *severity)
        };
        let none = Given::default();
        assert_eq!(severity("a.sql", "IDM101", &none), Some(Severity::Warning));
        assert_eq!(severity("a.sql", "IDM501", &none), Some(Severity::Info));
        assert_eq!(severity("a.sql", "IDM502", &none), Some(Severity::Error));
        assert_eq!(severity("x/a.sql", "IDM502", &none), Some(Severity::Info));
        let given = Given { severity: vec![(named("IDM502"), Severity::Warning)], ..Given::default() };
        assert_eq!(severity("x/a.sql", "IDM502", &given), Some(Severity::Warning));
    }

    #[test]
    fn dialect_policy_and_transaction_come_from_the_nearest_place() {
        let profile = profile(
            "lint: {dialect: ansi, policy: {\"**\": once, seeds: rerun}, in_transaction: true, per_file: [{path: \
             seeds/fixed, policy: once, in_transaction: false}]}",
        )
        .unwrap();
        let options = |path: &str| profile.options(path, &Given::default());
        assert_eq!(options("a.sql").policy, Some(Policy::Once));
        assert_eq!(options("seeds/a.sql").policy, Some(Policy::Rerun));
        assert_eq!(options("seeds/fixed/a.sql").policy, Some(Policy::Once));
        assert_eq!(options("seeds/a.sql").in_transaction, Some(true));
        assert_eq!(options("seeds/fixed/a.sql").in_transaction, Some(false));
        assert_eq!(options("a.sql").dialect.map(|dialect| dialect.name), Some("ansi"));
        let given = Given { policy: Some(Policy::Rerun), ..Given::default() };
        assert_eq!(profile.options("a.sql", &given).policy, Some(Policy::Rerun));
    }

    #[test]
    fn unknown_names_are_told_at_once_each_at_its_place() {
        let message = profile(
            "lint:\n  dialect: ansy\n  select: [create-without-gard]\n  severity: {XX1: info}\n  per_file: [{path: \"a[\", \
             dialect: klingon}]\n  exclud: x\n",
        )
        .unwrap_err();
        for words in [
            "idemsql.yaml:2:12: error[config-dialect]: `ansy` is not a dialect",
            "idemsql.yaml:3:12: error[config-rule]: `create-without-gard` is not a rule",
            "idemsql.yaml:4:14: error[config-rule]: `XX1`",
            "idemsql.yaml:5:21: error[config-glob]: `a[` is not a glob",
            "idemsql.yaml:6:3: error[config-unknown-key]: `exclud`",
            "did you mean `ansi`?",
            "did you mean `create-without-guard`?",
            "`idemsql explain rules` lists",
            "use one of ansi, ",
        ] {
            assert!(message.contains(words), "{words} is not in {message}");
        }
    }
}
