//! Models of sessions against their definitions, tried by brute force on random small histories.

use std::collections::{BTreeMap, BTreeSet};

use crate::random_operations::{Random, histories, number, random_history};
use shakedown_histories::sessions::{self, SessionModel};
use shakedown_histories::{Item, Operation, Outcome};

/// Reads and writes of two registers by two or three clients; values are unique.
fn random_registers(random: &mut Random) -> Vec<Operation> {
    let mut next = 0;
    let pair = |key: u64, value: Item| Item::List(vec![number(key), value]);
    let mut written = [Vec::new(), Vec::new()];
    random_history(random, 3, |random, _| {
        let key = random.below(2);
        let known = &mut written[key as usize];
        if random.below(2) == 0 {
            next += 1;
            known.push(next);
            return ("write", pair(key, number(next)), pair(key, number(next)));
        }
        let value = match random.below(known.len() as u64 + 1) as usize {
            0 => Item::Nil,
            place => number(known[place - 1]),
        };
        ("read", pair(key, Item::Nil), pair(key, value))
    })
}

fn key_of(operation: &Operation) -> i64 {
    operation.value().list().expect("a pair")[0].number().expect("a number")
}

fn value_of(operation: &Operation) -> i64 {
    operation.value().list().expect("a pair")[1].number().unwrap_or(0)
}

fn permutations(items: &[i64]) -> Vec<Vec<i64>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, first) in items.iter().enumerate() {
        let rest: Vec<i64> =
            items.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, item)| *item).collect();
        all.extend(permutations(&rest).into_iter().map(|mut order| {
            order.insert(0, *first);
            order
        }));
    }
    all
}

/// Whether the versions of each register can be put into an order, nothing first, that no pair of operations
/// of one client is against. `demands` gives what two operations of one client on one register, the first of
/// them earlier, ask: whether the version of the second must be newer, or at least as new.
fn has_order(history: &[Operation], demands: &dyn Fn(&Operation, &Operation) -> bool) -> bool {
    let happened: Vec<&Operation> = history
        .iter()
        .filter(|op| if op.f == "write" { op.outcome != Outcome::Fail } else { op.outcome == Outcome::Ok })
        .collect();
    let keys: BTreeSet<i64> = happened.iter().map(|op| key_of(op)).collect();
    keys.into_iter().all(|key| {
        let of_key: Vec<&&Operation> = happened.iter().filter(|op| key_of(op) == key).collect();
        let written: Vec<i64> = of_key.iter().filter(|op| op.f == "write").map(|op| value_of(op)).collect();
        if of_key.iter().any(|op| value_of(op) != 0 && !written.contains(&value_of(op))) {
            return false;
        }
        permutations(&written).iter().any(|order| {
            let rank =
                |op: &Operation| order.iter().position(|value| *value == value_of(op)).map_or(0, |at| at + 1);
            of_key.iter().enumerate().all(|(place, later)| {
                let earlier = of_key[..place].iter().filter(|op| op.process == later.process);
                let mut asked = earlier.filter(|earlier| demands(earlier, later));
                asked.all(|earlier| match (earlier.f.as_str(), later.f.as_str()) {
                    (_, "write") => rank(earlier) < rank(later),
                    _ => rank(earlier) <= rank(later),
                })
            })
        })
    })
}

/// Whether causal consistency holds by its definition (Bouajjani and others 2017): what each read depends on
/// can be put into an order that respects dependencies and in which the last write of its register is what it
/// read.
fn is_causal(history: &[Operation]) -> bool {
    let happened: Vec<&Operation> = history
        .iter()
        .filter(|op| if op.f == "write" { op.outcome != Outcome::Fail } else { op.outcome == Outcome::Ok })
        .collect();
    let count = happened.len();
    let mut before = vec![0_u32; count];
    for (at, op) in happened.iter().enumerate() {
        for (other, cause) in happened.iter().enumerate() {
            let is_earlier = cause.process == op.process && other < at;
            let is_read = op.f == "read"
                && cause.f == "write"
                && key_of(op) == key_of(cause)
                && value_of(op) == value_of(cause);
            if is_earlier || is_read {
                before[at] |= 1 << other;
            }
        }
        let is_written = before[at] != 0
            && happened
                .iter()
                .any(|c| c.f == "write" && key_of(c) == key_of(op) && value_of(c) == value_of(op));
        if op.f == "read" && value_of(op) != 0 && !is_written {
            return false;
        }
    }
    for _ in 0..count {
        for at in 0..count {
            before[at] = (0..count)
                .filter(|other| before[at] & 1 << other != 0)
                .fold(before[at], |all, other| all | before[other]);
        }
    }
    if (0..count).any(|at| before[at] & 1 << at != 0) {
        return false;
    }
    /// Whether the rest can follow so that the last write of the register is the wanted one.
    fn ends_well(
        rest: u32,
        last: i64,
        wanted: i64,
        key: i64,
        happened: &[&Operation],
        before: &[u32],
    ) -> bool {
        if rest == 0 {
            return last == wanted;
        }
        (0..happened.len()).filter(|at| rest & 1 << at != 0 && before[*at] & rest == 0).any(|at| {
            let op = happened[at];
            let last = if op.f == "write" && key_of(op) == key { value_of(op) } else { last };
            ends_well(rest & !(1 << at), last, wanted, key, happened, before)
        })
    }
    (0..count)
        .filter(|at| happened[*at].f == "read")
        .all(|at| ends_well(before[at], 0, value_of(happened[at]), key_of(happened[at]), &happened, &before))
}

fn sessions_equal(model: SessionModel, by_brute_force: &dyn Fn(&[Operation]) -> bool) {
    let mut random = Random(7);
    let histories = histories();
    let mut allowed = 0;
    for seed in 0..histories {
        let history = random_registers(&mut random);
        let problems = sessions::check(&history, model, true, 1).expect("it can be read");
        assert_eq!(
            problems.is_valid(),
            by_brute_force(&history),
            "{model:?} {seed}: {problems:?} {history:#?}"
        );
        allowed += u64::from(problems.is_valid());
    }
    println!("{model:?}: {allowed} of {histories} are allowed");
    assert!(allowed > histories / 10 && allowed < histories, "{model:?}: {allowed}");
}

fn is(op: &Operation, f: &str) -> bool {
    op.f == f
}

/// A write of which nobody knows whether it happened binds nobody to see it.
fn is_certain_write(op: &Operation) -> bool {
    is(op, "write") && op.outcome == Outcome::Ok
}

#[test]
fn guarantees_of_sessions_are_exact() {
    let ryw = |a: &Operation, b: &Operation| is_certain_write(a) && is(b, "read");
    let reads = |a: &Operation, b: &Operation| is(a, "read") && is(b, "read");
    let writes = |a: &Operation, b: &Operation| is(a, "write") && is(b, "write");
    let follow = |a: &Operation, b: &Operation| is(a, "read") && is(b, "write");
    sessions_equal(SessionModel::ReadYourWrites, &|history| has_order(history, &ryw));
    sessions_equal(SessionModel::MonotonicReads, &|history| has_order(history, &reads));
    sessions_equal(SessionModel::MonotonicWrites, &|history| has_order(history, &writes));
    sessions_equal(SessionModel::WritesFollowReads, &|history| has_order(history, &follow));
    sessions_equal(SessionModel::Sessions, &|history| {
        has_order(history, &|a, b| ryw(a, b) || reads(a, b) || writes(a, b) || follow(a, b))
    });
}

#[test]
fn causal_consistency_is_exact() {
    sessions_equal(SessionModel::Causal, &is_causal);
}

#[test]
fn staleness_and_convergence_are_exact() {
    let certain = |history: &[Operation]| -> Vec<Operation> {
        history.iter().filter(|op| is_certain_write(op)).cloned().collect()
    };
    let is_known = |history: &[Operation]| {
        history.iter().filter(|op| is(op, "read") && op.outcome == Outcome::Ok && value_of(op) != 0).all(
            |read| {
                history.iter().any(|op| {
                    is(op, "write")
                        && op.outcome != Outcome::Fail
                        && key_of(op) == key_of(read)
                        && value_of(op) == value_of(read)
                })
            },
        )
    };
    sessions_equal(SessionModel::BoundedStaleness(3), &|history| {
        let writes = certain(history);
        is_known(history)
            && history.iter().filter(|op| is(op, "read") && op.outcome == Outcome::Ok).all(|read| {
                let mut of_key = writes.iter().filter(|write| key_of(write) == key_of(read));
                let source =
                    writes.iter().find(|w| key_of(w) == key_of(read) && value_of(w) == value_of(read));
                let end = match (value_of(read), source) {
                    (0, _) => 0,
                    (_, Some(source)) => source.ended.expect("it ended"),
                    (_, None) => return true,
                };
                !of_key.any(|newer| newer.began > end && newer.ended.expect("it ended") + 3 < read.began)
            })
    });
    sessions_equal(SessionModel::Convergence, &|history| {
        let keys: BTreeSet<i64> = history.iter().map(key_of).collect();
        is_known(history)
            && keys.into_iter().all(|key| {
                let writes: Vec<&Operation> = history
                    .iter()
                    .filter(|op| is(op, "write") && key_of(op) == key && op.outcome != Outcome::Fail)
                    .collect();
                if writes.iter().any(|write| write.outcome == Outcome::Info) {
                    return true;
                }
                let quiet = writes.iter().filter_map(|write| write.ended).max().unwrap_or(0);
                let mut last = BTreeMap::new();
                for read in history
                    .iter()
                    .filter(|op| is(op, "read") && op.outcome == Outcome::Ok && key_of(op) == key)
                {
                    if read.began > quiet {
                        last.insert(read.process, value_of(read));
                    }
                }
                let values: BTreeSet<i64> = last.into_values().collect();
                values.len() < 2 && (writes.is_empty() || !values.contains(&0))
            })
    });
}
