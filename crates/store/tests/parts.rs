//! Parts of a campaign that are one campaign again.

use std::path::Path;
use std::time::Duration;

use crate::clock::{campaign, clock};
use serde_json::Value;
use shakedown_campaign::{Campaign, Plan, Silent, Standing, Target, Whole};
use shakedown_store::{Kept, Store};
use shakedown_toys::Clock;

const WHOLE: Whole = Whole { first: 0, executions: 900 };

/// A standing without its times.
fn numbers(standing: &Standing) -> (Value, Vec<u64>) {
    let mut value = serde_json::to_value(standing).expect("a standing is data");
    let fields = value.as_object_mut().expect("a standing is an object");
    for time in ["elapsed", "shrinking", "keeping"] {
        fields.remove(time).expect("it has this time");
    }
    (value, standing.coverage.iter().map(|coverage| coverage.covered()).collect())
}

fn whole(target: &Target<Clock>) -> Campaign<'_> {
    let mut campaign = campaign(target, WHOLE.executions);
    campaign.plan.shrink = Some(shakedown_campaign::ShrinkLimits { executions: 300, time: None });
    campaign
}

/// Runs executions of the campaign in a store of their own.
fn run_part(target: &Target<Clock>, folder: &Path, numbers: std::ops::Range<u64>) -> Store {
    let mut part = whole(target);
    (part.plan.first, part.plan.executions) = (numbers.start, numbers.end - numbers.start);
    part.keep_every = Duration::ZERO;
    let plan = Plan { part_of: Some(WHOLE), ..part.plan.clone() };
    let (store, ids) = Store::create(folder, &[plan]).expect("the folder is new");
    // The first checkpoint is at the limit of disk, so that every part of more than a generation is resumed
    // once.
    let store = store.with_disk_max(Some(0));
    store.go_on(ids[0], &part, &Silent).expect("it runs");
    let store = store.with_disk_max(None);
    store.go_on(ids[0], &part, &Silent).expect("it goes on");
    store
}

fn merged(folder: &Path, parts: &[std::ops::Range<u64>]) -> Kept {
    let target = clock();
    let stores: Vec<_> = (0..)
        .zip(parts)
        .map(|(number, part)| run_part(&target, &folder.join(number.to_string()), part.clone()))
        .collect();
    let store = Store::merge(&stores, &folder.join("merged")).expect("the folder is new");
    let mut joined = store.joined_campaigns().expect("they can be read");
    assert_eq!(joined.len(), 1, "the parts are one campaign");
    joined.remove(0)
}

#[test]
fn joined_parts_are_the_undivided_campaign_in_every_number_but_time() {
    let folder = tempfile::tempdir().expect("a folder");
    // Not in order, and not of one size.
    let joined = merged(folder.path(), &[70..401, 0..70, 401..900]);
    assert!(joined.is_over && joined.notes.is_empty(), "{:?}", joined.notes);
    assert_eq!((joined.plan.first, joined.plan.executions, joined.parts), (0, 900, 3));

    let target = clock();
    let plan = whole(&target).plan;
    assert_eq!(joined.plan, plan);
    let (store, ids) = Store::create(&folder.path().join("undivided"), &[plan]).expect("the folder is new");
    store.go_on(ids[0], &whole(&target), &Silent).expect("it runs");
    let undivided = store.campaign(ids[0]).expect("it can be read").standing.expect("it was run");
    assert!(undivided.failed > 1 && undivided.coverage[0].covered() > 400, "there is something to join");
    let joined = joined.standing.expect("it was run");
    assert_eq!(numbers(&joined), numbers(&undivided));

    let merged = Store::look_at(&folder.path().join("merged")).expect("it is there");
    let overviews = merged.joined_overviews().expect("it can be read");
    let [overview] = &overviews[..] else { panic!("{} campaigns", overviews.len()) };
    assert!(overview.is_over);
    let covered: Vec<u64> = joined.coverage.iter().map(|coverage| coverage.covered()).collect();
    assert_eq!(overview.covered, covered);
    assert_eq!(numbers(overview.standing.as_ref().expect("it was run")), numbers(&joined));
}

#[test]
fn executions_that_no_part_has_are_named_and_the_campaign_is_not_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let joined = merged(folder.path(), &[100..200, 300..400]);
    assert!(!joined.is_over);
    let missing: Vec<_> = joined.notes.iter().map(|note| note.split(" are").next()).collect();
    assert_eq!(missing, ["Executions 0 to 99", "Executions 200 to 299", "Executions 400 to 899"].map(Some));
    assert_eq!(joined.standing.expect("it was run").executions, 200);
}

#[test]
fn parts_without_a_journal_are_joined_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let exact = merged(folder.path(), &[0..70, 70..400]);
    let path = folder.path().join("merged");
    let database = rusqlite::Connection::open(path.join("campaign.sqlite")).expect("it is there");
    assert_eq!(database.execute("DELETE FROM journal", []).expect("it can be written"), 1);
    let joined = Store::look_at(&path).expect("it is there").joined_campaigns().expect("it can be read");
    let [joined] = &joined[..] else { panic!("{joined:?}") };
    assert!(joined.notes.iter().any(|note| note.contains("without a journal")), "{:?}", joined.notes);
    let [exact, joined] = [&exact, joined].map(|kept| kept.standing.as_ref().expect("it was run"));
    assert_ne!(exact.fingerprint(), joined.fingerprint());
    assert_eq!(exact.coverage[0].covered(), joined.coverage[0].covered());
    assert_eq!(
        (exact.executions, exact.failed, &exact.tally, &exact.properties),
        (joined.executions, joined.failed, &joined.tally, &joined.properties)
    );
}
