//! A value of a stored document as a page: an array by its items, anything else by a window of its text.

use super::layout::{compact, utf8};
use super::pointer::{CHUNK, INVALID, Value, missing};
use super::scan::{Nothing, document};
use super::stream::{ByteSource, Mark, Stream, read};
use crate::engine::text::{grouped, utf16_len};

/// Bytes of a value that is checked strictly; larger ones are shown as they are.
const MAX_CHECKED: u64 = 4 * 1024 * 1024;

/// What to show of a document.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The pointer: empty, or `/` before each token.
    pub pointer: &'a str,
    /// Items of an array to skip.
    pub offset: u64,
    /// Items of an array to show at most.
    pub limit: u64,
    /// Whether `offset` and `limit` count from the array's end.
    pub from_end: bool,
    /// UTF-16 units to skip: of the first item, or of a value that is no array.
    pub char_offset: u64,
    /// UTF-16 units to show at most, line ends of items included.
    pub max_chars: usize,
}

/// What a pointer names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pointed {
    /// A value that is no array: a window of its JSON text as stored.
    Value {
        /// The text from `char_offset` on; no surrogate pair is split.
        text: String,
        /// UTF-16 units of the whole value.
        total: u64,
        /// Line feeds of the whole value.
        feeds: u64,
        /// Line feeds before the text.
        feeds_before: u64,
        /// The `char_offset` that shows what follows, where something does.
        next: Option<u64>,
    },
    /// Items of an array, each on one line.
    Items {
        /// JSON text of the items; where the last one is cut, `next` leads into it.
        rows: Vec<String>,
        /// Index of the first item shown.
        first: u64,
        /// Items of the whole array.
        count: u64,
        /// What shows the rest, where there is more.
        next: Option<NextItem>,
    },
    /// Nothing to show.
    Missing {
        /// What is wrong, for the model: which key or item is not there and what is.
        notice: String,
        /// Items of the array, where `offset` is past its end.
        count: Option<u64>,
    },
}

/// Where a page of items goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextItem {
    /// Items before it.
    pub offset: u64,
    /// UTF-16 units of that item before it.
    pub char_offset: u64,
    /// Items that are left of those asked for; after a whole page as many as were asked for.
    pub limit: u64,
}

/// Shows a value that was found.
pub(super) fn show<S: ByteSource + ?Sized>(source: &S, value: Value, ask: &Ask<'_>) -> Result<Pointed, S::Error> {
    if value.end - value.start <= MAX_CHECKED {
        let mut bytes = Vec::new();
        read(source, value.start, value.end, usize::MAX, &mut bytes)?;
        if document(&bytes, &mut Nothing).is_none() {
            return Ok(missing(INVALID.to_owned()));
        }
    }
    if value.first == b'[' { items(source, value, ask) } else { self::value(source, value, ask) }
}

/// The items of an array that were asked for and fit, each without line ends.
fn items<S: ByteSource + ?Sized>(source: &S, array: Value, ask: &Ask<'_>) -> Result<Pointed, S::Error> {
    let (mut first, mut limit) = (ask.offset, ask.limit);
    if ask.from_end {
        let count = each_item(source, array, |_, _, _| Ok(()))?;
        if let Some(end) = count.checked_sub(ask.offset).filter(|end| *end > 0) {
            first = end.saturating_sub(ask.limit);
            limit = end - first;
        }
    }
    let (mut rows, mut used, mut is_full, mut inside) = (Vec::new(), 0, false, 0);
    let mut skip = ask.char_offset;
    let count = each_item(source, array, |index, start, end| {
        if is_full || index < first || index - first >= limit {
            return Ok(());
        }
        match item(source, start, end, std::mem::take(&mut skip), ask.max_chars - used, used * 2 < ask.max_chars)? {
            Item::Whole(row, chars) => {
                rows.push(row);
                used += chars;
            }
            Item::Cut(row, next) => {
                rows.push(row);
                inside = next;
                is_full = true;
            }
            Item::NoRoom => is_full = true,
            Item::Past => {
                first += 1;
                if ask.from_end {
                    limit = (limit - 1).max(1);
                }
            }
        }
        Ok(())
    })?;
    if first >= count || ask.from_end && ask.offset >= count {
        let place = if ask.pointer.is_empty() { "the document" } else { ask.pointer };
        let notice = match count.checked_sub(1) {
            Some(last) if ask.offset <= last => {
                format!("Past the end of item {}, the last one.", grouped(last))
            }
            Some(last) => {
                format!("Past the end: {place} has {} items; the last valid offset is {last}.", grouped(count))
            }
            None => format!("{place} is an empty array."),
        };
        return Ok(Pointed::Missing { notice, count: Some(count) });
    }
    let whole = rows.len() as u64 - u64::from(inside > 0);
    let offset = first + whole;
    let left = if ask.from_end && whole < limit { limit - whole } else { ask.limit };
    let next = (offset < count).then_some(NextItem { offset, char_offset: inside, limit: left });
    Ok(Pointed::Items { rows, first, count, next })
}

/// Gives the index and the bytes of each item of an array, and their number.
fn each_item<S: ByteSource + ?Sized>(
    source: &S,
    array: Value,
    mut visit: impl FnMut(u64, u64, u64) -> Result<(), S::Error>,
) -> Result<u64, S::Error> {
    let mut stream = Stream::new(source, array.start, array.end);
    let mut start = array.start + 1;
    stream.next()?;
    if matches!(stream.solid(start)?, Some((_, b']')) | None) {
        return Ok(0);
    }
    let mut count = 0;
    while let Some(mark) = stream.next()? {
        let end = match mark {
            Mark::Open(_) => {
                stream.leave()?;
                continue;
            }
            Mark::Comma(at) | Mark::Close(at) => at,
        };
        let begin = stream.solid(start)?.map_or(start, |(at, _)| at);
        visit(count, begin, end)?;
        count += 1;
        start = end + 1;
    }
    Ok(count)
}

/// What a page shows of an item.
enum Item {
    /// All that is left of it, and its chars with the line end.
    Whole(String, usize),
    /// As much as fits, and the chars of the item up to there.
    Cut(String, u64),
    /// Nothing, because it does not fit.
    NoRoom,
    /// Nothing, because it has no more chars than were to be skipped.
    Past,
}

/// An item as one line, from the char `skip` on, in at most `room` chars with its line end.
fn item<S: ByteSource + ?Sized>(
    source: &S,
    start: u64,
    end: u64,
    skip: u64,
    room: usize,
    may_cut: bool,
) -> Result<Item, S::Error> {
    let room = room.saturating_sub(1);
    if end - start > MAX_CHECKED {
        if !may_cut {
            return Ok(Item::NoRoom);
        }
        // Too large to be laid out anew: a window of it as it is stored, its line ends as blanks.
        let window = window(source, start, end, skip, room)?;
        let text = window.text.replace(['\n', '\r'], " ");
        return Ok(match window.next {
            Some(next) => Item::Cut(text, next),
            None if text.is_empty() => Item::Past,
            None => {
                let chars = utf16_len(text.as_bytes()) + 1;
                Item::Whole(text, chars)
            }
        });
    }
    // Text has at least one char for three bytes: what is longer fits only if it is layout, and that is rare.
    if !may_cut && end - start > room as u64 * 8 {
        return Ok(Item::NoRoom);
    }
    let mut bytes = Vec::new();
    read(source, start, end, usize::MAX, &mut bytes)?;
    let text = utf8(bytes);
    let text = text.trim_end_matches([' ', '\t', '\r', '\n']);
    // Strings hold no line ends: these are layout.
    let line = if text.contains(['\n', '\r']) { compact(text) } else { None };
    let line = line.unwrap_or_else(|| text.replace(['\n', '\r'], " "));
    let (skipped, from) = head(&line, usize::try_from(skip).unwrap_or(usize::MAX), true);
    let rest = line.get(from..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(Item::Past);
    }
    let chars = utf16_len(rest.as_bytes());
    if chars <= room {
        return Ok(Item::Whole(rest.to_owned(), chars + 1));
    }
    if !may_cut {
        return Ok(Item::NoRoom);
    }
    let (kept, to) = head(rest, room, false);
    Ok(Item::Cut(rest.get(..to).unwrap_or_default().to_owned(), (skipped + kept) as u64))
}

/// Chars and bytes of the beginning of a text that has `chars` chars; inside a pair it ends before, or `behind` it.
fn head(text: &str, chars: usize, behind: bool) -> (usize, usize) {
    let (mut units, mut bytes) = (0, 0);
    for char in text.chars() {
        if units >= chars || units + char.len_utf16() > chars && !behind {
            break;
        }
        units += char.len_utf16();
        bytes += char.len_utf8();
    }
    (units, bytes)
}

/// A part of a value's text.
struct Window {
    text: String,
    /// UTF-16 units and line feeds of the whole value, and line feeds before the text.
    total: u64,
    feeds: u64,
    feeds_before: u64,
    /// UTF-16 units of the value up to the end of the text, where there is more.
    next: Option<u64>,
}

/// The part of a value's text that was asked for.
fn value<S: ByteSource + ?Sized>(source: &S, value: Value, ask: &Ask<'_>) -> Result<Pointed, S::Error> {
    let Window { text, total, feeds, feeds_before, next } =
        window(source, value.start, value.end, ask.char_offset, ask.max_chars)?;
    if text.is_empty() {
        return Ok(missing(format!(
            "Past the end: the value has {} chars; the last valid char_offset is {}.",
            grouped(total),
            total.saturating_sub(1)
        )));
    }
    Ok(Pointed::Value { text, total, feeds, feeds_before, next })
}

/// At most `max_chars` of the bytes between `at` and `end`, from the char `skip` on.
fn window<S: ByteSource + ?Sized>(
    source: &S,
    mut at: u64,
    end: u64,
    skip: u64,
    max_chars: usize,
) -> Result<Window, S::Error> {
    let (mut chars, mut feeds, mut feeds_before) = (0, 0, 0);
    let (mut text, mut taken) = (String::new(), 0);
    let mut chunk = Vec::new();
    // Where the text really begins: inside a pair, at the next char.
    let mut from = skip;
    let mut is_full = false;
    while at < end {
        read(source, at, end, CHUNK, &mut chunk)?;
        let whole = whole_chars(&chunk, at + chunk.len() as u64 == end);
        chunk.truncate(whole);
        if chunk.is_empty() {
            break;
        }
        at += chunk.len() as u64;
        let before = chars;
        chars += utf16_len(&chunk) as u64;
        let found = memchr::memchr_iter(b'\n', &chunk).count() as u64;
        feeds += found;
        if chars <= from {
            feeds_before += found;
            continue;
        }
        if is_full {
            continue;
        }
        let piece = utf8(std::mem::take(&mut chunk));
        let mut position = before;
        for char in piece.chars() {
            if position >= from {
                if taken + char.len_utf16() > max_chars {
                    is_full = true;
                    break;
                }
                taken += char.len_utf16();
                text.push(char);
            } else {
                feeds_before += u64::from(char == '\n');
                if position + char.len_utf16() as u64 > from {
                    from += 1;
                }
            }
            position += char.len_utf16() as u64;
        }
    }
    let reached = from + taken as u64;
    let next = (reached < chars && taken > 0).then_some(reached);
    Ok(Window { text, total: chars, feeds, feeds_before, next })
}

/// How many bytes of a chunk do not split a char.
fn whole_chars(chunk: &[u8], is_last: bool) -> usize {
    if is_last {
        return chunk.len();
    }
    let begins = |byte: &u8| (*byte as i8) >= -0x40;
    match chunk.iter().rev().take(4).position(begins) {
        Some(back) if chunk.len() > back + 1 => {
            let lead = chunk.get(chunk.len() - back - 1).copied().unwrap_or(0);
            let length = match lead {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            if back + 1 < length { chunk.len() - back - 1 } else { chunk.len() }
        }
        _ => chunk.len(),
    }
}
