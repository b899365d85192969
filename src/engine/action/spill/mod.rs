//! Spill: the stored copy, and the envelope that stands in for it.
//!
//! 1. Where the envelope could be as long as the text, its length is checked before anything is written.
//! 2. The text goes to the store piece by piece; on the way lines are counted and positions are indexed.
//! 3. The shape and the preview are made, and the envelope with the handle that the store gave.
//! 4. An envelope that is not shorter takes the stored copy back.

mod bytes;
mod envelope;
mod preview;
mod relay;
mod text;

use std::sync::Arc;

use serde::Deserialize;

use super::Attempt;
use super::settings::{count, lines};
use crate::engine::call::{Backend, Call};
use crate::engine::config::ReadTool;
use crate::engine::host::{Host, StoredElsewhere};
use crate::engine::reason::Reason;
use crate::engine::render::Content;
use crate::engine::report::Report;
use crate::engine::store::{Produce, StoreError, Written};
use crate::engine::text::{LineMatcher, utf16_len};
use envelope::{Reading, Size, head};

pub use envelope::number;

/// An envelope without its preview is shorter than this, so a longer text need not be checked before the write.
const ENVELOPE: usize = 2_000;

/// Stores the whole and shows a handle, a shape and a preview.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spill {
    /// Chars of the text that the envelope shows, highlights included.
    #[serde(deserialize_with = "count")]
    preview_chars: usize,
    /// Lines to show even where they lie in the middle; `None` shows none.
    #[serde(default = "lines_that_look_like_errors", deserialize_with = "lines")]
    highlights: Option<LineMatcher>,
}

fn lines_that_look_like_errors() -> Option<LineMatcher> {
    Some(LineMatcher::errors())
}

impl Spill {
    pub(super) async fn perform<H: Host>(
        &self,
        attempt: &Attempt<'_, H>,
        report: &mut Report,
    ) -> Result<Option<String>, Reason> {
        let (host, call, limits) = (attempt.host, attempt.call, attempt.limits);
        let read_elsewhere = matches!(call.store, Backend::Host { has_read_instruction: true });
        if !limits.config.read_tool.enabled && !read_elsewhere {
            return Err(Reason::NoReadTool);
        }
        if call.abort.is_set() {
            return Err(Reason::Aborted);
        }
        let tool = &limits.read_tool;
        let spilled = match &attempt.rendered.content {
            Content::Bytes(bytes) => bytes::spill(host, call, tool, self, attempt.part, Arc::clone(bytes)).await?,
            Content::Text(text) => {
                let source = text::Source {
                    part: attempt.part,
                    text: text.clone(),
                    bound: attempt.bound(text),
                    shape: attempt.rendered.shape.clone(),
                    size: report.size,
                    unit: report.unit,
                };
                text::spill(host, call, tool, self, source).await?
            }
        };
        limits.offer(&call.run, &spilled.handle);
        report.handle = Some(spilled.handle);
        report.bytes = Some(spilled.bytes);
        report.replaced = spilled.replaced;
        Ok(Some(spilled.envelope))
    }
}

/// A spilled part.
struct Spilled {
    /// The envelope.
    envelope: String,
    /// Where the whole is stored.
    handle: String,
    /// How many bytes are stored.
    bytes: u64,
    /// Lone surrogates that became U+FFFD.
    replaced: usize,
}

/// The envelope, where it is shorter than what it replaces.
fn shorter(head: String, tail: &str, bound: usize) -> Result<String, Reason> {
    let envelope = head + tail;
    if utf16_len(envelope.as_bytes()) < bound { Ok(envelope) } else { Err(Reason::NotSmaller) }
}

/// The envelope of a result in the application's own store.
async fn elsewhere<H: Host>(
    host: &H,
    stored: &StoredElsewhere,
    read_tool: &ReadTool,
    size: &Size,
    tail: &str,
    bound: usize,
) -> Result<String, Reason> {
    let reading = match &stored.read_instruction {
        Some(instruction) => Reading::Instruction(instruction),
        None if !read_tool.enabled => {
            host.store_undo(stored.handle.clone()).await;
            return Err(Reason::NoReadTool);
        }
        None => Reading::Tool(read_tool),
    };
    let envelope = shorter(head(size, &stored.handle, &reading), tail, bound);
    if envelope.is_err() {
        host.store_undo(stored.handle.clone()).await;
    }
    envelope
}

fn write(call: &Call, key: &str, known_size: Option<u64>, produce: &mut Produce<'_>) -> Result<Written, Reason> {
    if call.abort.is_set() {
        return Err(Reason::Aborted);
    }
    let written = match &call.store {
        Backend::Local(store) => store.write(key, known_size, produce),
        Backend::Memory(store) => store.write(key, known_size, produce),
        Backend::Host { .. } => Err(StoreError::Unavailable(Reason::StoreFailed)),
    };
    written.map_err(|error| error.reason())
}

/// Takes a new copy back; one that was there before stays.
fn undo(call: &Call, stored: &Written) {
    if !stored.created {
        return;
    }
    // A copy that cannot be deleted is named by no handle, and stays until it is old enough for whatever deletes results.
    let _ = match &call.store {
        Backend::Local(store) => store.delete(&stored.handle),
        Backend::Memory(store) => store.delete(&stored.handle),
        Backend::Host { .. } => Ok(false),
    };
}
