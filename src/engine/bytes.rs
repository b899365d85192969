//! What bytes are: encoding by BOM and content, type by magic number, hex dumps.

use std::borrow::Cow;
use std::fmt::Write;

use encoding_rs::{DecoderResult, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// How many bytes of the beginning decide whether bytes are text.
pub const SAMPLE: usize = 64 * 1024;

/// Decoding stops above this many chars: the decoded text is held in memory.
pub const MAX_DECODED: usize = 64 * 1024 * 1024;

/// How many bytes tell UTF-16 without a BOM from binary data.
const UTF16_SAMPLE: usize = 4096;

/// What a hex dump shows in one row.
pub const ROW: usize = 16;

/// Chars of one row of a hex dump, the line end included.
pub const ROW_CHARS: usize = 8 + 2 + 3 * ROW + 1 + ROW + 1;

const MAGIC: [(&str, &[u8]); 13] = [
    ("image/png", b"\x89PNG"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF8"),
    ("application/pdf", b"%PDF"),
    ("application/zip", b"PK\x03\x04"),
    ("application/gzip", b"\x1f\x8b"),
    ("application/x-elf", b"\x7fELF"),
    ("application/wasm", b"\0asm"),
    ("image/bmp", b"BM"),
    ("audio/ogg", b"OggS"),
    ("application/zstd", b"\x28\xb5\x2f\xfd"),
    ("application/x-7z-compressed", b"7z\xbc\xaf"),
    ("application/vnd.sqlite3", b"SQLite"),
];

/// Media type of bytes by magic number; `application/octet-stream` where none is known.
pub fn media_type(bytes: &[u8]) -> &'static str {
    if let Some((name, _)) = MAGIC.iter().find(|(_, magic)| bytes.starts_with(magic)) {
        return name;
    }
    // Containers say what they hold behind their own four bytes and a length.
    match (bytes.get(..4), bytes.get(4..8), bytes.get(8..12)) {
        (Some(b"RIFF"), _, Some(b"WEBP")) => "image/webp",
        (Some(b"RIFF"), _, Some(b"WAVE")) => "audio/wav",
        (_, Some(b"ftyp"), Some(_)) => "video/mp4",
        _ => "application/octet-stream",
    }
}

/// Bytes without an unfinished UTF-8 sequence at their end.
pub fn whole_utf8(bytes: &[u8]) -> &[u8] {
    for (before, &byte) in bytes.iter().rev().take(3).enumerate() {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        let present = before + 1;
        return if present < needed { &bytes[..bytes.len() - present] } else { bytes };
    }
    bytes
}

/// Whether bytes are UTF-8 text: valid as a whole, and their first [`SAMPLE`] bytes without the
/// control characters that text does not have.
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(SAMPLE)].iter().copied().any(is_binary) && simdutf8::basic::from_utf8(bytes).is_ok()
}

/// Control characters that no text has; BEL to CR and ESC do occur in it.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

/// The encoding that a WHATWG label names, in any case and with blanks around it.
pub fn charset(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).filter(|&encoding| encoding != REPLACEMENT && encoding != X_USER_DEFINED)
}

/// The WHATWG name of a charset label in lower case, as it stands in handles; `None` for an unknown label.
pub fn charset_name(label: &str) -> Option<String> {
    charset(label).map(name_of)
}

/// The name of an encoding in lower case.
pub fn name_of(encoding: &'static Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

/// Encoding of bytes that are text, by a sample of their beginning; `None` for binary and for no bytes.
///
/// A UTF-16 BOM decides first, then `label`, then the content: UTF-8, or UTF-16 by its zero bytes.
/// `complete` says that the sample is all there is, so that its end is no cut.
pub fn text_encoding(sample: &[u8], complete: bool, label: Option<&str>) -> Option<&'static Encoding> {
    match sample {
        [] => return None,
        [0xff, 0xfe, ..] => return Some(UTF_16LE),
        [0xfe, 0xff, ..] => return Some(UTF_16BE),
        _ => {}
    }
    if let Some(named) = label.and_then(charset) {
        return Some(named);
    }
    if is_text(if complete { sample } else { whole_utf8(sample) }) {
        return Some(UTF_8);
    }
    guess_utf16(&sample[..sample.len().min(UTF16_SAMPLE)])
}

/// UTF-16 of mostly Latin text has zeros at every other byte and nowhere else.
fn guess_utf16(sample: &[u8]) -> Option<&'static Encoding> {
    let (pairs, _) = sample.as_chunks::<2>();
    if pairs.len() < 2 {
        return None;
    }
    let even = pairs.iter().filter(|pair| pair[0] == 0).count();
    let odd = pairs.iter().filter(|pair| pair[1] == 0).count();
    let many = |zeros: usize| zeros * 4 > pairs.len();
    let guess = match (even, odd) {
        (0, odd) if many(odd) => UTF_16LE,
        (even, 0) if many(even) => UTF_16BE,
        _ => return None,
    };
    let decoded = decode(pairs.as_flattened(), guess)?;
    (!decoded.text.bytes().any(is_binary)).then_some(guess)
}

/// Text that was decoded from bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text; every malformed sequence is one U+FFFD.
    pub text: String,
    /// How many malformed sequences there were.
    pub invalid: usize,
}

/// Says of decoded text how much of it was malformed, as a part of a sentence; for the model.
pub fn malformed(invalid: usize) -> String {
    let plural = if invalid == 1 { "" } else { "s" };
    format!("{} invalid byte sequence{plural} shown as U+FFFD", crate::engine::text::grouped(invalid as u64))
}

/// Decodes bytes; `None` where the text would have more than [`MAX_DECODED`] chars.
/// A BOM of the encoding's own is dropped, except in UTF-8, whose text is stored and shown as it is.
pub fn decode(bytes: &[u8], encoding: &'static Encoding) -> Option<Decoded> {
    decode_up_to(MAX_DECODED, bytes, encoding)
}

/// Bytes of text that are decoded in one go.
const STEP: usize = 64 * 1024;

fn decode_up_to(most: usize, bytes: &[u8], encoding: &'static Encoding) -> Option<Decoded> {
    let mut decoder = if encoding == UTF_8 {
        encoding.new_decoder_without_bom_handling()
    } else {
        encoding.new_decoder_with_bom_removal()
    };
    let mut decoded = Decoded { text: String::new(), invalid: 0 };
    let mut rest = bytes;
    let mut chars = 0;
    // In steps, so that a text above the limit is found out before all of it is in memory. Not into the string itself: of
    // that the decoder touches all the room there is, each time that it stops at a malformed sequence.
    let mut piece = vec![0; STEP];
    loop {
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(rest, &mut piece, true);
        rest = &rest[read..];
        let counted = decoded.text.len();
        decoded.text.push_str(&String::from_utf8_lossy(&piece[..written]));
        if let DecoderResult::Malformed(..) = result {
            decoded.text.push('\u{FFFD}');
            decoded.invalid += 1;
        }
        chars += crate::engine::text::utf16_len(&decoded.text.as_bytes()[counted..]);
        if chars > most {
            return None;
        }
        if result == DecoderResult::InputEmpty {
            return Some(decoded);
        }
    }
}

/// Text of bytes as a model may see it: control characters as their pictures (C1 as U+FFFD), char
/// for char, so that every offset stays true. Line feeds, carriage returns and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    // C1 in UTF-8 begins with 0xc2; other characters that do are looked at in vain, which is rare enough.
    let suspicious = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t') || byte == 0x7f || byte == 0xc2;
    if !text.bytes().any(suspicious) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(picture).collect())
}

fn picture(char: char) -> char {
    match char {
        '\n' | '\r' | '\t' => char,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{FFFD}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{FFFD}',
        _ => char,
    }
}

/// A hex dump, [`ROW`] bytes a line, of bytes whose first is number `start`.
pub fn hex_dump(bytes: &[u8], start: u64) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(ROW) * ROW_CHARS);
    for (row, at) in bytes.chunks(ROW).zip((start..).step_by(ROW)) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{at:08x}  ");
        for byte in row {
            let _ = write!(out, "{byte:02x} ");
        }
        for _ in row.len()..ROW {
            out.push_str("   ");
        }
        out.push(' ');
        out.extend(row.iter().map(|&byte| if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' }));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::utf16_len;
    use encoding_rs::GBK;
    use proptest::prelude::*;

    fn utf16le(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn utf16be(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_be_bytes).collect()
    }

    #[test]
    fn finds_the_encoding_of_text() {
        let bom = |bytes: Vec<u8>, bom: [u8; 2]| [&bom[..], &bytes].concat();
        type Row = (&'static str, Vec<u8>, Option<&'static str>, Option<&'static Encoding>);
        let rows: Vec<Row> = vec![
            ("nothing", vec![], None, None),
            ("ascii", b"hello\n".to_vec(), None, Some(UTF_8)),
            ("escape sequences occur in text", b"\x1b[0m\x07\n".to_vec(), None, Some(UTF_8)),
            ("a zero does not", b"a\0b".to_vec(), None, None),
            ("delete does not", b"a\x7fb".to_vec(), None, None),
            ("utf-8", "한글".into(), None, Some(UTF_8)),
            ("invalid utf-8", vec![b'a', 0xff], None, None),
            ("BOM, little endian", bom(utf16le("a"), [0xff, 0xfe]), None, Some(UTF_16LE)),
            ("BOM, big endian", bom(utf16be("a"), [0xfe, 0xff]), None, Some(UTF_16BE)),
            ("a BOM beats the label", bom(utf16le("a"), [0xff, 0xfe]), Some("gbk"), Some(UTF_16LE)),
            ("no BOM, little endian", utf16le("hello world"), None, Some(UTF_16LE)),
            ("no BOM, big endian", utf16be("hello world"), None, Some(UTF_16BE)),
            ("UTF-16 of control characters", utf16le("a\0b\u{1}c"), None, None),
            ("label", vec![0xc4, 0xe3], Some(" GB2312 "), Some(GBK)),
            ("unknown label", vec![0xc4, 0xe3], Some("no-such"), None),
        ];
        for (comment, bytes, label, expected) in rows {
            assert_eq!(text_encoding(&bytes, true, label), expected, "{comment}");
        }
    }

    #[test]
    fn a_sample_may_end_inside_a_character() {
        let cut = &"한글".as_bytes()[..5];
        assert_eq!(text_encoding(cut, false, None), Some(UTF_8));
        assert_eq!(text_encoding(cut, true, None), None);
    }

    #[test]
    fn labels_have_whatwg_names() {
        let rows = [
            ("UTF8", Some("utf-8")),
            ("latin1", Some("windows-1252")),
            ("sjis", Some("shift_jis")),
            ("utf-16", Some("utf-16le")),
            ("utf-7", None),
            ("hz-gb-2312", None),
            ("x-user-defined", None),
            ("", None),
        ];
        for (label, name) in rows {
            assert_eq!(charset_name(label).as_deref(), name, "{label}");
        }
    }

    #[test]
    fn knows_types_by_magic_number() {
        let rows: [(&[u8], &str); 9] = [
            (b"", "application/octet-stream"),
            (b"\x89PNG\r\n", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"RIFF....WEBPVP8 ", "image/webp"),
            (b"RIFF....WAVEfmt ", "audio/wav"),
            (b"RIFF....AVI LIST", "application/octet-stream"),
            (b"....ftypisom", "video/mp4"),
            (b"....ftyp", "application/octet-stream"),
            (b"%PDF-1.7", "application/pdf"),
        ];
        for (bytes, name) in rows {
            assert_eq!(media_type(bytes), name, "{bytes:?}");
        }
    }

    #[test]
    fn unfinished_sequences_are_cut() {
        let rows: [(&[u8], usize); 9] = [
            (b"", 0),
            (b"a", 1),
            (b"a\xed", 1),
            (b"a\xed\x95", 1),
            (b"a\xed\x95\x9c", 4),
            (b"\xf0\x9f\x98", 0),
            (b"\xf0\x9f\x98\x80", 4),
            (b"\x80\x80\x80\x80", 4),
            (b"a\xc3", 1),
        ];
        for (bytes, kept) in rows {
            assert_eq!(whole_utf8(bytes).len(), kept, "{bytes:?}");
        }
    }

    #[test]
    fn decoding_counts_what_is_malformed() {
        let rows: [(&str, &[u8], &'static Encoding, &str, usize); 6] = [
            ("utf-8 keeps its BOM", b"\xef\xbb\xbfa", UTF_8, "\u{FEFF}a", 0),
            ("utf-16 loses it", b"\xff\xfea\0", UTF_16LE, "a", 0),
            ("invalid utf-8", b"a\xffb\xed\x95", UTF_8, "a\u{FFFD}b\u{FFFD}", 2),
            ("U+FFFD itself is valid", "\u{FFFD}".as_bytes(), UTF_8, "\u{FFFD}", 0),
            ("half a unit", b"a\0b", UTF_16LE, "a\u{FFFD}", 1),
            ("gbk", b"\xc4\xe3\xba\xc3", GBK, "你好", 0),
        ];
        for (comment, bytes, encoding, text, invalid) in rows {
            assert_eq!(decode(bytes, encoding), Some(Decoded { text: text.to_owned(), invalid }), "{comment}");
        }
    }

    #[test]
    fn decoding_in_steps_is_decoding_at_once() {
        let text = "a한😀\n".repeat(150_000);
        let decoded = decode(&utf16le(&text), UTF_16LE).unwrap();
        assert!(decoded.text == text && decoded.invalid == 0);
    }

    #[test]
    fn decoding_stops_above_the_limit() {
        assert!(decode_up_to(4, &utf16le("ab😀"), UTF_16LE).is_some());
        assert_eq!(decode_up_to(3, &utf16le("ab😀"), UTF_16LE), None);
        assert_eq!(decode_up_to(1, b"\xff\xff", UTF_8), None);
    }

    #[test]
    fn control_characters_become_pictures() {
        assert_eq!(visible("a\0\x1b[0m\x7f\u{85}\u{9b}é\t\r\n"), "a\u{2400}\u{241b}[0m\u{2421}\u{FFFD}\u{FFFD}é\t\r\n");
        assert!(matches!(visible("plain\r\n\ttext 한글"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_malformed_all_over_takes_no_longer_than_text() {
        // With a decoder that touches the whole of the text at each of them this takes hours.
        let bytes =
            [b"\xff\xdc".repeat(1 << 21), "é한😀".repeat(20_000).into_bytes(), b"\xe9\xed\x95".to_vec()].concat();
        let decoded = decode(&bytes, UTF_8).unwrap();
        assert!(decoded.text == String::from_utf8_lossy(&bytes) && decoded.invalid == (1 << 22) + 2);
        for label in ["gbk", "shift_jis", "utf-16le", "windows-1252"] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let (text, _) = encoding.decode_with_bom_removal(&bytes);
            assert!(decode(&bytes, encoding).unwrap().text == text, "{label}");
        }
    }

    #[test]
    fn dumps_rows_of_sixteen() {
        assert_eq!(
            hex_dump(b"0123456789abcdef\0\xff", 32),
            "00000020  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n\
             00000030  00 ff                                            ..\n"
        );
        assert_eq!(hex_dump(&[7; 16], 0).len(), ROW_CHARS);
        assert_eq!(hex_dump(&[], 0), "");
    }

    proptest! {
        #[test]
        fn visible_keeps_every_offset(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert_eq!(utf16_len(shown.as_bytes()), utf16_len(text.as_bytes()));
            prop_assert!(!shown.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t')));
        }

        #[test]
        fn nothing_here_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), complete: bool) {
            let encoding = text_encoding(&bytes, complete, None).unwrap_or(UTF_8);
            let decoded = decode(&bytes, encoding).unwrap();
            prop_assert_eq!(encoding == UTF_8 && decoded.invalid > 0, encoding == UTF_8 && std::str::from_utf8(&bytes).is_err());
            if encoding == UTF_8 {
                prop_assert_eq!(decoded.text, String::from_utf8_lossy(&bytes));
            }
            media_type(&bytes);
        }
    }
}
