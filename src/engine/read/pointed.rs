use super::arguments::{Arguments, Caps};
use super::source::{ReadError, Source};
use super::view::View;
use super::{Next, Page};
use crate::engine::json::{Ask, ByteSource, Pointed, point};
use crate::engine::text::{grouped, utf16_len};

/// The value that a JSON pointer names; an array gives one item per line.
pub(super) fn page(view: &View<'_>, pointer: &str, arguments: &Arguments, caps: &Caps) -> Result<Page, ReadError> {
    let ask = Ask {
        pointer,
        offset: arguments.offset,
        limit: arguments.limit,
        char_offset: arguments.char_offset,
        max_chars: caps.max_chars,
    };
    Ok(layout(point(&Stored(view.source()), &ask)?, view, pointer, arguments))
}

/// Stored text as the JSON side of the engine reads it.
struct Stored<'s>(&'s dyn Source);

impl ByteSource for Stored<'_> {
    type Error = ReadError;

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        self.0.read_at(offset, len)
    }
}

fn layout(pointed: Pointed, view: &View<'_>, pointer: &str, arguments: &Arguments) -> Page {
    match pointed {
        Pointed::Missing { notice, count } => Page::nothing(notice, count.unwrap_or(0)),
        Pointed::Value { text, total: _, next } => {
            let chars = utf16_len(text.as_bytes()) as u64;
            Page {
                text: view.show(&text).into_owned(),
                first_line: 1,
                last_line: 1,
                total_lines: 1,
                chars,
                next: next.map(|next| Next { char_offset: Some(next), ..Next::default() }),
                ..Page::default()
            }
        }
        Pointed::Items { rows, count, next } => {
            let after = arguments.offset + rows.len() as u64;
            let text = rows.join("\n") + "\n";
            let place = if pointer.is_empty() { "the top" } else { pointer };
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
                next: next.map(|next| Next { offset: Some(next), limit: Some(arguments.limit), ..Next::default() }),
                ..Page::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::MemorySource;
    use super::super::view::{Opened, open};
    use super::*;

    fn laid_out(pointed: Pointed, arguments: &Arguments) -> Page {
        let source = MemorySource::new(*b"{}");
        let Ok(Opened::Text(view)) = open(&source, None) else { panic!("text") };
        layout(pointed, &view, "/items", arguments)
    }

    #[test]
    fn a_value_goes_on_inside() {
        let value = |next| Pointed::Value { text: "ab\x07".to_owned(), total: 14, next };
        let page = laid_out(value(Some(13)), &Arguments::default());
        assert_eq!((page.text.as_str(), page.chars, page.total_lines), ("ab\u{2407}", 3, 1));
        assert_eq!(page.next, Some(Next { char_offset: Some(13), ..Next::default() }));
        assert_eq!(laid_out(value(None), &Arguments::default()).next, None);
    }

    #[test]
    fn items_are_lines() {
        let asked = Arguments { offset: 2, limit: 2, ..Arguments::default() };
        let rows = vec!["1".to_owned(), "{}".to_owned()];
        let page = laid_out(Pointed::Items { rows, count: 1234, next: Some(4) }, &asked);
        assert_eq!((page.text.as_str(), page.first_line, page.last_line, page.chars), ("1\n{}\n", 3, 4, 5));
        assert_eq!(page.next, Some(Next { offset: Some(4), limit: Some(2), ..Next::default() }));
        assert_eq!(page.notice.as_deref(), Some("Items 2 to 3 of 1,234 at /items."));
        let missing = Pointed::Missing { notice: "Past the end.".to_owned(), count: Some(2) };
        let past = laid_out(missing, &asked);
        assert_eq!((past.notice.as_deref(), past.total_lines), (Some("Past the end."), 2));
    }
}
