use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::index::Index;
use crate::engine::store::Identity;

/// Files whose line positions are kept.
const MAX_FILES: usize = 256;

/// Checkpoints kept in all (40 bytes each): those of 64 GiB of text.
const MAX_POINTS: usize = 256 * 1024;

static INDEXES: Mutex<Option<Remembered>> = Mutex::new(None);

/// Keeps the index of a file for the pages to come, in this process.
/// The files that were read longest ago give way.
pub fn remember(identity: Identity, index: Arc<Index>) {
    let mut held = INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
    held.get_or_insert_default().put(identity, index);
}

/// The index of a file, where it is remembered.
pub(super) fn get(identity: &Identity) -> Option<Arc<Index>> {
    let mut held = INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
    held.as_mut()?.get(identity)
}

/// The least recently used give way; `clock` counts uses.
#[derive(Default)]
struct Remembered {
    entries: HashMap<Identity, (Arc<Index>, u64)>,
    points: usize,
    clock: u64,
}

impl Remembered {
    fn get(&mut self, identity: &Identity) -> Option<Arc<Index>> {
        self.clock += 1;
        let (index, used) = self.entries.get_mut(identity)?;
        *used = self.clock;
        Some(Arc::clone(index))
    }

    fn put(&mut self, identity: Identity, index: Arc<Index>) {
        self.clock += 1;
        let added = index.points();
        if added > MAX_POINTS {
            return;
        }
        self.points += added;
        if let Some((replaced, _)) = self.entries.insert(identity, (index, self.clock)) {
            self.points -= replaced.points();
        }
        while self.entries.len() > MAX_FILES || self.points > MAX_POINTS {
            let Some(oldest) = self.entries.iter().min_by_key(|(_, (_, used))| *used).map(|(&key, _)| key) else {
                break;
            };
            if let Some((gone, _)) = self.entries.remove(&oldest) {
                self.points -= gone.points();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(inode: u64) -> Identity {
        Identity { device: 1, inode, size: 2, mtime_ns: 3 }
    }

    fn index_of_size(bytes: usize) -> Arc<Index> {
        let mut index = Index::new();
        index.add(&vec![b'a'; bytes]);
        Arc::new(index)
    }

    #[test]
    fn the_least_recently_used_gives_way() {
        let mut held = Remembered::default();
        for inode in 0..MAX_FILES as u64 {
            held.put(identity(inode), index_of_size(0));
        }
        assert!(held.get(&identity(0)).is_some());
        held.put(identity(1000), index_of_size(0));
        assert_eq!(held.entries.len(), MAX_FILES);
        assert!(held.get(&identity(0)).is_some());
        assert!(held.get(&identity(1)).is_none());
        assert_eq!(held.points, MAX_FILES);
    }

    #[test]
    fn a_file_put_again_counts_once() {
        let mut held = Remembered::default();
        held.put(identity(1), index_of_size(600 * 1024));
        held.put(identity(1), index_of_size(0));
        assert_eq!(held.points, 1);
    }

    #[test]
    fn another_version_of_a_file_is_another_file() {
        remember(identity(77), index_of_size(5));
        assert_eq!(get(&identity(77)).map(|index| index.chars()), Some(5));
        assert!(get(&Identity { mtime_ns: 4, ..identity(77) }).is_none());
        assert!(get(&Identity { size: 5, ..identity(77) }).is_none());
    }
}
