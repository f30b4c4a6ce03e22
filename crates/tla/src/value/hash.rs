//! Hashes of values: the fingerprints of states are made of them.
//!
//! They are functions of the value alone: the same in every process and on every machine.

use std::hash::{Hash, Hasher};

use super::{LazyKind, Value};
use crate::symbol::Symbol;

/// Mixes two words by a folded multiplication: every bit of the result depends on every bit of both.
#[inline]
pub(crate) const fn mix(a: u64, b: u64) -> u64 {
    let product = ((a ^ 0x9e37_79b9_7f4a_7c15) as u128) * ((b ^ 0xd1b5_4a32_d192_ed03) as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Mixes an ordered list into one word; never 0, which stands for "not computed".
#[inline]
pub(crate) fn mix_all(seed: u64, hashes: impl Iterator<Item = u64>) -> u64 {
    let mut state = seed;
    let mut count = 0u64;
    for hash in hashes {
        state = ordered_step(state, hash);
        count += 1;
    }
    ordered_end(state, count)
}

/// One step of [`mix_all`], which starts with the seed,
#[inline]
pub(crate) fn ordered_step(state: u64, hash: u64) -> u64 {
    mix(state.rotate_left(23), hash)
}

/// and its end.
#[inline]
pub(crate) fn ordered_end(state: u64, count: u64) -> u64 {
    mix(state, count) | 1
}

/// Mixes a set of hashes, whatever their order: so that the hash of a set whose elements are renamed needs no
/// sorting.
#[inline]
pub(crate) fn mix_unordered(seed: u64, hashes: impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0u64;
    let mut count = 0u64;
    for hash in hashes {
        sum = unordered_step(sum, hash, seed);
        count += 1;
    }
    unordered_end(sum, count, seed)
}

/// One step of [`mix_unordered`], which starts with 0,
#[inline]
pub(crate) fn unordered_step(sum: u64, hash: u64, seed: u64) -> u64 {
    sum.wrapping_add(mix(hash, seed))
}

/// and its end.
#[inline]
pub(crate) fn unordered_end(sum: u64, count: u64, seed: u64) -> u64 {
    mix(sum, count.wrapping_add(seed << 32)) | 1
}

pub(crate) const SET: u64 = 0x51;
pub(crate) const TUPLE: u64 = 0x72;
pub(crate) const FUNCTION: u64 = 0x83;

/// The hash of a model value.
#[inline]
pub(crate) fn model(name: Symbol) -> u64 {
    mix(name.hash64(), 0x40de1)
}

/// The hash of an integer.
#[inline]
pub(crate) fn int(n: i64) -> u64 {
    mix(n as u64, 0x1234_5678_9abc_def1)
}

impl Value {
    /// The hash.
    #[inline]
    pub fn hash64(&self) -> u64 {
        match self {
            Value::Undefined => 3,
            Value::Bool(b) => 0x6a09_e667_f3bc_c908 + u64::from(*b),
            Value::Int(n) => int(*n),
            Value::Str(name) => name.hash64(),
            Value::Model(name) => model(*name),
            Value::Interval(low, high) => mix_unordered(SET, (*low..=*high).map(|n| int(i64::from(n)))),
            Value::Set(set) => cached(&set.hash, || mix_unordered(SET, set.items.iter().map(Value::hash64))),
            Value::Tuple(tuple) => {
                cached(&tuple.hash, || mix_all(TUPLE, tuple.items.iter().map(Value::hash64)))
            }
            Value::Function(function) => cached(&function.hash, || {
                let pairs = function.domain.items.iter().zip(&function.values);
                mix_unordered(FUNCTION, pairs.map(|(a, v)| mix(a.hash64(), v.hash64())))
            }),
            Value::Lazy(set) => match set.expanded() {
                Some(set) => set.hash64(),
                None => hash_lazy(set.kind()),
            },
            Value::Lambda(_) => 5,
        }
    }
}

#[inline]
fn cached(cell: &std::cell::Cell<u64>, compute: impl FnOnce() -> u64) -> u64 {
    let known = cell.get();
    if known != 0 {
        return known;
    }
    let hash = compute();
    cell.set(hash);
    hash
}

fn hash_lazy(kind: &LazyKind) -> u64 {
    match kind {
        LazyKind::Nat => 11,
        LazyKind::Int => 12,
        LazyKind::Real => 13,
        LazyKind::Strings => 14,
        LazyKind::Any => 24,
        LazyKind::Seq(set) => mix(15, set.hash64()),
        LazyKind::Powerset(set) => mix(16, set.hash64()),
        LazyKind::Functions(domain, range) => mix(mix(17, domain.hash64()), range.hash64()),
        LazyKind::Records(_, sets) => mix_all(18, sets.iter().map(Value::hash64)),
        LazyKind::Product(sets) => mix_all(19, sets.iter().map(Value::hash64)),
        LazyKind::Cup(a, b) => mix(mix(20, a.hash64()), b.hash64()),
        LazyKind::Cap(a, b) => mix(mix(21, a.hash64()), b.hash64()),
        LazyKind::Minus(a, b) => mix(mix(22, a.hash64()), b.hash64()),
        LazyKind::Filter(set, _) => mix(23, set.hash64()),
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash64());
    }
}
