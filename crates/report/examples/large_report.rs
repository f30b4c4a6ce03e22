//! Writes a page with a large diagram, to look at and for the browser test: seven nodes that elect leaders
//! and copy values, and 260 steps that are drawn from a fixed seed. `cargo run -p shakedown-report --example
//! large_report -- OUT.html`.

use std::error::Error;
use std::sync::Arc;

use shakedown_campaign::{Failure, Found, Target, Violation};
use shakedown_cluster::{
    Cluster, Context, Contract, Fact, InProcess, Message, Node, NodeId, Options, Recording, RequestId, Setup,
    Step, Trace,
};
use shakedown_report::FindingReport;
use shakedown_report::html::{HtmlReport, render};

const NODES: usize = 7;
const STEPS: usize = 260;

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args_os().nth(1).ok_or("say where the page is to go")?;
    let report = HtmlReport {
        title: "Large sample: voters".to_owned(),
        verdict_text: "This is a sample of a long execution.".to_owned(),
        findings: vec![finding(execution())],
        ..HtmlReport::default()
    };
    Ok(std::fs::write(out, render(&report))?)
}

fn finding(trace: Trace) -> FindingReport {
    let target = Target::<Voter>::new("voters");
    let mut config = shakedown_campaign::AnyTarget::defaults(&target).clone();
    config.nodes = NODES;
    let violation = Violation {
        property: "no-step-is-idle".to_owned(),
        reason: "many steps change nothing: a sample of a long execution".to_owned(),
    };
    let found = Found {
        strategy: "random".to_owned(),
        of: None,
        mix: None,
        campaign_seed: 1,
        execution: 0,
        steps: STEPS,
        shrunk: false,
    };
    let failure = Failure::new(&target, &config, 1, violation, found, Some(&trace));
    FindingReport::new(failure, Some(trace), "shakedown replay shakedown-out/voters.json")
}

/// Steps that are drawn at random: mostly deliveries and ticks, now and then a request or a fault.
fn execution() -> Trace {
    let setup = Setup {
        nodes: NODES,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: STEPS,
        seed: 1,
        recording: Recording::Full,
    };
    let mut cluster = InProcess::<Voter>::boot(&setup).expect("voters boot");
    let mut draws = Draws(7);
    while cluster.board().steps().len() < STEPS {
        let line = draws.line(&cluster);
        // What cannot be done now is drawn again.
        if let Some(step) = line.and_then(|line| line.parse::<Step>().ok()) {
            let _ = cluster.perform(&step);
        }
    }
    Box::new(cluster).finish()
}

/// A linear congruential generator: the page is the same everywhere.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn node(&mut self) -> NodeId {
        NodeId::from_index(self.below(NODES))
    }

    fn line(&mut self, cluster: &InProcess<Voter>) -> Option<String> {
        let board = cluster.board();
        let leader = cluster.states().iter().rposition(|state| state.starts_with("leader"));
        let (node, other) = (self.node(), self.node());
        Some(match self.below(100) {
            0..62 => {
                let place = self.below(board.deliverable().len().max(1));
                let message = &board.messages()[board.deliverable().get(place)?.index()];
                let what = ["deliver", "drop", "duplicate"][match self.below(30) {
                    0 => 2,
                    1 => 1,
                    _ => 0,
                }];
                format!("{what} {} {}", message.id, message.kind)
            }
            62..91 => format!("tick {node}"),
            91..95 => format!("request {} {}", NodeId::from_index(leader?), self.below(90) + 10),
            95 => format!("crash {node}"),
            96 | 97 => format!("restart {node}"),
            98 if node != other => format!("cut {node}-{other}"),
            _ => {
                let down = NodeId::first(NODES).flat_map(|a| NodeId::first(NODES).map(move |b| (a, b)));
                let (a, b) = down.filter(|(a, b)| a < b).nth(self.below(NODES * (NODES - 1) / 2))?;
                format!("heal {a}-{b}")
            }
        })
    }
}

/// A node that votes, leads, and copies values.
struct Voter {
    term: u64,
    role: &'static str,
    votes: usize,
    copies: usize,
    /// Ticks since the leader was heard of.
    waited: u64,
    values: Vec<u64>,
    asked: Option<RequestId>,
}

#[derive(Clone, Debug)]
enum Letter {
    Heartbeat(u64),
    HeartbeatAck(u64),
    RequestVote(u64),
    Vote(u64),
    Append(u64, u64),
    Appended(u64, u64),
}

impl Message for Letter {
    fn kind(&self) -> &'static str {
        match self {
            Letter::Heartbeat(_) => "Heartbeat",
            Letter::HeartbeatAck(_) => "HeartbeatAck",
            Letter::RequestVote(_) => "RequestVote",
            Letter::Vote(_) => "Vote",
            Letter::Append(..) => "Append",
            Letter::Appended(..) => "Appended",
        }
    }

    fn describe(&self) -> String {
        match self {
            Letter::Heartbeat(term) | Letter::HeartbeatAck(term) => format!("term {term}"),
            Letter::RequestVote(term) | Letter::Vote(term) => format!("term {term}"),
            Letter::Append(term, value) | Letter::Appended(term, value) => {
                format!("term {term} value {value}")
            }
        }
    }
}

impl Voter {
    fn follow(&mut self, term: u64) {
        (self.term, self.role, self.waited) = (term, "follower", 0);
    }

    fn is_most(count: usize) -> bool {
        2 * count > NODES
    }
}

impl Node for Voter {
    type Message = Letter;
    type Request = u64;
    type Answer = u64;
    type State = String;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Voter {
        let values = Vec::new();
        Voter { term: 0, role: "follower", votes: 0, copies: 0, waited: 0, values, asked: None }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.waited += 1;
        if self.role == "leader" {
            if self.waited.is_multiple_of(2) {
                ctx.broadcast(&Letter::Heartbeat(self.term));
            }
        } else if self.waited > 3 + 2 * ctx.id().index() as u64 {
            (self.term, self.role, self.votes, self.waited) = (self.term + 1, "candidate", 1, 0);
            ctx.emit(Fact::new("campaigns").with("term", self.term));
            ctx.broadcast(&Letter::RequestVote(self.term));
        }
    }

    fn request(&mut self, id: RequestId, value: u64, ctx: &mut Context<'_, Self>) {
        self.values.push(value);
        (self.copies, self.asked) = (1, Some(id));
        ctx.broadcast(&Letter::Append(self.term, value));
    }

    fn receive(&mut self, from: NodeId, letter: Letter, ctx: &mut Context<'_, Self>) {
        match letter {
            Letter::Heartbeat(term) if term >= self.term => {
                self.follow(term);
                ctx.send(from, Letter::HeartbeatAck(term));
            }
            Letter::RequestVote(term) if term > self.term => {
                self.follow(term);
                ctx.send(from, Letter::Vote(term));
            }
            Letter::Vote(term) if term == self.term && self.role == "candidate" => {
                self.votes += 1;
                if Voter::is_most(self.votes) {
                    self.role = "leader";
                    ctx.emit(Fact::new("leads").with("term", term));
                    ctx.broadcast(&Letter::Heartbeat(term));
                }
            }
            Letter::Append(term, value) if term >= self.term => {
                self.follow(term);
                self.values.push(value);
                ctx.send(from, Letter::Appended(term, value));
            }
            Letter::Appended(term, value) if term == self.term && self.values.last() == Some(&value) => {
                self.copies += 1;
                if let Some(id) = self.asked.filter(|_| Voter::is_most(self.copies)) {
                    self.asked = None;
                    ctx.emit(Fact::new("commits").with("value", value));
                    ctx.answer(id, &value);
                }
            }
            _ => {}
        }
    }

    fn observe(&self) -> String {
        format!("{} of term {}, votes {}, values {:?}", self.role, self.term, self.votes, self.values)
    }
}
