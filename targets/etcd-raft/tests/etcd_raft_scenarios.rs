//! What comes of the eleven Raft scenarios of Netrix on etcd's own library, each beside the authors' outcome.
//!
//! Executions follow from the seed, so the numbers are exact: a change of the adapter, of the strategy
//! underneath or of the scenarios shows here as a difference to look at.

use std::fmt::Write;

use expect_test::expect;
use shakedown::AnyTarget;
use shakedown::campaign::{ScenarioRun, Silent, Target};
use shakedown::cluster::Value;
use shakedown::remote::Encoding;
use shakedown_etcd_raft::{HOSTS, are_built, target};
use shakedown_raft::RaftMessage;
use shakedown_target_file::{Contents, read_scenarios};

/// A scenario, and how many of 100 iterations the thesis reports.
const SCENARIOS: [(&str, u64); 11] = [
    ("Liveness", 15),
    ("LivenessNoCQ", 100),
    ("NoLiveness", 100),
    ("ConfChangeBug", 55),
    ("DropHeartbeat", 100),
    ("DropVotes", 80),
    ("DropFVotes", 100),
    ("DropAppend", 100),
    ("ReVote", 74),
    ("ManyReVote", 92),
    ("MultiReVote", 81),
];

#[test]
fn the_scenarios_of_netrix_on_the_library_of_their_authors() {
    if !are_built() {
        return;
    }
    let target = target(&HOSTS[0], Encoding::MsgPack);
    let mut report = String::new();
    for (scenario, thesis) in SCENARIOS {
        let mut run = ScenarioRun::new(&target, scenario);
        run.iterations = 40;
        let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
        let _ = writeln!(report, "{scenario}: {} of 40; thesis {thesis} of 100", summary.successes);
    }
    expect![[r#"
        Liveness: 8 of 40; thesis 15 of 100
        LivenessNoCQ: 40 of 40; thesis 100 of 100
        NoLiveness: 40 of 40; thesis 100 of 100
        ConfChangeBug: 0 of 40; thesis 55 of 100
        DropHeartbeat: 40 of 40; thesis 100 of 100
        DropVotes: 33 of 40; thesis 80 of 100
        DropFVotes: 40 of 40; thesis 100 of 100
        DropAppend: 40 of 40; thesis 100 of 100
        ReVote: 30 of 40; thesis 74 of 100
        ManyReVote: 29 of 40; thesis 92 of 100
        MultiReVote: 29 of 40; thesis 81 of 100
    "#]]
    .assert_eq(&report);
}

/// The text that the target `raft` runs too.
const TEXT: &str = include_str!("../../raft/tests/netrix.scenario");

/// The fields of a message that the text asks for.
const CONTENTS: Contents<RaftMessage> = Contents {
    field: |message, path| match path {
        ["term"] => Some(Value::from(message.0.term)),
        ["index"] => Some(Value::from(message.0.index)),
        _ => None,
    },
    change: |_, _, _| {},
};

/// How often it succeeded, and how often each filter matched.
fn outcome(target: &impl AnyTarget, scenario: &str) -> (u64, u64, Vec<u64>) {
    let mut run = ScenarioRun::new(target, scenario);
    run.iterations = 10;
    let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{scenario}: {error}"));
    let matched = summary.total.filters.iter().map(|tally| tally.matched).collect();
    (summary.successes, summary.fails, matched)
}

#[test]
fn a_scenario_as_text_does_on_a_host_what_it_does_in_rust() {
    if !are_built() {
        return;
    }
    let texts = read_scenarios(TEXT, CONTENTS).unwrap_or_else(|error| panic!("netrix.scenario: {error}"));
    let in_rust = target(&HOSTS[0], Encoding::MsgPack);
    let as_text = texts.into_iter().fold(target(&HOSTS[0], Encoding::MsgPack), Target::scenario);
    // One filters by a field of messages, one by what was noted, and one keeps messages back.
    for scenario in ["DropFVotes", "DropAppend", "ReVote"] {
        let (rust, text) = (outcome(&in_rust, scenario), outcome(&as_text, scenario));
        assert_eq!(text, rust, "{scenario}");
        assert!(text.0 > 0, "{scenario} never succeeds");
    }
}

/// etcd-io/etcd issue 20418: found in the releases that have it, and not in the one that mends it.
#[test]
fn a_replaced_leader_answers_a_read_before_release_3_7() {
    if !are_built() {
        return;
    }
    for (name, expected) in [("etcd-raft-3.5", 5), ("etcd-raft-3.6", 5), ("etcd-raft", 0)] {
        let info = HOSTS.iter().find(|host| host.name == name).expect("there is such a host");
        let target = target(info, Encoding::MsgPack);
        let mut run = ScenarioRun::new(&target, "StaleRead");
        run.iterations = 30;
        let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(summary.successes, expected, "{name}");
        let violated: Vec<_> =
            summary.violations.iter().map(|(_, violation)| violation.property.as_str()).collect();
        assert_eq!(violated, if expected > 0 { vec!["linearizability"] } else { Vec::new() }, "{name}");
    }
}
