//! What must hold, for each workload.
//!
//! Requests that were never answered, and those with an error that is not definite, may have happened or not.

mod counters;
pub(crate) mod kafka;
mod registers;
mod sets;
mod transactions;

use std::collections::BTreeMap;

use serde_json::Value;
use shakedown_check::{Doubt, Linearizable, Oracle, Seen, described_invariant};
use shakedown_cluster::{Board, NodeId, RequestInfo};

use crate::node::{NodeState, Trouble};
use crate::workload::{FINAL, Workload};

/// The errors after which an operation is known not to have happened.
const DEFINITE: [u64; 9] = [1, 10, 11, 12, 14, 20, 21, 22, 30];

/// What became of a request.
pub(crate) enum Became {
    /// It was done; this is the body of the answer.
    Done(Value),
    /// It did not happen, and never will; the code of the error.
    Refused(u64),
    /// It may have happened, or may yet.
    Unknown,
}

impl Became {
    pub fn of(request: &RequestInfo) -> Became {
        let answer = request.answer.as_deref().and_then(|answer| serde_json::from_str(answer).ok());
        let Some(body): Option<Value> = answer else { return Became::Unknown };
        if body["type"] != "error" {
            return Became::Done(body);
        }
        match body["code"].as_u64().filter(|code| DEFINITE.contains(code)) {
            Some(code) => Became::Refused(code),
            None => Became::Unknown,
        }
    }
}

/// What a request asks.
pub(crate) fn asked(request: &RequestInfo) -> Value {
    serde_json::from_str(&request.op).unwrap_or(Value::Null)
}

/// Whether it was sent after the network was healed.
pub(crate) fn is_final(asked: &Value) -> bool {
    asked.get(FINAL).is_some()
}

/// The answer to the last read of each node after the network was healed.
pub(crate) fn final_answers(board: &Board) -> Result<BTreeMap<NodeId, Value>, String> {
    let mut answers = BTreeMap::new();
    for request in board.requests().iter().filter(|request| is_final(&asked(request))) {
        if let Became::Done(body) = Became::of(request) {
            answers.insert(request.node, body);
        }
    }
    match NodeId::first(board.size()).find(|node| !answers.contains_key(node)) {
        Some(node) => Err(format!("{node} answered no read after the network was healed")),
        None => Ok(answers),
    }
}

/// Whether what was read after healing is right.
pub(crate) fn final_reads(board: &Board, workload: Workload) -> Result<(), String> {
    match workload {
        Workload::Broadcast => sets::final_reads(board, "broadcast", "message", "messages"),
        Workload::GSet => sets::final_reads(board, "add", "element", "value"),
        Workload::GCounter | Workload::PnCounter => counters::final_reads(board),
        Workload::Kafka => kafka::check(board),
        _ => Ok(()),
    }
}

/// The oracles of a workload.
pub(crate) fn oracles(workload: Workload, consistency: &str) -> Vec<Box<dyn Oracle<NodeState>>> {
    let mut oracles = vec![
        described_invariant("nodes-keep-running", "no node ends by itself", |seen| {
            without_trouble(seen, |trouble| match trouble {
                Trouble::Ended(text) => Some(text),
                Trouble::BadLine(_) => None,
            })
        }),
        described_invariant("valid-messages", "nodes write messages, and nothing else", |seen| {
            without_trouble(seen, |trouble| match trouble {
                Trouble::BadLine(text) => Some(text),
                Trouble::Ended(_) => None,
            })
        }),
    ];
    match workload {
        Workload::Echo => oracles.push(described_invariant(
            "echo",
            "the answer holds what was sent",
            |seen: &Seen<'_, NodeState>| echo(seen.board()),
        )),
        Workload::UniqueIds => oracles.push(described_invariant(
            "unique-ids",
            "no identifier comes twice",
            |seen: &Seen<'_, NodeState>| unique_ids(seen.board()),
        )),
        Workload::LinKv => {
            oracles.push(Box::new(Linearizable::new(registers::Registers, registers::understand)));
        }
        Workload::TxnListAppend | Workload::TxnRwRegister => {
            oracles.push(Box::new(transactions::Isolation::new(
                consistency,
                workload == Workload::TxnListAppend,
            )));
        }
        _ => oracles.push(AtEnd::new(property(workload), ABOUT_FINAL, move |board| {
            final_reads(board, workload).map_err(Doubt::Violated)
        })),
    }
    if workload == Workload::Kafka {
        oracles.push(AtEnd::new("committed-offsets", "committed offsets go forward", |board| {
            kafka::committed(board).map_err(Doubt::Violated)
        }));
    }
    oracles.push(AtEnd::new(ANSWERS, "nodes do what clients ask", answers));
    oracles
}

/// The property that something was done at all.
const ANSWERS: &str = "answers";
const ABOUT_FINAL: &str = "after healing, every node shows all that was acknowledged";

fn property(workload: Workload) -> &'static str {
    match workload {
        Workload::GCounter | Workload::PnCounter => "counter",
        Workload::Kafka => "log",
        _ => "convergence",
    }
}

fn without_trouble(
    seen: &Seen<'_, NodeState>,
    text: impl Fn(&Trouble) -> Option<&std::sync::Arc<str>>,
) -> Result<(), String> {
    match seen.up().find_map(|(node, state)| Some((node, text(state.trouble.as_ref()?)?))) {
        Some((node, text)) => Err(format!("{node} {text}")),
        None => Ok(()),
    }
}

fn echo(board: &Board) -> Result<(), String> {
    for request in board.requests() {
        let (asked, Became::Done(answer)) = (asked(request), Became::of(request)) else { continue };
        if answer["echo"] != asked["echo"] {
            return Err(format!("{} was sent {} and answered {answer}", request.node, asked["echo"]));
        }
    }
    Ok(())
}

fn unique_ids(board: &Board) -> Result<(), String> {
    let mut known = BTreeMap::new();
    for request in board.requests() {
        let Became::Done(answer) = Became::of(request) else { continue };
        if let Some(first) = known.insert(answer["id"].to_string(), request.node) {
            let makers = match first == request.node {
                true => format!("{first} twice"),
                false => format!("{first} and {} both", request.node),
            };
            return Err(format!("{makers} made the identifier {}", answer["id"]));
        }
    }
    Ok(())
}

/// If no request was done, nothing was tested.
fn answers(board: &Board) -> Result<(), Doubt> {
    let requests = board.requests();
    if requests.is_empty() || requests.iter().any(|request| matches!(Became::of(request), Became::Done(_))) {
        return Ok(());
    }
    let last = requests.iter().rev().find_map(|request| request.answer.as_deref());
    let reason = last.map_or_else(
        || "no request was answered".to_owned(),
        |answer| format!("no request was done; the last answer is {answer}"),
    );
    Err(Doubt::Unknown(reason))
}

/// A check of the board at the end.
struct AtEnd<F> {
    name: &'static str,
    about: &'static str,
    check: F,
    asked: u64,
}

impl<F: FnMut(&Board) -> Result<(), Doubt> + 'static> AtEnd<F> {
    #[expect(clippy::new_ret_no_self, reason = "oracles are boxed")]
    fn new(name: &'static str, about: &'static str, check: F) -> Box<dyn Oracle<NodeState>> {
        Box::new(AtEnd { name, about, check, asked: 0 })
    }
}

impl<F: FnMut(&Board) -> Result<(), Doubt>> Oracle<NodeState> for AtEnd<F> {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }

    fn evaluations(&self) -> Option<u64> {
        // Whether nodes answer at all is a matter of every execution.
        (self.name != ANSWERS).then_some(self.asked)
    }

    fn after_step(&mut self, _seen: &Seen<'_, NodeState>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, NodeState>) -> Result<(), Doubt> {
        self.asked += 1;
        (self.check)(seen.board())
    }
}
