//! What is below a root.

use std::io;

use cap_std::fs::{Dir, Metadata};

use super::super::handle::is_segment;
use super::file;

/// How the names of temporaries begin.
pub(super) const TEMPORARY: &str = ".tmp-";

/// What is known of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub size: u64,
    pub mtime_ns: i128,
    /// The same for two names of one file. `None` where the system doesn't tell by name.
    pub file: Option<(u64, u64)>,
}

/// The names directly below a root.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub runs: Vec<String>,
    pub temporaries: Vec<String>,
}

/// What is directly below a root; what is not a store's own is left out.
pub(super) fn names(base: &Dir) -> io::Result<Names> {
    let mut names = Names::default();
    for entry in base.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with(TEMPORARY) {
            names.temporaries.push(name);
        } else if is_segment(&name) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.runs.push(name);
        }
    }
    Ok(names)
}

/// Names of a run that could be handles. None where the directory is gone or cannot be read.
pub(super) fn results(run: &Dir) -> Vec<String> {
    numbered_results(run).into_iter().map(|(name, _)| name).collect()
}

/// The same, with the number of each file, where the system gives it along with the name.
pub(super) fn numbered_results(run: &Dir) -> Vec<(String, Option<u64>)> {
    let Ok(entries) = run.entries() else {
        return Vec::new();
    };
    let names = entries.map_while(Result::ok).filter_map(|entry| {
        #[cfg(unix)]
        let number = Some(std::os::unix::fs::DirEntryExt::ino(&entry));
        #[cfg(not(unix))]
        let number = None;
        Some((entry.file_name().into_string().ok()?, number))
    });
    names.filter(|(name, _)| is_segment(name)).collect()
}

/// What is known of a name; `None` where there is no regular file.
pub(super) fn regular_file(directory: &Dir, name: &str) -> Option<Metadata> {
    directory.symlink_metadata(name).ok().filter(Metadata::is_file)
}

impl Facts {
    pub fn of(metadata: &Metadata) -> Self {
        Self { size: metadata.len(), mtime_ns: file::mtime_ns(metadata), file: number(metadata) }
    }
}

/// Device and number of a file or directory, where the system tells them by name.
pub(super) fn number(metadata: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}
