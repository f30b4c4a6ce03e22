//! What the store promises, and the ways to break it.

use std::fmt;
use std::str::FromStr;

/// How transactions are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// A transaction reads a snapshot, and is aborted if anything that it read or wrote has changed since.
    #[default]
    StrictSerializable,
    /// Snapshots miss the last commit if another node made it: what had ended before a transaction began may
    /// not be seen.
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
    /// Each node sees its own commits at once and those of others late: two readers may see two commits in
    /// different orders.
    Forks,
    /// Of a commit to several keys, all but the first wait for the next commit, which is put in as a whole,
    /// and stand behind it.
    TearsCommits,
    /// What an aborted transaction appended stays.
    LeaksAborts,
    /// Of two elements that one commit put at the end of a list, a read returns the first only.
    CutsCommits,
    /// Reads return what transactions have appended that are still running; none is ever aborted.
    Peeks,
    /// Where a list has two elements or more, reads by node 2 return the last two the other way round.
    Shuffles,
    /// Where a list is empty, reads return an element that nobody appended.
    Invents,
    /// All that a transaction will append is in the lists as soon as it begins, for everybody; none is ever
    /// aborted.
    Announces,
    /// Each read of a transaction that appends nothing returns what is committed now.
    MixesSnapshots,
    /// A transaction sees its own appends before it makes them.
    Foresees,
    /// What an aborted transaction appended stays, and is seen when something that was committed stands
    /// behind it.
    BuriesAborts,
}

impl Isolation {
    /// Every way, the right one first.
    pub const ALL: [Isolation; 20] = [
        Isolation::StrictSerializable,
        Isolation::Lagging,
        Isolation::Snapshot,
        Isolation::LostUpdates,
        Isolation::ReadCommitted,
        Isolation::ReadUncommitted,
        Isolation::Nothing,
        Isolation::ForgetsOwn,
        Isolation::CommitsTwice,
        Isolation::Forks,
        Isolation::TearsCommits,
        Isolation::LeaksAborts,
        Isolation::CutsCommits,
        Isolation::Peeks,
        Isolation::Shuffles,
        Isolation::Invents,
        Isolation::Announces,
        Isolation::MixesSnapshots,
        Isolation::Foresees,
        Isolation::BuriesAborts,
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
            Isolation::Forks => "forks",
            Isolation::TearsCommits => "tears-commits",
            Isolation::LeaksAborts => "leaks-aborts",
            Isolation::CutsCommits => "cuts-commits",
            Isolation::Peeks => "peeks",
            Isolation::Shuffles => "shuffles",
            Isolation::Invents => "invents",
            Isolation::Announces => "announces",
            Isolation::MixesSnapshots => "mixes-snapshots",
            Isolation::Foresees => "foresees",
            Isolation::BuriesAborts => "buries-aborts",
        }
    }

    /// Whether appends are there for everybody before their transaction is committed.
    pub(crate) fn is_dirty(self) -> bool {
        matches!(
            self,
            Isolation::ReadUncommitted | Isolation::Nothing | Isolation::Peeks | Isolation::Announces
        )
    }

    /// Whether no transaction is ever aborted.
    pub(crate) fn commits_all(self) -> bool {
        matches!(self, Isolation::Peeks | Isolation::Announces)
    }

    /// Whether what an aborted transaction appended is put into the lists all the same.
    pub(crate) fn keeps_aborts(self) -> bool {
        matches!(self, Isolation::LeaksAborts | Isolation::BuriesAborts)
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
