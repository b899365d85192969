//! One tool call, and the parts of its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::store::{Key, LocalStore, MemoryStore, Part as PartName};
use super::text::Text;

/// What the engine knows of a tool call.
#[derive(Clone)]
pub struct Call {
    /// The tool's name.
    pub tool_name: String,
    /// The run, to offer its handles again.
    pub run: String,
    /// Names the results of the call.
    pub key: Key,
    /// Charset of bytes that are text, as a WHATWG name.
    pub charset: Option<String>,
    /// Whether the call was aborted.
    pub abort: Abort,
    /// Where results are spilled.
    pub store: Backend,
}

/// Where results are spilled.
#[derive(Clone)]
pub enum Backend {
    /// Files under a root.
    Local(LocalStore),
    /// This process's memory.
    Memory(MemoryStore),
    /// The application's own store, reached through the host.
    Host {
        /// Whether another tool than the read tool reads its handles.
        has_read_instruction: bool,
    },
}

/// Set when the call is aborted.
#[derive(Debug, Clone, Default)]
pub struct Abort(Arc<AtomicBool>);

impl Abort {
    /// Marks the call as aborted.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the call was aborted.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A part to reduce.
pub struct Part {
    /// Which part.
    pub name: PartName,
    /// What it holds.
    pub body: Body,
}

/// What a part holds.
pub enum Body {
    /// A string, or the text of the application's own serializer.
    Text {
        /// The text.
        text: Text,
        /// Whether it stands for a structured value.
        structured: bool,
        /// The value as JSON, for the shape, where `text` is the application's own rendering.
        json: Option<Text>,
    },
    /// A structured value as compact JSON, to be laid out as configured.
    Json {
        /// The JSON.
        text: Text,
        /// Whether the value is a list, of which `json-lines` makes lines.
        is_list: bool,
    },
    /// Bytes, copied when the call was made.
    Bytes(Arc<[u8]>),
}
