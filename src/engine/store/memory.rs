use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::handle::Names;
use super::{Produce, StoreError, Written};
use crate::engine::reason::Reason;

/// A store that forgets everything when it is dropped. Cheap to clone; clones share what is stored.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    max_bytes: Option<u64>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    results: HashMap<String, Stored>,
    /// Handles by the time they were last written: the first goes first.
    by_age: BTreeMap<u64, String>,
    clock: u64,
    bytes: u64,
}

#[derive(Debug)]
struct Stored {
    bytes: Arc<[u8]>,
    written: u64,
}

/// What a handle of a [`MemoryStore`] names. Stays readable when the store lets go of it.
#[derive(Debug, Clone)]
pub struct MemoryFile(Arc<[u8]>);

impl MemoryFile {
    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.0.len() as u64
    }

    /// The bytes themselves, shared with the store.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.0
    }

    /// Up to `len` bytes from `offset` on, less where the result ends.
    pub fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, StoreError> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let end = start.saturating_add(len).min(self.0.len());
        Ok(self.0[start..end].to_vec())
    }
}

impl MemoryStore {
    /// `max_bytes`: what may be held in all, by default without limit; the results written longest ago go first.
    /// A result above it is refused.
    pub fn new(max_bytes: Option<u64>) -> Self {
        Self { max_bytes, state: Arc::default() }
    }

    /// Stores what `produce` gives under a key. `known_size`: a size in bytes it has at least. The same bytes under the
    /// same key give the same handle; other bytes a new one.
    pub fn write(&self, key: &str, known_size: Option<u64>, produce: &mut Produce<'_>) -> Result<Written, StoreError> {
        let names = Names::of_key(key).ok_or(StoreError::Unavailable(Reason::StoreDenied))?;
        let max = self.max_bytes.unwrap_or(u64::MAX);
        if known_size.is_some_and(|size| size > max) {
            return Err(StoreError::Unavailable(Reason::TooLarge));
        }
        let mut bytes = Vec::new();
        produce(&mut |piece| {
            if (bytes.len() + piece.len()) as u64 > max {
                return Err(StoreError::Unavailable(Reason::TooLarge));
            }
            bytes.try_reserve(piece.len()).map_err(|_| StoreError::Unavailable(Reason::StoreFull))?;
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        let size = bytes.len() as u64;
        let bytes = Arc::from(bytes); // a copy, made before anybody waits for it
        let (handle, created) = self.with(|state| state.put(&names, bytes, max))?;
        Ok(Written { handle, bytes: size, created, identity: None })
    }

    /// Opens what a handle names.
    pub fn open(&self, handle: &str) -> Result<MemoryFile, StoreError> {
        self.with(|state| state.results.get(handle).map(|stored| MemoryFile(Arc::clone(&stored.bytes))))
            .ok_or(StoreError::NotFound)
    }

    /// Deletes what a handle names. → whether there was something
    pub fn delete(&self, handle: &str) -> Result<bool, StoreError> {
        Ok(self.with(|state| state.remove(handle)))
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        // Nothing between two changes of the state can panic: it is whole even where a holder did.
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn put(&mut self, names: &Names<'_>, bytes: Arc<[u8]>, max: u64) -> Result<(String, bool), StoreError> {
        for version in 1..super::local::MAX_VERSIONS {
            let handle = format!("{}/{}", names.run, names.version(version));
            match self.results.get_mut(&handle) {
                Some(stored) if *stored.bytes == *bytes => {
                    self.clock += 1;
                    self.by_age.remove(&std::mem::replace(&mut stored.written, self.clock));
                    self.by_age.insert(self.clock, handle.clone());
                    return Ok((handle, false));
                }
                Some(_) => {}
                None => {
                    let size = bytes.len() as u64;
                    while self.bytes + size > max
                        && let Some((_, oldest)) = self.by_age.pop_first()
                    {
                        self.remove(&oldest);
                    }
                    self.clock += 1;
                    self.bytes += size;
                    self.by_age.insert(self.clock, handle.clone());
                    self.results.insert(handle.clone(), Stored { bytes, written: self.clock });
                    return Ok((handle, true));
                }
            }
        }
        Err(StoreError::Unavailable(Reason::StoreFailed))
    }

    fn remove(&mut self, handle: &str) -> bool {
        let Some(stored) = self.results.remove(handle) else {
            return false;
        };
        self.by_age.remove(&stored.written);
        self.bytes -= stored.bytes.len() as u64;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract;
    use super::*;

    #[test]
    fn keeps_the_contract_of_stores() {
        contract::check(&MemoryStore::new(None));
    }

    #[test]
    fn keeps_the_contract_of_stores_with_a_quota() {
        contract::check_quota(|max| MemoryStore::new(Some(max)));
    }

    #[test]
    fn an_open_result_outlives_its_handle() {
        let store = MemoryStore::new(None);
        store.write("r/c.0", None, &mut |sink| sink(b"kept")).unwrap();
        let file = store.open("r/c.0").unwrap();
        assert_eq!(store.delete("r/c.0"), Ok(true));
        assert_eq!(file.read_at(0, 9).unwrap(), b"kept");
    }
}
