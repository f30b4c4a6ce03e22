//! Detours: out of a dead end, somewhere in the schedule a few steps are replaced by fewer random ones, or a
//! step moves.
//!
//! What then violates the property and is no longer than before is gone on from. There is always another
//! detour, so the search ends when nothing has got shorter for a while (`scripts/shrinking.sh` measures what
//! that costs and comes to).

use shakedown_cluster::Random;

use super::candidate::{Best, Candidate, Planned, Size, is_mark};
use super::search::Search;

/// How many executions may be in vain. Fewer make schedules longer: a patience that grew with the length of
/// the schedule and with what the gains had cost saved two thirds of the executions, but made raft's findings
/// by `pos` and `pctcp` longer by a sixth to a quarter.
const PATIENCE: u64 = 40_000;
/// A short schedule has few places for a detour: so many executions in vain are enough for each pair of its
/// steps.
const PATIENCE_PER_PAIR: u64 = 400;
/// The most steps that a detour replaces.
const DETOUR_STEPS_MAX: usize = 12;

impl Search<'_> {
    /// Tries detours. Whether something shorter was met.
    pub(super) fn by_detours(&mut self) -> bool {
        let before = self.size();
        // Random steps would spoil what rounds leave of order, and there is no time for them where steps are
        // real processes'.
        if !self.target.info().is_deterministic || before.1 == 0 || self.best.steps().iter().any(is_mark) {
            return false;
        }
        let dead_end = self.best.clone();
        let is_no_longer = |new: Size| new.0 == before.0 && new.1 <= before.1;
        while let Some(left) = self.patience() {
            let found = self.first(left, |best, _, random| Some(detour(best, random)), is_no_longer);
            if self.size() < before {
                return true;
            }
            if found.is_none() {
                break;
            }
        }
        self.best = dead_end;
        false
    }

    /// How many more executions may be in vain.
    fn patience(&self) -> Option<u64> {
        let steps = self.size().1 as u64;
        let patience = PATIENCE.min(PATIENCE_PER_PAIR.saturating_mul(steps.saturating_mul(steps)));
        patience.checked_sub(self.executions - self.gained_at).filter(|&left| left > 0)
    }
}

/// The schedule with a random change.
fn detour(best: &Best, random: &mut Random) -> Candidate {
    let mut plan = Candidate::of(best.steps().iter().cloned()).plan;
    if random.below(2) == 0 {
        let start = random.index(plan.len());
        let gone = 1 + random.index((plan.len() - start).min(DETOUR_STEPS_MAX));
        let new = random.index(gone + 1);
        plan.splice(start..start + gone, std::iter::repeat_n(Planned::Random, new));
    } else {
        let step = plan.remove(random.index(plan.len()));
        plan.insert(random.index(plan.len() + 1), step);
        for _ in 0..random.below(4).min(plan.len() as u64) {
            plan.remove(random.index(plan.len()));
        }
    }
    Candidate { config: None, plan }
}
