//! What is known already, in a fixed amount of memory: a bit for every number, as fuzzers of programs keep
//! their maps. Two numbers may share a bit; then the second of them is taken for known. So the size does not
//! grow with the campaign, and what is saved stays small.

use shakedown_cluster::derive_seed;

use crate::fuzz::saved::{Reader, Writer};

/// How many bits there are, as a power of two.
const POWER: u32 = 21;
/// How many words hold them.
const WORDS: usize = 1 << (POWER - 6);

/// A set of numbers, nearly.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Known(Vec<u64>);

impl Default for Known {
    fn default() -> Known {
        Known(vec![0; WORDS])
    }
}

impl Known {
    /// Takes a number in; whether it was new.
    pub fn insert(&mut self, number: u64) -> bool {
        let place = derive_seed(number, 0) >> (64 - POWER);
        let (word, bit) = (&mut self.0[(place >> 6) as usize], 1 << (place & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Writes the words that are not empty, each with its place.
    pub fn save(&self, writer: &mut Writer) {
        let words = || self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        writer.number(words().count() as u64);
        for (place, word) in words() {
            writer.number(place as u64);
            writer.number(*word);
        }
    }

    pub fn load(reader: &mut Reader<'_>) -> Result<Known, String> {
        let mut known = Known::default();
        for _ in 0..reader.count(16)? {
            let (place, word) = (reader.number()?, reader.number()?);
            let slot = usize::try_from(place).ok().and_then(|place| known.0.get_mut(place));
            *slot.ok_or_else(|| format!("a map has no word {place}"))? = word;
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once_and_nearly_every_number_is_new() {
        let mut known = Known::default();
        let new = (0..20_000).filter(|number| known.insert(*number)).count();
        assert!(new > 19_700, "{new} of 20 000 have a bit of their own");
        assert!((0..20_000).all(|number| !known.insert(number)));
        let mut writer = Writer::default();
        known.save(&mut writer);
        let bytes = writer.finish();
        let load = |bytes: &[u8]| Known::load(&mut Reader::new(bytes, b"").expect("there is no magic"));
        assert_eq!(load(&bytes), Ok(known));
        let mut writer = Writer::default();
        [1, WORDS as u64, 1].into_iter().for_each(|number| writer.number(number));
        assert!(load(&writer.finish()).is_err(), "there is no such place");
    }
}
