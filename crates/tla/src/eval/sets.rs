//! Sets: membership, equality, union, filters, CHOOSE.

use std::cmp::Ordering;
use std::rc::Rc;

use super::glance::{Glance, worth_a_glance};
use super::member::{check_kinds, check_types_of};
use super::{Machine, complain};
use crate::compile::ir::{Comprehension, Expr, SetOperation, Single};
use crate::error::{Place, Result, fail};
use crate::value::{LazyKind, SET_SIZE_MAX, SET_VALUES_MAX, SetValue, Value};

/// What a compound value takes beside what it holds, as a number of values.
const PART_VALUES: usize = 5;

/// A set of so many elements is large.
const LARGE: usize = 1 << 12;

/// The most elements that large sets may have in all, inside one call of a recursive operator from outside.
const LISTED_MAX: usize = 1 << 25;

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
        let Value::Lazy(lazy) = set else {
            if let Value::Interval(..) = set {
                self.steps(set.len().unwrap_or(0) as u64, place)?;
                self.room(set.list_bytes(), place)?;
            }
            return complain(place, set.list());
        };
        if let Some(Value::Set(known)) = lazy.expanded() {
            return Ok(known);
        }
        let items = match lazy.kind() {
            LazyKind::Cup(a, b) => {
                let (a, b) = (self.list(a, place)?, self.list(b, place)?);
                self.room_for(a.items().len() + b.items().len(), place)?;
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
                    let holds = machine.apply_closure(&closure, value.clone(), None, Machine::eval)?;
                    machine.truth(&holds, place)
                })?
            }
            _ => {
                // What no set may hold is an error before it is too much memory.
                if set.cardinality().is_some_and(|n| n > SET_SIZE_MAX as u128) {
                    return complain(place, set.list());
                }
                self.room(set.list_bytes(), place)?;
                let listed = complain(place, set.list())?;
                self.steps(listed.items().len() as u64, place)?;
                return Ok(listed);
            }
        };
        self.account(items.len(), place)?;
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
        let mut kept = Gathered::default();
        for value in self.iterate(set, place)? {
            self.steps(1, place)?;
            self.room_for(1 + value.breadth(), place)?;
            if keep(self, &value)? {
                kept.push(value, place)?;
            }
        }
        Ok(kept.items)
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
            self.room_for(xs.len() + ys.len(), place)?;
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
                self.room_for(x.items().len() + y.items().len(), place)?;
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
        let mut elements = 0usize;
        for part in self.iterate(&set, place)? {
            // Parts that overlap count again: all of them are held until they are united.
            elements = elements
                .saturating_add(1 + part.cardinality().unwrap_or(0).min(SET_SIZE_MAX as u128) as usize);
            if elements > SET_SIZE_MAX {
                return fail(
                    place,
                    format!("the sets that are united have more than {SET_SIZE_MAX} elements in all"),
                );
            }
            self.room_for(part.breadth() + PART_VALUES, place)?;
            all.push(part);
        }
        self.union_of(all, place)
    }

    /// Counts the elements of large sets that are listed inside recursive operators: every level may hold one
    /// of its own, so that each is small enough but all together are not.
    fn account(&mut self, elements: usize, place: Place) -> Result<()> {
        if elements < LARGE || self.depth_calls == 0 {
            return Ok(());
        }
        self.listed += elements;
        if self.listed > LISTED_MAX {
            return fail(
                place,
                format!("recursive operators list sets of more than {LISTED_MAX} elements in all"),
            );
        }
        Ok(())
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
        let mut united = Gathered::default();
        for part in parts {
            for item in self.iterate(&part, place)? {
                self.steps(1, place)?;
                self.room_for(1 + item.breadth(), place)?;
                united.push(item, place)?;
            }
        }
        Ok(Value::set(united.items))
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
        if let Value::Set(items) = &set {
            let mut kept = Vec::new();
            let slot = worth_a_glance(&single.binder.pattern, &single.body);
            for item in items.items() {
                if let Some(slot) = slot
                    && let Some(holds) = self.glance(&single.body, Glance::new(slot, item))
                {
                    if holds {
                        kept.push(item.clone());
                    }
                    self.steps(1, single.place)?;
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
        let mut kept = Gathered::default();
        for item in self.iterate(&set, single.place)? {
            self.room_for(1 + item.breadth(), single.place)?;
            self.bind(&single.binder.pattern, item.clone(), single.place)?;
            if self.eval_bool(&single.body, single.place)? {
                kept.push(item, single.place)?;
            }
        }
        Ok(Value::set_from_sorted(kept.items))
    }

    pub(super) fn map(&mut self, map: &Comprehension) -> Result<Value> {
        let mut images = Gathered::default();
        self.each(&map.binders, &mut |machine| {
            let image = machine.eval(&map.body)?;
            images.push(machine.concrete(image, map.place)?, map.place)?;
            Ok(true)
        })?;
        self.make_set(images.items, map.place)
    }

    pub(super) fn choose(&mut self, single: &Single) -> Result<Value> {
        let set = self.eval(&single.binder.set)?;
        for item in self.iterate_ordered(&set, single.place)? {
            self.room_for(item.breadth(), single.place)?;
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

/// Elements of a set that is being made: as many as a set may have, with as many values in all.
#[derive(Default)]
struct Gathered {
    items: Vec<Value>,
    values: usize,
}

impl Gathered {
    fn push(&mut self, item: Value, place: Place) -> Result<()> {
        self.values += 1 + item.breadth();
        self.items.push(item);
        if self.items.len() > SET_SIZE_MAX || self.values > SET_VALUES_MAX {
            self.drop_copies();
            // Half of the room must be free again, lest every further element has all of them sorted.
            if self.items.len() > SET_SIZE_MAX / 2 || self.values > SET_VALUES_MAX / 2 {
                return too_large(place);
            }
        }
        Ok(())
    }

    /// Many images of a map may be one and the same, which takes no room.
    fn drop_copies(&mut self) {
        self.items.sort_unstable_by(Value::cmp);
        self.items.dedup();
        self.values = self.items.iter().map(|item| 1 + item.breadth()).sum();
    }
}

fn too_large<T>(place: Place) -> Result<T> {
    let reason = format!(
        "a set has more than {SET_SIZE_MAX} elements, or its elements more than {SET_VALUES_MAX} values"
    );
    fail(place, reason)
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
    if let (Some(Value::Model(_)), Some(last)) = (sorted.first(), sorted.last()) {
        let names = sorted.iter().take_while(|value| matches!(value, Value::Model(_)));
        for (name, next) in names.zip(sorted[1..].iter().chain([last])) {
            check_types_of(name, next, place)?;
        }
    }
    match (plain, sorted.last()) {
        (Some(first), Some(last)) => check_kinds(first, last, place),
        _ => Ok(()),
    }
}
