//! The protocol: a state machine that decides and does nothing else. It is called, changes, and leaves what
//! is to be done in its [`Output`]s; it knows no network, disk, clock or randomness.
//!
//! Its functions are the actions of the TLA+ model of Raft (`specs/Raft.tla`) and bear their names, its
//! fields are that model's variables. What a [`Fault`] changes is looked for where the decision is made:
//! `self.fault`.

mod election;
mod entry;
mod log;
mod membership;
mod message;
mod replication;
mod server;
mod snapshots;

use std::sync::Arc;

use crate::Fault;

pub use entry::{Command, Entry, Machine};
pub use log::{Configuration, Log, Snapshot};
pub use message::Message;
pub use server::{Server, Servers};

/// What a server is in its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are Raft's own")]
pub enum Role {
    Follower,
    Candidate,
    Leader,
}

/// What a leader knows of the log of another server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
pub struct Progress {
    /// The next entry to send.
    pub next: u64,
    /// Up to which entry that log is known to agree.
    pub matched: u64,
}

/// How a server is set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How many servers there may be, and are to begin with.
    pub servers: usize,
    /// For how many ticks a follower is patient at least; see [`Raft::set_patience`].
    pub election_tick: u64,
    /// How many ticks there are between a leader's heartbeats.
    pub heartbeat_tick: u64,
    /// The most entries that one append carries.
    pub append_max: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What survives a crash.
#[derive(Clone, Debug)]
pub struct Durable {
    /// The term.
    pub term: u64,
    /// The vote of that term.
    pub vote: Option<Server>,
    /// The log, with its snapshot.
    pub log: Arc<Log>,
}

/// Something to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A message to send. It must not leave before what is [durable](Raft::durable) is on the disk.
    Send(Server, Message),
    /// The entry of this index is committed, and has been applied.
    Committed(u64, Entry),
}

/// A server.
#[derive(Clone, Debug)]
pub struct Raft {
    id: Server,
    settings: Settings,
    fault: Fault,
    // On the disk.
    term: u64,
    vote: Option<Server>,
    log: Arc<Log>,
    // In memory.
    role: Role,
    leader: Option<Server>,
    commit: u64,
    machine: Machine,
    /// The latest configuration in the log, committed or not.
    configuration: Configuration,
    /// A candidate's: who answered, and who said yes.
    votes_responded: Servers,
    votes_granted: Servers,
    /// How many votes came from servers that had voted for this one already.
    votes_doubled: usize,
    /// A leader's, for every server.
    progress: Vec<Progress>,
    /// Ticks since the server last heard from a leader, voted, or began to campaign; since its last heartbeat
    /// if it leads.
    elapsed: u64,
    /// After how many of them it campaigns, once that is drawn.
    patience: Option<u64>,
    /// Whether its election timer runs.
    has_timer: bool,
    outputs: Vec<Output>,
}

impl Raft {
    /// Starts a server, for the first time or with what survived its crash.
    pub fn boot(id: Server, settings: Settings, durable: Option<&Durable>) -> Raft {
        let (term, vote, log) = match durable {
            Some(Durable { term, vote, log }) => (*term, *vote, Arc::clone(log)),
            None => {
                let voters = Servers::first(settings.servers);
                (0, None, Arc::new(Log::after(Snapshot { voters, ..Snapshot::default() })))
            }
        };
        Raft {
            id,
            settings,
            fault: settings.fault,
            term,
            vote,
            role: Role::Follower,
            leader: None,
            commit: log.snapshot().index,
            machine: log.snapshot().machine.clone(),
            configuration: log.configuration(log.last()),
            log,
            votes_responded: Servers::default(),
            votes_granted: Servers::default(),
            votes_doubled: 0,
            progress: Vec::new(),
            elapsed: 0,
            patience: None,
            has_timer: durable.is_none() || settings.fault != Fault::TimerLostAtRestart,
            outputs: Vec::new(),
        }
    }

    /// What has to be on the disk before any message leaves.
    pub fn durable(&self) -> Durable {
        Durable {
            term: if self.fault == Fault::TermNotPersisted { 0 } else { self.term },
            vote: if self.fault == Fault::VoteNotPersisted { None } else { self.vote },
            log: Arc::clone(&self.log),
        }
    }

    /// A message arrives. A newer term is taken over and the message handled all at once.
    pub fn receive(&mut self, from: Server, message: Message) {
        if message.term() > self.term {
            self.vote = None;
            self.step_down(message.term());
        }
        match message {
            Message::RequestVote { term, last_index, last_term } => {
                self.handle_request_vote_request(from, term, last_index, last_term);
            }
            Message::RequestVoteResponse { term, granted } => {
                self.handle_request_vote_response(from, term, granted);
            }
            Message::Append { term, prev_index, prev_term, entries, commit } => {
                let prev = (prev_index, prev_term);
                self.handle_append_entries_request(from, term, prev, &entries, commit);
            }
            Message::AppendResponse { term, success, match_index } => {
                self.handle_append_entries_response(from, term, success, match_index);
            }
            Message::InstallSnapshot { term, snapshot } => {
                self.handle_install_snapshot_request(from, term, *snapshot);
            }
            Message::SnapshotResponse { term, match_index } => {
                self.handle_append_entries_response(from, term, true, match_index);
            }
        }
    }

    /// The clock goes on by one.
    pub fn tick(&mut self) {
        self.elapsed += 1;
        if self.role == Role::Leader {
            if self.elapsed >= self.settings.heartbeat_tick {
                self.elapsed = 0;
                self.append_entries_to_all();
            }
        } else if self.campaigns() && self.patience.is_some_and(|patience| self.elapsed >= patience) {
            self.timeout();
        }
    }

    /// Whether it runs for leader once it has waited for too long. Who leads does not, and who does not vote
    /// does not either.
    pub fn campaigns(&self) -> bool {
        let votes = self.configuration.voters.contains(self.id);
        let may_run = votes || self.fault == Fault::RemovedCampaigns;
        self.role != Role::Leader && self.has_timer && may_run
    }

    /// Whether an election timeout is to be drawn, between `election_tick` and twice as much.
    pub fn wants_patience(&self) -> bool {
        self.patience.is_none()
    }

    /// Sets the election timeout, in ticks.
    pub fn set_patience(&mut self, ticks: u64) {
        self.patience = Some(ticks);
    }

    /// What is to be done, in order.
    pub fn outputs(&mut self) -> std::vec::Drain<'_, Output> {
        self.outputs.drain(..)
    }

    /// Becomes a follower in this term, which is not older.
    fn step_down(&mut self, term: u64) {
        if self.role != Role::Follower || term > self.term {
            self.elapsed = 0;
            self.patience = None;
            self.has_timer = true;
        }
        self.term = term;
        self.role = Role::Follower;
        self.leader = None;
        self.votes_responded = Servers::default();
        self.votes_granted = Servers::default();
        self.progress.clear();
    }

    fn send(&mut self, to: Server, message: Message) {
        self.outputs.push(Output::Send(to, message));
    }

    /// Commits and applies up to this entry.
    fn commit_up_to(&mut self, index: u64) {
        for index in self.commit + 1..=index {
            let entry = self.log.entry(index).expect("what is committed is in the log");
            self.machine.apply(entry.command);
            self.commit = index;
            self.outputs.push(Output::Committed(index, entry));
        }
    }

    /// How many servers make a quorum.
    fn quorum(&self) -> usize {
        let voters = self.configuration.voters.count();
        if self.fault == Fault::QuorumThird { voters / 3 + 1 } else { voters / 2 + 1 }
    }

    /// The voters but for this server.
    fn peers(&self) -> Servers {
        self.configuration.voters.without(self.id)
    }

    /// The current term.
    pub fn term(&self) -> u64 {
        self.term
    }

    /// Whom it voted for in this term.
    pub fn vote(&self) -> Option<Server> {
        self.vote
    }

    /// What it is in this term.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whom it takes for the leader.
    pub fn leader(&self) -> Option<Server> {
        self.leader
    }

    /// Up to which entry it knows the log to be committed; so far it has applied it.
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// Its log.
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// Its state machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The latest configuration in its log.
    pub fn configuration(&self) -> Configuration {
        self.configuration
    }

    /// Who answered its request for votes.
    pub fn votes_responded(&self) -> Servers {
        self.votes_responded
    }

    /// Who gave it their vote.
    pub fn votes_granted(&self) -> Servers {
        self.votes_granted
    }

    /// What it knows of every server's log, if it leads; nothing otherwise.
    pub fn progress(&self) -> &[Progress] {
        &self.progress
    }
}
