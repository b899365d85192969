//! UTF-16 into UTF-8.

use std::convert::Infallible;

/// How many units become UTF-8 in one turn: large enough for a write, small enough for a near cache.
pub(super) const PIECE: usize = if cfg!(test) { 7 } else { 64 * 1024 };
/// Bytes that a unit takes at most.
const MOST_BYTES: usize = 3;
/// How many units are encoded side by side.
const AT_ONCE: usize = 16;
/// Room for as many, each written as four bytes.
const SPARE: usize = AT_ONCE * size_of::<u32>();

/// What a text became on its way to UTF-8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Encoded {
    /// Lone surrogates that were turned into U+FFFD.
    pub replaced: usize,
}

/// Whether a unit is the first half of a surrogate pair.
pub fn is_high(unit: u16) -> bool {
    unit & 0xfc00 == 0xd800
}

/// Whether a unit is the second half of a surrogate pair.
pub fn is_low(unit: u16) -> bool {
    unit & 0xfc00 == 0xdc00
}

/// Makes UTF-16 well-formed: lone surrogates become U+FFFD.
pub fn to_well_formed(units: &[u16]) -> (String, Encoded) {
    let mut text = String::with_capacity(units.len());
    let mut encoder = Encoder::default();
    let Ok(()) = encoder.each(units, true, &mut |piece| {
        text.push_str(piece);
        Ok::<_, Infallible>(())
    });
    (text, encoder.encoded)
}

/// Turns UTF-16 into UTF-8, piece by piece, in one buffer.
#[derive(Default)]
pub(super) struct Encoder {
    buffer: Vec<u8>,
    pub(super) encoded: Encoded,
    /// The first half of a pair whose second half may follow.
    held: Option<u16>,
}

impl Encoder {
    /// Encodes the units that follow; `is_end`: none do. No piece splits a character.
    pub(super) fn each<E>(
        &mut self,
        mut units: &[u16],
        is_end: bool,
        visit: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(high) = self.held.take() {
            let (piece, rest) = match units {
                [low, rest @ ..] if is_low(*low) => ([high, *low], rest),
                _ => ([high, 0], units),
            };
            let length = 1 + usize::from(is_low(piece[1]));
            visit(self.encode(&piece[..length]))?;
            units = rest;
        }
        if let Some((&last, before)) = units.split_last()
            && is_high(last)
            && !is_end
        {
            self.held = Some(last);
            units = before;
        }
        while !units.is_empty() {
            let at = if units.len() <= PIECE { units.len() } else { PIECE - usize::from(is_high(units[PIECE - 1])) };
            let (piece, rest) = units.split_at(at);
            visit(self.encode(piece))?;
            units = rest;
        }
        Ok(())
    }

    fn encode(&mut self, units: &[u16]) -> &str {
        // Without an early end, both loops run in vector registers.
        let all = units.iter().fold(0, |all, unit| all | unit);
        if all < 0x80 {
            self.buffer.clear();
            self.buffer.extend(units.iter().map(|&unit| unit as u8));
            return simdutf8::basic::from_utf8(&self.buffer).unwrap_or_default();
        }
        let has_surrogates = units.iter().fold(false, |any, unit| any | (unit & 0xf800 == 0xd800));
        if has_surrogates {
            self.encoded.replaced += lone_surrogates(units);
        }
        let most = units.len() * MOST_BYTES + SPARE;
        if self.buffer.len() < most {
            self.buffer.resize(most, 0);
        }
        let three_bytes = units.iter().filter(|&&unit| unit >= 0x800).count();
        let written = if !has_surrogates && three_bytes > units.len() / 4 {
            encode_characters(units, &mut self.buffer)
        } else {
            encoding_rs::mem::convert_utf16_to_utf8(units, &mut self.buffer)
        };
        let bytes = self.buffer.get(..written).unwrap_or_default();
        simdutf8::basic::from_utf8(bytes).unwrap_or_default()
    }
}

/// Encodes units without surrogates, and gives the number of bytes; the buffer has [`SPARE`] more than they can take.
///
/// Without a branch that depends on the text, and as far as the length of a character allows in vector registers: text in which
/// spaces part words of three bytes a character, such as Korean, takes half the time that it takes with `encoding_rs` 0.8.
/// Where most is ASCII, that one is faster.
fn encode_characters(units: &[u16], buffer: &mut [u8]) -> usize {
    let mut written = 0;
    let mut at_once = |units: &[u16; AT_ONCE], count: usize| {
        let encoded = units.map(|unit| {
            let unit = u32::from(unit);
            let last = unit & 0x3f | 0x80;
            if unit >= 0x800 {
                unit >> 12 | 0xe0 | (unit >> 6 & 0x3f | 0x80) << 8 | last << 16
            } else if unit >= 0x80 {
                unit >> 6 | 0xc0 | last << 8
            } else {
                unit
            }
        });
        let lengths = units.map(|unit| 1 + u8::from(unit >= 0x80) + u8::from(unit >= 0x800));
        let Some(bytes) = buffer.get_mut(written..).and_then(|rest| rest.first_chunk_mut::<SPARE>()) else { return };
        let mut at = 0;
        for (encoded, length) in encoded.into_iter().zip(lengths).take(count) {
            if let Some(bytes) = bytes.get_mut(at..at + size_of::<u32>()) {
                bytes.copy_from_slice(&encoded.to_le_bytes());
            }
            at += usize::from(length);
        }
        written += at;
    };
    let (many, rest) = units.as_chunks();
    many.iter().for_each(|units| at_once(units, AT_ONCE));
    let mut last = [0; AT_ONCE];
    last[..rest.len()].copy_from_slice(rest);
    at_once(&last, rest.len());
    written
}

fn lone_surrogates(mut units: &[u16]) -> usize {
    let mut count = 0;
    loop {
        let valid = encoding_rs::mem::utf16_valid_up_to(units);
        match units.get(valid + 1..) {
            Some(rest) => units = rest,
            None => return count,
        }
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::proptest;

    fn same_as_the_standard_library(units: &[u16]) {
        let mut buffer = vec![0xff; units.len() * MOST_BYTES + SPARE];
        let written = encode_characters(units, &mut buffer);
        assert_eq!(std::str::from_utf8(&buffer[..written]), Ok(&*String::from_utf16(units).unwrap()));
    }

    #[test]
    fn every_character_is_encoded() {
        let all: Vec<u16> = (0..=u16::MAX).filter(|unit| !(0xd800..0xe000).contains(unit)).collect();
        same_as_the_standard_library(&all);
        // Each at another place among its neighbours.
        for from in 1..AT_ONCE {
            same_as_the_standard_library(&all[from..]);
        }
    }

    #[test]
    fn counts_every_lone_surrogate() {
        let (text, encoded) = to_well_formed(&[0x61, 0xd83d, 0x62, 0xde00, 0xd83d, 0xde00, 0xd83d]);
        assert_eq!(text, "a\u{FFFD}b\u{FFFD}😀\u{FFFD}");
        assert_eq!(encoded.replaced, 3);
    }

    proptest! {
        #[test]
        fn any_characters_are_encoded(text in "[\\x00-\\u{d7ff}]{0,50}|[a가 é\\n]{0,50}") {
            same_as_the_standard_library(&text.encode_utf16().collect::<Vec<_>>());
        }
    }
}
