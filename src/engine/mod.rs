//! The reduction engine. Nothing here knows of node.
//!
//! A [`Part`] of a tool result goes through [`Limits::reduce`] (`reduce.rs`: render → measure → choose → act → fall
//! back → report) and comes out as an [`Outcome`]; what was spilled is read back with [`Limits::read`]
//! (`reading.rs`). What only the program around it can do, the engine asks of a [`Host`].
//!
//! | to change | look in |
//! | --- | --- |
//! | which band acts | `bands.rs` |
//! | what an action does | `text/truncate.rs`, `json/valid.rs`, `spill/`, `summarize.rs` |
//! | what the model reads | `spill/envelope.rs`, `read/answer.rs`, the marker in `text/truncate.rs`, the prompt in `summarize.rs` |
//! | how a value is laid out | `json/layout.rs` |
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
mod report;
mod spill;
mod stats;
pub mod store;
mod summarize;
pub mod text;
mod work;

pub use action::{Action, Spill, Summarize, Truncate};
pub use bands::{Band, Bands, ToolBands, compile_glob};
pub use call::{Abort, Backend, Body, Call, Part};
pub use config::{Cleaning, Config, Layout, ReadTool};
pub use host::{Elsewhere, Host, StoredElsewhere, SummaryAnswer, SummaryRequest};
pub use limits::Limits;
pub use reading::{Answer, Problem};
pub use reason::Reason;
pub use report::{Outcome, Performed, Report, Tried, Unit, Usage, Warning};
pub use stats::{Counters, Stats};
pub use work::{Lane, off_thread};
