//! Filter distance (thesis, section 3.7): how far apart the points are at which a filter takes messages and
//! another one gives them back, counted in messages that are received in between in fault-free runs.

use std::sync::Arc;

use shakedown_explore::closure::{Control, Faults, LockStep, Phase, Shape};
use shakedown_scenario::{FilterInfo, IterationReport, MonitorOptions, ScenarioInfo};

use crate::{CannotBegin, ScenarioError, ScenarioRun, Silent};

/// How many phases of a fault-free run are looked at.
const PHASES: usize = 60;
/// How many fault-free runs are looked at: who leads first, and who is in which part, depends on the seed.
const RUNS: u64 = 21;

impl ScenarioRun<'_> {
    /// How far apart filters are: for each that keeps messages back, how many messages are received in a
    /// fault-free run in lock step between the first that it takes and the point at which another filter
    /// gives them back. The median of the runs in which it took any.
    pub fn distances(&self) -> Result<Vec<Distance>, ScenarioError> {
        let info = self.info()?;
        let mut campaign = self.campaign(&info)?;
        campaign.plan.executions = RUNS;
        let nodes = campaign.plan.config.nodes;
        self.target.validate_scenario(self.scenario, nodes)?;
        let phase = self.target.info().phase.clone().unwrap_or_else(|| Phase::of_hops(4));
        let rounds = PHASES * phase.rounds().len();
        let lock_step = LockStep {
            phase: Arc::new(phase),
            shape: Shape { nodes, rounds, period: rounds, isolations: Some(0) },
            faults: Faults::Isolations(Control::Rounds),
            loss: self.target.contract(&campaign.plan.config.options).map_err(CannotBegin::from)?.loss,
            harness: None,
            patience: 1,
            asks_late: false,
        };
        let mut reports = Vec::new();
        let options = MonitorOptions { observe: true, ..MonitorOptions::default() };
        self.iterate(&campaign, Box::new(lock_step), options, &Silent, |_, iteration, _| {
            reports.push(iteration.report.clone());
        })?;
        Ok(distances_in(&info, &reports, nodes))
    }
}

/// How far a filter reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// So many messages from the point of capture to the point of release, or to the end of the run.
    Messages(u64),
    /// It lies: no order of the messages does that.
    Infinite,
    /// It never matched in the fault-free run.
    Unknown,
}

/// The distance of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distance {
    /// The filter, counted from 1.
    pub filter: usize,
    /// The filter that gives back what it keeps, if there is one.
    pub released_by: Option<usize>,
    /// How far it reaches.
    pub reach: Reach,
    /// How many nodes there are, which is what distances are measured by.
    pub nodes: usize,
}

impl Distance {
    /// Whether PCTCP alone would get there.
    pub fn advice(&self) -> &'static str {
        let nodes = self.nodes as u64;
        match self.reach {
            Reach::Messages(messages) if messages <= 2 * nodes => "PCTCP alone may well get there",
            Reach::Messages(messages) if messages <= nodes * nodes => "PCTCP alone gets there now and then",
            Reach::Messages(_) => "PCTCP alone will hardly get there",
            Reach::Infinite => "PCTCP alone never gets there: it does not lie",
            Reach::Unknown => "nothing is known: it never matched without faults",
        }
    }
}

fn distances_in(info: &ScenarioInfo, reports: &[IterationReport], nodes: usize) -> Vec<Distance> {
    let of_filter = |(number, filter): (usize, &FilterInfo)| {
        let gives_back = |other: &FilterInfo| other.releases.iter().any(|set| filter.stores.contains(set));
        let released_by = info.filters.iter().position(gives_back);
        let mut seen: Vec<_> =
            reports.iter().filter_map(|report| between(report, number, released_by)).collect();
        seen.sort_unstable();
        let reach = match seen.get(seen.len() / 2) {
            _ if filter.is_lie => Reach::Infinite,
            Some(&messages) => Reach::Messages(messages),
            None => Reach::Unknown,
        };
        Distance { filter: number + 1, released_by: released_by.map(|number| number + 1), reach, nodes }
    };
    // What only gives back or counts keeps nothing, and has no distance of its own.
    let keeps = |filter: &FilterInfo| filter.is_lie || filter.keeps_back;
    info.filters.iter().enumerate().filter(|(_, filter)| keeps(filter)).map(of_filter).collect()
}

/// How many messages were received between the first one that a filter took, and the next match of the filter
/// that gives back, or the end of the run.
fn between(report: &IterationReport, filter: usize, released_by: Option<usize>) -> Option<u64> {
    let begin = *report.filters.get(filter)?.at.first()?;
    let release = released_by.and_then(|number| report.filters.get(number));
    let end = release.and_then(|tally| tally.at.iter().find(|at| **at >= begin).copied());
    Some(end.unwrap_or(report.received) - begin)
}
