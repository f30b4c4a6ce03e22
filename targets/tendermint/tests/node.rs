//! Clusters of validators under schedules that are written out or fair.

use shakedown_campaign::AnyTarget;
use shakedown_cluster::{
    Cluster, Fate, Happening, InProcess, Message as _, MessageId, Name, NodeId, Recording, Refusal, Setup,
    Step,
};

use shakedown_tendermint::{Decision, Message, RoundValue, TendermintNode, Value, View, target};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);
const N4: NodeId = NodeId::new(4);
const ALL: [NodeId; 4] = [N1, N2, N3, N4];

/// What n1 proposes at height 1 in round 0, and n2 in round 1.
const Z: Value = Value::made_by(N1, 1, 0);
const N: Value = Value::made_by(N2, 1, 1);

/// A cluster that is led by hand: everything sent arrives in the order of sending, unless a test says
/// otherwise.
struct Bench(InProcess<TendermintNode>);

impl Bench {
    fn new() -> Bench {
        Bench::with(&[("heights", "1")])
    }

    fn with(changes: &[(&str, &str)]) -> Bench {
        let target: Box<dyn AnyTarget> = Box::new(target());
        let mut options = target.defaults().options.clone();
        changes.iter().for_each(|(name, value)| options.set(*name, value));
        let setup = Setup {
            nodes: 4,
            contract: target.contract(&options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            seed: 1,
            recording: Recording::Full,
            steps: 100,
        };
        Bench(InProcess::boot(&setup).expect("validators boot on empty disks"))
    }

    fn step(&mut self, step: &str) {
        let step: Step = step.parse().expect("a step");
        self.0.perform(&step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
        assert_eq!(self.0.board().stopped(), None, "{step}");
    }

    fn steps(&mut self, steps: &str) {
        steps.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(|line| self.step(line));
    }

    /// Delivers everything of this kind that is under way; what comes of it waits, unless it is of the same
    /// kind.
    fn deliver(&mut self, kind: &str) {
        self.deliver_if(|id, k| k.as_str() == kind && id.from != id.to);
    }

    /// Delivers everything that is under way and that a test wants, until there is no more.
    fn deliver_if(&mut self, wanted: impl Fn(MessageId, Name) -> bool) {
        loop {
            let board = self.0.board();
            let message = |index| board.message(index);
            let wanted =
                |index: &&shakedown_cluster::MessageIndex| wanted(message(**index).id, message(**index).kind);
            let Some(&oldest) = board.deliverable().iter().filter(wanted).min() else { return };
            let step = board.deliver(oldest);
            self.step(&step.to_string());
        }
    }

    fn drop_all(&mut self) {
        while let Some(&index) = self.0.board().deliverable().first() {
            let message = self.0.board().message(index);
            let step = Step::Drop(message.id, message.kind);
            self.step(&step.to_string());
        }
    }

    fn run(&mut self) {
        self.deliver_if(|_, _| true);
    }

    /// Everybody's clock goes on, due timers go off, and everything under way arrives; so many times over.
    fn run_fairly(&mut self, ticks: usize) {
        for _ in 0..ticks {
            for node in ALL {
                if self.0.board().is_up(node) {
                    self.step(&format!("tick {node}"));
                }
            }
            let due: Vec<_> = self.0.board().ripe_timers().collect();
            for (node, timer) in due {
                self.step(&format!("fire {node} {timer}"));
            }
            self.run();
        }
    }

    fn view(&self, node: NodeId) -> &View {
        &self.0.states()[node.index()]
    }

    /// What a node says of itself, fact by fact.
    fn facts(&self, node: NodeId, name: &str) -> Vec<String> {
        let board = self.0.board();
        let of_node = |moment: u32| board.moments()[moment as usize].node == node;
        let fact = |event: shakedown_cluster::Event<'_>| match event.what {
            Happening::Internal(fact) if of_node(event.moment) && fact.name.as_str() == name => {
                Some(fact.to_string())
            }
            _ => None,
        };
        board.events().filter_map(fact).collect()
    }
}

#[test]
fn without_faults_everybody_decides_the_proposal_of_round_0() {
    let mut bench = Bench::with(&[("heights", "3")]);
    bench.run();
    for node in ALL {
        let decided =
            |height, proposer| Decision { height, value: Value::made_by(proposer, height, 0), round: 0 };
        assert_eq!(bench.view(node).decisions, [decided(1, N1), decided(2, N2), decided(3, N3)], "{node}");
        assert_eq!(bench.facts(node, "error"), [""; 0]);
    }
    let facts = bench.facts(N4, "step");
    assert_eq!(
        facts[..5],
        [
            "step height=1 round=0 step=propose",
            "step height=1 round=0 step=prevote",
            "step height=1 round=0 step=precommit",
            "step height=1 round=0 step=commit",
            "step height=2 round=0 step=propose",
        ]
    );
    assert_eq!(bench.facts(N4, "commit")[0], "commit height=1 value=1000001 round=0");
}

#[test]
fn when_the_proposer_is_cut_off_the_next_round_decides() {
    let mut bench = Bench::new();
    bench.steps("cut n1-n2\ncut n1-n3\ncut n1-n4");
    bench.run_fairly(12);
    for node in [N2, N3, N4] {
        assert_eq!(bench.view(node).decisions, [Decision { height: 1, value: N, round: 1 }], "{node}");
    }
    assert!(bench.facts(N3, "prevote")[0].ends_with("value=nil"));
    bench.steps("heal n1-n2\nheal n1-n3\nheal n1-n4");
    bench.run_fairly(20);
    assert_eq!(bench.view(N1).decided_at(1), Some(N), "n1 hears what was decided");
}

#[test]
fn a_crash_in_the_middle_replays_the_log_and_says_nothing_new() {
    let mut bench = Bench::new();
    bench.deliver("Proposal");
    bench.deliver("Prevote");
    let before = bench.view(N1).clone();
    assert_eq!(before.locked, Some(RoundValue { value: Z, round: 0 }));
    bench.steps("crash n1\nrestart n1");
    assert_eq!(*bench.view(N1), before);
    assert_eq!(bench.facts(N1, "precommit"), ["precommit height=1 round=0 value=1000001"; 2]);
    assert_eq!(bench.facts(N1, "propose"), ["propose height=1 round=0 value=1000001"], "it proposes once");
    bench.run();
    assert!(ALL.iter().all(|&node| bench.view(node).decided_at(1) == Some(Z)));
}

#[test]
fn a_validator_that_is_done_decides_the_same_after_a_crash() {
    let mut bench = Bench::with(&[("heights", "2")]);
    bench.run();
    let before = bench.view(N2).clone();
    bench.steps("crash n2\nrestart n2");
    assert_eq!(*bench.view(N2), before);
    assert_eq!(bench.facts(N2, "commit").len(), 2, "what is known already is not reported again");
}

#[test]
fn a_tampered_vote_is_taken_for_its_senders() {
    let mut bench = Bench::new();
    bench.deliver("Proposal");
    bench.step(r#"tamper n3>n1#1 Prevote {"prevote":{"height":1,"round":0,"value":null,"from":"n3"}}"#);
    bench.step("deliver n3>n1#1 Prevote");
    bench.step("deliver n2>n1#1 Prevote");
    assert_eq!(bench.view(N1).locked, None, "two prevotes and a nil are no polka");
    let timers: Vec<_> = bench.0.board().node(N1).timers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(timers, ["rebroadcast", "prevote"], "but they are 2f+1 votes");
    bench.step("deliver n4>n1#1 Prevote");
    assert_eq!(bench.view(N1).locked, Some(RoundValue { value: Z, round: 0 }));
}

#[test]
fn nobody_can_vote_in_anothers_name() {
    let mut bench = Bench::new();
    bench.deliver("Proposal");
    bench.step(r#"inject n4>n1 {"prevote":{"height":1,"round":0,"value":null,"from":"n2"}}"#);
    bench.step(r#"inject n4>n1 {"prevote":{"height":1,"round":0,"value":null,"from":"n3"}}"#);
    bench.steps("deliver n4>n1#2 Prevote\ndeliver n4>n1#3 Prevote");
    bench.steps("deliver n2>n1#1 Prevote\ndeliver n3>n1#1 Prevote");
    assert_eq!(bench.view(N1).locked, Some(RoundValue { value: Z, round: 0 }));
}

#[test]
fn text_that_is_no_message_is_refused() {
    let mut bench = Bench::new();
    bench.deliver("Proposal");
    for text in [
        "",
        "?",
        "{}",
        "null",
        r#"{"vote":1}"#,
        r#"{"prevote":{"height":1}}"#,
        r#"{"prevote":{"height":1,"round":-1,"value":null,"from":"n3"}}"#,
        r#"{"prevote":{"height":1,"round":0,"value":null,"from":"n0"}}"#,
        r#"{"prevote":{"height":1,"round":0,"value":"x","from":"n3"}}"#,
        r#"{"prevote":{"height":1,"round":0,"value":null,"from":"n3","more":1}}"#,
        r#"{"precommit":{"height":1,"round":0,"value":null,"from":"n3"}}"#,
    ] {
        let step = Step::Tamper(id(N3, N1), Name::new("Prevote"), text.into());
        let refusal = bench.0.perform(&step).expect_err(text);
        assert!(matches!(refusal, Refusal::Malformed(_)), "{text}: {refusal}");
    }
    let wrong =
        r#"{"decision":{"height":1,"round":0,"value":1,"precommits":[{"from":"n1","signature":"é"}]}}"#;
    assert!(Message::decode(wrong).expect_err("no signature").contains("128 hexadecimal digits"));
}

fn id(from: NodeId, to: NodeId) -> MessageId {
    MessageId { from, to, number: 1 }
}

#[test]
fn the_text_of_every_kind_of_message_reads_back() {
    for text in [
        r#"{"proposal":{"height":1,"round":1,"value":1000001,"pol_round":0,"from":"n2"}}"#,
        r#"{"proposal":{"height":1,"round":1,"value":null,"pol_round":null,"from":"n2"}}"#,
        r#"{"prevote":{"height":1,"round":0,"value":null,"from":"n3"}}"#,
        r#"{"precommit":{"height":1,"round":0,"value":7,"from":"n3"}}"#,
        r#"{"polka-certificate":{"height":1,"round":0,"value":7,"prevotes":[{"from":"n1","signature":null}]}}"#,
        r#"{"round-certificate":{"height":1,"round":0,"because":"skip","votes":[{"kind":"prevote","value":null,"from":"n1","signature":null}]}}"#,
        r#"{"decision-request":{"height":1}}"#,
        r#"{"decision":{"height":1,"round":0,"value":7,"precommits":[]}}"#,
    ] {
        let message = Message::decode(text).expect(text);
        assert_eq!(message.encode().expect("it has a text"), text);
    }
    let proposal =
        Message::decode(r#"{"proposal":{"height":1,"round":1,"value":7,"pol_round":0,"from":"n2"}}"#);
    assert_eq!(proposal.expect("a proposal").describe(), "Proposal h1 r1 7 pol=0 by n2");
}

#[test]
fn an_empty_proposal_gets_no_votes() {
    let mut bench = Bench::new();
    for to in [N2, N3, N4] {
        let text = r#"{"proposal":{"height":1,"round":0,"value":null,"from":"n1"}}"#;
        bench.step(&format!("tamper n1>{to}#1 Proposal {text}"));
    }
    bench.deliver("Proposal");
    for node in [N2, N3, N4] {
        assert_eq!(bench.facts(node, "prevote"), ["prevote height=1 round=0 value=nil"], "{node}");
    }
}

#[test]
fn a_validator_that_fell_behind_learns_what_was_decided() {
    let mut bench = Bench::with(&[("heights", "2")]);
    bench.deliver_if(|id, kind| id.to != N4 && kind.as_str() != "DecisionRequest");
    assert_eq!(bench.view(N1).decisions.len(), 2);
    bench.drop_all();
    assert_eq!(bench.view(N4).decisions, []);
    bench.run_fairly(30);
    assert_eq!(bench.view(N4).decisions, bench.view(N1).decisions);
    let id = MessageId { from: N4, to: N1, number: 1 };
    let asked = bench.0.board().find(id, Name::new("DecisionRequest")).expect("n4 asked for height 1");
    assert!(matches!(bench.0.board().message(asked).fate, Fate::Received(_)));
}

#[test]
fn the_same_schedule_gives_the_same_fingerprint() {
    let fingerprint = || {
        let mut bench = Bench::new();
        bench.steps("cut n1-n2\ncut n1-n3");
        bench.run_fairly(20);
        bench.0.board().fingerprint()
    };
    assert_eq!(fingerprint(), fingerprint());
}
