//! The checked configuration, as the entry hands it over.

use std::sync::Arc;

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;

use crate::engine::text::{LineMatcher, Strategy};
use crate::engine::{
    Action, Band, Bands, Cleaning, Config, Layout, ReadTool, Spill, Summarize, ToolBands, Truncate, compile_glob,
};

/// An instance's configuration. The entry has checked ranges and names, see `api/check.ts`.
#[napi(object, object_to_js = false)]
pub struct NativeConfig {
    /// Stable name of the instance.
    pub id: String,
    /// The bands of every tool.
    pub bands: Vec<NativeBand>,
    /// The bands of some tools, by name or glob.
    pub per_tool: Vec<NativeToolBands>,
    /// Whether sizes are tokens.
    pub over_tokens: bool,
    /// Whether there is a tokenizer.
    pub has_tokenizer: bool,
    /// `json`, `indented-json` or `json-lines`.
    pub layout: String,
    /// `nothing`, `ansi` or `terminal`.
    pub cleaning: String,
    /// The tool that reads results back.
    pub read_tool: NativeReadTool,
    /// The application's prompt template.
    pub summary_prompt: Option<String>,
}

/// The bands of one tool, or of the tools that a glob names.
#[napi(object, object_to_js = false)]
pub struct NativeToolBands {
    /// Name or glob.
    pub name: String,
    /// Its bands.
    pub bands: Vec<NativeBand>,
}

/// A band; its fallback chain is a list.
#[napi(object, object_to_js = false)]
pub struct NativeBand {
    /// The smallest size that reaches the band.
    pub over: f64,
    /// The action and its fallbacks, in order.
    pub steps: Vec<NativeStep>,
}

/// One action; `kind` says which fields matter.
#[napi(object, object_to_js = false)]
pub struct NativeStep {
    /// `truncate`, `spill`, `summarize` or `passthrough`.
    pub kind: String,
    /// Truncate, summarize.
    pub max_chars: Option<f64>,
    /// Truncate: `head`, `tail` or `head-tail`.
    pub strategy: Option<String>,
    /// Truncate.
    pub keep_tail_lines: Option<f64>,
    /// Truncate: whether JSON stays JSON.
    pub valid_json: Option<bool>,
    /// Truncate: lines to keep; spill: lines to show.
    pub lines: Option<NativeLines>,
    /// Spill.
    pub preview_chars: Option<f64>,
    /// Summarize: where the entry keeps the model or function.
    pub slot: Option<u32>,
}

/// Which lines: literal strings, a regular expression, or lines that look like errors where neither is given.
#[napi(object, object_to_js = false)]
pub struct NativeLines {
    /// Literal strings.
    pub literals: Option<Vec<String>>,
    /// Source of a JavaScript regular expression.
    pub source: Option<String>,
    /// Its flags.
    pub flags: Option<String>,
}

/// The tool that reads results back.
#[napi(object, object_to_js = false)]
pub struct NativeReadTool {
    /// Its name.
    pub name: String,
    /// Whether the model has it.
    pub enabled: bool,
    /// The most lines of a page.
    pub max_lines: f64,
    /// The most chars of a page.
    pub max_chars: f64,
    /// Whether it answers only for the caller's own run.
    pub own_run_only: bool,
}

/// What is wrong with a glob; `null` where nothing is.
#[napi(catch_unwind)]
pub fn glob_problem(glob: String) -> Option<String> {
    compile_glob(&glob).err().map(|error| error.kind().to_string())
}

/// What is wrong with a JavaScript regular expression; `null` where nothing is.
#[napi(catch_unwind)]
pub fn pattern_problem(source: String, flags: String) -> Option<String> {
    LineMatcher::from_js_regex(&source, &flags).err()
}

/// Whether a name matches one of the globs; what does not parse as a glob matches nothing.
#[napi(catch_unwind)]
pub fn matches_glob(name: String, globs: Vec<String>) -> bool {
    globs.iter().any(|glob| compile_glob(glob).is_ok_and(|glob| glob.is_match(&name)))
}

impl TryFrom<NativeConfig> for Config {
    type Error = Error;

    fn try_from(config: NativeConfig) -> Result<Self> {
        let per_tool =
            config.per_tool.into_iter().map(|tool| Ok((tool.name, bands(tool.bands)?))).collect::<Result<Vec<_>>>()?;
        let tool_bands = ToolBands::new(bands(config.bands)?, per_tool).map_err(|error| invalid(error.to_string()))?;
        let read_tool = config.read_tool;
        Ok(Self {
            id: config.id,
            bands: tool_bands,
            over_tokens: config.over_tokens,
            has_tokenizer: config.has_tokenizer,
            layout: match config.layout.as_str() {
                "indented-json" => Layout::Indented,
                "json-lines" => Layout::Lines,
                _ => Layout::Compact,
            },
            cleaning: match config.cleaning.as_str() {
                "ansi" => Cleaning::Ansi,
                "terminal" => Cleaning::Terminal,
                _ => Cleaning::Nothing,
            },
            read_tool: ReadTool {
                name: read_tool.name,
                enabled: read_tool.enabled,
                max_lines: whole(Some(read_tool.max_lines)),
                max_chars: whole(Some(read_tool.max_chars)),
                own_run_only: read_tool.own_run_only,
            },
            summary_prompt: config.summary_prompt,
        })
    }
}

fn bands(bands: Vec<NativeBand>) -> Result<Bands> {
    let bands = bands.into_iter().map(|band| {
        let steps = band.steps.into_iter().map(action).collect::<Result<Vec<_>>>()?;
        Ok(Band { over: band.over, steps: Arc::from(steps) })
    });
    Ok(Bands::new(bands.collect::<Result<Vec<_>>>()?))
}

fn action(step: NativeStep) -> Result<Action> {
    let lines = step.lines.map(matcher).transpose()?;
    Ok(match step.kind.as_str() {
        "truncate" => Action::Truncate(Truncate {
            max_chars: whole(step.max_chars),
            strategy: match step.strategy.as_deref() {
                Some("head") => Strategy::Head,
                Some("tail") => Strategy::Tail,
                _ => Strategy::HeadTail,
            },
            keep_tail_lines: whole(step.keep_tail_lines),
            valid_json: step.valid_json.unwrap_or(true),
            keep_matching: lines,
        }),
        "spill" => Action::Spill(Spill { preview_chars: whole(step.preview_chars), highlights: lines }),
        "summarize" => Action::Summarize(Summarize { slot: step.slot.unwrap_or(0), max_chars: whole(step.max_chars) }),
        "passthrough" => Action::Passthrough,
        other => return Err(invalid(format!("unknown action type {other:?}"))),
    })
}

fn matcher(lines: NativeLines) -> Result<LineMatcher> {
    match (lines.literals, lines.source) {
        (Some(literals), _) => LineMatcher::literals(&literals).map_err(invalid),
        (None, Some(source)) => {
            LineMatcher::from_js_regex(&source, lines.flags.as_deref().unwrap_or("")).map_err(invalid)
        }
        (None, None) => Ok(LineMatcher::errors()),
    }
}

/// A count in the engine's type: below zero is zero, and what no memory could hold is the largest there is.
fn whole(number: Option<f64>) -> usize {
    number.unwrap_or(0.0) as usize
}

fn invalid(reason: String) -> Error {
    Error::new(napi::Status::InvalidArg, reason)
}
