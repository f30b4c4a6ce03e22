//! Who votes.

use shakedown_cluster::NodeSet;

/// The configuration that a node goes by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Membership {
    /// The voters.
    pub voters: NodeSet,
    /// While a joint change is under way, the voters before it, of whom a majority is needed too; empty
    /// otherwise.
    pub outgoing: NodeSet,
    /// Nodes that get the log and do not vote.
    pub learners: NodeSet,
    /// The number of the entry that made it; 0 where the cluster began with it, none where it cannot be seen.
    pub entry: Option<u64>,
}

impl Membership {
    /// A membership of voters only.
    pub fn of(voters: NodeSet) -> Membership {
        Membership { voters, ..Membership::default() }
    }

    /// Whether these nodes can decide: a majority of the voters, and of the outgoing ones too in a joint
    /// change.
    pub fn is_quorum(&self, nodes: NodeSet) -> bool {
        let is_majority = |of: NodeSet| {
            let held = of.iter().filter(|node| nodes.contains(*node)).count();
            2 * held > of.len()
        };
        is_majority(self.voters) && (self.outgoing.is_empty() || is_majority(self.outgoing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> NodeSet {
        text.parse().expect("a set of nodes")
    }

    #[test]
    fn a_joint_change_needs_both_majorities() {
        let simple = Membership::of(nodes("n1,n2,n3"));
        assert!(simple.is_quorum(nodes("n1,n3")));
        assert!(!simple.is_quorum(nodes("n1,n4")));
        let joint = Membership { outgoing: nodes("n1,n2,n3"), ..Membership::of(nodes("n3,n4,n5")) };
        assert!(!joint.is_quorum(nodes("n3,n4")));
        assert!(joint.is_quorum(nodes("n1,n3,n4")));
    }

    #[test]
    fn nobody_decides_where_nobody_votes() {
        assert!(!Membership::default().is_quorum(nodes("n1,n2")));
    }
}
