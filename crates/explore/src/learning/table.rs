//! Tables: for a state and an action, what it is worth and how often it was done.
//!
//! An entry is kept under one number made of both, so that a table is one flat map. Nothing here depends on
//! the order of the map: it is looked into, and when it is saved its entries are sorted.

use rustc_hash::FxHashMap;
use shakedown_cluster::derive_seed;

/// What is known of an action in a state.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    value: f64,
    visits: u32,
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Table {
    /// What everything is worth that was never done.
    initial: f64,
    entries: FxHashMap<u64, Entry>,
}

/// Why bytes are not what an agent had learned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTable {
    /// The bytes end too early, or go on too long.
    #[error("what was learned is damaged: {0}")]
    Damaged(&'static str),
    /// They are of another agent.
    #[error("it was learned by `{found}`, not by `{wanted}`: go on with the strategy that it was kept by")]
    Agent {
        /// Whose they are.
        found: String,
        /// Whose they should be.
        wanted: &'static str,
    },
    /// They are of another version.
    #[error("it was learned by another version of Shakedown (format {found}, this one reads {wanted})")]
    Version {
        /// Their version.
        found: u16,
        /// The version that is known.
        wanted: u16,
    },
    /// There are more or fewer tables than the agent has.
    #[error("there are {found} tables and the strategy has {wanted}: go on with the same waypoints")]
    Tables {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
}

/// Begins what was learned, before its version.
const MAGIC: &[u8; 8] = b"sd-learn";
const VERSION: u16 = 1;
/// The bytes of an entry: its key, its value, its visits.
const ENTRY: usize = 8 + 8 + 4;
/// The most tables that are read.
const TABLES_MAX: usize = 1_000;

impl Table {
    /// A table in which everything is worth the same.
    pub fn new(initial: f64) -> Table {
        Table { initial, entries: FxHashMap::default() }
    }

    /// What the action is worth in the state.
    #[inline]
    pub fn value(&self, state: u64, action: u64) -> f64 {
        self.entries.get(&derive_seed(state, action)).map_or(self.initial, |entry| entry.value)
    }

    /// What the best of these actions is worth in the state; nothing of nothing.
    pub fn best(&self, state: u64, actions: &[u64]) -> Option<f64> {
        actions.iter().map(|&action| self.value(state, action)).reduce(f64::max)
    }

    /// How often the action was done in the state.
    pub fn visits(&self, state: u64, action: u64) -> u32 {
        self.entries.get(&derive_seed(state, action)).map_or(0, |entry| entry.visits)
    }

    /// Counts that the action was done in the state, and changes what it is worth, by its visits and what it
    /// was worth.
    pub fn visit(&mut self, state: u64, action: u64, update: impl FnOnce(f64, f64) -> f64) {
        let unknown = Entry { value: self.initial, visits: 0 };
        let entry = self.entries.entry(derive_seed(state, action)).or_insert(unknown);
        entry.visits = entry.visits.saturating_add(1);
        entry.value = update(f64::from(entry.visits), entry.value);
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// About how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        // A hash map keeps an entry and a byte for every place, and fills at most seven of eight places.
        let places = (self.entries.capacity() * 8 / 7).next_power_of_two();
        if self.entries.capacity() == 0 { 0 } else { places * (size_of::<(u64, Entry)>() + 1) }
    }
}

/// What an agent has learned, as bytes.
pub(crate) fn save(agent: &str, tables: &[&Table]) -> Vec<u8> {
    let entries: usize = tables.iter().map(|table| table.len()).sum();
    let mut bytes = Vec::with_capacity(32 + agent.len() + entries * ENTRY);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.push(agent.len() as u8);
    bytes.extend_from_slice(agent.as_bytes());
    bytes.extend_from_slice(&(tables.len() as u32).to_le_bytes());
    for table in tables {
        let mut sorted: Vec<_> = table.entries.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| **key);
        bytes.extend_from_slice(&table.initial.to_le_bytes());
        bytes.extend_from_slice(&(sorted.len() as u64).to_le_bytes());
        for (key, entry) in sorted {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend_from_slice(&entry.value.to_le_bytes());
            bytes.extend_from_slice(&entry.visits.to_le_bytes());
        }
    }
    bytes
}

/// Reads what [`save`] wrote. The bytes come from a file: nothing is believed.
pub(crate) fn load(agent: &'static str, bytes: &[u8]) -> Result<Vec<Table>, BadTable> {
    let mut rest = Reader(bytes);
    if &rest.take::<8>()? != MAGIC {
        return Err(BadTable::Damaged("it does not begin as it should"));
    }
    let version = u16::from_le_bytes(rest.take()?);
    if version != VERSION {
        return Err(BadTable::Version { found: version, wanted: VERSION });
    }
    let [length] = rest.take()?;
    let name = rest.slice(usize::from(length))?;
    if name != agent.as_bytes() {
        let found =
            String::from_utf8_lossy(name).chars().filter(|char| !char.is_control()).take(40).collect();
        return Err(BadTable::Agent { found, wanted: agent });
    }
    let count = u32::from_le_bytes(rest.take()?) as usize;
    if count > TABLES_MAX {
        return Err(BadTable::Damaged("there are too many tables"));
    }
    let tables = (0..count).map(|_| rest.table()).collect::<Result<_, _>>()?;
    if rest.0.is_empty() { Ok(tables) } else { Err(BadTable::Damaged("there is something after its end")) }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn slice(&mut self, length: usize) -> Result<&'a [u8], BadTable> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(BadTable::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], BadTable> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(BadTable::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn table(&mut self) -> Result<Table, BadTable> {
        let mut table = Table::new(self.number()?);
        let length = usize::try_from(u64::from_le_bytes(self.take()?)).unwrap_or(usize::MAX);
        // No room is made for entries that are not there.
        if length > self.0.len() / ENTRY {
            return Err(BadTable::Damaged("it ends too early"));
        }
        table.entries.reserve(length);
        let mut last = None;
        for _ in 0..length {
            let key = u64::from_le_bytes(self.take()?);
            if last.is_some_and(|last| last >= key) {
                return Err(BadTable::Damaged("its entries are not in order"));
            }
            last = Some(key);
            let entry = Entry { value: self.number()?, visits: u32::from_le_bytes(self.take()?) };
            table.entries.insert(key, entry);
        }
        Ok(table)
    }

    fn number(&mut self) -> Result<f64, BadTable> {
        let number = f64::from_le_bytes(self.take()?);
        if number.is_finite() { Ok(number) } else { Err(BadTable::Damaged("a value is not a number")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned() -> Table {
        let mut table = Table::new(1.0);
        for state in 0..20 {
            for action in 0..3 {
                table.visit(state, action, |visits, value| value / (1.0 + visits) + state as f64);
            }
        }
        table.visit(3, 1, |visits, value| value / visits);
        table
    }

    #[test]
    fn what_was_saved_is_loaded_again() {
        let (table, empty) = (learned(), Table::new(0.0));
        let saved = save("bonusmax", &[&table, &empty]);
        let loaded = load("bonusmax", &saved).expect("nothing is wrong with it");
        assert_eq!(loaded.len(), 2);
        assert_eq!(loaded[0].entries, table.entries);
        assert_eq!((loaded[0].value(99, 9), loaded[1].value(99, 9)), (1.0, 0.0));
        assert_eq!((loaded[0].visits(3, 1), loaded[0].visits(3, 2), loaded[0].visits(99, 9)), (2, 1, 0));
        assert_eq!(save("bonusmax", &loaded.iter().collect::<Vec<_>>()), saved);
    }

    #[test]
    fn no_damaged_bytes_are_loaded() {
        let saved = save("bonusmax", &[&learned()]);
        for end in 0..saved.len() {
            assert!(load("bonusmax", &saved[..end]).is_err(), "cut off at {end}");
        }
        let error = |bytes: &[u8]| load("bonusmax", bytes).expect_err("it is damaged").to_string();
        assert!(error(&[&saved[..], &[0]].concat()).contains("after its end"));
        assert!(load("waypoint", &saved).expect_err("another agent").to_string().contains("by `bonusmax`"));
        let changed = |place: usize, bytes: &[u8]| {
            let mut changed = saved.clone();
            changed[place..place + bytes.len()].copy_from_slice(bytes);
            error(&changed)
        };
        assert!(changed(0, b"x").contains("does not begin"));
        assert!(changed(8, &[9]).contains("another version"));
        let header = 8 + 2 + 1 + "bonusmax".len();
        assert!(changed(header, &[255; 4]).contains("too many tables"));
        assert!(changed(header + 4, &f64::NAN.to_le_bytes()).contains("not a number"));
        assert!(changed(header + 12, &u64::MAX.to_le_bytes()).contains("ends too early"));
        assert!(changed(header + 20 + ENTRY, &[0; 8]).contains("not in order"));
    }
}
