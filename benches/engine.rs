//! The loops that see every byte of a result, each alone: `cargo bench --no-default-features`.
//!
//! What a user waits for is measured by `npm run bench`; this shows where it goes.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use tool_output_limits::engine::json::{indented, json_lines, sketch, truncate_valid};
use tool_output_limits::engine::read::{Arguments, Caps, Index, MemorySource, read};
use tool_output_limits::engine::store::Kind;
use tool_output_limits::engine::text::{
    Gone, LineMatcher, Text, Utf8, count_lines, estimate_tokens, highlight_rows, strip_ansi, utf16_len,
};

const SIZE: usize = 4 << 20;

fn main() {
    divan::main();
}

/// A piece, again and again up to `SIZE` bytes.
fn filled(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

fn log() -> String {
    filled("2026-01-01T00:00:00Z INFO worker-7 request 1234567 took 12 ms and gave 200\n")
}

fn hangul() -> String {
    filled("요청을 처리하는 데 오래 걸렸습니다. 다시 시도합니다.\n")
}

fn coloured() -> String {
    filled("\u{1b}[32m✓\u{1b}[39m built \u{1b}[1mmodule\u{1b}[22m in \u{1b}[33m12 ms\u{1b}[39m\n")
}

/// Compact, as `JSON.stringify` gives it.
fn rows() -> String {
    let row = r#"{"id":1234567,"name":"a name of some length","tags":["one","two"],"price":12.5,"note":null}"#;
    format!("[{}{row}]", filled(&format!("{row},")))
}

fn bench_text<T>(bencher: Bencher, text: &str, work: impl Fn(&str) -> T + Sync) {
    bencher.counter(BytesCount::of_str(text)).bench(|| work(black_box(text)));
}

#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul)].map(Named))]
fn chars(bencher: Bencher, text: &Named) {
    bench_text(bencher, &text.make(), |text| utf16_len(text.as_bytes()));
}

#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul)].map(Named))]
fn utf8_of_utf16(bencher: Bencher, text: &Named) {
    let text = text.make();
    let units = Text::from_units(text.encode_utf16().collect());
    bench_text(bencher, &text, |_| {
        units.each_utf8::<Gone>(|piece| {
            black_box(piece);
            Ok(())
        })
    });
}

/// What is stored, what the envelope counts, and the index of lines: all of a spill but the store.
#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul)].map(Named))]
fn index(bencher: Bencher, text: &Named) {
    bench_text(bencher, &text.make(), |text| {
        let mut index = Index::new();
        index.add(text.as_bytes());
        index
    });
}

#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul)].map(Named))]
fn highlights(bencher: Bencher, text: &Named) {
    let errors = LineMatcher::errors();
    let text = Utf8::from(text.make());
    let all = 0..text.len();
    bench_text(bencher, text.as_str(), |_| highlight_rows(&text, &errors, &all, 1_000).len());
}

#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul)].map(Named))]
fn lines(bencher: Bencher, text: &Named) {
    bench_text(bencher, &text.make(), count_lines);
}

#[divan::bench(args = [("log", log as fn() -> String), ("hangul", hangul), ("rows", rows)].map(Named))]
fn tokens(bencher: Bencher, text: &Named) {
    let text = text.make();
    // As units, which is how a string of the host comes.
    let units = Text::from_units(text.encode_utf16().collect());
    bench_text(bencher, &text, |_| estimate_tokens(&units).is_ok());
}

#[divan::bench(args = [("log", log as fn() -> String), ("coloured", coloured)].map(Named))]
fn without_ansi(bencher: Bencher, text: &Named) {
    bench_text(bencher, &text.make(), |text| strip_ansi(text).len());
}

#[divan::bench]
fn layout_indented(bencher: Bencher) {
    bench_text(bencher, &rows(), |text| indented(text).len());
}

#[divan::bench]
fn layout_json_lines(bencher: Bencher) {
    bench_text(bencher, &rows(), |text| json_lines(text).len());
}

#[divan::bench]
fn json_sketch(bencher: Bencher) {
    bench_text(bencher, &rows(), sketch);
}

#[divan::bench(args = [false, true])]
fn json_cut(bencher: Bencher, keeps_tail: bool) {
    bench_text(bencher, &rows(), |text| truncate_valid(text, 8_000, keeps_tail));
}

/// Without an index: what the first touch costs.
#[divan::bench(args = ["the last page", "a literal", "a pattern", "a pointer"])]
fn first_read(bencher: Bencher, what: &str) {
    let text = if what == "a pointer" { rows() } else { log() };
    let asked = Arguments { handle: "r/c.0".to_owned(), limit: 100, ..Arguments::default() };
    let arguments = match what {
        "the last page" => Arguments { from_end: true, ..asked },
        "a literal" => Arguments { pattern: Some("nowhere".to_owned()), ..asked },
        "a pattern" => Arguments { pattern: Some("no[wW]here \\d+".to_owned()), regex: true, ..asked },
        _ => Arguments { pointer: Some("/40000/name".to_owned()), ..asked },
    };
    let source = MemorySource::new(text.as_bytes());
    bench_text(bencher, &text, |_| read(&source, Some(&Kind::Text), &arguments, &Caps::default()));
}

/// An input by its name.
struct Named((&'static str, fn() -> String));

impl Named {
    fn make(&self) -> String {
        self.0.1()
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.0)
    }
}
