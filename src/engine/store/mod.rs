//! Where spilled results are kept.
//!
//! 1. A tool call's ids make a [`Key`] (`key`), safe on every file system and never the same for distinct ids.
//! 2. A store writes text or bytes under the key and answers with a handle: [`LocalStore`] as files (`local`),
//!    [`MemoryStore`] in memory (`memory`).
//! 3. The handle opens what was stored; it alone says whether that is text or bytes ([`kind_of`]).
//!
//! What goes wrong is a [`StoreError`] (`error`): a reason, never a path.

mod error;
mod handle;
mod key;
mod local;
mod memory;

#[cfg(test)]
mod contract;

pub use error::StoreError;
pub use key::{Key, Kind, Part, is_safe_scope, kind_of, random_id, segment};
pub use local::{CONCURRENT_OPERATIONS, Identity, LocalFile, LocalOptions, LocalStore, Pruned};
pub use memory::{MemoryFile, MemoryStore};

/// Takes the next piece of a result that is being stored. Pieces of tens of kilobytes or more are best:
/// each is written at once.
pub type Sink<'a> = dyn FnMut(&[u8]) -> Result<(), StoreError> + 'a;

/// Gives a result to a [`Sink`], piece by piece, from its beginning. An error ends the write and leaves nothing
/// behind. It may be asked again, from the beginning, where the store lost what it had (its directory was deleted).
pub type Produce<'a> = dyn FnMut(&mut Sink<'_>) -> Result<(), StoreError> + 'a;

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// By which the result is read back: the key, with `~2`, `~3` … where other bytes were there first.
    pub handle: String,
    /// How many bytes were stored.
    pub bytes: u64,
    /// False where the same bytes were already there under the same key.
    pub created: bool,
    /// The stored file as it is now; `None` where the store has no files.
    pub identity: Option<Identity>,
}
