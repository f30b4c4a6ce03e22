//! The cube world (section 4.1.3 of the thesis): a world without a cluster in it, to see what agents do.
//!
//! Six cubes of 10×10×6 cells. From a cell one moves to a neighbour, back to depth 0, or, at the door (5, 5,
//! ·), into the cell (0, 0, 0) of the next cube, from which there is no way back. Only moves that lead to
//! another cell are offered: with all eight everywhere, no agent comes as far as in the thesis' figures.

use shakedown_cluster::Random;

use super::{Agent, Episode};

/// How many cubes there are.
pub const CUBES: usize = 6;
/// How many cells a cube has along x and y.
pub const WIDTH: usize = 10;
/// How many cells a cube has along its depth.
pub const DEPTH: usize = 6;
/// How many cells there are.
pub const CELLS: usize = CUBES * CUBE;
/// How many cells a cube has.
pub const CUBE: usize = WIDTH * WIDTH * DEPTH;
/// Where the doors are, in x and in y.
const DOOR: usize = 5;

/// A cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names are the thesis' own")]
pub struct Cell {
    pub cube: usize,
    pub x: usize,
    pub y: usize,
    pub depth: usize,
}

/// The moves: ±x, ±y, ±depth, into the next cube, and back to depth 0.
const MOVES: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

impl Cell {
    /// The place of the cell among all.
    pub fn index(self) -> usize {
        ((self.cube * WIDTH + self.x) * WIDTH + self.y) * DEPTH + self.depth
    }

    fn after(self, action: u64) -> Cell {
        let down = |place: usize| place.saturating_sub(1);
        let up = |place: usize, size: usize| (place + 1).min(size - 1);
        match action {
            0 => Cell { x: down(self.x), ..self },
            1 => Cell { x: up(self.x, WIDTH), ..self },
            2 => Cell { y: down(self.y), ..self },
            3 => Cell { y: up(self.y, WIDTH), ..self },
            4 => Cell { depth: down(self.depth), ..self },
            5 => Cell { depth: up(self.depth, DEPTH), ..self },
            6 if (self.x, self.y) == (DOOR, DOOR) && self.cube + 1 < CUBES => {
                Cell { cube: self.cube + 1, ..Cell::default() }
            }
            6 => self,
            _ => Cell { depth: 0, ..self },
        }
    }
}

/// What an agent is told of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// Everything.
    None,
    /// All but its depth.
    Depth,
}

/// What is explored, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct CubeWorld {
    /// How many moves an episode has.
    pub horizon: usize,
    /// What the agent is told.
    pub abstraction: Abstraction,
    /// The cube to be explored: the ones before it are waypoints. 0 for all of them.
    pub target: usize,
}

impl CubeWorld {
    /// Lets the agent explore for so many episodes, and gives the cells that it visited.
    pub fn explore<A: Agent>(&self, agent: &mut A, episodes: usize, seed: u64) -> Vec<bool> {
        let mut visited = vec![false; CELLS];
        let mut random = Random::new(seed);
        for _ in 0..episodes {
            let mut episode = Episode::new(self.target);
            let mut cell = Cell::default();
            self.arrive(cell, &mut episode, &mut visited);
            for _ in 0..self.horizon {
                let place = agent.pick(&episode.situation(), &mut random);
                cell = cell.after(episode.situation().actions[place]);
                episode.choose(place);
                self.arrive(cell, &mut episode, &mut visited);
            }
            agent.learn(&episode);
        }
        visited
    }

    fn arrive(&self, cell: Cell, episode: &mut Episode, visited: &mut [bool]) {
        visited[cell.index()] = true;
        let told = match self.abstraction {
            Abstraction::None => cell,
            Abstraction::Depth => Cell { depth: 0, ..cell },
        };
        let moves = MOVES.into_iter().filter(|&action| cell.after(action) != cell);
        episode.arrive(told.index() as u64, told.index() as u64, cell.cube.min(self.target), moves);
    }
}

/// How many of the cells of a cube were visited.
pub fn visited_in(visited: &[bool], cube: usize) -> usize {
    visited[cube * CUBE..(cube + 1) * CUBE].iter().filter(|is_visited| **is_visited).count()
}

#[cfg(test)]
mod tests {
    use super::super::{BonusMax, Uniform, Waypoint};
    use super::*;

    #[test]
    fn doors_lead_on_and_never_back() {
        let door = Cell { cube: 1, x: 5, y: 5, depth: 3 };
        assert_eq!(door.after(6), Cell { cube: 2, ..Cell::default() });
        assert_eq!(door.after(7), Cell { depth: 0, ..door });
        let last = Cell { cube: CUBES - 1, ..door };
        assert_eq!(last.after(6), last);
        let corner = Cell::default();
        assert_eq!([0, 2, 4, 6].map(|action| corner.after(action)), [corner; 4]);
        assert_eq!(corner.after(1), Cell { x: 1, ..corner });
    }

    #[test]
    fn learning_covers_more_than_chance_and_waypoints_lead_to_the_target() {
        let world = CubeWorld { horizon: 80, abstraction: Abstraction::None, target: 0 };
        let count = |visited: &[bool]| visited.iter().filter(|is_visited| **is_visited).count();
        let random = world.explore(&mut Uniform, 5_000, 1);
        let bonus_max = world.explore(&mut BonusMax::new(0.3, 0.99, 0.05), 5_000, 1);
        let counts = (count(&bonus_max), count(&random));
        assert!(4 * counts.0 > 5 * counts.1, "{counts:?}");
        let towards = CubeWorld { target: 3, ..world };
        let waypoint = towards.explore(&mut Waypoint::new(0.3, 0.99, 0.05, 3), 5_000, 1);
        let in_target = (visited_in(&waypoint, 3), visited_in(&bonus_max, 3), visited_in(&random, 3));
        assert!(in_target.0 > CUBE / 2 && in_target.1 + in_target.2 == 0, "{in_target:?}");
    }
}
