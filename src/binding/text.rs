//! What the entry asks of the engine outside of a call.

use napi::Env;
use napi::bindgen_prelude::{PromiseRaw, Result};
use napi_derive::napi;

use super::units::Units;
use crate::engine::store::random_id;
use crate::engine::text::{Text, estimate_tokens};
use crate::engine::{bytes, json, off_thread};

/// An id that nothing else has.
#[napi(catch_unwind)]
pub fn random_run_id() -> String {
    random_id()
}

/// The WHATWG name of a charset label; `null` where it is unknown.
#[napi(catch_unwind)]
pub fn charset_name(label: String) -> Option<String> {
    bytes::charset_name(&label)
}

/// Estimates the tokens of a short text, on the calling thread.
#[napi(catch_unwind)]
pub fn estimate_tokens_now(text: Units) -> f64 {
    // Text in memory is never gone.
    estimate_tokens(&Text::from_units(text.0)).map_or(0.0, |tokens: u64| tokens as f64)
}

/// Lays compact JSON out, on the calling thread: `indented-json` or `json-lines`.
#[napi(catch_unwind)]
pub fn lay_out(text: String, layout: String) -> String {
    if layout == "json-lines" { json::json_lines(&text) } else { json::indented(&text) }
}

/// Whether a text says the same as JSON.
#[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
pub fn same_json<'env>(env: &'env Env, json: String, text: String) -> Result<PromiseRaw<'env, bool>> {
    env.spawn_future(async move { Ok(off_thread(move || Ok(json::same(&text, &json))).await.unwrap_or(false)) })
}
