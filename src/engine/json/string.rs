//! JSON strings: their text, and text as a JSON string.

use std::borrow::Cow;

use super::scan::plain_end;

/// A stretch of a string's content.
pub(super) enum Piece<'a> {
    /// Text as it stands.
    Plain(&'a str),
    /// The UTF-16 unit of an escape, maybe half a pair.
    Unit(u16),
}

/// The content of a string token, which has to be well-formed.
pub(super) fn pieces(token: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        if plain > 0 {
            let (text, after) = rest.split_at(plain);
            rest = after;
            return Some(Piece::Plain(text));
        }
        let (unit, length) = escape(rest);
        rest = rest.get(length..).unwrap_or_default();
        Some(Piece::Unit(unit))
    })
}

/// The unit of the escape at the beginning of a text, and its length.
fn escape(text: &str) -> (u16, usize) {
    let unit = match text.as_bytes().get(1) {
        Some(b'u') => {
            let hex = text.get(2..6).and_then(|digits| u16::from_str_radix(digits, 16).ok());
            return (hex.unwrap_or(0xfffd), 6);
        }
        Some(b'b') => 8,
        Some(b't') => 9,
        Some(b'n') => 10,
        Some(b'f') => 12,
        Some(b'r') => 13,
        Some(&byte) => byte.into(),
        None => 0xfffd,
    };
    (unit, 2)
}

/// The text of a string token; halves of pairs become U+FFFD.
pub(super) fn text_of(token: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', token.as_bytes()).is_none() {
        return Cow::Borrowed(token.get(1..token.len().saturating_sub(1)).unwrap_or_default());
    }
    Cow::Owned(decode(token, |_| char::REPLACEMENT_CHARACTER))
}

/// The text of a string token, with a char of the caller's choice for each half of a pair.
pub(super) fn decode(token: &str, mut lone: impl FnMut(u16) -> char) -> String {
    let mut text = String::with_capacity(token.len());
    let mut high = None;
    for piece in pieces(token) {
        if let (Some(first), Piece::Unit(second @ 0xdc00..=0xdfff)) = (high, &piece) {
            text.extend(char::decode_utf16([first, *second]).flatten());
            high = None;
            continue;
        }
        text.extend(high.take().map(&mut lone));
        match piece {
            Piece::Plain(plain) => text.push_str(plain),
            Piece::Unit(unit @ 0xd800..=0xdbff) => high = Some(unit),
            Piece::Unit(unit) => text.push(char::from_u32(unit.into()).unwrap_or_else(|| lone(unit))),
        }
    }
    text.extend(high.map(lone));
    text
}

/// The units of a string token, as many as `most`, and how many it has in all.
pub(super) fn units_of(token: &str, most: usize) -> (Vec<u16>, usize) {
    let mut units = Vec::with_capacity(most.min(token.len()));
    let mut total = 0;
    for piece in pieces(token) {
        match piece {
            Piece::Plain(plain) => {
                let room = most - units.len();
                if room > 0 {
                    units.extend(plain.encode_utf16().take(room));
                }
                total += crate::engine::text::utf16_len(plain.as_bytes());
            }
            Piece::Unit(unit) => {
                if units.len() < most {
                    units.push(unit);
                }
                total += 1;
            }
        }
    }
    (units, total)
}

/// How many chars a unit takes in a JSON string. A unit that is `lone` is half a pair without the other half.
pub(super) fn encoded_len(unit: u16, is_lone: bool, escape_separators: bool) -> usize {
    match unit {
        0x22 | 0x5c | 8 | 9 | 10 | 12 | 13 => 2,
        0..0x20 => 6,
        0x85 | 0x2028 | 0x2029 if escape_separators => 6,
        _ if is_lone => 6,
        _ => 1,
    }
}

/// Writes units as the inside of a JSON string, escaped as `JSON.stringify` does.
pub(super) fn encode_units(units: &[u16], escape_separators: bool, out: &mut String) {
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(char) => encode_char(char, escape_separators, out),
            Err(lone) => escape_unit(lone.unpaired_surrogate(), out),
        }
    }
}

/// Writes text as the inside of a JSON string, escaped as `JSON.stringify` does.
pub(super) fn encode_text(text: &str, escape_separators: bool, out: &mut String) {
    if escape_separators && !text.is_ascii() {
        for char in text.chars() {
            encode_char(char, true, out);
        }
        return;
    }
    let mut from = 0;
    while from < text.len() {
        let to = plain_end(text.as_bytes(), from);
        out.push_str(text.get(from..to).unwrap_or_default());
        if let Some(&byte) = text.as_bytes().get(to) {
            encode_char(byte.into(), false, out);
        }
        from = to + 1;
    }
}

fn encode_char(char: char, escape_separators: bool, out: &mut String) {
    match char {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\0'..' ' => escape_unit(char as u16, out),
        '\u{85}' | '\u{2028}' | '\u{2029}' if escape_separators => escape_unit(char as u16, out),
        _ => out.push(char),
    }
}

pub(super) fn escape_unit(unit: u16, out: &mut String) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.extend(char::from_digit(u32::from(unit >> shift & 0xf), 16));
    }
}

/// Whether a token writes one of U+0085, U+2028 and U+2029 as an escape.
pub(super) fn escapes_separators(token: &str) -> bool {
    memchr::memchr_iter(b'\\', token.as_bytes())
        .any(|at| matches!(token.get(at + 1..at + 6), Some("u0085" | "u2028" | "u2029")))
}

/// Text as a JSON string that cannot begin a line of its own in whatever shows it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    encode_text(text, true, &mut out);
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decodes_every_escape() {
        assert_eq!(text_of(r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z""#), "a\"\\/\u{8}\u{c}\n\r\té😀z");
    }

    #[test]
    fn halves_of_pairs_are_told_from_pairs() {
        let cases = [
            ("high alone", r#""\ud83d""#, "\u{fffd}"),
            ("low alone", r#""\ude00""#, "\u{fffd}"),
            ("high before text", r#""\ud83dx""#, "\u{fffd}x"),
            ("high before high", r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            ("high before another escape", r#""\ud83d\n""#, "\u{fffd}\n"),
        ];
        for (comment, token, expected) in cases {
            assert_eq!(text_of(token), expected, "{comment}");
        }
    }

    #[test]
    fn encodes_as_json_stringify() {
        let mut out = String::new();
        encode_text("\u{1}\u{1f}\u{7f}\u{2028}\"\\/é😀\n", false, &mut out);
        assert_eq!(out, "\\u0001\\u001f\u{7f}\u{2028}\\\"\\\\/é😀\\n");
        assert_eq!(quoted("a\n\u{85}\u{2028}\u{2029}\u{1f}é"), "\"a\\n\\u0085\\u2028\\u2029\\u001fé\"");
    }

    proptest! {
        #[test]
        fn text_survives(text in any::<String>(), escape_separators: bool) {
            let mut token = String::from("\"");
            encode_text(&text, escape_separators, &mut token);
            token.push('"');
            prop_assert_eq!(text_of(&token), text.as_str());
            prop_assert_eq!(serde_json::from_str::<String>(&token).unwrap(), text.as_str());
        }

        #[test]
        fn units_survive(units in prop::collection::vec(prop_oneof![any::<u16>(), 0xd7f0u16..0xe010, 0u16..0x30], 0..20)) {
            let mut token = String::from("\"");
            encode_units(&units, false, &mut token);
            token.push('"');
            prop_assert_eq!(units_of(&token, usize::MAX), (units.clone(), units.len()));
            prop_assert_eq!(units_of(&token, 3), (units[..units.len().min(3)].to_vec(), units.len()));
        }
    }
}
