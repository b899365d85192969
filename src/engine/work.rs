//! Work that grows with the size of a result runs off the host's thread, a few pieces at a time.

use std::future::Future;
use std::sync::{Arc, LazyLock};

use tokio::sync::Semaphore;

use super::reason::Reason;

/// How many pieces run at once in a lane. More would not be faster, but would need a thread and
/// file descriptors each.
const AT_ONCE: usize = 8;
/// How many wait for a store of the host at once in a lane: a small part of the threads there are.
const WAITING_AT_ONCE: usize = 64;

/// For work that waits for no host.
static SHARED: LazyLock<Lane> = LazyLock::new(Lane::default);

tokio::task_local! {
    static LANE: Lane;
}

/// A share of the threads. Work may wait for its host to hand over a string: hosts that each run on a
/// thread of their own have a lane each, or one whose thread stands still would stop all the others.
#[derive(Clone)]
pub struct Lane {
    work: Arc<Semaphore>,
    waits: Arc<Semaphore>,
}

impl Default for Lane {
    fn default() -> Self {
        Self { work: Arc::new(Semaphore::new(AT_ONCE)), waits: Arc::new(Semaphore::new(WAITING_AT_ONCE)) }
    }
}

impl Lane {
    fn current() -> Self {
        LANE.try_with(Lane::clone).unwrap_or_else(|_| SHARED.clone())
    }

    /// Has all the work of a call done in this lane.
    pub async fn within<F: Future>(self, call: F) -> F::Output {
        LANE.scope(self, call).await
    }
}

/// Runs blocking work on a thread of its own. A panic in it is a failure like any other.
pub async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Reason> + Send + 'static,
) -> Result<T, Reason> {
    // The semaphore is never closed.
    let _permit = Lane::current().work.acquire_owned().await;
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Reason::StoreFailed))
}

/// Runs work that waits for a store of the host, in its own time: no other work of the lane waits for it. `None` where it
/// panicked.
pub async fn waiting<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let _permit = Lane::current().waits.acquire_owned().await;
    tokio::task::spawn_blocking(work).await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Begins work that stands still until its door is opened, until no permit is left.
    async fn stand_still<T>(
        permits: &Semaphore,
        count: usize,
        begin: impl Fn(Receiver<()>) -> T,
    ) -> (Vec<Sender<()>>, Vec<T>) {
        let (doors, standing) = (0..count)
            .map(|_| {
                let (open, door) = channel();
                (open, begin(door))
            })
            .unzip();
        while permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        (doors, standing)
    }

    #[test]
    fn a_lane_that_stands_still_stops_no_other() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let lane = Lane::default();
            let (doors, works) = stand_still(&lane.work, AT_ONCE, |door| {
                tokio::spawn(lane.clone().within(off_thread(move || door.recv().map_err(|_| Reason::Aborted))))
            })
            .await;
            assert_eq!(lane.clone().within(waiting(|| 0)).await, Some(0), "who waits needs no part of the work");
            assert_eq!(Lane::default().within(off_thread(|| Ok(1))).await, Ok(1));
            assert_eq!(off_thread(|| Ok(2)).await, Ok(2), "without a lane");
            doors.iter().for_each(|door| door.send(()).expect("somebody waits"));
            for work in works {
                assert_eq!(work.await.expect("no panic"), Ok(()));
            }
        });
    }

    #[test]
    fn many_that_wait_for_a_store_stop_no_other_lane_and_no_work() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(WAITING_AT_ONCE + 1).build();
        runtime.expect("a runtime").block_on(async {
            let lane = Lane::default();
            let (doors, reads) = stand_still(&lane.waits, 2 * WAITING_AT_ONCE, |door| {
                tokio::spawn(lane.clone().within(waiting(move || door.recv())))
            })
            .await;
            assert_eq!(lane.clone().within(off_thread(|| Ok(1))).await, Ok(1));
            assert_eq!(Lane::default().within(waiting(|| 2)).await, Some(2));
            doors.iter().for_each(|door| door.send(()).expect("somebody waits"));
            for read in reads {
                assert_eq!(read.await.expect("no panic"), Some(Ok(())));
            }
        });
    }
}
