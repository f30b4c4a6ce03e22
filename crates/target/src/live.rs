//! An execution under way: a cluster, the oracles that watch it, and the colours of its nodes.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use shakedown_check::{Doubt, Guide, LookedFor, Oracle, Seen, SpecStep};
use shakedown_cluster::{
    Board, Caught, Cluster, MessageIndex, NodeId, Refusal, Step, Stop, Trace, catch_panic,
};
use shakedown_explore::{Insight, Strategy};

use crate::execute::{Beat, Patience, drive};
use crate::threads::{Tenure, wait_for_threads};
use crate::{CheckOutcome, Checked, Verdict, Violation};

/// What matters of a node's state, as a number.
pub type ColourOf<S> = Arc<dyn Fn(&S) -> u64 + Send + Sync>;

/// Whether a predicate with these arguments holds.
pub type Holds<S> = Arc<dyn Fn(&[u64], &Seen<'_, S>) -> bool + Send + Sync>;

/// What strategies may ask of a cluster in the protocol's own terms.
pub struct Abstractions<S> {
    /// The colour of a node.
    pub colour: ColourOf<S>,
    /// Whether clients ask a node in this state.
    pub serves: Arc<dyn Fn(&S) -> bool + Send + Sync>,
    /// The families of predicates that waypoints are made of.
    pub waypoints: Arc<[Holds<S>]>,
}

impl<S> Clone for Abstractions<S> {
    fn clone(&self) -> Abstractions<S> {
        let Abstractions { colour, serves, waypoints } = self;
        Abstractions {
            colour: Arc::clone(colour),
            serves: Arc::clone(serves),
            waypoints: Arc::clone(waypoints),
        }
    }
}

/// An execution under way: a cluster and the oracles that watch it.
pub trait Live: Insight {
    /// What can be seen of the cluster.
    fn board(&self) -> &Board;
    /// Takes in what nodes did by themselves.
    fn poll(&mut self);
    /// Does one step and asks the oracles; the outer error is a refusal, the inner one a violated property.
    fn perform(&mut self, step: &Step) -> Result<Result<(), Violation>, Refusal>;
    /// Asks the oracles after boot, before any step.
    fn inspect(&mut self) -> Result<(), Violation>;
    /// Asks the oracles what there is to say at the end. One that cannot tell does not keep the others from
    /// being asked.
    fn conclude(&mut self) -> Verdict;
    /// Lets a strategy choose steps until the execution is over, and says what came of it.
    fn drive(&mut self, patience: Patience, beat: &Beat, strategy: &mut dyn Strategy) -> Verdict;
    /// What each of the guides saw, in the order in which they were asked for. To be asked once, at the end.
    fn covered(&mut self) -> Vec<Vec<u64>>;
    /// What a specification says of the last step, or of boot: the one that an oracle checks against, or else
    /// the one that a guide follows.
    fn spec_step(&mut self) -> Option<SpecStep>;
    /// What each of the guides looked out for, in the same order.
    fn looked_for(&self) -> Vec<LookedFor> {
        Vec::new()
    }
    /// What came of each oracle. To be asked at the end.
    fn checked(&self) -> Vec<Checked> {
        Vec::new()
    }
    /// Ends the lives of the nodes, once this is the verdict on what they did, and waits for threads that
    /// they left behind, but no longer than this. A panic in any of that is a finding too. Gives the verdict
    /// on all of it.
    fn close(&mut self, verdict: Verdict, _longest: Duration) -> Verdict {
        verdict
    }
    /// The trace.
    fn finish(self: Box<Self>) -> Trace;
}

/// An execution of any cluster under these oracles and guides: what a target of another kind, say of
/// processes of its own, begins.
pub fn watch<C: Cluster + 'static>(
    cluster: C,
    oracles: Vec<Box<dyn Oracle<C::State>>>,
    guides: Vec<Box<dyn Guide<C::State>>>,
    abstractions: Abstractions<C::State>,
) -> Box<dyn Live>
where
    C::State: 'static,
{
    watch_within(Tenure::of_execution(), cluster, oracles, guides, abstractions)
}

/// The same for a cluster that was booted in this time.
pub(crate) fn watch_within<C: Cluster + 'static>(
    tenure: Option<Tenure>,
    cluster: C,
    oracles: Vec<Box<dyn Oracle<C::State>>>,
    guides: Vec<Box<dyn Guide<C::State>>>,
    abstractions: Abstractions<C::State>,
) -> Box<dyn Live>
where
    C::State: 'static,
{
    let looks_before = oracles.iter().any(|oracle| oracle.looks_before());
    Box::new(Watched {
        cluster,
        oracles,
        looks_before,
        guides,
        abstractions,
        seen: 0,
        guided: 0,
        asked: 0,
        violated: None,
        unknown: 0,
        _tenure: tenure,
    })
}

/// A cluster and the oracles that watch it.
struct Watched<C: Cluster> {
    cluster: C,
    oracles: Vec<Box<dyn Oracle<C::State>>>,
    /// Whether any of the oracles looks before steps.
    looks_before: bool,
    guides: Vec<Box<dyn Guide<C::State>>>,
    abstractions: Abstractions<C::State>,
    /// How many moments the oracles have seen.
    seen: usize,
    /// How many moments the guides have seen.
    guided: usize,
    /// How often the oracles were asked.
    asked: u64,
    /// The oracle that was violated.
    violated: Option<usize>,
    /// The oracles that could not decide, each as a bit; those beyond the last bit are left out.
    unknown: u64,
    /// Threads that are started while it lives are those of this execution.
    _tenure: Option<Tenure>,
}

impl<C: Cluster> Watched<C> {
    /// Asks every oracle up to the first violation; otherwise gives the reason of the first one that cannot
    /// tell.
    fn ask(
        &mut self,
        mut question: impl FnMut(&mut dyn Oracle<C::State>, &Seen<'_, C::State>) -> Result<(), Doubt>,
    ) -> Result<Option<String>, Violation> {
        if self.oracles.is_empty() {
            return Ok(None);
        }
        let seen = Seen::new(&self.cluster, self.seen);
        self.asked += 1;
        let mut asked = 0;
        let mut unknown = None;
        let mut unknown_oracles = 0;
        let answers = catch_panic(|| {
            for (number, oracle) in self.oracles.iter_mut().enumerate() {
                asked = number;
                match question(oracle.as_mut(), &seen) {
                    Ok(()) => {}
                    Err(Doubt::Violated(reason)) => return Err(reason),
                    Err(Doubt::Unknown(reason)) => {
                        unknown_oracles |= 1u64.checked_shl(number as u32).unwrap_or(0);
                        unknown.get_or_insert_with(|| format!("{}: {reason}", oracle.name()));
                    }
                }
            }
            Ok(())
        });
        self.seen = self.cluster.board().moments().len();
        self.unknown |= unknown_oracles;
        // An oracle may also say no by a failed assertion.
        let reason = match answers {
            Ok(Ok(())) => return Ok(unknown),
            Ok(Err(reason)) => reason,
            Err(Caught { message, place }) => format!("{message} ({place})"),
        };
        self.violated = Some(asked);
        Err(Violation { property: self.oracles[asked].name().to_owned(), reason })
    }

    /// Lets the guides look at what has happened.
    fn guide_after_step(&mut self) {
        for guide in &mut self.guides {
            guide.after_step(&self.cluster, self.guided);
        }
        self.guided = self.cluster.board().moments().len();
    }

    #[inline(always)]
    fn ask_after_step(&mut self) -> Result<(), Violation> {
        if self.oracles.is_empty() {
            return Ok(());
        }
        self.ask(|oracle, seen| oracle.after_step(seen).map_err(Doubt::Violated)).map(drop)
    }
}

impl<C: Cluster> Insight for Watched<C> {
    fn colour(&self, node: NodeId) -> u64 {
        (self.abstractions.colour)(&self.cluster.states()[node.index()])
    }

    fn serves(&self, node: NodeId) -> bool {
        (self.abstractions.serves)(&self.cluster.states()[node.index()])
    }

    fn holds(&self, family: usize, arguments: &[u64]) -> bool {
        let seen = Seen::new(&self.cluster, self.cluster.board().moments().len());
        self.abstractions.waypoints.get(family).is_some_and(|holds| holds(arguments, &seen))
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.cluster.contents(message)
    }
}

impl<C: Cluster> Live for Watched<C>
where
    C::State: 'static,
{
    fn board(&self) -> &Board {
        self.cluster.board()
    }

    fn poll(&mut self) {
        self.cluster.poll();
    }

    #[inline(always)]
    fn perform(&mut self, step: &Step) -> Result<Result<(), Violation>, Refusal> {
        for guide in &mut self.guides {
            guide.before_step(step, &self.cluster);
        }
        if self.looks_before {
            for oracle in self.oracles.iter_mut().filter(|oracle| oracle.looks_before()) {
                oracle.before_step(step, &self.cluster);
            }
        }
        self.cluster.perform(step)?;
        if matches!(self.cluster.board().stopped(), Some(Stop::Panicked(..))) {
            // A node that panicked half-way through shows a state that never was.
            return Ok(Ok(()));
        }
        self.guide_after_step();
        Ok(self.ask_after_step())
    }

    fn inspect(&mut self) -> Result<(), Violation> {
        self.guide_after_step();
        self.ask_after_step()
    }

    fn conclude(&mut self) -> Verdict {
        self.cluster.settle();
        if let Some(stop) = self.cluster.board().stopped() {
            return Verdict::of_stop(stop);
        }
        match self.ask(|oracle, seen| oracle.at_end(seen)) {
            Ok(None) => Verdict::Pass,
            Ok(Some(reason)) => Verdict::Unknown(reason),
            Err(violation) => Verdict::Fail(violation),
        }
    }

    fn drive(&mut self, patience: Patience, beat: &Beat, strategy: &mut dyn Strategy) -> Verdict {
        // Nodes and oracles are guarded one by one. What a target brings besides (colours, predicates,
        // guides) is not worth that at every step.
        catch_panic(|| drive(self, patience, beat, strategy)).unwrap_or_else(Verdict::of_panic)
    }

    fn covered(&mut self) -> Vec<Vec<u64>> {
        self.guides.iter_mut().map(|guide| guide.covered(&self.cluster)).collect()
    }

    fn spec_step(&mut self) -> Option<SpecStep> {
        // What a finding is about comes before what a guide follows.
        let checked = self.oracles.iter_mut().find_map(|oracle| oracle.spec_step());
        checked.or_else(|| self.guides.iter_mut().find_map(|guide| guide.spec_step()))
    }

    fn looked_for(&self) -> Vec<LookedFor> {
        self.guides.iter().map(|guide| guide.looked_for()).collect()
    }

    fn checked(&self) -> Vec<Checked> {
        let checked = |(number, oracle): (usize, &dyn Oracle<C::State>)| {
            let outcome = match () {
                () if self.violated == Some(number) => CheckOutcome::Violated,
                () if number < 64 && self.unknown >> number & 1 == 1 => CheckOutcome::Unknown,
                () => CheckOutcome::Held,
            };
            let least = u64::from(outcome == CheckOutcome::Violated);
            let evaluations = oracle.evaluations().unwrap_or(self.asked).max(least);
            Checked { property: oracle.subject().into(), evaluations, outcome }
        };
        self.oracles.iter().map(AsRef::as_ref).enumerate().map(checked).collect()
    }

    fn close(&mut self, verdict: Verdict, longest: Duration) -> Verdict {
        self.cluster.close();
        if !longest.is_zero() && !matches!(verdict, Verdict::Fail(_)) {
            wait_for_threads(longest);
            self.cluster.close();
        }
        match (verdict, self.cluster.board().stopped()) {
            (Verdict::Fail(violation), _) => Verdict::Fail(violation),
            (_, Some(stop @ Stop::Panicked(..))) => Verdict::of_stop(stop),
            (verdict, _) => verdict,
        }
    }

    fn finish(self: Box<Self>) -> Trace {
        Box::new(self.cluster).finish()
    }
}
