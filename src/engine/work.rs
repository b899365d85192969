//! Work that grows with the size of a result runs off the host's thread, a few pieces at a time.

use tokio::sync::Semaphore;

use super::reason::Reason;

/// How many pieces run at once in a process. More would not be faster, but would need a thread and
/// file descriptors each.
const AT_ONCE: usize = 8;

static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);

/// Runs blocking work on a thread of its own. A panic in it is a failure like any other.
pub async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Reason> + Send + 'static,
) -> Result<T, Reason> {
    // The semaphore is never closed.
    let _permit = PERMITS.acquire().await;
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Reason::StoreFailed))
}

/// Runs work that waits for somebody else on a thread of its own, however many others do; `None` where it panicked.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
