//! How much memory the engine may take, in all.
//!
//! A hostile specification can fill the memory in many ways: values under construction, expanded definitions,
//! instances, automata, texts, states. Counting each would miss some, and would count what has been freed
//! long ago. So the caller hands in a gauge that reports what the whole process takes, and everything that
//! builds something draws on an [`Allowance`]: so many bytes may be built before the gauge is looked at
//! again. What is large asks for its bytes before they are taken.
//!
//! Without a gauge only what asks for more than the whole budget at once is refused.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Place, Result};

/// The most that is built between two looks at the gauge.
const GRANT_BYTES_MAX: usize = 8 << 20;
/// An allowance is never smaller: less room than this is none.
const GRANT_BYTES_MIN: usize = 64 << 10;

/// Reports how many bytes of memory the process takes.
pub type Gauge = Box<dyn Fn() -> usize + Send + Sync>;

/// A limit of memory that all threads of a run share.
#[derive(Clone, Default)]
pub struct Budget(Option<Arc<Shared>>);

struct Shared {
    bytes_max: usize,
    gauge: Option<Gauge>,
    /// What the allowances hold that may not be built yet.
    granted: Mutex<usize>,
}

impl Budget {
    /// A budget; the gauge reports what the process takes now.
    pub fn new(bytes_max: usize, gauge: Option<Gauge>) -> Budget {
        Budget(Some(Arc::new(Shared { bytes_max, gauge, granted: Mutex::new(0) })))
    }

    /// Whether the process takes more than the budget.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.0.as_ref().is_some_and(|shared| shared.used() > shared.bytes_max)
    }

    /// Whether there is a limit at all.
    pub(crate) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// The same budget with a quarter more, and allowances of its own: for what reports how a run ended.
    pub(crate) fn with_reserve(&self) -> Budget {
        let Some(shared) = self.0.clone() else { return Budget::default() };
        let bytes_max = shared.bytes_max.saturating_add(shared.bytes_max / 4);
        Budget::new(bytes_max, Some(Box::new(move || shared.used())))
    }

    /// The error of a budget that is used up.
    #[cold]
    pub(crate) fn error(&self, place: Place) -> Box<Error> {
        let mebibytes = self.0.as_ref().map_or(0, |shared| shared.bytes_max >> 20);
        let at = if place == Place::none() { String::new() } else { format!("{place}: ") };
        Box::new(Error::Limit { message: format!("{at}memory reached its limit of {mebibytes} MiB") })
    }
}

impl Shared {
    fn used(&self) -> usize {
        self.gauge.as_ref().map_or(0, |gauge| gauge())
    }
}

/// What one thread may build before it looks at the gauge again.
#[derive(Default)]
pub(crate) struct Allowance {
    budget: Budget,
    granted: usize,
    left: usize,
}

impl Allowance {
    pub(crate) fn new(budget: &Budget) -> Allowance {
        let left = if budget.is_limited() { 0 } else { usize::MAX };
        Allowance { budget: budget.clone(), granted: 0, left }
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Takes so many bytes for something that is built at a place.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize, place: Place) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.renew(bytes, place),
        }
    }

    /// Looks at the gauge, and takes so many bytes if they are there.
    #[cold]
    #[inline(never)]
    pub(crate) fn renew(&mut self, bytes: usize, place: Place) -> Result<()> {
        let Some(shared) = &self.budget.0 else {
            self.left = usize::MAX;
            return Ok(());
        };
        let mut granted = shared.granted.lock().unwrap_or_else(PoisonError::into_inner);
        // What this thread was granted is built by now, and shows on the gauge.
        *granted = granted.saturating_sub(std::mem::take(&mut self.granted));
        self.left = 0;
        let free = shared.bytes_max.saturating_sub(shared.used()).saturating_sub(*granted);
        if free < GRANT_BYTES_MIN.max(bytes) {
            drop(granted);
            return Err(self.budget.error(place));
        }
        self.granted = bytes + ((free - bytes) / 8).min(GRANT_BYTES_MAX);
        *granted += self.granted;
        self.left = self.granted - bytes;
        Ok(())
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        if let Some(shared) = &self.budget.0 {
            let mut granted = shared.granted.lock().unwrap_or_else(PoisonError::into_inner);
            *granted = granted.saturating_sub(self.granted);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn threads_together_are_granted_no_more_than_the_budget() {
        let used = Arc::new(AtomicUsize::new(60 << 20));
        let gauge = used.clone();
        let budget = Budget::new(100 << 20, Some(Box::new(move || gauge.load(Ordering::Relaxed))));
        let mut first = Allowance::new(&budget);
        let mut second = Allowance::new(&budget);
        assert!(first.take(30 << 20, Place::none()).is_ok());
        assert!(second.take(30 << 20, Place::none()).is_err(), "40 MiB are free, and 30 of them are granted");
        assert!(second.take(1 << 20, Place::none()).is_ok());
        drop(first);
        assert!(second.take(30 << 20, Place::none()).is_ok(), "what was granted comes back");
        used.store(101 << 20, Ordering::Relaxed);
        let refused = second.renew(0, Place::none()).unwrap_err();
        assert_eq!(refused.to_string(), "memory reached its limit of 100 MiB");
        assert!(Allowance::new(&Budget::default()).take(usize::MAX, Place::none()).is_ok());
    }

    #[test]
    fn without_a_gauge_what_is_larger_than_the_budget_is_refused() {
        let mut allowance = Allowance::new(&Budget::new(1 << 20, None));
        for _ in 0..100 {
            assert!(allowance.take(1 << 18, Place::none()).is_ok());
        }
        assert!(allowance.take(2 << 20, Place::none()).is_err());
    }
}
