use std::fs::File;
use std::io::{self, Write};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, Metadata};

use super::super::handle::Names;
use super::super::{Produce, StoreError, Written, random_id};
use super::file::{Identity, There, what_is_there};
use super::{Inner, MAX_VERSIONS, listing, quota, root, system};
use crate::engine::reason::Reason;

/// How often a write begins anew where its directory was deleted in the middle of it.
const MAX_ATTEMPTS: u32 = 3;
/// How often a name is tried again that others take, free or delete at the same moment.
const MAX_RACES: u32 = 100;

/// Why a write did not come to its end.
enum Failure {
    /// Someone deleted the root, or what was written so far.
    Lost,
    Store(StoreError),
}

impl<E: Into<StoreError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Store(error.into())
    }
}

/// Stores what `produce` gives.
pub(super) fn write(store: &Inner, names: &Names<'_>, produce: &mut Produce<'_>) -> Result<Written, StoreError> {
    for _ in 0..MAX_ATTEMPTS {
        match attempt(store, names, produce) {
            Err(Failure::Lost) => {}
            Err(Failure::Store(error)) => return Err(error),
            Ok(written) => return Ok(written),
        }
    }
    Err(StoreError::Unavailable(Reason::StoreFailed))
}

fn attempt(store: &Inner, names: &Names<'_>, produce: &mut Produce<'_>) -> Result<Written, Failure> {
    let base = store.root.open(true)?;
    let mut temporary = Temporary::create(&base)?;
    temporary.fill(store.max_size(), produce)?;
    temporary.publish(names, store.max_bytes)
}

/// A result on its way, under a name that no handle has. Goes with its guard unless it was published.
struct Temporary<'a> {
    base: &'a Dir,
    name: String,
    file: File,
    size: u64,
    is_published: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = self.base.remove_file(&self.name);
        }
    }
}

impl<'a> Temporary<'a> {
    fn create(base: &'a Dir) -> Result<Self, Failure> {
        let name = format!("{}{}-{}", listing::TEMPORARY, std::process::id(), random_id());
        match system::create_file(base, &name) {
            Ok(file) => Ok(Self { base, name, file, size: 0, is_published: false }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::Lost),
            Err(error) => Err(error.into()),
        }
    }

    fn fill(&mut self, max_size: u64, produce: &mut Produce<'_>) -> Result<(), Failure> {
        let (file, size) = (&mut self.file, &mut self.size);
        produce(&mut |piece| {
            *size += piece.len() as u64;
            if *size > max_size {
                return Err(StoreError::Unavailable(Reason::TooLarge));
            }
            Ok(file.write_all(piece)?)
        })?;
        // Its age decides about eviction only; a file system that keeps none is no reason to fail.
        let _ = system::renew(&self.file);
        Ok(())
    }

    /// Gives the result the first name of its key that is free or has the same bytes already.
    fn publish(&mut self, names: &Names<'_>, max_bytes: Option<u64>) -> Result<Written, Failure> {
        let metadata = Metadata::from_file(&self.file)?;
        system::fix_mode(&self.file, &metadata)?;
        let mut run = root::open_below(self.base, names.run, true).map_err(|error| self.lost_or(error))?;
        let (mut version, mut races) = (1, 0);
        while version < MAX_VERSIONS && races < MAX_RACES {
            let target = names.version(version);
            let handle = || format!("{}/{target}", names.run);
            match what_is_there(&run, &target, &self.file, self.size)? {
                There::Other => version += 1,
                There::Same(file) => {
                    let _ = system::renew_at(&run, &target, &file);
                    let metadata = Metadata::from_file(&file)?;
                    // It may have been old enough to be swept a moment before.
                    if metadata.nlink() > 0 {
                        let identity = Some(Identity::of(&metadata));
                        return Ok(Written { handle: handle(), bytes: self.size, created: false, identity });
                    }
                    races += 1;
                }
                There::Nothing => {
                    let _room = match max_bytes {
                        Some(max) => Some(quota::make_room(self.base, &self.name, names.run, max)?),
                        None => None,
                    };
                    match system::rename_no_replace(self.base, &self.name, &run, &target) {
                        Ok(()) => {
                            self.is_published = true;
                            let identity = Some(Identity::of(&metadata));
                            return Ok(Written { handle: handle(), bytes: self.size, created: true, identity });
                        }
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        // The run's directory was empty and went with a sweep, or everything did.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {
                            run = root::open_below(self.base, names.run, true).map_err(|error| self.lost_or(error))?;
                            if Metadata::from_file(&self.file)?.nlink() == 0 {
                                return Err(Failure::Lost);
                            }
                        }
                        Err(error) => return Err(error.into()),
                    }
                    races += 1;
                }
            }
        }
        Err(StoreError::Unavailable(Reason::StoreFailed).into())
    }

    /// A directory cannot be made in a root that was deleted.
    fn lost_or(&self, error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::NotFound { Failure::Lost } else { error.into() }
    }
}
