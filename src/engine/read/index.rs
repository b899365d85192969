use std::sync::Arc;

use super::source::{ReadError, Source, fill};
use crate::engine::bytes::whole_utf8;
use crate::engine::text::utf16_len;

/// Bytes between two checkpoints: what has to be read at most to find a line, less than a page costs.
const STEP: usize = 256 * 1024;

/// A place in a text and what lies before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Point {
    /// Bytes before it.
    pub byte: u64,
    /// Line feeds before it.
    pub line: u64,
    /// Chars (UTF-16 units) that begin before it.
    pub char: u64,
    /// Where the line it is in begins: bytes before that.
    pub line_byte: u64,
    /// Chars before the line it is in.
    pub line_char: u64,
}

impl Point {
    /// Moves over the bytes that follow the point.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        let after_feed = memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1);
        if after_feed > 0 {
            self.line += memchr::memchr_iter(b'\n', &bytes[..after_feed]).count() as u64;
            self.line_byte = self.byte + after_feed as u64;
            self.char += utf16_len(&bytes[..after_feed]) as u64;
            self.line_char = self.char;
        }
        self.char += utf16_len(&bytes[after_feed..]) as u64;
        self.byte += bytes.len() as u64;
    }
}

/// Checkpoints of a text, so that any line or char of it is found by reading a few hundred KB.
///
/// Grows while a text is written ([`Index::add`]) or by one scan of what is stored ([`Index::scan`]).
#[derive(Debug, Clone)]
pub struct Index {
    points: Vec<Point>,
    end: Point,
    ends_in_line: bool,
    valid: bool,
}

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

impl Index {
    /// The index of an empty text.
    pub fn new() -> Self {
        Self { points: vec![Point::default()], end: Point::default(), ends_in_line: false, valid: true }
    }

    /// Adds the bytes that follow: UTF-8, in pieces of any size.
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let since = (self.end.byte - self.last().byte) as usize;
            let (now, rest) = bytes.split_at(bytes.len().min(STEP - since));
            self.end.advance(now);
            self.ends_in_line = now.last() != Some(&b'\n');
            if since + now.len() == STEP {
                self.points.push(self.end);
            }
            bytes = rest;
        }
    }

    /// Reads a source once, and finds out whether it is valid UTF-8.
    pub fn scan(source: &dyn Source) -> Result<Self, ReadError> {
        let size = source.size();
        let mut index = Self::new();
        let mut buffer = vec![0; usize::try_from(size).unwrap_or(STEP).min(STEP)];
        let mut unfinished = 0; // bytes of a character at the end of the last block
        while index.end.byte < size {
            let left = usize::try_from(size - index.end.byte).unwrap_or(usize::MAX);
            let until = (unfinished + left).min(buffer.len());
            fill(source, index.end.byte, &mut buffer[unfinished..until])?;
            let block = &buffer[..until];
            index.add(&block[unfinished..]);
            let checked = if index.end.byte < size { whole_utf8(block).len() } else { until };
            index.valid = index.valid && is_utf8(&block[..checked]);
            buffer.copy_within(checked..until, 0);
            unfinished = until - checked;
        }
        Ok(index)
    }

    /// How many lines the text has. A final line end adds none.
    pub fn lines(&self) -> u64 {
        self.end.line + u64::from(self.ends_in_line)
    }

    /// How many chars (UTF-16 units) the text has.
    pub fn chars(&self) -> u64 {
        self.end.char
    }

    /// Whether what was scanned is valid UTF-8; what was added counts as valid.
    pub fn is_valid(&self) -> bool {
        self.valid
    }

    /// How many checkpoints are held.
    pub(super) fn points(&self) -> usize {
        self.points.len()
    }

    /// The last checkpoint whose `count` is at most `value`.
    pub(super) fn before(&self, value: u64, count: impl Fn(&Point) -> u64) -> Point {
        let after = self.points.partition_point(|point| count(point) <= value);
        self.points[after.saturating_sub(1)]
    }

    fn last(&self) -> Point {
        self.points[self.points.len() - 1]
    }
}

fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// The index of a source: the remembered one, or a new one, which is then remembered.
pub(super) fn index_of(source: &dyn Source) -> Result<Arc<Index>, ReadError> {
    let identity = source.identity();
    if let Some(index) = identity.as_ref().and_then(super::remembered::get) {
        return Ok(index);
    }
    let index = Arc::new(Index::scan(source)?);
    if let Some(identity) = identity {
        super::remembered::remember(identity, Arc::clone(&index));
    }
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::read::source::MemorySource;
    use proptest::prelude::*;

    fn scanned(bytes: &[u8]) -> Index {
        Index::scan(&MemorySource::new(bytes)).unwrap()
    }

    #[test]
    fn counts_lines_on_the_one_grid() {
        let rows = [
            ("", 0),
            ("a", 1),
            ("\n", 1),
            ("a\nb", 2),
            ("a\nb\n", 2),
            ("a\n\n", 2),
            ("a\r\nb\r\n", 2),
            ("a\rb\u{c}c\u{b}d\u{2028}e\u{85}f", 1),
        ];
        for (text, lines) in rows {
            assert_eq!(scanned(text.as_bytes()).lines(), lines, "{text:?}");
        }
    }

    #[test]
    fn knows_invalid_utf8_from_characters_across_blocks() {
        for before in STEP - 5..=STEP {
            let mut bytes = vec![b'a'; before];
            bytes.extend("😀한\n".repeat(3).bytes());
            assert!(scanned(&bytes).is_valid(), "{before}");
            bytes[before + 1] = b'x';
            assert!(!scanned(&bytes).is_valid(), "{before}, broken");
        }
        assert!(!scanned(b"a\xf0\x9f\x98").is_valid(), "unfinished at the end");
    }

    #[test]
    fn the_size_of_pieces_makes_no_difference() {
        let text = "한 line of text 😀\r\n".repeat(STEP / 10) + &"x".repeat(2 * STEP);
        let at_once = scanned(text.as_bytes());
        for size in [1, 7, 1000, STEP - 1, STEP, STEP + 1, text.len()] {
            let mut index = Index::new();
            text.as_bytes().chunks(size).for_each(|piece| index.add(piece));
            assert_eq!((&index.points, index.end), (&at_once.points, at_once.end), "{size}");
        }
        assert_eq!(at_once.points(), text.len() / STEP + 1);
        assert_eq!(at_once.chars(), utf16_len(text.as_bytes()) as u64);
    }

    #[test]
    fn a_checkpoint_says_what_lies_before_it() {
        let text = "é😀 some line\n".repeat(STEP / 8);
        let index = scanned(text.as_bytes());
        for value in [0, 1, STEP as u64 - 1, STEP as u64, STEP as u64 + 1, u64::MAX] {
            let point = index.before(value, |point| point.byte);
            assert!(point.byte <= value && value - point.byte < STEP as u64 || value == u64::MAX);
            let mut counted = Point::default();
            counted.advance(&text.as_bytes()[..point.byte as usize]);
            assert_eq!(point, counted);
        }
    }

    proptest! {
        #[test]
        fn a_scan_agrees_with_the_standard_library(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'a')], 0..64)) {
            let index = scanned(&bytes);
            let text = String::from_utf8(bytes.clone());
            prop_assert_eq!(index.is_valid(), text.is_ok());
            if let Ok(text) = text {
                prop_assert_eq!(index.chars(), text.encode_utf16().count() as u64);
                prop_assert_eq!(index.lines(), text.lines().count() as u64);
            }
        }
    }
}
