use super::super::sweep::{INTERVAL, MAX_REMEMBERED, MAX_TURNS, Turn, begins, is_due, sweep};
use super::*;
use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);

fn aged(place: &Place, cleanup_after_ms: Option<f64>) -> LocalStore {
    place.store_with(LocalOptions { cleanup_after_ms, ..Default::default() })
}

fn set_future(path: &Path) {
    std::fs::File::open(path).unwrap().set_modified(SystemTime::now() + 1_000 * HOUR).unwrap();
}

#[test]
fn what_is_old_goes_with_its_empty_directory() {
    let place = Place::new();
    for (name, age) in [("old/c.0", HOUR), ("mixed/c.0", HOUR), ("mixed/d.0", SECOND), ("old/other.txt", HOUR)] {
        place.plant(name, 1, age);
    }
    place.plant("future/c.0", 1, SECOND);
    set_future(&place.root().join("future/c.0"));
    make_private(&place.root().join("empty"));
    set_age(&place.root().join("empty"), HOUR);
    // Its writer is about to use it.
    make_private(&place.root().join("fresh"));
    place.plant(".hidden/c.0", 1, HOUR);
    place.plant("file", 1, HOUR);
    sweep(&aged(&place, Some(60_000.0)).inner).unwrap();
    assert_eq!(place.tree(), [".hidden", ".hidden/c.0", "file", "fresh", "future", "future/c.0", "mixed", "mixed/d.0"]);
}

#[test]
fn no_place_is_swept_twice_in_an_interval_and_no_more_than_can_be_remembered() {
    let (mut last, now) = (HashMap::new(), Instant::now());
    let begun = |last: &mut HashMap<usize, Instant>, now| {
        (0..MAX_REMEMBERED + 3).filter(|&place| begins(last, place, now)).count()
    };
    assert_eq!(begun(&mut last, now), MAX_REMEMBERED);
    assert_eq!(begun(&mut last, now + INTERVAL / 2), 0);
    assert_eq!(begun(&mut last, now + INTERVAL), MAX_REMEMBERED);
}

#[test]
fn few_sweeps_run_or_wait_at_once() {
    static TURNS: AtomicUsize = AtomicUsize::new(0);
    let mut taken: Vec<_> = (0..MAX_TURNS).filter_map(|_| Turn::take(&TURNS)).collect();
    assert!(taken.len() == MAX_TURNS && Turn::take(&TURNS).is_none());
    taken.pop();
    assert!(Turn::take(&TURNS).is_some());
}

#[test]
fn ages_from_the_shortest_to_the_longest_are_kept() {
    let cases = [
        ("a millisecond", Some(1.0), false),
        ("the longest exact number", Some(9_007_199_254_740_991.0), true),
        ("the longest number", Some(f64::MAX), true),
        ("none", None, true),
    ];
    for (comment, age, stays) in cases {
        let place = Place::new();
        place.plant("r/c.0", 1, SECOND);
        sweep(&aged(&place, age).inner).unwrap();
        assert_eq!(!place.tree().is_empty(), stays, "{comment}");
    }
}

#[test]
fn temporaries_are_swept_after_an_hour_without_any_option() {
    let place = Place::new();
    place.plant(".tmp-1-old", 1, HOUR + SECOND);
    place.plant(".tmp-1-younger", 1, HOUR - 60 * SECOND);
    place.plant(".tmp-1-future", 1, SECOND);
    set_future(&place.root().join(".tmp-1-future"));
    place.plant("r/c.0", 1, 1_000 * HOUR);
    sweep(&place.store().inner).unwrap();
    assert_eq!(place.tree(), [".tmp-1-future", ".tmp-1-younger", "r", "r/c.0"]);
}

#[test]
fn a_scope_is_swept_alone() {
    let place = Place::new();
    for name in ["r/c.0", ".scope-a/r/c.0", ".scope-b/r/c.0"] {
        place.plant(name, 1, HOUR);
    }
    let store =
        place.store_with(LocalOptions { scope: Some("a".into()), cleanup_after_ms: Some(1.0), ..Default::default() });
    sweep(&store.inner).unwrap();
    assert_eq!(place.tree(), [".scope-a", ".scope-b", ".scope-b/r", ".scope-b/r/c.0", "r", "r/c.0"]);
}

#[cfg(unix)]
#[test]
fn a_sweep_follows_no_link() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let outside = place.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("c.0"), "x").unwrap();
    set_age(&outside.join("c.0"), HOUR);
    place.plant("r/old.0", 1, HOUR);
    symlink(&outside, place.root().join("linked")).unwrap();
    symlink(outside.join("c.0"), place.root().join("r/c.0")).unwrap();
    sweep(&aged(&place, Some(1.0)).inner).unwrap();
    assert_eq!(place.tree(), ["linked", "r", "r/c.0"]);
    assert!(outside.join("c.0").exists());
}

#[test]
fn a_write_begins_a_sweep() {
    let place = Place::new();
    place.plant("old/c.0", 1, HOUR);
    put(&aged(&place, Some(60_000.0)), "new/c.0", b"x").unwrap();
    for _ in 0..100_000 {
        if place.tree() == ["new", "new/c.0"] {
            return;
        }
        std::thread::yield_now();
    }
    panic!("still there: {:?}", place.tree());
}

#[test]
fn a_thousand_writes_a_minute_begin_one_sweep_a_minute() {
    let place = Place::new();
    // As each write has a store that is made anew, in the worst case.
    let store = || aged(&place, Some(1_000.0));
    let scoped = place.store_with(LocalOptions { scope: Some("a".to_owned()), ..Default::default() });
    let start = Instant::now();
    let due = |at: u32| is_due(&store().inner, start + Duration::from_millis(u64::from(at) * 60));
    assert_eq!((0..10_000).filter(|&at| due(at)).count(), 10, "in ten minutes");
    assert!(is_due(&scoped.inner, start), "another scope waits for nobody");
}

#[test]
fn prune_deletes_by_age_and_run() {
    let run = |id: &str| id.encode_utf16().collect::<Vec<u16>>();
    let cases = [
        ("everything", None, None, (4, 10), vec![]),
        ("by age", Some(60_000.0), None, (2, 4), vec!["a", "a/new.0", "run~x", "run~x/new.0"]),
        ("by run", None, Some("a"), (2, 3), vec!["run~x", "run~x/new.0", "run~x/old.0"]),
        ("by both", Some(60_000.0), Some("a"), (1, 1), vec!["a", "a/new.0", "run~x", "run~x/new.0", "run~x/old.0"]),
        (
            "an unknown run",
            None,
            Some("b"),
            (0, 0),
            vec!["a", "a/new.0", "a/old.0", "run~x", "run~x/new.0", "run~x/old.0"],
        ),
        (
            "a run that is a path",
            None,
            Some("../root/a"),
            (0, 0),
            vec!["a", "a/new.0", "a/old.0", "run~x", "run~x/new.0", "run~x/old.0"],
        ),
    ];
    for (comment, age, id, (files, bytes), left) in cases {
        let place = Place::new();
        for (name, size, age) in
            [("a/old.0", 1, HOUR), ("a/new.0", 2, SECOND), ("run~x/old.0", 3, HOUR), ("run~x/new.0", 4, SECOND)]
        {
            place.plant(name, size, age);
        }
        let pruned = place.store().prune(age, id.map(run).as_deref()).unwrap();
        assert_eq!(pruned, Pruned { files, bytes }, "{comment}");
        assert_eq!(place.tree(), left, "{comment}");
    }
}
