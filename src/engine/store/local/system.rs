//! What differs between systems. Names are single components here, checked by the caller.

use std::fs::File;
use std::io;
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

/// Opens a file for reading, without waiting for the other end of a pipe.
pub(super) fn open_file(directory: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    Ok(directory.open_with(name, &options)?.into_std())
}

/// Makes a file that is not there yet, mode 0600, for writing and reading.
pub(super) fn create_file(directory: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    Ok(directory.open_with(name, &options)?.into_std())
}

/// Reads up to `buffer.len()` bytes from an offset on; fewer only at the end of the file.
pub(super) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, rest, offset + done as u64);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, rest, offset + done as u64);
        match read {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Whether a renaming system call is one that this file system does not have.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn is_unsupported(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::InvalidInput | Kind::Unsupported)
}

/// Gives a file its final name by a second link, where nothing has that name, and takes the first name away.
fn link_no_replace(from: &Dir, name: &str, to: &Dir, target: &str) -> io::Result<()> {
    from.hard_link(name, to, target)?;
    // A result with two names would be taken for one that someone put there.
    from.remove_file(name).inspect_err(|_| drop(to.remove_file(target)))
}

#[cfg(unix)]
mod unix {
    use super::*;
    use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, Timestamps};
    use rustix::io::Errno;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    use std::time::SystemTime;

    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Opens a root by its path; a root that is itself a link is refused.
    pub fn open_root(path: &Path) -> io::Result<Dir> {
        let directory = rustix::fs::open(path, DIRECTORY, Mode::empty())?;
        Ok(Dir::from_std_file(directory.into()))
    }

    /// Opens a directory below another.
    pub fn open_directory(parent: &Dir, name: &str) -> io::Result<Dir> {
        let directory = rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())?;
        Ok(Dir::from_std_file(directory.into()))
    }

    /// Whether a directory is the user's own and no one else may write to it.
    pub fn is_private(directory: &Dir) -> io::Result<bool> {
        let stat = rustix::fs::fstat(directory)?;
        let others = Mode::WGRP | Mode::WOTH;
        Ok(stat.st_uid == rustix::process::geteuid().as_raw() && !Mode::from_raw_mode(stat.st_mode).intersects(others))
    }

    /// Makes a directory of mode 0700, whatever the umask. `NotFound`: the one above it is gone.
    pub fn make_directory(parent: &Dir, name: &str) -> io::Result<()> {
        rustix::fs::mkdirat(parent, name, Mode::RWXU)?;
        // A sweep may have taken it already, and what cannot be set right shows when it is opened.
        if let Ok(stat) = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
            && FileType::from_raw_mode(stat.st_mode).is_dir()
            && !Mode::from_raw_mode(stat.st_mode).contains(Mode::RWXU)
        {
            let _ = rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty());
        }
        Ok(())
    }

    /// Makes a root, or a directory above one, of mode 0700, whatever the umask.
    pub fn make_root_directory(path: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(0o700).create(path)?;
        if let Ok(metadata) = std::fs::symlink_metadata(path)
            && metadata.is_dir()
            && metadata.mode() & 0o700 != 0o700
        {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
        }
        Ok(())
    }

    /// Gives a file just made the mode 0600 where the umask took some of it.
    pub fn fix_mode(file: &File, metadata: &Metadata) -> io::Result<()> {
        if cap_std::fs::MetadataExt::mode(metadata) & 0o600 == 0o600 {
            return Ok(());
        }
        file.set_permissions(std::fs::Permissions::from_mode(0o600))
    }

    /// Makes a file as young as can be. More precisely than the system, whose clock for files ticks every few
    /// milliseconds: the order of two results is the order of their writes.
    pub fn renew(file: &File) -> io::Result<()> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = rustix::fs::Timespec { tv_sec: now.as_secs() as _, tv_nsec: now.subsec_nanos() as _ };
        Ok(rustix::fs::futimens(file, &Timestamps { last_access: now, last_modification: now })?)
    }

    /// Makes a file as young as can be that was opened for reading only.
    pub fn renew_at(_directory: &Dir, _name: &str, file: &File) -> io::Result<()> {
        renew(file)
    }

    /// Renames, where nothing has the new name; otherwise `AlreadyExists`.
    pub fn rename_no_replace(from: &Dir, name: &str, to: &Dir, target: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(from, name, to, target, flags).map_err(io::Error::from) {
                Err(error) if is_unsupported(&error) => {}
                result => return result,
            }
        }
        link_no_replace(from, name, to, target)
    }

    /// Whether opening failed because it is a socket, a device without driver, or the like.
    pub fn is_not_a_file(error: &io::Error) -> bool {
        matches!(Errno::from_io_error(error), Some(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP))
    }

    /// The user's number.
    pub fn user() -> String {
        rustix::process::geteuid().as_raw().to_string()
    }

    /// Who alone may decide about the room in a directory, among all processes. Ends with the process at the latest.
    pub struct Lock<'a>(&'a Dir);

    impl Drop for Lock<'_> {
        fn drop(&mut self) {
            let _ = rustix::fs::flock(self.0, FlockOperation::Unlock);
        }
    }

    /// Takes the lock of a directory. `WouldBlock`: someone else has it. `None`: there are no locks here.
    pub fn lock(directory: &Dir) -> io::Result<Option<Lock<'_>>> {
        match rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock(directory))),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Err(io::ErrorKind::WouldBlock.into()),
            Err(_) => Ok(None),
        }
    }
}

/// Without modes, owners and locks on directories.
#[cfg(not(unix))]
mod other {
    use super::*;
    use cap_fs_ext::{DirExt, SystemTimeSpec};
    use cap_std::ambient_authority;
    use std::time::SystemTime;

    /// Opens a root by its path; a root that is itself a link is refused.
    pub fn open_root(path: &Path) -> io::Result<Dir> {
        if !std::fs::symlink_metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Dir::open_ambient_dir(path, ambient_authority())
    }

    /// Opens a directory below another.
    pub fn open_directory(parent: &Dir, name: &str) -> io::Result<Dir> {
        parent.open_dir_nofollow(name)
    }

    /// Access lists are left to the system.
    pub fn is_private(_directory: &Dir) -> io::Result<bool> {
        Ok(true)
    }

    /// Makes a directory.
    pub fn make_directory(parent: &Dir, name: &str) -> io::Result<()> {
        parent.create_dir(name)
    }

    /// Makes a root, or a directory above one.
    pub fn make_root_directory(path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    /// There are no modes.
    pub fn fix_mode(_file: &File, _metadata: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// Makes a file as young as can be.
    pub fn renew(file: &File) -> io::Result<()> {
        file.set_modified(SystemTime::now())
    }

    /// Makes a file as young as can be that was opened for reading only: this has to go by its name.
    pub fn renew_at(directory: &Dir, name: &str, _file: &File) -> io::Result<()> {
        directory.set_symlink_times(name, None, Some(SystemTimeSpec::SymbolicNow))
    }

    /// Gives a file its final name, where nothing has it; otherwise `AlreadyExists`.
    pub fn rename_no_replace(from: &Dir, name: &str, to: &Dir, target: &str) -> io::Result<()> {
        link_no_replace(from, name, to, target)
    }

    /// Opening a thing that is no file fails in other ways here.
    pub fn is_not_a_file(_error: &io::Error) -> bool {
        false
    }

    /// Directories for temporary files are the user's own here.
    pub fn user() -> String {
        "user".to_owned()
    }

    /// There is none.
    pub struct Lock<'a>(std::marker::PhantomData<&'a Dir>);

    /// `None`: there are no locks on directories.
    pub fn lock(_directory: &Dir) -> io::Result<Option<Lock<'_>>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_publishing_replace_nothing() {
        type Publish = fn(&Dir, &str, &Dir, &str) -> io::Result<()>;
        let ways: [(&str, Publish); 2] = [("rename", rename_no_replace), ("link", link_no_replace)];
        for (way, publish) in ways {
            let temporary = tempfile::tempdir().unwrap();
            let from = open_root(temporary.path()).unwrap();
            make_directory(&from, "run").unwrap();
            let to = open_directory(&from, "run").unwrap();
            from.write("a", "first").unwrap();
            from.write("b", "second").unwrap();
            publish(&from, "a", &to, "c").unwrap();
            let taken = publish(&from, "b", &to, "c").unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists, "{way}");
            assert_eq!(to.read_to_string("c").unwrap(), "first", "{way}");
            assert!(!from.exists("a") && from.exists("b"), "{way}");
            from.remove_dir_all("run").unwrap();
            let gone = publish(&from, "b", &to, "d").unwrap_err();
            assert_eq!(gone.kind(), io::ErrorKind::NotFound, "{way}: the run was swept");
        }
    }
}
