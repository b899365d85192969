use proptest::prelude::*;

use super::*;
use crate::engine::text::utf16_len;

fn literal(pattern: &str) -> Arguments {
    Arguments { pattern: Some(pattern.to_owned()), ..arguments() }
}

fn regex(pattern: &str) -> Arguments {
    Arguments { regex: true, ..literal(pattern) }
}

fn find(text: &str, arguments: &Arguments) -> Page {
    read_text(text, arguments, &Caps::default())
}

/// Line, char and text of what a page found.
fn found(page: &Page) -> Vec<(u64, u64, &str)> {
    let matches = page.matches.as_deref().unwrap_or_default();
    matches.iter().map(|found| (found.line, found.char.unwrap(), found.text.as_str())).collect()
}

#[test]
fn a_literal_is_found_once_a_line() {
    let text = "one cat\ncat cat\r\n\nno\n😀 cat";
    let page = find(text, &literal("cat"));
    assert_eq!(page.text, "1: one cat\n2: cat cat\n5: 😀 cat\n");
    assert_eq!(found(&page), [(1, 4, "one cat"), (2, 0, "cat cat"), (5, 3, "😀 cat")]);
    assert_eq!((page.first_line, page.last_line, page.total_lines, page.chars), (1, 5, 5, 32));
    assert_eq!((page.next, page.notice.as_deref()), (None, Some("Matches 1–3 of 3.")));
}

#[test]
fn offset_and_limit_count_matches() {
    let text = (1..=10).map(|line| format!("hit {line}\nmiss\n")).collect::<String>();
    let asked = |offset, limit, from_end| Arguments { offset, limit, from_end, ..literal("hit") };
    let next = |offset, limit| {
        Some(Next { pattern: Some("hit".to_owned()), offset: Some(offset), limit: Some(limit), ..Next::default() })
    };
    let rows = [
        ("the first", asked(0, 1, false), "1: hit 1\n", "Match 1 of 10.", next(1, 1)),
        ("some", asked(2, 2, false), "5: hit 3\n7: hit 4\n", "Matches 3–4 of 10.", next(4, 2)),
        ("the last", asked(9, 5, false), "19: hit 10\n", "Match 10 of 10.", None),
        ("from the end", asked(0, 2, true), "17: hit 9\n19: hit 10\n", "Matches 9–10 of 10.", None),
        ("before the end", asked(1, 2, true), "15: hit 8\n17: hit 9\n", "Matches 8–9 of 10.", next(9, 2)),
        ("more than there are", asked(9, 5, true), "1: hit 1\n", "Match 1 of 10.", next(1, 1)),
        (
            "past the end",
            asked(10, 5, false),
            "",
            "Past the last match: there are 10; the last valid offset is 9.",
            None,
        ),
        (
            "past the start",
            asked(10, 5, true),
            "",
            "Past the last match: there are 10; the last valid offset is 9.",
            None,
        ),
        (
            "far past",
            asked(u64::MAX, 5, false),
            "",
            "Past the last match: there are 10; the last valid offset is 9.",
            None,
        ),
    ];
    for (comment, asked, shown, notice, next) in rows {
        let page = find(&text, &asked);
        assert_eq!((page.text.as_str(), page.notice.as_deref(), page.next), (shown, Some(notice), next), "{comment}");
    }
    let none = find(&text, &literal("absent"));
    assert_eq!(
        (none.text.as_str(), none.matches, none.notice.as_deref()),
        ("", Some(vec![]), Some("No line matches."))
    );
}

#[test]
fn expressions_see_single_lines() {
    let text = "alpha\r\nBeta 12\n\ngamma\tx\nend";
    type Row = (&'static str, Arguments, &'static [(u64, u64)]);
    let rows: [Row; 17] = [
        ("start", regex("^g"), &[(4, 0)]),
        ("end before CRLF", regex("a$"), &[(1, 4)]),
        ("end of the text", regex("d$"), &[(5, 2)]),
        ("empty line", regex("^$"), &[(3, 0)]),
        ("an empty match everywhere", regex("x*"), &[(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]),
        ("no match across lines", regex("a\\s+B"), &[]),
        ("white space is no line end", regex("\\s"), &[(2, 4), (4, 5)]),
        ("nor is what is no letter", regex("[^a-z]"), &[(2, 0), (4, 5)]),
        ("nor is any char", regex("(?s)a.*B"), &[]),
        ("a line feed is in no line", regex("a\\nB"), &[]),
        ("nor is its carriage return", regex("a\\r"), &[]),
        ("not for a class either", regex("a[^bm]$"), &[]),
        ("a line ends a word", regex("a\\b$"), &[(1, 4)]),
        ("alternatives", regex("\\d+|x$"), &[(2, 5), (4, 6)]),
        ("anchors of the text are those of the line", regex("\\AB"), &[(2, 0)]),
        ("without regard to case", Arguments { ignore_case: true, ..regex("^b") }, &[(2, 0)]),
        ("a literal as well", Arguments { ignore_case: true, ..literal("BETA 1") }, &[(2, 0)]),
    ];
    for (comment, asked, expected) in rows {
        let page = find(text, &asked);
        let places: Vec<_> = found(&page).into_iter().map(|(line, char, _)| (line, char)).collect();
        assert_eq!(places, expected, "{comment}");
    }
    assert_eq!(find("a.b\naxb\n", &literal("a.b")).matches.unwrap().len(), 1, "a literal is no expression");
    assert_eq!(find("(a\n", &Arguments { ignore_case: true, ..literal("(A") }).matches.unwrap().len(), 1);
}

#[test]
fn a_wrong_expression_is_explained() {
    let page = find("a\nb\n", &regex("(?=a)"));
    assert_eq!((page.text.as_str(), page.total_lines, &page.matches, page.first_line), ("", 2, &None, 0));
    assert!(page.notice.unwrap().contains("look-around"));
}

#[test]
fn context_is_merged() {
    let text = (1..=12)
        .map(|line| format!("{}{line}\n", if [2, 4, 10].contains(&line) { "hit" } else { "l" }))
        .collect::<String>();
    let asked = |offset, limit, context| Arguments { offset, limit, context, ..literal("hit") };
    let rows = [
        ("windows touch", asked(0, 9, 1), "1- l1\n2: hit2\n3- l3\n4: hit4\n5- l5\n9- l9\n10: hit10\n11- l11\n"),
        ("windows overlap", asked(0, 2, 3), "1- l1\n2: hit2\n3- l3\n4: hit4\n5- l5\n6- l6\n7- l7\n"),
        ("the next match is on the next page", asked(0, 1, 3), "1- l1\n2: hit2\n3- l3\n"),
        ("a match before the page is context", asked(1, 1, 2), "2- hit2\n3- l3\n4: hit4\n5- l5\n6- l6\n"),
        (
            "the ends of the text",
            asked(2, 1, 20),
            &text
                .lines()
                .zip(1..)
                .map(|(line, n)| format!("{n}{} {line}\n", if n == 10 { ':' } else { '-' }))
                .collect::<String>(),
        ),
    ];
    for (comment, asked, shown) in rows {
        assert_eq!(find(&text, &asked).text, shown, "{comment}");
    }
    assert_eq!(find(&text, &asked(0, 1, 3)).matches.unwrap().len(), 1);
}

#[test]
fn a_full_page_shows_its_first_match_all_the_same() {
    let line = "x".repeat(240);
    let text = format!("{0}\n{0}\n{0}\nhit {1}\n{0}\n{0}\nhit\n", line, &line[..200]);
    let asked = Arguments { context: 20, ..literal("hit") };
    let page = read_text(&text, &asked, &caps(500));
    assert_eq!(page.text, format!("3- {line}\n4: hit {}\n", &line[..200]));
    assert_eq!(page.next.as_ref().unwrap().offset, Some(1));
    let rest = read_text(&text, &follow(&page.next.unwrap()), &caps(500));
    assert_eq!(rest.text, format!("5- {line}\n6- {line}\n7: hit\n"));
    assert_eq!(rest.next, None);
}

#[test]
fn counting_stops_at_ten_thousand() {
    let text = "hit\n".repeat(20_000);
    let notice = |asked: Arguments| find(&text, &asked).notice.unwrap();
    assert_eq!(notice(Arguments { limit: 2, ..literal("hit") }), "Matches 1–2 of more than 10,000.");
    assert_eq!(notice(Arguments { limit: 2, ..regex("^hit") }), "Matches 1–2 of more than 10,000.");
    assert_eq!(notice(Arguments { limit: 1, offset: 15_000, ..literal("hit") }), "Match 15,001 of more than 10,000.");
    assert_eq!(notice(Arguments { limit: 1, from_end: true, ..literal("hit") }), "Match 20,000 of 20,000.");
    assert_eq!(find(&"hit\n".repeat(10_000), &literal("hit")).notice.unwrap(), "Matches 1–200 of 10,000.");
    // Who looks behind the last has had them all counted.
    let past = notice(Arguments { offset: 25_000, ..literal("hit") });
    assert_eq!(past, "Past the last match: there are 20,000; the last valid offset is 19999.");
}

#[test]
fn one_carriage_return_belongs_to_the_end_of_a_line_and_a_second_to_the_line() {
    let found = |line: &str| find(&format!("{line}\n"), &literal("hit")).matches.unwrap().len();
    let line = |rest: &str| format!("hit{}hit{rest}", "x".repeat(1_994));
    assert_eq!(utf16_len(line("").as_bytes()), 2_000);
    assert_eq!([found(&line("")), found(&line("\r")), found(&line("\r\r"))], [1, 1, 2], "matches");
    let every = |line: &str| find(&format!("{line}\n"), &regex("h.t")).matches.unwrap().len();
    assert_eq!([every(&line("")), every(&line("\r")), every(&line("\r\r"))], [1, 1, 2], "matches of an expression");
}

#[test]
fn a_long_line_is_a_window_that_reads_back() {
    let half = "x".repeat(2_500_000);
    let text = format!("first\n{half}needle{half}\r\nneedle{half}\n{half}needle");
    for asked in [
        literal("needle"),
        regex("ne+dle"),
        regex("ne{2,}dle\\b|needle"),
        Arguments { context: 1, ..literal("needle") },
    ] {
        let page = find(&text, &asked);
        let matches = page.matches.as_deref().unwrap();
        assert_eq!(
            matches.iter().map(|found| (found.line, found.char)).collect::<Vec<_>>(),
            [(2, Some(2_500_000)), (3, Some(0)), (4, Some(2_500_000))],
            "{asked:?}"
        );
        for found in matches {
            assert!(found.text.contains("needle") && found.text.len() <= 906, "{asked:?}");
            let back = Arguments { offset: found.line - 1, char_offset: found.char.unwrap(), ..arguments() };
            assert!(find(&text, &back).text.starts_with("needle"));
        }
        assert!(page.text.contains("2: (char 2,500,000) …xxx"), "{asked:?}");
    }
}

#[test]
fn a_long_line_has_a_match_wherever_the_window_before_does_not_reach() {
    // Every tenth hit stands so close to the one before that it is seen with it.
    let record =
        |id: usize| format!("{{\"id\":{id},\"text\":\"{}\"}},", "x".repeat(if id % 10 == 9 { 100 } else { 900 }));
    let line: String = (0..5_000).map(record).collect();
    let text = format!("id id\n{line}\r\nid id\n");
    let places: Vec<u64> = line.match_indices("id").map(|(at, _)| at as u64).collect();
    let apart: Vec<u64> =
        places.iter().enumerate().filter(|(id, _)| id % 10 != 0 || *id == 0).map(|(_, &at)| at).collect();
    let expected: Vec<_> = [(1, 0)].into_iter().chain(apart.into_iter().map(|at| (2, at))).chain([(3, 0)]).collect();
    for asked in [literal("id"), regex("[i]d"), regex("i+d\\b"), Arguments { ignore_case: true, ..literal("ID") }] {
        let page = find(&text, &asked);
        assert!(page.notice.as_deref().unwrap().ends_with(" of 4,503."), "{asked:?} {:?}", page.notice);
        assert_eq!(all(&text, &asked, 50_000), expected, "{asked:?}");
        let last = find(&text, &Arguments { from_end: true, limit: 3, ..asked.clone() });
        let last: Vec<_> = found(&last).into_iter().map(|(line, char, _)| (line, char)).collect();
        assert_eq!(last, expected[expected.len() - 3..], "{asked:?}");
    }
}

#[test]
fn a_line_that_is_shown_whole_is_one_match() {
    for (line, matches) in [("ab".repeat(1_000), 1), ("ab".repeat(1_000) + "c", 4), ("가b".repeat(1_000), 1)] {
        for asked in [literal("b"), regex("[b]"), regex("b+")] {
            let page = find(&format!("{line}\r\n{line}"), &asked);
            assert_eq!(found(&page).len(), 2 * matches, "{} {asked:?}", line.len());
        }
    }
}

#[test]
fn an_expression_that_matches_everywhere_is_found_once_a_line() {
    let text = "ab ".repeat(2_000);
    for pattern in ["z*", "\\b", "^|z", "a.*b"] {
        assert_eq!(found(&find(&text, &regex(pattern))).len(), 1, "{pattern}");
    }
}

#[test]
fn dots_stand_where_a_line_goes_on() {
    let gap = "x".repeat(3_000);
    for asked in [literal("needle"), regex("ne+dle")] {
        let rows = |text: &str| find(text, &asked).text;
        assert!(rows(&format!("needle{gap}")).starts_with("1: (char 0) needlexx"), "{asked:?}");
        assert!(rows(&format!("needle{gap}")).ends_with("x…\n"), "{asked:?}");
        assert!(rows(&format!("{gap}needle")).starts_with("1: (char 3,000) …x"), "{asked:?}");
        assert!(rows(&format!("{gap}needle\r\nx")).trim_end().ends_with("needle"), "{asked:?}");
    }
}

#[test]
fn a_char_offset_beside_a_pattern_is_told() {
    let page = find("a cat", &Arguments { char_offset: 3, ..literal("cat") });
    assert_eq!(
        page.notice.as_deref(),
        Some("Match 1 of 1. char_offset was left out: with a pattern, offset counts matches.")
    );
}

#[test]
fn windows_of_literals_and_of_expressions() {
    let text = format!("{}needle{}\r\n", "가".repeat(3000), "나".repeat(3000));
    let window = |asked: &Arguments| find(&text, asked).matches.unwrap().remove(0).text;
    assert_eq!(window(&literal("needle")), format!("{}needle{}", "가".repeat(100), "나".repeat(200)));
    assert_eq!(window(&regex("need.e")), format!("{}needle{}", "가".repeat(300), "나".repeat(594)));
}

#[test]
fn bytes_are_searched_decoded_and_shown_visibly() {
    let utf16: Vec<u8> = "\u{FEFF}a\x1b[0m 가\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = read_bytes(&utf16, None, &literal("가"));
    assert_eq!(page.text, "1: a\u{241b}[0m 가\n");
    assert_eq!(found(&page)[0].1, 6);
}

#[test]
fn matches_across_pieces_are_found() {
    // Around every place where one piece of the text gives way to the next.
    for at in (1024 * 1024 - 8)..=(1024 * 1024 + 8) {
        for asked in [literal("needle"), regex("ne[e]dle"), regex("ne+dle")] {
            let text = format!("{}\n{}needle\n", "x".repeat(99), "y".repeat(at - 100));
            assert_eq!(found(&find(&text, &asked)).len(), 1, "{at} {asked:?}");
        }
    }
}

#[test]
fn evil_expressions_take_linear_time() {
    let text = "a".repeat(200_000) + "!";
    // Many matches in one line, each of which could look far ahead.
    let page = find(&"x".repeat(2_000_000), &regex("x(?:[a-y]{0,1000}q)?"));
    assert!(page.notice.unwrap().ends_with(" of 3,334."));
    for pattern in ["(a+)+$", "(a|a)*b", "(.*)*,", "(x+x+)+y", "a{1,50}b"] {
        let page = find(&text, &regex(pattern));
        assert_eq!(page.notice.as_deref(), Some("No line matches."), "{pattern}");
    }
}

#[test]
fn a_giant_line_is_never_held() {
    let source = Repeated::new("abcdefghi ", 80_000_000, 3);
    let last = source.size - 10;
    for asked in [literal("i abcdefghij"), literal("ABCDE")] {
        let page = super::super::read(&source, Some(&Kind::Text), &asked, &Caps::default()).unwrap();
        assert_eq!(page.notice.as_deref(), Some("No line matches."));
    }
    source.bytes_read();
    let page = super::super::read(&source, Some(&Kind::Text), &literal("hi abc"), &Caps::default()).unwrap();
    assert_eq!(found(&page)[0].1, 7);
    assert!(source.bytes_read() <= source.size + 3_000_000);
    // Only what needs the whole line at once sees only its first 64 MiB.
    let page = super::super::read(&source, Some(&Kind::Text), &regex("z+|j$"), &Caps::default()).unwrap();
    assert!(page.notice.unwrap().contains("only the first 64 MiB were searched"));
    let back = Arguments { char_offset: last, ..arguments() };
    assert_eq!(super::super::read(&source, Some(&Kind::Text), &back, &Caps::default()).unwrap().text, "abcdefghi ");
}

/// What a search should find: line, and char in it. In lines that are shown whole the first match; in others, of the
/// matches one after the other, those that end behind the window of the last one.
fn expected(text: &str, expression: &regex::Regex, max_chars: usize) -> Vec<(u64, u64)> {
    let long = 2_000.min(max_chars / 2);
    let window = 300.min(long / 4);
    let mut places = Vec::new();
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut shown = None;
        for found in expression.find_iter(line) {
            let counts = match shown {
                None => true,
                Some(shown) => utf16_len(line.as_bytes()) > long && found.end() > shown,
            };
            if counts {
                places.push((number, utf16_len(&line.as_bytes()[..found.start()]) as u64));
                shown = Some(found.start() + 2 * window);
            }
        }
    }
    places
}

/// The first place in each line.
fn firsts(places: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut firsts = places.to_vec();
    firsts.dedup_by_key(|&mut (line, _)| line);
    firsts
}

/// All that following `next` finds.
fn all(text: &str, first: &Arguments, max_chars: usize) -> Vec<(u64, u64)> {
    let (mut asked, mut places) = (first.clone(), Vec::new());
    loop {
        let page = read_text(text, &asked, &caps(max_chars));
        assert!(page.chars as usize <= max_chars, "{asked:?}");
        assert_eq!(page.chars as usize, utf16_len(page.text.as_bytes()));
        places.extend(page.matches.iter().flatten().map(|found| (found.line, found.char.unwrap())));
        let Some(next) = page.next else {
            return places;
        };
        assert!(next.offset.unwrap() > asked.offset, "no progress at {asked:?}");
        asked = follow(&next);
    }
}

fn any_lines() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[abc ]{0,6}",
        3 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => "[é😀\\r\\u{2028}\\u{85}]{1,3}",
        1 => (100..900_usize).prop_map(|n| "ab c".repeat(n / 4)),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => "[abc]{1,2}",
        1 => Just(".".to_owned()),
        1 => Just("[^a]".to_owned()),
        1 => Just("\\s".to_owned()),
        1 => Just("\\W".to_owned()),
        1 => Just("^".to_owned()),
        1 => Just("$".to_owned()),
        1 => Just("\\b".to_owned()),
        1 => Just("\\B".to_owned()),
        1 => Just("\\A".to_owned()),
        1 => Just("\\z".to_owned()),
        1 => Just("\\r".to_owned()),
        1 => Just("\\n".to_owned()),
        1 => Just("(?m:^)".to_owned()),
        1 => Just("(?m:$)".to_owned()),
        1 => Just("(?s:.)".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            1 => (inner.clone(), prop_oneof!["[*+?]", Just("{1,2}".to_owned()), Just("*?".to_owned())]).prop_map(|(a, b)| format!("(?:{a}){b}")),
            1 => inner.prop_map(|a| format!("({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn expressions_find_what_each_line_holds(text in any_lines(), pattern in any_expression(), limit in 1..20_u64, context in 0..3_u64, ignore_case: bool) {
        let flags = if ignore_case { "(?i)" } else { "" };
        let reference = regex::Regex::new(&format!("{flags}{pattern}")).unwrap();
        let asked = Arguments { limit, context, ignore_case, ..regex(&pattern) };
        let places = all(&text, &asked, 500);
        prop_assert_eq!(firsts(&places), firsts(&expected(&text, &reference, 500)), "{}", pattern);
        // How far a later match reaches is not said, only that there is one.
        let lines: Vec<&str> = text.split('\n').collect();
        for (line, char) in places {
            let line = lines[line as usize - 1];
            let line = line.strip_suffix('\r').unwrap_or(line);
            let units: Vec<u16> = line.encode_utf16().take(char as usize).collect();
            let byte = String::from_utf16(&units).unwrap().len();
            prop_assert_eq!(reference.find_at(line, byte).map(|found| found.start()), Some(byte), "{}", pattern);
        }
    }

    #[test]
    fn literals_find_what_each_line_holds(text in any_lines(), pattern in "[abc 😀é]{1,3}", limit in 1..20_u64, context in 0..3_u64) {
        let reference = regex::Regex::new(&regex::escape(&pattern)).unwrap();
        let asked = Arguments { limit, context, ..literal(&pattern) };
        prop_assert_eq!(all(&text, &asked, 500), expected(&text, &reference, 500));
    }

    #[test]
    fn the_last_matches_are_the_last_of_all(text in any_lines(), pattern in "[abc]{1,2}", offset in 0..5_u64, limit in 1..5_u64) {
        let every = all(&text, &literal(&pattern), 50_000);
        let asked = Arguments { offset, limit, from_end: true, ..literal(&pattern) };
        let page = find(&text, &asked);
        let end = every.len().saturating_sub(offset as usize);
        let last = &every[end.saturating_sub(limit as usize)..end];
        prop_assert_eq!(page.matches.unwrap().iter().map(|found| (found.line, found.char.unwrap())).collect::<Vec<_>>(), last);
    }

    #[test]
    fn hits_read_back_at_their_place(text in any_lines(), pattern in "[abc😀]{1,3}") {
        for found in find(&text, &literal(&pattern)).matches.unwrap() {
            let back = Arguments { offset: found.line - 1, char_offset: found.char.unwrap(), limit: 1, ..arguments() };
            prop_assert!(find(&text, &back).text.starts_with(&pattern));
            prop_assert!(found.text.contains(&pattern));
        }
    }

    #[test]
    fn any_pattern_gives_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), pattern in "\\PC{1,20}", regex: bool, ignore_case: bool, context in 0..20_u64, from_end: bool) {
        let page = read_bytes(&bytes, Some("windows-1252"), &Arguments { regex, ignore_case, context, from_end, ..literal(&pattern) });
        prop_assert!(page.notice.is_some());
    }
}
