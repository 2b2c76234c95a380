//! Globs over paths, as people write them: `vendor`, `migrations/**`, `*.gen.sql`.

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Some globs.
#[derive(Clone, Debug, Default)]
pub(super) struct Globs(GlobSet);

impl Globs {
    /// Reads globs; the fault is the number of the one that is wrong, and why.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        for (number, pattern) in patterns.into_iter().enumerate() {
            for glob in read(pattern).map_err(|fault| (number, fault.kind().to_string()))? {
                set.add(glob);
            }
        }
        set.build().map(Self).map_err(|fault| (0, fault.kind().to_string()))
    }

    /// True when one of them matches the path, whose parts are separated by `/`.
    pub fn matches(&self, path: &str) -> bool {
        !self.0.is_empty() && self.0.is_match_candidate(&Candidate::new(path))
    }
}

/// A glob without a `/` matches a file or a folder of that name at any depth, as in `.gitignore`; one with a `/` is seen
/// from the root. A folder stands for everything below it.
fn read(pattern: &str) -> Result<[Glob; 2], globset::Error> {
    let plain = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let rooted = match plain.strip_prefix('/') {
        Some(rooted) => rooted.to_owned(),
        None if plain.contains('/') => plain.to_owned(),
        None => format!("**/{plain}"),
    };
    let glob = |text: &str| GlobBuilder::new(text).literal_separator(true).build();
    Ok([glob(&rooted)?, glob(&format!("{rooted}/**"))?])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Globs;

    #[test]
    fn a_glob_matches_as_in_gitignore() {
        for (glob, path, matches) in [
            ("vendor", "vendor/a.sql", true),
            ("vendor", "db/vendor/x/a.sql", true),
            ("vendor/", "vendor/a.sql", true),
            ("vendor", "vendors/a.sql", false),
            ("*.gen.sql", "db/a.gen.sql", true),
            ("db/*.sql", "db/a.sql", true),
            ("db/*.sql", "db/x/a.sql", false),
            ("db/*.sql", "other/db/a.sql", false),
            ("./db", "db/x/a.sql", true),
            ("/a.sql", "a.sql", true),
            ("/a.sql", "db/a.sql", false),
            ("**/R__*", "db/R__x.sql", true),
            ("migrations/**", "migrations/a/b.sql", true),
            ("{a,b}/*.sql", "b/x.sql", true),
        ] {
            let globs = Globs::new([glob]).unwrap_or_else(|fault| panic!("{glob}: {fault:?}"));
            assert_eq!(globs.matches(path), matches, "{glob} {path}");
        }
        assert!(!Globs::default().matches("a.sql"));
    }

    #[test]
    fn a_wrong_glob_is_named_by_its_number() {
        assert_eq!(Globs::new(["a", "b["]).map_err(|(number, _)| number).unwrap_err(), 1);
    }
}
