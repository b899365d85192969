//! What is left of a JSON document is JSON, of the same kind, and within its budget.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_output_limits::engine::json::truncate_valid;

fuzz_target!(|data: &[u8]| {
    let [budget, flags, rest @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let max_chars = usize::from(*budget) << (flags & 3);
    let Some(cut) = truncate_valid(text, max_chars, flags & 4 != 0) else { return };
    assert!(cut.encode_utf16().count() <= max_chars);
    // Where serde_json goes no deeper, or reads no such number, it cannot tell.
    let Ok(whole) = serde_json::from_str::<Value>(text) else { return };
    let left: Value = serde_json::from_str(&cut).expect("valid JSON");
    assert_eq!(std::mem::discriminant(&left), std::mem::discriminant(&whole));
});
