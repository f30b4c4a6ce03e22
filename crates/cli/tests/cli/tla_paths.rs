//! `shakedown tla paths`: what it tells, and that its paths are behaviours.

use std::path::Path;

use crate::command::{command, json, shakedown, text};

fn spec(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(name).display().to_string()
}

#[test]
fn every_setting_covers_its_targets_and_the_shorter_ones_are_shorter() {
    let reported = |more: &[&str]| {
        let reported = json(&[&["tla", "paths", &spec("AppMaster.tla"), "--json"], more].concat());
        let number = |name: &str| reported["statistics"][name].as_u64().expect("it is a number");
        assert_eq!(number("covered"), number("targets"), "{more:?}");
        assert_eq!(number("states"), 852, "{more:?}");
        (number("paths"), number("steps"))
    };
    let (paths, steps) = reported(&[]);
    let (single_paths, single_steps) = reported(&["--reduce=single"]);
    let (reduced_paths, reduced_steps) = reported(&["--reduce"]);
    let (greedy_paths, greedy_steps) = reported(&["--reduce", "--greedy"]);
    assert!(paths > single_paths && single_paths > reduced_paths && reduced_paths > greedy_paths);
    assert!(steps > single_steps && single_steps > reduced_steps && reduced_steps > greedy_steps);
    assert!(reported(&["--cover", "nodes"]).0 < reduced_paths);
}

#[test]
fn a_path_that_is_listed_runs_without_a_stutter() {
    let reported = json(&["tla", "paths", &spec("Raft.tla"), "--reduce", "--list", "3", "--json"]);
    let paths = reported["paths"].as_array().expect("there is a list");
    assert_eq!(paths.len(), 3);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for path in paths {
        let file = folder.path().join("actions.json");
        std::fs::write(&file, path["actions"].to_string()).expect("it can be written");
        let run = json(&["tla", "run", &spec("Raft.tla"), &file.display().to_string(), "--json"]);
        assert_eq!(run["stutters"], serde_json::json!([]));
        assert_eq!(run["states"][0], path["initial"]);
    }
}

#[test]
fn paths_stop_after_the_action_that_is_their_end() {
    let reported =
        json(&["tla", "paths", &spec("Raft.tla"), "--end", "ElectLeader", "--list", "100000", "--json"]);
    let paths = reported["paths"].as_array().expect("there is a list");
    let mut ended = 0;
    for path in paths {
        let actions = path["actions"].as_array().expect("it has actions");
        let elections = actions.iter().filter(|action| action["action"] == "ElectLeader").count();
        assert!(elections <= 1);
        if elections == 1 {
            assert_eq!(actions.last().expect("there is one")["action"], "ElectLeader");
            ended += 1;
        }
    }
    assert!(ended > 0, "no path comes to an election");
    assert!(reported["statistics"]["states"].as_u64() < reported["statistics"]["graph"]["states"].as_u64());
}

#[test]
fn what_cannot_be_covered_is_refused_with_a_way_out() {
    let refused = |more: &[&str], expected: &str| {
        let output = shakedown(&[&["tla", "paths", &spec("Raft.tla")], more].concat());
        let printed = text(&output.stderr);
        assert!(output.status.code() != Some(0) && printed.contains(expected), "{more:?}: {printed}");
    };
    refused(&["--end", "Elect"], "no action Elect is ever taken; those that are: AdvanceCommitIndex");
    refused(&["--cover", "nodes", "--reduce"], "--reduce leaves out edges");
    refused(&["--states", "10"], "more than 10 states");
    refused(&["--config", &spec("Raft-snapshot.cfg")], "with SYMMETRY or VIEW");
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_could_not_be_printed_are_no_success() {
    let full = std::fs::File::create("/dev/full").expect("Linux has a device that is always full");
    let mut paths = command(&["tla", "paths", &spec("Raft.tla")]);
    let output = paths.stdout(full).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).lines().count(), 1);
    let (reader, writer) = std::io::pipe().expect("there is a pipe");
    drop(reader);
    let mut paths = command(&["tla", "paths", &spec("Raft.tla")]);
    let output = paths.stdout(writer).output().expect("the command starts");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}
