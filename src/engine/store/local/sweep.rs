use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::{Dir, Metadata};

use super::super::StoreError;
use super::{Inner, file, listing, root};

/// Time between two sweeps of one root and scope in a process.
pub(super) const INTERVAL: Duration = Duration::from_secs(60);
/// Age at which a temporary is swept, in milliseconds: its writer is long dead.
const TEMPORARY_MS: f64 = 60.0 * 60.0 * 1_000.0;
/// Age in milliseconds from which on an empty directory of a run is nobody's.
const YOUNG_MS: f64 = 1_000.0;
/// Places whose last sweep is remembered, and so that are swept within an interval.
pub(super) const MAX_REMEMBERED: usize = 1_024;

/// What [`LocalStore::prune`](super::LocalStore::prune) deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many results.
    pub files: u64,
    /// Their sizes together.
    pub bytes: u64,
}

/// What is swept together, and by which age.
type Place = (PathBuf, Option<String>, Option<u64>);

/// When this process last swept.
static LAST: Mutex<Option<HashMap<Place, Instant>>> = Mutex::new(None);
/// One sweep at a time in a process: each needs descriptors.
static SWEEPING: Mutex<()> = Mutex::new(());
/// Sweeps that run or wait, each with a thread: there may be a store for every tenant.
static TURNS: AtomicUsize = AtomicUsize::new(0);
pub(super) const MAX_TURNS: usize = 8;

/// Begins a sweep on a thread of its own, where the last one was long enough ago. Neither waits nor fails.
pub(super) fn in_background(store: &Arc<Inner>) {
    let Some(turn) = Turn::take(&TURNS) else {
        return;
    };
    if !is_due(store, Instant::now()) {
        return;
    }
    let store = Arc::clone(store);
    // Without a thread to spare the next sweep has to do.
    let _ = std::thread::Builder::new().name("tool-output-sweep".to_owned()).spawn(move || {
        let _turn = turn;
        let _one = SWEEPING.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sweep(&store);
    });
}

/// One of the sweeps that run or wait.
pub(super) struct Turn(&'static AtomicUsize);

impl Turn {
    /// `None` where there are too many: a later write begins the sweep.
    pub(super) fn take(turns: &'static AtomicUsize) -> Option<Self> {
        let taken = turns.fetch_add(1, Ordering::Relaxed);
        let turn = Self(turns);
        (taken < MAX_TURNS).then_some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a sweep may begin; if so, it counts as begun.
pub(super) fn is_due(store: &Inner, now: Instant) -> bool {
    let place =
        (store.root.path().to_owned(), store.root.scope().map(str::to_owned), store.cleanup_after_ms.map(f64::to_bits));
    begins(LAST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default(), place, now)
}

/// Whether a place is due by the times of the last sweeps; if so, its time is noted. Where too many were swept of late to
/// remember one more, it has to wait.
pub(super) fn begins<P: Hash + Eq>(last: &mut HashMap<P, Instant>, place: P, now: Instant) -> bool {
    let is_recent = |then: &Instant| now.saturating_duration_since(*then) < INTERVAL;
    if last.get(&place).is_some_and(is_recent) {
        return false;
    }
    if last.len() >= MAX_REMEMBERED {
        last.retain(|_, then| is_recent(then));
    }
    let has_room = last.len() < MAX_REMEMBERED;
    if has_room {
        last.insert(place, now);
    }
    has_room
}

/// Deletes temporaries that were left behind, and what is older than the store's `cleanup_after_ms`.
pub(super) fn sweep(store: &Inner) -> Result<(), StoreError> {
    let base = store.root.open(false)?;
    let names = listing::names(&base)?;
    for name in &names.temporaries {
        delete_if_older(&base, name, TEMPORARY_MS);
    }
    if let Some(age) = store.cleanup_after_ms {
        delete_results(&base, &names.runs, Some(age));
    }
    Ok(())
}

/// See [`LocalStore::prune`](super::LocalStore::prune); `run` is a segment.
pub(super) fn prune(store: &Inner, older_than_ms: Option<f64>, run: Option<&str>) -> Result<Pruned, StoreError> {
    let base = match store.root.open(false) {
        Err(StoreError::NotFound) => return Ok(Pruned::default()),
        base => base?,
    };
    let runs = match run {
        Some(run) => vec![run.to_owned()],
        None => listing::names(&base)?.runs,
    };
    Ok(delete_results(&base, &runs, older_than_ms))
}

fn delete_results(base: &Dir, runs: &[String], age: Option<f64>) -> Pruned {
    let mut pruned = Pruned::default();
    for run in runs {
        let Ok(directory) = root::open_below(base, run, false) else {
            continue;
        };
        let is_young = directory.dir_metadata().is_ok_and(|metadata| age_ms(&metadata) < YOUNG_MS);
        let before = pruned.files;
        for name in listing::results(&directory) {
            if let Some(size) = delete_if_older(&directory, &name, age.unwrap_or(f64::NEG_INFINITY)) {
                pruned.files += 1;
                pruned.bytes += size;
            }
        }
        // One that is not empty stays by itself. An empty one that is young may be that of a writer who is about to use it:
        // were it taken away again and again, he would give up.
        if !is_young || pruned.files > before {
            let _ = base.remove_dir(run);
        }
    }
    pruned
}

/// Deletes a regular file by its age in milliseconds. The clock is asked last, so that a file whose age was renewed
/// meanwhile stays. → its size, where it was deleted
fn delete_if_older(directory: &Dir, name: &str, older_than_ms: f64) -> Option<u64> {
    let metadata = listing::regular_file(directory, name)?;
    if age_ms(&metadata) <= older_than_ms {
        return None;
    }
    directory.remove_file(name).ok()?;
    Some(metadata.len())
}

/// Milliseconds since the last change. A time in the future is an age below zero, and a clock that was set back makes
/// everything younger.
fn age_ms(metadata: &Metadata) -> f64 {
    (file::nanoseconds(SystemTime::now()) - file::mtime_ns(metadata)) as f64 / 1e6
}
