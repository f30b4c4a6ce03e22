//! How many replicas are enough, and who leads.

use shakedown_cluster::NodeId;

/// The arithmetic of a cluster of so many replicas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quorum {
    nodes: usize,
}

impl Quorum {
    /// Of so many replicas.
    pub fn of(nodes: usize) -> Quorum {
        Quorum { nodes }
    }

    /// f: how many replicas may be faulty.
    pub fn faulty_max(self) -> usize {
        self.nodes.saturating_sub(1) / 3
    }

    /// How many replicas make a quorum: any two have a correct replica in common. It is 2f+1 where n is 3f+1.
    pub fn size(self) -> usize {
        (self.nodes + self.faulty_max()) / 2 + 1
    }

    /// f+1: one of so many replicas is correct.
    pub fn one_correct(self) -> usize {
        self.faulty_max() + 1
    }

    /// Who leads an epoch: the replicas take turns, n1 begins.
    pub fn leader(self, epoch: u64) -> NodeId {
        NodeId::from_index((epoch % self.nodes as u64) as usize)
    }

    /// Whether there is such a replica.
    pub fn has(self, node: NodeId) -> bool {
        node.index() < self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_quorums_have_a_correct_replica_in_common_and_the_correct_ones_are_a_quorum() {
        for nodes in 4..=64 {
            let quorum = Quorum::of(nodes);
            assert!(2 * quorum.size() - nodes > quorum.faulty_max());
            assert!(nodes - quorum.faulty_max() >= quorum.size());
        }
        assert_eq!([4, 7, 10].map(|nodes| Quorum::of(nodes).size()), [3, 5, 7]);
    }
}
