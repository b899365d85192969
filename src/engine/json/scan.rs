//! One strict pass over JSON text.

use std::ops::Range;

/// How deep containers may nest. A document beyond it counts as text that is not JSON.
pub const MAX_DEPTH: usize = 512;

/// What a walk over a document meets, in order. Ranges are bytes of the text, quotes included.
pub(super) trait Visit {
    /// A container begins at `at`.
    fn open(&mut self, _at: usize, _is_object: bool) {}
    /// The innermost container ends; `at` is its closing bracket.
    fn close(&mut self, _at: usize, _is_object: bool) {}
    /// The key of a member; its colon follows.
    fn key(&mut self, _token: Range<usize>) {}
    /// A string that is a value.
    fn string(&mut self, _token: Range<usize>) {}
    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self, _token: Range<usize>) {}
    /// Another member or element follows.
    fn comma(&mut self, _at: usize) {}
}

/// A visitor that only wants to know whether it is JSON.
pub(super) struct Nothing;
impl Visit for Nothing {}

/// Walks text that has to be exactly one JSON document; `None` where it is not.
pub(super) fn document(text: &[u8], visit: &mut impl Visit) -> Option<()> {
    let end = walk(text, space(text, 0), visit)?;
    (space(text, end) == text.len()).then_some(())
}

/// Walks one value that begins at or after `at` and gives its end; `None` where there is none.
pub(super) fn walk(text: &[u8], mut at: usize, visit: &mut impl Visit) -> Option<usize> {
    let mut nesting = Nesting::default();
    loop {
        at = space(text, at);
        match *text.get(at)? {
            b'"' => {
                let end = string_end(text, at)?;
                visit.string(at..end);
                at = end;
            }
            b'{' => {
                nesting.enter(true)?;
                visit.open(at, true);
                at = space(text, at + 1);
                if *text.get(at)? != b'}' {
                    at = key(text, at, visit)?;
                    continue;
                }
            }
            b'[' => {
                nesting.enter(false)?;
                visit.open(at, false);
                at = space(text, at + 1);
                if *text.get(at)? != b']' {
                    continue;
                }
            }
            _ => {
                let end = scalar_end(text, at)?;
                visit.scalar(at..end);
                at = end;
            }
        }
        loop {
            let Some(is_object) = nesting.innermost() else {
                return Some(at);
            };
            at = space(text, at);
            match (*text.get(at)?, is_object) {
                (b',', _) => {
                    visit.comma(at);
                    at += 1;
                    if is_object {
                        at = key(text, space(text, at), visit)?;
                    }
                    break;
                }
                (b'}', true) | (b']', false) => {
                    nesting.leave();
                    visit.close(at, is_object);
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

fn key(text: &[u8], at: usize, visit: &mut impl Visit) -> Option<usize> {
    if *text.get(at)? != b'"' {
        return None;
    }
    let end = string_end(text, at)?;
    visit.key(at..end);
    let colon = space(text, end);
    (*text.get(colon)? == b':').then_some(colon + 1)
}

/// Which of the open containers are objects: one bit each.
#[derive(Default)]
struct Nesting {
    depth: usize,
    objects: [u64; MAX_DEPTH / 64],
}

impl Nesting {
    fn enter(&mut self, is_object: bool) -> Option<()> {
        let word = self.objects.get_mut(self.depth / 64)?;
        let bit = 1 << (self.depth % 64);
        *word = if is_object { *word | bit } else { *word & !bit };
        self.depth += 1;
        Some(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn innermost(&self) -> Option<bool> {
        let top = self.depth.checked_sub(1)?;
        Some(self.objects.get(top / 64)? >> (top % 64) & 1 == 1)
    }
}

/// The first place at or after `at` that is not white space.
#[inline]
pub(super) fn space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The end of a string whose opening quote is at `at`; `None` where it is not well-formed.
#[inline]
pub(super) fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at = plain_end(text, at);
        match *text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape_end(text, at)?,
            _ => return None,
        }
    }
}

/// The end of an escape whose backslash is at `at`.
fn escape_end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at + 1)? {
        b'u' => text.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 6),
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        _ => None,
    }
}

/// The first place at or after `at` with a quote, a backslash or a control char; the text's end where there is none.
#[inline]
pub(super) fn plain_end(text: &[u8], mut at: usize) -> usize {
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while text.get(at).is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        at += 1;
    }
    at
}

/// The high bit of the first byte that is a quote, a backslash or a control char; bits above it mean nothing.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    let quote = word ^ (ONES * 0x22);
    let slash = word ^ (ONES * 0x5c);
    let found = (quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash)
        | (word.wrapping_sub(ONES * 0x20) & !word);
    found & (ONES * 0x80)
}

/// The end of a number, `true`, `false` or `null` at `at`.
#[inline]
pub(super) fn scalar_end(text: &[u8], at: usize) -> Option<usize> {
    let word = |word: &[u8]| text.get(at..)?.starts_with(word).then_some(at + word.len());
    match *text.get(at)? {
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        _ => number_end(text, at),
    }
}

fn number_end(text: &[u8], mut at: usize) -> Option<usize> {
    if text.get(at) == Some(&b'-') {
        at += 1;
    }
    at = if text.get(at) == Some(&b'0') { at + 1 } else { digits_end(text, at)? };
    if text.get(at) == Some(&b'.') {
        at = digits_end(text, at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(text.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits_end(text, at)?;
    }
    Some(at)
}

/// The end of at least one digit.
fn digits_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    (at > from).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_json(text: &str) -> bool {
        document(text.as_bytes(), &mut Nothing).is_some()
    }

    #[test]
    fn takes_exactly_what_json_parse_takes() {
        let cases = [
            ("empty", "", false),
            ("white space only", " \t\r\n", false),
            ("a number", "0", true),
            ("white space around", " \t\r\n1 \t\r\n", true),
            ("another kind of space", "\u{a0}1", false),
            ("BOM", "\u{feff}1", false),
            ("minus zero", "-0", true),
            ("leading zero", "01", false),
            ("bare minus", "-", false),
            ("plus", "+1", false),
            ("no digits after the point", "1.", false),
            ("no digits before the point", ".5", false),
            ("exponent", "1.50e+10", true),
            ("exponent without digits", "1e", false),
            ("infinity", "Infinity", false),
            ("word", "true", true),
            ("cut word", "tru", false),
            ("word with a tail", "nullx", false),
            ("two values", "1 2", false),
            ("string", "\"a\\u00e9\\n\\/\"", true),
            ("unknown escape", "\"\\x\"", false),
            ("short escape", "\"\\u00g0\"", false),
            ("escape at the end", "\"\\", false),
            ("open string", "\"abcdefgh", false),
            ("tab in a string", "\"abcdefg\thij\"", false),
            ("NUL in a string", "\"\0\"", false),
            ("DEL in a string", "\"\u{7f}\"", true),
            ("separators in a string", "\"\u{2028}\u{85}\"", true),
            ("lone surrogate escape", "\"\\ud83d\"", true),
            ("empty containers", "[{},[ ],{ }]", true),
            ("trailing comma", "[1,]", false),
            ("trailing comma in an object", "{\"a\":1,}", false),
            ("leading comma", "[,1]", false),
            ("key without value", "{\"a\"}", false),
            ("key that is no string", "{a:1}", false),
            ("wrong bracket", "[1}", false),
            ("open container", "[[1]", false),
            ("a bracket too many", "[1]]", false),
            ("members", "{ \"a\" : [ 1 , 2 ] , \"b\" : null }", true),
        ];
        for (comment, text, expected) in cases {
            assert_eq!(is_json(text), expected, "{comment}: {text:?}");
        }
    }

    #[test]
    fn deepest_nesting_is_the_limit() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(is_json(&nested(MAX_DEPTH)));
        assert!(!is_json(&nested(MAX_DEPTH + 1)));
        assert!(!is_json(&"[".repeat(100_000)));
        assert!(!is_json(&"{\"a\":".repeat(100_000)));
    }

    #[test]
    fn mixed_nesting_keeps_its_kinds_across_words() {
        let open: String = (0..200).map(|level| if level % 3 == 0 { "[" } else { "{\"k\":" }).collect();
        let close: String = (0..200).rev().map(|level| if level % 3 == 0 { "]" } else { "}" }).collect();
        assert!(is_json(&format!("{open}1{close}")));
        assert!(!is_json(&format!("{open}1{}", close.replacen('}', "]", 1))));
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{}:,\"\\\\0-9eE.+\\- tfnu]{0,24}") {
            // serde_json refuses numbers that are too large for a double.
            prop_assume!(!text.contains(['e', 'E']));
            prop_assert_eq!(is_json(&text), serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }

        #[test]
        fn never_panics(text in "\\PC{0,64}") {
            is_json(&text);
        }
    }
}
