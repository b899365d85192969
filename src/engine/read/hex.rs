use super::arguments::{Arguments, Caps};
use super::page::past_end;
use super::source::{Ranges, ReadError, Source};
use super::{Next, Page};
use crate::engine::bytes::{ROW, ROW_CHARS, hex_dump};
use crate::engine::text::grouped;

/// Room for one row: positions above 4 GiB have up to ten digits.
const ROOM: usize = ROW_CHARS + 2;

/// Bytes that are no text: what they are, and a hex dump of the rows asked for.
pub(super) fn page(source: &dyn Source, what: &str, arguments: &Arguments, caps: &Caps) -> Result<Page, ReadError> {
    let rows = source.size().div_ceil(ROW as u64);
    if arguments.offset >= rows {
        return Ok(past_end(rows, "rows of 16 bytes"));
    }
    let limit = arguments.limit.min((caps.max_chars / ROOM).max(1) as u64);
    let (first, last) = if arguments.from_end {
        let last = rows - arguments.offset;
        (last.saturating_sub(limit), last)
    } else {
        (arguments.offset, rows.min(arguments.offset + limit))
    };
    let start = first * ROW as u64;
    let text = hex_dump(Ranges::new(source).get(start..last * ROW as u64)?, start);
    let searched = arguments.pattern.is_some() || arguments.pointer.is_some();
    Ok(Page {
        chars: text.len() as u64,
        text,
        first_line: first + 1,
        last_line: last,
        total_lines: rows,
        next: (last < rows).then(|| Next { offset: Some(last), limit: Some(arguments.limit), ..Next::default() }),
        notice: Some(format!(
            "{what}, {} bytes, as a hex dump, {ROW} bytes a line.{}",
            grouped(source.size()),
            if searched { " It cannot be searched." } else { "" }
        )),
        ..Page::default()
    })
}
