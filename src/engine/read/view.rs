use std::borrow::Cow;
use std::sync::Arc;

use super::Kind;
use super::index::{Index, Point, index_of};
use super::source::{MemorySource, Ranges, ReadError, Source, fill};
use crate::engine::bytes::{self, MAX_DECODED, SAMPLE};

/// How much is looked at in one go on the way from a checkpoint.
const STRIDE: u64 = 64 * 1024;

/// A stored result as a model reads it: UTF-8 text, its line positions, and how control characters show.
pub(super) struct View<'a> {
    text: Stored<'a>,
    pub(super) index: Arc<Index>,
    verbatim: bool,
    /// Malformed sequences that decoding turned into U+FFFD.
    pub(super) invalid: usize,
}

enum Stored<'a> {
    AsItIs(&'a dyn Source),
    Decoded(MemorySource),
}

/// What a stored result turned out to be.
pub(super) enum Opened<'a> {
    Text(View<'a>),
    /// Shown as a hex dump; what it is, as the beginning of a sentence.
    Binary(String),
}

/// A place at the beginning of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) byte: u64,
    pub(super) char: u64,
}

/// Finds out what a stored result is. Without a kind it is bytes to be sniffed.
pub(super) fn open<'a>(source: &'a dyn Source, kind: Option<&Kind>) -> Result<Opened<'a>, ReadError> {
    let size = source.size();
    let verbatim = matches!(kind, Some(Kind::Text));
    let encoding = if verbatim || size == 0 {
        encoding_rs::UTF_8
    } else {
        let label = match kind {
            Some(Kind::Bytes { charset }) => charset.as_deref(),
            _ => None,
        };
        let mut sample = vec![0; usize::try_from(size).unwrap_or(SAMPLE).min(SAMPLE)];
        fill(source, 0, &mut sample)?;
        match bytes::text_encoding(&sample, sample.len() as u64 == size, label) {
            Some(encoding) => encoding,
            None => {
                return Ok(Opened::Binary(format!("Not text: {}", bytes::media_type(&sample))));
            }
        }
    };
    if encoding == encoding_rs::UTF_8 {
        let index = index_of(source)?;
        if index.is_valid() {
            return Ok(Opened::Text(View { text: Stored::AsItIs(source), index, verbatim, invalid: 0 }));
        }
    }
    let decoded = match usize::try_from(size) {
        // No text of so many chars has more bytes, but in rare encodings of rare scripts.
        Ok(len) if len <= 2 * MAX_DECODED => {
            let mut raw = vec![0; len];
            fill(source, 0, &mut raw)?;
            bytes::decode(&raw, encoding)
        }
        _ => None,
    };
    Ok(match decoded {
        Some(decoded) => {
            let invalid = decoded.invalid;
            let source = MemorySource::new(decoded.text.into_bytes());
            let index = Arc::new(Index::scan(&source)?);
            Opened::Text(View { text: Stored::Decoded(source), index, verbatim, invalid })
        }
        None => Opened::Binary(format!("Text ({}) that is too large to decode", bytes::name_of(encoding))),
    })
}

impl View<'_> {
    pub(super) fn source(&self) -> &dyn Source {
        match &self.text {
            Stored::AsItIs(source) => *source,
            Stored::Decoded(source) => source,
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.source().size()
    }

    /// Text as it may reach the model: bytes that were no text of ours lose their control characters.
    pub(super) fn show<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.verbatim { Cow::Borrowed(text) } else { bytes::visible(text) }
    }

    /// Where line `line` (from 0) begins; the end of the text where there is no such line.
    pub(super) fn line(&self, ranges: &mut Ranges<'_>, line: u64) -> Result<Place, ReadError> {
        let mut point = self.index.before(line, |point| point.line);
        while point.line < line {
            let bytes = ranges.get(point.byte..point.byte + STRIDE)?;
            if bytes.is_empty() {
                return Ok(Place { byte: point.byte, char: point.char });
            }
            let needed = usize::try_from(line - point.line - 1).unwrap_or(usize::MAX);
            let end = memchr::memchr_iter(b'\n', bytes).nth(needed).map_or(bytes.len(), |feed| feed + 1);
            point.advance(&bytes[..end]);
        }
        Ok(Place { byte: point.line_byte, char: point.line_char })
    }

    /// Where char `char` of the whole text is, or the next place where it is the second half of a pair.
    pub(super) fn char(&self, ranges: &mut Ranges<'_>, char: u64) -> Result<Place, ReadError> {
        let mut at = self.index.before(char, |point| point.char);
        loop {
            let bytes = ranges.get(at.byte..at.byte + STRIDE)?;
            if bytes.is_empty() {
                return Ok(Place { byte: at.byte, char: at.char });
            }
            let mut after = at;
            after.advance(bytes);
            if after.char >= char {
                let mut seen = at.char;
                for (offset, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| !is_continuation(byte)) {
                    if seen >= char {
                        return Ok(Place { byte: at.byte + offset as u64, char: seen });
                    }
                    seen += if byte >= 0xf0 { 2 } else { 1 };
                }
            }
            at = after;
        }
    }

    /// What lies before a byte, from the nearest checkpoint or from `known`, a point before it.
    pub(super) fn point(&self, ranges: &mut Ranges<'_>, known: Option<Point>, byte: u64) -> Result<Point, ReadError> {
        let checkpoint = self.index.before(byte, |point| point.byte);
        let mut point = known.filter(|known| known.byte > checkpoint.byte).unwrap_or(checkpoint);
        while point.byte < byte {
            let bytes = ranges.get(point.byte..byte.min(point.byte + STRIDE))?;
            if bytes.is_empty() {
                break;
            }
            point.advance(bytes);
        }
        Ok(point)
    }
}

pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
