//! Events as conditions see them: one thing that was seen, with the typed contents of its message, or a clock
//! that is about to go on.

use shakedown_cluster::{Board, Fact, Happening, MessageIndex, MessageInfo, Name, NodeId, Step, Value};

/// What an event is about.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'a> {
    /// Something that happened.
    Past(Happening<'a>),
    /// A clock that is about to go on.
    Clock(Clock),
}

/// What a clock is about to do. Filters and the property see it only if their condition asks for clocks
/// ([`is_tick`](crate::is_tick), [`is_timeout`](crate::is_timeout), [`timer`](crate::timer)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The clock of the node ticks.
    Tick,
    /// The timer of this name goes off.
    Timer(Name),
}

impl Clock {
    /// The node and what its clock does, if the step is one of a clock.
    pub(crate) fn of(step: &Step) -> Option<(NodeId, Clock)> {
        match *step {
            Step::Tick(node) => Some((node, Clock::Tick)),
            Step::Fire(node, name) => Some((node, Clock::Timer(name))),
            _ => None,
        }
    }
}

/// One thing that was seen.
pub struct EventView<'a, M> {
    pub(crate) board: &'a Board,
    pub(crate) node: NodeId,
    pub(crate) what: Seen<'a>,
    pub(crate) contents: Option<&'a M>,
}

impl<'a, M> EventView<'a, M> {
    /// The node at which it was seen: the sender of a message that is sent, the receiver of one that is
    /// received.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// What can be seen of the whole cluster.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// What happened; nothing if a clock is about to go on.
    pub fn what(&self) -> Option<Happening<'a>> {
        match self.what {
            Seen::Past(happening) => Some(happening),
            Seen::Clock(_) => None,
        }
    }

    /// What the clock of the node is about to do, if that is the event.
    pub fn clock(&self) -> Option<Clock> {
        match self.what {
            Seen::Clock(clock) => Some(clock),
            Seen::Past(_) => None,
        }
    }

    /// Whether a message is sent.
    pub fn is_send(&self) -> bool {
        matches!(self.what(), Some(Happening::Sent(_)))
    }

    /// Whether a message is received.
    pub fn is_receive(&self) -> bool {
        matches!(self.what(), Some(Happening::Received(_)))
    }

    /// The message that is sent or received.
    pub fn index(&self) -> Option<MessageIndex> {
        match self.what()? {
            Happening::Sent(index) | Happening::Received(index) => Some(index),
            _ => None,
        }
    }

    /// What is known of the message without its contents.
    pub fn info(&self) -> Option<&'a MessageInfo> {
        self.index().map(|index| self.board.message(index))
    }

    /// The contents of the message that is sent or received.
    pub fn message(&self) -> Option<&'a M> {
        self.contents
    }

    /// The sender of the message.
    pub fn from(&self) -> Option<NodeId> {
        self.info().map(|info| info.id.from)
    }

    /// The receiver of the message.
    pub fn to(&self) -> Option<NodeId> {
        self.info().map(|info| info.id.to)
    }

    /// The fact that the node reported.
    pub fn fact(&self) -> Option<&'a Fact> {
        match self.what()? {
            Happening::Internal(fact) => Some(fact),
            _ => None,
        }
    }

    /// A particular of the fact, if it is a number.
    pub fn number(&self, field: &str) -> Option<i64> {
        match self.fact()?.get(field)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The event in a few words.
    pub fn describe(&self) -> String {
        let node = self.node;
        let happening = match self.what {
            Seen::Past(happening) => happening,
            Seen::Clock(Clock::Tick) => return format!("{node} would tick"),
            Seen::Clock(Clock::Timer(name)) => return format!("{node} timer {name} would go off"),
        };
        match happening {
            Happening::Sent(index) | Happening::Received(index) => {
                let info = self.board.message(index);
                let verb = if self.is_send() { "sends" } else { "receives" };
                format!("{node} {verb} {} {}", info.kind, info.id)
            }
            Happening::Internal(fact) => format!("{node} {fact}"),
            Happening::Requested(id) => format!("{node} is asked request {}", id.0 + 1),
            Happening::Answered(id) => format!("{node} answers request {}", id.0 + 1),
            Happening::Redirected(id) => format!("{node} redirects request {}", id.0 + 1),
            Happening::Crashed { .. } => format!("{node} crashes"),
            Happening::Restarted => format!("{node} restarts"),
            Happening::Panicked(panic) => format!("{node} {panic}"),
        }
    }
}
