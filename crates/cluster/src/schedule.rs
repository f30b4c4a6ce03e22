//! Schedules: the steps of one execution, and doing them again.
//!
//! Replay is exact: a step that cannot be done any more is a divergence, with its place and the reason.
//! Shrinking needs a tolerant replay instead, in which steps have been taken out: there a message is found
//! again by its link and kind when its number has shifted, and a step that cannot be done is left out.

use serde::{Deserialize, Serialize};

use crate::{Board, MessageId, MessageIndex, Name, Refusal, Step};

/// The steps of one execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schedule {
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// A schedule no longer fits: the target behaves otherwise than when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the replay diverged at step {number}, `{step}`: {reason}")]
pub struct Divergence {
    /// The step, counted from 1.
    pub number: usize,
    /// What should have been done.
    pub step: Step,
    /// Why it could not be done.
    pub reason: Refusal,
}

/// What the step means on this board if the steps before it were not quite those that it was recorded with:
/// the step itself, the same step for the oldest message under way of that link and kind, or nothing.
pub fn adapt(step: &Step, board: &Board) -> Option<Step> {
    let renamed =
        |id: &MessageId, kind: &Name| stand_in(board, *id, *kind).map(|index| board.message(index).id);
    Some(match step {
        Step::Deliver(id, kind) => Step::Deliver(renamed(id, kind)?, *kind),
        Step::Drop(id, kind) => Step::Drop(renamed(id, kind)?, *kind),
        Step::Duplicate(id, kind) => Step::Duplicate(renamed(id, kind)?, *kind),
        Step::Tamper(id, kind, text) => Step::Tamper(renamed(id, kind)?, *kind, text.clone()),
        Step::Crash { node, keep } => {
            if node.index() >= board.size() {
                return None;
            }
            Step::Crash { node: *node, keep: (*keep).min(board.node(*node).unflushed) }
        }
        other => other.clone(),
    })
}

fn stand_in(board: &Board, id: MessageId, kind: Name) -> Option<MessageIndex> {
    let named = board.find(id, kind).filter(|&index| board.is_deliverable(index));
    named.or_else(|| board.oldest_deliverable(id, kind))
}
