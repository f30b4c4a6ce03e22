//! Scenarios: filters and a property, with what they need of the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shakedown_cluster::{NodeSet, Random};

use crate::condition::Names;
use crate::machine::FAIL;
use crate::{Filter, Machine, Memory};

type SetUp<M> = dyn Fn(usize, &mut Memory<M>) + Send + Sync;

/// A scenario unit test: what the network does, and what should come of it.
pub struct Scenario<M> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) filters: Vec<Filter<M>>,
    pub(crate) property: Option<Machine<M>>,
    pub(crate) setups: Vec<Arc<SetUp<M>>>,
    /// The parts that are drawn, each with its size.
    parts: BTreeMap<&'static str, usize>,
    /// The parts that actions make.
    parts_made: BTreeSet<&'static str>,
    pub(crate) needs: Needs,
}

/// What a scenario needs of the cluster that it runs on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// How many nodes; nothing for the target's own number.
    pub nodes: Option<usize>,
    /// How many steps an iteration has at most.
    pub steps: Option<usize>,
    /// How many requests clients send.
    pub requests: Option<usize>,
    /// Options of the target.
    pub options: Vec<(&'static str, String)>,
    /// How likely each kind of step is, where it is not as the target has it.
    pub weights: Option<&'static str>,
    /// How many nodes may be faulty.
    pub faulty: usize,
}

/// Why a scenario cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadScenario {
    /// It has no property.
    #[error("scenario `{0}` has no property")]
    NoProperty(&'static str),
    /// Its property can never be in a success state.
    #[error("the property of scenario `{0}` has no success state, so no iteration could succeed")]
    NoSuccess(&'static str),
    /// A node that the cluster does not have.
    #[error("scenario `{scenario}` names {node}, but there are only {nodes} nodes")]
    NoSuchNode {
        /// The scenario.
        scenario: &'static str,
        /// The node.
        node: shakedown_cluster::NodeId,
        /// How many there are.
        nodes: usize,
    },
    /// A kind of message, a part, a state or a set that there is not.
    #[error("scenario `{scenario}` names the {what} `{name}`, but there is none: there are {known}")]
    Unknown {
        /// The scenario.
        scenario: &'static str,
        /// What it should be.
        what: &'static str,
        /// Its name.
        name: &'static str,
        /// What there is.
        known: String,
    },
    /// A part that does not get the nodes that it should have.
    #[error(
        "scenario `{scenario}` wants {wanted} nodes in the part `{part}`, but of {nodes} nodes {members} are left for it"
    )]
    SmallPart {
        /// The scenario.
        scenario: &'static str,
        /// The part.
        part: &'static str,
        /// How many nodes it should have.
        wanted: usize,
        /// How many it has.
        members: usize,
        /// How many there are in all.
        nodes: usize,
    },
    /// No filter of this name.
    #[error("scenario `{scenario}` has no filter {number}: it has {count}")]
    NoFilter {
        /// The scenario.
        scenario: &'static str,
        /// The filter, counted from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
}

impl<M: 'static> Scenario<M> {
    /// A scenario without filters and property.
    pub fn new(name: &'static str) -> Scenario<M> {
        Scenario {
            name,
            about: "",
            filters: Vec::new(),
            property: None,
            setups: Vec::new(),
            parts: BTreeMap::new(),
            parts_made: BTreeSet::new(),
            needs: Needs::default(),
        }
    }

    /// One line on what it is.
    #[must_use]
    pub fn about(mut self, about: &'static str) -> Scenario<M> {
        self.about = about;
        self
    }

    /// Runs on this number of nodes.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Scenario<M> {
        self.needs.nodes = Some(nodes);
        self
    }

    /// Limits the steps of an iteration.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Scenario<M> {
        self.needs.steps = Some(steps);
        self
    }

    /// Has clients send this number of the target's own requests.
    #[must_use]
    pub fn requests(mut self, requests: usize) -> Scenario<M> {
        self.needs.requests = Some(requests);
        self
    }

    /// Gives an option of the target a value.
    #[must_use]
    pub fn set(mut self, option: &'static str, value: impl ToString) -> Scenario<M> {
        self.needs.options.push((option, value.to_string()));
        self
    }

    /// How likely kinds of steps are, as in `tick=30`.
    #[must_use]
    pub fn weights(mut self, weights: &'static str) -> Scenario<M> {
        self.needs.weights = Some(weights);
        self
    }

    /// So many nodes may be faulty: isolated for good, crashed, or lying. More than the protocol tolerates is
    /// a warning.
    #[must_use]
    pub fn faulty(mut self, nodes: usize) -> Scenario<M> {
        self.needs.faulty = nodes;
        self
    }

    /// Divides the nodes into parts of these sizes, with members that are drawn anew for every iteration. The
    /// network stays whole: the parts are a logical partition, which conditions such as
    /// [`across_partition`](crate::across_partition) see. Nodes that are left over form a part of their own.
    #[must_use]
    pub fn parts(mut self, parts: &'static [(&'static str, usize)]) -> Scenario<M> {
        self.parts.extend(parts.iter().copied());
        self.setups.push(Arc::new(move |nodes, memory| {
            let mut drawn: Vec<_> = NodeSet::first(nodes).iter().collect();
            memory.random.shuffle(&mut drawn);
            let mut rest = drawn.into_iter();
            let mut logical = Vec::with_capacity(parts.len() + 1);
            for (name, size) in parts {
                let members = rest.by_ref().take(*size).collect();
                memory.set_part(name, members);
                logical.push(members);
            }
            logical.push(rest.collect());
            memory.set_logical_partition(logical);
        }));
        self
    }

    /// One node in a role of this name, drawn anew for every iteration.
    #[must_use]
    pub fn role(mut self, name: &'static str) -> Scenario<M> {
        self.parts.insert(name, 1);
        self.setups.push(Arc::new(move |nodes, memory| {
            let drawn = NodeSet::first(nodes).iter().nth(memory.random.index(nodes));
            memory.set_part(name, drawn.into_iter().collect());
        }));
        self
    }

    /// Says that actions of your own make these parts, so that conditions may name them.
    #[must_use]
    pub fn parts_made_later(mut self, names: &[&'static str]) -> Scenario<M> {
        self.parts_made.extend(names);
        self
    }

    /// Sets up the memory of every iteration; the first argument is the number of nodes.
    #[must_use]
    pub fn set_up(mut self, setup: impl Fn(usize, &mut Memory<M>) + Send + Sync + 'static) -> Scenario<M> {
        self.setups.push(Arc::new(setup));
        self
    }

    /// Adds a filter. Filters are tried in order, and the first that matches takes the event.
    #[must_use]
    pub fn filter(mut self, filter: Filter<M>) -> Scenario<M> {
        self.filters.push(filter);
        self
    }

    /// What should come of it.
    #[must_use]
    pub fn property(mut self, property: Machine<M>) -> Scenario<M> {
        self.property = Some(property);
        self
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it needs of the cluster.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Everything that filters and property name.
    pub(crate) fn names(&self) -> Names {
        let of_filters =
            self.filters.iter().flat_map(|filter| [&filter.condition.names, &filter.action.names]);
        let states = self.property.iter().flat_map(|property| &property.states);
        let of_property =
            states.flat_map(|state| state.transitions.iter().map(|(condition, _)| &condition.names));
        of_filters.chain(of_property).fold(Names::default(), |all, names| all.and(names))
    }

    /// Whether it makes sense on so many nodes, with messages of these kinds; no kinds where they are not
    /// known. What is set up for every iteration is set up once to see which parts it makes. What only a
    /// closure names is found when it runs.
    pub fn validate(&self, nodes: usize, kinds: &[&'static str]) -> Result<(), BadScenario> {
        let scenario = self.name;
        let property = self.property.as_ref().ok_or(BadScenario::NoProperty(scenario))?;
        if !property.states.iter().any(|state| state.is_success && state.name != FAIL) {
            return Err(BadScenario::NoSuccess(scenario));
        }
        let names = self.names();
        let parts = self.memory(nodes, Random::new(0)).parts().clone();
        let in_parts = parts.values().flat_map(|part| part.iter());
        if let Some(node) = names.nodes.iter().copied().chain(in_parts).find(|node| node.index() >= nodes) {
            return Err(BadScenario::NoSuchNode { scenario, node, nodes });
        }
        for (&part, &wanted) in &self.parts {
            let members = parts.get(part).map_or(0, |members| members.iter().count());
            if members < wanted {
                return Err(BadScenario::SmallPart { scenario, part, wanted, members, nodes });
            }
        }
        let parts = parts.keys().chain(&self.parts_made).copied().collect();
        let states = property.states.iter().map(|state| state.name).collect();
        let kinds_known =
            if kinds.is_empty() { names.kinds.clone() } else { kinds.iter().copied().collect() };
        let named = [
            ("kind of message", &names.kinds, &kinds_known),
            ("part", &names.parts, &parts),
            ("state", &names.states, &states),
            ("set", &names.sets_read, &names.sets_written),
        ];
        for (what, used, known) in named {
            if let Some(&name) = used.iter().find(|name| !known.contains(*name)) {
                let known = known.iter().copied().collect::<Vec<_>>().join(", ");
                let known = if known.is_empty() { "none".to_owned() } else { known };
                return Err(BadScenario::Unknown { scenario, what, name, known });
            }
        }
        Ok(())
    }

    pub(crate) fn memory(&self, nodes: usize, random: Random) -> Memory<M> {
        let names = self.property.as_ref().map_or_else(|| [].into(), Machine::names);
        let mut memory = Memory::new(random, names);
        self.setups.iter().for_each(|setup| setup(nodes, &mut memory));
        memory
    }
}

/// What is known of a filter before anything runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterInfo {
    /// What it does, in words.
    pub name: String,
    /// Whether it lies for a node.
    pub is_lie: bool,
    /// Whether it keeps messages back, for a while or for good.
    pub keeps_back: bool,
    /// The sets that it keeps messages back in.
    pub stores: Vec<&'static str>,
    /// The sets that it delivers or releases.
    pub releases: Vec<&'static str>,
}

/// What is known of a scenario before it runs, whatever its messages are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// What it needs of the cluster.
    pub needs: Needs,
    /// Its filters, in order.
    pub filters: Vec<FilterInfo>,
    /// The states of its property, in order.
    pub states: Vec<&'static str>,
    /// The kinds of messages that it names.
    pub kinds: Vec<&'static str>,
}

impl<M: 'static> Scenario<M> {
    /// What is known of it before it runs.
    pub fn info(&self) -> ScenarioInfo {
        let filter = |filter: &Filter<M>| FilterInfo {
            name: filter.name.clone(),
            is_lie: filter.action.traits.is_lie,
            keeps_back: filter.action.traits.keeps_back,
            stores: filter.action.names.sets_written.iter().copied().collect(),
            releases: filter.action.names.sets_read.iter().copied().collect(),
        };
        ScenarioInfo {
            name: self.name,
            about: self.about,
            needs: self.needs.clone(),
            filters: self.filters.iter().map(filter).collect(),
            states: self.property.iter().flat_map(|property| property.names().to_vec()).collect(),
            kinds: self.names().kinds.into_iter().collect(),
        }
    }
}
