//! The way of one part: render → measure → choose → act → fall back → report.
//!
//! 1. [`Rendered`]: structured values are laid out, control sequences removed; what is measured is what is stored.
//! 2. Its size: chars, tokens, or bytes for bytes.
//! 3. The band with the largest `over` that the size reaches.
//! 4. [`Action::perform`] of its actions in order until one can run; the others leave a [`Reason`] in the report.

use super::action::{Action, Attempt, number};
use super::call::{Call, Part};
use super::host::Host;
use super::limits::Limits;
use super::reason::Reason;
use super::render::{Content, Rendered};
use super::report::{NONE, Outcome, Report, Tried, Unit, Warning};
use super::text::{Text, estimate_tokens, utf16_len};
use super::work::off_thread;

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
        let rendered = Rendered::of(part.body, self.config.layout, self.config.cleaning).await;
        let (size, unit) = self.measure(host, &rendered, bands.threshold(), warnings).await;
        let mut report = Report {
            action: NONE,
            size,
            unit,
            chars: rendered.given,
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
            let attempt = Attempt { limits: self, host, call, part: name, position, rendered: &rendered };
            match action.perform(&attempt, &mut report).await {
                Ok(text) => {
                    report.action = action.name();
                    if let Some(text) = &text {
                        report.chars = utf16_len(text.as_bytes());
                    }
                    return Outcome { text, report, warnings: Vec::new(), reached: true };
                }
                Err(reason) => {
                    report.fallbacks.push(Tried { action: action.name(), reason });
                    // Nothing that follows could be worth more to the model than the small output itself.
                    if reason == Reason::NotSmaller && matches!(action, Action::Spill(_)) {
                        report.action = Action::PASSTHROUGH;
                        return Outcome { text: None, report, warnings: Vec::new(), reached: true };
                    }
                }
            }
        }
        report.action = Action::PASSTHROUGH;
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
        let estimate = off_thread(move || Ok(estimate_tokens(&source)?)).await;
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
            let (utf8, _) = source.to_utf8()?;
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
}

/// Said where no action could run.
fn not_reduced(report: &Report) -> Warning {
    let tried: Vec<_> =
        report.fallbacks.iter().map(|tried| format!("{}: {}", tried.action, tried.reason.name())).collect();
    let (size, unit) = (number(report.size), report.unit.name());
    Warning {
        code: "TOL_NOT_REDUCED",
        message: format!("an output of {size} {unit} stays as it is: no action could run ({})", tried.join(", ")),
        reason: report.fallbacks.last().map(|tried| tried.reason),
    }
}
