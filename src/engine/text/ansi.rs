//! Control sequences of ECMA-48, in their escape and in their 8-bit forms, recognised in UTF-8.

use std::borrow::Cow;

use memchr::memchr2;

const ESC: u8 = 0x1b;
/// The lead byte of U+0080–U+00BF: of the 8-bit controls, and of some printable characters.
const C2: u8 = 0xc2;
const BEL: u8 = 0x07;

/// Removes every control sequence, in one linear pass. A string sequence without an end stops at
/// the line end. U+0085 stays; an ESC that begins nothing goes alone.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(mut at) = next_sequence(bytes, 0) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    loop {
        out.push_str(&text[from..at]);
        from = sequence_end(bytes, at);
        match next_sequence(bytes, from) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Where the next sequence begins, from a character boundary on.
pub(super) fn next_sequence(bytes: &[u8], mut from: usize) -> Option<usize> {
    while let Some(found) = memchr2(ESC, C2, bytes.get(from..)?) {
        let at = from + found;
        if is_introducer(bytes, at) {
            return Some(at);
        }
        from = at + 2;
    }
    None
}

/// Whether a control character that begins a sequence is at a character boundary.
pub(super) fn is_introducer(bytes: &[u8], at: usize) -> bool {
    match byte(bytes, at) {
        ESC => true,
        C2 => matches!(byte(bytes, at + 1), 0x80..=0x84 | 0x86..=0x9f),
        _ => false,
    }
}

/// The end of the sequence that begins at `at`, a character boundary as well.
pub(super) fn sequence_end(bytes: &[u8], at: usize) -> usize {
    let second = byte(bytes, at + 1);
    let kind = match (byte(bytes, at), second) {
        (ESC, 0x20..=0x2f) => return intermediates_end(bytes, at + 2, 0x30..=0x7e),
        (ESC, 0x30..=0x7e) => second,
        (ESC, _) => return at + 1,
        // The 8-bit forms stand for ESC and the character 0x40 below.
        _ => second.wrapping_sub(0x40),
    };
    let content = at + 2;
    match kind {
        b'[' => {
            let end = skip(bytes, content, 0x30..=0x3f);
            intermediates_end(bytes, end, 0x40..=0x7e)
        }
        b']' => string_end(bytes, content, true),
        b'P' | b'X' | b'^' | b'_' => string_end(bytes, content, false),
        _ => content,
    }
}

/// A control sequence (CSI) taken apart: its parameters and its final byte. None for any other
/// sequence, an unfinished one, or one with intermediate bytes.
pub(super) fn control_sequence(sequence: &str) -> Option<(&str, u8)> {
    let rest = sequence.strip_prefix("\x1b[").or_else(|| sequence.strip_prefix('\u{9b}'))?;
    let last = *rest.as_bytes().last()?;
    let parameters = rest.get(..rest.len() - 1)?;
    let finished = (0x40..=0x7e).contains(&last) && parameters.bytes().all(|byte| (0x30..=0x3f).contains(&byte));
    finished.then_some((parameters, last))
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    // NUL takes part in no sequence, so that it can stand for the end of the text.
    bytes.get(at).copied().unwrap_or(0)
}

fn skip(bytes: &[u8], mut at: usize, range: std::ops::RangeInclusive<u8>) -> usize {
    while range.contains(&byte(bytes, at)) {
        at += 1;
    }
    at
}

/// After intermediate bytes and the final byte, where there is one.
fn intermediates_end(bytes: &[u8], at: usize, finals: std::ops::RangeInclusive<u8>) -> usize {
    let end = skip(bytes, at, 0x20..=0x2f);
    end + usize::from(finals.contains(&byte(bytes, end)))
}

/// After the terminator of a string sequence, or at the end of its line.
fn string_end(bytes: &[u8], content: usize, ends_with_bel: bool) -> usize {
    for (at, &found) in bytes.iter().enumerate().skip(content) {
        match found {
            b'\n' => return at - usize::from(at > content && byte(bytes, at - 1) == b'\r'),
            BEL if ends_with_bel => return at + 1,
            ESC if byte(bytes, at + 1) == b'\\' => return at + 2,
            C2 if byte(bytes, at + 1) == 0x9c => return at + 2,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    #[test]
    fn sequences_go_and_text_stays() {
        for (comment, text, stripped) in [
            ("nothing", "", ""),
            ("text", "plain «é» text\r\n", "plain «é» text\r\n"),
            ("private parameters", "\x1b[?25lA", "A"),
            ("colons", "\x1b[38:2:1:2:3mA\x1b[m", "A"),
            ("intermediates", "\x1b[0 qA", "A"),
            ("hyperlink ended by ST", "\x1b]8;;http://x\x1b\\L\x1b]8;;\x1b\\", "L"),
            ("title ended by BEL", "\x1b]0;a\x07C", "C"),
            ("title ended by 8-bit ST", "\x1b]0;é\u{9c}C", "C"),
            ("charset", "\x1b(BA", "A"),
            ("two bytes", "\x1b7A\x1b8", "A"),
            ("8-bit CSI", "\u{9b}31mA", "A"),
            ("DCS", "\x1bPq#0~\x1b\\A", "A"),
            ("BEL does not end a DCS", "\x1bPq\x07~\x1b\\A", "A"),
            ("APC, PM, SOS", "\x1b_apc\x1b\\A\x1b^pm\x1b\\B\x1bXsos\x1b\\C", "ABC"),
            ("8-bit OSC, and another 8-bit control", "\u{9d}0;t\u{9c}A\u{84}B", "AB"),
            ("next line is text", "a\u{85}b", "a\u{85}b"),
            ("no-break space is text", "a\u{a0}b", "a\u{a0}b"),
            ("an unterminated string ends at the line end", "\x1b]0;t\nkeep\n\x1b[0mX\x07Y", "\nkeep\nX\x07Y"),
            ("which may be CRLF", "\x1b]0;t\r\nkeep", "\r\nkeep"),
            ("a string right before CRLF", "\x1b]\r\nkeep", "\r\nkeep"),
            ("an unterminated string at the end", "a\x1bPxyz", "a"),
            ("ESC before a control", "a\x1b\nb", "a\nb"),
            ("ESC before a letter beyond ASCII", "a\x1béb", "aéb"),
            ("ESC ESC", "\x1b\x1b[0mA", "A"),
            ("ESC at the end", "a\x1b", "a"),
            ("an unfinished CSI", "a\x1b[12\nb", "a\nb"),
            ("an unfinished CSI before a letter beyond ASCII", "\x1b[1é", "é"),
            ("an unfinished charset", "a\x1b(\nb", "a\nb"),
            ("8-bit CSI at the end", "a\u{9b}", "a"),
        ] {
            assert_eq!(strip_ansi(text), stripped, "{comment}");
        }
    }

    #[test]
    fn text_without_sequences_is_not_copied() {
        assert!(matches!(strip_ansi("«é»\u{85}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_sequences_are_taken_apart() {
        for (comment, sequence, parts) in [
            ("no parameter", "\x1b[K", Some(("", b'K'))),
            ("parameters", "\x1b[1;2H", Some(("1;2", b'H'))),
            ("8-bit", "\u{9b}2K", Some(("2", b'K'))),
            ("intermediates", "\x1b[0 q", None),
            ("unfinished", "\x1b[12", None),
            ("no control sequence", "\x1b]K", None),
            ("the introducer alone", "\x1b[", None),
        ] {
            assert_eq!(control_sequence(sequence), parts, "{comment}");
        }
    }

    proptest! {
        #[test]
        fn what_is_left_has_no_introducer(text in "[a\\[\\]0;m\\\\P\u{1b}\u{7}\u{9b}\u{9c}\u{9d}\\n\\ré😀]{0,40}") {
            let stripped = strip_ansi(&text);
            let introducers = |char| char == '\x1b' || (('\u{80}'..='\u{9f}').contains(&char) && char != '\u{85}');
            prop_assert_eq!(stripped.find(introducers), None);
            prop_assert_eq!(stripped.matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,20}\u{1b}?\u{9d}?\\PC{0,20}") {
            let stripped = strip_ansi(&text);
            prop_assert!(stripped.len() <= text.len());
        }
    }
}
