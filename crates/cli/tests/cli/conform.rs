//! `shakedown conform` as its users meet it.

use crate::command::{json, shakedown, text};

/// The command must fail with 2 and say this.
fn refuses(arguments: &[&str], expected: &str) {
    let output = shakedown(arguments);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
    assert!(printed.contains(expected), "{arguments:?}: {printed}");
}

#[test]
fn the_right_raft_conforms_and_the_summary_tells_how_much_was_run() {
    let list = text(&shakedown(&["conform", "planted-raft", "--list"]).stdout);
    assert!(list.contains("election") && list.contains("(PlantedRaft)"), "{list}");
    let output = shakedown(&["conform", "planted-raft", "--model", "four"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for line in
        ["318 states, 841 edges", "528 run, 5 130 steps", "841 of 841 edges", "0 of inconsistent state"]
    {
        assert!(printed.contains(line), "{line} is missing:\n{printed}");
    }
}

#[test]
fn omnipaxos_lists_its_models_and_conforms_on_the_first() {
    let list = text(&shakedown(&["conform", "omnipaxos", "--list"]).stdout);
    assert!(list.contains("takeover") && list.contains("(OmniPaxosCrate)"), "{list}");
    let output = shakedown(&["conform", "omnipaxos", "--seed", "0"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for line in ["604 states, 1 628 edges", "830 run, 11 334 steps", "1 628 of 1 628 edges"] {
        assert!(printed.contains(line), "{line} is missing:\n{printed}");
    }
    refuses(&["conform", "omnipaxos", "--set", "heartbeats=true"], "it has to be false");
}

/// The rows of the table of verdicts (`crates/shakedown/tests/verdicts.rs`) for a command that needs a
/// specification.
#[test]
fn text_json_and_the_page_of_a_finding_have_the_verdict_of_the_exit_code() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let out = place("out");
    for (code, word, more) in [
        (0, "pass", &["--paths", "20"][..]),
        (1, "fail", &["--set", "fault=quorum-third", "--no-shrink"]),
        (2, "unknown", &["--budget", "0"]),
    ] {
        let run = [&["conform", "planted-raft", "--model", "four", "--out", &out], more].concat();
        let output = shakedown(&run);
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{printed}");
        assert!(printed.contains(&format!("verdict   {}: ", word.to_uppercase())), "{printed}");
        let output = shakedown(&[&run[..], &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code));
        let reported: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(reported["verdict"], word);
        if let Some(file) = reported["findings"][0]["file"].as_str() {
            let page = place("page.html");
            assert_eq!(shakedown(&["replay", file, "--html", &page]).status.code(), Some(code));
            let page = std::fs::read_to_string(page).expect("the page was written");
            assert!(page.contains(&format!("<p class=\"outcome {word}\">")));
        }
    }
}

#[test]
fn a_finding_exits_with_1_and_its_file_replays() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let planted =
        ["conform", "planted-raft", "--model", "four", "--set", "fault=quorum-third", "--out", &out];
    let arguments = [&planted[..], &["--shrink-budget", "300"]].concat();
    let reported = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(reported["findings"][0]["property"], "inconsistent state: role");
    assert_eq!(reported["findings"][0]["steps"], 3, "it is shrunk");
    let file = reported["findings"][0]["file"].as_str().expect("there is a file").to_owned();
    let replayed = shakedown(&["replay", &file]);
    let printed = text(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1), "{printed}");
    assert!(printed.contains("the same violation and the same trace"), "{printed}");
    assert!(printed.contains("role[1]: expected candidate, got leader"), "{printed}");
    let output = shakedown(&arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("failure file"));
}

#[test]
fn the_page_of_a_finding_shows_the_specification_that_it_is_about() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let conform = ["conform", "planted-raft", "--model", "four", "--set", "fault=quorum-third", "--json"];
    let reported = json(&[&conform[..], &["--no-shrink", "--out", &at("out")]].concat());
    let file = reported["findings"][0]["file"].as_str().expect("there is a file").to_owned();
    let page = at("page.html");
    assert_eq!(shakedown(&["replay", &file, "--html", &page]).status.code(), Some(1));
    let page = std::fs::read_to_string(page).expect("it was written");
    let row = "<tr><th scope=\"row\">role[1]</th><td>candidate</td><td>leader</td></tr>";
    assert!(page.contains(row), "the variables that differ are a table");
    let steps = page.split("class=\"steps\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let steps = steps.expect("the page has steps");
    assert!(steps.contains("role[1] = candidate"), "the state is the specification's: {steps}");
    // So the event model that planted-raft is followed on writes its states.
    assert!(!steps.contains("/\\\\ "), "no state of another model: {steps}");
}

#[test]
fn a_specification_of_ones_own_is_read_from_files() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    let module = "---- MODULE Mine ----\nEXTENDS PlantedRaft\nNobody(s) == FALSE\n====\n";
    let config = "CONSTANTS Server = {1, 2} Value = {} Nil = 0 MaxTerm = 1 MaxLog = 1 MaxNet = 2 MaxCopies = 1\n\
                  MaxDown = 0 KeepsVote = TRUE AppendMax = 1 Also = {} Wins <- Nobody\n\
                  SPECIFICATION SpecPlanted CONSTRAINT Bounded\n";
    let (spec, config) = (file("Mine.tla", module), file("Mine.cfg", config));
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let mine = ["conform", "planted-raft", "--spec", &spec, "--config", &config, "--out", &out, "--json"];
    let reported = json(&[&mine[..], &["--no-shrink"]].concat());
    assert_eq!(
        (&reported["nodes"], &reported["findings"][0]["property"]),
        (&2.into(), &"inconsistent state: role".into())
    );
    let nowhere = folder.path().join("nowhere.tla").to_string_lossy().into_owned();
    refuses(&["conform", "planted-raft", "--spec", &nowhere], "nowhere.tla: ");
    refuses(&["conform", "planted-raft", "--config", &spec], "configuration:2:1: unknown keyword EXTENDS");
}

#[test]
fn what_cannot_be_laid_beside_a_specification_exits_with_2_and_says_why() {
    refuses(&["conform", "figure1"], "figure1 has no specification to compare its states with");
    refuses(
        &["conform", "planted-raft", "--model", "zab"],
        "has no model `zab`: choose one of election, replication",
    );
    let end = ["conform", "planted-raft", "--model", "election", "--end", "Bogus"];
    refuses(&end, "paths cannot end after `Bogus`: the actions of the state graph are ");
    refuses(&["conform", "planted-raft", "--states", "10"], "more than 10 states");
    refuses(&["conform", "planted-raft", "--set", "election_tick=3"], "it has to be 1");
    refuses(&["conform", "planted-raft", "--nodes", "0"], "0 nodes");
}
