//! What a campaign keeps on the server: it stays as long as it is needed, and no longer.

use std::time::Duration;

use crate::nats::Nats;
use crate::processes::{alone, assert_same, heard_coordinator, kept, worker};
use crate::server::{Server, program, wait_until};

#[test]
fn plans_and_snapshots_outlast_the_age_of_messages() {
    const CAMPAIGN: &str = "planted-raft --strategy bonusmax:generation=32 --measure state -n 600 --time 120";
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    harm.make_ageing_stream("SHAKEDOWN_STATE", 1 << 26, Duration::from_secs(2));
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    wait_until("there is a plan", || !harm.subjects("SHAKEDOWN_STATE").is_empty());
    let first = harm.state("SHAKEDOWN_STATE")["first_ts"].clone();
    wait_until("the first ones are gone", || harm.state("SHAKEDOWN_STATE")["first_ts"] != first);
    wait_until("a worker that joins now finds a plan and a snapshot", || {
        harm.subjects("SHAKEDOWN_STATE").len() == 2
    });
    let _worker = worker(&server.url());
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(
        &kept(&kept_in),
        &alone(CAMPAIGN, &folder.path().join("alone")),
        "that is older than messages",
    );
}

#[test]
fn what_is_too_large_for_a_message_goes_when_the_campaign_ends() {
    const CAMPAIGN: &str = "planted-raft --strategy bonusmax:generation=1500 --measure state -n 4500";
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    let _workers = [worker(&server.url()), worker(&server.url())];
    let mut most = 0;
    wait_until("there was something large", || {
        most = harm.state("OBJ_SHAKEDOWN")["bytes"].as_u64().unwrap_or(0).max(most);
        most > 1 << 20
    });
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    let left = harm.state("OBJ_SHAKEDOWN")["bytes"].as_u64().expect("the object store is there");
    // Of each object that is gone, the server keeps its name.
    assert!(left < 1 << 16, "{left} bytes are left");
    for stream in ["SHAKEDOWN_WORK", "SHAKEDOWN_REPORTS", "SHAKEDOWN_STATE"] {
        assert_eq!(harm.state(stream)["messages"], 0, "{stream}");
    }
    assert_same(&kept(&kept_in), &alone(CAMPAIGN, &folder.path().join("alone")), "with large generations");
}

#[test]
fn no_more_than_two_snapshots_have_to_fit_into_the_object_store() {
    // The last three have at least 4.2 MB, the last two at most 4.
    const ROOM: u32 = 4_100_000;
    const CAMPAIGN: &str = "planted-raft --strategy bonusmax:generation=128 --measure state -n 6000";
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    harm.make_object_store(ROOM);
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    let _workers = [worker(&server.url()), worker(&server.url())];
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(&kept(&kept_in), &alone(CAMPAIGN, &folder.path().join("alone")), "with little room");
}

#[test]
fn consumers_that_someone_deletes_are_made_again() {
    const CAMPAIGN: &str = "planted-raft --measure state -n 4000";
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    let _worker = worker(&server.url());
    wait_until("a worker works", || harm.under_way("SHAKEDOWN_WORK") > 0);
    harm.forget_consumers("SHAKEDOWN_WORK");
    harm.forget_consumers("SHAKEDOWN_REPORTS");
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(&kept(&kept_in), &alone(CAMPAIGN, &folder.path().join("alone")), "without its consumers");
}
