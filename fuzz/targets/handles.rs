//! A handle, whatever it says, opens, deletes and writes nothing outside the root, and nothing but results inside it.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tool_output_limits::engine::store::{LocalOptions, LocalStore};

const SECRET: &[u8] = b"secret";

struct Place {
    directory: tempfile::TempDir,
    store: LocalStore,
}

/// `<dir>/outside/call.0` is a secret; `<dir>/root` has one result, a link to the secret, and a temporary.
static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("root");
    let store = LocalStore::new(LocalOptions { root: Some(root.clone()), ..LocalOptions::default() });
    store.write("run/call.0", None, &mut |sink| sink(b"result")).expect("a result");
    fs::create_dir(directory.path().join("outside")).expect("outside");
    fs::write(directory.path().join("outside/call.0"), SECRET).expect("a secret");
    fs::write(root.join(".tmp-1"), SECRET).expect("a temporary");
    std::os::unix::fs::symlink(directory.path().join("outside"), root.join("link")).expect("a link");
    std::os::unix::fs::symlink(directory.path().join("outside/call.0"), root.join("run/link.0")).expect("a link");
    Place { directory, store }
});

fn outside() -> Vec<PathBuf> {
    let entries = fs::read_dir(PLACE.directory.path()).expect("the directory");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fuzz_target!(|data: &[u8]| {
    let Ok(handle) = std::str::from_utf8(data) else { return };
    let Place { directory, store } = &*PLACE;
    let before = outside();
    if let Ok(file) = store.open(handle) {
        assert_ne!(file.read_at(0, 100).expect("its bytes"), SECRET, "{handle:?}");
    }
    if let Ok(written) = store.write(handle, None, &mut |sink| sink(b"new")) {
        assert!(written.handle.starts_with(handle), "{handle:?} became {:?}", written.handle);
        let path = directory.path().join("root").join(&written.handle);
        let real = fs::canonicalize(path).expect("a result is a file at its handle");
        assert!(real.starts_with(fs::canonicalize(directory.path().join("root")).expect("the root")));
        assert_eq!(store.delete(&written.handle), Ok(true));
    }
    assert_eq!(outside(), before);
    assert_eq!(fs::read(directory.path().join("outside/call.0")).expect("the secret"), SECRET);
    if handle != "run/call.0" && !handle.starts_with("run/call.0~") {
        assert!(store.open("run/call.0").is_ok(), "{handle:?}");
    } else {
        let _ = store.write("run/call.0", None, &mut |sink| sink(b"result"));
    }
});
