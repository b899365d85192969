//! Spilling text: encoded as UTF-8, and searched for its shape and for lines to show.

use std::sync::Arc;
use std::thread;

use super::envelope::{Reading, Size, head};
use super::{ENVELOPE, Spill, Spilled, elsewhere, preview, relay, shorter, undo, write};
use crate::engine::call::{Backend, Call};
use crate::engine::config::ReadTool;
use crate::engine::host::Host;
use crate::engine::json;
use crate::engine::read::{Index, remember};
use crate::engine::reason::Reason;
use crate::engine::render::Shape;
use crate::engine::report::Unit;
use crate::engine::store::{Part as PartName, StoreError, Written};
use crate::engine::text::{Text, Utf8, count_lines};
use crate::engine::work::off_thread;

/// Above this many chars text is not searched for its shape and for highlights, and not held in memory.
const MAX_SEARCHED: usize = 64 << 20;
/// From this many chars on text is written by a thread of its own; below, starting one takes longer.
const BESIDE: usize = 256 * 1024;

/// What is spilled and how it was measured.
#[derive(Clone)]
pub(super) struct Source {
    /// Which part of the call.
    pub part: PartName,
    /// The text as it is stored.
    pub text: Text,
    /// Chars that the envelope must be fewer than.
    pub bound: usize,
    /// JSON that tells the shape, where it is not the text itself.
    pub shape: Shape,
    /// The size as measured.
    pub size: f64,
    /// What the size counts.
    pub unit: Unit,
}

impl Source {
    /// The same with its text as UTF-8 in memory, and how many lone surrogates were replaced.
    fn in_memory(self) -> Result<(Self, usize), Reason> {
        let (utf8, encoded) = self.text.to_utf8()?;
        Ok((Self { text: Text::Utf8(utf8), ..self }, encoded.replaced))
    }

    /// The text, where it can be searched.
    fn searchable(&self) -> Option<&Utf8> {
        match &self.text {
            Text::Utf8(utf8) if utf8.len() <= MAX_SEARCHED => Some(utf8),
            _ => None,
        }
    }
}

/// Spills text.
pub(super) async fn spill<H: Host>(
    host: &H,
    call: &Call,
    read_tool: &Arc<ReadTool>,
    action: &Spill,
    source: Source,
) -> Result<Spilled, Reason> {
    let key = call.key.text(source.part);
    let (call, read_tool, action) = (call.clone(), Arc::clone(read_tool), action.clone());
    if let Backend::Host { .. } = call.store {
        let (length, bound) = (source.text.len(), source.bound);
        let (whole, size, tail, replaced) = off_thread(move || {
            let (utf8, encoded) = source.text.to_utf8()?;
            let size = Size::of_text(source.unit, source.size, length, count_lines(utf8.as_str()));
            let whole = utf8.as_str().as_bytes().to_vec();
            Ok((whole, size, tail(&Source { text: Text::Utf8(utf8), ..source }, &action)?, encoded.replaced))
        })
        .await?;
        let bytes = whole.len() as u64;
        let stored = host.store_write(key, whole).await?;
        let envelope = elsewhere(host, &stored, &read_tool, &size, &tail, bound).await?;
        return Ok(Spilled { envelope, handle: stored.handle, bytes, replaced });
    }
    off_thread(move || store(&call, &read_tool, &action, source, &key)).await
}

/// Stores text in a store of the engine's own.
fn store(call: &Call, tool: &ReadTool, action: &Spill, source: Source, key: &str) -> Result<Spilled, Reason> {
    let (length, bound) = (source.text.len(), source.bound);
    let (size, unit) = (source.size, source.unit);
    let head = |lines, handle: &str| head(&Size::of_text(unit, size, length, lines), handle, &Reading::Tool(tool));
    if bound < action.preview_chars.saturating_add(ENVELOPE) {
        let (utf8, _) = source.text.to_utf8()?;
        let lines = count_lines(utf8.as_str());
        let source = Source { text: Text::Utf8(utf8), ..source.clone() };
        shorter(head(lines, key), &tail(&source, action)?, bound)?;
    }
    let Stored { written, lines, tail, replaced } = if length < BESIDE {
        store_in_turn(call, key, action, source)?
    } else {
        store_beside(call, key, action, source)?
    };
    let envelope = tail.and_then(|tail| shorter(head(lines, &written.handle), &tail, bound));
    let envelope = envelope.inspect_err(|_| undo(call, &written))?;
    Ok(Spilled { envelope, handle: written.handle, bytes: written.bytes, replaced })
}

/// Text in a store.
struct Stored {
    written: Written,
    lines: u64,
    /// What the envelope shows of it. Where that could not be made, what is written has to be taken back.
    tail: Result<String, Reason>,
    /// Lone surrogates that became U+FFFD.
    replaced: usize,
}

/// Encodes text, writes it and searches it, one after the other.
fn store_in_turn(call: &Call, key: &str, action: &Spill, source: Source) -> Result<Stored, Reason> {
    let (source, encoded) = if source.text.len() <= MAX_SEARCHED { source.in_memory()? } else { (source, 0) };
    let (written, lines, replaced) = write_text(call, key, &source.text, None)?;
    Ok(Stored { written, lines, tail: tail(&source, action), replaced: encoded + replaced })
}

/// The same in less time: another thread writes what this one encodes, and goes on while this one searches.
fn store_beside(call: &Call, key: &str, action: &Spill, source: Source) -> Result<Stored, Reason> {
    let text = &source.text.clone();
    thread::scope(|scope| {
        let (sender, receiver) = relay::channel();
        let is_encoded = matches!(text, Text::Utf8(_));
        let write = move || write_text(call, key, text, (!is_encoded).then_some(receiver));
        let Ok(writer) = thread::Builder::new().spawn_scoped(scope, write) else {
            return store_in_turn(call, key, action, source);
        };
        let encoded = if is_encoded { Ok((source, 0)) } else { encode(call, source, sender) };
        let (tail, replaced) = match encoded {
            Ok((source, replaced)) => (tail(&source, action), replaced),
            Err(reason) => (Err(reason), 0),
        };
        let (written, lines, _) = writer.join().unwrap_or(Err(Reason::StoreFailed))?;
        Ok(Stored { written, lines, tail, replaced })
    })
}

/// Sends text to its writer, and keeps it in memory where it can be searched.
fn encode(call: &Call, source: Source, mut sender: relay::Sender) -> Result<(Source, usize), Reason> {
    let length = source.text.len();
    let mut whole = (length <= MAX_SEARCHED).then(|| String::with_capacity(length));
    let encoded = source.text.each_utf8::<Reason>(|piece| {
        if call.abort.is_set() {
            return Err(Reason::Aborted);
        }
        sender.push(piece);
        if let Some(whole) = &mut whole {
            whole.push_str(piece);
        }
        Ok(())
    })?;
    sender.end();
    let text = match whole {
        Some(whole) => Text::Utf8(Arc::new(Utf8::of_units(whole, length))),
        None => source.text,
    };
    Ok((Source { text, ..source }, encoded.replaced))
}

/// Writes text, and remembers the positions of its lines for whoever reads it. `encoded`: the text from another thread.
/// Gives its lines, and how many lone surrogates were replaced by this thread.
fn write_text(
    call: &Call,
    key: &str,
    text: &Text,
    mut encoded: Option<relay::Receiver>,
) -> Result<(Written, u64, usize), Reason> {
    let mut index = Index::new();
    let mut replaced = 0;
    // No UTF-16 unit takes less than a byte.
    let written = write(call, key, Some(text.len() as u64), &mut |sink| {
        index = Index::new();
        let mut each = |bytes: &[u8]| {
            if call.abort.is_set() {
                return Err(StoreError::Unavailable(Reason::Aborted));
            }
            sink(bytes)?;
            index.add(bytes);
            Ok(())
        };
        // A store may begin anew, and blocks come only once.
        match encoded.take() {
            Some(encoded) => encoded.each(each)?,
            None => replaced = text.each_utf8(|piece| each(piece.as_bytes()))?.replaced,
        }
        Ok(())
    })?;
    let lines = index.lines();
    if let Some(identity) = written.identity {
        remember(identity, Arc::new(index));
    }
    Ok((written, lines, replaced))
}

/// The envelope after its first line: shape and preview.
fn tail(source: &Source, action: &Spill) -> Result<String, Reason> {
    let whole = source.searchable();
    let shape = sketch(&source.shape, whole)?.map(|sketch| format!("shape: {sketch}\n")).unwrap_or_default();
    Ok(shape + &preview::preview(&source.text, whole, action)?)
}

/// What the shape line says; `None` where there is no shape.
fn sketch(shape: &Shape, whole: Option<&Utf8>) -> Result<Option<String>, Reason> {
    Ok(match (shape, whole) {
        (Shape::Json(json), _) if json.len() <= MAX_SEARCHED => {
            let (json, _) = json.to_utf8()?;
            json::sketch(json.as_str())
        }
        (Shape::Text, Some(whole)) => json::sketch(whole.as_str()),
        (Shape::Lines, Some(whole)) => json::sketch_lines(whole.as_str()),
        _ => None,
    })
}
