//! The oracle that compares an execution with a specification.

use std::cell::RefCell;
use std::rc::Rc;

use shakedown_check::{Doubt, Oracle, Seen, SpecStep};
use shakedown_cluster::{Cluster, NodeId, Step};

use super::known_spec::{ActionNumber, KnownSpec, Next, Offers};
use super::suite::Make;
use super::{Finding, Meaning, Shown, SpecSource, StateMapping};
use crate::BadModel;

/// Holds as long as the implementation and the specification agree: all mapped variables of all nodes after
/// every step, and what can be done next. It bears the name of what it has found, once it has found
/// something.
pub struct SameAsSpec<S, M: StateMapping<S>> {
    /// The property, and the name of what was found, once something was.
    subject: String,
    found: Option<String>,
    mapping: M,
    spec: Rc<RefCell<KnownSpec<S, M>>>,
    /// The states that the specification may be in: more than one only where it leaves something open that
    /// the mapping does not see. Nothing before boot.
    places: Option<Vec<u32>>,
    /// What the step that is about to be done is.
    pending: Meaning<M::Action>,
    /// Why the execution is not compared any more.
    lost: Option<String>,
    /// Room for what is offered.
    offered: Vec<ActionNumber>,
    /// How often states were compared.
    comparisons: u64,
    /// The action that the last step was, with the state before it.
    done: Option<(u32, ActionNumber)>,
    /// The state that the specification is in after it.
    now: Option<u32>,
}

impl<S: 'static, M: StateMapping<S>> SameAsSpec<S, M> {
    /// An oracle for one execution.
    pub(super) fn new(source: &SpecSource, make: &Make<M>) -> Result<SameAsSpec<S, M>, BadModel> {
        let spec = KnownSpec::of(source, make)?;
        spec.borrow_mut().tidy();
        Ok(SameAsSpec {
            subject: format!("same-as-{}", source.root()),
            found: None,
            comparisons: 0,
            done: None,
            now: None,
            mapping: make(),
            spec,
            places: None,
            pending: Meaning::Nothing,
            lost: None,
            offered: Vec::new(),
        })
    }

    /// What has come of the step.
    fn compare(&mut self, cluster: &dyn Cluster<State = S>) -> Result<Result<(), Finding>, String> {
        let spec = Rc::clone(&self.spec);
        let mut spec = spec.borrow_mut();
        let meaning = std::mem::replace(&mut self.pending, Meaning::Nothing);
        let (candidates, action) = match (&self.places, self.mapping.outcome(meaning, cluster)) {
            (None, _) => (spec.initial().to_vec(), None),
            (Some(places), Meaning::Nothing) => (places.clone(), None),
            (Some(_), Meaning::Unknown(reason)) => return Err(reason.to_owned()),
            (Some(places), Meaning::Action(action)) => {
                let number = spec.number_of(&action);
                let mut next = Vec::new();
                let mut blocked = None;
                for place in places {
                    match spec.next(*place, number) {
                        Next::To(states) => next.extend_from_slice(&states),
                        Next::Blocked(reason) => blocked = Some(reason),
                    }
                }
                if let Some(reason) = blocked.filter(|_| next.is_empty()) {
                    (self.done, self.now) = (Some((places[0], number)), Some(places[0]));
                    let call = spec.call(places[0], number);
                    return Ok(Err(Finding::unexpected(
                        call.name.as_str(),
                        &call.to_string(),
                        true,
                        &reason,
                    )));
                }
                (next, Some((places[0], number)))
            }
        };
        (self.done, self.now) = (action, candidates.first().copied());
        if let Err(finding) = self.same_state(&mut spec, &candidates, action, cluster)? {
            return Ok(Err(finding));
        }
        self.same_offers(&mut spec, cluster)
    }

    /// Of the states that the specification may be in now, those that the implementation is in.
    fn same_state(
        &mut self,
        spec: &mut KnownSpec<S, M>,
        candidates: &[u32],
        action: Option<(u32, ActionNumber)>,
        cluster: &dyn Cluster<State = S>,
    ) -> Result<Result<(), Finding>, String> {
        let got = self.mapping.view(cluster);
        let mut same = self.places.take().unwrap_or_default();
        same.clear();
        for place in candidates {
            if *spec.view(*place)? == got {
                same.push(*place);
            }
        }
        if same.is_empty() {
            let expected = match candidates.first() {
                Some(place) => self.mapping.show(&*spec.view(*place)?),
                None => Vec::new(),
            };
            let call = action.map(|(place, action)| spec.call(place, action));
            let after = match &call {
                Some(call) => call.to_string(),
                None if cluster.board().steps().is_empty() => "boot".to_owned(),
                None => "a step that is no action".to_owned(),
            };
            let definition = call.and_then(|call| spec.source().definition(call.name.as_str()));
            return Ok(Err(Finding::inconsistent(&after, definition, &expected, &self.mapping.show(&got))));
        }
        self.places = Some(same);
        Ok(Ok(()))
    }

    /// Compares what the implementation offers with what the specification enables.
    fn same_offers(
        &mut self,
        spec: &mut KnownSpec<S, M>,
        cluster: &dyn Cluster<State = S>,
    ) -> Result<Result<(), Finding>, String> {
        let SameAsSpec { mapping, offered, places, .. } = self;
        offered.clear();
        for_each_offer(cluster, |step| {
            if let Meaning::Action(action) = mapping.action(step, cluster) {
                offered.push(spec.number_of(&action));
            }
        });
        offered.sort_unstable();
        offered.dedup();
        let mut finding = None;
        for place in places.iter().flatten() {
            let call_of = |action: ActionNumber, spec: &mut KnownSpec<S, M>| spec.call(*place, action);
            finding = Some(match spec.compare_offers(*place, offered)? {
                // It is enough that one of the states that it may be in agrees.
                Offers::Accepted => return Ok(Ok(())),
                Offers::Differ { missing, unexpected } => {
                    let unexpected = unexpected.map(|(action, reason)| {
                        let call = call_of(action, spec);
                        Finding::unexpected(call.name.as_str(), &call.to_string(), false, &reason)
                    });
                    let missing = missing.map(|action| {
                        let call = call_of(action, spec);
                        let offered: Vec<_> =
                            offered.iter().map(|action| call_of(*action, spec).to_string()).collect();
                        let definition = spec.source().definition(call.name.as_str());
                        Finding::missing(call.name.as_str(), &call.to_string(), definition, &offered)
                    });
                    Finding::of_both(missing, unexpected)
                }
            });
        }
        Ok(finding.flatten().map_or(Ok(()), Err))
    }
}

/// The steps that are the implementation's own: what is under way can arrive, clocks can go on, timers go off
/// and writes become durable.
fn for_each_offer<S>(cluster: &dyn Cluster<State = S>, mut offer: impl FnMut(&Step)) {
    let board = cluster.board();
    for message in board.deliverable() {
        offer(&board.deliver(*message));
    }
    for node in NodeId::first(board.size()).filter(|node| board.is_up(*node)) {
        offer(&Step::Tick(node));
        if board.node(node).unflushed > 0 {
            offer(&Step::Flush(node));
        }
    }
    if board.has_ripe_timers() {
        for (node, timer) in board.ripe_timers() {
            offer(&Step::Fire(node, timer));
        }
    }
}

impl<S: 'static, M: StateMapping<S>> Oracle<S> for SameAsSpec<S, M> {
    fn name(&self) -> &str {
        self.found.as_deref().unwrap_or(&self.subject)
    }

    fn subject(&self) -> &str {
        &self.subject
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.comparisons)
    }

    fn about(&self) -> &str {
        "after every step all mapped variables have the values that the specification gives them"
    }

    fn spec_step(&mut self) -> Option<SpecStep> {
        if let Some(reason) = &self.lost {
            let state = format!("not compared any more: {reason}");
            return Some(SpecStep { state, ..SpecStep::default() });
        }
        let mut spec = self.spec.borrow_mut();
        let actions =
            self.done.iter().map(|(place, action)| spec.call(*place, *action).to_string()).collect();
        let view = self.now.and_then(|place| spec.view(place).ok());
        let lines = view.map_or_else(Vec::new, |view| self.mapping.show(&*view));
        let line = |shown: &Shown| format!("{}[{}] = {}", shown.variable, shown.of, shown.value);
        let state = lines.iter().map(line).collect::<Vec<_>>().join("\n");
        Some(SpecStep { actions, state, ..SpecStep::default() })
    }

    fn looks_before(&self) -> bool {
        true
    }

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        if self.lost.is_none() {
            self.pending = self.mapping.action(step, cluster);
        }
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        if self.lost.is_some() {
            return Ok(());
        }
        self.comparisons += 1;
        match self.compare(seen.cluster()) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(finding)) => {
                self.found = Some(finding.property());
                Err(finding.to_string())
            }
            Err(reason) => {
                self.lost = Some(reason);
                Ok(())
            }
        }
    }

    fn at_end(&mut self, _seen: &Seen<'_, S>) -> Result<(), Doubt> {
        self.lost.take().map_or(Ok(()), |reason| Err(Doubt::Unknown(reason)))
    }
}
