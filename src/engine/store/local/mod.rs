//! Spilled results as files.
//!
//! A handle is the file's path below the root: `<run>/<name>`. Every operation
//!
//! 1. waits for its turn (`turn`): descriptors are few, callers may be many;
//! 2. opens the root and looks at it anew (`root`). Nothing stays open in between: a root that was deleted, moved or
//!    opened to others meanwhile is noticed, and an idle store holds no descriptor;
//! 3. from there on names single components relative to open directories, and follows no link (`system`);
//! 4. writes (`write`): a temporary in the root, room for it (`quota`, by the figures of `census`), a rename that replaces nothing; or
//!    reads (`file`), or deletes and sweeps what is old (`sweep`, by the list `listing` makes).

mod census;
mod file;
mod listing;
mod quota;
mod root;
mod sweep;
mod system;
mod turn;
mod write;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use file::{Identity, LocalFile};
pub use sweep::Pruned;
pub use turn::CONCURRENT_OPERATIONS;

use super::handle::Names;
use super::{Produce, StoreError, Written};
use crate::engine::reason::Reason;
use root::Root;

/// How many results may share a key.
pub(crate) const MAX_VERSIONS: u32 = 100_000;

/// Where and how much a [`LocalStore`] stores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalOptions {
    /// The directory; made with mode 0700 where it is missing. Default: `tool-output-limits-<uid>` in the system's
    /// directory for temporary files, the same for every process of a user.
    pub root: Option<PathBuf>,
    /// Results written longer ago than this, in milliseconds, are deleted in the background. > 0. Default: never.
    pub cleanup_after_ms: Option<f64>,
    /// What may be stored in all, in bytes, per root and scope; the oldest results make room. > 0. Default: no limit.
    pub max_bytes: Option<f64>,
    /// Size of a single result, in bytes. > 0. Default: no limit.
    pub max_file_bytes: Option<f64>,
    /// A part of the root with handles of its own: [`is_safe_scope`](super::is_safe_scope). Default: the root itself.
    pub scope: Option<String>,
}

/// A store of files. Cheap to clone. Its operations block: they belong on a worker thread. At most
/// [`CONCURRENT_OPERATIONS`] run at once in a process, the others wait.
#[derive(Debug, Clone)]
pub struct LocalStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: Root,
    cleanup_after_ms: Option<f64>,
    max_bytes: Option<u64>,
    max_file_bytes: Option<u64>,
}

impl LocalStore {
    /// Touches no file yet. The options are taken as valid; a scope that is none is refused by every operation.
    pub fn new(options: LocalOptions) -> Self {
        let LocalOptions { root, cleanup_after_ms, max_bytes, max_file_bytes, scope } = options;
        // Sizes are whole: what is above 1.5 is above 1.
        let whole = |limit: Option<f64>| limit.map(|limit| limit as u64);
        Self {
            inner: Arc::new(Inner {
                root: Root::new(root, scope),
                cleanup_after_ms,
                max_bytes: whole(max_bytes),
                max_file_bytes: whole(max_file_bytes),
            }),
        }
    }

    /// The root, absolute, without `.` and `..`. For people, never for a model.
    pub fn root(&self) -> &Path {
        self.inner.root.path()
    }

    /// Whether a size limit is set, so that the exact size is worth knowing before a write.
    pub fn is_bounded(&self) -> bool {
        self.inner.max_bytes.is_some() || self.inner.max_file_bytes.is_some()
    }

    /// Stores what `produce` gives under a key, and lets it appear under its handle whole or not at all.
    /// `known_size`: a size in bytes it has at least; one above a limit is refused before anything is produced.
    ///
    /// The same bytes under the same key give the same handle and renew its age; other bytes give a new handle (`~2`).
    /// Fails with [`StoreError::Unavailable`], or with the error of `produce`, and then leaves nothing behind. A wait for
    /// room within `max_bytes` ends after half a second.
    pub fn write(&self, key: &str, known_size: Option<u64>, produce: &mut Produce<'_>) -> Result<Written, StoreError> {
        let names = Names::of_key(key).ok_or(StoreError::Unavailable(Reason::StoreDenied))?;
        if known_size.is_some_and(|size| size > self.inner.max_size()) {
            return Err(StoreError::Unavailable(Reason::TooLarge));
        }
        let written = {
            let _turn = turn::operation();
            write::write(&self.inner, &names, produce)
        };
        // After a failure as well: an old result may be what fills the disk.
        sweep::in_background(&self.inner);
        written
    }

    /// Opens what a handle names. Close it soon (drop it): the number of open files is limited too, and a caller
    /// that holds several at once may have to wait a second for the next.
    pub fn open(&self, handle: &str) -> Result<LocalFile, StoreError> {
        let names = Names::of(handle).ok_or(StoreError::NotFound)?;
        let reading = turn::reading();
        let _turn = turn::operation();
        let base = self.inner.root.open(false)?;
        let found = root::open_below(&base, names.run, false)
            .and_then(|run| system::open_file(&run, names.name))
            .and_then(|file| LocalFile::of(file, reading));
        found.map_err(|error| if is_unknown(&error) { StoreError::NotFound } else { error.into() })
    }

    /// Deletes what a handle names, at once; open files stay readable. → whether there was something
    pub fn delete(&self, handle: &str) -> Result<bool, StoreError> {
        let Some(names) = Names::of(handle) else {
            return Ok(false);
        };
        let _turn = turn::operation();
        let base = match self.inner.root.open(false) {
            Err(StoreError::NotFound) => return Ok(false),
            base => base?,
        };
        let deleted = root::open_below(&base, names.run, false).and_then(|run| run.remove_file(names.name));
        match deleted {
            Ok(()) => {
                // An empty directory is of no use to anybody; one that is not empty stays by itself.
                let _ = base.remove_dir(names.run);
                Ok(true)
            }
            Err(error) if is_unknown(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the results of one run, or of all, that were written longer than `older_than_ms` milliseconds ago, by
    /// default whenever. `run_id`: the run's id in UTF-16 units, as its results were stored under. → what was deleted
    pub fn prune(&self, older_than_ms: Option<f64>, run_id: Option<&[u16]>) -> Result<Pruned, StoreError> {
        let _turn = turn::operation();
        sweep::prune(&self.inner, older_than_ms, run_id.map(super::segment).as_deref())
    }
}

impl Inner {
    /// The largest result that can be stored at all, in bytes.
    fn max_size(&self) -> u64 {
        let none = u64::MAX;
        self.max_file_bytes.unwrap_or(none).min(self.max_bytes.unwrap_or(none))
    }
}

/// Whether an error of a system call below the root says that there is no such result of ours: nothing there, a link,
/// a file for a directory, a directory for a file, or something that cannot be opened as a file.
fn is_unknown(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::NotFound | Kind::NotADirectory | Kind::IsADirectory | Kind::InvalidFilename)
        || super::error::is_link_refused(error)
        || system::is_not_a_file(error)
}
