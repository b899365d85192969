use proptest::prelude::*;

use super::*;
use crate::engine::text::utf16_len;

fn at(offset: u64) -> Arguments {
    Arguments { offset, ..arguments() }
}

fn next(offset: u64, char_offset: Option<u64>, limit: u64) -> Option<Next> {
    Some(Next { offset: Some(offset), char_offset, limit: Some(limit), ..Next::default() })
}

#[test]
fn a_page_shows_the_lines_asked_for() {
    let from_end = |offset, limit| Arguments { offset, limit, from_end: true, ..arguments() };
    let limited = |offset, limit| Arguments { offset, limit, ..arguments() };
    let inside = |offset, char_offset| Arguments { offset, char_offset, ..arguments() };
    type Row<'a> = (&'a str, &'a str, Arguments, &'a str, (u64, u64, u64), Option<Next>);
    let rows: Vec<Row<'_>> = vec![
        ("all", "a\nb\n", at(0), "a\nb\n", (1, 2, 2), None),
        ("no final line end", "a\nb", at(1), "b", (2, 2, 2), None),
        ("an empty first line", "\nsecond\n", limited(0, 1), "\n", (1, 1, 2), next(1, None, 1)),
        ("CRLF is verbatim", "a\r\nb\r\n", at(0), "a\r\nb\r\n", (1, 2, 2), None),
        ("the end", "a\nb\nc\n", from_end(0, 2), "b\nc\n", (2, 3, 3), None),
        ("before the end", "a\nb\nc\nd\n", from_end(1, 2), "b\nc\n", (2, 3, 4), next(3, None, 2)),
        ("more than there is", "a\nb\n", from_end(1, 9), "a\n", (1, 1, 2), next(1, None, 9)),
        ("inside a line", "abc\nd\n", inside(0, 2), "c\nd\n", (1, 2, 2), None),
        ("inside a pair", "a😀b\n", inside(0, 2), "b\n", (1, 1, 1), None),
        ("its line end", "abc\nd\n", inside(0, 3), "\nd\n", (1, 2, 2), None),
        ("past the line's end", "abc\nd\n", inside(0, 4), "d\n", (2, 2, 2), None),
    ];
    for (comment, text, arguments, shown, lines, next) in rows {
        let page = read_text(text, &arguments, &Caps::default());
        assert_eq!(page.text, shown, "{comment}");
        assert_eq!((page.first_line, page.last_line, page.total_lines), lines, "{comment}");
        assert_eq!(page.next, next, "{comment}");
        assert_eq!(page.chars, utf16_len(shown.as_bytes()) as u64, "{comment}");
    }
}

#[test]
fn nothing_to_show_is_said() {
    let text = "line\n".repeat(428);
    let past = "Past the end: the stored output has 428 lines; the last valid offset is 427.";
    let rows = [
        ("the last line", at(427), None),
        ("just past", at(428), Some(past)),
        ("far past", at(9999), Some(past)),
        ("2^53", at(1 << 53), Some(past)),
        ("anything", at(u64::MAX), Some(past)),
        ("past the start", Arguments { from_end: true, ..at(428) }, Some(past)),
        (
            "past the last line's end",
            Arguments { char_offset: 5, ..at(427) },
            Some("Past the end of the last line, which has 5 chars; the last valid char_offset is 4."),
        ),
    ];
    for (comment, arguments, notice) in rows {
        let page = read_text(&text, &arguments, &Caps::default());
        assert_eq!(page.notice.as_deref(), notice, "{comment}");
        assert_eq!(page.text.is_empty(), notice.is_some(), "{comment}");
        assert_eq!(page.next, None, "{comment}");
    }
    assert_eq!(read_text("", &at(0), &Caps::default()).notice.as_deref(), Some("The stored output is empty."));
    assert_eq!(
        read_text("a😀", &Arguments { char_offset: 2, ..at(0) }, &Caps::default()).notice.as_deref(),
        Some("Past the end of the last line.")
    );
}

#[test]
fn a_page_ends_at_a_lines_end_when_half_is_used() {
    let line = |chars: usize| "x".repeat(chars - 1) + "\n";
    let rows = [
        ("half is used", line(250) + &line(300), 250, next(1, None, 200)),
        ("less than half is used", line(249) + &line(300), 500, next(1, Some(251), 200)),
        ("a line that fills the page", line(500) + "a", 500, next(1, None, 200)),
        ("a line one too long", line(501) + "a", 500, next(0, Some(500), 200)),
        ("the last line fills the page", "x".repeat(500), 500, None),
        ("the last line is one too long", "x".repeat(501), 500, next(0, Some(500), 200)),
        ("a pair at the cut", "x".repeat(499) + "😀" + "y", 499, next(0, Some(499), 200)),
    ];
    for (comment, text, chars, next) in rows {
        let page = read_text(&text, &at(0), &caps(500));
        assert_eq!((page.chars, page.next), (chars, next), "{comment}");
    }
}

#[test]
fn a_cut_page_from_the_end_goes_on_to_the_end() {
    let text = (0..100).map(|line| format!("{line:>19}\n")).collect::<String>();
    let asked = Arguments { from_end: true, limit: 60, ..arguments() };
    let page = read_text(&text, &asked, &caps(500));
    assert_eq!((page.first_line, page.last_line, &page.next), (41, 65, &next(65, None, 35)));
}

#[test]
fn what_was_changed_is_said_first() {
    let asked = Arguments { notes: vec!["limit was reduced.".to_owned()], ..at(9) };
    assert!(read_text("a", &asked, &Caps::default()).notice.unwrap().starts_with("limit was reduced. Past the end"));
}

#[test]
fn text_of_ours_is_shown_as_it_is_and_bytes_are_not() {
    assert_eq!(read_text("a\x1b[0m\0\n", &at(0), &Caps::default()).text, "a\x1b[0m\0\n");
    assert_eq!(read_bytes(b"a\x1b[0m\n", None, &at(0)).text, "a\u{241b}[0m\n");
    let sniffed = super::super::read(&MemorySource::new(*b"a\x07"), None, &at(0), &Caps::default()).unwrap();
    assert_eq!(sniffed.text, "a\u{2407}");
}

#[test]
fn bytes_that_are_text_are_decoded() {
    let utf16: Vec<u8> = "\u{FEFF}가\r\n나\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = read_bytes(&utf16, None, &at(1));
    assert_eq!((page.text.as_str(), page.total_lines), ("나\n", 2));
    assert_eq!(read_bytes(b"\xc4\xe3\n", Some("gbk"), &at(0)).text, "你\n");
    let late = [&b"text\n".repeat(20_000)[..], b"\xff"].concat();
    assert_eq!(read_bytes(&late, None, &at(19_999)).text, "text\n\u{FFFD}", "invalid after the sample");
}

#[test]
fn other_bytes_are_dumped() {
    let png = [&b"\x89PNG\r\n"[..], &[0; 50]].concat();
    let page = read_bytes(&png, None, &Arguments { offset: 1, limit: 1, ..arguments() });
    assert_eq!(page.text, "00000010  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................\n");
    assert_eq!((page.first_line, page.last_line, page.total_lines, page.chars), (2, 2, 4, 76));
    assert_eq!(page.notice.as_deref(), Some("Not text: image/png, 56 bytes, as a hex dump, 16 bytes a line."));
    assert_eq!(page.next, next(2, None, 1));
    let end = read_bytes(&png, None, &Arguments { from_end: true, limit: 2, ..arguments() });
    assert_eq!((end.first_line, end.last_line, end.next), (3, 4, None));
    let searched = read_bytes(&png, None, &Arguments { pattern: Some("x".to_owned()), ..arguments() });
    assert!(searched.notice.unwrap().ends_with("It cannot be searched."));
    let past = read_bytes(&png, None, &at(4)).notice;
    assert_eq!(past.unwrap(), "Past the end: the stored output has 4 rows of 16 bytes; the last valid offset is 3.");
}

#[test]
fn a_page_of_a_large_text_reads_little_of_it() {
    let source = Repeated::new("2026-01-01 12:00:00 INFO a line of an ordinary log\n", 100_000_000, 1);
    let whole = super::super::read(&source, Some(&Kind::Text), &at(0), &Caps::default()).unwrap();
    assert_eq!(whole.total_lines, source.size.div_ceil(source.line));
    assert!(source.bytes_read() >= source.size, "the first page finds the lines");
    for offset in [0, 1, whole.total_lines / 2, whole.total_lines - 1] {
        let page = super::super::read(&source, Some(&Kind::Text), &at(offset), &Caps::default()).unwrap();
        assert_eq!(page.first_line, offset + 1);
        assert!(page.text.starts_with("2026-01-01"));
        assert!(source.bytes_read() < 700_000, "offset {offset}");
    }
    let end = super::super::read(&source, Some(&Kind::Text), &Arguments { from_end: true, ..at(0) }, &Caps::default());
    assert_eq!(end.unwrap().last_line, whole.total_lines);
    assert!(source.bytes_read() < 700_000);
}

#[test]
fn a_giant_line_is_paged_by_little_reads() {
    let source = Repeated::new("xyz😀", 14_000_000, 2);
    let asked = |char_offset| Arguments { char_offset, ..arguments() };
    super::super::read(&source, Some(&Kind::Text), &asked(0), &Caps::default()).unwrap();
    source.bytes_read();
    let page = super::super::read(&source, Some(&Kind::Text), &asked(5_000_003), &Caps::default()).unwrap();
    assert!(page.text.starts_with("😀xyz"));
    assert_eq!((page.chars, page.next), (50_000, next(0, Some(5_000_003 + 50_000), 200)));
    assert!(source.bytes_read() < 1_000_000);
}

#[test]
fn a_source_that_fails_is_no_panic() {
    struct Failing;
    impl Source for Failing {
        fn size(&self) -> u64 {
            100
        }
        fn read_at(&self, _: u64, _: usize) -> Result<Vec<u8>, ReadError> {
            Err(ReadError::Gone)
        }
    }
    for kind in [Some(&Kind::Text), None] {
        assert_eq!(super::super::read(&Failing, kind, &at(0), &Caps::default()), Err(ReadError::Gone));
    }
}

/// Follows `next` from the start and joins the texts.
fn joined(text: &str, limit: u64, max_chars: usize) -> String {
    let source = MemorySource::new(text.as_bytes());
    let mut asked = Arguments { limit, ..arguments() };
    let mut whole = String::new();
    loop {
        let page = super::super::read(&source, Some(&Kind::Text), &asked, &caps(max_chars)).unwrap();
        assert!(page.chars as usize <= max_chars);
        assert!(!page.text.is_empty() || text.is_empty(), "no progress at {asked:?}");
        assert!(page.text.split_inclusive('\n').count() as u64 <= limit);
        whole.push_str(&page.text);
        match page.next {
            Some(next) => asked = follow(&next),
            None => return whole,
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,40}",
        2 => "\\PC{0,20}",
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => (1..1200_usize).prop_map(|n| "x".repeat(n)),
        1 => (1..300_usize).prop_map(|n| "😀".repeat(n)),
        1 => (1..100_usize).prop_map(|n| "한\n".repeat(n)),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn pages_joined_are_the_text(text in any_text(), limit in prop_oneof![Just(1), 1..20_u64, Just(1000)], max_chars in prop_oneof![Just(500), 500..3000_usize]) {
        prop_assert_eq!(joined(&text, limit, max_chars), text);
    }

    #[test]
    fn the_tiniest_pages_joined_are_the_text(text in "[a\n😀\r]{0,40}", limit in 1..5_u64, max_chars in 2..12_usize) {
        prop_assert_eq!(joined(&text, limit, max_chars), text);
    }

    #[test]
    fn a_page_is_where_it_says(text in any_text(), offset in 0..60_u64, limit in 1..30_u64, from_end: bool, char_offset in prop_oneof![Just(0), 0..600_u64]) {
        let asked = Arguments { offset, limit, from_end, char_offset, ..arguments() };
        let page = read_text(&text, &asked, &caps(500));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        prop_assert_eq!(page.total_lines, lines.len() as u64);
        prop_assert_eq!(page.chars, page.text.encode_utf16().count() as u64);
        if page.first_line > 0 {
            let shown = &lines[page.first_line as usize - 1..page.last_line as usize];
            prop_assert!(shown.concat().contains(&page.text));
            if let Some(next) = page.next {
                // What is shown ends exactly where the next page begins.
                let begun: String = lines[..next.offset.unwrap() as usize].concat();
                let until = utf16_len(begun.as_bytes()) + next.char_offset.unwrap_or(0) as usize;
                let units: Vec<u16> = text.encode_utf16().collect();
                prop_assert!(String::from_utf16(&units[..until]).unwrap().ends_with(&page.text));
            } else {
                prop_assert!(text.ends_with(&page.text));
            }
        } else {
            prop_assert!(page.notice.is_some());
        }
    }

    #[test]
    fn any_bytes_and_arguments_give_an_answer(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(0), Just(b'a')], 0..300),
        label in prop_oneof![Just(None), Just(Some("gbk")), Just(Some("utf-16be")), Just(Some("iso-2022-jp")), Just(Some("nonsense"))],
        offset in prop_oneof![0..20_u64, any::<u64>()], char_offset in prop_oneof![Just(0), 0..20_u64, any::<u64>()], limit in 1..1000_u64, from_end: bool,
    ) {
        let page = read_bytes(&bytes, label, &Arguments { offset, limit, char_offset, from_end, ..arguments() });
        prop_assert!(!page.text.is_empty() || page.notice.is_some());
        prop_assert!(!page.text.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t')));
    }
}
