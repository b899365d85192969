use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many operations of local stores run at once in a process. Each holds up to five descriptors, and a whole
/// process may have no more than 64; a caller with many results to store does well to use no more threads than this.
pub const CONCURRENT_OPERATIONS: usize = 6;
/// How many results are open for reading at once, one descriptor each.
const OPEN_FILES: usize = 8;
/// How long a reader waits for others to close theirs. After that it tries its luck: a caller who holds files while
/// it opens more must not wait for itself.
const PATIENCE: Duration = Duration::from_secs(1);

static OPERATIONS: Turns = Turns::new(CONCURRENT_OPERATIONS);
static READERS: Turns = Turns::new(OPEN_FILES);

/// Waits for the turn of an operation; the turn ends when it is dropped.
pub(super) fn operation() -> Turn {
    OPERATIONS.take(None)
}

/// Waits until few enough files are open for reading.
pub(super) fn reading() -> Turn {
    READERS.take(Some(PATIENCE))
}

/// A counting semaphore.
#[derive(Debug)]
struct Turns {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A turn taken.
#[derive(Debug)]
pub(super) struct Turn(Option<&'static Turns>);

impl Turns {
    const fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    fn take(&'static self, patience: Option<Duration>) -> Turn {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = match deadline {
                None => self.freed.wait(free).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Turn(None);
                    }
                    self.freed.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        *free -= 1;
        Turn(Some(self))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0 {
            *turns.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            turns.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_run_at_once_than_there_are_turns() {
        static TURNS: Turns = Turns::new(3);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _turn = TURNS.take(None);
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
        assert_eq!(*TURNS.free.lock().unwrap(), 3, "every turn is given back");
    }

    #[test]
    fn who_holds_all_turns_is_not_blocked_for_ever() {
        static TURNS: Turns = Turns::new(1);
        let held = TURNS.take(None);
        let next = TURNS.take(Some(Duration::ZERO));
        assert!(next.0.is_none());
        drop((held, next));
        assert_eq!(*TURNS.free.lock().unwrap(), 1, "only what was taken is given back");
    }
}
