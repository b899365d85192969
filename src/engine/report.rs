//! What happened to one part of a tool result, and why.

use super::reason::Reason;

/// The name in the public API for what produced an output that is exempt, or below every band.
pub const NONE: &str = "none";

/// What a size counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// UTF-16 code units.
    Chars,
    /// Tokens, counted or estimated.
    Tokens,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// The name in the public API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chars => "chars",
            Self::Tokens => "tokens",
            Self::Bytes => "bytes",
        }
    }
}

/// What summaries cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Requests to a model.
    pub requests: f64,
    /// Tokens sent.
    pub input_tokens: f64,
    /// Tokens received.
    pub output_tokens: f64,
    /// Both, as the model counted them.
    pub total_tokens: f64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.total_tokens += other.total_tokens;
    }
}

/// What was tried before the action that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// Name of the action.
    pub action: &'static str,
    /// Why it could not run.
    pub reason: Reason,
}

/// The `PartReport` of the public API.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What produced the output: the name of an action, or [`NONE`].
    pub action: &'static str,
    /// The size as measured, in `unit`.
    pub size: f64,
    /// What `size` counts.
    pub unit: Unit,
    /// Length of the output text in chars; 0 for bytes that were kept.
    pub chars: usize,
    /// Where the whole is stored.
    pub handle: Option<String>,
    /// How many bytes are stored.
    pub bytes: Option<u64>,
    /// Lone surrogates that became U+FFFD; 0 where there were none.
    pub replaced: usize,
    /// What was tried before, in order.
    pub fallbacks: Vec<Tried>,
    /// What summaries of this part cost.
    pub usage: Option<Usage>,
}

/// Something the application should know; never holds text of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// `TOL_…`, documented in docs/errors.md.
    pub code: &'static str,
    /// One sentence for a person.
    pub message: String,
    /// Why, where an action could not run.
    pub reason: Option<Reason>,
}

/// What became of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The text that replaces the original; `None` keeps the original.
    pub text: Option<String>,
    /// What happened.
    pub report: Report,
    /// What to tell the application.
    pub warnings: Vec<Warning>,
    /// Whether the part reached a band.
    pub reached: bool,
}
