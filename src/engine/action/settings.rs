//! Settings as the entry writes them.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::engine::text::LineMatcher;

/// A count: below zero is zero, a fraction is dropped, and what no memory could hold is the largest there is.
pub fn count<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    Ok(f64::deserialize(from)? as usize)
}

/// Chars of a regular expression that an error shows.
const MAX_SHOWN: usize = 100;

#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    Whether(bool),
    Literals(Vec<String>),
    /// A JavaScript regular expression.
    Pattern {
        source: String,
        flags: String,
    },
}

/// Which lines: literal strings, or a regular expression; `false` stands for none.
pub fn lines<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LineMatcher>, D::Error> {
    match Lines::deserialize(from)? {
        Lines::Whether(false) => Ok(None),
        Lines::Whether(true) => Err(Error::custom("true stands for no lines")),
        Lines::Literals(strings) => LineMatcher::literals(&strings).map(Some).map_err(Error::custom),
        Lines::Pattern { source, flags } => LineMatcher::from_js_regex(&source, &flags).map(Some).map_err(|problem| {
            let shown: String = source.chars().take(MAX_SHOWN).collect();
            Error::custom(format!("/{shown}/{flags} cannot be used: {problem}"))
        }),
    }
}
