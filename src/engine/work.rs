//! Work that grows with the size of a result runs off the host's thread, a few pieces at a time.

use std::future::Future;
use std::sync::{Arc, LazyLock};

use tokio::sync::Semaphore;

use super::reason::Reason;

/// How many pieces run at once in a lane. More would not be faster, but would need a thread and
/// file descriptors each.
const AT_ONCE: usize = 8;

/// For work that waits for no host.
static SHARED: LazyLock<Lane> = LazyLock::new(Lane::default);

tokio::task_local! {
    static LANE: Lane;
}

/// A share of the threads. Work may wait for its host to hand over a string: hosts that each run on a
/// thread of their own have a lane each, or one whose thread stands still would stop all the others.
#[derive(Clone)]
pub struct Lane(Arc<Semaphore>);

impl Default for Lane {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Lane {
    /// Has all the work of a call done in this lane.
    pub async fn within<F: Future>(self, call: F) -> F::Output {
        LANE.scope(self, call).await
    }
}

/// Runs blocking work on a thread of its own. A panic in it is a failure like any other.
pub async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Reason> + Send + 'static,
) -> Result<T, Reason> {
    let lane = LANE.try_with(Lane::clone).unwrap_or_else(|_| SHARED.clone());
    // The semaphore is never closed.
    let _permit = lane.0.acquire().await;
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Reason::StoreFailed))
}

/// Runs work that waits for somebody else on a thread of its own, however many others do; `None` where it panicked.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_lane_that_stands_still_stops_no_other() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let standing = Lane::default();
        let mut doors = Vec::new();
        let waiting: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (open, door) = channel::<()>();
                doors.push(open);
                let work = off_thread(move || door.recv().map_err(|_| Reason::Aborted));
                runtime.spawn(standing.clone().within(work))
            })
            .collect();
        runtime.block_on(async {
            tokio::task::yield_now().await;
            assert_eq!(standing.0.available_permits(), 0);
            assert_eq!(Lane::default().within(off_thread(|| Ok(1))).await, Ok(1));
            assert_eq!(off_thread(|| Ok(2)).await, Ok(2), "without a lane");
            for door in &doors {
                door.send(()).expect("somebody waits");
            }
            for work in waiting {
                assert_eq!(work.await.expect("no panic"), Ok(()));
            }
        });
    }
}
