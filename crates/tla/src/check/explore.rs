//! Breadth-first exploration with workers: who starts them, and what comes of it.
//!
//! Workers share the current level: encoded states in segments, which they take one by one. Each keeps what
//! it finds for the next level to itself; at the end of a level they meet, and their lists become the next
//! level (`worker`). A state is logged with the number of the state it was reached from, so that a
//! counterexample can be rebuilt from fingerprints.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::fingerprint::Fingerprint;
use super::outcome::{Action, Outcome, Progress, Report, Violation, ViolationKind};
use super::shared::{
    Finding, FindingKind, Harvest, NO_PARENT, Shared, WORKER_SHIFT, WORKERS_MAX, Watch, locked,
};
use super::spill::Disk;
use super::trace::{Trace, rebuild};
use super::worker::{Worker, broken_postcondition};
use super::{Options, WORKER_STACK_BYTES};
use crate::config::Config;
use crate::error::Error;
use crate::eval::Settings;
use crate::model::{Model, Scope, Spec};
use crate::symbol::{Symbol, hash_text};
use crate::value::hash::mix;

/// Checks a specification.
pub fn check(spec: &Spec, options: &Options) -> Report {
    check_watched(spec, options, &|_| {})
}

/// Checks a specification, and reports its progress: often, so the listener should be quick.
pub fn check_watched(spec: &Spec, options: &Options, watch: &(dyn Fn(&Progress) + Sync)) -> Report {
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new()
            .stack_size(WORKER_STACK_BYTES)
            .spawn_scoped(scope, || coordinate(spec, options, watch));
        match run {
            Ok(handle) => handle.join().unwrap_or_else(|_| {
                failure(Error::Limit {
                    message: "a worker ended unexpectedly: this is a bug of the checker".to_string(),
                })
            }),
            Err(error) => failure(Error::Limit { message: format!("no thread can be started: {error}") }),
        }
    })
}

fn failure(error: Error) -> Report {
    Report {
        outcome: Outcome::Error(error, Trace::default()),
        generated: 0,
        distinct: 0,
        depth: 0,
        queue: 0,
        behaviours: 0,
        actions: Vec::new(),
        output: Vec::new(),
        warnings: Vec::new(),
        is_apart: false,
    }
}

/// Checks assumptions, then explores.
fn coordinate(spec: &Spec, options: &Options, watch: Watch<'_>) -> Report {
    let mut model = match Model::new(spec, Scope::All, WORKER_STACK_BYTES / 2) {
        Ok(model) => model,
        Err(error) => return failure(*error),
    };
    model.machine.set_stack(WORKER_STACK_BYTES / 4 * 3);
    model.machine.set_seed(options.seed);
    model.machine.set_steps_max(options.steps_max);
    model.machine.settings = settings(spec, options);
    if let Some(report) = assumptions(&mut model) {
        return report;
    }
    if model.init.is_none() || model.variables.is_empty() {
        let output = std::mem::take(&mut model.machine.output);
        return Report {
            output,
            outcome: Outcome::Success,
            ..failure(Error::Limit { message: String::new() })
        };
    }
    let live = !model.properties.is_empty();
    if let Some(error) = unrecoverable(&model, options, live) {
        return failure(error);
    }
    let mut warnings = warnings(&model, live);
    let workers =
        if live || model.machine.behaviour.wanted { 1 } else { options.workers.clamp(1, WORKERS_MAX) };
    // Workers wait for each other, so nobody begins before it is known how many there are.
    let shared = OnceLock::new();
    let mut harvests = std::thread::scope(|scope| {
        let mut handles = Vec::new();
        for index in 1..workers {
            let shared = &shared;
            let builder = std::thread::Builder::new().stack_size(WORKER_STACK_BYTES);
            let started = builder.spawn_scoped(scope, move || {
                let shared = shared.wait();
                match Model::new(spec, Scope::Safety, WORKER_STACK_BYTES / 2) {
                    Ok(mut model) => {
                        model.machine.set_stack(WORKER_STACK_BYTES / 4 * 3);
                        model.machine.set_seed(options.seed);
                        model.machine.set_steps_max(options.steps_max);
                        model.machine.settings = settings(spec, options);
                        // Assumptions may have set registers that actions read.
                        let _ = assumptions(&mut model);
                        model.machine.output.clear();
                        Worker::new(model, index, shared, options, false).run()
                    }
                    // The first worker compiled the same text: this cannot fail alone.
                    Err(_) => Harvest::default(),
                }
            });
            // A machine may have no room for so many stacks: those that there are do the work.
            let Ok(handle) = started else { break };
            handles.push(handle);
        }
        let workers = 1 + handles.len();
        let disk = |spill| Disk::new(spill, workers, digest(spec, options));
        let shared = shared.get_or_init(|| Shared::new(workers, watch, options.spill.as_ref().map(disk)));
        let mut harvests = vec![Worker::new(model, 0, shared, options, live).run()];
        for handle in handles {
            harvests.push(handle.join().unwrap_or_default());
        }
        harvests
    });
    match shared.get() {
        Some(shared) => {
            if shared.exits.load(Ordering::Relaxed) {
                let text = "the specification ended the check by TLCSet(\"exit\", TRUE): not all states were explored";
                warnings.push(text.to_owned());
            }
            let mut report = Report { warnings, ..report(spec, options, shared, &mut harvests) };
            if let Some(disk) = &shared.disk {
                let mut output = std::mem::take(&mut *locked(&disk.output));
                output.append(&mut report.output);
                report.output = output;
                // What a limit has ended can go on from its checkpoint.
                let unread = shared.unread.load(Ordering::Relaxed);
                if unread {
                    let text = "the counterexample cannot be read from the folder for states: it is cut";
                    report.warnings.push(text.to_owned());
                }
                let stays = disk.has_checkpoints() && (unread || matches!(report.outcome, Outcome::Limit(_)));
                if let Some(error) = (!stays).then(|| disk.clean().err()).flatten() {
                    report.warnings.push(format!("files of states could not be removed: {error}"));
                }
            }
            report
        }
        None => {
            failure(Error::Limit { message: "nobody has explored: this is a bug of the checker".to_string() })
        }
    }
}

/// Why no checkpoints can be written, if they are wanted.
fn unrecoverable(model: &Model, options: &Options, live: bool) -> Option<Error> {
    let wanted = options.spill.as_ref().is_some_and(|spill| spill.checkpoints.is_some() || spill.recover);
    let what = match (wanted, live, model.machine.behaviour.wanted) {
        (false, ..) | (_, false, false) => return None,
        (_, true, _) => "temporal properties: check invariants alone with them",
        (..) => "a specification that asks for `Trace`",
    };
    Some(Error::Limit { message: format!("checkpoints are not supported for {what}") })
}

/// A number for everything that a checkpoint depends on.
fn digest(spec: &Spec, options: &Options) -> u64 {
    let mut config = Config::clone(&spec.config);
    config.file.clear();
    let parts = format!("{config:?} {:?} {}", options.deadlock, options.seed);
    mix(spec.sources.digest(), hash_text(&parts))
}

/// What the specification learns of how it is checked.
fn settings(spec: &Spec, options: &Options) -> Settings {
    let deadlock = options.deadlock.or(spec.config.check_deadlock).unwrap_or(true);
    Settings { deadlock, workers: options.workers, seed: options.seed, ..Settings::default() }
}

/// Why the outcome of a check may not be what it seems.
fn warnings(model: &Model, live: bool) -> Vec<String> {
    let symmetric = live && !model.symmetry.is_empty();
    let text = "liveness is checked under SYMMETRY, which may miss violations and may report some that are none: \
                check it without SYMMETRY";
    symmetric.then(|| text.to_owned()).into_iter().collect()
}

/// Evaluates the assumptions; a report if one is false or has no value.
fn assumptions(model: &mut Model) -> Option<Report> {
    for assumption in &model.assumptions {
        let outcome = match model.machine.holds_apart(&assumption.expr, assumption.place) {
            Ok(true) => continue,
            Ok(false) => Outcome::Violation(Violation {
                kind: ViolationKind::Assumption,
                name: assumption.name,
                message: format!("the assumption at {} is false", assumption.place),
                trace: Trace::default(),
            }),
            Err(error) => Outcome::Error(*error, Trace::default()),
        };
        let output = std::mem::take(&mut model.machine.output);
        return Some(Report {
            outcome,
            output,
            is_apart: true,
            ..failure(Error::Limit { message: String::new() })
        });
    }
    None
}

fn report(spec: &Spec, options: &Options, shared: &Shared<'_>, harvests: &mut [Harvest]) -> Report {
    let finding = locked(&shared.finding).take();
    let limit = locked(&shared.limit).take();
    let first = harvests.first_mut();
    let (liveness, postcondition) =
        first.map_or((None, None), |h| (h.liveness.take(), h.postcondition.take()));
    let is_apart = finding.is_none() && matches!(postcondition, Some(Err(_)));
    let outcome = match (finding, limit, liveness, postcondition) {
        (Some((_, finding)), ..) => conclude(spec, options, shared, finding, harvests),
        (None, Some(message), ..) => Outcome::Limit(message),
        (None, None, Some(Ok(Some(violation))), _) => Outcome::Violation(violation),
        (None, None, Some(Err(error)), _) | (None, None, _, Some(Err(error))) => {
            Outcome::Error(*error, Trace::default())
        }
        (None, None, _, Some(Ok(name))) => broken_in_the_end(name, "the postcondition is false"),
        _ => match impossible(spec, harvests) {
            Some(name) if !shared.exits.load(Ordering::Relaxed) => {
                broken_in_the_end(name, "it is to be possible, and is true in no state and of no step")
            }
            _ => Outcome::Success,
        },
    };
    let mut actions: Vec<Action> = Vec::new();
    for (name, generated, distinct) in harvests.iter().flat_map(|h| h.coverage.iter()) {
        match actions.iter_mut().find(|a| a.name == *name) {
            Some(action) => {
                action.generated += generated;
                action.distinct += distinct;
            }
            None => actions.push(Action { name: *name, generated: *generated, distinct: *distinct }),
        }
    }
    Report {
        outcome,
        generated: shared.counts.generated.load(Ordering::Relaxed),
        distinct: shared.counts.distinct.load(Ordering::Relaxed),
        depth: shared.level.load(Ordering::Relaxed),
        queue: shared.left.load(Ordering::Relaxed),
        behaviours: 0,
        actions,
        output: harvests.iter_mut().flat_map(|h| std::mem::take(&mut h.output)).collect(),
        warnings: Vec::new(),
        is_apart,
    }
}

/// What does not hold once all states are known.
fn broken_in_the_end(name: Symbol, message: &str) -> Outcome {
    Outcome::Violation(Violation {
        kind: ViolationKind::Postcondition,
        name,
        message: message.to_string(),
        trace: Trace::default(),
    })
}

/// The first predicate that is to be possible and was never true.
fn impossible(spec: &Spec, harvests: &[Harvest]) -> Option<Symbol> {
    let seen = |index: usize| harvests.iter().any(|h| h.possible.get(index).is_some_and(|times| *times > 0));
    spec.config.possible.iter().enumerate().find(|(index, _)| !seen(*index)).map(|(_, name)| *name)
}

/// Rebuilds the behaviour that led to a finding.
fn conclude(
    spec: &Spec,
    options: &Options,
    shared: &Shared<'_>,
    finding: Finding,
    harvests: &mut [Harvest],
) -> Outcome {
    let mut prints: Vec<u64> = finding.after.into_iter().collect();
    let mut state = finding.state;
    while state != NO_PARENT {
        let (worker, index) =
            ((state >> WORKER_SHIFT) as usize, (state & ((1 << WORKER_SHIFT) - 1)) as usize);
        // A worker of before the checkpoint may have no successor.
        let others = shared.disk.as_ref().map(|disk| locked(&disk.logs));
        let other = others.as_ref().and_then(|logs| logs.get(worker)?.as_ref());
        let Some(log) = harvests.get(worker).map(|harvest| &harvest.log).or(other) else { break };
        let Some((print, parent)) = log.get(index, shared.folder()) else {
            shared.unread.store(true, Ordering::Relaxed);
            break;
        };
        prints.push(print);
        state = parent;
    }
    prints.reverse();
    // What led here is reported though the memory may be used up.
    let trace = Model::new(&spec.with_reserve(), Scope::Safety, WORKER_STACK_BYTES / 2)
        .and_then(|mut model| {
            model.machine.set_stack(WORKER_STACK_BYTES / 4 * 3);
            model.machine.set_seed(options.seed);
            model.machine.set_steps_max(options.steps_max);
            model.machine.settings = settings(spec, options);
            let print = Fingerprint::of_model(&model);
            let _ = assumptions(&mut model);
            model.machine.output.clear();
            let trace = rebuild(&mut model, &print, &prints);
            // The postconditions may look at the counterexample; whether they hold no longer matters.
            let _ = broken_postcondition(&mut model);
            if let Some(first) = harvests.first_mut() {
                first.output.append(&mut model.machine.output);
            }
            trace
        })
        .unwrap_or_default();
    match finding.kind {
        FindingKind::Error(error) => match *error {
            Error::Assertion { message, .. } => Outcome::Violation(Violation {
                kind: ViolationKind::Assertion,
                name: Symbol::new("Assert"),
                message,
                trace,
            }),
            error => Outcome::Error(error, trace),
        },
        FindingKind::Violation(kind) => {
            Outcome::Violation(Violation { kind, name: finding.name, message: finding.message, trace })
        }
    }
}
