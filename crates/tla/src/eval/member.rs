//! Equality, membership and inclusion, with TLC's complaints about values that cannot be compared.

use std::rc::Rc;

use super::Machine;
use crate::error::{Place, Result, fail};
use crate::symbol::Symbol;
use crate::value::{LazyKind, Value};

impl Machine {
    /// Whether two values are equal.
    #[inline]
    pub(super) fn equal(&mut self, a: &Value, b: &Value, place: Place) -> Result<bool> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => Ok(a == b),
            (Value::Str(a), Value::Str(b)) => Ok(a == b),
            (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
            (Value::Model(x), Value::Model(y)) => {
                if x != y {
                    check_types(*x, b, place)?;
                }
                Ok(x == y)
            }
            (Value::Model(x), other) | (other, Value::Model(x)) => {
                check_types(*x, other, place)?;
                Ok(false)
            }
            (Value::Set(_), Value::Set(_))
            | (Value::Tuple(_), Value::Tuple(_))
            | (Value::Function(_), Value::Function(_)) => Ok(a == b),
            _ => self.equal_slowly(a, b, place),
        }
    }

    fn equal_slowly(&mut self, a: &Value, b: &Value, place: Place) -> Result<bool> {
        match (a, b) {
            _ if a.is_set() && b.is_set() => {
                if a.is_finite() != b.is_finite() {
                    return Ok(false);
                }
                if !a.is_finite() || alike(a, b) {
                    return Ok(a == b);
                }
                if let (Some(n), Some(m)) = (a.cardinality(), b.cardinality())
                    && n != m
                {
                    return Ok(false);
                }
                let a = self.concrete(a.clone(), place)?;
                let b = self.concrete(b.clone(), place)?;
                Ok(a == b)
            }
            _ if a.is_function() && b.is_function() => {
                let a = self.concrete(a.clone(), place)?;
                let b = self.concrete(b.clone(), place)?;
                Ok(a == b)
            }
            _ => fail(
                place,
                format!(
                    "attempted to check equality of {} ({}) with {} ({})",
                    a.brief(),
                    a.kind(),
                    b.brief(),
                    b.kind()
                ),
            ),
        }
    }

    /// Whether a value is an element of a set.
    pub(super) fn member(&mut self, value: &Value, set: &Value, place: Place) -> Result<bool> {
        match set {
            Value::Set(items) => {
                if let Value::Lazy(_) | Value::Lambda(_) = value {
                    let value = self.concrete(value.clone(), place)?;
                    return Ok(items.find(&value).is_some());
                }
                if items.find(value).is_some() {
                    return Ok(true);
                }
                if let Some(first) = items.items().first() {
                    check_kinds(value, first, place)?;
                }
                Ok(false)
            }
            Value::Interval(low, high) => match value {
                Value::Int(n) => Ok(i64::from(*low) <= *n && *n <= i64::from(*high)),
                Value::Model(_) => Ok(false),
                _ => fail(
                    place,
                    format!("{} \\in {}: {} is no integer", value.brief(), set.brief(), value.brief()),
                ),
            },
            Value::Lazy(lazy) => match lazy.kind() {
                LazyKind::Nat | LazyKind::Int | LazyKind::Real => match value {
                    Value::Int(n) => Ok(*n >= 0 || !matches!(lazy.kind(), LazyKind::Nat)),
                    _ => not_in(value, set, place),
                },
                LazyKind::Strings => match value {
                    Value::Str(_) => Ok(true),
                    _ => not_in(value, set, place),
                },
                LazyKind::Any => Ok(true),
                LazyKind::Powerset(base) if value.is_set() => self.subset(value, base, place),
                LazyKind::Functions(domain, range) if value.is_function() => {
                    self.in_functions(value, domain, range, place)
                }
                LazyKind::Powerset(_) | LazyKind::Functions(..) => not_in(value, set, place),
                LazyKind::Records(names, sets) => match value {
                    Value::Function(function) => {
                        if function.domain().items() != names.items() {
                            return Ok(false);
                        }
                        self.all_in(function.values(), sets, place)
                    }
                    _ => not_in(value, set, place),
                },
                LazyKind::Product(sets) => match value {
                    Value::Tuple(tuple) if tuple.items().len() == sets.len() => {
                        self.all_in(tuple.items(), sets, place)
                    }
                    _ => not_in(value, set, place),
                },
                LazyKind::Seq(base) => match value {
                    Value::Tuple(tuple) => {
                        for item in tuple.items() {
                            if !self.member(item, base, place)? {
                                return Ok(false);
                            }
                        }
                        Ok(true)
                    }
                    Value::Lambda(_) => {
                        let value = self.concrete(value.clone(), place)?;
                        if matches!(value, Value::Lambda(_)) {
                            Ok(false)
                        } else {
                            self.member(&value, set, place)
                        }
                    }
                    _ => Ok(false),
                },
                LazyKind::Cup(a, b) => Ok(self.member(value, a, place)? || self.member(value, b, place)?),
                LazyKind::Cap(a, b) => Ok(self.member(value, a, place)? && self.member(value, b, place)?),
                LazyKind::Minus(a, b) => Ok(self.member(value, a, place)? && !self.member(value, b, place)?),
                LazyKind::Filter(base, closure) => {
                    if !self.member(value, base, place)? {
                        return Ok(false);
                    }
                    let closure = closure.clone();
                    let holds = self.apply_closure(&closure, value.clone(), None, Machine::eval)?;
                    self.truth(&holds, place)
                }
            },
            other => fail(place, format!("{} is {}, not a set", other.brief(), other.kind())),
        }
    }

    fn all_in(&mut self, values: &[Value], sets: &[Value], place: Place) -> Result<bool> {
        for (value, set) in values.iter().zip(sets) {
            if !self.member(value, set, place)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_functions(&mut self, value: &Value, domain: &Value, range: &Value, place: Place) -> Result<bool> {
        match value {
            Value::Tuple(tuple) => {
                let n = tuple.items().len();
                let fits = match domain {
                    Value::Interval(low, high) => *low == 1 && *high as usize == n,
                    Value::Set(set) => {
                        set.items().len() == n
                            && set.items().iter().zip(1..).all(|(v, i)| matches!(v, Value::Int(n) if *n == i))
                    }
                    _ => {
                        let own = self.domain(value, place)?;
                        self.equal(&own, domain, place)?
                    }
                };
                if !fits {
                    return Ok(false);
                }
                for item in tuple.items() {
                    if !self.member(item, range, place)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Function(function) => {
                let fits = match domain {
                    Value::Set(set) => {
                        Rc::ptr_eq(set, function.domain()) || set.items() == function.domain().items()
                    }
                    _ => self.equal(&Value::Set(function.domain().clone()), domain, place)?,
                };
                if !fits {
                    return Ok(false);
                }
                for item in function.values() {
                    if !self.member(item, range, place)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Lambda(_) => {
                let value = self.concrete(value.clone(), place)?;
                if matches!(value, Value::Lambda(_)) {
                    return Ok(false);
                }
                self.in_functions(&value, domain, range, place)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn subset(&mut self, a: &Value, b: &Value, place: Place) -> Result<bool> {
        if let (Value::Interval(low, high), Value::Interval(bottom, top)) = (a, b) {
            return Ok(bottom <= low && high <= top);
        }
        if !a.is_set() || !b.is_set() {
            return fail(place, "\\subseteq compares sets only");
        }
        if !a.is_finite() {
            return self.infinite_subset(a, b, place);
        }
        if let Value::Lazy(lazy) = a {
            // A set of subsets is below another exactly if their bases are.
            if let (LazyKind::Powerset(x), Value::Lazy(other)) = (lazy.kind(), b)
                && let LazyKind::Powerset(y) = other.kind()
            {
                return self.subset(x, y, place);
            }
        }
        for item in self.iterate(a, place)? {
            self.steps(1, place)?;
            if !self.member(&item, b, place)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn infinite_subset(&mut self, a: &Value, b: &Value, place: Place) -> Result<bool> {
        let (Value::Lazy(x), Value::Lazy(y)) = (a, b) else { return Ok(false) };
        match (x.kind(), y.kind()) {
            (LazyKind::Nat, LazyKind::Nat | LazyKind::Int | LazyKind::Real)
            | (LazyKind::Int, LazyKind::Int | LazyKind::Real) => Ok(true),
            _ if a == b => Ok(true),
            _ => fail(place, format!("{} \\subseteq {} cannot be evaluated", a.brief(), b.brief())),
        }
    }
}

/// Whether two sets are descriptions of the same form, not listed, so that comparing their parts is enough to
/// find them equal.
fn alike(a: &Value, b: &Value) -> bool {
    let (Value::Lazy(x), Value::Lazy(y)) = (a, b) else { return false };
    x.expanded().is_none() && y.expanded().is_none() && a == b
}

/// Whether there are model values whose types do not fit the others, so that these values are no set.
pub(crate) fn mixes_types(values: &[Value]) -> bool {
    let mut names = values.iter().filter(|value| matches!(value, Value::Model(_)));
    names.any(|name| values.iter().any(|other| check_types_of(name, other, Place::none()).is_err()))
}

/// That two values may be compared, if one of them is a typed model value.
pub(super) fn check_types_of(a: &Value, b: &Value, place: Place) -> Result<()> {
    match (a, b) {
        (Value::Model(name), other) | (other, Value::Model(name)) => check_types(*name, other, place),
        _ => Ok(()),
    }
}

/// A typed model value (a letter, then an underscore) is compared with values of its own type only.
fn check_types(name: Symbol, other: &Value, place: Place) -> Result<()> {
    let kind = |name: Symbol| match name.as_str().as_bytes() {
        [letter, b'_', _, ..] => Some(*letter),
        _ => None,
    };
    let fits = match other {
        Value::Model(second) => match (kind(name), kind(*second)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        },
        _ => kind(name).is_none(),
    };
    if fits {
        return Ok(());
    }
    fail(place, format!("the typed model value {name} is compared with {}", other.brief()))
}

#[inline]
pub(super) fn check_kinds(a: &Value, b: &Value, place: Place) -> Result<()> {
    let kind = |value: &Value| match value {
        Value::Int(_) => 1,
        Value::Bool(_) => 2,
        Value::Str(_) => 3,
        Value::Tuple(_) | Value::Function(_) | Value::Lambda(_) => 4,
        Value::Set(_) | Value::Interval(..) | Value::Lazy(_) => 5,
        Value::Model(_) | Value::Undefined => 0,
    };
    let (x, y) = (kind(a), kind(b));
    if x == y || x == 0 || y == 0 {
        return Ok(());
    }
    fail(
        place,
        format!("attempted to compare {} ({}) with {} ({})", a.brief(), a.kind(), b.brief(), b.kind()),
    )
}

/// That a value of another kind is not in a set: TLC knows it of model values and of compound values only.
fn not_in(value: &Value, set: &Value, place: Place) -> Result<bool> {
    let of_numbers = matches!(set, Value::Lazy(lazy) if matches!(lazy.kind(), LazyKind::Nat | LazyKind::Int | LazyKind::Real | LazyKind::Strings));
    match value {
        Value::Int(_) | Value::Str(_) | Value::Bool(_) => {}
        _ if of_numbers && !matches!(value, Value::Model(_)) => {}
        _ => return Ok(false),
    }
    fail(place, format!("attempted to check if {} ({}) is in {}", value.brief(), value.kind(), set.brief()))
}
