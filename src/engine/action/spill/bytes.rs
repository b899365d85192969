//! Spilling bytes: stored verbatim, and shown decoded where they are text.

use std::sync::Arc;

use super::envelope::{Reading, Size, head, text_kind};
use super::{ENVELOPE, Spill, Spilled, elsewhere, preview, shorter, undo, write};
use crate::engine::bytes;
use crate::engine::call::{Backend, Call};
use crate::engine::config::ReadTool;
use crate::engine::host::Host;
use crate::engine::reason::Reason;
use crate::engine::store::Part as PartName;
use crate::engine::text::{LineCounter, Text, Utf8, utf16_len};
use crate::engine::work::off_thread;

/// Spills bytes, verbatim; bytes that are text are previewed decoded.
pub(super) async fn spill<H: Host>(
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
        let (charset, copy) = (call.charset.clone(), bytes);
        let described = move || Ok((describe(&copy, charset.as_deref(), &action)?, copy.to_vec()));
        let ((size, tail), whole) = off_thread(described).await?;
        let stored = host.store_write(key, whole).await?;
        let envelope = elsewhere(host, &stored, &read_tool, &size, &tail, length).await?;
        return Ok(Spilled { envelope, handle: stored.handle, bytes: length as u64, replaced: 0 });
    }
    off_thread(move || {
        let (size, tail) = describe(&bytes, call.charset.as_deref(), &action)?;
        let reading = Reading::Tool(&read_tool);
        shorter(head(&size, &key, &reading), &tail, length)?;
        let stored = write(&call, &key, Some(length as u64), &mut |sink| sink(&bytes))?;
        let envelope = shorter(head(&size, &stored.handle, &reading), &tail, length);
        let envelope = envelope.inspect_err(|_| undo(&call, &stored))?;
        Ok(Spilled { envelope, handle: stored.handle, bytes: stored.bytes, replaced: 0 })
    })
    .await
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
    let tail = preview::preview(&Text::Utf8(Arc::clone(&text)), Some(&text), action)?;
    Ok((Size::Bytes { bytes: data.len(), kind }, tail))
}
