//! States of a model as coverage.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;
use shakedown_check::{Guide, LookedFor, SpecStep};
use shakedown_cluster::{Cluster, Step};

use super::event_mapping::Counts;
use super::{EventMapping, Follower, Stutter};
use crate::{BadModel, ModelSource};

/// What came of many executions that were followed on a model.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// How many executions.
    pub executions: u64,
    /// How many events were mapped to actions.
    pub mapped: u64,
    /// How many of these actions were disabled, by name.
    pub stutters: BTreeMap<&'static str, u64>,
    /// The events that were left out on purpose, by sort.
    pub ignored: BTreeMap<&'static str, u64>,
    /// The events that the mapping does not know, by sort.
    pub unknown: BTreeMap<&'static str, u64>,
    /// The first stutter.
    pub first_stutter: Option<Stutter>,
}

impl Account {
    /// How many actions were disabled.
    pub fn stutter_count(&self) -> u64 {
        self.stutters.values().sum()
    }

    fn take(&mut self, counts: &Counts, stutters: &[(&'static str, u64)]) {
        self.executions += 1;
        self.mapped += counts.mapped;
        let add = |to: &mut BTreeMap<&'static str, u64>, from: &[(&'static str, u64)]| {
            from.iter().for_each(|(sort, count)| *to.entry(sort).or_default() += count);
        };
        add(&mut self.stutters, stutters);
        add(&mut self.ignored, &counts.ignored);
        add(&mut self.unknown, &counts.unknown);
    }
}

/// Covers the states of a model.
pub struct ModelGuide<S, M: EventMapping<S>> {
    follower: Follower<S, M>,
    /// What matters of the last state.
    last: Option<u64>,
    seen: FxHashSet<u64>,
    /// The same, in the order in which they were come to.
    order: Vec<u64>,
    account: Option<Arc<Mutex<Account>>>,
}

impl<S, M: EventMapping<S>> ModelGuide<S, M> {
    /// A guide for one execution.
    pub fn new(source: &ModelSource, mapping: M) -> Result<ModelGuide<S, M>, BadModel> {
        let follower = Follower::new(source, mapping)?;
        let mut guide =
            ModelGuide { follower, last: None, seen: FxHashSet::default(), order: Vec::new(), account: None };
        let initial = guide.follower.state().clone();
        guide.last = Some(initial.abstraction());
        guide.seen.insert(initial.fingerprint());
        guide.order.push(initial.fingerprint());
        Ok(guide)
    }

    /// Writes what comes of the execution into an account too.
    #[must_use]
    pub fn with_account(mut self, account: Arc<Mutex<Account>>) -> Self {
        self.account = Some(account);
        self
    }
}

impl<S, M: EventMapping<S>> Guide<S> for ModelGuide<S, M> {
    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        self.follower.before_step(step, cluster);
    }

    fn after_step(&mut self, cluster: &dyn Cluster<State = S>, _fresh_from: usize) {
        let ModelGuide { follower, last, seen, order, .. } = self;
        follower.after_step(cluster.board(), cluster.states(), |state| {
            // Of consecutive states that agree in what matters the first one counts.
            if last.replace(state.abstraction()) != Some(state.abstraction())
                && seen.insert(state.fingerprint())
            {
                order.push(state.fingerprint());
            }
        });
        if let Some(account) = &self.account
            && let Some(stutter) = self.follower.take_stutter()
        {
            account.lock().unwrap_or_else(PoisonError::into_inner).first_stutter.get_or_insert(stutter);
        }
    }

    fn spec_step(&mut self) -> Option<SpecStep> {
        Some(self.follower.spec_step())
    }

    fn looked_for(&self) -> LookedFor {
        self.follower.taken()
    }

    fn covered(&mut self, _cluster: &dyn Cluster<State = S>) -> Vec<u64> {
        if let Some(account) = &self.account {
            let mut account = account.lock().unwrap_or_else(PoisonError::into_inner);
            account.take(self.follower.counts(), self.follower.stutters());
        }
        std::mem::take(&mut self.order)
    }
}
