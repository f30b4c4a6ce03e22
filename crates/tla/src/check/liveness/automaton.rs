//! From a temporal formula to an automaton over steps.
//!
//! A state of the automaton is a set of formulas that must hold of the rest of the behaviour. One step takes
//! it apart: `[]f` means `f` now and `[]f` after the step; `<>f` means either `f` now or `<>f` after the
//! step, which *postpones* it. A run is accepted if it postpones no formula forever. (This is the tableau of
//! Gerth, Peled, Vardi and Wolper with acceptance on transitions.)

use std::collections::{BTreeMap, BTreeSet};

use super::{AtomId, Bits};
use crate::budget::Allowance;
use crate::error::{Error, Place, Result};

/// Most states and transitions of an automaton.
const STATES_MAX: usize = 2_000;
const TRANSITIONS_MAX: usize = 100_000;

/// A temporal formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ltl {
    /// An atom, negated or not.
    Literal(AtomId, bool),
    And(Vec<Ltl>),
    Or(Vec<Ltl>),
    Always(Box<Ltl>),
    Eventually(Box<Ltl>),
}

/// A transition: what must hold and not hold of the state and the step, where it leads, what it postpones.
pub(super) struct Transition {
    pub state_true: Bits,
    pub state_false: Bits,
    pub step_true: Bits,
    pub step_false: Bits,
    pub to: u32,
    pub postponed: u64,
}

/// An automaton; state 0 is the initial one.
pub(super) struct Automaton {
    pub transitions: Vec<Vec<Transition>>,
    /// How many formulas can be postponed.
    pub promises: usize,
}

/// One way to fulfil a set of formulas now.
#[derive(Clone, Default)]
struct Choice {
    literals: BTreeMap<AtomId, bool>,
    after: BTreeSet<FormulaId>,
    postponed: BTreeSet<FormulaId>,
}

impl Choice {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        CHOICE_BYTES + (self.literals.len() + self.after.len() + self.postponed.len()) * MEMBER_BYTES
    }
}

/// What a choice takes, and what each of its members does.
const CHOICE_BYTES: usize = 160;
const MEMBER_BYTES: usize = 24;

/// The number of a formula among all parts of the formulas; numbers are in the order of formulas.
type FormulaId = u32;

/// A formula by the numbers of its parts.
enum Part {
    Literal(AtomId, bool),
    And(Vec<FormulaId>),
    Or(Vec<FormulaId>),
    Always(FormulaId),
    Eventually(FormulaId),
}

/// All parts of some formulas. A set of formulas is then a set of numbers, however large the formulas are.
struct Parts(Vec<Part>);

impl Parts {
    /// The parts, and the numbers of the formulas.
    fn of(formulas: &[&Ltl]) -> (Parts, BTreeSet<FormulaId>) {
        let mut all: Vec<&Ltl> = Vec::new();
        let mut waiting: Vec<&Ltl> = formulas.to_vec();
        while let Some(formula) = waiting.pop() {
            all.push(formula);
            match formula {
                Ltl::Literal(..) => {}
                Ltl::And(parts) | Ltl::Or(parts) => waiting.extend(parts),
                Ltl::Always(inner) | Ltl::Eventually(inner) => waiting.push(inner),
            }
        }
        all.sort_unstable();
        all.dedup();
        let number = |formula: &Ltl| all.partition_point(|known| *known < formula) as FormulaId;
        let numbers = |parts: &[Ltl]| parts.iter().map(number).collect();
        let part = |formula: &&Ltl| match formula {
            Ltl::Literal(atom, negated) => Part::Literal(*atom, *negated),
            Ltl::And(parts) => Part::And(numbers(parts)),
            Ltl::Or(parts) => Part::Or(numbers(parts)),
            Ltl::Always(inner) => Part::Always(number(inner)),
            Ltl::Eventually(inner) => Part::Eventually(number(inner)),
        };
        let start = formulas.iter().map(|formula| number(formula)).collect();
        (Parts(all.iter().map(part).collect()), start)
    }

    /// All ways to fulfil the formulas that are left, on top of what has been chosen.
    fn expand(
        &self,
        mut left: Vec<FormulaId>,
        mut choice: Choice,
        choices: &mut Vec<Choice>,
        allowance: &mut Allowance,
    ) -> Result<()> {
        if choices.len() > TRANSITIONS_MAX {
            return Ok(());
        }
        while let Some(id) = left.pop() {
            match &self.0[id as usize] {
                Part::Literal(atom, negated) => match choice.literals.insert(*atom, *negated) {
                    Some(known) if known != *negated => return Ok(()),
                    _ => {}
                },
                Part::And(parts) => left.extend(parts),
                Part::Or(parts) => {
                    for part in parts {
                        let mut left = left.clone();
                        left.push(*part);
                        allowance
                            .take(choice.bytes() + left.len() * size_of::<FormulaId>(), Place::none())?;
                        self.expand(left, choice.clone(), choices, allowance)?;
                    }
                    return Ok(());
                }
                Part::Always(inner) => {
                    choice.after.insert(id);
                    left.push(*inner);
                }
                Part::Eventually(inner) => {
                    let mut now = left.clone();
                    now.push(*inner);
                    allowance.take(choice.bytes() + now.len() * size_of::<FormulaId>(), Place::none())?;
                    self.expand(now, choice.clone(), choices, allowance)?;
                    choice.after.insert(id);
                    choice.postponed.insert(id);
                }
            }
        }
        choices.push(choice);
        Ok(())
    }
}

impl Parts {
    /// Leaves out `<>f` beside `[]<>f`, which asks for it again at every step.
    fn forget_repeated(&self, formulas: &mut BTreeSet<FormulaId>) {
        let inner = |id: &FormulaId| match self.0.get(*id as usize) {
            Some(Part::Always(inner)) => Some(*inner),
            _ => None,
        };
        let asked: Vec<FormulaId> = formulas.iter().filter_map(inner).collect();
        for id in asked {
            if matches!(self.0.get(id as usize), Some(Part::Eventually(_))) {
                formulas.remove(&id);
            }
        }
    }
}

impl Automaton {
    /// The automaton of a conjunction; `place` says whether an atom is about a step, and its bit.
    pub(super) fn new(
        formulas: &[&Ltl],
        place: &dyn Fn(AtomId) -> (bool, u32),
        allowance: &mut Allowance,
    ) -> Result<Automaton> {
        let (parts, start) = Parts::of(formulas);
        let mut numbers: BTreeMap<BTreeSet<FormulaId>, u32> = BTreeMap::from([(start.clone(), 0)]);
        let mut promises: BTreeMap<FormulaId, u32> = BTreeMap::new();
        let mut waiting = vec![start];
        let mut transitions: Vec<Vec<Transition>> = vec![Vec::new()];
        let mut count = 0;
        while let Some(state) = waiting.pop() {
            let number = numbers[&state] as usize;
            let mut choices = Vec::new();
            parts.expand(state.into_iter().collect(), Choice::default(), &mut choices, allowance)?;
            for mut choice in choices {
                parts.forget_repeated(&mut choice.after);
                allowance.take(2 * choice.bytes(), Place::none())?;
                let next = numbers.len() as u32;
                let to = *numbers.entry(choice.after.clone()).or_insert(next);
                if to == next {
                    waiting.push(choice.after.clone());
                    transitions.push(Vec::new());
                }
                let mut postponed = 0;
                for promise in choice.postponed {
                    let fresh = promises.len() as u32;
                    let bit = *promises.entry(promise).or_insert(fresh);
                    postponed |= 1u64 << (bit % 64);
                }
                let mut transition =
                    Transition { state_true: 0, state_false: 0, step_true: 0, step_false: 0, to, postponed };
                for (atom, negated) in choice.literals {
                    let (step, bit) = place(atom);
                    let bits = match (step, negated) {
                        (false, false) => &mut transition.state_true,
                        (false, true) => &mut transition.state_false,
                        (true, false) => &mut transition.step_true,
                        (true, true) => &mut transition.step_false,
                    };
                    *bits |= 1 << bit;
                }
                transitions[number].push(transition);
                count += 1;
            }
            if transitions.len() > STATES_MAX || count > TRANSITIONS_MAX || promises.len() > 64 {
                let message = "a temporal formula is too large to be checked".to_string();
                return Err(Box::new(Error::Limit { message }));
            }
        }
        Ok(Automaton { transitions, promises: promises.len() })
    }
}
