//! The command as its users meet it: what it prints and how it exits.

use std::path::Path;

use crate::command::{command, json, shakedown, text};

/// The command must fail with 2 and say this.
fn refuses(arguments: &[&str], expected: &str) {
    let output = shakedown(arguments);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
    assert!(printed.contains(expected), "{arguments:?}: {printed}");
}

#[test]
fn what_cannot_be_run_exits_with_2_and_says_why() {
    refuses(&["run", "mencius"], "there is no target `mencius`: choose one of raft, omnipaxos");
    refuses(
        &["run", "raft", "--strategy", "luck"],
        "there is no strategy `luck`: choose one of random, pctcp, pos, closure, lossy, crashing, fuzz",
    );
    refuses(&["run", "raft", "--executions", "abc"], "a whole number is expected");
    refuses(&["run", "raft", "--weights", "tick=-1"], "the weight of `tick` cannot be `-1`");
    refuses(&["run", "raft", "--set", "pre_vote=maybe"], "expected true or false");
    refuses(&["run", "raft", "--profile", "night"], "there is no profile `night`");
    refuses(&["run", "raft", "--rounds", "8"], "strategy `random`: there is no parameter `rounds`");
    refuses(&["run", "raft", "-s", "closure", "--isolations", "99"], "99 isolations do not fit");
    refuses(&["run", "raft", "-s", "closure", "--harness", "none"], "the target has no harness `none`");
    refuses(&["run", "omnipaxos", "-s", "lossy"], "rules out the loss of single messages");
    refuses(&["space", "figure1", "--confidence", "1"], "a confidence is from 0 to below 1");
    refuses(&["run", "raft", "--horizon", "5"], "strategy `random`: there is no parameter `horizon`");
    refuses(&["run", "raft", "-s", "bonusmax", "--horizon", "0"], "expected a number from 1 to 10000");
    refuses(
        &["run", "raft", "-s", "waypoint", "--waypoints", "Bogus(1)"],
        "no predicate `Bogus`: choose one of OneInTerm(t)",
    );
    refuses(&["run", "raft", "--nodes", "0"], "raft cannot run with 0 nodes");
    refuses(&["run", "raft", "--nodes", "1000"], "raft cannot run with 1000 nodes");
    refuses(&["run", "raft", "--executions", "0"], "at least one execution");
    refuses(&["run", "raft", "--set", "colour=red"], "raft has no option `colour`");
    refuses(&["run", "raft", "--set", "pre_vote=perhaps"], "option `pre_vote` cannot be `perhaps`");
    refuses(&["run", "raft", "--set", "pre_vote"], "not of the form OPTION=VALUE");
    refuses(&["run", "raft", "--weights", "dance=3"], "`dance` is not a kind of step");
    refuses(&["run", "raft", "--executions", "many"], "invalid value 'many'");
    refuses(&["run", "omnipaxos", "--set", "batch_size=18446744073709551615"], "a number from 1 to 1000000");
    refuses(&["scenario", "run", "pbft", "--at-least", "nan"], "it is a number from 0 to 1");
    refuses(
        &["scenario", "run", "pbft", "-n", "3", "--first", "18446744073709551615"],
        "there are no 3 iterations",
    );
    refuses(&["replay", "nowhere.json"], "nowhere.json: ");
    refuses(&["frobnicate"], "unrecognized subcommand");
}

#[test]
fn colours_follow_the_environment_where_there_is_no_terminal() {
    let has_colours = |variables: &[(&str, &str)]| {
        let mut command = command(&["strategies"]);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let output = command.envs(variables.iter().copied()).output().expect("the command starts");
        text(&output.stdout).contains('\u{1b}')
    };
    assert!(!has_colours(&[]), "a pipe has no colours");
    assert!(has_colours(&[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colours(&[("CLICOLOR_FORCE", "")]));
    assert!(!has_colours(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let help = text(&shakedown(&["--help"]).stdout);
    for word in [
        "targets",
        "strategies",
        "run",
        "space",
        "replay",
        "shrink",
        "Exit codes: 0 pass, 1 a failure was found",
    ] {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
}

#[test]
fn targets_are_listed_with_their_options() {
    let list = text(&shakedown(&["targets"]).stdout);
    for word in ["raft", "omnipaxos"] {
        assert!(list.contains(word), "{word} is missing:\n{list}");
    }
    let one = text(&shakedown(&["targets", "raft"]).stdout);
    assert!(one.contains("--set pre_vote=false"), "{one}");
    let list = json(&["targets", "--json"]);
    assert_eq!(list[0]["version"], "raft 0.7.0");
    assert_eq!(list[1]["version"], "omnipaxos 0.2.4");
}

#[test]
fn a_run_that_finds_nothing_exits_with_0() {
    let output = shakedown(&["run", "omnipaxos", "--executions", "50"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("PASS: no property was violated"), "{printed}");
}

#[test]
fn a_campaign_in_which_nothing_happens_does_not_pass() {
    let no_steps = "deliver=0,drop=0,duplicate=0,tick=0,request=0,crash=0,restart=0,cut=0,heal=0";
    for (arguments, why) in [
        (&["--time", "0"][..], "no execution was run"),
        (&["--steps", "0"], "no step was made in any execution"),
        (&["--weights", no_steps], "no step was made in any execution"),
    ] {
        let output = shakedown(&[&["run", "planted-raft", "--executions", "5"], arguments].concat());
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains(&format!("UNKNOWN: {why}")), "{printed}");
    }
    let conform = shakedown(&["conform", "planted-raft", "--paths", "0"]);
    assert_eq!(conform.status.code(), Some(2), "no path was run: {}", text(&conform.stdout));
}

#[test]
fn a_campaign_ends_with_the_generation_in_which_its_total_of_steps_is_reached() {
    let run = |total: &str| {
        let output = shakedown(&["run", "planted-raft", "--total-steps", total, "--json"]);
        let summary = serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("it is JSON");
        let number = |name: &str| summary[name].as_u64().expect("it is a number");
        let steps: u64 =
            summary["steps"].as_object().expect("kinds").values().filter_map(|n| n.as_u64()).sum();
        (output.status.code(), number("executions"), steps, summary["cut_short"].as_str().map(str::to_owned))
    };
    let (code, executions, steps, cut_short) = run("1");
    assert_eq!((code, cut_short.as_deref()), (Some(2), Some("the limit of steps")));
    assert!(steps > 1 && executions < 1_000, "{executions} executions, {steps} steps");
    let (code, executions, _, cut_short) = run("1000000000");
    assert_eq!((code, executions, cut_short), (Some(0), 1_000, None));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_no_pass() {
    let full = std::fs::File::create("/dev/full").expect("Linux has a device that is always full");
    let mut run = command(&["run", "planted-raft", "--executions", "5", "--json"]);
    let output = run.stdout(full).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("standard output takes no more"));
}

#[test]
fn more_jobs_than_a_machine_can_start_are_no_trouble() {
    let run = |jobs| json(&["run", "planted-raft", "--executions", "300", "--json", "--jobs", jobs]);
    assert_eq!(run("4096")["fingerprint"], run("1")["fingerprint"]);
}

#[test]
fn a_strategy_that_learns_goes_over_waypoints_to_a_failure_that_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a plain path");
    let learning =
        ["--strategy", "waypoint", "--waypoints", "AnyBallot(1), BallotDiff(1)", "--horizon", "25"];
    let run = ["run", "rsl", "--set", "bug=inconsistent-log", "--episodes", "3000", "--out", out];
    let output = shakedown(&[&run[..], &learning[..]].concat());
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("agreement is violated"), "{printed}");
    let file = std::fs::read_dir(folder.path()).expect("the folder is there").next();
    let path = file.expect("a file").expect("an entry").path();
    let replayed = shakedown(&["replay", path.to_str().expect("a plain path")]);
    let printed = text(&replayed.stdout);
    assert!(printed.contains("FAIL: the same violation and the same trace"), "{printed}");
}

#[test]
fn a_failure_in_rounds_is_told_in_rounds_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a plain path");
    let closure = ["--strategy", "closure", "--rounds", "16", "--period", "4", "--isolations", "5"];
    let run = ["run", "figure1", "--set", "last=prepare", "--executions", "2000", "--out", out];
    let output = shakedown(&[&run[..], &closure[..]].concat());
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for words in
        ["outputs-comparable is violated", "phase  1       2       3", "phase 1, prepare", "; isolated: n"]
    {
        assert!(printed.contains(words), "{words} is missing:\n{printed}");
    }
    let file = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .next()
        .expect("a file")
        .expect("an entry");
    let replayed = json(&["replay", file.path().to_str().expect("a plain path"), "--times", "100", "--json"]);
    assert_eq!(replayed["same"], 100, "{replayed}");
}

#[test]
fn the_size_of_the_sample_space_is_told() {
    let space = ["space", "figure1", "--rounds", "16", "--period", "4", "--isolations", "5"];
    let printed = text(&shakedown(&space).stdout);
    for words in ["811008", "2.2 × 10^43", "with 95 % confidence: 2.4 × 10^6 executions"] {
        assert!(printed.contains(words), "{words} is missing:\n{printed}");
    }
}

#[test]
fn a_failure_is_told_written_replayed_and_shrunk() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a plain path");
    let pages = tempfile::tempdir().expect("a folder");
    let page = pages.path().join("page.html");
    let page = page.to_str().expect("a plain path");
    let [xml, log] = ["junit.xml", "log.sarif"].map(|name| pages.path().join(name));
    let [xml, log] = [&xml, &log].map(|path| path.to_str().expect("a plain path"));
    let run = ["run", "raft", "--executions", "20000", "--no-shrink", "--out", out];
    let output = shakedown(&[&run[..], &["--html", page, "--junit", xml, "--sarif", log]].concat());
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("progress-next-above-match is violated"), "{printed}");
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder is there").collect();
    assert_eq!(files.len(), 1, "one failure, one file");
    let file = files[0].as_ref().expect("an entry").path();
    let file = file.to_str().expect("a plain path");
    let html = std::fs::read_to_string(page).expect("the page is there");
    for shown in [
        "progress-next-above-match",
        file,
        "strategy",
        "executions violated a property",
        "fact: commit",
        "Campaigns(",
        "currentTerm = ",
    ] {
        assert!(html.contains(shown), "{shown}");
    }
    let xml = std::fs::read_to_string(xml).expect("the JUnit report is there");
    assert!(xml.contains("failures=\"1\" errors=\"0\""), "{xml}");
    let log = std::fs::read_to_string(log).expect("the SARIF log is there");
    let log: serde_json::Value = serde_json::from_str(&log).expect("it is JSON");
    let cause =
        "progress-next-above-match: n# leads term # and would send n# entry # next, though # is matched";
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], cause);

    let replayed = json(&["replay", file, "--times", "100", "--json"]);
    assert_eq!(replayed["same"], 100, "{replayed}");

    let smaller = folder.path().join("smaller.json");
    let smaller = smaller.to_str().expect("a plain path");
    let output = shakedown(&["shrink", file, "--out", smaller, "--executions", "2000"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let replayed = shakedown(&["replay", smaller, "--times", "100"]);
    let printed = text(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1), "{printed}");
    assert!(printed.contains("FAIL: the same violation and the same trace, bit for bit"), "{printed}");
    assert!(printed.contains("100 of 100 replays were the same"), "{printed}");

    spoil(Path::new(smaller), &folder.path().join("spoilt.json"));
}

/// The browser test looks at these pages; here it is said that the failures behind them still replay, with or
/// without a browser.
#[test]
fn committed_failures_become_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["everything", "rounds"] {
        let file = format!("{}/../../scripts/browser/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let page = folder.path().join("page.html");
        let page = page.to_str().expect("a plain path");
        let output = shakedown(&["replay", &file, "--html", page]);
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{printed}{}", text(&output.stderr));
        assert!(printed.contains("the same violation and the same trace, bit for bit"), "{printed}");
        assert!(printed.contains(page), "{printed}");
        let html = std::fs::read_to_string(page).expect("the page is there");
        let kept: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&file).expect("the file is there"))
                .expect("it is JSON");
        let steps = kept["schedule"].as_array().expect("a schedule").len();
        assert!(html.contains(kept["violation"]["property"].as_str().expect("a property")), "{name}");
        assert_eq!(html.matches("<g class=\"step").count(), steps, "{name}: a row for every step");
        refuses(&["replay", &file, "--html", "/nowhere/page.html"], "/nowhere/page.html: ");
    }
}

/// A file that no longer fits, and files that are none.
fn spoil(good: &Path, bad: &Path) {
    let kept = std::fs::read_to_string(good).expect("the file is there");
    let check = |text: String, expected: &str| {
        std::fs::write(bad, text).expect("it can be written");
        for command in ["replay", "shrink"] {
            refuses(&[command, bad.to_str().expect("a plain path")], expected);
        }
    };
    check(kept[..kept.len() / 2].to_owned(), "is not a failure file, or it is damaged");
    check("{}".to_owned(), "is not a failure file, or it is damaged");
    check(
        kept.replacen("\"target\": \"raft\"", "\"target\": \"mencius\"", 1),
        "there is no target `mencius`",
    );
    check(kept.replacen("deliver n", "deliver n6", 1), "diverged at step");
}

/// Two processes, and one with two jobs: the fingerprint of all traces is the same.
#[test]
fn every_target_and_strategy_does_the_same_in_every_process_and_with_any_number_of_jobs() {
    for target in ["raft", "omnipaxos", "figure1", "pbft"] {
        for strategy in ["random", "pctcp", "pos", "closure"] {
            let run = |jobs: &str| {
                let summary = json(&[
                    "run",
                    target,
                    "--strategy",
                    strategy,
                    "--executions",
                    "300",
                    "--seed",
                    "7",
                    "--jobs",
                    jobs,
                    "--keep-going",
                    "--no-shrink",
                    "--json",
                    "--out",
                    env!("CARGO_TARGET_TMPDIR"),
                ]);
                (summary["fingerprint"].clone(), summary["steps"].clone())
            };
            let first = run("1");
            assert_eq!(first, run("1"), "{target}, {strategy}: another process");
            assert_eq!(first, run("2"), "{target}, {strategy}: two jobs");
        }
    }
}

#[test]
fn a_scenario_that_violates_a_property_leaves_a_file_that_replays_shrinks_and_opens_as_a_page() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let fault = "fault=reconfiguration-unfixed";
    let run = ["scenario", "run", "ConfChangeBug", "--target", "planted-raft", "--set", fault, "-n", "3"];
    let reported = json(&[&run[..], &["--out", &out, "--json"]].concat());
    let violation = &reported[0]["violations"][0];
    assert_eq!(violation["property"], "state-machine-safety");
    let file = violation["file"].as_str().expect("there is a file").to_owned();
    let page = folder.path().join("page.html").to_string_lossy().into_owned();
    let replayed = shakedown(&["replay", &file, "--html", &page]);
    assert_eq!(replayed.status.code(), Some(1));
    let printed = text(&replayed.stdout);
    assert!(printed.contains("the same violation and the same trace"), "{printed}");
    assert!(printed.contains("under the scenario ConfChangeBug"), "{printed}");
    assert!(std::fs::read_to_string(page).expect("it was written").contains("state-machine-safety"));
    assert_eq!(shakedown(&["shrink", &file, "--executions", "100"]).status.code(), Some(0));
    assert_eq!(shakedown(&["replay", &file]).status.code(), Some(1));
}

#[test]
fn a_scenario_that_never_succeeds_does_not_pass() {
    let run = ["scenario", "run", "ConfChangeBug", "--target", "planted-raft", "-n", "3"];
    let output = shakedown(&run);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("UNKNOWN: none of 3 iterations succeeded"), "{printed}");
}
