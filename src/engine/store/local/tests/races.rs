use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs `disturb` over and over while `work` runs.
fn while_disturbed(disturb: impl Fn() + Send + Sync, work: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                disturb();
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        is_done.store(true, Ordering::Relaxed);
        result.unwrap();
    });
}

#[test]
fn a_run_whose_directory_is_swept_again_and_again_is_written() {
    let place = Place::new();
    let store = place.store();
    while_disturbed(
        // Nothing is old enough but empty directories.
        || assert_eq!(place.store().prune(Some(1e12), None), Ok(Pruned::default())),
        || {
            for n in 0..500 {
                let handle = put(&store, &format!("r/c.{n}"), b"x").unwrap().handle;
                assert_eq!(get(&store, &handle), Ok(b"x".to_vec()));
                store.delete(&handle).unwrap();
            }
        },
    );
    assert!(place.tree().iter().all(|path| path == "r"));
}

#[test]
fn a_root_deleted_between_calls_is_made_again() {
    let place = Place::new();
    let store = place.store();
    put(&store, "r/c.0", b"x").unwrap();
    std::fs::remove_dir_all(place.root()).unwrap();
    assert_eq!(get(&store, "r/c.0"), Err(StoreError::NotFound));
    put(&store, "r/c.0", b"y").unwrap();
    assert_eq!(get(&store, "r/c.0"), Ok(b"y".to_vec()));
}

#[test]
fn a_root_deleted_in_the_middle_of_a_write_is_made_again() {
    let place = Place::new();
    let mut calls = 0;
    let written = place.store().write("r/c.0", None, &mut |sink| {
        calls += 1;
        sink(b"one ")?;
        if calls == 1 {
            std::fs::remove_dir_all(place.root()).unwrap();
        }
        sink(b"two")
    });
    assert_eq!(written.unwrap().bytes, 7);
    assert_eq!((calls, get(&place.store(), "r/c.0")), (2, Ok(b"one two".to_vec())));
    assert_eq!(place.tree(), ["r", "r/c.0"]);
}

#[test]
fn a_root_deleted_in_the_middle_of_every_write_is_given_up() {
    let place = Place::new();
    let written = place.store().write("r/c.0", None, &mut |sink| {
        sink(b"x")?;
        std::fs::remove_dir_all(place.root()).unwrap();
        Ok(())
    });
    assert_eq!(written, unavailable(Reason::StoreFailed));
    assert!(place.tree().is_empty());
}

#[test]
fn a_root_deleted_at_any_moment_fails_or_works() {
    let place = Place::new();
    let store = place.store();
    while_disturbed(
        || drop(std::fs::remove_dir_all(place.root())),
        || {
            for n in 0..300 {
                match put(&store, &format!("r/c.{n}"), b"x") {
                    Ok(written) => assert_eq!(written.bytes, 1),
                    Err(error) => assert_eq!(error, StoreError::Unavailable(Reason::StoreFailed)),
                }
            }
        },
    );
}

#[cfg(unix)]
#[test]
fn nothing_leaves_the_root_while_its_directories_are_swapped_for_links() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let store = place.store();
    let outside = place.beside("outside");
    make_private(&outside);
    std::fs::write(outside.join("secret.0"), "secret").unwrap();
    put(&store, "r/secret.0", b"ours").unwrap();
    let (run, aside) = (place.root().join("r"), place.root().join("aside"));
    let swap = || {
        std::fs::rename(&run, &aside).unwrap();
        // A writer may make a directory of its own meanwhile.
        while symlink(&outside, &run).is_err() {
            let _ = std::fs::remove_dir_all(&run);
        }
        std::fs::remove_file(&run).unwrap();
        while std::fs::rename(&aside, &run).is_err() {
            let _ = std::fs::remove_dir_all(&run);
        }
    };
    while_disturbed(swap, || {
        for n in 0..500 {
            let _ = put(&store, &format!("r/c.{n}"), b"x");
            if let Ok(bytes) = get(&store, "r/secret.0") {
                assert_eq!(bytes, b"ours");
            }
            let _ = store.delete("r/secret.0~2");
        }
    });
    assert_eq!(tree(&outside), ["secret.0"]);
    assert_eq!(std::fs::read(outside.join("secret.0")).unwrap(), b"secret");
}

#[cfg(unix)]
#[test]
fn no_file_is_read_through_a_link_that_comes_and_goes() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let store = place.store();
    let outside = place.beside("outside");
    std::fs::write(&outside, "secret").unwrap();
    put(&store, "r/c.0", b"ours").unwrap();
    let (file, aside) = (place.root().join("r/c.0"), place.root().join("r/aside"));
    let swap = || {
        std::fs::rename(&file, &aside).unwrap();
        symlink(&outside, &file).unwrap();
        std::fs::rename(&aside, &file).unwrap();
    };
    while_disturbed(swap, || {
        for _ in 0..2_000 {
            assert!(matches!(get(&store, "r/c.0").as_deref(), Ok(b"ours") | Err(StoreError::NotFound)));
        }
    });
}
