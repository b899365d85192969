//! Text as the engine sees it: UTF-16 lengths and windows on demand.
//!
//! A *char* is a UTF-16 code unit everywhere, because that is what `string.length` counts.

mod source;

pub use source::{Encoded, Gone, HostText, Text, Utf8, is_high, is_low, to_well_formed, utf16_len};

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
