//! Ids of calls become path segments that are safe, short, and never the same for two ids; and a key says what it holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_output_limits::engine::store::{Key, Kind, Part, kind_of, segment};

fuzz_target!(|data: &[u8]| {
    // Two ids in UTF-16 units, lone surrogates included; the first byte says where the second begins.
    let Some((&split, rest)) = data.split_first() else { return };
    let units: Vec<u16> =
        rest.chunks(2).map(|pair| u16::from(pair[0]) << 8 | u16::from(*pair.get(1).unwrap_or(&0))).collect();
    let (a, b) = units.split_at((split as usize).min(units.len()));
    let (x, y) = (segment(a), segment(b));
    assert_eq!(a == b, x == y, "distinct ids have distinct segments");
    for segment in [&x, &y] {
        assert!((1..=40).contains(&segment.len()));
        assert!(segment.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'~')));
        assert!(!matches!(&**segment, "con" | "prn" | "aux" | "nul"));
    }
    let key = Key::new(a, Some(b), u64::from(split));
    for part in [Part::Value, Part::Content, Part::Structured] {
        assert_eq!(kind_of(&key.text(part)), Some(Kind::Text));
        assert_eq!(kind_of(&key.bytes(part, Some("euc-kr"))), Some(Kind::Bytes { charset: Some("euc-kr".to_owned()) }));
        assert_eq!(key.text(part).matches('/').count(), 1);
    }
});
