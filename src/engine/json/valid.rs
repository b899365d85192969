//! A cut that leaves valid JSON.
//!
//! One strict pass makes an index of where containers begin and end and how large they are when compact.
//! Then the document is written from its root: what fits is copied; of what does not, members and elements
//! go from the middle, long strings give way, and a note in their place says how many.

use std::collections::VecDeque;
use std::ops::Range;

use super::layout::compact;
use super::scan::{Visit, document, scalar_end, space, string_end, walk};
use super::string::{encode_units, encoded_len, escapes_separators, units_of};
use crate::engine::text::{cut_back, grouped, is_high, is_low, utf16_len};

/// Containers of fewer bytes are not in the index: walking over them again costs less than an entry.
const MIN_INDEXED: usize = 64;
/// An object keeps all its keys where there are this many chars for each.
const CHARS_PER_KEY: usize = 12;
/// Chars below which a member is left out rather than shortened.
const MIN_MEMBER: usize = 12;
/// The same for a container in an array: what is left of a smaller one tells nothing.
const MIN_RECORD: usize = 40;
/// An array of no more elements keeps all of them where there is room.
const FEW_ELEMENTS: usize = 3;

/// Cuts a text that is one JSON document to at most `max_chars` UTF-16 units of compact valid JSON.
///
/// The document has to be an object or an array; of a structured value, whose text is known to be JSON, a
/// string may be cut as well. `None` where the text is something else, `max_chars` is below 2, or a
/// number is longer than that.
pub fn truncate_valid(text: &str, max_chars: usize, structured: bool) -> Option<String> {
    let bytes = text.as_bytes();
    let start = space(bytes, 0);
    let first = bytes.get(start)?;
    if max_chars < 2 || !(matches!(first, b'{' | b'[') || structured && *first == b'"') {
        return None;
    }
    let index = Index::of(text)?;
    let mut out = String::with_capacity(max_chars.min(text.len()));
    index.fit(&index.root, max_chars, &mut out).then_some(out)
}

/// A value of the document.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// UTF-16 units of the value when compact.
    size: u32,
    /// Its place among the spans, where it is there.
    span: Option<u32>,
}

/// A member or an element.
#[derive(Clone, Copy)]
struct Member {
    /// Where the key's token begins and how many bytes and chars it has; zero in arrays.
    key: u32,
    key_bytes: u32,
    key_chars: u32,
    value: Node,
}

impl Member {
    /// Chars with its key, colon and comma.
    fn size(&self) -> usize {
        self.overhead() + self.value.size as usize
    }

    fn overhead(&self) -> usize {
        self.key_chars as usize + usize::from(self.key_bytes > 0) + 1
    }
}

/// A container that is worth remembering.
struct Span {
    start: u32,
    end: u32,
    size: u32,
    /// The first span behind everything inside this one.
    next: u32,
}

struct Index<'a> {
    text: &'a str,
    is_ascii: bool,
    spans: Vec<Span>,
    root: Node,
    /// Whether white space between tokens has to be left out.
    is_loose: bool,
}

/// Measures a document and notes its large containers.
struct Measure<'a> {
    text: &'a [u8],
    is_ascii: bool,
    spans: Vec<Span>,
    /// Open containers: place among the spans, chars before.
    open: Vec<(usize, usize)>,
    chars: usize,
    /// Small containers inside small ones need no spans at all.
    keeps_spans: bool,
}

impl Measure<'_> {
    fn count(&mut self, range: Range<usize>) -> usize {
        let chars = units(self.text, range, self.is_ascii);
        self.chars += chars;
        chars
    }
}

fn units(text: &[u8], range: Range<usize>, is_ascii: bool) -> usize {
    if is_ascii { range.len() } else { utf16_len(text.get(range).unwrap_or_default()) }
}

impl Visit for Measure<'_> {
    fn open(&mut self, at: usize, _: bool) {
        if self.keeps_spans {
            self.open.push((self.spans.len(), self.chars));
            self.spans.push(Span { start: at as u32, end: 0, size: 0, next: 0 });
        }
        self.chars += 1;
    }

    fn close(&mut self, at: usize, _: bool) {
        self.chars += 1;
        let Some((place, before)) = self.open.pop() else {
            return;
        };
        let next = self.spans.len() as u32;
        if let Some(span) = self.spans.get_mut(place) {
            span.end = at as u32 + 1;
            span.size = (self.chars - before) as u32;
            span.next = next;
            if span.end - span.start < MIN_INDEXED as u32 {
                // All inside it is as small and already gone, so it is the last.
                self.spans.truncate(place);
            }
        }
    }

    fn key(&mut self, token: Range<usize>) {
        self.count(token);
        self.chars += 1;
    }

    fn string(&mut self, token: Range<usize>) {
        self.count(token);
    }

    fn scalar(&mut self, token: Range<usize>) {
        self.chars += token.len();
    }

    fn comma(&mut self, _: usize) {
        self.chars += 1;
    }
}

/// The members of a container that may be shown: from the beginning and from the end.
struct Members {
    head: Vec<Member>,
    tail: VecDeque<Member>,
    total: usize,
}

impl Members {
    /// A member by its index; those in the middle of a large container are not at hand.
    fn get(&self, index: usize) -> Option<&Member> {
        self.head.get(index).or_else(|| {
            let from_end = self.total.checked_sub(index + 1)?;
            self.tail.get(self.tail.len().checked_sub(from_end + 1)?)
        })
    }
}

impl<'a> Index<'a> {
    fn of(text: &'a str) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let is_ascii = text.is_ascii();
        let mut measure = Measure {
            text: text.as_bytes(),
            is_ascii,
            spans: Vec::new(),
            open: Vec::new(),
            chars: 0,
            keeps_spans: true,
        };
        document(text.as_bytes(), &mut measure)?;
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        let start = space(text.as_bytes(), 0);
        let root = Node {
            start: start as u32,
            end: (start + trimmed.len()) as u32,
            size: measure.chars as u32,
            span: (!measure.spans.is_empty()).then_some(0),
        };
        let is_loose = units(text.as_bytes(), start..start + trimmed.len(), is_ascii) != measure.chars;
        Some(Self { text, is_ascii, spans: measure.spans, root, is_loose })
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Appends a value in at most `budget` chars; where that cannot be, appends nothing and says so.
    /// Recurses no deeper than a document may nest.
    fn fit(&self, node: &Node, budget: usize, out: &mut String) -> bool {
        let raw = self.slice(node.start, node.end);
        if node.size as usize <= budget {
            match if self.is_loose { compact(raw) } else { None } {
                Some(compact) => out.push_str(&compact),
                None => out.push_str(raw),
            }
            return true;
        }
        let (open, close) = match raw.as_bytes().first() {
            Some(b'{') => ('{', '}'),
            Some(b'[') => ('[', ']'),
            Some(b'"') => return shorten(raw, budget, out),
            _ => return false,
        };
        if budget < 2 {
            return false;
        }
        let before = out.len();
        out.push(open);
        if !self.fit_members(node, open == '{', budget, out) {
            out.truncate(before + 1);
        }
        out.push(close);
        true
    }

    /// Appends members in at most `budget` chars less the two brackets.
    fn fit_members(&self, node: &Node, is_object: bool, budget: usize, out: &mut String) -> bool {
        let members = self.members(node, is_object, budget);
        // Objects are read by their keys, and of a few elements each one matters.
        let keeps_all = is_object && members.total.saturating_mul(CHARS_PER_KEY) <= budget
            || members.total <= FEW_ELEMENTS && members.total * 2 * CHARS_PER_KEY <= budget;
        match self.share(&members, budget - 2).filter(|_| keeps_all) {
            Some(share) => self.fit_all(&members, share, out),
            None => self.fit_ends(&members, is_object, budget - 2, out),
        }
    }

    /// Every member stays and the large ones give way: none takes more than `share`, unless it cannot shrink.
    fn fit_all(&self, members: &Members, share: usize, out: &mut String) -> bool {
        for index in 0..members.total {
            let Some(member) = members.get(index) else {
                return false;
            };
            if index > 0 {
                out.push(',');
            }
            let size = if self.is_rigid(member) { member.size() } else { member.size().min(share) };
            if !self.fit_member(member, size, out) {
                return false;
            }
        }
        true
    }

    /// The most chars that a member may take so that all fit; those that are smaller leave theirs to others.
    /// `None` where a member would have no room for its key and two chars.
    fn share(&self, members: &Members, room: usize) -> Option<usize> {
        // One comma fewer than members.
        let mut left = room + 1;
        let mut sizes = Vec::with_capacity(members.total.min(room));
        let mut least = 0;
        for index in 0..members.total {
            let member = members.get(index)?;
            if self.is_rigid(member) {
                left = left.checked_sub(member.size())?;
            } else {
                least = least.max(member.overhead() + 2);
                sizes.push(member.size());
            }
        }
        sizes.sort_unstable();
        let mut share = left;
        for (done, size) in sizes.iter().enumerate() {
            share = left / (sizes.len() - done);
            if *size > share {
                break;
            }
            left -= size;
        }
        (sizes.is_empty() || share >= least).then_some(share)
    }

    /// Whether a member is whole or not at all: numbers, `true`, `false`, `null`.
    fn is_rigid(&self, member: &Member) -> bool {
        !matches!(self.text.as_bytes().get(member.value.start as usize), Some(b'{' | b'[' | b'"'))
    }

    fn is_container(&self, member: &Member) -> bool {
        matches!(self.text.as_bytes().get(member.value.start as usize), Some(b'{' | b'['))
    }

    /// Appends a member in at most `size` chars, of which one is for its comma.
    fn fit_member(&self, member: &Member, size: usize, out: &mut String) -> bool {
        let Some(budget) = size.checked_sub(member.overhead()) else {
            return false;
        };
        let before = out.len();
        if member.key_bytes > 0 {
            out.push_str(self.slice(member.key, member.key + member.key_bytes));
            out.push(':');
        }
        let fits = self.fit(&member.value, budget, out);
        if !fits {
            out.truncate(before);
        }
        fits
    }

    /// Members from the beginning and the end stay, with a note of how many went from between them.
    fn fit_ends(&self, members: &Members, is_object: bool, room: usize, out: &mut String) -> bool {
        let total = members.total;
        let Some(room) = room.checked_sub(note_len(total, is_object)) else {
            return false;
        };
        // No member takes so much that the others have no place.
        let cap = (room / 3).max(16);
        let mut ends = Ends { index: self, members, cap, used: 0 };
        let mut tail = Vec::new();
        let (mut head_end, mut tail_start) = (0, total);
        while head_end < tail_start && ends.take(head_end, room * 2 / 5, out) {
            head_end += 1;
        }
        while tail_start > head_end {
            let mut shown = String::new();
            if !ends.take(tail_start - 1, room, &mut shown) {
                break;
            }
            tail.push(shown);
            tail_start -= 1;
        }
        while head_end < tail_start && ends.take(head_end, room, out) {
            head_end += 1;
        }
        if tail_start > head_end {
            push_note(tail_start - head_end, is_object, out);
            out.push(',');
        }
        tail.iter().rev().for_each(|shown| out.push_str(shown));
        // Every part brought its comma along.
        out.pop();
        true
    }

    /// The members of a container; of a large one only as many from both ends as `budget` has room for.
    fn members(&self, node: &Node, is_object: bool, budget: usize) -> Members {
        let bytes = self.text.as_bytes();
        // The smallest member is a digit and a comma.
        let most = budget / 2 + 1;
        let mut members = Members { head: Vec::new(), tail: VecDeque::new(), total: 0 };
        let mut span = node.span.map(|span| span + 1);
        let mut at = space(bytes, node.start as usize + 1);
        while let Some(member) = self.member(at, is_object, &mut span) {
            members.total += 1;
            if members.head.len() < most {
                members.head.push(member);
            } else {
                if members.tail.len() == most {
                    members.tail.pop_front();
                }
                members.tail.push_back(member);
            }
            let comma = space(bytes, member.value.end as usize);
            if bytes.get(comma) != Some(&b',') {
                break;
            }
            at = space(bytes, comma + 1);
        }
        members
    }

    /// The member that begins at `at`; `None` at the end of the container. `span` is the next one to come,
    /// where the container itself has one.
    fn member(&self, at: usize, is_object: bool, span: &mut Option<u32>) -> Option<Member> {
        let bytes = self.text.as_bytes();
        let (mut from, mut key_bytes, mut key_chars) = (at, 0, 0);
        if is_object {
            if bytes.get(at) != Some(&b'"') {
                return None;
            }
            let end = string_end(bytes, at)?;
            key_bytes = end - at;
            key_chars = units(bytes, at..end, self.is_ascii);
            from = space(bytes, space(bytes, end) + 1);
        }
        let known = span.and_then(|span| Some((span, self.spans.get(span as usize)?)));
        let value = match (bytes.get(from)?, known) {
            (b'"', _) => {
                let end = string_end(bytes, from)?;
                Node {
                    start: from as u32,
                    end: end as u32,
                    size: units(bytes, from..end, self.is_ascii) as u32,
                    span: None,
                }
            }
            (b'{' | b'[', Some((place, known))) if known.start as usize == from => {
                *span = Some(known.next);
                Node { start: known.start, end: known.end, size: known.size, span: Some(place) }
            }
            (b'{' | b'[', _) => {
                let mut measure = Measure {
                    text: bytes,
                    is_ascii: self.is_ascii,
                    spans: Vec::new(),
                    open: Vec::new(),
                    chars: 0,
                    keeps_spans: false,
                };
                let end = walk(bytes, from, &mut measure)?;
                Node { start: from as u32, end: end as u32, size: measure.chars as u32, span: None }
            }
            _ => {
                let end = scalar_end(bytes, from)?;
                Node { start: from as u32, end: end as u32, size: (end - from) as u32, span: None }
            }
        };
        Some(Member { key: at as u32, key_bytes: key_bytes as u32, key_chars: key_chars as u32, value })
    }
}

/// Takes members from both ends of a container while there is room.
struct Ends<'i> {
    index: &'i Index<'i>,
    members: &'i Members,
    /// Chars that a member may take when others want room too.
    cap: usize,
    used: usize,
}

impl Ends<'_> {
    /// Appends a member and its comma, shortened where it is too large, while `used` stays within `limit`.
    fn take(&mut self, index: usize, limit: usize, out: &mut String) -> bool {
        let Some(member) = self.members.get(index) else {
            return false;
        };
        let left = limit.saturating_sub(self.used);
        let size = member.size();
        let budget = if size <= self.cap { size } else { self.cap.min(left) };
        let is_record = member.key_bytes == 0 && self.index.is_container(member);
        let least = if is_record { MIN_RECORD } else { MIN_MEMBER };
        if budget > left || budget < size && budget <= least {
            return false;
        }
        let before = out.len();
        if !self.index.fit_member(member, budget, out) {
            return false;
        }
        out.push(',');
        self.used += utf16_len(out.as_bytes().get(before..).unwrap_or_default());
        true
    }
}

/// Says inside a document how many of its members are not there.
fn push_note(dropped: usize, is_object: bool, out: &mut String) {
    let count = grouped(dropped as u64);
    let plural = if dropped == 1 { "" } else { "s" };
    out.push_str(&if is_object {
        format!("\"…\":\"{count} key{plural} dropped\"")
    } else {
        format!("\"…[{count} item{plural} dropped]\"")
    });
}

/// Chars of the note with its comma.
fn note_len(dropped: usize, is_object: bool) -> usize {
    let mut note = String::new();
    push_note(dropped, is_object, &mut note);
    utf16_len(note.as_bytes()) + 1
}

/// Appends a string in at most `budget` chars: its beginning, and how many chars were left out where that fits.
fn shorten(token: &str, budget: usize, out: &mut String) -> bool {
    let Some(room) = budget.checked_sub(2) else {
        return false;
    };
    let escape_separators = escapes_separators(token);
    // A whole character behind the last place of a cut tells whether the cut splits a cluster.
    let (units, total) = units_of(token, room + 2);
    // Chars that the first units take, for each number of them.
    let mut taken = Vec::with_capacity(units.len() + 1);
    let mut sum = 0;
    for (at, &unit) in units.iter().enumerate() {
        taken.push(sum);
        let beside = |other: Option<usize>, is_other: fn(u16) -> bool| {
            other.and_then(|other| units.get(other)).is_some_and(|&unit| is_other(unit))
        };
        let is_lone =
            is_high(unit) && !beside(Some(at + 1), is_low) || is_low(unit) && !beside(at.checked_sub(1), is_high);
        sum += encoded_len(unit, is_lone, escape_separators);
    }
    taken.push(sum);
    let mut write = |kept: usize, note: &str| {
        out.push('"');
        encode_units(units.get(..kept).unwrap_or_default(), escape_separators, out);
        out.push_str(note);
        out.push('"');
        true
    };
    // Escapes that need not be escapes may have been all that was too long.
    if units.len() == total && sum <= room {
        return write(total, "");
    }
    let most = taken.partition_point(|&taken| taken <= room).saturating_sub(1);
    let mut kept = most;
    while kept > 0 {
        kept = cut_back(&units, kept);
        let note = format!("…[{} chars omitted]", grouped((total - kept) as u64));
        match taken.get(kept) {
            Some(taken) if kept > 0 && taken + utf16_len(note.as_bytes()) <= room => {
                return write(kept, &note);
            }
            _ => kept = kept.saturating_sub(1),
        }
    }
    kept = cut_back(&units, most);
    while kept > 0 && taken.get(kept).is_none_or(|taken| taken + 1 > room) {
        kept = cut_back(&units, kept - 1);
    }
    write(kept, if room > 0 { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::scan::MAX_DEPTH;
    use super::*;
    use crate::engine::json::testing::value;
    use proptest::prelude::*;
    use serde_json::Value;

    /// How many elements a cut array shows and says to have dropped.
    fn told(items: &[Value]) -> (usize, usize) {
        let dropped = items
            .iter()
            .find_map(|item| item.as_str()?.strip_prefix("…[")?.split_once(" item")?.0.replace(',', "").parse().ok());
        (items.len() - usize::from(dropped.is_some()), dropped.unwrap_or(0))
    }

    fn cut(text: &str, max_chars: usize) -> (String, Value) {
        let out = truncate_valid(text, max_chars, true).unwrap_or_else(|| panic!("{text:?} at {max_chars}"));
        assert!(utf16_len(out.as_bytes()) <= max_chars, "{} > {max_chars}: {out}", utf16_len(out.as_bytes()));
        let value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error} at {max_chars}: {out}"));
        (out, value)
    }

    #[test]
    fn writes_what_fits_and_says_what_does_not() {
        let long = "x".repeat(100);
        let numbers = serde_json::json!((0..1000).collect::<Vec<_>>()).to_string();
        let cases = [
            ("all of it", r#"{"a":[1,2]}"#, 11, r#"{"a":[1,2]}"#),
            ("without white space", r#" { "a" : [ 1 , 2 ] } "#, 11, r#"{"a":[1,2]}"#),
            ("nothing but brackets", r#"{"a":[1,2]}"#, 2, "{}"),
            ("a string", &format!("[{long:?}]"), 30, r#"["xxxxxxx…[93 chars omitted]"]"#),
            ("no room for a figure", &format!(r#"{{"a":{long:?}}}"#), 24, r#"{"a":"xxxxxxxxxxxxxxx…"}"#),
            ("ends of an array", &numbers, 51, r#"[0,1,2,3,"…[992 items dropped]",996,997,998,999]"#),
            ("the count alone", &numbers, 27, r#"["…[1,000 items dropped]"]"#),
            ("one dropped", r#"[1,2,"aaaaaaaaaaaaaaaaaaaaaaa",3]"#, 30, r#"[1,2,"…[1 item dropped]",3]"#),
            (
                "all keys",
                &format!(r#"{{"a":{long:?},"b":1,"c":[{long:?}]}}"#),
                90,
                r#"{"a":"xxxxxxxxxxxxxxx…[85 chars omitted]","b":1,"c":["xxxxxxxxxxxxx…[87 chars omitted]"]}"#,
            ),
            (
                "keys dropped",
                r#"{"aaaaaaaa":1,"bbbbbbbb":2,"cccccccc":3,"dddddddd":4}"#,
                47,
                r#"{"…":"3 keys dropped","dddddddd":4}"#,
            ),
            (
                "digits, whole or not at all",
                r#"{"a":12345678901234567890,"b":1.10,"c":"xxxxxxxxxxxxxxxxxxxxxxxx"}"#,
                52,
                r#"{"a":12345678901234567890,"b":1.10,"c":"xxxxxxxxx…"}"#,
            ),
        ];
        for (comment, text, max_chars, expected) in cases {
            assert_eq!(cut(text, max_chars).0, expected, "{comment}");
        }
    }

    #[test]
    fn takes_documents_only() {
        let cases = [
            ("log line after it", "{\"a\":1}\ndone", true),
            ("BOM", "\u{feff}{}", true),
            ("open", "[1,2", true),
            ("text in brackets", "[INFO] started]", false),
            ("a string that is no structured value", "\"aaaaaaaaaaaaaaa\"", false),
            ("a number", "12345678901234567890", true),
            ("nothing", "", true),
        ];
        for (comment, text, structured) in cases {
            assert_eq!(truncate_valid(text, 10, structured), None, "{comment}");
        }
        assert_eq!(truncate_valid("[1]", 1, true), None);
        assert_eq!(truncate_valid("\"aaaaaaaaaaaaaaa\"", 10, true).as_deref(), Some("\"aaaaaaa…\""));
    }

    #[test]
    fn records_shown_and_dropped_are_all() {
        let records: Vec<Value> =
            (0..400).map(|id| serde_json::json!({ "id": id, "name": format!("n{id}"), "tags": ["a", "b"] })).collect();
        let text = Value::from(records).to_string();
        for max_chars in (2..300).chain((300..6_000).step_by(37)) {
            let (_, value) = cut(&text, max_chars);
            let (shown, dropped) = told(value.as_array().unwrap());
            if max_chars >= 27 {
                assert_eq!(shown + dropped, 400, "{max_chars}");
            }
        }
    }

    #[test]
    fn surrogate_pairs_and_halves_stay_as_they_were() {
        let text =
            format!("[\"{}\",\"{}\",\"{}\",1,2,3]", "😀".repeat(40), "\\ud83d\\ude00".repeat(40), "\\u0001".repeat(40));
        for max_chars in 2..200 {
            cut(&text, max_chars);
        }
        let halves = format!("\"{}\"", "\\ud83d".repeat(40));
        for max_chars in 2..200 {
            let out = truncate_valid(&halves, max_chars, true).unwrap();
            assert!(utf16_len(out.as_bytes()) <= max_chars, "{out}");
        }
    }

    #[test]
    fn deepest_documents_are_cut() {
        // serde_json does not go as deep.
        let cut = |text: &str, max_chars: usize| {
            let out = truncate_valid(text, max_chars, false).unwrap();
            assert!(utf16_len(out.as_bytes()) <= max_chars, "{max_chars}: {out}");
            assert!(compact(&out).is_some(), "{max_chars}: {out}");
        };
        let string = format!("\"{}\"", "x".repeat(5_000));
        let text = "[".repeat(MAX_DEPTH) + &string + &"]".repeat(MAX_DEPTH);
        for max_chars in [2, 100, 1_000, 1_023, 1_024, 1_100, 4_000] {
            cut(&text, max_chars);
        }
        let levels = MAX_DEPTH - 1;
        let numbers = format!("[{}1]", "1,".repeat(5_000));
        let text = "{\"key\":1,\"a\":".repeat(levels) + &numbers + &"}".repeat(levels);
        for max_chars in [2, 100, 8_000, 12_000] {
            cut(&text, max_chars);
        }
    }

    proptest! {
        #[test]
        fn any_document_at_any_cap(value in value(), max_chars in 2usize..400) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            prop_assume!(text.starts_with(['{', '[']));
            let (out, cut) = cut(&text, max_chars);
            if utf16_len(value.to_string().as_bytes()) <= max_chars {
                prop_assert_eq!(out, value.to_string());
            } else if let (Some(all), Some(shown)) = (value.as_array(), cut.as_array()) {
                let (shown, dropped) = told(shown);
                prop_assert!(shown + dropped == all.len() || max_chars < 25, "{}", out);
            }
        }

        #[test]
        fn never_panics(text in "[\\[{}\\]\",:\\\\u0-9a-f ]{0,40}", max_chars in 0usize..40, structured: bool) {
            truncate_valid(&text, max_chars, structured);
        }
    }
}
