//! Text as the engine sees it: UTF-16 lengths and windows on demand.
//!
//! A *char* is a UTF-16 code unit everywhere, because that is what `string.length` counts.

mod ansi;
mod cut;
mod encode;
mod js_regex;
mod lines;
mod lone;
mod matching;
mod source;
mod terminal;
mod tokens;
mod truncate;

pub use ansi::strip_ansi;
pub use cut::{cut_back, cut_forward, inside_pair};
pub use encode::{Encoded, is_high, is_low, to_well_formed};
pub use lines::{LineCounter, count_lines};
pub use lone::carried;
pub use matching::{LineMatcher, Row, highlight_rows, keep_matching};
pub use source::{Ahead, Gone, HostText, Text, Utf8, utf16_len};
pub use terminal::terminal;
pub use tokens::estimate_tokens;
pub use truncate::{Strategy, Truncated, Truncation, truncate};

/// A number with thousands separators: `1234567` becomes `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
