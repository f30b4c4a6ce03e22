//! Looking at campaigns while they run.

use std::time::Duration;

use shakedown_campaign::{Progress, Silent};
use shakedown_store::{Store, is_worked_on, last_change};

use crate::clock::{campaign, clock};

#[test]
fn an_overview_has_all_but_what_was_covered_and_counts_that() {
    let target = clock();
    let mut campaign = campaign(&target, 300);
    campaign.plan.measures = vec!["state".to_owned(), "trace".to_owned()];
    let folder = tempfile::tempdir().expect("a folder");
    let plans = [campaign.plan.clone(), shakedown_campaign::Plan { seed: 77, ..campaign.plan.clone() }];
    let (store, ids) = Store::create(folder.path(), &plans).expect("the folder is new");
    store.go_on(ids[0], &campaign, &Silent).expect("it runs");

    let store = Store::look_at(folder.path()).expect("it can be looked at");
    let kept = store.campaigns().expect("it can be read");
    let overviews = store.overviews().expect("it can be read");
    assert_eq!(overviews.len(), 2);
    for (kept, overview) in kept.iter().zip(&overviews) {
        assert_eq!((kept.id, &kept.plan, kept.is_over), (overview.id, &overview.plan, overview.is_over));
        let json = |standing| serde_json::to_value(standing).expect("a standing is data");
        assert_eq!(json(&kept.standing), json(&overview.standing));
    }
    let covered = |kept: &shakedown_store::Kept| -> Vec<u64> {
        let standing = kept.standing.iter();
        standing.flat_map(|standing| &standing.coverage).map(|coverage| coverage.covered()).collect()
    };
    assert_eq!(overviews[0].covered, covered(&kept[0]));
    assert!(overviews[0].covered.iter().all(|&count| count > 0), "{:?}", overviews[0].covered);
    assert!(overviews[1].standing.is_none() && overviews[1].covered.is_empty(), "it has not begun");
}

/// Looks at the store whenever an execution is taken in.
struct Looks<'a>(&'a std::path::Path);

impl Progress for Looks<'_> {
    fn standing(&self, _now: &shakedown_campaign::Now<'_>) {
        assert!(is_worked_on(self.0));
    }
}

#[test]
fn who_works_on_a_folder_is_seen_and_not_disturbed() {
    let target = clock();
    let mut campaign = campaign(&target, 50);
    campaign.keep_every = Duration::ZERO;
    let folder = tempfile::tempdir().expect("a folder");
    assert!(!is_worked_on(folder.path()) && last_change(folder.path()).is_none(), "there is nothing yet");
    let (store, ids) = Store::create(folder.path(), &[campaign.plan.clone()]).expect("the folder is new");
    // A reader in the middle of its transaction does not keep the campaign from being stored.
    let path = folder.path().join("campaign.sqlite");
    let reader = rusqlite::Connection::open(path).expect("it can be read");
    reader.execute_batch("BEGIN").expect("a transaction");
    let count = |reader: &rusqlite::Connection| -> u64 {
        reader.query_row("SELECT count(*) FROM standing", [], |row| row.get(0)).expect("it can be read")
    };
    assert_eq!(count(&reader), 0);
    store.go_on(ids[0], &campaign, &Looks(folder.path())).expect("it runs and is stored");
    assert_eq!(count(&reader), 0, "the transaction still sees what was there when it began");
    reader.execute_batch("COMMIT").expect("it ends");
    assert_eq!(count(&reader), 1);
    assert!(last_change(folder.path()).is_some());
    drop(store);
    assert!(!is_worked_on(folder.path()), "the lock is gone with its process");

    // A process that looks holds the lock for a moment: whoever wants to work waits for it.
    std::thread::scope(|scope| {
        let lock = std::fs::File::open(folder.path().join("campaign.lock")).expect("there is a lock");
        lock.lock_shared().expect("it is free");
        let opens = scope.spawn(|| Store::open(folder.path()));
        assert!(!is_worked_on(folder.path()), "those who look are not those who work");
        drop(lock);
        opens.join().expect("it does not panic").expect("the folder is free");
    });
}
