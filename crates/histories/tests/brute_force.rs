//! Verdicts equal those of a search through all orders, on random small histories.

use crate::random_transactions::{random_lists, random_registers};
use shakedown_histories::{
    Check, Element, History, Op, Outcome, Report, TransactionId, list_append, rw_register,
};

/// What the keys hold: a register is a list of what was written last.
type Lists = [Vec<Element>; 2];

/// Runs a transaction on a state; what the state is then, or nothing if a read does not fit.
fn run(history: &History, id: TransactionId, state: &Lists) -> Option<Lists> {
    let mut state = state.clone();
    let is_ok = history.transaction(id).outcome == Outcome::Ok;
    for op in history.ops(id) {
        match op {
            Op::Append(key, element) => state[key.0 as usize].push(element),
            Op::Read(key, Some(list)) if state[key.0 as usize] != list => return None,
            Op::Write(key, value) => state[key.0 as usize] = vec![value],
            Op::ReadValue(key, value) if state[key.0 as usize] != [value] => return None,
            Op::Read(key, None) if is_ok && !state[key.0 as usize].is_empty() => return None,
            _ => {}
        }
    }
    Some(state)
}

/// Which orders must be kept beside those of data.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Nothing,
    Process,
    RealTime,
}

/// Whether the first transaction must come before the second.
fn must_precede(history: &History, kept: Kept, first: TransactionId, second: TransactionId) -> bool {
    let (a, b) = (history.transaction(first), history.transaction(second));
    let by_process = a.process == b.process && first < second;
    let by_time = a.outcome == Outcome::Ok && a.ended < b.began;
    match kept {
        Kept::Nothing => false,
        Kept::Process => by_process,
        Kept::RealTime => by_process || by_time,
    }
}

/// Whether some serial order explains the history: of all that were committed, and of any that may have been.
fn is_serializable(history: &History, kept: Kept) -> bool {
    fn go(history: &History, kept: Kept, left: &mut Vec<TransactionId>, state: &Lists) -> bool {
        if left.iter().all(|id| history.transaction(*id).outcome == Outcome::Info) {
            return true;
        }
        for place in 0..left.len() {
            let id = left[place];
            let is_early = |other: &TransactionId| *other != id && must_precede(history, kept, *other, id);
            if left.iter().any(is_early) {
                continue;
            }
            let Some(after) = run(history, id, state) else { continue };
            left.remove(place);
            let fits = go(history, kept, left, &after);
            left.insert(place, id);
            if fits {
                return true;
            }
        }
        false
    }
    let all: Vec<TransactionId> =
        history.ids().filter(|id| history.transaction(*id).outcome != Outcome::Fail).collect();
    orders_of_doubtful(history, &all, &mut |chosen| {
        go(history, kept, &mut chosen.to_vec(), &Lists::default())
    })
}

/// Tries every choice of those that may or may not have happened.
fn orders_of_doubtful(
    history: &History,
    all: &[TransactionId],
    holds: &mut impl FnMut(&[TransactionId]) -> bool,
) -> bool {
    let doubtful: Vec<TransactionId> =
        all.iter().copied().filter(|id| history.transaction(*id).outcome == Outcome::Info).collect();
    (0..1_u32 << doubtful.len()).any(|choice| {
        let is_chosen = |id: &TransactionId| {
            doubtful.iter().position(|other| other == id).is_none_or(|place| choice & 1 << place != 0)
        };
        let chosen: Vec<TransactionId> = all.iter().copied().filter(is_chosen).collect();
        holds(&chosen)
    })
}

/// Whether some order of beginnings and commits explains the history under snapshot isolation: a transaction
/// reads what was committed when it began, and no two that overlap append to one key.
fn is_snapshot_isolated(history: &History, kept: Kept) -> bool {
    #[derive(Clone)]
    struct Open {
        id: TransactionId,
        /// Keys that were committed since it began.
        overwritten: [bool; 2],
    }
    fn writes(history: &History, id: TransactionId) -> [bool; 2] {
        let mut writes = [false; 2];
        history.ops(id).for_each(|op| {
            if let Op::Append(key, _) | Op::Write(key, _) = op {
                writes[key.0 as usize] = true;
            }
        });
        writes
    }
    fn go(history: &History, kept: Kept, left: &[TransactionId], open: &[Open], state: &Lists) -> bool {
        if left.is_empty() && open.is_empty() {
            return true;
        }
        for (place, one) in open.iter().enumerate() {
            let written = writes(history, one.id);
            if (0..2).any(|key| written[key] && one.overwritten[key]) {
                continue;
            }
            let mut after = state.clone();
            history.ops(one.id).for_each(|op| match op {
                Op::Append(key, element) => after[key.0 as usize].push(element),
                Op::Write(key, value) => after[key.0 as usize] = vec![value],
                _ => {}
            });
            let mut rest = open.to_vec();
            rest.remove(place);
            rest.iter_mut().for_each(|other| (0..2).for_each(|key| other.overwritten[key] |= written[key]));
            if go(history, kept, left, &rest, &after) {
                return true;
            }
        }
        for (place, &id) in left.iter().enumerate() {
            let before = left.iter().chain(open.iter().map(|one| &one.id));
            if before.into_iter().any(|&other| other != id && must_precede(history, kept, other, id)) {
                continue;
            }
            if run(history, id, state).is_none() {
                continue;
            }
            let mut rest = left.to_vec();
            rest.remove(place);
            let mut open = open.to_vec();
            open.push(Open { id, overwritten: [false; 2] });
            if go(history, kept, &rest, &open, state) {
                return true;
            }
        }
        false
    }
    let all: Vec<TransactionId> =
        history.ids().filter(|id| history.transaction(*id).outcome != Outcome::Fail).collect();
    orders_of_doubtful(history, &all, &mut |chosen| go(history, kept, chosen, &[], &Lists::default()))
}

/// How many histories are tried: `HISTORIES`, or 100 000.
fn histories() -> u64 {
    std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000)
}

/// Whether a model allows a history.
type Holds = fn(&History) -> bool;

const MODELS_OF_ORDERS: [(&str, Holds); 6] = [
    ("serializable", |history| is_serializable(history, Kept::Nothing)),
    ("strong-session-serializable", |history| is_serializable(history, Kept::Process)),
    ("strict-serializable", |history| is_serializable(history, Kept::RealTime)),
    ("snapshot-isolation", |history| is_snapshot_isolated(history, Kept::Nothing)),
    ("strong-session-snapshot-isolation", |history| is_snapshot_isolated(history, Kept::Process)),
    ("strong-snapshot-isolation", |history| is_snapshot_isolated(history, Kept::RealTime)),
];

#[test]
fn verdicts_on_lists_equal_those_of_a_search_through_all_orders() {
    equal_on_random_histories(&MODELS_OF_ORDERS, random_lists, list_append::check);
}

/// Compares verdicts on random histories: those of the dependencies and the search through orders together
/// equal those of brute force, and those of the dependencies alone are never wrong where they rule out. Gives
/// how many histories each model forbids, and how many of these the dependencies alone rule out.
fn equal_on_random_histories(
    models: &[(&str, Holds); 6],
    make: fn(u64) -> History,
    check: fn(&History, Check) -> Report,
) {
    let histories = histories();
    let (mut forbidden, mut seen) = ([0_u64; 6], [0_u64; 6]);
    for seed in 0..histories {
        let history = make(seed);
        let report = check(&history, Check::default());
        let by_dependencies = check(&history, Check { exact_up_to: 0, ..Check::default() });
        for (place, (model, holds)) in models.iter().enumerate() {
            let expected = holds(&history);
            let kinds = report.kinds();
            assert_eq!(
                report.allows(model),
                expected,
                "seed {seed}, {model}: {kinds:?}\n{}",
                shown(&history)
            );
            forbidden[place] += u64::from(!expected);
            seen[place] += u64::from(!by_dependencies.allows(model));
            assert!(by_dependencies.allows(model) || !expected, "seed {seed}, {model}");
        }
    }
    println!("{seen:?} of {forbidden:?} histories that a model forbids are ruled out by dependencies alone");
    // Neither verdict is rare, and dependencies alone nearly always suffice.
    let tenth = histories / 10;
    assert!(forbidden.iter().all(|&count| count > tenth && count < histories - tenth), "{forbidden:?}");
    assert!((0..6).all(|place| seen[place] * 100 > forbidden[place] * 95), "{seen:?} of {forbidden:?}");
}

fn shown(history: &History) -> String {
    let lines = history.ids().map(|id| {
        let ops: Vec<String> = history.ops(id).map(|op| format!("{op:?}")).collect();
        format!("T{} {:?}: {}\n", id.0, history.transaction(id), ops.join(", "))
    });
    lines.collect()
}

#[test]
fn verdicts_on_registers_equal_those_of_a_search_through_all_orders() {
    equal_on_random_histories(&MODELS_OF_ORDERS, random_registers, rw_register::check);
}
