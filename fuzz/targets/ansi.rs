//! No escape is left, nothing is added, and what has no control characters stays as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_output_limits::engine::text::strip_ansi;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let stripped = strip_ansi(&text);
    assert!(!stripped.contains('\u{1b}'));
    let mut left = text.chars();
    assert!(stripped.chars().all(|c| left.any(|d| d == c)), "only leaves out");
    assert_eq!(stripped.matches('\n').count(), text.matches('\n').count(), "every line end stays");
    if !text.chars().any(|c| c == '\u{1b}' || ('\u{80}'..='\u{9f}').contains(&c)) {
        assert_eq!(stripped, text);
    }
});
