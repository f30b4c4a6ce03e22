//! A 128-bit fingerprint of a trace: two executions with equal fingerprints did, sent and were the same.
//!
//! Everything that happens in an execution goes through here, a dozen words a step, so it has to be quick.
//! Each word is mixed with its place, and what comes of it is added up, in two lanes: so no word has to wait
//! for the one before it. In one lane the mixing is a bijection, so two traces that differ in one word never
//! collide; others do by chance only. It is no defence against somebody who wants a collision. Words are
//! taken as numbers, so a fingerprint is the same on every machine; only slices of integers go in as the
//! machine's bytes, as the standard library hashes them, which are the same on all little-endian ones.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::random::derive_seed;

/// 128 bits that stand for everything an execution did, sent and was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Takes in what happened, piece by piece.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fingerprinter {
    /// Different for every word: stands for its place.
    place: u64,
    left: u64,
    right: u64,
}

impl Default for Fingerprinter {
    fn default() -> Fingerprinter {
        Fingerprinter { place: 0x7368_616b_6564_6f77, left: 0, right: 0 }
    }
}

impl Fingerprinter {
    /// A number that stands for one value, the same on every machine.
    pub fn of(value: &(impl Hash + ?Sized)) -> u64 {
        let mut hasher = Fingerprinter::default();
        value.hash(&mut hasher);
        Hasher::finish(&hasher)
    }

    /// Takes in a value.
    pub fn add(&mut self, value: &impl Hash) {
        value.hash(self);
    }

    /// The fingerprint of all that was taken in so far.
    pub fn finish(&self) -> Fingerprint {
        let left = derive_seed(self.left ^ self.place, self.right);
        let right = derive_seed(self.right, left);
        Fingerprint(u128::from(left) << 64 | u128::from(right))
    }
}

impl Hasher for Fingerprinter {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        // The constants are those of SplitMix64; the multipliers are odd, so `low` tells the word and `high`
        // mixes it.
        self.place = self.place.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let product = u128::from(word ^ self.place) * 0xbf58_476d_1ce4_e5b9;
        let (low, high) = (product as u64, (product >> 64) as u64);
        self.left = self.left.wrapping_add(low ^ high);
        self.right = self.right.wrapping_add(low.rotate_left(32).wrapping_mul(0x94d0_49bb_1331_11eb));
    }

    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.write_u64(rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    #[inline]
    fn write_i8(&mut self, value: i8) {
        self.write_i64(i64::from(value));
    }

    #[inline]
    fn write_i16(&mut self, value: i16) {
        self.write_i64(i64::from(value));
    }

    #[inline]
    fn write_i32(&mut self, value: i32) {
        self.write_i64(i64::from(value));
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }

    #[inline]
    fn write_i128(&mut self, value: i128) {
        self.write_u128(value as u128);
    }

    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.write_i64(value as i64);
    }

    fn finish(&self) -> u64 {
        Fingerprinter::finish(self).0 as u64
    }
}

/// Lets anything that can be formatted be taken into a hasher without building the text.
pub(crate) struct FormatInto<'a, H>(pub &'a mut H);

impl<H: Hasher> fmt::Write for FormatInto<'_, H> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Random;

    fn fingerprint(value: &impl Hash) -> Fingerprint {
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(value);
        fingerprinter.finish()
    }

    #[test]
    fn a_fingerprint_is_the_same_in_every_version_and_on_every_machine() {
        let value = (1u8, -2i32, 3usize, "four", [5u64, 6], Some('7'));
        assert_eq!(fingerprint(&value).to_string(), "ca00dee9a235171f6ce51396a64539de");
    }

    #[test]
    fn every_bit_of_the_input_changes_about_half_of_the_bits() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let words: Vec<u64> = (0..6).map(|_| random.next_u64()).collect();
            let whole = fingerprint(&words);
            for bit in 0..6 * 64 {
                let mut other = words.clone();
                other[bit / 64] ^= 1 << (bit % 64);
                let changed = (whole.0 ^ fingerprint(&other).0).count_ones();
                assert!((30..=98).contains(&changed), "bit {bit} changes {changed} bits");
            }
        }
    }

    #[test]
    fn short_sequences_of_small_numbers_have_fingerprints_of_their_own() {
        let mut seen = BTreeSet::new();
        for a in 0..40u64 {
            for b in 0..40u64 {
                for c in 0..40u64 {
                    seen.insert(fingerprint(&(a, b, c)));
                }
            }
        }
        assert_eq!(seen.len(), 64_000);
    }
}
