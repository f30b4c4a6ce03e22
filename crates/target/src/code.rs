//! The code of the target as a guide: which of the compiler's counters an execution moved, and how far.
//!
//! Counters belong to the process. So a campaign that looks at them runs one execution at a time, whatever
//! its number of jobs is, and no other campaign runs beside it ([`Turn`]); what comes of it is the same,
//! since jobs never change a result.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use shakedown_check::Guide;
use shakedown_cluster::Cluster;
use shakedown_counters::Counters;

use crate::guides::GuideInfo;

/// Counts parts of the target's code, by how often they were run in an execution.
pub(crate) const CODE: GuideInfo = GuideInfo {
    name: "code",
    about: "parts of the target's code, and how often they run: 1, 2, 3, 4, 8, 16, 32 or 128 times (instrumented builds only)",
};

/// Counts parts of the target's code that were run at all.
pub(crate) const BLOCKS: GuideInfo = GuideInfo {
    name: "blocks",
    about: "parts of the target's code that ran at all (instrumented builds only)",
};

/// How to get counters.
const NOT_INSTRUMENTED: &str = "this program was built without counters. Build it with them: \
    RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo run --release --target-dir target/instrumented -- run … \
    (Linux, 64 bits; see docs/fuzz.md)";

/// Whether a guide of this name looks at counters.
fn looks_at_counters(guide: &str) -> bool {
    [CODE, BLOCKS].iter().any(|info| info.name == guide)
}

/// See [`CODE`] and [`BLOCKS`].
pub(crate) struct Code {
    counters: Counters,
    by_count: bool,
}

impl Code {
    /// The guide of this name, if it is one of these; the error says why it cannot be had.
    pub fn named(name: &str) -> Option<Result<Code, String>> {
        looks_at_counters(name).then(|| {
            let counters = Counters::get().ok_or(NOT_INSTRUMENTED)?;
            Ok(Code { counters, by_count: name == CODE.name })
        })
    }

    /// To be called right before an execution boots, when everything else is ready: from here on, what the
    /// target runs is the execution's.
    pub fn begin(guides: &[String]) {
        if guides.iter().any(|guide| looks_at_counters(guide))
            && let Some(counters) = Counters::get()
        {
            counters.clear();
        }
    }
}

impl<S> Guide<S> for Code {
    fn covered(&mut self, _cluster: &dyn Cluster<State = S>) -> Vec<u64> {
        // Counters and classes are few: beside each other they are a number of their own, to which that of
        // the build is added so that a campaign that goes on with another build does not take one counter for
        // another.
        let build = self.counters.build();
        let item = |(counter, hits): (usize, u64)| {
            let class = if self.by_count { class(hits) } else { 0 };
            build ^ ((counter as u64) << 4 | u64::from(class))
        };
        self.counters.hits().map(item).collect()
    }
}

/// The classes of AFL: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, 128 and more.
fn class(hits: u64) -> u8 {
    match hits {
        0..4 => hits as u8,
        4..8 => 4,
        8..16 => 5,
        16..32 => 6,
        32..128 => 7,
        _ => 8,
    }
}

/// Who may run now, in a program with counters: one campaign that looks at them, or any number of others.
static FLOOR: RwLock<()> = RwLock::new(());

/// The turn of a campaign, as long as it is held.
pub enum Turn {
    /// Nobody else runs.
    Alone(RwLockWriteGuard<'static, ()>),
    /// Nobody runs who looks at counters.
    Together(RwLockReadGuard<'static, ()>),
    /// There are no counters.
    Free,
}

impl Turn {
    /// Waits for the turn of a campaign with these guides.
    pub fn take(guides: &[String]) -> Turn {
        if Counters::get().is_none() {
            return Turn::Free;
        }
        if guides.iter().any(|guide| looks_at_counters(guide)) {
            return Turn::Alone(FLOOR.write().unwrap_or_else(PoisonError::into_inner));
        }
        Turn::Together(FLOOR.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the campaign looks at counters.
    pub fn is_alone(&self) -> bool {
        matches!(self, Turn::Alone(_))
    }

    /// How many executions may run side by side, if so many could.
    pub fn jobs(&self, jobs: usize) -> usize {
        if self.is_alone() { 1 } else { jobs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_fall_into_the_classes_of_afl() {
        let firsts: Vec<u64> = (1..300).filter(|&hits| class(hits) != class(hits - 1)).collect();
        assert_eq!(firsts, [1, 2, 3, 4, 8, 16, 32, 128]);
        assert_eq!(class(u64::MAX), class(128));
    }
}
