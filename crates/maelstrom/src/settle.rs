//! The end of an execution: the network is healed, nodes that are down are restarted, and every node is read
//! until all of them show what they should, or the time for that is over.
//!
//! All of it is steps, behind a mark of their own. A schedule that is done again is done up to the mark; then
//! the execution ends anew, because how long nodes take is theirs to decide.

use std::any::Any;
use std::rc::Rc;
use std::time::{Duration, Instant};

use shakedown_check::{LookedFor, SpecStep};
use shakedown_cluster::{Board, MessageIndex, Name, NodeId, NodeSet, Refusal, Step, Trace};
use shakedown_explore::{Insight, Sight, Strategy};
use shakedown_target::{Beat, Checked, Live, Patience, SETTLING, Verdict, Violation, drive, is_settling};

use crate::checks::final_reads;
use crate::programs::Execution;
use crate::workload::Workload;

/// How many steps in a row an execution may have without a message under way and without a request to come.
const IDLE_STEPS_MAX: usize = 8;
/// The most messages that are delivered between two reads.
const DELIVERIES_MAX: usize = 2_000;
/// The longest tick.
const SLICE_MAX: Duration = Duration::from_millis(200);

/// An execution with such an end.
pub(crate) struct Settling {
    pub inner: Box<dyn Live>,
    pub workload: Workload,
    pub execution: Rc<Execution>,
    /// The first tick.
    pub slice: Duration,
    /// How long nodes have after healing.
    pub time: Duration,
}

impl Settling {
    fn settle(&mut self) -> Result<(), Violation> {
        let kernel = NodeSet::first(self.board().size());
        self.step(&Step::Round { phase: 0, name: Name::new(SETTLING), kernel })?;
        let nodes = || NodeId::first(kernel.len());
        for (a, b) in nodes().flat_map(|a| nodes().map(move |b| (a, b))).filter(|(a, b)| a < b) {
            if self.board().is_cut(a, b) {
                self.step(&Step::Heal(a, b))?;
            }
        }
        for node in self.board().down().collect::<Vec<_>>() {
            self.step(&Step::Restart(node))?;
        }
        let began = Instant::now();
        let mut slice = self.slice;
        loop {
            self.deliver()?;
            for node in nodes() {
                let request = self.workload.final_request(self.board(), node).to_string();
                self.step(&Step::Request(node, request.into()))?;
            }
            self.deliver()?;
            let is_over = began.elapsed() >= self.time || self.board().stopped().is_some();
            if is_over || final_reads(self.board(), self.workload).is_ok() {
                return Ok(());
            }
            for node in nodes() {
                let left = self.time.saturating_sub(began.elapsed());
                *self.execution.slice.borrow_mut() = Some(slice.min(left));
                self.step(&Step::Tick(node))?;
            }
            slice = (slice * 2).min(SLICE_MAX);
        }
    }

    /// Delivers what is under way, in the order in which it was sent.
    fn deliver(&mut self) -> Result<(), Violation> {
        for _ in 0..DELIVERIES_MAX {
            let Some(first) = self.board().deliverable().iter().min().copied() else { return Ok(()) };
            let step = self.board().deliver(first);
            self.step(&step)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Violation> {
        // What is refused cannot happen any more: the cluster has stopped.
        self.inner.perform(step).unwrap_or(Ok(()))
    }
}

/// A strategy up to the mark of the end, or until nothing happens any more.
struct UntilIdle<'a> {
    strategy: &'a mut dyn Strategy,
    idle: usize,
}

impl Strategy for UntilIdle<'_> {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        let is_idle = board.next_request().is_none() && board.deliverable().is_empty();
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        if self.idle > IDLE_STEPS_MAX {
            return None;
        }
        self.strategy.next(sight).filter(|step| !is_settling(step))
    }
}

impl Live for Settling {
    fn drive(&mut self, patience: Patience, beat: &Beat, strategy: &mut dyn Strategy) -> Verdict {
        drive(self, patience, beat, &mut UntilIdle { strategy, idle: 0 })
    }

    fn conclude(&mut self) -> Verdict {
        if self.workload.has_final_reads()
            && let Err(violation) = self.settle()
        {
            return Verdict::Fail(violation);
        }
        self.inner.conclude()
    }

    fn board(&self) -> &Board {
        self.inner.board()
    }

    fn poll(&mut self) {
        self.inner.poll();
    }

    fn perform(&mut self, step: &Step) -> Result<Result<(), Violation>, Refusal> {
        self.inner.perform(step)
    }

    fn inspect(&mut self) -> Result<(), Violation> {
        self.inner.inspect()
    }

    fn covered(&mut self) -> Vec<Vec<u64>> {
        self.inner.covered()
    }

    fn spec_step(&mut self) -> Option<SpecStep> {
        self.inner.spec_step()
    }

    fn looked_for(&self) -> Vec<LookedFor> {
        self.inner.looked_for()
    }

    fn checked(&self) -> Vec<Checked> {
        self.inner.checked()
    }

    fn close(&mut self, verdict: Verdict, longest: Duration) -> Verdict {
        self.inner.close(verdict, longest)
    }

    fn finish(self: Box<Self>) -> Trace {
        self.inner.finish()
    }
}

impl Insight for Settling {
    fn colour(&self, node: NodeId) -> u64 {
        self.inner.colour(node)
    }

    fn serves(&self, node: NodeId) -> bool {
        self.inner.serves(node)
    }

    fn holds(&self, family: usize, arguments: &[u64]) -> bool {
        self.inner.holds(family, arguments)
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.inner.contents(message)
    }
}
