//! The events of an execution, derived from the books.
//!
//! That a message was sent or received is in the books already, under the message and the moment; the board
//! notes other events only, each with how many messages had been sent by then. So the order of all events is
//! known, and the two most frequent ones cost nothing while steps are done.

use super::Board;
use crate::event::{Event, Happening, Panic};
use crate::{Fact, MessageIndex, RequestId};

/// An event that is not in the books otherwise.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub moment: u32,
    /// How many messages had been sent before.
    pub sent: u32,
    pub what: Noted,
}

/// What such an event is.
#[derive(Clone, Debug)]
pub enum Noted {
    /// The node reported a fact.
    Internal(Fact),
    /// A client sent a request to the node.
    Requested(RequestId),
    /// The node answered a request.
    Answered(RequestId),
    /// The node sent the client of a request elsewhere.
    Redirected(RequestId),
    /// The node crashed.
    Crashed {
        /// How many of its unflushed writes were lost.
        lost: u32,
    },
    /// The node booted from its disk again.
    Restarted,
    /// The node panicked.
    Panicked(Box<Panic>),
}

impl Noted {
    fn happening(&self) -> Happening<'_> {
        match self {
            Noted::Internal(fact) => Happening::Internal(fact),
            Noted::Requested(id) => Happening::Requested(*id),
            Noted::Answered(id) => Happening::Answered(*id),
            Noted::Redirected(id) => Happening::Redirected(*id),
            Noted::Crashed { lost } => Happening::Crashed { lost: *lost },
            Noted::Restarted => Happening::Restarted,
            Noted::Panicked(panic) => Happening::Panicked(panic),
        }
    }
}

/// Tells events in the order in which they happened.
#[derive(Clone)]
pub(super) struct Events<'a> {
    board: &'a Board,
    /// The moment that is being told, and whether it has been told what brought it about.
    moment: usize,
    is_begun: bool,
    /// The next message and the next note to be told.
    message: usize,
    note: usize,
}

impl<'a> Events<'a> {
    /// The events from a moment on.
    pub fn from(board: &'a Board, moment: usize) -> Events<'a> {
        let message = board.moments.get(moment).map_or(board.messages.len(), |moment| moment.sent as usize);
        let note = board.notes.partition_point(|note| (note.moment as usize) < moment);
        Events { board, moment, is_begun: false, message, note }
    }

    /// The next message that was sent at this moment.
    fn sent(&mut self) -> Option<MessageIndex> {
        let rest = &self.board.messages[self.message..];
        // A copy was sent by nobody.
        self.message += rest.iter().take_while(|message| message.is_copy).count();
        let message = self.board.messages.get(self.message)?;
        (message.sent_at as usize == self.moment).then_some(MessageIndex(self.message as u32))
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            let received = self.board.moments.get(self.moment)?.received.filter(|_| !self.is_begun);
            let moment = self.moment as u32;
            self.is_begun = true;
            if let Some(message) = received {
                return Some(Event { moment, what: Happening::Received(message) });
            }
            let note = self.board.notes.get(self.note).filter(|note| note.moment == moment);
            match (self.sent(), note) {
                (Some(message), note) if note.is_none_or(|note| message.0 < note.sent) => {
                    self.message += 1;
                    return Some(Event { moment, what: Happening::Sent(message) });
                }
                (_, Some(note)) => {
                    self.note += 1;
                    return Some(Event { moment, what: note.what.happening() });
                }
                (_, None) => {
                    self.moment += 1;
                    self.is_begun = false;
                }
            }
        }
    }
}
