use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

const SECOND: Duration = Duration::from_secs(1);

fn bounded(place: &Place, max: u64) -> LocalStore {
    place.store_with(LocalOptions { max_bytes: Some(max as f64), ..Default::default() })
}

/// Bytes of the results below a root.
fn stored(place: &Place) -> u64 {
    place
        .tree()
        .iter()
        .filter(|path| path.contains('/'))
        .filter_map(|path| std::fs::metadata(place.root().join(path)).ok())
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
        .sum()
}

#[test]
fn the_oldest_make_room_and_take_their_directories_along() {
    let place = Place::new();
    let store = bounded(&place, 10);
    for n in 0..100 {
        put(&store, &format!("r{n}/c.0"), &[b'x'; 3]).unwrap();
        assert!(stored(&place) <= 10);
    }
    assert_eq!(place.tree(), ["r97", "r97/c.0", "r98", "r98/c.0", "r99", "r99/c.0"]);
    assert_eq!(get(&store, "r0/c.0"), Err(StoreError::NotFound));
}

#[test]
fn the_oldest_may_be_in_the_very_run() {
    let place = Place::new();
    let store = bounded(&place, 10);
    put(&store, "r/a.0", &[1; 10]).unwrap();
    put(&store, "r/b.0", &[2; 10]).unwrap();
    put(&store, "r/b.0", &[3; 10]).unwrap();
    assert_eq!(place.tree(), ["r", "r/b.0~2"], "the first bytes of the key made room, their handle stays theirs");
}

#[test]
fn another_store_s_results_and_live_temporaries_count() {
    let cases = [
        ("another's result makes room", "r/c.0", SECOND, true),
        ("a temporary does not", ".tmp-1-x", SECOND, false),
        ("an abandoned one takes none", ".tmp-1-x", 61 * SECOND, true),
    ];
    for (comment, name, age, fits) in cases {
        let place = Place::new();
        place.plant(name, 8, age);
        let written = put(&bounded(&place, 10), "r/new.0", &[0; 3]);
        let expected = if fits { Ok("r/new.0".to_owned()) } else { unavailable(Reason::StoreFull) };
        assert_eq!(written.map(|written| written.handle), expected, "{comment}");
        let temporaries = place.tree().iter().filter(|path| path.starts_with(".tmp-")).count();
        assert_eq!(temporaries, usize::from(name == ".tmp-1-x"), "{comment}: none of ours is left");
    }
}

#[test]
fn no_result_is_given_up_for_room_that_another_s_temporary_takes() {
    let place = Place::new();
    for name in ["a", "b", "c", "d", "e"] {
        place.plant(&format!("r/{name}.0"), 10, SECOND);
    }
    place.plant(".tmp-9-other", 90, SECOND);
    let before = place.tree();
    assert_eq!(put(&bounded(&place, 100), "r/new.0", &[0; 60]), unavailable(Reason::StoreFull));
    assert_eq!(place.tree(), before);
}

#[test]
fn temporaries_that_do_not_fit_together_do_not_wait_for_each_other() {
    const WRITERS: usize = 4;
    let place = Place::new();
    let store = bounded(&place, 10);
    let written = std::sync::Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, written) = (&store, &written);
            scope.spawn(move || {
                let result = store.write(&format!("r{writer}/c.0"), None, &mut |sink| {
                    sink(&[0; 7])?;
                    // All are there, none is published.
                    written.wait();
                    Ok(())
                });
                assert!(result.is_ok(), "{result:?}");
            });
        }
    });
    assert_eq!(stored(&place), 7);
}

#[test]
fn never_more_than_the_quota_is_published_by_many() {
    let place = Place::new();
    // Stores of their own, as processes have them.
    let stores: Vec<_> = (0..6).map(|_| bounded(&place, 1_000)).collect();
    let is_done = AtomicBool::new(false);
    let ok = |written: Result<Written, StoreError>| assert!(written.is_ok(), "{written:?}");
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                assert!(stored(&place) <= 1_000);
            }
        });
        let writers: Vec<_> = stores
            .iter()
            .enumerate()
            .map(|(writer, store)| {
                scope.spawn(move || (0..40).for_each(|n| ok(put(store, &format!("r{writer}/c{n}.0"), &[n as u8; 150]))))
            })
            .collect();
        let results: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_done.store(true, Ordering::Relaxed);
        results.into_iter().for_each(Result::unwrap);
        watcher.join().unwrap();
    });
    assert!((600..=1_000).contains(&stored(&place)), "{}", stored(&place));
}
#[test]
fn what_is_remembered_of_a_root_is_no_older_than_what_others_did() {
    let place = Place::new();
    let store = bounded(&place, 100);
    put(&store, "r/a.0", &[b'a'; 40]).unwrap();
    // By another process: nothing here knows of it.
    place.plant("r/b.0", 50, Duration::ZERO);
    place.plant("other/c.0", 10, 2 * SECOND);
    put(&store, "r/d.0", &[b'd'; 10]).unwrap();
    assert_eq!(place.tree(), ["r", "r/a.0", "r/b.0", "r/d.0"], "the oldest goes, with its directory");
    // Its age is renewed, and then it is not the oldest any more.
    set_age(&place.root().join("r/b.0"), SECOND);
    put(&store, "r/a.0", &[b'a'; 40]).unwrap();
    put(&store, "r/e.0", &[b'e'; 10]).unwrap();
    assert_eq!(place.tree(), ["r", "r/a.0", "r/d.0", "r/e.0"]);
    std::fs::remove_file(place.root().join("r/a.0")).unwrap();
    put(&store, "r/f.0", &[b'f'; 80]).unwrap();
    assert_eq!(place.tree(), ["r", "r/d.0", "r/e.0", "r/f.0"], "what others deleted takes no room");
}

#[test]
#[ignore = "a measurement: cargo test --release --no-default-features -- --ignored --nocapture bounded_writes"]
fn bounded_writes_into_a_full_root() {
    for (files, runs) in [(5_000_u32, 1_u32), (5_000, 50), (5_000, 5_000)] {
        let place = Place::new();
        let store = bounded(&place, u64::from(files) * 100);
        for n in 0..files {
            put(&place.store(), &format!("r{}/c.{n}", n % runs), &[b'x'; 100]).unwrap();
        }
        let started = std::time::Instant::now();
        for n in 0..200 {
            put(&store, &format!("new{}/c.{n}", n % runs), &[b'y'; 100]).unwrap();
        }
        eprintln!("{files} files in {runs} runs: {:?} a write", started.elapsed() / 200);
    }
}
