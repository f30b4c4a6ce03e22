//! The elections of a Raft of one's own, and Raft's invariants for it.
//!
//! Implement [`RaftState`] for what can be seen of a node, and all invariants and waypoints of Raft are
//! there. This one has elections and no log yet; `forgets_votes=true` plants a bug: a node forgets its vote
//! in a crash and votes twice.

use serde::Serialize;
use shakedown::prelude::*;
use shakedown::rafts::{LogEntry, RaftState, RaftTarget, Role, raft_invariants};

/// What nodes send each other.
#[derive(Clone, Debug)]
pub enum Mail {
    /// Vote for me in this term.
    RequestVote(u64),
    /// You have my vote in this term.
    Vote(u64),
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::RequestVote(_) => "RequestVote",
            Mail::Vote(_) => "Vote",
        }
    }
}

/// What survives a crash: the term and the vote in it.
type Durable = Saved<(u64, Option<NodeId>)>;

/// What can be seen of a node.
#[derive(Clone, Debug, Hash, Serialize)]
pub struct View {
    term: u64,
    vote: Option<NodeId>,
    role: Role,
}

/// One server.
pub struct Server {
    view: View,
    votes: Vec<NodeId>,
    /// Ticks until it campaigns.
    patience: u64,
    forgets_votes: bool,
}

impl Server {
    /// Enters a term, if it is a later one.
    fn learn(&mut self, term: u64, ctx: &mut Context<'_, Self>) {
        if term > self.view.term {
            self.view = View { term, vote: None, role: Role::Follower };
            self.save(ctx);
        }
    }

    fn save(&self, ctx: &mut Context<'_, Self>) {
        let vote = if self.forgets_votes { None } else { self.view.vote };
        ctx.write((self.view.term, vote));
    }

    /// A vote for oneself or from a peer; a majority makes a leader.
    fn count(&mut self, from: NodeId, ctx: &mut Context<'_, Self>) {
        if self.view.role == Role::Candidate && !self.votes.contains(&from) {
            self.votes.push(from);
            if 2 * self.votes.len() > ctx.peers().count() + 1 {
                self.view.role = Role::Leader;
            }
        }
    }
}

impl Node for Server {
    type Message = Mail;
    type Request = ();
    type Answer = ();
    type State = View;
    type Disk = Durable;

    fn boot(disk: &Durable, ctx: &mut Context<'_, Self>) -> Self {
        let (term, vote) = disk.0;
        let forgets_votes = ctx.options().get("forgets_votes").unwrap_or(false);
        let patience = 1 + ctx.random().below(4);
        Server { view: View { term, vote, role: Role::Follower }, votes: Vec::new(), patience, forgets_votes }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = 4 + ctx.random().below(4);
            if self.view.role != Role::Leader {
                let (term, own) = (self.view.term + 1, ctx.id());
                self.view = View { term, vote: Some(own), role: Role::Candidate };
                self.votes.clear();
                self.save(ctx);
                self.count(own, ctx);
                ctx.broadcast(&Mail::RequestVote(term));
            }
        }
    }

    fn receive(&mut self, from: NodeId, mail: Mail, ctx: &mut Context<'_, Self>) {
        match mail {
            Mail::RequestVote(term) => {
                self.learn(term, ctx);
                if term == self.view.term && self.view.vote.is_none_or(|vote| vote == from) {
                    self.view.vote = Some(from);
                    self.save(ctx);
                    ctx.send(from, Mail::Vote(term));
                }
            }
            Mail::Vote(term) => {
                self.learn(term, ctx);
                if term == self.view.term {
                    self.count(from, ctx);
                }
            }
        }
    }

    fn request(&mut self, _id: RequestId, _request: (), _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) -> View {
        self.view.clone()
    }
}

/// All that Raft's invariants ask for. There is no log: it is empty.
impl RaftState for View {
    type Term = u64;

    fn term(&self) -> u64 {
        self.term
    }

    fn role(&self) -> Role {
        self.role
    }

    fn commit(&self) -> u64 {
        0
    }

    fn first_index(&self) -> u64 {
        1
    }

    fn last_index(&self) -> u64 {
        0
    }

    fn entry(&self, _number: u64) -> Option<LogEntry> {
        None
    }
}

/// Three servers on a network that reorders, loses and doubles messages; a minority may be down.
pub fn target() -> Target<Server> {
    Target::new("own-raft")
        .about("the elections of a small Raft; forgets_votes=true lets two lead one term")
        .contract(Contract::asynchronous())
        .option("forgets_votes", false, "whether a vote is lost in a crash: the bug")
        .raft_waypoints()
        .oracles(|_config| raft_invariants())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_server_leads_a_term() {
        Test::new(target()).executions(500).run();
    }

    #[test]
    fn a_server_that_forgets_its_vote_lets_two_lead_one_term() {
        let test = Test::new(target()).executions(20_000).set("forgets_votes", true);
        test.expect_violation("election-safety");
    }
}
