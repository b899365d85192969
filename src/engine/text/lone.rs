//! Lone surrogates on their way through work that needs well-formed text.
//!
//! UTF-8 has no form for them, and U+FFFD in their place would hide which were there, and keep two halves apart that
//! belong together once what stood between them is gone. So each travels as a private-use character of its own.

/// The private-use planes, and the surrogates: each block of the planes has a character for each surrogate.
const PLANES: u32 = 0xf_0000;
const BLOCK: u32 = 0x800;
const BLOCKS: u32 = 0x2_0000 / BLOCK;

/// Text in which the characters of one block, none of them its own, stand for lone surrogates.
pub struct Carried {
    /// The text, well-formed.
    pub text: String,
    first: u32,
}

/// UTF-16 with lone surrogates as UTF-8; `None` where the text has characters of every block there is.
pub fn carried(units: &[u16]) -> Option<Carried> {
    let chars = || char::decode_utf16(units.iter().copied());
    let mut used = 0_u64;
    for char in chars().flatten() {
        if let Some(at) = u32::from(char).checked_sub(PLANES) {
            used |= 1 << (at / BLOCK);
        }
    }
    // The last that is free: fonts of icons use the first ones.
    let block = (0..BLOCKS).rev().find(|block| used & (1 << block) == 0)?;
    let first = PLANES + block * BLOCK;
    let mut text = String::with_capacity(units.len());
    for char in chars() {
        let standing = |unit: u16| char::from_u32(first + u32::from(unit) - 0xd800);
        text.push(
            char.or_else(|lone| standing(lone.unpaired_surrogate()).ok_or(lone)).unwrap_or(char::REPLACEMENT_CHARACTER),
        );
    }
    Some(Carried { text, first })
}

impl Carried {
    /// UTF-16 of the text, whatever was done to it meanwhile.
    pub fn released(&self, text: &str) -> Vec<u16> {
        let mut units = Vec::with_capacity(text.len());
        for char in text.chars() {
            match u32::from(char).checked_sub(self.first) {
                Some(at @ 0..BLOCK) => units.push((at + 0xd800) as u16),
                _ => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
            }
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_find_each_other_when_what_stood_between_them_is_gone() {
        let carried = carried(&[0xd83d, 0x78, 0xde00, 0xdc00]).unwrap();
        assert_eq!(carried.released(&carried.text.replace('x', "")), [0xd83d, 0xde00, 0xdc00]);
    }

    #[test]
    fn characters_of_the_text_stand_for_themselves() {
        let mut text: Vec<u16> = "\u{F0000}\u{10F000}\u{10FFFF}\u{10F7FF}".encode_utf16().collect();
        text.push(0xd800);
        let carried_text = carried(&text).unwrap();
        assert_eq!(carried_text.released(&carried_text.text), text);
        let all = (0..BLOCKS).filter_map(|block| char::from_u32(PLANES + block * BLOCK)).collect::<String>();
        assert!(carried(&all.encode_utf16().collect::<Vec<_>>()).is_none());
    }

    proptest! {
        #[test]
        fn any_units_come_back(units in proptest::collection::vec(any::<u16>(), 0..50)) {
            if let Some(carried) = carried(&units) {
                prop_assert_eq!(carried.released(&carried.text), units);
            }
        }
    }
}
