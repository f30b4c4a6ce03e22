//! Equality and order of values.
//!
//! The order is TLC's, because `CHOOSE` takes the least element: sets, tuples and functions by size first,
//! then by their elements. Strings and model values go by their text (TLC: by when it first read them).

use std::cmp::Ordering;
use std::rc::Rc;

use super::{FunctionValue, LazyKind, SetValue, Value};

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Model(a), Value::Model(b)) => a == b,
            (Value::Set(a), Value::Set(b)) => equal_sets(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => {
                Rc::ptr_eq(a, b) || (!differ(a.hash.get(), b.hash.get()) && a.items == b.items)
            }
            (Value::Function(a), Value::Function(b)) => {
                Rc::ptr_eq(a, b)
                    || (!differ(a.hash.get(), b.hash.get())
                        && equal_sets(&a.domain, &b.domain)
                        && a.values == b.values)
            }
            _ => self.cmp(other).is_eq(),
        }
    }
}

impl Eq for Value {}

/// Whether two remembered hashes show that their values differ.
#[inline]
fn differ(a: u64, b: u64) -> bool {
    a != 0 && b != 0 && a != b
}

#[inline]
fn equal_sets(a: &Rc<SetValue>, b: &Rc<SetValue>) -> bool {
    Rc::ptr_eq(a, b) || (!differ(a.hash.get(), b.hash.get()) && a.items == b.items)
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) | (Value::Model(a), Value::Model(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Tuple(a), Value::Tuple(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ordering::Equal;
                }
                compare_lists(&a.items, &b.items)
            }
            (Value::Function(a), Value::Function(b)) => compare_functions(a, b),
            (Value::Set(a), Value::Set(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ordering::Equal;
                }
                compare_lists(&a.items, &b.items)
            }
            (Value::Interval(a, b), Value::Interval(c, d)) => {
                let length = |low: &i32, high: &i32| i64::from(*high) - i64::from(*low);
                length(a, b).cmp(&length(c, d)).then(a.cmp(c))
            }
            (Value::Interval(low, high), Value::Set(set)) => compare_interval(*low, *high, set),
            (Value::Set(set), Value::Interval(low, high)) => compare_interval(*low, *high, set).reverse(),
            (Value::Tuple(a), Value::Function(b)) => compare_tuple(&a.items, b),
            (Value::Function(a), Value::Tuple(b)) => compare_tuple(&b.items, a).reverse(),
            (Value::Lazy(a), Value::Lazy(b)) if a.expanded().is_none() && b.expanded().is_none() => {
                compare_lazy(a.kind(), b.kind())
            }
            (Value::Lazy(a), _) if a.expanded().is_some() => {
                a.expanded().map_or(Ordering::Less, |set| set.cmp(other))
            }
            (_, Value::Lazy(b)) if b.expanded().is_some() => {
                b.expanded().map_or(Ordering::Less, |set| self.cmp(&set))
            }
            (Value::Lambda(a), Value::Lambda(b)) => {
                Rc::as_ptr(a).cast::<u8>().cmp(&Rc::as_ptr(b).cast::<u8>())
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

/// Values of different kinds follow each other in this order.
pub(super) fn rank(value: &Value) -> u8 {
    match value {
        Value::Undefined => 0,
        Value::Model(_) => 1,
        Value::Bool(_) => 2,
        Value::Int(_) => 3,
        Value::Str(_) => 4,
        Value::Tuple(_) | Value::Function(_) => 5,
        Value::Set(_) | Value::Interval(..) => 6,
        Value::Lazy(_) => 7,
        Value::Lambda(_) => 8,
    }
}

fn compare_lists(a: &[Value], b: &[Value]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| {
        for (x, y) in a.iter().zip(b) {
            match x.cmp(y) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        Ordering::Equal
    })
}

fn compare_functions(a: &Rc<FunctionValue>, b: &Rc<FunctionValue>) -> Ordering {
    if Rc::ptr_eq(a, b) {
        return Ordering::Equal;
    }
    if !Rc::ptr_eq(&a.domain, &b.domain) {
        match compare_lists(&a.domain.items, &b.domain.items) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    compare_lists(&a.values, &b.values)
}

fn compare_interval(low: i32, high: i32, set: &SetValue) -> Ordering {
    let length = (i64::from(high) - i64::from(low) + 1) as usize;
    length.cmp(&set.items.len()).then_with(|| {
        for (n, item) in (low..=high).zip(&set.items) {
            match Value::Int(i64::from(n)).cmp(item) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        Ordering::Equal
    })
}

/// A tuple and a function that is none (their domains differ) by size, then by domain.
fn compare_tuple(tuple: &[Value], function: &FunctionValue) -> Ordering {
    tuple.len().cmp(&function.values.len()).then_with(|| {
        for (n, argument) in (1..).zip(&function.domain.items) {
            match Value::Int(n).cmp(argument) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        compare_lists(tuple, &function.values)
    })
}

fn lazy_rank(kind: &LazyKind) -> u8 {
    match kind {
        LazyKind::Nat => 0,
        LazyKind::Int => 1,
        LazyKind::Real => 2,
        LazyKind::Strings => 3,
        LazyKind::Any => 13,
        LazyKind::Seq(_) => 4,
        LazyKind::Powerset(_) => 5,
        LazyKind::Functions(..) => 6,
        LazyKind::Records(..) => 7,
        LazyKind::Product(_) => 8,
        LazyKind::Cup(..) => 9,
        LazyKind::Cap(..) => 10,
        LazyKind::Minus(..) => 11,
        LazyKind::Filter(..) => 12,
    }
}

fn compare_lazy(a: &LazyKind, b: &LazyKind) -> Ordering {
    match (a, b) {
        (LazyKind::Seq(a), LazyKind::Seq(b)) | (LazyKind::Powerset(a), LazyKind::Powerset(b)) => a.cmp(b),
        (LazyKind::Functions(a, b), LazyKind::Functions(c, d))
        | (LazyKind::Cup(a, b), LazyKind::Cup(c, d))
        | (LazyKind::Cap(a, b), LazyKind::Cap(c, d))
        | (LazyKind::Minus(a, b), LazyKind::Minus(c, d)) => a.cmp(c).then_with(|| b.cmp(d)),
        (LazyKind::Product(a), LazyKind::Product(b)) => compare_lists(a, b),
        (LazyKind::Records(d, a), LazyKind::Records(e, b)) => {
            compare_lists(&d.items, &e.items).then_with(|| compare_lists(a, b))
        }
        // Filters that are not listed are the same only if they are one.
        (LazyKind::Filter(a, f), LazyKind::Filter(b, g)) => {
            a.cmp(b).then_with(|| Rc::as_ptr(f).cmp(&Rc::as_ptr(g)))
        }
        _ => lazy_rank(a).cmp(&lazy_rank(b)),
    }
}
