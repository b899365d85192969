use memchr::memmem::Finder;
use regex_automata::meta::Regex;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};
use regex_syntax::{ParserBuilder, escape, is_meta_character};

/// Bytes of a compiled pattern; a search costs time in proportion to it, as well as to the text.
const MAX_COMPILED: usize = 2 * 1024 * 1024;

/// Bytes of a pattern that is a regular expression. A longer one is no expression that a model wrote.
const MAX_EXPRESSION: usize = 10_000;

/// How deep groups and repetitions may be nested.
const MAX_NESTED: u32 = 100;

/// The longest match that is looked for across the pieces of a text, rather than in whole lines.
const MAX_PIECED: usize = 64 * 1024;

/// A pattern, compiled in the way that it can be searched for fastest.
pub(super) enum Matcher {
    /// A literal substring.
    Literal(Box<Finder<'static>>),
    /// An expression whose matches are `longest` bytes at most, not empty, and the same wherever they stand.
    Short {
        /// Never matches across a line feed.
        regex: Regex,
        longest: usize,
    },
    /// An expression that needs whole lines: `candidates` finds at least the lines that match, in
    /// text of many lines; `exact` finds the match in a single line, its line end taken off.
    Lines { candidates: Regex, exact: Regex },
}

/// Compiles a pattern. The error is one line for the model that says what is not supported, or wrong.
pub(super) fn compile(pattern: &str, regex: bool, ignore_case: bool) -> Result<Matcher, String> {
    let is_literal = !regex || !pattern.contains(is_meta_character);
    if is_literal && !ignore_case && !pattern.contains('\n') {
        return Ok(Matcher::Literal(Box::new(Finder::new(pattern).into_owned())));
    }
    if pattern.len() > MAX_EXPRESSION {
        return Err(problem("a pattern this long is not supported"));
    }
    let expression = if is_literal { escape(pattern) } else { pattern.to_owned() };
    let hir = ParserBuilder::new()
        .nest_limit(MAX_NESTED)
        .case_insensitive(ignore_case)
        .build()
        .parse(&expression)
        .map_err(|error| refused(&error))?;
    let properties = hir.properties();
    let looks = properties.look_set();
    let short = properties
        .maximum_len()
        .filter(|&longest| longest <= MAX_PIECED && properties.minimum_len() > Some(0) && looks.is_empty());
    let exact = build(&hir)?;
    let inside_lines = build(&confine(hir, true))?;
    Ok(match short {
        Some(longest) => Matcher::Short { regex: inside_lines, longest },
        None => Matcher::Lines { candidates: inside_lines, exact },
    })
}

fn build(hir: &Hir) -> Result<Regex, String> {
    let config = Regex::config().nfa_size_limit(Some(MAX_COMPILED)).utf8_empty(false);
    Regex::builder().configure(config).build_from_hir(hir).map_err(|error| {
        problem(match error.size_limit() {
            Some(_) => "repetitions of this size are not supported",
            None => "it is not a valid regular expression",
        })
    })
}

/// What is wrong with an expression, for the model.
fn refused(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => match error.kind() {
            ErrorKind::UnsupportedLookAround => problem("look-around, such as (?=x) or (?<!x), is not supported"),
            ErrorKind::UnsupportedBackreference => problem("back-references, such as \\1, are not supported"),
            ErrorKind::NestLimitExceeded(_) => problem("nesting this deep is not supported"),
            kind => problem(&format!("it is not a valid regular expression ({kind})")),
        },
        regex_syntax::Error::Translate(error) => {
            problem(&format!("it is not a valid regular expression ({})", error.kind()))
        }
        _ => problem("it is not a valid regular expression"),
    }
}

/// One line that says what is wrong with a pattern and what to do instead; for the model.
fn problem(what: &str) -> String {
    format!("pattern: {what}; use a simpler pattern, or a literal search (regex: false).")
}

/// Makes an expression that is meant for single lines fit for text of many lines: without line feeds
/// in what it matches. It finds every match that the expression has in one of the lines, and perhaps
/// others, because the carriage return of a line end counts as part of the line.
/// `is_last`: nothing of the expression follows. Recursion is as deep as [`MAX_NESTED`] at most.
fn confine(hir: Hir, is_last: bool) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(look) => confine_look(look, is_last),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(confine(*sub, false)) })
        }
        HirKind::Capture(capture) => confine(*capture.sub, is_last),
        HirKind::Concat(parts) => {
            let last = parts.len() - 1;
            let parts = parts.into_iter().zip(0..);
            Hir::concat(parts.map(|(part, at)| confine(part, is_last && at == last)).collect())
        }
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(|part| confine(part, is_last)).collect()),
    }
}

fn confine_look(look: Look, is_last: bool) -> Hir {
    match look {
        Look::Start | Look::StartLF => Hir::look(Look::StartLF),
        // What follows an end of the line would have to be looked for in front of the carriage
        // return; so the end is only asked for where nothing follows.
        Look::End | Look::EndLF if is_last => {
            let sub = Box::new(Hir::literal(*b"\r"));
            let carriage_return = Hir::repetition(Repetition { min: 0, max: Some(1), greedy: true, sub });
            Hir::concat(vec![carriage_return, Hir::look(Look::EndLF)])
        }
        Look::End | Look::EndLF | Look::StartCRLF | Look::EndCRLF => Hir::empty(),
        word => Hir::look(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(pattern: &str) -> String {
        match compile(pattern, true, false) {
            Ok(_) => panic!("{pattern} compiles"),
            Err(error) => error,
        }
    }

    #[test]
    fn what_is_not_supported_is_named_in_one_line() {
        let deep = format!("{}a{}", "(".repeat(4000), ")".repeat(3999));
        let rows = [
            ("(?=x)", "look-around"),
            ("(?<!x)y", "look-around"),
            ("(a)\\1", "back-references"),
            ("a{1000}{1000}", "repetitions of this size"),
            ("(", "not a valid regular expression (unclosed group)"),
            ("[z-a]", "not a valid regular expression"),
            ("\\p{Nonsense}", "not a valid regular expression"),
            (&"(a)".repeat(400_000), "this long"),
            (&deep, "unclosed group"),
            (&format!("{deep})"), "nesting this deep"),
        ];
        for (pattern, named) in rows {
            let error = error(pattern);
            assert!(error.contains(named), "{named}: {error}");
            assert!(error.contains("literal search") && !error.contains('\n') && error.len() < 200, "{error}");
        }
    }

    #[test]
    fn each_pattern_is_searched_for_in_its_way() {
        let kind = |pattern: &str, regex, ignore_case| match compile(pattern, regex, ignore_case) {
            Ok(Matcher::Literal(_)) => "literal".to_owned(),
            Ok(Matcher::Short { longest, .. }) => format!("short {longest}"),
            Ok(Matcher::Lines { .. }) => "lines".to_owned(),
            Err(error) => error,
        };
        let rows = [
            ("a.b", false, false, "literal"),
            ("ab", true, false, "literal"),
            ("a\nb", true, false, "short 3"),
            ("ab", false, true, "short 2"),
            ("k", false, true, "short 3"),
            ("a[bc]", true, false, "short 2"),
            ("a|bcd", true, false, "short 3"),
            ("a?", true, false, "lines"),
            ("a+", true, false, "lines"),
            ("^ab", true, false, "lines"),
            ("\\bab", true, false, "lines"),
        ];
        for (pattern, regex, ignore_case, expected) in rows {
            assert_eq!(kind(pattern, regex, ignore_case), expected, "{pattern:?}");
        }
    }
}
