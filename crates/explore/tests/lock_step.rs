//! What lock step promises, whatever the seed: a message is received in its round if both its ends are in the
//! kernel, and is lost otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use shakedown_cluster::{
    Cluster, Context, Contract, Crashes, Fate, InProcess, Loss, Message, MessageIndex, Name, Node, NodeId,
    NodeSet, Recording, RequestId, Setup, Step, StepKind, Trace,
};
use shakedown_explore::closure::{
    Control, Faults, LockStep, Occasion, Pace, Phase, Placed, Shape, Stopping, When,
};
use shakedown_explore::{Execution, Explorer, Sight};

/// Every tick it asks everybody, itself too; who is asked tells; who is told notes it.
struct Asker;

#[derive(Clone, Debug)]
enum Talk {
    Ask,
    Tell,
    Note,
}

impl Message for Talk {
    fn kind(&self) -> &'static str {
        match self {
            Talk::Ask => "Ask",
            Talk::Tell => "Tell",
            Talk::Note => "Note",
        }
    }
}

impl Node for Asker {
    type Message = Talk;
    type Request = u32;
    type Answer = u32;
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Asker
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        for node in ctx.nodes() {
            ctx.send(node, Talk::Ask);
        }
    }

    fn request(&mut self, id: RequestId, number: u32, ctx: &mut Context<'_, Self>) {
        ctx.answer(id, &number);
    }

    fn receive(&mut self, from: NodeId, talk: Talk, ctx: &mut Context<'_, Self>) {
        match talk {
            Talk::Ask => ctx.send(from, Talk::Tell),
            Talk::Tell => ctx.send(from, Talk::Note),
            Talk::Note => {}
        }
    }

    fn observe(&self) {}
}

fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1)).round("ask", &["Ask"]).round("tell", &["Tell"]).round("note", &["Note"])
}

fn lock_step(faults: Faults, loss: Loss) -> LockStep {
    let shape = Shape { nodes: 3, rounds: 12, period: 3, isolations: Some(5) };
    let phase = Arc::new(phase().warm_up(1).recovery(1));
    LockStep { phase, shape, faults, loss, harness: None, patience: 2, asks_late: false }
}

fn run(explorer: &LockStep, contract: Contract, seed: u64) -> Trace {
    let workload = (0..8).map(|number| number.to_string().into()).collect();
    let setup = Setup {
        nodes: explorer.shape.nodes,
        contract,
        options: Default::default(),
        workload,
        seed,
        recording: Recording::Brief,
        steps: 500,
    };
    let mut cluster = InProcess::<Asker>::boot(&setup).expect("askers boot");
    let mut strategy = explorer.strategy(&Execution { number: 0, seed, steps_max: 10_000 });
    while let Some(step) = strategy.next(&Sight::of(cluster.board())) {
        cluster.perform(&step).expect("lock step chooses possible steps");
    }
    Box::new(cluster).finish()
}

/// The rounds of a trace: the mark, and the steps up to the next one.
fn rounds(trace: &Trace) -> Vec<(u32, Name, NodeSet, &[Step])> {
    let steps = trace.board.steps();
    let marks: Vec<usize> = (0..steps.len()).filter(|&at| steps[at].kind() == StepKind::Round).collect();
    let ends = marks.iter().skip(1).copied().chain([steps.len()]);
    let round = |(&at, end): (&usize, usize)| match &steps[at] {
        Step::Round { phase, name, kernel } => (*phase, *name, *kernel, &steps[at + 1..end]),
        _ => unreachable!("these are marks"),
    };
    marks.iter().zip(ends).map(round).collect()
}

#[test]
fn level_a_receives_every_message_in_its_round_or_loses_it() {
    let explorer = lock_step(Faults::Isolations(Control::Rounds), Loss::Message);
    let mut lost = 0;
    for seed in 0..300 {
        let trace = run(&explorer, Contract::asynchronous(), seed);
        let rounds = rounds(&trace);
        let numbers: Vec<_> = rounds.iter().map(|round| round.0).collect();
        assert_eq!(numbers, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 0, 0, 0]);
        let mut isolations = 0;
        let mut before = NodeSet::first(3);
        for (number, (phase, name, kernel, steps)) in rounds.into_iter().enumerate() {
            // Isolated processes join again when a period begins, and only then.
            let base = if number.is_multiple_of(3) { NodeSet::first(3) } else { before };
            assert!(kernel.without(base).is_empty(), "nobody joins within a period");
            isolations += base.without(kernel).len();
            before = kernel;
            assert!(phase > 0 || kernel == NodeSet::first(3), "nobody is isolated before and after");
            for step in steps {
                match step {
                    Step::Deliver(id, kind) => {
                        assert_eq!(kind.as_str().to_lowercase(), name.as_str());
                        assert!(kernel.contains(id.from) && kernel.contains(id.to));
                    }
                    Step::Drop(id, kind) => {
                        assert_eq!(kind.as_str().to_lowercase(), name.as_str());
                        assert!(!kernel.contains(id.from) || !kernel.contains(id.to));
                        lost += 1;
                    }
                    Step::Tick(_) => assert_eq!(name.as_str(), "ask"),
                    Step::Request(..) => assert_eq!((name.as_str(), phase > 0), ("ask", true)),
                    other => panic!("what does `{other}` here?"),
                }
            }
        }
        assert_eq!(isolations, 5);
        let done = |message: &shakedown_cluster::MessageInfo| message.fate != Fate::InFlight;
        assert!(trace.board.messages().iter().all(done), "nothing is left under way");
        assert_eq!(trace.board.requests().len(), 8, "every request is sent");
    }
    assert!(lost > 0);
}

#[test]
fn level_b_loses_messages_by_their_round_whatever_the_order() {
    let explorer = lock_step(Faults::Isolations(Control::Phases), Loss::Message);
    let mut orders = BTreeMap::<Vec<_>, u32>::new();
    for seed in 0..300 {
        let trace = run(&explorer, Contract::asynchronous(), seed);
        // The kernels are those of level a, for the isolations come from the same seed.
        let exact = run(
            &lock_step(Faults::Isolations(Control::Rounds), Loss::Message),
            Contract::asynchronous(),
            seed,
        );
        let kernels: Vec<_> = rounds(&exact).iter().map(|round| round.2).collect();
        for (number, (_, name, _, steps)) in rounds(&trace).into_iter().enumerate() {
            assert_eq!(name.as_str(), "phase");
            let kernel = |kind: Name| {
                let place = ["Ask", "Tell", "Note"].iter().position(|known| *known == kind.as_str());
                kernels[3 * number + place.expect("it is of a known kind")]
            };
            for step in steps {
                match step {
                    Step::Deliver(id, kind) => {
                        assert!(kernel(*kind).contains(id.from) && kernel(*kind).contains(id.to))
                    }
                    Step::Drop(id, kind) => {
                        assert!(!kernel(*kind).contains(id.from) || !kernel(*kind).contains(id.to))
                    }
                    _ => {}
                }
            }
            let kinds = steps.iter().filter_map(|step| match step {
                Step::Deliver(_, kind) => Some(kind.as_str()),
                _ => None,
            });
            *orders.entry(kinds.collect()).or_default() += 1;
        }
    }
    assert!(orders.len() > 100, "messages come in many orders");
}

#[test]
fn level_c_cuts_off_or_stops_whole_periods() {
    for stopping in [Stopping::Cut, Stopping::Crash] {
        let explorer = lock_step(Faults::Isolations(Control::Boundaries(stopping)), Loss::Message);
        let mut crashes = 0;
        for seed in 0..300 {
            let trace = run(&explorer, Contract::asynchronous(), seed);
            for (_, _, kernel, steps) in rounds(&trace) {
                for step in steps {
                    match step {
                        Step::Deliver(id, _) => {
                            let is_inside = kernel.contains(id.from) && kernel.contains(id.to);
                            assert!(is_inside || id.from == id.to, "only itself hears who is cut off");
                        }
                        Step::Crash { node, .. } => {
                            assert!(!kernel.contains(*node));
                            crashes += 1;
                        }
                        Step::Restart(node) => assert!(kernel.contains(*node)),
                        Step::Drop(..) => {
                            assert_eq!(stopping, Stopping::Crash, "only what waited for a process")
                        }
                        _ => {}
                    }
                }
            }
            assert_eq!((trace.board.down_count(), trace.board.cut_count()), (0, 0), "all is well in the end");
        }
        assert_eq!(crashes > 0, stopping == Stopping::Crash);
    }
}

#[test]
fn steps_of_two_stages_have_faults_in_both_and_stop_all_in_between() {
    for stopping in [Stopping::Cut, Stopping::Crash] {
        let phase = Phase::new(Pace::EveryPhase(1)).round("start", &[]).round("work", &[]).recovery(1);
        let shape = Shape { nodes: 3, rounds: 8, period: 2, isolations: Some(5) };
        let faults = Faults::Isolations(Control::Steps(stopping));
        let explorer = LockStep { phase: Arc::new(phase), shape, ..lock_step(faults, Loss::Message) };
        let contract = Contract { crashes: Crashes::All, ..Contract::asynchronous() };
        let (mut more, mut stopped) = (0, 0);
        for seed in 0..300 {
            let trace = run(&explorer, contract.clone(), seed);
            let rounds = rounds(&trace);
            let names: Vec<_> = rounds.iter().map(|(_, name, ..)| name.to_string()).collect();
            assert_eq!(names, ["start", "work"].repeat(names.len() / 2));
            for pair in rounds.chunks(2) {
                let [(phase, _, first, start), (_, _, second, work)] = pair else { panic!("a step has two") };
                assert!(second.without(*first).is_empty(), "nobody joins in the second stage");
                more += usize::from(first != second);
                let asks = |steps: &[Step]| steps.iter().any(|step| step.kind() == StepKind::Request);
                assert!(!asks(work), "clients ask at the end of the first stage");
                let ticks = work.iter().filter(|step| matches!(step, Step::Tick(_))).count();
                let running = if stopping == Stopping::Crash { second.len() } else { 3 };
                assert_eq!(ticks, if *phase > 0 { 8 * running } else { running }, "{second} work on");
                // What the last stage leaves running stops before the next step begins.
                let stops = work
                    .iter()
                    .filter(|step| matches!(step, Step::Crash { node, .. } if second.contains(*node)));
                stopped += stops.count();
                for step in start.iter().chain(*work) {
                    if let Step::Deliver(id, _) = step
                        && id.from != id.to
                    {
                        assert!(first.contains(id.from) && first.contains(id.to), "{first} hear each other");
                    }
                }
            }
            assert_eq!((trace.board.down_count(), trace.board.cut_count()), (0, 0), "all is well in the end");
        }
        assert!(more > 100, "{more} steps have faults in their second stage");
        assert_eq!(stopped > 0, stopping == Stopping::Crash);
    }
}

/// The paper's steps for ZooKeeper: servers are started, some are stopped, and then a client asks one of
/// those that are left.
#[test]
fn clients_that_ask_late_ask_who_is_left_and_all_are_stopped_in_the_end() {
    let phase = Phase::new(Pace::EveryPhase(1)).round("start", &[]).round("work", &[]).recovery(1);
    let shape = Shape { nodes: 3, rounds: 8, period: 2, isolations: Some(5) };
    let faults = Faults::Isolations(Control::Steps(Stopping::Crash));
    let each_asks_once = |_: &mut Occasion<'_>| {
        (1..=4)
            .map(|phase| Placed { when: When::Phase(phase), node: NodeId::new(1), op: "1".into() })
            .collect()
    };
    let explorer = LockStep {
        phase: Arc::new(phase),
        shape,
        harness: Some(Arc::new(each_asks_once)),
        asks_late: true,
        ..lock_step(faults, Loss::Message)
    };
    let contract = Contract { crashes: Crashes::All, ..Contract::asynchronous() };
    let (mut asked, mut left_out) = (0, 0);
    for seed in 0..300 {
        let trace = run(&explorer, contract.clone(), seed);
        let rounds = rounds(&trace);
        for pair in rounds.chunks(2).filter(|pair| pair[0].0 > 0) {
            let [(_, _, _, start), (_, _, second, work)] = pair else { panic!("a step has two") };
            let asks = |steps: &[Step]| steps.iter().filter(|step| step.kind() == StepKind::Request).count();
            assert_eq!(asks(start), 0, "nobody asks in the first stage");
            assert_eq!(asks(work), usize::from(second.contains(NodeId::new(1))), "once, if n1 is left");
            asked += asks(work);
            left_out += usize::from(!second.contains(NodeId::new(1)));
            let stops =
                work.iter().filter(|step| matches!(step, Step::Crash { node, .. } if second.contains(*node)));
            assert_eq!(stops.count(), second.len(), "all are stopped after every step, the last one too");
        }
        assert_eq!(trace.board.down_count(), 0, "all are back in the recovery");
    }
    assert!(asked > 100 && left_out > 100, "{asked} requests, {left_out} left out");
}

#[test]
fn where_connections_have_sessions_isolated_processes_are_cut_off_round_by_round() {
    let explorer = lock_step(Faults::Isolations(Control::Rounds), Loss::Session);
    for seed in 0..300 {
        let trace = run(&explorer, Contract::sessions(), seed);
        for (_, _, kernel, steps) in rounds(&trace) {
            for step in steps {
                match step {
                    Step::Deliver(id, _) if id.from != id.to => {
                        assert!(kernel.contains(id.from) && kernel.contains(id.to));
                    }
                    Step::Cut(a, b) => assert!(!kernel.contains(*a) || !kernel.contains(*b)),
                    Step::Heal(a, b) => assert!(kernel.contains(*a) && kernel.contains(*b)),
                    Step::Drop(..) => panic!("single messages are never lost"),
                    _ => {}
                }
            }
        }
        assert_eq!(trace.board.cut_count(), 0);
    }
}

#[test]
fn the_baselines_lose_as_much_as_they_say() {
    let explorer = lock_step(Faults::Loss(0.25), Loss::Message);
    let (mut sent, mut lost) = (0.0, 0.0);
    for seed in 0..300 {
        let trace = run(&explorer, Contract::asynchronous(), seed);
        for (phase, _, _, steps) in rounds(&trace) {
            let count = |kind| steps.iter().filter(|step| step.kind() == kind).count() as f64;
            assert!(phase > 0 || count(StepKind::Drop) == 0.0);
            if phase > 0 {
                sent += count(StepKind::Drop) + count(StepKind::Deliver);
                lost += count(StepKind::Drop);
            }
        }
    }
    // Four standard deviations of a binomial share.
    let error = 4.0 * (0.25f64 * 0.75 / sent).sqrt();
    assert!((lost / sent - 0.25).abs() < error, "{lost} of {sent}");

    let explorer = lock_step(Faults::Crashes { interval: 4, down: 2 }, Loss::Message);
    let (mut rounds_seen, mut crashes) = (0.0, 0.0);
    for seed in 0..300 {
        let trace = run(&explorer, Contract::asynchronous(), seed);
        assert_eq!(trace.board.down_count(), 0, "everybody is up after the recovery");
        for (phase, _, kernel, steps) in rounds(&trace) {
            rounds_seen += f64::from(u32::from(phase > 0));
            for step in steps {
                match step {
                    Step::Crash { node, .. } => {
                        assert!(!kernel.contains(*node));
                        crashes += 1.0;
                    }
                    Step::Drop(..) => {}
                    other => assert!(other.nodes().next().is_some()),
                }
            }
        }
    }
    // A crash is drawn one round in four, but waits while another node is down.
    let share = crashes / rounds_seen;
    assert!((0.10..0.25).contains(&share), "{share}");
}

#[test]
fn a_harness_places_its_requests_in_phases_or_after_answers() {
    let place = |when, node, op: &str| Placed { when, node: NodeId::new(node), op: op.into() };
    let mut explorer = lock_step(Faults::Isolations(Control::Rounds), Loss::Message);
    explorer.harness = Some(Arc::new(move |_: &mut Occasion<'_>| {
        vec![place(When::Phase(2), 2, "20"), place(When::Answered, 3, "30"), place(When::Answered, 1, "40")]
    }));
    let trace = run(&explorer, Contract::asynchronous(), 1);
    let seen: Vec<_> = rounds(&trace)
        .into_iter()
        .flat_map(|(phase, _, _, steps)| steps.iter().map(move |step| (phase, step)))
        .filter(|(_, step)| step.kind() == StepKind::Request)
        .map(|(phase, step)| format!("{phase}: {step}"))
        .collect();
    assert_eq!(seen, ["2: request n2 20", "3: request n3 30", "4: request n1 40"]);
}

#[test]
fn simpler_executions_have_one_isolation_less_or_a_later_one() {
    let explorer = lock_step(Faults::Isolations(Control::Rounds), Loss::Message);
    let execution = Execution { number: 0, seed: 7, steps_max: 10_000 };
    let trace = run(&explorer, Contract::asynchronous(), 7);
    let lost = |trace: &Trace| {
        let is_lost = |at: &u32| trace.board.message(MessageIndex(*at)).fate == Fate::Lost;
        (0..trace.board.messages().len() as u32).filter(is_lost).count()
    };
    let isolated = |trace: &Trace| -> usize { rounds(trace).iter().map(|round| 3 - round.2.len()).sum() };
    let simpler = explorer.simpler(&execution, trace.board.steps());
    assert!(simpler.len() >= 5);
    for mut strategy in simpler {
        let setup = Setup {
            nodes: 3,
            contract: Contract::asynchronous(),
            options: Default::default(),
            workload: Vec::new(),
            seed: 7,
            recording: Recording::Brief,
            steps: 500,
        };
        let mut cluster = InProcess::<Asker>::boot(&setup).expect("askers boot");
        while let Some(step) = strategy.next(&Sight::of(cluster.board())) {
            cluster.perform(&step).expect("lock step chooses possible steps");
        }
        let other = Box::new(cluster).finish();
        assert!(isolated(&other) < isolated(&trace) && lost(&other) <= lost(&trace));
    }
}
