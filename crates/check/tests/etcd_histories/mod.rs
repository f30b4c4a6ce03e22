//! The histories of an etcd register that Jepsen recorded in 2014. The crate porcupine-rs ships them as test
//! data, with their verdicts; they are read from where cargo has unpacked it.

use std::path::{Path, PathBuf};
use std::process::Command;

use shakedown_check::linearizability::Operation;
use shakedown_check::objects::{Object, ObjectAnswer, ObjectOp, understand};
use shakedown_histories::jepsen_log;

pub type History = Vec<Operation<ObjectOp, ObjectAnswer>>;

/// The folder of the crate porcupine-rs. Not `--offline`: cargo then refuses where a package for another
/// platform was never downloaded, as on a machine that has just built the tests for the first time.
fn porcupine() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let package =
        packages.iter().find(|package| package["name"] == "porcupine-rs").expect("it is a dependency");
    Path::new(package["manifest_path"].as_str().expect("a path"))
        .parent()
        .expect("it is in a folder")
        .to_owned()
}

/// Each history that is not empty: its number, whether it is linearizable by porcupine-rs' own tests, and
/// what was done.
pub fn histories() -> Vec<(usize, bool, History)> {
    let folder = porcupine();
    let verdicts = std::fs::read_to_string(folder.join("tests/etcd_jepsen.rs")).expect("it has tests");
    let verdict = |line: &str| -> Option<(usize, bool)> {
        let (number, verdict) = line.strip_prefix("etcd_test!(")?.strip_suffix(");")?.split_once(", ")?;
        Some((number.parse().ok()?, verdict.parse().ok()?))
    };
    let one = |(number, verdict): (usize, bool)| {
        let file = folder.join(format!("test_data/jepsen/etcd_{number:03}.log"));
        let text = std::fs::read_to_string(file).expect("it has histories");
        let recorded = jepsen_log::read(&text).expect("the log can be read");
        let history = understand(Object::Cas, &recorded, false).expect("these are operations of a register");
        (number, verdict, history.keys.into_iter().next().expect("it is not empty").1)
    };
    verdicts.lines().filter_map(verdict).map(one).collect()
}
