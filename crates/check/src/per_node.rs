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
pub struct Highest<T = u64> {
    known: PerNode<Option<Known<T>>>,
    comparisons: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Known<T> {
    life: u32,
    /// The first value of this life.
    first: T,
    highest: T,
}

impl<T> Default for Highest<T> {
    fn default() -> Highest<T> {
        Highest { known: PerNode::default(), comparisons: 0 }
    }
}

impl<T: Copy + Ord> Highest<T> {
    /// Takes in a value; the error is the higher one that was seen before in the same life.
    pub fn raise(&mut self, node: NodeId, life: u32, value: T) -> Result<(), T> {
        match self.known.of(node) {
            Some(known) if known.life == life => {
                let is_lower = value < known.highest;
                self.comparisons += u64::from(is_lower || known.highest > known.first);
                if is_lower {
                    return Err(known.highest);
                }
                known.highest = value;
            }
            known => *known = Some(Known { life, first: value, highest: value }),
        }
        Ok(())
    }

    /// How many values could have been lower than one before: those that came when the value had grown.
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }
}
