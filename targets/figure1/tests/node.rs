//! Whole executions in lock step.

use std::collections::BTreeSet;

use shakedown_campaign::AnyTarget;
use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Cluster, Happening, InProcess, NodeId, Random, Recording, Refusal, Setup, Step};

use shakedown_figure1::{Last, OutputsComparable, Process, View, target};

const NODES: usize = 3;
const PHASES: usize = 4;
/// Rounds of a phase, which is also how often isolated processes come back.
const PERIOD: usize = 4;

/// A process that is cut off from the network from this round of this phase to the end of the phase; all
/// counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Isolation {
    phase: usize,
    process: usize,
    from: usize,
}

const fn isolation(phase: usize, process: usize, from: usize) -> Isolation {
    Isolation { phase, process, from }
}

/// Figure 3 of the paper. Phase 1 runs without p3, so p1 and p2 output a log that p3 does not have. p2 and p3
/// join phases 2 and 3, but no acknowledgement arrives. Phase 4 runs without p2: the leader p1 has to choose
/// between its own log and the empty one of p3.
const FIGURE_3: [Isolation; 6] = [
    isolation(0, 2, 0),
    isolation(1, 0, 0),
    isolation(1, 1, 1),
    isolation(2, 0, 0),
    isolation(2, 2, 1),
    isolation(3, 1, 0),
];

/// A cluster that runs in lock step.
struct LockStep {
    cluster: InProcess<Process>,
    oracle: OutputsComparable,
    violation: Option<String>,
}

impl LockStep {
    fn new(nodes: usize, last: Last) -> LockStep {
        let mut options = target().defaults().options.clone();
        options.set("last", last);
        let setup = Setup {
            nodes,
            contract: AnyTarget::contract(&target(), &options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            steps: 125,
            seed: 1,
            recording: Recording::Brief,
        };
        let cluster = InProcess::boot(&setup).expect("processes boot");
        LockStep { cluster, oracle: OutputsComparable::default(), violation: None }
    }

    fn step(&mut self, step: &Step) {
        let fresh = self.cluster.board().moments().len();
        self.cluster.perform(step).unwrap_or_else(|refusal: Refusal| panic!("{step}: {refusal}"));
        if let Err(reason) = self.oracle.after_step(&Seen::new(&self.cluster, fresh)) {
            self.violation.get_or_insert(reason);
        }
    }

    /// Ends the round of every process and begins the next.
    fn tick(&mut self) {
        NodeId::first(self.cluster.board().size()).for_each(|node| self.step(&Step::Tick(node)));
    }

    /// A round in which a message is received if both its ends are in the kernel, and lost otherwise.
    fn round(&mut self, in_kernel: impl Fn(NodeId) -> bool) {
        let sent_before = self.cluster.board().messages().len();
        self.tick();
        for index in sent_before..self.cluster.board().messages().len() {
            let message = &self.cluster.board().messages()[index];
            let (id, kind) = (message.id, message.kind);
            let step = if in_kernel(id.from) && in_kernel(id.to) {
                Step::Deliver(id, kind)
            } else {
                Step::Drop(id, kind)
            };
            self.step(&step);
        }
    }

    fn view(&self, node: usize) -> &View {
        &self.cluster.states()[node - 1]
    }

    fn output(&self, node: usize) -> &[u32] {
        self.view(node).output.as_ref().map_or(&[], |output| output.log.commands())
    }
}

/// Four phases of three processes with these isolations.
fn run(last: Last, isolations: &[Isolation]) -> LockStep {
    let mut run = LockStep::new(NODES, last);
    for round in 0..PHASES * PERIOD {
        run.round(|node| {
            let isolated = |i: &Isolation| {
                i.process == node.index() && i.phase == round / PERIOD && i.from <= round % PERIOD
            };
            !isolations.iter().any(isolated)
        });
    }
    run.tick();
    run
}

/// Every set of `count` isolations with distinct processes and phases, given to `visit`.
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

/// `count` isolations with distinct processes and phases, uniformly at random.
fn sample(count: usize, random: &mut Random) -> Vec<Isolation> {
    let mut pairs: Vec<_> = (0..NODES * PHASES).collect();
    let mut draw = |_| {
        let pair = pairs.swap_remove(random.index(pairs.len()));
        isolation(pair / NODES, pair % NODES, random.index(PERIOD))
    };
    (0..count).map(&mut draw).collect()
}

#[test]
fn without_faults_every_process_outputs_a_longer_log_in_every_phase() {
    for last in [Last::Prepare, Last::Propose] {
        for nodes in [1, 2, 3, 5] {
            let mut run = LockStep::new(nodes, last);
            for phase in 1..=6 {
                (0..PERIOD).for_each(|_| run.round(|_| true));
                // The outputs of a phase come with the tick that begins the next.
                let outputs: Vec<_> = (1..phase).collect();
                assert_eq!(run.output(1), outputs);
            }
            run.tick();
            (1..=nodes).for_each(|node| assert_eq!(run.output(node), [1, 2, 3, 4, 5, 6]));
            assert_eq!(run.violation, None);
        }
    }
}

#[test]
fn a_phase_costs_the_messages_of_the_paper() {
    let run = run(Last::Propose, &[]);
    let board = run.cluster.board();
    let count = |kind: &str| board.messages().iter().filter(|m| m.kind.as_str() == kind).count();
    // The last tick, which ends phase 4, lets the leader of phase 5 begin it.
    assert_eq!(["Prepare", "Ack", "Propose", "Promise"].map(count), [12 + 3, 12, 12, 36]);
    assert_eq!(board.steps().len(), 17 * 3 + 72);
    let facts: BTreeSet<_> = board
        .events()
        .filter_map(|event| match &event.what {
            Happening::Internal(fact) => Some(fact.to_string()),
            _ => None,
        })
        .filter(|text| text.ends_with("phase=1") || text.contains("phase=1 "))
        .collect();
    let facts: Vec<_> = facts.iter().map(String::as_str).collect();
    assert_eq!(facts, ["joined phase=1", "output phase=1 length=1", "proposed phase=1 length=1"]);
}

#[test]
fn the_execution_of_figure_3_loses_a_log_that_was_output() {
    let buggy = run(Last::Prepare, &FIGURE_3);
    assert_eq!(
        buggy.violation.as_deref(),
        Some("n1 outputs [4] in phase 4, but n1 had output [1] in phase 1")
    );
    assert_eq!(buggy.output(2), [1]);
    assert_eq!(buggy.output(3), [4]);
}

#[test]
fn the_execution_of_figure_3_is_harmless_if_last_is_set_when_a_log_is_taken_over() {
    let fixed = run(Last::Propose, &FIGURE_3);
    assert_eq!(fixed.violation, None);
    assert_eq!([1, 2, 3].map(|node| fixed.output(node)), [&[1, 4][..], &[1], &[1, 4]]);
}

#[test]
fn two_isolations_are_enough_for_the_bug() {
    // n1 makes a log in phase 1 that nobody else sees. It joins phase 2, in which n2 and n3 output another
    // one. In phase 3 all three logs have the same date.
    let isolations = [isolation(0, 0, 2), isolation(1, 0, 1)];
    assert_eq!(
        run(Last::Prepare, &isolations).violation.as_deref(),
        Some("n1 outputs [1 3] in phase 3, but n2 had output [2] in phase 2")
    );
    assert_eq!(run(Last::Propose, &isolations).violation, None);
}

#[test]
fn four_isolations_and_three_phases_are_enough_for_the_bug_in_the_way_of_figure_3() {
    let isolations = [isolation(0, 2, 0), isolation(1, 0, 0), isolation(1, 1, 1), isolation(2, 1, 0)];
    assert_eq!(
        run(Last::Prepare, &isolations).violation.as_deref(),
        Some("n1 outputs [3] in phase 3, but n1 had output [1] in phase 1")
    );
    assert_eq!(run(Last::Propose, &isolations).violation, None);
}

/// Of all executions with so many isolations: how many there are, and how many of the buggy and of the fixed
/// form violate the specification.
fn violations(count: usize) -> [usize; 3] {
    let [mut all, mut buggy, mut fixed] = [0; 3];
    for_all(count, &mut |isolations| {
        all += 1;
        buggy += usize::from(run(Last::Prepare, isolations).violation.is_some());
        fixed += usize::from(run(Last::Propose, isolations).violation.is_some());
    });
    [all, buggy, fixed]
}

#[test]
fn of_all_executions_with_up_to_three_isolations_only_those_of_the_buggy_form_violate_the_specification() {
    let found = [0, 1, 2, 3].map(violations);
    assert_eq!(found, [[1, 0, 0], [48, 0, 0], [1_056, 1, 0], [14_080, 44, 0]]);
}

#[test]
fn of_100_000_sampled_executions_only_those_of_the_buggy_form_violate_the_specification() {
    const SAMPLES: usize = 100_000;
    let mut random = Random::new(1);
    let mut buggy = [0; 5];
    for number in 0..SAMPLES {
        let kind = number % 5;
        let isolations = sample(4 + kind, &mut random);
        assert_eq!(run(Last::Propose, &isolations).violation, None, "{isolations:?}");
        if number < SAMPLES / 5 {
            buggy[kind] += usize::from(run(Last::Prepare, &isolations).violation.is_some());
        }
    }
    // Of 4 000 executions each, with 4 to 8 isolations.
    assert_eq!(buggy, [22, 25, 35, 22, 7]);
}

#[test]
fn the_fixed_protocol_outputs_comparable_logs_if_any_message_is_lost_with_any_probability() {
    let mut random = Random::new(2);
    for number in 0..5_000 {
        let mut run = LockStep::new(if number % 4 == 0 { 5 } else { 3 }, Last::Propose);
        let percent = 5 + number % 60;
        asynchronous(&mut run, percent, 300, &mut random);
        assert_eq!(run.violation, None, "execution {number}");
    }
}

/// Steps in any order: each process at its own speed, messages late or lost.
fn asynchronous(run: &mut LockStep, lost_percent: u64, steps: usize, random: &mut Random) {
    for _ in 0..steps {
        let board = run.cluster.board();
        let deliverable = board.deliverable();
        let step = if deliverable.is_empty() || random.below(3) == 0 {
            Step::Tick(NodeId::from_index(random.index(board.size())))
        } else {
            let message = board.message(deliverable[random.index(deliverable.len())]);
            let (id, kind) = (message.id, message.kind);
            if random.below(100) < lost_percent { Step::Drop(id, kind) } else { Step::Deliver(id, kind) }
        };
        run.step(&step);
    }
}

#[test]
fn asynchronous_executions_output_logs_too() {
    let mut random = Random::new(3);
    let mut lengths = Vec::new();
    for _ in 0..200 {
        let mut run = LockStep::new(3, Last::Propose);
        asynchronous(&mut run, 2, 300, &mut random);
        lengths.push((1..=3).map(|node| run.output(node).len()).max().unwrap_or(0));
    }
    let some = lengths.iter().filter(|length| **length > 0).count();
    assert!(some > 100, "{some} of 200 have an output");
}

#[test]
fn a_process_that_is_behind_enters_a_phase_when_its_prepare_arrives() {
    let mut run = LockStep::new(3, Last::Propose);
    // n1 and n2 are in the Prepare round of phase 2, n3 has not begun.
    for _ in 0..5 {
        [1, 2].map(NodeId::new).iter().for_each(|node| run.step(&Step::Tick(*node)));
    }
    let prepare = |from: usize, kind: &str| {
        let is_wanted = |m: &&shakedown_cluster::MessageInfo| {
            m.id.from == NodeId::new(from) && m.id.to == NodeId::new(3) && m.kind.as_str() == kind
        };
        let message = run.cluster.board().messages().iter().find(is_wanted).expect("it was sent");
        Step::Deliver(message.id, message.kind)
    };
    let [old, new] = [prepare(1, "Prepare"), prepare(2, "Prepare")];
    run.step(&new);
    assert_eq!((run.view(3).round, run.view(3).phase), (5, 0));
    // What comes for a phase gone by is forgotten.
    run.step(&old);
    run.step(&Step::Tick(NodeId::new(3)));
    assert_eq!((run.view(3).round, run.view(3).phase), (6, 2));
    assert_eq!(run.view(3).leader, Some(NodeId::new(2)));
}

#[test]
fn one_schedule_gives_one_fingerprint() {
    let fingerprint = || {
        let mut random = Random::new(4);
        let mut run = LockStep::new(3, Last::Prepare);
        asynchronous(&mut run, 10, 300, &mut random);
        run.cluster.board().fingerprint()
    };
    assert_eq!(fingerprint(), fingerprint());
}

#[test]
fn a_view_is_short_text_and_plain_json() {
    let run = run(Last::Propose, &FIGURE_3);
    assert_eq!(
        format!("{:?}", run.view(1)),
        "round 17 phase 4 last 4 apart leader n1 log [1 4] output [1 4] in phase 4"
    );
    assert_eq!(
        serde_json::to_string(run.view(2)).expect("it is plain data"),
        r#"{"round":17,"phase":3,"last":1,"step":"apart","leader":"n3","log":[1],"output":{"phase":1,"log":[1]}}"#
    );
}
