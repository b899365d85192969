//! The node face of the engine. Thin: converts values, forwards to `crate::engine`.
//!
//! * `limits`, `read`, `store`: the native classes behind the entry's (`api/`).
//! * `port`, `host`: the way back into JavaScript, for strings and callbacks.
//! * `config`: the checked configuration. `units`: strings as UTF-16. `text`: small helpers of the entry.

mod config;
mod host;
mod limits;
mod port;
mod read;
mod store;
mod text;
mod units;
