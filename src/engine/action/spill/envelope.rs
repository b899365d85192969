//! The text that stands in for a spilled result. Read by the model, in place of the tool's output.

use crate::engine::config::ReadTool;
use crate::engine::json::quoted;
use crate::engine::report::Unit;
use crate::engine::text::grouped;

/// What the first line says of the stored whole.
pub enum Size {
    /// Text: its chars and lines, and tokens where they were measured.
    Text {
        /// Tokens, where sizes are tokens.
        tokens: Option<f64>,
        /// UTF-16 units.
        chars: usize,
        /// Lines.
        lines: u64,
    },
    /// Bytes and what they are.
    Bytes {
        /// How many.
        bytes: usize,
        /// A media type, or the charset, chars and lines of text.
        kind: String,
    },
}

impl Size {
    /// The size of a text, in the unit that was measured.
    pub fn of_text(unit: Unit, size: f64, chars: usize, lines: u64) -> Self {
        Self::Text { tokens: (unit == Unit::Tokens).then_some(size), chars, lines }
    }
}

/// Says of text that came as bytes what it is.
pub fn text_kind(charset: &str, chars: usize, lines: u64) -> String {
    format!("text ({charset}), {} chars, {}", grouped(chars as u64), line_count(lines))
}

/// How the model reads the whole.
pub enum Reading<'a> {
    /// With the read tool.
    Tool(&'a ReadTool),
    /// As the store says, with a tool of the application's own.
    Instruction(&'a str),
}

/// The first line: that the output is incomplete here, how large it is, and the very call that reads it.
pub fn head(size: &Size, handle: &str, reading: &Reading) -> String {
    let what = match size {
        Size::Text { tokens, chars, lines } => {
            let tokens = tokens.map(|tokens| format!("{} tokens, ", number(tokens))).unwrap_or_default();
            format!("{tokens}{} chars, {}", grouped(*chars as u64), line_count(*lines))
        }
        Size::Bytes { bytes, kind } => format!("{} bytes, {kind}", grouped(*bytes as u64)),
    };
    let handle = quoted(handle);
    let read = match reading {
        Reading::Tool(tool) => {
            let limit = tool.max_lines.min(200);
            format!("Read it with {}({{\"handle\":{handle},\"offset\":0,\"limit\":{limit}}}).", tool.name)
        }
        Reading::Instruction(instruction) => one_line(instruction),
    };
    format!("[This tool output is incomplete here: {what}, stored as {handle}. {read}]\n")
}

fn line_count(lines: u64) -> String {
    format!("{} line{}", grouped(lines), if lines == 1 { "" } else { "s" })
}

/// A count that a tokenizer gave, which may have a fraction.
pub fn number(count: f64) -> String {
    if count.fract() == 0.0 && count < 9e15 { grouped(count as u64) } else { format!("{count}") }
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, max_lines: usize) -> ReadTool {
        ReadTool { name: name.into(), enabled: true, max_lines, max_chars: 50_000, own_run_only: false }
    }

    #[test]
    fn the_first_line_tells_size_handle_and_call() {
        let text = Size::of_text(Unit::Chars, 0.0, 12_345, 1);
        assert_eq!(
            head(&text, "r/c.0", &Reading::Tool(&tool("read_tool_result", 1000))),
            "[This tool output is incomplete here: 12,345 chars, 1 line, stored as \"r/c.0\". \
             Read it with read_tool_result({\"handle\":\"r/c.0\",\"offset\":0,\"limit\":200}).]\n"
        );
        let tokens = Size::of_text(Unit::Tokens, 3_000.0, 12_345, 1_000);
        assert_eq!(
            head(&tokens, "a\"\u{2028}", &Reading::Tool(&tool("peek", 50))),
            "[This tool output is incomplete here: 3,000 tokens, 12,345 chars, 1,000 lines, stored as \"a\\\"\\u2028\". \
             Read it with peek({\"handle\":\"a\\\"\\u2028\",\"offset\":0,\"limit\":50}).]\n"
        );
        let bytes = Size::Bytes { bytes: 70_000, kind: "image/png".into() };
        assert_eq!(
            head(&bytes, "x", &Reading::Instruction("Read it with cat\nx.")),
            "[This tool output is incomplete here: 70,000 bytes, image/png, stored as \"x\". Read it with cat x.]\n"
        );
    }
}
