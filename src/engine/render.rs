//! What is measured, shown and stored of a part: values laid out, control sequences removed.

use std::borrow::Cow;
use std::sync::Arc;

use super::call::Body;
use super::config::{Cleaning, Layout};
use super::json;
use super::text::{Gone, Text, carried, strip_ansi, terminal, utf16_len};
use super::work::off_thread;

/// A part after rendering.
pub struct Rendered {
    /// What is measured, shown and stored.
    pub content: Content,
    /// Whether the text stands for a structured value.
    pub structured: bool,
    /// Whether the text is still the one that the host holds.
    pub is_original: bool,
    /// Whether cleaning took something away, so that even a text that fits is a new one.
    pub is_cleaned: bool,
    /// Chars of the text as it was given, laid out but not cleaned. A terminal's rendering of it may be longer, for moves of
    /// the cursor become blanks.
    pub given: usize,
    /// Where the shape of the value is seen.
    pub shape: Shape,
}

/// Text or bytes.
pub enum Content {
    /// Text, to be measured in chars or tokens.
    Text(Text),
    /// Bytes, never changed.
    Bytes(Arc<[u8]>),
}

/// Where the shape of a value is seen.
#[derive(Clone)]
pub enum Shape {
    /// In the text, if it is one JSON document.
    Text,
    /// In the text, which has one JSON value a line.
    Lines,
    /// In other JSON text of the same value.
    Json(Text),
}

impl Rendered {
    /// Renders a part; should the text be gone by then, it stays as it is.
    pub async fn of(body: Body, layout: Layout, cleaning: Cleaning) -> Self {
        let as_it_is = rendered_as_it_is(&body);
        if !needs_rendering(&body, layout, cleaning) {
            return as_it_is;
        }
        off_thread(move || Ok(render(body, layout, cleaning)?)).await.unwrap_or(as_it_is)
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
    let given = match &content {
        Content::Text(text) => text.len(),
        Content::Bytes(_) => 0,
    };
    Rendered { content, structured, is_original: true, is_cleaned: false, given, shape }
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
            let json = match cleaning {
                Cleaning::Nothing => Cow::Borrowed(utf8.as_str()),
                _ => Cow::Owned(json::map_strings(utf8.as_str(), |leaf| clean(leaf, cleaning))),
            };
            let is_cleaned = json != utf8.as_str();
            let shape = if layout == Layout::Lines && is_list { Shape::Lines } else { as_it_is.shape.clone() };
            let laid_out = lay_out(&json, layout, is_list);
            if laid_out == utf8.as_str() {
                return Ok(Rendered { shape, ..as_it_is });
            }
            let text = Text::from_string(laid_out.into_owned());
            let given =
                if is_cleaned { utf16_len(lay_out(utf8.as_str(), layout, is_list).as_bytes()) } else { text.len() };
            Ok(Rendered { content: Content::Text(text), is_original: false, is_cleaned, given, shape, ..as_it_is })
        }
    }
}

fn lay_out(json: &str, layout: Layout, is_list: bool) -> Cow<'_, str> {
    match layout {
        Layout::Compact => Cow::Borrowed(json),
        Layout::Lines if is_list => Cow::Owned(json::json_lines(json)),
        Layout::Lines | Layout::Indented => Cow::Owned(json::indented(json)),
    }
}

fn clean(text: &str, cleaning: Cleaning) -> Cow<'_, str> {
    match cleaning {
        Cleaning::Nothing => Cow::Borrowed(text),
        Cleaning::Ansi => strip_ansi(text),
        Cleaning::Terminal => terminal(text),
    }
}
