//! The actions of a band, as validated by the entry: what to do, in the order in which it is tried.

use super::text::{LineMatcher, Strategy};

/// One way to reduce a text. A band holds a chain of them: the action and its fallbacks, in order.
#[derive(Debug, Clone)]
pub enum Action {
    /// Keeps the beginning, the end, or both.
    Truncate(Truncate),
    /// Stores the whole and shows a handle, a shape and a preview.
    Spill(Spill),
    /// Asks a model, or a function, for a shorter text.
    Summarize(Summarize),
    /// Leaves the output as it is, on purpose.
    Passthrough,
}

/// Settings of [`Action::Truncate`].
#[derive(Debug, Clone)]
pub struct Truncate {
    /// The most chars the result may have, marker included.
    pub max_chars: usize,
    /// Which end is kept.
    pub strategy: Strategy,
    /// How many of the last lines are reserved.
    pub keep_tail_lines: usize,
    /// Whether JSON stays JSON, and records stay whole.
    pub valid_json: bool,
    /// Lines to keep wherever they are.
    pub keep_matching: Option<LineMatcher>,
}

/// Settings of [`Action::Spill`].
#[derive(Debug, Clone)]
pub struct Spill {
    /// Chars of the text that the envelope shows, highlights included.
    pub preview_chars: usize,
    /// Lines to show even where they lie in the middle; `None` shows none.
    pub highlights: Option<LineMatcher>,
}

/// Settings of [`Action::Summarize`].
#[derive(Debug, Clone)]
pub struct Summarize {
    /// Where the host finds the action's own model or function.
    pub slot: u32,
    /// The most chars a summary may have; a longer one is cut.
    pub max_chars: usize,
}

impl Action {
    /// The name of the action in the public API.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Truncate(_) => "truncate",
            Self::Spill(_) => "spill",
            Self::Summarize(_) => "summarize",
            Self::Passthrough => "passthrough",
        }
    }
}
