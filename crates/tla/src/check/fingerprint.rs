//! The fingerprint of a state: 64 bits that stand for it.
//!
//! Without symmetry and VIEW it is made of the variables' hashes, which values remember. With symmetry it is
//! the least one among all permutations of the state; with a VIEW it is that of the view's value. A value has
//! the same hashes under the permutations whatever state it is in, so they are remembered: the values of
//! variables, and their parts, are far fewer than states.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::compile::ir::Expr;
use crate::error::Result;
use crate::eval::Machine;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::hash::{self, mix};

/// The hash of no values yet.
const START: u64 = 0x5368_616b_6564_6f77;

/// Most hashes that are remembered: 8 MiB of them.
const REMEMBERED_MAX: usize = 1 << 20;

/// The fingerprint of a list of values.
#[inline]
pub(crate) fn of_values(values: &[Value]) -> u64 {
    values.iter().fold(START, |state, value| mix(state, value.hash64()))
}

/// Which way fingerprints are made.
pub(crate) struct Fingerprint {
    symmetry: Option<RefCell<Orbits>>,
    view: bool,
}

impl Fingerprint {
    pub(crate) fn of_model(model: &Model) -> Fingerprint {
        let is_symmetric = !model.symmetry.is_empty();
        Fingerprint {
            symmetry: is_symmetric.then(|| RefCell::new(Orbits::new(&model.symmetry))),
            view: model.view.is_some(),
        }
    }

    /// The fingerprint of the state in `machine.next`.
    #[inline]
    pub(crate) fn of_next(&self, machine: &mut Machine, view: Option<&Expr>) -> Result<u64> {
        match view {
            Some(view) if self.view => {
                let value = machine.eval_in_next(view)?;
                Ok(self.least(std::slice::from_ref(&value)))
            }
            _ => Ok(self.least(&machine.next)),
        }
    }

    #[inline]
    fn least(&self, values: &[Value]) -> u64 {
        let own = of_values(values);
        self.symmetry.as_ref().map_or(own, |orbits| own.min(orbits.borrow_mut().least(values)))
    }
}

/// The hashes of a value under all permutations.
#[derive(Clone)]
enum Images {
    /// No permutation changes the value.
    Same(u64),
    Each(Rc<[u64]>),
}

impl Images {
    fn is_same(&self) -> bool {
        matches!(self, Images::Same(_))
    }

    fn get(&self, permutation: usize) -> u64 {
        match self {
            Images::Same(hash) => *hash,
            Images::Each(hashes) => hashes[permutation],
        }
    }
}

/// The permutations, and the hashes that are remembered.
struct Orbits {
    permutations: usize,
    models: FxHashMap<Symbol, Rc<[u64]>>,
    known: FxHashMap<u64, Images>,
    /// The fingerprints of the state under each permutation, as far as they are made.
    states: Vec<u64>,
}

impl Orbits {
    fn new(permutations: &[Vec<(Symbol, Symbol)>]) -> Orbits {
        let mut models: FxHashMap<Symbol, Rc<[u64]>> = FxHashMap::default();
        for (name, _) in permutations.iter().flatten() {
            let image = |permutation: &Vec<(Symbol, Symbol)>| {
                let image = permutation.iter().find(|(from, _)| from == name).map_or(*name, |(_, to)| *to);
                hash::model(image)
            };
            models.entry(*name).or_insert_with(|| permutations.iter().map(image).collect());
        }
        Orbits { permutations: permutations.len(), models, known: FxHashMap::default(), states: Vec::new() }
    }

    /// The least fingerprint under the permutations.
    fn least(&mut self, values: &[Value]) -> u64 {
        if self.is_full() {
            self.known.clear();
        }
        let mut states = std::mem::take(&mut self.states);
        states.clear();
        states.resize(self.permutations, START);
        for value in values {
            match self.images(value) {
                Images::Same(hash) => states.iter_mut().for_each(|state| *state = mix(*state, hash)),
                Images::Each(hashes) => {
                    states.iter_mut().zip(&*hashes).for_each(|(state, hash)| *state = mix(*state, *hash));
                }
            }
        }
        let least = states.iter().copied().min().unwrap_or(u64::MAX);
        self.states = states;
        least
    }

    fn is_full(&self) -> bool {
        self.known.len().saturating_mul(self.permutations) > REMEMBERED_MAX
    }

    /// The hashes that a value has when its model values are exchanged.
    fn images(&mut self, value: &Value) -> Images {
        if let Value::Model(name) = value {
            let hashes = self.models.get(name);
            return hashes
                .map_or_else(|| Images::Same(hash::model(*name)), |hashes| Images::Each(hashes.clone()));
        }
        if !matches!(value, Value::Set(_) | Value::Tuple(_) | Value::Function(_)) {
            return Images::Same(value.hash64());
        }
        let own = value.hash64();
        if let Some(known) = self.known.get(&own) {
            return known.clone();
        }
        let images = match self.mixed(value) {
            Some(hashes) => Images::Each(hashes.into()),
            None => Images::Same(own),
        };
        if !self.is_full() {
            self.known.insert(own, images.clone());
        }
        images
    }

    /// The hashes of a compound value, made of those of its parts as [`Value::hash64`] makes them; none if
    /// all are the same.
    fn mixed(&mut self, value: &Value) -> Option<Vec<u64>> {
        let mut sums = Sums { permutations: self.permutations, same: 0, each: None };
        let count = match value {
            Value::Set(set) => {
                for item in set.items() {
                    let images = self.images(item);
                    let step = |sum, i| hash::unordered_step(sum, images.get(i), hash::SET);
                    sums.take(images.is_same(), step);
                }
                set.items().len()
            }
            Value::Tuple(tuple) => {
                sums.same = hash::TUPLE;
                for item in tuple.items() {
                    let images = self.images(item);
                    sums.take(images.is_same(), |state, i| hash::ordered_step(state, images.get(i)));
                }
                tuple.items().len()
            }
            Value::Function(function) => {
                for (argument, result) in function.domain().items().iter().zip(function.values()) {
                    let (argument, result) = (self.images(argument), self.images(result));
                    sums.take(argument.is_same() && result.is_same(), |sum, i| {
                        hash::unordered_step(sum, mix(argument.get(i), result.get(i)), hash::FUNCTION)
                    });
                }
                function.values().len()
            }
            _ => return None,
        };
        let mut hashes = sums.each?;
        for sum in &mut hashes {
            *sum = match value {
                Value::Set(_) => hash::unordered_end(*sum, count as u64, hash::SET),
                Value::Tuple(_) => hash::ordered_end(*sum, count as u64),
                _ => hash::unordered_end(*sum, count as u64, hash::FUNCTION),
            };
        }
        Some(hashes)
    }
}

/// What has been mixed so far: one word as long as it is the same under all permutations.
struct Sums {
    permutations: usize,
    same: u64,
    each: Option<Vec<u64>>,
}

impl Sums {
    /// Mixes in a part: the function gives what comes after a word under a permutation.
    fn take(&mut self, is_same: bool, step: impl Fn(u64, usize) -> u64) {
        match &mut self.each {
            None if is_same => self.same = step(self.same, 0),
            None => self.each = Some((0..self.permutations).map(|i| step(self.same, i)).collect()),
            Some(each) => each.iter_mut().enumerate().for_each(|(i, state)| *state = step(*state, i)),
        }
    }
}
