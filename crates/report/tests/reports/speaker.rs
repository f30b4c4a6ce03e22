//! Nodes that do every kind of thing, for pictures of them.

use std::sync::Arc;

use shakedown_campaign::{Failure, Found, Target, Violation};
use shakedown_cluster::{
    Cluster, Context, Contract, DiskModel, Fact, InProcess, Message, Name, Node, NodeId, Options, Recording,
    RequestId, Setup, Timers, Trace,
};
use shakedown_report::FindingReport;

/// A node that says what it is told to, to everybody.
pub struct Speaker {
    heard: u64,
}

/// What it says.
#[derive(Clone, Debug)]
pub struct Word(String);

impl Message for Word {
    fn kind(&self) -> &'static str {
        "Word"
    }

    fn describe(&self) -> String {
        self.0.clone()
    }

    fn decode(text: &str) -> Result<Word, String> {
        Ok(Word(text.to_owned()))
    }
}

impl Node for Speaker {
    type Message = Word;
    type Request = String;
    type Answer = u64;
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Speaker { heard: 0 }
    }

    fn request(&mut self, id: RequestId, word: String, ctx: &mut Context<'_, Self>) {
        assert_ne!(word, "panic", "somebody said panic");
        ctx.broadcast(&Word(word.clone()));
        ctx.send(ctx.id(), Word(word));
        ctx.set_timer("bell", 1);
        ctx.write(());
        ctx.answer(id, &self.heard);
    }

    fn receive(&mut self, _from: NodeId, Word(word): Word, ctx: &mut Context<'_, Self>) {
        self.heard += 1;
        ctx.emit(Fact::new("heard").with("word", word).with("count", self.heard));
    }

    fn fire(&mut self, _timer: Name, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) -> u64 {
        self.heard
    }
}

/// What comes of these steps where everything may happen.
pub fn play(nodes: usize, lines: &[&str]) -> Trace {
    let contract = Contract {
        disk: DiskModel::Buffered,
        timers: Timers::Anytime,
        byzantine_max: 1,
        ..Contract::asynchronous()
    };
    play_under(contract, nodes, lines)
}

/// What comes of these steps under a contract.
pub fn play_under(contract: Contract, nodes: usize, lines: &[&str]) -> Trace {
    let setup = Setup {
        nodes,
        contract,
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: lines.len(),
        seed: 1,
        recording: Recording::Full,
    };
    let mut cluster = InProcess::<Speaker>::boot(&setup).expect("speakers boot");
    for line in lines {
        cluster.perform(&line.parse().expect("a step")).expect("it can be done");
    }
    Box::new(cluster).finish()
}

/// Every kind of step.
pub const EVERYTHING: [&str; 20] = [
    "request n1 \"hello\"",
    "tick n1",
    "tick n1",
    "tick n2",
    "deliver n1>n3#1 Word",
    "duplicate n1>n2#1 Word",
    "tamper n1>n2#1 Word lies",
    "deliver n1>n2#1 Word",
    "deliver n1>n1#1 Word",
    "fire n1 bell",
    "flush n1",
    "drop n1>n2#2 Word",
    "cut n1-n3",
    "crash n2",
    "heal n1-n3",
    "restart n2",
    "inject n1>n3 more",
    "round 0 begin n1,n2,n3",
    "round 2 propose n1,n3",
    "request n3 \"panic\"",
];

/// A finding about an execution of speakers.
pub fn finding(property: &str, reason: &str, trace: Trace) -> FindingReport {
    let target = Target::<Speaker>::new("speakers");
    let mut config = shakedown_campaign::AnyTarget::defaults(&target).clone();
    config.nodes = trace.board.size();
    let violation = Violation { property: property.to_owned(), reason: reason.to_owned() };
    let found = Found {
        strategy: "random".to_owned(),
        of: None,
        mix: None,
        campaign_seed: 1,
        execution: 7,
        steps: 3 * trace.board.steps().len(),
        shrunk: true,
    };
    let failure = Failure::new(&target, &config, 1, violation, found, Some(&trace));
    FindingReport::new(failure, Some(trace), "shakedown replay shakedown-out/speakers.json")
}
