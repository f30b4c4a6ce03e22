//! Values: what expressions evaluate to.
//!
//! A [`Value`] takes sixteen bytes. Booleans, numbers, strings, model values and intervals are in place;
//! everything else is shared by reference counting within one thread (states travel between threads in
//! encoded form). Each value has *one* representation, so equality is structural:
//!
//! - a set is a sorted list without duplicates ([`SetValue`]) or an interval; the two compare and hash alike;
//! - a function whose domain is `1..n` is a [`Value::Tuple`], any other a [`Value::Function`]; a record is a
//!   function whose domain is strings;
//! - sets that may be huge or infinite stay symbolic ([`LazySet`]) until somebody needs their elements, and
//!   never become part of another value without being expanded first, unless they are infinite.
//!
//! Compound values remember their hash, so fingerprinting a state costs only what is new in it.

mod depth;
pub(crate) mod dictionary;
pub mod encode;
pub mod hash;
mod iterate;
pub mod json;
mod lazy;
mod order;
mod print;

use std::cell::Cell;
use std::rc::Rc;

pub(crate) use depth::NESTING_MAX;
pub use iterate::SetIter;
pub use lazy::{LazyKind, LazySet};

use crate::symbol::Symbol;

thread_local! {
    /// The empty sequence and the empty set, which are made all the time.
    static EMPTY_TUPLE: Rc<TupleValue> = Rc::new(TupleValue { hash: Cell::new(0), depth: Cell::new(0), items: Vec::new() });
    static EMPTY_SET: Rc<SetValue> = Rc::new(SetValue { hash: Cell::new(0), depth: Cell::new(0), items: Vec::new() });
}

/// Most elements that a set may have when it is expanded.
pub const SET_SIZE_MAX: usize = 1 << 24;

/// The most values that the elements of a set may have in all, such as those of tuples.
pub const SET_VALUES_MAX: usize = 1 << 26;

/// A TLA+ value.
///
/// The tag takes a whole word: with a smaller one the compiler copies values in overlapping pieces, and
/// evaluation, which copies values all the time, is a third slower.
#[derive(Clone)]
#[repr(u64)]
pub enum Value {
    /// No value yet: a variable that has not been assigned.
    Undefined,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(Symbol),
    /// A model value: equal to itself only.
    Model(Symbol),
    /// `low..high`, never empty.
    Interval(i32, i32),
    /// A finite set.
    Set(Rc<SetValue>),
    /// A function with domain `1..n`: a sequence or tuple.
    Tuple(Rc<TupleValue>),
    /// Any other function; a record if the domain is strings.
    Function(Rc<FunctionValue>),
    /// A set that is not expanded.
    Lazy(Rc<LazySet>),
    /// A function that is not expanded.
    Lambda(Rc<crate::eval::Lambda>),
}

/// A finite set: sorted, without duplicates.
pub struct SetValue {
    hash: Cell<u64>,
    depth: Cell<u32>,
    items: Vec<Value>,
}

/// A sequence.
pub struct TupleValue {
    hash: Cell<u64>,
    depth: Cell<u32>,
    items: Vec<Value>,
}

/// A function: values in the order of the sorted domain.
pub struct FunctionValue {
    hash: Cell<u64>,
    depth: Cell<u32>,
    domain: Rc<SetValue>,
    values: Vec<Value>,
}

impl SetValue {
    /// The elements, sorted.
    #[inline]
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// The position of an element.
    #[inline]
    pub fn find(&self, value: &Value) -> Option<usize> {
        // Small sets of simple values are the rule: a scan beats a search there.
        if self.items.len() <= 8 {
            match value {
                Value::Model(name) => {
                    return self.items.iter().position(|v| matches!(v, Value::Model(other) if other == name));
                }
                Value::Str(name) => {
                    return self.items.iter().position(|v| matches!(v, Value::Str(other) if other == name));
                }
                _ => {}
            }
        }
        if let (Value::Int(n), Some(Value::Int(first))) = (value, self.items.first()) {
            let guess = n.wrapping_sub(*first);
            if let Some(Value::Int(found)) = usize::try_from(guess).ok().and_then(|i| self.items.get(i))
                && found == n
            {
                return Some(guess as usize);
            }
        }
        self.items.binary_search_by(|v| v.cmp(value)).ok()
    }
}

impl TupleValue {
    /// The elements.
    #[inline]
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

impl FunctionValue {
    /// The domain.
    #[inline]
    pub fn domain(&self) -> &Rc<SetValue> {
        &self.domain
    }

    /// The values, in the order of the domain.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value at an argument.
    #[inline]
    pub fn get(&self, argument: &Value) -> Option<&Value> {
        self.domain.find(argument).map(|i| &self.values[i])
    }

    /// Whether the domain is strings: whether this is a record.
    pub fn is_record(&self) -> bool {
        self.domain.items.iter().all(|v| matches!(v, Value::Str(_)))
    }
}

impl Value {
    /// The string with a text.
    pub fn string(text: &str) -> Value {
        Value::Str(Symbol::new(text))
    }

    /// The empty set.
    pub fn empty_set() -> Value {
        EMPTY_SET.with(|empty| Value::Set(empty.clone()))
    }

    /// A set out of sorted elements without duplicates.
    pub fn set_from_sorted(items: Vec<Value>) -> Value {
        debug_assert!(items.is_sorted_by(|a, b| a.cmp(b).is_lt()), "elements are sorted and unique");
        if items.is_empty() {
            return Value::empty_set();
        }
        Value::Set(Rc::new(SetValue { hash: Cell::new(0), depth: Cell::new(0), items }))
    }

    /// A set out of any elements.
    pub fn set(mut items: Vec<Value>) -> Value {
        if !items.is_sorted_by(|a, b| a.cmp(b).is_lt()) {
            items.sort_unstable_by(Value::cmp);
            items.dedup_by(|a, b| a == b);
        }
        Value::set_from_sorted(items)
    }

    /// `low..high`.
    pub fn interval(low: i64, high: i64) -> Option<Value> {
        if low > high {
            return Some(Value::empty_set());
        }
        Some(Value::Interval(i32::try_from(low).ok()?, i32::try_from(high).ok()?))
    }

    /// A sequence.
    pub fn tuple(items: Vec<Value>) -> Value {
        if items.is_empty() {
            return EMPTY_TUPLE.with(|empty| Value::Tuple(empty.clone()));
        }
        Value::Tuple(Rc::new(TupleValue { hash: Cell::new(0), depth: Cell::new(0), items }))
    }

    /// A function out of a sorted domain and the values in its order.
    pub fn function(domain: Rc<SetValue>, values: Vec<Value>) -> Value {
        debug_assert_eq!(domain.items.len(), values.len(), "one value for each argument");
        let n = domain.items.len() as i64;
        let sequence = n == 0
            || (matches!(domain.items[0], Value::Int(1))
                && matches!(domain.items[n as usize - 1], Value::Int(last) if last == n));
        if sequence {
            return Value::tuple(values);
        }
        Value::Function(Rc::new(FunctionValue { hash: Cell::new(0), depth: Cell::new(0), domain, values }))
    }

    /// A function out of pairs, none of which has the same argument as another.
    pub fn function_from_pairs(mut pairs: Vec<(Value, Value)>) -> Value {
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|later, first| later.0 == first.0);
        let (domain, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        Value::function(Value::sorted_domain(domain), values)
    }

    /// A record out of fields.
    pub fn record<'n>(fields: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
        Value::function_from_pairs(
            fields.into_iter().map(|(name, value)| (Value::string(name), value)).collect(),
        )
    }

    /// A domain out of sorted elements.
    pub(crate) fn sorted_domain(items: Vec<Value>) -> Rc<SetValue> {
        Rc::new(SetValue { hash: Cell::new(0), depth: Cell::new(0), items })
    }

    /// The boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// The integer, if it is one.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(n) = self { Some(*n) } else { None }
    }

    /// The text of a string, if it is one.
    pub(crate) fn as_symbol(&self) -> Option<Symbol> {
        if let Value::Str(text) = self { Some(*text) } else { None }
    }

    /// Whether the value is in place: not shared, and compared at once.
    pub(crate) fn is_simple(&self) -> bool {
        !matches!(self, Value::Set(_) | Value::Tuple(_) | Value::Function(_))
    }

    /// How many values a compound value holds directly.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        match self {
            Value::Set(set) => set.items.len(),
            Value::Tuple(tuple) => tuple.items.len(),
            Value::Function(function) => function.values.len(),
            _ => 0,
        }
    }

    /// Whether two compound values are one in memory.
    pub(crate) fn is_one_with(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Whether the value is a set of any kind.
    pub fn is_set(&self) -> bool {
        matches!(self, Value::Set(_) | Value::Interval(..) | Value::Lazy(_))
    }

    /// Whether the value is a function of any kind.
    pub fn is_function(&self) -> bool {
        matches!(self, Value::Tuple(_) | Value::Function(_) | Value::Lambda(_))
    }

    /// Whether no value has been assigned.
    #[inline]
    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    /// The number of elements of a finite set that is not lazy.
    pub fn len(&self) -> Option<usize> {
        match self {
            Value::Set(set) => Some(set.items.len()),
            Value::Interval(low, high) => Some((i64::from(*high) - i64::from(*low) + 1) as usize),
            _ => None,
        }
    }

    /// How many values this one holds itself.
    pub(crate) fn breadth(&self) -> usize {
        match self {
            Value::Set(set) => set.items.len(),
            Value::Tuple(tuple) => tuple.items().len(),
            Value::Function(function) => function.values.len(),
            _ => 0,
        }
    }

    /// How many values this one is made of, each counted wherever it stands; none if they are more than a
    /// number.
    pub(crate) fn nodes_up_to(&self, most: usize) -> Option<usize> {
        fn count(value: &Value, left: &mut usize) -> Option<()> {
            *left = left.checked_sub(1 + value.as_symbol().map_or(0, |text| text.as_str().len() / 8))?;
            match value {
                Value::Set(set) => set.items.iter().try_for_each(|item| count(item, left)),
                Value::Tuple(tuple) => tuple.items.iter().try_for_each(|item| count(item, left)),
                Value::Function(function) => {
                    let all = function.domain.items.iter().chain(&function.values);
                    all.into_iter().try_for_each(|item| count(item, left))
                }
                Value::Interval(low, high) => {
                    // A long one is written with its bounds only, but listed as JSON.
                    *left = left.checked_sub((i64::from(*high) - i64::from(*low)) as usize)?;
                    Some(())
                }
                Value::Lazy(set) => set.expanded().map_or(Some(()), |set| count(&set, left)),
                _ => Some(()),
            }
        }
        let mut left = most;
        count(self, &mut left)?;
        Some(most - left)
    }

    /// Whether this is the empty set.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The value of a function at an argument.
    #[inline]
    pub fn apply(&self, argument: &Value) -> Option<&Value> {
        match self {
            Value::Tuple(tuple) => match argument {
                Value::Int(n) => tuple.items.get(usize::try_from(n.wrapping_sub(1)).ok()?),
                _ => None,
            },
            Value::Function(function) => function.get(argument),
            _ => None,
        }
    }

    /// The value of a function at a position of its domain, moved out if nobody else has the function: then
    /// [`Value::with`] must put another in its place.
    pub(crate) fn take(&mut self, index: usize) -> Value {
        match self {
            Value::Tuple(tuple) => match Rc::get_mut(tuple) {
                Some(own) => std::mem::replace(&mut own.items[index], Value::Undefined),
                None => tuple.items[index].clone(),
            },
            Value::Function(function) => match Rc::get_mut(function) {
                Some(own) => std::mem::replace(&mut own.values[index], Value::Undefined),
                None => function.values[index].clone(),
            },
            _ => Value::Undefined,
        }
    }

    /// The function with another value at a position of its domain; made in place if nobody else has it.
    pub(crate) fn with(self, index: usize, value: Value) -> Value {
        match self {
            Value::Tuple(mut tuple) => {
                if let Some(own) = Rc::get_mut(&mut tuple) {
                    own.items[index] = value;
                    own.hash.set(0);
                    return Value::Tuple(tuple);
                }
                let mut items = tuple.items.clone();
                items[index] = value;
                Value::tuple(items)
            }
            Value::Function(mut function) => {
                if let Some(own) = Rc::get_mut(&mut function) {
                    own.values[index] = value;
                    own.hash.set(0);
                    return Value::Function(function);
                }
                let mut values = function.values.clone();
                values[index] = value;
                let domain = function.domain.clone();
                Value::Function(Rc::new(FunctionValue {
                    hash: Cell::new(0),
                    depth: Cell::new(0),
                    domain,
                    values,
                }))
            }
            other => other,
        }
    }

    /// The arguments and values of a function.
    pub fn pairs(&self) -> Vec<(Value, Value)> {
        match self {
            Value::Tuple(tuple) => (1..).map(Value::Int).zip(tuple.items.iter().cloned()).collect(),
            Value::Function(function) => {
                function.domain.items.iter().cloned().zip(function.values.iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A record's field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.apply(&Value::string(name))
    }

    /// What kind of value this is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Undefined => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Str(_) => "a string",
            Value::Model(_) => "a model value",
            Value::Interval(..) | Value::Set(_) | Value::Lazy(_) => "a set",
            Value::Tuple(_) => "a tuple",
            Value::Function(f) if f.is_record() => "a record",
            Value::Function(_) | Value::Lambda(_) => "a function",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_and_a_result_take_two_words() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<crate::Result<Value>>(), 16);
    }

    #[test]
    fn a_set_has_one_representation() {
        let listed = Value::set(vec![Value::Int(3), Value::Int(1), Value::Int(2), Value::Int(1)]);
        let interval = Value::interval(1, 3).unwrap();
        assert_eq!(listed, interval);
        assert_eq!(listed.hash64(), interval.hash64());
        assert_eq!(listed.to_string(), "{1, 2, 3}");
    }

    #[test]
    fn a_function_on_one_to_n_is_a_sequence() {
        let pairs = vec![(Value::Int(2), Value::string("b")), (Value::Int(1), Value::string("a"))];
        let function = Value::function_from_pairs(pairs);
        assert_eq!(function, Value::tuple(vec![Value::string("a"), Value::string("b")]));
        let record = Value::record([("y", Value::Int(2)), ("x", Value::Int(1))]);
        assert_eq!(record.to_string(), "[x |-> 1, y |-> 2]");
        assert_eq!(record.field("y"), Some(&Value::Int(2)));
    }

    #[test]
    fn values_are_ordered_by_size_then_by_elements() {
        let tuple = |items: &[i64]| Value::tuple(items.iter().map(|n| Value::Int(*n)).collect());
        let set = Value::set(vec![tuple(&[1, 2]), tuple(&[1]), tuple(&[0, 5])]);
        assert_eq!(set.to_string(), "{<<1>>, <<0, 5>>, <<1, 2>>}");
    }
}
