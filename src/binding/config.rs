//! The checked configuration, as the entry hands it over.

use std::sync::Arc;

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;

use crate::engine::text::LineMatcher;
use crate::engine::{Action, Band, Bands, Cleaning, Config, Layout, ReadTool, ToolBands, compile_glob};

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

/// A band.
#[napi(object, object_to_js = false)]
pub struct NativeBand {
    /// The smallest size that reaches the band.
    pub over: f64,
    /// The action and its fallbacks, in order, as JSON: every action reads its own settings.
    pub actions: String,
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
                max_lines: whole(read_tool.max_lines),
                max_chars: whole(read_tool.max_chars),
                own_run_only: read_tool.own_run_only,
            },
            summary_prompt: config.summary_prompt,
        })
    }
}

fn bands(bands: Vec<NativeBand>) -> Result<Bands> {
    let bands = bands.into_iter().map(|band| {
        let steps = Action::chain(&band.actions).map_err(invalid)?;
        Ok(Band { over: band.over, steps: Arc::from(steps) })
    });
    Ok(Bands::new(bands.collect::<Result<Vec<_>>>()?))
}

/// A count in the engine's type: below zero is zero, and what no memory could hold is the largest there is.
fn whole(number: f64) -> usize {
    number as usize
}

fn invalid(reason: String) -> Error {
    Error::new(napi::Status::InvalidArg, reason)
}
