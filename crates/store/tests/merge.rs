//! What holds of stores that are merged.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::{campaign, clock};
use shakedown_campaign::{Now, Progress, Silent, Standing};
use shakedown_store::{Store, StoreError};

#[test]
fn a_campaign_that_has_not_begun_in_one_store_does_not_hide_that_of_another() {
    let target = clock();
    let campaign = campaign(&target, 20);
    let plans = [campaign.plan.clone()];
    let folders = ["planned", "run", "merged"].map(|_| tempfile::tempdir().expect("a folder"));
    let (planned, _) = Store::create(folders[0].path(), &plans).expect("the folder is new");
    let (run, ids) = Store::create(folders[1].path(), &plans).expect("the folder is new");
    let summary = run.go_on(ids[0], &campaign, &Silent).expect("it runs");
    let merged = Store::merge(&[planned, run], folders[2].path()).expect("the folder is new");
    let kept = merged.campaigns().expect("they can be read");
    let [one] = &kept[..] else { panic!("{kept:?}") };
    let standing = one.standing.as_ref().expect("what had been run is here");
    assert_eq!((standing.executions, one.is_over), (20, true));
    assert_eq!(standing.fingerprint(), summary.fingerprint);
    assert_eq!(standing.coverage[0].covered(), summary.coverage[0].covered());
}

#[test]
fn a_merge_that_cannot_be_leaves_a_folder_that_counts_as_new() {
    let target = clock();
    let [first, second, into] = ["first", "second", "into"].map(|_| tempfile::tempdir().expect("a folder"));
    let of = |executions| campaign(&target, executions).plan;
    let (short, _) = Store::create(first.path(), &[of(20)]).expect("the folder is new");
    let (long, _) = Store::create(second.path(), &[of(30)]).expect("the folder is new");
    let overlap = Store::merge(&[short, long], into.path()).expect_err("execution 0 is in both");
    assert!(matches!(overlap, StoreError::Overlap { execution: 0, .. }), "{overlap}");
    Store::create(into.path(), &[of(20)]).expect("there is nothing in it");
}

/// Records what was covered after each execution.
#[derive(Default)]
struct Grows(Mutex<BTreeMap<u64, Vec<u64>>>);

impl Progress for Grows {
    fn standing(&self, now: &Now<'_>) {
        let covered = now.standing.coverage.iter().map(|coverage| coverage.covered()).collect();
        self.0.lock().expect("no test panics here").insert(now.standing.executions, covered);
    }
}

/// How many merges there are while the campaign runs, at least.
const MERGES: u64 = 8;
/// After how many readings there is a merge.
const READINGS: u64 = 16;

/// Holds the last execution back until there were enough merges; until then nothing waits for anything.
struct Waits<'a>(&'a AtomicU64);

impl Progress for Waits<'_> {
    fn standing(&self, now: &Now<'_>) {
        let is_last = now.standing.executions + 1 == now.campaign.plan.executions;
        while is_last && self.0.load(Ordering::Relaxed) < MERGES {
            std::thread::yield_now();
        }
    }
}

/// Lets the campaign end, also if the test fails before there were enough merges.
struct Releases<'a>(&'a AtomicU64);

impl Drop for Releases<'_> {
    fn drop(&mut self) {
        self.0.store(MERGES, Ordering::Relaxed);
    }
}

#[test]
fn a_merge_while_a_campaign_runs_takes_one_checkpoint_whole() {
    let target = clock();
    let mut campaign = campaign(&target, 4_000);
    // A strategy that learns in small generations, so that there are many checkpoints with three parts each.
    campaign.plan.strategy = "fuzz:state".parse().expect("a strategy");
    campaign.plan.config.options.set("bound", 1_000);
    campaign.keep_every = Duration::ZERO;
    let grows = Grows::default();
    let undisturbed = campaign.run(&grows).expect("it runs");
    let grows = grows.0.into_inner().expect("no test panics here");

    let [folder, merges] = ["run", "merges"].map(|_| tempfile::tempdir().expect("a folder"));
    let (store, ids) = Store::create(folder.path(), &[campaign.plan.clone()]).expect("the folder is new");
    let is_one_checkpoint = |standing: &Standing| {
        let covered: Vec<_> = standing.coverage.iter().map(|coverage| coverage.covered()).collect();
        assert_eq!(covered, grows[&standing.executions], "after {} executions", standing.executions);
    };
    let done = AtomicU64::new(0);
    let mut last = None;
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| store.go_on(ids[0], &campaign, &Waits(&done)));
        let _released_at_the_end = Releases(&done);
        let running = [Store::look_at(folder.path()).expect("it can be read while it runs")];
        for reading in 1.. {
            let kept = running[0].campaigns().expect("every reading is of one checkpoint").remove(0);
            kept.standing.iter().for_each(is_one_checkpoint);
            if runs.is_finished() {
                break;
            }
            if reading % READINGS == 0 {
                let into = merges.path().join(reading.to_string());
                let merged = Store::merge(&running, &into).expect("it merges");
                done.fetch_add(1, Ordering::Relaxed);
                let kept = merged.campaigns().expect("the copy can be read").remove(0);
                kept.standing.iter().for_each(is_one_checkpoint);
                if kept.standing.is_some_and(|standing| standing.executions < campaign.plan.executions) {
                    last = Some((merged, kept.id));
                }
            }
        }
        runs.join().expect("the campaign does not panic").expect("it runs");
    });
    // What was learned is of the same checkpoint: the copy comes to the same end.
    let (merged, id) = last.expect("there was a merge before the end");
    let resumed = merged.go_on(id, &campaign, &Silent).expect("it goes on");
    assert_eq!(resumed.fingerprint, undisturbed.fingerprint);
    assert_eq!(resumed.coverage[0].covered(), undisturbed.coverage[0].covered());
}
