//! Why an action could not run: data, not errors. The pipeline alone decides what happens next.

use super::text::Gone;

/// The `FallbackReason` of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Bytes cannot be cut or summarized.
    Binary,
    /// The read tool is disabled: a handle nobody can read is not advertised.
    NoReadTool,
    /// The result would not be shorter than what it replaces.
    NotSmaller,
    /// The store failed in a way it does not explain.
    StoreFailed,
    /// No space, or no room within the quota.
    StoreFull,
    /// No permission, a read-only or an unsafe place.
    StoreDenied,
    /// The store did not answer in time.
    StoreTimeout,
    /// Larger than the store, or the action, accepts.
    TooLarge,
    /// There is nothing to call for a summary.
    NoModel,
    /// The summary threw, rejected or was not text.
    SummaryFailed,
    /// The summary did not arrive in time.
    SummaryTimeout,
    /// The summary was blank.
    SummaryEmpty,
    /// One more request would pass the run's limit.
    UsageLimit,
    /// The call was aborted.
    Aborted,
}

impl Reason {
    /// Every reason there is.
    pub const ALL: [Self; 14] = [
        Self::Binary,
        Self::NoReadTool,
        Self::NotSmaller,
        Self::StoreFailed,
        Self::StoreFull,
        Self::StoreDenied,
        Self::StoreTimeout,
        Self::TooLarge,
        Self::NoModel,
        Self::SummaryFailed,
        Self::SummaryTimeout,
        Self::SummaryEmpty,
        Self::UsageLimit,
        Self::Aborted,
    ];

    /// The reason of a name in the public API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name of the reason in the public API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::NoReadTool => "no_read_tool",
            Self::NotSmaller => "not_smaller",
            Self::StoreFailed => "store_failed",
            Self::StoreFull => "store_full",
            Self::StoreDenied => "store_denied",
            Self::StoreTimeout => "store_timeout",
            Self::TooLarge => "too_large",
            Self::NoModel => "no_model",
            Self::SummaryFailed => "summary_failed",
            Self::SummaryTimeout => "summary_timeout",
            Self::SummaryEmpty => "summary_empty",
            Self::UsageLimit => "usage_limit",
            Self::Aborted => "aborted",
        }
    }
}

/// Text goes only with its host, which ends every call.
impl From<Gone> for Reason {
    fn from(_: Gone) -> Self {
        Self::Aborted
    }
}
