//! Seeds fix executions of target files too: each of `targets/*/shakedown.toml` that is named here, with every strategy. See
//! `shakedown_cases::determinism`. A target file needs what its set-up script installs: without it, it is left out, or fails if
//! `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::path::Path;
use std::process::ExitCode;

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
        cases_of_file(cases, file)
    });
    cases.run()
}
