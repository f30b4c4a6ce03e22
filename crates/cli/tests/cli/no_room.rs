//! Campaigns where nothing can be written, or nothing more.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::command::{json, shakedown, text};

/// A user who is not the superuser and owns nothing.
const NOBODY: u32 = 65_534;

/// A campaign that finds something among its first 256 executions, so there is a checkpoint after these on
/// every machine, however fast; and whose file comes to more than 400 KiB.
const RUN: [&str; 16] = [
    "run",
    "planted-raft",
    "--nodes",
    "5",
    "--set",
    "fault=quorum-third",
    "--keep-going",
    "--no-shrink",
    "--measure",
    "state",
    "--measure",
    "trace",
    "--executions",
    "2500",
    "--strategy",
    "random",
];
/// The limit of a file, in blocks of 512 bytes: the first checkpoint fits in, and all of it does not fit into
/// the file and its write-ahead log together.
const BLOCKS: u32 = 300;

/// Runs the command where no file may have more than this many blocks of 512 bytes: a disk that is full, for
/// every user and without a file system of its own.
fn with_blocks(blocks: u32, arguments: &[&str]) -> Output {
    // The signal is ignored, so that writing fails with an error.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let command = Command::new("sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_shakedown")])
        .args(arguments)
        .output();
    command.expect("there is a shell")
}

fn without_times_and_files(mut summary: serde_json::Value) -> serde_json::Value {
    let fields = summary.as_object_mut().expect("a summary is an object");
    for time in ["seconds", "seconds_shrinking", "seconds_keeping"] {
        fields.remove(time);
    }
    for finding in fields["findings"].as_array_mut().expect("findings are a list") {
        finding.as_object_mut().expect("a finding is an object").remove("file");
    }
    summary
}

#[test]
fn a_disk_that_fills_up_is_a_clear_error_and_nothing_stored_is_lost() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = |name: &str| folder.path().join(name).to_str().expect("it has a plain name").to_owned();
    let (full, whole) = (path("full"), path("whole"));
    let cut = with_blocks(BLOCKS, &[&RUN[..], &["--keep", &full]].concat());
    assert_eq!(cut.status.code(), Some(2), "{}", text(&cut.stdout));
    let error = text(&cut.stderr);
    assert!(error.contains("campaign.sqlite cannot be written: "), "{error}");
    assert!(
        error.contains("What was stored before is whole: make room, and continue with `resume`"),
        "{error}"
    );

    let listed = text(&shakedown(&["list", &full]).stdout);
    assert!(listed.contains("of 2 500 executions, ") && listed.contains(" found, to be resumed"), "{listed}");
    assert!(!listed.contains(" 0 found") && !listed.contains(": 0 of"), "{listed}");
    let resumed = json(&["resume", &full, "--json"]);
    let undisturbed = json(&[&RUN[..], &["--keep", &whole, "--json"]].concat());
    assert_eq!(without_times_and_files(resumed), without_times_and_files(undisturbed));
}

#[test]
fn a_disk_that_is_full_from_the_start_leaves_a_folder_that_counts_as_new() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("campaign").to_str().expect("it has a plain name").to_owned();
    let run = ["run", "figure1", "--executions", "50", "--keep", &path];
    for blocks in [0, 8, 40] {
        let full = with_blocks(blocks, &run);
        assert_eq!(full.status.code(), Some(2), "{blocks}: {}", text(&full.stdout));
        let resumed = shakedown(&["resume", &path]);
        assert_eq!(resumed.status.code(), Some(2));
        let error = text(&resumed.stderr);
        assert!(error.contains("holds no campaign yet") && error.contains("repeat the command"), "{error}");
    }
    let again = shakedown(&run);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

/// Takes away or gives back the permission to write, everywhere below.
fn set_writable(path: &Path, is_writable: bool) {
    let is_folder = path.is_dir();
    if is_folder {
        for entry in fs::read_dir(path).expect("it can be read") {
            set_writable(&entry.expect("it can be read").path(), is_writable);
        }
    }
    let mode = if is_folder { 0o555 } else { 0o444 } | if is_writable { 0o200 } else { 0 };
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn a_read_only_folder_can_be_listed_shown_and_reported() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let campaign = folder.path().join("campaign");
    let campaign_text = campaign.to_str().expect("it has a plain name");
    let run = ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "--no-shrink"];
    assert_eq!(shakedown(&[&run[..], &["--keep", campaign_text]].concat()).status.code(), Some(1));
    set_writable(&campaign, false);

    // The superuser may write everywhere, so the command is run by another user then, from where that one
    // finds it.
    let is_superuser = fs::write(campaign.join("probe"), "").is_ok();
    let program = folder.path().join("shakedown");
    if is_superuser {
        fs::remove_file(campaign.join("probe")).expect("it was just written");
        fs::copy(env!("CARGO_BIN_EXE_shakedown"), &program).expect("there is room");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("it is ours");
    }
    let reads = |arguments: &[&str]| {
        let mut command = Command::new(if is_superuser {
            program.as_path()
        } else {
            Path::new(env!("CARGO_BIN_EXE_shakedown"))
        });
        if is_superuser {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.args(arguments).output().expect("the command starts")
    };
    let listed = reads(&["list", campaign_text]);
    assert!(
        text(&listed.stdout).contains("1 found, over"),
        "{}{}",
        text(&listed.stdout),
        text(&listed.stderr)
    );
    let shown = reads(&["show", campaign_text]);
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown.stderr));
    let page = folder.path().join("page.html");
    let reported = reads(&["report", campaign_text, "--html", page.to_str().expect("it has a plain name")]);
    assert_eq!(reported.status.code(), Some(1), "{}", text(&reported.stderr));
    assert!(page.is_file());
    let resumed = reads(&["resume", campaign_text]);
    assert_eq!(resumed.status.code(), Some(2), "there is nothing that could be written");
    set_writable(&campaign, true);
}
