//! Liveness: whether every fair infinite behaviour satisfies a temporal property.
//!
//! While the states are explored, a [`Recorder`] notes the graph and, for every state and step, which of the
//! atomic predicates of the formulas hold. Afterwards each property is negated and turned into an automaton
//! (`automaton`), whose product with the graph is searched for a fair cycle (`search`). Fairness of the
//! specification stays outside the automaton: WF is a condition that a cycle must meet somewhere, SF one that
//! may force parts of a component to be left out.

mod automaton;
mod search;

use rustc_hash::FxHashMap;

use self::automaton::{Automaton, Ltl};
use self::search::{Fairness, search};
use super::outcome::{Violation, ViolationKind};
use super::trace::{Trace, behaviour};
use crate::budget::Allowance;
use crate::compile::ir::Expr;
use crate::compile::level::STATE;
use crate::compile::temporal::Formula;
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::encode::{Decoder, encode_all};

/// Most atomic predicates of states, and of steps.
const ATOMS_MAX: usize = 128;

/// Which atomic predicates hold.
pub(super) type Bits = u128;

/// A predicate of a state or a step.
struct Atom {
    expr: Expr,
    place: Place,
    /// Whether it is about a step, and its bit.
    step: bool,
    bit: u32,
}

/// The number of an atom.
pub(super) type AtomId = u32;

/// A step of the graph.
pub(super) struct Edge {
    pub to: u32,
    pub label: u32,
    pub holds: Bits,
}

/// A state of the graph.
#[derive(Default)]
pub(super) struct Node {
    pub edges: Vec<Edge>,
    pub holds: Bits,
    /// What holds of the step that changes nothing.
    pub stutter: Bits,
    bytes: Box<[u8]>,
}

/// What a state of the graph takes, with its place in the index.
const NODE_BYTES: usize = size_of::<Node>() + 16;

/// What a state takes in the index while that grows.
const INDEX_BYTES: usize = 4 * 17;

/// Notes the graph of states.
pub(crate) struct Recorder {
    atoms: Vec<Atom>,
    fairness: Vec<(AtomId, AtomId, bool)>,
    /// Parts of the specification that are no plain fairness: assumed to hold.
    assumed: Vec<Ltl>,
    properties: Vec<(Symbol, Ltl)>,
    index: FxHashMap<u64, u32>,
    nodes: Vec<Node>,
    initial: Vec<u32>,
    too_many: bool,
    /// About how many bytes the graph takes.
    pub bytes: usize,
}

impl Recorder {
    pub(crate) fn new(model: &mut Model) -> Recorder {
        let mut recorder = Recorder {
            atoms: Vec::new(),
            fairness: Vec::new(),
            assumed: Vec::new(),
            properties: Vec::new(),
            index: FxHashMap::default(),
            nodes: Vec::new(),
            initial: Vec::new(),
            too_many: false,
            bytes: 0,
        };
        for formula in std::mem::take(&mut model.fairness) {
            recorder.assume(formula);
        }
        for property in std::mem::take(&mut model.properties) {
            let negated = recorder.ltl(property.formula, true);
            recorder.properties.push((property.name, negated));
        }
        recorder
    }

    fn assume(&mut self, formula: Formula) {
        match formula {
            Formula::And(parts) => parts.into_iter().for_each(|part| self.assume(part)),
            Formula::Fair(both, strong) => {
                let (enabled, taken) = *both;
                if let (Formula::Leaf(enabled, _, place), Formula::Leaf(taken, _, _)) = (enabled, taken) {
                    let enabled = self.atom(enabled, false, place);
                    let taken = self.atom(taken, true, place);
                    self.fairness.push((enabled, taken, strong));
                }
            }
            other => {
                let ltl = self.ltl(other, false);
                self.assumed.push(ltl);
            }
        }
    }

    fn atom(&mut self, expr: Expr, step: bool, place: Place) -> AtomId {
        let bit = self.atoms.iter().filter(|atom| atom.step == step).count();
        self.too_many |= bit >= ATOMS_MAX;
        self.atoms.push(Atom { expr, place, step, bit: (bit % ATOMS_MAX) as u32 });
        self.atoms.len() as AtomId - 1
    }

    /// A formula with negation pushed to its atoms.
    fn ltl(&mut self, formula: Formula, negate: bool) -> Ltl {
        match formula {
            Formula::Leaf(expr, level, place) => Ltl::Literal(self.atom(expr, level > STATE, place), negate),
            Formula::Not(inner) => self.ltl(*inner, !negate),
            Formula::Constant(value) if value != negate => Ltl::And(Vec::new()),
            Formula::Constant(_) => Ltl::Or(Vec::new()),
            Formula::And(parts) => {
                let parts = parts.into_iter().map(|part| self.ltl(part, negate)).collect();
                if negate { Ltl::Or(parts) } else { Ltl::And(parts) }
            }
            Formula::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.ltl(part, negate)).collect();
                if negate { Ltl::And(parts) } else { Ltl::Or(parts) }
            }
            Formula::Always(inner) => {
                let inner = Box::new(self.ltl(*inner, negate));
                if negate { Ltl::Eventually(inner) } else { Ltl::Always(inner) }
            }
            Formula::Eventually(inner) => {
                let inner = Box::new(self.ltl(*inner, negate));
                if negate { Ltl::Always(inner) } else { Ltl::Eventually(inner) }
            }
            Formula::Fair(both, strong) => {
                let (enabled, taken) = *both;
                let (Formula::Leaf(enabled, _, place), Formula::Leaf(taken, _, _)) = (enabled, taken) else {
                    return Ltl::And(Vec::new());
                };
                let enabled = self.atom(enabled, false, place);
                let taken = self.atom(taken, true, place);
                fair(enabled, taken, strong, negate)
            }
        }
    }

    pub(crate) fn initial(&mut self, print: u64) {
        let node = self.node_of(print);
        self.initial.push(node);
    }

    fn node_of(&mut self, print: u64) -> u32 {
        let next = self.nodes.len() as u32;
        let node = *self.index.entry(print).or_insert(next);
        if node == next {
            self.nodes.push(Node::default());
            self.bytes += NODE_BYTES;
        }
        node
    }

    /// Notes the state that is being expanded.
    pub(crate) fn node(&mut self, machine: &mut Machine, print: u64) -> Result<()> {
        if self.too_many {
            let message = format!("the temporal formulas have more than {ATOMS_MAX} atomic predicates");
            return Err(Box::new(Error::Limit { message }));
        }
        let node = self.node_of(print) as usize;
        let mut bytes = Vec::new();
        let Machine { cur, allowance, .. } = machine;
        encode_all(cur, &mut bytes, None, allowance)?;
        // The index takes twice its room while it grows.
        let index =
            if self.index.len() == self.index.capacity() { self.index.len() * INDEX_BYTES } else { 0 };
        machine.room(NODE_BYTES + bytes.len() + index, Place::none())?;
        let holds = self.evaluate(machine, false)?;
        machine.next.clone_from(&machine.cur);
        let stutter = self.evaluate(machine, true);
        machine.next.fill(crate::value::Value::Undefined);
        let known = &mut self.nodes[node];
        known.holds = holds;
        known.stutter = stutter?;
        self.bytes += bytes.len();
        known.bytes = bytes.into();
        Ok(())
    }

    /// Notes the step from the current state to the next one.
    pub(crate) fn edge(&mut self, machine: &mut Machine, from: u64, to: u64) -> Result<()> {
        let to = self.node_of(to);
        let from = self.node_of(from) as usize;
        if self.nodes[from].edges.iter().any(|edge| edge.to == to) {
            return Ok(());
        }
        let holds = self.evaluate(machine, true)?;
        let label = machine.label;
        machine.room(2 * size_of::<Edge>(), Place::none())?;
        self.nodes[from].edges.push(Edge { to, label, holds });
        self.bytes += size_of::<Edge>();
        Ok(())
    }

    fn evaluate(&self, machine: &mut Machine, step: bool) -> Result<Bits> {
        let mut bits = 0;
        for atom in self.atoms.iter().filter(|atom| atom.step == step) {
            if machine.holds_apart(&atom.expr, atom.place)? {
                bits |= 1 << atom.bit;
            }
        }
        Ok(bits)
    }

    /// Checks the properties one after the other; the first that is violated.
    pub(crate) fn check(self, model: &mut Model) -> Result<Option<Violation>> {
        let bit = |atom: AtomId| self.atoms[atom as usize].bit;
        let fairness: Vec<Fairness> = self
            .fairness
            .iter()
            .map(|(enabled, taken, strong)| Fairness {
                enabled: bit(*enabled),
                taken: bit(*taken),
                strong: *strong,
            })
            .collect();
        for (name, negated) in &self.properties {
            let mut formula: Vec<&Ltl> = self.assumed.iter().collect();
            formula.push(negated);
            let place = |atom: AtomId| {
                let atom = &self.atoms[atom as usize];
                (atom.step, atom.bit)
            };
            let mut allowance = Allowance::new(model.machine.allowance.budget());
            let automaton = Automaton::new(&formula, &place, &mut allowance)?;
            let found = search(&self.nodes, &self.initial, &automaton, &fairness, allowance)?;
            if let Some(lasso) = found {
                return Ok(Some(Violation {
                    kind: ViolationKind::Liveness,
                    name: *name,
                    message: String::new(),
                    trace: self.trace(model, &lasso.states, lasso.back_to),
                }));
            }
        }
        Ok(None)
    }

    fn trace(&self, model: &mut Model, states: &[u32], back_to: usize) -> Trace {
        let mut decoder = Decoder::new();
        let mut steps = Vec::new();
        for (position, state) in states.iter().enumerate() {
            let node = &self.nodes[*state as usize];
            let mut bytes = &*node.bytes;
            let values: Vec<_> =
                (0..model.variables.len()).map_while(|_| decoder.decode(&mut bytes)).collect();
            let action = position.checked_sub(1).map(|before| {
                let edges = &self.nodes[states[before] as usize].edges;
                let label = edges.iter().find(|edge| edge.to == *state).map_or(u32::MAX, |edge| edge.label);
                model.action_name(label).to_string()
            });
            steps.push((values, action));
        }
        behaviour(model, &steps, Some(back_to))
    }
}

/// Fairness by its definition.
fn fair(enabled: AtomId, taken: AtomId, strong: bool, negate: bool) -> Ltl {
    let always = |inner| Ltl::Always(Box::new(inner));
    let eventually = |inner| Ltl::Eventually(Box::new(inner));
    match (strong, negate) {
        (false, false) => {
            always(eventually(Ltl::Or(vec![Ltl::Literal(enabled, true), Ltl::Literal(taken, false)])))
        }
        (false, true) => {
            eventually(always(Ltl::And(vec![Ltl::Literal(enabled, false), Ltl::Literal(taken, true)])))
        }
        (true, false) => Ltl::Or(vec![
            eventually(always(Ltl::Literal(enabled, true))),
            always(eventually(Ltl::Literal(taken, false))),
        ]),
        (true, true) => Ltl::And(vec![
            always(eventually(Ltl::Literal(enabled, false))),
            eventually(always(Ltl::Literal(taken, true))),
        ]),
    }
}
