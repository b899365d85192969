use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Dir;

use super::super::StoreError;
use super::file::nanoseconds;
use super::listing::{self, Entry};
use super::{root, system};
use crate::engine::reason::Reason;

/// How long a write waits for others to finish theirs and make room, once it saw that there is none.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits for the lock, which others hold for a few milliseconds each.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// A temporary that nobody has written to for so long was left by a process that died: it takes no one's room.
const ABANDONED_NS: i128 = 60 * 1_000_000_000;

/// One at a time within a process, without the pauses that the lock among processes takes.
static DECIDING: Mutex<()> = Mutex::new(());

/// Who may publish: as long as it lives nobody else decides about room.
pub(super) struct Room<'a> {
    // Released in this order.
    _lock: Option<system::Lock<'a>>,
    _deciding: MutexGuard<'static, ()>,
}

/// Deletes the oldest results until everything below `base` fits into `max` bytes, the temporary `own` included.
///
/// Temporaries count, of all processes. Whoever returns from here publishes before anybody else may look: a temporary
/// that has yet to be published will find this one among the results, and two that do not fit together need not wait
/// for each other: the one that was finished first goes first. Where directories have no locks every temporary has to
/// fit.
///
/// `run` is where `own` is about to go: its directory stays.
pub(super) fn make_room<'a>(base: &'a Dir, own: &str, run: &str, max: u64) -> Result<Room<'a>, StoreError> {
    let started = Instant::now();
    let mut seen_full = None;
    loop {
        let deciding = DECIDING.lock().unwrap_or_else(PoisonError::into_inner);
        match system::lock(base) {
            Ok(lock) => {
                if try_once(base, own, run, max, lock.is_some())? {
                    return Ok(Room { _lock: lock, _deciding: deciding });
                }
                seen_full.get_or_insert_with(Instant::now);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        drop(deciding);
        if started.elapsed() >= LOCK_PATIENCE || seen_full.is_some_and(|since| since.elapsed() >= PATIENCE) {
            return Err(StoreError::Unavailable(Reason::StoreFull));
        }
        std::thread::sleep(PAUSE);
    }
}

/// → whether `own` may be published now
fn try_once(base: &Dir, own: &str, run: &str, max: u64, has_lock: bool) -> io::Result<bool> {
    let now = nanoseconds(SystemTime::now());
    let (mut results, mut temporaries): (Vec<Entry>, Vec<Entry>) =
        listing::all(base)?.into_iter().partition(|entry| entry.run.is_some());
    temporaries.retain(|entry| entry.name == own || now - entry.mtime_ns <= ABANDONED_NS);
    // A result that is being published by a second link has two names, and counts once.
    let known: HashSet<_> = results.iter().filter_map(|entry| entry.file).collect();
    temporaries.retain(|entry| entry.file.is_none_or(|file| !known.contains(&file)));
    let size = |entries: &[Entry]| entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    let mut used = size(&results).saturating_add(size(&temporaries));

    let mut kept = 0;
    if used > max {
        results.sort_by_key(|entry| entry.mtime_ns);
        let mut emptied = HashSet::new();
        for entry in &results {
            let is_gone = used > max && remove(base, entry);
            if is_gone {
                used -= entry.size;
                emptied.extend(entry.run.as_deref());
            } else {
                kept += entry.size;
            }
        }
        emptied.remove(run);
        for run in emptied {
            let _ = base.remove_dir(run);
        }
    }
    if used <= max || !has_lock {
        return Ok(used <= max);
    }
    temporaries.sort_by(|a, b| (a.mtime_ns, &a.name).cmp(&(b.mtime_ns, &b.name)));
    let first = temporaries.iter().position(|entry| entry.name == own).map_or(0, |at| at + 1);
    Ok(kept.saturating_add(size(&temporaries[..first])) <= max)
}

/// → whether the result is gone
fn remove(base: &Dir, entry: &Entry) -> bool {
    let Some(run) = &entry.run else { return false };
    match root::open_below(base, run, false).and_then(|run| run.remove_file(&entry.name)) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}
