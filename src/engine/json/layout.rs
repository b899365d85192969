//! The same document, laid out for reading.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{Visit, document};
use super::string::escape_unit;

/// What a laid-out document may take, in bytes. Deep nesting can make indentation much larger than
/// the data; past this the document stays compact.
const MAX_LAID_OUT: usize = 1 << 30;

/// Lays compact JSON out with a two-space indent, exactly as `JSON.stringify(value, null, 2)`, and
/// escapes U+0085, U+2028 and U+2029.
///
/// Text that is not one JSON document, or would grow past 1 GiB, keeps its layout.
pub fn indented(json: &str) -> String {
    let json = escape_separators(json);
    let out = Vec::with_capacity(json.len() + json.len() / 2);
    let mut layout = Indent { text: json.as_bytes(), out, run: 0..0, depth: 0, fresh: 0 };
    let is_document = document(json.as_bytes(), &mut layout);
    layout.flush();
    match is_document {
        Some(()) if layout.out.len() < MAX_LAID_OUT => utf8(layout.out),
        _ => json.into_owned(),
    }
}

/// Lays a compact JSON array out as one compact value a line, joined by LF without a final one; an empty
/// array becomes `""`. Anything else is laid out by [`indented`]. U+0085, U+2028 and U+2029 are escaped.
pub fn json_lines(json: &str) -> String {
    if !json.trim_ascii_start().starts_with('[') {
        return indented(json);
    }
    let json = escape_separators(json);
    // JSON strings hold no line ends, so a line end is layout and would break a record in two.
    let json = if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_some() {
        compact(&json).map_or(json, Cow::Owned)
    } else {
        json
    };
    let mut lines = Lines { text: json.as_bytes(), out: Vec::with_capacity(json.len()), depth: 0, from: 0 };
    match document(json.as_bytes(), &mut lines) {
        Some(()) => utf8(lines.out),
        None => json.into_owned(),
    }
}

/// The document without white space between tokens; `None` where it is not JSON.
pub(super) fn compact(json: &str) -> Option<String> {
    let mut copy = Compact { text: json.as_bytes(), out: Vec::with_capacity(json.len()) };
    document(json.as_bytes(), &mut copy)?;
    Some(utf8(copy.out))
}

/// Writes the separators that some readers take for line ends as escapes. They occur in strings only.
fn escape_separators(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let separator = |at: usize| match bytes.get(at..) {
        Some([0xc2, 0x85, ..]) => Some((0x85, 2)),
        Some([0xe2, 0x80, 0xa8, ..]) => Some((0x2028, 3)),
        Some([0xe2, 0x80, 0xa9, ..]) => Some((0x2029, 3)),
        _ => None,
    };
    let mut out = String::new();
    let mut from = 0;
    for at in memchr::memchr2_iter(0xc2, 0xe2, bytes) {
        if let Some((unit, length)) = separator(at) {
            out.push_str(json.get(from..at).unwrap_or_default());
            escape_unit(unit, &mut out);
            from = at + length;
        }
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Tokens are cut at ASCII, so what was UTF-8 stays UTF-8.
pub(super) fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

struct Indent<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    /// What comes next of the text as it is: of compact JSON several tokens are copied at once.
    run: Range<usize>,
    depth: usize,
    /// Length of the output right after a container was opened: nothing is in it so far.
    fresh: usize,
}

impl Indent<'_> {
    fn put(&mut self, token: Range<usize>) {
        if token.start != self.run.end {
            self.flush();
            self.run.start = token.start;
        }
        self.run.end = token.end;
    }

    fn flush(&mut self) {
        if self.out.len() < MAX_LAID_OUT {
            self.out.extend_from_slice(self.text.get(self.run.clone()).unwrap_or_default());
        }
        self.run.start = self.run.end;
    }

    fn line(&mut self) {
        const PAD: &[u8; 65] = b"\n                                                                ";
        self.flush();
        if self.out.len() >= MAX_LAID_OUT {
            return;
        }
        match PAD.get(..1 + 2 * self.depth) {
            Some(pad) => self.out.extend_from_slice(pad),
            None => {
                self.out.push(b'\n');
                self.out.resize(self.out.len() + 2 * self.depth, b' ');
            }
        }
    }
}

impl Visit for Indent<'_> {
    fn open(&mut self, at: usize, _: bool) {
        self.put(at..at + 1);
        self.depth += 1;
        self.line();
        self.fresh = self.out.len();
    }

    fn close(&mut self, at: usize, _: bool) {
        if self.run.is_empty() && self.out.len() == self.fresh {
            self.out.truncate(self.fresh - (1 + 2 * self.depth).min(self.fresh));
            self.depth -= 1;
        } else {
            self.depth -= 1;
            self.line();
        }
        self.put(at..at + 1);
    }

    fn key(&mut self, token: Range<usize>) {
        self.put(token);
        self.flush();
        self.out.extend_from_slice(b": ");
    }

    fn string(&mut self, token: Range<usize>) {
        self.put(token);
    }

    fn scalar(&mut self, token: Range<usize>) {
        self.put(token);
    }

    fn comma(&mut self, at: usize) {
        self.put(at..at + 1);
        self.line();
    }
}

struct Lines<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    depth: usize,
    /// Where the record at hand begins.
    from: usize,
}

impl Lines<'_> {
    fn record(&mut self, to: usize) {
        self.out.extend_from_slice(self.text.get(self.from..to).unwrap_or_default().trim_ascii());
        self.from = to + 1;
    }
}

impl Visit for Lines<'_> {
    fn open(&mut self, at: usize, _: bool) {
        if self.depth == 0 {
            self.from = at + 1;
        }
        self.depth += 1;
    }

    fn close(&mut self, at: usize, _: bool) {
        self.depth -= 1;
        if self.depth == 0 {
            self.record(at);
        }
    }

    fn comma(&mut self, at: usize) {
        if self.depth == 1 {
            self.record(at);
            self.out.push(b'\n');
        }
    }
}

/// Copies tokens without what is between them.
struct Compact<'a> {
    text: &'a [u8],
    out: Vec<u8>,
}

impl Compact<'_> {
    fn put(&mut self, token: Range<usize>) {
        self.out.extend_from_slice(self.text.get(token).unwrap_or_default());
    }
}

impl Visit for Compact<'_> {
    fn open(&mut self, at: usize, _: bool) {
        self.put(at..at + 1);
    }

    fn close(&mut self, at: usize, _: bool) {
        self.put(at..at + 1);
    }

    fn key(&mut self, token: Range<usize>) {
        self.put(token);
        self.out.push(b':');
    }

    fn string(&mut self, token: Range<usize>) {
        self.put(token);
    }

    fn scalar(&mut self, token: Range<usize>) {
        self.put(token);
    }

    fn comma(&mut self, _: usize) {
        self.out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::MAX_DEPTH;
    use super::*;
    use crate::engine::json::testing::{json, pretty};
    use proptest::prelude::*;

    #[test]
    fn indents_as_json_stringify() {
        let cases = [
            ("empty object", "{}", "{}"),
            ("empty array", "[]", "[]"),
            ("empty containers inside", r#"{"a":{},"b":[]}"#, "{\n  \"a\": {},\n  \"b\": []\n}"),
            (
                "nested",
                r#"[1,[2,{"k":"v, {x}:"}]]"#,
                "[\n  1,\n  [\n    2,\n    {\n      \"k\": \"v, {x}:\"\n    }\n  ]\n]",
            ),
            ("a scalar", "1.10", "1.10"),
            ("a string", r#""a\n""#, r#""a\n""#),
            ("digits", "[12345678901234567890,1e400,-0]", "[\n  12345678901234567890,\n  1e400,\n  -0\n]"),
            ("separators", "{\"\u{2028}\":\"a\u{85}\u{2029}\"}", "{\n  \"\\u2028\": \"a\\u0085\\u2029\"\n}"),
            ("their neighbours", "[\"\u{84}\u{2027}\u{202a}\"]", "[\n  \"\u{84}\u{2027}\u{202a}\"\n]"),
            ("not JSON: a number", "NaN", "NaN"),
            ("not JSON: a function", "[function f]", "[function f]"),
            ("not JSON: an open container", r#"{"a":[1,"#, r#"{"a":[1,"#),
        ];
        for (comment, json, expected) in cases {
            assert_eq!(indented(json), expected, "{comment}");
        }
    }

    #[test]
    fn one_record_a_line() {
        let cases = [
            ("empty array", "[]", ""),
            ("one", "[1]", "1"),
            ("strings with commas", r#"["a,b","]"]"#, "\"a,b\"\n\"]\""),
            ("records", r#"[{"a":[1,2]},[],{}]"#, "{\"a\":[1,2]}\n[]\n{}"),
            ("an object around an array", r#"{"a":[1]}"#, "{\n  \"a\": [\n    1\n  ]\n}"),
            ("laid out before", "[\n  {\n    \"a\": 1\n  },\n  2\n]", "{\"a\":1}\n2"),
            ("separators", "[\"\u{2028}\"]", "\"\\u2028\""),
            ("not JSON", "[function f]", "[function f]"),
        ];
        for (comment, json, expected) in cases {
            assert_eq!(json_lines(json), expected, "{comment}");
        }
    }

    #[test]
    fn beyond_the_pad_and_to_the_deepest() {
        let json = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        let laid_out = indented(&json);
        assert_eq!(laid_out.lines().count(), 2 * MAX_DEPTH - 1);
        assert_eq!(compact(&laid_out).as_deref(), Some(&*json));
    }

    proptest! {
        #[test]
        fn indented_is_the_pretty_print(json in json()) {
            prop_assert_eq!(indented(&json), pretty(&json));
        }

        #[test]
        fn compact_undoes_indented(json in json()) {
            prop_assert_eq!(compact(&indented(&json)), Some(json));
        }

        #[test]
        fn lines_are_the_elements(items in prop::collection::vec(json(), 0..6)) {
            prop_assert_eq!(json_lines(&format!("[{}]", items.join(","))), items.join("\n"));
        }

        #[test]
        fn any_text_is_taken(text in "[\\[{}\\],:\"a1 \u{2028}]{0,24}") {
            let _ = (indented(&text), json_lines(&text));
        }
    }
}
