//! How long three linearizability checkers take for the 102 histories of etcd that Jepsen recorded: ours,
//! porcupine-rs and todc-utils. Each gets the history in its own form; only the check is timed. The best of
//! several rounds counts.
//!
//! `cargo bench -p shakedown-check --bench etcd`

#[path = "../tests/etcd_histories/mod.rs"]
mod etcd_histories;

use std::time::{Duration, Instant};

use etcd_histories::{History, histories};
use shakedown_check::linearizability::{Operation, check};
use shakedown_check::objects::{Object, ObjectAnswer, ObjectOp, Symbol};
use shakedown_check::{Linearizability, SearchLimits};

const ROUNDS: usize = 5;

fn main() {
    let histories = histories();
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let mut took = [Duration::ZERO; 3];
        for (number, expected, history) in &histories {
            let (porcupine, todc) = (for_porcupine(history), for_todc(history));
            let began = Instant::now();
            let ours = check(&Object::Cas, history, SearchLimits::default());
            took[0] += began.elapsed();
            let began = Instant::now();
            let by_porcupine = porcupine_rs::check_operations(&porcupine);
            took[1] += began.elapsed();
            let began = Instant::now();
            let by_todc = todc_utils::WGLChecker::<Spec>::is_linearizable(todc);
            took[2] += began.elapsed();
            let ours = matches!(ours, Linearizability::Linearizable(_));
            assert_eq!([ours, by_porcupine, by_todc], [*expected; 3], "history {number}");
        }
        for (best, took) in best.iter_mut().zip(took) {
            *best = (*best).min(took);
        }
    }
    println!("{} histories, the best of {ROUNDS} rounds", histories.len());
    for (name, took) in ["shakedown", "porcupine-rs", "todc-utils"].iter().zip(best) {
        let factor = took.as_secs_f64() / best[0].as_secs_f64();
        println!("{name:<13} {:>9.3} ms  {factor:>7.1} times ours", took.as_secs_f64() * 1e3);
    }
}

/// What was asked and answered; an operation without an answer may have taken effect at any time after its
/// call.
#[derive(Clone, Copy, Debug)]
enum Known {
    Read(Option<u32>),
    Write(u32),
    Cas(u32, u32, Option<bool>),
}

fn known(operation: &Operation<ObjectOp, ObjectAnswer>) -> Known {
    let answer = operation.answered.as_ref().map(|(_, answer)| answer);
    match (&operation.op, answer) {
        (ObjectOp::Write(Symbol(value)), _) => Known::Write(*value),
        (ObjectOp::Cas(Symbol(from), Symbol(to)), Some(ObjectAnswer::Applied(applied))) => {
            Known::Cas(*from, *to, Some(*applied))
        }
        (ObjectOp::Cas(Symbol(from), Symbol(to)), _) => Known::Cas(*from, *to, None),
        (_, Some(ObjectAnswer::Value(value))) => Known::Read(value.map(|Symbol(value)| value)),
        other => panic!("{other:?} is no operation of a register"),
    }
}

fn step(value: Option<u32>, op: Known) -> (bool, Option<u32>) {
    match op {
        Known::Read(read) => (read == value, value),
        Known::Write(written) => (true, Some(written)),
        Known::Cas(from, to, answer) => {
            let holds = value == Some(from);
            (answer.is_none_or(|answer| answer == holds), if holds { Some(to) } else { value })
        }
    }
}

#[derive(Clone)]
struct Spec;

impl porcupine_rs::Model for Spec {
    type State = Option<u32>;
    type Op = Known;
    type Metadata = ();

    fn init() -> Option<u32> {
        None
    }

    fn step(value: &Option<u32>, op: &Known) -> (bool, Option<u32>) {
        step(*value, *op)
    }
}

impl todc_utils::Specification for Spec {
    type State = Option<u32>;
    type Operation = Known;

    fn init() -> Option<u32> {
        None
    }

    fn apply(op: &Known, value: &Option<u32>) -> (bool, Option<u32>) {
        step(*value, *op)
    }
}

/// The history as porcupine-rs takes it.
fn for_porcupine(history: &History) -> Vec<porcupine_rs::Operation<Spec>> {
    let one = |operation: &Operation<ObjectOp, ObjectAnswer>| porcupine_rs::Operation::<Spec> {
        client_id: None,
        call_time: operation.called.into(),
        return_time: operation.answered.as_ref().map_or(i64::MAX, |(place, _)| i64::from(*place)),
        op: known(operation),
        metadata: None,
    };
    history.iter().map(one).collect()
}

/// The history as todc-utils takes it, which keeps it.
fn for_todc(history: &History) -> todc_utils::History<Known> {
    use todc_utils::Action;
    let mut actions = Vec::new();
    for (number, operation) in history.iter().enumerate() {
        let answered = operation.answered.as_ref().map_or(u32::MAX, |(place, _)| *place);
        actions.push((operation.called, number, Action::Call(known(operation))));
        actions.push((answered, number, Action::Response(known(operation))));
    }
    actions.sort_by_key(|(place, number, _)| (*place, *number));
    todc_utils::History::from_actions(
        actions.into_iter().map(|(_, number, action)| (number, action)).collect(),
    )
}
