//! Faults that need a process of their own: the test runs itself once more, as a child.
#![cfg(unix)]

use super::*;
use std::process::{Command, Output};

/// Names the directory a child works in; without it a child's test is no child.
const PLACE: &str = "TOL_TEST_PLACE";

/// Prepares the directory for a child without root's rights.
const BY_NOBODY: &str = "[ \"$(id -u)\" = 0 ] || { echo 'not root' >&2; exit 77; }
    chown 65534 \"$TOL_TEST_PLACE\"
    setpriv --reuid=65534 --clear-groups test -x \"$1\" || { echo 'not to be run by nobody' >&2; exit 77; }";

/// Runs a test of this file in a child, under a wrapper such as `sh -c '… exec "$@"' -`. `None`: the wrapper cannot be
/// run here.
fn child(test: &str, wrapper: &[&str], place: &Path) -> Option<Output> {
    let mut command = Command::new(wrapper.first()?);
    command
        .args(&wrapper[1..])
        .arg(std::env::current_exe().ok()?)
        .args(["--exact", "--nocapture", "--ignored", &format!("{}::{test}", module_path!().split_once("::")?.1)])
        .env(PLACE, place);
    command.output().ok()
}

/// Asserts that a child's test ran and passed; 77 says that the wrapper could not do its part.
fn passes(test: &str, wrapper: &[&str], place: &Path) {
    let Some(output) = child(test, wrapper, place) else {
        return eprintln!("skipped: {} cannot be run", wrapper[0]);
    };
    if output.status.code() == Some(77) {
        return eprintln!("skipped: {test}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{test} under {wrapper:?}:\n{said}");
}

/// The store of a child.
fn store() -> (LocalStore, PathBuf) {
    let root = PathBuf::from(std::env::var_os(PLACE).unwrap()).join("root");
    (LocalStore::new(LocalOptions { root: Some(root.clone()), ..Default::default() }), root)
}

#[test]
fn modes_do_not_depend_on_the_umask() {
    for umask in ["000", "022", "077", "277", "777"] {
        let place = tempfile::tempdir().unwrap();
        passes("child_has_its_modes", &["sh", "-c", &format!("umask {umask}; exec \"$@\""), "-"], place.path());
    }
}

#[test]
#[ignore = "run by modes_do_not_depend_on_the_umask"]
fn child_has_its_modes() {
    use std::os::unix::fs::MetadataExt;
    let (store, root) = store();
    put(&store, "r/c.0", b"x").unwrap();
    for (path, expected) in [("", 0o40_700), ("r", 0o40_700), ("r/c.0", 0o100_600)] {
        assert_eq!(std::fs::metadata(root.join(path)).unwrap().mode(), expected, "{path:?}");
    }
}

#[test]
fn without_permission_the_store_is_denied() {
    let place = tempfile::tempdir().unwrap();
    let nobody = format!(
        "{BY_NOBODY}; mkdir -m 500 \"$TOL_TEST_PLACE/root\"; chown 65534 \"$TOL_TEST_PLACE/root\"
        exec setpriv --reuid=65534 --clear-groups \"$@\""
    );
    passes("child_is_denied", &["sh", "-c", &nobody, "-"], place.path());
}

#[test]
#[ignore = "run by without_permission_the_store_is_denied"]
fn child_is_denied() {
    use std::os::unix::fs::PermissionsExt;
    let (store, root) = store();
    let set_mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(put(&store, "r/c.0", b"x"), unavailable(Reason::StoreDenied), "root 0500");
    let below = LocalStore::new(LocalOptions { root: Some(root.join("below")), ..Default::default() });
    assert_eq!(put(&below, "r/c.0", b"x"), unavailable(Reason::StoreDenied), "below a root 0500");
    let others = LocalStore::new(LocalOptions { root: Some("/".into()), ..Default::default() });
    assert_eq!(put(&others, "r/c.0", b"x"), unavailable(Reason::StoreDenied), "another's directory");
    set_mode(&root, 0o700);
    put(&store, "r/c.0", b"x").unwrap();
    set_mode(&root.join("r/c.0"), 0o000);
    assert_eq!(get(&store, "r/c.0"), unavailable(Reason::StoreDenied), "a file that may not be read is not unknown");
    assert_eq!(put(&store, "r/c.0", b"x").unwrap().handle, "r/c.0~2");
    set_mode(&root.join("r"), 0o000);
    assert_eq!(get(&store, "r/c.0"), unavailable(Reason::StoreDenied), "nor one in a directory that may not be read");
    assert_eq!(put(&store, "r/d.0", b"x"), unavailable(Reason::StoreDenied));
    set_mode(&root.join("r"), 0o700);
    set_mode(&root, 0o000);
    assert_eq!(put(&store, "r/d.0", b"x"), unavailable(Reason::StoreDenied), "root 0000");
    set_mode(&root, 0o700);
    assert_eq!(tree(&root), ["r", "r/c.0", "r/c.0~2"], "nothing is left");
}

#[test]
fn a_full_disk_and_a_read_only_one_are_told() {
    let place = tempfile::tempdir().unwrap();
    let mount = "unshare -m true 2>/dev/null || { echo 'no mount namespaces' >&2; exit 77; }
        exec unshare -m sh -c 'mount -t tmpfs -o size=64k,mode=700 none \"$TOL_TEST_PLACE\" || exit 77; exec \"$@\"' - \"$@\"";
    passes("child_has_a_full_disk", &["sh", "-c", mount, "-"], place.path());
}

#[test]
#[ignore = "run by a_full_disk_and_a_read_only_one_are_told"]
fn child_has_a_full_disk() {
    let (store, root) = store();
    put(&store, "r/c.0", &[b'x'; 10_000]).unwrap();
    assert_eq!(put(&store, "r/d.0", &[b'x'; 100_000]), unavailable(Reason::StoreFull));
    assert_eq!(tree(&root), ["r", "r/c.0"], "nothing is left");
    put(&store, "r/d.0", &[b'x'; 10_000]).unwrap();
    let place = std::env::var_os(PLACE).unwrap();
    let status = Command::new("mount").args(["-o", "remount,ro"]).arg(&place).status().unwrap();
    assert!(status.success());
    assert_eq!(put(&store, "r/e.0", b"x"), unavailable(Reason::StoreDenied), "read-only");
    assert!(get(&store, "r/c.0").is_ok(), "it can still be read");
}

#[test]
fn few_descriptors_are_enough_for_many_callers() {
    let place = tempfile::tempdir().unwrap();
    passes("child_has_many_callers", &["sh", "-c", "ulimit -n 64; exec \"$@\"", "-"], place.path());
}

#[test]
#[ignore = "run by few_descriptors_are_enough_for_many_callers"]
fn child_has_many_callers() {
    let (store, root) = store();
    let bounded = LocalStore::new(LocalOptions { root: Some(root), max_bytes: Some(1e9), ..Default::default() });
    // What node itself has open.
    let _node: Vec<_> = (0..24).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
    put(&store, "r0/first.0", b"x").unwrap();
    let open = || std::fs::read_dir("/dev/fd").unwrap().count();
    let before = open();
    std::thread::scope(|scope| {
        for caller in 0..100 {
            let (store, bounded) = (&store, &bounded);
            scope.spawn(move || {
                for n in 0..5 {
                    let (key, bytes) = (format!("r{}/c.{n}", caller % 10), vec![caller as u8; 10_000]);
                    let store = if n % 2 == 0 { bounded } else { store };
                    let handle = put(store, &key, &bytes).unwrap().handle;
                    assert_eq!(get(store, &handle), Ok(bytes));
                }
            });
        }
    });
    // The one sweep that the first write began may have had some open before.
    assert!(open() <= before, "an idle store holds none");
}

#[test]
fn without_descriptors_the_store_fails() {
    let place = tempfile::tempdir().unwrap();
    passes("child_has_no_descriptors", &["sh", "-c", "ulimit -n 64; exec \"$@\"", "-"], place.path());
}

#[test]
#[ignore = "run by without_descriptors_the_store_fails"]
fn child_has_no_descriptors() {
    let (store, root) = store();
    put(&store, "r/c.0", b"x").unwrap();
    let mut taken: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
    for free in 0..5 {
        if free > 0 {
            taken.pop();
        }
        match put(&store, "r/c.0", b"other") {
            Ok(written) => assert_eq!((written.handle.as_str(), free >= 3), ("r/c.0~2", true)),
            error => assert_eq!(error, unavailable(Reason::StoreFailed), "{free} descriptors left"),
        }
        match get(&store, "r/c.0") {
            Ok(bytes) => assert_eq!((bytes.as_slice(), free >= 3), (&b"x"[..], true)),
            error => assert_eq!(error, unavailable(Reason::StoreFailed), "{free} descriptors left"),
        }
    }
    drop(taken);
    assert_eq!(put(&store, "r/c.0", b"other").unwrap().handle, "r/c.0~2");
    assert_eq!(tree(&root), ["r", "r/c.0", "r/c.0~2"], "nothing is left");
}

#[test]
fn processes_keep_one_quota() {
    let place = tempfile::tempdir().unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let stored = || -> u64 {
        let root = place.path().join("root");
        let results = tree(&root).into_iter().filter(|path| path.contains('/'));
        results.filter_map(|path| Some(std::fs::metadata(root.join(path)).ok()?.len())).sum()
    };
    std::thread::scope(|scope| {
        let children: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| passes("child_shares_a_quota", &["sh", "-c", "exec \"$@\"", "-"], place.path())))
            .collect();
        let watcher = scope.spawn(|| {
            while !is_done.load(relaxed) {
                assert!(stored() <= 400);
            }
        });
        let results: Vec<_> = children.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_done.store(true, relaxed);
        results.into_iter().for_each(Result::unwrap);
        watcher.join().unwrap();
    });
    assert_eq!(stored(), 300);
}

#[test]
#[ignore = "run by processes_keep_one_quota"]
fn child_shares_a_quota() {
    let (_, root) = store();
    let bounded = LocalStore::new(LocalOptions { root: Some(root), max_bytes: Some(400.0), ..Default::default() });
    for n in 0..50 {
        // Four of them do not fit together: some have to wait for others, and all get their turn.
        put(&bounded, &format!("r{}/c.{n}", std::process::id()), &[n; 150]).unwrap();
    }
}
