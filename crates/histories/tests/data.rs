//! Every file of `tests/list_append` and `tests/rw_register` is a case. Its first lines say what is to be
//! found in it: `anomalies:`, the kinds in the order of a report, `also:`, what their cycles show besides,
//! and `not:`, the weakest models that are ruled out; or `error:`, why it cannot be read; and `keys:`, if
//! keys alone are `linearizable` or `sequential`. Files of `tests/rules` name a `workload:` (a bank with its
//! `total:`) or a `model:` of sessions, and the `problems:`. Other comments are for readers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shakedown_cases::cases;
use shakedown_histories::sessions::{self, SessionModel};
use shakedown_histories::workloads::{Rules, workload};
use shakedown_histories::{
    AnomalyKind, Check, History, ReadError, Report, edn, json, list_append, operations, rw_register,
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

fn files(workload: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(Path::new(FOLDER).join(workload))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    files
}

/// What a comment line says after a word.
fn expected<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(word)?.strip_prefix(": "))
}

fn read(file: &Path, text: &str) -> Result<History, ReadError> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("edn") => edn::read(text),
        // JSON has no comments; the lines keep their numbers.
        _ => json::read(
            &text
                .lines()
                .map(|line| if line.starts_with(';') { "" } else { line })
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    }
}

/// Checks a history with what its first lines assume of keys.
fn checked(history: &History, text: &str) -> Report {
    let keys = expected(text, "keys");
    let check = Check {
        linearizable_keys: keys == Some("linearizable"),
        sequential_keys: keys == Some("sequential"),
        ..Check::default()
    };
    match history.has_registers() {
        true => rw_register::check(history, check),
        false => list_append::check(history, check),
    }
}

fn holds(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let history = match (read(file, &text), expected(&text, "error")) {
        (Ok(history), None) => history,
        (Err(error), Some(expected)) => return assert_eq!(error.to_string(), expected),
        (Ok(_), Some(expected)) => panic!("it can be read, but should be refused: {expected}"),
        (Err(error), None) => panic!("{error}"),
    };
    let report = checked(&history, &text);
    let kinds = if report.is_valid() { "none".to_owned() } else { report.kinds().join(", ") };
    assert_eq!(
        kinds,
        expected(&text, "anomalies").expect("the file says what is wrong with it"),
        "{report:#?}"
    );
    let also: Vec<String> = report.also.keys().map(|kind| kind.name()).collect();
    assert_eq!(also.join(", "), expected(&text, "also").unwrap_or_default(), "{report:#?}");
    let (ruled_out, _) = report.boundary();
    let ruled_out = if ruled_out.is_empty() { "none".to_owned() } else { ruled_out.join(", ") };
    assert_eq!(Some(ruled_out.as_str()), expected(&text, "not"), "the weakest models that are ruled out");
    for anomaly in &report.anomalies {
        check_cycle(&history, anomaly);
    }
}

/// A history with rules of its own has the problems that its first lines name.
fn follows_rules(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let found = operations::read_edn(&text).and_then(|history| match expected(&text, "workload") {
        Some(name) => {
            let total = expected(&text, "total").map(|total| total.parse().expect("it is a number"));
            let rules = Rules { total, ..Rules::default() };
            (workload(name).expect("it is known").check)(&history, rules)
        }
        None => {
            let name = expected(&text, "model").expect("the file names a workload or a model");
            let (name, is_keyed) = name.strip_suffix(", keyed").map_or((name, false), |name| (name, true));
            sessions::check(&history, SessionModel::of(name).expect("it is known"), is_keyed, 8)
        }
    });
    match found {
        Ok(found) => {
            let kinds = if found.is_valid() { "none".to_owned() } else { found.kinds().join(", ") };
            assert_eq!(Some(kinds.as_str()), expected(&text, "problems"), "{found:#?}");
        }
        Err(error) => assert_eq!(Some(error.to_string().as_str()), expected(&text, "error")),
    }
}

/// What Elle's own tests (version 0.2.8, commit ccdee6f, `list_append_test.clj` and `rw_register_test.clj`)
/// expect of a history: the anomalies that it names are found, the models that it rules out are ruled out,
/// and those that it does not object to are allowed. Elle's `G-single-item` is our `G-single`. Elle does not
/// ask whether anybody wrote what was read: that is left out here. `keys:` is what Elle's test assumes.
fn is_judged_as_by_elle(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let history = edn::read(&text).expect("it can be read");
    let mut report = checked(&history, &text);
    report.counts.remove(&AnomalyKind::GarbageRead);
    let list = |word: &str| -> Vec<&str> {
        expected(&text, word).expect(word).split(", ").filter(|name| *name != "none").collect()
    };
    for kind in list("elle") {
        // What the order of a process shows, real time shows too.
        let by_process = kind.replace("-realtime", "-process");
        let is_found = report.kinds().iter().any(|found| found == kind || *found == by_process);
        assert!(is_found, "{kind}: {:?}", report.kinds());
    }
    for model in list("not") {
        assert!(!report.allows(model), "{model}: {:?}", report.kinds());
    }
    for model in list("valid") {
        assert!(report.allows(model), "{model}: {:?}", report.kinds());
    }
    assert_eq!(list("elle").is_empty(), report.is_valid(), "{:?}", report.kinds());
}

/// A cycle goes on where the link before ended, and comes back.
fn check_cycle(history: &History, anomaly: &shakedown_histories::Anomaly) {
    for (place, link) in anomaly.links.iter().enumerate() {
        let next = &anomaly.links[(place + 1) % anomaly.links.len()];
        assert_eq!(link.to, next.from, "{anomaly:?}");
        assert!((link.from as usize) < history.len(), "{anomaly:?}");
    }
}

fn main() -> ExitCode {
    cases![]
        .and_files("list_append", files("list_append"), holds)
        .and_files("rw_register", files("rw_register"), holds)
        .and_files("elle", files("elle"), is_judged_as_by_elle)
        .and_files("rules", files("rules"), follows_rules)
        .run()
}
