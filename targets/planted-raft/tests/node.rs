//! Whole clusters, led by hand under a fair schedule.

use shakedown_campaign::{AnyTarget, CannotBegin};
use shakedown_cluster::{Cluster, Happening, InProcess, NodeId, Recording, Setup, Step};
use shakedown_rafts::Role;

use shakedown_planted_raft::{RaftNode, View, target};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);

/// A cluster of three in which everything sent arrives in the order of sending, unless a test says otherwise.
struct Bench(InProcess<RaftNode>);

impl Bench {
    fn with(changes: &[(&str, &str)]) -> Bench {
        let target: Box<dyn AnyTarget> = Box::new(target());
        let mut options = target.defaults().options.clone();
        changes.iter().for_each(|(name, value)| options.set(*name, value));
        let setup = Setup {
            nodes: 3,
            contract: target.contract(&options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            seed: 1,
            recording: Recording::Brief,
            steps: 100,
        };
        Bench(InProcess::boot(&setup).expect("nodes boot"))
    }

    /// A cluster that n1 leads, with its first entry committed everywhere.
    fn led(changes: &[(&str, &str)]) -> Bench {
        let mut bench = Bench::with(changes);
        bench.elect(N1);
        bench.settle();
        bench
    }

    fn step(&mut self, step: Step) {
        self.0.perform(&step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
    }

    fn tick(&mut self, node: NodeId, times: usize) {
        (0..times).for_each(|_| self.step(Step::Tick(node)));
    }

    /// Lets the node campaign, and everything be delivered.
    fn elect(&mut self, node: NodeId) {
        while self.view(node).role == Role::Follower {
            self.tick(node, 1);
        }
        self.run();
        assert_eq!(self.view(node).role, Role::Leader);
    }

    /// Lets n1 tell the others what is committed.
    fn settle(&mut self) {
        self.tick(N1, 1);
        self.run();
    }

    fn ask(&mut self, node: NodeId, request: &str) {
        self.step(Step::Request(node, request.into()));
    }

    fn run(&mut self) {
        while let Some(oldest) = self.0.board().deliverable().iter().min().copied() {
            let step = self.0.board().deliver(oldest);
            self.step(step);
        }
    }

    fn restart(&mut self, node: NodeId) {
        self.step(Step::Crash { node, keep: 0 });
        self.step(Step::Restart(node));
    }

    fn cut_off(&mut self, node: NodeId) {
        NodeId::first(3).filter(|&peer| peer != node).for_each(|peer| self.step(Step::Cut(node, peer)));
    }

    fn join(&mut self, node: NodeId) {
        NodeId::first(3).filter(|&peer| peer != node).for_each(|peer| self.step(Step::Heal(node, peer)));
    }

    fn view(&self, node: NodeId) -> &View {
        &self.0.states()[node.index()]
    }

    fn log(&self, node: NodeId) -> String {
        format!("{:?}", self.view(node)).split(" log ").nth(1).expect("a view shows its log").to_owned()
    }

    fn answers(&self) -> Vec<&str> {
        self.0.board().requests().iter().filter_map(|request| request.answer.as_deref()).collect()
    }

    fn facts(&self, node: NodeId) -> Vec<String> {
        let board = self.0.board();
        let of_node = |moment: u32| board.moments()[moment as usize].node == node;
        let reported = board.events().filter(|event| of_node(event.moment));
        reported
            .filter_map(|event| match &event.what {
                Happening::Internal(fact) => Some(fact.to_string()),
                _ => None,
            })
            .collect()
    }
}

#[test]
fn a_leader_is_elected_and_what_it_is_asked_is_applied_everywhere() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.ask(N2, r#"{"put":[2,6]}"#);
    bench.run();
    bench.settle();
    assert_eq!(bench.answers(), [r#"{"applied":2}"#, r#""dropped""#]);
    for node in NodeId::first(3) {
        assert_eq!((bench.view(node).commit, bench.view(node).machine), (2, bench.view(N1).machine));
    }
    assert_eq!(
        format!("{:?}", bench.view(N2)),
        "follower term 1 vote n1 leader n1 commit 2 log 1..2 of terms 1 1 voters n1,n2,n3"
    );
    assert_eq!(
        bench.facts(N1),
        [
            "role role=candidate term=1",
            "role role=leader term=1",
            "commit index=1 term=1",
            "commit index=2 term=1 key=1 value=5"
        ]
    );
}

#[test]
fn entries_that_contradict_the_leader_are_overwritten_and_their_clients_told() {
    let mut bench = Bench::led(&[]);
    bench.cut_off(N1);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.ask(N1, r#"{"put":[1,6]}"#);
    bench.elect(N2);
    assert_eq!(bench.log(N1), "1..3 of terms 1 1 1 voters n1,n2,n3");
    bench.join(N1);
    bench.tick(N2, 1);
    bench.run();
    bench.tick(N2, 1);
    bench.run();
    for node in NodeId::first(3) {
        assert_eq!(bench.log(node), "1..2 of terms 1 2 voters n1,n2,n3");
    }
    // Entry 2 is decided, and another one; of entry 3 nothing is known yet.
    assert_eq!(bench.answers(), [r#""dropped""#]);
}

#[test]
fn a_snapshot_brings_a_lagging_node_up_to_date() {
    let mut bench = Bench::led(&[]);
    bench.cut_off(N3);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    bench.ask(N1, r#""compact""#);
    bench.ask(N1, r#"{"put":[2,6]}"#);
    bench.run();
    assert_eq!(bench.log(N1), "3..3 of terms 1 voters n1,n2,n3");
    bench.join(N3);
    bench.settle();
    bench.settle();
    assert_eq!(bench.log(N3), "3..3 of terms 1 voters n1,n2,n3");
    assert_eq!((bench.view(N3).commit, bench.view(N3).machine), (3, bench.view(N1).machine));
    assert_eq!(bench.answers(), [r#"{"applied":2}"#, r#"{"compacted":2}"#, r#"{"applied":3}"#]);
}

#[test]
fn a_restart_keeps_term_vote_log_and_snapshot() {
    let mut bench = Bench::led(&[]);
    bench.ask(N2, r#""compact""#);
    bench.ask(N1, r#"{"put":[2,6]}"#);
    bench.run();
    bench.settle();
    bench.restart(N2);
    assert_eq!(
        format!("{:?}", bench.view(N2)),
        "follower term 1 vote n1 commit 1 log 2..2 of terms 1 voters n1,n2,n3"
    );
    bench.settle();
    assert_eq!((bench.view(N2).commit, bench.view(N2).machine), (2, bench.view(N1).machine));
}

#[test]
fn what_is_planted_is_not_on_the_disk() {
    let restarted = |fault: &str| {
        let mut bench = Bench::led(&[("fault", fault)]);
        bench.restart(N2);
        (bench.view(N2).term, bench.view(N2).vote)
    };
    assert_eq!(restarted("none"), (1, Some(N1)));
    assert_eq!(restarted("vote-not-persisted"), (1, None));
    assert_eq!(restarted("term-not-persisted"), (0, Some(N1)));
}

#[test]
fn a_node_is_removed_and_added_again() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"remove":"n3"}"#);
    bench.ask(N1, r#"{"remove":"n2"}"#);
    bench.run();
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    assert_eq!(bench.view(N1).voters.to_string(), "n1,n2");
    // What n3 does not know of, it is not told any more.
    assert_eq!(bench.view(N3).commit, 1);
    bench.ask(N1, r#"{"add":"n3"}"#);
    bench.run();
    bench.settle();
    bench.settle();
    assert_eq!((bench.view(N3).commit, bench.view(N3).machine), (4, bench.view(N1).machine));
    for nonsense in [r#"{"add":"n3"}"#, r#"{"add":"n7"}"#] {
        bench.ask(N1, nonsense);
    }
    let answers = [
        r#"{"applied":2}"#,
        r#""dropped""#,
        r#"{"applied":3}"#,
        r#"{"applied":4}"#,
        r#""dropped""#,
        r#""dropped""#,
    ];
    assert_eq!(bench.answers(), answers);
}

#[test]
fn a_leader_that_is_removed_leads_until_the_change_is_committed() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"remove":"n1"}"#);
    assert_eq!(bench.view(N1).role, Role::Leader);
    bench.run();
    assert_eq!((bench.view(N1).role, bench.view(N1).commit), (Role::Follower, 2));
    bench.tick(N1, 20);
    assert_eq!(bench.view(N1).role, Role::Follower, "who does not vote does not campaign");
    bench.elect(N2);
}

#[test]
fn a_leader_changes_nothing_before_it_has_committed_an_entry_of_its_term() {
    let refused = |fault: &str| {
        let mut bench = Bench::with(&[("fault", fault)]);
        // A vote is enough to lead, but the no-op stays where it is.
        while bench.view(N1).role == Role::Follower {
            bench.tick(N1, 1);
        }
        bench.step(Step::Cut(N1, N3));
        for kind in ["RequestVote", "RequestVoteResponse"] {
            let of_kind = |m: &&shakedown_cluster::MessageInfo| m.kind.as_str() == kind && m.id.to != N3;
            let message = bench.0.board().messages().iter().find(of_kind).expect("it was sent");
            let step = Step::Deliver(message.id, message.kind);
            bench.step(step);
        }
        assert_eq!((bench.view(N1).role, bench.view(N1).commit), (Role::Leader, 0));
        bench.ask(N1, r#"{"remove":"n3"}"#);
        bench.view(N1).voters.len() == 3
    };
    assert!(refused("none"));
    assert!(!refused("reconfiguration-unfixed"));
}

#[test]
fn a_cluster_of_one_leads_itself() {
    let target: Box<dyn AnyTarget> = Box::new(target());
    let mut config = target.defaults().clone();
    config.nodes = 1;
    let mut live = target.begin(&config, 1, Recording::Brief).expect("one node is enough");
    for _ in 0..8 {
        assert_eq!(live.perform(&Step::Tick(N1)), Ok(Ok(())));
    }
    assert_eq!(live.perform(&Step::Request(N1, r#"{"put":[1,5]}"#.into())), Ok(Ok(())));
    let answer = live.board().requests().last().and_then(|request| request.answer.clone());
    assert_eq!(answer.as_deref(), Some(r#"{"applied":2}"#));
}

#[test]
fn options_that_make_no_sense_are_refused_before_anything_boots() {
    let target: Box<dyn AnyTarget> = Box::new(target());
    for (name, value) in [
        ("election_tick", "0"),
        ("spec", "zab"),
        ("heartbeat_tick", "0"),
        ("append_max", "0"),
        ("fault", "bogus"),
        ("membership", "perhaps"),
    ] {
        let mut config = target.defaults().clone();
        config.options.set(name, value);
        let began = target.begin(&config, 1, Recording::Brief);
        assert!(matches!(began.err(), Some(CannotBegin::BadOption(bad)) if bad.name == name), "{name}");
    }
}
