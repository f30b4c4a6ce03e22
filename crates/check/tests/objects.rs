//! Histories of queues, stacks, sets and the like: every file of `tests/objects` is a case, and random
//! histories are judged as by brute force. The first lines of a file name the `object:` and the `verdict:`,
//! which is `linearizable`, or the line with whose answer it stops being so; or the `error:`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shakedown_cases::cases;
use shakedown_check::linearizability::{self, Operation};
use shakedown_check::objects::{
    Object, ObjectAnswer, ObjectOp, ObjectState, ObjectVerdict, SequentialVerdict, Symbol, check, sequential,
    understand,
};
use shakedown_check::{Linearizability, Model, SearchLimits};
use shakedown_cluster::Random;
use shakedown_histories::{Item, Operation as Recorded, Outcome, jepsen_log, operations};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/objects");

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    files
}

fn expected<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(word)?.strip_prefix(": "))
}

fn verdict_of_file(file: &Path, text: &str) -> Result<String, String> {
    let recorded = match file.extension().is_some_and(|extension| extension == "log") {
        true => jepsen_log::read(text),
        false => operations::read_edn(text),
    };
    let recorded = recorded.map_err(|error| error.to_string())?;
    let name = expected(text, "object").expect("the file names the object");
    let (name, is_keyed) = name.strip_suffix(", keyed").map_or((name, false), |name| (name, true));
    let object = Object::of(name).expect("it is an object");
    let history = understand(object, &recorded, is_keyed).map_err(|error| error.to_string())?;
    Ok(match check(&history, SearchLimits::default()) {
        ObjectVerdict::Linearizable(_) => "linearizable".to_owned(),
        ObjectVerdict::NotLinearizable(found) => {
            format!("line {}", recorded[history.recorded[found.key][found.culprit]].line)
        }
        ObjectVerdict::Unknown(limit) => limit.to_string(),
    })
}

fn holds(file: &Path) {
    let text = std::fs::read_to_string(file).expect("it can be read");
    match verdict_of_file(file, &text) {
        Ok(verdict) => assert_eq!(Some(verdict.as_str()), expected(&text, "verdict")),
        Err(error) => assert_eq!(Some(error.as_str()), expected(&text, "error")),
    }
}

type History = Vec<Operation<ObjectOp, ObjectAnswer>>;

/// Every order, without any memory.
fn by_brute_force(object: Object, history: &History, done: &mut Vec<usize>, state: &ObjectState) -> bool {
    let rest: Vec<usize> = (0..history.len()).filter(|place| !done.contains(place)).collect();
    if rest.iter().all(|&place| history[place].answered.is_none()) {
        return true;
    }
    rest.iter().any(|&place| {
        let ended_before = |other: &usize| {
            history[*other].answered.as_ref().is_some_and(|(end, _)| *end < history[place].called)
        };
        if rest.iter().any(ended_before) {
            return false;
        }
        let answer = history[place].answered.as_ref().map(|(_, answer)| answer);
        let Some(after) = object.step(state, &history[place].op, answer) else { return false };
        done.push(place);
        let found = by_brute_force(object, history, done, &after);
        done.pop();
        found
    })
}

fn random_op(object: Object, random: &mut Random) -> (ObjectOp, ObjectAnswer) {
    let symbol = |random: &mut Random| Symbol(random.below(3) as u32);
    let some = |random: &mut Random| (random.below(4) > 0).then(|| Symbol(random.below(3) as u32));
    let kind = random.below(3);
    let process = random.below(3) as i64;
    match (object, kind) {
        (Object::Register | Object::Cas, 0) => (ObjectOp::Write(symbol(random)), ObjectAnswer::Done),
        (Object::Register | Object::Cas, 1) => {
            let applied = object == Object::Register || random.below(2) == 0;
            (ObjectOp::Cas(symbol(random), symbol(random)), ObjectAnswer::Applied(applied))
        }
        (Object::Register | Object::Cas, _) => (ObjectOp::Read, ObjectAnswer::Value(some(random))),
        (Object::Queue | Object::Stack, 0 | 1) => (ObjectOp::Put(symbol(random)), ObjectAnswer::Done),
        (Object::Queue | Object::Stack, _) => (ObjectOp::Take, ObjectAnswer::Value(some(random))),
        (Object::Set, 0) => (ObjectOp::Put(symbol(random)), ObjectAnswer::Done),
        (Object::Set, 1) => {
            let answer = [ObjectAnswer::Done, ObjectAnswer::Applied(true), ObjectAnswer::Applied(false)];
            (ObjectOp::Remove(symbol(random)), answer[random.index(3)].clone())
        }
        (Object::Set, _) => {
            let read: BTreeSet<Symbol> = (0..3).filter(|_| random.below(2) == 0).map(Symbol).collect();
            (ObjectOp::Read, ObjectAnswer::Set(read))
        }
        (Object::Counter, 0 | 1) => (ObjectOp::Add(random.below(3) as i64 - 1), ObjectAnswer::Done),
        (Object::Counter, _) => (ObjectOp::Read, ObjectAnswer::Number(random.below(3) as i64 - 1)),
        (Object::Log, 0) => (ObjectOp::Put(symbol(random)), ObjectAnswer::Done),
        (Object::Log, 1) => (ObjectOp::Put(symbol(random)), ObjectAnswer::At(random.index(3))),
        (Object::Log, _) => {
            let length = random.index(3);
            (ObjectOp::Read, ObjectAnswer::List((0..length).map(|_| symbol(random)).collect()))
        }
        (Object::Lock, 0 | 1) => (ObjectOp::Acquire(process), ObjectAnswer::Done),
        (Object::Lock, _) => (ObjectOp::Release(process), ObjectAnswer::Done),
    }
}

/// Up to five operations at random times; one in six has no answer.
fn random_history(object: Object, random: &mut Random) -> History {
    let operation = |random: &mut Random| {
        let (op, answer) = random_op(object, random);
        let called = random.below(12) as u32;
        let answered = (random.below(6) > 0).then(|| (called + 1 + random.below(6) as u32, answer));
        Operation { op, called, answered }
    };
    (0..=random.below(4)).map(|_| operation(random)).collect()
}

fn verdicts_equal_those_of_brute_force(object: Object) {
    let count = 100_000;
    let mut random = Random::new(24);
    let mut linearizable = 0;
    for number in 0..count {
        let history = random_history(object, &mut random);
        let expected = by_brute_force(object, &history, &mut Vec::new(), &object.initial());
        let found = match linearizability::check(&object, &history, SearchLimits::default()) {
            Linearizability::Linearizable(_) => true,
            Linearizability::NotLinearizable(_) => false,
            Linearizability::Unknown(limit) => panic!("{limit}"),
        };
        assert_eq!(found, expected, "{object} {number}: {history:#?}");
        linearizable += usize::from(found);
    }
    assert!(linearizable * 10 > count && linearizable * 10 < 9 * count, "{linearizable} of {count}");
}

/// Reads and writes of two registers by three clients.
fn random_registers(random: &mut Random) -> Vec<Recorded> {
    let count = 2 + random.index(4);
    (0..count)
        .map(|line| {
            let key = Item::Number(random.below(2) as i64);
            let value = Item::Number(random.below(2) as i64);
            let is_write = random.below(2) == 0;
            let read = if random.below(3) == 0 { Item::Nil } else { value.clone() };
            let outcome = if random.below(8) == 0 { Outcome::Info } else { Outcome::Ok };
            let answered = Item::List(vec![key.clone(), if is_write { value.clone() } else { read }]);
            Recorded {
                process: random.below(3) as i64,
                f: if is_write { "write" } else { "read" }.to_owned(),
                asked: Item::List(vec![key, if is_write { value } else { Item::Nil }]),
                answered: if outcome == Outcome::Ok { answered } else { Item::Nil },
                outcome,
                began: 2 * line as u32,
                ended: (outcome == Outcome::Ok).then_some(2 * line as u32 + 1),
                times: (None, None),
                line: line + 1,
            }
        })
        .collect()
}

/// Every order that has the operations of each client in the client's order.
fn is_sequential(history: &[Recorded], done: u32, values: [&Item; 2]) -> bool {
    let left: Vec<usize> = (0..history.len()).filter(|at| done & 1 << at == 0).collect();
    if left.iter().all(|&at| history[at].outcome == Outcome::Info) {
        return true;
    }
    left.iter().any(|&at| {
        let operation = &history[at];
        if left.iter().any(|&other| other < at && history[other].process == operation.process) {
            return false;
        }
        let done = done | 1 << at;
        let is_unknown = operation.outcome == Outcome::Info;
        let [key, value] = operation.value().list().expect("a pair") else { panic!("a pair") };
        let key = key.number().expect("a number") as usize;
        if operation.f == "read" {
            return (is_unknown || values[key] == value) && is_sequential(history, done, values);
        }
        let mut after = values;
        after[key] = value;
        is_sequential(history, done, after) || is_unknown && is_sequential(history, done, values)
    })
}

fn sequential_consistency_is_judged_as_by_brute_force() {
    let mut random = Random::new(24);
    let (mut consistent, mut linearizable) = (0, 0);
    for number in 0..100_000 {
        let recorded = random_registers(&mut random);
        let history = understand(Object::Register, &recorded, true).expect("it can be read");
        let expected = is_sequential(&recorded, 0, [&Item::Nil, &Item::Nil]);
        let found = match sequential(&history, &recorded, SearchLimits::default()) {
            SequentialVerdict::Consistent(_) => true,
            SequentialVerdict::Inconsistent(_) => false,
            SequentialVerdict::Unknown(limit) => panic!("{limit}"),
        };
        assert_eq!(found, expected, "{number}: {recorded:#?}");
        let is_linearizable =
            matches!(check(&history, SearchLimits::default()), ObjectVerdict::Linearizable(_));
        // A client that goes on after an operation without an answer keeps its order only where that is asked
        // for.
        let is_answered = recorded.iter().all(|operation| operation.outcome == Outcome::Ok);
        assert!(found || !is_linearizable || !is_answered, "{number}: what is linearizable is sequential");
        consistent += usize::from(found);
        linearizable += usize::from(is_linearizable);
    }
    assert!(linearizable > 10_000 && consistent > linearizable + 1_000, "{linearizable} {consistent}");
}

fn main() -> ExitCode {
    let mut cases =
        cases![sequential_consistency_is_judged_as_by_brute_force].and_files("objects", files(), holds);
    for (name, object, _) in Object::ALL {
        cases = cases.and(format!("{name}_is_judged_as_by_brute_force"), move || {
            verdicts_equal_those_of_brute_force(object);
        });
    }
    cases.run()
}
