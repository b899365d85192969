/// Longest handle that is looked at, in bytes.
const MAX_HANDLE: usize = 400;
/// Longest segment of a handle, in bytes, below the 255 of most file systems.
const MAX_SEGMENT: usize = 200;

/// Longest `~n`, in bytes.
const MAX_VERSION: usize = "~99999".len();

/// The two segments of a handle or key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Names<'a> {
    /// The run: a directory.
    pub run: &'a str,
    /// The stored part: a file.
    pub name: &'a str,
}

impl<'a> Names<'a> {
    /// Splits a handle; `None` where it cannot be one of a store's own: absolute, `..`, NUL, empty or hidden
    /// segments, capitals.
    pub fn of(handle: &'a str) -> Option<Self> {
        if handle.len() > MAX_HANDLE {
            return None;
        }
        let (run, name) = handle.split_once('/')?;
        (is_segment(run) && is_segment(name)).then_some(Self { run, name })
    }

    /// Splits a key: a handle that stays one with `~n` behind it.
    pub fn of_key(key: &'a str) -> Option<Self> {
        let fits =
            |names: &Self| names.name.len() + MAX_VERSION <= MAX_SEGMENT && key.len() + MAX_VERSION <= MAX_HANDLE;
        Self::of(key).filter(fits)
    }

    /// The name of the nth result stored under this key; the first has none of `~n`.
    pub fn version(&self, n: u32) -> String {
        if n == 1 { self.name.to_owned() } else { format!("{}~{n}", self.name) }
    }
}

/// Whether a name may be a segment of a handle.
pub(crate) fn is_segment(name: &str) -> bool {
    let [first, rest @ ..] = name.as_bytes() else {
        return false;
    };
    if name.len() > MAX_SEGMENT || !is_plain(*first) || !rest.iter().all(|&b| is_plain(b) || b == b'.' || b == b':') {
        return false;
    }
    // Where a colon begins a stream, and a final dot vanishes, two handles could mean one file.
    !cfg!(windows)
        || !(name.contains(':') || name.ends_with('.') || super::key::is_device(name.split('.').next().unwrap_or(name)))
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'~' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_plain_segments_are_a_handle() {
        let long = "x".repeat(MAX_SEGMENT);
        let longer = "x".repeat(MAX_SEGMENT + 1);
        let cases = [
            ("a key", "run/call.0".to_owned(), true),
            ("with a version", "run/call.0.bin-utf-8~12".to_owned(), true),
            ("a leading hyphen", "-rf/-rf.0".to_owned(), true),
            ("longest segment", format!("{long}/a"), true),
            ("too long a run", format!("{longer}/a"), false),
            ("too long a name", format!("a/{longer}"), false),
            ("too long in all", format!("{longer}/{longer}"), false),
            ("empty", String::new(), false),
            ("one segment", "run".to_owned(), false),
            ("three segments", "a/b/c".to_owned(), false),
            ("empty run", "/a".to_owned(), false),
            ("empty name", "a/".to_owned(), false),
            ("absolute", "/etc/passwd".to_owned(), false),
            ("dot", "./a".to_owned(), false),
            ("dots", "../a".to_owned(), false),
            ("dots as name", "a/..".to_owned(), false),
            ("hidden", "a/.b".to_owned(), false),
            ("temporary", "a/.tmp-1".to_owned(), false),
            ("scope", ".scope-x/a".to_owned(), false),
            ("NUL", "a/b\0".to_owned(), false),
            ("line feed", "a/b\n".to_owned(), false),
            ("capital", "A/b".to_owned(), false),
            ("backslash", "a\\b/c".to_owned(), false),
            ("not ASCII", "é/a".to_owned(), false),
            ("percent", "a/%2e%2e".to_owned(), false),
        ];
        for (comment, handle, is_handle) in cases {
            assert_eq!(Names::of(&handle).is_some(), is_handle, "{comment}");
        }
    }

    #[test]
    fn versions_after_the_first_are_numbered() {
        let names = Names::of("r/c.0").unwrap();
        assert_eq!([names.version(1), names.version(2), names.version(17)], ["c.0", "c.0~2", "c.0~17"]);
    }
}
