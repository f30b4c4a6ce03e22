//! How far an execution is from the plain one, in which everything that is sent is received in the order of
//! sending: a measure of how hard it is to read.

use shakedown_cluster::{Board, Fate};

/// What is out of the ordinary about the messages of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Disorder {
    /// Messages that were sent.
    pub sent: usize,
    /// Messages that were never received: lost, or still under way in the end.
    pub missed: usize,
    /// Pairs of messages to one node that were received in another order than they were sent in.
    pub overtaken: usize,
}

impl Disorder {
    /// The disorder of an execution.
    pub fn of(board: &Board) -> Disorder {
        let messages = board.messages();
        // In the order of sending: to whom, and at which moment it was received.
        let received: Vec<_> = messages
            .iter()
            .filter_map(|message| match message.fate {
                Fate::Received(at) => Some((message.id.to, at)),
                _ => None,
            })
            .collect();
        let later = |place: usize| &received[place + 1..];
        let overtaken = |(place, (to, at)): (usize, &(_, u32))| {
            later(place).iter().filter(|(other, before)| other == to && before < at).count()
        };
        let overtaken = received.iter().enumerate().map(overtaken).sum();
        Disorder { sent: messages.len(), missed: messages.len() - received.len(), overtaken }
    }
}

impl std::fmt::Display for Disorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Disorder { sent, missed, overtaken } = self;
        write!(
            f,
            "{sent} messages sent, {missed} of them never received, {overtaken} overtaken by a later one"
        )
    }
}
