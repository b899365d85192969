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
        from_end: arguments.from_end,
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
    let place = if pointer.is_empty() { "the top" } else { pointer };
    match pointed {
        Pointed::Missing { notice, count } => Page::nothing(notice, count.unwrap_or(0)),
        Pointed::Value { text, total, feeds, feeds_before, next } => {
            let inside = text.strip_suffix('\n').unwrap_or(&text);
            let mut notice = format!("The value at {place} has {} chars.", grouped(total));
            if arguments.offset > 0 || arguments.from_end {
                notice.push_str(" It is no array, so that offset and limit do not count.");
            }
            Page {
                first_line: feeds_before + 1,
                last_line: feeds_before + 1 + memchr::memchr_iter(b'\n', inside.as_bytes()).count() as u64,
                total_lines: feeds + 1,
                chars: utf16_len(text.as_bytes()) as u64,
                text: view.show(&text).into_owned(),
                next: next.map(|next| Next { char_offset: Some(next), ..Next::default() }),
                notice: Some(notice),
                ..Page::default()
            }
        }
        Pointed::Items { rows, first, count, next } => {
            let last = first + (rows.len() as u64).saturating_sub(1);
            let is_cut = next.is_some_and(|next| next.char_offset > 0);
            let text = rows.join("\n") + if is_cut { "" } else { "\n" };
            Page {
                chars: utf16_len(text.as_bytes()) as u64,
                text: view.show(&text).into_owned(),
                first_line: first + 1,
                last_line: last + 1,
                total_lines: count,
                notice: Some(format!(
                    "Items {} to {} of {} at {place}, one a line{}.",
                    grouped(first),
                    grouped(last),
                    grouped(count),
                    if is_cut { ", the last one cut" } else { "" }
                )),
                next: next.map(|next| Next {
                    offset: Some(next.offset),
                    char_offset: (next.char_offset > 0).then_some(next.char_offset),
                    limit: Some(next.limit),
                    ..Next::default()
                }),
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
    use crate::engine::json::NextItem;

    fn laid_out(pointed: Pointed, arguments: &Arguments) -> Page {
        let source = MemorySource::new(*b"{}");
        let Ok(Opened::Text(view)) = open(&source, None) else { panic!("text") };
        layout(pointed, &view, "/items", arguments)
    }

    #[test]
    fn a_value_goes_on_inside() {
        let value = |next| Pointed::Value { text: "a\nb\x07".to_owned(), total: 14, feeds: 3, feeds_before: 1, next };
        let page = laid_out(value(Some(13)), &Arguments::default());
        assert_eq!((page.text.as_str(), page.chars), ("a\nb\u{2407}", 4));
        assert_eq!((page.first_line, page.last_line, page.total_lines), (2, 3, 4));
        assert_eq!(page.next, Some(Next { char_offset: Some(13), ..Next::default() }));
        assert_eq!(page.notice.as_deref(), Some("The value at /items has 14 chars."));
        let skipped = laid_out(value(None), &Arguments { offset: 1, ..Arguments::default() });
        assert_eq!(skipped.next, None);
        assert!(skipped.notice.is_some_and(|notice| notice.contains("no array")));
    }

    #[test]
    fn items_are_lines() {
        let asked = Arguments { offset: 2, limit: 2, ..Arguments::default() };
        let rows = || vec!["1".to_owned(), "{}".to_owned()];
        let items = |char_offset| {
            let next = Some(NextItem { offset: 4, char_offset, limit: 2 });
            laid_out(Pointed::Items { rows: rows(), first: 2, count: 1234, next }, &asked)
        };
        let page = items(0);
        assert_eq!((page.text.as_str(), page.first_line, page.last_line, page.chars), ("1\n{}\n", 3, 4, 5));
        assert_eq!(page.next, Some(Next { offset: Some(4), limit: Some(2), ..Next::default() }));
        assert_eq!(page.notice.as_deref(), Some("Items 2 to 3 of 1,234 at /items, one a line."));
        let cut = items(2);
        assert_eq!((cut.text.as_str(), cut.last_line, cut.chars), ("1\n{}", 4, 4));
        assert_eq!(cut.next.and_then(|next| next.char_offset), Some(2));
        let missing = Pointed::Missing { notice: "Past the end.".to_owned(), count: Some(2) };
        let past = laid_out(missing, &asked);
        assert_eq!((past.notice.as_deref(), past.total_lines), (Some("Past the end."), 2));
    }
}
