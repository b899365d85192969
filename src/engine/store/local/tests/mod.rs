//! With real files. Each file of tests has its own concern; what all need is here.

mod faults;
mod places;
mod quota;
mod races;
mod sweep;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::super::contract;
use super::*;

/// A directory for one test, with a root that does not exist yet.
pub(super) struct Place {
    directory: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// Something beside the root.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn root(&self) -> PathBuf {
        self.beside("root")
    }

    pub fn store(&self) -> LocalStore {
        self.store_with(LocalOptions::default())
    }

    pub fn store_with(&self, options: LocalOptions) -> LocalStore {
        LocalStore::new(LocalOptions { root: Some(self.root()), ..options })
    }

    /// Every path below the root, in order.
    pub fn tree(&self) -> Vec<String> {
        tree(&self.root())
    }

    /// Puts a file below the root, so old.
    pub fn plant(&self, name: &str, size: usize, age: Duration) {
        let path = self.root().join(name);
        make_private(path.parent().unwrap());
        std::fs::write(&path, vec![b'x'; size]).unwrap();
        set_age(&path, age);
    }
}

pub(super) fn put(store: &LocalStore, key: &str, bytes: &[u8]) -> Result<Written, StoreError> {
    contract::Subject::put(store, key, bytes)
}

pub(super) fn get(store: &LocalStore, handle: &str) -> Result<Vec<u8>, StoreError> {
    contract::Subject::get(store, handle)
}

pub(super) fn unavailable<T>(reason: Reason) -> Result<T, StoreError> {
    Err(StoreError::Unavailable(reason))
}

pub(super) fn set_age(path: &Path, age: Duration) {
    std::fs::File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

pub(super) fn make_private(path: &Path) {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path).unwrap();
}

pub(super) fn tree(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten() {
            let entry = entry.unwrap();
            paths.push(entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            }
        }
    }
    paths.sort();
    paths
}

#[test]
fn keeps_the_contract_of_stores() {
    let place = Place::new();
    contract::check(&place.store());
    assert!(place.tree().iter().all(|path| !path.contains(".tmp-")), "no temporary is left");
}

#[test]
fn keeps_the_contract_of_stores_in_a_scope() {
    let place = Place::new();
    contract::check(&place.store_with(LocalOptions { scope: Some("s".to_owned()), ..Default::default() }));
}

#[test]
fn keeps_the_contract_of_stores_with_a_quota_far_away() {
    let place = Place::new();
    contract::check(&place.store_with(LocalOptions { max_bytes: Some(1e9), ..Default::default() }));
}

#[test]
fn keeps_the_contract_of_quotas() {
    let places = std::cell::RefCell::new(Vec::new());
    contract::check_quota(|max| {
        let place = Place::new();
        let store = place.store_with(LocalOptions { max_bytes: Some(max as f64), ..Default::default() });
        places.borrow_mut().push(place);
        store
    });
}

#[test]
fn another_store_of_the_same_root_reads_what_was_written() {
    let place = Place::new();
    put(&place.store(), "r/c.0", b"x").unwrap();
    assert_eq!(get(&place.store(), "r/c.0"), Ok(b"x".to_vec()));
    assert_eq!(place.tree(), ["r", "r/c.0"]);
}

#[test]
fn scopes_have_their_own_handles() {
    let place = Place::new();
    let scope = |scope: &str| place.store_with(LocalOptions { scope: Some(scope.to_owned()), ..Default::default() });
    put(&scope("a"), "r/c.0", b"a").unwrap();
    put(&place.store(), "r/d.0", b"none").unwrap();
    assert_eq!(get(&scope("a"), "r/c.0"), Ok(b"a".to_vec()));
    for store in [scope("b"), place.store()] {
        assert_eq!(get(&store, "r/c.0"), Err(StoreError::NotFound));
        assert_eq!(get(&store, ".scope-a/r"), Err(StoreError::NotFound));
    }
    assert_eq!(get(&scope("a"), "r/d.0"), Err(StoreError::NotFound));
    assert_eq!(place.tree(), [".scope-a", ".scope-a/r", ".scope-a/r/c.0", "r", "r/d.0"]);
    for unsafe_scope in ["", "..", "A", "a/b", "nul", &"x".repeat(41)] {
        assert_eq!(put(&scope(unsafe_scope), "r/c.0", b"x"), unavailable(Reason::StoreDenied), "{unsafe_scope:?}");
    }
}

#[test]
fn a_result_above_the_file_limit_is_refused() {
    let place = Place::new();
    let store = place.store_with(LocalOptions { max_file_bytes: Some(3.5), ..Default::default() });
    assert!(put(&store, "r/c.0", b"123").is_ok());
    assert_eq!(put(&store, "r/d.0", b"1234"), unavailable(Reason::TooLarge));
    assert_eq!(
        store.write("r/d.0", None, &mut |sink| (0..4).try_for_each(|_| sink(b"1"))),
        unavailable(Reason::TooLarge)
    );
    assert_eq!(place.tree(), ["r", "r/c.0"]);
}

#[test]
fn an_identity_is_that_of_one_state_of_one_file() {
    let place = Place::new();
    let store = place.store();
    let written = put(&store, "r/c.0", b"x").unwrap();
    let identity = store.open("r/c.0").unwrap().identity();
    assert_eq!(written.identity, Some(identity));
    assert_eq!(identity.size, 1);
    let again = put(&store, "r/c.0", b"x").unwrap().identity.unwrap();
    assert_eq!(again, store.open("r/c.0").unwrap().identity());
    assert!(again.mtime_ns > identity.mtime_ns, "its age was renewed");
    assert_ne!(put(&store, "r/d.0", b"x").unwrap().identity, Some(again));
}

#[test]
fn deleting_the_last_result_of_a_run_deletes_its_directory() {
    let place = Place::new();
    let store = place.store();
    put(&store, "r/c.0", b"x").unwrap();
    put(&store, "r/d.0", b"x").unwrap();
    let open = store.open("r/c.0").unwrap();
    assert_eq!(store.delete("r/c.0"), Ok(true));
    assert_eq!(place.tree(), ["r", "r/d.0"]);
    assert_eq!(store.delete("r/d.0"), Ok(true));
    assert_eq!(place.tree(), [""; 0]);
    assert_eq!(open.read_at(0, 9).unwrap(), b"x", "what is open stays readable");
}

#[test]
fn a_producer_that_panics_leaves_nothing_and_blocks_nobody() {
    let place = Place::new();
    let store = place.store();
    // More often than there are turns.
    for _ in 0..=CONCURRENT_OPERATIONS {
        let write = || store.write("r/c.0", None, &mut |sink| sink(b"x").map(|()| panic!("on purpose")));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).is_err());
    }
    assert!(place.tree().is_empty());
    assert!(put(&store, "r/c.0", b"x").is_ok());
}

#[test]
fn an_unused_store_makes_nothing() {
    let place = Place::new();
    let store = place.store();
    assert_eq!(get(&store, "r/c.0"), Err(StoreError::NotFound));
    assert_eq!(store.delete("r/c.0"), Ok(false));
    assert_eq!(store.prune(None, None), Ok(Pruned::default()));
    assert!(!place.root().exists());
}
