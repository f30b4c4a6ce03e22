//! What an agent is: it chooses among actions, and learns from whole episodes.

use shakedown_cluster::Random;

use super::{BadTable, Episode, Table};

/// Where an agent stands when it has to choose.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Stands for the state.
    pub state: u64,
    /// The waypoint that the episode is at: 0 before the first, the number of waypoints once the last was
    /// reached.
    pub level: usize,
    /// How many steps the episode has had.
    pub step: usize,
    /// What can be done, each as a number that means the same in this state in every episode. There is at
    /// least one.
    pub actions: &'a [u64],
}

/// Chooses actions and learns. While episodes run it is only read: what it learns in one shows in the next.
pub trait Agent: Clone + Send + Sync + 'static {
    /// The place of the action to be done.
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize;

    /// Learns from an episode.
    fn learn(&mut self, episode: &Episode);

    /// Whether there is anything that it learns.
    fn learns(&self) -> bool {
        true
    }

    /// What it goes by in files that keep what it has learned.
    fn name(&self) -> &'static str;

    /// Everything that it has learned.
    fn tables(&self) -> Vec<&Table>;

    /// Takes up what was learned before: as many tables as it has.
    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable>;
}

/// Takes up as many tables as there are.
pub(crate) fn take_up<const N: usize>(places: [&mut Table; N], tables: Vec<Table>) -> Result<(), BadTable> {
    if tables.len() != N {
        return Err(BadTable::Tables { found: tables.len(), wanted: N });
    }
    for (place, table) in places.into_iter().zip(tables) {
        *place = table;
    }
    Ok(())
}
