use super::Match;
use super::arguments::Caps;
use super::index::Point;
use super::source::{Ranges, ReadError};
use super::view::{View, is_continuation};
use crate::engine::bytes::whole_utf8;
use crate::engine::text::{cut_back, cut_forward};
use crate::engine::text::{grouped, to_well_formed, utf16_len};

/// Chars of a line that is shown whole, at most.
const LONG_LINE: usize = 2_000;

/// Chars of a longer line that are shown before a match; twice as many after it.
const WINDOW: usize = 300;

/// How far a cut looks around for a character that must stay whole, and moves.
const AROUND: usize = 128;

/// Bytes before a match in which the lines before it are looked for.
const NEAR: u64 = 32 * 1024;

/// Room for what stands around a window: line number, offset, dots.
const AROUND_WINDOW: usize = 60;

/// How lines are shown around a match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    /// Chars of a line that is shown whole.
    long: usize,
    /// Chars that are shown before a match in a longer line; twice as many from it on.
    window: usize,
}

impl Windows {
    pub(super) fn new(caps: &Caps) -> Self {
        let long = LONG_LINE.min(caps.max_chars / 2);
        Self { long, window: WINDOW.min(long / 4) }
    }

    /// Whether a line, its line end not among its bytes, is shown in windows.
    pub(super) fn are_for(self, line: &[u8]) -> bool {
        line.len() > self.long && utf16_len(line) > self.long
    }

    /// The bytes of the longest line that is shown whole, its line end among them.
    pub(super) fn most_bytes(self) -> u64 {
        self.long as u64 * 3 + 2
    }

    /// Up to which byte the window around a match shows the line, at least.
    pub(super) fn shown(self, hit: u64) -> u64 {
        hit.saturating_add(2 * self.window as u64)
    }
}

/// A line without the carriage return that belongs to its end.
pub(super) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A match: the first of its line, or a later one in a long line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) byte: u64,
    /// In bytes; 0 for an empty match.
    pub(super) length: usize,
}

/// The rows of a search's answer, as many as fit on a page.
pub(super) struct Rows<'a> {
    pub(super) text: String,
    pub(super) matches: Vec<Match>,
    view: &'a View<'a>,
    ranges: Ranges<'a>,
    max_chars: usize,
    chars: usize,
    windows: Windows,
    /// Windows reach from a literal's end on, in bytes; else from the match's beginning, in chars.
    is_plain: bool,
    context: u64,
    /// Numbers of the first and the last line shown; 0 for none.
    pub(super) first: u64,
    pub(super) last: u64,
    /// The line after the last one that was looked at, where its beginning is known.
    following: Option<Line>,
}

/// What is shown of a long line.
struct Window {
    text: String,
    /// Whether it begins where the line does.
    begins: bool,
    /// Whether it ends where the line does.
    ends: bool,
}

/// A line by its number (from 1) and the byte where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    number: u64,
    byte: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(view: &'a View<'a>, caps: &Caps, windows: Windows, is_plain: bool, context: u64) -> Self {
        Self {
            text: String::new(),
            matches: Vec::new(),
            view,
            ranges: Ranges::new(view.source()),
            max_chars: caps.max_chars,
            chars: 0,
            windows,
            is_plain,
            context,
            first: 0,
            last: 0,
            following: None,
        }
    }

    /// Shows the first `take` hits, in order, with their context. A hit behind them ends the context.
    pub(super) fn show(&mut self, hits: &[Hit], take: u64) -> Result<(), ReadError> {
        let mut known = None;
        for (hit, number) in hits.iter().zip(0..) {
            let point = self.view.point(&mut self.ranges, known, hit.byte)?;
            known = Some(point);
            // What belongs to the last match comes before what belongs to this one.
            if !self.trailing(point.line)? || number >= take || !self.hit(hit, &point)? {
                return Ok(());
            }
        }
        self.trailing(self.view.index.lines())?;
        Ok(())
    }

    /// Shows the context after the last match, as far as line number `until`. Says whether all of it fits.
    fn trailing(&mut self, until: u64) -> Result<bool, ReadError> {
        let Some(last) = self.matches.last() else {
            return Ok(true);
        };
        let until = until.min(last.line + self.context);
        let rows = self.lines(self.last + 1, until, None)?;
        Ok(rows.into_iter().all(|(number, row)| self.push(number, &row)))
    }

    /// Shows a match together with the context before it. Says whether they fit.
    fn hit(&mut self, hit: &Hit, point: &Point) -> Result<bool, ReadError> {
        let line = Line { number: point.line + 1, byte: point.line_byte };
        let char = point.char - point.line_char;
        let first = line.number.saturating_sub(self.context).max(self.last + 1);
        let mut before = self.lines(first, line.number - 1, Some(line))?;
        let (row, text) = self.row(&line, ':', hit, char)?;
        let room = self.max_chars.saturating_sub(self.chars + utf16_len(row.as_bytes()));
        let mut used: usize = before.iter().map(|(_, row)| utf16_len(row.as_bytes())).sum();
        if self.matches.is_empty() {
            // The first match is always shown; the context farthest from it gives way.
            let mut dropped = 0;
            while used > room && dropped < before.len() {
                used -= utf16_len(before[dropped].1.as_bytes());
                dropped += 1;
            }
            before.drain(..dropped);
        } else if used > room || self.chars + utf16_len(row.as_bytes()) > self.max_chars {
            return Ok(false);
        }
        for (number, row) in before {
            self.push(number, &row);
        }
        self.add(line.number, &row);
        self.matches.push(Match { line: line.number, char: Some(char), text });
        Ok(true)
    }

    /// Adds a row where it fits.
    fn push(&mut self, number: u64, row: &str) -> bool {
        let chars = utf16_len(row.as_bytes());
        if self.chars + chars > self.max_chars {
            return false;
        }
        self.add(number, row);
        true
    }

    fn add(&mut self, number: u64, row: &str) {
        self.text.push_str(row);
        self.chars += utf16_len(row.as_bytes());
        self.last = number;
        if self.first == 0 {
            self.first = number;
        }
    }

    /// The rows of lines that are context, by their numbers. `behind`: a line after them.
    fn lines(&mut self, first: u64, last: u64, behind: Option<Line>) -> Result<Vec<(u64, String)>, ReadError> {
        let mut rows = Vec::new();
        for number in first..=last {
            let line = self.line(number, behind)?;
            let (row, _) = self.row(&line, '-', &Hit { byte: line.byte, length: 0 }, 0)?;
            rows.push((number, row));
        }
        Ok(rows)
    }

    /// Finds a line by its neighbours, and by the index where they are far away.
    fn line(&mut self, number: u64, behind: Option<Line>) -> Result<Line, ReadError> {
        if let Some(line) = self.following.filter(|line| line.number == number) {
            return Ok(line);
        }
        if let Some(behind) = behind {
            let from = behind.byte.saturating_sub(NEAR);
            let before = self.ranges.get(from..behind.byte)?;
            let back = usize::try_from(behind.number - number).unwrap_or(usize::MAX);
            // The nearest line feed ends the line before, the one before that begins it.
            if let Some(feed) = memchr::memrchr_iter(b'\n', before).nth(back) {
                return Ok(Line { number, byte: from + feed as u64 + 1 });
            }
        }
        let byte = self.view.line(&mut self.ranges, number - 1)?.byte;
        Ok(Line { number, byte })
    }

    /// One row, and the text on it: the whole line, or a window of a long one.
    fn row(&mut self, line: &Line, mark: char, hit: &Hit, char: u64) -> Result<(String, String), ReadError> {
        let number = line.number;
        if let Some(whole) = self.whole(line, hit)? {
            return Ok((format!("{number}{mark} {whole}\n"), whole));
        }
        let Window { text, begins, ends } =
            if self.is_plain { self.bytes_around(line, hit)? } else { self.chars_around(line, hit)? };
        let dots = |is_whole| if is_whole { "" } else { "…" };
        let row = format!("{number}{mark} (char {}) {}{text}{}\n", grouped(char), dots(begins), dots(ends));
        Ok((row, text))
    }

    /// A line that is not long.
    fn whole(&mut self, line: &Line, hit: &Hit) -> Result<Option<String>, ReadError> {
        let most = self.windows.most_bytes();
        if hit.byte - line.byte > most {
            return Ok(None);
        }
        let bytes = self.ranges.get(line.byte..line.byte + most)?;
        let feed = memchr::memchr(b'\n', bytes);
        self.following = feed.map(|feed| Line { number: line.number + 1, byte: line.byte + feed as u64 + 1 });
        let content = match feed {
            Some(feed) => &bytes[..feed],
            None if line.byte + bytes.len() as u64 >= self.view.size() => bytes,
            None => return Ok(None),
        };
        let content = without_cr(content);
        Ok((!self.windows.are_for(content)).then(|| self.view.show(&String::from_utf8_lossy(content)).into_owned()))
    }

    /// The surroundings of a literal match.
    fn bytes_around(&mut self, line: &Line, hit: &Hit) -> Result<Window, ReadError> {
        let window = self.windows.window as u64;
        let from = line.byte.max(hit.byte.saturating_sub(window));
        // What is behind the page's end need not be read.
        let length = hit.length.min(self.max_chars * 3) as u64;
        let to = hit.byte + length + 2 * window;
        let bytes = self.ranges.get(from..to)?;
        let begin = bytes.iter().take_while(|&&byte| is_continuation(byte)).count();
        let after = ((hit.byte - from) as usize).min(bytes.len());
        let feed = memchr::memchr(b'\n', &bytes[after..]);
        let end = feed.map_or(bytes.len(), |feed| after + feed);
        let (begins, ends) = (from == line.byte, feed.is_some() || to >= self.view.size());
        let text = String::from_utf8_lossy(whole_utf8(&bytes[begin..end]));
        let text = self.view.show(&text);
        let most = self.max_chars.saturating_sub(AROUND_WINDOW);
        if utf16_len(text.as_bytes()) <= most {
            return Ok(Window { text: text.into_owned(), begins, ends });
        }
        let units: Vec<u16> = text.encode_utf16().take(most + AROUND).collect();
        Ok(Window { text: to_well_formed(&units[..cut_back(&units, most)]).0, begins, ends: false })
    }

    /// The surroundings of any other match, cut between characters.
    fn chars_around(&mut self, line: &Line, hit: &Hit) -> Result<Window, ReadError> {
        let window = self.windows.window;
        let (before, after) = (3 * (window + AROUND) as u64, 3 * (2 * window + AROUND) as u64);
        let from = line.byte.max(hit.byte.saturating_sub(before));
        let bytes = self.ranges.get(from..hit.byte + after)?;
        let begin = bytes.iter().take_while(|&&byte| is_continuation(byte)).count();
        let at = ((hit.byte - from) as usize).clamp(begin, bytes.len().max(begin));
        let end = memchr::memchr(b'\n', &bytes[at..]).map(|feed| at + feed);
        let content = match end {
            Some(end) => &bytes[at..end],
            None => whole_utf8(&bytes[at..]),
        };
        let content = without_cr(content);
        let mut units: Vec<u16> = String::from_utf8_lossy(&bytes[begin..at]).encode_utf16().collect();
        let middle = units.len();
        units.extend(String::from_utf8_lossy(content).encode_utf16());
        let first = cut_forward(&units, middle.saturating_sub(window));
        let last = cut_back(&units, units.len().min(middle + 2 * window)).max(first);
        Ok(Window {
            text: self.view.show(&to_well_formed(&units[first..last]).0).into_owned(),
            begins: from == line.byte && first == 0,
            ends: last == units.len() && (end.is_some() || hit.byte + after >= self.view.size()),
        })
    }
}
