//! How long the linearizability checker takes for histories of 10 to 10 000 operations: of a correct object,
//! of one with a wrong answer near the end, and with one operation in twenty unanswered.
//!
//! `cargo bench -p shakedown-check`

use std::time::Instant;

use shakedown_check::linearizability::{Operation, check};
use shakedown_check::{Linearizability, RegisterAnswer, RegisterOp, RegisterValues, Registers, SearchLimits};
use shakedown_cluster::Random;

/// The history of so many clients that each have one operation under way at a time, as a correct object
/// answers it. One in `unanswered_one_in` is never answered (0: all are).
fn history(
    operations: usize,
    clients: usize,
    keys: u64,
    unanswered_one_in: u64,
    seed: u64,
) -> Vec<Operation<RegisterOp, RegisterAnswer>> {
    let mut random = Random::new(seed);
    let mut history: Vec<Operation<RegisterOp, RegisterAnswer>> = Vec::new();
    let mut values = RegisterValues::default();
    // What each client is about: an operation, and its answer once it took effect.
    let mut busy: Vec<Option<(usize, Option<RegisterAnswer>)>> = vec![None; clients];
    for place in 0.. {
        let client = random.index(clients);
        match busy[client] {
            None if history.len() == operations => {
                if busy.iter().all(Option::is_none) {
                    break;
                }
            }
            None => {
                let key = random.below(keys) as u8;
                let op = match random.below(4) {
                    0 | 1 => RegisterOp::Read(key),
                    2 => RegisterOp::Write(key, random.below(5)),
                    _ => RegisterOp::When { key, is: random.below(5), write: (key, random.below(5)) },
                };
                busy[client] = Some((history.len(), None));
                history.push(Operation { op, called: place, answered: None });
            }
            Some((number, None)) => {
                busy[client] = Some((number, Some(history[number].op.apply(&mut values))));
            }
            Some((number, Some(answer))) => {
                let is_answered = unanswered_one_in == 0 || random.below(unanswered_one_in) > 0;
                history[number].answered = is_answered.then_some((place, answer));
                busy[client] = None;
            }
        }
    }
    history
}

/// Gives the last read that is answered a value that nobody ever wrote.
fn spoil(history: &mut [Operation<RegisterOp, RegisterAnswer>]) {
    let read = history.iter_mut().rev().find_map(|operation| match &mut operation.answered {
        Some((_, RegisterAnswer::Value(value))) => Some(value),
        _ => None,
    });
    if let Some(value) = read {
        *value = 99;
    }
}

fn main() {
    println!(
        "operations  clients  keys  unanswered  kind        verdict            microseconds (mean, worst of 20)"
    );
    for (operations, clients, keys, unanswered) in [
        (10, 3, 2, 0),
        (100, 5, 2, 0),
        (100, 5, 2, 20),
        (100, 10, 1, 0),
        (1_000, 5, 2, 0),
        (1_000, 10, 1, 0),
        (1_000, 5, 2, 20),
        (1_000, 5, 10, 20),
        (10_000, 5, 2, 0),
    ] {
        for is_spoilt in [false, true] {
            let (mut total, mut worst) = (0, 0);
            let mut verdicts = [0; 3];
            for seed in 0..20 {
                let mut history = history(operations, clients, keys, unanswered, seed);
                if is_spoilt {
                    spoil(&mut history);
                }
                let began = Instant::now();
                let found = check(&Registers, &history, SearchLimits::default());
                let took = began.elapsed().as_micros();
                total += took;
                worst = worst.max(took);
                verdicts[match found {
                    Linearizability::Linearizable(_) => 0,
                    Linearizability::NotLinearizable(_) => 1,
                    Linearizability::Unknown(_) => 2,
                }] += 1;
            }
            let kind = if is_spoilt { "wrong read" } else { "correct" };
            println!(
                "{operations:>10}  {clients:>7}  {keys:>4}  {:>10}  {kind:<10}  {:>2} yes {:>2} no {:>2} ?  {:>12}  {worst:>10}",
                if unanswered == 0 { "none".to_owned() } else { format!("1 in {unanswered}") },
                verdicts[0],
                verdicts[1],
                verdicts[2],
                total / 20,
            );
        }
    }
}
