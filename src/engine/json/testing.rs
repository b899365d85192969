//! Random documents for the tests of this module.

use proptest::prelude::*;
use serde_json::Value;

/// Compact JSON text of any kind of value, without the separators that a layout escapes.
pub fn json() -> impl Strategy<Value = String> {
    value().prop_map(|value| value.to_string())
}

/// Any kind of value, three levels deep.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|number| Value::from(f64::from(number) / 8.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..8).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Text with what JSON escapes, what it does not, and pairs.
fn text() -> impl Strategy<Value = String> {
    "[a-z \"\\\\\n\u{1}\u{1b}é한😀/~,:{}\\[\\]]{0,40}"
}

/// What `JSON.stringify(value, null, 2)` makes of the same document.
pub fn pretty(json: &str) -> String {
    let value: Value = serde_json::from_str(json).expect("the generator makes JSON");
    serde_json::to_string_pretty(&value).expect("JSON values serialise")
}
