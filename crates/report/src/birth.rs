//! How messages got on the network: at which step, and whether a node sent them as they are.

use std::collections::BTreeSet;

use shakedown_cluster::{Board, Happening, MessageInfo, Step, StepKind};

/// How a message came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A node sent it.
    Sent,
    /// The network made a copy.
    Copied,
    /// A liar sent something else than its protocol says.
    Forged,
}

/// How a message got on the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Birth {
    /// The step, counted from 1; 0 is the boot.
    pub step: usize,
    /// How it came about.
    pub origin: Origin,
}

impl Birth {
    /// Of every message, in the order of sending.
    pub fn of(board: &Board) -> Vec<Birth> {
        // A copy is the only message that nobody is seen to send. Each doubling makes one, so they pair up in
        // order.
        let mut is_seen = vec![false; board.messages().len()];
        for event in board.events() {
            if let Happening::Sent(index) = event.what {
                is_seen[index.index()] = true;
            }
        }
        let mut doublings = numbered(board.steps()).filter(|(_, step)| step.kind() == StepKind::Duplicate);
        let forged: BTreeSet<_> = board
            .steps()
            .iter()
            .filter_map(|step| match step {
                Step::Tamper(id, kind, _) => Some((*id, kind.as_str())),
                _ => None,
            })
            .collect();
        let birth = |(place, message): (usize, &MessageInfo)| {
            let sent_at = board.moments()[message.sent_at as usize].step as usize;
            let is_injected = sent_at > 0 && matches!(board.steps().get(sent_at - 1), Some(Step::Inject(..)));
            if !is_seen[place] {
                let step = doublings.next().map_or(sent_at, |(number, _)| number);
                Birth { step, origin: Origin::Copied }
            } else if is_injected || forged.contains(&(message.id, message.kind.as_str())) {
                Birth { step: sent_at, origin: Origin::Forged }
            } else {
                Birth { step: sent_at, origin: Origin::Sent }
            }
        };
        board.messages().iter().enumerate().map(birth).collect()
    }
}

/// Steps with their numbers, counted from 1.
pub(crate) fn numbered(steps: &[Step]) -> impl Iterator<Item = (usize, &Step)> {
    steps.iter().enumerate().map(|(at, step)| (at + 1, step))
}
