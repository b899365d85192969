//! The text inside a document's strings, changed in place.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{Visit, document};
use super::string::{decode, encode_text, encode_units, escapes_separators};

/// Applies `change` to the text of every string that is a value and may hold control chars, and writes
/// what it changed as `JSON.stringify` would. Keys, and strings it leaves alone, stay byte for byte.
///
/// Where a token wrote U+0085, U+2028 or U+2029 as an escape, its new text does so too. Text that is not
/// one JSON document is given back as it is.
pub fn map_strings(json: &str, change: impl FnMut(&str) -> Cow<'_, str>) -> String {
    let mut leaves = Leaves { json, change, out: String::new(), from: 0 };
    if document(json.as_bytes(), &mut leaves).is_none() || leaves.from == 0 {
        return json.to_owned();
    }
    leaves.out.push_str(json.get(leaves.from..).unwrap_or_default());
    leaves.out
}

struct Leaves<'a, F> {
    json: &'a str,
    change: F,
    out: String,
    /// Up to where the output holds the document.
    from: usize,
}

impl<F: FnMut(&str) -> Cow<'_, str>> Visit for Leaves<'_, F> {
    fn string(&mut self, range: Range<usize>) {
        let Some(token) = self.json.get(range.clone()).filter(|token| may_hold_controls(token)) else {
            return;
        };
        let (text, stand_ins) = decode_whole(token);
        let changed = (self.change)(&text);
        if changed == text {
            return;
        }
        self.out.push_str(self.json.get(self.from..range.start).unwrap_or_default());
        self.out.push('"');
        let escape_separators = escapes_separators(token);
        match stand_ins {
            None => encode_text(&changed, escape_separators, &mut self.out),
            Some(first) => encode_units(&halves(&changed, first), escape_separators, &mut self.out),
        }
        self.out.push('"');
        self.from = range.end;
    }
}

/// Whether the text of a token could hold what a terminal acts on: C0 by escape, C1 as it stands.
fn may_hold_controls(token: &str) -> bool {
    let bytes = token.as_bytes();
    memchr::memchr2_iter(b'\\', 0xc2, bytes).any(|at| match bytes.get(at..) {
        Some([b'\\', b'u', b'0', b'0', ..] | [b'\\', b'b' | b'n' | b'r', ..]) => true,
        Some([0xc2, second, ..]) => *second < 0xa0,
        _ => false,
    })
}

/// How many units are halves of pairs.
const HALVES: u32 = 0x800;

/// The text of a token. A half of a pair has no place in UTF-8 and is stood in for by a private-use
/// char of a range that the text does not use; the range's first char is given then.
fn decode_whole(token: &str) -> (String, Option<u32>) {
    let mut has_halves = false;
    let text = decode(token, |_| {
        has_halves = true;
        char::REPLACEMENT_CHARACTER
    });
    if !has_halves {
        return (text, None);
    }
    let unused = (0xf_0000..0x10_f800).step_by(HALVES as usize).find(|&first| {
        let range = first..first + HALVES;
        !text.chars().any(|char| range.contains(&u32::from(char)))
    });
    let Some(first) = unused else {
        return (text, None);
    };
    let stand_in = |unit: u16| char::from_u32(first + u32::from(unit & 0x7ff)).unwrap_or(char::REPLACEMENT_CHARACTER);
    (decode(token, stand_in), Some(first))
}

/// The units of a text with its stand-ins turned back.
fn halves(text: &str, first: u32) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for char in text.chars() {
        match u32::from(char).checked_sub(first) {
            Some(half @ 0..HALVES) => units.push(0xd800 | half as u16),
            _ => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::testing::json;
    use proptest::prelude::*;

    fn without_escape_char(text: &str) -> Cow<'_, str> {
        if text.contains('\u{1b}') { Cow::Owned(text.replace('\u{1b}', "")) } else { Cow::Borrowed(text) }
    }

    #[test]
    fn changes_leaves_only() {
        let cases = [
            ("a leaf", r#"{"a":"x\u001b\"y"}"#, r#"{"a":"x\"y"}"#),
            ("a key stays", r#"{"\u001b":1}"#, r#"{"\u001b":1}"#),
            ("a leaf without controls stays", r#"["\/\u00e9\"",1.0]"#, r#"["\/\u00e9\"",1.0]"#),
            ("a root", r#""\u001ba""#, r#""a""#),
            ("spelling of a changed leaf", r#"["\/\u001b"]"#, r#"["/"]"#),
            ("line ends", r#"["a\r\n\u001b"]"#, r#"["a\r\n"]"#),
            ("separators written as escapes", r#"["\u2028\u001b"]"#, r#"["\u2028"]"#),
            ("separators written as they are", "[\"\u{2028}\\u001b\"]", "[\"\u{2028}\"]"),
            ("half of a pair", r#"["\ud83d\u001b"]"#, r#"["\ud83d"]"#),
            ("halves that meet", r#"["\ud83d\u001b\ude00"]"#, "[\"😀\"]"),
            ("private-use chars beside a half", "[\"\u{f003d}\\ud83d\\u001b\"]", "[\"\u{f003d}\\ud83d\"]"),
            ("white space", "{ \"a\" : \"\\u001b\" } ", "{ \"a\" : \"\" } "),
            ("not JSON", "\"\\u001b", "\"\\u001b"),
        ];
        for (comment, json, expected) in cases {
            assert_eq!(map_strings(json, without_escape_char), expected, "{comment}");
        }
    }

    #[test]
    fn asks_only_where_controls_may_be() {
        let mut asked = Vec::new();
        map_strings("[\"a\",\"é\\\"\",\"\u{9b}\",\"\\b\",\"\\u0041\",\"\u{a0}\"]", |text| {
            asked.push(text.to_owned());
            Cow::Borrowed(text)
        });
        assert_eq!(asked, ["\u{9b}", "\u{8}", "A"]);
    }

    proptest! {
        #[test]
        fn no_change_no_difference(json in json()) {
            prop_assert_eq!(map_strings(&json, |text| Cow::Owned(text.to_owned())), json);
        }

        #[test]
        fn equals_a_walk_over_the_value(value in crate::engine::json::testing::value()) {
            fn walk(value: &mut serde_json::Value) {
                match value {
                    serde_json::Value::String(text) => *text = without_escape_char(text).into_owned(),
                    serde_json::Value::Array(items) => items.iter_mut().for_each(walk),
                    serde_json::Value::Object(members) => members.values_mut().for_each(walk),
                    _ => {}
                }
            }
            let json = value.to_string();
            let mut expected = value;
            walk(&mut expected);
            prop_assert_eq!(map_strings(&json, without_escape_char), expected.to_string());
        }
    }
}
