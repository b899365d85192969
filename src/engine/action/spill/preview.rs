//! What the envelope shows of the text: its beginning, its end, and lines between them that look like errors.

use std::ops::Range;

use super::Spill;
use crate::engine::text::{Gone, Row, Text, Utf8, grouped, highlight_rows, is_high, is_low, to_well_formed, utf16_len};

/// Below this budget no highlight is worth its heading.
const MIN_HIGHLIGHT_BUDGET: usize = 20;

/// The preview, within the action's budget. `whole` is the text as UTF-8, where it is at hand.
pub fn preview(text: &Text, whole: Option<&Utf8>, action: &Spill) -> Result<String, Gone> {
    let chars = action.preview_chars;
    let budget = chars / 2;
    let (Some(matcher), Some(whole)) = (&action.highlights, whole) else {
        return ends(text, chars);
    };
    if text.len() <= chars || budget < MIN_HIGHLIGHT_BUDGET {
        return ends(text, chars);
    }
    let mut rows = highlight_rows(whole, matcher, &omitted(text, chars)?, budget);
    let used = length(&rows);
    if used == 0 {
        return ends(text, chars);
    }
    // The ends shrink by what the rows take, and may then leave out more of them: look again.
    let more = highlight_rows(whole, matcher, &omitted(text, chars - used)?, used);
    if more.len() >= rows.len() {
        rows = more;
    }
    let rows: String = rows.iter().map(Row::to_string).collect();
    Ok(format!("lines that look like errors:\n{rows}{}", ends(text, chars - used)?))
}

fn length(rows: &[Row]) -> usize {
    rows.iter().map(|row| utf16_len(row.to_string().as_bytes())).sum()
}

/// The beginning and the end of a text.
fn ends(text: &Text, chars: usize) -> Result<String, Gone> {
    if chars == 0 {
        return Ok(String::new());
    }
    if text.len() <= chars {
        return Ok(to_well_formed(&text.window(0..text.len())?).0);
    }
    let omitted = omitted(text, chars)?;
    let (first, _) = to_well_formed(&text.window(0..omitted.start)?);
    let (last, _) = to_well_formed(&text.window(omitted.end..text.len())?);
    Ok(format!("{first}\n...[{} chars omitted]...\n{last}", grouped(omitted.len() as u64)))
}

/// The part of a text that a preview of `chars` leaves out; empty where it leaves out nothing.
fn omitted(text: &Text, chars: usize) -> Result<Range<usize>, Gone> {
    let total = text.len();
    if total <= chars {
        return Ok(total..total);
    }
    let first = chars / 2;
    let last = total - (chars - first);
    let start = if inside_pair(text, first)? { first - 1 } else { first };
    let end = if inside_pair(text, last)? { last + 1 } else { last };
    Ok(start..end)
}

/// Whether a position lies between the halves of a surrogate pair.
fn inside_pair(text: &Text, at: usize) -> Result<bool, Gone> {
    if at == 0 || at >= text.len() {
        return Ok(false);
    }
    Ok(matches!(text.window(at - 1..at + 1)?[..], [high, low] if is_high(high) && is_low(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, preview_chars: usize) -> String {
        preview(&Text::from_string(text.into()), None, &Spill { preview_chars, highlights: None }).unwrap()
    }

    #[test]
    fn shows_both_ends_and_splits_no_pair() {
        for (comment, text, chars, shown) in [
            ("fits", "abc", 3, "abc"),
            ("nothing asked for", "abc", 0, ""),
            ("both ends", "abcdefghij", 4, "ab\n...[6 chars omitted]...\nij"),
            ("an odd budget gives the end one more", "abcdefghij", 3, "a\n...[7 chars omitted]...\nij"),
            ("one char", "abcdefghij", 1, "\n...[9 chars omitted]...\nj"),
            ("pairs on both cuts", "a😀cd😀f", 4, "a\n...[6 chars omitted]...\nf"),
            ("a pair at the end", "abcde😀", 3, "a\n...[4 chars omitted]...\n😀"),
        ] {
            assert_eq!(plain(text, chars), shown, "{comment}");
        }
    }
}
