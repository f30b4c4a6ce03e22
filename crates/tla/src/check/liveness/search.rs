//! The search for a fair cycle in the product of the state graph and an automaton.
//!
//! Strongly connected components are found by Tarjan's algorithm (with a stack of its own: graphs are deep).
//! A component is good if every promise is kept somewhere in it, every weakly fair action is disabled or
//! taken somewhere, and every strongly fair action is disabled everywhere or taken somewhere; if only the
//! last fails, the states where the action is enabled are left out and the rest is searched again.

use std::cell::RefCell;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::automaton::{Automaton, Transition};
use super::{Bits, Node};
use crate::budget::Allowance;
use crate::error::{Place, Result};

/// Fairness of an action: the bits that say whether it is enabled in a state and taken by a step.
pub(super) struct Fairness {
    pub enabled: u32,
    pub taken: u32,
    pub strong: bool,
}

/// An infinite behaviour: its states, and the position it goes back to after the last.
pub(super) struct Lasso {
    pub states: Vec<u32>,
    pub back_to: usize,
}

/// A state of the product.
type Pair = u64;

fn pair(node: u32, state: u32) -> Pair {
    (u64::from(node) << 32) | u64::from(state)
}

fn node_of(pair: Pair) -> u32 {
    (pair >> 32) as u32
}

/// A step of the product: where it leads, what holds of the step, what it postpones.
#[derive(Clone, Copy)]
struct Step {
    to: Pair,
    holds: Bits,
    postponed: u64,
}

struct Product<'g> {
    nodes: &'g [Node],
    automaton: &'g Automaton,
    fairness: &'g [Fairness],
    allowance: RefCell<Allowance>,
}

/// About what a state of the product takes in a table, which has twice its room while it grows, and in a
/// list.
const PAIR_BYTES: usize = 64;

/// A fair cycle that is reachable and accepted, if there is one.
pub(super) fn search(
    nodes: &[Node],
    initial: &[u32],
    automaton: &Automaton,
    fairness: &[Fairness],
    allowance: Allowance,
) -> Result<Option<Lasso>> {
    let product = Product { nodes, automaton, fairness, allowance: RefCell::new(allowance) };
    let starts: Vec<Pair> = initial.iter().map(|node| pair(*node, 0)).collect();
    let components = product.components(&starts, None)?;
    for component in components {
        if let Some(good) = product.good(component)? {
            return product.lasso(&starts, &good).map(Some);
        }
    }
    Ok(None)
}

fn allows(transition: &Transition, state: Bits, step: Bits) -> bool {
    state & transition.state_true == transition.state_true
        && state & transition.state_false == 0
        && step & transition.step_true == transition.step_true
        && step & transition.step_false == 0
}

impl Product<'_> {
    fn steps(&self, from: Pair, out: &mut Vec<Step>) {
        let node = &self.nodes[node_of(from) as usize];
        let transitions = &self.automaton.transitions[from as u32 as usize];
        let own = node_of(from);
        let edges = node.edges.iter().map(|edge| (edge.to, edge.holds)).chain([(own, node.stutter)]);
        for (to, holds) in edges {
            for transition in transitions {
                if allows(transition, node.holds, holds) {
                    out.push(Step { to: pair(to, transition.to), holds, postponed: transition.postponed });
                }
            }
        }
    }

    /// Takes memory for something that is built: so many bytes.
    fn room(&self, bytes: usize) -> Result<()> {
        self.allowance.borrow_mut().take(bytes, Place::none())
    }

    /// The strongly connected components that are reachable from the starts, within a part of the product if
    /// one is given. Single states without a step to themselves are none.
    fn components(&self, starts: &[Pair], within: Option<&FxHashSet<Pair>>) -> Result<Vec<Vec<Pair>>> {
        struct Visit {
            pair: Pair,
            steps: Vec<Step>,
            next: usize,
        }
        let mut order: FxHashMap<Pair, (u32, u32, bool)> = FxHashMap::default();
        let mut stack: Vec<Pair> = Vec::new();
        let mut components = Vec::new();
        let mut visits: Vec<Visit> = Vec::new();
        let inside = |pair: &Pair| within.is_none_or(|part| part.contains(pair));
        for start in starts.iter().filter(|p| inside(p)) {
            if order.contains_key(start) {
                continue;
            }
            let open = |pair: Pair, order: &mut FxHashMap<Pair, (u32, u32, bool)>, stack: &mut Vec<Pair>| {
                let number = order.len() as u32;
                let grows = if order.len() == order.capacity() { order.len() } else { 0 };
                order.insert(pair, (number, number, true));
                stack.push(pair);
                let mut steps = Vec::new();
                self.steps(pair, &mut steps);
                self.room((1 + grows) * PAIR_BYTES + steps.capacity() * size_of::<Step>())?;
                Result::Ok(Visit { pair, steps, next: 0 })
            };
            visits.push(open(*start, &mut order, &mut stack)?);
            while let Some(visit) = visits.last_mut() {
                if let Some(step) = visit.steps.get(visit.next) {
                    visit.next += 1;
                    let to = step.to;
                    if !inside(&to) {
                        continue;
                    }
                    match order.get(&to).copied() {
                        None => visits.push(open(to, &mut order, &mut stack)?),
                        Some((number, _, true)) => {
                            let own = visit.pair;
                            if let Some(entry) = order.get_mut(&own) {
                                entry.1 = entry.1.min(number);
                            }
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                let finished = visit.pair;
                let loops = visit.steps.iter().any(|step| step.to == finished);
                visits.pop();
                let (number, low, _) = order[&finished];
                if let Some(parent) = visits.last()
                    && let Some(entry) = order.get_mut(&parent.pair)
                {
                    entry.1 = entry.1.min(low);
                }
                if number == low {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        if let Some(entry) = order.get_mut(&member) {
                            entry.2 = false;
                        }
                        component.push(member);
                        if member == finished {
                            break;
                        }
                    }
                    if component.len() > 1 || loops {
                        components.push(component);
                    }
                }
            }
        }
        Ok(components)
    }

    /// A part of a component that a fair and accepted run can stay in forever.
    fn good(&self, component: Vec<Pair>) -> Result<Option<FxHashSet<Pair>>> {
        self.room(component.len().saturating_mul(PAIR_BYTES))?;
        let members: FxHashSet<Pair> = component.iter().copied().collect();
        let mut kept: u64 = 0;
        let all: u64 =
            if self.automaton.promises == 64 { u64::MAX } else { (1 << self.automaton.promises) - 1 };
        let mut taken: Bits = 0;
        let mut disabled: Bits = 0;
        let mut enabled: Bits = 0;
        let mut steps = Vec::new();
        for member in &component {
            let holds = self.nodes[node_of(*member) as usize].holds;
            enabled |= holds;
            disabled |= !holds;
            steps.clear();
            self.steps(*member, &mut steps);
            for step in steps.iter().filter(|step| members.contains(&step.to)) {
                kept |= !step.postponed;
                taken |= step.holds;
            }
        }
        if kept & all != all {
            return Ok(None);
        }
        let mut left_out: Bits = 0;
        for fairness in self.fairness {
            if taken >> fairness.taken & 1 == 1 {
                continue;
            }
            if fairness.strong {
                if enabled >> fairness.enabled & 1 == 1 {
                    left_out |= 1 << fairness.enabled;
                }
            } else if disabled >> fairness.enabled & 1 == 0 {
                return Ok(None);
            }
        }
        if left_out == 0 {
            return Ok(Some(members));
        }
        let rest: FxHashSet<Pair> = component
            .into_iter()
            .filter(|member| self.nodes[node_of(*member) as usize].holds & left_out == 0)
            .collect();
        let starts: Vec<Pair> = rest.iter().copied().collect();
        for part in self.components(&starts, Some(&rest))? {
            if let Some(good) = self.good(part)? {
                return Ok(Some(good));
            }
        }
        Ok(None)
    }

    /// A shortest way into a good part, and a cycle in it that meets every condition.
    fn lasso(&self, starts: &[Pair], good: &FxHashSet<Pair>) -> Result<Lasso> {
        let way = self.path(starts, None, |pair, _| good.contains(&pair))?.unwrap_or_default();
        let mut states: Vec<Pair> = way;
        let back_to = states.len().saturating_sub(1);
        let Some(entry) = states.last().copied() else {
            return Ok(Lasso { states: Vec::new(), back_to: 0 });
        };
        let mut here = entry;
        // Each condition in turn: go to a step that meets it.
        for promise in 0..self.automaton.promises {
            self.go(&mut states, &mut here, good, |_, step| step.postponed >> promise & 1 == 0)?;
        }
        for fairness in self.fairness {
            let meets = |from: Pair, step: &Step| {
                let enabled = self.nodes[node_of(from) as usize].holds >> fairness.enabled & 1 == 1;
                step.holds >> fairness.taken & 1 == 1 || !enabled
            };
            self.go(&mut states, &mut here, good, meets)?;
        }
        // And home again.
        if (here != entry || states.len() == back_to + 1)
            && let Some(path) = self.path(&[here], Some(good), |pair, steps| pair == entry && steps > 0)?
        {
            states.extend(&path[1..]);
        }
        if states.len() > back_to + 1 && states.last() == Some(&entry) {
            states.pop();
        }
        let mut states: Vec<u32> = states.into_iter().map(node_of).collect();
        // Repetitions of a state in the cycle are stuttering steps, which nobody wants to read.
        let cycle = states.split_off(back_to);
        let mut shown: Vec<u32> = Vec::new();
        for state in cycle {
            if shown.last() != Some(&state) {
                shown.push(state);
            }
        }
        while shown.len() > 1 && shown.last() == shown.first() {
            shown.pop();
        }
        states.dedup();
        if states.last() == shown.first() {
            states.pop();
        }
        let back_to = states.len();
        states.extend(shown);
        Ok(Lasso { states, back_to })
    }

    /// Extends a run inside a part of the product by a shortest way that ends with a step as wanted.
    fn go(
        &self,
        states: &mut Vec<Pair>,
        here: &mut Pair,
        good: &FxHashSet<Pair>,
        wanted: impl Fn(Pair, &Step) -> bool,
    ) -> Result<()> {
        let mut found: Option<Pair> = None;
        let path = self.path(&[*here], Some(good), |pair, _| {
            let mut steps = Vec::new();
            self.steps(pair, &mut steps);
            match steps.iter().find(|step| good.contains(&step.to) && wanted(pair, step)) {
                Some(step) => {
                    found = Some(step.to);
                    true
                }
                None => false,
            }
        })?;
        if let (Some(path), Some(end)) = (path, found) {
            states.extend(&path[1..]);
            states.push(end);
            *here = end;
        }
        Ok(())
    }

    /// A shortest path from one of the starts to a state as wanted, both included. A start counts after no
    /// step, and again after some.
    fn path(
        &self,
        starts: &[Pair],
        within: Option<&FxHashSet<Pair>>,
        mut wanted: impl FnMut(Pair, usize) -> bool,
    ) -> Result<Option<Vec<Pair>>> {
        let mut before: FxHashMap<Pair, Pair> = FxHashMap::default();
        let mut queue: VecDeque<(Pair, usize)> = VecDeque::new();
        for start in starts {
            if wanted(*start, 0) {
                return Ok(Some(vec![*start]));
            }
            queue.push_back((*start, 0));
        }
        let is_start: FxHashSet<Pair> = starts.iter().copied().collect();
        let mut steps = Vec::new();
        while let Some((here, length)) = queue.pop_front() {
            steps.clear();
            self.steps(here, &mut steps);
            for step in &steps {
                let to = step.to;
                if before.contains_key(&to) || within.is_some_and(|part| !part.contains(&to)) {
                    continue;
                }
                self.room(2 * PAIR_BYTES)?;
                before.insert(to, here);
                if wanted(to, length + 1) {
                    let mut path = vec![to];
                    let mut at = to;
                    loop {
                        at = before[&at];
                        path.push(at);
                        if is_start.contains(&at) {
                            path.reverse();
                            return Ok(Some(path));
                        }
                    }
                }
                if !is_start.contains(&to) {
                    queue.push_back((to, length + 1));
                }
            }
        }
        Ok(None)
    }
}
