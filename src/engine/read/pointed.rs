use super::arguments::{Arguments, Caps};
use super::source::ReadError;
use super::view::View;
use super::{Next, Page};
use crate::engine::text::{grouped, utf16_len};

/// What a JSON pointer names.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "until pointers are resolved"))]
enum Pointed {
    /// A value that is no array: `text` is its JSON from `char_offset` on, of `total` chars in all.
    Value { text: String, total: u64 },
    /// Items of an array from `offset` on, out of `count`.
    Items { rows: Vec<String>, count: u64 },
    /// Nothing: what there is instead, as a sentence.
    Missing(String),
}

/// The value that a JSON pointer names; an array gives one item per line.
pub(super) fn page(
    view: &View<'_>,
    pointer: &str,
    arguments: &Arguments,
    caps: &Caps,
) -> Result<Page, ReadError> {
    Ok(layout(
        resolve(view, pointer, arguments, caps)?,
        view,
        pointer,
        arguments,
    ))
}

/// The seam to the JSON side of the engine.
fn resolve(_: &View<'_>, _: &str, _: &Arguments, _: &Caps) -> Result<Pointed, ReadError> {
    Ok(Pointed::Missing(
        "pointer is not available; read the output by lines or pattern.".to_owned(),
    ))
}

fn layout(pointed: Pointed, view: &View<'_>, pointer: &str, arguments: &Arguments) -> Page {
    match pointed {
        Pointed::Missing(notice) => Page::nothing(notice, 0),
        Pointed::Value { text, total } => {
            let chars = utf16_len(text.as_bytes()) as u64;
            let end = arguments.char_offset + chars;
            Page {
                text: view.show(&text).into_owned(),
                first_line: 1,
                last_line: 1,
                total_lines: 1,
                chars,
                next: (end < total && chars > 0).then(|| Next {
                    char_offset: Some(end),
                    ..Next::default()
                }),
                ..Page::default()
            }
        }
        Pointed::Items { rows, count } if rows.is_empty() => {
            let place = if pointer.is_empty() {
                "the document"
            } else {
                pointer
            };
            let last = count.saturating_sub(1);
            Page::nothing(
                format!(
                    "Past the end: {place} has {} items; the last valid offset is {last}.",
                    grouped(count)
                ),
                count,
            )
        }
        Pointed::Items { rows, count } => {
            let after = arguments.offset + rows.len() as u64;
            let text = rows.join("\n") + "\n";
            let place = if pointer.is_empty() {
                "the top"
            } else {
                pointer
            };
            Page {
                chars: utf16_len(text.as_bytes()) as u64,
                text: view.show(&text).into_owned(),
                first_line: arguments.offset + 1,
                last_line: after,
                total_lines: count,
                notice: Some(format!(
                    "Items {} to {} of {} at {place}.",
                    grouped(arguments.offset),
                    grouped(after - 1),
                    grouped(count)
                )),
                next: (after < count).then(|| Next {
                    offset: Some(after),
                    limit: Some(arguments.limit),
                    ..Next::default()
                }),
                ..Page::default()
            }
        }
    }
}
