//! Stores that are being made when their process ends.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::clock::{campaign, clock};
use rusqlite::Connection;
use shakedown_campaign::{Plan, Silent};
use shakedown_store::{Store, StoreError, failures_in};

fn plan() -> Plan {
    campaign(&clock(), 20).plan
}

/// Both ways to go on from here are clear: it is not to be resumed, but to be begun again.
fn counts_as_new(folder: &Path) {
    for opened in [Store::open(folder), Store::look_at(folder)] {
        let error = opened.expect_err("there is no campaign yet");
        assert!(matches!(error, StoreError::NotBegun { .. }), "{error}");
        assert!(error.to_string().contains("repeat the command that began it"), "{error}");
    }
    let (store, ids) = Store::create(folder, &[plan()]).expect("it counts as new");
    drop(store);
    let store = Store::open(folder).expect("now it is one");
    assert_eq!(store.campaign(ids[0]).expect("it can be read").plan, plan());
}

#[test]
fn a_folder_in_which_a_store_was_never_finished_counts_as_new() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("campaign.lock"), "").expect("there is room");
    fs::write(folder.path().join("campaign.sqlite.draft.tmp"), "SQLite format 3").expect("there is room");
    counts_as_new(folder.path());
    assert!(!folder.path().join("campaign.sqlite.draft.tmp").exists());
}

#[test]
fn so_does_one_of_version_1_that_was_killed_before_its_tables_were_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("campaign.sqlite");
    fs::write(&path, "").expect("there is room");
    counts_as_new(folder.path());

    let folder = tempfile::tempdir().expect("a folder");
    let database = Connection::open(folder.path().join("campaign.sqlite")).expect("there is room");
    database.pragma_update(None, "journal_mode", "wal").expect("it can be written");
    drop(database);
    assert!(fs::metadata(folder.path().join("campaign.sqlite")).expect("it is there").len() > 0);
    counts_as_new(folder.path());
}

#[test]
fn and_one_of_version_1_that_was_killed_before_its_campaign_was_entered() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Connection::open(folder.path().join("campaign.sqlite")).expect("there is room");
    database.execute_batch(include_str!("../src/schema.sql")).expect("it can be written");
    database.pragma_update(None, "application_id", 0x7368_616b).expect("it can be written");
    database.pragma_update(None, "user_version", 1).expect("it can be written");
    drop(database);
    counts_as_new(folder.path());
}

#[test]
fn a_store_with_a_campaign_and_a_foreign_file_are_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::create(folder.path(), &[plan()]).expect("the folder is new"));
    let taken = Store::create(folder.path(), &[plan()]).expect_err("there is a campaign");
    assert!(matches!(taken, StoreError::Taken { .. }), "{taken}");

    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("campaign.sqlite"), "my notes").expect("there is room");
    let taken = Store::create(folder.path(), &[plan()]).expect_err("there is a file");
    assert!(matches!(taken, StoreError::Taken { .. }), "{taken}");
}

#[test]
fn a_young_write_ahead_log_that_is_damaged_does_not_take_everything_with_it() {
    let [folder, copy] = ["run", "copy"].map(|_| tempfile::tempdir().expect("a folder"));
    let target = clock();
    let mut campaign = campaign(&target, 600);
    campaign.keep_every = Duration::ZERO;
    let (store, ids) = Store::create(folder.path(), &[campaign.plan.clone()]).expect("the folder is new");
    // The limit of disk ends it after its first checkpoint; the files are as a killed process leaves them.
    let store = store.with_disk_max(Some(0));
    store.go_on(ids[0], &campaign, &Silent).expect("it runs");
    for name in ["campaign.sqlite", "campaign.sqlite-wal"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).expect("it is there");
    }
    let log = copy.path().join("campaign.sqlite-wal");
    let mut bytes = fs::read(&log).expect("it is there");
    assert!(bytes.len() > 4_096, "the log holds something");
    bytes[60..64].fill(0xa5);
    fs::write(&log, bytes).expect("it can be written");

    let damaged = Store::open(copy.path()).expect("it can be opened");
    let standing = damaged.campaign(ids[0]).expect("it can be read").standing.expect("it has begun");
    assert_eq!(standing.executions, 256);
    let resumed = damaged.go_on(ids[0], &campaign, &Silent).expect("it goes on");
    assert_eq!(resumed.fingerprint, campaign.run(&Silent).expect("it runs").fingerprint);
}

#[test]
fn drafts_of_failure_files_are_swept_and_other_files_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::create(folder.path(), &[plan()]).expect("the folder is new"));
    let failures = failures_in(folder.path());
    fs::create_dir(&failures).expect("there is room");
    let ours = failures.join("clock-count-below-bound-1a2b.json.4711-0.tmp");
    let others = [failures.join("notes.tmp"), failures.join("a.json"), folder.path().join("b.json.1-2.tmp")];
    for file in others.iter().chain([&ours]) {
        fs::write(file, "half").expect("there is room");
    }
    drop(Store::open(folder.path()).expect("it is there"));
    assert!(!ours.exists());
    assert!(others.iter().all(|file| file.exists()));
}
