//! Harnesses: which requests clients send, to whom and in which phase.

use std::sync::Arc;

use shakedown_cluster::{NodeId, Random};

/// When a request is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At the beginning of this phase, counted from 1.
    Phase(u32),
    /// At the beginning of the first phase in which every request before it is answered.
    Answered,
    /// At the beginning of this phase of the recovery, counted from 1.
    Recovery(u32),
}

/// A request with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// When it is sent.
    pub when: When,
    /// The node that is asked.
    pub node: NodeId,
    /// What is asked, as JSON.
    pub op: Arc<str>,
}

/// What a harness is made for.
pub struct Occasion<'a> {
    /// The number of the execution in its campaign: a harness that enumerates takes the one of this number.
    pub execution: u64,
    /// How many nodes the cluster has.
    pub nodes: usize,
    /// Randomness that comes from the seed of the execution: a harness that samples draws from it.
    pub random: &'a mut Random,
}

/// Makes the requests of one execution.
pub type HarnessMaker = Arc<dyn Fn(&mut Occasion<'_>) -> Vec<Placed> + Send + Sync>;

/// A harness that a target offers.
#[derive(Clone)]
pub struct Harness {
    /// The name that it is chosen by.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Makes its requests.
    pub make: HarnessMaker,
}
