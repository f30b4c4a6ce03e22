//! Messages: what a protocol puts on the network, and how the tester names them.

use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

use crate::fingerprint::FormatInto;
use crate::{Name, NodeId};

/// What a protocol sends. Implement it for the protocol's own message type.
pub trait Message: Clone + fmt::Debug + 'static {
    /// The kind of message: what people call it ("RequestVote"). One word.
    fn kind(&self) -> &'static str;

    /// The contents in a few words, for diagrams.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Takes the contents into a hasher. The default takes the `Debug` text, which is right but slow; with a
    /// derived `Hash` it is `self.hash(hasher)`, or take the fields that matter with `hasher.write_u64`.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        use fmt::Write;
        let _ = write!(FormatInto(hasher), "{self:?}");
    }

    /// The contents as text that [`Message::decode`] reads back, for schedules that change or invent
    /// messages.
    fn encode(&self) -> Option<String> {
        None
    }

    /// Reads what [`Message::encode`] wrote.
    fn decode(_text: &str) -> Result<Self, String> {
        Err("this target gives its messages no text form, so they cannot be changed or invented".to_owned())
    }
}

/// The identity of a message in its execution: together with its kind, it says which one of that kind it is
/// from one node to another, shown as `n1>n2#3`. Kinds are counted apart, so that a schedule from which a
/// heartbeat was taken out still means the same votes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    /// Who sent it.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// Which message of its kind on this link it is, counted from 1.
    pub number: u32,
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}#{}", self.from, self.to, self.number)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MessageId {
    type Err = String;

    fn from_str(text: &str) -> Result<MessageId, String> {
        let bad = || format!("`{text}` is not a message: they look like n1>n2#3");
        let (link, number) = text.split_once('#').ok_or_else(bad)?;
        let (from, to) = link.split_once('>').ok_or_else(bad)?;
        let number = number.parse().ok().filter(|&n| n > 0).ok_or_else(bad)?;
        Ok(MessageId {
            from: from.parse().map_err(|e| format!("{e}"))?,
            to: to.parse().map_err(|e| format!("{e}"))?,
            number,
        })
    }
}

/// The place among those that can be delivered of a message that cannot.
pub(crate) const NO_PLACE: u32 = u32::MAX;

/// The place of a message in [`crate::Board::messages`]: the order in which messages were sent in this
/// execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageIndex(pub u32);

impl MessageIndex {
    /// The place in an array.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It waits to be delivered.
    InFlight,
    /// It waits for its receiver to be restarted.
    Parked,
    /// It was received, at this moment.
    Received(u32),
    /// It was lost: dropped, cut off, or its session ended.
    Lost,
}

/// What is known of a message without its contents.
#[derive(Clone, Debug)]
pub struct MessageInfo {
    /// Its identity.
    pub id: MessageId,
    /// Its kind.
    pub kind: Name,
    /// The moment at which it was sent.
    pub sent_at: u32,
    /// What became of it.
    pub fate: Fate,
    /// Where it stands in the board's list of deliverable messages, if it stands there.
    pub(crate) place: u32,
    /// The place of its link and kind in the board's register.
    pub(crate) series: u32,
    /// Whether it is a copy that the network made.
    pub(crate) is_copy: bool,
}
