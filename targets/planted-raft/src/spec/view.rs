//! What is compared of a server.

use shakedown_cluster::{NodeId, NodeSet};
use shakedown_rafts::{Role, spec};

use crate::protocol::{Command, Entry, Progress, Snapshot};

/// The mapped variables of one server.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are those of the node's own view")]
pub struct ServerView {
    pub term: u64,
    pub role: Role,
    pub vote: Option<NodeId>,
    pub commit: u64,
    /// Stands for what applying the log has led to.
    pub machine: u64,
    pub snapshot: SnapshotView,
    /// The entries after the snapshot.
    pub entries: Vec<Entry>,
    pub voters: NodeSet,
    pub votes_responded: NodeSet,
    pub votes_granted: NodeSet,
    /// What a leader knows of every server; nothing of who does not lead.
    pub progress: Vec<Progress>,
}

/// What is compared of a snapshot on a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotView {
    /// The index of the last entry that is in it.
    pub index: u64,
    /// The term of that entry.
    pub term: u64,
    /// The voters after it.
    pub voters: NodeSet,
    /// Stands for the state machine after it.
    pub machine: u64,
}

impl spec::ServerView for ServerView {
    const VARIABLES: &'static [&'static str] = &[
        "active",
        "currentTerm",
        "votedFor",
        "role",
        "votesResponded",
        "votesGranted",
        "log",
        "snapshotIndex",
        "commitIndex",
        "voters",
        "machine",
        "nextIndex",
        "matchIndex",
    ];

    fn show(&self) -> Vec<(&'static str, String)> {
        let mut shown = Vec::new();
        let mut show = |variable, value: String| shown.push((variable, value));
        show("currentTerm", self.term.to_string());
        show("votedFor", self.vote.map_or("nobody".to_owned(), |vote| vote.number().to_string()));
        show("role", format!("{:?}", self.role).to_lowercase());
        show("votesResponded", set(self.votes_responded));
        show("votesGranted", set(self.votes_granted));
        show("log", self.entries.iter().map(entry_text).collect::<Vec<_>>().join(" "));
        let SnapshotView { index, term, voters, machine } = self.snapshot;
        let more = if index == 0 {
            String::new()
        } else {
            format!(" of term {term}, voters {}, machine {machine:x}", set(voters))
        };
        show("snapshotIndex", format!("{index}{more}"));
        show("commitIndex", self.commit.to_string());
        show("voters", set(self.voters));
        show("machine", format!("{:x}", self.machine));
        let each = |of: fn(&Progress) -> u64| {
            let numbers: Vec<_> = self.progress.iter().map(|progress| of(progress).to_string()).collect();
            if numbers.is_empty() { "none, for it does not lead".to_owned() } else { numbers.join(" ") }
        };
        show("nextIndex", each(|progress| progress.next));
        show("matchIndex", each(|progress| progress.matched));
        shown
    }
}

fn set(nodes: NodeSet) -> String {
    let numbers: Vec<_> = nodes.iter().map(|node| node.number().to_string()).collect();
    format!("{{{}}}", numbers.join(", "))
}

/// An entry for people.
pub(super) fn entry_text(entry: &Entry) -> String {
    let what = match entry.command {
        Command::Noop => "noop".to_owned(),
        Command::Put(key, value) => format!("put {key} {value}"),
        Command::Add(server) => format!("add {}", server.number()),
        Command::Remove(server) => format!("remove {}", server.number()),
    };
    format!("({what} of term {})", entry.term)
}

impl From<&Snapshot> for SnapshotView {
    fn from(snapshot: &Snapshot) -> SnapshotView {
        SnapshotView {
            index: snapshot.index,
            term: snapshot.term,
            voters: crate::view::nodes_of(snapshot.voters),
            machine: snapshot.machine.digest(),
        }
    }
}
