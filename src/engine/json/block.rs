//! Structure of JSON text found 64 bytes at a time.

/// Bytes of a block: one bit each in a mask.
pub(super) const BLOCK: usize = 64;

/// Where the brackets and commas of a block are that are not inside strings.
#[derive(Clone, Copy, Default)]
pub(super) struct Structure {
    /// `{` and `[`.
    pub opens: u64,
    /// `}` and `]`.
    pub closes: u64,
    /// `,`.
    pub commas: u64,
}

/// What the next block has to know of those before it.
#[derive(Clone, Copy, Default)]
pub(super) struct Carry {
    /// All ones inside a string.
    in_string: u64,
    /// Whether a backslash takes the meaning of the first byte.
    is_escaped: bool,
}

impl Carry {
    /// The structure of the next block.
    pub fn next(&mut self, block: &[u8; BLOCK]) -> Structure {
        let masks = masks(block);
        let quotes = masks.quotes & !self.escaped(masks.backslashes);
        let strings = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((strings as i64) >> 63) as u64;
        let outside = !strings;
        Structure { opens: masks.opens & outside, closes: masks.closes & outside, commas: masks.commas & outside }
    }

    /// Bytes that follow an escaping backslash.
    fn escaped(&mut self, backslashes: u64) -> u64 {
        let mut escaped = u64::from(self.is_escaped);
        self.is_escaped = false;
        let mut left = backslashes & !escaped;
        while left != 0 {
            let backslash = left & left.wrapping_neg();
            let after = backslash << 1;
            self.is_escaped = after == 0;
            escaped |= after;
            left &= !(backslash | after);
        }
        escaped
    }
}

/// Each bit becomes the parity of itself and the bits below: from a quote up to the next one, all ones.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[derive(Default)]
struct Masks {
    quotes: u64,
    backslashes: u64,
    opens: u64,
    closes: u64,
    commas: u64,
}

fn masks(block: &[u8; BLOCK]) -> Masks {
    const ONES: u64 = u64::MAX / 0xff;
    const LOW: u64 = ONES * 0x7f;
    // The high bit of every byte that equals `byte`, gathered into eight bits.
    let find = |word: u64, byte: u8| {
        let other = word ^ (ONES * u64::from(byte));
        let equal = !(((other & LOW) + LOW) | other | LOW);
        (equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let mut masks = Masks::default();
    for (index, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let folded = word | (ONES * 0x20);
        let shift = 8 * index;
        masks.quotes |= find(word, b'"') << shift;
        masks.backslashes |= find(word, b'\\') << shift;
        masks.opens |= find(folded, b'{') << shift;
        masks.closes |= find(folded, b'}') << shift;
        masks.commas |= find(word, b',') << shift;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Brackets and commas outside of strings, one byte at a time.
    fn plain(text: &[u8]) -> Vec<(usize, u8)> {
        let (mut found, mut in_string, mut is_escaped) = (Vec::new(), false, false);
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'"' if !is_escaped => in_string = !in_string,
                b'{' | b'[' | b'}' | b']' | b',' if !in_string => found.push((at, byte)),
                _ => {}
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        found
    }

    proptest! {
        #[test]
        fn finds_what_a_plain_loop_finds(text in "([\\\\\"\\[\\]{},a\u{1}é]|\\\\{1,70}){0,100}") {
            let mut carry = Carry::default();
            let mut found = Vec::new();
            for (index, chunk) in text.as_bytes().chunks(BLOCK).enumerate() {
                let mut block = [b' '; BLOCK];
                block[..chunk.len()].copy_from_slice(chunk);
                let structure = carry.next(&block);
                let all = structure.opens | structure.closes | structure.commas;
                for bit in (0..BLOCK).filter(|bit| all >> bit & 1 == 1) {
                    found.push((index * BLOCK + bit, block[bit]));
                }
            }
            prop_assert_eq!(found, plain(text.as_bytes()));
        }
    }
}
