//! Text as a terminal would show it when everything has been printed: progress bars leave their last
//! state, and lines that repeat are counted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

use super::ansi::{control_sequence, is_introducer, next_sequence, sequence_end};
use super::lines::without_cr;
use super::{grouped, strip_ansi};

const BACKSPACE: u8 = 0x08;
/// How far one sequence moves the cursor at most; no terminal is as wide.
const MAX_COLUMNS: usize = 100_000;
/// How many blanks moves of the cursor may make in a text, beside as many as it has bytes: without
/// a limit every ten bytes could make 100,000 chars. Later gaps are narrower than they should be.
const MAX_BLANKS: usize = 16 << 20;

/// Renders carriage returns, backspaces, erase-line and moves inside a line, removes all other
/// control sequences, and collapses three or more equal lines in a row into one and their exact
/// number. Line ends stay as they are. In text without any LF the CR stay too, for they may be the line
/// ends of a classic Mac file.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let mut screen = Screen { blanks: text.len().saturating_add(MAX_BLANKS) };
    let Some(last_end) = memrchr(b'\n', text.as_bytes()) else {
        return screen.show_between_returns(text);
    };
    let mut out = Changes { text, made: String::new(), copied: 0 };
    let mut run: Option<Run<'_>> = None;
    let mut at = 0;
    for line in text[..=last_end].split_inclusive('\n') {
        let shown = screen.show_line(line);
        let bytes = at..at + line.len();
        at = bytes.end;
        match &mut run {
            Some(run) if run.shown == shown => run.add(bytes.end, matches!(shown, Cow::Borrowed(_))),
            _ => {
                if let Some(ended) = run.replace(Run::of(bytes, shown)) {
                    out.take(&ended);
                }
            }
        }
    }
    if let Some(ended) = run {
        out.take(&ended);
    }
    // What follows the last line end is not finished, so that it is not counted among its likes.
    if let Cow::Owned(shown) = screen.show(&text[at..]) {
        out.replace(at..text.len(), &[&shown]);
    }
    out.finish()
}

/// What the model sees below a line that came more than twice in a row.
fn repeated(times: u64) -> String {
    format!("[the line above {} times]\n", grouped(times))
}

/// Equal lines in a row.
struct Run<'a> {
    /// Where they came from.
    bytes: Range<usize>,
    /// What each of them shows, with its line end.
    shown: Cow<'a, str>,
    times: u64,
    /// Whether all of them show what they are.
    is_verbatim: bool,
}

impl<'a> Run<'a> {
    fn of(bytes: Range<usize>, shown: Cow<'a, str>) -> Self {
        Self { bytes, is_verbatim: matches!(shown, Cow::Borrowed(_)), shown, times: 1 }
    }

    fn add(&mut self, end: usize, is_verbatim: bool) {
        self.bytes.end = end;
        self.times += 1;
        self.is_verbatim &= is_verbatim;
    }
}

/// A text with changes. What stays the same is copied in long pieces, or not at all.
struct Changes<'a> {
    text: &'a str,
    made: String,
    /// The part of the text that `made` stands for.
    copied: usize,
}

impl<'a> Changes<'a> {
    fn take(&mut self, run: &Run<'_>) {
        match run.times {
            1 | 2 if run.is_verbatim => {}
            1 => self.replace(run.bytes.clone(), &[&run.shown]),
            2 => self.replace(run.bytes.clone(), &[&run.shown, &run.shown]),
            times => self.replace(run.bytes.clone(), &[&run.shown, &repeated(times)]),
        }
    }

    fn replace(&mut self, bytes: Range<usize>, with: &[&str]) {
        self.made.push_str(&self.text[self.copied..bytes.start]);
        self.made.extend(with.iter().copied());
        self.copied = bytes.end;
    }

    fn finish(mut self) -> Cow<'a, str> {
        if self.copied == 0 {
            return Cow::Borrowed(self.text);
        }
        self.made.push_str(&self.text[self.copied..]);
        Cow::Owned(self.made)
    }
}

/// Shows the lines of one text.
struct Screen {
    /// Blanks that may still be made.
    blanks: usize,
}

impl Screen {
    /// A line with its line end, as it is shown; borrowed where it shows what it is.
    fn show_line<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let content = without_cr(line.strip_suffix('\n').unwrap_or(line));
        match self.show(content) {
            Cow::Borrowed(_) => Cow::Borrowed(line),
            Cow::Owned(mut shown) => {
                shown.push_str(&line[content.len()..]);
                Cow::Owned(shown)
            }
        }
    }

    /// Text whose carriage returns stay, as what is between them is shown.
    fn show_between_returns<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let bytes = text.as_bytes();
        if memchr(BACKSPACE, bytes).is_none() && !has_moves(text) {
            return strip_ansi(text);
        }
        let mut shown = String::new();
        let (mut from, mut at) = (0, 0);
        while at < bytes.len() {
            let control = next_control(bytes, at);
            at = match bytes.get(control) {
                None => control,
                Some(b'\r') => {
                    shown.push_str(&self.show(&text[from..control]));
                    shown.push('\r');
                    from = control + 1;
                    from
                }
                Some(&BACKSPACE) => control + 1,
                Some(_) => sequence_end(bytes, control),
            };
        }
        shown.push_str(&self.show(&text[from..]));
        Cow::Owned(shown)
    }

    /// A line without its line end, as it is shown; borrowed where it shows what it is.
    fn show<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let bytes = line.as_bytes();
        if memchr2(b'\r', BACKSPACE, bytes).is_none() && !has_moves(line) {
            return strip_ansi(line);
        }
        let mut cells = Cells::default();
        let mut at = 0;
        while at < bytes.len() {
            let control = next_control(bytes, at);
            cells.write(&line[at..control]);
            at = match bytes.get(control) {
                None => control,
                Some(b'\r') => {
                    cells.column = 0;
                    control + 1
                }
                Some(&BACKSPACE) => {
                    cells.column = cells.column.saturating_sub(1);
                    control + 1
                }
                Some(_) => {
                    let end = sequence_end(bytes, control);
                    if let Some(action) = action_of(&line[control..end]) {
                        cells.act(action);
                    }
                    end
                }
            };
        }
        Cow::Owned(cells.show(&mut self.blanks))
    }
}

/// The next character that is not written but done, or the end.
fn next_control(bytes: &[u8], from: usize) -> usize {
    (from..bytes.len())
        .find(|&at| matches!(bytes[at], b'\r' | BACKSPACE) || is_introducer(bytes, at))
        .unwrap_or(bytes.len())
}

fn has_moves(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut from = 0;
    while let Some(at) = next_sequence(bytes, from) {
        from = sequence_end(bytes, at);
        if action_of(&line[at..from]).is_some() {
            return true;
        }
    }
    false
}

/// What a control sequence does inside a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    EraseToEnd,
    EraseToStart,
    EraseLine,
    ToColumn(usize),
    Left(usize),
    Right(usize),
}

fn action_of(sequence: &str) -> Option<Action> {
    let (parameters, name) = control_sequence(sequence)?;
    let first = parameters.split(';').next().unwrap_or_default();
    if !first.bytes().all(|byte| byte.is_ascii_digit()) {
        return None; // private
    }
    let number = |default| {
        if first.is_empty() { default } else { first.parse().unwrap_or(usize::MAX) }
    };
    match (name, number(usize::from(name != b'K'))) {
        (b'K', 0) => Some(Action::EraseToEnd),
        (b'K', 1) => Some(Action::EraseToStart),
        (b'K', 2) => Some(Action::EraseLine),
        (b'G', column) => Some(Action::ToColumn(column.min(MAX_COLUMNS).saturating_sub(1))),
        (b'D', columns) => Some(Action::Left(columns)),
        (b'C', columns) => Some(Action::Right(columns.min(MAX_COLUMNS))),
        _ => None,
    }
}

/// A line as it is drawn. A cell is a character.
///
/// It is kept in spans of the text by the column where they begin, without gaps up to `width`: the
/// work for a write grows with what it covers, however far the cursor jumps, and blanks cost nothing.
#[derive(Default)]
struct Cells<'a> {
    spans: BTreeMap<usize, Span<'a>>,
    width: usize,
    /// Where the next character goes; may lie past `width`.
    column: usize,
}

#[derive(Clone, Copy)]
enum Span<'a> {
    Text { text: &'a str, cells: usize },
    Blank { cells: usize },
}

impl<'a> Cells<'a> {
    fn write(&mut self, text: &'a str) {
        if text.is_empty() {
            return;
        }
        let cells = text.chars().count();
        if self.column > self.width {
            self.spans.insert(self.width, Span::Blank { cells: self.column - self.width });
            self.width = self.column;
        }
        let end = self.column + cells;
        // A progress bar writes over all of itself, again and again: its only span is replaced.
        if self.spans.len() > 1 || self.column > 0 || cells < self.width {
            self.clear(self.column..end);
        }
        self.spans.insert(self.column, Span::Text { text, cells });
        self.width = self.width.max(end);
        self.column = end;
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::EraseToEnd => {
                self.clear(self.column..self.width);
                self.width = self.width.min(self.column);
            }
            Action::EraseToStart => {
                let cells = self.width.min(self.column.saturating_add(1));
                if cells > 0 {
                    self.clear(0..cells);
                    self.spans.insert(0, Span::Blank { cells });
                }
            }
            Action::EraseLine => {
                self.spans.clear();
                self.width = 0;
            }
            Action::ToColumn(column) => self.column = column,
            Action::Left(columns) => self.column = self.column.saturating_sub(columns),
            Action::Right(columns) => self.column = self.column.saturating_add(columns),
        }
    }

    /// Takes out what is in a range of columns, and leaves a hole.
    fn clear(&mut self, columns: Range<usize>) {
        if columns.start >= self.width || columns.is_empty() {
            return;
        }
        self.split(columns.start);
        self.split(columns.end);
        while let Some((&column, _)) = self.spans.range(columns.clone()).next() {
            self.spans.remove(&column);
        }
    }

    /// Makes a span begin at a column, where one lies across it.
    fn split(&mut self, column: usize) {
        let Some((&start, &span)) = self.spans.range(..column).next_back() else {
            return;
        };
        if let Some((left, right)) = span.split(column - start) {
            self.spans.insert(start, left);
            self.spans.insert(column, right);
        }
    }

    fn show(&self, blanks: &mut usize) -> String {
        let mut line = String::new();
        for span in self.spans.values() {
            match *span {
                Span::Text { text, .. } => line.push_str(text),
                Span::Blank { cells } => {
                    let cells = cells.min(*blanks);
                    *blanks -= cells;
                    line.extend(std::iter::repeat_n(' ', cells));
                }
            }
        }
        line
    }
}

impl Span<'_> {
    /// The two parts around a cell, where both have any.
    fn split(self, cell: usize) -> Option<(Self, Self)> {
        match self {
            Self::Blank { cells } => {
                let rest = cells.checked_sub(cell).filter(|&rest| rest > 0)?;
                Some((Self::Blank { cells: cell }, Self::Blank { cells: rest }))
            }
            Self::Text { text, cells } => {
                let rest = cells.checked_sub(cell).filter(|&rest| rest > 0)?;
                let byte = if cells == text.len() {
                    cell
                } else if cell <= rest {
                    text.char_indices().nth(cell)?.0
                } else {
                    text.char_indices().nth_back(rest - 1)?.0
                };
                let (left, right) = text.split_at_checked(byte)?;
                Some((Self::Text { text: left, cells: cell }, Self::Text { text: right, cells: rest }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn lines_show_what_a_terminal_shows() {
        for (comment, text, shown) in [
            ("empty", "", ""),
            ("plain", "a\nb", "a\nb"),
            ("CRLF stays", "a\r\nb\r\n", "a\r\nb\r\n"),
            ("classic Mac", "a\rb\r", "a\rb\r"),
            ("classic Mac with colours", "\x1b[31ma\x1b[m\rb\r", "a\rb\r"),
            ("colours", "\x1b[31mred\x1b[0m\n", "red\n"),
            ("backspaces", "ab\x08\x08cd\n", "cd\n"),
            ("backspace at the start", "\x08\x08a\n", "a\n"),
            ("a shorter text over a longer", "longer\rab\n", "abnger\n"),
            ("CR before CRLF", "abc\rx\r\r\n", "xbc\r\n"),
            ("CR at the very end", "a\nabc\r", "a\nabc"),
            ("erase to the end", "abcdef\r\x1b[Kx\n", "x\n"),
            ("erase to the end by number", "abcdef\x1b[3D\x1b[0Kx\n", "abcx\n"),
            ("erase to the start", "abcdef\x1b[4D\x1b[1Kx\n", "  xdef\n"),
            ("erase the line", "abc\x1b[2Kx\n", "   x\n"),
            ("a column", "abcdef\x1b[2Gx\n", "axcdef\n"),
            ("column 0 is the first", "abc\x1b[0Gx\n", "xbc\n"),
            ("to the right", "a\x1b[3Cb\n", "a   b\n"),
            ("no blanks are made at the end", "a\x1b[3C\n", "a\n"),
            ("8-bit sequences", "abc\u{9b}2D\u{9b}Kx\n", "ax\n"),
            ("moves without a number are by one", "abc\x1b[Dx\x1b[Cy\n", "abx y\n"),
            ("private sequences do nothing", "abc\x1b[?2K\x1b[?25l\rx\n", "xbc\n"),
            ("a huge number", "abc\x1b[99999999999999999999Dx\n", "xbc\n"),
            ("a title is no text", "\x1b]0;ti\rtle\x07abc\rx\n", "xbc\n"),
            ("an 8-bit control takes no cell", "a\u{84}b\rxy\n", "xy\n"),
            ("wide characters are one cell", "한글😀\r中x\n", "中x😀\n"),
            ("the last line is rendered too", "a\nabc\rx", "a\nxbc"),
            ("a text without a line end", "ab\x08\x08cd", "cd"),
            ("a spinner without a line end", "a build\x1b[1G\x1b[2Ka build\x1b[1G\x1b[2K", ""),
            ("a classic Mac file with moves", "ab\x08c\r\x1b]0;ti\rtle\x07xy\x1b[1Gz\r", "ac\rzy\r"),
        ] {
            assert_eq!(terminal(text), shown, "{comment}");
        }
    }

    #[test]
    fn equal_lines_are_counted() {
        for (comment, text, shown) in [
            ("twice", "a\na\n", "a\na\n"),
            ("three times", "a\na\na\nb\n", "a\n[the line above 3 times]\nb\n"),
            ("empty lines", "\n\n\n", "\n[the line above 3 times]\n"),
            ("an unfinished line is not counted", "a\na\na", "a\na\na"),
            ("equal after rendering", "a\nx\ra\n\x1b[1ma\nb", "a\n[the line above 3 times]\nb"),
            ("twice after rendering", "a\nx\ra\nb", "a\na\nb"),
            ("with other line ends they differ", "a\na\r\na\n", "a\na\r\na\n"),
            ("CRLF", "a\r\na\r\na\r\n", "a\r\n[the line above 3 times]\n"),
            ("two runs", "a\na\na\nb\nb\nb\n", "a\n[the line above 3 times]\nb\n[the line above 3 times]\n"),
        ] {
            assert_eq!(terminal(text), shown, "{comment}");
        }
        assert_eq!(terminal(&"WARN retry\n".repeat(10_000)), "WARN retry\n[the line above 10,000 times]\n");
    }

    #[test]
    fn progress_leaves_its_last_state() {
        let percent: String = (0..5_000).map(|done| format!("\r{done}%")).collect();
        assert_eq!(terminal(&format!("{percent}\r\ndone")), "4999%\r\ndone");
        assert_eq!(terminal(&("⠋ build\x1b[1G\x1b[2K".repeat(1_000) + "\n")), "\n");
    }

    #[test]
    fn unchanged_text_is_not_copied() {
        assert!(matches!(terminal("a\r\nb\nb\n\nc"), Cow::Borrowed(_)));
    }

    #[test]
    fn far_moves_make_no_huge_text() {
        let text: String = (0..1_000).map(|line| format!("\x1b[100000G{line}\n")).collect();
        let shown = terminal(&text);
        assert!(shown.len() <= 2 * text.len() + MAX_BLANKS);
        assert!(shown.starts_with(&(" ".repeat(99_999) + "0\n")) && shown.ends_with("\n999\n"));
    }

    #[test]
    fn erasing_far_and_often_is_cheap() {
        let line = "a\rx\x1b[99999C\x1b[1K\x1b[99999Gy\r\x1b[K".repeat(5_000) + "done\n";
        assert_eq!(terminal(&line), "done\n");
    }

    /// The same, cell by cell.
    fn naive(line: &str) -> String {
        let (mut cells, mut column, mut at) = (Vec::new(), 0_usize, 0);
        while at < line.len() {
            let rest = &line[at..];
            let first = rest.chars().next().unwrap();
            let end = if is_introducer(line.as_bytes(), at) {
                sequence_end(line.as_bytes(), at)
            } else {
                at + first.len_utf8()
            };
            match (first, action_of(&line[at..end])) {
                ('\r', _) => column = 0,
                ('\x08', _) => column = column.saturating_sub(1),
                (_, Some(Action::EraseToEnd)) => cells.truncate(column),
                (_, Some(Action::EraseToStart)) => cells.iter_mut().take(column + 1).for_each(|cell| *cell = ' '),
                (_, Some(Action::EraseLine)) => cells.clear(),
                (_, Some(Action::ToColumn(to))) => column = to,
                (_, Some(Action::Left(by))) => column = column.saturating_sub(by),
                (_, Some(Action::Right(by))) => column += by,
                _ if is_introducer(line.as_bytes(), at) => {}
                (char, None) => {
                    if cells.len() <= column {
                        cells.resize(column + 1, ' ');
                    }
                    cells[column] = char;
                    column += 1;
                }
            }
            at = end;
        }
        cells.into_iter().collect()
    }

    proptest! {
        #[test]
        fn spans_show_what_cells_show(parts in proptest::collection::vec(proptest::sample::select(vec![
            "a", "bcd", "é한", "😀x", "\r", "\x08", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[3G", "\x1b[2D", "\x1b[4C", "\x1b[m", "\u{9b}7G", "\u{90}z\u{9c}",
        ]), 0..30)) {
            let line = parts.concat();
            let shown = terminal(&format!("{line}\n")).into_owned();
            // A CR at the end belongs to the line end.
            let (line, end) = line.strip_suffix('\r').map_or((&line[..], "\n"), |line| (line, "\r\n"));
            prop_assert_eq!(shown, naive(line) + end);
        }

        #[test]
        fn any_text_is_taken(text in "[\\PC\\n\\r\u{8}\u{1b}\u{9b}\\[0-9GKCD]{0,60}") {
            let shown = terminal(&(text + "\n")).into_owned();
            prop_assert_eq!(shown.find(['\x1b', '\x08']), None);
        }
    }
}
