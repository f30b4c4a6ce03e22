//! Filters can pin down any execution: theorem 1 of Netrix (Drăgoi, Nagendra and Srivas, section 3.4), on
//! random executions of two targets.
//!
//! The monitor of the proof is built from an execution: it keeps back every message that is sent, and
//! delivers the next message of the original order as soon as it has been sent. Requests are part of the
//! order. Whatever strategy is underneath, there is nothing left for it to choose.
//!
//! The *history* of an execution is the set of its events with happens-before: the order of events at each
//! node, and every send before its receive. Names of messages say which receive belongs to which send, so a
//! history is known by the sequence of events of every node, and one is a *prefix* of another if for every
//! node the sequence of the one is a prefix of that of the other. Time does not pass here: nodes act on
//! requests and messages only, as in the paper's model.

use std::sync::Arc;

use shakedown_campaign::{AnyTarget, Beat, Config, Target, execute};
use shakedown_cluster::{Board, Fate, Happening, Message, Node, NodeId, Recording, Step, Trace};
use shakedown_explore::{Environment, Execution, Explorer, Pctcp, Pos, RandomWalk, Sight, Strategy, Weights};
use shakedown_scenario::{
    Action, Condition, Deed, EventView, MonitorOptions, Scenario, always, machine, when,
};

const NAME: &str = "in the original order";
const STEPS_MAX: usize = 2_000;
const SEEDS: u64 = 50;

/// Only requests and deliveries.
fn environment() -> Environment {
    let weights = Weights::default()
        .changed_by(
            "deliver=100,request=4,tick=0,fire=0,flush=0,drop=0,duplicate=0,crash=0,restart=0,cut=0,heal=0",
        )
        .expect("these are weights");
    Environment::new(weights, 0)
}

fn execution(seed: u64) -> Execution {
    Execution { number: 0, seed, steps_max: STEPS_MAX }
}

/// A random execution in which every message is received and every request sent.
fn complete_execution(target: &dyn AnyTarget, config: &Config, seed: u64) -> Trace {
    let live = target.begin(config, seed, Recording::Full).expect("the target boots");
    let mut strategy = RandomWalk::new(environment()).strategy(&execution(seed));
    let trace = execute(live, strategy.as_mut(), STEPS_MAX, &Beat::default()).trace;
    let is_received = |fate| matches!(fate, Fate::Received(_));
    assert!(trace.board.messages().iter().all(|message| is_received(message.fate)), "it is complete");
    assert!(trace.board.next_request().is_none(), "all requests were sent");
    trace
}

/// The monitor of the proof.
fn monitor_of<M: Message>(order: Arc<[Step]>) -> Scenario<M> {
    let go_on = Action::new("deliver what comes next in the order", {
        let order = Arc::clone(&order);
        move |event: &EventView<'_, M>, memory, deeds| {
            // The first step is the strategy's: before it there is no event.
            let mut done = memory.number("done").unwrap_or(1) as usize;
            while let Some(step) = order.get(done) {
                let deed = match step {
                    Step::Deliver(id, kind) => event.board().find(*id, *kind).map(Deed::Deliver),
                    Step::Request(node, op) => Some(Deed::Request(*node, Arc::clone(op))),
                    other => panic!("`{other}` in an execution of messages and requests"),
                };
                let Some(deed) = deed else { break };
                deeds.push(deed);
                done += 1;
            }
            memory.set_number("done", done as i64);
        }
    });
    let is_over = Condition::new("all is done", move |_: &EventView<'_, M>, memory| {
        memory.number("done") == Some(order.len() as i64)
    });
    Scenario::new(NAME).filter(when(always()).then(go_on)).property(machine().on(is_over).goto_success())
}

/// Sends the first request of the order, then leaves everything to a strategy.
struct AfterFirst {
    first: Option<Step>,
    rest: Box<dyn Strategy>,
}

impl Strategy for AfterFirst {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.first.take().or_else(|| self.rest.next(sight))
    }
}

/// What happened at each node, in order.
fn history(board: &Board) -> Vec<Vec<String>> {
    let mut history = vec![Vec::new(); board.size()];
    for event in board.events() {
        let node = board.moments()[event.moment as usize].node;
        let named = |index| {
            let (id, kind) = board.name_of(index);
            format!("{kind} {id}")
        };
        let text = match event.what {
            Happening::Sent(index) => format!("sends {}", named(index)),
            Happening::Received(index) => format!("receives {}", named(index)),
            Happening::Requested(id) => format!("is asked {:?}", board.requests()[id.0 as usize].op),
            other => format!("{other:?}"),
        };
        history[node.index()].push(text);
    }
    history
}

fn is_prefix(one: &[Vec<String>], other: &[Vec<String>]) -> bool {
    one.iter().zip(other).all(|(one, other)| other.starts_with(one))
}

/// How many of the executions on the strategies underneath have a history that is a prefix, and how many the
/// whole one.
fn prefixes<N: Node + 'static>(
    target: &Target<N>,
    config: &Config,
    (seed, original): (u64, &Trace),
    without: Option<usize>,
) -> (u64, u64) {
    let original_history = history(&original.board);
    let explorers: [Box<dyn Explorer>; 3] = [
        Box::new(RandomWalk::new(environment())),
        Box::new(Pctcp::new(environment(), 6, 100)),
        Box::new(Pos::new(environment())),
    ];
    // The requests are the monitor's; without it, the strategy has them.
    let requests = if without.is_some() { config.requests } else { 0 };
    let config = Config { requests, ..config.clone() };
    let (mut prefixes, mut whole) = (0, 0);
    for number in 0..SEEDS {
        let execution = execution(1_000 * seed + number);
        let rest = explorers[number as usize % explorers.len()].strategy(&execution);
        let first = original.board.steps().first().cloned();
        let inner = Box::new(AfterFirst { first, rest });
        let without = without.into_iter().collect();
        let options = MonitorOptions { without, ..MonitorOptions::default() };
        let mut monitor =
            AnyTarget::monitor(target, NAME, options, inner, &execution, config.nodes).expect("it is there");
        let live = target.begin(&config, seed, Recording::Full).expect("the target boots");
        let trace = execute(live, monitor.as_mut(), STEPS_MAX, &Beat::default()).trace;
        let history = history(&trace.board);
        prefixes += u64::from(is_prefix(&history, &original_history));
        whole += u64::from(history == original_history);
    }
    (prefixes, whole)
}

fn check<N: Node + 'static>(target: impl Fn() -> Target<N>, requests: usize) {
    for seed in 1..=4 {
        let plain = target();
        let config = Config { requests, ..plain.defaults().clone() };
        let original = complete_execution(&plain, &config, seed);
        let messages = original.board.messages().len();
        assert!(messages >= 20, "{messages} messages are too few to show anything");
        let order = original.board.steps().into();
        let monitored = target().scenario(monitor_of::<N::Message>(order));
        let under_monitor = prefixes(&monitored, &config, (seed, &original), None);
        // The nodes are deterministic, so that nothing even ends early.
        assert_eq!(under_monitor, (SEEDS, SEEDS), "seed {seed}");
        let (alone, _) = prefixes(&monitored, &config, (seed, &original), Some(1));
        assert!(alone <= SEEDS / 10, "without the filter, {alone} of {SEEDS} are prefixes all the same");
    }
}

#[test]
fn under_the_monitor_of_an_execution_every_history_is_a_prefix_of_it() {
    check(shakedown_pbft::target, 2);
    check(shakedown_lwt::target, 3);
}

#[test]
fn an_execution_whose_next_message_is_never_sent_ends_with_a_prefix() {
    let target = shakedown_pbft::target;
    let config = Config { requests: 1, ..target().defaults().clone() };
    let original = complete_execution(&target(), &config, 1);
    let mut order = original.board.steps().to_vec();
    // From the middle on, the order speaks of a message that does not exist.
    let middle = order.len() / 2;
    let Step::Deliver(id, _) = &mut order[middle] else { panic!("the one request comes first") };
    (id.from, id.number) = (NodeId::new(1), 99);
    let monitored = target().scenario(monitor_of::<shakedown_pbft::Mail>(order.into()));
    assert_eq!(prefixes(&monitored, &config, (1, &original), None), (SEEDS, 0));
}
