use crate::engine::json::quoted;
use crate::engine::text::grouped;

use super::pattern::compile;

/// The most lines shown around a match.
const MAX_CONTEXT: u64 = 20;

/// Lines of a page that does not say how many.
const DEFAULT_LIMIT: u64 = 200;

/// Numbers beyond it are no different: no stored result has so many chars.
const MAX_NUMBER: f64 = (1_u64 << 53) as f64;

/// Chars of a wrong argument that are shown.
const SHOWN: usize = 60;

/// What is said where the arguments are no object at all.
pub const NOT_AN_OBJECT: &str = "The arguments must be an object with a handle.";

/// What a page may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Lines, at least 1. Default 1,000.
    pub max_lines: u64,
    /// Chars (UTF-16 units) of text, at least 500. Default 50,000.
    pub max_chars: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { max_lines: 1_000, max_chars: 50_000 }
    }
}

/// One argument as it was given.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Raw {
    /// Absent or null.
    #[default]
    Missing,
    /// A boolean.
    Bool(bool),
    /// Any number, NaN and infinities too.
    Number(f64),
    /// A string.
    Text(String),
    /// Something else, as it is to be shown (its JSON).
    Other(String),
}

/// The arguments as they were given, snake_case or camelCase alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawArguments {
    /// The handle: the only one that is required.
    pub handle: Raw,
    /// Lines to skip; matches with `pattern`.
    pub offset: Raw,
    /// Lines of the page.
    pub limit: Raw,
    /// Whether offset and limit count from the end.
    pub from_end: Raw,
    /// What to search for.
    pub pattern: Raw,
    /// Chars to skip inside the first line.
    pub char_offset: Raw,
    /// Whether `pattern` is a regular expression.
    pub regex: Raw,
    /// Whether letter case makes no difference.
    pub ignore_case: Raw,
    /// Lines to show around each match.
    pub context: Raw,
    /// A JSON pointer.
    pub pointer: Raw,
}

/// Arguments that make sense.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The handle as given; see [`candidates`].
    pub handle: String,
    /// Lines (matches, items) to skip. Default 0.
    pub offset: u64,
    /// Lines (matches, items) of the page, 1 to [`Caps::max_lines`]. Default 200.
    pub limit: u64,
    /// Chars to skip inside the first line. Default 0.
    pub char_offset: u64,
    /// Lines around each match, 0 to 20. Default 0.
    pub context: u64,
    /// Whether offset and limit count from the end. Default false.
    pub from_end: bool,
    /// Whether the pattern is a regular expression. Default false.
    pub regex: bool,
    /// Whether letter case makes no difference. Default false.
    pub ignore_case: bool,
    /// What to search for; never empty.
    pub pattern: Option<String>,
    /// A JSON pointer; empty for the whole document.
    pub pointer: Option<String>,
    /// What was changed about the arguments: sentences for the page's notice.
    pub notes: Vec<String>,
}

/// Checks arguments that a model made up. The error is one line that says what is wrong.
pub fn check(raw: RawArguments, caps: &Caps) -> Result<Arguments, String> {
    let Raw::Text(handle) = raw.handle else {
        return Err("handle must be a string: the handle from the notice in the tool output.".to_owned());
    };
    let mut arguments = Arguments {
        handle,
        offset: number("offset", raw.offset, 0)?.unwrap_or(0),
        limit: number("limit", raw.limit, 1)?.unwrap_or(DEFAULT_LIMIT.min(caps.max_lines)),
        char_offset: number("char_offset", raw.char_offset, 0)?.unwrap_or(0),
        context: number("context", raw.context, 0)?.unwrap_or(0),
        from_end: boolean("from_end", raw.from_end)?,
        regex: boolean("regex", raw.regex)?,
        ignore_case: boolean("ignore_case", raw.ignore_case)?,
        pattern: string("pattern", raw.pattern)?.filter(|pattern| !pattern.is_empty()),
        pointer: string("pointer", raw.pointer)?,
        notes: Vec::new(),
    };
    if !arguments.regex && arguments.pattern.as_ref().is_some_and(|pattern| pattern.contains('\n')) {
        return Err("pattern is searched for inside single lines and cannot contain a line feed.".to_owned());
    }
    if let Some(pattern) = arguments.pattern.as_ref().filter(|_| arguments.regex || arguments.ignore_case) {
        compile(pattern, arguments.regex, arguments.ignore_case)?;
    }
    if let Some(pointer) = arguments.pointer.as_ref().filter(|pointer| !matches!(pointer.as_bytes(), [] | [b'/', ..])) {
        let shown = shown(&Raw::Text(pointer.clone()));
        return Err(format!("pointer must be empty or begin with \"/\", got {shown}."));
    }
    if arguments.limit > caps.max_lines {
        arguments.limit = caps.max_lines;
        arguments.notes.push(format!("limit was reduced to {}, the most a page holds.", caps.max_lines));
    }
    if arguments.context > MAX_CONTEXT {
        arguments.context = MAX_CONTEXT;
        arguments.notes.push(format!("context was reduced to {}.", grouped(MAX_CONTEXT)));
    }
    Ok(arguments)
}

fn number(name: &str, raw: Raw, least: u64) -> Result<Option<u64>, String> {
    let raw = match raw {
        Raw::Missing => return Ok(None),
        Raw::Text(text) => digits(&text).map_or(Raw::Text(text), Raw::Number),
        other => other,
    };
    match raw {
        Raw::Number(number) if number.fract() == 0.0 && number >= least as f64 => {
            Ok(Some(number.min(MAX_NUMBER) as u64))
        }
        other => Err(format!("{name} must be a whole number ≥ {least}, got {}.", shown(&other))),
    }
}

/// The number that a string of digits means.
fn digits(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(|char: char| char.is_whitespace() || char == '\u{FEFF}');
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    trimmed.parse().ok()
}

fn boolean(name: &str, raw: Raw) -> Result<bool, String> {
    match raw {
        Raw::Missing => Ok(false),
        Raw::Bool(value) => Ok(value),
        Raw::Text(text) if text == "true" || text == "false" => Ok(text == "true"),
        other => Err(format!("{name} must be true or false, got {}.", shown(&other))),
    }
}

fn string(name: &str, raw: Raw) -> Result<Option<String>, String> {
    match raw {
        Raw::Missing => Ok(None),
        Raw::Text(text) => Ok(Some(text)),
        other => Err(format!("{name} must be a string, got {}.", shown(&other))),
    }
}

/// A wrong argument as a problem shows it: its JSON, shortened; for the model.
fn shown(raw: &Raw) -> String {
    let whole = match raw {
        Raw::Missing => "nothing".to_owned(),
        Raw::Bool(value) => value.to_string(),
        Raw::Number(number) => return shown_number(*number),
        // Only the beginning is shown, so only that is escaped.
        Raw::Text(text) => quoted(&text.chars().take(SHOWN).collect::<String>()),
        Raw::Other(text) => text.chars().take(SHOWN).collect::<String>().replace(['\n', '\r'], " "),
    };
    whole.chars().take(SHOWN).collect()
}

/// A number as JavaScript writes it.
fn shown_number(number: f64) -> String {
    let size = number.abs();
    if number.is_nan() {
        "NaN".to_owned()
    } else if size.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if size >= 1e21 {
        format!("{number:e}").replace('e', "e+")
    } else if size > 0.0 && size < 1e-6 {
        format!("{number:e}")
    } else {
        format!("{}", number + 0.0)
    }
}

/// The most chars of a text in which a handle is looked for.
const MAX_PASTED: usize = 100_000;
/// The most chars of what may be a handle itself.
const MAX_HANDLE: usize = 4_000;
/// The most chars of a handle inside a pasted text.
const MAX_QUOTED: usize = 2_000;

/// What may be meant by a handle, the likeliest first: the handle in a pasted envelope line; the
/// text without the quotes and full stop that models put around it; the text as given. Never empty strings.
pub fn candidates(handle: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |candidate: String| {
        if !candidate.is_empty() && !found.contains(&candidate) {
            found.push(candidate);
        }
    };
    if handle.len() < MAX_PASTED {
        ["\"handle\":", "stored as "].into_iter().filter_map(|before| string_after(handle, before)).for_each(&mut add);
    }
    if handle.len() <= MAX_HANDLE {
        let quote = |char: char| matches!(char, '"' | '\'' | '`' | '“' | '”') || char.is_whitespace();
        let bare = handle.trim_start_matches(quote).trim_end_matches(|char| quote(char) || char == '.');
        add(bare.to_owned());
        add(handle.to_owned());
    }
    found
}

/// The first JSON string in a text that stands behind `before`; blanks do not count.
fn string_after(text: &str, before: &str) -> Option<String> {
    let (word, sign) = before.split_at(before.len() - 1);
    memchr::memmem::find_iter(text.as_bytes(), word).find_map(|at| {
        let rest = text[at + word.len()..].trim_start();
        let rest = if sign == ":" { rest.strip_prefix(':')?.trim_start() } else { rest };
        let inside = rest.strip_prefix('"')?;
        let mut escaped = false;
        let (end, _) = inside.char_indices().take(MAX_QUOTED).find(|&(_, char)| {
            let ends = char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        })?;
        serde_json::from_str::<String>(&rest[..end + 2]).ok().filter(|string| !string.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw() -> RawArguments {
        RawArguments { handle: Raw::Text("a/b.0".to_owned()), ..RawArguments::default() }
    }

    #[test]
    fn numbers_are_whole_and_in_range() {
        let text = |text: &str| Raw::Text(text.to_owned());
        let wrong = |got: &str| Err(format!("offset must be a whole number ≥ 0, got {got}."));
        let rows = [
            ("missing", Raw::Missing, Ok(0)),
            ("zero", Raw::Number(0.0), Ok(0)),
            ("minus zero", Raw::Number(-0.0), Ok(0)),
            ("428", Raw::Number(428.0), Ok(428)),
            ("2^53", Raw::Number(9_007_199_254_740_992.0), Ok(1 << 53)),
            ("beyond every text", Raw::Number(1e300), Ok(1 << 53)),
            ("digits", text("10"), Ok(10)),
            ("digits with blanks and a sign", text(" +10\n"), Ok(10)),
            ("negative", Raw::Number(-1.0), wrong("-1")),
            ("negative digits", text("-1"), wrong("-1")),
            ("fraction", Raw::Number(1.5), wrong("1.5")),
            ("fraction as text", text("1.5"), wrong("\"1.5\"")),
            ("a word", text("ten"), wrong("\"ten\"")),
            ("empty", text(""), wrong("\"\"")),
            ("a sign", text("+"), wrong("\"+\"")),
            ("NaN", Raw::Number(f64::NAN), wrong("NaN")),
            ("infinity", Raw::Number(f64::INFINITY), wrong("Infinity")),
            ("digits beyond every number", text(&"9".repeat(400)), wrong("Infinity")),
            ("large and negative", Raw::Number(-1e300), wrong("-1e+300")),
            ("small", Raw::Number(1.5e-7), wrong("1.5e-7")),
            ("boolean", Raw::Bool(true), wrong("true")),
            ("object", Raw::Other("{\"a\":\n1}".to_owned()), wrong("{\"a\": 1}")),
            ("long text", text(&"x".repeat(100)), wrong(&format!("\"{}", "x".repeat(59)))),
        ];
        for (comment, offset, expected) in rows {
            let checked = check(RawArguments { offset, ..raw() }, &Caps::default());
            assert_eq!(checked.map(|arguments| arguments.offset), expected, "{comment}");
        }
    }

    #[test]
    fn the_rest_is_checked_too() {
        let text = |text: &str| Raw::Text(text.to_owned());
        let rows = [
            (RawArguments::default(), "handle must be a string: the handle from the notice in the tool output."),
            (RawArguments { limit: Raw::Number(0.0), ..raw() }, "limit must be a whole number ≥ 1, got 0."),
            (RawArguments { from_end: text("yes"), ..raw() }, "from_end must be true or false, got \"yes\"."),
            (RawArguments { pattern: Raw::Number(4.0), ..raw() }, "pattern must be a string, got 4."),
            (
                RawArguments { pattern: text("a\nb"), ..raw() },
                "pattern is searched for inside single lines and cannot contain a line feed.",
            ),
            (
                RawArguments { pattern: text("(?=x)"), regex: Raw::Bool(true), ..raw() },
                "pattern: look-around, such as (?=x) or (?<!x), is not supported; use a simpler pattern, or a literal \
                 search (regex: false).",
            ),
            (
                RawArguments { pointer: text("items"), ..raw() },
                "pointer must be empty or begin with \"/\", got \"items\".",
            ),
        ];
        for (raw, problem) in rows {
            assert_eq!(check(raw, &Caps::default()), Err(problem.to_owned()));
        }
    }

    #[test]
    fn too_much_is_reduced_and_told() {
        let given = RawArguments { limit: Raw::Number(5000.0), context: Raw::Text("21".to_owned()), ..raw() };
        let arguments = check(given, &Caps::default()).unwrap();
        assert_eq!((arguments.limit, arguments.context), (1000, 20));
        assert_eq!(
            arguments.notes,
            ["limit was reduced to 1000, the most a page holds.", "context was reduced to 20."]
        );
        assert_eq!(check(raw(), &Caps { max_lines: 50, max_chars: 500 }).unwrap().limit, 50);
    }

    #[test]
    fn an_empty_pattern_is_none() {
        let given = RawArguments { pattern: Raw::Text(String::new()), pointer: Raw::Text(String::new()), ..raw() };
        let arguments = check(given, &Caps::default()).unwrap();
        assert_eq!((arguments.pattern, arguments.pointer.as_deref()), (None, Some("")));
    }

    #[test]
    fn handles_are_found_in_what_models_write() {
        let line = "[This tool output is incomplete here: 5 chars, 1 line, stored as \"r/c.0\". Read it with \
                    read_tool_result({\"handle\":\"r/c.0\",\"offset\":0,\"limit\":200}).]";
        let rows: [(&str, &str, &[&str]); 10] = [
            ("as it is", "r/c.0", &["r/c.0"]),
            ("quotes", "\"r/c.0\"", &["r/c.0", "\"r/c.0\""]),
            ("backticks, full stop", " `r/c.0`.", &["r/c.0", " `r/c.0`."]),
            ("curly quotes", "“r/c.0”", &["r/c.0", "“r/c.0”"]),
            ("envelope line", line, &["r/c.0", line.trim_end_matches('.')]),
            ("half of one", "stored as \"r/c.0\"", &["r/c.0", "stored as \"r/c.0", "stored as \"r/c.0\""]),
            ("spaced, escaped", "{\"handle\" : \"a\\u0041\\\"b\"}", &["aA\"b", "{\"handle\" : \"a\\u0041\\\"b\"}"]),
            ("open end", "{\"handle\":\"abc", &["{\"handle\":\"abc"]),
            ("empty", "", &[]),
            ("blank", "  ", &["  "]),
        ];
        for (comment, given, expected) in rows {
            assert_eq!(candidates(given), expected, "{comment}");
        }
        assert!(candidates(&"x".repeat(200_000)).is_empty());
    }

    fn any_raw() -> impl Strategy<Value = Raw> {
        prop_oneof![
            Just(Raw::Missing),
            any::<bool>().prop_map(Raw::Bool),
            any::<f64>().prop_map(Raw::Number),
            (0..2000_u32).prop_map(|number| Raw::Number(number.into())),
            any::<String>().prop_map(Raw::Text),
            any::<String>().prop_map(Raw::Other),
        ]
    }

    proptest! {
        #[test]
        fn a_problem_is_one_short_line(offset in any_raw(), limit in any_raw(), from_end in any_raw(), pattern in any_raw()) {
            let given = RawArguments { offset, limit, from_end, pattern, ..raw() };
            match check(given, &Caps::default()) {
                Ok(arguments) => prop_assert!((1..=1000).contains(&arguments.limit) && arguments.offset <= 1 << 53),
                Err(problem) => prop_assert!(!problem.contains('\n') && problem.chars().count() < 150, "{}", problem),
            }
        }

        #[test]
        fn a_handle_stays_a_candidate(text in any::<String>(), around in "[\"'`\\s.]{0,3}") {
            let given = format!("{around}{text}{around}");
            prop_assert_eq!(candidates(&given).last().cloned().unwrap_or_default(), given);
        }
    }
}
