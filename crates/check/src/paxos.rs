//! What can be seen of a node that runs a Paxos with a log.

use shakedown_cluster::NodeId;

/// A node that votes on one decree after another in ballots.
pub trait PaxosState {
    /// The number of the ballot in which the node has voted last; 0 before it has.
    fn ballot(&self) -> u64;
    /// Whether it proposes; the node is the one whose state this is.
    fn is_primary(&self, node: NodeId) -> bool;
    /// The last decree that it has voted in or holds decided; 0 before there is any.
    fn decree(&self) -> u64;
    /// How many decrees it holds decided.
    fn decided(&self) -> u64;
}

/// A node whose log says in which ballots its entries were voted for.
pub trait BallotedLog: PaxosState {
    /// Whether its log has an entry that was voted for in the ballot of this number.
    fn has_entry_of(&self, ballot: u64) -> bool;
}
