//! Mappings: which actions of a specification the events of an implementation stand for.

use std::hash::Hash;

use shakedown_cluster::{Board, Cluster, Step};
use shakedown_tla::walk::ActionCall;

/// Maps the events of one execution to actions. It is made anew for every execution and may remember things.
pub trait EventMapping<S> {
    /// An event, as far as the model is concerned. Its hash stands for it, so everything that goes into the
    /// action has to.
    type Event: Hash;

    /// Looks before a step, when the message that it delivers can still be read. The step may yet be refused.
    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>);

    /// Says what has happened in the step, in order. It is also called after boot, before any step.
    fn after_step(&mut self, board: &Board, states: &[S], heard: &mut Heard<Self::Event>);

    /// The names of the actions that events are mapped to, at most 64. Those that are never taken in a
    /// campaign are a warning; nothing for a mapping that does not say.
    const ACTIONS: &'static [&'static str] = &[];

    /// The place of an event's action among [`EventMapping::ACTIONS`].
    fn number(_event: &Self::Event) -> usize {
        usize::MAX
    }

    /// The action that an event stands for.
    fn action(event: &Self::Event) -> ActionCall;
}

/// What a mapping has heard of an execution.
pub struct Heard<E> {
    pub(crate) events: Vec<E>,
    pub(crate) counts: Counts,
}

/// How many events were mapped, left out on purpose, and not known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub mapped: u64,
    pub ignored: Vec<(&'static str, u64)>,
    pub unknown: Vec<(&'static str, u64)>,
}

impl<E> Default for Heard<E> {
    fn default() -> Heard<E> {
        Heard { events: Vec::new(), counts: Counts::default() }
    }
}

impl<E> Heard<E> {
    /// An event that the model knows.
    pub fn event(&mut self, event: E) {
        self.counts.mapped += 1;
        self.events.push(event);
    }

    /// An event of this sort that is left out on purpose: it means nothing to the model.
    pub fn ignore(&mut self, sort: &'static str) {
        count(&mut self.counts.ignored, sort, 1);
    }

    /// An event of a sort that the mapping does not know.
    pub fn unknown(&mut self, sort: &'static str) {
        count(&mut self.counts.unknown, sort, 1);
    }
}

pub(crate) fn count(counts: &mut Vec<(&'static str, u64)>, sort: &'static str, more: u64) {
    match counts.iter_mut().find(|(known, _)| *known == sort) {
        Some((_, count)) => *count += more,
        None => counts.push((sort, more)),
    }
}
