//! Workloads with rules of their own against brute force: on random small histories each verdict is that of a
//! search through all orders of all operations. `HISTORIES` in the environment is how many there are of each
//! workload.

use std::collections::{BTreeMap, BTreeSet};

use crate::random_operations::{Random, histories, number, random_history};
use shakedown_histories::workloads::{Problems, Rules, workload};
use shakedown_histories::{Item, Operation, Outcome};

/// Whether some order of the operations, each between its beginning and its end, explains all answers. What
/// failed did not happen; what nobody knows of may have. `step` gives the states after an operation: none if
/// it cannot have its answer.
fn explained<S: Clone>(
    history: &[&Operation],
    done: u32,
    state: &S,
    step: &dyn Fn(&S, &Operation) -> Vec<S>,
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
                .iter()
                .any(|after| explained(history, done | 1 << place, after, step))
    })
}

/// Whether an order explains what did not fail, from this state.
fn is_explained<S: Clone>(
    history: &[Operation],
    initial: &S,
    step: &dyn Fn(&S, &Operation) -> Vec<S>,
) -> bool {
    let happened: Vec<&Operation> = history.iter().filter(|op| op.outcome != Outcome::Fail).collect();
    explained(&happened, 0, initial, step)
}

/// Holds a workload's verdicts to those of brute force. Few enough histories are right, and few enough wrong,
/// that both matter.
fn equals(
    name: &str,
    rules: Rules,
    mut make: impl FnMut(&mut Random) -> Vec<Operation>,
    by_brute_force: &dyn Fn(&[Operation]) -> bool,
) {
    let check = workload(name).expect("it is known").check;
    let (mut random, histories) = (Random(24), histories());
    let mut right = 0;
    let mut kinds = BTreeMap::<&str, u64>::new();
    for seed in 0..histories {
        let history = make(&mut random);
        let mut problems: Problems = check(&history, rules).expect("it can be read");
        assert_eq!(problems.undecided, None, "{name} {seed}: {history:#?}");
        // That nobody has polled a value yet is for the end of a run.
        problems.counts.remove("unseen");
        problems.kinds().iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
        let is_right = by_brute_force(&history);
        assert_eq!(problems.is_valid(), is_right, "{name} {seed}: {problems:?} {history:#?}");
        right += u64::from(is_right);
    }
    println!("{name}: {histories} verdicts are equal, {right} of them right; {kinds:?}");
    assert!(right > histories / 20 && histories - right > histories / 20, "{name}: {right}");
}

/// The history without real time: everything may have happened at once.
fn at_once(mut history: Vec<Operation>) -> Vec<Operation> {
    for operation in &mut history {
        operation.began = 1;
        operation.ended = operation.ended.map(|_| 1_000_000);
    }
    history
}

fn word(word: &str) -> Item {
    Item::Word(word.to_owned())
}

fn asked(operation: &Operation) -> i64 {
    operation.asked.number().expect("it was asked")
}

#[test]
fn a_set_is_ruled_out_if_and_only_if_no_order_explains_it() {
    let make = |random: &mut Random| {
        // In every other history elements are added more than once.
        let mut next = 0;
        let repeats = random.below(2) == 0;
        random_history(random, 3, |random, _| match random.below(2) {
            0 => {
                next = if repeats { 1 + random.below(2) } else { next + 1 };
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
                return if read == after { vec![after] } else { Vec::new() };
            }
            _ => {}
        }
        vec![after]
    };
    equals("set", Rules::default(), make, &|history| is_explained(history, &BTreeSet::new(), &step));
}

#[test]
fn a_counter_is_ruled_out_if_and_only_if_no_order_explains_it() {
    let make = |random: &mut Random| {
        random_history(random, 3, |random, _| match random.below(2) {
            0 => ("add", Item::Number(random.below(5) as i64 - 1), Item::Nil),
            _ => ("read", Item::Nil, Item::Number(random.below(7) as i64 - 1)),
        })
    };
    let step = |sum: &i64, operation: &Operation| match operation.f.as_str() {
        "add" => vec![sum + asked(operation)],
        _ if operation.answered == Item::Nil || operation.answered == Item::Number(*sum) => vec![*sum],
        _ => Vec::new(),
    };
    equals("counter", Rules::default(), make, &|history| is_explained(history, &0, &step));
}

/// Two accounts with two of something, which is moved.
fn random_bank(random: &mut Random) -> Vec<Operation> {
    let history = random_history(random, 3, |random, _| {
        if random.below(2) == 0 {
            let (from, amount) = (random.below(2), random.below(3));
            let fields = [("from", from), ("to", 1 - from), ("amount", amount)];
            let transfer = Item::Map(fields.map(|(name, value)| (word(name), number(value))).to_vec());
            return ("transfer", transfer, Item::Nil);
        }
        let first = random.below(8) as i64 / 2;
        let total = if random.below(8) == 0 { 3 } else { 2 };
        let mut balances =
            vec![(Item::Number(0), Item::Number(first)), (Item::Number(1), Item::Number(total - first))];
        if random.below(16) == 0 {
            balances[0].1 = Item::Nil;
        }
        ("read", Item::Nil, Item::Map(balances))
    });
    at_once(history)
}

#[test]
fn a_bank_is_ruled_out_if_and_only_if_no_order_of_transfers_explains_it() {
    let step = |balances: &[i64; 2], operation: &Operation| {
        if operation.f == "transfer" {
            let field = |name| operation.asked.field(name).and_then(Item::number).expect("a number");
            let mut after = *balances;
            after[field("from") as usize] -= field("amount");
            after[field("to") as usize] += field("amount");
            return if after.iter().all(|balance| *balance >= 0) { vec![after] } else { Vec::new() };
        }
        let Item::Map(fields) = &operation.answered else { return vec![*balances] };
        let is_read = fields.iter().zip(balances).all(|(field, balance)| field.1 == Item::Number(*balance));
        if is_read { vec![*balances] } else { Vec::new() }
    };
    let rules = Rules { total: Some(2), ..Rules::default() };
    equals("bank", rules, random_bank, &|history| {
        [[0, 2], [1, 1], [2, 0]].iter().any(|first| is_explained(history, first, &step))
    });
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
                return Vec::new();
            }
        }
        vec![after]
    };
    equals("long-fork", Rules::default(), make, &|history| is_explained(history, &BTreeSet::new(), &step));
}

/// What is in a queue, in order, and how many values each drain has taken.
type Queue = (Vec<i64>, BTreeMap<usize, usize>);

fn queue_step((held, drained): &Queue, operation: &Operation) -> Vec<Queue> {
    let without = |place: usize| {
        let mut held = held.clone();
        held.remove(place);
        held
    };
    match (operation.f.as_str(), &operation.answered) {
        ("enqueue", _) => {
            let mut held = held.clone();
            held.push(asked(operation));
            held.sort_unstable();
            vec![(held, drained.clone())]
        }
        ("dequeue" | "part", Item::Nil) if operation.outcome == Outcome::Info => {
            let mut states = vec![(held.clone(), drained.clone())];
            states.extend((0..held.len()).map(|place| (without(place), drained.clone())));
            states
        }
        ("dequeue", Item::Number(value)) | ("part", Item::Number(value)) => {
            let Some(place) = held.iter().position(|held| held == value) else { return Vec::new() };
            let mut drained = drained.clone();
            *drained.entry(operation.line).or_default() += usize::from(operation.f == "part");
            vec![(without(place), drained)]
        }
        // The end of a drain: what was asked is how many values it returned.
        ("drained", _) => {
            let is_last = drained.get(&operation.line).copied().unwrap_or(0) == asked(operation) as usize;
            if is_last && held.is_empty() { vec![(held.clone(), drained.clone())] } else { Vec::new() }
        }
        _ if held.is_empty() => vec![(held.clone(), drained.clone())],
        _ => Vec::new(),
    }
}

/// Drains as what they are: they take one value after the other, in any order, and find nothing in the end.
/// One of which nobody knows may have taken everything.
fn without_drains(history: &[Operation]) -> Vec<Operation> {
    let enqueues = history.iter().filter(|op| op.f == "enqueue").count();
    let mut parts = Vec::new();
    for operation in history {
        let part = |answered: Item| Operation { f: "part".to_owned(), answered, ..operation.clone() };
        match (&operation.answered, operation.outcome) {
            _ if operation.f != "drain" => parts.push(operation.clone()),
            (Item::List(values), Outcome::Ok) => {
                parts.extend(values.iter().cloned().map(part));
                let asked = number(values.len() as u64);
                parts.push(Operation { f: "drained".to_owned(), asked, ..part(Item::Nil) });
            }
            (_, Outcome::Info) => parts.extend((0..enqueues).map(|_| part(Item::Nil))),
            _ => {}
        }
    }
    parts
}

#[test]
fn a_queue_is_ruled_out_if_and_only_if_no_order_explains_it() {
    let make = |random: &mut Random| {
        // In some histories values are enqueued more than once; in others nobody knows of some dequeues; in
        // others there are drains.
        let mut next = 0;
        let (repeats, is_known, drains) = (random.below(4) == 0, random.below(2) == 0, random.below(2) == 0);
        let mut history = random_history(random, 3, |random, _| match random.below(4) {
            0 | 1 => {
                next = if repeats { 1 + random.below(2) } else { next + 1 };
                ("enqueue", number(next), Item::Nil)
            }
            2 if drains => {
                let values = (1..=3).filter(|_| random.below(3) == 0).map(number).collect();
                ("drain", Item::Nil, Item::List(values))
            }
            _ => {
                let value = if random.below(3) == 0 { Item::Nil } else { number(1 + random.below(3)) };
                ("dequeue", Item::Nil, value)
            }
        });
        if is_known {
            history.retain(|op| op.f == "enqueue" || op.outcome != Outcome::Info);
        }
        history
    };
    equals("queue", Rules::default(), make, &|history| {
        is_explained(&without_drains(history), &(Vec::new(), BTreeMap::new()), &queue_step)
    });
}

/// The values at the offsets of each key, and where each client is in it: behind this offset, for certain or
/// not.
type Logs = (BTreeMap<i64, BTreeMap<i64, i64>>, BTreeMap<(i64, i64), (i64, bool)>);

/// The highest offset that is tried for a send of which nobody knows; none that is polled is higher.
const OFFSET_MAX: i64 = 4;

fn log_step((logs, clients): &Logs, operation: &Operation) -> Vec<Logs> {
    let (mut logs, mut clients) = (logs.clone(), clients.clone());
    if operation.f == "assign" {
        clients.retain(|(client, _), _| *client != operation.process);
        return vec![(logs, clients)];
    }
    let value = operation.value().list().expect("a list");
    let op = value[0].list().expect("an operation");
    match (op[0].text(), op.get(1), op.get(2)) {
        (Some("send"), Some(key), Some(sent)) => {
            let log = logs.entry(key.number().expect("a key")).or_default();
            let next = log.last_key_value().map_or(0, |(last, _)| last + 1);
            let (offsets, value) = match sent {
                Item::List(pair) => {
                    let offset = pair[0].number().expect("an offset");
                    (offset.max(next)..=offset, pair[1].number())
                }
                sent => (next..=OFFSET_MAX, sent.number()),
            };
            let with = |offset: i64| {
                let mut logs = logs.clone();
                let log = logs.entry(key.number().expect("a key")).or_default();
                log.insert(offset, value.expect("a value"));
                (logs, clients.clone())
            };
            return offsets.map(with).collect();
        }
        (Some("poll"), Some(Item::Map(keys)), _) => {
            let key = keys[0].0.number().expect("a key");
            let log = logs.entry(key).or_default();
            for pair in keys[0].1.list().expect("pairs") {
                let Some([offset, value]) = pair.list() else { panic!("a pair") };
                let offset = offset.number().expect("an offset");
                let position = clients.insert((operation.process, key), (offset, true));
                let leaves_out = |(last, is_certain): (i64, bool)| {
                    last >= offset || is_certain && log.range(last + 1..offset).next().is_some()
                };
                if position.is_some_and(leaves_out) || log.get(&offset).copied() != value.number() {
                    return Vec::new();
                }
            }
        }
        // Nobody knows what it returned.
        _ => clients
            .iter_mut()
            .filter(|((client, _), _)| *client == operation.process)
            .for_each(|(_, (_, is_certain))| *is_certain = false),
    }
    vec![(logs, clients)]
}

/// After an assignment of which nobody knows, each poll of a client may begin anywhere, as if it were that of
/// another one.
fn with_clients_apart(history: &[Operation]) -> Vec<Operation> {
    let mut apart = BTreeSet::new();
    let mut history = history.to_vec();
    for operation in &mut history {
        if apart.contains(&operation.process) {
            operation.process = 1_000 + operation.line as i64;
        } else if operation.f == "assign" && operation.outcome == Outcome::Info {
            apart.insert(operation.process);
        }
    }
    history
}

/// Whether an acknowledged value is missing below one that was polled.
fn loses(history: &[Operation]) -> bool {
    let mut polled = BTreeSet::new();
    let mut acknowledged = Vec::new();
    for operation in history.iter().filter(|op| op.outcome == Outcome::Ok && op.f != "assign") {
        let op = operation.answered.list().expect("a list")[0].list().expect("an operation");
        match (&op[1], op.get(2)) {
            (Item::Map(keys), _) => {
                let pairs = keys[0].1.list().expect("pairs").iter().filter_map(Item::list);
                polled.extend(pairs.map(|pair| (keys[0].0.clone(), pair[0].number(), pair[1].clone())));
            }
            (key, Some(Item::List(pair))) => acknowledged.push((key, pair[0].number(), &pair[1])),
            _ => {}
        }
    }
    acknowledged.iter().any(|(key, offset, value)| {
        let is_there = polled.iter().any(|(of, _, polled)| of == *key && polled == *value);
        !is_there && polled.iter().any(|(of, polled, _)| of == *key && polled > offset)
    })
}

#[test]
fn a_log_is_ruled_out_if_and_only_if_no_order_explains_it_or_something_is_lost() {
    let make = |random: &mut Random| {
        let mut next = 0;
        let keys = 1 + random.below(4) / 3;
        random_history(random, 2, |random, _| {
            let key = number(7 + random.below(keys));
            let pair = |offset: u64, value: u64| Item::List(vec![number(offset), number(value)]);
            match random.below(8) {
                0..4 => {
                    next += 1;
                    let send = |value| Item::List(vec![Item::List(vec![word("send"), key.clone(), value])]);
                    // Offsets often are right.
                    let offset = if random.below(2) == 0 { next - 1 } else { random.below(4) };
                    ("send", send(number(next)), send(pair(offset, next)))
                }
                4 => ("assign", Item::Nil, Item::List(vec![key])),
                _ => {
                    let from = random.below(3);
                    let value = |random: &mut Random, offset| match random.below(3) {
                        0 => 1 + random.below(3),
                        _ => offset + 1,
                    };
                    let polled = (from..from + 1 + random.below(2))
                        .map(|offset| pair(offset, value(random, offset)))
                        .collect();
                    let polled = Item::Map(vec![(key, Item::List(polled))]);
                    let poll =
                        |rest: Vec<Item>| Item::List(vec![Item::List([vec![word("poll")], rest].concat())]);
                    ("poll", poll(Vec::new()), poll(vec![polled]))
                }
            }
        })
    };
    equals("kafka", Rules::default(), make, &|history| {
        let apart = with_clients_apart(history);
        !loses(history) && is_explained(&apart, &(BTreeMap::new(), BTreeMap::new()), &log_step)
    });
}

/// An operation that began and ended then.
fn operation(
    line: usize,
    f: &str,
    asked: Item,
    answered: Item,
    (began, ended): (u32, Option<u32>),
) -> Operation {
    let outcome = if ended.is_some() { Outcome::Ok } else { Outcome::Info };
    let (process, f, times) = (line as i64, f.to_owned(), (None, None));
    Operation { process, f, asked, answered, outcome, began, ended, times, line }
}

/// Adds and reads one after the other, two at a time; the last two reads contradict each other.
fn long_counter(count: usize) -> Vec<Operation> {
    let mut history = Vec::new();
    for place in 0..count {
        let at = place as u32 * 4;
        history.push(operation(2 * place + 1, "add", number(1), Item::Nil, (at, Some(at + 3))));
        let sum = number(place as u64 + u64::from(place % 2 == 0));
        history.push(operation(2 * place + 2, "read", Item::Nil, sum, (at + 1, Some(at + 2))));
    }
    let (at, last) = (count as u32 * 4, 2 * count + 1);
    for (more, amount) in [(0, 1), (1, 2)] {
        history.push(operation(last + more, "add", number(amount), Item::Nil, (at, Some(at + 9))));
    }
    for (more, amount) in [(2, 1), (3, 2)] {
        let sum = number(count as u64 + amount);
        history.push(operation(last + more, "read", Item::Nil, sum, (at + 1, Some(at + 8))));
    }
    history
}

#[test]
fn a_long_history_is_decided_as_long_as_little_is_under_way_at_once() {
    let check = workload("counter").expect("it is known").check;
    let mut history = long_counter(50_000);
    let found = check(&history, Rules::default()).expect("it can be read");
    assert_eq!((found.kinds(), found.undecided), (vec!["no-order"], None));
    history.pop();
    let found = check(&history, Rules::default()).expect("it can be read");
    assert_eq!((found.kinds(), found.undecided), (vec![], None));
}

#[test]
fn what_takes_too_long_is_said_to_be_undecided() {
    let undecided = |name: &str, history: Vec<Operation>| {
        let check = workload(name).expect("it is known").check;
        let found =
            check(&history, Rules { total: Some(1_000), ..Rules::default() }).expect("it can be read");
        assert!(found.is_valid(), "{found:?}");
        found.undecided.expect("it is not decided")
    };
    let many = |f: &'static str, asked: fn(u64) -> Item| -> Vec<Operation> {
        (1..=100).map(|line| operation(line as usize, f, asked(line), Item::Nil, (1, Some(1_000)))).collect()
    };
    let mut counter = many("add", |line| number(1 << (line % 40)));
    counter.push(operation(101, "read", Item::Nil, number(3), (2, Some(900))));
    assert!(undecided("counter", counter).contains("each read alone is a sum"));
    // Fewer are under way than have a bit each, but their sums are too many.
    let mut counter = many("add", |line| number(1 << (line % 40)));
    counter.truncate(40);
    counter.push(operation(41, "read", Item::Nil, number(3), (2, Some(900))));
    counter.push(operation(42, "read", Item::Nil, number(7), (2, Some(901))));
    assert!(undecided("counter", counter).contains("given up at line 41"));
    let mut queue = many("enqueue", number);
    queue.push(operation(101, "dequeue", Item::Nil, Item::Nil, (2, None)));
    assert!(undecided("queue", queue).contains("given up at line"));
    let bank = many("transfer", |_| {
        Item::Map(vec![(word("from"), number(0)), (word("to"), number(1)), (word("amount"), number(1))])
    });
    assert!(undecided("bank", bank).contains("there are 100, and at most 64 are tried"));
    let set = many("add", |line| number(line % 50));
    assert!(undecided("set", set).contains("each element alone"));
}
