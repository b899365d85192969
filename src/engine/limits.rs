//! An instance: its configuration, and what it remembers between calls.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::config::{Config, ReadTool};
use super::report::Usage;
use super::stats::Stats;

/// How many handles of a run are offered when an unknown one is asked for.
const OFFERED: usize = 5;
/// How many runs are remembered for that.
const REMEMBERED_RUNS: usize = 64;

/// The engine's side of a `ToolOutputLimits`.
pub struct Limits {
    pub(super) config: Config,
    pub(super) read_tool: Arc<ReadTool>,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    stats: Stats,
    usage: Usage,
    warned_of_tokenizer: bool,
    handles: HashMap<String, VecDeque<String>>,
    /// Runs in the order of their last spill.
    runs: VecDeque<String>,
}

impl Limits {
    /// An instance with a configuration.
    pub fn new(config: Config) -> Self {
        let read_tool = Arc::new(config.read_tool.clone());
        Self { config, read_tool, memory: Mutex::default() }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The smallest size of a tool's result that can be reduced; infinity where it never is.
    pub fn threshold(&self, tool_name: &str) -> f64 {
        if self.config.read_tool.is_named(tool_name) {
            return f64::INFINITY;
        }
        self.config.bands.of(tool_name).threshold()
    }

    /// Everything spent on summaries so far.
    pub fn usage(&self) -> Usage {
        self.memory().usage
    }

    /// Counters per tool and action.
    pub fn stats(&self) -> Stats {
        self.memory().stats.clone()
    }

    /// Counts parts that the entry saw to be below every band.
    pub fn count_untouched(&self, tool_name: &str, calls: u64, size: f64, chars: u64) {
        self.memory().stats.count_untouched(tool_name, calls, size, chars);
    }

    pub(super) fn count(&self, tool_name: &str, report: &super::report::Report) {
        self.memory().stats.count(tool_name, report);
    }

    pub(super) fn spend(&self, usage: Usage) {
        self.memory().usage += usage;
    }

    /// Whether the tokenizer's failure is still to be told: it is told once.
    pub(super) fn warn_of_tokenizer(&self) -> bool {
        !std::mem::replace(&mut self.memory().warned_of_tokenizer, true)
    }

    /// Remembers a handle, to offer it when an unknown one is asked for.
    pub(super) fn offer(&self, run: &str, handle: &str) {
        let memory = &mut *self.memory();
        let handles = memory.handles.entry(run.to_owned()).or_default();
        handles.retain(|known| known != handle);
        handles.push_back(handle.to_owned());
        if handles.len() > OFFERED {
            handles.pop_front();
        }
        memory.runs.retain(|known| known != run);
        memory.runs.push_back(run.to_owned());
        if memory.runs.len() > REMEMBERED_RUNS
            && let Some(oldest) = memory.runs.pop_front()
        {
            memory.handles.remove(&oldest);
        }
    }

    /// The last handles of a run, oldest first.
    pub fn offered(&self, run: &str) -> Vec<String> {
        self.memory().handles.get(run).map(|handles| handles.iter().cloned().collect()).unwrap_or_default()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Nothing under the lock can leave it half-done.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
