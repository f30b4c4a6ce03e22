//! The histories of `histories.txt`, each with its verdict and a case of its own. The columns of a line are
//! the times.

use std::collections::{BTreeMap, VecDeque};
use std::panic::catch_unwind;
use std::process::ExitCode;

use shakedown_cases::cases;
use shakedown_check::linearizability::{Operation, check};
use shakedown_check::{Linearizability, Model, RegisterAnswer, RegisterOp, Registers, SearchLimits};

/// First in, first out. It knows no keys.
struct Queue;

enum QueueOp {
    Enqueue(u64),
    Dequeue,
}

impl Model for Queue {
    type State = VecDeque<u64>;
    type Op = QueueOp;
    /// What came out, if something did.
    type Answer = Option<u64>;

    fn initial(&self) -> VecDeque<u64> {
        VecDeque::new()
    }

    fn step(
        &self,
        state: &VecDeque<u64>,
        op: &QueueOp,
        answer: Option<&Option<u64>>,
    ) -> Option<VecDeque<u64>> {
        let mut after = state.clone();
        let given = match op {
            QueueOp::Enqueue(item) => {
                after.push_back(*item);
                None
            }
            QueueOp::Dequeue => after.pop_front(),
        };
        answer.is_none_or(|answer| *answer == given).then_some(after)
    }
}

/// An operation of a line, as text: what was asked, what was answered, and when.
struct Drawn<'a> {
    op: &'a str,
    answer: Option<&'a str>,
    called: u32,
    answered: Option<u32>,
}

fn drawn(line: &str) -> Vec<Drawn<'_>> {
    let mut operations = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find('|').map(|found| at + found) {
        let rest = &line[start + 1..];
        let dots = rest.find("...").unwrap_or(usize::MAX);
        let bar = rest.find('|').unwrap_or(usize::MAX);
        let end = dots.min(bar);
        assert!(end < rest.len(), "`{line}` has an operation without an end");
        let text = rest[..end].trim_matches(['-', ' ']);
        let (op, answer) = text.split_once(": ").map_or((text, None), |(op, answer)| (op, Some(answer)));
        let answered = (bar < dots).then(|| (start + 1 + bar) as u32);
        operations.push(Drawn { op, answer, called: start as u32, answered });
        at = start + 1 + end + 1;
    }
    operations
}

fn queue_operation(drawn: &Drawn<'_>) -> Operation<QueueOp, Option<u64>> {
    let op = match drawn.op.split_once(' ') {
        Some(("enq", item)) => QueueOp::Enqueue(item.parse().expect("an item")),
        _ if drawn.op == "deq" => QueueOp::Dequeue,
        _ => panic!("`{}` is not an operation of a queue", drawn.op),
    };
    let answer = drawn.answer.filter(|answer| *answer != "empty").map(|item| item.parse().expect("an item"));
    Operation { op, called: drawn.called, answered: drawn.answered.map(|place| (place, answer)) }
}

fn pair(text: &str) -> (u8, u64) {
    let (key, value) =
        text.strip_prefix('k').and_then(|rest| rest.split_once('=')).expect("a key and a value");
    (key.parse().expect("a key"), value.parse().expect("a value"))
}

fn register_operation(drawn: &Drawn<'_>) -> Operation<RegisterOp, RegisterAnswer> {
    let words: Vec<&str> = drawn.op.split(' ').collect();
    let op = match words[..] {
        ["read", key] => RegisterOp::Read(key[1..].parse().expect("a key")),
        ["write", what] => RegisterOp::Write(pair(what).0, pair(what).1),
        ["when", condition, "write", what] => {
            RegisterOp::When { key: pair(condition).0, is: pair(condition).1, write: pair(what) }
        }
        _ => panic!("`{}` is not an operation of registers", drawn.op),
    };
    assert_eq!(op.to_string(), drawn.op);
    let answer = match drawn.answer {
        None => RegisterAnswer::Done,
        Some("applied") => RegisterAnswer::Applied(true),
        Some("not applied") => RegisterAnswer::Applied(false),
        Some(value) => RegisterAnswer::Value(value.parse().expect("a value")),
    };
    Operation { op, called: drawn.called, answered: drawn.answered.map(|place| (place, answer)) }
}

/// A history as it is in the file.
struct History {
    name: &'static str,
    object: &'static str,
    verdict: &'static str,
    operations: Vec<Drawn<'static>>,
}

impl History {
    /// A paragraph of the file. One that holds remarks only is no history.
    fn read(paragraph: &'static str) -> Option<History> {
        let mut fields = BTreeMap::new();
        let mut operations = Vec::new();
        for line in paragraph.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            match line.split_once(": ").filter(|_| !line.contains('|')) {
                Some((name @ ("history" | "object" | "verdict"), value)) => drop(fields.insert(name, value)),
                Some((other, _)) => panic!("`{other}` is no field of a history"),
                None => {
                    assert!(line.contains('|'), "`{line}` has no operation");
                    operations.extend(drawn(line));
                }
            }
        }
        let name = *fields.get("history")?;
        Some(History { name, object: fields["object"], verdict: fields["verdict"], operations })
    }

    fn check(&self) {
        let limits = SearchLimits::default();
        let operations = &self.operations;
        let found = match self.object {
            "queue" => check(&Queue, &operations.iter().map(queue_operation).collect::<Vec<_>>(), limits),
            "registers" => {
                check(&Registers, &operations.iter().map(register_operation).collect::<Vec<_>>(), limits)
            }
            other => panic!("there is no object `{other}`"),
        };
        let verdict = match found {
            Linearizability::Linearizable(_) => "linearizable",
            Linearizability::NotLinearizable(_) => "not linearizable",
            Linearizability::Unknown(_) => "unknown",
        };
        assert_eq!(verdict, self.verdict);
    }
}

fn an_unknown_word_is_an_error() {
    let history = "history: h\nobject: queue\nverdict: linearizable\n|- enq 1 -|";
    assert!(History::read(history).is_some());
    for wrong in ["history: h\nverdikt: linearizable", "history: h\nenq 1"] {
        assert!(catch_unwind(|| History::read(wrong)).is_err(), "{wrong}");
    }
}

fn main() -> ExitCode {
    let text = include_str!("histories.txt");
    let histories: Vec<History> = text.split("\n\n").filter_map(History::read).collect();
    assert_eq!(histories.len(), text.matches("history: ").count(), "every history of the file is a case");
    let cases = cases![an_unknown_word_is_an_error];
    histories.into_iter().fold(cases, |cases, history| cases.and(history.name, move || history.check())).run()
}
