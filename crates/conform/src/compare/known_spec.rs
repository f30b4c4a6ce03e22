//! What is known of a specification: found out once for every state of it, and remembered.
//!
//! A walker is expensive to make and belongs to its thread, so each thread has one of these for every
//! specification. Where a [`super::Suite`] has built the state graph, it begins with that: no action has to
//! be run for what is an edge.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakedown_tla::walk::{ActionCall, Attempt, State, Walker};

use super::suite::{KnownGraph, Make};
use super::{SpecSource, StateMapping, Variables};
use crate::BadModel;

/// How many known_specs a thread keeps.
const KNOWN_MAX: usize = 4;
/// How many states beyond the state graph are remembered; then all of them are forgotten.
const EXTRA_MAX: usize = 1 << 17;

thread_local! {
    static KNOWN: RefCell<Vec<(SpecSource, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// The number of an action in a spec.
pub(super) type ActionNumber = u32;

/// What comes of an action in a state.
#[derive(Clone)]
pub(super) enum Next {
    /// It leads to these states.
    To(Rc<[u32]>),
    /// It is not enabled; this is what is false.
    Blocked(Rc<str>),
}

/// What is known of a state.
struct Place<V> {
    state: State,
    view: Option<Rc<V>>,
    /// What comes of actions that are no edges of the state graph.
    tried: FxHashMap<ActionNumber, Next>,
    /// The implementation's own actions that the model's next-state action enables here.
    own: Option<Rc<[ActionNumber]>>,
    /// What the implementation offered here when that was last found to be all right.
    accepted: Option<Box<[ActionNumber]>>,
}

impl<V> Place<V> {
    fn new(state: State) -> Place<V> {
        Place { state, view: None, tried: FxHashMap::default(), own: None, accepted: None }
    }
}

/// See the module's text.
pub(super) struct KnownSpec<S, M: StateMapping<S>> {
    /// Reads the specification, and sees no execution.
    mapping: M,
    source: SpecSource,
    walker: Walker,
    graph: Option<Arc<KnownGraph>>,
    /// Those of the state graph first.
    places: Vec<Place<M::View>>,
    numbers: FxHashMap<State, u32>,
    initial: Rc<[u32]>,
    nodes: usize,
    actions: Vec<M::Action>,
    action_numbers: FxHashMap<M::Action, ActionNumber>,
}

impl<S: 'static, M: StateMapping<S>> KnownSpec<S, M> {
    /// The spec of this specification that this thread keeps.
    pub fn of(source: &SpecSource, make: &Make<M>) -> Result<Rc<RefCell<KnownSpec<S, M>>>, BadModel> {
        KNOWN.with_borrow_mut(|known_specs| {
            let known = known_specs.iter().find_map(|(known, spec)| {
                let spec = Rc::clone(spec).downcast::<RefCell<KnownSpec<S, M>>>().ok()?;
                // A spec that was made before the state graph was built does not know it.
                let knows_graph = spec.borrow().graph.is_some() || source.graph().get().is_none();
                (known.is_same(source) && knows_graph).then_some(spec)
            });
            if let Some(known) = known {
                return Ok(known);
            }
            let made = Rc::new(RefCell::new(KnownSpec::new(source, make())?));
            known_specs.retain(|(known, _)| !known.is_same(source));
            if known_specs.len() >= KNOWN_MAX {
                known_specs.remove(0);
            }
            known_specs.push((source.clone(), Rc::clone(&made) as Rc<dyn Any>));
            Ok(made)
        })
    }

    fn new(source: &SpecSource, mapping: M) -> Result<KnownSpec<S, M>, BadModel> {
        let mut walker = source.walker()?;
        let graph = source.graph().get().cloned();
        let mut spec = KnownSpec {
            mapping,
            source: source.clone(),
            graph: None,
            places: Vec::new(),
            numbers: FxHashMap::default(),
            initial: Rc::new([]),
            nodes: 0,
            actions: Vec::new(),
            action_numbers: FxHashMap::default(),
            walker: {
                // The states of the graph came from another walker, and this one may have met none of their
                // symbols.
                walker.initial().map_err(|error| source.bad(error))?;
                walker
            },
        };
        match graph {
            Some(graph) => {
                let actions = graph.actions.downcast_ref::<Arc<Vec<M::Action>>>();
                let actions = actions.ok_or_else(|| source.bad("its state graph is of another mapping"))?;
                for action in actions.iter() {
                    spec.number_of(action);
                }
                // Labels are numbers of actions, as long as no two of them are the same action.
                if spec.actions.len() != actions.len() {
                    return Err(source.bad("the mapping takes two different actions for one"));
                }
                spec.places.extend(graph.states.iter().cloned().map(Place::new));
                spec.numbers.extend(graph.states.iter().cloned().zip(0..));
                spec.initial = (0..graph.initial).collect();
                spec.graph = Some(graph);
            }
            None => {
                let initial = spec.walker.initial().map_err(|error| source.bad(error))?;
                spec.initial = initial.into_iter().map(|state| spec.place_of(state)).collect();
            }
        }
        for place in Rc::clone(&spec.initial).iter() {
            let view = spec.view(*place).map_err(|reason| source.bad(reason))?;
            spec.nodes = spec.mapping.nodes(&view);
        }
        Ok(spec)
    }

    pub fn source(&self) -> &SpecSource {
        &self.source
    }

    pub fn initial(&self) -> Rc<[u32]> {
        Rc::clone(&self.initial)
    }

    /// How the specification calls an action in a state.
    pub fn call(&mut self, place: u32, action: ActionNumber) -> ActionCall {
        let variables = Variables::new(self.walker.values(&self.places[place as usize].state));
        self.mapping.call(&self.actions[action as usize], &variables)
    }

    /// The number of an action.
    pub fn number_of(&mut self, action: &M::Action) -> ActionNumber {
        if let Some(number) = self.action_numbers.get(action) {
            return *number;
        }
        let number = self.actions.len() as ActionNumber;
        self.actions.push(action.clone());
        self.action_numbers.insert(action.clone(), number);
        number
    }

    /// Forgets what lies beyond the state graph if it has become too much. No place that was given out is one
    /// any more.
    pub fn tidy(&mut self) {
        let known = self.graph.as_ref().map_or(self.initial.len(), |graph| graph.states.len());
        if self.places.len() > known + EXTRA_MAX {
            for place in self.places.drain(known..) {
                self.numbers.remove(&place.state);
            }
            // What leads out of what is left led there.
            self.places.iter_mut().for_each(|place| place.tried.clear());
        }
    }

    fn place_of(&mut self, state: State) -> u32 {
        if let Some(place) = self.numbers.get(&state) {
            return *place;
        }
        let place = self.places.len() as u32;
        self.numbers.insert(state.clone(), place);
        self.places.push(Place::new(state));
        place
    }

    /// The mapped variables of a state.
    pub fn view(&mut self, place: u32) -> Result<Rc<M::View>, String> {
        let KnownSpec { places, walker, mapping, .. } = self;
        let place = &mut places[place as usize];
        if let Some(view) = &place.view {
            return Ok(Rc::clone(view));
        }
        let variables = Variables::new(walker.values(&place.state));
        let view = Rc::new(mapping.spec_view(&variables).map_err(|error| error.to_string())?);
        place.view = Some(Rc::clone(&view));
        Ok(view)
    }

    /// What comes of an action.
    pub fn next(&mut self, place: u32, action: ActionNumber) -> Next {
        if let Some(known) = self.places[place as usize].tried.get(&action) {
            return known.clone();
        }
        let edges = self.edges(place, action);
        let next = if edges.is_empty() { self.attempt(place, action) } else { Next::To(edges.into()) };
        self.places[place as usize].tried.insert(action, next.clone());
        next
    }

    /// Where the edges of an action lead in the state graph. It holds all of them or none, but for those that
    /// lead beyond its bounds, and an action that leaves something open may do both.
    fn edges(&self, place: u32, action: ActionNumber) -> Vec<u32> {
        let Some(graph) = self.graph.as_ref().filter(|graph| (place as usize) < graph.states.len()) else {
            return Vec::new();
        };
        let (start, end) = (graph.first[place as usize] as usize, graph.first[place as usize + 1] as usize);
        let begin = start + graph.label[start..end].partition_point(|label| *label < action);
        (begin..end).take_while(|edge| graph.label[*edge] == action).map(|edge| graph.to[edge]).collect()
    }

    /// Runs an action, without the bounds of the model.
    fn attempt(&mut self, place: u32, action: ActionNumber) -> Next {
        let call = self.call(place, action);
        match self.walker.attempt(&self.places[place as usize].state, &call) {
            Ok(Attempt::Taken(states)) => {
                Next::To(states.into_iter().map(|state| self.place_of(state)).collect())
            }
            Ok(Attempt::Blocked(blocked)) => Next::Blocked(self.source.blocked_at(blocked).into()),
            Err(error) => Next::Blocked(error.to_string().into()),
        }
    }

    /// The implementation's own actions that the model's next-state action enables here: within its bounds
    /// where the state graph is known.
    fn own(&mut self, place: u32) -> Result<Rc<[ActionNumber]>, String> {
        if let Some(own) = &self.places[place as usize].own {
            return Ok(Rc::clone(own));
        }
        let in_graph = self.graph.as_ref().filter(|graph| (place as usize) < graph.states.len());
        let mut own: Vec<ActionNumber> = match in_graph {
            Some(graph) => {
                let (start, end) = (graph.first[place as usize], graph.first[place as usize + 1]);
                graph.label[start as usize..end as usize].to_vec()
            }
            None => {
                let state = self.places[place as usize].state.clone();
                let successors = self.walker.successors(&state).map_err(|error| error.to_string())?;
                let read = successors
                    .iter()
                    .map(|successor| self.mapping.read_action(&successor.action, self.nodes));
                let actions = read.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
                actions.iter().map(|action| self.number_of(action)).collect()
            }
        };
        own.retain(|action| self.mapping.is_own(&self.actions[*action as usize]));
        own.sort_unstable();
        own.dedup();
        let own: Rc<[ActionNumber]> = own.into();
        self.places[place as usize].own = Some(Rc::clone(&own));
        Ok(own)
    }

    /// Compares what the implementation offers, sorted and without repetitions, with what is enabled in a
    /// state.
    pub fn compare_offers(&mut self, place: u32, offered: &[ActionNumber]) -> Result<Offers, String> {
        if self.places[place as usize].accepted.as_deref() == Some(offered) {
            return Ok(Offers::Accepted);
        }
        let own = self.own(place)?;
        let missing = own.iter().copied().find(|action| offered.binary_search(action).is_err());
        let unexpected =
            offered.iter().filter(|action| own.binary_search(action).is_err()).find_map(|action| match self
                .next(place, *action)
            {
                Next::Blocked(reason) => Some((*action, reason)),
                Next::To(_) => None,
            });
        if missing.is_some() || unexpected.is_some() {
            return Ok(Offers::Differ { missing, unexpected });
        }
        self.places[place as usize].accepted = Some(offered.into());
        Ok(Offers::Accepted)
    }
}

/// How what is offered and what is enabled compare.
pub(super) enum Offers {
    /// Each is the other.
    Accepted,
    /// They are not the same; of each sort the first.
    Differ {
        /// It is enabled and not offered.
        missing: Option<ActionNumber>,
        /// It is offered and not enabled, for this reason.
        unexpected: Option<(ActionNumber, Rc<str>)>,
    },
}
