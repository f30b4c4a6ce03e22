//! Functions: making, applying and changing them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::member::check_types_of;
use super::peek::field_of;
use super::{Lambda, Machine};
use crate::compile::ir::{Expr, One, Single, Two, Update};
use crate::error::{Place, Result, fail};
use crate::symbol::Symbol;
use crate::value::{SET_SIZE_MAX, Value};

impl Machine {
    /// `[x \in S |-> e]`.
    #[inline(never)]
    pub(super) fn function(&mut self, single: &Single) -> Result<Value> {
        let domain = self.eval(&single.binder.set)?;
        if !domain.is_set() {
            return fail(single.place, format!("{} is {}, not a set", domain.brief(), domain.kind()));
        }
        if single.this.is_none() && domain.is_finite() {
            if let Value::Interval(1, high) = &domain {
                let arguments = domain.len().unwrap_or(usize::MAX);
                check_length("arguments of a function", arguments, single.place)?;
                let mut values = Vec::with_capacity(arguments.min(FIRST_VALUES_MAX));
                for n in 1..=i64::from(*high) {
                    self.bind(&single.binder.pattern, Value::Int(n), single.place)?;
                    let value = self.eval(&single.body)?;
                    values.push(self.concrete(value, single.place)?);
                }
                return Ok(Value::tuple(values));
            }
            let items = self.list(&domain, single.place)?;
            let mut values = Vec::with_capacity(items.items().len());
            for item in items.items() {
                self.bind(&single.binder.pattern, item.clone(), single.place)?;
                let value = self.eval(&single.body)?;
                values.push(self.concrete(value, single.place)?);
            }
            return Ok(Value::function(items, values));
        }
        let lambda = self.lambda(single, domain);
        if lambda.domain.is_finite() {
            return self.force(&lambda, single.place);
        }
        Ok(Value::Lambda(lambda))
    }

    fn lambda(&self, single: &Single, domain: Value) -> Rc<Lambda> {
        let closure =
            self.closure(&single.binder.pattern, &single.body, single.frame.get() as usize, single.place);
        Rc::new(Lambda {
            domain,
            depth: Cell::new(0),
            closure,
            this: single.this,
            memo: RefCell::default(),
            changed: None,
        })
    }

    /// The value of an expression; a function is not listed, so that it can be applied while it is being
    /// made.
    pub(super) fn unlisted(&mut self, expr: &Expr) -> Result<Value> {
        match expr.bare() {
            Expr::Function(single) => {
                let domain = self.eval(&single.binder.set)?;
                if !domain.is_set() {
                    return fail(single.place, format!("{} is {}, not a set", domain.brief(), domain.kind()));
                }
                Ok(Value::Lambda(self.lambda(single, domain)))
            }
            Expr::If(parts) => {
                let (condition, yes, no, place) = &**parts;
                let branch = if self.eval_bool(condition, *place)? { yes } else { no };
                self.unlisted(branch)
            }
            Expr::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.unlisted(body)
            }
            _ => self.eval(expr),
        }
    }

    /// All values of a function that was not expanded.
    pub(super) fn force(&mut self, lambda: &Rc<Lambda>, place: Place) -> Result<Value> {
        let domain = self.list(&lambda.domain, place)?;
        let mut values = Vec::with_capacity(domain.items().len());
        for argument in domain.items() {
            self.room_for(1, place)?;
            let value = self.apply_lambda(lambda, argument, place)?;
            values.push(self.concrete(value, place)?);
        }
        Ok(Value::function(domain, values))
    }

    fn apply_lambda(&mut self, lambda: &Rc<Lambda>, argument: &Value, place: Place) -> Result<Value> {
        let known = lambda.memo.borrow().get(argument).cloned();
        let begun = match known {
            Some(Value::Undefined) => true,
            Some(known) => return Ok(known),
            None => false,
        };
        if let Some((base, changes)) = &lambda.changed {
            return match changes.get(argument) {
                Some(value) => Ok(value.clone()),
                None => self.apply_lambda(&base.clone(), argument, place),
            };
        }
        if !self.member(argument, &lambda.domain, place)? {
            return outside(argument, &lambda.domain, place);
        }
        let this = lambda.this.map(|slot| (slot, Value::Lambda(lambda.clone())));
        // A value that is a function may need itself: `f[i][j]` in `f[i]`.
        let nested = this.is_some() && gives_function(&lambda.closure.body);
        if begun {
            let value = self.apply_closure(&lambda.closure, argument.clone(), this, Machine::unlisted)?;
            lambda.memo.borrow_mut().insert(argument.clone(), value.clone());
            return Ok(value);
        }
        if nested {
            lambda.memo.borrow_mut().insert(argument.clone(), Value::Undefined);
        }
        let value = self.apply_closure(&lambda.closure, argument.clone(), this, Machine::eval);
        match value {
            Ok(value) => {
                lambda.memo.borrow_mut().insert(argument.clone(), value.clone());
                Ok(value)
            }
            Err(error) => {
                lambda.memo.borrow_mut().remove(argument);
                Err(error)
            }
        }
    }

    /// `f[e]`, without taking a copy of a function that can be looked at where it is.
    #[inline(never)]
    pub(super) fn application(&mut self, two: &Two) -> Result<Value> {
        if let Some(argument) = self.peek(&two.right) {
            if let Some(value) = self.peek(&two.left).and_then(|function| function.apply(argument)) {
                return Ok(value.clone());
            }
            let argument = argument.clone();
            let function = self.eval(&two.left)?;
            return self.apply(&function, &argument, two.place);
        }
        let argument = self.eval(&two.right)?;
        if let Some(value) = self.peek(&two.left).and_then(|function| function.apply(&argument)) {
            return Ok(value.clone());
        }
        let function = self.eval(&two.left)?;
        self.apply(&function, &argument, two.place)
    }

    /// A function's value at an argument.
    pub(super) fn apply(&mut self, function: &Value, argument: &Value, place: Place) -> Result<Value> {
        if let Some(value) = function.apply(argument) {
            return Ok(value.clone());
        }
        match function {
            Value::Lambda(lambda) => self.apply_lambda(lambda, argument, place),
            Value::Tuple(_) | Value::Function(_) => {
                // A lazy argument must be listed before it is found.
                if let Value::Lazy(_) | Value::Lambda(_) = argument {
                    let argument = self.concrete(argument.clone(), place)?;
                    if let Some(value) = function.apply(&argument) {
                        return Ok(value.clone());
                    }
                }
                let domain = self.domain(function, place)?;
                outside(argument, &domain, place)
            }
            other => fail(place, format!("{} is {}, not a function", other.brief(), other.kind())),
        }
    }

    /// `r.name`; the hint is where the field was last time.
    #[inline(never)]
    pub(super) fn field(&mut self, one: &One, name: Symbol, hint: &Cell<u32>) -> Result<Value> {
        if let Some(value) = self.peek(&one.operand).and_then(|record| field_of(record, name, hint)) {
            return Ok(value.clone());
        }
        let record = self.eval(&one.operand)?;
        if let Some(value) = field_of(&record, name, hint) {
            return Ok(value.clone());
        }
        match &record {
            Value::Lambda(_) => self.apply(&record, &Value::Str(name), one.place),
            Value::Function(_) | Value::Tuple(_) => {
                fail(one.place, format!("{} has no field {name}", record.brief()))
            }
            _ => fail(one.place, format!("{} is {}, not a record", record.brief(), record.kind())),
        }
    }

    pub(super) fn domain(&mut self, function: &Value, place: Place) -> Result<Value> {
        match function {
            Value::Tuple(tuple) => {
                Ok(Value::interval(1, tuple.items().len() as i64).unwrap_or_else(Value::empty_set))
            }
            Value::Function(function) => Ok(Value::Set(function.domain().clone())),
            Value::Lambda(lambda) => Ok(lambda.domain.clone()),
            other => fail(place, format!("DOMAIN of {}, which is {}", other.brief(), other.kind())),
        }
    }

    /// `[f EXCEPT ![a].b = e]`.
    #[inline(never)]
    pub(super) fn except(&mut self, one: &One, updates: &[Update]) -> Result<Value> {
        let mut function = self.value(&one.operand)?;
        if let Value::Lambda(_) = function {
            function = self.concrete(function, one.place)?;
        }
        for update in updates {
            let mut path = Vec::with_capacity(update.path.len());
            for step in &update.path {
                let step = self.eval(step)?;
                path.push(self.concrete(step, one.place)?);
            }
            function = self.updated(function, &path, update, one.place)?;
        }
        Ok(function)
    }

    fn updated(&mut self, function: Value, path: &[Value], update: &Update, place: Place) -> Result<Value> {
        let Some((first, rest)) = path.split_first() else {
            self.set_local(update.at, function);
            let value = self.eval(&update.value)?;
            return self.concrete(value, place);
        };
        if let Value::Lambda(lambda) = &function {
            return self.updated_lambda(&lambda.clone(), first, rest, update, place);
        }
        let index = match &function {
            Value::Tuple(tuple) => match first {
                Value::Int(n) if *n >= 1 && *n <= tuple.items().len() as i64 => Some(*n as usize - 1),
                _ => None,
            },
            Value::Function(function) => function.domain().find(first),
            other => {
                return fail(place, format!("EXCEPT of {}, which is {}", other.brief(), other.kind()));
            }
        };
        // Like TLC, what is not in the domain is left alone, once it is compared with all that is.
        let Some(index) = index else {
            if let Value::Function(function) = &function {
                for known in function.domain().items() {
                    check_types_of(first, known, place)?;
                }
            }
            return Ok(function);
        };
        let mut function = function;
        self.room_for(function.width(), place)?;
        let old = function.take(index);
        let new = self.updated(old, rest, update, place)?;
        Ok(function.with(index, new))
    }

    /// EXCEPT of a function whose domain is infinite: what is changed is kept beside it.
    fn updated_lambda(
        &mut self,
        lambda: &Rc<Lambda>,
        first: &Value,
        rest: &[Value],
        update: &Update,
        place: Place,
    ) -> Result<Value> {
        if !self.member(first, &lambda.domain, place)? {
            return Ok(Value::Lambda(lambda.clone()));
        }
        let old = self.apply_lambda(lambda, first, place)?;
        let new = self.updated(old, rest, update, place)?;
        let changed = Machine::lambda_except(lambda, first.clone(), new);
        self.check_nesting(&changed, place)?;
        Ok(changed)
    }

    /// `(a :> b)`: a function of one argument.
    pub(super) fn pair(&mut self, argument: Value, value: Value, place: Place) -> Result<Value> {
        let argument = self.concrete(argument, place)?;
        let value = self.concrete(value, place)?;
        Ok(Value::function(Value::sorted_domain(vec![argument]), vec![value]))
    }

    /// `f @@ g`: both functions, the first one where they overlap.
    pub(super) fn compose(&mut self, first: Value, second: Value, place: Place) -> Result<Value> {
        let first = self.concrete(first, place)?;
        let second = self.concrete(second, place)?;
        if !first.is_function() || !second.is_function() {
            return fail(place, "@@ joins functions only");
        }
        self.room_for(4 * (first.width() + second.width()), place)?;
        let mut pairs = first.pairs();
        for (argument, value) in second.pairs() {
            if first.apply(&argument).is_none() {
                pairs.push((argument, value));
            }
        }
        Ok(Value::function_from_pairs(pairs))
    }

    /// The set of a function's values.
    pub(super) fn range(&mut self, function: &Value, place: Place) -> Result<Value> {
        let function = self.concrete(function.clone(), place)?;
        self.room_for(function.width(), place)?;
        match &function {
            Value::Tuple(tuple) => Ok(Value::set(tuple.items().to_vec())),
            Value::Function(function) => Ok(Value::set(function.values().to_vec())),
            other => fail(place, format!("{} is {}, not a function", other.brief(), other.kind())),
        }
    }
}

/// Room that a function has from the start: it grows with the values that are found.
const FIRST_VALUES_MAX: usize = 1 << 16;

/// Whether a function or a sequence may be so long: as long as a set may be large.
pub(super) fn check_length(what: &str, length: usize, place: Place) -> Result<()> {
    if length > SET_SIZE_MAX {
        return fail(place, format!("{length} {what}: more than {SET_SIZE_MAX} are not kept"));
    }
    Ok(())
}

/// Whether the value of an expression is a function that is written there.
fn gives_function(expr: &Expr) -> bool {
    match expr.bare() {
        Expr::Function(_) => true,
        Expr::If(parts) => gives_function(&parts.1) || gives_function(&parts.2),
        Expr::Scope(_, body) => gives_function(body),
        _ => false,
    }
}

fn outside<T>(argument: &Value, domain: &Value, place: Place) -> Result<T> {
    fail(place, format!("{} is not in the domain {} of the function", argument.brief(), domain.brief()))
}
