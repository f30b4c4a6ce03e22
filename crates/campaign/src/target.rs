//! Targets: kinds of systems under test, and how to begin an execution of one.

use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use shakedown_check::{Guide, Oracle, Seen, SpecTrace};
use shakedown_cluster::NodeId;
use shakedown_cluster::{
    BadOption, BootPanic, Caught, Contract, Fingerprinter, InProcess, NODES_MAX, Node, Options, Random,
    Recording, Setup, catch_panic, derive_seed,
};
use shakedown_conform::BadModel;
use shakedown_conform::conformance::{
    Conformance, NO_SPEC, NoNodes, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION, SPEC_OPTION, SpecModel,
    SpecSource, Suite,
};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Harness, Occasion, Phase, Placed, When};
use shakedown_explore::learning::{Parameter, WaypointInfo};
use shakedown_explore::{Execution, Strategy};
use shakedown_scenario::{BadScenario, Clause, Condition, Monitor, MonitorOptions, Scenario, ScenarioInfo};

use crate::code::{BLOCKS, CODE, Code};
use crate::guides::{GuideInfo, STATE, States, TRACE, Traces};
use crate::live::{Abstractions, Holds, Live, watch};

/// The most requests that clients may have.
pub const REQUESTS_MAX: usize = 100_000;
/// The most steps that an execution may have: all of them are kept in memory.
pub const STEPS_MAX: usize = 10_000_000;

/// How a target is run: what a failure file records, apart from the schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many nodes.
    pub nodes: usize,
    /// The most steps of an execution.
    pub steps: usize,
    /// How many requests clients have.
    pub requests: usize,
    /// The most crashes of an execution.
    pub crashes: usize,
    /// The target's own options.
    pub options: Options,
}

/// An option of a target.
#[derive(Clone)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value unless something else is said.
    pub default: String,
    /// What it is for.
    pub about: &'static str,
    /// Whether a value can be read.
    check: fn(&Options, &str) -> Result<(), BadOption>,
}

type Workload<N> = Box<dyn Fn(&Config, &mut Random) -> Vec<<N as Node>::Request> + Send + Sync>;
type Oracles<S> = Box<dyn Fn(&Config) -> Vec<Box<dyn Oracle<S>>> + Send + Sync>;
type Guides<S> = Vec<Box<dyn Guide<S>>>;
type GuideMaker<S> = Box<dyn Fn(&Config) -> Result<Box<dyn Guide<S>>, String> + Send + Sync>;
type TraceMaker<S> = Box<dyn Fn(&Config, SpecTrace) -> Result<Box<dyn Guide<S>>, String> + Send + Sync>;
type ContractOf = Box<dyn Fn(&Options) -> Result<Contract, BadOption> + Send + Sync>;

/// A kind of system under test whose nodes live in this process. Built once, then it makes clusters.
pub struct Target<N: Node> {
    name: String,
    about: String,
    version: String,
    nodes_min: usize,
    defaults: Config,
    options: Vec<OptionInfo>,
    weights: Weights,
    contract: ContractOf,
    workload: Workload<N>,
    oracles: Oracles<N::State>,
    abstractions: Abstractions<N::State>,
    waypoints: Vec<(WaypointInfo, Holds<N::State>)>,
    guides: Vec<(GuideInfo, GuideMaker<N::State>)>,
    conformance: Option<Conformance<N::State>>,
    spec_trace: Option<TraceMaker<N::State>>,
    phase: Option<Phase>,
    harnesses: Vec<Harness>,
    scenarios: Vec<Arc<Scenario<N::Message>>>,
    clauses: Arc<[Clause<N::Message>]>,
    kinds: &'static [&'static str],
    tolerates: fn(usize) -> usize,
    /// The options that executions were last begun with: nearly always, the next one has a copy of them.
    known: Mutex<Option<KnownOptions>>,
}

/// Options that have been checked.
#[derive(Clone)]
struct KnownOptions {
    given: Options,
    /// The same, and the defaults of those that were not given.
    complete: Options,
    contract: Contract,
}

impl<N: Node> Target<N> {
    /// A target of this name: 3 nodes on an asynchronous network, 300 steps, no requests, no oracles. A panic of a
    /// node is a finding without any oracle.
    pub fn new(name: impl Into<String>) -> Target<N> {
        let defaults = Config { nodes: 3, steps: 300, requests: 0, crashes: 3, options: Options::default() };
        Target {
            name: name.into(),
            about: String::new(),
            version: String::new(),
            nodes_min: 1,
            defaults,
            options: Vec::new(),
            weights: Weights::default(),
            contract: Box::new(|_| Ok(Contract::asynchronous())),
            workload: Box::new(|_, _| Vec::new()),
            oracles: Box::new(|_| Vec::new()),
            abstractions: Abstractions {
                colour: Arc::new(whole_state),
                serves: Arc::new(|_| true),
                waypoints: Arc::new([]),
            },
            waypoints: Vec::new(),
            guides: Vec::new(),
            conformance: None,
            spec_trace: None,
            phase: None,
            harnesses: Vec::new(),
            scenarios: Vec::new(),
            clauses: Arc::new([]),
            kinds: &[],
            tolerates: |nodes| nodes.saturating_sub(1) / 2,
            known: Mutex::new(None),
        }
    }

    /// One line on what it is.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// What exactly is under test, such as "raft 0.7.0": failure files carry it.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// How many nodes a cluster has unless something else is said.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.defaults.nodes = nodes;
        self
    }

    /// The fewest nodes that the protocol works with; shrinking does not go below.
    #[must_use]
    pub fn nodes_min(mut self, nodes: usize) -> Self {
        self.nodes_min = nodes;
        self
    }

    /// The most steps of an execution unless something else is said.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.defaults.steps = steps;
        self
    }

    /// The most crashes of an execution unless something else is said.
    #[must_use]
    pub fn crashes(mut self, crashes: usize) -> Self {
        self.defaults.crashes = crashes;
        self
    }

    /// How many requests clients send unless something else is said, and what each of them asks.
    #[must_use]
    pub fn requests<F>(mut self, count: usize, request: F) -> Self
    where
        F: Fn(usize, &mut Random) -> N::Request + Send + Sync + 'static,
    {
        self.defaults.requests = count;
        self.workload = Box::new(move |config, random| {
            (0..config.requests).map(|number| request(number, random)).collect()
        });
        self
    }

    /// What clients ask, all at once, when it depends on the configuration; at most `config.requests` are sent.
    #[must_use]
    pub fn workload<F>(mut self, count: usize, workload: F) -> Self
    where
        F: Fn(&Config, &mut Random) -> Vec<N::Request> + Send + Sync + 'static,
    {
        self.defaults.requests = count;
        self.workload = Box::new(workload);
        self
    }

    /// Adds an option, which nodes read with `ctx.options().get(name)`.
    #[must_use]
    pub fn option<T>(mut self, name: &'static str, default: T, about: &'static str) -> Self
    where
        T: FromStr<Err: Display> + Display,
    {
        self.defaults.options.set(name, &default);
        let check = |options: &Options, name: &str| options.get::<T>(name).map(drop);
        self.options.push(OptionInfo { name, default: default.to_string(), about, check });
        self
    }

    /// What the network, the disks and the clocks may do.
    #[must_use]
    pub fn contract(mut self, contract: Contract) -> Self {
        self.contract = Box::new(move |_| Ok(contract.clone()));
        self
    }

    /// What the network, the disks and the clocks may do, when it depends on the options.
    #[must_use]
    pub fn contract_by<F>(mut self, contract: F) -> Self
    where
        F: Fn(&Options) -> Result<Contract, BadOption> + Send + Sync + 'static,
    {
        self.contract = Box::new(contract);
        self
    }

    /// How likely each kind of step is.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// What matters of a node's state to strategies that learn: an abstraction of it as a number, bounded and without the
    /// node's identity. Unless something else is said, the whole state matters.
    #[must_use]
    pub fn colour<F>(mut self, colour: F) -> Self
    where
        F: Fn(&N::State) -> u64 + Send + Sync + 'static,
    {
        self.abstractions.colour = Arc::new(colour);
        self
    }

    /// Whether clients ask a node in this state, for strategies that learn: a leader, where only leaders take requests. Unless
    /// something else is said, they ask any node.
    #[must_use]
    pub fn serves<F>(mut self, serves: F) -> Self
    where
        F: Fn(&N::State) -> bool + Send + Sync + 'static,
    {
        self.abstractions.serves = Arc::new(serves);
        self
    }

    /// Adds a family of predicates over what can be seen of the cluster, such as `LogDiff(x)`, of which waypoints are made:
    /// `holds` is given the arguments, as many as there are parameters.
    #[must_use]
    pub fn waypoint<F>(
        mut self,
        name: &'static str,
        about: &'static str,
        parameters: &'static [Parameter],
        holds: F,
    ) -> Self
    where
        F: Fn(&[u64], &Seen<'_, N::State>) -> bool + Send + Sync + 'static,
    {
        self.waypoints.push((WaypointInfo { name, about, parameters }, Arc::new(holds)));
        self.abstractions.waypoints = self.waypoints.iter().map(|(_, holds)| Arc::clone(holds)).collect();
        self
    }

    /// Adds a guide of the target's own, such as the states of a specification, made anew for every execution; the error
    /// says why it cannot be had in this configuration. Every target has the guides `state` and `trace`, and in instrumented
    /// builds `code` and `blocks`.
    #[must_use]
    pub fn guide<F>(mut self, name: &'static str, about: &'static str, guide: F) -> Self
    where
        F: Fn(&Config) -> Result<Box<dyn Guide<N::State>>, String> + Send + Sync + 'static,
    {
        self.guides.push((GuideInfo { name, about }, Box::new(guide)));
        self
    }

    /// The specifications that the target can be laid beside, step by step. Its options `spec`, `spec_config` and
    /// `spec_modules` say which; with one of them the oracles are the comparison alone.
    #[must_use]
    pub fn conformance(self, conformance: Conformance<N::State>) -> Self {
        let mut target = self
            .option(
                SPEC_OPTION,
                NO_SPEC.to_owned(),
                "a specification to lay every step beside; `conform` lists them",
            )
            .option(
                SPEC_CONFIG_OPTION,
                String::new(),
                "with spec: a configuration in place of its own, as text",
            )
            .option(SPEC_MODULES_OPTION, String::new(), "with spec: modules in place of its own, as text");
        target.conformance = Some(conformance);
        target
    }

    /// How executions are written down at the grain of a specification: a guide that writes into the trace; the error says why
    /// it cannot be had in this configuration.
    #[must_use]
    pub fn spec_trace<F>(mut self, guide: F) -> Self
    where
        F: Fn(&Config, SpecTrace) -> Result<Box<dyn Guide<N::State>>, String> + Send + Sync + 'static,
    {
        self.spec_trace = Some(Box::new(guide));
        self
    }

    /// What a phase of the protocol is, for strategies that go in rounds.
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        self.phase = Some(phase);
        self
    }

    /// A harness for strategies that go in rounds: which requests are sent when and to whom.
    #[must_use]
    pub fn harness<F>(mut self, name: &'static str, about: &'static str, requests: F) -> Self
    where
        F: Fn(&mut Occasion<'_>) -> Vec<(When, NodeId, N::Request)> + Send + Sync + 'static,
    {
        let make = move |occasion: &mut Occasion<'_>| {
            let placed = |(when, node, request): (When, NodeId, N::Request)| {
                // A request without a JSON form cannot be sent; what stands there instead says why when it is refused.
                let op = serde_json::to_string(&request).unwrap_or_else(|error| error.to_string());
                Placed { when, node, op: op.into() }
            };
            requests(occasion).into_iter().map(placed).collect()
        };
        self.harnesses.push(Harness { name, about, make: Arc::new(make) });
        self
    }

    /// How many faulty nodes of so many the protocol tolerates; a minority unless something else is said.
    #[must_use]
    pub fn tolerates(mut self, faulty: fn(usize) -> usize) -> Self {
        self.tolerates = faulty;
        self
    }

    /// Adds a scenario; it takes the place of one of the same name.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario<N::Message>) -> Self {
        self.scenarios.retain(|known| known.name() != scenario.name());
        self.scenarios.push(Arc::new(scenario));
        self
    }

    /// Every kind of message that there is: a scenario that names another one is refused. Without it, such a scenario runs,
    /// and warns that there never was a message of that kind.
    #[must_use]
    pub fn kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }

    /// The clauses of the protocol ("upon … do …"), each with the condition under which an execution has covered it:
    /// summaries of scenarios say which were covered and which never.
    #[must_use]
    pub fn clauses(mut self, clauses: Vec<(&'static str, Condition<N::Message>)>) -> Self {
        self.clauses = clauses.into_iter().map(|(text, condition)| Clause { text, condition }).collect();
        self
    }

    /// The oracles, made anew for every execution. Replaces those given before.
    #[must_use]
    pub fn oracles<F>(mut self, oracles: F) -> Self
    where
        F: Fn(&Config) -> Vec<Box<dyn Oracle<N::State>>> + Send + Sync + 'static,
    {
        self.oracles = Box::new(oracles);
        self
    }
}

/// The colour of a state of which everything matters.
fn whole_state(state: &impl Hash) -> u64 {
    let mut fingerprinter = Fingerprinter::default();
    fingerprinter.add(state);
    fingerprinter.finish().0 as u64
}

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
    /// The specification to lay the target beside cannot be had.
    #[error("{target} cannot be laid beside a specification: {reason}")]
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
    /// A node panicked at boot: a finding.
    #[error(transparent)]
    Boot(#[from] BootPanic),
}

/// A target whose node type has been forgotten: what campaigns and command lines work with.
pub trait AnyTarget: Send + Sync {
    /// The name that it is chosen by.
    fn name(&self) -> &str;
    /// One line on what it is.
    fn about(&self) -> &str;
    /// What exactly is under test.
    fn version(&self) -> &str;
    /// How it is run unless something else is said.
    fn defaults(&self) -> &Config;
    /// Its options.
    fn options(&self) -> &[OptionInfo];
    /// How likely each kind of step is.
    fn weights(&self) -> &Weights;
    /// The fewest nodes that it works with.
    fn nodes_min(&self) -> usize;
    /// What a phase of the protocol is, if it says so.
    fn phase(&self) -> Option<&Phase>;
    /// The harnesses that it offers.
    fn harnesses(&self) -> &[Harness];
    /// How many faulty nodes of so many the protocol tolerates.
    fn tolerates(&self, nodes: usize) -> usize;
    /// Its scenarios.
    fn scenarios(&self) -> Vec<ScenarioInfo>;
    /// The clauses of its protocol.
    fn clauses(&self) -> Vec<&'static str>;
    /// Whether a scenario makes sense on so many nodes.
    fn validate_scenario(&self, scenario: &str, nodes: usize) -> Result<(), BadScenario>;
    /// The monitor of a scenario for one execution, on top of a strategy; nothing if there is no such scenario.
    fn monitor(
        &self,
        scenario: &str,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Option<Box<dyn Strategy>>;
    /// The predicates that it offers for waypoints.
    fn waypoints(&self) -> Vec<WaypointInfo>;
    /// What the network, the disks and the clocks may do.
    fn contract(&self, options: &Options) -> Result<Contract, BadOption>;
    /// The guides that it offers.
    fn guides(&self) -> Vec<GuideInfo>;
    /// The specifications that it can be laid beside.
    fn specs(&self) -> &[SpecModel];
    /// The options that have to have these values for that.
    fn spec_settings(&self) -> &[(&'static str, String)];
    /// How many nodes the specification that the options ask for is of.
    fn spec_nodes(&self, options: &Options) -> Result<usize, CannotBegin>;
    /// The state graph, of at most so many states, of the specification that the options ask for.
    fn suite(&self, config: &Config, states_max: usize) -> Result<Suite, CannotBegin>;
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
    /// Begins an execution.
    fn begin(&self, config: &Config, seed: u64, recording: Recording) -> Result<Box<dyn Live>, CannotBegin> {
        self.begin_guided(config, seed, recording, &[])
    }
}

impl<N: Node + 'static> AnyTarget for Target<N> {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn defaults(&self) -> &Config {
        &self.defaults
    }

    fn options(&self) -> &[OptionInfo] {
        &self.options
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn nodes_min(&self) -> usize {
        self.nodes_min
    }

    fn phase(&self) -> Option<&Phase> {
        self.phase.as_ref()
    }

    fn harnesses(&self) -> &[Harness] {
        &self.harnesses
    }

    fn tolerates(&self, nodes: usize) -> usize {
        (self.tolerates)(nodes)
    }

    fn scenarios(&self) -> Vec<ScenarioInfo> {
        self.scenarios.iter().map(|scenario| scenario.info()).collect()
    }

    fn clauses(&self) -> Vec<&'static str> {
        self.clauses.iter().map(|clause| clause.text).collect()
    }

    fn validate_scenario(&self, scenario: &str, nodes: usize) -> Result<(), BadScenario> {
        let known = self.scenarios.iter().find(|known| known.name() == scenario);
        known.map_or(Ok(()), |known| known.validate(nodes, self.kinds))
    }

    fn monitor(
        &self,
        scenario: &str,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Option<Box<dyn Strategy>> {
        let scenario = self.scenarios.iter().find(|known| known.name() == scenario)?;
        let clauses = Arc::clone(&self.clauses);
        Some(Box::new(Monitor::new(Arc::clone(scenario), clauses, options, inner, execution, nodes)))
    }

    fn waypoints(&self) -> Vec<WaypointInfo> {
        self.waypoints.iter().map(|(info, _)| *info).collect()
    }

    fn contract(&self, options: &Options) -> Result<Contract, BadOption> {
        (self.contract)(options)
    }

    fn guides(&self) -> Vec<GuideInfo> {
        [STATE, TRACE, CODE, BLOCKS].into_iter().chain(self.guides.iter().map(|(info, _)| *info)).collect()
    }

    fn specs(&self) -> &[SpecModel] {
        self.conformance.as_ref().map_or(&[], Conformance::models)
    }

    fn spec_settings(&self) -> &[(&'static str, String)] {
        self.conformance.as_ref().map_or(&[], Conformance::settings)
    }

    fn spec_nodes(&self, options: &Options) -> Result<usize, CannotBegin> {
        let KnownOptions { complete, .. } = self.known_options(options)?;
        let conformance = self.conformance.as_ref().ok_or_else(|| self.no_spec())?;
        conformance.nodes(&complete).map_err(|error| match error {
            NoNodes::Option(error) => error.into(),
            NoNodes::Model(error) => self.bad_spec(&error),
        })
    }

    fn suite(&self, config: &Config, states_max: usize) -> Result<Suite, CannotBegin> {
        let KnownOptions { complete, .. } = self.known_options(&config.options)?;
        let source = self.spec(&complete, config.nodes)?;
        let (conformance, source) = self.conformance.as_ref().zip(source).ok_or_else(|| self.no_spec())?;
        conformance.suite(&source, states_max).map_err(|error| self.bad_spec(&error))
    }

    fn begin_guided(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: &[String],
    ) -> Result<Box<dyn Live>, CannotBegin> {
        self.begin_with(config, seed, recording, |config| {
            let watchers = guides.iter().map(|name| self.guide_named(name, config)).collect();
            Code::begin(guides);
            watchers
        })
    }

    fn begin_traced(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        trace: &SpecTrace,
    ) -> Result<Box<dyn Live>, CannotBegin> {
        let none = |reason| CannotBegin::SpecTrace { target: self.name.clone(), reason };
        let make = self.spec_trace.as_ref().ok_or_else(|| none("it is mapped to none".to_owned()))?;
        self.begin_with(config, seed, recording, |config| {
            make(config, trace.clone()).map(|guide| vec![guide]).map_err(none)
        })
    }
}

type Described<S> = (Setup, Vec<Box<dyn Oracle<S>>>);

impl<N: Node + 'static> Target<N> {
    fn begin_with(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: impl FnOnce(&Config) -> Result<Guides<N::State>, CannotBegin>,
    ) -> Result<Box<dyn Live>, CannotBegin> {
        if config.nodes < self.nodes_min || config.nodes > NODES_MAX {
            return Err(CannotBegin::Nodes {
                target: self.name.clone(),
                nodes: config.nodes,
                min: self.nodes_min,
            });
        }
        for (what, count, most) in
            [("requests", config.requests, REQUESTS_MAX), ("steps", config.steps, STEPS_MAX)]
        {
            if count > most {
                return Err(CannotBegin::TooMany { target: self.name.clone(), what, count, most });
            }
        }
        let begun = catch_panic(|| {
            let KnownOptions { complete, contract, .. } = self.known_options(&config.options)?;
            let config = Config { options: complete, ..config.clone() };
            let (setup, oracles) = self.describe(&config, contract, seed, recording)?;
            Ok::<_, CannotBegin>((setup, oracles, guides(&config)?))
        });
        let (setup, oracles, guides) = begun.map_err(|Caught { message, place }| {
            CannotBegin::Panicked { target: self.name.clone(), reason: format!("{message} ({place})") }
        })??;
        Ok(watch(InProcess::<N>::boot(&setup)?, oracles, guides, self.abstractions.clone()))
    }

    /// What an execution begins with. All of it is the target's own code.
    fn describe(
        &self,
        config: &Config,
        contract: Contract,
        seed: u64,
        recording: Recording,
    ) -> Result<Described<N::State>, CannotBegin> {
        // Part 0 of the seed is the workload's, part 1 the strategy's, part 2 the nodes'.
        let requests = (self.workload)(config, &mut Random::new(derive_seed(seed, 0)));
        let to_json = |(number, request): (usize, &N::Request)| match serde_json::to_string(request) {
            Ok(text) => Ok(Arc::from(text)),
            Err(error) => {
                Err(CannotBegin::Request { target: self.name.clone(), number, reason: error.to_string() })
            }
        };
        let workload =
            requests.iter().take(config.requests).enumerate().map(to_json).collect::<Result<_, _>>()?;
        let setup = Setup {
            nodes: config.nodes,
            contract,
            options: Arc::new(config.options.clone()),
            workload,
            steps: config.steps,
            seed: derive_seed(seed, 2),
            recording,
        };
        Ok((setup, self.oracles_of(config)?))
    }

    /// The target's own oracles, or the comparison with a specification.
    fn oracles_of(&self, config: &Config) -> Result<Vec<Box<dyn Oracle<N::State>>>, CannotBegin> {
        match self.conformance.as_ref().zip(self.spec(&config.options, config.nodes)?) {
            Some((conformance, source)) => {
                Ok(vec![conformance.oracle(&source).map_err(|error| self.bad_spec(&error))?])
            }
            None => Ok((self.oracles)(config)),
        }
    }

    /// The specification that these options ask for.
    fn spec(&self, options: &Options, nodes: usize) -> Result<Option<SpecSource>, CannotBegin> {
        let source = self.conformance.as_ref().map(|conformance| conformance.source(options, nodes));
        Ok(source.transpose()?.flatten())
    }

    fn no_spec(&self) -> CannotBegin {
        let reason = "it has no specification, or its option `spec` names none".to_owned();
        CannotBegin::Spec { target: self.name.clone(), reason }
    }

    fn bad_spec(&self, error: &BadModel) -> CannotBegin {
        CannotBegin::Spec { target: self.name.clone(), reason: error.to_string() }
    }

    fn guide_named(&self, name: &str, config: &Config) -> Result<Box<dyn Guide<N::State>>, CannotBegin> {
        let no_such = |reason| CannotBegin::Guide {
            target: self.name.clone(),
            guide: name.chars().take(40).collect(),
            reason,
        };
        if name == STATE.name {
            return Ok(Box::new(States::new(Arc::clone(&self.abstractions.colour))));
        }
        if name == TRACE.name {
            return Ok(Box::new(Traces));
        }
        if let Some(code) = Code::named(name) {
            return code.map(|code| Box::new(code) as Box<dyn Guide<N::State>>).map_err(no_such);
        }
        match self.guides.iter().find(|(info, _)| info.name == name) {
            Some((_, make)) => make(config).map_err(no_such),
            None => {
                let names: Vec<_> = self.guides().iter().map(|info| info.name).collect();
                Err(no_such(format!("choose one of {}", names.join(", "))))
            }
        }
    }
}

impl<N: Node> Target<N> {
    /// These options, checked and complete, and what follows from them.
    fn known_options(&self, given: &Options) -> Result<KnownOptions, CannotBegin> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.given.is_copy_of(given)) {
            return Ok(known.clone());
        }
        self.check_options(given)?;
        // An option that a file does not name, because the target did not have it then, has its default.
        let mut complete = given.clone();
        for (option, value) in self.defaults.options.iter() {
            if complete.text(option).is_none() {
                complete.set(option, value);
            }
        }
        let contract = (self.contract)(&complete)?;
        Ok(known.insert(KnownOptions { given: given.clone(), complete, contract }).clone())
    }

    fn check_options(&self, options: &Options) -> Result<(), CannotBegin> {
        for (option, _) in options.iter() {
            let known = self.options.iter().find(|known| known.name == option);
            let known = known.ok_or_else(|| self.unknown_option(option))?;
            (known.check)(options, option)?;
        }
        Ok(())
    }

    fn unknown_option(&self, option: &str) -> CannotBegin {
        let names: Vec<_> = self.options.iter().map(|known| known.name).collect();
        let known = if names.is_empty() { String::new() } else { format!(": it has {}", names.join(", ")) };
        CannotBegin::UnknownOption { target: self.name.clone(), option: option.to_owned(), known }
    }
}
