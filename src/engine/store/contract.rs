//! What every store must do, tested once for all of them.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{LocalStore, MemoryStore, Produce, StoreError, Written};
use crate::engine::reason::Reason;

/// A store under test.
pub(crate) trait Subject: Sync {
    fn write(&self, key: &str, known_size: Option<u64>, produce: &mut Produce<'_>) -> Result<Written, StoreError>;
    fn read(&self, handle: &str, offset: u64, len: usize) -> Result<Vec<u8>, StoreError>;
    fn size(&self, handle: &str) -> Result<u64, StoreError>;
    fn delete(&self, handle: &str) -> Result<bool, StoreError>;

    fn put(&self, key: &str, bytes: &[u8]) -> Result<Written, StoreError> {
        self.write(key, Some(bytes.len() as u64), &mut |sink| sink(bytes))
    }
    fn get(&self, handle: &str) -> Result<Vec<u8>, StoreError> {
        self.read(handle, 0, usize::MAX)
    }
}

macro_rules! subject {
    ($store:ty) => {
        impl Subject for $store {
            fn write(
                &self,
                key: &str,
                known_size: Option<u64>,
                produce: &mut Produce<'_>,
            ) -> Result<Written, StoreError> {
                self.write(key, known_size, produce)
            }
            fn read(&self, handle: &str, offset: u64, len: usize) -> Result<Vec<u8>, StoreError> {
                self.open(handle)?.read_at(offset, len)
            }
            fn size(&self, handle: &str) -> Result<u64, StoreError> {
                Ok(self.open(handle)?.size())
            }
            fn delete(&self, handle: &str) -> Result<bool, StoreError> {
                self.delete(handle)
            }
        }
    };
}
subject!(LocalStore);
subject!(MemoryStore);

/// Everything but limits. `store` is empty and has none.
pub(crate) fn check(store: &impl Subject) {
    reads_back_what_was_written(store);
    reads_every_handle_that_it_gives(store);
    gives_other_bytes_another_handle(store);
    leaves_nothing_of_a_failed_write(store);
    refuses_what_is_no_key(store);
    deletes(store);
    gives_racing_writers_their_own_handles(store);
}

fn reads_back_what_was_written(store: &impl Subject) {
    let pieces: [&[u8]; 4] = [b"one\n", b"", b"\xff\x00two", "한".as_bytes()];
    let written = store.write("back/c.0", None, &mut |sink| pieces.iter().try_for_each(|piece| sink(piece))).unwrap();
    let all = pieces.concat();
    assert_eq!((written.handle.as_str(), written.bytes, written.created), ("back/c.0", all.len() as u64, true));
    assert_eq!(store.get("back/c.0"), Ok(all.clone()));
    assert_eq!(store.size("back/c.0"), Ok(all.len() as u64));
    let ranges: [(&str, u64, usize, &[u8]); 6] = [
        ("inside", 1, 2, b"ne"),
        ("nothing", 1, 0, b""),
        ("across the end", 9, 100, &all[9..]),
        ("at the end", all.len() as u64, 1, b""),
        ("past the end", all.len() as u64 + 1, 1, b""),
        ("far past the end", u64::MAX, usize::MAX, b""),
    ];
    for (comment, offset, len, expected) in ranges {
        assert_eq!(store.read("back/c.0", offset, len).as_deref(), Ok(expected), "{comment}");
    }
    let empty = store.put("back/empty.0", b"").unwrap();
    assert_eq!((empty.bytes, store.get(&empty.handle)), (0, Ok(vec![])));
}

fn gives_other_bytes_another_handle(store: &impl Subject) {
    let handles: Vec<(String, bool)> = [b"first", b"other", b"first", b"third", b"other"]
        .into_iter()
        .map(|bytes| store.put("version/c.0.bin", bytes).unwrap())
        .map(|written| (written.handle, written.created))
        .collect();
    let expected = [("", true), ("~2", true), ("", false), ("~3", true), ("~2", false)];
    let expected: Vec<_> =
        expected.iter().map(|(suffix, created)| (format!("version/c.0.bin{suffix}"), *created)).collect();
    assert_eq!(handles, expected);
    assert_eq!(store.get("version/c.0.bin").as_deref(), Ok(&b"first"[..]));
    assert_eq!(store.get("version/c.0.bin~2").as_deref(), Ok(&b"other"[..]));
}

fn reads_every_handle_that_it_gives(store: &impl Subject) {
    for length in 185..=205 {
        let key = format!("long/{}", "k".repeat(length - 5));
        let written = [b"first", b"other"].map(|bytes| store.put(&key, bytes));
        for (written, bytes) in written.into_iter().zip([b"first", b"other"]) {
            match written {
                Ok(written) => assert_eq!(store.get(&written.handle).as_deref(), Ok(&bytes[..]), "{length}"),
                Err(refused) => assert_eq!(refused, StoreError::Unavailable(Reason::StoreDenied), "{length}"),
            }
        }
    }
}

fn leaves_nothing_of_a_failed_write(store: &impl Subject) {
    let aborted = StoreError::Unavailable(Reason::Aborted);
    let before = store.write("failed/c.0", None, &mut |_| Err(aborted));
    let between = store.write("failed/c.0", None, &mut |sink| sink(b"half").and(Err(aborted)));
    assert_eq!((before, between), (Err(aborted), Err(aborted)));
    assert_eq!(store.get("failed/c.0"), Err(StoreError::NotFound));
    assert!(store.put("failed/c.0", b"whole").unwrap().created);
}

fn refuses_what_is_no_key(store: &impl Subject) {
    for key in
        ["", "a", "/a", "a/", "a/b/c", "../a", "a/..", "/etc/passwd", "a/.tmp-1", ".scope-x/a", "A/b", "a/b\0", "a/b\n"]
    {
        assert_eq!(store.put(key, b"x"), Err(StoreError::Unavailable(Reason::StoreDenied)), "write {key:?}");
        assert_eq!(store.get(key), Err(StoreError::NotFound), "read {key:?}");
        assert_eq!(store.delete(key), Ok(false), "delete {key:?}");
    }
}

fn deletes(store: &impl Subject) {
    store.put("deleted/c.0", b"x").unwrap();
    assert_eq!(store.delete("deleted/c.0"), Ok(true));
    assert_eq!(store.delete("deleted/c.0"), Ok(false));
    assert_eq!(store.get("deleted/c.0"), Err(StoreError::NotFound));
    assert_eq!(store.put("deleted/c.0", b"y").unwrap().handle, "deleted/c.0");
}

fn gives_racing_writers_their_own_handles(store: &impl Subject) {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 20;
    let barrier = Barrier::new(WRITERS);
    let created = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (barrier, created) = (&barrier, &created);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // Two writers each have the same bytes.
                    let bytes = format!("{round} {}", writer / 2);
                    barrier.wait();
                    let written = store.put(&format!("race/{round}.0"), bytes.as_bytes()).unwrap();
                    created.fetch_add(written.created.into(), Ordering::Relaxed);
                    assert_eq!(store.get(&written.handle), Ok(bytes.into_bytes()));
                }
            });
        }
    });
    assert_eq!(created.into_inner(), WRITERS / 2 * ROUNDS, "each of the bytes is stored once");
    for round in 0..ROUNDS {
        let handles =
            (1..=WRITERS / 2).map(|n| if n == 1 { format!("race/{round}.0") } else { format!("race/{round}.0~{n}") });
        let mut found: Vec<_> = handles.map(|handle| store.get(&handle).unwrap()).collect();
        found.sort();
        assert_eq!(found, (0..WRITERS / 2).map(|n| format!("{round} {n}").into_bytes()).collect::<Vec<_>>());
    }
}

/// `make` gives an empty store that holds so many bytes.
pub(crate) fn check_quota<S: Subject>(make: impl Fn(u64) -> S) {
    let store = make(100);
    let too_large = Err(StoreError::Unavailable(Reason::TooLarge));
    assert_eq!(store.write("large/known.0", Some(101), &mut |_| panic!("nothing is asked for")), too_large);
    assert_eq!(
        store.write("large/unknown.0", None, &mut |sink| sink(&[0; 60]).and_then(|()| sink(&[0; 41]))),
        too_large
    );
    assert!(store.put("exact/c.0", &[0; 100]).is_ok(), "exactly the quota fits");
    assert!(store.put("large/c.0", &[1; 60]).is_ok());
    assert_eq!(store.get("exact/c.0"), Err(StoreError::NotFound), "the oldest makes room");
    assert!(store.put("small/c.0", &[2; 40]).is_ok());
    assert!(!store.put("large/c.0", &[1; 60]).unwrap().created, "the same bytes need no room");
    assert!(store.get("small/c.0").is_ok());
    assert!(store.put("more/c.0", &[3; 40]).is_ok());
    assert_eq!(store.get("small/c.0"), Err(StoreError::NotFound), "what was written again is younger");
    assert!(store.get("large/c.0").is_ok());
}
