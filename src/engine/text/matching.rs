//! Lines that must not be lost: what the caller asked for, or what looks like an error.

use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};
use regex::Regex;

use super::cut::{AFTER, CONTEXT};
use super::lines::without_cr;
use super::truncate::{Truncated, Truncation, truncate};
use super::{Gone, Text, Utf8, cut_back, cut_forward, grouped, js_regex, to_well_formed, utf16_len};

/// How many lines a spill highlights.
const MAX_HIGHLIGHTS: usize = 5;
/// The longest highlighted line, in UTF-16 units; of longer ones a window is shown.
const HIGHLIGHT: usize = 200;
/// The longest line that a truncation keeps, in UTF-16 units; of longer ones a window is shown.
const KEPT: usize = 400;
/// How many units before the match a window begins.
const LEAD: usize = 60;
/// Where a kept line is shown from its beginning: when the match begins that near.
const KEPT_FROM_START: usize = KEPT - LEAD;

/// Finds the lines that match. Made once per action, and shared between threads.
#[derive(Debug, Clone)]
pub struct LineMatcher(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Nothing,
    Literal(Box<Finder<'static>>),
    /// Finds nothing that spans lines, so that it can search a whole text.
    Words(Regex),
    /// May say something of a line as a whole, such as `^` and `$`.
    PerLine(Regex),
}

impl LineMatcher {
    /// Lines that look like errors: `error`, `fatal`, `panic`, `exception`, `traceback` or `failed`
    /// as a whole word, in any ASCII case.
    pub fn errors() -> Self {
        Self(
            Regex::new(r"(?i-u)\b(?:error|fatal|panic|exception|traceback|failed)\b")
                .map_or(Kind::Nothing, Kind::Words),
        )
    }

    /// Lines that contain one of the strings. The error, one line, says that there are too many.
    pub fn literals(strings: &[impl AsRef<str>]) -> Result<Self, String> {
        // No line contains a line feed.
        let strings: Vec<&str> = strings.iter().map(AsRef::as_ref).filter(|string| !string.contains('\n')).collect();
        Ok(Self(match strings[..] {
            [] => Kind::Nothing,
            [string] => Kind::Literal(Box::new(Finder::new(string).into_owned())),
            _ => {
                let any: Vec<String> = strings.iter().map(|string| regex::escape(string)).collect();
                Kind::Words(Regex::new(&any.join("|")).map_err(|_| "the strings are too many or too long".to_owned())?)
            }
        }))
    }

    /// Lines that a JavaScript `RegExp` matches, each tried alone and without its line end. The
    /// error, one line, names what is not supported: look-around, back-references, lone surrogates.
    pub fn from_js_regex(source: &str, flags: &str) -> Result<Self, String> {
        js_regex::compile(source, flags).map(|regex| Self(Kind::PerLine(regex)))
    }

    /// The first match in a text that consists of whole lines, by its first byte.
    fn find(&self, text: &str) -> Option<usize> {
        match &self.0 {
            Kind::Nothing => None,
            Kind::Literal(finder) => finder.find(text.as_bytes()),
            Kind::Words(regex) => regex.find(text).map(|found| found.start()),
            Kind::PerLine(regex) => {
                let mut from = 0;
                text.split_inclusive('\n').find_map(|line| {
                    let start = from;
                    from += line.len();
                    let content = without_cr(line.strip_suffix('\n').unwrap_or(line));
                    regex.find(content).map(|found| start + found.start())
                })
            }
        }
    }

    /// The lines that match, in order, of a text that is read from the byte `from`, where the line
    /// with the number `number` begins.
    fn hits<'a>(&'a self, text: &'a str, from: usize, number: u64) -> impl Iterator<Item = Hit> + 'a {
        let bytes = text.as_bytes();
        let (mut at, mut number) = (from, number);
        std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let found = at + self.find(rest)?;
            let start = at + memrchr(b'\n', &bytes[at..found]).map_or(0, |feed| feed + 1);
            let end = memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |feed| found + feed);
            number += memchr_iter(b'\n', &bytes[at..start]).count() as u64;
            let hit = Hit { number, line: start..end, at: found };
            (at, number) = (end + 1, number + 1);
            Some(hit)
        })
    }
}

/// A line that matches.
struct Hit {
    /// Of the line, from 1.
    number: u64,
    /// The bytes of the line without its LF.
    line: Range<usize>,
    /// The byte where the match begins.
    at: usize,
}

/// A line of the text with its number, as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The number of the line, from 1.
    pub line: u64,
    /// The line without its LF, or a window of it with `…` where something is missing.
    pub text: String,
}

impl fmt::Display for Row {
    /// `number: text` and a LF.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}: {}", self.line, self.text)
    }
}

/// The first lines, up to five, that match and that a preview does not show as a whole. `omitted` is
/// what the preview leaves out, in UTF-16 units; `budget` what the rows together may take when they
/// are displayed, in UTF-16 units. Of a line longer than 200 units a window around the match is shown.
pub fn highlight_rows(text: &Utf8, matcher: &LineMatcher, omitted: &Range<usize>, budget: usize) -> Vec<Row> {
    let whole = text.as_str();
    let bytes = whole.as_bytes();
    let byte_at = |unit: usize| text.byte_at(unit.min(text.len()));
    let (first, last) = (byte_at(omitted.start), byte_at(omitted.end));
    if first >= last {
        return Vec::new();
    }
    let start = memrchr(b'\n', &bytes[..first]).map_or(0, |feed| feed + 1);
    let end = memchr(b'\n', &bytes[last - 1..]).map_or(bytes.len(), |feed| last - 1 + feed);
    let number = memchr_iter(b'\n', &bytes[..start]).count() as u64 + 1;
    let mut rows = Vec::new();
    let mut used = 0;
    for hit in matcher.hits(&whole[..end], start, number) {
        if hit.line.end <= first {
            continue;
        }
        let line = without_cr(&whole[hit.line.clone()]);
        let shown = window(line, hit.at - hit.line.start, HIGHLIGHT, LEAD);
        let row = Row { line: hit.number, text: excerpt(line, &shown) };
        used += row_len(hit.number, line, &shown);
        if used > budget {
            break;
        }
        rows.push(row);
        if rows.len() == MAX_HIGHLIGHTS {
            break;
        }
    }
    rows
}

/// The plain cut, with the lines that match kept besides: with their numbers, as many as half of
/// `max_chars` holds, behind the marker. None where the text fits, no line matches, or none has room.
pub fn keep_matching(text: &Text, matcher: &LineMatcher, cut: &Truncation) -> Result<Option<Truncated>, Gone> {
    if text.len() <= cut.max_chars {
        return Ok(None);
    }
    let (utf8, encoded) = text.to_utf8()?;
    let whole = utf8.as_str();
    let mut original = Original { text, whole, byte: 0, unit: 0 };
    let (mut rows, mut used, mut more, mut replaced) = (String::new(), 0, 0, 0);
    for hit in matcher.hits(whole, 0, 1) {
        let line = &whole[hit.line.clone()];
        let shown = window(line, hit.at - hit.line.start, KEPT, KEPT_FROM_START);
        let chars = row_len(hit.number, line, &shown);
        if used + chars > cut.max_chars / 2 {
            more += 1;
            continue;
        }
        used += chars;
        let row = Row { line: hit.number, text: excerpt(line, &shown) };
        rows.push_str(&row.to_string());
        if encoded.replaced > 0 {
            replaced += original.lone_surrogates(hit.line.start + shown.start..hit.line.start + shown.end)?;
        }
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let middle = kept_lines(&rows, more);
    let room = cut.max_chars.saturating_sub(utf16_len(middle.as_bytes()));
    let mut result = truncate(text, &Truncation { max_chars: room, ..*cut })?;
    result.text.insert_str(result.behind_marker, &middle);
    result.behind_marker += middle.len();
    result.replaced += replaced;
    Ok((utf16_len(result.text.as_bytes()) <= cut.max_chars).then_some(result))
}

/// What the model sees between the ends of a text that was cut: the lines asked for, and how many
/// more there are, which an end may show all the same.
fn kept_lines(rows: &str, more: u64) -> String {
    let more = if more > 0 { format!(", {} more not listed", grouped(more)) } else { String::new() };
    format!("\n[lines that match{more}]\n{rows}")
}

/// The text before it became UTF-8, asked for what it was at places that come in order.
struct Original<'a> {
    text: &'a Text,
    whole: &'a str,
    byte: usize,
    unit: usize,
}

impl Original<'_> {
    fn lone_surrogates(&mut self, shown: Range<usize>) -> Result<usize, Gone> {
        let bytes = self.whole.as_bytes();
        let start = self.unit + utf16_len(&bytes[self.byte..shown.start]);
        let end = start + utf16_len(&bytes[shown.clone()]);
        (self.byte, self.unit) = (shown.end, end);
        if !self.whole[shown].contains(char::REPLACEMENT_CHARACTER) {
            return Ok(0);
        }
        Ok(to_well_formed(&self.text.window(start..end)?).1.replaced)
    }
}

/// The part of a line that is shown, in bytes: all of it up to `most` units, else a window around
/// the match at the byte `at`. It begins with the line where the match is within `near` units of that.
fn window(line: &str, at: usize, most: usize, near: usize) -> Range<usize> {
    if utf16_len(line.as_bytes()) <= most {
        return 0..line.len();
    }
    // Only what is near is looked at: the line may be the whole text. A unit is at most 3 bytes.
    let from = boundary(line, at.saturating_sub(3 * (LEAD + CONTEXT)));
    let to = boundary(line, line.len().min(at + 3 * (most + AFTER)));
    let units: Vec<u16> = line[from..to].encode_utf16().collect();
    let before = utf16_len(&line.as_bytes()[from..at]);
    let start = if from == 0 && before <= near { 0 } else { cut_forward(&units, before.saturating_sub(LEAD)) };
    let end = cut_back(&units, start + most);
    let utf8_len = |units: &[u16]| -> usize {
        char::decode_utf16(units.iter().copied()).map(|char| char.map_or(3, char::len_utf8)).sum()
    };
    let start_byte = from + utf8_len(&units[..start]);
    start_byte..start_byte + utf8_len(&units[start..end])
}

/// The nearest character boundary at or before a byte.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The shown part of a line, with `…` where something is missing.
fn excerpt(line: &str, shown: &Range<usize>) -> String {
    let (before, after) = (if shown.start > 0 { "…" } else { "" }, if shown.end < line.len() { "…" } else { "" });
    format!("{before}{}{after}", &line[shown.clone()])
}

/// The length of a row in UTF-16 units, without making it: there may be one for each line of the text.
fn row_len(number: u64, line: &str, shown: &Range<usize>) -> usize {
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let marks = usize::from(shown.start > 0) + usize::from(shown.end < line.len());
    digits + ": \n".len() + marks + utf16_len(&line.as_bytes()[shown.clone()])
}

#[cfg(test)]
mod tests {
    use super::super::Strategy;
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    fn utf8(text: &str) -> std::sync::Arc<Utf8> {
        Text::from_string(text.to_owned()).to_utf8().unwrap().0
    }

    fn numbers(matcher: &LineMatcher, text: &str) -> Vec<(u64, usize)> {
        matcher.hits(text, 0, 1).map(|hit| (hit.number, hit.at)).collect()
    }

    #[test]
    fn lines_are_found_with_their_numbers() {
        let literals = |strings: &[&str]| LineMatcher::literals(strings).unwrap();
        let regex = |source, flags| LineMatcher::from_js_regex(source, flags).unwrap();
        for (comment, matcher, text, hits) in [
            ("no text", LineMatcher::errors(), "", vec![]),
            (
                "errors in any case",
                LineMatcher::errors(),
                "ok\nan Error: x\n\nFATAL\npanicked\n",
                vec![(2, 6), (4, 16)],
            ),
            ("whole words only", LineMatcher::errors(), "terror errors error_code éerroré\nno error_", vec![(1, 27)]),
            ("one hit a line", LineMatcher::errors(), "error error\nfailed", vec![(1, 0), (2, 12)]),
            ("nothing to look for", literals(&[]), "a\nb", vec![]),
            ("a literal", literals(&["a.b"]), "axb\na.b\n", vec![(2, 4)]),
            ("literals", literals(&["(", "x"]), "f(x)\n\nx", vec![(1, 1), (3, 6)]),
            ("a literal across lines", literals(&["a\nb"]), "a\nb", vec![]),
            ("an expression", regex("^b|c$", ""), "ab\nbc\nac\r\n", vec![(2, 3), (3, 7)]),
            ("an expression does not span lines", regex("a\\sb", ""), "a\nb\na b", vec![(3, 4)]),
            ("empty lines", regex("^$", ""), "a\n\r\n\nb\n", vec![(2, 2), (3, 4)]),
        ] {
            assert_eq!(numbers(&matcher, text), hits, "{comment}");
        }
    }

    fn highlights(text: &str, omitted: Range<usize>, budget: usize) -> String {
        let rows = highlight_rows(&utf8(text), &LineMatcher::errors(), &omitted, budget);
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn highlights_are_what_the_preview_omits() {
        let text = "error 1\nok\nerror 3\nerror 4\nok\nerror 6\n";
        for (comment, omitted, budget, rows) in [
            ("all", 0..40, 100, "1: error 1\n3: error 3\n4: error 4\n6: error 6\n"),
            ("nothing is omitted", 40..40, 100, ""),
            ("nothing is omitted, past the end", 41..99, 100, ""),
            ("the middle", 8..30, 100, "3: error 3\n4: error 4\n"),
            ("a line that is shown up to its line end", 7..11, 100, ""),
            ("a line of which a char is omitted", 6..11, 100, "1: error 1\n"),
            ("a line whose first char is omitted", 8..12, 100, "3: error 3\n"),
            ("a line that is shown as a whole behind", 8..11, 100, ""),
            ("a budget for two", 0..40, 32, "1: error 1\n3: error 3\n"),
            ("no budget", 0..40, 10, ""),
        ] {
            assert_eq!(highlights(text, omitted, budget), rows, "{comment}");
        }
    }

    #[test]
    fn five_lines_are_enough() {
        let rows = highlights(&"한글\nfailed\r\n".repeat(10), 2..110, 1_000);
        assert_eq!(rows, "2: failed\n4: failed\n6: failed\n8: failed\n10: failed\n");
    }

    #[test]
    fn long_lines_are_shown_around_the_match() {
        let text =
            |before: usize, after: usize| format!("{}error{}\r\nx", "b ".repeat(before / 2), " a".repeat(after / 2));
        for (comment, before, after, row) in [
            ("as long as a row may be", 100, 94, format!("1: {}error{}\n", "b ".repeat(50), " a".repeat(47))),
            ("one char longer", 100, 96, format!("1: …{}error{}\n", "b ".repeat(30), " a".repeat(48))),
            ("near the start", 10, 1_000, format!("1: {}error{} …\n", "b ".repeat(5), " a".repeat(92))),
            ("in the middle", 100_000, 100_000, format!("1: …{}error{} …\n", "b ".repeat(30), " a".repeat(67))),
        ] {
            let text = text(before, after);
            assert_eq!(highlights(&text, 0..text.len(), 1_000), row, "{comment}");
        }
        let emoji = format!("{} error {}", "😀".repeat(300), "👍🏽".repeat(300));
        let row = highlights(&emoji, 0..emoji.len(), 1_000);
        assert_eq!(row, format!("1: …{} error {}…\n", "😀".repeat(29), "👍🏽".repeat(33)));
    }

    fn kept(text: &str, matcher: &LineMatcher, max_chars: usize) -> Option<String> {
        let cut = Truncation { max_chars, strategy: Strategy::HeadTail, keep_tail_lines: 0 };
        keep_matching(&Text::from_string(text.to_owned()), matcher, &cut).unwrap().map(|result| result.text)
    }

    #[test]
    fn matching_lines_survive_the_cut() {
        let text = "pass\n".repeat(1_499) + "error[E1]: boom\n" + &"pass\n".repeat(1_500);
        let matcher = LineMatcher::literals(&["error["]).unwrap();
        assert_eq!(
            kept(&text, &matcher, 120).unwrap(),
            "pass\npass\np\n...[kept 28 of 15,011 chars, 14,983 left out]...\n\n[lines that match]\n1500: error[E1]: boom\ns\npass\npass\npass\n"
        );
        assert_eq!(kept(&text, &matcher, 20_000), None, "fits");
        assert_eq!(kept(&text, &matcher, 30), None, "no room for the line");
        assert_eq!(kept(&text, &LineMatcher::literals(&["missing"]).unwrap(), 120), None, "no line matches");
    }

    #[test]
    fn lines_without_room_are_counted() {
        let text = "error\n".repeat(2_000);
        let result = kept(&text, &LineMatcher::errors(), 200).unwrap();
        assert!(result.contains("\n[lines that match, 1,990 more not listed]\n1: error\n"), "{result}");
        assert!(result.contains("\n10: error\n") && !result.contains("\n11: error\n"), "{result}");
    }

    #[test]
    fn lone_surrogates_of_kept_lines_are_counted() {
        let mut units: Vec<u16> = "한\u{FFFD}\n".encode_utf16().collect();
        units.push(0xd83d);
        units.extend("\n\u{FFFD}error".encode_utf16());
        units.extend([0xd83d, 0x61, 0xde00, 0x0a]);
        units.extend("line\n".repeat(200).encode_utf16());
        let cut = Truncation { max_chars: 200, strategy: Strategy::Tail, keep_tail_lines: 0 };
        let result = keep_matching(&Text::from_units(units), &LineMatcher::literals(&["error"]).unwrap(), &cut)
            .unwrap()
            .unwrap();
        assert!(result.text.contains("3: \u{FFFD}error\u{FFFD}a\u{FFFD}\n"));
        assert_eq!(result.replaced, 2);
    }

    proptest! {
        #[test]
        fn hits_are_those_of_line_by_line_search(text in "([abé]{0,4}\\r?\\n){0,12}[abé]{0,4}", source in proptest::sample::select(vec!["a", "b$", "^é", "a.b", "^$"])) {
            let matcher = LineMatcher::from_js_regex(source, "").unwrap();
            let regex = Regex::new(source).unwrap();
            let expected: Vec<u64> = (1..).zip(text.lines()).filter(|(_, line)| regex.is_match(line)).map(|(number, _)| number).collect();
            let found: Vec<u64> = numbers(&matcher, &text).into_iter().map(|(number, _)| number).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn windows_hold_the_match(line in "[a😀é\u{301}🇰👍🏽]{0,150}", at in 0_usize..900, most in 70_usize..120) {
            let at = boundary(&line, at.min(line.len()));
            let shown = window(&line, at, most, LEAD);
            prop_assert!(line.get(shown.clone()).is_some_and(|text| utf16_len(text.as_bytes()) <= most));
            prop_assert!(shown.start <= at && at <= shown.end);
            let row = Row { line: 10, text: excerpt(&line, &shown) }.to_string();
            prop_assert_eq!(row_len(10, &line, &shown), utf16_len(row.as_bytes()));
        }

        #[test]
        fn kept_lines_stay_within_the_limit(text in "(error [a-zé😀]{0,30}\n|[a-z]{0,30}\r?\n){0,40}", max_chars in 0_usize..300) {
            let matcher = LineMatcher::errors();
            if let Some(result) = kept(&text, &matcher, max_chars) {
                prop_assert!(utf16_len(result.as_bytes()) <= max_chars);
                prop_assert!(result.contains("[lines that match"));
            }
        }
    }
}
