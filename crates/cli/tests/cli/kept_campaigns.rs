//! Campaigns that are kept in a folder, and what becomes of them when their process is killed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::command::{command, json, shakedown, text};

/// A folder for campaigns that goes away with the test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("there is a folder for temporary files"))
    }

    fn campaign(&self, name: &str) -> (PathBuf, String) {
        let path = self.0.path().join(name);
        let text = path.to_str().expect("temporary folders have plain names").to_owned();
        (path, text)
    }
}

/// What must not depend on how often a campaign was interrupted.
fn what_counts(summary: &serde_json::Value) -> serde_json::Value {
    let mut summary = summary.clone();
    let fields = summary.as_object_mut().expect("a summary is an object");
    for time in ["seconds", "seconds_shrinking", "seconds_keeping"] {
        fields.remove(time);
    }
    for finding in fields["findings"].as_array_mut().expect("findings are a list") {
        // The folder is another one.
        finding.as_object_mut().expect("a finding is an object").remove("file");
    }
    summary
}

/// The files of a folder.
fn file_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The command that goes on in a folder, or begins there again: a process that was killed early enough left a
/// folder that counts as new.
fn next_command<'a>(begin: &[&'a str], folder: &'a str) -> Vec<&'a str> {
    if text(&shakedown(&["list", folder]).stdout).contains(" executions, ") {
        vec!["resume", folder, "--jobs", "2"]
    } else {
        begin.iter().copied().chain(["--keep", folder]).collect()
    }
}

/// Runs a campaign that is killed again and again, and resumed each time; gives how often it was killed.
fn killed_and_resumed(arguments: &[&str], folder: &str, kills: u32, apart: Duration) -> u32 {
    let mut killed = 0;
    for number in 0..kills {
        let mut child = command(&next_command(arguments, folder))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        // Not a wait for something: a moment that nothing in the campaign knows of. Every third one is an
        // early one.
        let apart = if number % 3 == 0 { Duration::ZERO } else { apart };
        std::thread::sleep(apart + Duration::from_millis(u64::from(number * 37 % 101)));
        if child.try_wait().expect("it can be asked").is_some() {
            break;
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it has ended");
        killed += 1;
    }
    killed
}

/// A campaign that finds something, with this strategy, uninterrupted and killed again and again.
fn comes_to_the_same(strategy: &str, executions: &str) {
    let folder = Folder::new();
    let arguments = [
        "run",
        "planted-raft",
        "--nodes",
        "5",
        "--set",
        "fault=quorum-third",
        "--keep-going",
        "--measure",
        "state",
        "--measure",
        "trace",
        "--strategy",
        strategy,
        "--executions",
        executions,
        // Not by time: on a busy machine that limit would be another one each time.
        "--shrink-budget",
        "500",
    ];
    let (whole_folder, whole) = folder.campaign("whole");
    let arguments_of_whole: Vec<_> = arguments.iter().copied().chain(["--keep", &whole, "--json"]).collect();
    let uninterrupted = json(&arguments_of_whole);
    assert!(!uninterrupted["findings"].as_array().expect("a list").is_empty(), "something is found");
    assert!(uninterrupted["coverage"][0]["covered"].as_u64() > Some(1_000));

    let (killed_folder, killed) = folder.campaign("killed");
    let kills = killed_and_resumed(&arguments, &killed, 6, Duration::from_millis(150));
    assert!(kills > 0, "the campaign is long enough to be killed");
    let resumed = json(&[&next_command(&arguments, &killed)[..], &["--json"]].concat());
    assert_eq!(what_counts(&resumed), what_counts(&uninterrupted), "{strategy} after {kills} kills");
    assert_eq!(file_names(&killed_folder.join("failures")), file_names(&whole_folder.join("failures")));
}

#[test]
fn a_campaign_that_is_killed_at_any_moment_comes_to_the_same() {
    comes_to_the_same("random", "4000");
}

#[test]
fn so_does_one_that_learns() {
    comes_to_the_same("bonusmax", "3000");
}

#[test]
fn and_one_that_mutates() {
    comes_to_the_same("fuzz:state", "4000");
}

#[test]
fn the_command_for_the_report_can_be_pasted() {
    let folder = Folder::new();
    let (_, path) = folder.campaign("two words");
    let output = shakedown(&["run", "figure1", "--executions", "5", "--keep", &path]);
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    assert!(printed.contains(&format!(" report '{path}'\n")), "{printed}");
}

#[test]
fn a_folder_with_a_campaign_is_not_overwritten_and_one_without_is_told() {
    let folder = Folder::new();
    let (_, path) = folder.campaign("one");
    let run = ["run", "figure1", "--executions", "50", "--keep", &path];
    assert_eq!(shakedown(&run).status.code(), Some(0));
    let again = shakedown(&run);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("holds a campaign already: go on with `resume`"));

    let (nowhere, nowhere_text) = folder.campaign("nowhere");
    for command in [&["resume", &nowhere_text][..], &["show", &nowhere_text]] {
        let output = shakedown(command);
        assert_eq!(output.status.code(), Some(2));
    }
    std::fs::create_dir(&nowhere).expect("it can be made");
    std::fs::write(
        nowhere.join("campaign.sqlite"),
        "not a database, though it is long enough to be looked at",
    )
    .expect("it can be written");
    let output = shakedown(&["resume", &nowhere_text]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is no store of campaigns"), "{}", text(&output.stderr));

    let bad = shakedown(&["run", "figure1", "--strategy", "luck", "--keep", &folder.campaign("bad").1]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(!folder.campaign("bad").0.exists(), "what cannot run leaves no folder behind");
}

#[test]
fn parts_of_a_campaign_are_merged() {
    let folder = Folder::new();
    let run = |part: &str, path: &str| {
        let output = shakedown(&["run", "figure1", "-n", "101", "--partition", part, "--keep", path]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    let ((_, one), (_, two), (_, both)) =
        (folder.campaign("1"), folder.campaign("2"), folder.campaign("both"));
    run("1/2", &one);
    run("2/2", &two);
    let merged = shakedown(&["merge", &one, &two, "--into", &both]);
    assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));
    let listed: String = text(&shakedown(&["list", &both]).stdout);
    assert!(listed.contains("101 of 101 executions, 0 found, over, in 2 parts"), "{listed}");
    for wrong in ["0/2", "3/2", "2", "1/0", "1/102"] {
        let output = shakedown(&["run", "figure1", "-n", "101", "--partition", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn strategies_are_compared_by_one_command_and_the_comparison_can_be_resumed() {
    let folder = Folder::new();
    let (_, path) = folder.campaign("compared");
    let compare = [
        "compare",
        "planted-raft",
        "--each",
        "fault=none,quorum-third",
        "--nodes",
        "5",
        "--strategies",
        "random,closure:isolations=4",
        "--trials",
        "4",
        "-n",
        "60",
        "--jobs",
        "2",
        "--keep",
        &path,
        "--json",
    ];
    let compared = json(&compare);
    assert_eq!(compared["strategies"], serde_json::json!(["random", "closure:isolations=4"]));
    assert_eq!((&compared["trials"], &compared["executions"]), (&4.into(), &60.into()));
    let coverage = compared["coverage"].as_array().expect("a list");
    assert_eq!(coverage.len(), 2, "one for each case");
    assert_eq!(coverage[0]["case"], "fault=none");
    // Four trials against four that are all less: the smallest p that there can be.
    assert!(
        (coverage[0]["strategies"][1]["against_first"]["p"].as_f64().expect("a number") - 2.0 / 70.0).abs()
            < 1e-9
    );
    let none = compared["findings"].as_array().expect("a list");
    assert!(none.iter().filter(|finding| finding["case"] == "fault=none").all(|finding| {
        finding["strategies"].as_array().expect("a list").iter().all(|strategy| strategy["found"] == 0)
    }));
    assert_eq!(json(&["resume", &path, "--json"]), compared, "there is nothing left to do");
    assert_eq!(json(&["resume", &path, "--json", "--jobs", "3"]), compared);
}

/// A part of a campaign that finds something in every part.
fn part<'a>(which: &'a str, folder: &'a str) -> Vec<&'a str> {
    let run = ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "--executions", "100"];
    [&run[..], &["--keep-going", "--shrink-budget", "500", "--partition", which, "--keep", folder]].concat()
}

#[test]
fn parts_that_found_something_have_one_verdict_and_one_report() {
    let folder = Folder::new();
    let ((_, first), (_, second), (path, whole)) =
        (folder.campaign("first"), folder.campaign("second"), folder.campaign("whole"));
    for (which, folder) in [("1/2", &first), ("2/2", &second)] {
        assert_eq!(shakedown(&part(which, folder)).status.code(), Some(1), "part {which} finds something");
    }
    let merged = shakedown(&["merge", &first, &second, "--into", &whole]);
    assert!(text(&merged.stdout).starts_with("1 campaign of 2 parts is in "), "{}", text(&merged.stderr));

    let reported = shakedown(&["resume", &whole]);
    assert_eq!(reported.status.code(), Some(1), "{}", text(&reported.stderr));
    assert_eq!(text(&reported.stdout).matches("  FAIL: ").count(), 1, "one verdict");
    let reported = shakedown(&["report", &whole]);
    assert_eq!(reported.status.code(), Some(1), "{}", text(&reported.stderr));
    assert!(path.join("report.html").is_file());
}

#[test]
fn of_two_copies_of_a_campaign_the_one_that_came_further_is_merged() {
    let folder = Folder::new();
    let ((_, begun), (_, over)) = (folder.campaign("begun"), folder.campaign("over"));
    shakedown(&[&part("1/2", &begun)[..], &["--time", "0"]].concat());
    shakedown(&part("1/2", &over));
    for (number, folders) in [[&begun, &over], [&over, &begun]].into_iter().enumerate() {
        let (_, into) = folder.campaign(&number.to_string());
        let merged = shakedown(&["merge", folders[0], folders[1], "--into", &into]);
        assert!(text(&merged.stdout).starts_with("1 campaign is in "), "{}", text(&merged.stderr));
        let list = text(&shakedown(&["list", &into]).stdout);
        assert!(list.contains("50 of 50 executions") && list.contains("over"), "{list}");
    }
}

#[test]
fn a_merge_that_cannot_be_leaves_no_folder() {
    let folder = Folder::new();
    let ((_, over), (_, nowhere), (path, into)) =
        (folder.campaign("over"), folder.campaign("nowhere"), folder.campaign("into"));
    shakedown(&part("1/2", &over));
    let merged = shakedown(&["merge", &over, &nowhere, "--into", &into]);
    assert_eq!(merged.status.code(), Some(2), "{}", text(&merged.stdout));
    assert!(!path.exists());
}

#[test]
fn a_campaign_that_cannot_be_read_is_listed_as_such() {
    let folder = Folder::new();
    let (path, damaged) = folder.campaign("damaged");
    std::fs::create_dir(&path).expect("there is room for a folder");
    std::fs::write(path.join("campaign.sqlite"), "this is no database").expect("and for a file");
    let listed = shakedown(&["list", &damaged]);
    assert_eq!(listed.status.code(), Some(2), "{}", text(&listed.stdout));
    assert!(text(&listed.stdout).contains("is no store of campaigns"), "{}", text(&listed.stdout));
}

/// The records of a report without times and names of files.
fn records(folder: &str) -> Vec<serde_json::Value> {
    let file = format!("{folder}/records.jsonl");
    let reported = shakedown(&["report", folder, "--json-lines", &file]);
    assert_eq!(reported.status.code(), Some(1), "{}", text(&reported.stderr));
    let lines = std::fs::read_to_string(file).expect("it was written");
    let record = |line: &str| {
        let mut record: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let fields = record.as_object_mut().expect("a record is an object");
        for other in ["seconds", "seconds_shrinking", "seconds_keeping", "file"] {
            fields.remove(other);
        }
        record
    };
    lines.lines().map(record).collect()
}

#[test]
fn a_report_of_merged_parts_is_that_of_the_undivided_campaign() {
    let folder = Folder::new();
    let run = ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "--executions", "150"];
    let run = [
        &run[..],
        &[
            "--shrink-budget",
            "500",
            "--keep-going",
            "--measure",
            "state",
            "--measure",
            "trace",
            "--strategy",
            "pctcp",
        ],
    ]
    .concat();
    let (_, undivided) = folder.campaign("undivided");
    let whole = json(&[&run[..], &["--keep", &undivided, "--json"]].concat());
    let parts: Vec<String> = (1..=3).map(|part| folder.campaign(&part.to_string()).1).collect();
    for (part, path) in ["1/3", "2/3", "3/3"].into_iter().zip(&parts) {
        shakedown(&[&run[..], &["--partition", part, "--keep", path]].concat());
    }
    let (into, merged) = folder.campaign("merged");
    let folders: Vec<&str> = parts.iter().rev().map(String::as_str).collect();
    let output = shakedown(&[&["merge"], &folders[..], &["--into", &merged]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let joined = json(&["resume", &merged, "--json"]);
    assert_eq!(what_counts(&joined), what_counts(&whole));
    assert_eq!(records(&merged), records(&undivided));
    // The failure files came along: the folders of the parts may be on other machines.
    let file = joined["findings"][0]["file"].as_str().expect("there is a failure file");
    assert!(Path::new(file).starts_with(&into) && Path::new(file).is_file(), "{file}");
    let shown = shakedown(&["show", &merged]);
    assert_eq!(text(&shown.stdout), text(&shakedown(&["show", &undivided]).stdout));
}

#[test]
fn a_campaign_that_is_damaged_does_not_hide_the_others_in_a_list() {
    let folder = Folder::new();
    let ((damaged, first), (_, second)) = (folder.campaign("a"), folder.campaign("b"));
    for path in [&first, &second] {
        let run = shakedown(&["run", "figure1", "-n", "50", "--measure", "state", "--keep", path]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    }
    let file = damaged.join("campaign.sqlite");
    let mut bytes = std::fs::read(&file).expect("it is there");
    let place = bytes.windows(8).position(|window| window == b"\"target\"").expect("the plan is in the file");
    bytes[place + 3] ^= 1;
    std::fs::write(&file, bytes).expect("it can be written");
    let all = folder.0.path().to_str().expect("temporary folders have plain names");
    let listed = shakedown(&["list", all]);
    assert_eq!(listed.status.code(), Some(2));
    let listed = text(&listed.stdout);
    assert!(listed.contains("is damaged: the plan of campaign 1 (table campaign)"), "{listed}");
    assert!(listed.contains("50 of 50 executions"), "{listed}");
}

#[test]
fn a_finding_of_a_stored_campaign_that_is_shrunk_is_shown_shrunk_and_its_file_has_the_right_name() {
    let folder = Folder::new();
    let (path, kept) = folder.campaign("kept");
    let run = ["run", "raft", "--executions", "20", "--no-shrink", "--keep", &kept];
    assert_eq!(shakedown(&run).status.code(), Some(1));
    let failures = path.join("failures");
    let before = file_names(&failures);
    assert_eq!(before.len(), 1, "{before:?}");
    let file = failures.join(&before[0]).to_string_lossy().into_owned();
    assert_eq!(shakedown(&["shrink", &file, "--executions", "200"]).status.code(), Some(0));
    let after = file_names(&failures);
    assert_eq!(after.len(), 1, "{after:?}");
    assert_ne!(after, before, "it is another schedule");
    let shrunk = std::fs::read_to_string(failures.join(&after[0])).expect("it is there");
    let shrunk: serde_json::Value = serde_json::from_str(&shrunk).expect("it is JSON");
    let mark: String = shrunk["fingerprint"].as_str().expect("it has one").chars().take(8).collect();
    assert!(after[0].contains(&mark), "{after:?} and {mark}");
    let steps = shrunk["schedule"].as_array().expect("steps").len();
    let shown = text(&shakedown(&["show", &kept]).stdout);
    assert!(shown.contains(&format!("{steps} steps, shrunk from")), "{shown}");
    let file = failures.join(&after[0]).to_string_lossy().into_owned();
    assert!(text(&shakedown(&["replay", &file]).stdout).contains("the same trace, bit for bit"));
    assert_eq!(shakedown(&["report", &kept]).status.code(), Some(1), "the store is whole");
}
