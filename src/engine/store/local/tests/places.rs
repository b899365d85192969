//! Where a store refuses to be, and what it does not touch.
#![cfg(unix)]

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn directories_are_0700_and_files_0600() {
    let place = Place::new();
    let store = LocalStore::new(LocalOptions {
        root: Some(place.root().join("deep/er")),
        scope: Some("s".into()),
        ..Default::default()
    });
    put(&store, "r/c.0", b"x").unwrap();
    let modes: Vec<_> = place.tree().iter().map(|path| (path.clone(), mode(&place.root().join(path)))).collect();
    let expected = [
        ("deep", 0o700),
        ("deep/er", 0o700),
        ("deep/er/.scope-s", 0o700),
        ("deep/er/.scope-s/r", 0o700),
        ("deep/er/.scope-s/r/c.0", 0o600),
    ];
    assert_eq!(modes, expected.map(|(path, mode)| (path.to_owned(), mode)));
    assert_eq!(mode(&place.root()), 0o700);
}

#[test]
fn unsafe_and_impossible_roots_are_refused() {
    let place = Place::new();
    std::fs::write(place.beside("file"), "x").unwrap();
    make_private(&place.beside("directory"));
    symlink(place.beside("directory"), place.beside("link")).unwrap();
    symlink(place.beside("nowhere"), place.beside("dangling")).unwrap();
    make_private(&place.beside("world"));
    set_mode(&place.beside("world"), 0o777);
    make_private(&place.beside("group"));
    set_mode(&place.beside("group"), 0o770);
    let (denied, failed) = (Reason::StoreDenied, Reason::StoreFailed);
    let mut cases = vec![
        ("a file", place.beside("file"), denied),
        ("under a file", place.beside("file/x/y"), denied),
        ("a link to a directory", place.beside("link"), denied),
        ("a link with a separator", place.beside("link/"), denied),
        ("a link with a dot", place.beside("link/."), denied),
        ("a dangling link", place.beside("dangling"), denied),
        ("under a dangling link", place.beside("dangling/x"), failed),
        ("writable for all", place.beside("world"), denied),
        ("writable for the group", place.beside("group"), denied),
        ("a device", "/dev/full".into(), denied),
        ("under a device", "/dev/full/x".into(), denied),
        ("under /proc", "/proc/x".into(), failed),
        ("deep under /proc", "/proc/x/y/z".into(), failed),
        ("too long a name", place.beside(&"x".repeat(300)), failed),
        ("too long a path", place.beside(&"x/".repeat(3_000)), failed),
        ("NUL", place.beside("a\0b"), failed),
    ];
    if rustix::process::geteuid().is_root() {
        let other = place.beside("other");
        make_private(&other);
        std::os::unix::fs::chown(&other, Some(12_345), None).unwrap();
        cases.push(("another's", other, denied));
    } else {
        eprintln!("skipped: a foreign owner needs root");
    }
    let before = tree(place.directory.path());
    for (comment, root, reason) in cases {
        let store = LocalStore::new(LocalOptions { root: Some(root), ..Default::default() });
        let error = put(&store, "r/c.0", b"x").unwrap_err();
        assert_eq!(error.reason(), reason, "{comment}");
        assert!(!error.to_string().contains('/'), "{comment}: {error}");
        assert!(store.open("r/c.0").is_err(), "{comment}");
        assert_ne!(store.delete("r/c.0"), Ok(true), "{comment}");
    }
    assert_eq!(tree(place.directory.path()), before, "nothing is left");
}

#[test]
fn reading_tells_a_missing_root_from_a_refused_one() {
    let place = Place::new();
    assert_eq!(get(&place.store(), "r/c.0"), Err(StoreError::NotFound));
    put(&place.store(), "r/c.0", b"x").unwrap();
    set_mode(&place.root(), 0o777);
    assert_eq!(get(&place.store(), "r/c.0"), unavailable(Reason::StoreDenied));
}

#[test]
fn a_root_that_turns_unsafe_is_refused_from_then_on() {
    let place = Place::new();
    let store = place.store();
    put(&store, "r/c.0", b"x").unwrap();
    std::fs::rename(place.root(), place.beside("moved")).unwrap();
    symlink(place.beside("moved"), place.root()).unwrap();
    assert_eq!(put(&store, "r/d.0", b"x"), unavailable(Reason::StoreDenied));
    assert_eq!(get(&store, "r/c.0"), unavailable(Reason::StoreDenied));
    std::fs::remove_file(place.root()).unwrap();
    std::fs::rename(place.beside("moved"), place.root()).unwrap();
    set_mode(&place.root().join("r"), 0o777);
    assert_eq!(put(&store, "r/d.0", b"x"), unavailable(Reason::StoreDenied));
    assert_eq!(place.tree(), ["r", "r/c.0"]);
}

#[test]
fn a_linked_run_is_refused_and_its_target_untouched() {
    let place = Place::new();
    let store = place.store();
    let outside = place.beside("outside");
    make_private(&outside);
    std::fs::write(outside.join("c.0"), "secret").unwrap();
    make_private(&place.root());
    symlink(&outside, place.root().join("r")).unwrap();
    std::fs::write(place.root().join("file"), "x").unwrap();
    for run in ["r", "file"] {
        for name in ["c.0", "d.0"] {
            let key = format!("{run}/{name}");
            assert_eq!(put(&store, &key, b"secret"), unavailable(Reason::StoreDenied), "{key}");
            assert_eq!(get(&store, &key), Err(StoreError::NotFound), "{key}");
            assert_eq!(store.delete(&key), Ok(false), "{key}");
        }
        assert_eq!(store.prune(None, Some(&run.encode_utf16().collect::<Vec<_>>())), Ok(Pruned::default()));
    }
    assert_eq!(tree(&outside), ["c.0"]);
    assert_eq!(place.tree(), ["file", "r"]);
}

#[test]
fn what_is_planted_under_a_handle_is_neither_read_nor_written() {
    let place = Place::new();
    let store = place.store();
    let secret = place.beside("secret");
    std::fs::write(&secret, "secret").unwrap();
    set_age(&secret, Duration::from_secs(1_000));
    let modified = || std::fs::metadata(&secret).unwrap().modified().unwrap();
    let before = modified();
    let run = place.root().join("r");
    make_private(&run);
    symlink(&secret, run.join("link.0")).unwrap();
    symlink(place.beside("nowhere"), run.join("dangling.0")).unwrap();
    symlink("loop.0", run.join("loop.0")).unwrap();
    std::fs::hard_link(&secret, run.join("hard.0")).unwrap();
    std::fs::create_dir(run.join("directory.0")).unwrap();
    std::fs::create_dir(run.join("full.0")).unwrap();
    std::fs::write(run.join("full.0/x"), "x").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(run.join("socket.0")).unwrap();
    let mut planted = vec!["link.0", "dangling.0", "loop.0", "hard.0", "directory.0", "full.0", "socket.0"];
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
        let make = |name: &str, kind, device| mknodat(CWD, run.join(name), kind, Mode::RWXU, device);
        make("fifo.0", FileType::Fifo, 0).unwrap();
        planted.push("fifo.0");
        match make("zero.0", FileType::CharacterDevice, makedev(1, 5)) {
            Ok(()) => planted.push("zero.0"),
            Err(error) => eprintln!("skipped: a device cannot be made here: {error}"),
        }
    }
    for name in planted {
        let key = format!("r/{name}");
        assert_eq!(get(&store, &key), Err(StoreError::NotFound), "{name}");
        let written = put(&store, &key, b"secret").unwrap();
        assert_eq!((written.handle, written.created), (format!("{key}~2"), true), "{name}");
        assert_eq!(get(&store, &format!("{key}~2")), Ok(b"secret".to_vec()), "{name}");
    }
    assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
    assert_eq!(modified(), before, "not even its age changed");
    assert_eq!(store.delete("r/directory.0"), Ok(false));
    assert_eq!(store.delete("r/full.0"), Ok(false));
    assert_eq!(store.delete("r/link.0"), Ok(true), "the link goes");
    assert!(secret.exists(), "its target does not");
}
