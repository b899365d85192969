use std::io;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Dir;

use super::super::StoreError;
use super::census::Census;
use super::file::nanoseconds;
use super::listing::Facts;
use super::system;
use crate::engine::reason::Reason;

/// How long a write waits for others to finish theirs and make room, once it saw that there is none.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits for the lock, which others hold for a few milliseconds each.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// A temporary that nobody has written to for so long was left by a process that died: it takes no one's room.
const ABANDONED_NS: i128 = 60 * 1_000_000_000;

/// One at a time within a process, without the pauses that the lock among processes takes.
static DECIDING: LazyLock<Mutex<Census>> = LazyLock::new(Mutex::default);

/// Who may publish: as long as it lives nobody else decides about room.
pub(super) struct Room<'a> {
    // Released in this order.
    _lock: Option<system::Lock<'a>>,
    _deciding: MutexGuard<'static, Census>,
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
        let mut deciding = DECIDING.lock().unwrap_or_else(PoisonError::into_inner);
        match system::lock(base) {
            Ok(lock) => {
                if try_once(&mut deciding, base, own, run, max, lock.is_some())? {
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
fn try_once(census: &mut Census, base: &Dir, own: &str, run: &str, max: u64, has_lock: bool) -> io::Result<bool> {
    let now = nanoseconds(SystemTime::now());
    let (mut results, mut temporaries) = census.take(base)?;
    temporaries.retain(|(name, facts)| name == own || now - facts.mtime_ns <= ABANDONED_NS);
    if temporaries.len() > 1 {
        // A result that is being published by a second link has two names, and counts once.
        let known = results.files();
        temporaries.retain(|(_, facts)| facts.file.is_none_or(|file| !known.contains(&file)));
    }
    let size = |files: &[(String, Facts)]| files.iter().fold(0_u64, |sum, (_, facts)| sum.saturating_add(facts.size));
    let mut waiting = size(&temporaries);
    if waiting > max && has_lock {
        // Not all of them will be published: room is needed for those up to this one.
        temporaries.sort_by(|(a, x), (b, y)| (x.mtime_ns, a).cmp(&(y.mtime_ns, b)));
        let first = temporaries.iter().position(|(name, _)| name == own).map_or(0, |at| at + 1);
        waiting = size(&temporaries[..first]);
    }
    let mut used = results.size().saturating_add(waiting);
    // No result is given up for room that would not be enough.
    if waiting <= max && used > max {
        used -= results.delete_oldest(base, used - max, run).min(used);
    }
    census.keep(base, results);
    Ok(used <= max)
}
