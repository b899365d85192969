//! What the engine asks of the program around it. In node these are JavaScript callbacks; in tests small fakes.
//!
//! Every answer is already disciplined: whatever a callback threw, and however long it hung, arrives here
//! as a value within its time limit.

use std::future::Future;

use super::read::{ReadError, Source};
use super::reason::Reason;
use super::report::Usage;
use super::text::Text;

/// The callbacks of one tool call.
pub trait Host: Send + Sync + 'static {
    /// Counts tokens with the application's tokenizer; `None` when it failed. `text` is given
    /// where it differs from the text that the host passed in.
    fn tokenize(&self, text: Option<String>) -> impl Future<Output = Option<f64>> + Send;

    /// Asks for a summary.
    fn summarize(&self, request: SummaryRequest) -> impl Future<Output = SummaryAnswer> + Send;

    /// Writes to a store that is not the engine's own.
    fn store_write(&self, key: String, bytes: Vec<u8>) -> impl Future<Output = Result<StoredElsewhere, Reason>> + Send;

    /// Opens a result in such a store. `Gone` where the store does not know the handle.
    fn store_open(&self, handle: String) -> impl Future<Output = Result<Elsewhere, ReadError>> + Send;

    /// Takes back a write to such a store, as far as it allows.
    fn store_undo(&self, handle: String) -> impl Future<Output = ()> + Send;
}

/// What a summary is asked with.
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// Where the host finds the action's own model or function.
    pub slot: u32,
    /// The pieces of the prompt; the output stands between each two of them.
    pub prompt: Vec<String>,
    /// The output, where it differs from the text that the host passed in.
    pub text: Option<String>,
    /// The most chars that the summary should have.
    pub max_chars: usize,
    /// Names the operation for a journal; the same whenever the same call is replayed.
    pub operation_id: String,
}

/// What came of a summary.
pub struct SummaryAnswer {
    /// The summary, or why there is none.
    pub text: Result<Text, Reason>,
    /// What it cost, also where it is of no use.
    pub usage: Option<Usage>,
}

/// A result in a store that is not the engine's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredElsewhere {
    /// The handle that the store gave.
    pub handle: String,
    /// How the model reads it where another tool does that.
    pub read_instruction: Option<String>,
}

/// A result in such a store, open for reading.
pub struct Elsewhere {
    /// Its bytes.
    pub source: Box<dyn Source>,
    /// The key it was written under, as far as this process knows; the store may have named it otherwise.
    pub key: Option<String>,
    /// The run that wrote it, as far as this process knows.
    pub run: Option<String>,
}
