//! What is compared: the mapped variables of all servers, and the messages under way.

use shakedown_check::Role;
use shakedown_cluster::{NodeId, NodeSet};
use shakedown_conform::conformance::Shown;

use crate::protocol::{Command, Entry, Message, Progress, Snapshot};

/// The mapped variables.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecView {
    /// Every server; nothing of one that is down.
    pub servers: Vec<Option<ServerView>>,
    /// The messages under way, in order.
    pub net: Vec<Sent>,
}

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

/// A message and where it goes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the fields say it")]
pub struct Sent {
    pub from: NodeId,
    pub to: NodeId,
    pub message: Message,
}

impl SpecView {
    /// The view for people, in the order of the specification's variables.
    pub(super) fn show(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (number, server) in (1..).zip(&self.servers) {
            let is_up = if server.is_some() { "up" } else { "down" };
            shown.push(Shown::new("active", number, is_up));
            if let Some(server) = server {
                server.show(number, &mut shown);
            }
        }
        // By variable first, as the specification declares them: what differs is named by the first of them.
        shown.sort_by_key(|one: &Shown| VARIABLES.iter().position(|known| *known == one.variable));
        for sent in self.net.chunk_by(|a, b| a == b) {
            shown.push(Shown::new("net", sent[0].told(), format!("{} under way", sent.len())));
        }
        shown
    }
}

/// The variables, in the order in which they are shown.
const VARIABLES: [&str; 13] = [
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

impl ServerView {
    fn show(&self, number: usize, shown: &mut Vec<Shown>) {
        let mut show = |variable, value: String| shown.push(Shown::new(variable, number, value));
        show("currentTerm", self.term.to_string());
        show("votedFor", self.vote.map_or("nobody".to_owned(), |vote| vote.number().to_string()));
        show("role", format!("{:?}", self.role).to_lowercase());
        show("votesResponded", set(self.votes_responded));
        show("votesGranted", set(self.votes_granted));
        show("log", self.entries.iter().map(entry).collect::<Vec<_>>().join(" "));
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
    }
}

fn set(nodes: NodeSet) -> String {
    let numbers: Vec<_> = nodes.iter().map(|node| node.number().to_string()).collect();
    format!("{{{}}}", numbers.join(", "))
}

fn entry(entry: &Entry) -> String {
    let what = match entry.command {
        Command::Noop => "noop".to_owned(),
        Command::Put(key, value) => format!("put {key} {value}"),
        Command::Add(server) => format!("add {}", server.number()),
        Command::Remove(server) => format!("remove {}", server.number()),
    };
    format!("({what} of term {})", entry.term)
}

impl Sent {
    pub(super) fn told(&self) -> String {
        use shakedown_cluster::Message as _;
        let entries = match &self.message {
            Message::Append { entries, .. } if !entries.is_empty() => {
                format!(" {}", entries.iter().map(entry).collect::<Vec<_>>().join(" "))
            }
            _ => String::new(),
        };
        let Sent { from, to, message } = self;
        format!("{} {}>{} {}{entries}", message.kind(), from.number(), to.number(), message.describe())
    }
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
