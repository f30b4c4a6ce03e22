//! What is asked for and is not in the build is an error that names the feature. Each fact is about a feature that is off, so
//! it is a test in builds without that feature only: CI tests this crate with no feature and with `cli` alone.
//!
//! The test program runs itself again, with settings in its environment.

#![cfg(not(all(feature = "html", feature = "store", feature = "tla")))]

use std::process::Command;

use shakedown::prelude::*;

struct Silent;

#[derive(Clone, Debug)]
struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

impl Node for Silent {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Silent
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) {}
}

/// What the second process does: a plain test, or the command line with these arguments.
#[test]
fn in_a_second_process() {
    #[cfg(feature = "cli")]
    if let Ok(arguments) = std::env::var("COMMAND_LINE") {
        let arguments = std::iter::once("program").chain(arguments.split(' ')).map(Into::into);
        let code = shakedown::main_with(vec![Box::new(Target::<Silent>::new("silent"))], arguments);
        std::process::exit(if code == 2.into() { 2 } else { 0 });
    }
    if let Ok(strategy) = std::env::var("STRATEGY") {
        Test::new(Target::<Silent>::new("silent")).executions(1).strategy(strategy).run();
    }
}

/// Whether the second process fails with these settings, naming this feature.
#[track_caller]
fn names(feature: &str, settings: &[(&str, &str)]) {
    let this = std::env::current_exe().expect("a test knows its own program");
    let mut command = Command::new(this);
    command.args(["--exact", "in_a_second_process", "--nocapture"]).envs(settings.iter().copied());
    let output = command.output().expect("the program starts");
    let printed = format!("{output:?}");
    assert!(!output.status.success(), "{settings:?}: {printed}");
    assert!(printed.contains(&format!("feature `{feature}`")), "{settings:?}: {printed}");
}

#[cfg(not(feature = "tla"))]
#[test]
fn a_model_as_a_guide_names_the_feature_tla() {
    names("tla", &[("STRATEGY", "fuzz:model")]);
}

#[cfg(not(feature = "html"))]
#[test]
fn a_page_names_the_feature_html_before_anything_is_run() {
    names("html", &[("STRATEGY", "random"), ("SHAKEDOWN_HTML", "page.html")]);
}

#[cfg(all(feature = "cli", not(feature = "html")))]
#[test]
fn the_command_line_names_the_feature_html() {
    for arguments in ["run silent --html page.html", "replay none.json --html page.html"] {
        names("html", &[("COMMAND_LINE", arguments)]);
    }
}

#[cfg(all(feature = "cli", not(feature = "store")))]
#[test]
fn the_command_line_names_the_feature_store() {
    for arguments in ["run silent --keep none", "resume none", "report none", "list", "corpus replay none"] {
        names("store", &[("COMMAND_LINE", arguments)]);
    }
}

#[cfg(all(feature = "cli", not(feature = "tla")))]
#[test]
fn the_command_line_names_the_feature_tla() {
    for arguments in ["conform silent", "tla check Spec.tla", "validate trace.jsonl --spec Spec.tla"] {
        names("tla", &[("COMMAND_LINE", arguments)]);
    }
}
