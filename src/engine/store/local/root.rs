use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::Dir;

use super::super::{StoreError, is_safe_scope};
use super::system;
use crate::engine::reason::Reason;

/// How often a directory is made that sweeps take away before it is opened.
const MAX_RACES: u32 = 100;

/// The directory of a store, by name: it is opened anew by every operation.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    scope: Option<Scope>,
}

#[derive(Debug)]
struct Scope {
    directory: String,
    is_safe: bool,
}

impl Root {
    pub fn new(root: Option<PathBuf>, scope: Option<String>) -> Self {
        Self {
            path: absolute(&root.unwrap_or_else(default_root)),
            // The leading dot keeps a scope's directory apart from those of runs.
            scope: scope.map(|scope| Scope { is_safe: is_safe_scope(&scope), directory: format!(".scope-{scope}") }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What tells the sweeps of one root and scope from those of others.
    pub fn scope(&self) -> Option<&str> {
        self.scope.as_ref().map(|scope| &*scope.directory)
    }

    /// Opens the root, or the scope's directory in it. `create`: makes what is missing; otherwise a missing one is
    /// [`StoreError::NotFound`].
    pub fn open(&self, create: bool) -> Result<Dir, StoreError> {
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound if !create => StoreError::NotFound,
            _ => error.into(),
        };
        let root = match system::open_root(&self.path) {
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                make_directories(&self.path)?;
                system::open_root(&self.path)
            }
            root => root,
        }
        .map_err(missing)?;
        if !system::is_private(&root)? {
            return Err(StoreError::Unavailable(Reason::StoreDenied));
        }
        match &self.scope {
            None => Ok(root),
            Some(scope) if scope.is_safe => open_below(&root, &scope.directory, create).map_err(missing),
            Some(_) => Err(StoreError::Unavailable(Reason::StoreDenied)),
        }
    }
}

/// Opens a directory of ours that is directly below another.
pub(super) fn open_below(directory: &Dir, name: &str, create: bool) -> io::Result<Dir> {
    let mut below = system::open_directory(directory, name);
    for _ in 0..MAX_RACES {
        match &below {
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {}
            _ => break,
        }
        match system::make_directory(directory, name) {
            // `NotFound` from here: the directory above is gone itself.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => below = system::open_directory(directory, name),
        }
    }
    let below = below?;
    // Others cannot reach it below a root of mode 0700, but 0755 is accepted for a root that was there before.
    if system::is_private(&below)? { Ok(below) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Makes a directory and the missing ones above it, each with mode 0700; those made are gone again after a failure.
fn make_directories(path: &Path) -> io::Result<()> {
    let mut made: Vec<&Path> = Vec::new();
    let mut missing = vec![path];
    // Upwards until something can be made or is there; then down again. Below /proc a directory is missing that
    // cannot be made although the one above it exists: each is tried twice at most.
    let mut is_descending = false;
    while let Some(&at) = missing.last() {
        let result = match system::make_root_directory(at) {
            Ok(()) => {
                made.push(at);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        };
        match (result, at.parent()) {
            (Ok(()), _) => {
                is_descending = true;
                missing.pop();
            }
            (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound && !is_descending => {
                missing.push(parent)
            }
            (Err(error), _) => {
                for directory in made.iter().rev() {
                    let _ = std::fs::remove_dir(directory);
                }
                return Err(error);
            }
        }
    }
    Ok(())
}

/// An absolute path without `.`, `..` and a final separator, resolved by its text alone. A final separator would make
/// the system follow a link that is the root.
fn absolute(path: &Path) -> PathBuf {
    // Without a working directory a relative path stays one, and opening it fails.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            component => out.push(component),
        }
    }
    out
}

fn default_root() -> PathBuf {
    temporary_directory().join(format!("tool-output-limits-{}", system::user()))
}

/// What `os.tmpdir()` says in node.
fn temporary_directory() -> PathBuf {
    let variables: &[&str] = if cfg!(windows) { &["TEMP", "TMP"] } else { &["TMPDIR", "TMP", "TEMP"] };
    let named = variables.iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    named.map_or_else(
        || {
            if cfg!(windows) { std::env::temp_dir() } else { "/tmp".into() }
        },
        PathBuf::from,
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_absolute_and_plain() {
        let here = std::env::current_dir().unwrap();
        let cases = [
            ("plain", "/a/b", "/a/b".into()),
            ("final separator", "/a/b/", "/a/b".into()),
            ("final dot", "/a/b/.", "/a/b".into()),
            ("parents", "/a/../b/c/..", "/b".into()),
            ("above the top", "/../../a", "/a".into()),
            ("relative", "a/b", here.join("a/b")),
            ("here", ".", here.clone()),
        ];
        for (comment, path, expected) in cases {
            assert_eq!(absolute(Path::new(path)), expected, "{comment}");
        }
    }

    #[test]
    fn the_default_root_is_that_of_the_user() {
        let name = default_root().file_name().unwrap().to_owned();
        assert_eq!(name.into_string().unwrap(), format!("tool-output-limits-{}", rustix::process::geteuid().as_raw()));
    }

    #[test]
    fn missing_directories_are_made_or_none_are() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("a/b/c");
        make_directories(&path).unwrap();
        assert!(path.is_dir());
        make_directories(&path).unwrap();
        let tail = "x".repeat(300);
        assert!(make_directories(&temporary.path().join("d/e").join(tail)).is_err());
        assert!(!temporary.path().join("d").exists());
        assert!(make_directories(Path::new("/proc/x/y")).is_err());
    }
}
