//! Instants of a node's clock.

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

/// An instant of a node's clock, which goes on with ticks only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant {
    nanos: u64,
}

impl Instant {
    /// When the clocks of all nodes begin. Programs go back from an instant by a while, so this is not 0 but
    /// an hour.
    pub const BEGIN: Instant = Instant { nanos: 3_600_000_000_000 };

    /// How long after [`Instant::BEGIN`] this is.
    pub fn since_begin(self) -> Duration {
        self - Instant::BEGIN
    }

    /// How long after `earlier` this is; nothing if it is not.
    pub fn duration_since(self, earlier: Instant) -> Duration {
        self - earlier
    }
}

/// As nanoseconds; what does not fit is as long as can be.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, duration: Duration) -> Instant {
        Instant { nanos: self.nanos.saturating_add(nanos(duration)) }
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, duration: Duration) -> Instant {
        Instant { nanos: self.nanos.saturating_sub(nanos(duration)) }
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        Duration::from_nanos(self.nanos.saturating_sub(earlier.nanos))
    }
}
