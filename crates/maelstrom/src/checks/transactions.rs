//! Transactions: the consistency model allows what they read, by the checker of `crates/histories`.

use serde_json::Value;
use shakedown_check::{Doubt, Oracle, Seen};
use shakedown_cluster::Board;
use shakedown_histories::{
    AnomalyKind, Check, History, HistoryBuilder, Model, Outcome, json, list_append, rw_register,
};

use super::{Became, asked};
use crate::node::NodeState;

pub(super) struct Isolation {
    model: Option<&'static Model>,
    is_of_lists: bool,
    judged: u64,
}

impl Isolation {
    /// For the model of this name, over lists or over registers. Its name was checked with the options.
    pub fn new(model: &str, is_of_lists: bool) -> Isolation {
        Isolation { model: Model::of(model), is_of_lists, judged: 0 }
    }
}

impl Oracle<NodeState> for Isolation {
    fn name(&self) -> &str {
        self.model.map_or("consistency", |model| model.name)
    }

    fn about(&self) -> &str {
        "the consistency model allows what transactions did and were answered"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, NodeState>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, NodeState>) -> Result<(), Doubt> {
        let history = history(seen.board(), self.is_of_lists)?;
        let done = history.ids().filter(|id| history.transaction(*id).outcome == Outcome::Ok);
        self.judged += done.count() as u64;
        let check = Check { most_of_a_kind: 1, process_order: false, ..Check::default() };
        let report = match self.is_of_lists {
            true => list_append::check(&history, check),
            false => rw_register::check(&history, check),
        };
        let is_unclear = |kind| matches!(kind, AnomalyKind::DuplicateAppends | AnomalyKind::DuplicateWrites);
        if let Some(anomaly) = report.anomalies.iter().find(|anomaly| is_unclear(anomaly.kind)) {
            return Err(Doubt::Unknown(format!("{}: {}", anomaly.kind.name(), anomaly.text)));
        }
        let forbids = |kind| self.model.is_some_and(|model| model.forbids(kind));
        match report.anomalies.iter().find(|anomaly| forbids(anomaly.kind)) {
            Some(anomaly) => Err(Doubt::Violated(format!("{}: {}", anomaly.kind.name(), anomaly.text))),
            None => Ok(()),
        }
    }
}

/// What a transaction did, where a list that does not exist is read as an empty one.
fn with_empty_lists(mut ops: Vec<Value>, is_of_lists: bool) -> Vec<Value> {
    for op in ops.iter_mut().filter(|op| is_of_lists && op[0] == "r") {
        if let Some(value @ Value::Null) = op.get_mut(2) {
            *value = Value::Array(Vec::new());
        }
    }
    ops
}

fn history(board: &Board, is_of_lists: bool) -> Result<History, Doubt> {
    let mut builder = HistoryBuilder::default();
    for (process, request) in (0..).zip(board.requests()) {
        let body = asked(request);
        let (outcome, ops) = match Became::of(request) {
            Became::Done(mut answer) => match answer["txn"].take() {
                Value::Array(ops) => (Outcome::Ok, Value::Array(with_empty_lists(ops, is_of_lists))),
                _ => {
                    let text =
                        format!("{} answered a transaction with {answer}, which has no `txn`", request.node);
                    return Err(Doubt::Violated(text));
                }
            },
            Became::Refused(_) => (Outcome::Fail, body["txn"].clone()),
            Became::Unknown => (Outcome::Info, body["txn"].clone()),
        };
        builder.transaction(process, outcome, request.requested + 1, request.answered.map(|place| place + 1));
        let shown = ops.to_string();
        json::add_ops(&mut builder, ops).map_err(|why| {
            Doubt::Violated(format!("{} answered `{shown}`, which is no transaction: {why}", request.node))
        })?;
    }
    Ok(builder.finish())
}
