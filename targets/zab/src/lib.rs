//! A reference bug: an atomic broadcast of our own after ZooKeeper's (ZAB), with the bug ZOOKEEPER-2832
//! behind a switch.
//!
//! The leader executes requests on its own state and broadcasts what they change, so a transaction is a value
//! under a key and no request. Four exchanges make a leader, then transactions follow one another:
//!
//! | from | what |
//! |---|---|
//! | who looks for a leader | Notify: my history is that recent. Who has the most recent one of a majority leads, and pings |
//! | followers | FollowerInfo: the epoch that I accepted last |
//! | leader | LeaderInfo: with a majority of these, a new epoch |
//! | followers | AckEpoch: accepted, and my history ends here; if it is more recent than the leader's, the leader gives up |
//! | leader | Sync: with a majority, to each what it lacks: the end of the log, or a snapshot |
//! | followers | AckSync: with a majority, the leader serves clients (UpToDate) |
//! | any | Forward: a request, to the leader |
//! | leader | Propose: a transaction; followers log it |
//! | followers | Ack: with a majority, it is committed (Commit) |
//!
//! A message of an epoch is good in that epoch only, and in the part of it where it is waited for; what is
//! lost is sent again with the leader's next ping. [`Peer`] is the protocol, without a network; [`Server`]
//! carries out what it decides.
//!
//! # The bug
//!
//! A leader begins with a snapshot of its own. If it has logged nothing since, it can tell no follower which
//! transactions are too many, and sends its snapshot. ZooKeeper 3.4.9 stores that snapshot and leaves the log
//! as it was: a follower that has logged a transaction alone, which is in no majority and not in the
//! snapshot, forgets it in memory, and finds it again after a restart, between the snapshot and what was
//! committed since. From then on it differs from the others for good. (In ZooKeeper, as here, only
//! transactions after the snapshot are read back, so one that the snapshot is newer than does no harm.) The
//! option `truncate` chooses: `true` is right, `false` is the bug.
//!
//! If the server that differs leads, it answers conditional writes by what it alone knows. That is how the
//! bug can become a state, the same everywhere, that no order of the requests explains (ZOOKEEPER-3875).
//!
//! # What is promised
//!
//! Reads are answered by the server that is asked, from its own state. So all requests together are
//! sequentially consistent, and not linearizable, as in ZooKeeper.

mod durable;
mod leading;
mod message;
mod peer;
mod server;
mod target;
mod view;
mod zxid;

pub use durable::{Durable, History, Snapshot};
pub use message::Message;
pub use peer::{Patience, Peer, Role};
pub use server::{Answer, Server};
pub use target::{CALM_ROUNDS, any_target, target, understand};
pub use view::View;
pub use zxid::{Transaction, Zxid};
