//! A target whose node type has been forgotten, and why an execution of it may not begin.

use shakedown_check::{OracleInfo, SpecTrace};
use shakedown_cluster::{BadOption, BootPanic, Contract, NODES_MAX, Options, Recording};
#[cfg(feature = "tla")]
use shakedown_conform::compare::Suite;
use shakedown_explore::{Execution, Strategy};
use shakedown_scenario::{BadScenario, MonitorOptions};

use super::{Config, TargetInfo};
use crate::Live;

/// Why an execution cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotBegin {
    /// Too few or too many nodes.
    #[error("{target} cannot run with {nodes} nodes: it takes {min} to {NODES_MAX}")]
    Nodes {
        /// The target.
        target: String,
        /// The nodes that were asked for.
        nodes: usize,
        /// The fewest nodes.
        min: usize,
    },
    /// An option that the target does not have.
    #[error("{target} has no option `{option}`{known}")]
    UnknownOption {
        /// The target.
        target: String,
        /// The option that was asked for.
        option: String,
        /// What there is instead.
        known: String,
    },
    /// An option with a value that it cannot have.
    #[error(transparent)]
    BadOption(#[from] BadOption),
    /// More requests or steps than there may be.
    #[error("{target} cannot run with {count} {what}: at most {most} are allowed")]
    TooMany {
        /// The target.
        target: String,
        /// What there is too much of.
        what: &'static str,
        /// How many were asked for.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// The target's own description panicked: its workload, its oracles or its contract.
    #[error("{target} cannot begin: {reason}")]
    Panicked {
        /// The target.
        target: String,
        /// The panic's message and place.
        reason: String,
    },
    /// A request that has no JSON form.
    #[error("request {number} of {target} has no JSON form: {reason}")]
    Request {
        /// The target.
        target: String,
        /// The request, counted from 0.
        number: usize,
        /// What serde said.
        reason: String,
    },
    /// A guide that the target does not have, or not like this.
    #[error("{target} has no guide `{guide}`: {reason}")]
    Guide {
        /// The target.
        target: String,
        /// The guide that was asked for.
        guide: String,
        /// What there is instead, or why it cannot be had.
        reason: String,
    },
    /// The specification to check the target against cannot be had.
    #[error("{target} cannot be checked against a specification: {reason}")]
    Spec {
        /// The target.
        target: String,
        /// What is wrong.
        reason: String,
    },
    /// An execution cannot be written down at the grain of a specification.
    #[error("{target} has no trace for a specification: {reason}")]
    SpecTrace {
        /// The target.
        target: String,
        /// Why not.
        reason: String,
    },
    /// What the nodes run in cannot be had.
    #[error("{target} cannot begin: {reason}")]
    Environment {
        /// The target.
        target: String,
        /// Why not.
        reason: String,
    },
    /// A node panicked at boot: a finding.
    #[error(transparent)]
    Boot(#[from] BootPanic),
}

#[cfg(feature = "tla")]
impl CannotBegin {
    /// A target without a specification was asked for one.
    pub(crate) fn no_spec(target: &str) -> CannotBegin {
        let reason = "it has none to compare states with, or its option `spec` names none".to_owned();
        CannotBegin::Spec { target: target.to_owned(), reason }
    }
}

/// A target whose node type has been forgotten: what campaigns and command lines work with.
pub trait AnyTarget: Send + Sync {
    /// What it is, as plain data.
    fn info(&self) -> &TargetInfo;
    /// The guides that can be had in this configuration, by name, besides those that every target has.
    fn guides(&self, _config: &Config) -> Vec<&'static str> {
        Vec::new()
    }
    /// Whether a scenario makes sense on this number of nodes.
    fn validate_scenario(&self, scenario: &str, nodes: usize) -> Result<(), BadScenario>;
    /// The monitor of a scenario for one execution, on top of a strategy; nothing if there is no such
    /// scenario.
    fn monitor(
        &self,
        scenario: &str,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Option<Box<dyn Strategy>>;
    /// What the network, the disks and the clocks may do.
    fn contract(&self, options: &Options) -> Result<Contract, BadOption>;
    /// The oracles that watch over executions in this configuration.
    fn oracles(&self, config: &Config) -> Result<Vec<OracleInfo>, CannotBegin>;
    /// How many nodes the specification that the options ask for is of.
    #[cfg(feature = "tla")]
    fn spec_nodes(&self, _options: &Options) -> Result<usize, CannotBegin> {
        Err(CannotBegin::no_spec(self.name()))
    }
    /// The state graph, of at most `states_max` states, of the specification that the options ask for.
    #[cfg(feature = "tla")]
    fn suite(&self, _config: &Config, _states_max: usize) -> Result<Suite, CannotBegin> {
        Err(CannotBegin::no_spec(self.name()))
    }
    /// Begins an execution under the eyes of these guides.
    fn begin_guided(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: &[String],
    ) -> Result<Box<dyn Live>, CannotBegin>;
    /// Begins an execution that is written down at the grain of a specification.
    fn begin_traced(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        trace: &SpecTrace,
    ) -> Result<Box<dyn Live>, CannotBegin>;
    /// The name that it is chosen by.
    fn name(&self) -> &str {
        &self.info().name
    }
    /// What exactly is under test.
    fn version(&self) -> &str {
        &self.info().version
    }
    /// How it is run unless something else is given.
    fn defaults(&self) -> &Config {
        &self.info().defaults
    }
    /// Begins an execution.
    fn begin(&self, config: &Config, seed: u64, recording: Recording) -> Result<Box<dyn Live>, CannotBegin> {
        self.begin_guided(config, seed, recording, &[])
    }
}
