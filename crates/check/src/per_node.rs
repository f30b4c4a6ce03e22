//! Something for every node, made when it is first asked for.

use shakedown_cluster::NodeId;

/// A value for every node.
#[derive(Clone, Debug)]
pub(crate) struct PerNode<T>(Vec<T>);

impl<T> Default for PerNode<T> {
    fn default() -> PerNode<T> {
        PerNode(Vec::new())
    }
}

impl<T: Clone + Default> PerNode<T> {
    pub fn of(&mut self, node: NodeId) -> &mut T {
        if self.0.len() <= node.index() {
            self.0.resize(node.index() + 1, T::default());
        }
        &mut self.0[node.index()]
    }
}

/// The highest number seen of every node in its present life.
#[derive(Clone, Debug, Default)]
pub(crate) struct Highest(PerNode<(u32, u64)>);

impl Highest {
    /// Takes in a number; the error is the higher one that was seen before in the same life.
    pub fn raise(&mut self, node: NodeId, life: u32, number: u64) -> Result<(), u64> {
        let known = self.0.of(node);
        if known.0 == life && number < known.1 {
            return Err(known.1);
        }
        *known = (life, number);
        Ok(())
    }
}
