//! What a target is, as plain data: everything that can be listed, printed and asked for without running it.

use shakedown_cluster::{CaughtPanics, Options};
#[cfg(feature = "tla")]
use shakedown_conform::compare::SpecModel;
use shakedown_explore::Weights;
use shakedown_explore::closure::{Harness, Phase};
use shakedown_explore::learning::WaypointInfo;
use shakedown_scenario::ScenarioInfo;

use super::{Config, OptionInfo};
use crate::code::{BLOCKS, CODE};
use crate::guides::{GuideInfo, STATE, TRACE};

/// The description of a target.
pub struct TargetInfo {
    /// The name that it is chosen by.
    pub name: String,
    /// One line on what it is.
    pub about: String,
    /// What exactly is under test.
    pub version: String,
    /// How it is run unless something else is given.
    pub defaults: Config,
    /// The fewest nodes that it works with.
    pub nodes_min: usize,
    /// How many faulty nodes of this many the protocol tolerates.
    pub tolerates: fn(usize) -> usize,
    /// Whether a panic that the target's own code catches is a finding.
    pub caught_panics: CaughtPanics,
    /// Whether one seed stands for one execution. If not, schedules are done again as far as they can be, and
    /// how often they fail is measured.
    pub is_deterministic: bool,
    /// Its options.
    pub options: Vec<OptionInfo>,
    /// How likely each kind of step is.
    pub weights: Weights,
    /// What a phase of the protocol is, if that is known.
    pub phase: Option<Phase>,
    /// The harnesses that it offers.
    pub harnesses: Vec<Harness>,
    /// The families of predicates that it offers for waypoints.
    pub waypoints: Vec<WaypointInfo>,
    /// The guides that it offers: those that every target has, and its own.
    pub guides: Vec<GuideInfo>,
    /// Its scenarios.
    pub scenarios: Vec<ScenarioInfo>,
    /// The clauses of its protocol.
    pub clauses: Vec<&'static str>,
    /// The specifications that it can be checked against.
    #[cfg(feature = "tla")]
    pub specs: Vec<SpecModel>,
    /// The options that have to have these values for that.
    #[cfg(feature = "tla")]
    pub spec_settings: Vec<(&'static str, String)>,
}

impl TargetInfo {
    /// A target of this name: 3 nodes, 300 steps, no requests, and nothing that it offers by itself.
    pub(super) fn new(name: String) -> TargetInfo {
        TargetInfo {
            name,
            about: String::new(),
            version: String::new(),
            defaults: Config { nodes: 3, steps: 300, requests: 0, crashes: 3, options: Options::default() },
            nodes_min: 1,
            tolerates: |nodes| nodes.saturating_sub(1) / 2,
            caught_panics: CaughtPanics::Findings,
            is_deterministic: true,
            options: Vec::new(),
            weights: Weights::default(),
            phase: None,
            harnesses: Vec::new(),
            waypoints: Vec::new(),
            guides: vec![STATE, TRACE, CODE, BLOCKS],
            scenarios: Vec::new(),
            clauses: Vec::new(),
            #[cfg(feature = "tla")]
            specs: Vec::new(),
            #[cfg(feature = "tla")]
            spec_settings: Vec::new(),
        }
    }
}
