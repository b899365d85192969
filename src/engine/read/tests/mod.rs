//! The whole of `read` over sources in memory and made up ones.

mod page;
mod search;

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Arguments, Caps, MemorySource, Next, Page, ReadError, Source};
use crate::engine::store::{Identity, Kind};

/// Arguments for the first 200 lines.
fn arguments() -> Arguments {
    Arguments { handle: "r/c.0".to_owned(), limit: 200, ..Arguments::default() }
}

fn caps(max_chars: usize) -> Caps {
    Caps { max_chars, ..Caps::default() }
}

fn read_text(text: &str, arguments: &Arguments, caps: &Caps) -> Page {
    super::read(&MemorySource::new(text.as_bytes()), Some(&Kind::Text), arguments, caps).unwrap()
}

fn read_bytes(bytes: &[u8], charset: Option<&str>, arguments: &Arguments) -> Page {
    let kind = Kind::Bytes { charset: charset.map(str::to_owned) };
    super::read(&MemorySource::new(bytes), Some(&kind), arguments, &Caps::default()).unwrap()
}

/// The arguments of a next call, as `check` would make them of what a page says.
fn follow(next: &Next) -> Arguments {
    Arguments {
        pattern: next.pattern.clone(),
        regex: next.regex,
        ignore_case: next.ignore_case,
        context: next.context,
        pointer: next.pointer.clone(),
        offset: next.offset.unwrap_or(0),
        char_offset: next.char_offset.unwrap_or(0),
        limit: next.limit.unwrap_or(200),
        ..arguments()
    }
}

/// A large text that is made up while it is read: one line over and over. Counts what is read of it.
struct Repeated {
    line: u64,
    /// The line often enough that copying it is fast.
    lines: Vec<u8>,
    size: u64,
    identity: u64,
    read: AtomicU64,
}

impl Repeated {
    /// `identity` has to differ between tests: line positions are kept process-wide.
    fn new(line: &'static str, size: u64, identity: u64) -> Self {
        Self { line: line.len() as u64, lines: line.repeat(1000).into_bytes(), size, identity, read: AtomicU64::new(0) }
    }

    /// Bytes read since it was asked the last time.
    fn bytes_read(&self) -> u64 {
        self.read.swap(0, Ordering::Relaxed)
    }
}

impl Source for Repeated {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        let mut buffer = vec![0; len];
        let read = self.read_into(offset, &mut buffer)?;
        buffer.truncate(read);
        Ok(buffer)
    }

    fn read_into(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let len = (self.size.saturating_sub(offset)).min(buffer.len() as u64) as usize;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        let mut at = (offset % self.lines.len() as u64) as usize;
        let mut rest = &mut buffer[..len];
        while !rest.is_empty() {
            let step = rest.len().min(self.lines.len() - at);
            let (now, later) = rest.split_at_mut(step);
            now.copy_from_slice(&self.lines[at..at + step]);
            rest = later;
            at = 0;
        }
        Ok(len)
    }

    fn identity(&self) -> Option<Identity> {
        Some(Identity { device: u64::MAX, inode: self.identity, size: self.size, mtime_ns: 0 })
    }
}
