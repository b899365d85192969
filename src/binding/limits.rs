//! The native class behind `ToolOutputLimits`.

use std::collections::HashMap;
use std::sync::Arc;

use napi::bindgen_prelude::{PromiseRaw, Result, Uint8Array};
use napi::{Env, JsString};
use napi_derive::napi;

use super::config::NativeConfig;
use super::host::JsHost;
use super::port::{JsText, Port, Spent, Ways};
use super::store::{NativeLocalStore, NativeMemoryStore, default_store};
use super::units::Units;
use crate::engine::bytes::charset_name;
use crate::engine::store::{Key, Part as PartName};
use crate::engine::{Abort, Backend, Body, Call, Limits, Outcome, Part};

/// Under which numbers the entry keeps the strings of a call.
const BODY: u32 = 0;
const SHAPE: u32 = 1;

/// An instance: configuration, counters, and the way of every result through the engine.
#[napi]
pub struct NativeLimits {
    pub(super) limits: Arc<Limits>,
    pub(super) ways: Arc<Ways>,
}

/// A tool call.
#[napi(object, object_to_js = false)]
pub struct NativeCall {
    /// Number of the call, by which the entry knows its callbacks and strings.
    pub number: u32,
    /// The tool's name.
    pub tool_name: String,
    /// Which try, from 0.
    pub retry: f64,
    /// Charset of bytes, a WHATWG label.
    pub charset: Option<String>,
    /// `value`, `content` or `structured`.
    pub part: String,
    /// Whether the store is the application's own, and whether another tool reads its handles.
    pub own_store: Option<bool>,
    /// The last units of a long text.
    pub tail: Option<Units>,
}

/// Set when a call is aborted.
#[napi]
pub struct NativeAbort(pub(super) Abort);

#[napi]
impl NativeAbort {
    /// A call that is not aborted yet.
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(Abort::default())
    }

    /// Aborts the call.
    #[napi(catch_unwind)]
    pub fn set(&self) {
        self.0.set();
    }
}

/// What became of one part.
#[napi(object, object_from_js = false)]
pub struct NativeOutcome {
    /// The text that replaces the original.
    pub text: Option<String>,
    /// Whether the part reached a band.
    pub reached: bool,
    /// What produced the output.
    pub action: &'static str,
    /// The size as measured.
    pub size: f64,
    /// What it counts.
    pub unit: &'static str,
    /// Length of the output.
    pub chars: f64,
    /// Where the whole is stored.
    pub handle: Option<String>,
    /// How many bytes are stored.
    pub bytes: Option<f64>,
    /// Lone surrogates replaced.
    pub replaced: f64,
    /// What was tried before.
    pub fallbacks: Vec<NativeTried>,
    /// What summaries cost.
    pub usage: Option<Spent>,
    /// What to tell the application.
    pub warnings: Vec<NativeWarning>,
}

/// What was tried before the action that ran.
#[napi(object, object_from_js = false)]
pub struct NativeTried {
    /// Name of the action.
    pub action: &'static str,
    /// Why it could not run.
    pub reason: &'static str,
}

/// A warning.
#[napi(object, object_from_js = false)]
pub struct NativeWarning {
    /// `TOL_…`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Why, where an action could not run.
    pub reason: Option<&'static str>,
}

/// Counters of one action.
#[napi(object, object_from_js = false)]
pub struct NativeCounters {
    /// How many parts.
    pub calls: f64,
    /// Their sizes, added up.
    pub size_before: f64,
    /// Chars of their outputs, added up.
    pub chars_after: f64,
    /// Actions tried in vain.
    pub fallbacks: f64,
}

#[napi]
impl NativeLimits {
    /// An instance with a checked configuration; callbacks are reached through the port.
    #[napi(constructor, catch_unwind)]
    pub fn new(config: NativeConfig, port: &Port) -> Result<Self> {
        Ok(Self { limits: Arc::new(Limits::new(config.try_into()?)), ways: Arc::clone(&port.0) })
    }

    /// The smallest size of a tool's result that can be reduced; infinity where it never is.
    #[napi(catch_unwind)]
    pub fn threshold(&self, tool_name: String) -> f64 {
        self.limits.threshold(&tool_name)
    }

    /// Counts parts that are below every band: how many, and their sizes and chars added up.
    #[napi(catch_unwind)]
    pub fn count_untouched(&self, tool_name: String, calls: f64, size: f64, chars: f64) {
        self.limits.count_untouched(&tool_name, calls as u64, size, chars as u64);
    }

    /// Everything spent on summaries so far.
    #[napi(catch_unwind)]
    pub fn usage(&self) -> Spent {
        self.limits.usage().into()
    }

    /// Counters per tool and action, as pairs: a tool's name may be anything.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> Vec<(String, HashMap<&'static str, NativeCounters>)> {
        let stats = self.limits.stats();
        let tools = stats.tools().map(|(name, actions)| {
            let actions = actions.iter().map(|(action, counters)| {
                let counters = NativeCounters {
                    calls: counters.calls as f64,
                    size_before: counters.size_before,
                    chars_after: counters.chars_after as f64,
                    fallbacks: counters.fallbacks as f64,
                };
                (*action, counters)
            });
            (name.to_owned(), actions.collect())
        });
        tools.collect()
    }

    /// Reduces a part that is text. `json`: the text is a structured value as compact
    /// JSON, `is_list`: of a list; `shape`: the
    /// value as compact JSON, where the text is the application's own rendering of it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeOutcome>")]
    #[allow(clippy::too_many_arguments)]
    pub fn reduce_text<'env>(
        &self,
        env: &'env Env,
        mut call: NativeCall,
        run_id: Units,
        tool_call_id: Units,
        body: JsString,
        json: bool,
        is_list: bool,
        shape: Option<JsString>,
        abort: Option<&NativeAbort>,
        local: Option<&NativeLocalStore>,
        memory: Option<&NativeMemoryStore>,
    ) -> Result<PromiseRaw<'env, NativeOutcome>> {
        let (number, part) = (call.number, part_name(&call.part));
        let tail = call.tail.take().map(|tail| tail.0).unwrap_or_default();
        let body = JsText::given(&self.ways, number, BODY, body, tail)?;
        let body = if json {
            Body::Json { text: body, is_list }
        } else {
            let structured = shape.is_some();
            let json = shape.map(|shape| JsText::given(&self.ways, number, SHAPE, shape, Vec::new())).transpose()?;
            Body::Text { text: body, structured, json }
        };
        let call = make_call(call, &run_id, &tool_call_id, abort, local, memory);
        self.reduce(env, number, call, Part { name: part, body })
    }

    /// Reduces a part that is bytes, as they are now.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeOutcome>")]
    #[allow(clippy::too_many_arguments)]
    pub fn reduce_bytes<'env>(
        &self,
        env: &'env Env,
        call: NativeCall,
        run_id: Units,
        tool_call_id: Units,
        bytes: Uint8Array,
        abort: Option<&NativeAbort>,
        local: Option<&NativeLocalStore>,
        memory: Option<&NativeMemoryStore>,
    ) -> Result<PromiseRaw<'env, NativeOutcome>> {
        let (number, part) = (call.number, part_name(&call.part));
        let body = Body::Bytes(Arc::from(&bytes[..]));
        let call = make_call(call, &run_id, &tool_call_id, abort, local, memory);
        self.reduce(env, number, call, Part { name: part, body })
    }

    fn reduce<'env>(
        &self,
        env: &'env Env,
        number: u32,
        call: Call,
        part: Part,
    ) -> Result<PromiseRaw<'env, NativeOutcome>> {
        let limits = Arc::clone(&self.limits);
        let host = JsHost { ways: Arc::clone(&self.ways), call: number };
        let lane = self.ways.lane.clone();
        env.spawn_future(lane.within(async move { Ok(NativeOutcome::from(limits.reduce(&host, &call, part).await)) }))
    }
}

fn part_name(name: &str) -> PartName {
    match name {
        "content" => PartName::Content,
        "structured" => PartName::Structured,
        _ => PartName::Value,
    }
}

fn make_call(
    call: NativeCall,
    run_id: &Units,
    tool_call_id: &Units,
    abort: Option<&NativeAbort>,
    local: Option<&NativeLocalStore>,
    memory: Option<&NativeMemoryStore>,
) -> Call {
    Call {
        tool_name: call.tool_name,
        run: String::from_utf16_lossy(&run_id.0),
        key: Key::new(&run_id.0, Some(&tool_call_id.0), call.retry as u64),
        charset: call.charset.as_deref().and_then(charset_name),
        abort: abort.map(|abort| abort.0.clone()).unwrap_or_default(),
        store: backend(call.own_store, local, memory),
    }
}

/// The store of a call: the application's own, or one of the engine's.
pub fn backend(own: Option<bool>, local: Option<&NativeLocalStore>, memory: Option<&NativeMemoryStore>) -> Backend {
    match (own, local, memory) {
        (Some(has_read_instruction), ..) => Backend::Host { has_read_instruction },
        (None, Some(local), _) => Backend::Local(local.0.clone()),
        (None, None, Some(memory)) => Backend::Memory(memory.0.clone()),
        (None, None, None) => Backend::Local(default_store()),
    }
}

impl From<Outcome> for NativeOutcome {
    fn from(outcome: Outcome) -> Self {
        let report = outcome.report;
        let fallbacks = report.fallbacks.iter();
        let warnings = outcome.warnings.into_iter();
        Self {
            text: outcome.text,
            reached: outcome.reached,
            action: report.action,
            size: report.size,
            unit: report.unit.name(),
            chars: report.chars as f64,
            handle: report.handle,
            bytes: report.bytes.map(|bytes| bytes as f64),
            replaced: report.replaced as f64,
            fallbacks: fallbacks
                .map(|tried| NativeTried { action: tried.action, reason: tried.reason.name() })
                .collect(),
            usage: report.usage.map(Spent::from),
            warnings: warnings
                .map(|warning| NativeWarning {
                    code: warning.code,
                    message: warning.message,
                    reason: warning.reason.map(|reason| reason.name()),
                })
                .collect(),
        }
    }
}
