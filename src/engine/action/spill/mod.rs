//! Spill: the stored copy, and the envelope that stands in for it.
//!
//! 1. Where the envelope could be as long as the text, its length is checked before anything is written.
//! 2. The text goes to the store piece by piece; on the way lines are counted and positions are indexed.
//! 3. The shape and the preview are made, and the envelope with the handle that the store gave.
//! 4. An envelope that is not shorter takes the stored copy back.

mod envelope;
mod preview;

use std::sync::Arc;
use std::thread;

use serde::Deserialize;

use super::Attempt;
use super::settings::{count, lines};
use crate::engine::bytes;
use crate::engine::call::{Backend, Call};
use crate::engine::config::ReadTool;
use crate::engine::host::{Host, StoredElsewhere};
use crate::engine::json;
use crate::engine::read::{Index, remember};
use crate::engine::reason::Reason;
use crate::engine::render::{Content, Shape};
use crate::engine::report::{Report, Unit};
use crate::engine::store::{Part as PartName, Produce, StoreError, Written};
use crate::engine::text::{Gone, LineCounter, LineMatcher, Text, Utf8, utf16_len};
use crate::engine::work::off_thread;
use envelope::{Reading, Size, head, text_kind};

pub use envelope::number;

/// Above this many chars text is not searched for its shape and for highlights.
const MAX_SEARCHED: usize = 64 << 20;
/// From this many chars on a shape is seen by a thread of its own; below, starting one takes longer.
const SKETCHED_ASIDE: usize = 256 * 1024;
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
            Content::Bytes(bytes) => spill_bytes(host, call, tool, self, attempt.part, Arc::clone(bytes)).await?,
            Content::Text(text) => {
                let source = Source {
                    part: attempt.part,
                    text: text.clone(),
                    shape: attempt.rendered.shape.clone(),
                    size: report.size,
                    unit: report.unit,
                };
                spill_text(host, call, tool, self, source).await?
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

/// What is spilled and how it was measured.
#[derive(Clone)]
struct Source {
    /// Which part of the call.
    part: PartName,
    /// The text as it is stored.
    text: Text,
    /// JSON that tells the shape, where it is not the text itself.
    shape: Shape,
    /// The size as measured.
    size: f64,
    /// What the size counts.
    unit: Unit,
}

/// Spills text.
async fn spill_text<H: Host>(
    host: &H,
    call: &Call,
    read_tool: &Arc<ReadTool>,
    action: &Spill,
    source: Source,
) -> Result<Spilled, Reason> {
    let key = call.key.text(source.part);
    let (call, read_tool, action) = (call.clone(), Arc::clone(read_tool), action.clone());
    if let Backend::Host { .. } = call.store {
        let (size, unit, text) = (source.size, source.unit, source.text.len());
        let prepared = off_thread(move || Copy::make(&source, &action)).await?;
        let size = Size::of_text(unit, size, text, prepared.lines);
        let whole = prepared.whole.as_str().as_bytes().to_vec();
        let bytes = whole.len() as u64;
        let stored = host.store_write(key, whole).await?;
        let envelope = elsewhere(host, &stored, &read_tool, &size, &prepared.tail, text).await?;
        return Ok(Spilled { envelope, handle: stored.handle, bytes, replaced: prepared.replaced });
    }
    off_thread(move || store_text(&call, &read_tool, &action, &source, &key)).await
}

/// Spills bytes, verbatim; bytes that are text are previewed decoded.
async fn spill_bytes<H: Host>(
    host: &H,
    call: &Call,
    read_tool: &Arc<ReadTool>,
    action: &Spill,
    part: PartName,
    bytes: Arc<[u8]>,
) -> Result<Spilled, Reason> {
    let key = call.key.bytes(part, call.charset.as_deref());
    let (call, read_tool, action) = (call.clone(), Arc::clone(read_tool), action.clone());
    let length = bytes.len();
    if let Backend::Host { .. } = call.store {
        let (charset, copy) = (call.charset.clone(), Arc::clone(&bytes));
        let (size, tail) = off_thread(move || describe(&copy, charset.as_deref(), &action)).await?;
        let stored = host.store_write(key, bytes.to_vec()).await?;
        let envelope = elsewhere(host, &stored, &read_tool, &size, &tail, length).await?;
        return Ok(Spilled { envelope, handle: stored.handle, bytes: length as u64, replaced: 0 });
    }
    off_thread(move || {
        let (size, tail) = describe(&bytes, call.charset.as_deref(), &action)?;
        let reading = Reading::Tool(&read_tool);
        shorter(&head(&size, &key, &reading), &tail, length)?;
        let stored = write(&call, &key, Some(length as u64), &mut |sink| sink(&bytes))?;
        let envelope = keep_if_shorter(&call, &stored, &head(&size, &stored.handle, &reading), &tail, length)?;
        Ok(Spilled { envelope, handle: stored.handle, bytes: stored.bytes, replaced: 0 })
    })
    .await
}

/// Stores text in a store of the engine's own.
fn store_text(call: &Call, tool: &ReadTool, action: &Spill, source: &Source, key: &str) -> Result<Spilled, Reason> {
    let text = &source.text;
    let length = text.len();
    let reading = Reading::Tool(tool);
    let size = |lines| Size::of_text(source.unit, source.size, length, lines);
    let mut early = None;
    if length < action.preview_chars.saturating_add(ENVELOPE) {
        let copy = Copy::make(source, action)?;
        shorter(&head(&size(copy.lines), key, &reading), &copy.tail, length)?;
        early = Some(copy);
    }
    let mut index = Index::new();
    let mut replaced = 0;
    let mut whole = String::new();
    let needs_whole = early.is_none() && length <= MAX_SEARCHED && needs_whole(source, action)?;
    let own = match text {
        Text::Utf8(utf8) if needs_whole => Some(Arc::clone(utf8)),
        _ => None,
    };
    let keeps_whole = needs_whole && own.is_none();
    let (stored, aside) = thread::scope(|scope| {
        // To see the shape of a long text takes as long as to store it: where it is known by now, another thread looks.
        let (shape, known) = (&source.shape, own.as_deref());
        let is_known = known.is_some() || matches!(shape, Shape::Json(_));
        let aside = (early.is_none() && is_known && length >= SKETCHED_ASIDE)
            .then(|| thread::Builder::new().spawn_scoped(scope, move || sketch(shape, known)).ok())
            .flatten();
        let stored = write(call, key, None, &mut |sink| {
            // A store may begin anew.
            index = Index::new();
            whole.clear();
            if keeps_whole {
                // Most text is ASCII; for other text it grows.
                whole.reserve(length);
            }
            let mut each = |piece: &str| {
                if call.abort.is_set() {
                    return Err(StoreError::Unavailable(Reason::Aborted));
                }
                sink(piece.as_bytes())?;
                index.add(piece.as_bytes());
                if keeps_whole {
                    whole.push_str(piece);
                }
                Ok(())
            };
            if let Some(copy) = &early {
                replaced = copy.replaced;
                return each(copy.whole.as_str());
            }
            replaced = text.each_utf8(each)?.replaced;
            Ok(())
        });
        (stored, aside.map(|aside| aside.join().unwrap_or(Ok(None))))
    });
    let stored = stored?;
    let lines = index.lines();
    if let Some(identity) = stored.identity {
        remember(identity, Arc::new(index));
    }
    let tail = match early {
        Some(copy) => Ok(copy.tail),
        None => {
            let whole = own.or_else(|| keeps_whole.then(|| Arc::new(Utf8::of_units(whole, length))));
            aside
                .unwrap_or_else(|| sketch(&source.shape, whole.as_deref()))
                .and_then(|sketch| tail(sketch, &source.text, whole.as_deref(), action))
        }
    };
    let made = tail
        .and_then(|tail| keep_if_shorter(call, &stored, &head(&size(lines), &stored.handle, &reading), &tail, length));
    match made {
        Ok(envelope) => Ok(Spilled { envelope, handle: stored.handle, bytes: stored.bytes, replaced }),
        Err(reason) => {
            undo(call, &stored);
            Err(reason)
        }
    }
}

/// A whole copy in memory, with what the envelope shows of it.
struct Copy {
    whole: Arc<Utf8>,
    lines: u64,
    replaced: usize,
    tail: String,
}

impl Copy {
    fn make(source: &Source, action: &Spill) -> Result<Self, Reason> {
        let (whole, encoded) = source.text.to_utf8().map_err(|Gone| Reason::Aborted)?;
        let mut lines = LineCounter::default();
        lines.feed(whole.as_str().as_bytes());
        let searched = (source.text.len() <= MAX_SEARCHED).then_some(&*whole);
        let tail = tail(sketch(&source.shape, searched)?, &source.text, searched, action)?;
        Ok(Self { lines: lines.lines(), replaced: encoded.replaced, tail, whole })
    }
}

/// What the shape line says; `None` where there is no shape.
fn sketch(shape: &Shape, whole: Option<&Utf8>) -> Result<Option<String>, Reason> {
    Ok(match (shape, whole) {
        (Shape::Json(json), _) if json.len() <= MAX_SEARCHED => {
            let (json, _) = json.to_utf8().map_err(|Gone| Reason::Aborted)?;
            json::sketch(json.as_str())
        }
        (Shape::Text, Some(whole)) => json::sketch(whole.as_str()),
        (Shape::Lines, Some(whole)) => json::sketch_lines(whole.as_str()),
        _ => None,
    })
}

/// The envelope after its first line: shape and preview.
fn tail(sketch: Option<String>, text: &Text, whole: Option<&Utf8>, action: &Spill) -> Result<String, Reason> {
    let shape = sketch.map(|sketch| format!("shape: {sketch}\n")).unwrap_or_default();
    let preview = preview::preview(text, whole, action).map_err(|Gone| Reason::Aborted)?;
    Ok(shape + &preview)
}

/// Whether shape or highlights need the text as a whole.
fn needs_whole(source: &Source, action: &Spill) -> Result<bool, Reason> {
    if action.highlights.is_some() || matches!(source.shape, Shape::Lines) {
        return Ok(true);
    }
    let start = source.text.window(0..200).map_err(|Gone| Reason::Aborted)?;
    let first = start.iter().find(|&&unit| !matches!(unit, 0x20 | 0x09 | 0x0a | 0x0d));
    Ok(matches!(first, Some(0x5b | 0x7b)))
}

/// What bytes are, and what the envelope shows of them.
fn describe(data: &[u8], charset: Option<&str>, action: &Spill) -> Result<(Size, String), Reason> {
    let sample = &data[..data.len().min(bytes::SAMPLE)];
    let complete = data.len() <= bytes::SAMPLE;
    let encoding = if data.len() > bytes::MAX_DECODED { None } else { bytes::text_encoding(sample, complete, charset) };
    let Some(encoding) = encoding else {
        let kind = bytes::media_type(sample).to_owned();
        return Ok((Size::Bytes { bytes: data.len(), kind }, String::new()));
    };
    let Some(decoded) = bytes::decode(data, encoding) else {
        return Ok((Size::Bytes { bytes: data.len(), kind: bytes::media_type(sample).to_owned() }, String::new()));
    };
    let mut charset = bytes::name_of(encoding);
    // Near the limit the count gives way, for an envelope must never cost more than it saves; pages tell it too.
    if decoded.invalid > 0 && data.len() >= action.preview_chars.saturating_add(ENVELOPE) {
        charset = format!("{charset}, {}", bytes::malformed(decoded.invalid));
    }
    let decoded = bytes::visible(&decoded.text).into_owned();
    let mut lines = LineCounter::default();
    lines.feed(decoded.as_bytes());
    let kind = text_kind(&charset, utf16_len(decoded.as_bytes()), lines.lines());
    let text = Arc::new(Utf8::from(decoded));
    let tail = preview::preview(&Text::Utf8(Arc::clone(&text)), Some(&text), action).map_err(|Gone| Reason::Aborted)?;
    Ok((Size::Bytes { bytes: data.len(), kind }, tail))
}

/// The envelope, where it is shorter than what it replaces.
fn shorter(head: &str, tail: &str, length: usize) -> Result<(), Reason> {
    if utf16_len(head.as_bytes()) + utf16_len(tail.as_bytes()) < length { Ok(()) } else { Err(Reason::NotSmaller) }
}

fn keep_if_shorter(call: &Call, stored: &Written, head: &str, tail: &str, length: usize) -> Result<String, Reason> {
    match shorter(head, tail, length) {
        Ok(()) => Ok(format!("{head}{tail}")),
        Err(reason) => {
            undo(call, stored);
            Err(reason)
        }
    }
}

/// The envelope of a result in the application's own store.
async fn elsewhere<H: Host>(
    host: &H,
    stored: &StoredElsewhere,
    read_tool: &ReadTool,
    size: &Size,
    tail: &str,
    length: usize,
) -> Result<String, Reason> {
    let reading = match &stored.read_instruction {
        Some(instruction) => Reading::Instruction(instruction),
        None if !read_tool.enabled => {
            host.store_undo(stored.handle.clone()).await;
            return Err(Reason::NoReadTool);
        }
        None => Reading::Tool(read_tool),
    };
    let head = head(size, &stored.handle, &reading);
    if let Err(reason) = shorter(&head, tail, length) {
        host.store_undo(stored.handle.clone()).await;
        return Err(reason);
    }
    Ok(head + tail)
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
    // A copy that cannot be deleted is named by no handle; the sweep takes it.
    let _ = match &call.store {
        Backend::Local(store) => store.delete(&stored.handle),
        Backend::Memory(store) => store.delete(&stored.handle),
        Backend::Host { .. } => Ok(false),
    };
}
