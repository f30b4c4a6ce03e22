//! Journals: what each execution of a part adds to the whole campaign.
//!
//! Two things depend on the order of all executions: the fingerprint of all traces, and which execution
//! covered something first. A campaign that does not begin with execution 0 may be a later part of another
//! one, so it also records these two for each execution. With them the parts are joined exactly, see
//! [`crate::PartRecord`].

use shakedown_cluster::Fingerprint;

/// What one execution added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JournalEntry {
    /// The fingerprint of its trace; `None` if the cluster did not boot.
    pub fingerprint: Option<Fingerprint>,
    /// How many things each guide saw for the first time in this part; empty if the cluster did not boot.
    pub new: Vec<u32>,
}

impl JournalEntry {
    pub(crate) fn of(fingerprint: Option<Fingerprint>, new: &[Vec<u64>]) -> JournalEntry {
        // An execution has at most as many states as steps, so the number always fits.
        let count = |new: &Vec<u64>| u32::try_from(new.len()).unwrap_or(u32::MAX);
        JournalEntry { fingerprint, new: new.iter().map(count).collect() }
    }
}
