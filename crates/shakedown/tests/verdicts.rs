//! One verdict: whatever a campaign comes to, every command and every report agrees on it.
//!
//! The test program starts itself again; then it is the command line of the target below.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use shakedown::campaign::Campaign;
use shakedown::prelude::*;
use shakedown::scenario::{Scenario, is_receive, kind, machine};
use shakedown_cases::cases;
use shakedown_store::Store;
use shakedown_toys::Pinger;

#[path = "../../report/tests/reports/sarif_rules.rs"]
mod sarif_rules;
mod second_process;
#[path = "../../report/tests/reports/xml.rs"]
mod xml;

fn target() -> Target<Pinger> {
    let hears =
        || Scenario::new("Hears").property(machine().on(is_receive().and(kind("Ping"))).goto_success());
    let never = Scenario::new("Never")
        .property(machine().on(is_receive().and(kind("Ping")).and(kind("Ping").not())).goto_success());
    Target::<Pinger>::new("toy")
        .requests(3, |_, _| ())
        .option("trouble", "pass".to_owned(), "how it goes")
        .scenario(hears())
        .scenario(never)
        .oracles(|config| {
            let mode: String = config.options.get("trouble").expect("checked when the execution began");
            let (fails, never) = (mode == "fail", mode == "finally");
            vec![
                invariant("quiet", move |seen: &Seen<'_, u64>| {
                    let heard = seen.states().iter().any(|heard| *heard > 0);
                    if fails && heard { Err("a node heard something".to_owned()) } else { Ok(()) }
                }),
                finally(
                    "never",
                    move |_: &Seen<'_, u64>| {
                        if never { Err("it never holds".to_owned()) } else { Ok(()) }
                    },
                ),
            ]
        })
}

/// The exit code of a command, and what it prints on standard output and standard error.
fn toy(arguments: &[&str]) -> (i32, String, String) {
    let output = second_process::run(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// The three verdicts, with what everything has to make of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Pass,
    Fail,
    Unknown,
}

impl Expected {
    fn code(self) -> i32 {
        self as i32
    }

    fn word(self) -> &'static str {
        ["pass", "fail", "unknown"][self as usize]
    }

    /// The files of a report: a page, JUnit XML, a SARIF log.
    fn check_files(self, what: &str, folder: &Path) {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file was written");
        let page = read("page.html");
        assert!(page.contains(&format!("<p class=\"outcome {}\">", self.word())), "{what}: the page");
        let suite = xml::check_junit(&read("junit.xml"));
        let counts = [suite.get("failures"), suite.get("errors")].map(|count| count != Some("0"));
        assert_eq!(counts, [self == Expected::Fail, self == Expected::Unknown], "{what}: JUnit");
        let log: Value = serde_json::from_str(&read("log.sarif")).expect("it is JSON");
        sarif_rules::check_sarif(&log);
        let run = &log["runs"][0];
        let has_results = run["results"].as_array().is_some_and(|results| !results.is_empty());
        assert_eq!(has_results, self == Expected::Fail, "{what}: SARIF");
        let is_conclusive = self != Expected::Unknown;
        assert_eq!(run["invocations"][0]["executionSuccessful"], is_conclusive, "{what}: SARIF");
    }
}

/// The arguments that ask for every file.
fn files(folder: &Path) -> Vec<String> {
    [("--html", "page.html"), ("--junit", "junit.xml"), ("--sarif", "log.sarif")]
        .iter()
        .flat_map(|(flag, name)| [(*flag).to_owned(), folder.join(name).display().to_string()])
        .collect()
}

fn with<'a>(arguments: &[&'a str], more: &'a [String]) -> Vec<&'a str> {
    arguments.iter().copied().chain(more.iter().map(String::as_str)).collect()
}

/// What campaigns can come to, and how to get there.
const ROWS: [(&str, &[&str], Expected); 7] = [
    ("pass", &["-n", "20"], Expected::Pass),
    ("fail", &["-n", "20", "--set", "trouble=fail"], Expected::Fail),
    ("fail, all of it", &["-n", "20", "--set", "trouble=fail", "--keep-going"], Expected::Fail),
    ("unknown", &["-n", "5", "--set", "trouble=flood"], Expected::Unknown),
    ("0 executions", &["-n", "20", "--time", "0"], Expected::Unknown),
    ("0 steps", &["-n", "20", "--steps", "0"], Expected::Unknown),
    // The file may have no room at all: the campaign is cut short as soon as it looks.
    ("cut short", &["-n", "1000000000", "--disk", "0"], Expected::Unknown),
];

fn every_command_and_every_report_has_the_same_verdict_on_a_campaign() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    for (row, (what, arguments, expected)) in ROWS.iter().enumerate() {
        let folder = home.path().join(row.to_string());
        let kept = folder.display().to_string();
        let files = files(home.path());
        let run = with(&[&["run", "toy", "--keep", &kept], *arguments].concat(), &files);
        let (code, text, errors) = toy(&run);
        assert_eq!(code, expected.code(), "{what}: run: {text}{errors}");
        assert!(text.contains(&format!("\n  {}: ", expected.word().to_uppercase())), "{what}: run: {text}");
        expected.check_files(what, home.path());
        check_kept(what, &kept, *expected, home.path());
        if ["pass", "fail", "unknown", "0 steps"].contains(what) {
            let (code, text, errors) = toy(&["resume", &kept]);
            assert_eq!(code, expected.code(), "{what}: resume: {text}{errors}");
            assert!(
                text.contains(&format!("{}: ", expected.word().to_uppercase())),
                "{what}: resume: {text}"
            );
            let (code, json, _) = toy(&["resume", &kept, "--json"]);
            let json: Value = serde_json::from_str(&json).expect("resume prints JSON");
            assert_eq!(
                (code, &json["verdict"]),
                (expected.code(), &expected.word().into()),
                "{what}: resume"
            );
        }
    }
}

/// What `report` and `list` make of a folder.
fn check_kept(what: &str, kept: &str, expected: Expected, home: &Path) {
    let lines = home.join("lines.jsonl");
    let files = files(home);
    let lines_text = lines.display().to_string();
    let (code, text, errors) = toy(&with(&["report", kept, "--json-lines", &lines_text], &files));
    assert_eq!(code, expected.code(), "{what}: report: {text}{errors}");
    assert!(text.contains(&expected.word().to_uppercase()), "{what}: report: {text}");
    expected.check_files(what, home);
    let lines = std::fs::read_to_string(lines).expect("the lines were written");
    let verdicts: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"))
        .filter(|record| record["record"] == "summary")
        .map(|record| record["verdict"].clone())
        .collect();
    let worst = ["fail", "unknown", "pass"].into_iter().find(|word| verdicts.iter().any(|one| one == word));
    assert_eq!(worst, Some(expected.word()), "{what}: JSON lines");
    let (code, text, _) = toy(&["list", kept]);
    assert_eq!(code, 0, "{what}: a campaign can be listed whatever it came to");
    assert!(text.contains(&format!(": {}\n", expected.word())), "{what}: list: {text}");
}

fn a_campaign_that_has_not_begun_has_not_passed() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let (folder, target) = (home.path().join("kept"), target());
    let plan = Campaign::new(&target).plan;
    drop(Store::create(&folder, &[plan]).expect("a store"));
    check_kept("not begun", &folder.display().to_string(), Expected::Unknown, home.path());
}

fn several_campaigns_in_a_folder_are_no_better_than_the_worst() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let place = |name: &str| home.path().join(name).display().to_string();
    let (pass, cut) = (place("part-1"), place("part-2"));
    let part = |part: &str, folder: &str, more: &[&str]| {
        let run = ["run", "toy", "-n", "20", "--partition", part, "--keep", folder];
        toy(&[&run[..], more].concat())
    };
    assert_eq!(part("1/2", &pass, &[]).0, 0);
    assert_eq!(part("2/2", &cut, &["--time", "0"]).0, 2);
    let merged = place("merged");
    let (code, text, errors) = toy(&["merge", &pass, &cut, "--into", &merged]);
    assert_eq!(code, 0, "they can be merged: {text}{errors}");
    let (code, ..) = toy(&["report", &merged]);
    assert_eq!(code, 2, "half of it is not over");
    assert_eq!(toy(&["resume", &merged]).0, 0, "the rest of it passes");
    assert_eq!(toy(&["report", &merged]).0, 0);

    for (mode, expected) in [("pass", Expected::Pass), ("fail", Expected::Fail)] {
        let compared = place(mode);
        let compared = format!("{compared}-compared");
        let mode = format!("trouble={mode}");
        let compare = ["compare", "toy", "-n", "10", "--trials", "2", "--strategies", "random,pctcp"];
        let (code, json, errors) =
            toy(&[&compare[..], &["--set", &mode, "--keep", &compared, "--json"]].concat());
        assert_eq!(code, expected.code(), "compare: {json}{errors}");
        let json: Value = serde_json::from_str(&json).expect("compare prints JSON");
        assert_eq!(json["verdict"], expected.word());
        let (code, text, errors) = toy(&["resume", &compared]);
        assert_eq!(code, expected.code(), "{text}{errors}");
        assert!(text.contains(&expected.word().to_uppercase()), "{text}");
        check_kept("compared", &compared, expected, home.path());
    }
}

fn a_plain_test_has_the_verdict_of_its_campaign() {
    let passes = |test: Test| catch_unwind(AssertUnwindSafe(|| test.run())).is_ok();
    let test = || Test::new(target()).executions(5);
    assert!(passes(test()));
    assert!(!passes(test().set("trouble", "fail")));
    assert!(!passes(test().set("trouble", "flood")));
    assert!(!passes(test().steps(0)), "nothing happened");
}

fn scenarios_that_show_nothing_do_not_pass() {
    for (arguments, expected) in [
        (&["Hears"][..], Expected::Pass),
        (&["Hears", "--set", "trouble=fail"], Expected::Fail),
        (&["Hears", "--set", "trouble=flood"], Expected::Unknown),
        (&["Never"], Expected::Unknown),
        (&["Never", "--at-least", "0.5"], Expected::Fail),
        (&["Never", "--at-least", "0"], Expected::Pass),
    ] {
        let run = [&["scenario", "run"], arguments, &["-n", "5"]].concat();
        let (code, text, errors) = toy(&run);
        assert_eq!(code, expected.code(), "{arguments:?}: {text}{errors}");
        assert!(text.contains(&format!("{}: ", expected.word().to_uppercase())), "{arguments:?}: {text}");
        let (code, json, _) = toy(&[&run[..], &["--json"]].concat());
        let json: Value = serde_json::from_str(&json).expect("it prints JSON");
        assert_eq!((code, &json[0]["verdict"]), (expected.code(), &expected.word().into()), "{arguments:?}");
    }
}

/// A failure file of the toy, and the folder that it is in.
fn failure_file(mode: &str, more: &[&str]) -> (tempfile::TempDir, Value) {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let (out, mode) = (home.path().join("out").display().to_string(), format!("trouble={mode}"));
    let (code, text, errors) =
        toy(&[&["run", "toy", "-n", "5", "--set", &mode, "--out", &out], more].concat());
    assert_eq!(code, 1, "{text}{errors}");
    let file = std::fs::read_dir(&out).expect("the folder is there").next().expect("a file");
    let text = std::fs::read_to_string(file.expect("an entry").path()).expect("it can be read");
    (home, serde_json::from_str(&text).expect("it is JSON"))
}

/// What comes of a command on a failure file.
fn on_file(home: &Path, failure: &Value, command: &str, more: &[&str]) -> (i32, String, String) {
    let file = home.join("failure.json");
    std::fs::write(&file, failure.to_string()).expect("it can be written");
    toy(&[&[command, &file.display().to_string()], more].concat())
}

fn a_replay_has_the_headline_and_the_verdict_of_its_run() {
    let (home, failure) = failure_file("fail", &[]);
    let page = home.path().join("page.html");
    let html = ["--html", page.to_str().expect("a plain path")];
    let mut fixed = failure.clone();
    fixed["config"]["options"]["trouble"] = "pass".into();
    let mut inconclusive = failure.clone();
    inconclusive["config"]["options"]["trouble"] = "flood".into();
    for (file, expected, headline) in [
        (&failure, Expected::Fail, "quiet is violated\n"),
        (&fixed, Expected::Pass, "quiet was violated when recorded; holds now\n"),
        (&inconclusive, Expected::Unknown, "quiet was violated when recorded; inconclusive now\n"),
    ] {
        let (code, text, errors) = on_file(home.path(), file, "replay", &html);
        assert_eq!(code, expected.code(), "{text}{errors}");
        assert!(text.starts_with(headline), "{text}");
        assert!(text.contains(&format!("\n  {}: ", expected.word().to_uppercase())), "{text}");
        let page = std::fs::read_to_string(&page).expect("the page is there whatever came of the replay");
        assert!(page.contains(&format!("<p class=\"outcome {}\">", expected.word())), "{headline}");
        assert_eq!(page.contains("is violated<"), expected == Expected::Fail, "{headline}");
        assert_eq!(page.contains("was violated when recorded; "), expected != Expected::Fail, "{headline}");
        let (code, json, _) = on_file(home.path(), file, "replay", &["--json"]);
        let json: Value = serde_json::from_str(&json).expect("it prints JSON");
        let word = json["verdict"].as_str().and_then(|verdict| verdict.split(':').next());
        assert_eq!((code, word), (expected.code(), Some(expected.word())));
    }
    let (code, text, _) = on_file(home.path(), &failure, "show", &[]);
    assert_eq!(code, 1, "a failure is shown: {text}");
    for file in [&failure, &fixed, &inconclusive] {
        let (code, text, _) = on_file(home.path(), file, "show", &[]);
        assert_eq!(code, 1, "what was recorded is a failure: {text}");
        assert!(text.starts_with("quiet was violated when recorded\n"), "{text}");
    }
}

fn a_replay_of_a_file_that_lost_its_steps_or_options_is_inconclusive() {
    let (home, failure) = failure_file("fail", &[]);
    let mut no_steps = failure.clone();
    no_steps["schedule"] = Value::Array(Vec::new());
    let (code, text, _) = on_file(home.path(), &no_steps, "replay", &[]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("UNKNOWN: the schedule in the file has no steps"), "{text}");
    let mut no_options = failure;
    no_options["config"]["options"] = serde_json::json!({});
    let (code, text, errors) = on_file(home.path(), &no_options, "replay", &[]);
    assert_eq!(code, 2, "{text}{errors}");
    assert!(text.contains("UNKNOWN: the file has no value for the option `trouble`"), "{text}{errors}");
}

fn a_failure_without_steps_that_is_still_there_is_a_failure() {
    let (home, mut failure) = failure_file("finally", &[]);
    assert_eq!(failure["schedule"].as_array().map(Vec::len), Some(0), "it fails before its first step");
    let (code, text, errors) = on_file(home.path(), &failure, "replay", &[]);
    assert_eq!(code, 1, "{text}{errors}");
    failure["config"]["options"]["trouble"] = "pass".into();
    assert_eq!(on_file(home.path(), &failure, "replay", &[]).0, 2, "whether it was mended is not known");
}

#[cfg(unix)]
fn shrinking_in_place_writes_through_a_link_and_keeps_the_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (home, failure) = failure_file("fail", &["--no-shrink"]);
    let (real, link) = (home.path().join("real.json"), home.path().join("link.json"));
    std::fs::write(&real, failure.to_string()).expect("it can be written");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("real.json", &link).expect("a link");
    let (code, text, errors) = toy(&["shrink", &link.display().to_string()]);
    assert_eq!(code, 0, "{text}{errors}");
    assert!(std::fs::symlink_metadata(&link).expect("it is there").is_symlink(), "the link is one still");
    let meta = std::fs::symlink_metadata(&real).expect("it is there");
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    let shrunk: Value =
        serde_json::from_str(&std::fs::read_to_string(&real).expect("it can be read")).expect("it is JSON");
    assert_eq!(shrunk["found"]["shrunk"], true, "the file behind the link was written");
    let left: Vec<_> = std::fs::read_dir(home.path()).expect("a folder").flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".tmp")));
}

fn a_folder_that_is_not_there_cannot_be_listed() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let nowhere = home.path().join("nowhere").display().to_string();
    let (code, text, errors) = toy(&["list", &nowhere]);
    assert_eq!(code, 2, "{text}");
    assert!(errors.contains("nowhere"), "{errors}");
    let (code, ..) = toy(&["list", &home.path().display().to_string()]);
    assert_eq!(code, 0, "an empty folder holds no campaign, and that is all there is to it");
}

fn main() -> ExitCode {
    if let Some(code) = second_process::command_line(target(), str::to_owned) {
        return code;
    }
    cases![
        every_command_and_every_report_has_the_same_verdict_on_a_campaign,
        a_campaign_that_has_not_begun_has_not_passed,
        several_campaigns_in_a_folder_are_no_better_than_the_worst,
        a_plain_test_has_the_verdict_of_its_campaign,
        scenarios_that_show_nothing_do_not_pass,
        a_replay_has_the_headline_and_the_verdict_of_its_run,
        a_replay_of_a_file_that_lost_its_steps_or_options_is_inconclusive,
        a_failure_without_steps_that_is_still_there_is_a_failure,
        #[cfg(unix)]
        shrinking_in_place_writes_through_a_link_and_keeps_the_mode,
        a_folder_that_is_not_there_cannot_be_listed,
    ]
    .run()
}
