//! The shortest beginning of a history that is not linearizable.
//!
//! What is not linearizable stays so whatever comes later, because what had no answer yet may have taken
//! effect or not. So the answer that makes the difference is found by halving.

use super::{Linearizability, Operation, check};
use crate::{Model, Obstacle, SearchLimits};

/// The shortest beginning of a history that is not linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The operation with whose answer it ends.
    pub culprit: usize,
    /// Where the search for an order of it came to its end. Operations that were called later are not in it.
    pub obstacle: Obstacle,
    /// Whether shorter ones are known to be linearizable; otherwise limits were hit.
    pub is_minimal: bool,
}

/// The shortest beginning of a history that is not linearizable. `whole` is what is in the way of the whole
/// of it.
///
/// # Panics
/// If no operation of the history has an answer: such a history is linearizable.
pub fn minimal_prefix<M: Model>(
    model: &M,
    history: &[Operation<M::Op, M::Answer>],
    whole: Obstacle,
    limits: SearchLimits,
) -> Prefix
where
    M::Op: Clone,
    M::Answer: Clone,
{
    let mut ends: Vec<(u32, usize)> =
        (0..history.len()).filter_map(|place| Some((history[place].returned()?, place))).collect();
    ends.sort_unstable();
    // Up to the answer `low` (not included) it is linearizable, up to `high` (included) it is not.
    let (mut low, mut high) =
        (0, ends.len().checked_sub(1).expect("a history without answers is linearizable"));
    let (mut obstacle, mut is_minimal) = (whole, true);
    while low < high {
        let middle = low + (high - low) / 2;
        let (places, beginning) = until(history, ends[middle]);
        match check(model, &beginning, limits) {
            Linearizability::NotLinearizable(found) => {
                obstacle = renamed(found, &places);
                high = middle;
            }
            Linearizability::Linearizable(_) => low = middle + 1,
            Linearizability::Unknown(_) => {
                is_minimal = false;
                low = middle + 1;
            }
        }
    }
    Prefix { culprit: ends[high].1, obstacle, is_minimal }
}

/// A beginning: places in the whole history, and the operations.
type Beginning<Op, Answer> = (Vec<usize>, Vec<Operation<Op, Answer>>);

/// What had been called at this answer, and what had been answered, this one included.
fn until<Op: Clone, Answer: Clone>(
    history: &[Operation<Op, Answer>],
    end: (u32, usize),
) -> Beginning<Op, Answer> {
    let mut places = Vec::new();
    let mut beginning = Vec::new();
    for (place, operation) in history.iter().enumerate().filter(|(_, operation)| operation.called <= end.0) {
        let mut operation = operation.clone();
        if operation.returned().is_some_and(|returned| (returned, place) > end) {
            operation.answered = None;
        }
        places.push(place);
        beginning.push(operation);
    }
    (places, beginning)
}

fn renamed(obstacle: Obstacle, places: &[usize]) -> Obstacle {
    let rename = |of: Vec<usize>| of.into_iter().map(|place| places[place]).collect();
    Obstacle {
        operations: rename(obstacle.operations),
        order: rename(obstacle.order),
        misfit: obstacle.misfit.map(|place| places[place]),
    }
}
