//! The name of a node.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most nodes that a cluster may have.
pub const NODES_MAX: usize = 64;

/// A node of the cluster. Nodes are numbered from 1 and shown as `n1`, `n2`, …, which leaves 0 free for
/// protocols that use it for "nobody".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u16);

impl NodeId {
    /// The node with this number, counted from 1.
    ///
    /// # Panics
    /// If the number is 0 or above [`NODES_MAX`].
    pub const fn new(number: usize) -> NodeId {
        assert!(number >= 1 && number <= NODES_MAX, "node numbers go from 1 to NODES_MAX");
        NodeId(number as u16)
    }

    /// The node at this place of an array, counted from 0.
    pub const fn from_index(index: usize) -> NodeId {
        NodeId::new(index + 1)
    }

    /// The number of the node, counted from 1.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The place of the node in an array, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// The first `count` nodes, in order.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        (0..count).map(NodeId::from_index)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not the name of a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a node: nodes are n1 to n{NODES_MAX}")]
pub struct NotANode(String);

impl FromStr for NodeId {
    type Err = NotANode;

    fn from_str(text: &str) -> Result<NodeId, NotANode> {
        text.strip_prefix('n')
            .and_then(|digits| digits.parse::<usize>().ok())
            .filter(|number| (1..=NODES_MAX).contains(number))
            .map(NodeId::new)
            .ok_or_else(|| NotANode(text.chars().take(40).collect()))
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NodeId, D::Error> {
        std::borrow::Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
