//! Seeds fix executions of target files too: each of `targets/*/shakedown.toml` that is named here, with
//! every strategy. See `shakedown_cases::determinism`. A target file needs what its set-up script installs:
//! without it, it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::path::Path;
use std::process::{Command, ExitCode};

use shakedown_cases::Cases;
use shakedown_cases::determinism::{TargetFile, cases_of_file};

const NO_SINGLE_LOSS: &str = "the target's contract rules out the loss of single messages";
const NO_ROUNDS: &str = "this target does not define its rounds";
const NO_PREDICATES: &str = "this target offers no predicates for them";

/// The target files, what each needs in `target/hosts`, and what installs it.
const FILES: &[(TargetFile, &str, &str)] = &[
    (
        TargetFile {
            program: env!("CARGO_BIN_EXE_shakedown"),
            file: "targets/libraft/shakedown.toml",
            target: "libraft",
            executions: 3,
            ruled_out: &[("waypoint", NO_PREDICATES), ("closure:level=b", NO_ROUNDS)],
        },
        "libraft/liblibraft-node.so",
        "targets/libraft/build.sh",
    ),
    (
        TargetFile {
            program: env!("CARGO_BIN_EXE_shakedown"),
            file: "targets/microraft/shakedown.toml",
            target: "microraft",
            executions: 2,
            ruled_out: &[("waypoint", NO_PREDICATES), ("closure:level=b", NO_ROUNDS)],
        },
        "microraft-0.7/classes",
        "targets/microraft/build.sh",
    ),
    (
        TargetFile {
            program: env!("CARGO_BIN_EXE_shakedown"),
            file: "targets/pysyncobj/shakedown.toml",
            target: "pysyncobj",
            executions: 3,
            ruled_out: &[
                ("lossy", NO_SINGLE_LOSS),
                ("waypoint", NO_PREDICATES),
                ("closure:level=b", NO_ROUNDS),
            ],
        },
        "pysyncobj-0.3.17/complete",
        "targets/pysyncobj/setup.sh",
    ),
];

/// The finding of docs/findings.md is the same whenever it is replayed, and the library's own simulator
/// confirms it.
fn libraft_commits_an_entry_that_one_server_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let replayed = Command::new(env!("CARGO_BIN_EXE_shakedown"))
        .args(["replay", "targets/libraft/findings/answers-hold.json", "--times", "100"])
        .args(["--target-file", "targets/libraft/shakedown.toml"])
        .current_dir(&root)
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1), "{printed}");
    assert!(printed.contains("100 of 100 replays were the same, bit for bit"), "{printed}");

    let story = Command::new(root.join("target/hosts/libraft/story")).output().expect("build.sh built it");
    let printed = String::from_utf8_lossy(&story.stdout);
    let expected = "the client of 25 is answered: it is committed\n\
                    the client of 40 is answered: it is committed\n\
                    server 1 applied: 8 40\n\
                    server 2 applied: 25\n\
                    server 3 applied:\n";
    assert_eq!((story.status.code(), printed.as_ref()), (Some(1), expected));
}

fn main() -> ExitCode {
    let cases = FILES.iter().fold(Cases::default(), |cases, (file, needed, script)| {
        let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hosts");
        let is_there = hosts.join(needed).exists();
        assert!(
            is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(),
            "{}: {script} has not been run",
            file.target
        );
        if !is_there {
            eprintln!("left out: {} needs what {script} installs", file.target);
            return cases;
        }
        let cases = cases_of_file(cases, file);
        match file.target {
            "libraft" => cases.and(
                "libraft_commits_an_entry_that_one_server_holds",
                libraft_commits_an_entry_that_one_server_holds,
            ),
            _ => cases,
        }
    });
    cases.run()
}
