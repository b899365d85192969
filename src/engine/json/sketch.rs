//! One line that tells the shape of a document.
//!
//! `{items: [5,000 × {id: number, tag? 12%: string | null}], next: null}`: the fields of three levels with
//! their types, how long arrays are (a range where it differs), and of optional fields the share of
//! elements that have them.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::scan::{Visit, document};
use super::string::{quoted, text_of};
use crate::engine::text::{cut_back, grouped, utf16_len};

/// Levels of fields, or of arrays in arrays.
const LEVELS: usize = 3;
/// Fields shown of one object.
const FIELDS: usize = 10;
/// Chars of the line.
const MAX_CHARS: usize = 400;
/// Chars of a key.
const KEY_CHARS: usize = 40;
/// Keys told apart beyond the fields that are shown; they are counted no further.
const MAX_OTHERS: usize = 1_000;
/// What is tried in turn until the line is short enough: levels, and fields of one object.
const DETAIL: [(usize, usize); 6] = [(LEVELS, FIELDS), (LEVELS, 6), (2, FIELDS), (2, 6), (1, FIELDS), (1, 5)];

/// The shape of a document that is an object or an array, in at most 400 chars and one line; `None` for
/// other documents and for text that is not exactly one JSON document.
pub fn sketch(json: &str) -> Option<String> {
    if !json.trim_start_matches([' ', '\t', '\r', '\n']).starts_with(['{', '[']) {
        return None;
    }
    let mut shapes = Shapes::new(json);
    document(json.as_bytes(), &mut shapes)?;
    Some(shapes.line())
}

/// The shape of JSON Lines, as [`sketch`] of an array of the records; `None` where a line is not JSON.
/// A final line end adds no record.
pub fn sketch_lines(text: &str) -> Option<String> {
    let mut shapes = Shapes::new(text);
    shapes.open(0, false);
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let line = text.get(from..end)?;
        if end < text.len() || !line.is_empty() {
            shapes.base = from;
            document(line.as_bytes(), &mut shapes)?;
        }
        from = end + 1;
    }
    shapes.close(0, false);
    Some(shapes.line())
}

/// What was seen at one place of the document, over all elements of the arrays above it.
#[derive(Default)]
struct Shape {
    /// How often each kind was seen.
    counts: [u64; KINDS],
    /// The kinds in the order in which they were seen.
    kinds: Vec<Kind>,
    fields: Vec<Field>,
    /// Hashes of the keys that got no field.
    others: HashSet<u64>,
    /// Members of the objects seen here, and elements of the arrays.
    members: Spread,
    lengths: Spread,
    /// The shape of the arrays' elements.
    elements: Option<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    String,
    Object,
    Array,
    Null,
}
const KINDS: usize = 6;

/// Index of a shape.
type Place = usize;

struct Field {
    /// The key's token.
    key: Range<usize>,
    seen: u64,
    shape: Place,
}

/// Fewest and most.
#[derive(Default)]
struct Spread(Option<(u64, u64)>);

impl Spread {
    fn add(&mut self, count: u64) {
        self.0 = Some(self.0.map_or((count, count), |(least, most)| (least.min(count), most.max(count))));
    }

    fn most(&self) -> u64 {
        self.0.map_or(0, |(_, most)| most)
    }

    fn text(&self) -> String {
        match self.0 {
            None => "0".to_owned(),
            Some((least, most)) if least == most => grouped(least),
            Some((least, most)) => format!("{}–{}", grouped(least), grouped(most)),
        }
    }
}

/// A container that is being read.
struct Open {
    /// Where it is; `None` below what is shown.
    place: Option<Place>,
    is_object: bool,
    level: usize,
    members: u64,
    /// The field whose key is expected next: records mostly repeat their order.
    expected: usize,
    /// The place of the value that comes next.
    next: Option<Place>,
}

struct Shapes<'a> {
    text: &'a str,
    /// Where the part that is walked begins in the text.
    base: usize,
    shapes: Vec<Shape>,
    open: Vec<Open>,
    hash: RandomState,
}

impl<'a> Shapes<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, base: 0, shapes: vec![Shape::default()], open: Vec::new(), hash: RandomState::new() }
    }

    /// Counts a value and gives its place.
    fn value(&mut self, kind: Kind) -> Option<Place> {
        let place = match self.open.last_mut() {
            None => Some(0),
            Some(open) => {
                open.members += u64::from(!open.is_object);
                open.next
            }
        }?;
        let shape = self.shapes.get_mut(place)?;
        let count = shape.counts.get_mut(kind as usize)?;
        *count += 1;
        if *count == 1 {
            shape.kinds.push(kind);
        }
        Some(place)
    }

    /// The place of a member's value; `None` where the key gets no field.
    fn field(&mut self, token: Range<usize>) -> Option<Place> {
        let key = self.text.get(token.clone())?;
        let open = self.open.last_mut()?;
        let fresh = self.shapes.len();
        let shape = self.shapes.get_mut(open.place?)?;
        let text = self.text;
        let is_key = |field: &Field| text.get(field.key.clone()) == Some(key);
        let known = match shape.fields.get(open.expected) {
            Some(field) if is_key(field) => Some(open.expected),
            _ => shape.fields.iter().position(is_key),
        };
        let index = match known {
            Some(index) => index,
            None if shape.fields.len() < FIELDS => {
                shape.fields.push(Field { key: token, seen: 0, shape: fresh });
                self.shapes.push(Shape::default());
                shape_len(&self.shapes, open.place) - 1
            }
            None => {
                if shape.others.len() < MAX_OTHERS {
                    shape.others.insert(self.hash.hash_one(key));
                }
                return None;
            }
        };
        open.expected = index + 1;
        let field = self.shapes.get_mut(open.place?)?.fields.get_mut(index)?;
        field.seen += 1;
        Some(field.shape)
    }

    /// The line, with as much detail as fits.
    fn line(&self) -> String {
        let mut line = String::new();
        for (levels, fields) in DETAIL {
            line.clear();
            Writer { shapes: self, levels, fields, out: &mut line }.place(0, 0, 0);
            if utf16_len(line.as_bytes()) <= MAX_CHARS {
                return line;
            }
        }
        clipped(&line, MAX_CHARS - 1)
    }
}

fn shape_len(shapes: &[Shape], place: Option<Place>) -> usize {
    place.and_then(|place| shapes.get(place)).map_or(0, |shape| shape.fields.len())
}

impl Visit for Shapes<'_> {
    fn open(&mut self, _: usize, is_object: bool) {
        let level = match self.open.last() {
            None => 0,
            Some(parent) if parent.is_object => parent.level + 1,
            // The fields of an array's elements are the next level, not the elements themselves.
            Some(parent) => parent.level + usize::from(!is_object),
        };
        let place = self.value(if is_object { Kind::Object } else { Kind::Array });
        let is_shown = level < LEVELS;
        let mut next = None;
        if let Some(place) = place.filter(|_| is_shown && !is_object) {
            let fresh = self.shapes.len();
            if let Some(shape) = self.shapes.get_mut(place) {
                next = Some(*shape.elements.get_or_insert(fresh));
            }
            if next == Some(fresh) {
                self.shapes.push(Shape::default());
            }
        }
        // Below the levels that are shown an object only counts its members.
        let expected = if is_shown { 0 } else { usize::MAX };
        self.open.push(Open { place, is_object, level, members: 0, expected, next });
    }

    fn close(&mut self, _: usize, is_object: bool) {
        let Some(Open { place: Some(place), members, .. }) = self.open.pop() else {
            return;
        };
        if let Some(shape) = self.shapes.get_mut(place) {
            let spread = if is_object { &mut shape.members } else { &mut shape.lengths };
            spread.add(members);
        }
    }

    fn key(&mut self, token: Range<usize>) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        open.members += 1;
        let is_shown = open.place.is_some() && open.expected != usize::MAX;
        let next = if is_shown { self.field(self.base + token.start..self.base + token.end) } else { None };
        if let Some(open) = self.open.last_mut() {
            open.next = next;
        }
    }

    fn string(&mut self, _: Range<usize>) {
        self.value(Kind::String);
    }

    fn scalar(&mut self, token: Range<usize>) {
        let kind = match self.text.as_bytes().get(self.base + token.start) {
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        };
        self.value(kind);
    }
}

/// Writes shapes with a limit of detail.
struct Writer<'a> {
    shapes: &'a Shapes<'a>,
    levels: usize,
    fields: usize,
    out: &'a mut String,
}

impl Writer<'_> {
    /// The kinds at a place, joined; an object and an array there may count as different levels.
    fn place(&mut self, place: Place, object_level: usize, array_level: usize) {
        let Some(shape) = self.shapes.shapes.get(place) else {
            return;
        };
        let (nulls, kinds): (Vec<Kind>, Vec<Kind>) = shape.kinds.iter().partition(|kind| **kind == Kind::Null);
        for (index, kind) in kinds.into_iter().chain(nulls).enumerate() {
            if index > 0 {
                self.out.push_str(" | ");
            }
            match kind {
                Kind::Boolean => self.out.push_str("boolean"),
                Kind::Number => self.out.push_str("number"),
                Kind::String => self.out.push_str("string"),
                Kind::Null => self.out.push_str("null"),
                Kind::Object => self.object(shape, object_level),
                Kind::Array => self.array(shape, array_level),
            }
        }
    }

    fn object(&mut self, shape: &Shape, level: usize) {
        if level >= self.levels && shape.members.most() > 0 {
            self.out.push_str(&format!("{{{} keys}}", shape.members.text()));
            return;
        }
        let objects = shape.counts.get(Kind::Object as usize).copied().unwrap_or(0);
        self.out.push('{');
        for (index, field) in shape.fields.iter().take(self.fields).enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&key_text(self.shapes.text.get(field.key.clone()).unwrap_or_default()));
            if field.seen < objects {
                let share = (u128::from(field.seen) * 100 / u128::from(objects)).max(1);
                self.out.push_str(&format!("? {share}%"));
            }
            self.out.push_str(": ");
            self.place(field.shape, level + 1, level + 1);
        }
        let shown = shape.fields.len().min(self.fields) as u64;
        let told_apart = (shape.fields.len() + shape.others.len()) as u64;
        let total = if objects == 1 { shape.members.most() } else { told_apart };
        if total > shown {
            let or_more = if objects > 1 && shape.others.len() == MAX_OTHERS { "+" } else { "" };
            self.out.push_str(&format!(
                "{}…{}{or_more} more",
                if shown > 0 { ", " } else { "" },
                grouped(total - shown)
            ));
        }
        self.out.push('}');
    }

    fn array(&mut self, shape: &Shape, level: usize) {
        match shape.elements.filter(|_| level < self.levels) {
            _ if shape.lengths.most() == 0 => self.out.push_str("[]"),
            None => self.out.push_str(&format!("[{} items]", shape.lengths.text())),
            Some(elements) => {
                self.out.push_str(&format!("[{} × ", shape.lengths.text()));
                self.place(elements, level, level + 1);
                self.out.push(']');
            }
        }
    }
}

/// A key as it is where it is a word, else as a JSON string.
fn key_text(token: &str) -> String {
    let key = text_of(token);
    let key = if utf16_len(key.as_bytes()) > KEY_CHARS { clipped(&key, KEY_CHARS) } else { key.into_owned() };
    let is_word = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-'))
        && key.bytes().next().is_some_and(|byte| !byte.is_ascii_digit() && byte != b'-');
    if is_word { key } else { quoted(&key) }
}

/// The first chars of a text, and a mark that there were more.
fn clipped(text: &str, chars: usize) -> String {
    let units: Vec<u16> = text.encode_utf16().take(chars + 2).collect();
    let kept = units.get(..cut_back(&units, chars)).unwrap_or_default();
    String::from_utf16_lossy(kept) + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::testing::json;
    use proptest::prelude::*;

    #[test]
    fn tells_the_shape() {
        let cases = [
            ("empty object", "{}", "{}"),
            ("empty array", "[]", "[]"),
            ("kinds", r#"{"a":1,"b":"x","c":true,"d":null}"#, "{a: number, b: string, c: boolean, d: null}"),
            (
                "records",
                r#"{"data":{"items":[{"id":1},{"id":2}],"next":null}}"#,
                "{data: {items: [2 × {id: number}], next: null}}",
            ),
            ("optional fields", r#"[{"a":1,"b":2},{"a":1},{"a":1}]"#, "[3 × {a: number, b? 33%: number}]"),
            ("order of keys differs", r#"[{"a":1,"b":2},{"b":1,"a":2}]"#, "[2 × {a: number, b: number}]"),
            ("unions", r#"[null,1,"a",{"k":1}]"#, "[4 × number | string | {k: number} | null]"),
            ("unions of fields", r#"[{"a":null},{"a":1}]"#, "[2 × {a: number | null}]"),
            ("lengths that differ", r#"[{"t":[]},{"t":["x","y"]}]"#, "[2 × {t: [0–2 × string]}]"),
            ("arrays in arrays", "[[[[1]]],[]]", "[2 × [0–1 × [1 × [1 items]]]]"),
            ("three levels of fields", r#"{"a":{"b":{"c":{"d":1}}}}"#, "{a: {b: {c: {1 keys}}}}"),
            (
                "three levels of records",
                r#"[{"b":[{"c":[{"d":[1,2]}]}]}]"#,
                "[1 × {b: [1 × {c: [1 × {d: [2 items]}]}]}]",
            ),
            ("empty containers below", r#"{"a":{"b":{"c":{},"d":[]}}}"#, "{a: {b: {c: {}, d: []}}}"),
            (
                "keys that are no words",
                r#"{"a b":1,"":2,"é\n":3,"9":4,"x-y":5}"#,
                r#"{"a b": number, "": number, "é\n": number, "9": number, x-y: number}"#,
            ),
            ("separators in keys", "{\"\u{2028}\":1}", r#"{"\u2028": number}"#),
            ("white space", " [ 1 , 2 ] ", "[2 × number]"),
        ];
        for (comment, json, expected) in cases {
            assert_eq!(sketch(json).as_deref(), Some(expected), "{comment}");
        }
    }

    #[test]
    fn only_whole_documents_that_are_containers_have_a_shape() {
        let cases = [
            ("nothing", ""),
            ("a number", "1"),
            ("a string", "\"{}\""),
            ("BOM", "\u{feff}{}"),
            ("a log line after it", "{\"a\":1}\ndone"),
            ("two documents", "{}\n{}"),
            ("open", "{\"a\":[1"),
        ];
        for (comment, text) in cases {
            assert_eq!(sketch(text), None, "{comment}");
        }
    }

    #[test]
    fn lines_are_an_array_of_records() {
        let cases = [
            ("no record", "", Some("[]")),
            ("records", "{\"a\":1}\n{\"a\":\"x\",\"b\":2}", Some("[2 × {a: number | string, b? 50%: number}]")),
            ("final line end", "1\n2\n", Some("[2 × number]")),
            ("CR LF", "1\r\n2\r\n", Some("[2 × number]")),
            ("a line that is not JSON", "1\nx", None),
            ("an empty line", "1\n\n2", None),
        ];
        for (comment, text, expected) in cases {
            assert_eq!(sketch_lines(text).as_deref(), expected, "{comment}");
        }
    }

    #[test]
    fn counts_what_it_does_not_show() {
        let object = |keys: usize| {
            let members: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":1")).collect();
            format!("{{{}}}", members.join(","))
        };
        assert!(sketch(&object(10)).unwrap().ends_with("k9: number}"));
        assert!(sketch(&object(11)).unwrap().ends_with("k9: number, …1 more}"));
        assert!(sketch(&object(5_000)).unwrap().ends_with("k9: number, …4,990 more}"));
        let line = sketch(&format!("[{},{}]", object(13), object(2))).unwrap();
        assert!(line.starts_with("[2 × {k0: number, k1: number, k2? 50%: number,"), "{line}");
        assert!(line.ends_with("…3 more}]"), "{line}");
        assert!(sketch(&format!("[{0},{0}]", object(5_000))).unwrap().ends_with("…1,000+ more}]"));
    }

    #[test]
    fn long_shapes_lose_detail_and_stay_whole() {
        let inner: Vec<String> = (0..10).map(|key| format!("\"field_number_{key}\":[1,2,3]")).collect();
        let outer: Vec<String> = (0..10).map(|key| format!("\"outer_{key}\":{{{}}}", inner.join(","))).collect();
        let line = sketch(&format!("{{{}}}", outer.join(","))).unwrap();
        assert!(line.starts_with("{outer_0: {10 keys}, ") && line.ends_with("outer_9: {10 keys}}"), "{line}");
        let long: Vec<String> = (0..10).map(|key| format!("\"{key}{}\":1", "\\u0001".repeat(100))).collect();
        let line = sketch(&format!("{{{}}}", long.join(","))).unwrap();
        assert_eq!(utf16_len(line.as_bytes()), MAX_CHARS);
    }

    proptest! {
        #[test]
        fn is_one_short_line(json in json()) {
            let is_container = json.starts_with(['{', '[']);
            match sketch(&json) {
                Some(line) => {
                    prop_assert!(utf16_len(line.as_bytes()) <= MAX_CHARS);
                    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
                    prop_assert!(!line.contains(breaks), "{:?}", line);
                    prop_assert!(is_container, "{:?}", json);
                }
                None => prop_assert!(!is_container, "{:?}", json),
            }
        }

        #[test]
        fn lines_are_sketched_as_their_array(items in prop::collection::vec(json(), 0..6)) {
            prop_assert_eq!(sketch_lines(&items.join("\n")), sketch(&format!("[{}]", items.join(","))));
        }
    }
}
