use crate::engine::store::Identity;
use std::ops::Range;
use std::sync::Arc;

/// Why stored bytes could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The store failed while reading; the same call may work later.
    #[error("the store is unavailable")]
    Unavailable,
    /// The stored result is no longer there: to the reader an unknown handle.
    #[error("the stored result is gone")]
    Gone,
}

/// A stored result as ranges of bytes. Its bytes do not change while it is open.
pub trait Source: Send + Sync {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// Up to `len` bytes from `offset`; fewer only where the result ends.
    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError>;

    /// Like [`read_at`](Self::read_at), into memory that is there already. Gives how many bytes were read.
    fn read_into(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let bytes = self.read_at(offset, buffer.len())?;
        // A source that gives more than was asked for is wrong somewhere; nothing of it can be trusted.
        buffer.get_mut(..bytes.len()).ok_or(ReadError::Unavailable)?.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Under what to remember line positions; `None`: they are found anew for every page.
    fn identity(&self) -> Option<Identity> {
        None
    }
}

/// Bytes in memory as a source.
#[derive(Debug, Clone)]
pub struct MemorySource(Arc<[u8]>);

impl MemorySource {
    /// A source of these bytes.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    fn slice(&self, offset: u64, len: usize) -> &[u8] {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        &self.0[start..start.saturating_add(len).min(self.0.len())]
    }
}

impl Source for MemorySource {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        Ok(self.slice(offset, len).to_vec())
    }

    fn read_into(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let bytes = self.slice(offset, buffer.len());
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

/// The least that is read at once: a page and the hits on it lie close together, and a read may be
/// a call into the host.
const BLOCK: u64 = 64 * 1024;

/// Reads small ranges out of one block of a source that is kept in memory.
pub(super) struct Ranges<'a> {
    source: &'a dyn Source,
    block: Vec<u8>,
    at: u64,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self { source, block: Vec::new(), at: 0 }
    }

    pub(super) fn size(&self) -> u64 {
        self.source.size()
    }

    /// The bytes of a range, cut to the source. Meant for ranges that fit in memory.
    pub(super) fn get(&mut self, range: Range<u64>) -> Result<&[u8], ReadError> {
        let size = self.source.size();
        let end = range.end.min(size);
        let start = range.start.min(end);
        if start < self.at || end > self.at + self.block.len() as u64 {
            let wanted = end.max(start.saturating_add(BLOCK)).min(size) - start;
            self.block.resize(usize::try_from(wanted).map_err(|_| ReadError::Unavailable)?, 0);
            self.at = start;
            if let Err(error) = fill(self.source, start, &mut self.block) {
                self.block.clear();
                return Err(error);
            }
        }
        let from = (start - self.at) as usize;
        Ok(&self.block[from..from + (end - start) as usize])
    }
}

/// Reads exactly `buffer.len()` bytes; the range lies inside the source.
pub(super) fn fill(source: &dyn Source, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
    let mut done = 0;
    while done < buffer.len() {
        match source.read_into(offset + done as u64, &mut buffer[done..])? {
            // Shorter than its size: it was cut while it was read.
            0 => return Err(ReadError::Unavailable),
            read => done += read.min(buffer.len() - done),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stingy(MemorySource, usize);
    impl Source for Stingy {
        fn size(&self) -> u64 {
            self.0.size()
        }
        fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
            self.0.read_at(offset, len.min(self.1))
        }
    }

    #[test]
    fn short_reads_are_continued() {
        let source = Stingy(MemorySource::new(*b"0123456789"), 3);
        let mut buffer = [0; 8];
        fill(&source, 1, &mut buffer).unwrap();
        assert_eq!(&buffer, b"12345678");
        assert_eq!(Ranges::new(&source).get(2..99).unwrap(), b"23456789");
    }

    #[test]
    fn a_source_shorter_than_its_size_is_unavailable() {
        let source = Stingy(MemorySource::new(*b"0123456789"), 0);
        assert_eq!(Ranges::new(&source).get(0..1), Err(ReadError::Unavailable));
    }

    #[test]
    fn ranges_are_cut_to_the_source() {
        let source = MemorySource::new(*b"0123456789");
        let mut ranges = Ranges::new(&source);
        for (range, expected) in [(0..2, "01"), (9..12, "9"), (10..12, ""), (50..60, ""), (3..3, ""), (4..6, "45")] {
            assert_eq!(ranges.get(range.clone()).unwrap(), expected.as_bytes(), "{range:?}");
        }
        assert_eq!(source.read_at(u64::MAX, usize::MAX).unwrap(), b"");
    }
}
