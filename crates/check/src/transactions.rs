//! Isolation of transactions, over what clients asked and were answered.

use serde_json::Value;
use shakedown_cluster::{Board, RequestInfo};
use shakedown_histories::{
    Anomaly, AnomalyKind, Check, History, HistoryBuilder, Model, Outcome, json, list_append, rw_register,
};

use crate::{Doubt, Oracle, Seen};

/// The history of transactions is one that a consistency model allows.
///
/// A request is a list of operations as JSON, `[["append", 1, 5], ["r", 2, null]]` or `[["w", 1, 5], ["r", 2,
/// null]]`. The answer is the same list with what reads returned, or `null` if the transaction was aborted. A
/// transaction without an answer may have been committed or not.
pub struct Transactions {
    model: &'static Model,
    judged: u64,
}

impl Transactions {
    /// For the model of this name, such as `strict-serializable`.
    ///
    /// # Panics
    /// If there is no such model; see [`shakedown_histories::MODELS`].
    pub fn new(model: &str) -> Transactions {
        let model = Model::of(model).unwrap_or_else(|| panic!("there is no consistency model `{model}`"));
        Transactions { model, judged: 0 }
    }
}

impl<S> Oracle<S> for Transactions {
    fn name(&self) -> &str {
        self.model.name
    }

    fn about(&self) -> &str {
        "the consistency model allows what transactions did and were answered"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let history = history(seen.board())?;
        self.judged +=
            history.ids().filter(|id| history.transaction(*id).outcome == Outcome::Ok).count() as u64;
        let check = Check { most_of_a_kind: 1, process_order: false, ..Check::default() };
        let report = match history.has_registers() {
            true => rw_register::check(&history, check),
            false => list_append::check(&history, check),
        };
        // Requests that write something twice are no fault of the target: what depends on what cannot be
        // known.
        let is_unclear = |kind| matches!(kind, AnomalyKind::DuplicateAppends | AnomalyKind::DuplicateWrites);
        if let Some(anomaly) = report.anomalies.iter().find(|anomaly| is_unclear(anomaly.kind)) {
            return Err(Doubt::Unknown(format!("{}: {}", anomaly.kind.name(), anomaly.text)));
        }
        let is_forbidden = |anomaly: &&Anomaly| anomaly.is_forbidden_by(self.model);
        let first = report.anomalies.iter().find(is_forbidden);
        // Where a committed append stands behind an aborted one, that says more than that the aborted one was
        // read.
        let dirty = report.anomalies.iter().find(|anomaly| anomaly.kind == AnomalyKind::DirtyUpdate);
        let is_read = first.is_some_and(|anomaly| anomaly.kind == AnomalyKind::G1a);
        match dirty.filter(|_| is_read).or(first) {
            Some(anomaly) => Err(Doubt::Violated(format!("{}: {}", anomaly.kind.name(), anomaly.text))),
            None => Ok(()),
        }
    }
}

/// Everything that clients asked, as transactions. Requests are numbered as they were sent; a client waits
/// for no other.
fn history(board: &Board) -> Result<History, Doubt> {
    let mut builder = HistoryBuilder::default();
    for (process, request) in (0..).zip(board.requests()) {
        let began = request.requested + 1;
        let unknown = |text: &str, why: String| Doubt::Unknown(format!("`{text}` is no transaction: {why}"));
        let parse = |text: &str| {
            serde_json::from_str::<Value>(text).map_err(|error| unknown(text, error.to_string()))
        };
        let (outcome, ops) = match &request.answer {
            None => (Outcome::Info, parse(&request.op)?),
            Some(answer) => match parse(answer)? {
                Value::Null => (Outcome::Fail, parse(&request.op)?),
                ops => (Outcome::Ok, ops),
            },
        };
        builder.transaction(process, outcome, began, request.answered.map(|place| place + 1));
        json::add_ops(&mut builder, ops).map_err(|why| unknown(answer_or_op(request), why))?;
    }
    Ok(builder.finish())
}

fn answer_or_op(request: &RequestInfo) -> &str {
    request.answer.as_deref().unwrap_or(&request.op)
}
