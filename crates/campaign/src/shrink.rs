//! Shrinking: the same violation by a schedule that a person can read.
//!
//! First the strategy that found the failure is asked for simpler executions of its own kind
//! ([`Explorer::simpler`](shakedown_explore::Explorer::simpler)): one isolation fewer, say. Then delta
//! debugging over steps with tolerant replay: take steps out, do the rest as far as it can be done, and keep
//! what was done if the same property is violated. Marks of rounds are not steps to be saved: they stay as
//! long as there is anything in their round. Whole groups go first (every crash, everything at one node, the
//! node itself), then halves, quarters, … down to single steps, and unflushed writes that survive crashes.
//! That is quick, and its result is reported while the search goes on: by detours, in which a few steps are
//! replaced by fewer random ones, and at last by pairs of steps. It ends when nothing has got shorter for a
//! while; shrinking what it came to goes on with a fresh budget.
//!
//! Every candidate is run, but none twice. Candidates run side by side, and the first one in their order that
//! succeeds counts: the result is deterministic unless a time limit cuts it short, and then it says so.

mod bench;
mod candidate;
mod detours;
mod fewer_nodes;
mod passes;
mod search;

use std::time::Duration;

pub(crate) use self::bench::{SHRINK_BENCH, ShrinkBench};
use self::candidate::Best;
pub(crate) use self::search::Hands;
use self::search::{NotRepeated, Search};
use crate::workers::Crew;
use crate::{AnyTarget, Beat, Failure, Fleet, Progress};

/// How much work shrinking may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkLimits {
    /// The most executions.
    pub executions: u64,
    /// The most time.
    pub time: Option<Duration>,
}

impl Default for ShrinkLimits {
    fn default() -> ShrinkLimits {
        ShrinkLimits { executions: 1_000_000, time: Some(Duration::from_secs(60)) }
    }
}

/// What shrinking came to.
pub struct Shrunk {
    /// The failure, with the shortest schedule found.
    pub failure: Failure,
    /// How many executions it took.
    pub executions: u64,
    /// In how many executions at the end nothing got shorter.
    pub fruitless: u64,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

/// Looks for a shorter schedule that violates the same property.
pub fn shrink(target: &dyn AnyTarget, failure: &Failure, limits: ShrinkLimits, beat: &Beat) -> Shrunk {
    shrink_by(Hands::Own(beat), target, failure, limits, &mut |_, _| {})
}

/// The same with this many candidates side by side. The first short schedule is reported to `progress` while
/// the search goes on; a call of a node that takes longer than `step_time` ends the process, see
/// [`Progress::stuck`]. A fleet tries what takes longer.
pub fn shrink_side_by_side(
    target: &dyn AnyTarget,
    failure: &Failure,
    limits: ShrinkLimits,
    jobs: usize,
    step_time: Duration,
    fleet: Option<&dyn Fleet>,
    progress: &dyn Progress,
) -> Shrunk {
    Crew { jobs, step_time, deadline: None, stop: None, progress }.shift(|shift| {
        let mut heard = |failure: Failure, executions| progress.shrunk(&failure, executions);
        shrink_by(Hands::Crew(shift, fleet), target, failure, limits, &mut heard)
    })
}

/// The same by these hands. `heard` gets the first short schedule, and how many executions it took.
pub(crate) fn shrink_by(
    hands: Hands<'_>,
    target: &dyn AnyTarget,
    failure: &Failure,
    limits: ShrinkLimits,
    heard: &mut dyn FnMut(Failure, u64),
) -> Shrunk {
    let mut search = match Search::begin(target, failure, limits, hands) {
        Ok(search) => search,
        Err(NotRepeated { executions, cut_short }) => {
            let mut failure = failure.clone();
            failure.repeats = cut_short.is_some();
            return Shrunk { failure, executions, fruitless: executions, cut_short };
        }
    };
    if target.info().is_deterministic {
        search.by_simpler_executions(failure);
    }
    search.by_passes();
    if search.cut_short.is_none() {
        heard(shrunk(failure, search.best.clone()), search.executions);
    }
    while search.cut_short.is_none() && (search.by_detours() || search.without_a_pair()) {
        search.by_passes();
    }
    if target.info().is_deterministic {
        search.without_empty_rounds();
        search.with_requests_in_order();
        search.with_fewer_requests();
    }
    let fruitless = search.executions - search.gained_at;
    let Search { best, executions, cut_short, .. } = search;
    Shrunk { failure: shrunk(failure, best), executions, fruitless, cut_short }
}

/// The failure with this schedule.
fn shrunk(failure: &Failure, best: Best) -> Failure {
    let mut shrunk = failure.with_schedule(&best.config, best.violation, &best.trace);
    (shrunk.found.shrunk, shrunk.repeats) = (true, true);
    shrunk
}
