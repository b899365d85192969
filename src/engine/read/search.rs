use std::ops::{ControlFlow, Range};

use memchr::{memchr, memrchr};
use regex_automata::Input;
use regex_automata::meta::Regex;

use super::arguments::{Arguments, Caps};
use super::hits::{Hit, Rows, Windows, without_cr};
use super::pattern::{Matcher, compile};
use super::source::{Ranges, ReadError, Source, fill};
use super::view::View;
use super::{Next, Page};
use crate::engine::text::{grouped, utf16_len};

/// Matches are counted up to here.
const MAX_COUNTED: u64 = 10_000;

/// Bytes that are searched in one go.
const CHUNK: usize = 1024 * 1024;

/// Bytes of one line that are held for an expression that needs whole lines.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// What matches a pattern: a line, or each place in a long one that the window around the match before does not show.
/// `arguments.offset` and `limit` count these.
pub(super) fn page(view: &View<'_>, pattern: &str, arguments: &Arguments, caps: &Caps) -> Result<Page, ReadError> {
    let matcher = match compile(pattern, arguments.regex, arguments.ignore_case) {
        Ok(matcher) => matcher,
        Err(problem) => return Ok(Page::nothing(problem, view.index.lines())),
    };
    let is_plain = !arguments.regex && !arguments.ignore_case && arguments.context == 0;
    let windows = Windows::new(caps);
    let collect = |wanted: &Wanted| collect(view.source(), &matcher, windows, wanted);
    let (wanted, found) = if arguments.from_end {
        // How many there are comes first.
        let all = collect(&Wanted { skip: u64::MAX, take: 0, count_all: true })?;
        let end = all.found.saturating_sub(arguments.offset);
        let skip = if end == 0 { all.found } else { end.saturating_sub(arguments.limit) };
        let wanted = Wanted { skip, take: end.saturating_sub(skip), count_all: true };
        let found = if wanted.take == 0 { all } else { collect(&wanted)? };
        (wanted, found)
    } else {
        let wanted = Wanted { skip: arguments.offset, take: arguments.limit, count_all: false };
        let found = collect(&wanted)?;
        (wanted, found)
    };
    let mut rows = Rows::new(view, caps, windows, is_plain, arguments.context);
    rows.show(&found.hits, wanted.take)?;
    Ok(answer(rows, &found, &wanted, view.index.lines()))
}

/// Which of the matches to find.
struct Wanted {
    skip: u64,
    take: u64,
    /// Whether to find them all, for their number.
    count_all: bool,
}

struct Found {
    /// All matches, or as many as had to be found.
    found: u64,
    /// The wanted ones, and the one after them.
    hits: Vec<Hit>,
    /// Whether a line was too long to be searched as a whole.
    cut: bool,
}

fn answer(rows: Rows<'_>, found: &Found, wanted: &Wanted, total_lines: u64) -> Page {
    let Rows { text, matches, first: first_line, last: last_line, .. } = rows;
    let all = if !wanted.count_all && found.found > MAX_COUNTED {
        format!("more than {}", grouped(MAX_COUNTED))
    } else {
        grouped(found.found)
    };
    let after = wanted.skip.saturating_add(matches.len() as u64);
    let first = grouped(wanted.skip.saturating_add(1));
    let mut notice = match matches.len() {
        _ if found.found == 0 => "No line matches.".to_owned(),
        // The search came to the end of the output, so their number is known.
        0 => {
            let all = grouped(found.found);
            format!("Past the last match: there are {all}; the last valid offset is {}.", found.found - 1)
        }
        1 => format!("Match {first} of {all}."),
        _ => format!("Matches {first}–{} of {all}.", grouped(after)),
    };
    if found.cut {
        notice.push_str(" Of a line longer than 64 MiB only the first 64 MiB were searched.");
    }
    Page {
        chars: utf16_len(text.as_bytes()) as u64,
        text,
        first_line,
        last_line,
        total_lines,
        next: (!matches.is_empty() && after < found.found).then(|| Next {
            offset: Some(after),
            limit: Some(wanted.take),
            ..Next::default()
        }),
        matches: Some(matches),
        notice: Some(notice),
    }
}

fn collect(source: &dyn Source, matcher: &Matcher, windows: Windows, wanted: &Wanted) -> Result<Found, ReadError> {
    let end = wanted.skip.saturating_add(wanted.take).saturating_add(1);
    let most = if wanted.count_all { u64::MAX } else { end.max(MAX_COUNTED + 1) };
    let (mut found, mut hits) = (0, Vec::new());
    let mut visit = |hit| {
        if (wanted.skip..end).contains(&found) {
            hits.push(hit);
        }
        found += 1;
        if found < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let cut = match matcher {
        Matcher::Literal(finder) => {
            let length = finder.needle().len();
            let find = |text: &[u8], within: Range<usize>, _: bool, _: bool| {
                let at = within.start + finder.find(&text[within])?;
                Some(First { range: at..at + length, counts: true })
            };
            in_pieces(source, length, windows, find, &mut visit)?;
            false
        }
        Matcher::Short { regex, longest } => {
            let find = |text: &[u8], within, last, later| find_short(regex, text, within, last, later);
            in_pieces(source, *longest, windows, find, &mut visit)?;
            false
        }
        Matcher::Lines { candidates, exact } => {
            in_lines(source, candidates, &Exact { regex: exact, windows }, &mut visit)?
        }
    };
    Ok(Found { found, hits, cut })
}

/// The first match in a piece of text.
struct First {
    range: Range<usize>,
    /// Whether the line matches; not if only its line end made it match.
    counts: bool,
}

/// The line that the last match is in.
struct MatchedLine {
    /// The byte of its first match.
    byte: u64,
    /// A match in a long line counts if it ends behind this byte.
    shown: u64,
    /// Whether it is long, once that is known; no other match counts in a short one.
    is_long: Option<bool>,
}

/// Finds matches that are not empty and `longest` bytes at most, in overlapping pieces: lines of any length.
/// `find` looks in a part of the piece, and is told whether the text ends with the piece, and whether it looks for a later
/// match in a line: of that the earliest end will do, or each of many could be looked for over all of `longest`.
fn in_pieces(
    source: &dyn Source,
    longest: usize,
    windows: Windows,
    find: impl Fn(&[u8], Range<usize>, bool, bool) -> Option<First>,
    visit: &mut dyn FnMut(Hit) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let size = source.size();
    if longest as u64 > size && longest > CHUNK {
        return Ok(());
    }
    let mut ranges = Ranges::new(source);
    let mut buffer = vec![0; usize::try_from(size).unwrap_or(usize::MAX).min(CHUNK + longest)];
    let mut at = 0;
    let mut matched: Option<MatchedLine> = None;
    while at < size {
        let length = usize::try_from(size - at).unwrap_or(usize::MAX).min(buffer.len());
        let piece = &mut buffer[..length];
        fill(source, at, piece)?;
        let last = at + length as u64 == size;
        // A match that begins behind it may be cut; the next piece has it whole.
        let safe = if last { length } else { length - longest };
        let mut from = 0;
        // Where the matched line ends in this piece; looked for once, however many matches it has.
        let mut line_end = None;
        loop {
            if let Some(line) = &mut matched {
                let end =
                    *line_end.get_or_insert_with(|| memchr(b'\n', &piece[from..]).map_or(length, |feed| from + feed));
                let goes_on = end == length || at + end as u64 > line.shown;
                if !(goes_on && is_long(line, windows, piece, at, &mut ranges)?) {
                    if end == length {
                        from = length;
                        break;
                    }
                    from = end + 1;
                    (matched, line_end) = (None, None);
                }
            }
            let (end, later) = line_end.map_or((length, false), |end| (end, true));
            // A line that ends in this piece cannot have a match that is cut.
            let first = find(piece, from..end, last, later).filter(|first| end < length || first.range.start < safe);
            let Some(First { range, counts }) = first else {
                if end < length {
                    from = end + 1;
                    (matched, line_end) = (None, None);
                    continue;
                }
                from = from.max(safe);
                break;
            };
            from = range.end;
            let hit = Hit { byte: at + range.start as u64, length: range.len() };
            let shown = windows.shown(hit.byte);
            let is_found = match &mut matched {
                Some(line) => {
                    let is_found = counts && at + range.end as u64 > line.shown;
                    if is_found {
                        line.shown = shown;
                    }
                    is_found
                }
                None => {
                    matched = Some(MatchedLine { byte: hit.byte, shown, is_long: (!counts).then_some(false) });
                    counts
                }
            };
            if is_found && visit(hit).is_break() {
                return Ok(());
            }
        }
        at += from as u64;
    }
    Ok(())
}

/// Whether a line is shown in windows. Looks in the piece of the text that is at hand, and reads at its edges.
fn is_long(
    line: &mut MatchedLine,
    windows: Windows,
    piece: &[u8],
    at: u64,
    ranges: &mut Ranges<'_>,
) -> Result<bool, ReadError> {
    if let Some(known) = line.is_long {
        return Ok(known);
    }
    let (most, size) = (windows.most_bytes(), ranges.size());
    let around = line.byte.saturating_sub(most)..line.byte.saturating_add(most).min(size);
    let bytes = if around.start >= at && around.end <= at + piece.len() as u64 {
        &piece[(around.start - at) as usize..(around.end - at) as usize]
    } else {
        ranges.get(around.clone())?
    };
    let middle = (line.byte - around.start) as usize;
    let start = match memrchr(b'\n', &bytes[..middle]) {
        Some(feed) => Some(feed + 1),
        None => (around.start == 0).then_some(0),
    };
    let end = match memchr(b'\n', &bytes[middle..]) {
        Some(feed) => Some(middle + feed),
        None => (around.end == size).then_some(bytes.len()),
    };
    let is_long = match (start, end) {
        (Some(start), Some(end)) => windows.are_for(without_cr(&bytes[start..end])),
        _ => true,
    };
    line.is_long = Some(is_long);
    Ok(is_long)
}

/// The first match of an expression that may have taken a carriage return for part of the line.
fn find_short(regex: &Regex, text: &[u8], within: Range<usize>, last: bool, later: bool) -> Option<First> {
    let range = regex.find(Input::new(text).range(within).earliest(later))?.range();
    let ends_line = match text.get(range.end) {
        Some(&byte) => byte == b'\n',
        None => last,
    };
    if !ends_line || text[range.end - 1] != b'\r' {
        return Some(First { range, counts: true });
    }
    // Nothing matches before it, so the line matches here, without its line end, or not at all.
    let line = &text[range.start..range.end - 1];
    Some(match regex.find(line) {
        Some(inside) => First { range: range.start + inside.start()..range.start + inside.end(), counts: true },
        None => First { range, counts: false },
    })
}

/// Finds matches in a single line.
struct Exact<'a> {
    regex: &'a Regex,
    windows: Windows,
}

impl Exact<'_> {
    /// The first match of a line, and those of a long one that the window of the match before does not show.
    fn visit(&self, line: &[u8], at: u64, visit: &mut dyn FnMut(Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        let line = without_cr(line);
        let Some(first) = self.regex.find(line) else {
            return ControlFlow::Continue(());
        };
        let hit = |range: Range<usize>| Hit { byte: at + range.start as u64, length: range.len() };
        visit(hit(first.range()))?;
        if !self.windows.are_for(line) {
            return ControlFlow::Continue(());
        }
        let mut from = first.end();
        let mut shown = self.windows.shown(first.start() as u64);
        // What ends earliest, not what is longest: or each of many matches could be looked for as far as the line's end.
        while let Some(found) = self.regex.find(Input::new(line).range(from..).earliest(true)) {
            if found.is_empty() {
                break; // it would be found everywhere
            }
            from = found.end();
            if found.end() as u64 > shown {
                shown = self.windows.shown(found.start() as u64);
                visit(hit(found.range()))?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Finds the lines that match, many at once. Says whether a line was too long to be searched as a whole.
fn in_lines(
    source: &dyn Source,
    candidates: &Regex,
    exact: &Exact<'_>,
    visit: &mut dyn FnMut(Hit) -> ControlFlow<()>,
) -> Result<bool, ReadError> {
    let size = source.size();
    let mut held = Vec::new(); // from the beginning of a line on
    let mut at = 0;
    let mut cut = false;
    while at < size {
        let before = held.len();
        let left = usize::try_from(size - at).unwrap_or(usize::MAX) - before;
        // As much again as there is, so that a long line is not read in many small steps.
        held.resize(before + left.min(CHUNK.max(before)).min(MAX_LINE - before), 0);
        fill(source, at + before as u64, &mut held[before..])?;
        let whole = if at + held.len() as u64 == size {
            held.len()
        } else {
            memrchr(b'\n', &held[before..]).map_or(0, |feed| before + feed + 1)
        };
        if whole > 0 {
            if in_whole_lines(&held[..whole], at, candidates, exact, visit).is_break() {
                return Ok(cut);
            }
            held.drain(..whole);
            at += whole as u64;
        } else if held.len() == MAX_LINE {
            cut = true;
            if exact.visit(&held, at, visit).is_break() {
                return Ok(cut);
            }
            at = next_line(source, at + held.len() as u64, &mut held)?;
            held.clear();
        }
    }
    Ok(cut)
}

/// Where the line after the one that goes on at `at` begins. `buffer` is overwritten.
fn next_line(source: &dyn Source, mut at: u64, buffer: &mut [u8]) -> Result<u64, ReadError> {
    while at < source.size() {
        let left = usize::try_from(source.size() - at).unwrap_or(usize::MAX);
        let length = left.min(CHUNK).min(buffer.len());
        fill(source, at, &mut buffer[..length])?;
        if let Some(feed) = memchr(b'\n', &buffer[..length]) {
            return Ok(at + feed as u64 + 1);
        }
        at += length as u64;
    }
    Ok(at)
}

fn in_whole_lines(
    text: &[u8],
    at: u64,
    candidates: &Regex,
    exact: &Exact<'_>,
    visit: &mut dyn FnMut(Hit) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut from = 0;
    while from < text.len()
        && let Some(candidate) = candidates.find(Input::new(text).range(from..))
    {
        let start = memrchr(b'\n', &text[from..candidate.start()]).map_or(from, |feed| from + feed + 1);
        if start >= text.len() {
            break; // an empty match behind the last line
        }
        let end = memchr(b'\n', &text[candidate.end()..]).map_or(text.len(), |feed| candidate.end() + feed);
        exact.visit(&text[start..end], at + start as u64, visit)?;
        from = end + 1;
    }
    ControlFlow::Continue(())
}
