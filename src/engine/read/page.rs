use super::arguments::{Arguments, Caps};
use super::source::{Ranges, ReadError};
use super::view::{Place, View};
use super::{Next, Page};
use crate::engine::bytes::whole_utf8;
use crate::engine::text::cut_back;
use crate::engine::text::{grouped, utf16_len};

/// One verbatim page: the lines asked for, as far as they fit.
pub(super) fn page(view: &View<'_>, arguments: &Arguments, caps: &Caps) -> Result<Page, ReadError> {
    let total = view.index.lines();
    if arguments.offset >= total {
        return Ok(past_end(total, "lines"));
    }
    let mut ranges = Ranges::new(view.source());
    let begin = match begin(view, &mut ranges, arguments, total)? {
        Ok(begin) => begin,
        Err(notice) => return Ok(Page::nothing(notice, total)),
    };
    // No char takes more than three bytes; a pair of them takes four.
    let most = (caps.max_chars as u64).saturating_mul(3).saturating_add(4);
    let raw = ranges.get(begin.place.byte..begin.place.byte.saturating_add(most))?;
    let at_end = begin.place.byte + raw.len() as u64 >= view.size();
    let text = String::from_utf8_lossy(if at_end { raw } else { whole_utf8(raw) });
    let cut = cut(&text, at_end, begin.lines, caps.max_chars);

    let after = begin.line + cut.lines;
    let limit = if arguments.from_end && cut.lines < begin.lines { begin.lines - cut.lines } else { arguments.limit };
    let next = if cut.inside > 0 {
        let skipped = if cut.lines == 0 { begin.skipped } else { 0 };
        Some(Next {
            offset: Some(after),
            char_offset: Some(skipped + cut.inside),
            limit: Some(limit),
            ..Next::default()
        })
    } else if after < total {
        Some(Next { offset: Some(after), limit: Some(limit), ..Next::default() })
    } else {
        None
    };
    Ok(Page {
        text: view.show(&text[..cut.byte]).into_owned(),
        first_line: begin.line + 1,
        last_line: after + u64::from(cut.inside > 0),
        total_lines: total,
        chars: cut.chars,
        next,
        ..Page::default()
    })
}

/// What a page says where nothing is left to show.
pub(super) fn past_end(total: u64, what: &str) -> Page {
    let notice = if total == 0 {
        "The stored output is empty.".to_owned()
    } else {
        format!(
            "Past the end: the stored output has {} {what}; the last valid offset is {}.",
            grouped(total),
            total - 1
        )
    };
    Page::nothing(notice, total)
}

/// Where a page begins.
struct Begin {
    place: Place,
    /// The line (from 0) it begins in.
    line: u64,
    /// Chars of that line before the page.
    skipped: u64,
    /// Lines asked for.
    lines: u64,
}

/// Finds the beginning of a page, or what to say instead. `arguments.offset` is less than `total`.
fn begin(
    view: &View<'_>,
    ranges: &mut Ranges<'_>,
    arguments: &Arguments,
    total: u64,
) -> Result<Result<Begin, String>, ReadError> {
    let line =
        if arguments.from_end { (total - arguments.offset).saturating_sub(arguments.limit) } else { arguments.offset };
    let lines = if arguments.from_end { total - arguments.offset - line } else { arguments.limit };
    let place = view.line(ranges, line)?;
    if arguments.char_offset == 0 {
        return Ok(Ok(Begin { place, line, skipped: 0, lines }));
    }
    let is_last = line + 1 >= total;
    let next =
        if is_last { Place { byte: view.size(), char: view.index.chars() } } else { view.line(ranges, line + 1)? };
    if arguments.char_offset < next.char - place.char {
        let inside = view.char(ranges, place.char + arguments.char_offset)?;
        if inside.byte >= view.size() {
            return Ok(Err("Past the end of the last line.".to_owned()));
        }
        return Ok(Ok(Begin { place: inside, line, skipped: inside.char - place.char, lines }));
    }
    if is_last {
        let chars = next.char - place.char;
        return Ok(Err(format!(
            "Past the end of the last line, which has {} chars; the last valid char_offset is {}.",
            grouped(chars),
            chars.saturating_sub(1)
        )));
    }
    let lines = if arguments.from_end { (lines - 1).max(1) } else { lines };
    Ok(Ok(Begin { place: next, line: line + 1, skipped: 0, lines }))
}

/// Where a page ends.
struct Cut {
    byte: usize,
    /// Chars up to there.
    chars: u64,
    /// Whole lines up to there.
    lines: u64,
    /// Chars shown of one more line, which is cut.
    inside: u64,
}

/// Cuts the text that follows the beginning of a page: after at most `lines` lines and `max_chars`
/// chars, at a line's end where at least half of `max_chars` is used by then.
fn cut(text: &str, at_end: bool, lines: u64, max_chars: usize) -> Cut {
    let (mut byte, mut chars, mut complete) = (0, 0, 0);
    while complete < lines {
        let feed = memchr::memchr(b'\n', &text.as_bytes()[byte..]);
        let line = match feed {
            Some(feed) => &text[byte..=byte + feed],
            None if at_end && byte < text.len() => &text[byte..],
            None => break,
        };
        let used = chars + utf16_len(line.as_bytes());
        if used > max_chars {
            break;
        }
        byte += line.len();
        chars = used;
        complete += 1;
    }
    let whole_lines = Cut { byte, chars: chars as u64, lines: complete, inside: 0 };
    if complete == lines || byte == text.len() || chars * 2 >= max_chars {
        return whole_lines;
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let wanted = cut_back(&units, max_chars.min(units.len())).saturating_sub(chars);
    let mut inside = 0;
    for char in text[byte..].chars() {
        // Where nothing of the line fits before a boundary, one character has to be enough.
        if inside > 0 && inside + char.len_utf16() > wanted {
            break;
        }
        inside += char.len_utf16();
        byte += char.len_utf8();
    }
    Cut { byte, chars: (chars + inside) as u64, lines: complete, inside: inside as u64 }
}
