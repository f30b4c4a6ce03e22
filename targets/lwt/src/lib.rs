//! A reference bug: one Paxos per key, in the shape of the light-weight transactions of Cassandra 2.0, with
//! the bug CASSANDRA-6023 behind a switch.
//!
//! The node that a client asks *coordinates* the transaction; every node is a *replica* of every key. A
//! transaction takes three exchanges of the coordinator with all replicas, itself among them and over the
//! network too. Six rounds are a phase:
//!
//! | round | from | what |
//! |---|---|---|
//! | 1 | coordinator | Prepare: promise me this ballot |
//! | 2 | replicas | Promise: I do, and this proposal is in progress here, this was the most recent commit |
//! | 3 | coordinator | Propose: with a majority of promises |
//! | 4 | replicas | Accept: unless a higher ballot was promised since |
//! | 5 | coordinator | Commit: with a majority of accepts, the proposal is chosen |
//! | 6 | replicas | Ack: with a majority of these, the client is answered |
//!
//! With a majority of promises, the coordinator does as `StorageProxy.beginAndRepairPaxos` does. If the most
//! recent proposal in progress is newer than the most recent commit, its coordinator may have failed in
//! between: the proposal is finished first, under the new ballot, and the transaction itself starts over in
//! the next phase. Else replicas that miss the most recent commit are sent it (Repair), the condition is
//! checked on what was committed, and the transaction is proposed. (Cassandra begins again after a repair;
//! its source remarks that it need not, for a commit leaves the promises as they are.) A replica that has
//! promised more refuses; one refused promise ends the attempt.
//!
//! A tick is a phase boundary: a transaction that is unfinished begins again, with a new ballot. Ballots come
//! from clocks, as Cassandra's do (they are time-based UUIDs): the number of the phase, or more if more was
//! seen.
//!
//! # The bug
//!
//! A replica has to remember two ballots: the one that it *promised* last, and the one under which
//! it *accepted* its proposal. Cassandra 2.0.0 had one column for both, `in_progress_ballot` (`PaxosState`
//! and the table `system.paxos`; later versions have `proposal_ballot` beside it). A promise overwrites it
//! and leaves the proposal in place, so from then on the replica reports the old proposal with the newer
//! ballot; and a commit erases the proposal only if it is not older than that ballot. A replica that missed
//! the commit of a proposal and has promised something since then makes the next coordinator believe that the
//! proposal is still in progress and newer than all commits. It is committed again, over everything that came
//! after it. The option `distinguish` chooses: `true` is right, `false` is the bug.
//!
//! # What is promised
//!
//! Transactions that look at the key that they write are serialised, and so are reads and plain writes, for
//! the Paxos of the key orders them. A condition on *another* key is read from the commits that a majority
//! reports and nothing holds that key still meanwhile (nor is a proposal finished that is in progress there):
//! such transactions are not serialisable, and the harness of this target has none.
//!
//! A client whose coordinator cannot know what became of its transaction is never answered: it was proposed,
//! perhaps accepted by some, and something else was committed since. In Cassandra that is a time-out.

mod ballot;
mod coordinator;
mod message;
mod once;
mod replica;
mod server;
mod target;
mod view;

pub use ballot::{Ballot, Proposal, Transaction};
pub use coordinator::Stage;
pub use message::{Mail, ROUNDS_PER_PHASE};
pub use once::CommittedOnce;
pub use replica::{Held, Replica};
pub use server::Server;
pub use target::{any_target, harness, target};
pub use view::{Coordinating, View, outcome};
