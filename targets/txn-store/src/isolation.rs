//! What the store promises, and the ways to break it.

use std::fmt;
use std::str::FromStr;

/// How transactions are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// A transaction reads a snapshot, and is aborted if anything that it read or wrote has changed since.
    #[default]
    StrictSerializable,
    /// Snapshots may miss the last commit: what has ended before a transaction began may not be seen.
    Lagging,
    /// Only what was written is looked at: two transactions may each miss what the other writes.
    Snapshot,
    /// Nothing is looked at: updates of the same version get lost.
    LostUpdates,
    /// Each read returns what is committed now: two reads may not fit together.
    ReadCommitted,
    /// Appends are there at once for everybody, and are taken back if the transaction is aborted.
    ReadUncommitted,
    /// Appends are there at once, and stay.
    Nothing,
    /// A transaction does not see its own appends.
    ForgetsOwn,
    /// A commit that arrives twice is done twice.
    CommitsTwice,
}

impl Isolation {
    /// Every way, the right one first.
    pub const ALL: [Isolation; 9] = [
        Isolation::StrictSerializable,
        Isolation::Lagging,
        Isolation::Snapshot,
        Isolation::LostUpdates,
        Isolation::ReadCommitted,
        Isolation::ReadUncommitted,
        Isolation::Nothing,
        Isolation::ForgetsOwn,
        Isolation::CommitsTwice,
    ];

    /// The name that the option has.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::StrictSerializable => "strict-serializable",
            Isolation::Lagging => "lagging",
            Isolation::Snapshot => "snapshot",
            Isolation::LostUpdates => "lost-updates",
            Isolation::ReadCommitted => "read-committed",
            Isolation::ReadUncommitted => "read-uncommitted",
            Isolation::Nothing => "nothing",
            Isolation::ForgetsOwn => "forgets-own",
            Isolation::CommitsTwice => "commits-twice",
        }
    }

    /// Whether appends are there for everybody before their transaction is committed.
    pub(crate) fn is_dirty(self) -> bool {
        matches!(self, Isolation::ReadUncommitted | Isolation::Nothing)
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isolation {
    type Err = String;

    fn from_str(text: &str) -> Result<Isolation, String> {
        let names = Isolation::ALL.map(Isolation::name);
        let known = Isolation::ALL.into_iter().find(|isolation| isolation.name() == text);
        known.ok_or_else(|| format!("it is one of {}", names.join(", ")))
    }
}
