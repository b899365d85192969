//! Lone surrogates on their way through work that needs well-formed text.
//!
//! UTF-8 has no form for them, and U+FFFD in their place would hide which were there, and keep two halves apart that
//! belong together once what stood between them is gone. So each travels as a private-use character of its own.

/// The first of the 2,048 characters that stand for U+D800 to U+DFFF, at the end of the last private-use plane.
const FIRST: u32 = 0x10_F000;
const LAST: u32 = FIRST + 0x7ff;

/// UTF-16 with lone surrogates as UTF-8; `None` where the text itself has one of the characters that stand for them.
pub fn carried(units: &[u16]) -> Option<String> {
    let mut text = String::with_capacity(units.len());
    for char in char::decode_utf16(units.iter().copied()) {
        let char = match char {
            Ok(char) if (FIRST..=LAST).contains(&u32::from(char)) => return None,
            Ok(char) => char,
            Err(lone) => char::from_u32(FIRST + u32::from(lone.unpaired_surrogate()) - 0xd800)?,
        };
        text.push(char);
    }
    Some(text)
}

/// UTF-16 of what [`carried`] gave, whatever was done to it.
pub fn released(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for char in text.chars() {
        match u32::from(char) {
            code @ FIRST..=LAST => units.push((code - FIRST + 0xd800) as u16),
            _ => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_find_each_other_when_what_stood_between_them_is_gone() {
        let units = [0xd83d, 0x78, 0xde00, 0xdc00];
        let text = carried(&units).unwrap().replace('x', "");
        assert_eq!(released(&text), [0xd83d, 0xde00, 0xdc00]);
        let own: Vec<u16> = "\u{10F000}".encode_utf16().collect();
        assert_eq!(carried(&own), None);
    }

    proptest! {
        #[test]
        fn any_units_come_back(units in proptest::collection::vec(any::<u16>(), 0..50)) {
            if let Some(text) = carried(&units) {
                prop_assert_eq!(released(&text), units);
            }
        }
    }
}
