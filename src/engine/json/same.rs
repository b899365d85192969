//! Whether structured content only repeats a text.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

use super::scan::{Nothing, Visit, document, space, string_end, walk};
use super::string::{Piece, pieces, text_of};

/// Whether `structured_json`, a JSON document, says nothing that `text` does not say: it is the text as a
/// string, or the same data in whatever layout, spelling and order of keys; also wrapped as the only
/// member `content` or `result` of an object. Numbers are compared as doubles.
pub fn same(text: &str, structured_json: &str) -> bool {
    let whole = structured_json.trim_matches([' ', '\t', '\r', '\n']);
    let inner = wrapped(whole);
    if text == whole || inner == Some(text) {
        return true;
    }
    if is_text(inner.unwrap_or(whole), text) {
        return true;
    }
    let keys = Keys::default();
    let Some(data) = keys.data(text) else {
        return false;
    };
    [Some(whole), inner].into_iter().flatten().any(|json| keys.data(json) == Some(data))
}

/// What an object with the one member `content` or `result` holds.
fn wrapped(json: &str) -> Option<&str> {
    let bytes = json.as_bytes();
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let key = space(bytes, 1);
    let after = string_end(bytes, key).filter(|_| bytes.get(key) == Some(&b'"'))?;
    if !matches!(&*text_of(json.get(key..after)?), "content" | "result") {
        return None;
    }
    let colon = space(bytes, after);
    let from = space(bytes, colon + 1);
    let to = walk(bytes, from, &mut Nothing).filter(|_| bytes.get(colon) == Some(&b':'))?;
    let close = space(bytes, to);
    (bytes.get(close) == Some(&b'}') && close + 1 == bytes.len()).then(|| json.get(from..to)).flatten()
}

/// Whether JSON is a string with this text.
fn is_text(json: &str, text: &str) -> bool {
    json.starts_with('"') && document(json.as_bytes(), &mut Nothing).is_some() && text_of(json) == text
}

/// Secrets that make equal sums of different data as good as impossible, also on purpose.
#[derive(Default)]
struct Keys(RandomState, RandomState);

type Digest = (u64, u64);

impl Keys {
    fn digest(&self, tag: u8, content: impl Fn(&mut dyn Hasher)) -> Digest {
        let one = |state: &RandomState| {
            let mut hasher = state.build_hasher();
            hasher.write_u8(tag);
            content(&mut hasher);
            hasher.finish()
        };
        (one(&self.0), one(&self.1))
    }

    /// A digest of a document's data; `None` where it is not JSON.
    fn data(&self, json: &str) -> Option<Digest> {
        let mut data = Data { keys: self, json, open: Vec::new(), last: (0, 0) };
        document(json.as_bytes(), &mut data)?;
        Some(data.last)
    }
}

/// Digests of open containers, innermost last.
struct Data<'a> {
    keys: &'a Keys,
    json: &'a str,
    open: Vec<Container>,
    last: Digest,
}

#[derive(Default)]
struct Container {
    key: Option<Digest>,
    count: u64,
    sum: Digest,
}

impl Data<'_> {
    fn value(&mut self, value: Digest) {
        self.last = value;
        let keys = self.keys;
        let Some(container) = self.open.last_mut() else {
            return;
        };
        let place = container.key.take().unwrap_or((container.count, 0));
        let member = keys.digest(b'm', |hasher| {
            for part in [place.0, place.1, value.0, value.1] {
                hasher.write_u64(part);
            }
        });
        container.count += 1;
        // A sum, because the order of keys does not count; elements carry their index.
        container.sum = (container.sum.0.wrapping_add(member.0), container.sum.1.wrapping_add(member.1));
    }

    fn text(&self, range: Range<usize>) -> Digest {
        let token = self.json.get(range).unwrap_or_default();
        if !token.contains('\\') {
            return self.keys.digest(b's', |hasher| hasher.write(token.trim_matches('"').as_bytes()));
        }
        let text = units(token);
        self.keys.digest(b's', |hasher| hasher.write(&text))
    }
}

impl Visit for Data<'_> {
    fn open(&mut self, _: usize, _: bool) {
        self.open.push(Container::default());
    }

    fn close(&mut self, _: usize, is_object: bool) {
        let Some(Container { count, sum, .. }) = self.open.pop() else {
            return;
        };
        let value = self.keys.digest(if is_object { b'o' } else { b'a' }, |hasher| {
            for part in [count, sum.0, sum.1] {
                hasher.write_u64(part);
            }
        });
        self.value(value);
    }

    fn key(&mut self, token: Range<usize>) {
        let key = self.text(token);
        if let Some(container) = self.open.last_mut() {
            container.key = Some(key);
        }
    }

    fn string(&mut self, token: Range<usize>) {
        let value = self.text(token);
        self.value(value);
    }

    fn scalar(&mut self, token: Range<usize>) {
        let token = self.json.get(token).unwrap_or_default();
        let value = match token.parse::<f64>() {
            // What JSON.stringify makes of a number that is too large.
            Ok(number) if number.is_infinite() => self.keys.digest(b'w', |hasher| hasher.write(b"null")),
            // Minus zero plus zero is zero.
            Ok(number) => self.keys.digest(b'n', |hasher| hasher.write_u64((number + 0.0).to_bits())),
            Err(_) => self.keys.digest(b'w', |hasher| hasher.write(token.as_bytes())),
        };
        self.value(value);
    }
}

/// The text of a string token as UTF-8, halves of pairs as the three bytes they would be.
fn units(token: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(token.len());
    let mut high: Option<u16> = None;
    let three = |unit: u16, out: &mut Vec<u8>| {
        out.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
    };
    for piece in pieces(token) {
        if let (Some(first), Piece::Unit(second @ 0xdc00..=0xdfff)) = (high, &piece) {
            for char in char::decode_utf16([first, *second]).flatten() {
                out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            high = None;
            continue;
        }
        if let Some(first) = high.take() {
            three(first, &mut out);
        }
        match piece {
            Piece::Plain(plain) => out.extend_from_slice(plain.as_bytes()),
            Piece::Unit(unit @ 0xd800..=0xdbff) => high = Some(unit),
            Piece::Unit(unit) => match char::from_u32(unit.into()) {
                Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                None => three(unit, &mut out),
            },
        }
    }
    if let Some(first) = high {
        three(first, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::testing::value;
    use proptest::prelude::*;

    #[test]
    fn tells_repetition_from_difference() {
        let cases = [
            ("the text as a string", "a\n\"b\"", r#""a\n\"b\"""#, true),
            ("the text wrapped", "a\nb", r#"{"result":"a\nb"}"#, true),
            ("the text wrapped as content", "ab", r#"{ "content" : "ab" }"#, true),
            ("wrapped under another key", "ab", r#"{"text":"ab"}"#, false),
            ("wrapped with more beside it", "ab", r#"{"result":"ab","n":1}"#, false),
            ("another text", "ab", r#""abc""#, false),
            ("the same JSON", r#"{"a":1}"#, r#"{"a":1}"#, true),
            ("laid out", "{\n  \"a\": [1, 2]\n}", r#"{"a":[1,2]}"#, true),
            ("keys in another order", r#"{"b":{"d":1,"c":2},"a":1}"#, r#"{"a":1,"b":{"c":2,"d":1}}"#, true),
            ("elements in another order", "[2,1]", "[1,2]", false),
            ("values of two keys changed over", r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#, false),
            ("a member more", r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            ("an element more", "[1]", "[1,1]", false),
            ("object and array", "{}", "[]", false),
            ("string and number", r#"["1"]"#, "[1]", false),
            ("word and string", r#"["null"]"#, "[null]", false),
            ("spelling of numbers", "[1.0,1e2,-0]", "[1,100,0]", true),
            ("spelling of strings", r#"["\u0061\/😀"]"#, r#"["a/\ud83d\ude00"]"#, true),
            ("a quote at the end of a string", r#"["a\""]"#, r#"["a"]"#, false),
            ("wrapped data", "[ {\"a\": 1} ]", r#"{"result":[{"a":1}]}"#, true),
            ("nesting that sums alike", "[[1],2]", "[1,[2]]", false),
            ("halves of pairs differ", r#"["\ud83d"]"#, r#"["\ud83e"]"#, false),
            ("scalars", "5", "5", true),
            ("words", "true", r#"{"result":true}"#, true),
            ("a log line after the JSON", "{\"a\":1}\ndone", r#"{"a":1}"#, false),
            ("nothing", "", r#""""#, true),
        ];
        for (comment, text, structured, expected) in cases {
            assert_eq!(same(text, structured), expected, "{comment}");
        }
    }

    #[test]
    fn deep_and_broken_documents_are_answered() {
        let deep = "{\"result\":".repeat(100_000);
        assert!(!same(&deep, "1"));
        assert!(!same("1", &deep));
    }

    proptest! {
        #[test]
        fn layout_never_matters(value in value()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert!(same(&pretty, &value.to_string()));
            let wrapped = serde_json::json!({ "content": value }).to_string();
            prop_assert!(same(&pretty, &wrapped));
        }

        #[test]
        fn same_is_equality(left in value(), right in value()) {
            prop_assert_eq!(same(&left.to_string(), &right.to_string()), left == right || {
                let inner = |key: &str| right.as_object().filter(|members| members.len() == 1).and_then(|members| members.get(key)).is_some_and(|inner| *inner == left);
                inner("content") || inner("result") || right.as_str() == Some(&left.to_string())
            });
        }
    }
}
