use std::io;

use crate::engine::reason::Reason;
use crate::engine::text::Gone;

/// Why a store could not do what it was asked. Its text is safe to show to a model: no path, no system error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The handle names nothing: never written, expired, not a handle at all, or not a regular file of the store's own.
    #[error("no stored result has this handle")]
    NotFound,
    /// The store could not be used, for this reason. A read that ends so says nothing about the handle.
    #[error("the store is not available: {}", .0.name())]
    Unavailable(Reason),
}

impl StoreError {
    /// The reason an action reports when a write ended so.
    pub fn reason(self) -> Reason {
        match self {
            Self::NotFound => Reason::StoreFailed,
            Self::Unavailable(reason) => reason,
        }
    }

    /// What a system error means for a store.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        let reason = match error.kind() {
            Kind::StorageFull | Kind::QuotaExceeded => Reason::StoreFull,
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem | Kind::NotADirectory => Reason::StoreDenied,
            Kind::FileTooLarge => Reason::TooLarge,
            _ if is_link_refused(error) => Reason::StoreDenied,
            _ => Reason::StoreFailed,
        };
        Self::Unavailable(reason)
    }
}

/// Whether a symbolic link was met where none is followed.
pub(crate) fn is_link_refused(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
    }
    #[cfg(not(unix))]
    {
        // ERROR_STOPPED_ON_SYMLINK, ERROR_TOO_MANY_LINKS, ERROR_CANT_ACCESS_FILE
        matches!(error.raw_os_error(), Some(681 | 1142 | 1920))
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::from_io(&error)
    }
}

impl From<Gone> for StoreError {
    fn from(_: Gone) -> Self {
        Self::Unavailable(Reason::Aborted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_reason_and_show_no_path() {
        let cases: &[(&str, io::Error, Reason)] = &[
            ("permission", io::ErrorKind::PermissionDenied.into(), Reason::StoreDenied),
            ("read-only file system", io::ErrorKind::ReadOnlyFilesystem.into(), Reason::StoreDenied),
            ("a file where a directory should be", io::ErrorKind::NotADirectory.into(), Reason::StoreDenied),
            ("disk full", io::ErrorKind::StorageFull.into(), Reason::StoreFull),
            ("quota", io::ErrorKind::QuotaExceeded.into(), Reason::StoreFull),
            ("file size limit", io::ErrorKind::FileTooLarge.into(), Reason::TooLarge),
            ("anything else", io::Error::other("/secret/place"), Reason::StoreFailed),
        ];
        for (comment, error, reason) in cases {
            let error = StoreError::from_io(error);
            assert_eq!(error.reason(), *reason, "{comment}");
            assert!(!error.to_string().contains('/'), "{comment}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn system_errors_have_their_reason() {
        use rustix::io::Errno;
        let cases = [
            (Errno::NOSPC, Reason::StoreFull),
            (Errno::DQUOT, Reason::StoreFull),
            (Errno::ACCESS, Reason::StoreDenied),
            (Errno::PERM, Reason::StoreDenied),
            (Errno::ROFS, Reason::StoreDenied),
            (Errno::LOOP, Reason::StoreDenied),
            (Errno::NOTDIR, Reason::StoreDenied),
            (Errno::FBIG, Reason::TooLarge),
            (Errno::MFILE, Reason::StoreFailed),
            (Errno::NAMETOOLONG, Reason::StoreFailed),
            (Errno::NOENT, Reason::StoreFailed),
            (Errno::IO, Reason::StoreFailed),
        ];
        for (errno, reason) in cases {
            assert_eq!(StoreError::from_io(&errno.into()).reason(), reason, "{errno:?}");
        }
    }
}
