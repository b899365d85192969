//! Reading back: arguments as a model made them, pages as data or as text.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Either4, PromiseRaw, Result};
use napi_derive::napi;

use super::host::JsHost;
use super::limits::{NativeLimits, backend};
use super::store::{NativeLocalStore, NativeMemoryStore};
use super::units::Units;
use crate::engine::read::{Raw, RawArguments, call};
use crate::engine::{Answer, Limits};

/// Arguments of a read; each may be anything.
#[napi(object, object_to_js = false)]
pub struct NativeReadInput {
    /// See `ReadInput`.
    pub handle: Option<NativeArgument>,
    /// See `ReadInput`.
    pub offset: Option<NativeArgument>,
    /// See `ReadInput`.
    pub limit: Option<NativeArgument>,
    /// See `ReadInput`.
    pub from_end: Option<NativeArgument>,
    /// See `ReadInput`.
    pub pattern: Option<NativeArgument>,
    /// See `ReadInput`.
    pub char_offset: Option<NativeArgument>,
    /// See `ReadInput`.
    pub regex: Option<NativeArgument>,
    /// See `ReadInput`.
    pub ignore_case: Option<NativeArgument>,
    /// See `ReadInput`.
    pub context: Option<NativeArgument>,
    /// See `ReadInput`.
    pub pointer: Option<NativeArgument>,
}

/// One argument.
pub type NativeArgument = Either4<bool, f64, String, Shown>;

/// An argument that is neither of those, as it is to be shown.
#[napi(object, object_to_js = false)]
pub struct Shown {
    /// Its description.
    pub shown: String,
}

/// A page.
#[napi(object, object_from_js = false)]
pub struct NativePage {
    /// Whether there is a page.
    pub found: bool,
    /// Why there is none.
    pub problem: Option<&'static str>,
    /// The handle that was meant.
    pub handle: Option<String>,
    /// The text.
    pub text: String,
    /// First line shown, from 1.
    pub first_line: f64,
    /// Last line shown.
    pub last_line: f64,
    /// Lines of the whole.
    pub total_lines: f64,
    /// Chars of the text.
    pub chars: f64,
    /// What a search found.
    pub matches: Option<Vec<NativeMatch>>,
    /// The next call's arguments, as JSON.
    pub next: Option<String>,
    /// What else there is to know.
    pub notice: Option<String>,
}

/// One match.
#[napi(object, object_from_js = false)]
pub struct NativeMatch {
    /// The number of its line, from 1.
    pub line: f64,
    /// Chars before the match.
    pub char: Option<f64>,
    /// The line, or a window of it.
    pub text: String,
}

#[napi]
impl NativeLimits {
    /// Reads a page as data.
    #[napi(catch_unwind, ts_return_type = "Promise<NativePage>")]
    #[allow(clippy::too_many_arguments)]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        number: u32,
        input: Option<NativeReadInput>,
        run_id: Units,
        own_store: bool,
        local: Option<&NativeLocalStore>,
        memory: Option<&NativeMemoryStore>,
    ) -> Result<PromiseRaw<'env, NativePage>> {
        let reading = self.reading(number, input, run_id, own_store, local, memory);
        let lane = self.ways.lane.clone();
        env.spawn_future(lane.within(async move { Ok(NativePage::from(reading.await.1)) }))
    }

    /// Reads a page as the model sees it.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    #[allow(clippy::too_many_arguments)]
    pub fn read_answer<'env>(
        &self,
        env: &'env Env,
        number: u32,
        input: Option<NativeReadInput>,
        run_id: Units,
        own_store: bool,
        local: Option<&NativeLocalStore>,
        memory: Option<&NativeMemoryStore>,
    ) -> Result<PromiseRaw<'env, String>> {
        let reading = self.reading(number, input, run_id, own_store, local, memory);
        let lane = self.ways.lane.clone();
        env.spawn_future(lane.within(async move {
            let (limits, answer) = reading.await;
            Ok(limits.say(&answer))
        }))
    }

    fn reading(
        &self,
        number: u32,
        input: Option<NativeReadInput>,
        run_id: Units,
        own_store: bool,
        local: Option<&NativeLocalStore>,
        memory: Option<&NativeMemoryStore>,
    ) -> impl Future<Output = (Arc<Limits>, Answer)> + Send + 'static {
        let limits = Arc::clone(&self.limits);
        let host = JsHost { ways: Arc::clone(&self.ways), call: number };
        let store = backend(own_store.then_some(false), local, memory);
        let input = input.map(RawArguments::from);
        async move {
            let answer = limits.read(&host, input, &run_id.0, &store).await;
            (limits, answer)
        }
    }
}

impl From<NativeReadInput> for RawArguments {
    fn from(input: NativeReadInput) -> Self {
        Self {
            handle: raw(input.handle),
            offset: raw(input.offset),
            limit: raw(input.limit),
            from_end: raw(input.from_end),
            pattern: raw(input.pattern),
            char_offset: raw(input.char_offset),
            regex: raw(input.regex),
            ignore_case: raw(input.ignore_case),
            context: raw(input.context),
            pointer: raw(input.pointer),
        }
    }
}

fn raw(argument: Option<NativeArgument>) -> Raw {
    match argument {
        None => Raw::Missing,
        Some(Either4::A(value)) => Raw::Bool(value),
        Some(Either4::B(value)) => Raw::Number(value),
        Some(Either4::C(value)) => Raw::Text(value),
        Some(Either4::D(value)) => Raw::Other(value.shown),
    }
}

impl From<Answer> for NativePage {
    fn from(answer: Answer) -> Self {
        let Answer { problem, handle, page } = answer;
        let next = page.next.as_ref().map(|next| call(handle.as_deref().unwrap_or_default(), next));
        let matches = page.matches.map(|matches| {
            let natives = matches.into_iter().map(|found| NativeMatch {
                line: found.line as f64,
                char: found.char.map(|char| char as f64),
                text: found.text,
            });
            natives.collect()
        });
        Self {
            found: problem.is_none(),
            problem: problem.map(|problem| problem.name()),
            handle,
            text: page.text,
            first_line: page.first_line as f64,
            last_line: page.last_line as f64,
            total_lines: page.total_lines as f64,
            chars: page.chars as f64,
            matches,
            next,
            notice: page.notice,
        }
    }
}
