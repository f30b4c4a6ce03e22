//! Clusters by the book, as text: every file in `scripts/` holds a contract, steps, and what comes of each
//! step.
//!
//! Lines that begin with a space are what the cluster did; the others are read. `UPDATE_EXPECT=1 cargo test`
//! writes them anew.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use shakedown_cases::cases;
use shakedown_cluster::{
    Clients, Cluster, Context, Contract, Disk, DiskModel, Fate, Happening, InProcess, Message, Name, Node,
    NodeId, Options, Recording, RequestId, Setup, Step, Timers,
};

/// Says to its neighbour what a client asks it to say; keeps on disk what it was asked; counts ticks.
struct Parrot {
    sent: Vec<String>,
    heard: Vec<String>,
}

#[derive(Clone, Debug)]
struct Say(String);

impl Message for Say {
    fn kind(&self) -> &'static str {
        "Say"
    }

    fn describe(&self) -> String {
        self.0.clone()
    }

    fn decode(text: &str) -> Result<Say, String> {
        Ok(Say(text.to_owned()))
    }
}

#[derive(Clone, Default)]
struct Diary(Vec<String>);

impl Disk for Diary {
    type Write = String;

    fn apply(&mut self, write: String) {
        self.0.push(write);
    }
}

impl Node for Parrot {
    type Message = Say;
    type Request = String;
    type Answer = String;
    type State = (Vec<String>, Vec<String>);
    type Disk = Diary;

    fn boot(disk: &Diary, _ctx: &mut Context<'_, Self>) -> Self {
        Parrot { sent: disk.0.clone(), heard: Vec::new() }
    }

    fn request(&mut self, id: RequestId, text: String, ctx: &mut Context<'_, Self>) {
        let neighbour = NodeId::from_index((ctx.id().index() + 1) % ctx.nodes().len());
        match text.as_str() {
            "panic" => panic!("this parrot is dead"),
            "alarm" => ctx.set_timer("alarm", 2),
            "flush" => ctx.flush(),
            // The second node knows who answers, the others know that it does, and nobody asks for silence
            // twice.
            "who" if ctx.id() != NodeId::new(2) => return ctx.redirect(id, Some(NodeId::new(2))),
            "nobody" => return ctx.redirect(id, None),
            "silence" => return,
            _ => {
                self.sent.push(text.clone());
                ctx.write(text.clone());
                ctx.send(neighbour, Say(text.clone()));
            }
        }
        ctx.answer(id, &text);
    }

    fn receive(&mut self, _from: NodeId, Say(text): Say, _ctx: &mut Context<'_, Self>) {
        self.heard.push(text);
    }

    fn fire(&mut self, timer: Name, _ctx: &mut Context<'_, Self>) {
        self.heard.push(format!("the {timer}"));
    }

    fn flushed(&mut self, _ctx: &mut Context<'_, Self>) {
        self.heard.push("the disk".to_owned());
    }

    fn reconnected(&mut self, peer: NodeId, _ctx: &mut Context<'_, Self>) {
        self.heard.push(format!("{peer} again"));
    }

    fn observe(&self) -> (Vec<String>, Vec<String>) {
        (self.sent.clone(), self.heard.clone())
    }
}

fn contract(words: &str) -> Contract {
    let mut contract = Contract::asynchronous();
    for word in words.split_whitespace() {
        match word {
            "asynchronous" => contract = Contract::asynchronous(),
            "sessions" => contract = Contract::sessions(),
            "reliable" => contract = Contract::reliable(),
            "buffered" => contract.disk = DiskModel::Buffered,
            "anytime" => contract.timers = Timers::Anytime,
            "one-liar" => contract.byzantine_max = 1,
            "redirected" => contract.clients = Clients::Redirected,
            "retrying" => contract.clients = Clients::Retrying,
            other => panic!("no contract is called {other}"),
        }
    }
    contract
}

fn play(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    let head = lines.next().expect("a script has a first line");
    let (nodes, words) = head.split_once(" nodes, ").expect("the first line is `N nodes, CONTRACT`");
    let setup = Setup {
        nodes: nodes.parse().expect("a number of nodes"),
        contract: contract(words),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        seed: 1,
        recording: Recording::Full,
        steps: 100,
    };
    let mut cluster = InProcess::<Parrot>::boot(&setup).expect("parrots boot");
    let mut out = format!("{head}\n");
    for line in lines {
        out.push_str(&format!("\n{line}\n"));
        if line.starts_with('#') {
            continue;
        }
        let events = cluster.board().events().count();
        let result = line.parse::<Step>().map_err(|e| e.to_string());
        match result.and_then(|step| cluster.perform(&step).map_err(|e| format!("refused: {e}"))) {
            Err(reason) => writeln!(out, "  {reason}").expect("text"),
            Ok(()) => write_report(&cluster, events, &mut out),
        }
    }
    out
}

fn write_report(cluster: &InProcess<Parrot>, events: usize, out: &mut String) {
    let board = cluster.board();
    let clocks = board.clocks();
    for event in board.events().skip(events) {
        let node = board.moments()[event.moment as usize].node;
        let clock = clocks.of(event.moment);
        let what = match event.what {
            Happening::Sent(m) => format!("sends {}", board.message(m).id),
            Happening::Received(m) => format!("receives {}", board.message(m).id),
            Happening::Internal(fact) => format!("{fact}"),
            Happening::Requested(id) => format!("is asked request {}", id.0),
            Happening::Answered(id) => {
                let answer = board.requests()[id.0 as usize].answer.as_deref().unwrap_or_default();
                format!("answers request {}: {answer}", id.0)
            }
            Happening::Redirected(id) => {
                let to = board.requests()[id.0 as usize].redirect.and_then(|redirect| redirect.0);
                format!("redirects request {} to {to:?}", id.0)
            }
            Happening::Crashed { .. } => "crashes".to_owned(),
            Happening::Restarted => "restarts".to_owned(),
            Happening::Panicked(panic) => format!("panics in {}: {}", panic.doing, panic.message),
        };
        writeln!(out, "  {node} {what} {clock:?}").expect("text");
    }
    let mut under_way: Vec<_> =
        board.messages().iter().filter(|m| m.fate == Fate::InFlight).map(|m| m.id).collect();
    under_way.sort();
    writeln!(out, "  under way {under_way:?}").expect("text");
    for node in NodeId::first(board.size()) {
        let (sent, heard) = &cluster.states()[node.index()];
        let unflushed = board.node(node).unflushed;
        let disk = if unflushed > 0 { format!(", {unflushed} unflushed") } else { String::new() };
        let up = if board.is_up(node) { "" } else { " (down)" };
        writeln!(out, "  {node}{up} sent {sent:?} heard {heard:?}{disk}").expect("text");
    }
}

fn main() -> ExitCode {
    cases![].and_scripts(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts"), play).run()
}
