//! The way of one part: render → measure → choose → act → fall back → report.
//!
//! 1. [`render`]: structured values are laid out, control sequences removed; what is measured is what is stored.
//! 2. [`measure`]: chars, tokens, or bytes for bytes.
//! 3. The band with the largest `over` that the size reaches.
//! 4. [`perform`] its actions in order until one can run; the others leave a [`Reason`] in the report.

use std::borrow::Cow;
use std::sync::Arc;

use super::action::{Action, Spill, Truncate};
use super::call::{Body, Call, Part};
use super::config::{Cleaning, Layout};
use super::host::Host;
use super::json::{self, Keep};
use super::limits::Limits;
use super::reason::Reason;
use super::report::{Outcome, Performed, Report, Tried, Unit, Usage, Warning};
use super::spill::{self, Shape, Source, spill_bytes, spill_text};
use super::store::Part as PartName;
use super::summarize::summarize;
use super::text::{self, Gone, Strategy, Text, carried, estimate_tokens, strip_ansi, terminal};
use super::work::off_thread;

/// JSON above this many chars is cut as plain text.
const MAX_CUT_AS_JSON: usize = 64 << 20;

/// A part after rendering.
#[derive(Clone)]
struct Rendered {
    content: Content,
    /// Whether the text stands for a structured value.
    structured: bool,
    /// Whether the text is still the one that the host holds.
    is_original: bool,
    /// Whether cleaning took something away, so that even a text that fits is a new one.
    is_cleaned: bool,
    shape: Shape,
}

#[derive(Clone)]
enum Content {
    Text(Text),
    Bytes(Arc<[u8]>),
}

impl Limits {
    /// Reduces one part of a tool result. Never fails: an output that cannot be reduced stays as it is.
    pub async fn reduce<H: Host>(&self, host: &H, call: &Call, part: Part) -> Outcome {
        let mut warnings = Vec::new();
        let outcome = self.reduce_part(host, call, part, &mut warnings).await;
        self.count(&call.tool_name, &outcome.report);
        Outcome { warnings, ..outcome }
    }

    async fn reduce_part<H: Host>(&self, host: &H, call: &Call, part: Part, warnings: &mut Vec<Warning>) -> Outcome {
        let name = part.name;
        let bands = self.config.bands.of(&call.tool_name).clone();
        let (layout, cleaning) = (self.config.layout, self.config.cleaning);
        let fallback = rendered_as_it_is(&part.body);
        let rendered = if needs_rendering(&part.body, layout, cleaning) {
            off_thread(move || render(part.body, layout, cleaning).map_err(|Gone| Reason::Aborted))
                .await
                .unwrap_or(fallback)
        } else {
            fallback
        };
        let (size, unit) = self.measure(host, &rendered, bands.threshold(), warnings).await;
        let mut report = Report {
            action: Performed::None,
            size,
            unit,
            chars: match &rendered.content {
                Content::Text(text) => text.len(),
                Content::Bytes(_) => 0,
            },
            handle: None,
            bytes: None,
            replaced: 0,
            fallbacks: Vec::new(),
            usage: None,
        };
        let Some(band) = bands.choose(size) else {
            return Outcome { text: None, report, warnings: Vec::new(), reached: false };
        };
        for (position, action) in band.steps.iter().enumerate() {
            let attempt = Attempt { host, call, part: name, position, rendered: &rendered };
            match self.perform(&attempt, action, &mut report).await {
                Ok(text) => {
                    if let Some(text) = &text {
                        report.chars = text::utf16_len(text.as_bytes());
                    }
                    return Outcome { text, report, warnings: Vec::new(), reached: true };
                }
                Err(reason) => {
                    report.fallbacks.push(Tried { action: action.name(), reason });
                    // Nothing that follows could be worth more to the model than the small output itself.
                    if reason == Reason::NotSmaller && matches!(action, Action::Spill(_)) {
                        report.action = Performed::Passthrough;
                        return Outcome { text: None, report, warnings: Vec::new(), reached: true };
                    }
                }
            }
        }
        report.action = Performed::Passthrough;
        warnings.push(not_reduced(&report));
        Outcome { text: None, report, warnings: Vec::new(), reached: true }
    }

    /// The size that decides, and its unit.
    async fn measure<H: Host>(
        &self,
        host: &H,
        rendered: &Rendered,
        threshold: f64,
        warnings: &mut Vec<Warning>,
    ) -> (f64, Unit) {
        let text = match &rendered.content {
            Content::Bytes(bytes) => return (bytes.len() as f64, Unit::Bytes),
            Content::Text(text) => text,
        };
        if !self.config.over_tokens {
            return (text.len() as f64, Unit::Chars);
        }
        if self.config.has_tokenizer {
            match self.count_tokens(host, rendered, text, threshold).await {
                Some(Some(tokens)) => return (tokens, Unit::Tokens),
                Some(None) if self.warn_of_tokenizer() => warnings.push(Warning {
                    code: "TOL_TOKENIZER",
                    message: "the tokenizer failed or did not give a number ≥ 0: tokens are estimated".into(),
                    reason: None,
                }),
                _ => {}
            }
        }
        let source = text.clone();
        let estimate = off_thread(move || estimate_tokens(&source).map_err(|Gone| Reason::Aborted)).await;
        (estimate.map_or(text.len() as f64 / 4.0, |tokens| tokens as f64), Unit::Tokens)
    }

    /// The tokenizer's count: `None` where the length alone decides, `Some(None)` where it failed.
    async fn count_tokens<H: Host>(
        &self,
        host: &H,
        rendered: &Rendered,
        text: &Text,
        threshold: f64,
    ) -> Option<Option<f64>> {
        /// A text is assumed to have at most as many tokens as UTF-8 bytes, and this many more.
        const SPECIAL_TOKENS: f64 = 16.0;
        if text.len() as f64 * 3.0 + SPECIAL_TOKENS < threshold {
            return None;
        }
        // Only a text near the threshold, or one that the host does not hold, is looked at as a whole.
        let certain = text.len() as f64 + SPECIAL_TOKENS >= threshold;
        let (source, is_original) = (text.clone(), rendered.is_original);
        let given = off_thread(move || {
            if certain && is_original {
                return Ok(Some(None));
            }
            let (utf8, _) = source.to_utf8().map_err(|Gone| Reason::Aborted)?;
            if utf8.as_str().len() as f64 + SPECIAL_TOKENS < threshold {
                return Ok(None);
            }
            Ok(Some((!is_original).then(|| utf8.as_str().to_owned())))
        })
        .await
        .ok()??;
        let tokens = host.tokenize(given).await;
        Some(tokens.filter(|tokens| tokens.is_finite() && *tokens >= 0.0))
    }

    /// Runs one action: the new text, or `None` where it changed nothing.
    async fn perform<H: Host>(
        &self,
        attempt: &Attempt<'_, H>,
        action: &Action,
        report: &mut Report,
    ) -> Result<Option<String>, Reason> {
        match action {
            Action::Passthrough => {
                report.action = Performed::Passthrough;
                Ok(None)
            }
            Action::Truncate(action) => cut(attempt.rendered, action, report).await,
            Action::Spill(action) => self.spill(attempt, action, report).await.map(Some),
            Action::Summarize(action) => {
                let Content::Text(text) = &attempt.rendered.content else {
                    return Err(Reason::Binary);
                };
                let operation_id =
                    format!("{}/{}#{}", self.config.id, attempt.call.key.text(attempt.part), attempt.position);
                let is_original = attempt.rendered.is_original;
                let tool_name = &attempt.call.tool_name;
                let summary =
                    summarize(attempt.host, &self.config, action, text, is_original, tool_name, operation_id).await;
                if let Some(usage) = summary.usage {
                    self.spend(usage);
                    *report.usage.get_or_insert_with(Usage::default) += usage;
                }
                let text = summary.text?;
                report.action = Performed::Summarize;
                Ok(Some(text))
            }
        }
    }

    async fn spill<H: Host>(
        &self,
        attempt: &Attempt<'_, H>,
        action: &Spill,
        report: &mut Report,
    ) -> Result<String, Reason> {
        let call = attempt.call;
        let read_elsewhere = matches!(call.store, super::call::Backend::Host { has_read_instruction: true });
        if !self.config.read_tool.enabled && !read_elsewhere {
            return Err(Reason::NoReadTool);
        }
        if call.abort.is_set() {
            return Err(Reason::Aborted);
        }
        let (host, tool) = (attempt.host, &self.read_tool);
        let spilled = match &attempt.rendered.content {
            Content::Bytes(bytes) => spill_bytes(host, call, tool, action, attempt.part, Arc::clone(bytes)).await?,
            Content::Text(text) => {
                let source = Source {
                    part: attempt.part,
                    text: text.clone(),
                    shape: attempt.rendered.shape.clone(),
                    size: report.size,
                    unit: report.unit,
                };
                spill_text(host, call, tool, action, source).await?
            }
        };
        self.offer(&call.run, &spilled.handle);
        report.action = Performed::Spill;
        report.handle = Some(spilled.handle);
        report.bytes = Some(spilled.bytes);
        report.replaced = spilled.replaced;
        Ok(spilled.envelope)
    }
}

/// What an action works on.
struct Attempt<'a, H> {
    host: &'a H,
    call: &'a Call,
    part: PartName,
    /// Position of the action in the chain.
    position: usize,
    rendered: &'a Rendered,
}

/// Said where no action could run.
fn not_reduced(report: &Report) -> Warning {
    let tried: Vec<_> =
        report.fallbacks.iter().map(|tried| format!("{}: {}", tried.action, tried.reason.name())).collect();
    let (size, unit) = (spill::number(report.size), report.unit.name());
    Warning {
        code: "TOL_NOT_REDUCED",
        message: format!("an output of {size} {unit} stays as it is: no action could run ({})", tried.join(", ")),
        reason: report.fallbacks.last().map(|tried| tried.reason),
    }
}

fn rendered_as_it_is(body: &Body) -> Rendered {
    let (content, structured, shape) = match body {
        Body::Bytes(bytes) => (Content::Bytes(Arc::clone(bytes)), false, Shape::Text),
        Body::Json { text, .. } => (Content::Text(text.clone()), true, Shape::Text),
        Body::Text { text, structured, json } => {
            let shape = json.clone().map_or(Shape::Text, Shape::Json);
            (Content::Text(text.clone()), *structured, shape)
        }
    };
    Rendered { content, structured, is_original: true, is_cleaned: false, shape }
}

fn needs_rendering(body: &Body, layout: Layout, cleaning: Cleaning) -> bool {
    match body {
        Body::Bytes(_) => false,
        Body::Json { .. } => layout != Layout::Compact || cleaning != Cleaning::Nothing,
        Body::Text { .. } => cleaning != Cleaning::Nothing,
    }
}

/// Lays a value out and cleans the text.
fn render(body: Body, layout: Layout, cleaning: Cleaning) -> Result<Rendered, Gone> {
    let as_it_is = rendered_as_it_is(&body);
    match body {
        Body::Bytes(_) => Ok(as_it_is),
        Body::Text { text, .. } => {
            let (utf8, encoded) = text.to_utf8()?;
            let carried = if encoded.replaced > 0 { carried(&text.window(0..text.len())?) } else { None };
            let text = carried.as_ref().map_or(utf8.as_str(), |carried| &carried.text);
            let cleaned = match clean(text, cleaning) {
                Cow::Owned(cleaned) if cleaned != text => cleaned,
                _ => return Ok(as_it_is),
            };
            let cleaned = match carried {
                Some(carried) => Text::from_units(carried.released(&cleaned)),
                None => Text::from_string(cleaned),
            };
            let content = Content::Text(cleaned);
            Ok(Rendered { content, is_original: false, is_cleaned: true, ..as_it_is })
        }
        Body::Json { text, is_list } => {
            let (utf8, _) = text.to_utf8()?;
            let mut json = match cleaning {
                Cleaning::Nothing => Cow::Borrowed(utf8.as_str()),
                _ => Cow::Owned(json::map_strings(utf8.as_str(), |leaf| clean(leaf, cleaning))),
            };
            let mut shape = as_it_is.shape.clone();
            match layout {
                Layout::Compact => {}
                Layout::Lines if is_list => {
                    shape = Shape::Lines;
                    json = Cow::Owned(json::json_lines(&json));
                }
                Layout::Lines | Layout::Indented => json = Cow::Owned(json::indented(&json)),
            }
            if json == utf8.as_str() {
                return Ok(Rendered { shape, ..as_it_is });
            }
            let content = Content::Text(Text::from_string(json.into_owned()));
            Ok(Rendered { content, is_original: false, shape, ..as_it_is })
        }
    }
}

fn clean(text: &str, cleaning: Cleaning) -> Cow<'_, str> {
    match cleaning {
        Cleaning::Nothing => Cow::Borrowed(text),
        Cleaning::Ansi => strip_ansi(text),
        Cleaning::Terminal => terminal(text),
    }
}

/// Truncates; `None` where the text fits as it is.
async fn cut(rendered: &Rendered, action: &Truncate, report: &mut Report) -> Result<Option<String>, Reason> {
    let Content::Text(text) = &rendered.content else {
        return Err(Reason::Binary);
    };
    if text.len() <= action.max_chars && !rendered.is_cleaned {
        report.action = Performed::Truncate;
        return Ok(None);
    }
    let (source, structured, action) = (text.clone(), rendered.structured, action.clone());
    let done = off_thread(move || cut_text(&source, structured, &action).map_err(|Gone| Reason::Aborted)).await?;
    if done.too_large {
        report.fallbacks.push(Tried { action: "truncate", reason: Reason::TooLarge });
    }
    report.action = Performed::Truncate;
    report.replaced = done.replaced;
    Ok(Some(done.text))
}

struct Cut {
    text: String,
    replaced: usize,
    /// Whether the text was too large for the cut that was asked for.
    too_large: bool,
}

fn cut_text(text: &Text, structured: bool, action: &Truncate) -> Result<Cut, Gone> {
    let plain = text::Truncation {
        max_chars: action.max_chars,
        strategy: action.strategy,
        keep_tail_lines: action.keep_tail_lines,
    };
    let mut too_large = false;
    if text.len() > action.max_chars && action.max_chars >= 2 {
        let wants_json = action.keep_matching.is_none() && action.valid_json;
        if text.len() > MAX_CUT_AS_JSON {
            too_large = wants_json && (structured || starts_like_json(text)?);
        } else if let Some(matcher) = &action.keep_matching {
            if let Some(cut) = text::keep_matching(text, matcher, &plain)? {
                return Ok(Cut { text: cut.text, replaced: cut.replaced, too_large });
            }
        } else if wants_json && may_have_structure(text, structured)? {
            let (utf8, encoded) = text.to_utf8()?;
            let max = action.max_chars;
            let keep = match action.strategy {
                Strategy::Head => Keep::Head,
                Strategy::Tail => Keep::Tail,
                Strategy::HeadTail => Keep::HeadTail,
            };
            let cut = json::truncate_valid(utf8.as_str(), max, structured)
                .or_else(|| json::truncate_records(utf8.as_str(), max, keep, action.keep_tail_lines));
            if let Some(cut) = cut {
                // What was replaced may lie in the part that is gone; the figure is of what is shown.
                let replaced =
                    if encoded.replaced == 0 { 0 } else { cut.matches('\u{FFFD}').count().min(encoded.replaced) };
                return Ok(Cut { text: cut, replaced, too_large });
            }
        }
    }
    let cut = text::truncate(text, &plain)?;
    Ok(Cut { text: cut.text, replaced: cut.replaced, too_large })
}

/// Whether a text may be JSON or records; asked of its beginning, so that a plain cut need not look at the whole.
fn may_have_structure(text: &Text, structured: bool) -> Result<bool, Gone> {
    if structured || starts_like_json(text)? {
        return Ok(true);
    }
    let (start, _) = text::to_well_formed(&text.window(0..json::MAX_LOOK)?);
    Ok(json::may_be_records(&start))
}

fn starts_like_json(text: &Text) -> Result<bool, Gone> {
    let start = text.window(0..100)?;
    let first = start.iter().find(|&&unit| !matches!(unit, 0x20 | 0x09 | 0x0a | 0x0d));
    Ok(matches!(first, Some(0x5b | 0x7b)))
}
