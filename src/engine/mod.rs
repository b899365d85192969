//! The reduction engine. Nothing here knows of node.

pub mod bytes;
pub mod json;
pub mod read;
pub mod reason;
pub mod store;
pub mod text;
