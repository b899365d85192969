//! Reduces oversized tool results of LLM agents, once, when they are produced.
//!
//! * [`engine`] decides and does. Pure Rust; knows nothing of node.
//! * `binding` (feature `addon`) converts between node and the engine, and nothing else.
#![warn(missing_docs)]

#[cfg(feature = "addon")]
mod binding;
pub mod engine;
