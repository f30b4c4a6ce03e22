//! How the runtime of a node works.

use std::time::Duration;

/// What becomes of a node that does what is not controlled: it starts a thread (`spawn_blocking` does, and
/// `tokio::fs`), or makes its thread wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Uncontrolled {
    /// It is a finding, which names what it was and where.
    #[default]
    Finding,
    /// It goes on. Whether two runs of a seed are the same is up to the target.
    Tolerated,
}

/// How the runtime of a node works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How far one tick moves the clock. Timers of tokio are exact to a millisecond.
    pub tick: Duration,
    /// How many times the runtime may look for events in one instant of a step; it does after 61 polls at the
    /// latest. A node that is busy still has hung: a finding.
    pub looks_max: u32,
    /// The most bytes of one segment. What a node writes to a connection in one step is one segment
    /// otherwise.
    pub segment_max: usize,
    /// What becomes of threads.
    pub uncontrolled: Uncontrolled,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tick: Duration::from_millis(10),
            looks_max: 10_000,
            segment_max: 1 << 16,
            uncontrolled: Uncontrolled::Finding,
        }
    }
}
