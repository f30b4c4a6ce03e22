//! A value for every node, made when it is first asked for: what oracles remember.

use shakedown_cluster::NodeId;

/// A value for every node.
#[derive(Clone, Debug)]
pub struct PerNode<T>(Vec<T>);

impl<T> Default for PerNode<T> {
    fn default() -> PerNode<T> {
        PerNode(Vec::new())
    }
}

impl<T: Clone + Default> PerNode<T> {
    /// The value of a node; a default one at first.
    pub fn of(&mut self, node: NodeId) -> &mut T {
        if self.0.len() <= node.index() {
            self.0.resize(node.index() + 1, T::default());
        }
        &mut self.0[node.index()]
    }
}

/// The highest value seen of every node in its present life, such as its term.
#[derive(Clone, Debug)]
pub struct Highest<T = u64>(PerNode<Option<(u32, T)>>);

impl<T> Default for Highest<T> {
    fn default() -> Highest<T> {
        Highest(PerNode::default())
    }
}

impl<T: Copy + Ord> Highest<T> {
    /// Takes in a value; the error is the higher one that was seen before in the same life.
    pub fn raise(&mut self, node: NodeId, life: u32, value: T) -> Result<(), T> {
        let known = self.0.of(node);
        match *known {
            Some((known_life, highest)) if known_life == life && value < highest => Err(highest),
            _ => {
                *known = Some((life, value));
                Ok(())
            }
        }
    }
}
