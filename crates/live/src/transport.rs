//! What is between servers: proxies that they know nothing of (`network`), or a library through which they
//! speak to this program (`hub`). Both hold messages until a step delivers them, and hand over what servers
//! did in the order in which it was seen.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value as Json;
use shakedown_cluster::{Fact, Name, NodeId, RequestId};
use shakedown_remote::{Pairs, PlainMessage, Value};

/// Waits until one of these can go on, or the other one can be read, no longer than this.
pub(crate) fn wait_for<'f>(mut fds: Vec<PollFd<'f>>, longest: Duration, other: Option<BorrowedFd<'f>>) {
    fds.extend(other.map(|other| PollFd::from_borrowed_fd(other, PollFlags::IN)));
    let seconds = longest.as_secs().try_into().unwrap_or(i64::MAX);
    let timeout = Timespec { tv_sec: seconds, tv_nsec: longest.subsec_nanos().into() };
    // However it ends, the sockets are looked at again.
    let _ = poll(&mut fds, Some(&timeout));
}

/// A message that waits, as its transport knows it.
pub(crate) type Ticket = u64;

/// Something that a server did.
pub(crate) struct Report {
    pub node: NodeId,
    pub what: What,
}

/// What it is. Proxies see messages only.
pub(crate) enum What {
    /// It sent a message, which waits under this ticket.
    Sent { to: NodeId, contents: PlainMessage, ticket: Ticket },
    /// Something happened inside.
    Fact(Fact),
    /// Fields of its state have changed.
    State(Pairs<Value>),
    /// It set a timer, which is due after this time.
    TimerSet(Name, Duration),
    /// It cleared a timer.
    TimerCleared(Name),
    /// It answered a request.
    Answered(RequestId, Value),
    /// It waits for permission to do an action.
    Asked(Name),
}

/// What a transport has to report since it was asked last.
#[derive(Default)]
pub(crate) struct News {
    /// What servers did, in the order in which it was seen.
    pub reports: Vec<Report>,
    /// Messages that can no longer be delivered.
    pub lost: Vec<Ticket>,
    /// Why the execution cannot go on. The first reason counts.
    pub trouble: Option<Trouble>,
}

/// Why an execution cannot go on.
pub(crate) enum Trouble {
    /// What a server wrote makes no sense.
    Unreadable(String),
    /// A server has closed its connection to this program. It may be about to end.
    Gone(NodeId),
}

/// See the module's text.
pub(crate) trait Transport {
    /// Reads and writes as much as is possible at once. Whether anything moved.
    fn pump(&mut self) -> bool;

    /// Waits until there is something to read or to write, or this other descriptor has something, but no
    /// longer than this.
    fn wait(&self, longest: Duration, other: Option<BorrowedFd<'_>>);

    /// What has happened since the last time.
    fn news(&mut self) -> News;

    /// Why the execution cannot go on, while servers become ready. The other news stay.
    fn trouble(&mut self) -> Option<Trouble>;

    /// Whether messages wait for steps from now on; otherwise they take this time.
    fn set_passage(&mut self, is_holding: bool, delay: Duration);

    /// Delivers a message.
    fn deliver(&mut self, ticket: Ticket);

    /// Loses a message.
    fn lose(&mut self, ticket: Ticket);

    /// Doubles a message, where messages can be doubled.
    fn double(&mut self, _ticket: Ticket) -> Option<Ticket> {
        None
    }

    /// Cuts the link between two servers.
    fn cut(&mut self, _a: NodeId, _b: NodeId) {}

    /// The link works again.
    fn heal(&mut self, _a: NodeId, _b: NodeId) {}

    /// The process of a server is gone.
    fn forget(&mut self, node: NodeId);

    /// These are the processes of a server now.
    fn set_processes(&mut self, _node: NodeId, _processes: Vec<u32>) {}

    /// What keeps a server from being ready, as far as the transport knows.
    fn missing(&self, _node: NodeId) -> Option<String> {
        None
    }

    /// Whether a server is still at work on what it was given.
    fn is_at_work(&self, _node: NodeId) -> bool {
        false
    }

    /// A server is not waited for any longer, whatever it was given.
    fn give_up(&mut self, _node: NodeId) {}

    /// A client asks a server something. Whether the server takes it in this way.
    fn request(&mut self, _node: NodeId, _id: RequestId, _request: &Json) -> bool {
        false
    }

    /// How many requests servers have taken and may still answer.
    fn open_requests(&self) -> usize {
        0
    }

    /// A timer goes off, or an action may be done. Whether another action of that name waits.
    fn fire(&mut self, _node: NodeId, _name: Name) -> bool {
        false
    }
}
