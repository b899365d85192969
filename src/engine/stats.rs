//! Counters per tool and action.

use std::collections::{BTreeMap, HashMap};

use super::report::{Performed, Report};

/// Tools that get counters of their own; the others share [`OTHERS`]. Tool names can come from a model.
const MAX_TOOLS: usize = 1_000;

/// The name under which the tools beyond [`MAX_TOOLS`] are counted.
pub const OTHERS: &str = "(other tools)";

/// What one action did for one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counters {
    /// How many parts.
    pub calls: u64,
    /// Their sizes as measured, added up.
    pub size_before: f64,
    /// Chars of their outputs, added up.
    pub chars_after: u64,
    /// How many actions were tried in vain.
    pub fallbacks: u64,
}

/// Counters per tool and action.
#[derive(Debug, Clone, Default)]
pub struct Stats(HashMap<String, BTreeMap<Performed, Counters>>);

impl Stats {
    /// Counts one part.
    pub fn count(&mut self, tool_name: &str, report: &Report) {
        self.add(tool_name, report.action, report.size, report.chars, report.fallbacks.len());
    }

    /// Counts one part that reached no band.
    pub fn count_untouched(&mut self, tool_name: &str, size: f64, chars: usize) {
        self.add(tool_name, Performed::None, size, chars, 0);
    }

    fn add(&mut self, tool_name: &str, action: Performed, size: f64, chars: usize, fallbacks: usize) {
        let name = if self.0.contains_key(tool_name) || self.0.len() < MAX_TOOLS { tool_name } else { OTHERS };
        // `entry` would copy the name of every call.
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), BTreeMap::new());
        }
        if let Some(actions) = self.0.get_mut(name) {
            let counters = actions.entry(action).or_default();
            counters.calls += 1;
            counters.size_before += size;
            counters.chars_after += chars as u64;
            counters.fallbacks += fallbacks as u64;
        }
    }

    /// Every tool with its counters.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &BTreeMap<Performed, Counters>)> {
        self.0.iter().map(|(name, actions)| (name.as_str(), actions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_beyond_the_first_thousand_are_counted_together() {
        let mut stats = Stats::default();
        for n in 0..1_100 {
            stats.count_untouched(&format!("tool {n}"), 2.0, 2);
        }
        stats.count_untouched("tool 7", 3.0, 3);
        let tools: HashMap<_, _> = stats.tools().collect();
        assert_eq!(tools.len(), MAX_TOOLS + 1);
        assert_eq!(tools[OTHERS][&Performed::None].calls, 100);
        let seventh = tools["tool 7"][&Performed::None];
        assert_eq!((seventh.calls, seventh.size_before, seventh.chars_after), (2, 5.0, 5));
    }
}
