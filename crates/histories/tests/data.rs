//! Every file of `tests/list_append` and `tests/rw_register` is a case. Its first lines say what is to be
//! found in it: `anomalies:`, the kinds in the order of a report, and `allows:`, the models; or `error:`, why
//! it cannot be read; and `keys:`, if keys alone are `linearizable` or `sequential`. Files of `tests/rules`
//! name a `workload:` or a `model:` of sessions, and the `problems:`. Other comments are for readers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shakedown_cases::cases;
use shakedown_histories::sessions::{self, SessionModel};
use shakedown_histories::workloads::workload;
use shakedown_histories::{
    Check, History, MODELS, ReadError, edn, json, list_append, operations, rw_register,
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

fn holds(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let history = match (read(file, &text), expected(&text, "error")) {
        (Ok(history), None) => history,
        (Err(error), Some(expected)) => return assert_eq!(error.to_string(), expected),
        (Ok(_), Some(expected)) => panic!("it can be read, but should be refused: {expected}"),
        (Err(error), None) => panic!("{error}"),
    };
    let keys = expected(&text, "keys");
    let check = Check {
        linearizable_keys: keys == Some("linearizable"),
        sequential_keys: keys == Some("sequential"),
        ..Check::default()
    };
    let report = match history.has_registers() {
        true => rw_register::check(&history, check),
        false => list_append::check(&history, check),
    };
    let kinds = if report.is_valid() { "none".to_owned() } else { report.kinds().join(", ") };
    assert_eq!(
        kinds,
        expected(&text, "anomalies").expect("the file says what is wrong with it"),
        "{report:#?}"
    );
    let Some(models) = expected(&text, "allows") else { return };
    let allowed: Vec<&str> = match models.strip_prefix("all but ") {
        Some(models) => {
            let out: Vec<&str> = models.split(", ").collect();
            MODELS.iter().map(|model| model.name).filter(|name| !out.contains(name)).collect()
        }
        None if models == "nothing" => Vec::new(),
        None => models.split(", ").collect(),
    };
    assert_eq!(report.models().1, allowed);
    for anomaly in &report.anomalies {
        check_cycle(&history, anomaly);
    }
}

/// A history with rules of its own has the problems that its first lines name.
fn follows_rules(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let found = operations::read_edn(&text).and_then(|history| match expected(&text, "workload") {
        Some(name) => (workload(name).expect("it is known").check)(&history, 8),
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

/// What Elle's own tests (version 0.2.8, commit ccdee6f, `test/elle/list_append_test.clj`) expect of a
/// history: the anomalies that it names are found, the models that it rules out are ruled out, and those that
/// it does not object to are allowed. Elle's `G-single-item` is our `G-single`.
fn is_judged_as_by_elle(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    let history = edn::read(&text).expect("it can be read");
    let report = list_append::check(&history, Check::default());
    let list = |word: &str| -> Vec<&str> {
        expected(&text, word).expect(word).split(", ").filter(|name| *name != "none").collect()
    };
    for kind in list("elle") {
        assert!(report.kinds().contains(&kind.to_owned()), "{kind}: {:?}", report.kinds());
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
