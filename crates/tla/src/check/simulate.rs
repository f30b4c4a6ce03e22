//! Simulation: random behaviours instead of all of them.

use super::outcome::{Outcome, Report, Violation, ViolationKind};
use super::trace::{Trace, behaviour as shown, describe};
use super::{Options, WORKER_STACK_BYTES, check_gathered};
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::model::{Model, Scope, Spec};
use crate::symbol::Symbol;
use crate::value::Value;

/// How to simulate.
#[derive(Debug, Clone)]
pub struct SimulationOptions {
    /// How many behaviours.
    pub behaviours: u64,
    /// How many steps each has at most.
    pub depth: u64,
    /// The seed that fixes every choice.
    pub seed: u64,
    /// Whether a state without successors is an error.
    pub deadlock: bool,
}

impl Default for SimulationOptions {
    fn default() -> SimulationOptions {
        SimulationOptions { behaviours: 1_000, depth: 100, seed: 0, deadlock: true }
    }
}

/// Runs random behaviours and checks invariants and step properties on the way.
pub fn simulate(spec: &Spec, options: &SimulationOptions) -> Report {
    let unexpected =
        || Error::Limit { message: "the simulation ended unexpectedly: a bug of the checker".to_string() };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(WORKER_STACK_BYTES);
        let run = builder.spawn_scoped(scope, || {
            let mut counts = Counts::default();
            let outcome =
                run(spec, options, &mut counts).unwrap_or_else(|e| Outcome::Error(*e, Trace::default()));
            counts.report(outcome)
        });
        match run.map(|handle| handle.join()) {
            Ok(Ok(report)) => report,
            _ => Counts::default().report(Outcome::Error(unexpected(), Trace::default())),
        }
    })
}

#[derive(Default)]
struct Counts {
    behaviours: u64,
    generated: u64,
    depth: u64,
    output: Vec<String>,
}

impl Counts {
    fn report(self, outcome: Outcome) -> Report {
        Report {
            outcome,
            generated: self.generated,
            distinct: 0,
            depth: self.depth,
            queue: 0,
            behaviours: self.behaviours,
            actions: Vec::new(),
            output: self.output,
            warnings: Vec::new(),
            is_apart: false,
        }
    }
}

/// What a choice takes beside the state, as a number of values.
const CHOICE_VALUES: usize = 8;

/// One way to go on: the state, the action's label and its arguments.
type Choice = (Vec<Value>, u32, Vec<Value>);

fn run(spec: &Spec, options: &SimulationOptions, counts: &mut Counts) -> Result<Outcome> {
    let mut model = Model::new(spec, Scope::Safety, WORKER_STACK_BYTES / 2)?;
    model.machine.set_stack(WORKER_STACK_BYTES / 4 * 3);
    let mut random = Generator(crate::value::hash::mix(options.seed, 0x5349_4d55_4c41_5445));
    let seed = random.next();
    model.machine.set_seed(seed);
    let outcome = behaviours(&mut model, options, &mut random, counts);
    counts.output = std::mem::take(&mut model.machine.output);
    outcome
}

fn behaviours(
    model: &mut Model,
    options: &SimulationOptions,
    random: &mut Generator,
    counts: &mut Counts,
) -> Result<Outcome> {
    model.machine.progress.level = 0;
    let initial = choices(model, None)?;
    counts.generated += initial.len() as u64;
    if initial.is_empty() {
        let message = "there is no initial state: nothing can be simulated".to_string();
        return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
    }
    model.machine.labelling = true;
    for _ in 0..options.behaviours {
        counts.behaviours += 1;
        let mut behaviour: Vec<Choice> = vec![initial[random.below(initial.len())].clone()];
        counts.depth = counts.depth.max(1);
        if let Some(violation) = broken(model, None, &behaviour)? {
            return Ok(violation);
        }
        for _ in 0..options.depth {
            let Some((state, _, _)) = behaviour.last() else { break };
            let state = state.clone();
            model.machine.progress.level = behaviour.len() as i64;
            let next = match choices(model, Some(&state)) {
                Ok(next) => next,
                Err(error) => return Ok(Outcome::Error(*error, trace(model, &behaviour))),
            };
            counts.generated += next.len() as u64;
            if model.machine.exits {
                return Ok(Outcome::Success);
            }
            if next.is_empty() {
                if options.deadlock {
                    let name = Symbol::new("deadlock");
                    return Ok(violated(model, ViolationKind::Deadlock, name, &behaviour));
                }
                break;
            }
            behaviour.push(next[random.below(next.len())].clone());
            counts.depth = counts.depth.max(behaviour.len() as u64);
            if let Some(violation) = broken(model, Some(&state), &behaviour)? {
                return Ok(violation);
            }
        }
    }
    Ok(Outcome::Success)
}

/// All successors of a state within the constraints, or the initial states.
fn choices(model: &mut Model, state: Option<&[Value]>) -> Result<Vec<Choice>> {
    let Model { machine, init, next, constraints, action_constraints, .. } = model;
    let Some(act) = (if state.is_some() { next.as_ref() } else { init.as_ref() }) else {
        return Ok(Vec::new());
    };
    if let Some(state) = state {
        machine.cur.clone_from_slice(state);
    }
    let mut found = Vec::new();
    let run = if state.is_some() { Machine::successors } else { Machine::initial_states };
    run(machine, act, &mut |machine| {
        if let Some(name) = machine.missing() {
            let message = format!("variable {name} is left without a value");
            return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
        }
        for constraint in constraints.iter() {
            if !machine.holds_in_next(&constraint.expr, constraint.place)? {
                return Ok(true);
            }
        }
        if state.is_some() {
            for constraint in action_constraints.iter() {
                if !machine.holds_apart(&constraint.expr, constraint.place)? {
                    return Ok(true);
                }
            }
        }
        check_gathered(found.len())?;
        machine.room((machine.next.len() + CHOICE_VALUES) * size_of::<Value>(), Place::none())?;
        found.push((machine.next.clone(), machine.label, machine.label_arguments.clone()));
        Ok(true)
    })?;
    Ok(found)
}

/// What the last state of a behaviour violates.
fn broken(model: &mut Model, before: Option<&[Value]>, behaviour: &[Choice]) -> Result<Option<Outcome>> {
    let Some((state, _, _)) = behaviour.last() else { return Ok(None) };
    let Model { machine, invariants, step_properties, .. } = model;
    let mut found = None;
    machine.cur.clone_from_slice(state);
    machine.progress.level = behaviour.len() as i64;
    for invariant in invariants.iter() {
        if !machine.holds_apart(&invariant.expr, invariant.place)? {
            found = Some((ViolationKind::Invariant, invariant.name));
            break;
        }
    }
    if let Some(before) = before {
        machine.cur.clone_from_slice(before);
        machine.next.clone_from_slice(state);
        machine.progress.level -= 1;
        for property in step_properties.iter() {
            if found.is_none() && !machine.holds_apart(&property.expr, property.place)? {
                found = Some((ViolationKind::StepProperty, property.name));
            }
        }
        machine.next.fill(Value::Undefined);
    }
    Ok(found.map(|(kind, name)| violated(model, kind, name, behaviour)))
}

fn violated(model: &mut Model, kind: ViolationKind, name: Symbol, behaviour: &[Choice]) -> Outcome {
    Outcome::Violation(Violation { kind, name, message: String::new(), trace: trace(model, behaviour) })
}

fn trace(model: &mut Model, behaviour: &[Choice]) -> Trace {
    let states: Vec<(Vec<Value>, Option<String>)> = behaviour
        .iter()
        .enumerate()
        .map(|(index, (values, label, arguments))| {
            let action = (index > 0).then(|| describe(model.action_name(*label), arguments));
            (values.clone(), action)
        })
        .collect();
    shown(model, &states, None)
}

/// A small generator with a fixed algorithm, so that a seed means the same everywhere.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::value::hash::mix(self.0, 0xbf58_476d_1ce4_e5b9)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

impl From<&Options> for SimulationOptions {
    fn from(options: &Options) -> SimulationOptions {
        SimulationOptions {
            seed: options.seed,
            deadlock: options.deadlock.unwrap_or(true),
            ..SimulationOptions::default()
        }
    }
}
