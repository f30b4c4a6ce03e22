//! Which properties were checked, in every output.

use crate::command::{json, shakedown, text};

const RUN: [&str; 8] =
    ["run", "raft", "--executions", "20", "--set", "library_invariants=false", "--set", "liveness=true"];

#[test]
fn a_property_that_was_never_put_to_the_test_is_a_warning_and_no_passed_case() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (junit, html) = (at("junit.xml"), at("page.html"));
    let output = shakedown(&[&RUN[..], &["--junit", &junit, "--html", &html]].concat());
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let row = |name: &str| -> Vec<String> {
        let line = printed.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        let line = line.unwrap_or_else(|| panic!("no line of {name}: {printed}"));
        line.split_whitespace().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(row("election-safety"), ["20", "20", "0", "0"]);
    assert_eq!(row("every-request-answered"), ["0", "0", "0", "0"], "a random walk is never calm");
    assert!(printed.contains("warning: every-request-answered was never put to the test"), "{printed}");

    let junit = std::fs::read_to_string(junit).expect("it was written");
    assert!(junit.contains("<testcase name=\"election-safety\" classname=\"raft random\"/>"), "{junit}");
    assert!(junit.contains("skipped=\"3\""), "{junit}");
    let html = std::fs::read_to_string(html).expect("it was written");
    let row = "<tr><th scope=\"row\">election-safety</th><td>20</td><td>20</td><td>0</td><td>0</td></tr>";
    assert!(html.contains(row) && html.contains("Every-request-answered was never put to the test"));

    let summary = json(&[&RUN[..], &["--json"]].concat());
    let properties = summary["properties"].as_array().expect("they are a list");
    let first = &properties[0];
    assert_eq!((first["name"].as_str(), first["held"].as_u64()), (Some("election-safety"), Some(20)));
    assert!(first["evaluations"].as_u64() > Some(20), "{first}");
    assert_eq!(summary["properties_counted_in"], 20);
}

#[test]
fn a_way_without_waypoints_exits_with_2_and_names_the_predicates() {
    let output = shakedown(&["run", "raft", "--strategy", "waypoint", "--executions", "3"]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("it needs waypoints") && printed.contains("LogDiff(x)"), "{printed}");
}

#[test]
fn what_a_strategy_never_does_is_a_warning() {
    let run = ["run", "figure1", "--strategy", "closure", "--executions", "3"];
    let printed = text(&shakedown(&run).stdout);
    assert!(printed.contains("warning: the strategy closure makes no cut, heal steps"), "{printed}");
    let summary = json(&[&run[..], &["--json"]].concat());
    assert_eq!(summary["left_out_by_strategy"], serde_json::json!(["cut", "heal"]));
    let run = ["run", "omnipaxos", "--executions", "20", "--weights", "crash=0"];
    let printed = text(&shakedown(&run).stdout);
    assert!(!printed.contains("warning"), "nothing restarts where nothing crashes: {printed}");
}
