//! How many tokens a text has, by estimate: nobody's tokenizer, and no surprise for any script.

use super::{Gone, Text};

/// Units that are counted in one turn: the counters of a turn are 16 bits wide, which the processor adds eight or more at a time.
const TURN: usize = 16 * 1024;

/// Tokens by estimate: one for a char of Han, kana or Hangul, two for an astral char outside the
/// Han planes, one for four chars of the rest (`floor(chars / 4)` for ASCII).
pub fn estimate_tokens(text: &Text) -> Result<u64, Gone> {
    let mut wide = Wide::default();
    if !text.is_ascii_utf8() {
        text.each_units::<Gone>(|units| {
            for turn in units.chunks(TURN) {
                wide.add(turn);
            }
            Ok(())
        })?;
    }
    let narrow = (text.len() as u64).saturating_sub(wide.chars);
    Ok(wide.tokens + narrow / 4)
}

/// What was found of the scripts whose chars are tokens, or more.
#[derive(Default)]
struct Wide {
    chars: u64,
    tokens: u64,
}

impl Wide {
    fn add(&mut self, turn: &[u16]) {
        // The common case first: one pass that only looks whether there is anything to count.
        if turn.iter().fold(0, |all, unit| all | unit) < 0x1100 {
            return;
        }
        let (mut one_each, mut astral, mut astral_han) = (0_u16, 0_u16, 0_u16);
        for &unit in turn {
            one_each += u16::from(is_one_token(unit));
            astral += u16::from(within(unit, 0xd800, 0xdbff));
            astral_han += u16::from(within(unit, 0xd840, 0xd8bf));
        }
        let (one_each, astral, astral_han) = (u64::from(one_each), u64::from(astral), u64::from(astral_han));
        self.chars += one_each + 2 * astral;
        self.tokens += one_each + 2 * astral - astral_han;
    }
}

/// Han with its radicals and punctuation, kana, Hangul, and their half-width and compatibility forms.
fn is_one_token(unit: u16) -> bool {
    // No short circuits: this is meant for all lanes at once.
    within(unit, 0x1100, 0x11ff)
        | within(unit, 0x2e80, 0x9fff)
        | within(unit, 0xa960, 0xa97f)
        | within(unit, 0xac00, 0xd7ff)
        | within(unit, 0xf900, 0xfaff)
        | within(unit, 0xff65, 0xffdc)
}

fn within(unit: u16, first: u16, last: u16) -> bool {
    unit.wrapping_sub(first) <= last - first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn both(text: &str) -> (u64, u64) {
        let units: Vec<u16> = text.encode_utf16().collect();
        (
            estimate_tokens(&Text::from_string(text.to_owned())).unwrap(),
            estimate_tokens(&Text::from_units(units)).unwrap(),
        )
    }

    #[test]
    fn scripts_have_their_rates() {
        for (comment, text, tokens) in [
            ("empty", String::new(), 0),
            ("three ASCII chars", "abc".into(), 0),
            ("four ASCII chars", "abcd".into(), 1),
            ("many ASCII chars", "a".repeat(40_003), 10_000),
            ("Latin letters beyond ASCII", "é".repeat(8), 2),
            ("Han", "漢".repeat(40_000), 40_000),
            ("kana", "かナ".into(), 2),
            ("Hangul, composed and conjoining", "한\u{1112}\u{1161}\u{11ab}".into(), 4),
            ("half-width kana", "ｱ".into(), 1),
            ("an astral Han char", "𠀀".into(), 1),
            ("an emoji", "😀".into(), 2),
            ("a mixture", "abcd漢😀efgh".into(), 5),
            (
                "what lies around the ranges",
                "\u{10ff}\u{1200}\u{2e7f}\u{a000}\u{a95f}\u{a980}\u{abff}\u{f8ff}".into(),
                2,
            ),
        ] {
            assert_eq!(both(&text), (tokens, tokens), "{comment}");
        }
    }

    #[test]
    fn lone_surrogates_are_counted_once() {
        for (comment, units, tokens) in [
            ("a first half", vec![0xd83d], 2),
            ("four second halves", vec![0xde00; 4], 1),
            ("second halves before a first one", vec![0xde00, 0xde00, 0xde00, 0xde00, 0xde00, 0xde00, 0xd83d], 3),
        ] {
            assert_eq!(estimate_tokens(&Text::from_units(units)).unwrap(), tokens, "{comment}");
        }
    }

    proptest! {
        #[test]
        fn the_encoding_does_not_matter(text in "[a-z漢한😀𠀀é]{0,60}") {
            let (utf8, units) = both(&text);
            prop_assert_eq!(utf8, units);
        }
    }
}
