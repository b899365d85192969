use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::encode::{Encoded, Encoder, PIECE};

/// How many UTF-16 units are taken from a host string in one turn: under a millisecond of its thread.
const WINDOW: usize = if cfg!(test) { 5 } else { 256 * 1024 }; // tests meet the edges often
/// How many windows the host is asked for before the first is needed: to wake its thread takes longer than to work on one.
const AHEAD: usize = 4;
/// How many bytes of UTF-8 become UTF-16 in one turn: the result stays in a near cache.
const DECODED: usize = 64 * 1024;

/// The host could not give the text any more: it is shutting down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is no longer available")]
pub struct Gone;

/// A string that stays where it is (in V8's heap) and gives windows on demand.
pub trait HostText: Send + Sync {
    /// Length in UTF-16 units.
    fn len(&self) -> usize;
    /// Whether the string is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The units of a range that lies inside the string. Blocks; never called on the host's own thread.
    fn window(&self, range: Range<usize>) -> Result<Vec<u16>, Gone>;
    /// Asks for the units of a range and gives what waits for them, so that the host fetches while something else is
    /// done. `used`: the memory of a window that is no longer needed, to be filled again.
    fn ahead(&self, range: Range<usize>, used: Vec<u16>) -> Ahead<'_> {
        drop(used);
        Box::new(move || self.window(range))
    }
}

/// Units that were asked for.
pub type Ahead<'a> = Box<dyn FnOnce() -> Result<Vec<u16>, Gone> + 'a>;

/// A text to reduce. Cheap to clone.
#[derive(Clone)]
pub enum Text {
    /// A small string, copied when the call was made. May hold lone surrogates.
    Units(Arc<Vec<u16>>),
    /// A large string that stays in the host. May hold lone surrogates.
    Host(Arc<dyn HostText>),
    /// Text that the engine made itself: well-formed.
    Utf8(Arc<Utf8>),
}

/// Well-formed text with its UTF-16 length.
#[derive(Debug)]
pub struct Utf8 {
    text: String,
    units: usize,
}

impl Text {
    /// Wraps text of the engine's own.
    pub fn from_string(text: String) -> Self {
        Self::Utf8(Arc::new(text.into()))
    }

    /// Wraps UTF-16 units.
    pub fn from_units(units: Vec<u16>) -> Self {
        Self::Units(Arc::new(units))
    }

    /// Length in UTF-16 units.
    pub fn len(&self) -> usize {
        match self {
            Self::Units(units) => units.len(),
            Self::Host(text) => text.len(),
            Self::Utf8(utf8) => utf8.units,
        }
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The units of a range, cut to the text. Meant for the beginning and the end: a range in the
    /// middle of UTF-8 text is found by counting from the nearer end.
    pub fn window(&self, range: Range<usize>) -> Result<Vec<u16>, Gone> {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self {
            Self::Units(units) => Ok(units[start..end].to_vec()),
            Self::Host(text) => text.window(start..end),
            Self::Utf8(utf8) => Ok(utf8.window(start..end)),
        }
    }

    /// Whether this is UTF-8 of ASCII only, which the length alone tells.
    pub(super) fn is_ascii_utf8(&self) -> bool {
        matches!(self, Self::Utf8(utf8) if utf8.text.len() == utf8.units)
    }

    /// Gives the whole text as UTF-16, piece by piece, in order; a piece may split a pair.
    pub fn each_units<E: From<Gone>>(&self, mut visit: impl FnMut(&[u16]) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Units(units) => visit(units),
            Self::Host(text) => each_window(&**text, visit),
            Self::Utf8(utf8) => {
                let mut scratch = vec![0; utf8.text.len().min(DECODED)];
                let mut rest = &utf8.text[..];
                while !rest.is_empty() {
                    let (piece, after) = split_near(rest, DECODED);
                    let units = encoding_rs::mem::convert_str_to_utf16(piece, &mut scratch);
                    visit(&scratch[..units])?;
                    rest = after;
                }
                Ok(())
            }
        }
    }

    /// Gives the whole text as UTF-8, piece by piece, in order; no piece splits a character.
    pub fn each_utf8<E: From<Gone>>(&self, mut visit: impl FnMut(&str) -> Result<(), E>) -> Result<Encoded, E> {
        match self {
            Self::Utf8(utf8) => {
                let mut rest = &utf8.text[..];
                while !rest.is_empty() {
                    let (piece, after) = split_near(rest, PIECE);
                    visit(piece)?;
                    rest = after;
                }
                Ok(Encoded::default())
            }
            Self::Units(units) => {
                let mut encoder = Encoder::default();
                encoder.each(units, true, &mut visit)?;
                Ok(encoder.encoded)
            }
            Self::Host(text) => {
                let mut encoder = Encoder::default();
                let mut left = text.len();
                each_window(&**text, |units| {
                    left -= units.len();
                    encoder.each(units, left == 0, &mut visit)
                })?;
                Ok(encoder.encoded)
            }
        }
    }

    /// The whole text as UTF-8. Holds it in memory: for work that needs all of it at once.
    pub fn to_utf8(&self) -> Result<(Arc<Utf8>, Encoded), Gone> {
        if let Self::Utf8(utf8) = self {
            return Ok((Arc::clone(utf8), Encoded::default()));
        }
        let mut text = String::with_capacity(self.len());
        let encoded = self.each_utf8::<Gone>(|piece| {
            text.push_str(piece);
            Ok(())
        })?;
        Ok((Arc::new(Utf8::of_units(text, self.len())), encoded))
    }
}

impl From<String> for Utf8 {
    fn from(text: String) -> Self {
        let units = utf16_len(text.as_bytes());
        Self { text, units }
    }
}

impl Utf8 {
    /// Text whose length in UTF-16 units is known.
    pub fn of_units(text: String, units: usize) -> Self {
        debug_assert_eq!(utf16_len(text.as_bytes()), units);
        Self { text, units }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Length in UTF-16 units.
    pub fn len(&self) -> usize {
        self.units
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.units == 0
    }

    fn window(&self, range: Range<usize>) -> Vec<u16> {
        if self.text.len() == self.units {
            return self.text.as_bytes()[range].iter().map(|&byte| byte.into()).collect();
        }
        let (start, end) = (self.byte_at(range.start), self.byte_at(range.end));
        // A position inside a pair belongs to the pair's character on either side.
        let (first, last) = (self.inside_pair(start, range.start), self.inside_pair(end, range.end));
        let bytes = start..if last { end + 4 } else { end };
        let mut units: Vec<u16> = self.text[bytes].encode_utf16().collect();
        if last {
            units.pop();
        }
        if first {
            units.remove(0);
        }
        units
    }

    /// The byte at which the character of a unit begins, counted from the nearer end.
    pub(super) fn byte_at(&self, unit: usize) -> usize {
        if unit <= self.units / 2 {
            let mut left = unit;
            for (at, char) in self.text.char_indices() {
                if left < char.len_utf16() {
                    return at;
                }
                left -= char.len_utf16();
            }
            return self.text.len();
        }
        let mut left = self.units - unit;
        let mut byte = self.text.len();
        for (at, char) in self.text.char_indices().rev() {
            if left == 0 {
                return byte;
            }
            byte = at;
            left = left.saturating_sub(char.len_utf16());
        }
        byte
    }

    /// Whether `unit` is the second half of the pair whose character begins at `byte`.
    fn inside_pair(&self, byte: usize, unit: usize) -> bool {
        if unit <= self.units / 2 {
            utf16_len(&self.text.as_bytes()[..byte]) < unit
        } else {
            utf16_len(&self.text.as_bytes()[byte..]) > self.units - unit
        }
    }
}

/// Splits text after at most so many bytes, four or more, between two characters.
fn split_near(text: &str, most: usize) -> (&str, &str) {
    let mut at = text.len().min(most);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.split_at(at)
}

/// How many UTF-16 units begin in UTF-8 bytes, which may begin and end inside a character.
pub fn utf16_len(utf8: &[u8]) -> usize {
    if utf8.is_ascii() {
        return utf8.len();
    }
    // Every byte but a continuation begins a character; four-byte characters are pairs.
    // Counters of one byte, for as long as they cannot overflow, keep the loop in vector registers.
    let count = |part: &[u8]| {
        let (mut begins, mut pairs) = (0_u8, 0_u8);
        for &byte in part {
            begins += u8::from((byte as i8) >= -0x40);
            pairs += u8::from(byte >= 0xf0);
        }
        usize::from(begins) + usize::from(pairs)
    };
    utf8.chunks(u8::MAX.into()).map(count).sum()
}

/// Gives a host's text window by window; the next ones are fetched while one is worked on.
fn each_window<E: From<Gone>>(text: &dyn HostText, mut visit: impl FnMut(&[u16]) -> Result<(), E>) -> Result<(), E> {
    let length = text.len();
    let mut windows = (0..length).step_by(WINDOW).map(|start| start..length.min(start + WINDOW));
    let ask = |window: Range<usize>, used| (window.len(), text.ahead(window, used));
    let mut asked: VecDeque<_> = windows.by_ref().take(AHEAD).map(|window| ask(window, Vec::new())).collect();
    while let Some((expected, wait)) = asked.pop_front() {
        let units = wait()?;
        if units.len() != expected {
            return Err(Gone.into());
        }
        visit(&units)?;
        asked.extend(windows.next().map(|window| ask(window, units)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::to_well_formed;
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn same_windows(text: &str) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let utf8 = Text::from_string(text.to_owned());
        assert_eq!(utf8.len(), units.len());
        for start in 0..=units.len() {
            for end in start..=units.len() {
                assert_eq!(utf8.window(start..end).unwrap(), units[start..end], "{text:?} {start}..{end}");
            }
        }
    }

    #[test]
    fn counts_chars_of_any_length() {
        for text in ["a", "é", "한", "😀", "a😀한é"] {
            for times in [0, 1, 63, 64, 127, 128, 255, 256, 1000] {
                let text = text.repeat(times);
                assert_eq!(utf16_len(text.as_bytes()), text.encode_utf16().count(), "{times}");
            }
        }
    }

    #[test]
    fn windows_of_utf8_are_those_of_utf16() {
        for text in
            ["", "a", "abc", "é", "한글 text", "😀", "a😀b", "😀😀", "a\u{1F468}\u{200D}\u{1F469}z", "\u{FEFF}x"]
        {
            same_windows(text);
        }
    }

    struct Slow(Vec<u16>);
    impl HostText for Slow {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn window(&self, range: Range<usize>) -> Result<Vec<u16>, Gone> {
            Ok(self.0[range].to_vec())
        }
    }

    #[test]
    fn pairs_across_windows_stay_whole() {
        let mut units = vec![0x61; WINDOW - 1];
        units.extend("😀😀".encode_utf16());
        for text in [Text::Host(Arc::new(Slow(units.clone()))), Text::from_units(units.clone())] {
            let (utf8, encoded) = text.to_utf8().unwrap();
            assert_eq!(encoded.replaced, 0);
            assert_eq!(utf8.as_str().encode_utf16().collect::<Vec<_>>(), units);
        }
    }

    #[test]
    fn units_come_whole_and_in_order() {
        let text = "a漢😀".repeat(WINDOW / 3);
        let units: Vec<u16> = text.encode_utf16().collect();
        let host = Text::Host(Arc::new(Slow(units.clone())));
        for source in [Text::from_string(text), Text::from_units(units.clone()), host, Text::from_string(String::new())]
        {
            let mut all = Vec::new();
            source
                .each_units::<Gone>(|piece| {
                    all.extend_from_slice(piece);
                    Ok(())
                })
                .unwrap();
            assert!(all == units[..source.len()]);
        }
    }

    proptest! {
        #[test]
        fn any_units_become_what_the_standard_library_makes_of_them(units in proptest::collection::vec(proptest::sample::select(vec![0x61, 0xe9, 0xd83d, 0xde00, 0x6f22]), 0..20)) {
            let expected = String::from_utf16_lossy(&units);
            let replaced = expected.matches('\u{FFFD}').count();
            let host = Text::Host(Arc::new(Slow(units.clone())));
            let (utf8, encoded) = host.to_utf8().unwrap();
            prop_assert_eq!((utf8.as_str(), encoded), (&*expected, Encoded { replaced }));
            prop_assert_eq!(to_well_formed(&units), (expected, Encoded { replaced }));
        }

        #[test]
        fn any_text_has_the_windows_of_its_units(text in "\\PC{0,12}") {
            same_windows(&text);
        }
    }
}
