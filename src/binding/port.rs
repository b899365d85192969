//! The way back into JavaScript: windows of strings, and questions to the application's callbacks.
//!
//! The entry (`api/port.ts`) owns everything that only JavaScript can hold: the strings, the callbacks,
//! the stores. It answers by call number. It never throws and always settles; should it fail all the
//! same (the environment is shutting down), the engine sees a failed callback.

use std::ops::Range;
use std::sync::Arc;

use napi::bindgen_prelude::{FnArgs, Promise, Uint8Array};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{JsString, Status};
use napi_derive::napi;
use tokio::sync::oneshot;

use super::units::{self, Units};
use crate::engine::Lane;
use crate::engine::text::{Ahead, Gone, HostText, Text};

/// The most UTF-16 units copied in one turn of the main thread: well under a millisecond.
const WINDOW: usize = 512 * 1024;
/// How many of the first units come with the call: whatever looks at the beginning of a text needs no turn of the main
/// thread, which takes longer to be had than the look.
const HEAD: usize = 64 * 1024;

// Weak: holding the port never keeps the process alive; a pending promise does that by itself.
type Callback<Args, Return> = ThreadsafeFunction<FnArgs<Args>, Return, FnArgs<Args>, Status, false, true>;

/// The entry's side of the border.
#[napi]
pub struct Port(pub(super) Arc<Ways>);

/// The two functions of the entry.
pub struct Ways {
    /// For the work of this environment's calls, which waits for its thread.
    pub(super) lane: Lane,
    window: Callback<(u32, u32, f64, f64), Units>,
    ask: Callback<(u32, Question), Promise<Answer>>,
}

#[napi]
impl Port {
    /// `window(call, text, start, end)` gives a part of a string; `ask(call, question)` answers a question.
    #[napi(constructor, catch_unwind)]
    pub fn new(window: Callback<(u32, u32, f64, f64), Units>, ask: Callback<(u32, Question), Promise<Answer>>) -> Self {
        Self(Arc::new(Ways { lane: Lane::default(), window, ask }))
    }
}

/// What the entry is asked; `kind` says which fields matter.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct Question {
    /// `tokenize`, `summarize`, `write`, `undo`, `open`, `range`.
    pub kind: String,
    /// The text, where the entry does not hold it already.
    pub text: Option<String>,
    /// The prompt's pieces; the output stands between each two.
    pub prompt: Option<Vec<String>>,
    /// Where the entry keeps the action's own model or function.
    pub slot: Option<u32>,
    /// The most chars of a summary.
    pub max_chars: Option<f64>,
    /// Names the operation for a journal.
    pub operation_id: Option<String>,
    /// Key to write under.
    pub key: Option<String>,
    /// What to write.
    pub bytes: Option<Uint8Array>,
    /// What to read or take back.
    pub handle: Option<String>,
    /// First byte to read.
    pub start: Option<f64>,
    /// Byte after the last one to read.
    pub end: Option<f64>,
}

/// What the entry answers.
#[napi(object, object_to_js = false)]
pub struct Answer {
    /// A `FallbackReason`, where it failed.
    pub reason: Option<String>,
    /// Tokens counted.
    pub tokens: Option<f64>,
    /// Under which number the entry keeps the text of the answer.
    pub text: Option<u32>,
    /// Length of that text.
    pub chars: Option<f64>,
    /// The handle that a store gave.
    pub handle: Option<String>,
    /// How the model reads it, where not with the read tool.
    pub read_instruction: Option<String>,
    /// Bytes that a store gave.
    pub bytes: Option<Uint8Array>,
    /// Size of a stored result.
    pub size: Option<f64>,
    /// The key that a stored result was written under.
    pub key: Option<String>,
    /// The run that wrote it.
    pub run_id: Option<String>,
    /// Which store of the process it is in.
    pub store: Option<f64>,
    /// Which write of the process stored it; 0 where another process did.
    pub write: Option<f64>,
    /// What a summary cost.
    pub usage: Option<Spent>,
}

/// What a summary cost.
#[napi(object)]
pub struct Spent {
    /// Requests to a model.
    pub requests: f64,
    /// Tokens sent.
    pub input_tokens: f64,
    /// Tokens received.
    pub output_tokens: f64,
    /// Both.
    pub total_tokens: f64,
}

impl Ways {
    /// Asks the entry; `None` where it cannot answer any more.
    pub async fn ask(&self, call: u32, question: Question) -> Option<Answer> {
        // Not `call_async`: that one ends the process should the entry ever throw.
        let promise = self.ask.call_async_catch((call, question).into()).await.ok()?;
        promise.await.ok()
    }
}

/// A string that the entry holds.
pub struct JsText {
    ways: Arc<Ways>,
    call: u32,
    index: u32,
    length: usize,
    /// The first units, as many as are known.
    head: Vec<u16>,
    /// The last units, as many as are known.
    tail: Vec<u16>,
}

impl JsText {
    /// The text that the entry keeps for a call under a number.
    pub fn of(ways: &Arc<Ways>, call: u32, index: u32, length: usize) -> Text {
        Text::Host(Arc::new(Self::unseen(ways, call, index, length)))
    }

    /// A text of the call itself: copied where it is small, else left in the entry, but for its ends. `tail`: its last
    /// units, as many as the entry gave.
    pub fn given(ways: &Arc<Ways>, call: u32, index: u32, text: JsString, tail: Vec<u16>) -> napi::Result<Text> {
        let length = text.utf16_len()?;
        if length <= WINDOW {
            return Ok(Text::from_units(units::first(&text, length)?));
        }
        let head = units::first(&text, HEAD)?;
        Ok(Text::Host(Arc::new(Self { head, tail, ..Self::unseen(ways, call, index, length) })))
    }

    fn unseen(ways: &Arc<Ways>, call: u32, index: u32, length: usize) -> Self {
        Self { ways: Arc::clone(ways), call, index, length, head: Vec::new(), tail: Vec::new() }
    }

    /// Units that came with the call.
    fn known(&self, range: &Range<usize>) -> Option<&[u16]> {
        let tail_from = self.length.checked_sub(self.tail.len())?;
        self.head
            .get(range.clone())
            .or_else(|| self.tail.get(range.start.checked_sub(tail_from)?..range.end - tail_from))
    }

    /// Asks for at most a [`WINDOW`]; gives what waits for it.
    fn turn(&self, range: Range<usize>, used: Vec<u16>) -> impl FnOnce() -> Result<Vec<u16>, Gone> + use<> {
        let wanted = range.len();
        let (sender, receiver) = oneshot::channel();
        let arguments = (self.call, self.index, range.start as f64, range.end as f64);
        units::give_back(used);
        let status = self.ways.window.call_with_return_value(
            arguments.into(),
            ThreadsafeFunctionCallMode::NonBlocking,
            move |window: napi::Result<Units>, _| {
                // The reader may have given up.
                let _ = sender.send(window.map(|units| units.0).map_err(|_| Gone));
                Ok(())
            },
        );
        move || {
            if status != Status::Ok {
                return Err(Gone);
            }
            let units = receiver.blocking_recv().map_err(|_| Gone)??;
            if units.len() == wanted { Ok(units) } else { Err(Gone) }
        }
    }
}

impl HostText for JsText {
    fn len(&self) -> usize {
        self.length
    }

    fn window(&self, range: Range<usize>) -> Result<Vec<u16>, Gone> {
        if let Some(units) = self.known(&range) {
            return Ok(units.to_vec());
        }
        if range.len() <= WINDOW {
            return self.turn(range, Vec::new())();
        }
        let mut units = Vec::with_capacity(range.len());
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + WINDOW);
            units.extend(self.turn(start..end, Vec::new())()?);
            start = end;
        }
        Ok(units)
    }

    fn ahead(&self, range: Range<usize>, used: Vec<u16>) -> Ahead<'_> {
        if range.len() > WINDOW {
            return Box::new(move || self.window(range));
        }
        Box::new(self.turn(range, used))
    }
}
