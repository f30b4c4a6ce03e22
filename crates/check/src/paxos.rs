//! What can be seen of a node that runs a Paxos with a log.

/// A node that votes on one decree after another in ballots.
pub trait PaxosState {
    /// The number of the ballot in which the node has voted last; 0 before it has.
    fn ballot(&self) -> u64;
    /// Whether it proposes.
    fn is_primary(&self) -> bool;
    /// The last decree that it has voted in or holds decided; 0 before there is any.
    fn decree(&self) -> u64;
    /// How many decrees it holds decided.
    fn decided(&self) -> u64;
    /// Whether its log has an entry that was voted for in the ballot of this number.
    fn has_entry_of(&self, ballot: u64) -> bool;
}
