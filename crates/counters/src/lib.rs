//! The counters that `-C instrument-coverage` puts into a crate, read and cleared while the program runs.
//!
//! An instrumented function has a few 64-bit counters, from which it follows how often each of its blocks was
//! run. The linker puts those of all functions beside each other, into the section `__llvm_prf_cnts`. This
//! crate looks whether the program has such a section: if not, nothing was instrumented and [`Counters::get`]
//! says so. It needs neither a feature nor a flag of its own, and the profiling runtime of LLVM, which would
//! write a file when the program ends, stays out.
//!
//! This is one of the few crates of the workspace in which `unsafe` is allowed: a section can only be reached
//! by its address. Everything that is unsafe is in [`section`], and callers see safe functions only.

mod section;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// All counters of this program. They belong to the process: what other threads run is counted as well.
#[derive(Clone, Copy)]
pub struct Counters {
    all: &'static [AtomicU64],
}

impl Counters {
    /// The counters; nothing if no crate of this program was instrumented.
    pub fn get() -> Option<Counters> {
        let all = section::counters();
        (!all.is_empty()).then_some(Counters { all })
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.all.len()
    }

    /// Sets all of them to zero.
    pub fn clear(self) {
        self.all.iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    /// The counters that are not zero, by number, each with its value.
    pub fn hits(self) -> impl Iterator<Item = (usize, u64)> {
        let values = self.all.iter().map(|counter| counter.load(Ordering::Relaxed));
        values.enumerate().filter(|(_, hits)| *hits > 0)
    }

    /// A number for what the counters stand for: it differs between builds whose instrumented functions
    /// differ.
    pub fn build(self) -> u64 {
        static BUILD: OnceLock<u64> = OnceLock::new();
        *BUILD.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.count(), section::names()).hash(&mut hasher);
            hasher.finish()
        })
    }
}
