//! Sets that are described instead of listed.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::{SET_SIZE_MAX, SET_VALUES_MAX, SetIter, SetValue, Value};

/// A set that is not expanded; it remembers its elements once they have been listed.
pub struct LazySet {
    kind: LazyKind,
    pub(super) depth: Cell<u32>,
    expanded: OnceCell<Rc<SetValue>>,
}

/// The descriptions.
pub enum LazyKind {
    /// `Nat`
    Nat,
    /// `Int`
    Int,
    /// `Real`, of which only the integers are values
    Real,
    /// `STRING`
    Strings,
    /// `Any` of module TLC: everything
    Any,
    /// `Seq(S)`
    Seq(Value),
    /// `SUBSET S`
    Powerset(Value),
    /// `[D -> R]`
    Functions(Value, Value),
    /// `[a : A, b : B]`: the sorted names, and the sets in their order
    Records(Rc<SetValue>, Vec<Value>),
    /// `A \X B`
    Product(Vec<Value>),
    /// `A \cup B`, one of them lazy
    Cup(Value, Value),
    /// `A \cap B`
    Cap(Value, Value),
    /// `A \ B`
    Minus(Value, Value),
    /// `{x \in S : P}` with S infinite
    Filter(Value, Rc<crate::eval::Closure>),
}

impl LazySet {
    /// The description.
    pub fn kind(&self) -> &LazyKind {
        &self.kind
    }

    /// The elements, if they have been listed.
    pub(crate) fn expanded(&self) -> Option<Value> {
        self.expanded.get().map(|set| Value::Set(set.clone()))
    }

    pub(crate) fn remember(&self, set: &Rc<SetValue>) {
        // A second listing gives the same elements: whichever is first stays.
        let _ = self.expanded.set(set.clone());
    }
}

impl Value {
    /// A lazy set.
    pub fn lazy(kind: LazyKind) -> Value {
        Value::Lazy(Rc::new(LazySet { kind, depth: Cell::new(0), expanded: OnceCell::new() }))
    }

    /// Whether the elements can be listed at all.
    pub fn is_finite(&self) -> bool {
        match self {
            Value::Set(_) | Value::Interval(..) => true,
            Value::Lazy(set) => match &set.kind {
                LazyKind::Nat | LazyKind::Int | LazyKind::Real | LazyKind::Strings | LazyKind::Any => false,
                LazyKind::Seq(set) => set.is_empty(),
                LazyKind::Powerset(set) => set.is_finite(),
                LazyKind::Functions(domain, range) => domain.is_finite() && range.is_finite(),
                LazyKind::Records(_, sets) | LazyKind::Product(sets) => sets.iter().all(Value::is_finite),
                LazyKind::Cup(a, b) => a.is_finite() && b.is_finite(),
                LazyKind::Cap(a, b) => a.is_finite() || b.is_finite(),
                LazyKind::Minus(a, _) => a.is_finite(),
                LazyKind::Filter(set, _) => set.is_finite(),
            },
            _ => false,
        }
    }

    /// How many elements a set has, where that can be told without listing them.
    pub fn cardinality(&self) -> Option<u128> {
        let product = |sets: &[Value]| {
            let mut total: u128 = 1;
            for set in sets {
                total = total.saturating_mul(set.cardinality()?);
            }
            Some(total)
        };
        match self {
            Value::Lazy(set) => match &set.kind {
                LazyKind::Powerset(set) => {
                    let n = set.cardinality()?;
                    Some(if n >= 127 { u128::MAX } else { 1 << n })
                }
                LazyKind::Functions(domain, range) => {
                    let (n, m) = (domain.cardinality()?, range.cardinality()?);
                    Some(m.saturating_pow(u32::try_from(n).unwrap_or(u32::MAX)))
                }
                LazyKind::Records(_, sets) | LazyKind::Product(sets) => product(sets),
                _ => set.expanded.get().map(|set| set.items.len() as u128),
            },
            _ => self.len().map(|n| n as u128),
        }
    }

    /// How many values an element of the set has at most, where that can be told without listing them.
    fn element_breadth(&self) -> u128 {
        let Value::Lazy(set) = self else { return 0 };
        match &set.kind {
            LazyKind::Powerset(set) => set.cardinality().unwrap_or(0),
            LazyKind::Functions(domain, _) => domain.cardinality().unwrap_or(0),
            LazyKind::Records(_, sets) | LazyKind::Product(sets) => sets.len() as u128,
            _ => 0,
        }
    }

    /// About how many bytes an iterator over the elements takes, which lists the sets that they are made of.
    pub(crate) fn iterate_bytes(&self) -> usize {
        let Value::Lazy(set) = self else { return 0 };
        if set.expanded.get().is_some() {
            return 0;
        }
        let lists =
            |sets: &[Value]| sets.iter().fold(0usize, |sum, set| sum.saturating_add(set.list_bytes()));
        match &set.kind {
            LazyKind::Powerset(set) => set.list_bytes(),
            LazyKind::Functions(domain, range) => {
                let places = domain.cardinality().map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX));
                let wheels = places.saturating_mul(3 * size_of::<usize>());
                domain.list_bytes().saturating_add(range.list_bytes()).saturating_add(wheels)
            }
            LazyKind::Records(_, sets) | LazyKind::Product(sets) => lists(sets),
            LazyKind::Cup(a, b) | LazyKind::Cap(a, b) | LazyKind::Minus(a, b) => {
                2usize.saturating_mul(a.list_bytes().saturating_add(b.list_bytes()))
            }
            _ => 0,
        }
    }

    /// About how many bytes a list of the elements takes, with what is needed to make it.
    pub(crate) fn list_bytes(&self) -> usize {
        match self {
            Value::Interval(..) => self.len().unwrap_or(0).saturating_mul(size_of::<Value>()),
            Value::Lazy(set) if set.expanded.get().is_none() => {
                let breadth = self.element_breadth();
                let element = if breadth == 0 { 1 } else { breadth.saturating_add(6) };
                let values = self.cardinality().unwrap_or(0).saturating_mul(element);
                let bytes = values.saturating_mul(size_of::<Value>() as u128);
                self.iterate_bytes().saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX))
            }
            _ => 0,
        }
    }

    /// The elements of a set that needs no evaluation to be listed, or why it cannot be.
    pub(crate) fn list(&self) -> Result<Rc<SetValue>, String> {
        match self {
            Value::Set(set) => Ok(set.clone()),
            Value::Lazy(set) if set.expanded.get().is_some() => {
                set.expanded.get().cloned().ok_or_else(String::new)
            }
            _ => {
                if self.cardinality().is_some_and(|n| n > SET_SIZE_MAX as u128) {
                    return Err(format!("the set {} has more than {SET_SIZE_MAX} elements", self.brief()));
                }
                let values = self.cardinality().map(|n| n.saturating_mul(1 + self.element_breadth()));
                if values.is_some_and(|n| n > SET_VALUES_MAX as u128) {
                    return Err(format!(
                        "the elements of {} have more than {SET_VALUES_MAX} values in all",
                        self.brief()
                    ));
                }
                let items: Vec<Value> = SetIter::new(self)?.collect();
                let Value::Set(list) = Value::set(items) else { return Err(String::new()) };
                if let Value::Lazy(set) = self {
                    set.remember(&list);
                }
                Ok(list)
            }
        }
    }
}
