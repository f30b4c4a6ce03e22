//! Going through the elements of a set one by one, without listing them all first.
//!
//! Elements come in the order of values, so that the first one that fits is what `CHOOSE` takes.

use std::rc::Rc;

use super::{LazyKind, SetValue, Value};

/// An iterator over a set's elements.
pub enum SetIter {
    /// Of a listed set.
    Items(Rc<SetValue>, usize),
    /// Of an interval: the next and the last.
    Interval(i64, i64),
    /// Of a product: the sets, the position in each, and what to make of the chosen elements.
    Product(Odometer, Shape),
    /// Of a powerset, by size: the elements, and the positions of the chosen ones.
    Subsets(Rc<SetValue>, Option<Vec<usize>>),
}

/// What the elements of a product are.
pub enum Shape {
    /// Tuples.
    Tuple,
    /// Functions with this domain.
    Function(Rc<SetValue>),
}

/// Positions in a list of sets; the last one turns fastest.
pub struct Odometer {
    wheels: Vec<Rc<SetValue>>,
    positions: Option<Vec<usize>>,
}

impl Odometer {
    fn new(wheels: Vec<Rc<SetValue>>) -> Odometer {
        let positions =
            if wheels.iter().any(|w| w.items.is_empty()) { None } else { Some(vec![0; wheels.len()]) };
        Odometer { wheels, positions }
    }

    fn next(&mut self) -> Option<Vec<Value>> {
        let positions = self.positions.as_mut()?;
        let chosen = positions.iter().zip(&self.wheels).map(|(i, wheel)| wheel.items[*i].clone()).collect();
        for wheel in (0..positions.len()).rev() {
            positions[wheel] += 1;
            if positions[wheel] < self.wheels[wheel].items.len() {
                return Some(chosen);
            }
            positions[wheel] = 0;
        }
        self.positions = None;
        Some(chosen)
    }
}

impl SetIter {
    /// An iterator, or why the set has none.
    pub fn new(set: &Value) -> Result<SetIter, String> {
        Ok(match set {
            Value::Set(set) => SetIter::Items(set.clone(), 0),
            Value::Interval(low, high) => SetIter::Interval(i64::from(*low), i64::from(*high)),
            Value::Lazy(lazy) => {
                if let Some(Value::Set(items)) = lazy.expanded() {
                    return Ok(SetIter::Items(items, 0));
                }
                match lazy.kind() {
                    LazyKind::Powerset(base) => SetIter::Subsets(base.list()?, Some(Vec::new())),
                    LazyKind::Functions(domain, range) => {
                        let domain = domain.list()?;
                        let range = if domain.items.is_empty() { None } else { Some(range.list()?) };
                        let wheels = range.map_or_else(Vec::new, |range| vec![range; domain.items.len()]);
                        SetIter::Product(Odometer::new(wheels), Shape::Function(domain))
                    }
                    LazyKind::Records(names, sets) => {
                        let wheels = sets.iter().map(Value::list).collect::<Result<Vec<_>, _>>()?;
                        SetIter::Product(Odometer::new(wheels), Shape::Function(names.clone()))
                    }
                    LazyKind::Product(sets) => {
                        let wheels = sets.iter().map(Value::list).collect::<Result<Vec<_>, _>>()?;
                        SetIter::Product(Odometer::new(wheels), Shape::Tuple)
                    }
                    LazyKind::Cup(a, b) => {
                        let (a, b) = (a.list()?, b.list()?);
                        let items = a.items.iter().chain(&b.items).cloned().collect();
                        return SetIter::new(&Value::set(items));
                    }
                    LazyKind::Seq(base) if base.is_empty() => {
                        return SetIter::new(&Value::set_from_sorted(vec![Value::tuple(Vec::new())]));
                    }
                    _ => return Err(format!("the set {} is not enumerable", set.brief())),
                }
            }
            _ => return Err(format!("{} is not enumerable: it is {}, not a set", set.brief(), set.kind())),
        })
    }
}

/// The next choice of as many positions out of `n`, in the order of sorted sets; none after the last.
fn next_choice(positions: &mut [usize], n: usize) -> bool {
    let k = positions.len();
    for i in (0..k).rev() {
        if positions[i] < n - (k - i) {
            positions[i] += 1;
            for j in i + 1..k {
                positions[j] = positions[j - 1] + 1;
            }
            return true;
        }
    }
    false
}

impl Iterator for SetIter {
    type Item = Value;

    #[inline]
    fn next(&mut self) -> Option<Value> {
        match self {
            SetIter::Items(set, position) => {
                let item = set.items.get(*position)?.clone();
                *position += 1;
                Some(item)
            }
            SetIter::Interval(next, last) => {
                if *next > *last {
                    return None;
                }
                *next += 1;
                Some(Value::Int(*next - 1))
            }
            SetIter::Product(odometer, shape) => {
                let chosen = odometer.next()?;
                Some(match shape {
                    Shape::Tuple => Value::tuple(chosen),
                    Shape::Function(domain) => Value::function(domain.clone(), chosen),
                })
            }
            SetIter::Subsets(base, positions) => {
                let chosen = positions.as_mut()?;
                let subset = Value::set_from_sorted(chosen.iter().map(|i| base.items[*i].clone()).collect());
                let n = base.items.len();
                if !next_choice(chosen, n) {
                    let size = chosen.len() + 1;
                    if size > n {
                        *positions = None;
                    } else {
                        *chosen = (0..size).collect();
                    }
                }
                Some(subset)
            }
        }
    }
}
