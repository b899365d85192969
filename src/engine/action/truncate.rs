use serde::Deserialize;

use super::Attempt;
use super::settings::{count, lines};
use crate::engine::host::Host;
use crate::engine::json::{self, Keep};
use crate::engine::reason::Reason;
use crate::engine::report::{Report, Tried};
use crate::engine::text::{self, Gone, LineMatcher, Strategy, Text, utf16_len};
use crate::engine::work::off_thread;

/// JSON above this many chars is cut as plain text.
const MAX_CUT_AS_JSON: usize = 64 << 20;

/// Keeps the beginning, the end, or both.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncate {
    /// The most chars the result may have, marker included.
    #[serde(deserialize_with = "count")]
    max_chars: usize,
    /// Which end is kept.
    strategy: Strategy,
    /// How many of the last lines are reserved.
    #[serde(deserialize_with = "count")]
    keep_tail_lines: usize,
    #[serde(default)]
    json: Json,
    /// Lines to keep wherever they are.
    #[serde(default, deserialize_with = "lines")]
    keep_matching: Option<LineMatcher>,
}

/// How JSON is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Json {
    /// Such that it stays JSON, and records stay whole.
    #[default]
    Valid,
    /// Like any text.
    Text,
}

impl Truncate {
    pub(super) async fn perform<H: Host>(
        &self,
        attempt: &Attempt<'_, H>,
        report: &mut Report,
    ) -> Result<Option<String>, Reason> {
        let text = attempt.text()?;
        if text.len() <= self.max_chars && !attempt.rendered.is_cleaned {
            return Ok(None);
        }
        let (source, structured, action) = (text.clone(), attempt.rendered.structured, self.clone());
        let done = off_thread(move || Ok(action.cut(&source, structured)?)).await?;
        if done.too_large {
            report.fallbacks.push(Tried { action: "truncate", reason: Reason::TooLarge });
        }
        if utf16_len(done.text.as_bytes()) >= attempt.rendered.given {
            return Ok(None);
        }
        report.replaced = done.replaced;
        Ok(Some(done.text))
    }

    fn cut(&self, text: &Text, structured: bool) -> Result<Cut, Gone> {
        let plain = text::Truncation {
            max_chars: self.max_chars,
            strategy: self.strategy,
            keep_tail_lines: self.keep_tail_lines,
        };
        let mut too_large = false;
        if text.len() > self.max_chars && self.max_chars >= 2 {
            let wants_json = self.keep_matching.is_none() && self.json == Json::Valid;
            if text.len() > MAX_CUT_AS_JSON {
                too_large = wants_json && (structured || starts_like_json(text)?);
            } else if let Some(matcher) = &self.keep_matching {
                if let Some(cut) = text::keep_matching(text, matcher, &plain)? {
                    return Ok(Cut { text: cut.text, replaced: cut.replaced, too_large });
                }
            } else if wants_json && may_have_structure(text, structured)? {
                let (utf8, encoded) = text.to_utf8()?;
                let max = self.max_chars;
                let keep = match self.strategy {
                    Strategy::Head => Keep::Head,
                    Strategy::Tail => Keep::Tail,
                    Strategy::HeadTail => Keep::HeadTail,
                };
                let cut = json::truncate_valid(utf8.as_str(), max, structured)
                    .or_else(|| json::truncate_records(utf8.as_str(), max, keep, self.keep_tail_lines));
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
}

struct Cut {
    text: String,
    replaced: usize,
    /// Whether the text was too large for the cut that was asked for.
    too_large: bool,
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
