//! Libraries that break a rule of the header: an error or a finding that names it.

use std::path::Path;
use std::sync::Arc;

use shakedown_cluster::{CaughtPanics, Cluster, Contract, InProcess, Options, Recording, Setup, Step};
use shakedown_native::{Library, NativeNode, SharedLibrary};

use crate::compiled::library;

const SOURCE: &str = "crates/native/tests/libraries/misbehaves.c";

/// A way to misbehave, and what the finding says; nothing where it is none.
pub const WAYS: &[(&str, &str)] = &[
    ("behaves", ""),
    ("to-no-node", "sends a message to node 9, which does not exist"),
    ("bad-kind", "`two words` is not a name"),
    ("no-kind", "the name of a kind of message is bad"),
    ("broken-message", "sends a Add that cannot be read"),
    ("broken-answer", "an answer cannot be read"),
    ("bad-answer", "answers request 1099511627776, which does not exist"),
    ("bad-fact", "the field `a` of a fact is no number, truth value or text"),
    ("bad-timer", "the name of a timer is bad"),
    ("bad-disk", "what is written to disk cannot be read"),
    ("fails", "the log has a hole"),
    ("floods", "sends more than 10000 messages at once"),
    ("acts-when-observed", "acts while it is observed"),
    ("broken-state", "shows a state that cannot be read"),
];

pub fn misbehave(way: &str, expected: &str) {
    let file = library(SOURCE, &format!("misbehaves-{way}"), &[]);
    let mut options = Options::default();
    options.set("way", way);
    let setup = Setup {
        nodes: 3,
        contract: Contract::asynchronous(),
        options: Arc::new(options),
        workload: vec![Arc::from("1")],
        steps: 10,
        seed: 1,
        recording: Recording::Full,
    };
    let environment = Arc::new(SharedLibrary::with_notice(&file, Arc::new(|_| {})));
    let booted = InProcess::<NativeNode>::boot_in(Some(environment), &setup, CaughtPanics::Findings);
    let shown = match booted {
        Ok(mut cluster) => {
            let step: Step = "request n1 1".parse().expect("it is a step");
            cluster.perform(&step).expect("it can be done");
            format!("{:?}", cluster.board().stopped())
        }
        Err(panic) => format!("{panic:?}"),
    };
    if expected.is_empty() {
        assert_eq!(shown, "None");
    } else {
        assert!(shown.contains(expected), "{shown}");
    }
    let place = if way == "fails" { "misbehaves.c:" } else { "the library" };
    assert!(expected.is_empty() || shown.contains(place), "{shown}");
}

fn refused(file: &Path) -> String {
    Library::load(file).err().map(|error| error.to_string()).expect("it is refused")
}

pub fn a_file_that_is_no_library_is_refused() {
    let reason = refused(Path::new(file!()));
    assert!(reason.contains("cannot be used"), "{reason}");
}

pub fn a_library_without_the_function_is_refused() {
    let reason = refused(&library(SOURCE, "no-entry", &["-DENTRY=another"]));
    assert!(reason.ends_with("it exports no function `shakedown_node_type`"), "{reason}");
}

pub fn a_library_of_another_version_is_refused() {
    let reason = refused(&library(SOURCE, "another-version", &["-DABI=7"]));
    assert!(reason.ends_with("it was built for version 7 of the C interface; this is version 1"), "{reason}");
}

pub fn a_library_without_a_needed_call_is_refused() {
    let reason = refused(&library(SOURCE, "no-observe", &["-DWITHOUT_OBSERVE"]));
    assert!(reason.ends_with("it declares no function `observe`"), "{reason}");
}
