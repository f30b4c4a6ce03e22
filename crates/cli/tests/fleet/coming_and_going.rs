//! Workers leave when they are asked to or stand still, a coordinator takes over from another one: nothing is
//! lost or held up.

use std::path::Path;
use std::process::Command;

use crate::nats::Nats;
use crate::processes::{SHAKEDOWN, alone, assert_same, done, heard_coordinator, kept, worker};
use crate::server::{Server, program, wait_until};

const RANDOM: &str = "planted-raft --measure state -n 4000";
const LEARNER: &str = "planted-raft --strategy bonusmax:generation=32 --measure state -n 1500";

#[test]
fn a_worker_that_is_asked_to_end_reports_the_batch_that_it_has() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(RANDOM, &server.url(), &kept_in);
    for _ in 0..3 {
        let mut worker = worker(&server.url());
        wait_until("the worker has a batch", || harm.under_way("SHAKEDOWN_WORK") > 0);
        worker.signal("-TERM");
        assert_eq!(worker.exit_code(), Some(0));
        assert_eq!(harm.under_way("SHAKEDOWN_WORK"), 0, "its batch is acknowledged");
    }
    let _last = worker(&server.url());
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(&kept(&kept_in), &alone(RANDOM, &folder.path().join("alone")), "after workers that left");
}

#[test]
fn a_worker_that_stands_still_does_not_hold_a_generation() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(LEARNER, &server.url(), &kept_in);
    let stopped = worker(&server.url());
    wait_until("it has a batch", || harm.under_way("SHAKEDOWN_WORK") > 0);
    stopped.signal("-STOP");
    let _other = worker(&server.url());
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(
        &kept(&kept_in),
        &alone(LEARNER, &folder.path().join("alone")),
        "beside one that stood still",
    );
}

#[test]
fn of_two_coordinators_of_one_plan_the_later_one_goes_on() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let mut first = heard_coordinator(LEARNER, &server.url(), &folder.path().join("first"));
    wait_until("the first one gives out", || !harm.subjects("SHAKEDOWN_WORK").is_empty());
    let kept_in = folder.path().join("second");
    let mut second = heard_coordinator(LEARNER, &server.url(), &kept_in);
    assert_eq!(first.exit_code(), Some(2), "{}", first.heard());
    first.wait_until_it_prints("another coordinator has taken this campaign over");
    // What the first one leaves behind is the second one's: a worker that joins only now reads it.
    let _worker = worker(&server.url());
    assert_eq!(second.exit_code(), Some(0), "{}", second.heard());
    assert_same(&kept(&kept_in), &alone(LEARNER, &folder.path().join("alone")), "after taking over");
}

#[test]
fn two_campaigns_share_a_worker() {
    const EACH: u64 = 6_000;
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let campaign = |seed: u64| {
        let kept_in = folder.path().join(seed.to_string());
        let arguments = format!("planted-raft --seed {seed} --measure state -n {EACH}");
        (heard_coordinator(&arguments, &server.url(), &kept_in), kept_in)
    };
    let mut all = [campaign(1), campaign(2)];
    wait_until("both give out", || harm.subjects("SHAKEDOWN_WORK").len() == 2);
    let _worker = worker(&server.url());
    wait_until("one of them is over", || all.iter_mut().any(|(process, _)| !process.is_alive()));
    for (process, kept_in) in &mut all {
        if process.is_alive() {
            process.signal("-INT");
        }
        process.exit_code();
        let done = done(kept_in);
        assert!(
            done >= EACH / 4,
            "{done} of {EACH} executions of one while the other one has run all of its"
        );
    }
}

/// The exit code of a campaign that goes on.
fn resumed(folder: &Path, url: &str) -> Option<i32> {
    let resumed = Command::new(SHAKEDOWN).arg("resume").arg(folder).args(["--fleet", url]).output();
    resumed.expect("it starts").status.code()
}

#[test]
fn a_server_that_lost_everything_is_filled_again_by_a_campaign_that_is_resumed() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let kept_in = folder.path().join("kept");
    let coordinator = heard_coordinator(RANDOM, &server.url(), &kept_in);
    let _worker = worker(&server.url());
    wait_until("it has begun", || done(&kept_in) > 0);
    server.lose_everything();
    // A coordinator that connects makes the streams again. The worker stays.
    drop(coordinator);
    assert_eq!(resumed(&kept_in, &server.url()), Some(0));
    assert_same(
        &kept(&kept_in),
        &alone(RANDOM, &folder.path().join("alone")),
        "by a server that lost everything",
    );
}
