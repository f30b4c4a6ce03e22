//! One worker of an exploration: it expands states and keeps the books.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::Options;
use super::book::{Book, Entered, LOOK_STATES, NO_LABEL, Told, memory_limit};
use super::fingerprint::Fingerprint;
use super::frontier::{Found, FoundStates, Level};
use super::liveness::Recorder;
use super::outcome::ViolationKind;
use super::shared::{FindingKind, Harvest, NO_PARENT, Shared, locked};
use super::spill::{Disk, Log, Standing};
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::model::{Model, Named};
use crate::symbol::Symbol;
use crate::value::dictionary::Encoder;
use crate::value::encode::{Decoder, decoded_bytes};

/// One thread of the exploration.
pub(super) struct Worker<'s> {
    model: Model,
    decoder: Decoder<'s>,
    book: Book<'s>,
    options: &'s Options,
    index: usize,
    /// How many states there were when the level began.
    distinct_before: u64,
}

impl<'s> Worker<'s> {
    pub(super) fn new(
        mut model: Model,
        index: usize,
        shared: &'s Shared<'s>,
        options: &'s Options,
        live: bool,
    ) -> Worker<'s> {
        let book = Book {
            shared,
            print: Fingerprint::of_model(&model),
            log: Log::default(),
            distinct: 0,
            entered: 0,
            look_states: shared.disk.as_ref().map_or(LOOK_STATES, Disk::look_states),
            looked: (0, 0),
            states: model.machine.behaviour.wanted.then(Vec::new),
            possible: vec![0; model.possible.len()],
            coverage: vec![(0, 0); model.labels.len() + 1],
            generated: 0,
            published: Told::default(),
            out: Found::default(),
            encoder: Encoder::new(&shared.dictionary),
            worker: index as u32,
            alone: options.workers <= 1 || live,
            memory_bytes_max: options.memory_bytes_max,
            budget: model.machine.allowance.budget().clone(),
            recorder: live.then(|| Recorder::new(&mut model)),
        };
        Worker {
            model,
            decoder: Decoder::sharing(&shared.dictionary),
            book,
            options,
            index,
            distinct_before: 0,
        }
    }

    /// Explores until there is nothing left or something is found.
    pub(super) fn run(mut self) -> Harvest {
        let recovers = self.options.spill.as_ref().is_some_and(|spill| spill.recover);
        if self.index == 0 && recovers {
            self.recover();
        } else if self.index == 0 {
            self.initial();
            self.put_results();
            self.turn_level(true);
        }
        self.book.shared.barrier.wait();
        if let Some(disk) = self.book.shared.disk.as_ref().filter(|_| recovers) {
            self.book.log = disk.log_of(self.index);
        }
        while !self.book.shared.done.load(Ordering::SeqCst) {
            self.expand_level();
            self.put_results();
            self.book.shared.barrier.wait();
            if self.index == 0 {
                self.turn_level(false);
            }
            self.book.shared.barrier.wait();
        }
        self.book.publish();
        self.harvest()
    }

    /// Hands over what was found for the next level, and how much it is.
    fn put_results(&mut self) {
        *locked(&self.book.shared.results[self.index]) = self.book.out.take();
        self.book.publish();
        let shared = self.book.shared;
        locked(&shared.possible[self.index]).clone_from(&self.book.possible);
        if let Some(disk) = shared.disk.as_ref().filter(|disk| disk.has_checkpoints()) {
            locked(&disk.output).append(&mut self.model.machine.output);
            let _ = shared.kept(disk.take_snapshot(self.index, &mut self.book));
        }
    }

    fn harvest(mut self) -> Harvest {
        let model = &mut self.model;
        let unnamed = model.labels.len();
        let mut coverage = Vec::new();
        for (label, (generated, distinct)) in self.book.coverage.iter().enumerate() {
            let shown = model.machine.visible.get(label).copied().unwrap_or(label == unnamed);
            // What consists of named actions only, as the next-state action does, is taken when one of these
            // is.
            let counts = model.machine.innermost.get(label).copied().unwrap_or(false);
            if shown && (counts || *generated > 0) {
                coverage.push((model.action_name(label as u32), *generated, *distinct));
            }
        }
        let finished = locked(&self.book.shared.finding).is_none()
            && locked(&self.book.shared.limit).is_none()
            && !self.book.shared.exits.load(Ordering::Relaxed);
        let mut harvest = Harvest { coverage, ..Harvest::default() };
        if finished && self.index == 0 {
            if let Some(recorder) = self.book.recorder.take() {
                harvest.liveness = Some(recorder.check(model));
            }
            let shared = self.book.shared;
            model.machine.progress.distinct = shared.counts.distinct.load(Ordering::Relaxed) as i64;
            model.machine.progress.generated = shared.counts.generated.load(Ordering::Relaxed) as i64;
            model.machine.progress.diameter = shared.level.load(Ordering::Relaxed) as i64;
            model.machine.progress.queue = shared.left.load(Ordering::Relaxed) as i64;
            let of_each: Vec<Vec<u64>> = shared.possible.iter().map(|own| locked(own).clone()).collect();
            let times = |index: usize| of_each.iter().filter_map(|own| own.get(index)).sum();
            let names = model.possible.iter().map(|(predicate, _)| predicate.name);
            let times = names.enumerate().map(|(index, name)| (name, times(index))).collect();
            model.machine.set_possible(times);
            harvest.postcondition = broken_postcondition(model);
        }
        harvest.output = std::mem::take(&mut model.machine.output);
        harvest.possible = self.book.possible;
        harvest.log = self.book.log;
        harvest
    }

    /// Makes what was found the next level, and decides whether to go on. Only the first worker does it,
    /// alone.
    fn turn_level(&mut self, first: bool) {
        let shared = self.book.shared;
        let mut found: Vec<FoundStates> =
            shared.results.iter().map(|r| std::mem::take(&mut *locked(r))).collect();
        let left = shared.kept(self.resolve(&mut found)).unwrap_or(0);
        shared.left.store(left, Ordering::Relaxed);
        // A level is reached when it has a state, though the check may end before that state waits.
        let distinct = shared.counts.distinct.load(Ordering::Relaxed);
        if !first && distinct > self.distinct_before {
            shared.level.fetch_add(1, Ordering::Relaxed);
        }
        self.distinct_before = distinct;
        shared.level_bytes.store(found.iter().map(FoundStates::heap_bytes).sum(), Ordering::Relaxed);
        let exceeds = shared.memory_bytes() > self.options.memory_bytes_max || self.book.budget.is_exceeded();
        let limit = if exceeds {
            Some(memory_limit(self.options.memory_bytes_max))
        } else if shared.counts.distinct.load(Ordering::Relaxed) >= self.options.states_max {
            Some(format!("the limit of {} distinct states is reached", self.options.states_max))
        } else if left > 0 && shared.level.load(Ordering::Relaxed) >= self.options.depth_max {
            Some(format!("the limit of {} levels is reached", self.options.depth_max))
        } else {
            None
        };
        let ends = locked(&shared.finding).is_some() || shared.exits.load(Ordering::Relaxed);
        let stopped = locked(&shared.limit).is_some();
        let goes_on = left > 0 && !ends && !stopped;
        if !goes_on || limit.is_some() {
            shared.done.store(true, Ordering::SeqCst);
        }
        if goes_on && let Some(disk) = &shared.disk {
            let _ = shared.kept(self.write_checkpoint(disk, &mut found, limit.is_some()));
        }
        if goes_on {
            let mut slot = locked(&shared.limit);
            *slot = slot.take().or(limit);
            if slot.is_some() {
                shared.done.store(true, Ordering::SeqCst);
            }
        }
        let mut frontier = shared.frontier.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *frontier, Level::new(found));
        if let Some(disk) = &shared.disk {
            let _ = shared.kept(last.discard(disk));
        }
    }

    /// Finds out which of the states that were found are new, and counts them; how many wait.
    fn resolve(&mut self, found: &mut [FoundStates]) -> std::io::Result<u64> {
        let noted: u64 = found.iter().map(|found| found.noted).sum();
        let states: u64 = found.iter().map(|found| found.states).sum();
        let Some(disk) = self.book.shared.disk.as_ref().filter(|_| noted > 0) else { return Ok(states) };
        let resolved = disk.resolve()?;
        self.book.shared.counts.distinct.fetch_add(resolved.states, Ordering::Relaxed);
        for (coverage, new) in self.book.coverage.iter_mut().zip(&resolved.labels) {
            coverage.1 += new;
        }
        for (found, new) in found.iter_mut().zip(resolved.new) {
            found.new = new;
        }
        // What was noted and does not wait has ended the check: it was new.
        let marked: u64 = found.iter().map(|found| found.marked).sum();
        Ok((states - marked + resolved.states).saturating_sub(noted - marked))
    }

    /// Writes a checkpoint if one is due, or wanted because a limit ends the check.
    fn write_checkpoint(&self, disk: &Disk, found: &mut [FoundStates], wanted: bool) -> std::io::Result<()> {
        if !disk.has_checkpoints() || !(wanted || disk.is_due()) {
            return Ok(());
        }
        found.iter_mut().try_for_each(|found| found.spill(disk))?;
        let lanes = found.iter().filter_map(|found| Some((found.stream.as_ref()?, &found.new)));
        let standing = Standing {
            lanes: lanes.collect(),
            distinct_before: self.distinct_before,
            initial: self.model.machine.progress.initial,
        };
        // What is new has been counted for the actions since the workers handed over their books.
        disk.write_checkpoint(self.book.shared, &standing, &self.book.coverage)
    }

    /// Takes over where the checkpoint in the folder stands.
    fn recover(&mut self) {
        let shared = self.book.shared;
        let Some(disk) = &shared.disk else { return };
        let variables = self.model.variables.len();
        match shared.kept(disk.recover(shared, variables)) {
            Some(recovered) => {
                self.distinct_before = recovered.distinct_before;
                self.model.machine.progress.initial = recovered.initial;
                self.book.generated = recovered.generated;
                self.book.published.generated = recovered.generated;
                self.book.coverage.iter_mut().zip(recovered.coverage).for_each(|(own, old)| *own = old);
                self.book.possible.iter_mut().zip(recovered.possible).for_each(|(own, old)| *own = old);
            }
            None => shared.done.store(true, Ordering::SeqCst),
        }
    }

    fn initial(&mut self) {
        let Model {
            machine,
            init,
            view,
            invariants,
            constraints,
            initial_properties,
            variables,
            possible,
            ..
        } = &mut self.model;
        let Some(init) = init else { return };
        let book = &mut self.book;
        // To TLC, the initial predicate is on level 0, and what it makes on level 1.
        machine.progress.level = 0;
        let result = machine.initial_states(init, &mut |machine| {
            book.generated += 1;
            if let Some(name) = machine.missing() {
                return Err(unassigned(machine, name, &[]));
            }
            let print = book.print.of_next(machine, view.as_ref())?;
            let in_model = all_hold_in_next(machine, constraints)?;
            let entered = if in_model { book.enter(print, NO_PARENT, NO_LABEL) } else { Entered::Known };
            if in_model {
                book.look_at_possible(machine, possible, false)?;
            }
            if in_model && entered.is_known() {
                return Ok(true);
            }
            if let (true, Some(states)) = (in_model, &mut book.states) {
                states.push(machine.next.clone());
            }
            let (state, after) = entered.end(NO_PARENT, print);
            if let Some(broken) = first_broken_in_next(machine, invariants, &mut |error| {
                book.find(print, FindingKind::Error(error), Symbol::new(""), state, after)
            }) {
                book.find(print, FindingKind::Violation(ViolationKind::Invariant), broken, state, after);
                return Ok(false);
            }
            if let Some(broken) = first_broken_in_next(machine, initial_properties, &mut |error| {
                book.find(print, FindingKind::Error(error), Symbol::new(""), state, after)
            }) {
                book.find(
                    print,
                    FindingKind::Violation(ViolationKind::InitialProperty),
                    broken,
                    state,
                    after,
                );
                return Ok(false);
            }
            if book.shared.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if in_model {
                book.keep(machine, entered, NO_PARENT, variables)?;
                if let Some(recorder) = &mut book.recorder {
                    recorder.initial(print);
                }
            }
            Ok(true)
        });
        self.model.machine.progress.initial = self.book.generated as i64;
        if result.is_ok() && self.model.next.is_none() && self.book.entered > 0 {
            let message =
                "there are initial states, and no next-state action to make successors of them".into();
            let error = Box::new(Error::Evaluation { place: Place::none(), message });
            self.book.find(0, FindingKind::Error(error), Symbol::new(""), NO_PARENT, None);
        } else if let Err(error) = result {
            self.model.machine.recover();
            let error = error.within("the initial predicate", Place::none());
            self.book.find(0, FindingKind::Error(error), Symbol::new(""), NO_PARENT, None);
        }
    }

    fn expand_level(&mut self) {
        let shared = self.book.shared;
        let frontier = shared.frontier.read().unwrap_or_else(PoisonError::into_inner);
        let level = shared.level.load(Ordering::Relaxed) as i64;
        self.model.machine.progress.level = level;
        self.model.machine.progress.diameter = level;
        let mut waiting_before = shared.left.load(Ordering::Relaxed) as i64 - self.book.entered as i64;
        while let Some(taken) = shared.kept(frontier.take(self.index, shared.disk.as_ref())).flatten() {
            for waiting in taken.segment.states() {
                if shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                let (id, print) = match waiting.mark {
                    None => (waiting.id, self.book.print_of(waiting.id)),
                    Some(mark) if taken.is_new(mark) => (self.book.log(mark.print, waiting.id), mark.print),
                    Some(_) => continue,
                };
                waiting_before -= 1;
                self.expand(id, print, waiting.bytes, waiting_before);
                if self.model.machine.exits {
                    shared.exits.store(true, Ordering::Relaxed);
                    shared.stop.store(true, Ordering::Relaxed);
                }
            }
            self.book.publish();
            self.book.look_at_graph();
            if self.index == 0 {
                shared.publish();
                self.model.machine.progress.distinct = shared.counts.distinct.load(Ordering::Relaxed) as i64;
                self.model.machine.progress.generated = self.book.generated as i64;
            }
        }
    }

    /// Makes all successors of a state. With those that are entered, `waiting_before` gives how many states
    /// wait.
    fn expand(&mut self, id: u32, parent_print: u64, mut bytes: &[u8], waiting_before: i64) {
        if let Err(error) = self.model.machine.room(decoded_bytes(bytes.len()), Place::none()) {
            self.book.find(parent_print, FindingKind::Error(error), Symbol::new(""), id, None);
            return;
        }
        for index in 0..self.model.machine.cur.len() {
            match self.decoder.decode(&mut bytes) {
                Some(value) => self.model.machine.cur[index] = value,
                None => {
                    let error =
                        Error::Limit { message: "a state cannot be decoded: a bug of the checker".into() };
                    self.book.find(0, FindingKind::Error(Box::new(error)), Symbol::new(""), id, None);
                    return;
                }
            }
        }
        let Model {
            machine,
            next,
            view,
            invariants,
            constraints,
            action_constraints,
            step_properties,
            variables,
            possible,
            labels,
            ..
        } = &mut self.model;
        let book = &mut self.book;
        machine.behaviour.states = book.path_to(id);
        let mut successors = 0u64;
        let result = match next {
            None => Ok(true),
            Some(next) => machine.successors(next, &mut |machine| {
                successors += 1;
                book.generated += 1;
                machine.progress.queue = waiting_before + book.entered as i64;
                let label = (machine.label as usize).min(book.coverage.len() - 1);
                book.coverage[label].0 += 1;
                if let Some(name) = machine.missing() {
                    return Err(unassigned(machine, name, labels));
                }
                let print = book.print.of_next(machine, view.as_ref())?;
                // Whether a state satisfies the constraints is found out once.
                let mut new = true;
                let mut in_model = true;
                if !constraints.is_empty() && !book.shared.visited.contains(book.worker as usize, print) {
                    if book.shared.rejected.contains(book.worker as usize, print) {
                        in_model = false;
                        new = false;
                    } else {
                        machine.settle_next();
                        if !all_hold_in_next(machine, constraints)? {
                            in_model = false;
                            new = book.shared.rejected.insert(book.worker as usize, print);
                        }
                    }
                }
                if in_model && !action_constraints.is_empty() {
                    in_model = all_hold(machine, action_constraints)?;
                }
                let mut entered = Entered::Known;
                if in_model {
                    entered = book.enter(print, id, label as u32);
                    new = !entered.is_known();
                    if new {
                        if constraints.is_empty() {
                            machine.settle_next();
                        }
                        book.coverage[label].1 += u64::from(matches!(entered, Entered::New(_)));
                        if let Some(states) = &mut book.states {
                            states.push(machine.next.clone());
                        }
                    }
                }
                // As in TLC, each time a state within the constraints is generated.
                if in_model && !possible.is_empty() {
                    book.look_at_possible(machine, possible, false)?;
                    book.look_at_possible(machine, possible, true)?;
                }
                let (state, after) = entered.end(id, print);
                if new
                    && let Some(broken) = first_broken_in_next(machine, invariants, &mut |error| {
                        book.find(print, FindingKind::Error(error), Symbol::new(""), state, after)
                    })
                {
                    book.find(print, FindingKind::Violation(ViolationKind::Invariant), broken, state, after);
                }
                for property in step_properties.iter() {
                    if !machine.holds_apart(&property.expr, property.place)? {
                        let kind = FindingKind::Violation(ViolationKind::StepProperty);
                        book.find(print, kind, property.name, id, Some(print));
                    }
                }
                if book.shared.stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                if in_model {
                    book.keep(machine, entered, id, variables)?;
                    if let Some(recorder) = &mut book.recorder {
                        recorder.edge(machine, parent_print, print)?;
                    }
                }
                Ok(true)
            }),
        };
        machine.progress.queue = waiting_before + book.entered as i64;
        // Like TLC, after the successors: specifications of traces ask in their properties whether any waits.
        if result.is_ok()
            && let Some(recorder) = &mut book.recorder
            && let Err(error) = recorder.node(machine, parent_print)
        {
            machine.recover();
            book.find(parent_print, FindingKind::Error(error), Symbol::new(""), id, None);
            return;
        }
        match result {
            Err(error) => {
                let error = match labels.get(machine.label as usize) {
                    Some((name, _, place)) => error.within(&format!("action {name}"), *place),
                    None => error,
                };
                machine.recover();
                book.find(parent_print, FindingKind::Error(error), Symbol::new(""), id, None);
            }
            Ok(_) if successors == 0 && book.deadlock(self.options, &self.model) => {
                let kind = FindingKind::Violation(ViolationKind::Deadlock);
                book.find(parent_print, kind, Symbol::new("deadlock"), id, None);
            }
            Ok(_) => {}
        }
    }
}

/// The first postcondition that is false or cannot be evaluated.
pub(super) fn broken_postcondition(model: &mut Model) -> Option<Result<Symbol>> {
    model.machine.progress.level = 0;
    for postcondition in &model.postconditions {
        match model.machine.holds_apart(&postcondition.expr, postcondition.place) {
            Ok(true) => {}
            Ok(false) => return Some(Ok(postcondition.name)),
            Err(error) => return Some(Err(error)),
        }
    }
    None
}

/// That a variable has no value in a state that was made; by which action is said, if it has a name.
pub(super) fn unassigned(
    machine: &Machine,
    name: Symbol,
    labels: &[(Symbol, Vec<Symbol>, Place)],
) -> Box<Error> {
    let (place, message) = match labels.get(machine.label as usize) {
        Some((action, _, place)) => {
            (*place, format!("variable {name}' is not assigned a value by action {action}"))
        }
        None if labels.is_empty() => {
            (Place::none(), format!("variable {name} is not assigned a value in the initial state"))
        }
        None => (Place::none(), format!("variable {name}' is not assigned a value in the next state")),
    };
    Box::new(Error::Evaluation { place, message })
}

fn all_hold_in_next(machine: &mut Machine, predicates: &[Named]) -> Result<bool> {
    for predicate in predicates {
        let holds = machine.holds_in_next(&predicate.expr, predicate.place);
        if !holds.map_err(|error| error.within(&format!("constraint {}", predicate.name), predicate.place))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn all_hold(machine: &mut Machine, predicates: &[Named]) -> Result<bool> {
    for predicate in predicates {
        if !machine.holds_apart(&predicate.expr, predicate.place)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first predicate that is false in the state being made. An error is reported about that state.
fn first_broken_in_next(
    machine: &mut Machine,
    predicates: &[Named],
    report: &mut dyn FnMut(Box<Error>),
) -> Option<Symbol> {
    for predicate in predicates {
        match machine.holds_in_next(&predicate.expr, predicate.place) {
            Ok(true) => {}
            Ok(false) => return Some(predicate.name),
            Err(error) => {
                report(error.within(&format!("invariant {}", predicate.name), predicate.place));
                return None;
            }
        }
    }
    None
}
