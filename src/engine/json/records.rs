//! Cuts at record ends: JSON Lines, CSV and TSV.

use super::scan::{Nothing, document};
use crate::engine::text::{grouped, utf16_len};

/// Which records stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Those at the beginning.
    Head,
    /// Those at the end.
    Tail,
    /// Two fifths at the beginning, the rest at the end.
    HeadTail,
}

/// Chars kept free for the marker.
const MARKER: usize = 90;
/// Records that have to agree before text counts as a table.
const MIN_ROWS: usize = 4;
/// Records looked at, and bytes of them at most.
const MAX_ROWS: usize = 20;
/// Bytes of a text that tell whether it is a table.
pub const MAX_LOOK: usize = 64 * 1024;
/// What separates fields, likeliest first.
const SEPARATORS: [u8; 4] = [b'\t', b',', b';', b'|'];

/// Cuts JSON Lines or a table (CSV, TSV) to at most `max_chars` UTF-16 units between records; a table keeps
/// its header. A marker tells what was kept and left out.
///
/// `None` where the text is neither, where no whole record fits, or where `keep_tail_lines` asks for lines
/// of its own: then the plain cut does better.
pub fn truncate_records(text: &str, max_chars: usize, keep: Keep, keep_tail_lines: usize) -> Option<String> {
    if keep_tail_lines > 0 || utf16_len(text.as_bytes()) <= max_chars {
        return None;
    }
    let records = Records::of(text)?;
    let header = text.get(..records.header)?;
    let room = max_chars.checked_sub(MARKER + utf16_len(header.as_bytes())).filter(|room| *room > 0)?;
    let head_room = match keep {
        Keep::Tail => 0,
        Keep::Head => room,
        Keep::HeadTail => room * 2 / 5,
    };
    let body = text.get(records.header..)?;
    let head = records.last_end(body, byte_at(body, head_room));
    let head_chars = utf16_len(body.as_bytes().get(..head)?);
    let tail = match keep {
        Keep::Head => body.len(),
        _ => records.first_start(body, head, byte_from_end(body, room - head_chars)),
    };
    let (head, tail) = (body.get(..head)?, body.get(tail..)?);
    if head.is_empty() && tail.is_empty() {
        return None;
    }
    let total = utf16_len(text.as_bytes()) as u64;
    let kept = [header, head, tail].iter().map(|part| utf16_len(part.as_bytes()) as u64).sum();
    let out = format!("{header}{head}{}{tail}", marker(kept, total));
    (utf16_len(out.as_bytes()) <= max_chars).then_some(out)
}

/// Whether a text that begins like this, with its first [`MAX_LOOK`] bytes, may be records: the cheap look before
/// the whole is asked for.
pub fn may_be_records(start: &str) -> bool {
    start.starts_with(['{', '[']) || is_table(start).is_some()
}

/// For the model: what is between the records that it sees.
fn marker(kept: u64, total: u64) -> String {
    format!("...[kept {} of {} chars, {} left out]...\n", grouped(kept), grouped(total), grouped(total - kept))
}

/// The byte behind the first `chars` chars, at a char's beginning.
fn byte_at(text: &str, chars: usize) -> usize {
    let mut left = chars;
    for (at, char) in text.char_indices() {
        match left.checked_sub(char.len_utf16()) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}

/// The byte before the last `chars` chars.
fn byte_from_end(text: &str, chars: usize) -> usize {
    let mut left = chars;
    for (at, char) in text.char_indices().rev() {
        match left.checked_sub(char.len_utf16()) {
            Some(rest) => left = rest,
            None => return at + char.len_utf8(),
        }
    }
    0
}

struct Records {
    /// Bytes of the header, its line end included.
    header: usize,
    /// Whether line ends inside quotes belong to a field.
    is_quoted: bool,
}

impl Records {
    fn of(text: &str) -> Option<Self> {
        if is_json_lines(text) {
            return Some(Self { header: 0, is_quoted: false });
        }
        is_table(text).map(|header| Self { header, is_quoted: true })
    }

    /// The end of the last record that ends at or before a byte.
    fn last_end(&self, body: &str, at: usize) -> usize {
        let mut end = 0;
        let mut ends = self.ends(body);
        while let Some(next) = ends.next().filter(|next| *next <= at) {
            end = next;
        }
        end
    }

    /// The start of the first record at or behind a byte, and behind what is kept of the beginning.
    fn first_start(&self, body: &str, head: usize, at: usize) -> usize {
        if at <= head {
            return head;
        }
        self.ends(body).find(|end| *end >= at).unwrap_or(body.len())
    }

    /// Where records end, line ends included.
    fn ends<'a>(&self, body: &'a str) -> impl Iterator<Item = usize> + 'a {
        let mut in_quotes = false;
        let is_quoted = self.is_quoted;
        memchr::memchr2_iter(b'\n', b'"', body.as_bytes()).filter_map(move |at| {
            if body.as_bytes().get(at) == Some(&b'"') {
                in_quotes ^= is_quoted;
                return None;
            }
            (!in_quotes).then_some(at + 1)
        })
    }
}

/// Whether the first and the last line are JSON containers.
fn is_json_lines(text: &str) -> bool {
    let is_record = |line: &str| line.starts_with(['{', '[']) && document(line.as_bytes(), &mut Nothing).is_some();
    let text = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    match (text.split_once('\n'), text.rsplit_once('\n')) {
        (Some((first, _)), Some((_, last))) => is_record(first) && is_record(last),
        _ => false,
    }
}

/// The bytes of the header where the text is a table: its first records have the same number of fields, more
/// than one, and the header looks like names.
fn is_table(text: &str) -> Option<usize> {
    let look = (0..=MAX_LOOK.min(text.len())).rev().find_map(|end| text.get(..end))?;
    SEPARATORS.into_iter().find_map(|separator| {
        let mut rows = Rows { text: look, separator, at: 0 };
        let first = rows.next()?;
        let mut count = 1;
        for row in rows.take(MAX_ROWS) {
            if row.separators != first.separators || row.is_odd {
                return None;
            }
            count += 1;
        }
        (first.separators > 0 && !first.is_odd && count >= MIN_ROWS && is_header(look.get(..first.end)?, separator))
            .then_some(first.end)
    })
}

/// Whether a line's fields are names and no sentence: each has a letter and is no number, no two are the same.
fn is_header(line: &str, separator: u8) -> bool {
    let mut names: Vec<&str> = line.split(char::from(separator)).map(|name| name.trim().trim_matches('"')).collect();
    let is_name = |name: &&str| {
        name.len() <= 100
            && name.chars().any(char::is_alphabetic)
            && !name.ends_with(['.', '!', '?', ':', ';'])
            && name.parse::<f64>().is_err()
    };
    // "First, this" has as many commas as the next sentence.
    let is_clause = separator == b',' && names.len() == 2 && line.contains(", ");
    let count = names.len();
    let are_names = names.iter().all(is_name) && !is_clause;
    names.sort_unstable();
    names.dedup();
    are_names && names.len() == count
}

struct Row {
    end: usize,
    separators: usize,
    /// A quote inside of a field that is not quoted: more likely prose or JSON.
    is_odd: bool,
}

/// The records of a text that end within it.
struct Rows<'a> {
    text: &'a str,
    separator: u8,
    at: usize,
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let bytes = self.text.as_bytes();
        let mut row = Row { end: 0, separators: 0, is_odd: false };
        let mut in_quotes = false;
        let mut at = self.at;
        loop {
            let byte = *bytes.get(at)?;
            match byte {
                b'"' => {
                    // Quotes begin a field, end one, or are doubled inside one.
                    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
                    let begins = at == self.at || before == Some(self.separator) || before == Some(b'"');
                    row.is_odd |= !in_quotes && !begins;
                    in_quotes = !in_quotes;
                }
                b'\n' if !in_quotes => break,
                _ if byte == self.separator && !in_quotes => row.separators += 1,
                _ => {}
            }
            at += 1;
        }
        row.end = at + 1;
        self.at = row.end;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(separator: &str, rows: usize) -> String {
        let row = |row: usize| [row.to_string(), format!("name {row}"), "0.5".to_owned()].join(separator);
        let head = ["id", "name", "share"].join(separator);
        std::iter::once(head).chain((0..rows).map(row)).map(|line| line + "\n").collect()
    }

    #[test]
    fn json_lines_are_cut_between_records() {
        let text: String = (0..100).map(|id| format!("{{\"id\":{id}}}\n")).collect();
        let cases = [
            (
                "both ends",
                Keep::HeadTail,
                "{\"id\":0}\n{\"id\":1}\n...[kept 48 of 990 chars, 942 left out]...\n{\"id\":97}\n{\"id\":98}\n{\"id\":99}\n",
                138,
            ),
            ("beginning", Keep::Head, "{\"id\":0}\n{\"id\":1}\n...[kept 18 of 990 chars, 972 left out]...\n", 110),
            ("end", Keep::Tail, "...[kept 20 of 990 chars, 970 left out]...\n{\"id\":98}\n{\"id\":99}\n", 110),
        ];
        for (comment, keep, expected, max_chars) in cases {
            assert_eq!(truncate_records(&text, max_chars, keep, 0).as_deref(), Some(expected), "{comment}");
        }
    }

    #[test]
    fn tables_keep_their_header() {
        for separator in [",", "\t", ";", "|"] {
            let text = table(separator, 1_000);
            let out = truncate_records(&text, 200, Keep::Tail, 0).unwrap();
            let (header, rest) = out.split_once('\n').unwrap();
            assert_eq!(header, ["id", "name", "share"].join(separator));
            assert!(
                rest.starts_with("...[kept ") && rest.ends_with(&format!("999{separator}name 999{separator}0.5\n")),
                "{out}"
            );
        }
        let quoted: String =
            "id,text\n".to_owned() + &(0..100).map(|id| format!("{id},\"a\n{id}\"\n")).collect::<String>();
        let out = truncate_records(&quoted, 140, Keep::HeadTail, 0).unwrap();
        assert!(
            out.starts_with("id,text\n0,\"a\n0\"\n1,\"a\n1\"\n...[kept ")
                && out.ends_with("...\n98,\"a\n98\"\n99,\"a\n99\"\n"),
            "{out}"
        );
    }

    #[test]
    fn other_text_is_left_to_the_plain_cut() {
        let prose = "Well, it began.\nThen, it went on.\nAt last, it ended.\nAnd, so on.\n".repeat(20);
        let cases = [
            ("prose with as many commas", prose.as_str()),
            ("one long line", &"x".repeat(1_000)),
            ("log lines", &"2024-01-01 INFO started worker 1, 2\n2024-01-01 INFO done\n".repeat(20)),
            ("numbers without a header", &"1,2,3\n".repeat(100)),
            ("the first line is JSON", &("{}\n".to_owned() + &"text\n".repeat(200))),
            ("one document over many lines", &("{\n".to_owned() + &"\"a\": 1,\n".repeat(200) + "}")),
            ("short rows", "a,b\n1,2\n"),
        ];
        for (comment, text) in cases {
            assert_eq!(truncate_records(text, 200, Keep::HeadTail, 0), None, "{comment}");
        }
        assert_eq!(truncate_records(&table(",", 100), 200, Keep::HeadTail, 5), None, "lines of their own");
        assert_eq!(truncate_records(&table(",", 100), 95, Keep::HeadTail, 0), None, "no room");
    }

    proptest! {
        #[test]
        fn records_stay_whole(rows in 20usize..200, max_chars in 100usize..1_000, keep in prop_oneof![Just(Keep::Head), Just(Keep::Tail), Just(Keep::HeadTail)], is_json: bool) {
            let text = if is_json { (0..rows).map(|id| format!("{{\"é😀\":{id}}}\r\n")).collect() } else { table(",", rows) };
            if let Some(out) = truncate_records(&text, max_chars, keep, 0) {
                prop_assert!(utf16_len(out.as_bytes()) <= max_chars);
                let shown: Vec<&str> = out.split_inclusive('\n').filter(|line| !line.starts_with("...[kept ")).collect();
                prop_assert_eq!(shown.len() + 1, out.split_inclusive('\n').count());
                let mut lines = text.split_inclusive('\n');
                for line in shown {
                    prop_assert!(lines.any(|other| other == line), "{:?}", line);
                }
                prop_assert!(is_json || out.starts_with("id,name,share\n"));
            }
        }
    }
}
