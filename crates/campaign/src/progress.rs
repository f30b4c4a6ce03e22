//! What a campaign reports while it works.

use std::io::{self, Write as _};

use crate::workers::Shift;
use crate::{Campaign, Failure, Finding, Standing};

/// Hears how far a campaign has come. Called from the thread that runs the campaign, unless it says
/// otherwise.
pub trait Progress: Sync {
    /// `done` of `total` executions are done, with this number of findings.
    fn executions(&self, _done: u64, _total: u64, _findings: usize) {}

    /// A campaign stands here. Called after every execution that was taken in: whoever shows it looks at a
    /// clock first.
    fn standing(&self, now: &Now<'_>) {
        let Now { standing, campaign, .. } = now;
        self.executions(standing.executions, campaign.plan.executions, standing.findings.len());
    }

    /// A failure was found and is about to be shrunk.
    fn shrinking(&self, _property: &str, _steps: usize) {}

    /// The first short schedule of a failure that is being shrunk: it took this many executions, and
    /// shrinking goes on.
    fn shrunk(&self, _failure: &Failure, _executions: u64) {}

    /// A finding has the form in which it is reported. After an interruption, what was found last may be
    /// reported once more.
    fn found(&self, _finding: &Finding) {}

    /// Fewer workers could be started than were wanted. Those that started do all the work: the result is the
    /// same.
    fn short_of_workers(&self, started: usize, wanted: usize, error: &io::Error) {
        let _ = writeln!(
            io::stderr(),
            "warning: {started} of {wanted} jobs run, no more threads can be started: {error}"
        );
    }

    /// The thread that watches over the calls of nodes could not be started.
    fn unguarded(&self, error: &io::Error) {
        let _ = writeln!(
            io::stderr(),
            "warning: a node that never comes back from its call goes unnoticed, no thread can be started: {error}"
        );
    }

    /// A node has not come back from a call for a long time. Called from a thread of its own. A thread cannot
    /// be stopped from outside, so the process has to end: the default says why on standard error and exits
    /// with 2.
    fn stuck(&self, stuck: &Stuck) {
        // Standard error may be closed; that is no reason to panic, nor to stay.
        let _ = writeln!(io::stderr(), "{stuck}");
        std::process::exit(2);
    }
}

/// A campaign under way.
pub struct Now<'a> {
    /// What it is to do.
    pub campaign: &'a Campaign<'a>,
    /// Where it stands.
    pub standing: &'a Standing,
    /// What its workers do.
    pub(crate) shift: &'a Shift<'a>,
}

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worker {
    /// The execution that it runs, if it runs one.
    pub execution: Option<u64>,
    /// The step that it is in.
    pub step: u64,
}

impl Now<'_> {
    /// What its workers do.
    pub fn workers(&self) -> Vec<Worker> {
        self.shift.workers()
    }
}

/// An execution that does not go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "execution {execution} has been in its step {step} for {seconds} s: a node does not come back from its call. \
     This execution is inconclusive; run it alone with --first {execution} --executions 1"
)]
pub struct Stuck {
    /// The execution.
    pub execution: u64,
    /// The step, counted from 1.
    pub step: u64,
    /// For how long.
    pub seconds: u64,
}

/// Reports nothing.
pub struct Silent;

impl Progress for Silent {}

/// Reports a campaign as a part of something larger, by its number of executions alone.
pub(crate) struct PartOf<'a> {
    /// How many executions there are in all; 0 if that is not known.
    pub total: u64,
    /// How many were done before.
    pub before: u64,
    /// How many findings there were before.
    pub found: usize,
    /// Where it is reported.
    pub progress: &'a dyn Progress,
}

impl Progress for PartOf<'_> {
    fn executions(&self, done: u64, _total: u64, findings: usize) {
        self.progress.executions(self.before + done, self.total, self.found + findings);
    }

    fn shrinking(&self, property: &str, steps: usize) {
        self.progress.shrinking(property, steps);
    }

    fn shrunk(&self, failure: &Failure, executions: u64) {
        self.progress.shrunk(failure, executions);
    }

    fn found(&self, finding: &Finding) {
        self.progress.found(finding);
    }

    fn short_of_workers(&self, started: usize, wanted: usize, error: &io::Error) {
        self.progress.short_of_workers(started, wanted, error);
    }

    fn unguarded(&self, error: &io::Error) {
        self.progress.unguarded(error);
    }

    fn stuck(&self, stuck: &Stuck) {
        self.progress.stuck(stuck);
    }
}
