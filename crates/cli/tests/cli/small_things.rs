//! Small things of the command line that are met every day: names that are nearly right, colours,
//! completions, manual pages, lists.

use crate::command::{command, json, shakedown, text};

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    for (arguments, meant) in [
        (&["run", "planted-rafft"][..], "did you mean `planted-raft`?"),
        (&["scenario", "run", "ConfChangBug"], "did you mean `ConfChangeBug`?"),
        (&["run", "raft", "--strategy", "pctp"], "did you mean `pctcp`?"),
        (&["run", "raft", "--set", "library_invariant=false"], "did you mean `library_invariants`?"),
        (&["replya"], "replay"),
    ] {
        let output = shakedown(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(meant), "{}", text(&output.stderr));
    }
    let far = shakedown(&["run", "mencius"]);
    assert!(!text(&far.stderr).contains("did you mean"), "{}", text(&far.stderr));
}

#[test]
fn colours_are_as_they_are_asked_for() {
    let coloured = |when: &str| {
        let output =
            command(&["strategies", "--color", when]).env_remove("NO_COLOR").output().expect("it starts");
        output.stdout.contains(&0x1b)
    };
    assert_eq!(["always", "never", "auto"].map(coloured), [true, false, false]);
}

#[test]
fn no_jobs_are_refused() {
    for arguments in [
        &["run", "figure1", "--jobs", "0"][..],
        &["conform", "figure1", "-j", "0"],
        &["resume", "x", "-j", "0"],
    ] {
        let output = shakedown(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("0 is not in 1.."), "{}", text(&output.stderr));
    }
}

#[test]
fn the_list_of_targets_is_short_and_that_of_one_is_whole() {
    let all = text(&shakedown(&["targets"]).stdout);
    assert!(all.lines().count() < 30 && !all.contains("--set"), "{all}");
    let one = text(&shakedown(&["targets", "planted-raft"]).stdout);
    for part in
        ["--set fault=none", "reconfiguration-unfixed", "property election-safety", "scenario ConfChangeBug"]
    {
        assert!(one.contains(part), "{one}");
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&shakedown(&["completions", shell]).stdout);
        assert!(script.contains("check-history") && script.contains("bisect"), "{shell}");
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let output = shakedown(&["man", folder.path().to_str().expect("a plain name")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the page is there");
    assert!(page("shakedown.1").contains("shakedown\\-run") || page("shakedown.1").contains("run"));
    assert!(page("shakedown-run.1").contains("baseline"));
    assert!(page("shakedown-scenario-run.1").contains("explain"));
}

#[test]
fn campaigns_are_listed_with_their_cases_and_dates() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let kept = folder.path().join("kept").to_str().expect("a plain name").to_owned();
    let run = ["run", "planted-raft", "-n", "5", "--set", "append_max=2", "--keep", &kept];
    assert_eq!(shakedown(&run).status.code(), Some(0));
    let listed = json(&["list", &kept, "--json"]);
    let [campaign] = &listed.as_array().expect("a list")[..] else { panic!("one campaign") };
    for (field, value) in
        [("case", "append_max=2"), ("state", "over"), ("verdict", "pass"), ("folder", &kept)]
    {
        assert_eq!(campaign[field], value, "{campaign:#}");
    }
    let date = campaign["changed"].as_str().expect("a date");
    assert!(date.len() == 16 && date.starts_with("20"), "{date}");
    let listed = text(&shakedown(&["list", &kept]).stdout);
    assert!(listed.starts_with("folder, date") && listed.contains(date), "{listed}");
    assert!(
        listed.contains("planted-raft (append_max=2) with random, seed 1: 5 of 5 executions"),
        "{listed}"
    );
}

#[test]
fn an_explained_iteration_is_drawn_and_what_repeats_is_folded() {
    let run =
        ["scenario", "run", "ConfChangeBug", "--target", "planted-raft", "--iterations", "1", "--explain"];
    let folded = text(&shakedown(&run).stdout);
    let all = text(&shakedown(&[&run[..], &["--all-events"]].concat()).stdout);
    assert!(folded.contains("events like earlier ones") && !all.contains("events like earlier ones"));
    assert!(folded.lines().count() < all.lines().count());
    assert!(folded.contains("○──"), "there is a diagram");
}

#[test]
fn a_profile_gives_the_settings_of_a_run_and_arguments_count_before_it() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("shakedown.toml");
    let profiles =
        |text: &str| std::fs::write(&file, format!("version = 1\n{text}")).expect("it can be written");
    let run = |arguments: &[&str]| {
        command(arguments).current_dir(folder.path()).output().expect("the command starts")
    };
    profiles(
        "[profile.night]\ntarget = \"planted-raft\"\nexecutions = 7\nseed = 3\nkeep-going = true\n\
         set = { append_max = 2 }\nstrategy = \"pos\"\n",
    );
    let output = run(&["run", "--profile", "night", "--seed", "4", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let found = ["target", "executions", "seed", "strategy"].map(|field| summary[field].clone());
    let expected = serde_json::json!(["planted-raft", 7, 4, "pos"]);
    assert_eq!(serde_json::json!(found), expected, "{summary:#}");
    assert_eq!(summary["config"]["options"]["append_max"], "2", "{summary:#}");
    let other = run(&["targets"]);
    assert_eq!(other.status.code(), Some(0), "a file of profiles is no target: {}", text(&other.stderr));
    for (wrong, error) in [
        (
            "[profile.night]\nexecutins = 7\n",
            "line 3, column 1: profile `night`: `run` has no option `--executins`",
        ),
        ("[profile.night]\nexecutions = true\n", "a value is required for '--executions <N>'"),
        (
            "[profile.night]\nkeep-going = 3\n",
            "line 3, column 1: profile `night`: `--keep-going` takes no value",
        ),
        ("[profile.nigt]\n", "there is no profile `night` in shakedown.toml; did you mean `nigt`?"),
        ("[profile.night]\nset = [[1]]\n", "line 3, column 7: profile `night`: `set` has no such values"),
    ] {
        profiles(wrong);
        let output = run(&["run", "--profile", "night"]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(text(&output.stderr).contains(error), "{wrong}: {}", text(&output.stderr));
    }
}
