//! The set of visited states: their fingerprints.
//!
//! Open addressing over plain words, in shards. Each worker goes in through a door of its own, a lock that
//! nobody else touches unless a shard has to grow; and a fingerprint is looked for before anything is
//! written. So workers that find states which are known already, which most are, share nothing but cache
//! lines that all of them only read. A fingerprint takes eight bytes.
//!
//! Once the known fingerprints have moved to a file (`spill`), the set is partial: it has recent ones, and
//! may be emptied.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::apart::Apart;

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
/// Words of a new shard. A quarter of them stays free, and every worker may add one more before the shard has
/// grown.
const FIRST_SIZE: usize = 1 << 7;

/// The words of one shard; 0 is free.
type Shard = Arc<[AtomicU64]>;

/// What the set knows of a fingerprint that was added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Known,
    New,
    /// It was not in the set, which is partial.
    Unsure,
}

/// The fingerprints seen so far.
pub(crate) struct Visited {
    /// The shards, once for each worker.
    doors: Vec<Apart<Mutex<[Shard; SHARDS]>>>,
    /// How many words of each shard are used.
    used: Vec<AtomicUsize>,
    /// Changes only while all doors are held.
    partial: AtomicBool,
}

impl Visited {
    pub(crate) fn new(workers: usize) -> Visited {
        // Every worker may add one fingerprint between the one that says that a shard is full and its growth.
        let size = FIRST_SIZE.max(workers.saturating_mul(8).next_power_of_two());
        let shards: [Shard; SHARDS] = std::array::from_fn(|_| empty(size));
        Visited {
            doors: (0..workers).map(|_| Apart(Mutex::new(shards.clone()))).collect(),
            used: (0..SHARDS).map(|_| AtomicUsize::new(0)).collect(),
            partial: AtomicBool::new(false),
        }
    }

    /// Adds a fingerprint, for a worker; whether it is new.
    #[inline]
    pub(crate) fn insert(&self, worker: usize, fingerprint: u64) -> bool {
        self.enter(worker, fingerprint) != Entry::Known
    }

    /// Adds a fingerprint, for a worker; whether it was known.
    #[inline]
    pub(crate) fn enter(&self, worker: usize, fingerprint: u64) -> Entry {
        let word = word_of(fingerprint);
        let number = shard_of(word);
        let shards = self.open(worker);
        let words = &shards[number];
        if !place(words, word) {
            return Entry::Known;
        }
        let entry = if self.partial.load(Ordering::Relaxed) { Entry::Unsure } else { Entry::New };
        let size = words.len();
        drop(shards);
        if (self.used[number].fetch_add(1, Ordering::Relaxed) + 1) * 4 >= size * 3 {
            self.grow(number, size);
        }
        entry
    }

    /// Whether a fingerprint has been added, for a worker.
    pub(crate) fn contains(&self, worker: usize, fingerprint: u64) -> bool {
        let word = word_of(fingerprint);
        let shards = self.open(worker);
        let words = &shards[shard_of(word)];
        let mask = words.len() - 1;
        let mut index = word as usize & mask;
        loop {
            match words[index].load(Ordering::Relaxed) {
                0 => return false,
                found if found == word => return true,
                _ => index = (index + 1) & mask,
            }
        }
    }

    /// How many bytes the tables take.
    pub(crate) fn bytes(&self) -> usize {
        self.open(0).iter().map(|words| words.len() * 8).sum()
    }

    /// How many fingerprints there are, nearly.
    pub(crate) fn len(&self) -> usize {
        self.used.iter().map(|used| used.load(Ordering::Relaxed)).sum()
    }

    /// Whether fingerprints have moved to a file.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial.load(Ordering::Relaxed)
    }

    /// All fingerprints, in ascending order.
    pub(crate) fn sorted(&self, write: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
        let doors = self.open_all();
        doors[0].iter().try_for_each(|shard| write_sorted(shard, write))
    }

    /// Hands out all fingerprints, in ascending order, and makes the set partial, with room for tables of so
    /// many bytes; whether it was not partial already.
    pub(crate) fn move_out(
        &self,
        bytes: usize,
        write: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> io::Result<bool> {
        let mut doors = self.open_all();
        if self.is_partial() {
            return Ok(false);
        }
        doors[0].iter().try_for_each(|shard| write_sorted(shard, write))?;
        let size = (bytes / 8 / SHARDS + 1).next_power_of_two() / 2;
        for number in 0..SHARDS {
            let shard = empty(size.max(self.first_size()));
            for shards in &mut doors {
                shards[number] = shard.clone();
            }
            self.used[number].store(0, Ordering::Relaxed);
        }
        self.partial.store(true, Ordering::Relaxed);
        Ok(true)
    }

    /// Empties the set.
    pub(crate) fn clear(&self) {
        let doors = self.open_all();
        for (shard, used) in doors[0].iter().zip(&self.used) {
            shard.iter().for_each(|word| word.store(0, Ordering::Relaxed));
            used.store(0, Ordering::Relaxed);
        }
    }

    /// The words of a new shard. Every worker may add one fingerprint between the one that says that it is
    /// full and its growth.
    fn first_size(&self) -> usize {
        FIRST_SIZE.max(self.doors.len().saturating_mul(8).next_power_of_two())
    }

    /// All doors. Everybody takes them in the same order, and nobody keeps one of them for long.
    fn open_all(&self) -> Vec<MutexGuard<'_, [Shard; SHARDS]>> {
        (0..self.doors.len()).map(|worker| self.open(worker)).collect()
    }

    fn open(&self, worker: usize) -> MutexGuard<'_, [Shard; SHARDS]> {
        self.doors[worker].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a shard of a size twice as large, unless somebody else has. Nobody is inside meanwhile.
    #[cold]
    fn grow(&self, number: usize, size: usize) {
        let mut doors = self.open_all();
        if doors[0][number].len() != size {
            return;
        }
        let larger = empty(size * 2);
        for word in doors[0][number].iter().map(|word| word.load(Ordering::Relaxed)).filter(|word| *word != 0)
        {
            place(&larger, word);
        }
        for shards in &mut doors {
            shards[number] = larger.clone();
        }
    }
}

/// The word that stands for a fingerprint: 0 is free.
#[inline]
pub(crate) fn word_of(fingerprint: u64) -> u64 {
    fingerprint.max(1)
}

/// The words of a shard in ascending order. Shards are divided by their upper bits, so all of them are
/// ascending too.
fn write_sorted(shard: &Shard, write: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
    let words = shard.iter().map(|word| word.load(Ordering::Relaxed)).filter(|word| *word != 0);
    let mut words: Vec<u64> = words.collect();
    words.sort_unstable();
    words.into_iter().try_for_each(write)
}

fn empty(size: usize) -> Shard {
    (0..size).map(|_| AtomicU64::new(0)).collect()
}

#[inline]
fn shard_of(word: u64) -> usize {
    (word >> (64 - SHARD_BITS)) as usize
}

/// Puts a word into a table that has room; whether it was not there.
#[inline]
fn place(words: &[AtomicU64], word: u64) -> bool {
    let mask = words.len() - 1;
    let mut index = word as usize & mask;
    loop {
        let mut found = words[index].load(Ordering::Relaxed);
        if found == 0 {
            // Somebody else may be faster, with this word or another.
            match words[index].compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(theirs) => found = theirs,
            }
        }
        if found == word {
            return false;
        }
        index = (index + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints(n: u64) -> Vec<u64> {
        (0..n).map(|n| crate::value::hash::mix(n, 77)).chain([0]).collect()
    }

    #[test]
    fn every_fingerprint_is_new_once() {
        let visited = Visited::new(1);
        let prints = prints(10_000);
        assert!(prints.iter().all(|p| !visited.contains(0, *p)));
        assert!(prints.iter().all(|p| visited.insert(0, *p)));
        assert!(prints.iter().all(|p| !visited.insert(0, *p) && visited.contains(0, *p)));
    }

    #[test]
    fn what_moves_out_is_sorted_and_may_be_new_afterwards() {
        let visited = Visited::new(2);
        let prints = prints(10_000);
        prints.iter().for_each(|p| assert!(visited.insert(0, *p)));
        let mut moved = Vec::new();
        let mut write = |word| {
            moved.push(word);
            Ok(())
        };
        assert!(visited.move_out(1 << 20, &mut write).unwrap() && !visited.move_out(0, &mut write).unwrap());
        let mut sorted: Vec<u64> = prints.iter().map(|p| word_of(*p)).collect();
        sorted.sort_unstable();
        assert_eq!(moved, sorted);
        assert!(prints.iter().all(|p| visited.enter(1, *p) == Entry::Unsure));
        assert!(visited.len() == prints.len() && prints.iter().all(|p| visited.enter(0, *p) == Entry::Known));
        visited.clear();
        assert!(visited.len() == 0 && prints.iter().all(|p| visited.enter(0, *p) == Entry::Unsure));
    }

    #[test]
    fn among_many_workers_too() {
        let workers = 16;
        let visited = Visited::new(workers);
        let prints = prints(50_000);
        let new: usize = std::thread::scope(|scope| {
            let insert_all = |worker| prints.iter().filter(|p| visited.insert(worker, **p)).count();
            let threads: Vec<_> = (0..workers).map(|w| scope.spawn(move || insert_all(w))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).sum()
        });
        assert_eq!(new, prints.len());
        assert!((0..workers).all(|worker| prints.iter().all(|p| visited.contains(worker, *p))));
    }
}
