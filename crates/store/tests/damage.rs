//! Stores that were changed after they were written.

use std::fs;
use std::path::Path;

use crate::clock::{campaign, clock};
use rusqlite::Connection;
use shakedown_campaign::Silent;
use shakedown_store::{Store, StoreError};

/// A store with a campaign that has found and covered something, and is a later part of another.
fn make(folder: &Path) {
    let target = clock();
    let mut campaign = campaign(&target, 120);
    (campaign.plan.first, campaign.plan.shrink) = (500, None);
    // Inputs are part of what it learns.
    campaign.plan.strategy = "fuzz:state".parse().expect("a strategy");
    let (store, ids) = Store::create(folder, &[campaign.plan.clone()]).expect("the folder is new");
    store.go_on(ids[0], &campaign, &Silent).expect("it runs");
}

/// Everything that is read of a store, as text.
fn contents(folder: &Path) -> Result<String, StoreError> {
    let campaigns = Store::look_at(folder)?.campaigns()?;
    let mut text = String::new();
    for kept in campaigns {
        let standing = kept.standing.as_ref();
        let covered: Vec<_> = standing
            .iter()
            .flat_map(|standing| &standing.coverage)
            .map(|coverage| coverage.covered())
            .collect();
        let standing = serde_json::to_string(&standing).expect("a standing is data");
        text += &format!("{:?} {standing} {covered:?} {:?} {}", kept.plan, kept.learned, kept.is_over);
    }
    Ok(text)
}

#[test]
fn a_flipped_bit_in_any_table_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let path = folder.path().join("campaign.sqlite");
    let right = fs::read(&path).expect("it is there");
    for (table, column) in [
        ("campaign", "plan"),
        ("standing", "standing"),
        ("standing", "learned"),
        ("covered", "items"),
        ("journal", "entries"),
    ] {
        let database = Connection::open(&path).expect("it is there");
        let read = |row: &rusqlite::Row<'_>| Ok(row.get_ref(0)?.as_bytes()?.to_vec());
        let value =
            database.query_row(&format!("SELECT {column} FROM {table}"), [], read).expect("it is there");
        drop(database);
        assert!(value.len() >= 40, "{table}.{column} holds something");
        let place = right.windows(40).position(|window| window == &value[..40]).expect("it is in the file");
        let mut damaged = right.clone();
        damaged[place + 17] ^= 1;
        fs::write(&path, damaged).expect("it can be written");
        let error = contents(folder.path()).expect_err("it is damaged");
        assert!(matches!(error, StoreError::Damaged { .. }), "{table}.{column}: {error}");
        assert!(error.to_string().contains(&format!("(table {table})")), "{table}.{column}: {error}");
    }
}

#[test]
fn a_damaged_byte_anywhere_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let path = folder.path().join("campaign.sqlite");
    let right = fs::read(&path).expect("it is there");
    let expected = contents(folder.path()).expect("it can be read");
    let mut noticed = 0;
    for place in (0..right.len()).step_by(97) {
        let mut damaged = right.clone();
        damaged[place] ^= 0x15;
        for beside in ["campaign.sqlite-wal", "campaign.sqlite-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
        fs::write(&path, damaged).expect("it can be written");
        match contents(folder.path()) {
            Ok(found) => assert_eq!(found, expected, "byte {place}"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > right.len() / 97 / 4, "only {noticed} of {} damages were noticed", right.len() / 97);
}

#[test]
fn a_lost_row_is_noticed_too() {
    let folder = tempfile::tempdir().expect("a folder");
    for table in ["standing", "covered", "campaign"] {
        let folder = folder.path().join(table);
        make(&folder);
        let database = Connection::open(folder.join("campaign.sqlite")).expect("it is there");
        database.pragma_update(None, "foreign_keys", false).expect("it can be set");
        let deleted = database.execute(&format!("DELETE FROM {table}"), []).expect("it can be written");
        drop(database);
        assert!(deleted > 0);
        let error = contents(&folder).expect_err("a row is missing");
        assert!(matches!(error, StoreError::Damaged { .. }), "{table}: {error}");
    }
}
