//! The archive of return-then-explore: cells that few executions have entered, each with the shortest known
//! way to it.
//!
//! A way is a world (the seed of nodes and workload) and the steps from boot. Executions are deterministic,
//! so doing these steps again in that world comes to the very state that was left.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakedown_cluster::{Random, Step};

use crate::fuzz::saved::{Reader, Writer};
use crate::recorder::Entered;

/// The most cells.
const CELLS_MAX: usize = 1_024;
/// How many cells one execution may add.
const ADDED_MAX: usize = 3;
/// How many cells are drawn to take the best, or the worst, of.
const DRAWN: usize = 8;
/// The longest text of a step that is read from a file.
const STEP_MAX: usize = 1 << 20;

/// Steps in a world.
#[derive(PartialEq, Debug)]
pub(crate) struct Trail {
    pub world: u64,
    pub steps: Vec<Step>,
}

/// A cell, and the way to it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cell {
    pub key: u64,
    pub trail: Arc<Trail>,
    /// How many steps of the trail lead to it.
    pub length: u32,
    /// How many executions have entered it.
    visits: u32,
    /// How many executions began here.
    chosen: u32,
    /// How many new cells they entered.
    found: u32,
}

/// See the module's text.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct Archive {
    cells: Vec<Cell>,
    places: FxHashMap<u64, u32>,
}

impl Cell {
    /// How much an execution that begins here may be expected to find, for what the way costs.
    fn worth(&self) -> f64 {
        let found = (1.0 + f64::from(self.found)) / (1.0 + f64::from(self.chosen));
        found / (f64::from(self.visits).sqrt() * (64.0 + f64::from(self.length)))
    }
}

impl Archive {
    /// One of the better cells.
    pub fn choose(&self, random: &mut Random) -> Option<&Cell> {
        if self.cells.is_empty() {
            return None;
        }
        let drawn = (0..DRAWN).map(|_| &self.cells[random.index(self.cells.len())]);
        drawn.max_by(|one, other| one.worth().total_cmp(&other.worth()))
    }

    /// Takes in how many new cells an execution entered that began at this one.
    pub fn credit(&mut self, key: u64, found: usize) {
        if let Some(place) = self.places.get(&key) {
            let cell = &mut self.cells[*place as usize];
            cell.chosen = cell.chosen.saturating_add(1);
            cell.found = cell.found.saturating_add(found as u32);
        }
    }

    /// Takes in an execution: which cells it entered, and which of them are new. Cells after this many steps
    /// leave no room to explore from.
    pub fn take_in(
        &mut self,
        (world, steps): (u64, &[Step]),
        (entered, new): (&[Entered], &[Entered]),
        steps_max: usize,
        random: &mut Random,
    ) {
        let mut shorter = Vec::new();
        for entered in entered {
            if let Some(place) = self.places.get(&entered.cell) {
                let cell = &mut self.cells[*place as usize];
                cell.visits = cell.visits.saturating_add(1);
                // A little shorter is not worth another trail in memory.
                if entered.steps < cell.length / 4 * 3 {
                    shorter.push((*place, entered.steps));
                }
            }
        }
        let mut added: Vec<Entered> =
            new.iter().filter(|new| (new.steps as usize) < steps_max / 4 * 3).copied().collect();
        while added.len() > ADDED_MAX {
            // The last one is the deepest: it stays.
            added.swap_remove(random.index(added.len() - 1));
        }
        let lengths = shorter.iter().map(|(_, steps)| *steps).chain(added.iter().map(|new| new.steps));
        let Some(length) = lengths.max() else { return };
        let steps = steps[..(length as usize).min(steps.len())].to_vec();
        let trail = Arc::new(Trail { world, steps });
        for (place, length) in shorter {
            let cell = &mut self.cells[place as usize];
            (cell.trail, cell.length) = (Arc::clone(&trail), length);
        }
        for Entered { cell, steps } in added {
            let trail = Arc::clone(&trail);
            self.add(Cell { key: cell, trail, length: steps, visits: 1, chosen: 0, found: 0 }, random);
        }
    }

    /// Adds a cell. If there is no room, it takes the place of the worst of a few.
    fn add(&mut self, cell: Cell, random: &mut Random) {
        if self.places.contains_key(&cell.key) {
            return;
        }
        let place = if self.cells.len() < CELLS_MAX {
            self.cells.push(cell.clone());
            self.cells.len() - 1
        } else {
            let drawn = (0..DRAWN).map(|_| random.index(self.cells.len()));
            let worth = |place: usize| self.cells[place].worth();
            let worst = drawn.min_by(|one, other| worth(*one).total_cmp(&worth(*other)));
            let worst = worst.expect("some are drawn");
            self.places.remove(&self.cells[worst].key);
            self.cells[worst] = cell.clone();
            worst
        };
        self.places.insert(cell.key, place as u32);
    }

    pub fn save(&self, writer: &mut Writer) {
        let mut trails: Vec<&Arc<Trail>> = Vec::new();
        let mut numbers: FxHashMap<*const Trail, u64> = FxHashMap::default();
        for cell in &self.cells {
            numbers.entry(Arc::as_ptr(&cell.trail)).or_insert_with(|| {
                trails.push(&cell.trail);
                trails.len() as u64 - 1
            });
        }
        writer.number(trails.len() as u64);
        for trail in trails {
            writer.number(trail.world);
            writer.number(trail.steps.len() as u64);
            for step in &trail.steps {
                writer.bytes(step.to_string().as_bytes());
            }
        }
        writer.number(self.cells.len() as u64);
        for cell in &self.cells {
            let counts = [cell.length, cell.visits, cell.chosen, cell.found];
            writer.number(cell.key);
            writer.number(numbers[&Arc::as_ptr(&cell.trail)]);
            counts.into_iter().for_each(|count| writer.number(u64::from(count)));
        }
    }

    pub fn load(reader: &mut Reader<'_>) -> Result<Archive, String> {
        let trails = (0..reader.count(16)?).map(|_| load_trail(reader)).collect::<Result<Vec<_>, _>>()?;
        let count = reader.count(48)?;
        if count > CELLS_MAX {
            return Err(format!("an archive has {count} cells: at most {CELLS_MAX} are allowed"));
        }
        let mut archive = Archive::default();
        for place in 0..count as u32 {
            let (key, trail) = (reader.number()?, reader.number()?);
            let mut small = || {
                let number = reader.number()?;
                u32::try_from(number).map_err(|_| format!("{number} is too large a count"))
            };
            let (length, visits, chosen, found) = (small()?, small()?.max(1), small()?, small()?);
            let trail = usize::try_from(trail).ok().and_then(|trail| trails.get(trail));
            let trail = trail.ok_or("a cell has no trail")?;
            if length as usize > trail.steps.len() {
                return Err("a cell lies beyond the end of its trail".to_owned());
            }
            if archive.places.insert(key, place).is_some() {
                return Err("a cell is there twice".to_owned());
            }
            archive.cells.push(Cell { key, trail: Arc::clone(trail), length, visits, chosen, found });
        }
        Ok(archive)
    }
}

fn load_trail(reader: &mut Reader<'_>) -> Result<Arc<Trail>, String> {
    let world = reader.number()?;
    let count = reader.count(8)?;
    let mut step = || {
        let text = std::str::from_utf8(reader.bytes(STEP_MAX)?).map_err(|_| "a step is not text")?;
        text.parse::<Step>().map_err(|error| format!("`{text}` is no step: {error}"))
    };
    let steps = (0..count).map(|_| step()).collect::<Result<_, _>>()?;
    Ok(Arc::new(Trail { world, steps }))
}

#[cfg(test)]
mod tests {
    use shakedown_cluster::NodeId;

    use super::*;

    fn ticks(count: usize) -> Vec<Step> {
        vec![Step::Tick(NodeId::from_index(0)); count]
    }

    fn entered(cell: u64, steps: u32) -> Entered {
        Entered { cell, steps }
    }

    #[test]
    fn the_shortest_way_to_a_cell_is_kept() {
        let mut archive = Archive::default();
        let mut random = Random::new(1);
        let far = [entered(7, 40)];
        archive.take_in((1, &ticks(50)), (&far, &far), 100, &mut random);
        assert_eq!(archive.cells[0].trail.steps.len(), 40, "what comes after the cell is not kept");
        archive.take_in((2, &ticks(50)), (&[entered(7, 35)], &[]), 100, &mut random);
        assert_eq!((archive.cells[0].length, archive.cells[0].visits), (40, 2), "hardly shorter");
        archive.take_in((3, &ticks(50)), (&[entered(7, 10)], &[]), 100, &mut random);
        assert_eq!((archive.cells[0].length, archive.cells[0].trail.world), (10, 3));
    }

    #[test]
    fn cells_that_were_fruitful_are_chosen_and_poor_ones_make_room() {
        let mut archive = Archive::default();
        let mut random = Random::new(1);
        for cell in 0..2 * CELLS_MAX as u64 {
            let new = [entered(cell, 10)];
            archive.take_in((cell, &ticks(20)), (&new, &new), 100, &mut random);
        }
        assert_eq!(archive.cells.len(), CELLS_MAX);
        assert_eq!(archive.places.len(), CELLS_MAX);
        let best = archive.cells[5].key;
        archive.credit(best, 1_000);
        let chosen = (0..2_000).filter(|_| archive.choose(&mut random).is_some_and(|cell| cell.key == best));
        assert!(chosen.count() > 5, "one of {CELLS_MAX} is drawn about 16 times, and then taken");
    }

    #[test]
    fn an_archive_is_loaded_as_it_was_saved_and_damaged_ones_are_refused() {
        let mut archive = Archive::default();
        let mut random = Random::new(1);
        for cell in 0..20u64 {
            let new = [entered(3 * cell, 5), entered(3 * cell + 1, 8)];
            archive.take_in((cell, &ticks(20)), (&new, &new), 100, &mut random);
        }
        archive.credit(3, 2);
        let mut writer = Writer::default();
        archive.save(&mut writer);
        let bytes = writer.finish();
        let load = |bytes: &[u8]| Archive::load(&mut Reader::new(bytes, b"").expect("there is no magic"));
        assert_eq!(load(&bytes).as_ref(), Ok(&archive));
        for length in 0..bytes.len() {
            assert!(load(&bytes[..length]).is_err(), "cut after {length} bytes");
        }
    }
}
