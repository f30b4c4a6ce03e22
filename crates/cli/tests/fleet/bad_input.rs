//! What goes wrong: no server, another build, full streams, poison. Each is reported, ends with 2 or goes on,
//! and nothing is lost.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nats::Nats;
use crate::processes::{
    Process, SHAKEDOWN, alone, assert_same, heard_coordinator, heard_worker, kept, refused, worker,
};
use crate::server::{Server, program, wait_until};

/// A campaign that takes a moment and finds something.
const CAMPAIGN: &str =
    "planted-raft --set fault=vote-not-persisted --keep-going --shrink-budget 300 --measure state -n 2000";

#[test]
fn what_cannot_work_is_reported_and_ends_with_2() {
    let nowhere = refused(&["run", "planted-raft", "-n", "10", "--fleet", "nats://127.0.0.1:1"]);
    assert!(nowhere.contains("cannot connect to the NATS server at nats://127.0.0.1:1"), "{nowhere}");
    let plain = refused(&["worker", "--fleet", "nats://203.0.113.1:4222"]);
    assert!(plain.contains("would be plain text") && plain.contains("--fleet-insecure"), "{plain}");
    let missing = refused(&["worker", "--fleet", "nats://127.0.0.1:1", "--fleet-creds", "/nowhere"]);
    assert!(missing.contains("cannot read /nowhere"), "{missing}");
}

#[test]
fn a_server_that_refuses_and_a_worker_of_another_build_are_named() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let guarded = Server::start(&nats, &folder.path().join("guarded"), &["--user", "me", "--pass", "secret"]);
    let error = refused(&["run", "planted-raft", "-n", "10", "--fleet", &guarded.url()]);
    assert!(error.contains("authorization violation"), "{error}");

    let open = Server::start(&nats, &folder.path().join("open"), &[]);
    // The same program with a byte more is another build, and runs as well.
    let other = folder.path().join("other");
    let mut program = std::fs::read(SHAKEDOWN).expect("it is there");
    program.push(0);
    std::fs::copy(SHAKEDOWN, &other).expect("with its mode");
    std::fs::write(&other, program).expect("it is written");
    let _worker = Process::start(Command::new(other).args(["worker", "--fleet", &open.url()]));
    let kept_in = folder.path().join("kept");
    let arguments = "planted-raft -n 10 --measure state";
    let mut coordinator = heard_coordinator(&format!("{arguments} --time 7"), &open.url(), &kept_in);
    assert_eq!(coordinator.exit_code(), Some(2), "{}", coordinator.heard());
    coordinator.wait_until_it_prints("waiting for workers of this build");
    coordinator.wait_until_it_prints("of another build");
    // Nothing is lost: with a worker that fits it comes to its end.
    let _fits = worker(&open.url());
    let resumed = Command::new(SHAKEDOWN).arg("resume").arg(&kept_in).args(["--fleet", &open.url()]).output();
    assert_eq!(resumed.expect("it starts").status.code(), Some(0));
    assert_same(&kept(&kept_in), &alone(arguments, &folder.path().join("alone")), "with a worker that fits");
}

/// A target that a file describes, of this version. Its host is a small program in Python.
fn described(folder: &Path, version: &str) -> PathBuf {
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/../target-file/tests/store.py");
    let text = format!(
        "version = 1\n[target]\nname = \"store\"\nversion = \"{version}\"\ncommand = [\"python3\", \"{host}\"]\n\
         encoding = \"json\"\nsteps = 60\nrequests = 8\nweights = \"tick=0\"\n[contract]\nbase = \"reliable\"\n\
         [workload]\nname = \"register\"\n"
    );
    let folder = folder.join(version);
    std::fs::create_dir(&folder).expect("it is new");
    std::fs::write(folder.join("shakedown.toml"), text).expect("it is written");
    folder
}

#[test]
fn workers_without_the_target_or_with_another_version_of_it_refuse() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let [ours, other] = ["1.0", "2.0"].map(|version| described(folder.path(), version));
    let worker_in = |folder: &Path| {
        let mut command = Command::new(SHAKEDOWN);
        Process::start(command.args(["worker", "--jobs", "1", "--fleet", &server.url()]).current_dir(folder))
    };
    let coordinator = |arguments: &[&str]| {
        let mut command = Command::new(SHAKEDOWN);
        command.args(arguments).args(["--fleet", &server.url()]).current_dir(&ours);
        Process::start_heard(&mut command)
    };
    let mut run = coordinator(&["run", "store", "-n", "40", "--keep", "kept"]);
    for (without, reason) in [(folder.path(), "there is no target `store` here"), (&other, "2.0")] {
        let _worker = worker_in(without);
        assert_eq!(run.exit_code(), Some(2), "{}", run.heard());
        run.wait_until_it_prints("every worker refuses the campaign");
        assert!(run.heard().contains(reason), "{}", run.heard());
        run = coordinator(&["resume", "kept"]);
    }
    let _worker = worker_in(&ours);
    assert_eq!(run.exit_code(), Some(0), "{}", run.heard());
    let alone = Command::new(SHAKEDOWN)
        .args(["run", "store", "-n", "40", "--keep", "alone"])
        .current_dir(&ours)
        .status();
    assert!(alone.is_ok_and(|status| status.success()));
    assert_same(&kept(&ours.join("kept")), &kept(&ours.join("alone")), "with a worker that has the target");
}

/// A finding is an exit code of 1.
const FOUND: Option<i32> = Some(1);

#[test]
fn a_full_stream_of_batches_or_reports_holds_a_campaign_up_and_loses_nothing() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    harm.make_stream("SHAKEDOWN_WORK", 1 << 20);
    harm.make_stream("SHAKEDOWN_REPORTS", 1 << 21);
    harm.fill("shakedown.work.another.campaign");
    harm.fill("shakedown.reports.another");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &folder.path().join("kept"));
    coordinator.wait_until_it_prints("the stream of batches has no room");
    harm.empty("SHAKEDOWN_WORK");
    let worker = heard_worker(&server.url());
    worker.wait_until_it_prints("the stream of reports has no room");
    harm.empty("SHAKEDOWN_REPORTS");
    assert_eq!(coordinator.exit_code(), FOUND, "{}", coordinator.heard());
    let local = alone(CAMPAIGN, &folder.path().join("alone"));
    assert_same(&kept(&folder.path().join("kept")), &local, "after full streams");
}

#[test]
fn without_room_for_the_plan_a_campaign_ends_and_goes_on_when_there_is_room() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    harm.make_stream("SHAKEDOWN_STATE", 1 << 16);
    harm.fill("shakedown.state.another.plan");
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    assert_eq!(coordinator.exit_code(), Some(2));
    coordinator.wait_until_it_prints("has no room to keep the plan");
    harm.empty("SHAKEDOWN_STATE");
    let _worker = worker(&server.url());
    let resumed =
        Command::new(SHAKEDOWN).arg("resume").arg(&kept_in).args(["--fleet", &server.url()]).output();
    assert_eq!(resumed.expect("it starts").status.code(), FOUND);
    let local = alone(CAMPAIGN, &folder.path().join("alone"));
    assert_same(&kept(&kept_in), &local, "after a full stream");
}

#[test]
fn poison_is_left_out_and_reported() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut harm = Nats::connect(server.port());
    let kept_in = folder.path().join("kept");
    let mut coordinator = heard_coordinator(CAMPAIGN, &server.url(), &kept_in);
    // Without workers it waits.
    let mut work = None;
    wait_until("a batch is given out", || {
        let subjects = harm.subjects("SHAKEDOWN_WORK");
        work = subjects.into_iter().next();
        work.is_some()
    });
    let work = work.expect("a batch was given out");
    let campaign = work.rsplit('.').next().expect("it ends with the campaign").to_owned();
    for poison in [&b"poison"[..], b"shakedown fleet \x02\x96", b"shakedown fleet \xff", b""] {
        for subject in
            [&work, &format!("shakedown.reports.{campaign}"), &format!("shakedown.refusal.{campaign}")]
        {
            harm.publish(subject, poison);
        }
        harm.publish("shakedown.presence.nobody", poison);
        harm.publish(&format!("shakedown.state.{campaign}.lessons.0"), poison);
    }
    // A report whose object is larger than anything, and one whose object is not there.
    for size in [&b"\xcf\x40\0\0\0\0\0\0\0"[..], b"\x05"] {
        let (head, tail) = (&b"\x00\x01\xa1w\x00\x81\xa6Object\x92\xa1o"[..], size);
        let name = [&[0xd9, campaign.len() as u8][..], campaign.as_bytes()].concat();
        let report = [&b"shakedown fleet \x02\x96"[..], &name, head, tail].concat();
        harm.publish(&format!("shakedown.reports.{campaign}"), &report);
    }
    let worker = heard_worker(&server.url());
    coordinator.wait_until_it_prints("a report was left out, it cannot be read");
    assert_eq!(coordinator.exit_code(), FOUND, "{}", coordinator.heard());
    worker.wait_until_it_prints("a batch was left out");
    coordinator.wait_until_it_prints("6 reports in all could not be read");
    let local = alone(CAMPAIGN, &folder.path().join("alone"));
    assert_same(&kept(&kept_in), &local, "after poison");
}
