//! One tool call's callbacks, as the engine asks for them.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use super::port::{Answer, JsText, Question, Spent, Ways};
use crate::engine::read::{ReadError, Source};
use crate::engine::store::Identity;
use crate::engine::{Elsewhere, Host, Reason, StoredElsewhere, SummaryAnswer, SummaryRequest, Usage};

/// The callbacks of one tool call, by its number.
pub struct JsHost {
    /// The way to the entry.
    pub ways: Arc<Ways>,
    /// The call's number.
    pub call: u32,
}

impl JsHost {
    async fn ask(&self, kind: &str, question: Question) -> Option<Answer> {
        self.ways.ask(self.call, Question { kind: kind.to_owned(), ..question }).await
    }
}

impl Host for JsHost {
    async fn tokenize(&self, text: Option<String>) -> Option<f64> {
        self.ask("tokenize", Question { text, ..Question::default() }).await?.tokens
    }

    async fn summarize(&self, request: SummaryRequest) -> SummaryAnswer {
        let question = Question {
            text: request.text,
            prompt: Some(request.prompt),
            slot: Some(request.slot),
            max_chars: Some(request.max_chars as f64),
            operation_id: Some(request.operation_id),
            ..Question::default()
        };
        let Some(answer) = self.ask("summarize", question).await else {
            return SummaryAnswer { text: Err(Reason::Aborted), usage: None };
        };
        let text = match (answer.text, answer.chars) {
            (Some(index), Some(chars)) => Ok(JsText::of(&self.ways, self.call, index, chars as usize)),
            _ => Err(reason(answer.reason.as_deref(), Reason::SummaryFailed)),
        };
        SummaryAnswer { text, usage: answer.usage.map(Usage::from) }
    }

    async fn store_write(&self, key: String, bytes: Vec<u8>) -> Result<StoredElsewhere, Reason> {
        let question = Question { key: Some(key), bytes: Some(bytes.into()), ..Question::default() };
        let answer = self.ask("write", question).await.ok_or(Reason::Aborted)?;
        match answer.handle {
            Some(handle) => Ok(StoredElsewhere { handle, read_instruction: answer.read_instruction }),
            None => Err(reason(answer.reason.as_deref(), Reason::StoreFailed)),
        }
    }

    async fn store_open(&self, handle: String) -> Result<Elsewhere, ReadError> {
        let question = Question { handle: Some(handle.clone()), ..Question::default() };
        let answer = self.ask("open", question).await.ok_or(ReadError::Unavailable)?;
        if let Some(problem) = answer.reason {
            return Err(read_error(&problem));
        }
        let size = answer.size.ok_or(ReadError::Unavailable)? as u64;
        let identity = identity(&handle, size, answer.store, answer.write);
        let source: Box<dyn Source> =
            Box::new(JsSource { ways: Arc::clone(&self.ways), call: self.call, handle, size, identity });
        Ok(Elsewhere { source, key: answer.key, run: answer.run_id })
    }

    async fn store_undo(&self, handle: String) {
        self.ask("undo", Question { handle: Some(handle), ..Question::default() }).await;
    }
}

/// Why the entry could not read from the application's store.
fn read_error(problem: &str) -> ReadError {
    if problem == "unknown" { ReadError::Gone } else { ReadError::Unavailable }
}

/// A result in the application's store, read in ranges.
struct JsSource {
    ways: Arc<Ways>,
    call: u32,
    handle: String,
    size: u64,
    identity: Option<Identity>,
}

/// Under what the line positions of a result in an application's store are remembered. Its bytes never change under one
/// handle, so says the contract of stores.
fn identity(handle: &str, size: u64, store: Option<f64>, write: Option<f64>) -> Option<Identity> {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    // Files have their devices counted from below, and times after 1970.
    Some(Identity {
        device: u64::MAX - store? as u64,
        inode: KEYS.hash_one(handle),
        size,
        mtime_ns: -1 - write.unwrap_or_default() as i128,
    })
}

impl Source for JsSource {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        let end = self.size.min(offset.saturating_add(len as u64));
        if offset >= end {
            return Ok(Vec::new());
        }
        let question = Question {
            kind: "range".to_owned(),
            handle: Some(self.handle.clone()),
            start: Some(offset as f64),
            end: Some(end as f64),
            ..Question::default()
        };
        // On a thread of its own, see `engine::work::waiting`.
        let answer = tokio::runtime::Handle::current().block_on(self.ways.ask(self.call, question));
        let answer = answer.ok_or(ReadError::Unavailable)?;
        if let Some(problem) = answer.reason {
            return Err(read_error(&problem));
        }
        let bytes = answer.bytes.ok_or(ReadError::Unavailable)?;
        if bytes.len() as u64 == end - offset { Ok(bytes.to_vec()) } else { Err(ReadError::Unavailable) }
    }

    fn identity(&self) -> Option<Identity> {
        self.identity
    }
}

fn reason(name: Option<&str>, otherwise: Reason) -> Reason {
    name.and_then(Reason::named).unwrap_or(otherwise)
}

impl From<Spent> for Usage {
    fn from(spent: Spent) -> Self {
        Self {
            requests: spent.requests,
            input_tokens: spent.input_tokens,
            output_tokens: spent.output_tokens,
            total_tokens: spent.total_tokens,
        }
    }
}

impl From<Usage> for Spent {
    fn from(usage: Usage) -> Self {
        Self {
            requests: usage.requests,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens,
        }
    }
}
