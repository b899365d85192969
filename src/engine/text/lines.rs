//! The one line grid: a line ends with LF (CRLF ends with LF), and a final line end adds no line.

use memchr::memchr_iter;

/// Counts the lines of a text that arrives in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineCounter {
    feeds: u64,
    open: bool,
}

impl LineCounter {
    /// Takes the next piece of UTF-8; it may end anywhere.
    pub fn feed(&mut self, piece: &[u8]) {
        if let Some(&last) = piece.last() {
            self.feeds += memchr_iter(b'\n', piece).count() as u64;
            self.open = last != b'\n';
        }
    }

    /// Lines so far: the line ends, and one more where text follows the last of them.
    pub fn lines(&self) -> u64 {
        self.feeds + u64::from(self.open)
    }
}

/// The lines of UTF-8 text.
pub fn count_lines(text: &str) -> u64 {
    let mut counter = LineCounter::default();
    counter.feed(text.as_bytes());
    counter.lines()
}

/// A line as it is read, without the CR of a CRLF.
pub(super) fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn only_line_feeds_end_lines() {
        for (comment, text, lines) in [
            ("empty", "", 0),
            ("no line end", "a", 1),
            ("one final line end", "a\n", 1),
            ("between", "a\nb", 2),
            ("between and final", "a\nb\n", 2),
            ("an empty last line", "a\n\n", 2),
            ("an empty line alone", "\n", 1),
            ("CRLF", "a\r\nb\r\n", 2),
            ("CR is text", "a\rb\r", 1),
            ("what other grids break at", "a\u{c}b\u{b}c\u{2028}d\u{85}e\u{1c}f\u{2029}g", 1),
        ] {
            assert_eq!(count_lines(text), lines, "{comment}");
        }
    }

    proptest! {
        #[test]
        fn pieces_count_as_the_whole(text in "[a\\n\\ré]{0,40}", size in 1_usize..7) {
            let mut counter = LineCounter::default();
            for piece in text.as_bytes().chunks(size) {
                counter.feed(piece);
                counter.feed(b"");
            }
            prop_assert_eq!(counter.lines(), text.lines().count() as u64);
        }
    }
}
