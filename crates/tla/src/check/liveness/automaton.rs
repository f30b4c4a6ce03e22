//! From a temporal formula to an automaton over steps.
//!
//! A state of the automaton is a set of formulas that must hold of the rest of the behaviour. One step takes it apart: `[]f`
//! means `f` now and `[]f` after the step; `<>f` means either `f` now or `<>f` after the step, which *postpones* it. A run is
//! accepted if it postpones no formula forever. (This is the tableau of Gerth, Peled, Vardi and Wolper with acceptance on
//! transitions.)

use std::collections::{BTreeMap, BTreeSet};

use super::{AtomId, Bits};
use crate::error::{Error, Result};

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
    after: BTreeSet<Ltl>,
    postponed: BTreeSet<Ltl>,
}

impl Automaton {
    /// The automaton of a conjunction; `place` says whether an atom is about a step, and its bit.
    pub(super) fn new(formulas: &[&Ltl], place: &dyn Fn(AtomId) -> (bool, u32)) -> Result<Automaton> {
        let start: BTreeSet<Ltl> = formulas.iter().map(|f| (*f).clone()).collect();
        let mut numbers: BTreeMap<BTreeSet<Ltl>, u32> = BTreeMap::from([(start.clone(), 0)]);
        let mut promises: BTreeMap<Ltl, u32> = BTreeMap::new();
        let mut waiting = vec![start];
        let mut transitions: Vec<Vec<Transition>> = vec![Vec::new()];
        let mut count = 0;
        while let Some(state) = waiting.pop() {
            let number = numbers[&state] as usize;
            let mut choices = Vec::new();
            expand(state.into_iter().collect(), Choice::default(), &mut choices);
            for choice in choices {
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

/// All ways to fulfil the formulas that are left, on top of what has been chosen.
fn expand(mut left: Vec<Ltl>, mut choice: Choice, choices: &mut Vec<Choice>) {
    if choices.len() > TRANSITIONS_MAX {
        return;
    }
    while let Some(formula) = left.pop() {
        match formula {
            Ltl::Literal(atom, negated) => match choice.literals.insert(atom, negated) {
                Some(known) if known != negated => return,
                _ => {}
            },
            Ltl::And(parts) => left.extend(parts),
            Ltl::Or(parts) => {
                for part in parts {
                    let mut left = left.clone();
                    left.push(part);
                    expand(left, choice.clone(), choices);
                }
                return;
            }
            Ltl::Always(inner) => {
                choice.after.insert(Ltl::Always(inner.clone()));
                left.push(*inner);
            }
            Ltl::Eventually(inner) => {
                let mut now = left.clone();
                now.push((*inner).clone());
                expand(now, choice.clone(), choices);
                let promise = Ltl::Eventually(inner);
                choice.after.insert(promise.clone());
                choice.postponed.insert(promise);
            }
        }
    }
    choices.push(choice);
}
