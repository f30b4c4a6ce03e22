//! Whole clusters of this target: by hand under a fair schedule, and at random.

use shakedown_campaign::{AnyTarget, CannotBegin, Config, Violation};
use shakedown_cluster::{
    Cluster, Fingerprint, InProcess, NodeId, Options, Recording, Setup, Step, Stop, derive_seed,
};
use shakedown_explore::{Environment, Execution, Explorer, RandomWalk, Sight};
use shakedown_rafts::Role;

use shakedown_raft::{RaftNode, RaftView, target};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);

fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

fn options_with(changes: &[(&str, &str)]) -> Options {
    let mut options = any_target().defaults().options.clone();
    changes.iter().for_each(|(name, value)| options.set(*name, value));
    options
}

/// A cluster that is led by hand: everything sent arrives in the order of sending, unless a test says
/// otherwise.
struct Bench(InProcess<RaftNode>);

impl Bench {
    fn with(changes: &[(&str, &str)]) -> Bench {
        let options = options_with(changes);
        let setup = Setup {
            nodes: 3,
            contract: any_target().contract(&options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            seed: 1,
            recording: Recording::Brief,
            steps: 100,
        };
        Bench(InProcess::boot(&setup).expect("raft boots"))
    }

    /// A cluster that n1 leads.
    fn led(changes: &[(&str, &str)]) -> Bench {
        let mut bench = Bench::with(changes);
        bench.tick(N1, 8);
        bench.run();
        assert_eq!(bench.view(N1).role, Role::Leader);
        bench
    }

    fn step(&mut self, step: Step) {
        self.0.perform(&step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
    }

    fn tick(&mut self, node: NodeId, times: usize) {
        (0..times).for_each(|_| self.step(Step::Tick(node)));
    }

    fn ask(&mut self, node: NodeId, request: &str) {
        self.step(Step::Request(node, request.into()));
    }

    /// Delivers the oldest message; false if there is none.
    fn deliver(&mut self) -> bool {
        let Some(oldest) = self.0.board().deliverable().iter().min().copied() else { return false };
        let step = self.0.board().deliver(oldest);
        self.step(step);
        true
    }

    /// Delivers and flushes until nothing is left to do.
    fn run(&mut self) {
        while self.0.board().stopped().is_none() {
            let dirty = NodeId::first(3).find(|&node| self.0.board().node(node).unflushed > 0);
            match dirty {
                Some(node) => self.step(Step::Flush(node)),
                None if self.deliver() => {}
                None => break,
            }
        }
    }

    fn view(&self, node: NodeId) -> &RaftView {
        &self.0.states()[node.index()]
    }

    fn value(&self, node: NodeId, key: u8) -> Option<u64> {
        self.0.node(node).expect("it runs").value(key)
    }

    fn answers(&self) -> Vec<&str> {
        self.0.board().requests().iter().filter_map(|request| request.answer.as_deref()).collect()
    }

    fn sent(&self, kind: &str) -> usize {
        self.0.board().messages().iter().filter(|message| message.kind.as_str() == kind).count()
    }
}

#[test]
fn a_leader_is_elected_and_what_it_is_asked_is_applied_everywhere() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    // A follower forwards what it is asked, and answers when it has applied it itself.
    bench.ask(N2, r#"{"put":[2,6]}"#);
    bench.run();
    for node in NodeId::first(3) {
        assert_eq!((bench.value(node, 1), bench.value(node, 2)), (Some(5), Some(6)));
        assert_eq!(bench.view(node).applied, 3);
    }
    assert_eq!(bench.answers(), [r#"{"applied":2}"#, r#"{"applied":3}"#]);
}

#[test]
fn what_is_asked_of_a_node_that_knows_no_leader_is_dropped() {
    let mut bench = Bench::with(&[]);
    bench.ask(N2, r#"{"put":[2,6]}"#);
    assert_eq!(bench.answers(), [r#""dropped""#]);
}

#[test]
fn a_snapshot_brings_a_lagging_node_up_to_date_even_if_it_is_lost_at_first() {
    let mut bench = Bench::led(&[]);
    bench.step(Step::Cut(N1, N3));
    bench.step(Step::Cut(N2, N3));
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    bench.ask(N1, r#""compact""#);
    assert_eq!((bench.view(N1).log.first(), bench.view(N1).log.last()), (3, 2));
    bench.step(Step::Heal(N1, N3));
    bench.tick(N1, 1);
    while bench.sent("Snapshot") == 0 {
        assert!(bench.deliver(), "a snapshot is sent");
    }
    let lost = *bench.0.board().deliverable().iter().max().expect("the snapshot is under way");
    let lost = bench.0.board().message(lost);
    let step = Step::Drop(lost.id, lost.kind);
    bench.step(step);
    bench.run();
    assert_eq!(bench.value(N3, 1), None);
    for _ in 0..6 {
        bench.tick(N1, 1);
        bench.run();
    }
    assert_eq!(bench.value(N3, 1), Some(5));
    assert_eq!((bench.view(N3).applied, bench.view(N3).log.first()), (2, 3));
}

#[test]
fn a_restart_keeps_term_vote_log_and_snapshot() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    bench.ask(N2, r#""compact""#);
    bench.ask(N1, r#"{"put":[2,6]}"#);
    bench.run();
    let before = bench.view(N2).clone();
    bench.step(Step::Crash { node: N2, keep: 0 });
    bench.step(Step::Restart(N2));
    let after = bench.view(N2);
    assert_eq!((after.term, after.vote, after.commit), (before.term, before.vote, before.commit));
    assert_eq!((after.log.first(), after.log.last()), (3, 3));
    assert_eq!(after.log.entry(3), before.log.entry(3));
    assert_eq!((bench.value(N2, 1), bench.value(N2, 2)), (Some(5), Some(6)));
}

#[test]
fn on_a_buffered_disk_nothing_is_acknowledged_before_it_is_flushed_and_a_crash_loses_it() {
    let mut bench = Bench::led(&[("disk", "buffered")]);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    let acknowledged = bench.sent("AppendResponse");
    while bench.deliver() {}
    assert_eq!((bench.view(N2).log.last(), bench.view(N3).log.last()), (2, 2));
    assert_eq!(bench.sent("AppendResponse"), acknowledged);
    bench.step(Step::Flush(N3));
    assert_eq!(bench.sent("AppendResponse"), acknowledged + 1);
    bench.step(Step::Crash { node: N2, keep: 0 });
    bench.step(Step::Restart(N2));
    assert_eq!(bench.view(N2).log.last(), 1);
    bench.run();
    bench.tick(N1, 1);
    bench.run();
    assert_eq!(NodeId::first(3).map(|node| bench.value(node, 1)).collect::<Vec<_>>(), [Some(5); 3]);
}

#[test]
fn a_node_is_removed_and_added_again() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"remove":"n3"}"#);
    bench.run();
    assert_eq!(format!("{:?}", bench.view(N1).voters), "n1,n2");
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    assert_eq!((bench.value(N2, 1), bench.value(N3, 1)), (Some(5), None));
    bench.ask(N1, r#"{"add":"n3"}"#);
    bench.run();
    assert_eq!(bench.value(N3, 1), Some(5));
    assert_eq!(bench.answers(), [r#"{"applied":2}"#, r#"{"applied":3}"#, r#"{"applied":4}"#]);
    bench.ask(N1, r#"{"add":"n7"}"#);
    assert_eq!(bench.answers().last(), Some(&r#""dropped""#));
}

#[test]
fn a_configuration_is_applied_again_after_a_restart() {
    let mut bench = Bench::led(&[]);
    bench.ask(N1, r#"{"remove":"n3"}"#);
    bench.run();
    bench.ask(N2, r#""compact""#);
    for node in [N1, N2] {
        bench.step(Step::Crash { node, keep: 0 });
        bench.step(Step::Restart(node));
        assert_eq!(format!("{:?}", bench.view(node).voters), "n1,n2");
    }
}

/// Removes the leader, with one more entry on its way.
fn remove_leader(changes: &[(&str, &str)]) -> Bench {
    let mut bench = Bench::led(changes);
    bench.ask(N1, r#"{"remove":"n1"}"#);
    bench.ask(N1, r#"{"put":[1,5]}"#);
    bench.run();
    bench
}

#[test]
fn a_leader_that_is_removed_steps_down() {
    let bench = remove_leader(&[]);
    assert_eq!(bench.0.board().stopped(), None);
    assert_eq!(bench.view(N1).role, Role::Follower);
}

#[test]
fn raft_panics_when_a_removed_leader_that_goes_on_commits_another_entry() {
    let bench = remove_leader(&[("step_down_when_removed", "false")]);
    assert!(matches!(bench.0.board().stopped(), Some(Stop::Panicked(N1, _))));
}

#[test]
fn leadership_is_handed_over() {
    let mut bench = Bench::led(&[]);
    bench.ask(N3, r#"{"transfer":"n2"}"#);
    bench.run();
    assert_eq!((bench.view(N2).role, bench.view(N1).leader), (Role::Leader, Some(N2)));
}

#[test]
fn options_that_raft_cannot_have_are_refused_before_anything_boots() {
    let check = |name: &str, value: &str| {
        let mut config = any_target().defaults().clone();
        config.options.set(name, value);
        let began = any_target().begin(&config, 1, Recording::Brief);
        assert!(matches!(began.err(), Some(CannotBegin::BadOption(bad)) if bad.name == name));
    };
    check("election_tick", "1");
    check("election_tick", "18446744073709551615");
    check("heartbeat_tick", "0");
    check("disk", "floppy");
    check("membership", "perhaps");
    let bare = Config { options: Options::default(), ..any_target().defaults().clone() };
    assert!(
        any_target().begin(&bare, 1, Recording::Brief).is_ok(),
        "an option that is not given has its default"
    );
}

/// One random execution: what was violated, if anything, and the fingerprint.
fn explore(config: &Config, number: u64) -> (Option<Violation>, Fingerprint) {
    let target = any_target();
    let seed = derive_seed(11, number);
    let mut live = target.begin(config, seed, Recording::Brief).expect("the configuration is right");
    let walk = RandomWalk::new(Environment::new(target.info().weights.clone(), config.crashes));
    let execution = Execution { number, seed: derive_seed(seed, 1), steps_max: config.steps };
    let mut strategy = walk.strategy(&execution);
    while live.board().steps().len() < config.steps {
        let Some(step) = strategy.next(&Sight::of(live.board())) else { break };
        if let Err(violation) = live.perform(&step).expect("random walks do what is possible") {
            return (Some(violation), live.board().fingerprint());
        }
        assert_eq!(live.board().stopped(), None, "execution {number} with {:?}", config.options);
    }
    (None, live.board().fingerprint())
}

fn config_with(changes: &[(&str, &str)]) -> Config {
    Config { options: options_with(changes), ..any_target().defaults().clone() }
}

#[test]
fn raft_keeps_its_invariants_in_random_executions_whatever_is_switched_on() {
    for elections in ["false", "true"] {
        for disk in ["synchronous", "buffered"] {
            for membership in ["false", "true"] {
                let config = config_with(&[
                    ("pre_vote", elections),
                    ("check_quorum", elections),
                    ("disk", disk),
                    ("membership", membership),
                    ("library_invariants", "false"),
                ]);
                for number in 0..200 {
                    assert_eq!(
                        explore(&config, number).0,
                        None,
                        "execution {number} with {:?}",
                        config.options
                    );
                }
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_execution() {
    for disk in ["synchronous", "buffered"] {
        let config = config_with(&[("disk", disk), ("membership", "true"), ("library_invariants", "false")]);
        let prints = || (0..50).map(|number| explore(&config, number).1).collect::<Vec<_>>();
        let first = prints();
        assert_eq!(first, prints());
        assert_ne!(first[0], first[1]);
    }
}

#[test]
fn raft_0_7_0_takes_the_next_index_of_a_peer_back_to_what_is_matched() {
    let config = any_target().defaults().clone();
    let found = (0..2000).find_map(|number| explore(&config, number).0);
    assert_eq!(found.map(|violation| violation.property).as_deref(), Some("progress-next-above-match"));
}
