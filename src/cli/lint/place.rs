//! Paths as globs and baselines see them: from one folder, with `/` between their parts.

use std::path::{Component, Path, PathBuf};

/// A folder from which paths are seen.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The folder in which the command runs.
    here: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// `folder` may be seen from `here`, which is the folder in which the command runs.
    pub fn new(here: &Path, folder: &Path) -> Self {
        Self { here: here.to_owned(), folder: plain(&here.join(folder)) }
    }

    /// The path from the folder; the whole path when there is no way, as between two drives.
    pub fn path(&self, path: &Path) -> String {
        let path = plain(&self.here.join(path));
        let from: Vec<Component> = self.folder.components().collect();
        let to: Vec<Component> = path.components().collect();
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if shared == 0 {
            return path.to_string_lossy().replace('\\', "/");
        }
        let up = from.iter().skip(shared).map(|_| "..".to_owned());
        let down = to.iter().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
        up.chain(down).collect::<Vec<_>>().join("/")
    }

    /// The path to a file that is seen from the folder.
    pub fn join(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }
}

/// The path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::Place;
    use std::path::Path;

    #[test]
    fn a_path_is_seen_from_a_folder() {
        for (folder, path, seen) in [
            ("", "a.sql", "a.sql"),
            ("", "./x/../a.sql", "a.sql"),
            ("", "/home/me/db/x/a.sql", "x/a.sql"),
            ("x", "a.sql", "../a.sql"),
            ("..", "a.sql", "db/a.sql"),
            ("/etc", "a.sql", "../home/me/db/a.sql"),
        ] {
            assert_eq!(Place::new(Path::new("/home/me/db"), Path::new(folder)).path(Path::new(path)), seen);
        }
    }
}
