//! How much is stored, without asking the system for every file again.
//!
//! A process that writes much into a root with a quota would else look at each of its files for each write. Results never
//! change under their names, so what was learnt of one holds as long as its directory entry is the same; and a
//! directory that has not changed needs no look inside. Everything is learnt anew after a second: so long may go unseen
//! what nobody does but by intent, such as a file cut short in its place.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Dir;

use super::file::nanoseconds;
use super::listing::{self, Facts};
use super::root;

/// How long what was learnt is used.
const TRUSTED: Duration = Duration::from_secs(1);
/// A directory that changed so shortly before it was read may change once more and keep its time: the clock of file
/// systems goes in steps of up to 10 ms.
const SETTLED_NS: i128 = 100 * 1_000_000;
/// Roots of which something is known at once, and files of one.
const MAX_ROOTS: usize = 16;
const MAX_FILES: usize = 100_000;

/// What this process knows of its roots with a quota.
#[derive(Debug, Default)]
pub(super) struct Census {
    roots: HashMap<(u64, u64), Known>,
}

/// What is known of the results below one root.
#[derive(Debug)]
pub(super) struct Known {
    since: Instant,
    runs: HashMap<String, Run>,
}

#[derive(Debug, Default)]
struct Run {
    /// The directory, and when it last changed; `None` where that says nothing.
    state: Option<((u64, u64), i128)>,
    files: HashMap<String, (Option<u64>, Facts)>,
}

impl Census {
    /// What is below a root by now: its results, and its temporaries by name.
    pub fn take(&mut self, base: &Dir) -> io::Result<(Known, Vec<(String, Facts)>)> {
        let place = listing::number(&base.dir_metadata()?);
        let mut known = place
            .and_then(|place| self.roots.remove(&place))
            .filter(|known| known.since.elapsed() < TRUSTED)
            .unwrap_or_else(|| Known { since: Instant::now(), runs: HashMap::new() });
        let names = listing::names(base)?;
        let facts = |name: String| Some((Facts::of(&listing::regular_file(base, &name)?), name));
        let temporaries = names.temporaries.into_iter().filter_map(facts).map(|(facts, name)| (name, facts)).collect();
        known.update(base, names.runs);
        Ok((known, temporaries))
    }

    /// Keeps what is known for the next write.
    pub fn keep(&mut self, base: &Dir, known: Known) {
        let files: usize = known.runs.values().map(|run| run.files.len() + 1).sum();
        let place = base.dir_metadata().ok().and_then(|metadata| listing::number(&metadata));
        if let Some(place) = place.filter(|_| files <= MAX_FILES) {
            if self.roots.len() >= MAX_ROOTS {
                self.roots.clear();
            }
            self.roots.insert(place, known);
        }
    }
}

impl Known {
    fn update(&mut self, base: &Dir, names: Vec<String>) {
        let mut before = std::mem::take(&mut self.runs);
        for name in names {
            let now = nanoseconds(SystemTime::now());
            let Ok(metadata) = base.symlink_metadata(&name) else {
                continue;
            };
            let mtime_ns = super::file::mtime_ns(&metadata);
            let state = listing::number(&metadata).map(|number| (number, mtime_ns));
            let seen = before.remove(&name).unwrap_or_default();
            if state.is_some() && seen.state == state {
                self.runs.insert(name, seen);
                continue;
            }
            let Ok(directory) = root::open_below(base, &name, false) else {
                continue;
            };
            let state = state.filter(|_| mtime_ns <= now - SETTLED_NS);
            self.runs.insert(name, Run { state, files: seen.files_now(&directory) });
        }
    }

    /// Bytes of all results.
    pub fn size(&self) -> u64 {
        let files = self.runs.values().flat_map(|run| run.files.values());
        files.fold(0, |sum, (_, facts)| sum.saturating_add(facts.size))
    }

    /// Whether a file is one of the results.
    pub fn files(&self) -> HashSet<(u64, u64)> {
        self.runs.values().flat_map(|run| run.files.values()).filter_map(|(_, facts)| facts.file).collect()
    }

    /// Deletes the oldest results until `excess` bytes are gone; the directories they leave empty, too, but for that of
    /// the run `spared`. → how many bytes are gone
    pub fn delete_oldest(&mut self, base: &Dir, excess: u64, spared: &str) -> u64 {
        let (mut gone, mut changed) = (0_u64, Vec::new());
        let mut by_age: BinaryHeap<_> = self
            .runs
            .iter()
            .flat_map(|(run, Run { files, .. })| {
                files.iter().map(move |(name, (_, facts))| Reverse((facts.mtime_ns, run.as_str(), name.as_str())))
            })
            .collect();
        while gone < excess
            && let Some(Reverse((mtime_ns, run, name))) = by_age.pop()
        {
            let Ok(directory) = root::open_below(base, run, false) else {
                continue;
            };
            let facts = listing::regular_file(&directory, name).map(|metadata| Facts::of(&metadata));
            // Its age was renewed since it was looked at.
            if let Some(facts) = facts.filter(|facts| facts.mtime_ns > mtime_ns) {
                by_age.push(Reverse((facts.mtime_ns, run, name)));
                continue;
            }
            let size = facts.map_or(0, |facts| facts.size);
            match directory.remove_file(name) {
                Ok(()) => gone = gone.saturating_add(size),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => continue,
            }
            changed.push((run.to_owned(), name.to_owned()));
        }
        for (run, name) in changed {
            let Some(known) = self.runs.get_mut(&run) else { continue };
            known.files.remove(&name);
            // What happens now is not what its time tells of.
            known.state = None;
            if known.files.is_empty() && run != spared {
                let _ = base.remove_dir(&run);
            }
        }
        gone
    }
}

impl Run {
    /// The files that are there now; those that were there before are not looked at.
    fn files_now(mut self, directory: &Dir) -> HashMap<String, (Option<u64>, Facts)> {
        let mut files = HashMap::new();
        for (name, number) in listing::numbered_results(directory) {
            let seen = self.files.remove(&name).filter(|(before, _)| number.is_some() && *before == number);
            let facts = match seen {
                Some((_, facts)) => facts,
                None => match listing::regular_file(directory, &name) {
                    Some(metadata) => Facts::of(&metadata),
                    None => continue,
                },
            };
            files.insert(name, (number, facts));
        }
        files
    }
}
