//! Why a failure failed, as users meet it: text of the terminal's width, JSON with a fixed schema, a page,
//! and two files side by side.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{command, json, shakedown, text};

/// A failure of planted-raft in this folder: two leaders in a term, for two nodes of five are taken for a
/// quorum.
fn failure(folder: &Path, seed: &str) -> PathBuf {
    let out = folder.join(seed);
    let output = shakedown(&[
        "run",
        "planted-raft",
        "--nodes",
        "5",
        "--set",
        "fault=quorum-third",
        "-n",
        "200",
        "--no-shrink",
        "--seed",
        seed,
        "--out",
        &out.to_string_lossy(),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let file = std::fs::read_dir(out).expect("there is a folder").next().expect("there is a file");
    file.expect("it can be read").path()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn an_explanation_has_a_fixed_schema_and_jobs_never_change_it() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = failure(folder.path(), "1");
    let file = file.to_string_lossy();
    let one = json(&["explain", &file, "--json", "--jobs", "1"]);
    assert_eq!(json(&["explain", &file, "--json", "--jobs", "3"]), one);
    let expected = "at_boot continuation executions forbidden format largest_jump nearest paragraph property reason slice steps swaps \
                    target target_version version";
    assert_eq!(keys(&one), expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!((&one["format"], &one["version"]), (&"shakedown-explanation".into(), &1.into()));
    assert_eq!(one["property"], "election-safety");
    let steps = one["steps"].as_array().expect("steps");
    let names = ["chance", "free", "free_with", "in_past", "needed", "number", "step"];
    assert!(steps.iter().all(|step| keys(step) == names));
    let needed: Vec<_> =
        steps.iter().filter(|step| step["needed"] == true).map(|step| &step["number"]).collect();
    assert_eq!(one["slice"]["steps"].as_array().expect("numbers").iter().collect::<Vec<_>>(), needed);
    assert_eq!(one["slice"]["of"], steps.len());
    assert!(needed.len() * 10 <= steps.len() * 7, "{} of {} steps", needed.len(), steps.len());
    let chances = steps.iter().filter(|step| !step["chance"].is_null()).map(|step| &step["chance"]);
    for chance in chances.chain([&one["at_boot"]]) {
        assert_eq!(chance["of"], 400);
        let [low, rate, high] = ["low", "rate", "high"].map(|name| chance[name].as_f64().expect("a number"));
        assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0, "{chance}");
    }
    assert_eq!(steps.last().expect("a step")["chance"]["met"], 400, "it is violated there");
}

#[test]
fn the_first_step_that_the_specification_forbids_is_a_headline() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = failure(folder.path(), "1");
    let file = file.to_string_lossy();
    let replayed = text(&shakedown(&["replay", &file]).stdout);
    let headline =
        replayed.lines().find(|line| line.contains("the specification forbids step")).expect(&replayed);
    assert!(headline.contains("is not allowed: `IsQuorum(S)"), "{headline}");
    assert!(headline.trim_end().ends_with("(Raft:65:16)"), "{headline}");
    let number = headline.split("step ").nth(1).and_then(|rest| rest.split(':').next()).expect("a number");
    assert!(replayed.lines().any(|line| line.starts_with(&format!("{number:>7} ⊘"))), "{replayed}");
    assert_eq!(json(&["explain", &file, "--json"])["forbidden"]["step"].to_string(), number);
}

#[test]
fn an_explanation_fits_eighty_columns_and_its_page_has_the_strip() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = failure(folder.path(), "2");
    let page = folder.path().join("why.html");
    let arguments = ["explain", &*file.to_string_lossy(), "--html", &*page.to_string_lossy()];
    let output = command(&arguments).env("COLUMNS", "80").output().expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for line in printed.lines().filter(|line| !line.contains("why.html")) {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    for words in ["It needs", "random executions", "nearest execution that passes", "▼ the first difference"]
    {
        let one_line = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(words), "{words}: {printed}");
    }
    let page = std::fs::read_to_string(page).expect("there is a page");
    for part in [
        "class=\"card why\"",
        "class=\"chance ",
        "class=\"whisker\"",
        "class=\"sides\"",
        "not-needed",
        "\"why\":[",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn two_executions_part_where_they_part() {
    let folder = tempfile::tempdir().expect("there is room");
    let (first, second) = (failure(folder.path(), "1"), failure(folder.path(), "2"));
    let (first, second) = (first.to_string_lossy(), second.to_string_lossy());
    let same = shakedown(&["diff", &first, &first]);
    assert_eq!(same.status.code(), Some(0));
    assert!(text(&same.stdout).contains("they do not differ"));
    let other = shakedown(&["diff", &first, &second]);
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stdout).contains("▼ the first difference"));
    assert!(json(&["diff", &first, &second, "--json"])["first_difference"].is_object());
}
