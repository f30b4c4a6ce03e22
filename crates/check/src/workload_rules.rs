//! Workloads with rules of their own, over what clients asked and were answered.

use serde_json::Value;
use shakedown_cluster::{Board, RequestInfo};
use shakedown_histories::json::{item, operation};
use shakedown_histories::workloads::{self, Rules, Workload};
use shakedown_histories::{Item, Operation, Outcome};

use crate::{Doubt, Oracle, Seen};

/// The history of requests and answers follows the rules of a workload: a set, a counter, a bank, a long
/// fork, a queue, or logs like Kafka's.
///
/// A request is JSON: `{"f": "add", "value": 5}`, `{"add": 5}`, `"read"`, or a list for a transaction. The
/// answer is what the workload's record would hold; `null` is nothing, and for a transaction that it was
/// aborted. What has no answer may have happened.
pub struct WorkloadRules {
    workload: &'static Workload,
    rules: Rules,
    judged: u64,
}

impl WorkloadRules {
    /// For the workload of this name, such as `bank`.
    ///
    /// # Panics
    /// If there is no such workload; see [`workloads::WORKLOADS`].
    pub fn new(workload: &str) -> WorkloadRules {
        let known = workloads::workload(workload);
        let workload = known.unwrap_or_else(|| panic!("there is no workload `{workload}`"));
        WorkloadRules { workload, rules: Rules { most_of_a_kind: 1, ..Rules::default() }, judged: 0 }
    }

    /// Banks: what all balances add up to.
    pub fn total(mut self, total: i64) -> WorkloadRules {
        self.rules.total = Some(total);
        self
    }
}

impl<S> Oracle<S> for WorkloadRules {
    fn name(&self) -> &str {
        self.workload.name
    }

    fn about(&self) -> &str {
        self.workload.about
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let history = operations(seen.board())?;
        self.judged += history.iter().filter(|operation| operation.outcome == Outcome::Ok).count() as u64;
        let found = (self.workload.check)(&history, self.rules);
        let mut found = found.map_err(|error| Doubt::Unknown(format!("request {error}")))?;
        // That nobody has asked for a value yet is no fault of an execution that is cut short.
        found.problems.retain(|problem| problem.kind != "unseen");
        match (found.problems.first(), found.undecided) {
            (Some(problem), _) => Err(Doubt::Violated(format!("{}: {}", problem.kind, problem.text))),
            (None, Some(undecided)) => Err(Doubt::Unknown(format!("not decided: {undecided}"))),
            (None, None) => Ok(()),
        }
    }
}

/// Everything that clients asked. A client waits for no other: each request has its own. Lines are the
/// numbers of requests.
fn operations(board: &Board) -> Result<Vec<Operation>, Doubt> {
    board.requests().iter().enumerate().map(|(place, request)| one(place, request)).collect()
}

fn one(place: usize, request: &RequestInfo) -> Result<Operation, Doubt> {
    let unknown = |text: &str, why: &str| Doubt::Unknown(format!("`{text}` is no operation: {why}"));
    let parse =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|error| unknown(text, &error.to_string()));
    let (f, asked) = operation(parse(&request.op)?)
        .ok_or_else(|| unknown(&request.op, "it is no list and has no name"))?;
    let answer = request.answer.as_deref().map(parse).transpose()?;
    let (outcome, answered) = match answer {
        None => (Outcome::Info, Item::Nil),
        Some(Value::Null) if f == "txn" => (Outcome::Fail, Item::Nil),
        Some(answer) => (Outcome::Ok, item(answer)),
    };
    Ok(Operation {
        process: place as i64,
        f,
        asked: item(asked),
        answered,
        outcome,
        began: request.requested + 1,
        ended: request.answered.map(|place| place + 1),
        times: (None, None),
        line: place + 1,
    })
}
