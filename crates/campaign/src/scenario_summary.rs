//! What came of the iterations of a scenario, and what a test may ask of it.

use std::collections::BTreeSet;
use std::time::Duration;

use shakedown_cluster::Schedule;
use shakedown_explore::StrategyChoice;
use shakedown_scenario::{IterationReport, ScenarioInfo};

use crate::iteration::Iteration;
use crate::{Config, Failure, Summary, Verdict, Violation};

/// What replays an iteration that is explained, without its monitor.
#[derive(Clone, Debug)]
pub struct Explained {
    /// How the target was run.
    pub config: Config,
    /// The seed of the execution.
    pub seed: u64,
    /// What was done.
    pub schedule: Schedule,
}

/// What came of many iterations.
#[derive(Debug)]
pub struct ScenarioSummary {
    /// The scenario.
    pub info: ScenarioInfo,
    /// The target's version.
    pub target_version: String,
    /// How many nodes there were.
    pub nodes: usize,
    /// The strategy underneath.
    pub strategy: StrategyChoice,
    /// Where all randomness came from.
    pub seed: u64,
    /// How many iterations there were.
    pub iterations: u64,
    /// In how many the property was in a success state at the end.
    pub successes: u64,
    /// In how many it was in its fail state.
    pub fails: u64,
    /// How many iterations were inconclusive.
    pub unknown: u64,
    /// The numbers of the filters that were left out, counted from 1.
    pub without: Vec<usize>,
    /// The first iteration that did not succeed.
    pub first_without_success: Option<u64>,
    /// Properties of the target that were violated, each with the first iteration.
    pub violations: Vec<(u64, Violation)>,
    /// The failures that replay these, in the same order.
    pub failures: Vec<Failure>,
    /// Counts over all iterations.
    pub total: IterationReport,
    /// The clauses of the protocol.
    pub clauses: Vec<&'static str>,
    /// Everything that should make a reader doubt.
    pub warnings: Vec<String>,
    /// The log of the first iteration, if it was asked for.
    pub log: Vec<String>,
    /// What replays that iteration.
    pub explained: Option<Explained>,
    /// How long it took.
    pub elapsed: Duration,
}

impl ScenarioSummary {
    /// Takes in what the monitor of an iteration reports.
    pub(crate) fn take(&mut self, number: u64, iteration: &Iteration, verdict: &Verdict) {
        self.iterations += 1;
        self.total.add(&iteration.report);
        self.successes += u64::from(iteration.report.is_success);
        self.fails += u64::from(iteration.report.is_fail);
        if !iteration.report.is_success && self.first_without_success.is_none() {
            self.first_without_success = Some(number);
        }
        if !iteration.report.log.is_empty() {
            self.log.clone_from(&iteration.report.log);
        }
        if let Verdict::Unknown(reason) = verdict {
            self.unknown += 1;
            self.warnings.push(format!("iteration {number} is inconclusive: {reason}"));
        }
    }

    /// Takes in what the campaign of the iterations found.
    pub(crate) fn take_campaign(&mut self, summary: Summary) {
        self.elapsed = summary.elapsed;
        for finding in summary.findings {
            let mut failure = finding.failure;
            failure.found.strategy = format!("{} under the scenario {}", self.strategy, self.info.name);
            self.violations.push((failure.found.execution, failure.violation.clone()));
            self.failures.push(failure);
        }
    }

    /// What never happened, though the scenario is about it.
    pub(crate) fn doubt(&mut self, kinds: &BTreeSet<&'static str>, without: &[usize]) {
        for (number, tally) in (1..).zip(&self.total.filters) {
            if tally.matched == 0 && !without.contains(&number) {
                let name = &self.info.filters[number - 1].name;
                self.warnings.push(format!("filter {number} never matched: {name}"));
            }
        }
        for kind in self.info.kinds.iter().filter(|kind| !kinds.contains(*kind)) {
            self.warnings.push(format!("there never was a message of the kind `{kind}`"));
        }
        if self.total.refused > 0 {
            let first = self.total.first_refused.as_deref().unwrap_or("no reason is known");
            self.warnings
                .push(format!("{} steps of filters were refused, the first: {first}", self.total.refused));
        }
        if self.total.undecodable > 0 {
            let count = self.total.undecodable;
            self.warnings.push(format!(
                "{count} messages were changed to contents that cannot be decoded; they were lost"
            ));
        }
    }

    /// The verdict on all iterations, for exit codes and all reports. A scenario that never succeeds has
    /// shown nothing, unless filters were left out to see just that.
    pub fn verdict(&self) -> Verdict {
        if let Some((_, violation)) = self.violations.first() {
            return Verdict::Fail(violation.clone());
        }
        let ScenarioSummary { iterations, successes, unknown, .. } = self;
        if *unknown > 0 {
            return Verdict::Unknown(format!("{unknown} of {iterations} iterations were inconclusive"));
        }
        if *iterations == 0 {
            return Verdict::Unknown("no iteration was run".to_owned());
        }
        if *successes == 0 && self.without.is_empty() {
            return Verdict::Unknown(format!("none of {iterations} iterations succeeded"));
        }
        Verdict::Pass
    }

    /// The share of iterations that succeeded.
    pub fn rate(&self) -> f64 {
        self.successes as f64 / self.iterations.max(1) as f64
    }

    /// Fails the test unless at least this share of iterations succeeded.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn at_least(&self, rate: f64) -> &ScenarioSummary {
        assert!(self.rate() >= rate, "{self}\nat least {rate} was wanted");
        self
    }

    /// Fails the test if more than this share of iterations succeeded: for negative controls.
    ///
    /// # Panics
    /// If it did.
    #[track_caller]
    pub fn at_most(&self, rate: f64) -> &ScenarioSummary {
        assert!(self.rate() <= rate, "{self}\nat most {rate} was wanted");
        self
    }

    /// Fails the test if the property failed in any iteration, or a property of the target was violated.
    ///
    /// # Panics
    /// If it did.
    #[track_caller]
    pub fn never_fails(&self) -> &ScenarioSummary {
        assert!(self.fails == 0 && self.violations.is_empty(), "{self}\nit was never to fail");
        self
    }

    /// Fails the test if a filter never matched, or anything else makes a reader doubt.
    ///
    /// # Panics
    /// If there is a warning.
    #[track_caller]
    pub fn without_doubt(&self) -> &ScenarioSummary {
        assert!(self.warnings.is_empty(), "{self}\nthere should be no warnings");
        self
    }
}

impl std::fmt::Display for ScenarioSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ScenarioSummary { info, successes, iterations, fails, .. } = self;
        writeln!(
            f,
            "scenario `{}`: {successes} of {iterations} iterations succeeded, {fails} failed",
            info.name
        )?;
        if let Some(first) = self.first_without_success {
            writeln!(
                f,
                "  the first without success is number {first} of seed {}, on {}",
                self.seed, self.strategy
            )?;
        }
        for (number, (filter, tally)) in (1..).zip(info.filters.iter().zip(&self.total.filters)) {
            let deeds: Vec<_> = tally.deeds.iter().map(|(word, count)| format!("{word} {count}")).collect();
            writeln!(
                f,
                "  filter {number} matched {}: {} ({})",
                tally.matched,
                filter.name,
                deeds.join(", ")
            )?;
        }
        let states: Vec<_> = info
            .states
            .iter()
            .zip(&self.total.states)
            .map(|(state, count)| format!("{state} {count}"))
            .collect();
        writeln!(f, "  states entered: {}", states.join(", "))?;
        for (number, violation) in &self.violations {
            writeln!(f, "  in iteration {number}: {violation}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
