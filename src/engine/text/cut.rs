//! Where a text may be cut: never inside a surrogate pair, and between graphemes where such a place is near.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{is_high, is_low};

/// How far a cut moves, in units, to reach a grapheme boundary. Longer clusters are cut.
pub(super) const MAX_MOVE: usize = 32;
/// What is looked at before a cut; enough for the longest cluster that a cut may respect.
const BEFORE: usize = 3 * MAX_MOVE;
/// What is looked at behind a cut.
pub(super) const AFTER: usize = 2 * MAX_MOVE;
/// How many regional indicators before that are looked at for the start of their run.
const MAX_FLAGS: usize = 2_048;
/// The units before a cut on which its place can depend: what a window must hold for the cut to be that of the whole text.
pub(super) const CONTEXT: usize = BEFORE + 2 * MAX_FLAGS + 4;

/// The best cut at or before `at`, at most 32 units away. `at` counts UTF-16 units; one past the end is the end.
pub fn cut_back(units: &[u16], at: usize) -> usize {
    let at = at.min(units.len());
    match split_cluster(units, at) {
        None => at,
        Some(cluster) if at - cluster.start <= MAX_MOVE => cluster.start,
        Some(_) => at - usize::from(inside_pair(units, at)),
    }
}

/// The best cut at or after `at`, at most 32 units away. `at` counts UTF-16 units; one past the end is the end.
pub fn cut_forward(units: &[u16], at: usize) -> usize {
    let at = at.min(units.len());
    match split_cluster(units, at) {
        None => at,
        Some(cluster) if cluster.end - at <= MAX_MOVE => cluster.end,
        Some(_) => at + usize::from(inside_pair(units, at)),
    }
}

/// Whether a position lies between the two halves of a surrogate pair.
pub fn inside_pair(units: &[u16], at: usize) -> bool {
    match (at.checked_sub(1).and_then(|before| units.get(before)), units.get(at)) {
        (Some(&before), Some(&after)) => is_high(before) && is_low(after),
        _ => false,
    }
}

/// The grapheme cluster that a cut would split, if it would split one.
fn split_cluster(units: &[u16], at: usize) -> Option<Range<usize>> {
    let (&before, &after) = (units.get(at.checked_sub(1)?)?, units.get(at)?);
    if joins_nothing(before) && joins_nothing(after) && (before, after) != (0x0d, 0x0a) {
        return None;
    }
    let from = context_start(units, at);
    let context = units.get(from..units.len().min(at + AFTER))?;
    let mut start = from;
    for grapheme in segmentable(context).graphemes(true) {
        let end = start + grapheme.chars().map(char::len_utf16).sum::<usize>();
        if at < end {
            return (start < at).then_some(start..end);
        }
        start = end;
    }
    None
}

/// Whether a character makes no cluster with another one of these (CR LF excepted): what lies below
/// the combining marks, Han, and Hangul syllables. Most text is of them and needs no look around.
fn joins_nothing(unit: u16) -> bool {
    matches!(unit, 0..0x300 | 0x3400..=0x9fff | 0xac00..=0xd7a3)
}

/// Where the look before a cut begins: at no second half of a pair, and at the start of a run of flags.
fn context_start(units: &[u16], at: usize) -> usize {
    let mut from = at.saturating_sub(BEFORE);
    from -= usize::from(inside_pair(units, from));
    // Regional indicators pair up from the start of their run, so that half a run is no context.
    for _ in 0..MAX_FLAGS {
        match from.checked_sub(2).and_then(|two| units.get(two..from)) {
            Some([0xd83c, 0xdde6..=0xddff]) => from -= 2,
            _ => break,
        }
    }
    from
}

/// The units as characters of the same lengths. A lone surrogate counts as the U+FFFD that it will become.
fn segmentable(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied()).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    fn utf16(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    const FAMILY: &str = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";

    #[test]
    fn cuts_move_to_the_boundaries_around_them() {
        for (comment, text, at, back, forward) in [
            ("nothing", "", 0, 0, 0),
            ("past the end", "ab", 9, 2, 2),
            ("ASCII", "abc", 1, 1, 1),
            ("a pair", "a😀b", 2, 1, 3),
            ("before a pair", "a😀b", 1, 1, 1),
            ("CR LF", "a\r\nb", 2, 1, 3),
            ("LF CR", "a\n\rb", 2, 2, 2),
            ("a combining mark", "ae\u{301}b", 2, 1, 3),
            ("a composed letter", "aéb", 2, 2, 2),
            ("a family", &format!("a{FAMILY}b"), 4, 1, 9),
            ("a skin tone", "a👍🏽b", 3, 1, 5),
            ("conjoining Hangul", "\u{1112}\u{1161}\u{11AB}", 2, 0, 3),
            ("a syllable and a conjoining final", "하\u{11AB}", 1, 0, 2),
            ("syllables", "하나", 1, 1, 1),
            ("flags pair up from the start", "🇰🇷🇺🇸", 4, 4, 4),
            ("inside a flag", "🇰🇷🇺🇸", 6, 4, 8),
        ] {
            let units = utf16(text);
            assert_eq!((cut_back(&units, at), cut_forward(&units, at)), (back, forward), "{comment}");
        }
    }

    #[test]
    fn a_long_run_of_flags_keeps_its_pairs() {
        let units = utf16(&"🇰🇷".repeat(300));
        for at in (0..units.len()).step_by(2) {
            assert_eq!(cut_back(&units, at) % 4, 0, "{at}");
            assert_eq!(cut_forward(&units, at) % 4, 0, "{at}");
        }
    }

    #[test]
    fn a_cluster_without_a_near_end_is_cut_between_pairs() {
        let mut units = utf16("e");
        units.extend(std::iter::repeat_n(0x301, 200));
        assert_eq!((cut_back(&units, 100), cut_forward(&units, 100)), (100, 100));
        let zalgo = utf16(&"\u{1D167}".repeat(100));
        assert_eq!((cut_back(&zalgo, 101), cut_forward(&zalgo, 101)), (100, 102));
    }

    #[test]
    fn a_lone_surrogate_is_a_character() {
        let units = [0x61, 0xd83d, 0x301, 0xde00, 0xd83d, 0x62];
        for (at, back, forward) in [(1, 1, 1), (2, 1, 3), (3, 3, 3), (4, 4, 4), (5, 5, 5)] {
            assert_eq!((cut_back(&units, at), cut_forward(&units, at)), (back, forward), "{at}");
        }
    }

    #[test]
    fn what_is_said_to_join_nothing_joins_nothing() {
        let sample = |unit: &u16| joins_nothing(*unit) && (*unit < 0x300 || unit.is_multiple_of(97));
        let chars: Vec<char> = (0..0xd800).filter(sample).filter_map(|unit| char::from_u32(unit.into())).collect();
        for pair in chars.iter().flat_map(|&first| chars.iter().step_by(7).map(move |&second| [first, second])) {
            let text = String::from_iter(pair);
            assert!(pair == ['\r', '\n'] || text.graphemes(true).count() == 2, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn cuts_are_the_nearest_boundaries(text in "[a\\r\\né\u{301}\u{200D}😀🇰👍🏽한中]{0,60}", at in 0_usize..90) {
            let units = utf16(&text);
            let mut boundaries: Vec<usize> = vec![0];
            for grapheme in text.graphemes(true) {
                boundaries.push(boundaries.last().unwrap() + grapheme.encode_utf16().count());
            }
            let at = at.min(units.len());
            let (back, forward) = (cut_back(&units, at), cut_forward(&units, at));
            prop_assert!(back <= at && at <= forward);
            prop_assert!(!inside_pair(&units, back) && !inside_pair(&units, forward));
            let nearest = *boundaries.iter().rfind(|&&boundary| boundary <= at).unwrap();
            if at - nearest <= MAX_MOVE {
                prop_assert_eq!(back, nearest);
            }
            let next = *boundaries.iter().find(|&&boundary| boundary >= at).unwrap();
            if next - at <= MAX_MOVE {
                prop_assert_eq!(forward, next);
            }
        }

        #[test]
        fn a_window_with_its_context_gives_the_cut_of_the_whole(text in "[a😀🇰🇷\u{301}]{0,80}", at in 0_usize..170) {
            let units = utf16(&text);
            let at = at.min(units.len());
            let from = at.saturating_sub(CONTEXT);
            let window = &units[from..units.len().min(at + AFTER)];
            prop_assert_eq!(from + cut_back(window, at - from), cut_back(&units, at));
            prop_assert_eq!(from + cut_forward(window, at - from), cut_forward(&units, at));
        }
    }
}
