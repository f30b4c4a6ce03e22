//! A set of nodes, shown as `n1,n3` or, if it is empty, as `none`.

use std::fmt;
use std::str::FromStr;

use crate::{NODES_MAX, NodeId, NotANode};

const _: () = assert!(NODES_MAX <= u64::BITS as usize, "a node is a bit");

/// A set of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeSet(u64);

impl NodeSet {
    /// No node.
    pub const EMPTY: NodeSet = NodeSet(0);

    /// The first `count` nodes.
    pub fn first(count: usize) -> NodeSet {
        NodeId::first(count).collect()
    }

    /// Whether the node is in the set.
    #[inline]
    pub const fn contains(self, node: NodeId) -> bool {
        self.0 >> node.index() & 1 == 1
    }

    /// Adds a node.
    pub fn insert(&mut self, node: NodeId) {
        self.0 |= 1 << node.index();
    }

    /// Takes a node out.
    pub fn remove(&mut self, node: NodeId) {
        self.0 &= !(1 << node.index());
    }

    /// The nodes of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 & !other.0)
    }

    /// The nodes that are in both sets.
    #[must_use]
    pub const fn and(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 & other.0)
    }

    /// How many nodes there are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether more than half of `size` nodes are in the set.
    pub const fn is_majority_of(self, nodes: usize) -> bool {
        2 * self.len() > nodes
    }

    /// The nodes, in order.
    pub fn iter(self) -> impl Iterator<Item = NodeId> + Clone {
        NodeId::first(NODES_MAX).filter(move |&node| self.contains(node))
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> NodeSet {
        let mut set = NodeSet::EMPTY;
        nodes.into_iter().for_each(|node| set.insert(node));
        set
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (place, node) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{node}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for NodeSet {
    type Err = NotANode;

    fn from_str(text: &str) -> Result<NodeSet, NotANode> {
        match text {
            "none" => Ok(NodeSet::EMPTY),
            nodes => nodes.split(',').map(str::parse).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_of_a_set_reads_back_as_the_same_set() {
        for text in ["none", "n1", "n1,n3", "n2,n64"] {
            assert_eq!(text.parse::<NodeSet>().expect(text).to_string(), text);
        }
        assert!("n1,,n2".parse::<NodeSet>().is_err());
        assert!("n65".parse::<NodeSet>().is_err());
    }

    #[test]
    fn a_majority_is_more_than_half() {
        for (members, nodes, is_majority) in [(1, 1, true), (1, 2, false), (2, 3, true), (2, 4, false)] {
            assert_eq!(NodeSet::first(members).is_majority_of(nodes), is_majority);
        }
    }
}
