//! What there is to choose from, as JSON.

use serde_json::Value;

use crate::command::{json, shakedown};

fn names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|entry| entry["name"].as_str().expect("a name")).collect()
}

#[test]
fn strategies_are_listed_with_their_parameters_defaults_and_values() {
    let strategies = json(&["strategies", "--json"]);
    assert_eq!(names(&strategies)[..3], ["random", "pctcp", "pos"]);
    let depth = &strategies[1]["parameters"][0];
    assert_eq!((&depth["name"], &depth["default"]), (&"depth".into(), &"6".into()));
    assert_eq!(depth["takes"], "a number from 1 to 1000000, or any");
    let fuzz = &strategies[names(&strategies).iter().position(|name| *name == "fuzz").expect("it is there")];
    assert_eq!(names(&fuzz["parameters"])[..2], ["guide", "mode"]);
    assert_eq!(fuzz["parameters"][1]["words"], serde_json::json!(["own", "published"]));
}

#[test]
fn a_target_is_listed_with_all_that_it_offers() {
    let raft = json(&["targets", "planted-raft", "--json"]);
    let has =
        |list: &str, name: &str| assert!(names(&raft[list]).contains(&name), "{list}: {:#}", raft[list]);
    has("options", "fault");
    has("guides", "state");
    has("guides", "model");
    has("properties", "election-safety");
    has("scenarios", "ConfChangeBug");
    has("waypoints", "LogDiff");
    has("specs", "election");
    let election = &raft["properties"][0];
    assert_eq!(election["about"], "at most one leader is elected in a term");
    // Every property of every target says what it checks.
    for target in json(&["targets", "--json"]).as_array().expect("a list") {
        for property in target["properties"].as_array().expect("a list") {
            assert_ne!(property["about"], "", "{}: {}", target["name"], property["name"]);
        }
    }
    let missing = shakedown(&["targets", "nowhere"]);
    assert_eq!(missing.status.code(), Some(2));
}
