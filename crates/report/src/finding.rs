//! A finding as reports want it: the failure, its execution replayed in full, and what a reader needs beside
//! them.

use std::collections::BTreeMap;

use shakedown_campaign::Failure;
use shakedown_check::SpecStep;
use shakedown_cluster::Trace;

use crate::{DiagramStyle, Explained, ForbiddenStep, Reproduction, described_failure};

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
    /// What a specification says of boot and then of each step, in the order of the schedule; empty where
    /// none is mapped.
    pub spec: Vec<SpecStep>,
    /// Whether it is in the baseline: then it does not count against the build.
    pub is_known: bool,
    /// How many executions failed so, by cause, if that was counted.
    pub causes: BTreeMap<String, u64>,
    /// Why it failed, if that was found out.
    pub explained: Option<Explained>,
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
        let text = described_failure(&found, reproduction, trace.as_ref(), None, style).to_string();
        FindingReport {
            failure: found,
            reproduction,
            trace,
            options: String::new(),
            text,
            replay: replay.into(),
            file: None,
            spec: Vec::new(),
            is_known: false,
            causes: BTreeMap::new(),
            explained: None,
        }
    }

    /// The same with what a specification says of boot and of each step.
    #[must_use]
    pub fn with_spec(self, spec: Vec<SpecStep>) -> FindingReport {
        let forbidden = ForbiddenStep::first(&spec);
        let style = DiagramStyle { lines_max: TEXT_LINES_MAX, ..DiagramStyle::default() };
        let text = described_failure(
            &self.failure,
            self.reproduction,
            self.trace.as_ref(),
            forbidden.as_ref(),
            style,
        );
        FindingReport { text: text.to_string(), spec, ..self }
    }

    /// The first step that the specification forbids.
    pub fn forbidden(&self) -> Option<ForbiddenStep> {
        ForbiddenStep::first(&self.spec)
    }
}

/// The most lines of the diagram in the text form: beyond that nobody reads it in an issue.
const TEXT_LINES_MAX: usize = 200;
