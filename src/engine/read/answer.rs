//! The text that reaches the model. Every function here says who reads its result.

use serde_json::Value;

use super::{Next, Page};
use crate::engine::json::quoted;
use crate::engine::text::grouped;

/// The most handles that are offered in place of an unknown one.
const MAX_OFFERED: usize = 5;

/// A page as the model reads it: one bracketed header line, the text, and the next call with its
/// exact arguments or that this is the end. Where there is nothing to show, the notice alone.
pub fn say(page: &Page, tool_name: &str, handle: &str) -> String {
    let notice = page.notice.as_deref().unwrap_or_default();
    if page.total_lines == 0 {
        return notice.to_owned();
    }
    let header = if page.first_line == 0 {
        notice.to_owned()
    } else {
        let lines = format!(
            "lines {}–{} of {}, {} chars.",
            grouped(page.first_line),
            grouped(page.last_line),
            grouped(page.total_lines),
            grouped(page.chars)
        );
        if notice.is_empty() { lines } else { format!("{lines} {notice}") }
    };
    let line_end = if page.text.is_empty() || page.text.ends_with('\n') { "" } else { "\n" };
    let last = match &page.next {
        Some(next) => format!("[More: {tool_name}({})]", call(handle, next)),
        None => "[End of the stored output.]".to_owned(),
    };
    format!("[{}: {header}]\n{}{line_end}{last}", quoted(handle), page.text)
}

/// The arguments of a next call as JSON, for the model to copy.
pub fn call(handle: &str, next: &Next) -> String {
    let mut arguments = format!("{{\"handle\":{}", quoted(handle));
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            arguments.push_str(&format!(",\"{name}\":{value}"));
        }
    };
    let number = |value: u64| Value::from(value).to_string();
    add("pattern", next.pattern.as_deref().map(quoted));
    add("regex", next.regex.then(|| "true".to_owned()));
    add("ignore_case", next.ignore_case.then(|| "true".to_owned()));
    add("context", (next.context > 0).then(|| number(next.context)));
    add("pointer", next.pointer.as_deref().map(quoted));
    add("offset", next.offset.map(number));
    add("char_offset", next.char_offset.map(number));
    add("limit", next.limit.map(number));
    arguments.push('}');
    arguments
}

/// What the model reads for a handle that names nothing, or nothing of its own run.
/// `known`: handles of the run as far as this process made them; the first five are offered.
pub fn unknown(known: &[String]) -> String {
    let mut text = "No stored output has this handle: it may have expired or be mistyped. Copy the handle exactly \
                    from the notice in the tool output, or run the tool again."
        .to_owned();
    if !known.is_empty() {
        let offered: Vec<String> = known.iter().take(MAX_OFFERED).map(|handle| quoted(handle)).collect();
        text.push_str(&format!(" Handles of this run: {}.", offered.join(", ")));
    }
    text
}

/// What the model reads when the store failed: the handle may be right.
pub fn unavailable() -> String {
    "The stored output cannot be read at the moment: its store did not answer, or refuses the access. Try again later \
     with the same arguments, or run the tool again."
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page {
            text: "b\nc\n".to_owned(),
            first_line: 2,
            last_line: 3,
            total_lines: 1234,
            chars: 4,
            next: Some(Next { offset: Some(3), limit: Some(2), ..Next::default() }),
            ..Page::default()
        }
    }

    #[test]
    fn a_page_says_where_it_is_and_how_to_go_on() {
        assert_eq!(
            say(&page(), "peek", "r/c.0"),
            "[\"r/c.0\": lines 2–3 of 1,234, 4 chars.]\nb\nc\n[More: peek({\"handle\":\"r/c.0\",\"offset\":3,\"limit\":2})]"
        );
        let last = Page { text: "c".to_owned(), next: None, notice: Some("Note.".to_owned()), ..page() };
        assert_eq!(
            say(&last, "peek", "r/c.0"),
            "[\"r/c.0\": lines 2–3 of 1,234, 4 chars. Note.]\nc\n[End of the stored output.]"
        );
    }

    #[test]
    fn a_search_has_the_same_header() {
        let found =
            Page { matches: Some(Vec::new()), notice: Some("Matches 1–2 of 2.".to_owned()), next: None, ..page() };
        assert_eq!(
            say(&found, "peek", "r/c.0"),
            "[\"r/c.0\": lines 2–3 of 1,234, 4 chars. Matches 1–2 of 2.]\nb\nc\n[End of the stored output.]"
        );
        let nothing = Page { matches: Some(Vec::new()), ..Page::nothing("No line matches.", 1234) };
        assert_eq!(say(&nothing, "peek", "r/c.0"), "[\"r/c.0\": No line matches.]\n[End of the stored output.]");
    }

    #[test]
    fn a_page_without_text_is_its_notice() {
        assert_eq!(say(&Page::nothing("The stored output is empty.", 0), "peek", "h"), "The stored output is empty.");
        assert_eq!(
            say(&Page::nothing("Past the end.", 3), "peek", "h"),
            "[\"h\": Past the end.]\n[End of the stored output.]"
        );
    }

    #[test]
    fn the_next_call_repeats_what_was_asked() {
        let next = Next {
            pattern: Some("a\"b\u{2028}".to_owned()),
            regex: true,
            ignore_case: true,
            context: 3,
            pointer: Some(String::new()),
            offset: Some(1),
            char_offset: Some(2),
            limit: Some(4),
        };
        assert_eq!(
            call("h", &next),
            "{\"handle\":\"h\",\"pattern\":\"a\\\"b\\u2028\",\"regex\":true,\"ignore_case\":true,\"context\":3,\
             \"pointer\":\"\",\"offset\":1,\"char_offset\":2,\"limit\":4}"
        );
    }

    #[test]
    fn at_most_five_handles_are_offered() {
        assert!(!unknown(&[]).contains("Handles of this run"));
        let known: Vec<String> = (0..9).map(|call| format!("r/{call}.0")).collect();
        assert!(
            unknown(&known).ends_with("Handles of this run: \"r/0.0\", \"r/1.0\", \"r/2.0\", \"r/3.0\", \"r/4.0\".")
        );
    }
}
