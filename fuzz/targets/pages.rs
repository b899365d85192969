//! Reading never panics, every page makes progress, and the pages of a text join up to the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_output_limits::engine::read::{Arguments, Caps, MemorySource, Page, read};
use tool_output_limits::engine::store::Kind;

fuzz_target!(|data: &[u8]| {
    let [offset, limit, chars, flags, pattern, bytes @ ..] = data else { return };
    let kind = match flags & 3 {
        0 => None,
        1 => Some(Kind::Bytes { charset: None }),
        2 => Some(Kind::Bytes { charset: Some("utf-16le".to_owned()) }),
        _ => Some(Kind::Text),
    };
    let caps = Caps { max_chars: 500 + usize::from(*chars), ..Caps::default() };
    let source = MemorySource::new(bytes);
    let page = |arguments: &Arguments| -> Page {
        read(&source, kind.as_ref(), arguments, &caps).expect("memory does not fail")
    };
    let limit = u64::from(*limit).max(1);

    // Anything at all.
    let any = Arguments {
        handle: "r/c.0".to_owned(),
        offset: (*offset).into(),
        limit,
        char_offset: (*chars).into(),
        context: u64::from(flags >> 6),
        from_end: flags & 4 != 0,
        regex: flags & 8 != 0,
        ignore_case: flags & 16 != 0,
        pattern: (flags & 32 != 0)
            .then(|| String::from_utf8_lossy(&bytes[..bytes.len().min((pattern % 8) as usize + 1)]).into_owned())
            .filter(|pattern| !pattern.is_empty()),
        ..Arguments::default()
    };
    let shown = page(&any);
    assert_eq!(shown.chars, shown.text.encode_utf16().count() as u64);
    if any.pattern.is_none() {
        assert!(shown.text.encode_utf16().count() <= caps.max_chars);
        assert!(shown.first_line <= shown.last_line && shown.last_line <= shown.total_lines);
    }

    // From the beginning to the end.
    let mut joined = String::new();
    let mut arguments = Arguments { handle: "r/c.0".to_owned(), limit, ..Arguments::default() };
    for _ in 0..=bytes.len() {
        let shown = page(&arguments);
        joined.push_str(&shown.text);
        let Some(next) = shown.next else { break };
        let (offset, char_offset) = (next.offset.unwrap_or(0), next.char_offset.unwrap_or(0));
        assert!((offset, char_offset) > (arguments.offset, arguments.char_offset), "every page makes progress");
        arguments = Arguments { offset, char_offset, limit: next.limit.unwrap_or(limit), ..arguments };
    }
    if kind == Some(Kind::Text)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        assert_eq!(joined, text, "pages join up");
    }
});
