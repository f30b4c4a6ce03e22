//! Targets: kinds of systems under test, and what is said of one.

mod any;
mod begin;
mod info;

pub use self::any::{AnyTarget, CannotBegin};
pub use self::info::TargetInfo;

use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use shakedown_check::{Guide, Oracle, Seen};
use shakedown_cluster::{
    BadOption, CaughtPanics, Cluster, Contract, Environment, Fingerprinter, Node, NodeId, Options, Random,
    Setup,
};
#[cfg(feature = "tla")]
use shakedown_conform::compare::{Comparison, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION};
#[cfg(feature = "tla")]
use shakedown_conform::follow::Following;
#[cfg(feature = "tla")]
use shakedown_conform::{NO_SPEC, SPEC_OPTION};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Harness, Occasion, Phase, Placed, When};
use shakedown_explore::learning::{Parameter, WaypointInfo};
use shakedown_scenario::{Clause, Condition, Scenario};

use crate::guides::GuideInfo;
#[cfg(feature = "tla")]
use crate::guides::MODEL;
use crate::live::{Abstractions, Holds};

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
/// Boots a cluster whose nodes do not live in this process, or says why it cannot.
pub type Booter<S> = Arc<dyn Fn(&Setup) -> Result<Box<dyn Cluster<State = S>>, String> + Send + Sync>;
type ContractOf = Box<dyn Fn(&Options) -> Result<Contract, BadOption> + Send + Sync>;

/// A kind of system under test whose nodes live in this process. Built once, then it makes clusters.
pub struct Target<N: Node> {
    info: TargetInfo,
    contract: ContractOf,
    workload: Workload<N>,
    oracles: Oracles<N::State>,
    abstractions: Abstractions<N::State>,
    /// The guides of its own, by name.
    guides: Vec<(&'static str, GuideMaker<N::State>)>,
    #[cfg(feature = "tla")]
    following: Option<Arc<Following<N::State>>>,
    #[cfg(feature = "tla")]
    comparison: Option<Comparison<N::State>>,
    scenarios: Vec<Arc<Scenario<N::Message>>>,
    clauses: Arc<[Clause<N::Message>]>,
    kinds: &'static [&'static str],
    environment: Option<Arc<dyn Environment>>,
    booter: Option<Booter<N::State>>,
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
    /// A target of this name: 3 nodes on an asynchronous network, 300 steps, no requests, no oracles. A panic
    /// of a node is a finding without any oracle.
    pub fn new(name: impl Into<String>) -> Target<N> {
        Target {
            info: TargetInfo::new(name.into()),
            contract: Box::new(|_| Ok(Contract::asynchronous())),
            workload: Box::new(|_, _| Vec::new()),
            oracles: Box::new(|_| Vec::new()),
            abstractions: Abstractions {
                colour: Arc::new(whole_state),
                serves: Arc::new(|_| true),
                waypoints: Arc::new([]),
            },
            guides: Vec::new(),
            #[cfg(feature = "tla")]
            following: None,
            #[cfg(feature = "tla")]
            comparison: None,
            scenarios: Vec::new(),
            clauses: Arc::new([]),
            kinds: &[],
            environment: None,
            booter: None,
            known: Mutex::new(None),
        }
    }

    /// One line on what it is.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.info.about = about.into();
        self
    }

    /// What exactly is under test, such as "raft 0.7.0": failure files carry it.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// How many nodes a cluster has unless something else is said.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.info.defaults.nodes = nodes;
        self
    }

    /// The fewest nodes that the protocol works with; shrinking does not go below.
    #[must_use]
    pub fn nodes_min(mut self, nodes: usize) -> Self {
        self.info.nodes_min = nodes;
        self
    }

    /// The most steps of an execution unless something else is said.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.info.defaults.steps = steps;
        self
    }

    /// The most crashes of an execution unless something else is said.
    #[must_use]
    pub fn crashes(mut self, crashes: usize) -> Self {
        self.info.defaults.crashes = crashes;
        self
    }

    /// How many requests clients send unless something else is said, and what each of them asks.
    #[must_use]
    pub fn requests<F>(mut self, count: usize, request: F) -> Self
    where
        F: Fn(usize, &mut Random) -> N::Request + Send + Sync + 'static,
    {
        self.info.defaults.requests = count;
        self.workload = Box::new(move |config, random| {
            (0..config.requests).map(|number| request(number, random)).collect()
        });
        self
    }

    /// What clients ask, all at once, when it depends on the configuration; at most `config.requests` are
    /// sent.
    #[must_use]
    pub fn workload<F>(mut self, count: usize, workload: F) -> Self
    where
        F: Fn(&Config, &mut Random) -> Vec<N::Request> + Send + Sync + 'static,
    {
        self.info.defaults.requests = count;
        self.workload = Box::new(workload);
        self
    }

    /// Adds an option, which nodes read with `ctx.options().get(name)`.
    #[must_use]
    pub fn option<T>(mut self, name: &'static str, default: T, about: &'static str) -> Self
    where
        T: FromStr<Err: Display> + Display,
    {
        self.info.defaults.options.set(name, &default);
        let check = |options: &Options, name: &str| options.get::<T>(name).map(drop);
        self.info.options.push(OptionInfo { name, default: default.to_string(), about, check });
        self
    }

    /// Another default for an option that the target has.
    ///
    /// # Panics
    /// If it has no such option.
    #[must_use]
    pub fn default_of(mut self, name: &str, default: impl Display) -> Self {
        let known = self.info.options.iter_mut().find(|option| option.name == name);
        let option = known.unwrap_or_else(|| panic!("there is no option `{name}`"));
        option.default = default.to_string();
        self.info.defaults.options.set(name, &default);
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
        self.info.weights = weights;
        self
    }

    /// What matters of a node's state to strategies that learn: an abstraction of it as a number, bounded and
    /// without the node's identity. Unless something else is said, the whole state matters.
    #[must_use]
    pub fn colour<F>(mut self, colour: F) -> Self
    where
        F: Fn(&N::State) -> u64 + Send + Sync + 'static,
    {
        self.abstractions.colour = Arc::new(colour);
        self
    }

    /// Whether clients ask a node in this state, for strategies that learn: a leader, where only leaders take
    /// requests. Unless something else is said, they ask any node.
    #[must_use]
    pub fn serves<F>(mut self, serves: F) -> Self
    where
        F: Fn(&N::State) -> bool + Send + Sync + 'static,
    {
        self.abstractions.serves = Arc::new(serves);
        self
    }

    /// Adds a family of predicates over what can be seen of the cluster, such as `LogDiff(x)`, of which
    /// waypoints are made: `holds` is given the arguments, as many as there are parameters.
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
        self.info.waypoints.push(WaypointInfo { name, about, parameters });
        let holds: Holds<N::State> = Arc::new(holds);
        self.abstractions.waypoints = self.abstractions.waypoints.iter().cloned().chain([holds]).collect();
        self
    }

    /// Adds a guide of the target's own, such as the states of a specification, made anew for every
    /// execution; the error says why it cannot be had in this configuration. Every target has the guides
    /// `state` and `trace`, and in instrumented builds `code` and `blocks`.
    #[must_use]
    pub fn guide<F>(mut self, name: &'static str, about: &'static str, guide: F) -> Self
    where
        F: Fn(&Config) -> Result<Box<dyn Guide<N::State>>, String> + Send + Sync + 'static,
    {
        self.info.guides.push(GuideInfo { name, about });
        self.guides.push((name, Box::new(guide)));
        self
    }

    /// The specification that executions are followed on, event by event. It becomes the guide `model` and
    /// recorded traces; and where the option `spec` names it, what the specification forbids is a finding
    /// beside those of the oracles.
    #[cfg(feature = "tla")]
    #[must_use]
    pub fn follow(self, following: Following<N::State>) -> Self {
        let following = Arc::new(following);
        let guided = Arc::clone(&following);
        let mut target = self.with_spec_option().guide(MODEL, following.about(), move |config| {
            guided.guide(config.nodes, &config.options).map_err(|error| error.to_string())
        });
        target.following = Some(following);
        target
    }

    /// The specifications that the states of executions are compared with, step by step. The option `spec`
    /// names one of them, and `spec_config` and `spec_modules` change it; then the oracles are the comparison
    /// alone.
    #[cfg(feature = "tla")]
    #[must_use]
    pub fn compare(self, comparison: Comparison<N::State>) -> Self {
        let mut target = self
            .with_spec_option()
            .option(
                SPEC_CONFIG_OPTION,
                String::new(),
                "with spec: a configuration in place of its own, as text",
            )
            .option(SPEC_MODULES_OPTION, String::new(), "with spec: modules in place of its own, as text");
        target.info.specs = comparison.models().to_vec();
        target.info.spec_settings = comparison.settings().to_vec();
        target.comparison = Some(comparison);
        target
    }

    /// One option names the specification, whether it is followed or compared with.
    #[cfg(feature = "tla")]
    fn with_spec_option(self) -> Self {
        if self.info.options.iter().any(|known| known.name == SPEC_OPTION) {
            return self;
        }
        self.option(
            SPEC_OPTION,
            NO_SPEC.to_owned(),
            "the specification that every step is checked against, or none",
        )
    }

    /// What a phase of the protocol is, for strategies that go in rounds.
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        self.info.phase = Some(phase);
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
                // A request without a JSON form cannot be sent; what stands there instead says why when it is
                // refused.
                let op = serde_json::to_string(&request).unwrap_or_else(|error| error.to_string());
                Placed { when, node, op: op.into() }
            };
            requests(occasion).into_iter().map(placed).collect()
        };
        self.info.harnesses.push(Harness { name, about, make: Arc::new(make) });
        self
    }

    /// How many faulty nodes the protocol tolerates, of a given number of nodes; a minority by default.
    #[must_use]
    pub fn tolerates(mut self, faulty: fn(usize) -> usize) -> Self {
        self.info.tolerates = faulty;
        self
    }

    /// Whether the target may catch panics of its own: if it panics as control flow, or if the panic of a
    /// task or a thread is a way to fail that it recovers from. Unless this is set, a panic of any task or
    /// thread is a finding, also if an executor, a thread pool or a `join` catches it. A panic that leaves a
    /// call of a node is always a finding.
    #[must_use]
    pub fn tolerates_caught_panics(mut self, tolerates: bool) -> Self {
        self.info.caught_panics = if tolerates { CaughtPanics::Tolerated } else { CaughtPanics::Findings };
        self
    }

    /// Declares that one seed does not stand for one execution, because nodes have threads and clocks of
    /// their own. Then a schedule is done again as far as it can be, and shrinking keeps what fails several
    /// times in a row.
    #[must_use]
    pub fn not_deterministic(mut self) -> Self {
        self.info.is_deterministic = false;
        self
    }

    /// Adds a scenario; it takes the place of one of the same name.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario<N::Message>) -> Self {
        self.scenarios.retain(|known| known.name() != scenario.name());
        self.info.scenarios.retain(|known| known.name != scenario.name());
        self.info.scenarios.push(scenario.info());
        self.scenarios.push(Arc::new(scenario));
        self
    }

    /// Every kind of message that there is: a scenario that names another one is refused. Without it, such a
    /// scenario runs, and warns that there never was a message of that kind.
    #[must_use]
    pub fn kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }

    /// What the nodes share beyond an execution, such as the programs that they run in:
    /// [`Context::environment`] gives it to them.
    ///
    /// [`Context::environment`]: shakedown_cluster::Context::environment
    #[must_use]
    pub fn environment(mut self, environment: Arc<dyn Environment>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Clusters of another kind than those of nodes in this process: servers, say, that are processes of
    /// their own. `N` is then never booted: it names the types of messages, requests and states.
    #[must_use]
    pub fn boots(mut self, booter: Booter<N::State>) -> Self {
        self.booter = Some(booter);
        self
    }

    /// The clauses of the protocol ("upon … do …"), each with the condition under which an execution has
    /// covered it: summaries of scenarios say which were covered and which never.
    #[must_use]
    pub fn clauses(mut self, clauses: Vec<(&'static str, Condition<N::Message>)>) -> Self {
        self.info.clauses = clauses.iter().map(|(text, _)| *text).collect();
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

    /// More oracles, behind those given before.
    #[must_use]
    pub fn more_oracles<F>(mut self, more: F) -> Self
    where
        F: Fn(&Config) -> Vec<Box<dyn Oracle<N::State>>> + Send + Sync + 'static,
    {
        let before = self.oracles;
        self.oracles = Box::new(move |config| before(config).into_iter().chain(more(config)).collect());
        self
    }
}

/// The colour of a state of which everything matters.
fn whole_state(state: &impl Hash) -> u64 {
    let mut fingerprinter = Fingerprinter::default();
    fingerprinter.add(state);
    fingerprinter.finish().0 as u64
}
