//! Reading a stored result back: arguments, pages, searches, and the text of the answer.
//!
//! 1. [`check`] turns what the model gave into [`Arguments`]; [`candidates`] says which handles it may mean.
//! 2. The caller opens the handle as a [`Source`] of byte ranges.
//! 3. [`read`] looks at what it is (`view`), finds its place by the sparse index of lines (`index`, kept in
//!    `remembered`), and makes a verbatim page (`page`), a search (`search`, `pattern`, `hits`), a value
//!    named by a JSON pointer (`pointed`) or a hex dump (`hex`).
//! 4. [`say`] makes the text of the answer.
//!
//! Only a few hundred KB of a result are in memory at any time, except for decoded charsets.
//! Synchronous: meant for a worker thread.

mod answer;
mod arguments;
mod hex;
mod hits;
mod index;
mod page;
mod pattern;
mod pointed;
mod remembered;
mod search;
mod source;
mod view;

pub use answer::{call, say, unavailable, unknown};
pub use arguments::{Arguments, Caps, NOT_AN_OBJECT, Raw, RawArguments, candidates, check};
pub use index::Index;
pub use remembered::remember;
pub use source::{MemorySource, ReadError, Source};

use crate::engine::bytes;
use crate::engine::store::Kind;
use view::Opened;

#[cfg(test)]
mod tests;

/// A page of a stored result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The text; empty where there is nothing to show.
    pub text: String,
    /// The first line shown, from 1; 0 for none.
    pub first_line: u64,
    /// The last line shown; 0 for none.
    pub last_line: u64,
    /// Lines of the whole result; rows of a hex dump, items of an array.
    pub total_lines: u64,
    /// Chars (UTF-16 units) of `text`.
    pub chars: u64,
    /// What a search found on this page; `None` where nothing was searched.
    pub matches: Option<Vec<Match>>,
    /// How to go on; `None` at the end.
    pub next: Option<Next>,
    /// What else there is to know: sentences for the model.
    pub notice: Option<String>,
}

/// One match: a line, or a place in a line that is too long to be shown whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The number of its line, from 1.
    pub line: u64,
    /// Chars of the line before the match: `{ offset: line - 1, char_offset: char }` reads it back.
    pub char: Option<u64>,
    /// The line, or a window of a long one, without its number.
    pub text: String,
}

/// The arguments of the next call, the handle excepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Next {
    /// As asked.
    pub pattern: Option<String>,
    /// As asked.
    pub regex: bool,
    /// As asked.
    pub ignore_case: bool,
    /// As asked; 0 for none.
    pub context: u64,
    /// As asked.
    pub pointer: Option<String>,
    /// Absolute: lines, matches or items before the next page.
    pub offset: Option<u64>,
    /// Chars of that line before the next page.
    pub char_offset: Option<u64>,
    /// As asked; after a page counted from the end, what is left of it.
    pub limit: Option<u64>,
}

impl Page {
    /// A page that shows nothing but a notice.
    pub fn nothing(notice: impl Into<String>, total_lines: u64) -> Self {
        Self { total_lines, notice: Some(notice.into()), ..Self::default() }
    }

    /// Adds a sentence to the notice.
    fn add_notice(&mut self, sentence: &str) {
        let notice = self.notice.get_or_insert_default();
        if !notice.is_empty() {
            notice.push(' ');
        }
        notice.push_str(sentence);
    }
}

/// Reads a page of a stored result. Without a `kind` the content is sniffed.
///
/// Arguments that lead nowhere give a page whose notice says so. Errors: only those of the source.
pub fn read(source: &dyn Source, kind: Option<&Kind>, arguments: &Arguments, caps: &Caps) -> Result<Page, ReadError> {
    let mut page = match view::open(source, kind)? {
        Opened::Binary(what) => hex::page(source, &what, arguments, caps)?,
        Opened::Text(view) => {
            let mut page = match (&arguments.pointer, &arguments.pattern) {
                (Some(pointer), _) => pointed::page(&view, pointer, arguments, caps)?,
                (None, Some(pattern)) => search::page(&view, pattern, arguments, caps)?,
                (None, None) => page::page(&view, arguments, caps)?,
            };
            if arguments.pointer.is_some() && arguments.pattern.is_some() {
                page.add_notice("The pattern was left out: it cannot be used with a pointer.");
            }
            if arguments.pointer.is_none() && arguments.pattern.is_some() && arguments.char_offset > 0 {
                page.add_notice("char_offset was left out: with a pattern, offset counts matches.");
            }
            if view.invalid > 0 {
                page.add_notice(&format!("The stored output has {}.", bytes::malformed(view.invalid)));
            }
            page
        }
    };
    if let Some(next) = &mut page.next {
        next.pointer.clone_from(&arguments.pointer);
        if arguments.pointer.is_none() {
            next.pattern.clone_from(&arguments.pattern);
            next.regex = arguments.regex;
            next.ignore_case = arguments.ignore_case;
            next.context = arguments.context;
        }
    }
    if !arguments.notes.is_empty() {
        let notes = arguments.notes.iter().cloned().chain(page.notice.take());
        page.notice = Some(notes.collect::<Vec<_>>().join(" "));
    }
    Ok(page)
}
