//! The node face of the engine. Thin: converts values, forwards to `crate::engine`.
