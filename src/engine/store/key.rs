use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest, Sha256};

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Chars of a hash in a segment: 80 bits.
const HASH_CHARS: usize = 16;
/// Readable chars before the hash.
const READABLE_CHARS: usize = 16;
/// Longest id, in chars, that is its own segment.
const MAX_PLAIN: usize = 40;
/// How far into an id readable chars are looked for, in chars.
const LOOKED_AT: usize = 200;

/// Which part of a tool's result a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The value the tool returned.
    Value,
    /// What it returned for the model beside the value.
    Content,
    /// The structured content of an MCP result.
    Structured,
}

/// The ids under which the parts of one tool call are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    run: String,
    call: String,
    retry: u64,
}

impl Key {
    /// From the host's ids, in UTF-16 units; a call without an id of its own gets a random one.
    pub fn new(run: &[u16], call: Option<&[u16]>, retry: u64) -> Self {
        Self { run: segment(run), call: call.map_or_else(random_id, segment), retry }
    }

    /// The segment of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The key of a part that is text.
    pub fn text(&self, part: Part) -> String {
        format!("{self}{}", suffix(part))
    }

    /// The key of a part that is bytes. `charset`: the lower-case WHATWG name of their encoding, where one was given.
    pub fn bytes(&self, part: Part, charset: Option<&str>) -> String {
        let base = self.text(part);
        match charset {
            Some(charset) => format!("{base}.bin-{charset}"),
            None => format!("{base}.bin"),
        }
    }
}

impl fmt::Display for Key {
    /// `<run>/<tool call>.<retry>`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}.{}", self.run, self.call, self.retry)
    }
}

fn suffix(part: Part) -> &'static str {
    match part {
        Part::Value => "",
        Part::Content => ".content",
        Part::Structured => ".structured",
    }
}

/// What a handle says of what is stored under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Text, as UTF-8.
    Text,
    /// Bytes, and the encoding the caller gave for them.
    Bytes {
        /// The lower-case WHATWG name.
        charset: Option<String>,
    },
}

/// Whether a handle names text or bytes; `None` where it is not made from a [`Key`] (a custom store renamed it).
pub fn kind_of(handle: &str) -> Option<Kind> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\.[0-9]+(?:\.content|\.structured)?(?:\.(bin)(?:-([a-z0-9_.:-]+?))?)?(?:~[0-9]+)?$").ok()
    });
    let found = FORM.as_ref()?.captures(handle)?;
    Some(match found.get(1) {
        None => Kind::Text,
        Some(_) => Kind::Bytes { charset: found.get(2).map(|charset| charset.as_str().to_owned()) },
    })
}

/// A path segment for an id given as UTF-16 units: the id itself where it is 1–40 chars of `[a-z0-9_-]` and no device
/// name; else up to 16 such chars of it, `~`, and 80 bits of its SHA-256 in base32. Distinct ids have distinct segments.
pub fn segment(id: &[u16]) -> String {
    // Lone surrogates matter to the hash only, and that is made of the units.
    let beginning = String::from_utf16_lossy(&id[..id.len().min(LOOKED_AT)]);
    if id.len() <= MAX_PLAIN && is_safe_scope(&beginning) {
        return beginning;
    }
    let readable: String = beginning.to_lowercase().chars().filter(|&c| is_plain(c)).take(READABLE_CHARS).collect();
    let mut hash = Sha256::new();
    for unit in id {
        hash.update(unit.to_le_bytes());
    }
    format!("{readable}~{}", base32(&hash.finalize(), HASH_CHARS))
}

/// Whether an id can be a path segment as it is: what a store's `scope` has to be.
pub fn is_safe_scope(id: &str) -> bool {
    (1..=MAX_PLAIN).contains(&id.len()) && id.chars().all(is_plain) && !is_device(id)
}

/// An id nobody else has: 80 random bits in base32.
pub fn random_id() -> String {
    let mut bytes = [0; 10];
    if getrandom::fill(&mut bytes).is_err() {
        // No random source (a sandbox without the system call): hasher keys are the standard library's own randomness.
        use std::hash::{BuildHasher, RandomState};
        let (a, b) =
            (RandomState::new().hash_one(std::process::id()), RandomState::new().hash_one(std::time::Instant::now()));
        bytes[..8].copy_from_slice(&a.to_le_bytes());
        bytes[8..].copy_from_slice(&b.to_le_bytes()[..2]);
    }
    base32(&bytes, 16)
}

fn is_plain(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '-')
}

/// Names that Windows keeps for devices, in lower case.
pub(crate) fn is_device(name: &str) -> bool {
    match name {
        "con" | "prn" | "aux" | "nul" | "conin" | "conout" => true,
        _ => match name.strip_prefix("com").or_else(|| name.strip_prefix("lpt")) {
            Some(number) => matches!(number.as_bytes(), [b'0'..=b'9']),
            None => false,
        },
    }
}

/// The first `chars` base32 digits of bytes; bits that do not fill a digit are left out.
fn base32(bytes: &[u8], chars: usize) -> String {
    let mut out = String::with_capacity(chars);
    let (mut held, mut bits) = (0_u32, 0);
    for &byte in bytes {
        held = (held << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            if out.len() == chars {
                return out;
            }
            bits -= 5;
            out.push(BASE32[(held >> bits & 31) as usize].into());
        }
        held &= (1 << bits) - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn of(id: &str) -> String {
        segment(&id.encode_utf16().collect::<Vec<_>>())
    }

    fn bytes(charset: Option<&str>) -> Option<Kind> {
        Some(Kind::Bytes { charset: charset.map(str::to_owned) })
    }

    #[test]
    fn kinds_are_told_from_the_handle() {
        let cases = [
            ("text", "r/c.0", Some(Kind::Text)),
            ("text, second version", "r/c.0~2", Some(Kind::Text)),
            ("text content", "r/c.12.content", Some(Kind::Text)),
            ("text structured", "r/c.0.structured~3", Some(Kind::Text)),
            ("bytes", "r/c.0.bin", bytes(None)),
            ("bytes, second version", "r/c.0.bin~2", bytes(None)),
            ("bytes with charset", "r/c.0.content.bin-windows-1252", bytes(Some("windows-1252"))),
            ("charset and version", "r/c.0.bin-utf-16le~10", bytes(Some("utf-16le"))),
            ("charset that looks like a key", "r/c.0.bin-x.1", bytes(Some("x.1"))),
            ("no retry", "r/c", None),
            ("another store's", "blob://x", None),
            ("unknown suffix", "r/c.0.txt", None),
            ("line feed after it", "r/c.0\n", None),
            ("empty", "", None),
        ];
        for (comment, handle, kind) in cases {
            assert_eq!(kind_of(handle), kind, "{comment}");
        }
    }

    #[test]
    fn keys_are_put_together() {
        let run: Vec<u16> = "run".encode_utf16().collect();
        let call: Vec<u16> = "call_1".encode_utf16().collect();
        let key = Key::new(&run, Some(&call), 2);
        assert_eq!(key.text(Part::Value), "run/call_1.2");
        assert_eq!(key.text(Part::Content), "run/call_1.2.content");
        assert_eq!(key.bytes(Part::Structured, None), "run/call_1.2.structured.bin");
        assert_eq!(key.bytes(Part::Value, Some("gbk")), "run/call_1.2.bin-gbk");
        assert_ne!(Key::new(&run, None, 0), Key::new(&run, None, 0), "a missing id is random");
    }

    #[test]
    fn ids_become_segments() {
        let cases = [
            ("safe", "a", "a"),
            ("leading hyphen", "-rf", "-rf"),
            ("longest that is kept", &"a".repeat(40), &"a".repeat(40)),
            ("one more", &"a".repeat(41), "aaaaaaaaaaaaaaaa~ctra5etw2za6lpop"),
            ("empty", "", "~4oymiquy7qobjgx3"),
            ("capitals", "A/B", "ab~5cp4r2maqnzsm4uk"),
            ("slash", "a/b", "ab~nx345ysmoyt4qul4"),
            ("colon", "a:b", "ab~xlqarrtdedsdtwhg"),
            ("space", "a b", "ab~q6d4zhp5aillvb3e"),
            ("composed", "\u{e9}", "~mpr4qb7zh5tjujrf"),
            ("decomposed", "e\u{301}", "e~bwxxss2bdof44zvt"),
            ("traversal", "../../etc/passwd", "etcpasswd~qm52jkukqaydcpd6"),
            ("drive", "C:\\x", "cx~5o37s5bvc65vhw6b"),
            ("device", "nul", "nul~to6cbmbn5ar7zslv"),
            ("device in capitals", "CON", "con~acbrx6n3xdrnq3g6"),
            ("numbered device", "com1", "com1~45ez4fmengwltxf5"),
            ("no device", "com10", "com10"),
            ("final dot", "a.", "a~qi2njynnt4cnrsgd"),
            ("NUL", "a\0b", "ab~2bwbhwagqnvlgai3"),
            ("dots", "..", "~y7iqz2x3bf2asila"),
            ("255 × Hangul", &"가".repeat(255), "~fm34mv6hi4xkyru5"),
            ("line feed at the end", "a\n", "a~si7tlbyzwgzkm3kn"),
            ("chars whose lower case is ASCII", "\u{212a}elvin \u{130}stanbul", "kelvinistanbul~kfbxk5sfpthagwky"),
            ("a pair across the part looked at", &("x".repeat(199) + "😀b"), "xxxxxxxxxxxxxxxx~dwkrqzsj73lv6kke"),
            ("letters after the readable part", "run:ABC-def_123.456", "runabc-def_12345~36nzt4hmhktqlzy5"),
        ];
        for (comment, id, expected) in cases {
            assert_eq!(of(id), expected, "{comment}");
        }
        assert_eq!(segment(&[0xd83d]), "~zfqpbhh6oxu2k34x", "a lone surrogate");
        assert_eq!(segment(&[0xde00, 0x61]), "a~qnjgjmid3sv5aijb", "a lone second half");
    }

    #[test]
    fn random_ids_are_safe_segments_and_differ() {
        let ids: HashSet<String> = (0..1_000).map(|_| random_id()).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 16 && is_safe_scope(id)));
    }

    proptest! {
        #[test]
        fn a_segment_is_safe_short_and_injective(
            a in prop::collection::vec(prop_oneof![0x20_u16..0x7f, any::<u16>()], 0..60),
            b in prop::collection::vec(prop_oneof![0x20_u16..0x7f, any::<u16>()], 0..60),
        ) {
            let (x, y) = (segment(&a), segment(&b));
            prop_assert_eq!(a == b, x == y);
            prop_assert!(x.len() <= 40 && !x.is_empty());
            prop_assert!(x.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'~')));
            let longest = format!("{x}.18446744073709551615.structured.bin-x-mac-cyrillic~99999");
            prop_assert!(super::super::handle::is_segment(&longest));
        }

        #[test]
        fn what_a_key_says_is_read_back(run in ".{0,20}", call in ".{0,20}", retry in any::<u64>(), version in 1_u32..9) {
            let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            let key = Key::new(&units(&run), Some(&units(&call)), retry);
            for part in [Part::Value, Part::Content, Part::Structured] {
                for (handle, kind) in [(key.text(part), Some(Kind::Text)), (key.bytes(part, None), bytes(None)), (key.bytes(part, Some("euc-kr")), bytes(Some("euc-kr")))] {
                    let names = super::super::handle::Names::of(&handle).unwrap();
                    prop_assert_eq!(kind_of(&format!("{}/{}", names.run, names.version(version))), kind);
                }
            }
        }
    }
}
