//! What is asked for and is not in the build is an error that names the feature. Each fact is about a feature
//! that is off, so it is a test in builds without that feature only: CI tests this crate with no feature and
//! with `cli` alone.
//!
//! The test program starts itself again, with settings in its environment.

use std::process::{Command, ExitCode};

use shakedown::prelude::*;
use shakedown_cases::cases;
use shakedown_toys::Silent;

/// Whether the second process fails with these settings, naming this feature.
#[cfg_attr(
    all(feature = "html", feature = "store", feature = "tla"),
    expect(dead_code, reason = "nothing is off")
)]
#[track_caller]
fn names(feature: &str, settings: &[(&str, &str)]) {
    let this = std::env::current_exe().expect("a test knows its own program");
    let output = Command::new(this).envs(settings.iter().copied()).output().expect("the program starts");
    let printed = format!("{output:?}");
    assert!(!output.status.success(), "{settings:?}: {printed}");
    assert!(printed.contains(&format!("feature `{feature}`")), "{settings:?}: {printed}");
}

#[cfg(not(feature = "tla"))]
fn a_model_as_a_guide_names_the_feature_tla() {
    names("tla", &[("STRATEGY", "fuzz:model")]);
}

#[cfg(not(feature = "html"))]
fn a_page_names_the_feature_html_before_anything_is_run() {
    names("html", &[("STRATEGY", "random"), ("SHAKEDOWN_HTML", "page.html")]);
}

#[cfg(all(feature = "cli", not(feature = "html")))]
fn the_command_line_names_the_feature_html() {
    for arguments in ["run silent --html page.html", "replay none.json --html page.html"] {
        names("html", &[("COMMAND_LINE", arguments)]);
    }
}

#[cfg(all(feature = "cli", not(feature = "store")))]
fn the_command_line_names_the_feature_store() {
    for arguments in
        ["run silent --keep none", "resume none", "report none", "serve none", "list", "corpus replay none"]
    {
        names("store", &[("COMMAND_LINE", arguments)]);
    }
}

#[cfg(all(feature = "cli", not(feature = "tla")))]
fn the_command_line_names_the_feature_tla() {
    for arguments in ["conform silent", "tla check Spec.tla", "validate trace.jsonl --spec Spec.tla"] {
        names("tla", &[("COMMAND_LINE", arguments)]);
    }
}

/// What the second process does: a plain test, or the command line with these arguments.
fn in_a_second_process() -> Option<ExitCode> {
    #[cfg(feature = "cli")]
    if let Ok(arguments) = std::env::var("COMMAND_LINE") {
        let arguments = std::iter::once("program").chain(arguments.split(' ')).map(Into::into);
        return Some(shakedown::main_with(vec![Box::new(Target::<Silent>::new("silent"))], arguments));
    }
    let strategy = std::env::var("STRATEGY").ok()?;
    Test::new(Target::<Silent>::new("silent")).executions(1).strategy(strategy).run();
    Some(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    if let Some(code) = in_a_second_process() {
        return code;
    }
    cases![
        #[cfg(not(feature = "tla"))]
        a_model_as_a_guide_names_the_feature_tla,
        #[cfg(not(feature = "html"))]
        a_page_names_the_feature_html_before_anything_is_run,
        #[cfg(all(feature = "cli", not(feature = "html")))]
        the_command_line_names_the_feature_html,
        #[cfg(all(feature = "cli", not(feature = "store")))]
        the_command_line_names_the_feature_store,
        #[cfg(all(feature = "cli", not(feature = "tla")))]
        the_command_line_names_the_feature_tla,
    ]
    .run()
}
