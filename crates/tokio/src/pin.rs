//! Cores: a cluster and the threads of its nodes share one, for only one of them runs at a time. A step then
//! wakes up nobody on another core, which takes several times as long.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// How many clusters there are on each core.
static CLUSTERS: Mutex<BTreeMap<usize, u32>> = Mutex::new(BTreeMap::new());

thread_local! {
    static PINNED: RefCell<Option<Pinned>> = const { RefCell::new(None) };
}

/// The core of the current thread, how many lives there are on it, and the cores that the thread had before.
struct Pinned {
    core: usize,
    lives: u32,
    before: CpuSet,
}

/// The time in which a life that the current thread has begun is on its core.
pub(crate) struct Share(());

impl Share {
    /// Puts the current thread on one core, unless it is, and with it the threads that it starts.
    pub fn begin() -> Share {
        PINNED.with_borrow_mut(|pinned| match pinned {
            Some(pinned) => pinned.lives += 1,
            None => *pinned = pin(),
        });
        Share(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        PINNED.with_borrow_mut(|pinned| {
            let Some(known) = pinned else { return };
            known.lives -= 1;
            if known.lives == 0 {
                // Without it everything works, only slower.
                let _ = sched_setaffinity(None, &known.before);
                count(known.core, |clusters| clusters.saturating_sub(1));
                *pinned = None;
            }
        });
    }
}

fn count(core: usize, change: impl FnOnce(u32) -> u32) {
    let mut clusters = CLUSTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = clusters.entry(core).or_default();
    *known = change(*known);
}

/// Chooses the core with the fewest clusters; the one that the thread is on, if it is among them.
fn pin() -> Option<Pinned> {
    let before = sched_getaffinity(None).ok()?;
    let current = sched_getcpu();
    let mut clusters = CLUSTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let cores = (0..CpuSet::MAX_CPU).filter(|core| before.is_set(*core));
    let core =
        cores.min_by_key(|core| (clusters.get(core).copied().unwrap_or(0), *core != current, *core))?;
    *clusters.entry(core).or_default() += 1;
    drop(clusters);
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
    Some(Pinned { core, lives: 1, before })
}
