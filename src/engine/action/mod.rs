//! The actions of a band: what to do with an output, in the order in which it is tried.
//!
//! Each action is a file of its own with its settings, as the entry has checked them, and its work: `perform` gives
//! the text that takes the output's place, `None` where the output stays as it is, or the [`Reason`] why it cannot run.
//! What it learns besides goes into the report.

mod passthrough;
mod settings;
mod spill;
mod summarize;
mod truncate;

use serde::Deserialize;

use super::call::Call;
use super::host::Host;
use super::limits::Limits;
use super::reason::Reason;
use super::render::{Content, Rendered};
use super::report::Report;
use super::store::Part as PartName;
use super::text::Text;

pub use passthrough::Passthrough;
pub use spill::{Spill, number};
pub use summarize::Summarize;
pub use truncate::Truncate;

macro_rules! actions {
    ($($(#[$comment:meta])* $action:ident = $name:literal,)+) => {
        /// One way to reduce an output. A band holds a chain of them: the action and its fallbacks, in order.
        #[derive(Debug, Clone, Deserialize)]
        #[serde(tag = "type")]
        pub enum Action {
            $($(#[$comment])* #[serde(rename = $name)] $action($action),)+
        }

        impl Action {
            /// The name of the action in the public API.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$action(_) => $name,)+
                }
            }

            /// Runs the action.
            pub(super) async fn perform<H: Host>(
                &self,
                attempt: &Attempt<'_, H>,
                report: &mut Report,
            ) -> Result<Option<String>, Reason> {
                match self {
                    $(Self::$action(action) => action.perform(attempt, report).await,)+
                }
            }
        }
    };
}

actions! {
    /// Keeps the beginning, the end, or both.
    Truncate = "truncate",
    /// Stores the whole and shows a handle, a shape and a preview.
    Spill = "spill",
    /// Asks a model, or a function, for a shorter text.
    Summarize = "summarize",
    /// Leaves the output as it is, on purpose.
    Passthrough = "passthrough",
}

impl Action {
    /// The name for an output that no action has changed, on purpose or because none could run.
    pub const PASSTHROUGH: &'static str = "passthrough";

    /// Reads a chain of actions as the entry writes it: a JSON array of objects that `type` tells apart.
    pub fn chain(json: &str) -> Result<Vec<Self>, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }
}

/// What an action works on.
pub(super) struct Attempt<'a, H> {
    pub limits: &'a Limits,
    pub host: &'a H,
    pub call: &'a Call,
    pub part: PartName,
    /// Position of the action in the chain.
    pub position: usize,
    pub rendered: &'a Rendered,
}

impl<H> Attempt<'_, H> {
    /// The output, for an action that needs text.
    fn text(&self) -> Result<&Text, Reason> {
        match &self.rendered.content {
            Content::Text(text) => Ok(text),
            Content::Bytes(_) => Err(Reason::Binary),
        }
    }

    /// Chars that what takes the place of a text must be fewer than.
    fn bound(&self, text: &Text) -> usize {
        text.len().min(self.rendered.given)
    }
}
