//! JSON as text: laid out, sketched, cut and read without building values of it.
//!
//! 1. `scan` walks a document strictly, as `JSON.parse` would, and tells a visitor what it meets.
//! 2. `layout` and `leaves` write the same document in another form.
//! 3. `sketch` says in one line what it looks like; `same` whether two documents hold the same data.
//! 4. `valid` and `records` cut a document that is too long, at places where a reader can still follow it.
//! 5. `pointer` finds a value in a stored document of any size, `show` makes a page of it; `block` is how the rest is skipped.
//!
//! Nothing here recurses deeper than [`MAX_DEPTH`], takes more than linear time, or fails on any input.

mod block;
mod layout;
mod leaves;
mod pointer;
mod records;
mod same;
mod scan;
mod show;
mod sketch;
mod stream;
mod string;
mod valid;

#[cfg(test)]
mod testing;

pub use layout::{indented, json_lines};
pub use leaves::map_strings;
pub use pointer::point;
pub use records::{Keep, MAX_LOOK, may_be_records, truncate_records};
pub use same::same;
pub use scan::MAX_DEPTH;
pub use show::{Ask, NextItem, Pointed};
pub use sketch::{sketch, sketch_lines};
pub use stream::ByteSource;
pub use string::quoted;
pub use valid::truncate_valid;
