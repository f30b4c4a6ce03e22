//! The set of visited states: their fingerprints.
//!
//! Open addressing over plain words, in shards with a lock each, so that workers seldom meet. A fingerprint takes eight
//! bytes, and a shard grows by itself when it fills.

use std::sync::{Mutex, PoisonError};

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
const FIRST_SIZE: usize = 1 << 6;

/// The fingerprints seen so far.
pub(crate) struct Visited {
    shards: Vec<Mutex<Shard>>,
}

struct Shard {
    words: Vec<u64>,
    used: usize,
}

impl Visited {
    pub(crate) fn new() -> Visited {
        let shard = || Mutex::new(Shard { words: vec![0; FIRST_SIZE], used: 0 });
        Visited { shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// Adds a fingerprint; whether it is new.
    pub(crate) fn insert(&self, fingerprint: u64) -> bool {
        let word = fingerprint.max(1);
        let shard = &self.shards[(word >> (64 - SHARD_BITS)) as usize];
        shard.lock().unwrap_or_else(PoisonError::into_inner).insert(word)
    }

    /// Whether a fingerprint has been added.
    pub(crate) fn contains(&self, fingerprint: u64) -> bool {
        let word = fingerprint.max(1);
        let shard = &self.shards[(word >> (64 - SHARD_BITS)) as usize];
        let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let mask = shard.words.len() - 1;
        let mut index = word as usize & mask;
        loop {
            match shard.words[index] {
                0 => return false,
                found if found == word => return true,
                _ => index = (index + 1) & mask,
            }
        }
    }

    /// How many bytes the tables take.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner).words.len() * 8).sum()
    }
}

impl Shard {
    fn insert(&mut self, word: u64) -> bool {
        if self.used * 4 >= self.words.len() * 3 {
            self.grow();
        }
        if place(&mut self.words, word) {
            self.used += 1;
            return true;
        }
        false
    }

    fn grow(&mut self) {
        let mut larger = vec![0; self.words.len() * 2];
        for word in self.words.iter().filter(|w| **w != 0) {
            place(&mut larger, *word);
        }
        self.words = larger;
    }
}

/// Puts a word into a table that has room; whether it was not there.
#[inline]
fn place(words: &mut [u64], word: u64) -> bool {
    let mask = words.len() - 1;
    let mut index = word as usize & mask;
    loop {
        let found = words[index];
        if found == word {
            return false;
        }
        if found == 0 {
            words[index] = word;
            return true;
        }
        index = (index + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fingerprint_is_new_once() {
        let visited = Visited::new();
        let prints: Vec<u64> = (0..10_000).map(|n| crate::value::hash::mix(n, 77)).chain([0]).collect();
        assert!(prints.iter().all(|p| visited.insert(*p)));
        assert!(prints.iter().all(|p| !visited.insert(*p)));
    }
}
