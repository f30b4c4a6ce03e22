//! Workloads with rules of their own, and models of sessions, against brute force on random small histories: what some order
//! of all operations explains is never ruled out, and what is exact by its definition is so in both directions.

use std::collections::{BTreeMap, BTreeSet};

use shakedown_histories::sessions::{self, SessionModel};
use shakedown_histories::workloads::{Rules, workload};
use shakedown_histories::{Item, Operation, Outcome};

const HISTORIES: u64 = 100_000;

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

    fn outcome(&mut self) -> Outcome {
        match self.below(10) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        }
    }
}

fn number(number: u64) -> Item {
    Item::Number(number as i64)
}

fn word(word: &str) -> Item {
    Item::Word(word.to_owned())
}

/// Clients that do one thing after another; what they do is drawn by `draw`: name, what was asked, what was answered.
fn random_history(
    random: &mut Random,
    clients: u64,
    mut draw: impl FnMut(&mut Random, u64) -> (&'static str, Item, Item),
) -> Vec<Operation> {
    let count = 2 + random.below(4);
    let mut free = vec![0_u32; clients as usize];
    let mut now = 0;
    let mut history = Vec::new();
    for line in 1..=count {
        let process = random.below(clients);
        let (f, asked, answered) = draw(random, process);
        let outcome = random.outcome();
        // Each begins at a time of its own; many overlap.
        let began = free[process as usize].max(now) + 1;
        let ended = began + 1 + random.below(8) as u32;
        now = began + random.below(3) as u32;
        free[process as usize] = if outcome == Outcome::Info { 1_000 + line as u32 } else { ended };
        let answered = if outcome == Outcome::Ok { answered } else { Item::Nil };
        history.push(Operation {
            process: process as i64,
            f: f.to_owned(),
            asked,
            answered,
            outcome,
            began,
            ended: (outcome != Outcome::Info).then_some(ended),
            times: (None, None),
            line: line as usize,
        });
    }
    history.sort_by_key(|operation| operation.began);
    history
}

/// Whether some order of the operations, each between its beginning and its end, explains all answers. What
/// failed did not happen; what nobody knows of may have. `step` gives the state after an operation, or
/// nothing if it cannot give its answer.
fn explained<S: Clone>(
    history: &[&Operation],
    done: u32,
    state: &S,
    step: &dyn Fn(&S, &Operation) -> Option<S>,
) -> bool {
    let is_left = |place: usize| done & 1 << place == 0;
    if (0..history.len()).all(|place| !is_left(place) || history[place].outcome == Outcome::Info) {
        return true;
    }
    (0..history.len()).filter(|&place| is_left(place)).any(|place| {
        let ended_before = |other: usize| {
            is_left(other) && history[other].ended.is_some_and(|ended| ended < history[place].began)
        };
        !(0..history.len()).any(ended_before)
            && step(state, history[place])
                .is_some_and(|after| explained(history, done | 1 << place, &after, step))
    })
}

/// What is compared: how many histories there are, how many of them an order explains, and how many of the others the check
/// of a workload rules out.
#[derive(Default)]
struct Compared {
    right: u64,
    wrong: u64,
    ruled_out: u64,
}

/// Compares verdicts; none of a history that an order explains is that it is wrong.
fn compare<S: Clone>(
    name: &str,
    mut make: impl FnMut(&mut Random) -> Vec<Operation>,
    initial: &S,
    step: &dyn Fn(&S, &Operation) -> Option<S>,
) -> Compared {
    let check = workload(name).expect("it is known").check;
    let mut random = Random(24);
    let mut compared = Compared::default();
    for seed in 0..HISTORIES {
        let history = make(&mut random);
        let happened: Vec<&Operation> = history.iter().filter(|op| op.outcome != Outcome::Fail).collect();
        let rules = Rules { most_of_a_kind: 1, ..Rules::default() };
        let mut problems = check(&history, rules).expect("it can be read");
        // That nobody has polled a value yet is for the end of a run.
        problems.counts.remove("unseen");
        if explained(&happened, 0, initial, step) {
            compared.right += 1;
            assert!(problems.is_valid(), "{name} {seed}: {problems:?} {history:#?}");
        } else {
            compared.wrong += 1;
            compared.ruled_out += u64::from(!problems.is_valid());
        }
    }
    let Compared { right, wrong, ruled_out } = compared;
    println!("{name}: {right} of {HISTORIES} are right; {ruled_out} of the other {wrong} are ruled out");
    assert!(right > HISTORIES / 20 && wrong > HISTORIES / 20, "{name}: {right} {wrong}");
    compared
}

/// The history without real time: everything may have happened at once.
fn at_once(mut history: Vec<Operation>) -> Vec<Operation> {
    for operation in &mut history {
        operation.began = 1;
        operation.ended = operation.ended.map(|_| 1_000_000);
    }
    history
}

fn asked(operation: &Operation) -> i64 {
    operation.asked.number().expect("it was asked")
}

#[test]
fn a_set_is_ruled_out_if_and_only_if_no_order_explains_it() {
    let mut next = 0;
    let make = |random: &mut Random| {
        next = 0;
        random_history(random, 3, |random, _| match random.below(2) {
            0 => {
                next += 1;
                ("add", number(next), number(next))
            }
            _ => {
                let items = (1..=4).filter(|_| random.below(3) == 0).map(number).collect();
                ("read", Item::Nil, Item::List(items))
            }
        })
    };
    let step = |set: &BTreeSet<i64>, operation: &Operation| {
        let mut after = set.clone();
        match &operation.answered {
            _ if operation.f == "add" => drop(after.insert(asked(operation))),
            Item::List(items) => {
                let read: BTreeSet<i64> = items.iter().filter_map(Item::number).collect();
                return (read == after).then_some(after);
            }
            _ => {}
        }
        Some(after)
    };
    let compared = compare("set", make, &BTreeSet::new(), &step);
    assert_eq!(compared.ruled_out, compared.wrong);
}

#[test]
fn a_counter_is_never_ruled_out_wrongly() {
    let make = |random: &mut Random| {
        random_history(random, 3, |random, _| match random.below(2) {
            0 => ("add", Item::Number(random.below(5) as i64 - 1), Item::Nil),
            _ => ("read", Item::Nil, Item::Number(random.below(7) as i64 - 1)),
        })
    };
    let step = |sum: &i64, operation: &Operation| match operation.f.as_str() {
        "add" => Some(sum + asked(operation)),
        _ => (operation.answered == Item::Nil || operation.answered == Item::Number(*sum)).then_some(*sum),
    };
    let compared = compare("counter", make, &0, &step);
    assert!(compared.ruled_out * 100 > compared.wrong * 99, "{}", compared.ruled_out);
}

#[test]
fn a_bank_is_ruled_out_if_and_only_if_no_transfers_lead_to_a_read() {
    let map = |balances: [i64; 2]| {
        Item::Map(
            (0..).zip(balances).map(|(account, of)| (Item::Number(account), Item::Number(of))).collect(),
        )
    };
    let make = |random: &mut Random| {
        random_history(random, 3, |random, _| match random.below(2) {
            0 => {
                let (from, amount) = (random.below(2), random.below(3));
                let fields = [("from", from), ("to", 1 - from), ("amount", amount)];
                (
                    "transfer",
                    Item::Map(fields.map(|(name, value)| (word(name), number(value))).to_vec()),
                    Item::Nil,
                )
            }
            _ => {
                let first = random.below(8) as i64 / 2;
                let total = if random.below(8) == 0 { 3 } else { 2 };
                let Item::Map(mut balances) = map([first, total - first]) else {
                    unreachable!("it is a map")
                };
                if random.below(16) == 0 {
                    balances[0].1 = Item::Nil;
                }
                ("read", Item::Nil, Item::Map(balances))
            }
        })
    };
    // Transfers of which nobody knows may happen at any time, so each read is explained alone: from some state that an
    // earlier read returned, money moves until there is this one.
    let is_reachable = |from: [i64; 2], to: [i64; 2]| {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(state) = open.pop() {
            for [a, b] in [[state[0] - 1, state[1] + 1], [state[0] + 1, state[1] - 1]] {
                if a >= 0 && b >= 0 && seen.insert([a, b]) {
                    open.push([a, b]);
                }
            }
        }
        seen.contains(&to)
    };
    let step = |start: &[i64; 2], operation: &Operation| {
        let Item::Map(balances) = &operation.answered else { return Some(*start) };
        let of = |account: i64| balances.iter().find(|(known, _)| *known == Item::Number(account));
        let read = [of(0)?.1.number()?, of(1)?.1.number()?];
        (balances.len() == 2 && is_reachable(*start, read)).then_some(*start)
    };
    let make = |random: &mut Random| -> Vec<Operation> { at_once(make(random)) };
    let check = |history: &[Operation], rules: Rules| {
        (workload("bank").expect("it is known").check)(history, Rules { total: Some(2), ..rules })
    };
    let mut random = Random(24);
    let mut right = 0;
    for seed in 0..HISTORIES {
        let history = make(&mut random);
        let happened: Vec<&Operation> = history.iter().filter(|op| op.outcome != Outcome::Fail).collect();
        let problems = check(&history, Rules::default()).expect("it can be read");
        let is_right = explained(&happened, 0, &[1, 1], &step);
        assert_eq!(problems.is_valid(), is_right, "{seed}: {problems:?} {history:#?}");
        right += u64::from(is_right);
    }
    println!("bank: {right} of {HISTORIES} are right, and the others are ruled out");
    assert!(right > HISTORIES / 20 && right < HISTORIES * 9 / 10, "{right}");
}

#[test]
fn a_long_fork_is_ruled_out_if_and_only_if_no_order_of_writes_explains_it() {
    let make = |random: &mut Random| {
        let mut written = BTreeSet::new();
        let history = random_history(random, 4, |random, _| {
            let key = random.below(3);
            if random.below(2) == 0 && written.insert(key) {
                let write = Item::List(vec![Item::List(vec![word("w"), number(key), number(1)])]);
                return ("txn", write.clone(), write);
            }
            let read = |random: &mut Random, key| {
                let value = if random.below(2) == 0 { Item::Nil } else { number(1) };
                Item::List(vec![word("r"), number(key), value])
            };
            // Not all reads are of the same keys.
            let mut reads: Vec<Item> = (0..3).map(|key| read(random, key)).collect();
            reads.truncate(2 + random.below(2) as usize);
            if random.below(2) == 0 {
                reads.remove(0);
            }
            ("txn", Item::List(Vec::new()), Item::List(reads))
        });
        at_once(history)
    };
    let step = |set: &BTreeSet<i64>, operation: &Operation| {
        let mut after = set.clone();
        for op in operation.value().list().expect("a list") {
            let Some([f, key, value]) = op.list() else { panic!("three parts") };
            let key = key.number().expect("a number");
            if f.text() == Some("w") {
                after.insert(key);
            } else if after.contains(&key) != (*value != Item::Nil) {
                return None;
            }
        }
        Some(after)
    };
    let compared = compare("long-fork", make, &BTreeSet::new(), &step);
    assert_eq!(compared.ruled_out, compared.wrong);
}

#[test]
fn a_queue_of_known_dequeues_is_ruled_out_if_and_only_if_no_order_explains_it() {
    let make = |random: &mut Random| {
        let mut next = 0;
        let mut history = random_history(random, 3, |random, _| match random.below(2) {
            0 => {
                next += 1;
                ("enqueue", number(next), Item::Nil)
            }
            _ => (
                "dequeue",
                Item::Nil,
                if random.below(3) == 0 { Item::Nil } else { number(1 + random.below(3)) },
            ),
        });
        // Every other history has dequeues whose outcome nobody knows: which value they took is not looked for.
        if random.below(2) == 0 {
            history.retain(|op| op.f == "enqueue" || op.outcome != Outcome::Info);
        }
        history
    };
    let is_known =
        |history: &[Operation]| history.iter().all(|op| op.f == "enqueue" || op.outcome != Outcome::Info);
    let step = |bag: &BTreeSet<i64>, operation: &Operation| {
        let mut after = bag.clone();
        match (operation.f.as_str(), &operation.answered) {
            ("enqueue", _) => drop(after.insert(asked(operation))),
            ("dequeue", Item::Nil) if operation.outcome == Outcome::Ok => {
                return bag.is_empty().then_some(after);
            }
            ("dequeue", Item::Number(value)) => return after.remove(value).then_some(after),
            _ => {}
        }
        Some(after)
    };
    let compared = compare("queue", make, &BTreeSet::new(), &step);
    assert!(compared.ruled_out * 100 > compared.wrong * 95, "{}", compared.ruled_out);
    let only_known = |random: &mut Random| loop {
        let history = make(random);
        if is_known(&history) {
            return history;
        }
    };
    let compared = compare("queue", only_known, &BTreeSet::new(), &step);
    assert_eq!(compared.ruled_out, compared.wrong);
}

#[test]
fn a_log_is_never_ruled_out_wrongly() {
    // The log, and how far each client has polled.
    type Log = (Vec<i64>, BTreeMap<i64, usize>);
    let make = |random: &mut Random| {
        let mut next = 0;
        random_history(random, 2, |random, _| {
            let pair = |offset: u64, value: u64| Item::List(vec![number(offset), number(value)]);
            if random.below(2) == 0 {
                next += 1;
                let send = |value| Item::List(vec![Item::List(vec![word("send"), number(7), value])]);
                return ("send", send(number(next)), send(pair(random.below(3), next)));
            }
            let from = random.below(2);
            let polled =
                (0..1 + random.below(2)).map(|more| pair(from + more, 1 + random.below(3))).collect();
            let polled = Item::Map(vec![(number(7), Item::List(polled))]);
            let poll = |rest: Vec<Item>| Item::List(vec![Item::List([vec![word("poll")], rest].concat())]);
            ("poll", poll(Vec::new()), poll(vec![polled]))
        })
    };
    let step = |(log, clients): &Log, operation: &Operation| {
        let (mut log, mut clients) = (log.clone(), clients.clone());
        let op = operation.value().list()?.first()?.list()?;
        match (op[0].text(), op.get(1), op.get(2)) {
            (Some("send"), _, Some(Item::Number(value))) => log.push(*value),
            (Some("send"), _, Some(Item::List(pair))) => {
                if pair[0].number() != Some(log.len() as i64) {
                    return None;
                }
                log.push(pair[1].number()?);
            }
            (Some("poll"), Some(Item::Map(keys)), _) => {
                for pair in keys[0].1.list()? {
                    let [offset, value] = pair.list()? else { return None };
                    let offset = usize::try_from(offset.number()?).ok()?;
                    // A client begins at the beginning, and goes on from where it was.
                    let next = *clients.get(&operation.process).unwrap_or(&0);
                    if offset != next || log.get(offset).copied() != value.number() {
                        return None;
                    }
                    clients.insert(operation.process, offset + 1);
                }
            }
            _ => {}
        }
        Some((log, clients))
    };
    let compared = compare("kafka", make, &(Vec::new(), BTreeMap::new()), &step);
    assert!(compared.ruled_out * 10 > compared.wrong * 9, "{}", compared.ruled_out);
}

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

/// Whether the versions of each register can be put into an order, nothing first, that no pair of operations of one client is
/// against. `demands` gives what two operations of one client on one register, the first of them earlier, ask: whether the
/// version of the second must be newer, or at least as new.
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
    let mut allowed = 0;
    for seed in 0..HISTORIES {
        let history = random_registers(&mut random);
        let problems = sessions::check(&history, model, true, 1).expect("it can be read");
        assert_eq!(
            problems.is_valid(),
            by_brute_force(&history),
            "{model:?} {seed}: {problems:?} {history:#?}"
        );
        allowed += u64::from(problems.is_valid());
    }
    println!("{model:?}: {allowed} of {HISTORIES} are allowed");
    assert!(allowed > HISTORIES / 10 && allowed < HISTORIES, "{model:?}: {allowed}");
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
