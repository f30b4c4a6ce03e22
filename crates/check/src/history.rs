//! The history of an execution: what clients asked and were told, read from the board in the terms of a
//! model.

use shakedown_cluster::{Board, NodeId, RequestInfo};

use crate::linearizability::Operation;
use crate::{Doubt, Model, RegisterAnswer, RegisterOp};

/// An operation of a history, and the node that was asked.
pub type Asked<M> = (NodeId, Operation<<M as Model>::Op, <M as Model>::Answer>);

/// What a request was in the terms of a model: the operation, and its answer if there is one that says what
/// became of it. Nothing if it is known not to have taken effect (a refusal, say), or is none of the model's
/// business.
pub type Understood<M> = Option<(<M as Model>::Op, Option<<M as Model>::Answer>)>;

/// Everything that clients asked, in order, as `understand` reads it.
pub fn history<M: Model>(
    board: &Board,
    mut understand: impl FnMut(&RequestInfo) -> Result<Understood<M>, Doubt>,
) -> Result<Vec<Asked<M>>, Doubt> {
    let mut history = Vec::with_capacity(board.requests().len());
    for request in board.requests() {
        if let Some((op, answer)) = understand(request)? {
            let answered = request.answered.zip(answer);
            history.push((request.node, Operation { op, called: request.requested, answered }));
        }
    }
    Ok(history)
}

/// Reads a request and its answer as those of [`crate::Registers`]. A request that is not of their vocabulary
/// leaves the matter open; an answer that is not, or does not fit its request, is a violation.
pub fn understand_registers(
    request: &RequestInfo,
) -> Result<Option<(RegisterOp, Option<RegisterAnswer>)>, Doubt> {
    let op: RegisterOp = serde_json::from_str(&request.op).map_err(|error| {
        Doubt::Unknown(format!("`{}` is not a request to registers: {error}", request.op))
    })?;
    let Some(text) = &request.answer else { return Ok(Some((op, None))) };
    let answer = serde_json::from_str(text).ok().filter(|answer| op.fits(answer));
    match answer {
        Some(answer) => Ok(Some((op, Some(answer)))),
        None => Err(Doubt::Violated(format!("{} answered `{text}` to `{op}`", request.node))),
    }
}
