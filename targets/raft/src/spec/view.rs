//! What is compared of a server and of a message.

use raft::{Progress, ProgressState};
use shakedown_cluster::NodeId;
use shakedown_rafts::{Role, spec};

/// The mapped variables of one server.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are those of the node's own view")]
pub struct ServerView {
    pub term: u64,
    pub role: Role,
    pub vote: Option<NodeId>,
    pub leader: Option<NodeId>,
    pub commit: u64,
    /// Stands for what applying the log has led to.
    pub machine: u64,
    pub standing: Standing,
}

/// The rest of a node's state: only shown where it is compared with a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The snapshot: the index and the term of the last entry that is in it, and what stands for its state
    /// machine.
    pub snapshot: (u64, u64, u64),
    /// The entries after it: their terms and values.
    pub entries: Vec<(u64, i64)>,
    /// How many votes a candidate has, and how many were refused.
    pub votes: (usize, usize),
    /// How a leader stands with every server; nothing on who does not lead.
    pub peers: Vec<PeerView>,
    /// For how many ticks it has waited for a snapshot to be acknowledged, by server.
    pub waited: Vec<u64>,
}

/// How a leader stands with a server.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are those of the library's `Progress`")]
pub struct PeerView {
    pub state: &'static str,
    pub paused: bool,
    pub pending: u64,
    pub heard: bool,
    pub next: u64,
    pub matched: u64,
}

impl PeerView {
    /// How it stands with itself, which nothing depends on.
    pub const OWN: PeerView =
        PeerView { state: "probe", paused: false, pending: 0, heard: false, next: 1, matched: 0 };

    pub(crate) fn of(progress: &Progress) -> PeerView {
        PeerView {
            state: match progress.state {
                ProgressState::Probe => "probe",
                ProgressState::Replicate => "replicate",
                ProgressState::Snapshot => "snapshot",
            },
            paused: progress.paused,
            pending: progress.pending_snapshot,
            heard: progress.recent_active,
            next: progress.next_idx,
            matched: progress.matched,
        }
    }
}

/// What is compared of a message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the fields are the specification's")]
pub struct Contents {
    pub term: u64,
    pub body: Body,
}

/// The contents of a message by its kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the fields are the specification's")]
pub enum Body {
    VoteRequest {
        last: (u64, u64),
        commit: (u64, u64),
    },
    Vote {
        granted: bool,
        commit: (u64, u64),
    },
    Append {
        prev: (u64, u64),
        entries: Vec<(u64, i64)>,
        commit: u64,
    },
    AppendResponse {
        success: bool,
        index: u64,
        hint: (u64, u64),
    },
    Heartbeat {
        commit: u64,
    },
    HeartbeatResponse,
    /// The snapshot's index and term, and what stands for its state machine.
    Snapshot {
        last: (u64, u64),
        machine: u64,
    },
    /// A message of a kind that the specification does not have.
    Other(&'static str),
}

impl spec::ServerView for ServerView {
    const VARIABLES: &'static [&'static str] = &[
        "active",
        "currentTerm",
        "votedFor",
        "role",
        "leaderId",
        "votesGranted",
        "log",
        "snapshotIndex",
        "commitIndex",
        "machine",
        "nextIndex",
        "matchIndex",
        "flow",
        "waited",
    ];

    fn show(&self) -> Vec<(&'static str, String)> {
        let nobody =
            |node: Option<NodeId>| node.map_or("nobody".to_owned(), |node| node.number().to_string());
        let mut shown = Vec::new();
        let mut show = |variable, value: String| shown.push((variable, value));
        let Standing { snapshot, entries, votes, peers, waited } = &self.standing;
        show("currentTerm", self.term.to_string());
        show("votedFor", nobody(self.vote));
        show("role", self.role.name().to_owned());
        show("leaderId", nobody(self.leader));
        show("votesGranted", format!("{} given, {} refused", votes.0, votes.1));
        show("log", text_of(entries));
        show("snapshotIndex", format!("{} of term {}, machine {:x}", snapshot.0, snapshot.1, snapshot.2));
        show("commitIndex", self.commit.to_string());
        show("machine", format!("{:x}", self.machine));
        let each = |of: &dyn Fn(&PeerView) -> String| {
            let parts: Vec<_> = peers.iter().map(of).collect();
            if parts.is_empty() { "none, for it does not lead".to_owned() } else { parts.join(" ") }
        };
        show("nextIndex", each(&|peer| peer.next.to_string()));
        show("matchIndex", each(&|peer| peer.matched.to_string()));
        show(
            "flow",
            each(&|peer| {
                let PeerView { state, paused, pending, heard, .. } = peer;
                format!("({state}, paused {paused}, pending {pending}, heard {heard})")
            }),
        );
        show("waited", format!("{waited:?}"));
        shown
    }
}

fn text_of(entries: &[(u64, i64)]) -> String {
    entries.iter().map(|(term, value)| format!("({value} of term {term})")).collect::<Vec<_>>().join(" ")
}
