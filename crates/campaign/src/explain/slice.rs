//! The slice: a set of steps that violates the property alone, and does not when any one of them is missing.
//!
//! Delta debugging as in shrinking, but over the places of one schedule: no step is replaced by another, so
//! every step of the schedule is either in the slice or was taken out of it.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use shakedown_cluster::Step;

use super::crowd::Crowd;
use super::trial::{End, Trial};

/// The most executions. Beyond it the slice is still replayed, but it may be larger than needed.
const EXECUTIONS_MAX: u64 = 6_000;

/// The slice of a schedule.
pub(super) struct Slice {
    /// The places of its steps.
    pub places: Vec<usize>,
    /// Whether each of them was taken out in vain.
    pub is_minimal: bool,
}

/// Takes out of the schedule what can go.
pub(super) fn slice(crowd: &mut Crowd<'_>) -> Slice {
    let all = (0..crowd.subject.steps.len()).collect();
    let mut search =
        Search { end: crowd.executions + EXECUTIONS_MAX, crowd, kept: all, vain: FxHashSet::default() };
    loop {
        let before = search.kept.len();
        search.without_chunks();
        search.without_partners();
        if search.kept.len() == before || search.is_spent() {
            break;
        }
    }
    Slice { is_minimal: !search.is_spent(), places: search.kept }
}

struct Search<'a, 'b> {
    crowd: &'a mut Crowd<'b>,
    kept: Vec<usize>,
    /// What was tried in vain.
    vain: FxHashSet<u64>,
    /// How many executions there may have been.
    end: u64,
}

impl Search<'_, '_> {
    fn is_spent(&self) -> bool {
        self.crowd.executions >= self.end
    }

    /// Halves, quarters, … single steps, the last ones first; single steps until none can go.
    fn without_chunks(&mut self) {
        let mut size = self.kept.len().div_ceil(2);
        while size > 0 && !self.is_spent() {
            let before = self.kept.len();
            let mut end = before;
            while end > 0 && !self.is_spent() {
                let chunks: Vec<_> = (1..=end.div_ceil(size))
                    .map(|n| (end.saturating_sub(n * size), end - (n - 1) * size))
                    .collect();
                match self.without(&chunks, |kept, &(from, to)| (from..to).map(|at| kept[at]).collect()) {
                    // What was done before the chunk is done as before.
                    Some(number) => end = chunks[number].0.min(self.kept.len()),
                    None => end = 0,
                }
            }
            if size > 1 || self.kept.len() == before {
                size /= 2;
            }
        }
    }

    /// A crash with its restart, and a cut with its healing: neither may be able to go without the other.
    fn without_partners(&mut self) {
        loop {
            let steps = self.crowd.subject.steps;
            let pairs: Vec<_> = self
                .kept
                .iter()
                .filter_map(|&first| {
                    let second = self
                        .kept
                        .iter()
                        .find(|&&second| second > first && ends(&steps[first], &steps[second]))?;
                    Some((first, *second))
                })
                .collect();
            if self.is_spent() || self.without(&pairs, |_, &(first, second)| vec![first, second]).is_none() {
                return;
            }
        }
    }

    /// Tries to go without each of these; the first that can go is gone. Gives its number.
    fn without<T: Sync>(
        &mut self,
        groups: &[T],
        gone: impl Fn(&[usize], &T) -> Vec<usize> + Sync,
    ) -> Option<usize> {
        let (kept, vain) = (&self.kept, &self.vain);
        let left = |number: usize| -> Vec<usize> {
            let gone = gone(kept, &groups[number]);
            kept.iter().copied().filter(|place| !gone.contains(place)).collect()
        };
        let found = self.crowd.first(
            groups.len(),
            |subject, number| {
                let left = left(number);
                (!vain.contains(&key(&left))).then(|| subject.planned(left))
            },
            |trial| trial.end == End::Same,
        );
        // In order, so that what is remembered does not depend on what ran beyond the first success.
        let tried = found.as_ref().map_or(groups.len(), |(number, _)| *number);
        let keys: Vec<_> = (0..tried).map(|number| key(&left(number))).collect();
        self.vain.extend(keys);
        let (number, Trial { done, .. }) = found?;
        self.kept = done;
        Some(number)
    }
}

/// Whether the second step undoes the first.
pub(super) fn ends(first: &Step, second: &Step) -> bool {
    match (first, second) {
        (Step::Crash { node, .. }, Step::Restart(other)) => node == other,
        (Step::Cut(a, b), Step::Heal(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
        _ => false,
    }
}

fn key(places: &[usize]) -> u64 {
    let mut hasher = FxHasher::default();
    places.hash(&mut hasher);
    hasher.finish()
}
