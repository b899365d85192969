//! The reduction engine. Nothing here knows of node.
//!
//! A [`Part`] of a tool result goes through [`Limits::reduce`] (`reduce.rs`: render → measure → choose → act → fall
//! back → report) and comes out as an [`Outcome`]; what was spilled is read back with [`Limits::read`]
//! (`reading.rs`). What only the program around it can do, the engine asks of a [`Host`].
//!
//! | to change | look in |
//! | --- | --- |
//! | which band acts | `bands.rs` |
//! | what an action does | its file in `action/`; `text/truncate.rs`, `json/valid.rs` |
//! | what the model reads | `action/spill/envelope.rs`, `read/answer.rs`, the marker in `text/truncate.rs`, the prompt in `action/summarize.rs` |
//! | how a value is laid out | `render.rs`, `json/layout.rs` |
//! | where results are kept | `store/` |
//! | pages and searches | `read/` |

mod action;
mod bands;
pub mod bytes;
mod call;
mod config;
mod host;
pub mod json;
mod limits;
pub mod read;
mod reading;
mod reason;
mod reduce;
mod render;
mod report;
mod stats;
pub mod store;
pub mod text;
mod work;

pub use action::Action;
pub use bands::{Band, Bands, ToolBands, compile_glob};
pub use call::{Abort, Backend, Body, Call, Part};
pub use config::{Cleaning, Config, Layout, ReadTool};
pub use host::{Elsewhere, Host, StoredElsewhere, SummaryAnswer, SummaryRequest};
pub use limits::Limits;
pub use reading::{Answer, Problem};
pub use reason::Reason;
pub use report::{NONE, Outcome, Report, Tried, Unit, Usage, Warning};
pub use stats::{Counters, Stats};
pub use work::{Lane, off_thread};
