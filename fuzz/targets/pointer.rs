//! A pointer into any document, well-formed or not, never panics; what it finds in a good one is there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_output_limits::engine::read::{Arguments, Caps, MemorySource, read};
use tool_output_limits::engine::store::Kind;

fuzz_target!(|data: &[u8]| {
    // The pointer ends at the first NUL.
    let Some(end) = data.iter().position(|&byte| byte == 0) else { return };
    let Ok(pointer) = std::str::from_utf8(&data[..end]) else { return };
    let bytes = &data[end + 1..];
    let arguments = Arguments {
        handle: "r/c.0".to_owned(),
        limit: 1_000,
        pointer: Some(pointer.to_owned()),
        ..Arguments::default()
    };
    let page =
        read(&MemorySource::new(bytes), Some(&Kind::Text), &arguments, &Caps::default()).expect("memory does not fail");
    assert_eq!(page.chars, page.text.encode_utf16().count() as u64);
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else { return };
    if !page.text.is_empty()
        && page.next.is_none()
        && let Some(Value::Number(_) | Value::Bool(_) | Value::Null) = document.pointer(pointer)
    {
        assert!(serde_json::from_str::<Value>(&page.text).is_ok(), "a value is shown as its JSON");
    }
});
