//! A finding as reports want it: the failure, its execution replayed in full, and what a reader needs beside them.

use shakedown_campaign::Failure;
use shakedown_check::SpecStep;
use shakedown_cluster::Trace;

use crate::{DiagramStyle, Reproduction, replayed_failure};

/// A failure with everything that is told of it. Reports in HTML, JUnit XML and SARIF are made from these.
#[derive(Clone)]
pub struct FindingReport {
    /// What was violated, how it was found, and the schedule.
    pub failure: Failure,
    /// Whether the violation is there in the run that is shown.
    pub reproduction: Reproduction,
    /// The replay of the schedule, recorded in full; none if the cluster never got as far as its first step.
    pub trace: Option<Trace>,
    /// The options of the target that were not its defaults, if that is known.
    pub options: String,
    /// The failure in plain text, with its diagram, to be pasted into an issue.
    pub text: String,
    /// The command that replays it.
    pub replay: String,
    /// Where the failure file lies, as a path with slashes, if there is one.
    pub file: Option<String>,
    /// What a specification says of boot and then of each step, in the order of the schedule; empty where none is mapped.
    pub spec: Vec<SpecStep>,
}

impl FindingReport {
    /// The finding with its text form; `replay` is the command that replays it.
    pub fn new(found: Failure, trace: Option<Trace>, replay: impl Into<String>) -> FindingReport {
        FindingReport::replayed(found, Reproduction::Violated, trace, replay)
    }

    /// The same of a failure that was replayed, whatever came of it.
    pub fn replayed(
        found: Failure,
        reproduction: Reproduction,
        trace: Option<Trace>,
        replay: impl Into<String>,
    ) -> FindingReport {
        let style = DiagramStyle { lines_max: TEXT_LINES_MAX, ..DiagramStyle::default() };
        let text = replayed_failure(&found, reproduction, trace.as_ref(), style).to_string();
        FindingReport {
            failure: found,
            reproduction,
            trace,
            options: String::new(),
            text,
            replay: replay.into(),
            file: None,
            spec: Vec::new(),
        }
    }
}

/// The most lines of the diagram in the text form: beyond that nobody reads it in an issue.
const TEXT_LINES_MAX: usize = 200;
