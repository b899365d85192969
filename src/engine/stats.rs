//! Counters per tool and action.

use std::collections::{BTreeMap, HashMap};

use super::report::{NONE, Report};

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
pub struct Stats(HashMap<String, BTreeMap<&'static str, Counters>>);

impl Stats {
    /// Counts one part.
    pub fn count(&mut self, tool_name: &str, report: &Report) {
        let counters = Counters {
            calls: 1,
            size_before: report.size,
            chars_after: report.chars as u64,
            fallbacks: report.fallbacks.len() as u64,
        };
        self.add(tool_name, report.action, counters);
    }

    /// Counts parts that reached no band.
    pub fn count_untouched(&mut self, tool_name: &str, calls: u64, size: f64, chars: u64) {
        let counters = Counters { calls, size_before: size, chars_after: chars, fallbacks: 0 };
        self.add(tool_name, NONE, counters);
    }

    fn add(&mut self, tool_name: &str, action: &'static str, more: Counters) {
        let name = if self.0.contains_key(tool_name) || self.0.len() < MAX_TOOLS { tool_name } else { OTHERS };
        // `entry` would copy the name of every call.
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), BTreeMap::new());
        }
        if let Some(actions) = self.0.get_mut(name) {
            let counters = actions.entry(action).or_default();
            counters.calls += more.calls;
            counters.size_before += more.size_before;
            counters.chars_after += more.chars_after;
            counters.fallbacks += more.fallbacks;
        }
    }

    /// Every tool with its counters.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &BTreeMap<&'static str, Counters>)> {
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
            stats.count_untouched(&format!("tool {n}"), 1, 2.0, 2);
        }
        stats.count_untouched("tool 7", 2, 3.0, 3);
        let tools: HashMap<_, _> = stats.tools().collect();
        assert_eq!(tools.len(), MAX_TOOLS + 1);
        assert_eq!(tools[OTHERS][NONE].calls, 100);
        let seventh = tools["tool 7"][NONE];
        assert_eq!((seventh.calls, seventh.size_before, seventh.chars_after), (3, 5.0, 5));
    }
}
