//! JSON of any size, read in chunks from a stored result.

use super::block::{BLOCK, Carry, Structure};
use super::layout::utf8;
use super::scan::{plain_end, space, string_end};

/// Bytes read at once; a multiple of a block. Tests read little, to meet the edges often.
const CHUNK: usize = if cfg!(test) { 2 * BLOCK } else { 256 * 1024 };
/// Bytes read to look at a place that is not in the chunk at hand.
const PEEK: usize = if cfg!(test) { 8 } else { 4 * 1024 };

/// Stored bytes that are read by ranges.
pub trait ByteSource {
    /// Why a read failed.
    type Error;
    /// How many bytes there are.
    fn size(&self) -> u64;
    /// Reads `len` bytes at `offset`; fewer only at the end.
    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, Self::Error>;
}

/// A bracket or comma outside of strings, and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Open(u64),
    Close(u64),
    Comma(u64),
}

/// Bytes of a range: the marks of JSON in order, and a look at any place.
pub(super) struct Stream<'s, S: ?Sized> {
    source: &'s S,
    end: u64,
    chunk: Vec<u8>,
    chunk_at: u64,
    /// Bytes of the chunk whose marks were found.
    done: usize,
    carry: Carry,
    /// Marks of the block at hand that were not given yet.
    structure: Structure,
    block_at: u64,
    peeked: Vec<u8>,
    peeked_at: u64,
}

impl<'s, S: ByteSource + ?Sized> Stream<'s, S> {
    /// A stream over the bytes from `start`, which has to lie outside of strings, to `end`.
    pub fn new(source: &'s S, start: u64, end: u64) -> Self {
        Self {
            source,
            end,
            chunk: Vec::new(),
            chunk_at: start,
            done: 0,
            carry: Carry::default(),
            structure: Structure::default(),
            block_at: start,
            peeked: Vec::new(),
            peeked_at: start,
        }
    }

    /// The next mark; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Mark>, S::Error> {
        loop {
            let Structure { opens, closes, commas } = self.structure;
            let bit = (opens | closes | commas).trailing_zeros();
            if bit < u64::BITS {
                self.drop_marks(bit);
                let (at, mask) = (self.block_at + u64::from(bit), 1 << bit);
                return Ok(Some(match (opens & mask, closes & mask) {
                    (0, 0) => Mark::Comma(at),
                    (0, _) => Mark::Close(at),
                    _ => Mark::Open(at),
                }));
            }
            if !self.next_block()? {
                return Ok(None);
            }
        }
    }

    /// Skips the rest of the container whose opening bracket was the last mark; gives the offset of the
    /// bracket that closes it, or `None` where there is none.
    pub fn leave(&mut self) -> Result<Option<u64>, S::Error> {
        let mut depth = 1u64;
        loop {
            let Structure { opens, closes, .. } = self.structure;
            if u64::from(closes.count_ones()) < depth {
                depth = depth + u64::from(opens.count_ones()) - u64::from(closes.count_ones());
            } else {
                let mut marks = opens | closes;
                while marks != 0 {
                    let bit = marks.trailing_zeros();
                    marks &= marks - 1;
                    if opens >> bit & 1 == 1 {
                        depth += 1;
                        continue;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.drop_marks(bit);
                        return Ok(Some(self.block_at + u64::from(bit)));
                    }
                }
            }
            if !self.next_block()? {
                return Ok(None);
            }
        }
    }

    /// Forgets the marks of the block up to a bit.
    fn drop_marks(&mut self, bit: u32) {
        let left = u64::MAX.checked_shl(bit + 1).unwrap_or(0);
        self.structure.opens &= left;
        self.structure.closes &= left;
        self.structure.commas &= left;
    }

    fn next_block(&mut self) -> Result<bool, S::Error> {
        if self.done >= self.chunk.len() {
            let at = self.chunk_at + self.chunk.len() as u64;
            read(self.source, at, self.end, CHUNK, &mut self.chunk)?;
            (self.chunk_at, self.done) = (at, 0);
        }
        let left = self.chunk.get(self.done..).unwrap_or_default();
        self.block_at = self.chunk_at + self.done as u64;
        self.structure = match left.first_chunk::<BLOCK>() {
            Some(block) => self.carry.next(block),
            None => {
                let mut block = [b' '; BLOCK];
                block.iter_mut().zip(left).for_each(|(to, from)| *to = *from);
                self.carry.next(&block)
            }
        };
        self.done += BLOCK.min(left.len());
        Ok(!left.is_empty())
    }

    /// Some bytes from `at` on; none only at the end.
    pub fn bytes(&mut self, at: u64) -> Result<&[u8], S::Error> {
        if let Some(inside) = inside(self.chunk_at, &self.chunk, at) {
            return Ok(self.chunk.get(inside..).unwrap_or_default());
        }
        let inside = match inside(self.peeked_at, &self.peeked, at) {
            Some(inside) => inside,
            None => {
                read(self.source, at, self.end, PEEK, &mut self.peeked)?;
                self.peeked_at = at;
                0
            }
        };
        Ok(self.peeked.get(inside..).unwrap_or_default())
    }

    /// The first byte at or after `at` that is no white space, and its offset; `None` at the end.
    pub fn solid(&mut self, mut at: u64) -> Result<Option<(u64, u8)>, S::Error> {
        loop {
            let bytes = self.bytes(at)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let space = space(bytes, 0);
            if let Some(&byte) = bytes.get(space) {
                return Ok(Some((at + space as u64, byte)));
            }
            at += space as u64;
        }
    }

    /// The token of the string that begins at `at`, where it has at most `most` bytes.
    pub fn string(&mut self, at: u64, most: usize) -> Result<Option<String>, S::Error> {
        let bytes = self.bytes(at)?;
        let found = string_end(bytes, 0).and_then(|end| bytes.get(..end)).map(<[u8]>::to_vec);
        let token = match found {
            None if bytes.len() < most && is_unfinished(bytes) => {
                let mut bytes = Vec::new();
                read(self.source, at, self.end, most, &mut bytes)?;
                string_end(&bytes, 0).map(|end| {
                    bytes.truncate(end);
                    bytes
                })
            }
            found => found,
        };
        Ok(token.filter(|token| token.len() <= most && token.first() == Some(&b'"')).map(utf8))
    }

    /// The end of the string that begins at `at`; `None` where it has none.
    pub fn string_end(&mut self, at: u64) -> Result<Option<u64>, S::Error> {
        let (mut at, mut is_escaped) = (at + 1, false);
        loop {
            let bytes = self.bytes(at)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let mut from = usize::from(is_escaped);
            while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(from..).unwrap_or_default()) {
                if bytes.get(from + found) == Some(&b'"') {
                    return Ok(Some(at + (from + found) as u64 + 1));
                }
                from += found + 2;
            }
            // A backslash at the very end escapes the first byte of what follows.
            is_escaped = from > bytes.len();
            at += bytes.len() as u64;
        }
    }
}

/// Whether the string that bytes begin with goes on behind them.
fn is_unfinished(bytes: &[u8]) -> bool {
    let mut at = plain_end(bytes, 1);
    while bytes.get(at) == Some(&b'\\') {
        at = plain_end(bytes, at + 2);
    }
    at >= bytes.len()
}

/// Where `at` lies inside bytes that begin at `start`.
fn inside(start: u64, bytes: &[u8], at: u64) -> Option<usize> {
    let inside = usize::try_from(at.checked_sub(start)?).ok()?;
    (inside < bytes.len()).then_some(inside)
}

/// Fills `bytes` with as many as `len` bytes at `at`, up to `end`.
pub(super) fn read<S: ByteSource + ?Sized>(
    source: &S,
    at: u64,
    end: u64,
    len: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), S::Error> {
    bytes.clear();
    let wanted = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(len);
    while bytes.len() < wanted {
        let more = source.read_at(at + bytes.len() as u64, wanted - bytes.len())?;
        if more.is_empty() {
            break;
        }
        if bytes.is_empty() {
            *bytes = more;
        } else {
            bytes.extend_from_slice(&more);
        }
    }
    bytes.truncate(wanted);
    Ok(())
}
