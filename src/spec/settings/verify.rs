//! The `verify` section: where loads are tried.

use super::nowhere;
use crate::spec::Located;
use crate::spec::schema;
use crate::spec::vocabulary::{Key, Vocabulary};

/// The `verify` section.
#[derive(Clone, Debug, Default)]
pub struct VerifySettings {
    /// The URL of the database, or `env:NAME` for one in an environment variable.
    pub engine: Option<Located<String>>,
}

pub(super) static VERIFY: Vocabulary<VerifySettings> = Vocabulary {
    what: "`verify`",
    keys: &[Key {
        name: "engine",
        doc: "the URL of the database that loads are tried on, or `env:NAME` for one in an environment variable, which \
              keeps its password out of this file",
        needed: None,
        schema: schema::text,
        read: |r, e, verify| verify.engine = r.text(e),
    }],
    home: nowhere,
    foreign: &[("url", "write `engine`"), ("database", "write `engine`")],
};
