//! Which steps are refused, by what the board shows. Clusters that are built elsewhere ask the same
//! questions.

use crate::message::{Fate, NO_PLACE};
use crate::{Board, Crashes, Loss, MessageId, MessageIndex, Name, NodeId, Order, Refusal, Step};

/// Refuses a node that does not exist.
#[inline]
pub fn check_node(board: &Board, node: NodeId) -> Result<(), Refusal> {
    if node.index() < board.size() { Ok(()) } else { Err(Refusal::NoSuchNode(node)) }
}

fn liar_count(board: &Board) -> usize {
    NodeId::first(board.size()).filter(|&node| board.node(node).lies).count()
}

/// Refuses a node that does not run.
#[inline]
pub fn check_up(board: &Board, node: NodeId) -> Result<(), Refusal> {
    check_node(board, node)?;
    if board.is_up(node) { Ok(()) } else { Err(Refusal::Down(node)) }
}

/// Refuses a message that cannot be delivered now.
#[inline]
pub fn check_message(board: &Board, id: MessageId, kind: Name) -> Result<MessageIndex, Refusal> {
    let Some(index) = board.find(id, kind) else { return Err(not_sent(board, id, kind)) };
    let message = board.message(index);
    if message.fate != Fate::InFlight {
        return Err(Refusal::NotUnderWay(id, kind));
    }
    if message.place == NO_PLACE {
        return Err(Refusal::NotOldest(id, kind));
    }
    Ok(index)
}

/// Why there is no such message.
#[cold]
fn not_sent(board: &Board, id: MessageId, kind: Name) -> Refusal {
    let nodes = check_node(board, id.from).and(check_node(board, id.to));
    nodes.err().unwrap_or(Refusal::NotSent(id, kind))
}

/// Refuses a step that the contract never allows.
pub fn check_contract(board: &Board, step: &Step) -> Result<(), Refusal> {
    let contract = board.contract();
    let reason = match step {
        Step::Drop(..) if contract.loss != Loss::Message => "single messages are never lost",
        Step::Duplicate(..) if !contract.duplication => "messages never arrive twice",
        Step::Duplicate(..) if contract.order == Order::Fifo => {
            "a copy would overtake what was sent after it"
        }
        Step::Cut(..) if contract.loss == Loss::Never => "messages are never lost",
        Step::Crash { .. } if contract.crashes == Crashes::Never => "nodes never crash",
        Step::Crash { .. } if board.down_count() >= contract.down_max(board.size()) => {
            "no more nodes may be down at once"
        }
        Step::Retry(..) if !contract.clients.ask_again() => "clients ask once",
        Step::Tamper(..) | Step::Inject(..) if contract.byzantine_max == 0 => "no node lies",
        Step::Tamper(MessageId { from, .. }, ..) | Step::Inject(from, ..)
            if from.index() < board.size()
                && !board.node(*from).lies
                && liar_count(board) >= contract.byzantine_max =>
        {
            "no more nodes may lie"
        }
        _ => return Ok(()),
    };
    Err(Refusal::Contract { kind: step.kind(), reason })
}
