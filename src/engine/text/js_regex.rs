//! JavaScript's regular expressions, said in the syntax of the `regex` crate, which has no
//! backtracking and so needs linear time. What it cannot say is refused by name.

use regex::{Regex, RegexBuilder};

/// The longest source, in characters.
const MAX_SOURCE: usize = 64 * 1024;
/// The largest compiled form, in bytes: a pattern such as `(\w{1000}){1000}` is small in source only.
const MAX_COMPILED: usize = 4 << 20;

const DIGIT: &str = "[0-9]";
const NO_DIGIT: &str = "[^0-9]";
const WORD: &str = "[0-9A-Za-z_]";
const NO_WORD: &str = "[^0-9A-Za-z_]";
const SPACE: &str = r"[\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const NO_SPACE: &str = r"[^\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const NO_LINE_END: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Compiles a `RegExp` by its source and flags, for the search in single lines: `g`, `y`, `d` and `m`
/// make no difference there. The error is one line that names what is not supported.
pub(super) fn compile(source: &str, flags: &str) -> Result<Regex, String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("a source of more than {MAX_SOURCE} characters is not supported"));
    }
    let pattern = Translator::new(source, flags)?.translate()?;
    RegexBuilder::new(&pattern)
        .case_insensitive(flags.contains('i'))
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(|error| one_line(&error))
}

fn one_line(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "the expression is too large when compiled".to_owned(),
        // The last line says what is wrong; those before draw the translated pattern.
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("not supported: {}", last.strip_prefix("error: ").unwrap_or(last))
        }
    }
}

struct Translator {
    source: Vec<char>,
    at: usize,
    out: String,
    /// Flag `u` or `v`: code points, and no leniency with escapes.
    unicode: bool,
    /// Flag `v`: classes may be computed from others.
    sets: bool,
    /// Whether `.` matches line ends.
    dot_all: bool,
    /// What `dot_all` was outside of each open group.
    outside: Vec<bool>,
    groups: u32,
    has_names: bool,
}

/// What stands for one character in a class, or outside of one.
enum Atom {
    Char(char),
    Set(String),
}

impl Translator {
    fn new(source: &str, flags: &str) -> Result<Self, String> {
        if let Some(unknown) = flags.chars().find(|flag| !"dgimsuvy".contains(*flag)) {
            return Err(format!("the flag {unknown} is not supported"));
        }
        let source: Vec<char> = source.chars().collect();
        let (groups, has_names) = count_groups(&source);
        Ok(Self {
            source,
            at: 0,
            out: String::new(),
            unicode: flags.contains(['u', 'v']),
            sets: flags.contains('v'),
            dot_all: flags.contains('s'),
            outside: Vec::new(),
            groups,
            has_names,
        })
    }

    fn translate(mut self) -> Result<String, String> {
        while let Some(char) = self.next() {
            match char {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.open_group()?,
                ')' => {
                    self.dot_all = self.outside.pop().unwrap_or(self.dot_all);
                    self.out.push(')');
                }
                '.' => self.out.push_str(if self.dot_all { "(?s:.)" } else { NO_LINE_END }),
                '|' | '^' | '$' | '*' | '+' | '?' => self.out.push(char),
                '{' => self.brace(),
                _ => self.literal(char),
            }
        }
        Ok(self.out)
    }

    fn next(&mut self) -> Option<char> {
        let char = self.source.get(self.at).copied();
        self.at += usize::from(char.is_some());
        char
    }

    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, char)| self.source.get(self.at + index) == Some(&char))
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn literal(&mut self, char: char) {
        self.out.push_str(&regex::escape(char.encode_utf8(&mut [0; 4])));
    }

    /// A repetition such as `{2,3}`, or a brace as text.
    fn brace(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let inside = rest.iter().take_while(|char| char.is_ascii_digit() || **char == ',').count();
        let is_repetition = match rest.get(..=inside) {
            Some([first, middle @ .., '}']) => {
                first.is_ascii_digit() && middle.iter().filter(|char| **char == ',').count() <= 1
            }
            _ => false,
        };
        self.out.push_str(if is_repetition { "{" } else { r"\{" });
        if is_repetition {
            self.out.extend(&rest[..=inside]);
            self.at += inside + 1;
        }
    }

    fn open_group(&mut self) -> Result<(), String> {
        self.outside.push(self.dot_all);
        for (start, name) in [
            ("?=", "look-ahead (?=…)"),
            ("?!", "look-ahead (?!…)"),
            ("?<=", "look-behind (?<=…)"),
            ("?<!", "look-behind (?<!…)"),
        ] {
            if self.starts_with(start) {
                return Err(format!("{name} is not supported"));
            }
        }
        // Nothing is captured: names, which may have any form in JavaScript, go.
        if self.take("?<") {
            while self.next().is_some_and(|char| char != '>') {}
        } else if self.take("?") && !self.take(":") {
            return self.open_modifiers();
        }
        self.out.push_str("(?:");
        Ok(())
    }

    /// A group that changes flags, `(?i-s:…)`.
    fn open_modifiers(&mut self) -> Result<(), String> {
        let (mut on, mut case) = (true, String::new());
        while let Some(char) = self.next() {
            match char {
                ':' => {
                    self.out.push_str(&format!("(?{case}:"));
                    return Ok(());
                }
                '-' => on = false,
                'i' => case = if on { "i".into() } else { "-i".into() },
                's' => self.dot_all = on,
                'm' => {}
                _ => break,
            }
        }
        Err("a group of this kind is not supported".to_owned())
    }

    /// What follows a backslash outside of a class.
    fn escape(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('b') => self.out.push_str(r"(?-u:\b)"),
            Some('B') => self.out.push_str(r"(?-u:\B)"),
            Some('1'..='9') if self.is_back_reference() => {
                return Err(format!("the back-reference \\{} is not supported", self.peek().unwrap_or_default()));
            }
            Some('k') if self.unicode || self.has_names => {
                return Err("the back-reference \\k<…> is not supported".to_owned());
            }
            _ => {
                match self.escaped_atom()? {
                    Atom::Char(char) => self.literal(char),
                    Atom::Set(set) => self.out.push_str(&set),
                }
                return Ok(());
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the digits ahead are the number of a group; without `u` a larger one is an octal escape.
    fn is_back_reference(&self) -> bool {
        let digits: String =
            self.source.iter().skip(self.at).take(9).take_while(|char| char.is_ascii_digit()).collect();
        self.unicode || digits.parse().is_ok_and(|number: u32| number <= self.groups)
    }

    /// What follows a backslash and stands for characters.
    fn escaped_atom(&mut self) -> Result<Atom, String> {
        let Some(char) = self.next() else {
            return Ok(Atom::Char('\\'));
        };
        let set = |text: &str| Ok(Atom::Set(text.to_owned()));
        Ok(Atom::Char(match char {
            'd' => return set(DIGIT),
            'D' => return set(NO_DIGIT),
            'w' => return set(WORD),
            'W' => return set(NO_WORD),
            's' => return set(SPACE),
            'S' => return set(NO_SPACE),
            'p' | 'P' if self.unicode => return self.property(char),
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    char::from(letter as u8 & 0x1f)
                }
                // Text after all: the backslash, and next the letter.
                _ => {
                    self.at -= 1;
                    '\\'
                }
            },
            '0'..='7' => self.octal(char),
            'x' => self.hex(2).and_then(char::from_u32).unwrap_or('x'),
            'u' => self.unicode_escape()?,
            other => other,
        }))
    }

    fn octal(&mut self, first: char) -> char {
        let mut code = first.to_digit(8).unwrap_or_default();
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|char| char.to_digit(8)).filter(|digit| code * 8 + digit < 0x100)
            else {
                break;
            };
            code = code * 8 + digit;
            self.at += 1;
        }
        char::from_u32(code).unwrap_or_default()
    }

    /// The value of exactly so many hexadecimal digits, if they are there.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let mut code = 0;
        for char in self.source.get(self.at..self.at + digits)? {
            code = code * 16 + char.to_digit(16)?;
        }
        self.at += digits;
        Some(code)
    }

    /// What follows `\u`: four digits, a pair of such escapes, or digits in braces.
    fn unicode_escape(&mut self) -> Result<char, String> {
        const LONE: &str = "a lone surrogate is not supported; use the flag u";
        if self.unicode && self.take("{") {
            let mut code = 0_u32;
            while let Some(digit) = self.next().and_then(|char| char.to_digit(16)) {
                code = code.saturating_mul(16).saturating_add(digit);
            }
            return char::from_u32(code).ok_or_else(|| LONE.to_owned());
        }
        match self.hex(4) {
            None => Ok('u'),
            Some(first @ 0xd800..=0xdbff) if self.take("\\u") => match self.hex(4) {
                Some(second @ 0xdc00..=0xdfff) => {
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
                        .ok_or_else(|| LONE.to_owned())
                }
                _ => Err(LONE.to_owned()),
            },
            Some(code) => char::from_u32(code).ok_or_else(|| LONE.to_owned()),
        }
    }

    /// What follows `\p` or `\P`.
    fn property(&mut self, kind: char) -> Result<Atom, String> {
        if !self.take("{") {
            return Err(format!("\\{kind} without a name is not supported"));
        }
        let mut name = String::new();
        while let Some(char) = self.next().filter(|&char| char != '}') {
            name.push(char);
        }
        Ok(Atom::Set(format!("\\{kind}{{{name}}}")))
    }

    fn class(&mut self) -> Result<(), String> {
        let negated = self.take("^");
        if self.take("]") {
            self.out.push_str(if negated { "(?s:.)" } else { r"[^\s\S]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        while let Some(char) = self.next() {
            if char == ']' {
                break;
            }
            let first = self.class_atom(char)?;
            if self.peek() != Some('-') || self.source.get(self.at + 1).is_none_or(|&next| next == ']') {
                self.put_in_class(&first);
                continue;
            }
            self.at += 1;
            let Some(char) = self.next() else {
                break;
            };
            let second = self.class_atom(char)?;
            self.put_in_class(&first);
            match (&first, &second) {
                (Atom::Char(_), Atom::Char(_)) => self.out.push('-'),
                // With a set on one side the hyphen is text.
                _ => self.out.push_str("\\-"),
            }
            self.put_in_class(&second);
        }
        self.out.push(']');
        Ok(())
    }

    fn class_atom(&mut self, char: char) -> Result<Atom, String> {
        let computes =
            char == '[' || matches!((char, self.peek()), ('-', Some('-')) | ('&', Some('&')) | ('\\', Some('q')));
        match char {
            _ if self.sets && computes => Err("classes computed from others (flag v) are not supported".to_owned()),
            '\\' if self.take("b") => Ok(Atom::Char('\u{8}')),
            '\\' => self.escaped_atom(),
            char => Ok(Atom::Char(char)),
        }
    }

    fn put_in_class(&mut self, atom: &Atom) {
        match atom {
            Atom::Char(char) => self.literal(*char),
            Atom::Set(set) => self.out.push_str(set),
        }
    }
}

/// How many groups capture, and whether any has a name.
fn count_groups(source: &[char]) -> (u32, bool) {
    let (mut groups, mut has_names, mut in_class) = (0, false, false);
    let mut at = 0;
    while let Some(char) = source.get(at) {
        match char {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => match source.get(at + 1..).unwrap_or_default() {
                ['?', '<', next, ..] if !matches!(next, '=' | '!') => {
                    has_names = true;
                    groups += 1;
                }
                ['?', ..] => {}
                _ => groups += 1,
            },
            _ => {}
        }
        at += 1;
    }
    (groups, has_names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn expressions_mean_what_they_mean_in_javascript() {
        for (comment, source, flags, text, found) in [
            ("empty", "(?:)", "", "abc", Some("")),
            ("text", "b", "", "abc", Some("b")),
            ("an escaped slash", r"a\/b", "", "a/b", Some("a/b")),
            ("escaped text", r"\-\_\@\ \<\>", "", "-_@ <>", Some("-_@ <>")),
            ("characters that are special here only", "#&~<-", "", "#&~<-", Some("#&~<-")),
            ("i", "ERROR", "i", "an error", Some("error")),
            ("g and y", "b", "gy", "ab", Some("b")),
            ("names of groups", "(?<$é>a)b", "", "ab", Some("ab")),
            ("digits are ASCII", r"\d+", "u", "٣3", Some("3")),
            ("word characters are ASCII", r"\w+", "", "éa", Some("a")),
            ("word boundaries are ASCII", r"\ba", "", "éa", Some("a")),
            ("no word boundary", r"\Bb", "", "ab", Some("b")),
            ("white space", r"\s+", "", "a \u{a0}\u{feff}b", Some(" \u{a0}\u{feff}")),
            ("no white space is U+0085", r"\s", "", "\u{85}", None),
            ("a dot stops at a line separator", "a.*", "", "ab\u{2028}c", Some("ab")),
            ("a dot with s does not", "a.*", "s", "ab\u{2028}c", Some("ab\u{2028}c")),
            ("a dot is one character", "^.$", "u", "😀", Some("😀")),
            ("repetition", "a{2}b{1,}c{0,1}d+?", "", "aabbcdd", Some("aabbcd")),
            ("braces as text", "a{,5}{\"x\"}{", "", "a{,5}{\"x\"}{", Some("a{,5}{\"x\"}{")),
            ("braces around digits as text", r"\{1}", "", "a{1}", Some("{1}")),
            ("a repeated backslash", r"\\{2}", "", r"\\", Some(r"\\")),
            ("two commas are text", "a{1,2,3}", "", "a{1,2,3}", Some("a{1,2,3}")),
            ("a class with the flag v", "[a-c&]+", "v", "xb&", Some("b&")),
            ("brackets as text", "a]", "", "a]", Some("a]")),
            ("a class", "[a-c\\d\\]-]+", "", "xb2]-c", Some("b2]-c")),
            ("a class with what is special here only", "[[&&~~a-]+", "", "a[&~-", Some("a[&~-")),
            ("a hyphen beside a set", r"[\w-a]+", "", "x-a", Some("x-a")),
            ("nothing", "[]", "", "abc", None),
            ("anything", "[^]+", "", "a\r\u{2028}", Some("a\r\u{2028}")),
            ("a negated class", r"[^\s\d]+", "", "1 ab", Some("ab")),
            ("a backspace in a class", r"[\b]", "", "a\u{8}", Some("\u{8}")),
            ("codes", r"\x41\u0042\103\cJ\0", "", "ABC\n\0", Some("ABC\n\0")),
            ("codes of astral characters", r"\u{1F600}\ud83d\ude00", "u", "😀😀", Some("😀😀")),
            ("a code in braces needs u", r"\u{2}", "", "uu", Some("uu")),
            ("incomplete codes are text", r"\xZ\u12", "", "xZu12", Some("xZu12")),
            ("octal where there is no such group", r"(a)\2", "", "a\u{2}", Some("a\u{2}")),
            ("a property", r"\p{Lu}\P{L}", "u", "aÉ1", Some("É1")),
            ("a property needs u", r"\p{2}", "", "pp", Some("pp")),
            ("groups with flags", "(?i:A)(?s:.)(?-i:b)", "", "a\nb", Some("a\nb")),
            ("alternatives in order", "a|ab", "", "ab", Some("a")),
            ("the end", "b$", "", "ab", Some("b")),
            ("the end is no line end inside", "a$", "", "a\nb", None),
        ] {
            let regex = compile(source, flags).unwrap_or_else(|error| panic!("{comment}: {error}"));
            assert_eq!(regex.find(text).map(|found| found.as_str()), found, "{comment}");
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (source, flags, error) in [
            ("a(?=b)", "", "look-ahead (?=…) is not supported"),
            ("a(?!b)", "", "look-ahead (?!…) is not supported"),
            ("(?<=a)b", "", "look-behind (?<=…) is not supported"),
            ("(?<!a)b", "", "look-behind (?<!…) is not supported"),
            (r"(a)\1", "", r"the back-reference \1 is not supported"),
            (r"(?<n>a)\k<n>", "", r"the back-reference \k<…> is not supported"),
            (r"[\ud83c-\ud83e]", "", "a lone surrogate is not supported; use the flag u"),
            ("a", "x", "the flag x is not supported"),
            ("(a{1000}){1000}", "", "the expression is too large when compiled"),
            (r"\p{Nonsense}", "u", "not supported: Unicode property not found"),
            ("(?P<n>a)", "", "a group of this kind is not supported"),
            ("(", "", "not supported: unclosed group"),
            ("[[a-z]--[aeiou]]", "v", "classes computed from others (flag v) are not supported"),
            ("[a-z&&b]", "v", "classes computed from others (flag v) are not supported"),
        ] {
            assert_eq!(compile(source, flags).map(|_| ()), Err(error.to_owned()), "{source}");
        }
        assert!(compile(&"a".repeat(MAX_SOURCE + 1), "").is_err());
        assert!(compile(&"(".repeat(MAX_SOURCE), "").is_err());
    }

    proptest! {
        #[test]
        fn any_source_gets_an_answer_of_one_line(source in "[a-c(){}\\[\\]\\\\?*+.,|^$<>=!:0-9\\-upkbBxé]{0,30}", flags in "[imsuv]{0,2}") {
            if let Err(error) = compile(&source, &flags) {
                prop_assert_eq!(error.lines().count(), 1);
            }
        }

        #[test]
        fn text_stands_for_itself(text in "[a-c #&~<>@\\-é한😀\"'%]{1,20}") {
            let regex = compile(&text, "").unwrap();
            prop_assert_eq!(regex.find(&text).map(|found| found.range()), Some(0..text.len()));
        }
    }
}
