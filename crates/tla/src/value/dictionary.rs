//! Values that come up again and again, by number.
//!
//! Messages, logs and the values of most variables are few; states are many. An [`Encoder`] gives a number to
//! a compound value that it meets for the second time and writes the number instead of the value, so that a
//! state takes tens of bytes instead of hundreds; and a decoder finds the very value that it made for that
//! number before, with its hash. Workers share the numbers through a [`Dictionary`].

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::Value;
use super::encode::{REFERENCE, put_number};

/// Most numbers: they fit into two bytes.
const WORDS_MAX: usize = 1 << 14;
/// Longest encoding of a value that gets a number.
const WORD_BYTES_MAX: usize = 96;

/// The numbered values' encodings, which may mention each other.
#[derive(Default)]
pub(crate) struct Dictionary {
    words: RwLock<Words>,
}

#[derive(Default)]
struct Words {
    numbers: FxHashMap<Arc<[u8]>, u32>,
    texts: Vec<Arc<[u8]>>,
}

impl Dictionary {
    /// The encodings by their numbers.
    pub(crate) fn texts(&self) -> Vec<Arc<[u8]>> {
        self.words.read().unwrap_or_else(PoisonError::into_inner).texts.clone()
    }

    /// A dictionary out of its encodings, each preceded by its length in four bytes; none if the bytes are
    /// not that.
    pub(crate) fn of_words(mut bytes: &[u8]) -> Option<Dictionary> {
        let mut words = Words::default();
        while !bytes.is_empty() {
            let (length, rest) = bytes.split_first_chunk::<4>()?;
            let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            if words.texts.len() >= WORDS_MAX {
                return None;
            }
            words.texts.push(text.into());
            bytes = rest;
        }
        Some(Dictionary { words: RwLock::new(words) })
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> u32 {
        self.words.read().unwrap_or_else(PoisonError::into_inner).texts.len() as u32
    }

    /// The number of an encoding; none when there are no more numbers.
    fn number(&self, text: &[u8]) -> Option<u32> {
        let mut words = self.words.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = words.numbers.get(text) {
            return Some(*number);
        }
        if words.texts.len() >= WORDS_MAX {
            return None;
        }
        let number = words.texts.len() as u32;
        let text: Arc<[u8]> = text.into();
        words.numbers.insert(text.clone(), number);
        words.texts.push(text);
        Some(number)
    }

    /// The encoding with a number.
    pub(super) fn text(&self, number: u32) -> Option<Arc<[u8]>> {
        let words = self.words.read().unwrap_or_else(PoisonError::into_inner);
        words.texts.get(number as usize).cloned()
    }
}

/// Writes values, with numbers for those that it has met before.
pub(crate) struct Encoder<'d> {
    dictionary: &'d Dictionary,
    /// Numbered values by their hash.
    known: Vec<Option<(Value, u32)>>,
    /// Hashes of values that were met once.
    met: Vec<u32>,
}

impl<'d> Encoder<'d> {
    pub(crate) fn new(dictionary: &'d Dictionary) -> Encoder<'d> {
        let mut known = Vec::new();
        known.resize_with(WORDS_MAX, || None);
        Encoder { dictionary, known, met: vec![0; WORDS_MAX] }
    }

    /// Appends the number of a value that has one.
    pub(super) fn refer(&self, value: &Value, out: &mut Vec<u8>) -> bool {
        let slot = value.hash64() as usize >> 8 & (WORDS_MAX - 1);
        match &self.known[slot] {
            Some((known, number)) if known == value => {
                out.push(REFERENCE);
                put_number(out, u64::from(*number));
                true
            }
            _ => false,
        }
    }

    /// Takes notice of a value whose encoding starts at a position, and puts its number there if it gets one.
    pub(super) fn notice(&mut self, value: &Value, out: &mut Vec<u8>, start: usize) {
        if out.len() - start > WORD_BYTES_MAX {
            return;
        }
        let hash = value.hash64();
        let slot = hash as usize >> 8 & (WORDS_MAX - 1);
        let mark = (hash >> 32) as u32 | 1;
        if std::mem::replace(&mut self.met[slot], mark) != mark {
            return;
        }
        if let Some(number) = self.dictionary.number(&out[start..]) {
            self.known[slot] = Some((value.clone(), number));
            out.truncate(start);
            out.push(REFERENCE);
            put_number(out, u64::from(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::{Decoder, encode_all};
    use super::*;
    use crate::budget::{Allowance, Budget};

    #[test]
    fn what_comes_up_again_takes_a_few_bytes_and_is_read_back_by_anybody() {
        let message = |n| Value::record([("kind", Value::string("ask")), ("from", Value::Int(n))]);
        let messages = Value::set((0..5).map(message).collect());
        let dictionary = Dictionary::default();
        let mut encoder = Encoder::new(&dictionary);
        let mut lengths = Vec::new();
        for _ in 0..3 {
            let mut bytes = Vec::new();
            let values = std::slice::from_ref(&messages);
            let mut allowance = Allowance::new(&Budget::default());
            assert!(matches!(encode_all(values, &mut bytes, Some(&mut encoder), &mut allowance), Ok(None)));
            lengths.push(bytes.len());
            let mut decoder = Decoder::sharing(&dictionary);
            assert_eq!(decoder.decode(&mut bytes.as_slice()), Some(messages.clone()));
        }
        assert!(lengths[2] < 5 && lengths[2] < lengths[0] / 10, "{lengths:?}");
    }
}
