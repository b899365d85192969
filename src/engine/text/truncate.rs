//! The plain cut: the beginning, the end, or both, around a marker that tells what is missing.

use serde::Deserialize;

use super::cut::{AFTER, CONTEXT, MAX_MOVE};
use super::{Gone, Text, cut_back, cut_forward, grouped, to_well_formed};

/// What to keep of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// The longest result in UTF-16 units, marker included; 0 gives an empty text.
    pub max_chars: usize,
    /// Which part is kept.
    pub strategy: Strategy,
    /// How many lines at the end are kept before anything else; 0 for none.
    pub keep_tail_lines: usize,
}

/// Which part of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// The beginning and the end, 2:3.
    HeadTail,
}

/// A text after the cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated {
    /// Well-formed, and at most as long as was asked for.
    pub text: String,
    /// Lone surrogates of the part that was kept, turned into U+FFFD.
    pub replaced: usize,
    /// Whether anything was left out.
    pub changed: bool,
    /// The byte of `text` behind the marker, or the end where there is none.
    pub(super) behind_marker: usize,
}

/// Cuts a text to `max_chars`. A text that fits is kept whole. Only the beginning and the end of the
/// text are asked for, so that the time depends on `max_chars` and not on the text.
pub fn truncate(text: &Text, cut: &Truncation) -> Result<Truncated, Gone> {
    let (total, max) = (text.len(), cut.max_chars);
    if max == 0 {
        return Ok(Truncated { text: String::new(), replaced: 0, changed: total > 0, behind_marker: 0 });
    }
    if total <= max {
        let (whole, encoded) = text.to_utf8()?;
        let whole = whole.as_str().to_owned();
        return Ok(Truncated { behind_marker: whole.len(), text: whole, replaced: encoded.replaced, changed: false });
    }
    let ends = Ends::of(text, cut)?;
    let mut split = Split { strategy: cut.strategy, reserved: 0 };
    if cut.keep_tail_lines > 0 && cut.strategy != Strategy::Tail {
        match ends.last_lines(cut.keep_tail_lines, max) {
            Some(reserved) => split.reserved = reserved,
            None => split.strategy = Strategy::Tail,
        }
    }
    if let Some((head, tail)) = largest_with_marker(&ends, split, max) {
        return Ok(ends.join_with_marker(head, tail));
    }
    if split.reserved > 0 {
        split = Split { strategy: Strategy::Tail, reserved: 0 };
    }
    let (head, tail) = ends.cut(split, max);
    Ok(ends.join(head, tail))
}

/// The cut that keeps most and fits together with its own marker.
fn largest_with_marker(ends: &Ends, split: Split, max: usize) -> Option<(usize, usize)> {
    // The figures of a marker take at least 2 chars less than this one's; 4 is on the safe side.
    let room = (max + 4).checked_sub(marker_len(0, ends.total))?;
    // From this bound downwards the first amount that fits is the largest. Both cuts may move, so
    // that more must be tried than what fits unmoved.
    let bound = (room + 2 * MAX_MOVE).min(ends.total - 1);
    for kept in (split.reserved.max(1)..=bound).rev() {
        let (head, tail) = ends.cut(split, kept);
        let real = head + ends.total - tail;
        if real == 0 {
            return None;
        }
        if real + marker_len(real, ends.total) <= max {
            return Some((head, tail));
        }
    }
    None
}

/// How a number of kept chars is divided.
#[derive(Clone, Copy)]
struct Split {
    strategy: Strategy,
    /// Chars at the end that come first.
    reserved: usize,
}

impl Split {
    fn head_of(self, kept: usize) -> usize {
        let free = kept.saturating_sub(self.reserved);
        match self.strategy {
            Strategy::Head => free,
            Strategy::Tail => 0,
            // The same as `free * 2 / 5` without its overflow.
            Strategy::HeadTail => free / 5 * 2 + free % 5 * 2 / 5,
        }
    }
}

/// The two ends of a text, each as much as any cut of it may look at.
struct Ends {
    head: Vec<u16>,
    tail: Vec<u16>,
    /// Where `tail` begins in the text.
    tail_from: usize,
    /// Length of the whole text.
    total: usize,
}

impl Ends {
    fn of(text: &Text, cut: &Truncation) -> Result<Self, Gone> {
        let total = text.len();
        let reach = cut.max_chars + 2 * MAX_MOVE;
        let head = Split { strategy: cut.strategy, reserved: 0 }.head_of(reach) + AFTER;
        let tail = match cut.strategy {
            Strategy::Head if cut.keep_tail_lines == 0 => 0,
            _ => reach + CONTEXT,
        };
        let tail_from = total.saturating_sub(tail);
        Ok(Self { head: text.window(0..head)?, tail: text.window(tail_from..total)?, tail_from, total })
    }

    /// Where the kept head ends and the kept tail begins when `kept` chars are kept, or a few less.
    fn cut(&self, split: Split, kept: usize) -> (usize, usize) {
        let head = split.head_of(kept);
        let tail = self.total - (kept - head);
        (cut_back(&self.head, head), self.tail_from + cut_forward(&self.tail, tail - self.tail_from))
    }

    /// The chars of the last `lines` lines, if they are at most `max`, which is less than the text.
    fn last_lines(&self, lines: usize, max: usize) -> Option<usize> {
        let end = self.tail.get(self.tail.len().saturating_sub(max + 1)..)?;
        let mut at = end.len() - usize::from(end.last() == Some(&LF));
        for _ in 0..lines {
            at = end.get(..at)?.iter().rposition(|&unit| unit == LF)?;
        }
        Some(end.len() - at - 1)
    }

    fn join_with_marker(&self, head: usize, tail: usize) -> Truncated {
        let (before, after) = self.kept(head, tail);
        let (mut text, first) = to_well_formed(before);
        text.push_str(&marker(before.len() + after.len(), self.total));
        let behind_marker = text.len();
        let (rest, second) = to_well_formed(after);
        text.push_str(&rest);
        Truncated { text, replaced: first.replaced + second.replaced, changed: true, behind_marker }
    }

    fn join(&self, head: usize, tail: usize) -> Truncated {
        let (before, after) = self.kept(head, tail);
        let (text, encoded) = to_well_formed(&[before, after].concat());
        Truncated { behind_marker: text.len(), text, replaced: encoded.replaced, changed: true }
    }

    fn kept(&self, head: usize, tail: usize) -> (&[u16], &[u16]) {
        let after = self.tail.get(tail - self.tail_from..).unwrap_or_default();
        (self.head.get(..head).unwrap_or_default(), after)
    }
}

const LF: u16 = 0x0a;

/// What the model sees in place of the part that was left out: how much was kept, of how much.
fn marker(kept: usize, total: usize) -> String {
    format!(
        "\n...[kept {} of {} chars, {} left out]...\n",
        grouped(kept as u64),
        grouped(total as u64),
        grouped((total - kept) as u64)
    )
}

/// The length of a marker, without making it.
fn marker_len(kept: usize, total: usize) -> usize {
    const WORDS: usize = "\n...[kept  of  chars,  left out]...\n".len();
    WORDS + grouped_len(kept) + grouped_len(total) + grouped_len(total - kept)
}

fn grouped_len(number: usize) -> usize {
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    digits + (digits - 1) / 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    const STRATEGIES: [Strategy; 3] = [Strategy::Head, Strategy::Tail, Strategy::HeadTail];

    fn cut(text: &str, max_chars: usize, strategy: Strategy, keep_tail_lines: usize) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        let truncation = Truncation { max_chars, strategy, keep_tail_lines };
        let of_units = truncate(&Text::from_units(units), &truncation).unwrap();
        let of_utf8 = truncate(&Text::from_string(text.to_owned()), &truncation).unwrap();
        assert_eq!(of_units, of_utf8, "{truncation:?}");
        of_units.text
    }

    fn utf16_len(text: &str) -> usize {
        text.encode_utf16().count()
    }

    #[test]
    fn markers_are_as_long_as_they_say() {
        for total in [1, 9, 10, 999, 1_000, 1_001, 999_999, 1_000_000, 12_345_678] {
            for kept in [0, 1, 9, 10, 100, 999, 1_000, 999_999, total - 1] {
                if kept <= total {
                    assert_eq!(marker(kept, total).len(), marker_len(kept, total), "{kept} of {total}");
                }
            }
        }
    }

    #[test]
    fn whole_results() {
        use Strategy::{Head, HeadTail, Tail};
        let letters = "abcdefghijklmnopqrstuvwxyz".repeat(10);
        let lines = format!("{}last but one\nlast\n", "line\n".repeat(50));
        for (comment, text, max, strategy, lines, expected) in [
            ("no room", "abc", 0, Head, 0, ""),
            ("fits", "abc", 3, HeadTail, 0, "abc"),
            ("empty", "", 5, HeadTail, 0, ""),
            ("room for one char", "abc", 1, HeadTail, 0, "c"),
            ("no marker fits", "abcdefghij", 5, HeadTail, 0, "abhij"),
            ("no marker fits, head", "abcdefghij", 5, Head, 0, "abcde"),
            ("no marker fits, tail", "abcdefghij", 5, Tail, 0, "fghij"),
            ("head", &letters, 60, Head, 0, "abcdefghijklmnop\n...[kept 16 of 260 chars, 244 left out]...\n"),
            ("tail", &letters, 60, Tail, 0, "\n...[kept 16 of 260 chars, 244 left out]...\nklmnopqrstuvwxyz"),
            ("both", &letters, 60, HeadTail, 0, "abcdef\n...[kept 16 of 260 chars, 244 left out]...\nqrstuvwxyz"),
            (
                "last lines, head",
                &lines,
                70,
                Head,
                2,
                "line\nlin\n...[kept 26 of 268 chars, 242 left out]...\nlast but one\nlast\n",
            ),
            (
                "last lines, both",
                &lines,
                70,
                HeadTail,
                2,
                "lin\n...[kept 26 of 268 chars, 242 left out]...\nline\nlast but one\nlast\n",
            ),
            ("last lines, tail", &lines, 55, Tail, 9, "\n...[kept 11 of 268 chars, 257 left out]...\nt one\nlast\n"),
            (
                "last lines above the cap",
                &lines,
                60,
                Head,
                20,
                "\n...[kept 16 of 268 chars, 252 left out]...\nst but one\nlast\n",
            ),
            ("last lines push the marker out", &lines, 21, Head, 2, "ne\nlast but one\nlast\n"),
            (
                "more lines than there are",
                &lines,
                60,
                Head,
                1_000,
                "\n...[kept 16 of 268 chars, 252 left out]...\nst but one\nlast\n",
            ),
        ] {
            assert_eq!(cut(text, max, strategy, lines), expected, "{comment}");
        }
    }

    #[test]
    fn pairs_and_clusters_are_kept_whole_or_left_out_whole() {
        for pad in 0..4 {
            for wide in ["中", "é", "😀", "👨‍👩‍👧", "🇰🇷", "e\u{301}"] {
                let text = format!("{}{}{}", "P".repeat(pad), wide.repeat(40), "S".repeat(pad));
                for max in 0..=64 {
                    for strategy in STRATEGIES {
                        let result = cut(&text, max, strategy, 0);
                        assert!(
                            utf16_len(&result) <= max && !result.contains('\u{FFFD}'),
                            "{text:?} {max} {strategy:?}"
                        );
                        let (before, rest) = result.split_once("\n...[kept ").unwrap_or((&result, ""));
                        let after = rest.split_once(" left out]...\n").unwrap_or_default().1;
                        let strange = [before, after].concat().replace(wide, "").replace(['P', 'S'], "");
                        assert_eq!(strange, "", "{text:?} {max} {strategy:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn lone_surrogates_of_the_kept_part_are_counted() {
        let mut units = vec![0x61, 0xd83d];
        units.resize(20_000, 0x62);
        units.push(0xde00);
        for (strategy, replaced) in [(Strategy::Head, 1), (Strategy::Tail, 1), (Strategy::HeadTail, 2)] {
            let truncation = Truncation { max_chars: 1_000, strategy, keep_tail_lines: 0 };
            let result = truncate(&Text::from_units(units.clone()), &truncation).unwrap();
            assert_eq!((result.replaced, utf16_len(&result.text)), (replaced, 1_000), "{strategy:?}");
        }
    }

    struct Counting {
        len: usize,
        asked: std::sync::atomic::AtomicUsize,
    }
    impl super::super::HostText for Counting {
        fn len(&self) -> usize {
            self.len
        }
        fn window(&self, range: std::ops::Range<usize>) -> Result<Vec<u16>, Gone> {
            self.asked.fetch_add(range.len(), std::sync::atomic::Ordering::Relaxed);
            Ok(vec![0x78; range.len()])
        }
    }

    #[test]
    fn only_the_ends_are_asked_for() {
        let host = std::sync::Arc::new(Counting { len: 12_345_678, asked: 0.into() });
        let truncation = Truncation { max_chars: 4_000, strategy: Strategy::HeadTail, keep_tail_lines: 3 };
        let result = truncate(&Text::Host(host.clone()), &truncation).unwrap();
        assert!(
            result.text.contains("\n...[kept 3,939 of 12,345,678 chars, 12,341,739 left out]...\n"),
            "{}",
            result.text
        );
        assert_eq!(result.text.len(), 4_000);
        assert!(host.asked.load(std::sync::atomic::Ordering::Relaxed) < 20_000);
    }

    #[test]
    fn huge_limits_do_not_overflow() {
        assert_eq!(cut("abc", usize::MAX, Strategy::HeadTail, usize::MAX), "abc");
        assert_eq!(cut("a\nb", 2, Strategy::HeadTail, usize::MAX), "\nb");
    }

    proptest! {
        #[test]
        fn figures_are_those_of_the_cut(
            text in "[a\\n\\r é😀🇰\u{301}\u{200D}]{0,200}", max_chars in 0_usize..160, strategy in proptest::sample::select(STRATEGIES.to_vec()), keep_tail_lines in 0_usize..4,
        ) {
            let total = utf16_len(&text);
            let result = cut(&text, max_chars, strategy, keep_tail_lines);
            prop_assert!(utf16_len(&result) <= max_chars);
            if total <= max_chars {
                prop_assert_eq!(&result, &text);
            } else if let Some((before, rest)) = result.split_once("\n...[kept ") {
                let (figures, after) = rest.split_once(" left out]...\n").unwrap();
                prop_assert!(text.starts_with(before) && text.ends_with(after));
                let kept = utf16_len(before) + utf16_len(after);
                prop_assert_eq!(figures, format!("{kept} of {total} chars, {}", total - kept));
            } else {
                // Reserved lines may leave no room for it.
                prop_assert!(max_chars < 120 || keep_tail_lines > 0, "a marker fits into {}", max_chars);
            }
        }
    }
}
