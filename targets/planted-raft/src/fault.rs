//! The option that plants a fault.

use std::fmt;
use std::str::FromStr;

/// What is wrong with the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fault {
    /// Nothing: the Raft of Ongaro's thesis.
    #[default]
    None,
    /// A third of the servers and one more are taken for a quorum, n/3+1. Harmless with 3 servers, where that
    /// is 2.
    QuorumThird,
    /// The vote is not written to the disk: who restarts may vote again in the same term.
    VoteNotPersisted,
    /// The term is not written to the disk: who restarts begins with term 0 again.
    TermNotPersisted,
    /// Votes are counted by responses and not by servers, so a response that arrives twice is two votes.
    /// Harmless with 3 servers, where one vote of another is enough.
    DuplicateVoteCounted,
    /// A leader commits whatever a quorum has, also entries of older terms, which another leader may still
    /// overwrite (figure 3.7 of the thesis).
    CommitOlderTerm,
    /// An entry that contradicts the leader's is overwritten, but those that followed it stay in the log.
    NoTruncation,
    /// A snapshot is installed whatever the log holds: one that comes late takes the server back.
    SnapshotOverNewer,
    /// An append of an older term is accepted, and with it a leader that was deposed.
    StaleAppend,
    /// A candidate counts the no-op that it will begin its term with as if it were data in its log already,
    /// so that its log compares as newer than any other, whatever it lacks.
    NoopInComparison,
    /// A leader changes the membership before it has committed an entry of its own term: single-server
    /// changes as first published, before the correction of 2015.
    ReconfigurationUnfixed,
    /// Who restarts has no election timer until it hears of a newer term: it does not run for leader. No
    /// invariant is violated; an action is missing.
    TimerLostAtRestart,
    /// A server that is removed still runs for leader. No invariant is violated; an action is there that
    /// should not be.
    RemovedCampaigns,
}

impl Fault {
    /// Every fault; the first is none.
    pub const ALL: [Fault; 13] = [
        Fault::None,
        Fault::QuorumThird,
        Fault::VoteNotPersisted,
        Fault::TermNotPersisted,
        Fault::DuplicateVoteCounted,
        Fault::CommitOlderTerm,
        Fault::NoTruncation,
        Fault::SnapshotOverNewer,
        Fault::StaleAppend,
        Fault::NoopInComparison,
        Fault::ReconfigurationUnfixed,
        Fault::TimerLostAtRestart,
        Fault::RemovedCampaigns,
    ];

    /// Whether some execution violates an invariant of Raft. Other faults show only beside a specification.
    pub fn violates_invariants(self) -> bool {
        !matches!(self, Fault::None | Fault::TimerLostAtRestart | Fault::RemovedCampaigns)
    }

    fn name(self) -> &'static str {
        match self {
            Fault::None => "none",
            Fault::QuorumThird => "quorum-third",
            Fault::VoteNotPersisted => "vote-not-persisted",
            Fault::TermNotPersisted => "term-not-persisted",
            Fault::DuplicateVoteCounted => "duplicate-vote-counted",
            Fault::CommitOlderTerm => "commit-older-term",
            Fault::NoTruncation => "no-truncation",
            Fault::SnapshotOverNewer => "snapshot-over-newer",
            Fault::StaleAppend => "stale-append",
            Fault::NoopInComparison => "noop-in-comparison",
            Fault::ReconfigurationUnfixed => "reconfiguration-unfixed",
            Fault::TimerLostAtRestart => "timer-lost-at-restart",
            Fault::RemovedCampaigns => "removed-campaigns",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let known = Fault::ALL.into_iter().find(|fault| fault.name() == text);
        known.ok_or_else(|| format!("it is one of {}", Fault::ALL.map(Fault::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_name_that_reads_back() {
        for fault in Fault::ALL {
            assert_eq!(fault.to_string().parse(), Ok(fault));
        }
        assert!("bogus".parse::<Fault>().unwrap_err().starts_with("it is one of none, quorum-third"));
    }
}
