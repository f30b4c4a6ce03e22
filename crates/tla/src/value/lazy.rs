//! Sets that are described instead of listed.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{SET_SIZE_MAX, SET_VALUES_MAX, SetIter, SetValue, Value};

/// A set that is not expanded; it remembers its elements once they have been listed.
pub struct LazySet {
    kind: LazyKind,
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
        Value::Lazy(Rc::new(LazySet { kind, expanded: OnceCell::new() }))
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

    /// The elements of a set that needs no evaluation to be listed, or why it cannot be.
    pub(crate) fn list(&self) -> Result<Rc<SetValue>, String> {
        match self {
            Value::Set(set) => Ok(set.clone()),
            Value::Lazy(set) if set.expanded.get().is_some() => {
                set.expanded.get().cloned().ok_or_else(String::new)
            }
            _ => {
                if self.cardinality().is_some_and(|n| n > SET_SIZE_MAX as u128) {
                    return Err(format!("the set {self} has more than {SET_SIZE_MAX} elements"));
                }
                let values = self.cardinality().map(|n| n.saturating_mul(1 + self.element_breadth()));
                if values.is_some_and(|n| n > SET_VALUES_MAX as u128) {
                    return Err(format!(
                        "the elements of {self} have more than {SET_VALUES_MAX} values in all"
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
