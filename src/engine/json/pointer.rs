//! JSON pointers (RFC 6901) into a stored document of any size, or into a record of JSON Lines.
//!
//! 1. One pass over the document follows the pointer and finds out that it is one document. Whatever the
//!    pointer does not name is skipped 64 bytes at a time; only the value shown is checked.
//! 2. Where it is not one document, the first token is the index of a line, and the line is the document.
//! 3. The value is shown: an array by its items, anything else by a window of its text.

use super::scan::scalar_end;
use super::show::{Ask, Pointed, show};
use super::stream::{ByteSource, Mark, Stream, read};
use super::string::{quoted, text_of};
use crate::engine::text::grouped;

/// Bytes of a key's token; longer keys cannot be pointed at.
const MAX_KEY: usize = 32 * 1024;
/// Bytes of a number, `true`, `false` or `null`.
const MAX_SCALAR: usize = 4 * 1024;
/// Keys and chars of each that an answer names where the pointer is wrong.
const KEYS_NAMED: usize = 30;
const KEY_CHARS: usize = 60;
/// Bytes read at once where text is only counted. Tests read little, to meet the edges often.
pub(super) const CHUNK: usize = if cfg!(test) { 61 } else { 256 * 1024 };

/// Shows what a pointer names in a stored document.
///
/// Memory stays bounded whatever the document's size. Of keys that occur twice the last one counts.
///
/// # Errors
/// Those of the source.
pub fn point<S: ByteSource + ?Sized>(source: &S, ask: &Ask<'_>) -> Result<Pointed, S::Error> {
    if !ask.pointer.is_empty() && !ask.pointer.starts_with('/') {
        let shown = quoted(&clip(ask.pointer));
        return Ok(missing(format!("pointer must be empty or begin with \"/\", got {shown}.")));
    }
    let tokens: Vec<String> =
        ask.pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    let start = after_bom(source)?;
    match follow(source, start, source.size(), &tokens, 0)? {
        Followed::To(value) => show(source, value, ask),
        Followed::Nowhere(notice) => Ok(missing(notice)),
        Followed::NoDocument => in_lines(source, &tokens, ask),
    }
}

pub(super) fn missing(notice: String) -> Pointed {
    Pointed::Missing { notice, count: None }
}

/// For the model: the pointer led to something that is no value.
pub(super) const INVALID: &str = "The stored output is not valid JSON at this place.";

fn after_bom<S: ByteSource + ?Sized>(source: &S) -> Result<u64, S::Error> {
    let mut bytes = Vec::new();
    read(source, 0, source.size(), 3, &mut bytes)?;
    Ok(if bytes == [0xef, 0xbb, 0xbf] { 3 } else { 0 })
}

/// Follows the pointer into the line that its first token names.
fn in_lines<S: ByteSource + ?Sized>(source: &S, tokens: &[String], ask: &Ask<'_>) -> Result<Pointed, S::Error> {
    let Some(first) = tokens.first().filter(|token| is_digits(token)) else {
        return Ok(missing(
            "The stored output is not one JSON document. For JSON Lines the first token of the pointer is the index of the record, such as /0.".to_owned(),
        ));
    };
    let line = match first.parse::<u64>() {
        Ok(index) => line(source, index)?,
        Err(_) => None,
    };
    let Some((start, end)) = line else {
        return Ok(missing(format!("There is no record {}.", first.chars().take(20).collect::<String>())));
    };
    match follow(source, start, end, tokens, 1)? {
        Followed::To(value) => show(source, value, ask),
        Followed::Nowhere(notice) => Ok(missing(notice)),
        Followed::NoDocument => Ok(missing(INVALID.to_owned())),
    }
}

/// The bytes of a line, counted from 0.
fn line<S: ByteSource + ?Sized>(source: &S, index: u64) -> Result<Option<(u64, u64)>, S::Error> {
    let size = source.size();
    let (mut at, mut start, mut left) = (0, (index == 0).then_some(0), index);
    let mut chunk = Vec::new();
    while at < size {
        read(source, at, size, CHUNK, &mut chunk)?;
        if chunk.is_empty() {
            break;
        }
        for found in memchr::memchr_iter(b'\n', &chunk) {
            let end = at + found as u64;
            match start {
                Some(start) => return Ok(Some((start, end))),
                None => left -= 1,
            }
            if left == 0 {
                start = Some(end + 1);
            }
        }
        at += chunk.len() as u64;
    }
    Ok(start.filter(|&start| start < size).map(|start| (start, size)))
}

fn is_digits(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())
}

/// Bytes of a value, and what it begins with.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) first: u8,
}

enum Followed {
    To(Value),
    /// There is no such value; says what is there.
    Nowhere(String),
    NoDocument,
}

/// A container on the way to the value.
struct Level {
    is_object: bool,
    /// Members so far.
    count: u64,
    /// The index that the pointer names, where this is an array.
    wanted: Option<u64>,
    has_hit: bool,
    keys: Vec<String>,
}

/// Follows the tokens from the one at `done` on, in a document that has to fill the range.
fn follow<S: ByteSource + ?Sized>(
    source: &S,
    start: u64,
    end: u64,
    tokens: &[String],
    done: usize,
) -> Result<Followed, S::Error> {
    let mut stream = Stream::new(source, start, end);
    let Some((root, first)) = stream.solid(start)? else {
        return Ok(Followed::NoDocument);
    };
    if tokens.len() == done || !matches!(first, b'{' | b'[') {
        let Some(end) = value_end(&mut stream, root, first)? else {
            return Ok(Followed::NoDocument);
        };
        if stream.solid(end)?.is_some() {
            return Ok(Followed::NoDocument);
        }
        return Ok(match tokens.get(done) {
            None => Followed::To(Value { start: root, end, first }),
            Some(token) => Followed::Nowhere(single_value(tokens, done, token)),
        });
    }
    let mut way =
        Way { stream, tokens, done, levels: Vec::new(), enter: Some((root, first)), found: None, notice: None };
    let Some(end) = way.walk()? else {
        return Ok(Followed::NoDocument);
    };
    if way.stream.solid(end)?.is_some() {
        return Ok(Followed::NoDocument);
    }
    Ok(match (way.found, way.notice) {
        (Some(value), _) => Followed::To(value),
        (None, notice) => Followed::Nowhere(notice.unwrap_or_else(|| INVALID.to_owned())),
    })
}

/// A pass over a container that follows the tokens.
struct Way<'a, S: ?Sized> {
    stream: Stream<'a, S>,
    tokens: &'a [String],
    done: usize,
    /// The containers followed, all of them open.
    levels: Vec<Level>,
    /// A container to be followed that was seen but not entered so far.
    enter: Option<(u64, u8)>,
    found: Option<Value>,
    /// Why nothing was found.
    notice: Option<String>,
}

impl<S: ByteSource + ?Sized> Way<'_, S> {
    /// Walks to the end of the document and gives it; `None` where it has none.
    fn walk(&mut self) -> Result<Option<u64>, S::Error> {
        while let Some(mark) = self.stream.next()? {
            match mark {
                Mark::Open(at) => match self.enter.take_if(|(place, _)| *place == at) {
                    Some((_, first)) => self.enter(at, first)?,
                    None => {
                        let Some(close) = self.stream.leave()? else {
                            return Ok(None);
                        };
                        if let Some(found) = self.found.as_mut().filter(|found| found.start == at) {
                            found.end = close + 1;
                        }
                    }
                },
                Mark::Comma(at) => self.member(at + 1)?,
                Mark::Close(at) => {
                    self.close();
                    if self.levels.is_empty() {
                        return Ok(Some(at + 1));
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, at: u64, first: u8) -> Result<(), S::Error> {
        let token = self.tokens.get(self.done + self.levels.len());
        let is_object = first == b'{';
        // An index has one spelling; the index after the last, "-", names nothing.
        let wanted = token.filter(|token| is_digits(token) && (token.len() == 1 || !token.starts_with('0')));
        let wanted = wanted.filter(|_| !is_object).and_then(|token| token.parse().ok());
        self.levels.push(Level { is_object, count: 0, wanted, has_hit: false, keys: Vec::new() });
        match self.stream.solid(at + 1)? {
            Some((_, b'}' | b']')) | None => Ok(()),
            Some((place, _)) => self.member(place),
        }
    }

    fn close(&mut self) {
        if let Some(level) = self.levels.pop().filter(|level| !level.has_hit) {
            let depth = self.done + self.levels.len();
            self.notice = Some(not_there(&level, self.tokens, depth));
        }
    }

    /// Looks at a member or element of the innermost level.
    fn member(&mut self, at: u64) -> Result<(), S::Error> {
        let depth = self.done + self.levels.len();
        let (Some(level), Some(token)) = (self.levels.last_mut(), self.tokens.get(depth.saturating_sub(1))) else {
            return Ok(());
        };
        level.count += 1;
        let mut value_at = at;
        if level.is_object {
            let Some((place, _)) = self.stream.solid(at)? else {
                return Ok(());
            };
            let Some(key) = self.stream.string(place, MAX_KEY)? else {
                return Ok(());
            };
            let text = text_of(&key);
            let is_hit = text == token.as_str();
            if !level.has_hit && level.keys.len() < KEYS_NAMED {
                level.keys.push(clip(&text));
            }
            if !is_hit {
                return Ok(());
            }
            let Some((colon, b':')) = self.stream.solid(place + key.len() as u64)? else {
                return Ok(());
            };
            value_at = colon + 1;
        } else if level.wanted != Some(level.count - 1) {
            return Ok(());
        }
        level.has_hit = true;
        (self.found, self.notice, self.enter) = (None, None, None);
        let Some((start, first)) = self.stream.solid(value_at)? else {
            return Ok(());
        };
        let is_container = matches!(first, b'{' | b'[');
        match self.tokens.get(depth) {
            None if is_container => self.found = Some(Value { start, end: start, first }),
            None => {
                self.found = value_end(&mut self.stream, start, first)?.map(|end| Value { start, end, first });
                self.notice = Some(INVALID.to_owned());
            }
            Some(_) if is_container => self.enter = Some((start, first)),
            Some(token) => self.notice = Some(single_value(self.tokens, depth, token)),
        }
        Ok(())
    }
}

/// The end of a value that begins at `at`; `None` where it has none.
fn value_end<S: ByteSource + ?Sized>(stream: &mut Stream<'_, S>, at: u64, first: u8) -> Result<Option<u64>, S::Error> {
    match first {
        b'"' => stream.string_end(at),
        b'{' | b'[' => {
            while let Some(mark) = stream.next()? {
                if mark == Mark::Open(at) {
                    return Ok(stream.leave()?.map(|close| close + 1));
                }
            }
            Ok(None)
        }
        _ => {
            let mut token = Vec::new();
            loop {
                let bytes = stream.bytes(at + token.len() as u64)?;
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let part = bytes.iter().position(|byte| !is_part(byte));
                let is_last = part.is_some() || bytes.is_empty();
                token.extend_from_slice(bytes.get(..part.unwrap_or(bytes.len())).unwrap_or_default());
                if is_last || token.len() > MAX_SCALAR {
                    break;
                }
            }
            let end = scalar_end(&token, 0).filter(|end| *end == token.len());
            Ok(end.map(|end| at + end as u64))
        }
    }
}

/// For the model: the place at the depth reached.
fn place(tokens: &[String], depth: usize) -> String {
    if depth == 0 {
        return "The document".to_owned();
    }
    let path = tokens.iter().take(depth).fold(String::new(), |path, token| path + "/" + token);
    path.chars().take(200).collect()
}

/// For the model: the pointer goes on where nothing can follow.
fn single_value(tokens: &[String], depth: usize, token: &str) -> String {
    format!("{} is a single value and has no {}.", place(tokens, depth), quoted(&clip(token)))
}

/// For the model: what a container has instead of what the pointer names.
fn not_there(level: &Level, tokens: &[String], depth: usize) -> String {
    let place = place(tokens, depth);
    let token = quoted(&clip(tokens.get(depth).map(String::as_str).unwrap_or_default()));
    match (level.is_object, level.count) {
        (true, 0) => format!("{place} is an object without keys; there is no key {token}."),
        (true, count) => {
            let keys: Vec<String> = level.keys.iter().map(|key| quoted(key)).collect();
            let more = if count > keys.len() as u64 { ", …" } else { "" };
            let plural = if count == 1 { "key" } else { "keys" };
            format!("{place} has no key {token}. Its {} {plural}: {}{more}.", grouped(count), keys.join(", "))
        }
        (false, 0) => format!("{place} is an empty array; there is no item {token}."),
        (false, count) => {
            let last = grouped(count - 1);
            format!("{place} is an array of {} items (0 to {last}); there is no item {token}.", grouped(count))
        }
    }
}

/// The first chars of a key or token.
fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(KEY_CHARS).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::super::show::NextItem;
    use super::*;
    use crate::engine::json::testing::value;
    use proptest::prelude::*;
    use serde_json::Value as Json;
    use std::cell::Cell;
    use std::convert::Infallible;

    struct Bytes<'a>(&'a [u8], Cell<usize>);

    impl ByteSource for Bytes<'_> {
        type Error = Infallible;
        fn size(&self) -> u64 {
            self.0.len() as u64
        }
        fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, Infallible> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            self.1.set(self.1.get() + len.min(rest.len()));
            // Half of what was asked for, as a file may give.
            Ok(rest[..rest.len().min(len.div_ceil(2))].to_vec())
        }
    }

    const ASK: Ask<'static> =
        Ask { pointer: "", offset: 0, limit: 200, from_end: false, char_offset: 0, max_chars: 50_000 };

    fn ask(text: &str, ask: &Ask<'_>) -> Pointed {
        let Ok(pointed) = point(&Bytes(text.as_bytes(), Cell::new(0)), ask);
        pointed
    }

    /// A value's text, an array's items, or the notice.
    fn shown(text: &str, pointer: &str) -> String {
        match ask(text, &Ask { pointer, ..ASK }) {
            Pointed::Value { text, .. } => text,
            Pointed::Items { rows, .. } => rows.join("\n"),
            Pointed::Missing { notice, .. } => notice,
        }
    }

    #[test]
    fn follows_rfc_6901() {
        let document =
            r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9}"#;
        let cases = [
            ("an item", "/foo/0", "\"bar\""),
            ("an array", "/foo", "\"bar\"\n\"baz\""),
            ("the empty key", "/", "0"),
            ("a slash", "/a~1b", "1"),
            ("percent", "/c%d", "2"),
            ("caret", "/e^f", "3"),
            ("bar", "/g|h", "4"),
            ("backslash", "/i\\j", "5"),
            ("quote", "/k\"l", "6"),
            ("space", "/ ", "7"),
            ("tilde", "/m~0n", "8"),
            ("tilde and digit", "/~01", "9"),
        ];
        for (comment, pointer, expected) in cases {
            assert_eq!(shown(document, pointer), expected, "{comment}");
        }
        assert_eq!(shown(document, ""), document);
    }

    #[test]
    fn says_what_is_there_instead() {
        let document = r#"{"items":[{"id":1},{"id":2}],"none":[],"bare":{},"n":1}"#;
        let cases = [
            ("no slash", "items", r#"pointer must be empty or begin with "/", got "items"."#),
            ("a key", "/item", r#"The document has no key "item". Its 4 keys: "items", "none", "bare", "n"."#),
            ("an index", "/items/2", r#"/items is an array of 2 items (0 to 1); there is no item "2"."#),
            (
                "the index after the last",
                "/items/-",
                r#"/items is an array of 2 items (0 to 1); there is no item "-"."#,
            ),
            ("another spelling", "/items/01", r#"/items is an array of 2 items (0 to 1); there is no item "01"."#),
            ("a word for an index", "/items/id", r#"/items is an array of 2 items (0 to 1); there is no item "id"."#),
            ("a key further down", "/items/1/x/y", r#"/items/1 has no key "x". Its 1 key: "id"."#),
            ("below a scalar", "/n/a", r#"/n is a single value and has no "a"."#),
            ("in an empty array", "/none/0", r#"/none is an empty array; there is no item "0"."#),
            ("in an empty object", "/bare/a", r#"/bare is an object without keys; there is no key "a"."#),
            ("items of an empty array", "/none", "/none is an empty array."),
        ];
        for (comment, pointer, expected) in cases {
            assert_eq!(shown(document, pointer), expected, "{comment}");
        }
        assert_eq!(shown("1", "/a"), r#"The document is a single value and has no "a"."#);
        let keys: Vec<String> = (0..1_000).map(|key| format!("\"k{key}\":1")).collect();
        let notice = shown(&format!("{{{}}}", keys.join(",")), "/x");
        assert!(notice.contains("Its 1,000 keys: \"k0\", ") && notice.ends_with("\"k29\", …."), "{notice}");
    }

    #[test]
    fn first_token_of_json_lines_is_the_record() {
        let lines = "{\"a\":1}\n[1,2]\r\n\"x\"\n";
        let cases = [
            ("a record", "/0", "{\"a\":1}"),
            ("inside it", "/0/a", "1"),
            ("an array before CR LF", "/1", "1\n2"),
            ("its item", "/1/1", "2"),
            ("a scalar", "/2", "\"x\""),
            ("no such record", "/3", "There is no record 3."),
            ("no such key", "/0/b", r#"/0 has no key "b". Its 1 key: "a"."#),
            ("a huge index", "/99999999999999999999999", "There is no record 99999999999999999999."),
        ];
        for (comment, pointer, expected) in cases {
            assert_eq!(shown(lines, pointer), expected, "{comment}");
        }
        for pointer in ["", "/a", "/-1"] {
            assert!(shown(lines, pointer).starts_with("The stored output is not one JSON document."), "{pointer}");
        }
    }

    #[test]
    fn text_that_is_no_json_is_answered() {
        let cases = [
            ("nothing", "", "/0"),
            ("a log", "[INFO] started\nall well\n", "/0"),
            ("a log by its second line", "[INFO] started\nall well\n", "/1"),
            ("an open document", "{\"a\":[1,2", "/a"),
            ("an open string", "{\"a\":\"x", "/a"),
            ("a bare word", "{\"a\":x}", "/a"),
            ("keys that are none", "{a:1}", "/a"),
        ];
        for (comment, text, pointer) in cases {
            let pointed = ask(text, &Ask { pointer, ..ASK });
            assert!(
                matches!(&pointed, Pointed::Missing { notice, .. } if !notice.is_empty()),
                "{comment}: {pointed:?}"
            );
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let cases = [
            ("scalars", r#"{"a":1,"a":2}"#, "/a", "2"),
            ("a container, then a scalar", r#"{"a":{"b":1},"a":2}"#, "/a/b", r#"/a is a single value and has no "b"."#),
            ("a scalar, then a container", r#"{"a":2,"a":{"b":1}}"#, "/a/b", "1"),
            ("another spelling of the key", r#"{"a":1,"\u0061":2}"#, "/a", "2"),
            (
                "a container without the key",
                r#"{"a":{"b":1},"a":{"c":1}}"#,
                "/a/b",
                r#"/a has no key "b". Its 1 key: "c"."#,
            ),
        ];
        for (comment, text, pointer, expected) in cases {
            assert_eq!(shown(text, pointer), expected, "{comment}");
        }
    }

    #[test]
    fn items_come_in_pages_one_a_line() {
        let text = format!(
            "[\n  {{\n    \"a\": 1\n  }},\n  {}\n]",
            (1..100).map(|n| n.to_string()).collect::<Vec<_>>().join(",\n  ")
        );
        let page = |offset, limit, max_chars| ask(&text, &Ask { offset, limit, max_chars, ..ASK });
        let rows = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();
        let items = |shown: &[&str], first, next: Option<(u64, u64)>, limit| {
            let next = next.map(|(offset, char_offset)| NextItem { offset, char_offset, limit });
            Pointed::Items { rows: rows(shown), first, count: 100, next }
        };
        assert_eq!(page(0, 2, 500), items(&["{\"a\":1}", "1"], 0, Some((2, 0)), 2));
        assert_eq!(page(98, 5, 500), items(&["98", "99"], 98, None, 5));
        assert_eq!(page(0, 5, 9), items(&["{\"a\":1}"], 0, Some((1, 0)), 5));
        assert_eq!(page(0, 5, 10), items(&["{\"a\":1}", "1"], 0, Some((2, 0)), 5));
        assert_eq!(page(0, 5, 5), items(&["{\"a\""], 0, Some((0, 4)), 5), "an item that is longer than a page is cut");
        let within = |offset, char_offset| ask(&text, &Ask { offset, limit: 1, char_offset, ..ASK });
        assert_eq!(within(0, 4), items(&[":1}"], 0, Some((1, 0)), 1), "and goes on inside");
        assert_eq!(within(0, 7), items(&["1"], 1, Some((2, 0)), 1), "past its end the next one begins");
        let end = |offset, limit, max_chars| ask(&text, &Ask { offset, limit, max_chars, from_end: true, ..ASK });
        assert_eq!(end(0, 2, 500), items(&["98", "99"], 98, None, 2));
        assert_eq!(end(1, 2, 500), items(&["97", "98"], 97, Some((99, 0)), 2));
        assert_eq!(end(98, 9, 500), items(&["{\"a\":1}", "1"], 0, Some((2, 0)), 9));
        assert_eq!(end(0, 3, 5), items(&["97"], 97, Some((98, 0)), 2), "what is left of those asked for");
        assert!(matches!(end(100, 1, 500), Pointed::Missing { count: Some(100), .. }));
        let last = Pointed::Missing { notice: "Past the end of item 99, the last one.".to_owned(), count: Some(100) };
        assert_eq!(within(99, 2), last);
        let past = Pointed::Missing {
            notice: "Past the end: the document has 100 items; the last valid offset is 99.".to_owned(),
            count: Some(100),
        };
        assert_eq!(page(100, 1, 500), past);
    }

    #[test]
    fn windows_of_a_value_join_to_its_text() {
        let value = format!("{{\"a\":\"{}\"}}", "a😀é한".repeat(50));
        let text = format!("[{{\"b\":1}} , {value} ]");
        for max_chars in [2, 3, 7, 64, 1_000] {
            let (mut char_offset, mut joined) = (0, String::new());
            loop {
                let asked = Ask { pointer: "/1", char_offset, max_chars, ..ASK };
                let Pointed::Value { text, total, next, .. } = ask(&text, &asked) else { panic!("{asked:?}") };
                assert_eq!(total, value.encode_utf16().count() as u64);
                joined.push_str(&text);
                let Some(next) = next else { break };
                assert_eq!(next, char_offset + text.encode_utf16().count() as u64);
                char_offset = next;
            }
            assert_eq!(joined, value, "{max_chars}");
        }
        let inside_pair = Ask { pointer: "/1/a", char_offset: 3, max_chars: 2, ..ASK };
        let shown = Pointed::Value { text: "é한".to_owned(), total: 252, feeds: 0, feeds_before: 0, next: Some(6) };
        assert_eq!(ask(&text, &inside_pair), shown);
        let past = Ask { pointer: "/1/a", char_offset: 999, ..ASK };
        assert_eq!(
            ask(&text, &past),
            missing("Past the end: the value has 252 chars; the last valid char_offset is 251.".to_owned())
        );
    }

    #[test]
    fn lines_of_a_value_are_counted() {
        let text = "{\"a\": {\n \"b\": 1,\n \"c\": 2\n}}";
        let asked = Ask { pointer: "/a", char_offset: 4, max_chars: 9, ..ASK };
        let shown =
            Pointed::Value { text: "b\": 1,\n \"".to_owned(), total: 20, feeds: 3, feeds_before: 1, next: Some(13) };
        assert_eq!(ask(text, &asked), shown);
    }

    #[test]
    fn items_of_any_length_join_to_all_of_them() {
        let long = "a😀é한".repeat(30);
        let text = format!("[1,\"{long}\",{{\"a\":[\"{long}\"]}},[],null]");
        let expected = format!("1\n\"{long}\"\n{{\"a\":[\"{long}\"]}}\n[]\nnull\n");
        for max_chars in [4, 5, 9, 64, 150, 1_000] {
            let (mut offset, mut char_offset, mut joined) = (0, 0, String::new());
            loop {
                let pointed = ask(&text, &Ask { offset, char_offset, max_chars, ..ASK });
                let Pointed::Items { rows, next, .. } = pointed else { panic!("{pointed:?}") };
                joined.push_str(&rows.join("\n"));
                let Some(next) = next else { break };
                if next.char_offset == 0 {
                    joined.push('\n');
                }
                (offset, char_offset) = (next.offset, next.char_offset);
            }
            assert_eq!(joined + "\n", expected, "{max_chars}");
        }
    }

    #[test]
    fn deep_documents_are_followed_and_skipped() {
        let deep = "[".repeat(50_000) + &"]".repeat(50_000);
        let text = format!("{{\"deep\":{deep},\"a\":1}}");
        assert_eq!(shown(&text, "/a"), "1");
        assert_eq!(shown(&text, &format!("/deep{}", "/0".repeat(100))), INVALID, "too deep to be shown");
    }

    /// Every pointer to something inside a value.
    fn pointers(value: &Json, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Json::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| pointers(item, &format!("{at}/{index}"), found));
            }
            Json::Object(members) => members.iter().for_each(|(key, member)| {
                pointers(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }),
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn names_what_a_parsed_document_names(document in value(), is_pretty: bool) {
            let text = if is_pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
            let mut all = Vec::new();
            pointers(&document, "", &mut all);
            for pointer in all {
                let expected = document.pointer(&pointer).unwrap();
                match ask(&text, &Ask { pointer: &pointer, ..ASK }) {
                    Pointed::Value { text, .. } => {
                        let shown: Json = serde_json::from_str(&text).unwrap();
                        prop_assert_eq!(&shown, expected);
                    }
                    Pointed::Items { rows, .. } => {
                        let shown: Vec<Json> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
                        prop_assert_eq!(&Json::from(shown), expected);
                    }
                    Pointed::Missing { .. } => prop_assert!(expected.as_array().is_some_and(Vec::is_empty), "{}", pointer),
                }
            }
        }

        #[test]
        fn any_bytes_are_answered(bytes in "[\\[{}\\]\",:\\\\a0 \n-]{0,200}", pointer in "(/[a0~\"]{0,2}){0,3}", char_offset in 0u64..5) {
            ask(&bytes, &Ask { pointer: &pointer, char_offset, ..ASK });
        }
    }
}
