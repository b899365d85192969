//! The configuration of an instance, checked by the entry and typed here.

use super::bands::ToolBands;

/// How an instance measures, reduces and reads.
#[derive(Debug)]
pub struct Config {
    /// Stable name of the instance, part of the ids of journaled operations.
    pub id: String,
    /// The bands of every tool.
    pub bands: ToolBands,
    /// Whether sizes are tokens.
    pub over_tokens: bool,
    /// Whether the host has a tokenizer; otherwise tokens are estimated.
    pub has_tokenizer: bool,
    /// How structured values are laid out.
    pub layout: Layout,
    /// What is removed from text before it is measured.
    pub cleaning: Cleaning,
    /// The tool that reads results back.
    pub read_tool: ReadTool,
    /// The application's prompt template for summaries.
    pub summary_prompt: Option<String>,
}

/// How structured values are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Compact JSON on one line.
    Compact,
    /// Two-space indent.
    Indented,
    /// One compact value a line for arrays, indented otherwise.
    Lines,
}

/// What is removed from text before it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleaning {
    /// Nothing.
    Nothing,
    /// Control sequences.
    Ansi,
    /// Control sequences, and what a terminal would have overwritten.
    Terminal,
}

/// The tool that reads results back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTool {
    /// Its name.
    pub name: String,
    /// Whether the model has it.
    pub enabled: bool,
    /// The most lines of a page.
    pub max_lines: usize,
    /// The most chars of a page.
    pub max_chars: usize,
    /// Whether it answers only for handles of the caller's own run.
    pub own_run_only: bool,
}

impl ReadTool {
    /// Whether a name is the read tool's, alone or in a namespace: hosts prefix tool names, and
    /// `mcp__srv__x`, `srv.x`, `srv/x` and `srv:x` all mean tool `x`.
    pub fn is_named(&self, tool_name: &str) -> bool {
        tool_name.strip_suffix(self.name.as_str()).is_some_and(|namespace| {
            namespace.is_empty() || namespace.ends_with("__") || namespace.ends_with(['.', '/', ':'])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_read_tool_is_known_in_a_namespace() {
        let tool = ReadTool { name: "peek".into(), enabled: true, max_lines: 1, max_chars: 500, own_run_only: false };
        for (name, is) in [
            ("peek", true),
            ("mcp__srv__peek", true),
            ("srv.peek", true),
            ("srv/peek", true),
            ("srv:peek", true),
            ("srv_peek", false),
            ("apeek", false),
            ("peek2", false),
            ("", false),
        ] {
            assert_eq!(tool.is_named(name), is, "{name}");
        }
    }
}
