//! Sets: membership, equality, union, filters, CHOOSE.

use std::cmp::Ordering;
use std::rc::Rc;

use super::glance::{Glance, worth_a_glance};
use super::{Machine, complain};
use crate::compile::ir::{Comprehension, Expr, SetOperation, Single};
use crate::error::{Place, Result, fail};
use crate::symbol::Symbol;
use crate::value::{LazyKind, SET_SIZE_MAX, SetValue, Value};

impl Machine {
    /// A value that can be part of another: finite lazy sets are listed.
    #[inline]
    pub(super) fn concrete(&mut self, value: Value, place: Place) -> Result<Value> {
        match &value {
            Value::Lazy(_) if value.is_finite() => Ok(Value::Set(self.list(&value, place)?)),
            Value::Lambda(lambda) if lambda.domain.is_finite() => self.force(lambda, place),
            _ => Ok(value),
        }
    }

    /// The elements of a set.
    pub(super) fn list(&mut self, set: &Value, place: Place) -> Result<Rc<SetValue>> {
        let Value::Lazy(lazy) = set else { return complain(place, set.list()) };
        if let Some(Value::Set(known)) = lazy.expanded() {
            return Ok(known);
        }
        let items = match lazy.kind() {
            LazyKind::Cup(a, b) => {
                let (a, b) = (self.list(a, place)?, self.list(b, place)?);
                merge(a.items(), b.items())
            }
            LazyKind::Cap(a, b) => {
                let (a, b) = if a.is_finite() { (a, b) } else { (b, a) };
                self.list_where(a, place, |machine, value| machine.member(value, b, place))?
            }
            LazyKind::Minus(a, b) => {
                self.list_where(a, place, |machine, value| Ok(!machine.member(value, b, place)?))?
            }
            LazyKind::Filter(base, closure) => {
                let closure = closure.clone();
                self.list_where(base, place, |machine, value| {
                    let holds = machine.apply_closure(&closure, value.clone(), None)?;
                    machine.truth(&holds, place)
                })?
            }
            _ => return complain(place, set.list()),
        };
        let Value::Set(listed) = Value::set_from_sorted(items) else {
            return fail(place, "the set cannot be listed");
        };
        lazy.remember(&listed);
        Ok(listed)
    }

    fn list_where(
        &mut self,
        set: &Value,
        place: Place,
        mut keep: impl FnMut(&mut Machine, &Value) -> Result<bool>,
    ) -> Result<Vec<Value>> {
        let mut kept = Vec::new();
        for value in self.iterate(set, place)? {
            if keep(self, &value)? {
                if kept.len() >= SET_SIZE_MAX {
                    return too_large(place);
                }
                kept.push(value);
            }
        }
        Ok(kept)
    }

    pub(super) fn truth(&self, value: &Value, place: Place) -> Result<bool> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => fail(place, format!("{} is {}, not a boolean", other.brief(), other.kind())),
        }
    }

    /// A set out of evaluated elements, which must be comparable.
    pub(super) fn make_set(&mut self, values: Vec<Value>, place: Place) -> Result<Value> {
        if values.len() > SET_SIZE_MAX {
            return too_large(place);
        }
        let set = Value::set(values);
        if let Value::Set(items) = &set {
            check_comparable(items.items(), place)?;
        }
        Ok(set)
    }

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
                LazyKind::Nat => Ok(matches!(value, Value::Int(n) if *n >= 0)),
                LazyKind::Int | LazyKind::Real => Ok(matches!(value, Value::Int(_))),
                LazyKind::Strings => Ok(matches!(value, Value::Str(_))),
                LazyKind::Any => Ok(true),
                LazyKind::Powerset(base) => self.subset_of(value, base, place),
                LazyKind::Functions(domain, range) => self.in_functions(value, domain, range, place),
                LazyKind::Records(names, sets) => match value {
                    Value::Function(function) => {
                        if function.domain().items() != names.items() {
                            return Ok(false);
                        }
                        self.all_in(function.values(), sets, place)
                    }
                    _ => Ok(false),
                },
                LazyKind::Product(sets) => match value {
                    Value::Tuple(tuple) if tuple.items().len() == sets.len() => {
                        self.all_in(tuple.items(), sets, place)
                    }
                    _ => Ok(false),
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
                    let holds = self.apply_closure(&closure, value.clone(), None)?;
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

    /// Whether a value is a set and a subset of another.
    fn subset_of(&mut self, value: &Value, set: &Value, place: Place) -> Result<bool> {
        if !value.is_set() {
            return Ok(false);
        }
        self.subset(value, set, place)
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

    pub(super) fn set_operation(
        &mut self,
        operation: SetOperation,
        a: &Value,
        b: &Value,
        place: Place,
    ) -> Result<Value> {
        if !a.is_set() || !b.is_set() {
            let wrong = if a.is_set() { b } else { a };
            return fail(place, format!("{} is {}, not a set", wrong.brief(), wrong.kind()));
        }
        if let (Value::Set(x), Value::Set(y)) = (a, b) {
            let (xs, ys) = (x.items(), y.items());
            return Ok(match operation {
                SetOperation::Cup => {
                    if ys.is_empty() {
                        return Ok(a.clone());
                    }
                    if xs.is_empty() {
                        return Ok(b.clone());
                    }
                    check_kinds(&xs[0], &ys[0], place)?;
                    if let Some(same) = contained(a, xs, b, ys) {
                        return Ok(same);
                    }
                    Value::set_from_sorted(merge(xs, ys))
                }
                SetOperation::Cap => {
                    if xs.is_empty() || ys.is_empty() {
                        return Ok(Value::empty_set());
                    }
                    Value::set_from_sorted(xs.iter().filter(|v| y.find(v).is_some()).cloned().collect())
                }
                SetOperation::Minus => {
                    if xs.is_empty() || ys.is_empty() {
                        return Ok(a.clone());
                    }
                    Value::set_from_sorted(xs.iter().filter(|v| y.find(v).is_none()).cloned().collect())
                }
            });
        }
        let kind = match operation {
            SetOperation::Cup if a.is_finite() && b.is_finite() => {
                let (x, y) = (self.list(a, place)?, self.list(b, place)?);
                return Ok(Value::set_from_sorted(merge(x.items(), y.items())));
            }
            SetOperation::Cap if a.is_finite() || b.is_finite() => {
                let (a, b) = if a.is_finite() { (a, b) } else { (b, a) };
                let kept = self.list_where(a, place, |m, v| m.member(v, b, place))?;
                return Ok(Value::set_from_sorted(kept));
            }
            SetOperation::Minus if a.is_finite() && a.cardinality().is_some_and(|n| n <= 1 << 16) => {
                let kept = self.list_where(a, place, |m, v| Ok(!m.member(v, b, place)?))?;
                return Ok(Value::set_from_sorted(kept));
            }
            SetOperation::Cup => LazyKind::Cup(a.clone(), b.clone()),
            SetOperation::Cap => LazyKind::Cap(a.clone(), b.clone()),
            SetOperation::Minus => LazyKind::Minus(a.clone(), b.clone()),
        };
        Ok(Value::lazy(kind))
    }

    pub(super) fn big_union(&mut self, operand: &Expr, place: Place) -> Result<Value> {
        let mut all: Vec<Value> = Vec::new();
        // `UNION {e : x \in S}` needs no set of sets, whose elements would have to be listed and sorted.
        if let Expr::SetMap(map) = operand.bare() {
            let mut parts = Vec::new();
            self.each(&map.binders, &mut |machine| {
                parts.push(machine.eval(&map.body)?);
                Ok(true)
            })?;
            return self.union_of(parts, place);
        }
        let set = self.eval(operand)?;
        for part in self.iterate(&set, place)? {
            all.push(part);
        }
        self.union_of(all, place)
    }

    fn union_of(&mut self, parts: Vec<Value>, place: Place) -> Result<Value> {
        if let Some(infinite) = parts.iter().position(|part| part.is_set() && !part.is_finite()) {
            let mut parts = parts;
            let mut union = parts.swap_remove(infinite);
            for part in parts {
                union = Value::lazy(LazyKind::Cup(part, union));
            }
            return Ok(union);
        }
        let mut items: Vec<Value> = Vec::new();
        for part in parts {
            for item in self.iterate(&part, place)? {
                if items.len() >= SET_SIZE_MAX {
                    return too_large(place);
                }
                items.push(item);
            }
        }
        Ok(Value::set(items))
    }

    #[inline(never)]
    pub(super) fn filter(&mut self, single: &Single) -> Result<Value> {
        let set = self.eval(&single.binder.set)?;
        if !set.is_set() {
            return fail(single.place, format!("{} is {}, not a set", set.brief(), set.kind()));
        }
        if !set.is_finite() {
            let closure =
                self.closure(&single.binder.pattern, &single.body, single.frame.get() as usize, single.place);
            return Ok(Value::lazy(LazyKind::Filter(set, Rc::new(closure))));
        }
        let mut kept = Vec::new();
        if let Value::Set(items) = &set {
            let slot = worth_a_glance(&single.binder.pattern, &single.body);
            for item in items.items() {
                if let Some(slot) = slot
                    && let Some(holds) = self.glance(&single.body, Glance::new(slot, item))
                {
                    if holds {
                        kept.push(item.clone());
                    }
                    continue;
                }
                self.bind(&single.binder.pattern, item.clone(), single.place)?;
                if self.eval_bool(&single.body, single.place)? {
                    kept.push(item.clone());
                }
            }
            // What everything is kept of is the set itself.
            return Ok(if kept.len() == items.items().len() { set } else { Value::set_from_sorted(kept) });
        }
        for item in self.iterate(&set, single.place)? {
            self.bind(&single.binder.pattern, item.clone(), single.place)?;
            if self.eval_bool(&single.body, single.place)? {
                if kept.len() >= SET_SIZE_MAX {
                    return too_large(single.place);
                }
                kept.push(item);
            }
        }
        Ok(Value::set_from_sorted(kept))
    }

    pub(super) fn map(&mut self, map: &Comprehension) -> Result<Value> {
        let mut images = Vec::new();
        self.each(&map.binders, &mut |machine| {
            let image = machine.eval(&map.body)?;
            if images.len() >= SET_SIZE_MAX {
                return too_large(map.place);
            }
            images.push(machine.concrete(image, map.place)?);
            Ok(true)
        })?;
        self.make_set(images, map.place)
    }

    pub(super) fn choose(&mut self, single: &Single) -> Result<Value> {
        let set = self.eval(&single.binder.set)?;
        for item in self.iterate_ordered(&set, single.place)? {
            self.bind(&single.binder.pattern, item.clone(), single.place)?;
            if self.eval_bool(&single.body, single.place)? {
                return Ok(item);
            }
        }
        fail(single.place, format!("CHOOSE finds no element of {} that fits", set.brief()))
    }

    fn iterate_ordered(&mut self, set: &Value, place: Place) -> Result<crate::value::SetIter> {
        // `Nat` and the like: the least elements first, up to a limit.
        if let Value::Lazy(lazy) = set
            && matches!(lazy.kind(), LazyKind::Nat)
        {
            return fail(place, "CHOOSE over an infinite set cannot be evaluated");
        }
        self.iterate(set, place)
    }
}

/// Whether two sets are descriptions of the same form, not listed, so that comparing their parts is enough to find them equal.
fn alike(a: &Value, b: &Value) -> bool {
    let (Value::Lazy(x), Value::Lazy(y)) = (a, b) else { return false };
    x.expanded().is_none() && y.expanded().is_none() && a == b
}

/// A typed model value (a letter, then an underscore) is compared with values of its own type only.
fn check_types(name: Symbol, other: &Value, place: Place) -> Result<()> {
    let kind = |name: Symbol| match name.as_str().as_bytes() {
        [letter, b'_', ..] => Some(*letter),
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

fn too_large<T>(place: Place) -> Result<T> {
    fail(place, format!("a set has more than {SET_SIZE_MAX} elements"))
}

/// The larger of two sets, if it holds the other.
fn contained(a: &Value, xs: &[Value], b: &Value, ys: &[Value]) -> Option<Value> {
    let all = |small: &[Value], large: &Value| match large {
        Value::Set(large) => small.iter().all(|v| large.find(v).is_some()),
        _ => false,
    };
    if ys.len() <= xs.len() && ys.len() <= 2 && all(ys, a) {
        return Some(a.clone());
    }
    if xs.len() <= ys.len() && xs.len() <= 2 && all(xs, b) {
        return Some(b.clone());
    }
    None
}

/// The union of two sorted lists.
pub(super) fn merge(a: &[Value], b: &[Value]) -> Vec<Value> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Less => {
                merged.push(a[i].clone());
                i += 1;
            }
            Ordering::Greater => {
                merged.push(b[j].clone());
                j += 1;
            }
            Ordering::Equal => {
                merged.push(a[i].clone());
                i += 1;
                j += 1;
            }
        }
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

/// TLC compares the elements of a set with each other, and refuses what has no common kind.
fn check_comparable(sorted: &[Value], place: Place) -> Result<()> {
    let plain = sorted.iter().find(|v| !matches!(v, Value::Model(_)));
    match (plain, sorted.last()) {
        (Some(first), Some(last)) => check_kinds(first, last, place),
        _ => Ok(()),
    }
}

#[inline]
fn check_kinds(a: &Value, b: &Value, place: Place) -> Result<()> {
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
