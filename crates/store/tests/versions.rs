//! Stores that older versions of Shakedown made.

use std::fs;

use crate::clock::{campaign, clock};
use rusqlite::Connection;
use shakedown_campaign::Silent;
use shakedown_store::Store;

/// A campaign of 300 executions that was cut short after 256, made by the last Shakedown that wrote
/// version 1.
const VERSION_1: &[u8] = include_bytes!("fixtures/version-1/campaign.sqlite");

#[test]
fn a_store_of_version_1_can_be_looked_at_and_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("campaign.sqlite");
    fs::write(&path, VERSION_1).expect("there is room");
    let kept = Store::look_at(folder.path()).expect("it is a store").campaigns().expect("it can be read");
    let [one] = &kept[..] else { panic!("{kept:?}") };
    let standing = one.standing.as_ref().expect("it has begun");
    let covered: Vec<_> = standing.coverage.iter().map(|coverage| coverage.covered()).collect();
    assert_eq!((standing.executions, standing.failed, covered), (256, 22, vec![453, 256]));
    assert!(!one.is_over);
    assert_eq!(fs::read(&path).expect("it is there"), VERSION_1);
}

#[test]
fn a_store_of_version_1_goes_on_and_comes_to_the_same_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("campaign.sqlite");
    fs::write(&path, VERSION_1).expect("there is room");
    let target = clock();
    let campaign = campaign(&target, 300);
    let store = Store::open(folder.path()).expect("it is a store");
    let id = store.campaigns().expect("it can be read")[0].id;
    let resumed = store.go_on(id, &campaign, &Silent).expect("it goes on");
    let undisturbed = campaign.run(&Silent).expect("it runs");
    assert_eq!(resumed.fingerprint, undisturbed.fingerprint);
    assert_eq!((resumed.executions, resumed.failed), (300, undisturbed.failed));
    assert_eq!(resumed.coverage[0].covered(), undisturbed.coverage[0].covered());
    let counted = (resumed.properties.executions, undisturbed.properties.executions);
    assert_eq!(counted, (44, 300), "the first 256 were run by a version that did not count");
    drop(store);

    let version = |database: &Connection| {
        database.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0)).expect("it has one")
    };
    assert_eq!(version(&Connection::open(&path).expect("it is there")), 2);
    let again =
        Store::look_at(folder.path()).expect("it is a store").campaigns().expect("the checksums are right");
    assert!(again[0].is_over);
}
