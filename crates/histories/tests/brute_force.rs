//! Verdicts equal those of a search through all orders, on random small histories.

use shakedown_histories::{
    Check, Element, History, HistoryBuilder, Key, Op, Outcome, TransactionId, list_append, rw_register,
};

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const KEYS: [&str; 2] = ["x", "y"];

/// Two to four transactions on two keys. Reads return a version of a random order of the appends, so that some histories are
/// right and most are wrong in one way or another.
fn random_lists(seed: u64) -> History {
    let mut random = Random(seed);
    let transactions = 2 + random.below(3);
    // What each transaction does: for each operation whether it appends, and the key.
    let shapes: Vec<Vec<(bool, usize)>> = (0..transactions)
        .map(|_| (0..1 + random.below(3)).map(|_| (random.chance(50), random.below(2) as usize)).collect())
        .collect();
    let mut orders: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
    let mut element = 0;
    let mut elements = Vec::new();
    for shape in &shapes {
        elements.push(Vec::new());
        for &(appends, key) in shape {
            element += 1;
            elements.last_mut().expect("just pushed").push(element);
            if appends {
                let place = random.below(orders[key].len() as u64 + 1) as usize;
                // Mostly at the end, so that the appends of one transaction stay in order.
                let place = if random.chance(70) { orders[key].len() } else { place };
                orders[key].insert(place, element);
            }
        }
    }
    let mut builder = HistoryBuilder::default();
    let keys: Vec<Key> = KEYS.iter().map(|name| builder.key(name)).collect();
    let mut position: u32 = 0;
    let mut busy_until: Vec<u32> = Vec::new();
    for (shape, elements) in shapes.iter().zip(&elements) {
        let outcome = match random.below(12) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        };
        let began = position + 1;
        // Every other transaction overlaps with the one before.
        let began = if random.chance(50) { began.saturating_sub(2) } else { began };
        position += 2;
        // A process does one thing after the other.
        let free = busy_until.iter().position(|until| *until < began).filter(|_| random.chance(70));
        let process = free.unwrap_or(busy_until.len());
        busy_until.resize(busy_until.len().max(process + 1), 0);
        busy_until[process] = if outcome == Outcome::Info { u32::MAX } else { position };
        let process = process as u32;
        builder.transaction(process, outcome, began, (outcome != Outcome::Info).then_some(position));
        let snapshot = orders.each_ref().map(|order| random.below(order.len() as u64 + 1) as usize);
        let mut own: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for (&(appends, key), &element) in shape.iter().zip(elements) {
            if appends {
                builder.append(keys[key], Element(element));
                own[key].push(element);
            } else if outcome != Outcome::Ok {
                builder.read(keys[key], None);
            } else {
                let seen = orders[key][..snapshot[key]].iter().filter(|seen| !elements.contains(seen));
                let list: Vec<Element> = seen.chain(&own[key]).map(|element| Element(*element)).collect();
                let upto =
                    if random.chance(95) { list.len() } else { random.below(list.len() as u64 + 1) as usize };
                builder.read(keys[key], Some(&list[..upto]));
            }
        }
    }
    builder.finish()
}

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

/// Whether some order of beginnings and commits explains the history under snapshot isolation: a transaction reads what was
/// committed when it began, and no two that overlap append to one key.
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

/// How many transactions that may have been committed appended to a key what no read returned, at most. Their order is not known where there are
/// two: serializability does not depend on it, but snapshot isolation does, and trying orders takes exponential time.
fn unobserved(history: &History) -> usize {
    let is_ok = |id: &TransactionId| history.transaction(*id).outcome == Outcome::Ok;
    let of_key = |key: Key| {
        let is_read = |element: Element| {
            history.ids().filter(is_ok).flat_map(|id| history.ops(id)).any(|op| match op {
                Op::Read(other, Some(list)) => other == key && list.contains(&element),
                _ => false,
            })
        };
        let appends_unread = |id: &TransactionId| {
            history
                .ops(*id)
                .any(|op| matches!(op, Op::Append(other, element) if other == key && !is_read(element)))
        };
        let happened = |id: &TransactionId| history.transaction(*id).outcome != Outcome::Fail;
        history.ids().filter(happened).filter(appends_unread).count()
    };
    (0..2).map(|key| of_key(Key(key))).max().unwrap_or(0)
}

/// How many histories are tried: `HISTORIES`, or 100 000.
fn histories() -> u64 {
    std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000)
}

/// Whether a model allows a history.
type Holds = fn(&History) -> bool;

#[test]
fn verdicts_equal_those_of_a_search_through_all_orders() {
    let models: [(&str, Holds); 6] = [
        ("serializable", |history| is_serializable(history, Kept::Nothing)),
        ("strong-session-serializable", |history| is_serializable(history, Kept::Process)),
        ("strict-serializable", |history| is_serializable(history, Kept::RealTime)),
        ("snapshot-isolation", |history| is_snapshot_isolated(history, Kept::Nothing)),
        ("strong-session-snapshot-isolation", |history| is_snapshot_isolated(history, Kept::Process)),
        ("strong-snapshot-isolation", |history| is_snapshot_isolated(history, Kept::RealTime)),
    ];
    let histories = histories();
    let mut allowed = [0; 6];
    let mut undecided = 0;
    for seed in 0..histories {
        let history = random_lists(seed);
        let report = list_append::check(&history, Check::default());
        for (place, (model, holds)) in models.iter().enumerate() {
            let expected = holds(&history);
            allowed[place] += u64::from(expected);
            let is_decided = !model.contains("snapshot") || unobserved(&history) <= 1;
            if !is_decided && report.allows(model) {
                undecided += u64::from(!expected);
                continue;
            }
            assert_eq!(
                report.allows(model),
                expected,
                "seed {seed}, {model}: {:?}\n{}",
                report.kinds(),
                shown(&history)
            );
        }
    }
    assert!(
        undecided < histories / 20,
        "{undecided} histories that snapshot isolation rules out were allowed"
    );
    // Neither verdict is rare.
    let tenth = histories / 10;
    assert!(allowed.iter().all(|&count| count > tenth && count < histories - tenth), "{allowed:?}");
}

fn shown(history: &History) -> String {
    let lines = history.ids().map(|id| {
        let ops: Vec<String> = history.ops(id).map(|op| format!("{op:?}")).collect();
        format!("T{} {:?}: {}\n", id.0, history.transaction(id), ops.join(", "))
    });
    lines.collect()
}

/// Two to four transactions on two registers: the serial execution of some of them, with some reads changed.
fn random_registers(seed: u64) -> History {
    let mut random = Random(seed);
    let mut builder = HistoryBuilder::default();
    let keys: Vec<Key> = KEYS.iter().map(|name| builder.key(name)).collect();
    let mut value = 0;
    let mut values: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
    let mut position: u32 = 0;
    for process in 0..2 + random.below(3) {
        let outcome = match random.below(12) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        };
        let began = if random.chance(50) { position.saturating_sub(1) } else { position + 1 };
        position += 2;
        let process = if random.chance(50) { 0 } else { process as u32 + 1 };
        // Process 0 does one thing after the other: its transactions do not overlap.
        let began = if process == 0 { position - 1 } else { began };
        builder.transaction(process, outcome, began, (outcome != Outcome::Info).then_some(position));
        for _ in 0..1 + random.below(3) {
            let key = random.below(2) as usize;
            if random.chance(50) {
                value += 1;
                builder.write(keys[key], Element(value));
                values[key].push(value);
            } else if outcome != Outcome::Ok {
                builder.read(keys[key], None);
            } else {
                // Mostly the last value, sometimes an older one or nothing.
                let back =
                    if random.chance(60) { 1 } else { random.below(values[key].len() as u64 + 2) as usize };
                match values[key].len().checked_sub(back).and_then(|place| values[key].get(place)) {
                    Some(seen) => builder.read_value(keys[key], Element(*seen)),
                    None => builder.read(keys[key], None),
                }
            }
        }
    }
    builder.finish()
}

#[test]
fn what_registers_show_is_never_wrong_and_mostly_enough() {
    let models: [(&str, Holds); 4] = [
        ("serializable", |history| is_serializable(history, Kept::Nothing)),
        ("strict-serializable", |history| is_serializable(history, Kept::RealTime)),
        ("snapshot-isolation", |history| is_snapshot_isolated(history, Kept::Nothing)),
        ("strong-snapshot-isolation", |history| is_snapshot_isolated(history, Kept::RealTime)),
    ];
    let (mut forbidden, mut seen) = ([0_u64; 4], [0_u64; 4]);
    for seed in 0..histories() {
        let history = random_registers(seed);
        let report = rw_register::check(&history, Check::default());
        for (place, (model, holds)) in models.iter().enumerate() {
            let is_allowed = holds(&history);
            let kinds = report.kinds();
            assert!(
                report.allows(model) || !is_allowed,
                "seed {seed}, {model}: {kinds:?}\n{}",
                shown(&history)
            );
            forbidden[place] += u64::from(!is_allowed);
            seen[place] += u64::from(!report.allows(model));
        }
    }
    println!("{seen:?} of {forbidden:?} histories that a model forbids were ruled out");
    assert!((0..4).all(|place| forbidden[place] > histories() / 10), "{forbidden:?}");
    assert!((0..4).all(|place| seen[place] * 10 > forbidden[place] * 9), "{seen:?} of {forbidden:?}");
}
