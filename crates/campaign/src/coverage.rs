//! Coverage: everything that a guide has seen in a campaign, and how it grew.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use shakedown_check::LookedFor;

/// What a guide has seen so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// The guide.
    pub guide: String,
    /// How it grew.
    pub curve: Vec<Point>,
    /// The execution that covered something new last, counted from 1; 0 if there was none.
    pub last_new: u64,
    /// What the guide looks out for and has not seen yet, by name; nothing as long as it has not said what
    /// that is.
    #[serde(default)]
    never: Option<Vec<String>>,
    /// Everything that was covered. It is kept apart from the rest, for it only grows.
    #[serde(skip)]
    known: FxHashSet<u64>,
    /// What has been covered since it was last kept.
    #[serde(skip)]
    fresh: Vec<u64>,
}

/// A point of a curve: after this number of executions, this number of items was covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// How many executions.
    pub executions: u64,
    /// How much was covered.
    pub covered: u64,
}

impl Coverage {
    /// Nothing yet.
    pub fn new(guide: impl Into<String>) -> Coverage {
        Coverage { guide: guide.into(), ..Coverage::default() }
    }

    /// How much was covered.
    pub fn covered(&self) -> u64 {
        self.known.len() as u64
    }

    /// What the guide looks out for and has never seen, such as actions of a model that were never taken.
    pub fn never(&self) -> &[String] {
        self.never.as_deref().unwrap_or_default()
    }

    /// Takes in which of the things that the guide looks out for an execution had.
    pub(crate) fn look(&mut self, looked_for: &LookedFor) {
        let LookedFor { names, happened } = *looked_for;
        if names.is_empty() {
            return;
        }
        let never = self.never.get_or_insert_with(|| names.iter().map(|&name| name.to_owned()).collect());
        if !never.is_empty() {
            let seen = |name: &String| {
                let place = names.iter().position(|known| known == name);
                place.is_some_and(|place| place < 64 && happened & 1 << place != 0)
            };
            never.retain(|name| !seen(name));
        }
    }

    /// Takes in what the execution after `executions - 1` others covered, and gives what of it is new.
    pub fn take(&mut self, executions: u64, covered: &[u64]) -> Vec<u64> {
        let new: Vec<_> = covered.iter().copied().filter(|item| self.known.insert(*item)).collect();
        self.fresh.extend_from_slice(&new);
        if !new.is_empty() {
            self.last_new = executions;
        }
        if is_marked(executions) {
            self.curve.push(Point { executions, covered: self.covered() });
        }
        new
    }

    /// What has been covered since this was last asked.
    pub fn take_fresh(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.fresh)
    }

    /// Takes up what an earlier run had covered.
    pub fn take_up(&mut self, covered: impl IntoIterator<Item = u64>) {
        self.known.extend(covered);
    }

    /// Takes in which of the things that the guide looks out for another part of the campaign has seen.
    pub(crate) fn look_at_part(&mut self, part: &Coverage) {
        match (&mut self.never, &part.never) {
            (Some(never), Some(theirs)) => never.retain(|name| theirs.contains(name)),
            (never @ None, theirs) => *never = theirs.clone(),
            (Some(_), None) => {}
        }
    }

    /// The curve and its end, after this number of executions in all.
    pub fn whole_curve(&self, executions: u64) -> Vec<Point> {
        let mut curve = self.curve.clone();
        if curve.last().is_none_or(|last| last.executions < executions) {
            curve.push(Point { executions, covered: self.covered() });
        }
        curve
    }
}

/// Whether the curve has a point after this number of executions: numbers of two digits followed by zeros
/// have. So there are ninety points to a power of ten, and they are the same ones however long the campaign
/// is.
fn is_marked(executions: u64) -> bool {
    let mut rest = executions;
    while rest >= 100 && rest.is_multiple_of(10) {
        rest /= 10;
    }
    rest < 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_the_same_points_however_long_it_is() {
        let marked: Vec<_> = (1..=12_000).filter(|&executions| is_marked(executions)).collect();
        assert_eq!(marked[..3], [1, 2, 3]);
        assert_eq!(marked[98..102], [99, 100, 110, 120]);
        assert_eq!(marked[187..191], [980, 990, 1_000, 1_100]);
        assert_eq!(*marked.last().expect("there are some"), 12_000);
        assert_eq!(marked.len(), 99 + 90 + 90 + 3);
    }

    #[test]
    fn what_a_guide_looks_out_for_is_told_until_it_comes() {
        let mut coverage = Coverage::new("model");
        assert!(coverage.never().is_empty(), "nothing is known of it yet");
        let looked_for = |happened| LookedFor { names: &["Crash", "Restart", "Elect"], happened };
        coverage.look(&looked_for(0b001));
        assert_eq!(coverage.never(), ["Restart", "Elect"]);
        coverage.look(&looked_for(0b101));
        assert_eq!(coverage.never(), ["Restart"]);
        coverage.look(&looked_for(0));
        assert_eq!(coverage.never(), ["Restart"]);
    }

    #[test]
    fn what_is_new_is_new_once() {
        let mut coverage = Coverage::new("state");
        assert_eq!(coverage.take(1, &[3, 1]), [3, 1]);
        assert_eq!(coverage.take(2, &[1, 2]), [2]);
        assert_eq!(coverage.take_fresh(), [3, 1, 2]);
        assert!(coverage.take_fresh().is_empty());
        assert_eq!(coverage.covered(), 3);
        assert_eq!(coverage.whole_curve(5).last(), Some(&Point { executions: 5, covered: 3 }));
    }
}
