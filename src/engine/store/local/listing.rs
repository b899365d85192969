//! What is below a root.

use std::io;

use cap_std::fs::{Dir, Metadata};

use super::super::handle::is_segment;
use super::{file, root};

/// How the names of temporaries begin.
pub(super) const TEMPORARY: &str = ".tmp-";

/// A file below a root.
#[derive(Debug)]
pub(super) struct Entry {
    /// The run's directory; `None` for a temporary.
    pub run: Option<String>,
    pub name: String,
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
    let Ok(entries) = run.entries() else {
        return Vec::new();
    };
    let names = entries.map_while(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| is_segment(name)).collect()
}

/// Every file below a root.
pub(super) fn all(base: &Dir) -> io::Result<Vec<Entry>> {
    let Names { runs, temporaries } = names(base)?;
    let mut entries = Vec::new();
    for name in temporaries {
        entries.extend(regular_file(base, &name).map(|metadata| Entry::of(None, name, &metadata)));
    }
    for run in runs {
        let Ok(directory) = root::open_below(base, &run, false) else {
            continue;
        };
        for name in results(&directory) {
            entries
                .extend(regular_file(&directory, &name).map(|metadata| Entry::of(Some(run.clone()), name, &metadata)));
        }
    }
    Ok(entries)
}

/// What is known of a name; `None` where there is no regular file.
pub(super) fn regular_file(directory: &Dir, name: &str) -> Option<Metadata> {
    directory.symlink_metadata(name).ok().filter(Metadata::is_file)
}

impl Entry {
    fn of(run: Option<String>, name: String, metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let file = {
            use cap_std::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let file = None;
        Self { run, name, size: metadata.len(), mtime_ns: file::mtime_ns(metadata), file }
    }
}
