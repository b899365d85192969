//! Laying JSON out changes no value, and leaves what is not JSON alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_output_limits::engine::json::{indented, json_lines};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (laid_out, lines) = (indented(text), json_lines(text));
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(serde_json::from_str::<Value>(&laid_out).ok().as_ref(), Some(&value));
    assert_eq!(indented(&laid_out), laid_out, "laid out once is laid out");
    for separator in ['\u{85}', '\u{2028}', '\u{2029}'] {
        assert!(!laid_out.contains(separator) && !lines.contains(separator));
    }
    if let Value::Array(items) = &value {
        let read: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a value a line")).collect();
        assert_eq!(&read, items);
    }
});
