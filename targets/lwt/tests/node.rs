//! Whole executions, in lock step and in any order.

use shakedown_campaign::{AnyTarget, Campaign, Silent};
use shakedown_check::{Harness, Oracle, RegisterAnswer, RegisterOp, RegisterValues, Seen};
use shakedown_cluster::{Cluster, InProcess, NodeId, Random, Recording, Setup, Step};

use shakedown_lwt::{CommittedOnce, Server, harness, outcome, target};

const NODES: usize = 3;
const PHASES: usize = 4;
/// Rounds of a phase, which is also how often isolated nodes come back.
const PERIOD: usize = 6;

/// A node that is cut off from the network from this round of this phase to the end of the phase; all counted
/// from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Isolation {
    phase: usize,
    node: usize,
    from: usize,
}

const fn isolation(phase: usize, node: usize, from: usize) -> Isolation {
    Isolation { phase, node, from }
}

/// The bug in 24 rounds. In phase 1, n3 accepts t1 but misses its commit. In phase 2 it promises the ballot
/// of t2 and misses the rest, and in phase 3 one of its own, but all promises are lost: now it has t1 with
/// the ballot of phase 3. In phase 4 it hears from n1 of the commit of t2, which has the ballot of phase 2
/// only.
const BUG: [Isolation; 3] = [isolation(0, 2, 4), isolation(1, 2, 1), isolation(2, 2, 1)];

struct Run {
    cluster: InProcess<Server>,
    oracle: CommittedOnce,
    violation: Option<String>,
}

impl Run {
    fn new(nodes: usize, distinguish: bool) -> Run {
        let mut options = target().defaults().options.clone();
        options.set("distinguish", distinguish);
        let setup = Setup {
            nodes,
            contract: AnyTarget::contract(&target(), &options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            steps: 100,
            seed: 1,
            recording: Recording::Brief,
        };
        let cluster = InProcess::boot(&setup).expect("nodes boot");
        Run { cluster, oracle: CommittedOnce::default(), violation: None }
    }

    fn step(&mut self, step: &Step) {
        let fresh = self.cluster.board().moments().len();
        self.cluster.perform(step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
        if let Err(reason) = self.oracle.after_step(&Seen::new(&self.cluster, fresh)) {
            self.violation.get_or_insert(reason);
        }
    }

    fn ask(&mut self, node: NodeId, op: &RegisterOp) {
        let op = serde_json::to_string(op).expect("it is plain data");
        self.step(&Step::Request(node, op.into()));
    }

    /// The phase boundary.
    fn tick(&mut self) {
        NodeId::first(self.cluster.board().size()).for_each(|node| self.step(&Step::Tick(node)));
    }

    /// What was sent before this round is received if both its ends are in the kernel, and lost otherwise.
    fn round(&mut self, in_kernel: impl Fn(NodeId) -> bool) {
        let mut sent = self.cluster.board().deliverable().to_vec();
        sent.sort();
        for index in sent {
            let message = self.cluster.board().message(index);
            let (id, kind) = (message.id, message.kind);
            let step = if in_kernel(id.from) && in_kernel(id.to) {
                Step::Deliver(id, kind)
            } else {
                Step::Drop(id, kind)
            };
            self.step(&step);
        }
    }

    /// Phases in lock step: clients ask one after the other, each at the beginning of a phase in which nobody
    /// works for the one before any more.
    fn phases(&mut self, harness: &Harness, isolations: &[Isolation]) {
        for phase in 0..PHASES {
            self.tick();
            let asked = self.cluster.board().requests().len();
            if asked < harness.len() && self.cluster.states().iter().all(|view| view.coordinating.is_none()) {
                let (node, op) = &harness[asked];
                self.ask(*node, op);
            }
            for round in 0..PERIOD {
                let isolated = |node: NodeId, i: &Isolation| {
                    i.node == node.index() && i.phase == phase && i.from <= round
                };
                self.round(|node| !isolations.iter().any(|i| isolated(node, i)));
            }
            assert_eq!(self.cluster.board().in_flight_count(), 0, "a phase ends with its last round");
        }
    }

    fn answers(&self) -> Vec<Option<String>> {
        self.cluster
            .board()
            .requests()
            .iter()
            .map(|request| request.answer.as_deref().map(String::from))
            .collect()
    }

    fn values(&self) -> RegisterValues {
        outcome(self.cluster.states())
    }

    /// Whether the answers and the final values are those of some order of the transactions, those without an
    /// answer done or not.
    fn is_serializable(&self) -> bool {
        let operations: Vec<(RegisterOp, Option<RegisterAnswer>)> = self
            .cluster
            .board()
            .requests()
            .iter()
            .map(|request| {
                let answer = request.answer.as_deref();
                let answer = answer.map(|text| serde_json::from_str(text).expect("it is an answer"));
                (serde_json::from_str(&request.op).expect("it is a request"), answer)
            })
            .collect();
        has_order(&operations, &mut vec![false; operations.len()], &RegisterValues::default(), &self.values())
    }
}

fn has_order(
    operations: &[(RegisterOp, Option<RegisterAnswer>)],
    done: &mut [bool],
    values: &RegisterValues,
    finally: &RegisterValues,
) -> bool {
    let is_over = operations.iter().zip(&*done).all(|((_, answer), done)| *done || answer.is_none());
    if is_over && values == finally {
        return true;
    }
    for place in (0..operations.len()).collect::<Vec<_>>() {
        let (op, answer) = &operations[place];
        let mut after = values.clone();
        if done[place] || answer.is_some_and(|answer| answer != op.apply(&mut after)) {
            continue;
        }
        if answer.is_none() {
            op.apply(&mut after);
        }
        done[place] = true;
        let found = has_order(operations, done, &after, finally);
        done[place] = false;
        if found {
            return true;
        }
    }
    false
}

fn lock_step(distinguish: bool, isolations: &[Isolation]) -> Run {
    let mut run = Run::new(NODES, distinguish);
    run.phases(&harness(3), isolations);
    run
}

fn sample(count: usize, random: &mut Random) -> Vec<Isolation> {
    let mut pairs: Vec<_> = (0..NODES * PHASES).collect();
    let mut draw = |_| {
        let pair = pairs.swap_remove(random.index(pairs.len()));
        isolation(pair / NODES, pair % NODES, random.index(PERIOD))
    };
    (0..count).map(&mut draw).collect()
}

#[test]
fn without_faults_every_transaction_takes_one_phase() {
    for distinguish in [true, false] {
        let run = lock_step(distinguish, &[]);
        let applied = Some(r#"{"applied":true}"#.to_owned());
        assert_eq!(run.answers(), [applied.clone(), applied.clone(), applied]);
        assert_eq!(run.values().to_string(), "k0=303");
        // Three transactions of six rounds, three messages each.
        assert_eq!(run.cluster.board().messages().len(), 3 * 18);
        assert!(run.is_serializable());
        assert_eq!(run.violation, None);
    }
}

#[test]
fn requests_and_answers_are_those_of_registers() {
    let mut run = Run::new(3, true);
    let mut ask = |node: usize, request: &str| {
        run.step(&Step::Request(NodeId::new(node), request.into()));
        (0..PERIOD).for_each(|_| run.round(|_| true));
        run.answers().pop().flatten().unwrap_or_default()
    };
    assert_eq!(ask(1, r#"{"read":1}"#), r#"{"value":0}"#);
    assert_eq!(ask(2, r#"{"write":[1,5]}"#), r#""done""#);
    assert_eq!(ask(3, r#"{"read":1}"#), r#"{"value":5}"#);
    assert_eq!(ask(1, r#"{"when":{"key":1,"is":4,"write":[1,6]}}"#), r#"{"applied":false}"#);
    assert_eq!(ask(1, r#"{"when":{"key":1,"is":5,"write":[2,6]}}"#), r#"{"applied":true}"#);
    assert_eq!(ask(1, r#"{"read":2}"#), r#"{"value":6}"#);
}

#[test]
fn the_bug_commits_the_first_transaction_again_over_the_second() {
    let buggy = lock_step(false, &BUG);
    let applied = Some(r#"{"applied":true}"#.to_owned());
    assert_eq!(buggy.answers(), [applied.clone(), applied, None]);
    assert_eq!(buggy.values().to_string(), "k0=101");
    assert!(!buggy.is_serializable());
    assert_eq!(
        buggy.violation.as_deref(),
        Some("n3 has committed t1=101@4.n3 under k0, so t1 was committed both before and after t2")
    );
}

#[test]
fn the_same_execution_is_harmless_if_promised_and_accepted_ballots_are_kept_apart() {
    let fixed = lock_step(true, &BUG);
    let applied = Some(r#"{"applied":true}"#.to_owned());
    assert_eq!(fixed.answers(), [applied.clone(), applied.clone(), applied]);
    assert_eq!(fixed.values().to_string(), "k0=303");
    assert!(fixed.is_serializable());
    assert_eq!(fixed.violation, None);
}

/// Every set of `count` isolations with distinct nodes and phases, given to `visit`.
fn for_all(count: usize, visit: &mut impl FnMut(&[Isolation])) {
    fn extend(left: usize, first: usize, chosen: &mut Vec<Isolation>, visit: &mut impl FnMut(&[Isolation])) {
        if left == 0 {
            return visit(chosen);
        }
        for pair in first..NODES * PHASES {
            for from in 0..PERIOD {
                chosen.push(isolation(pair / NODES, pair % NODES, from));
                extend(left - 1, pair + 1, chosen, visit);
                chosen.pop();
            }
        }
    }
    extend(count, 0, &mut Vec::new(), visit);
}

/// Whether the transactions of the buggy form are serializable, after a check that the fixed form is right
/// with the same isolations.
fn is_buggy_form_right(isolations: &[Isolation]) -> bool {
    let fixed = lock_step(true, isolations);
    assert!(fixed.is_serializable() && fixed.violation.is_none(), "{isolations:?}");
    let buggy = lock_step(false, isolations);
    assert!(buggy.is_serializable() || buggy.violation.is_some(), "{isolations:?}");
    buggy.is_serializable()
}

#[test]
fn of_all_executions_with_up_to_three_isolations_only_those_of_the_buggy_form_are_not_serializable() {
    let count = |isolations| {
        let (mut all, mut wrong) = (0, 0);
        for_all(isolations, &mut |isolations| {
            all += 1;
            wrong += usize::from(!is_buggy_form_right(isolations));
        });
        (all, wrong)
    };
    assert_eq!([0, 1, 2, 3].map(count), [(1, 0), (72, 0), (2_376, 0), (47_520, 30)]);
}

#[test]
fn of_sampled_executions_only_those_of_the_buggy_form_are_not_serializable() {
    const SAMPLES: usize = 30_000;
    let mut random = Random::new(1);
    let mut wrong = [0; 6];
    for number in 0..SAMPLES {
        let kind = number % 6;
        let isolations = sample(4 + kind, &mut random);
        wrong[kind] += usize::from(!is_buggy_form_right(&isolations));
    }
    // Of 5 000 executions each, with 4 to 9 isolations.
    assert_eq!(wrong, [2, 6, 6, 4, 3, 0]);
}

/// Steps in any order, with requests at any time, lost messages, crashes and restarts.
fn asynchronous(run: &mut Run, random: &mut Random) {
    let lost_percent = random.below(20);
    let requests = [
        RegisterOp::Write(0, 101),
        RegisterOp::When { key: 0, is: 101, write: (0, 202) },
        RegisterOp::Read(0),
        RegisterOp::When { key: 0, is: 0, write: (0, 303) },
        RegisterOp::Write(1, 404),
        RegisterOp::Read(0),
    ];
    for _ in 0..250 {
        let board = run.cluster.board();
        let deliverable = board.deliverable();
        let node = NodeId::from_index(random.index(board.size()));
        let asked = board.requests().len();
        let step = match random.below(100) {
            0..3 if board.is_up(node) && asked < requests.len() => {
                run.ask(node, &requests[asked]);
                continue;
            }
            3 if board.is_up(node) && board.down_count() == 0 => Step::Crash { node, keep: 0 },
            4..10 if !board.is_up(node) => Step::Restart(node),
            10..15 if board.is_up(node) => Step::Tick(node),
            _ if deliverable.is_empty() => continue,
            _ => {
                let message = board.message(deliverable[random.index(deliverable.len())]);
                let (id, kind) = (message.id, message.kind);
                if random.below(100) < lost_percent { Step::Drop(id, kind) } else { Step::Deliver(id, kind) }
            }
        };
        run.step(&step);
    }
}

#[test]
fn the_fixed_form_is_serializable_in_any_order_of_steps_and_with_crashes() {
    let mut random = Random::new(2);
    let mut answered = 0;
    for number in 0..5_000 {
        let mut run = Run::new(if number % 4 == 0 { 5 } else { 3 }, true);
        asynchronous(&mut run, &mut random);
        assert_eq!(run.violation, None, "execution {number}");
        assert!(run.is_serializable(), "execution {number}: {:?} {}", run.answers(), run.values());
        answered += run.answers().iter().flatten().count();
    }
    assert!(answered > 5_000, "{answered} answers");
}

#[test]
fn a_refused_coordinator_tries_again_in_the_next_phase() {
    let mut run = Run::new(3, true);
    run.tick();
    run.ask(NodeId::new(1), &RegisterOp::Write(0, 101));
    run.ask(NodeId::new(2), &RegisterOp::Write(0, 202));
    (0..PERIOD).for_each(|_| run.round(|_| true));
    // n2 has the higher ballot of the same phase.
    let done = Some(r#""done""#.to_owned());
    assert_eq!(run.answers(), [None, done.clone()]);
    run.tick();
    (0..PERIOD).for_each(|_| run.round(|_| true));
    assert_eq!(run.answers(), [done.clone(), done]);
    assert_eq!(run.values().to_string(), "k0=101");
    assert!(run.is_serializable());
}

#[test]
fn a_view_is_short_text_and_plain_json() {
    let run = lock_step(false, &[BUG[0], BUG[1], BUG[2], isolation(3, 2, 0)]);
    assert_eq!(
        format!("{:?}", run.cluster.states()[2]),
        "k0: promised 3.n3 in progress t1=101@3.n3; t3 prepares under 4.n3"
    );
    assert_eq!(
        serde_json::to_string(&run.cluster.states()[0]).expect("it is plain data"),
        r#"{"keys":[[0,{"promised":"3.n3","in_progress":null,"commit":{"ballot":"2.n2","transaction":1,"value":202}}]],"coordinating":null,"waiting":0}"#
    );
}

/// What the paper calls a phase with a quorum: the request of the phase is committed on a majority.
#[test]
fn a_phase_counts_when_its_commit_has_reached_a_majority() {
    let target = target();
    let rounds = |isolations: usize| {
        let mut campaign = Campaign::new(&target);
        let strategy = format!("closure:rounds=24,period=6,isolations={isolations},harness=cassandra");
        campaign.plan.strategy = strategy.parse().expect("this is a strategy");
        (campaign.plan.executions, campaign.plan.config.steps) = (100, 2_000);
        campaign.run(&Silent).expect("the campaign runs").tally.rounds
    };
    let calm = rounds(0);
    assert_eq!((calm.phases, calm.phases_with_effect), (300, Some(300)), "three requests, three phases");
    // A majority may stay in the kernel without the coordinator: then nothing is committed.
    let faulty = rounds(3);
    let effects = faulty.phases_with_effect.expect("the target says what shows an effect");
    assert!(effects < faulty.phases_with_quorum && faulty.phases_with_quorum < faulty.phases, "{faulty:?}");
}
