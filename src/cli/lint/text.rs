//! The one way in which a file becomes text and text becomes a file again.

use crate::cli::files::folder_of;
use crate::diagnostic::Origin;
use crate::dialect::Dialect;
use crate::lint::{self, detect};
use crate::sql::decode::{Decoded, Note, Unwritable};
use crate::sql::lexis::Lexis;
use crate::sql::load;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The text of a file, and what is needed to make the same bytes of it.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// The text without its mark, and without its bulk when it is large.
    pub text: String,
    /// How it stood in the file.
    pub form: Form,
}

/// How a text stands in its file.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// Its encoding, its mark, and what was left out.
    pub origin: Origin,
    /// What a user should know about its bytes.
    pub note: Option<Note>,
}

impl Text {
    /// Makes what is read into text. A large script is read without its bulk, which needs its dialect.
    pub fn decode(mut from: impl Read, name: &str, dialect: Option<&'static Dialect>) -> io::Result<Self> {
        let next = |room: &mut [u8]| loop {
            match from.read(room) {
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        };
        let loaded = load::read(next, |first| {
            let first = String::from_utf8_lossy(first);
            let found = dialect.or_else(|| detect::dialect(name, &first));
            Lexis::of(found.unwrap_or_else(lint::generic))
        })?;
        Ok(Self { text: loaded.text, form: Form { origin: loaded.origin, note: loaded.note } })
    }

    /// Reads a file.
    pub fn read(path: &Path, dialect: Option<&'static Dialect>) -> Result<Self> {
        let cannot = || format!("cannot read {}", path.display());
        let file = fs::File::open(path).with_context(cannot)?;
        Self::decode(file, &path.to_string_lossy(), dialect).with_context(cannot)
    }
}

impl Form {
    /// Makes a text into bytes; the reason where they would not be those of the file.
    fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        Decoded { text: String::new(), origin: self.origin.clone(), note: self.note }.encode(text)
    }

    /// Writes a new text into a file that held the old one: whole or not at all, with its permissions, its mark and its line
    /// ends, and where the path is a link, into the file that it leads to.
    pub fn write(&self, path: &Path, old: &str, new: &str) -> Result<()> {
        let left = || format!("{} is left as it is", path.display());
        let now = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        // This also holds back from a file whose bytes we cannot make again.
        if now != self.encode(old).with_context(left)? {
            bail!("{}: it has changed since it was read", left());
        }
        let about = fs::metadata(path).with_context(|| format!("cannot write {}", path.display()))?;
        if about.permissions().readonly() {
            bail!("{}: it is read-only", left());
        }
        replace(path, &self.encode(new).with_context(left)?)
    }
}

/// Writes a file whole or not at all. A file that is there keeps its permissions; through a link, the file that it leads to
/// is written.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    put(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let there = fs::metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        // A terminal, a pipe or the null device must not be replaced by a file.
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let beside = folder_of(&real).join(format!(".idemsql.{}.lint{number}.tmp", std::process::id()));
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
        file.write_all(bytes)?;
        drop(file);
        if let Some(there) = there {
            fs::set_permissions(&beside, there.permissions())?;
        }
        fs::rename(&beside, &real)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Text, replace};
    use std::fs;

    /// Writes a new text over what was read of a file.
    fn write(path: &std::path::Path, read: &Text, new: &str) -> Result<(), String> {
        read.form.write(path, &read.text, new).map_err(|fault| format!("{fault:#}"))
    }

    fn decode(bytes: &[u8]) -> Text {
        Text::decode(bytes, "a.sql", None).unwrap()
    }

    #[test]
    fn bytes_become_text_and_the_same_bytes_again() {
        let wide: Vec<u8> = "\u{feff}é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [&b"a\r\nb"[..], b"\xef\xbb\xbfa", b"", "é".as_bytes(), b"caf\xe9", &wide] {
            let text = decode(bytes);
            assert!(!text.text.starts_with('\u{feff}'));
            assert_eq!(text.form.encode(&text.text).unwrap(), bytes);
        }
        let latin = decode(b"caf\xe9");
        assert!(latin.text == "café" && latin.form.note.is_some());
    }

    #[test]
    fn a_file_that_changed_or_cannot_be_written_back_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sql");
        fs::write(&path, "\u{feff}a\r\n").unwrap();
        let text = Text::read(&path, None).unwrap();
        write(&path, &text, "b\r\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"\xef\xbb\xbfb\r\n");
        assert!(write(&path, &text, "c").unwrap_err().contains("it has changed since it was read"));
        fs::write(&path, b"caf\xe9").unwrap();
        let latin = Text::read(&path, None).unwrap();
        assert!(write(&path, &latin, "\u{3042}").unwrap_err().contains("is left as it is"));
        assert_eq!(fs::read(&path).unwrap(), b"caf\xe9");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.sql"), folder.path().join("b.sql"));
        fs::write(&file, "a").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a.sql", &link).unwrap();
        write(&link, &Text::read(&link, None).unwrap(), "b").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "b");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(write(&link, &Text::read(&link, None).unwrap(), "c").unwrap_err().contains("read-only"));
        let null = std::path::Path::new("/dev/null");
        replace(null, b"x").unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
    }
}
