//! Going through the values of bounds: quantifiers and whatever else has bound names.

use super::glance::{Glance, worth_a_glance};
use super::{Machine, complain};
use crate::compile::ir::{Binder, Comprehension, Expr};
use crate::error::{Place, Result};
use crate::value::{LazyKind, SetIter, Value};

/// Says of a value that there is no need to bind it.
pub(super) type Refuse<'r> = Option<&'r dyn Fn(&Machine, &Value) -> bool>;

impl Machine {
    pub(super) fn exists(&mut self, quantified: &Comprehension) -> Result<bool> {
        let place = quantified.place;
        if let [binder] = &*quantified.binders {
            return self.any(binder, &quantified.body, true, place);
        }
        let all =
            self.each(&quantified.binders, &mut |machine| Ok(!machine.eval_bool(&quantified.body, place)?))?;
        Ok(!all)
    }

    pub(super) fn forall(&mut self, quantified: &Comprehension) -> Result<bool> {
        let place = quantified.place;
        if let [binder] = &*quantified.binders {
            return Ok(!self.any(binder, &quantified.body, false, place)?);
        }
        if let [first, second] = &*quantified.binders {
            let (outer, inner) = (self.eval(&first.set)?, self.eval(&second.set)?);
            if let (Value::Set(outer), Value::Set(inner)) = (&outer, &inner) {
                for x in outer.items() {
                    for y in inner.items() {
                        self.bind(&first.pattern, x.clone(), first.place)?;
                        self.bind(&second.pattern, y.clone(), second.place)?;
                        if !self.eval_bool(&quantified.body, place)? {
                            return Ok(false);
                        }
                    }
                }
                return Ok(true);
            }
        }
        self.each(&quantified.binders, &mut |machine| machine.eval_bool(&quantified.body, place))
    }

    /// Whether the body has the wanted truth value for some value of a single bound.
    fn any(&mut self, binder: &Binder, body: &Expr, wanted: bool, place: Place) -> Result<bool> {
        let set = self.eval(&binder.set)?;
        match &set {
            Value::Set(items) => {
                let slot = worth_a_glance(&binder.pattern, body);
                for item in items.items() {
                    if let Some(slot) = slot
                        && let Some(holds) = self.glance(body, Glance::new(slot, item))
                    {
                        if holds == wanted {
                            return Ok(true);
                        }
                        self.steps(1, place)?;
                        continue;
                    }
                    self.bind(&binder.pattern, item.clone(), binder.place)?;
                    if self.eval_bool(body, place)? == wanted {
                        return Ok(true);
                    }
                }
            }
            Value::Interval(low, high) => {
                let slot = worth_a_glance(&binder.pattern, body);
                for n in i64::from(*low)..=i64::from(*high) {
                    let item = Value::Int(n);
                    if let Some(slot) = slot
                        && let Some(holds) = self.glance(body, Glance::new(slot, &item))
                    {
                        if holds == wanted {
                            return Ok(true);
                        }
                        self.steps(1, place)?;
                        continue;
                    }
                    self.bind(&binder.pattern, item, binder.place)?;
                    if self.eval_bool(body, place)? == wanted {
                        return Ok(true);
                    }
                }
            }
            _ => {
                for item in self.iterate(&set, binder.place)? {
                    self.room_for(item.breadth(), place)?;
                    self.bind(&binder.pattern, item, binder.place)?;
                    if self.eval_bool(body, place)? == wanted {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Runs through all values of the bounds until the function says stop (`false`); whether it never did.
    pub(super) fn each(
        &mut self,
        binders: &[Binder],
        visit: &mut dyn FnMut(&mut Machine) -> Result<bool>,
    ) -> Result<bool> {
        self.each_but(binders, None, visit)
    }

    /// The same, without the values of the last bound that the first function refuses.
    pub(super) fn each_but(
        &mut self,
        binders: &[Binder],
        refuse: Refuse<'_>,
        visit: &mut dyn FnMut(&mut Machine) -> Result<bool>,
    ) -> Result<bool> {
        match binders {
            [only] => {
                let set = self.eval(&only.set)?;
                self.each_of(&set, only, refuse, visit)
            }
            _ => {
                let mut sets = Vec::with_capacity(binders.len());
                for binder in binders {
                    sets.push(self.eval(&binder.set)?);
                }
                // An empty set anywhere means no values at all, even if another set cannot be enumerated.
                if sets.iter().any(Value::is_empty) {
                    return Ok(true);
                }
                self.each_of_many(&sets, binders, refuse, visit)
            }
        }
    }

    fn each_of_many(
        &mut self,
        sets: &[Value],
        binders: &[Binder],
        refuse: Refuse<'_>,
        visit: &mut dyn FnMut(&mut Machine) -> Result<bool>,
    ) -> Result<bool> {
        match (sets, binders) {
            ([set], [binder]) => self.each_of(set, binder, refuse, visit),
            ([set, sets @ ..], [binder, binders @ ..]) => self.each_of(set, binder, None, &mut |machine| {
                machine.each_of_many(sets, binders, refuse, visit)
            }),
            _ => visit(self),
        }
    }

    pub(super) fn each_of(
        &mut self,
        set: &Value,
        binder: &Binder,
        refuse: Refuse<'_>,
        visit: &mut dyn FnMut(&mut Machine) -> Result<bool>,
    ) -> Result<bool> {
        if let Value::Set(set) = set {
            for item in set.items() {
                if refuse.is_some_and(|refuse| refuse(self, item)) {
                    self.steps(1, binder.place)?;
                    continue;
                }
                self.bind(&binder.pattern, item.clone(), binder.place)?;
                if !visit(self)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for item in self.iterate(set, binder.place)? {
            self.room_for(item.breadth(), binder.place)?;
            self.bind(&binder.pattern, item, binder.place)?;
            if !visit(self)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An iterator over a set; sets that need evaluation are listed first.
    pub(super) fn iterate(&mut self, set: &Value, place: Place) -> Result<SetIter> {
        if let Value::Lazy(lazy) = set
            && lazy.expanded().is_none()
            && matches!(
                lazy.kind(),
                LazyKind::Cap(..) | LazyKind::Minus(..) | LazyKind::Cup(..) | LazyKind::Filter(..)
            )
        {
            let listed = self.list(set, place)?;
            return Ok(SetIter::Items(listed, 0));
        }
        if let Value::Lazy(_) = set {
            self.room(set.iterate_bytes(), place)?;
        }
        complain(place, SetIter::new(set))
    }
}
