use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, Metadata};

use super::super::StoreError;
use super::system;
use super::turn::Turn;

/// How much of two files is compared at a time, in bytes.
const COMPARED: usize = 64 * 1024;
/// How often a file with a second link is looked at again: where results are published by a link, its temporary
/// name goes at once.
const LINK_CHECKS: u32 = 5;
const LINK_PAUSE: Duration = Duration::from_millis(1);

/// Tells one state of one file from every other: what was learnt of a file holds as long as its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device or volume.
    pub device: u64,
    /// The file's number on it.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub mtime_ns: i128,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino(), size: metadata.len(), mtime_ns: mtime_ns(metadata) }
    }
}

/// A stored result that is open for reading. It stays readable when its handle is deleted.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    identity: Identity,
    _reading: Turn,
}

impl LocalFile {
    /// From an open file; `NotFound` where that is no result of ours.
    pub(super) fn of(file: File, reading: Turn) -> io::Result<Self> {
        let identity = Identity::of(&own_file(&file)?);
        Ok(Self { file, identity, _reading: reading })
    }

    /// Size in bytes, when it was opened.
    pub fn size(&self) -> u64 {
        self.identity.size
    }

    /// By which caches know the file.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Up to `len` bytes from `offset` on, less where the file ends.
    pub fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, StoreError> {
        let left = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len.min(left)];
        let read = self.read_into(offset, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Fills a buffer from `offset` on. → how many bytes there were: fewer only at the end of the file
    pub fn read_into(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StoreError> {
        if offset >= self.size() {
            return Ok(0);
        }
        Ok(system::read_at(&self.file, offset, buffer)?)
    }
}

/// What is known of an open file; `NotFound` where it is not a regular file, or has names elsewhere: then someone put
/// it here, and its bytes may be anyone's.
pub(super) fn own_file(file: &File) -> io::Result<Metadata> {
    for check in 0..LINK_CHECKS {
        if check > 0 {
            std::thread::sleep(LINK_PAUSE);
        }
        let metadata = Metadata::from_file(file)?;
        if !metadata.is_file() {
            break;
        }
        if metadata.nlink() <= 1 {
            return Ok(metadata);
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// When a file was last written, in nanoseconds since 1970.
pub(super) fn mtime_ns(metadata: &Metadata) -> i128 {
    metadata.modified().map_or(0, |time| nanoseconds(time.into_std()))
}

/// Nanoseconds since 1970.
pub(super) fn nanoseconds(time: SystemTime) -> i128 {
    let whole = |duration: Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => whole(after),
        Err(before) => -whole(before.duration()),
    }
}

/// What has a name already.
pub(super) enum There {
    Nothing,
    /// A result with the same bytes.
    Same(File),
    /// Other bytes, or nothing that is a result.
    Other,
}

/// Compares what has a name with a file of `size` bytes.
pub(super) fn what_is_there(directory: &Dir, name: &str, file: &File, size: u64) -> io::Result<There> {
    let there = match system::open_file(directory, name) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
        Err(error) if super::is_unknown(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(There::Other);
        }
        Err(error) => return Err(error),
    };
    let is_same = own_file(&there).is_ok_and(|metadata| metadata.len() == size) && has_same_bytes(file, &there, size)?;
    Ok(if is_same { There::Same(there) } else { There::Other })
}

fn has_same_bytes(a: &File, b: &File, size: u64) -> io::Result<bool> {
    let length = usize::try_from(size).unwrap_or(COMPARED).min(COMPARED);
    let (mut x, mut y) = (vec![0; length], vec![0; length]);
    let mut offset = 0;
    while offset < size {
        let (read, other) = (system::read_at(a, offset, &mut x)?, system::read_at(b, offset, &mut y)?);
        if read == 0 || read != other || x[..read] != y[..read] {
            return Ok(false);
        }
        offset += read as u64;
    }
    Ok(true)
}
