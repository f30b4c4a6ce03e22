//! `shakedown scenario` as its users meet it.

use std::process::{Command, Output};

use expect_test::expect;

fn scenario(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shakedown"));
    command.arg("scenario").args(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the command prints text")
}

/// What a command prints, which must end well.
fn printed(arguments: &[&str]) -> String {
    let output = scenario(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn all_scenarios_are_listed_by_target() {
    let list = printed(&["list"]);
    assert_eq!(list.lines().filter(|line| line.starts_with("    ")).count(), 20, "{list}");
    let only = printed(&["list", "pbft"]);
    assert!(only.starts_with("pbft\n    DPropForP "), "{only}");
    assert_eq!(only.lines().count(), 9, "{only}");
}

#[test]
fn what_cannot_be_run_exits_with_2_and_says_why() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "Fog"], "there is no scenario `Fog`: `shakedown scenario list` lists them"),
        (&["run", "ConfChangeBug"], "several targets have a scenario `ConfChangeBug`: give --target"),
        (&["run", "ReVote", "--without", "3"], "scenario `ReVote` has no filter 3: it has 2"),
        (&["run", "ReVote", "--without", "some"], "it is the number of a filter, or `all`"),
        (&["run", "ReVote", "--set", "colour=red"], "raft has no option `colour`"),
        (&["run", "ReVote", "--set", "colour"], "`--set colour` is not of the form OPTION=VALUE"),
        (&["run", "ReVote", "--strategy", "luck"], "there is no strategy `luck`"),
        (&["run", "ReVote", "--iterations", "0"], "invalid value '0'"),
        (&["list", "mencius"], "there is no target `mencius`"),
    ];
    for (arguments, expected) in cases {
        let output = scenario(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
    }
}

#[test]
fn one_iteration_is_explained_event_by_event() {
    let printed = printed(&["run", "DropWrite", "--iterations", "1", "--explain"]);
    let log = printed.lines().skip_while(|line| !line.contains("[start]"));
    let log: String = log.take(12).map(|line| format!("{}\n", line.trim())).collect();
    expect![[r#"
        n4 is asked request 1                        [start]
        n4 sends Request n4>n1#1 (10)                [start] to the strategy
        n4 sends Request n4>n2#1 (10)                [start] to the strategy
        n4 sends Request n4>n3#1 (10)                [start] to the strategy
        n2 receives Request n4>n2#1 (10)             [start]
        n1 receives Request n4>n1#1 (10)             [start]
        n1 sends Propose n1>n2#1 (epoch 0 instance 1 10)                 [start] to the strategy
        n1 sends Propose n1>n3#1 (epoch 0 instance 1 10)                 [start] to the strategy
        n1 sends Propose n1>n4#1 (epoch 0 instance 1 10)                 [start] to the strategy
        n1 sends Write n1>n2#1 (epoch 0 instance 1 7f94)                 [start] filter 1: sent and Write and of epoch 0 → drop
        n1 sends Write n1>n3#1 (epoch 0 instance 1 7f94)                 [start] filter 1: sent and Write and of epoch 0 → drop
        n1 sends Write n1>n4#1 (epoch 0 instance 1 7f94)                 [start] filter 1: sent and Write and of epoch 0 → drop
    "#]].assert_eq(&log);
}

#[test]
fn distances_come_with_advice() {
    let printed = printed(&["run", "PrevEpochProposal", "--iterations", "1", "--distances"]);
    let lines: String = printed
        .lines()
        .filter(|line| line.contains("distance"))
        .map(|line| format!("{}\n", line.trim()))
        .collect();
    expect![[r#"
        distance  filter 2 to filter 1: 29 messages; PCTCP alone will hardly get there
    "#]]
    .assert_eq(&lines);
}

#[test]
fn jobs_do_not_change_what_is_said() {
    let run = |jobs| {
        let printed = printed(&["run", "ReVote", "--iterations", "20", "--jobs", jobs, "--json"]);
        let mut json: serde_json::Value = serde_json::from_str(&printed).expect("the command prints JSON");
        json[0]["milliseconds"].take();
        json
    };
    let one = run("1");
    assert_eq!(one[0]["iterations"], 20);
    assert_eq!(one, run("2"));
}

#[test]
fn too_few_successes_and_violations_exit_with_1() {
    let low = scenario(&["run", "ReVote", "--without", "all", "--at-least", "0.9"]);
    assert_eq!(low.status.code(), Some(1));
    let planted =
        ["run", "ConfChangeBug", "--target", "planted-raft", "--set", "fault=reconfiguration-unfixed"];
    let found = scenario(&planted);
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stdout).contains("state-machine-safety"), "{}", text(&found.stdout));
}
