//! Values as bytes: how states wait in queues and travel between threads.
//!
//! The encoding is compact and lives only as long as the process, for it refers to symbols by number.
//! Compound values are preceded by their length in bytes, so that a [`Decoder`] can recognise one that it has
//! decoded before without looking inside: the same messages and logs come up in state after state, and what
//! is recognised keeps its hash.

use std::cell::Cell;
use std::rc::Rc;

use super::depth::NESTING_MAX;
use super::dictionary::{Dictionary, Encoder};
use super::hash::mix;
use super::{FunctionValue, SetValue, TupleValue, Value};
use crate::budget::Allowance;
use crate::error::{Place, Result};
use crate::symbol::Symbol;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const INT: u8 = 2;
const STR: u8 = 3;
const MODEL: u8 = 4;
const INTERVAL: u8 = 5;
const SET: u8 = 6;
const TUPLE: u8 = 7;
const FUNCTION: u8 = 8;
/// The number of a value in the dictionary.
pub(super) const REFERENCE: u8 = 9;
/// Small numbers are their own tag.
const SMALL: u8 = 16;
const SMALL_MAX: i64 = 200;

pub(super) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// What encoding may take before it asks for room.
const SMALL_BYTES_MAX: usize = 1 << 20;

/// Appends values, with numbers for those that an encoder knows. Gives the position of one that is a set or
/// function that is not expanded. Parts that values share are written wherever they stand, so that a small
/// value may take a lot of room.
pub(crate) fn encode_all(
    values: &[Value],
    out: &mut Vec<u8>,
    mut encoder: Option<&mut Encoder<'_>>,
    allowance: &mut Allowance,
) -> Result<Option<usize>> {
    let start = out.len();
    let mut bytes_max = SMALL_BYTES_MAX;
    'again: loop {
        for (index, value) in values.iter().enumerate() {
            let limit = start + bytes_max;
            if encode_with(value, out, encoder.as_deref_mut(), limit).is_none() {
                let is_long = out.len() > limit;
                out.truncate(start);
                if !is_long {
                    return Ok(Some(index));
                }
                bytes_max = bytes_max.saturating_mul(2);
                allowance.take(bytes_max, Place::none())?;
                continue 'again;
            }
        }
        return Ok(None);
    }
}

/// Appends a value; `None` if it is a set or function that is not expanded, or if there are more bytes than
/// the limit.
pub(super) fn encode_with(
    value: &Value,
    out: &mut Vec<u8>,
    encoder: Option<&mut Encoder<'_>>,
    limit: usize,
) -> Option<()> {
    match value {
        Value::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Value::Int(n) if (0..SMALL_MAX).contains(n) => out.push(SMALL + *n as u8),
        Value::Int(n) => {
            out.push(INT);
            put_number(out, ((n << 1) ^ (n >> 63)) as u64);
        }
        Value::Str(name) => {
            out.push(STR);
            put_number(out, u64::from(name.index()));
        }
        Value::Model(name) => {
            out.push(MODEL);
            put_number(out, u64::from(name.index()));
        }
        Value::Interval(low, high) => {
            out.push(INTERVAL);
            put_number(out, u64::from(*low as u32));
            put_number(out, u64::from(*high as u32));
        }
        Value::Lazy(set) => match set.expanded() {
            Some(set) => encode_with(&set, out, encoder, limit)?,
            None => return None,
        },
        Value::Undefined | Value::Lambda(_) => return None,
        compound => match encoder {
            Some(encoder) => {
                if !encoder.refer(compound, out) {
                    let start = out.len();
                    encode_compound(compound, out, Some(&mut *encoder), limit)?;
                    encoder.notice(compound, out, start);
                }
            }
            None => encode_compound(compound, out, None, limit)?,
        },
    }
    Some(())
}

fn encode_compound(
    value: &Value,
    out: &mut Vec<u8>,
    encoder: Option<&mut Encoder<'_>>,
    limit: usize,
) -> Option<()> {
    match value {
        Value::Set(set) => framed(out, SET, |out| encode_list(&set.items, out, encoder, limit)),
        Value::Tuple(tuple) => framed(out, TUPLE, |out| encode_list(&tuple.items, out, encoder, limit)),
        Value::Function(function) => framed(out, FUNCTION, |out| {
            let mut encoder = encoder;
            encode_with(&Value::Set(function.domain.clone()), out, encoder.as_deref_mut(), limit)?;
            for value in &function.values {
                encode_with(value, out, encoder.as_deref_mut(), limit)?;
            }
            (out.len() <= limit).then_some(())
        }),
        _ => None,
    }
}

fn encode_list(
    items: &[Value],
    out: &mut Vec<u8>,
    mut encoder: Option<&mut Encoder<'_>>,
    limit: usize,
) -> Option<()> {
    put_number(out, items.len() as u64);
    for item in items {
        encode_with(item, out, encoder.as_deref_mut(), limit)?;
    }
    (out.len() <= limit).then_some(())
}

/// Writes a tag, the length of what follows, and what follows.
fn framed(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
    out.push(tag);
    let start = out.len();
    out.push(0);
    write(out)?;
    let length = out.len() - start - 1;
    if length < 0x80 {
        out[start] = length as u8;
    } else {
        let mut number = Vec::with_capacity(5);
        put_number(&mut number, length as u64);
        out.splice(start..=start, number);
    }
    Some(())
}

/// The most that values take that were encoded in so many bytes: three of them may be a sequence of its own.
pub(crate) fn decoded_bytes(encoded: usize) -> usize {
    encoded.saturating_mul(32)
}

/// Entries of the cache of decoded values.
const CACHE_ENTRIES: usize = 1 << 11;
/// Longest encoding that is cached, in bytes.
const CACHED_BYTES_MAX: usize = 512;

struct Entry {
    bytes: Box<[u8]>,
    value: Value,
}

/// Decodes values, and recognises those it has decoded before.
pub(crate) struct Decoder<'d> {
    cache: Vec<Option<Entry>>,
    dictionary: Option<&'d Dictionary>,
    /// The values that have numbers, as far as they have been needed.
    numbered: Vec<Value>,
    /// For what another process has written: its symbols by their numbers, and how deep the value that is
    /// read is nested.
    foreign: Option<Foreign>,
}

/// What another process has written is not trusted.
struct Foreign {
    symbols: Vec<Symbol>,
    depth: u32,
    /// Only values with smaller numbers may be mentioned.
    numbers_max: u32,
}

impl<'d> Decoder<'d> {
    /// For what was encoded without a dictionary.
    pub(crate) fn new() -> Decoder<'d> {
        let mut cache = Vec::new();
        cache.resize_with(CACHE_ENTRIES, || None);
        Decoder { cache, dictionary: None, numbered: Vec::new(), foreign: None }
    }

    /// For what was encoded with this dictionary.
    pub(crate) fn sharing(dictionary: &'d Dictionary) -> Decoder<'d> {
        Decoder { dictionary: Some(dictionary), ..Decoder::new() }
    }

    /// For what another process has written with its symbols and this dictionary.
    pub(crate) fn foreign(dictionary: &'d Dictionary, symbols: Vec<Symbol>) -> Decoder<'d> {
        let foreign = Foreign { symbols, depth: 0, numbers_max: 0 };
        let mut decoder = Decoder { foreign: Some(foreign), ..Decoder::sharing(dictionary) };
        // Numbered values mention only those before them, and those are known then.
        for number in 0..dictionary.len() {
            let _ = decoder.number_value(number);
            if let Some(foreign) = &mut decoder.foreign {
                foreign.numbers_max = number + 1;
            }
        }
        decoder
    }

    /// The symbol with a number.
    fn symbol(&self, number: u64) -> Option<Symbol> {
        match &self.foreign {
            None => Symbol::from_index(number as u32),
            Some(foreign) => foreign.symbols.get(usize::try_from(number).ok()?).copied(),
        }
    }

    /// The value that has a number.
    fn refer(&mut self, number: u32) -> Option<Value> {
        if self.foreign.as_ref().is_some_and(|foreign| number >= foreign.numbers_max) {
            return None;
        }
        self.number_value(number)
    }

    fn number_value(&mut self, number: u32) -> Option<Value> {
        if let Some(value) = self.numbered.get(number as usize)
            && !value.is_undefined()
        {
            return Some(value.clone());
        }
        let text = self.dictionary?.text(number)?;
        let value = self.decode(&mut &*text)?;
        if self.numbered.len() <= number as usize {
            self.numbered.resize(number as usize + 1, Value::Undefined);
        }
        self.numbered[number as usize] = value.clone();
        Some(value)
    }

    /// The next value of an encoding; `None` if the bytes are not one.
    pub(crate) fn decode(&mut self, bytes: &mut &[u8]) -> Option<Value> {
        let whole = *bytes;
        let tag = take(bytes)?;
        if tag >= SMALL {
            return Some(Value::Int(i64::from(tag - SMALL)));
        }
        Some(match tag {
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            INT => {
                let n = number(bytes)?;
                Value::Int(((n >> 1) as i64) ^ -((n & 1) as i64))
            }
            STR => Value::Str(self.symbol(number(bytes)?)?),
            MODEL => Value::Model(self.symbol(number(bytes)?)?),
            INTERVAL => Value::Interval(number(bytes)? as u32 as i32, number(bytes)? as u32 as i32),
            REFERENCE => {
                let number = number(bytes)? as u32;
                return self.refer(number);
            }
            _ => {
                let length = number(bytes)? as usize;
                let inner = bytes.get(..length)?;
                *bytes = &bytes[length..];
                let encoded = &whole[..whole.len() - bytes.len()];
                return self.compound(tag, encoded, inner);
            }
        })
    }

    fn compound(&mut self, tag: u8, encoded: &[u8], inner: &[u8]) -> Option<Value> {
        if self.foreign.is_some() {
            return self.guarded(tag, inner);
        }
        if encoded.len() > CACHED_BYTES_MAX {
            return self.fresh(tag, inner);
        }
        let slot = hash_bytes(encoded) as usize % CACHE_ENTRIES;
        if let Some(entry) = &self.cache[slot]
            && *entry.bytes == *encoded
        {
            return Some(entry.value.clone());
        }
        let value = self.fresh(tag, inner)?;
        self.cache[slot] = Some(Entry { bytes: encoded.into(), value: value.clone() });
        Some(value)
    }

    /// What another process has written may be nested without end.
    #[cold]
    fn guarded(&mut self, tag: u8, inner: &[u8]) -> Option<Value> {
        let depth = &mut self.foreign.as_mut()?.depth;
        *depth += 1;
        let value = if *depth > NESTING_MAX { None } else { self.fresh(tag, inner) };
        self.foreign.as_mut()?.depth -= 1;
        value
    }

    fn fresh(&mut self, tag: u8, mut inner: &[u8]) -> Option<Value> {
        Some(match tag {
            SET => Value::Set(Rc::new(SetValue {
                hash: Cell::new(0),
                depth: Cell::new(0),
                items: self.list(&mut inner)?,
            })),
            TUPLE => Value::Tuple(Rc::new(TupleValue {
                hash: Cell::new(0),
                depth: Cell::new(0),
                items: self.list(&mut inner)?,
            })),
            FUNCTION => {
                let Value::Set(domain) = self.decode(&mut inner)? else { return None };
                let mut values = Vec::with_capacity(domain.items.len());
                for _ in 0..domain.items.len() {
                    values.push(self.decode(&mut inner)?);
                }
                Value::Function(Rc::new(FunctionValue {
                    hash: Cell::new(0),
                    depth: Cell::new(0),
                    domain,
                    values,
                }))
            }
            _ => return None,
        })
    }

    fn list(&mut self, inner: &mut &[u8]) -> Option<Vec<Value>> {
        let n = number(inner)? as usize;
        let mut items = Vec::with_capacity(n.min(1 << 16));
        for _ in 0..n {
            items.push(self.decode(inner)?);
        }
        Some(items)
    }
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut n = 0;
    let mut shift = 0;
    loop {
        let byte = take(bytes)?;
        n |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(n);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0u8; 8];
        word.copy_from_slice(chunk);
        state = mix(state, u64::from_le_bytes(word));
    }
    let mut last = [0u8; 8];
    let rest = chunks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last))
}
