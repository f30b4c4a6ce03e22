//! The native operators of standard modules.

use super::function::check_length;
use super::{Machine, complain};
use crate::compile::builtin::Builtin;
use crate::compile::ir::Expr;
use crate::error::{Error, Place, Result, fail};
use crate::value::{LazyKind, Value};

/// Most elements of a set whose permutations are listed.
const PERMUTED_MAX: usize = 9;

/// Most values of a value that is written out, and what each takes at most as text and as JSON.
const NODES_WRITTEN_MAX: usize = 1 << 24;
const TEXT_NODE_BYTES: usize = 16;
const JSON_NODE_BYTES: usize = 160;

/// What a pair of a relation takes while its transitive closure is made.
const PAIR_BYTES: usize = 128;

/// Most lines that a specification may print.
const OUTPUT_LINES_MAX: usize = 100_000;

impl Machine {
    #[inline(never)]
    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: &[Expr], place: Place) -> Result<Value> {
        match arguments {
            [] => self.builtin_0(builtin, place),
            [a] => {
                if builtin == Builtin::Len
                    && let Some(n) = self.length_in_place(a)
                {
                    return Ok(Value::Int(n));
                }
                let a = self.value(a)?;
                self.builtin_1(builtin, a, place)
            }
            [a, b] => {
                if builtin == Builtin::AssertError {
                    return self.assert_error(a, b, place);
                }
                let a = self.value(a)?;
                if builtin == Builtin::TlcGetOrDefault {
                    return match self.register(&a) {
                        Some(value) => Ok(value),
                        None => self.value(b),
                    };
                }
                // The message of an assertion that holds is not needed, and may not be evaluable.
                if builtin == Builtin::Assert && matches!(a, Value::Bool(true)) {
                    return Ok(a);
                }
                let b = self.value(b)?;
                self.builtin_2(builtin, a, b, place)
            }
            [a, b, c] => {
                let a = self.value(a)?;
                let b = self.value(b)?;
                let c = self.value(c)?;
                self.builtin_3(builtin, a, b, c, place)
            }
            _ => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.value(argument)?);
                }
                self.library(builtin, &values, place)
            }
        }
    }

    /// The length of a sequence in a variable or slot.
    fn length_in_place(&self, expr: &Expr) -> Option<i64> {
        let value = match expr {
            Expr::Local(slot) => self.local(*slot),
            Expr::Var(index, _) => &self.cur[*index as usize],
            _ => return None,
        };
        match value {
            Value::Tuple(tuple) => Some(tuple.items().len() as i64),
            _ => None,
        }
    }

    fn builtin_0(&mut self, builtin: Builtin, place: Place) -> Result<Value> {
        Ok(match builtin {
            Builtin::Nat => Value::lazy(LazyKind::Nat),
            Builtin::Int => Value::lazy(LazyKind::Int),
            Builtin::Real => Value::lazy(LazyKind::Real),
            Builtin::Strings => Value::lazy(LazyKind::Strings),
            Builtin::Any => Value::lazy(LazyKind::Any),
            Builtin::EmptyBag => Value::tuple(Vec::new()),
            Builtin::JavaTime => {
                return fail(place, "JavaTime is refused: it would make every run different");
            }
            Builtin::IoEnv => {
                let variables = self.outside.environment.iter();
                let pairs = variables.map(|(name, value)| (Value::string(name), Value::string(value)));
                Value::function_from_pairs(pairs.collect())
            }
            Builtin::TraceExpr => self.behaviour_so_far(),
            Builtin::TeTrace => return self.explored_behaviour(place),
            Builtin::CounterExample => self.counterexample_graph(),
            _ => return self.library(builtin, &[], place),
        })
    }

    fn builtin_1(&mut self, builtin: Builtin, a: Value, place: Place) -> Result<Value> {
        self.room_for(values_made(builtin, a.width()), place)?;
        Ok(match builtin {
            Builtin::Len => match &a {
                Value::Tuple(tuple) => Value::Int(tuple.items().len() as i64),
                Value::Str(text) => Value::Int(text.as_str().chars().count() as i64),
                other => return not_a_sequence("Len", other, place),
            },
            Builtin::Head => match &a {
                Value::Tuple(tuple) => match tuple.items().first() {
                    Some(first) => first.clone(),
                    None => return fail(place, "Head of the empty sequence"),
                },
                other => return not_a_sequence("Head", other, place),
            },
            Builtin::Tail => match &a {
                Value::Tuple(tuple) => match tuple.items().split_first() {
                    Some((_, rest)) => Value::tuple(rest.to_vec()),
                    None => return fail(place, "Tail of the empty sequence"),
                },
                other => return not_a_sequence("Tail", other, place),
            },
            Builtin::Seq => Value::lazy(LazyKind::Seq(a)),
            Builtin::Cardinality => {
                if !a.is_finite() {
                    return fail(place, format!("Cardinality of {}, which is no finite set", a.brief()));
                }
                let n = match a.cardinality() {
                    Some(n) => n,
                    None => self.list(&a, place)?.items().len() as u128,
                };
                match i32::try_from(n) {
                    Ok(n) => Value::Int(i64::from(n)),
                    Err(_) => return fail(place, "the cardinality does not fit into 32 bits"),
                }
            }
            Builtin::IsFiniteSet => Value::Bool(a.is_finite()),
            Builtin::PrintT => {
                let text = self.text(&a, place)?;
                self.print(text);
                Value::Bool(true)
            }
            Builtin::TlcEval => self.concrete(a, place)?,
            Builtin::TlcGet => self.tlc_get(&a, place)?,
            Builtin::ToString => Value::string(&self.text(&a, place)?),
            Builtin::TlcModelValue => match &a {
                Value::Str(name) => Value::Model(*name),
                other => return fail(place, format!("TLCModelValue of {}", other.brief())),
            },
            Builtin::Permutations => self.permutations(&a, place)?,
            Builtin::RandomElement => {
                let items = self.list(&a, place)?;
                if items.items().is_empty() {
                    return fail(place, "RandomElement of the empty set");
                }
                let index = self.random_below(items.items().len() as u64) as usize;
                items.items()[index].clone()
            }
            Builtin::SumSet | Builtin::ProductSet => {
                let items = self.list(&a, place)?;
                let mut total: i64 = i64::from(builtin == Builtin::ProductSet);
                for item in items.items() {
                    let Some(n) = item.as_int() else {
                        return fail(place, format!("{} is no integer", item.brief()));
                    };
                    let next =
                        if builtin == Builtin::SumSet { total.checked_add(n) } else { total.checked_mul(n) };
                    match next {
                        Some(next) => total = next,
                        None => return fail(place, "the result does not fit into 32 bits"),
                    }
                }
                Value::Int(total)
            }
            Builtin::Max | Builtin::Min => {
                let items = self.list(&a, place)?;
                let found =
                    if builtin == Builtin::Max { items.items().last() } else { items.items().first() };
                match found {
                    Some(Value::Int(n)) => Value::Int(*n),
                    _ => {
                        return fail(
                            place,
                            format!("{} of {}, which is no set of numbers", builtin.name(), a.brief()),
                        );
                    }
                }
            }
            Builtin::Range | Builtin::ToSet => self.range(&a, place)?,
            Builtin::SetToSeq => Value::tuple(self.list(&a, place)?.items().to_vec()),
            Builtin::SetToSeqs => {
                let items = self.list(&a, place)?;
                let orders = self.orders(items.items(), place)?;
                Value::set(orders.into_iter().map(Value::tuple).collect())
            }
            Builtin::Reverse => match &a {
                Value::Tuple(tuple) => Value::tuple(tuple.items().iter().rev().cloned().collect()),
                other => return not_a_sequence("Reverse", other, place),
            },
            // Only the bits up to the highest one that is set: there is no width to turn the others by.
            Builtin::BitNot => match int(&a, place)? {
                n @ 0.. => Value::Int(
                    !n & (1i64.checked_shl(i64::BITS - n.leading_zeros()).unwrap_or(0).wrapping_sub(1)),
                ),
                n => return fail(place, format!("Not({n}) of a negative number")),
            },
            Builtin::BagCardinality => {
                let mut total = 0i64;
                for (_, count) in a.pairs() {
                    total = total.saturating_add(int(&count, place)?);
                }
                Value::Int(total)
            }
            Builtin::SetToBag => {
                let items = self.list(&a, place)?;
                let ones = vec![Value::Int(1); items.items().len()];
                Value::function(items, ones)
            }
            Builtin::BagUnion => {
                let bags = self.list(&a, place)?;
                let mut union = Value::tuple(Vec::new());
                for bag in bags.items() {
                    union = self.bag_sum(&union, bag, 1, place)?;
                }
                union
            }
            Builtin::SubBag => self.sub_bags(&a, place)?,
            Builtin::ToJson => {
                self.room(self.nodes(&a, place)?.saturating_mul(JSON_NODE_BYTES), place)?;
                Value::string(&crate::value::json::plain_json(&a).to_string())
            }
            Builtin::JsonDeserialize | Builtin::NdJsonDeserialize => self.read_json(builtin, &a, place)?,
            Builtin::Atoi => match &a {
                Value::Str(text) => match text.as_str().trim().parse() {
                    Ok(n) => Value::Int(n),
                    Err(_) => return fail(place, format!("{} is no number", a.brief())),
                },
                other => return fail(place, format!("atoi of {}", other.brief())),
            },
            _ => return self.library(builtin, &[a], place),
        })
    }

    fn builtin_2(&mut self, builtin: Builtin, a: Value, b: Value, place: Place) -> Result<Value> {
        self.room_for(values_made(builtin, a.width() + b.width()), place)?;
        Ok(match builtin {
            Builtin::Append => match &a {
                Value::Tuple(tuple) => {
                    check_length("elements of a sequence", tuple.items().len() + 1, place)?;
                    let mut items = Vec::with_capacity(tuple.items().len() + 1);
                    items.extend_from_slice(tuple.items());
                    items.push(self.concrete(b, place)?);
                    Value::tuple(items)
                }
                other => return not_a_sequence("Append", other, place),
            },
            Builtin::Concat => match (&a, &b) {
                (Value::Tuple(x), Value::Tuple(y)) => {
                    if x.items().is_empty() {
                        return Ok(b);
                    }
                    if y.items().is_empty() {
                        return Ok(a);
                    }
                    check_length("elements of a sequence", x.items().len() + y.items().len(), place)?;
                    let mut items = Vec::with_capacity(x.items().len() + y.items().len());
                    items.extend_from_slice(x.items());
                    items.extend_from_slice(y.items());
                    Value::tuple(items)
                }
                (Value::Str(x), Value::Str(y)) => {
                    let bytes = x.as_str().len() + y.as_str().len();
                    check_length("bytes of a string", bytes, place)?;
                    self.room(2 * bytes, place)?;
                    Value::string(&format!("{x}{y}"))
                }
                _ => {
                    let (x, y) = (self.concrete(a, place)?, self.concrete(b, place)?);
                    match (&x, &y) {
                        (Value::Tuple(_), Value::Tuple(_)) => return self.builtin_2(builtin, x, y, place),
                        (Value::Tuple(_), other) | (other, _) => return not_a_sequence("\\o", other, place),
                    }
                }
            },
            Builtin::Print => {
                let text = format!("{}  {}", self.text(&a, place)?, self.text(&b, place)?);
                self.print(text);
                b
            }
            Builtin::Assert => match a {
                Value::Bool(true) => a,
                Value::Bool(false) => {
                    let message = match &b {
                        Value::Str(text) => text.to_string(),
                        other => self.text(other, place)?,
                    };
                    return Err(Box::new(Error::Assertion { place, message }));
                }
                other => return fail(place, format!("Assert of {}, which is no boolean", other.brief())),
            },
            Builtin::AssertEq => {
                if !self.equal(&a, &b, place)? {
                    self.print(format!("AssertEq failed: {} # {}", a.brief(), b.brief()));
                    return Ok(Value::Bool(false));
                }
                Value::Bool(true)
            }
            Builtin::MapTo => self.pair(a, b, place)?,
            Builtin::Compose => self.compose(a, b, place)?,
            Builtin::TlcSet => self.tlc_set(&a, b, place)?,
            Builtin::Ksubset => {
                let k = int(&a, place)?;
                let base = self.list(&b, place)?;
                let subsets = Value::lazy(LazyKind::Powerset(Value::Set(base)));
                let mut chosen = Vec::new();
                for subset in self.iterate(&subsets, place)? {
                    self.steps(1, place)?;
                    self.room_for(subset.breadth() + 5, place)?;
                    match subset.len().map(|n| n as i64) {
                        Some(n) if n == k => chosen.push(subset),
                        Some(n) if n > k => break,
                        _ => {}
                    }
                }
                Value::set_from_sorted(chosen)
            }
            Builtin::BitAnd => Value::Int(int(&a, place)? & int(&b, place)?),
            Builtin::BitOr => Value::Int(int(&a, place)? | int(&b, place)?),
            Builtin::BitXor => Value::Int(int(&a, place)? ^ int(&b, place)?),
            Builtin::ShiftRight => Value::Int(int(&a, place)? >> int(&b, place)?.clamp(0, 63)),
            Builtin::RealDivide => return fail(place, "real division is not evaluated"),
            Builtin::BagIn => Value::Bool(b.apply(&a).and_then(Value::as_int).is_some_and(|n| n > 0)),
            Builtin::BagCup => self.bag_sum(&a, &b, 1, place)?,
            Builtin::BagMinus => self.bag_sum(&a, &b, -1, place)?,
            Builtin::RandomSubset => {
                let k = int(&a, place)?.max(0) as usize;
                if let Some(drawn) = self.random_numbers(k, &b, place)? {
                    return Ok(drawn);
                }
                if let Some(drawn) = self.random_functions(k, &b, place)? {
                    return Ok(drawn);
                }
                let items = self.list(&b, place)?;
                self.room_for(items.items().len(), place)?;
                Value::set(self.sample(items.items(), k))
            }
            Builtin::TransitiveClosure => self.transitive_closure(&a, &b, place)?,
            _ => return self.library(builtin, &[a, b], place),
        })
    }

    fn builtin_3(&mut self, builtin: Builtin, a: Value, b: Value, c: Value, place: Place) -> Result<Value> {
        match builtin {
            Builtin::SubSeq => {
                let (from, to) = (int(&b, place)?, int(&c, place)?);
                match &a {
                    Value::Tuple(tuple) => {
                        if from > to {
                            return Ok(Value::tuple(Vec::new()));
                        }
                        if from < 1 || to > tuple.items().len() as i64 {
                            let message =
                                format!("SubSeq({}, {from}, {to}) goes beyond the sequence", a.brief());
                            return fail(place, message);
                        }
                        if from == 1 && to == tuple.items().len() as i64 {
                            return Ok(a);
                        }
                        self.room_for((to - from) as usize + 1, place)?;
                        Ok(Value::tuple(tuple.items()[from as usize - 1..to as usize].to_vec()))
                    }
                    Value::Str(text) => {
                        let count = (to - from + 1).max(0) as usize;
                        let part: String =
                            text.as_str().chars().skip((from - 1).max(0) as usize).take(count).collect();
                        self.room(2 * part.len(), place)?;
                        Ok(Value::string(&part))
                    }
                    other => not_a_sequence("SubSeq", other, place),
                }
            }
            Builtin::RandomSetOfSubsets => {
                let count = int(&a, place)?.max(0) as usize;
                let size = int(&b, place)?.max(0) as usize;
                let items = self.list(&c, place)?;
                let mut subsets = Vec::new();
                for _ in 0..count {
                    self.steps(1, place)?;
                    self.room_for(items.items().len() + 5, place)?;
                    let mut subset = self.sample(items.items(), size);
                    subset.shrink_to_fit();
                    subsets.push(Value::set(subset));
                }
                Ok(Value::set(subsets))
            }
            _ => self.library(builtin, &[a, b, c], place),
        }
    }

    /// The text of a value, if there is room for it.
    fn text(&mut self, value: &Value, place: Place) -> Result<String> {
        // Values are shared: what is small may be written out to something huge.
        self.room(self.nodes(value, place)?.saturating_mul(TEXT_NODE_BYTES), place)?;
        Ok(value.to_string())
    }

    /// How many values a value is made of, when each counts wherever it stands.
    pub(super) fn nodes(&self, value: &Value, place: Place) -> Result<usize> {
        match value.nodes_up_to(NODES_WRITTEN_MAX) {
            Some(nodes) => Ok(nodes),
            None => fail(place, format!("a value of more than {NODES_WRITTEN_MAX} parts is not written")),
        }
    }

    fn print(&mut self, line: String) {
        if self.output.len() < OUTPUT_LINES_MAX {
            self.output.push(line);
        }
    }

    fn assert_error(&mut self, message: &Expr, expression: &Expr, place: Place) -> Result<Value> {
        let wanted = self.eval(message)?;
        let (frames, frame, base, top) = (self.frames.len(), self.frame, self.base, self.top);
        match self.eval(expression) {
            Ok(_) => Ok(Value::Bool(false)),
            Err(error) => {
                self.frames.truncate(frames);
                self.frame = frame;
                self.base = base;
                self.top = top;
                match (&wanted, &*error) {
                    (Value::Str(_), Error::Evaluation { .. } | Error::Assertion { .. }) => {
                        Ok(Value::Bool(true))
                    }
                    (_, Error::Limit { .. }) => Err(error),
                    _ => fail(place, "AssertError expects the text of an error"),
                }
            }
        }
    }

    fn permutations(&mut self, set: &Value, place: Place) -> Result<Value> {
        let items = self.list(set, place)?;
        let orders = self.orders(items.items(), place)?;
        Ok(Value::set(orders.into_iter().map(|order| Value::function(items.clone(), order)).collect()))
    }

    /// `a` and `b` as bags, with the counts of `b` added or taken away.
    fn bag_sum(&mut self, a: &Value, b: &Value, sign: i64, place: Place) -> Result<Value> {
        let a = self.concrete(a.clone(), place)?;
        let b = self.concrete(b.clone(), place)?;
        let mut pairs = Vec::new();
        for (item, count) in a.pairs() {
            let other = b.apply(&item).map_or(Ok(0), |n| int(n, place))?;
            let total = int(&count, place)? + sign * other;
            if total > 0 {
                pairs.push((item, Value::Int(total)));
            }
        }
        if sign > 0 {
            pairs.extend(b.pairs().into_iter().filter(|(item, _)| a.apply(item).is_none()));
        }
        Ok(Value::function_from_pairs(pairs))
    }

    fn sub_bags(&mut self, bag: &Value, place: Place) -> Result<Value> {
        let mut bags: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
        for (item, count) in bag.pairs() {
            let count = int(&count, place)?;
            let mut larger = Vec::new();
            for bag in &bags {
                for n in 0..=count {
                    self.steps(1, place)?;
                    self.room_for(2 * bag.len() + 4, place)?;
                    let mut bag = bag.clone();
                    if n > 0 {
                        bag.push((item.clone(), Value::Int(n)));
                    }
                    larger.push(bag);
                    if larger.len() > crate::value::SET_SIZE_MAX {
                        return fail(place, "SubBag has too many elements");
                    }
                }
            }
            bags = larger;
        }
        Ok(Value::set(bags.into_iter().map(Value::function_from_pairs).collect()))
    }

    /// All orders of a list.
    fn orders(&mut self, items: &[Value], place: Place) -> Result<Vec<Vec<Value>>> {
        if items.len() > PERMUTED_MAX {
            return fail(place, format!("a set of {} elements has too many permutations", items.len()));
        }
        let mut orders: Vec<Vec<Value>> = vec![Vec::new()];
        for _ in items {
            let mut longer = Vec::new();
            for order in &orders {
                for item in items.iter().filter(|item| !order.contains(item)) {
                    self.room_for(order.len() + 8, place)?;
                    let mut order = order.clone();
                    order.push(item.clone());
                    longer.push(order);
                }
            }
            orders = longer;
        }
        Ok(orders)
    }

    /// So many elements of a list, each choice equally likely.
    /// Numbers of an interval, without listing it if it is much larger than what is drawn.
    fn random_numbers(&mut self, count: usize, set: &Value, place: Place) -> Result<Option<Value>> {
        let Value::Interval(low, _) = set else { return Ok(None) };
        let (low, length) = (i64::from(*low), set.len().unwrap_or(0));
        if length / 4 < count.max(1) {
            return Ok(None);
        }
        self.room_for(count, place)?;
        let mut drawn = std::collections::BTreeSet::new();
        while drawn.len() < count {
            drawn.insert(low + self.random_below(length as u64) as i64);
        }
        Ok(Some(Value::set(drawn.into_iter().map(Value::Int).collect())))
    }

    /// Functions of a set that is too large to be listed.
    fn random_functions(&mut self, count: usize, set: &Value, place: Place) -> Result<Option<Value>> {
        let Value::Lazy(lazy) = set else { return Ok(None) };
        let LazyKind::Functions(domain, range) = lazy.kind() else { return Ok(None) };
        if set.cardinality().is_some_and(|n| n <= crate::value::SET_SIZE_MAX as u128) {
            return Ok(None);
        }
        let (domain, range) = (self.list(domain, place)?, self.list(range, place)?);
        self.room_for(count.saturating_mul(1 + domain.items().len()), place)?;
        let mut drawn: Vec<Value> = Vec::new();
        while drawn.len() < count {
            self.steps(1, place)?;
            let arguments = domain.items().iter();
            let pairs = arguments.map(|argument| {
                let at = self.random_below(range.items().len() as u64) as usize;
                (argument.clone(), range.items()[at].clone())
            });
            let pairs = pairs.collect();
            let function = Value::function_from_pairs(pairs);
            if let Err(at) = drawn.binary_search(&function) {
                drawn.insert(at, function);
            }
        }
        Ok(Some(Value::set(drawn)))
    }

    fn sample(&mut self, items: &[Value], count: usize) -> Vec<Value> {
        let mut pool = items.to_vec();
        let count = count.min(pool.len());
        for i in 0..count {
            let j = i + self.random_below((pool.len() - i) as u64) as usize;
            pool.swap(i, j);
        }
        pool.truncate(count);
        pool
    }

    /// The transitive closure of a relation given as a function of pairs to booleans.
    fn transitive_closure(&mut self, relation: &Value, set: &Value, place: Place) -> Result<Value> {
        let nodes = self.list(set, place)?;
        let n = nodes.items().len();
        self.room(n.saturating_mul(n).saturating_mul(PAIR_BYTES), place)?;
        let mut reach = vec![false; n * n];
        for (i, x) in nodes.items().iter().enumerate() {
            for (j, y) in nodes.items().iter().enumerate() {
                let pair = Value::tuple(vec![x.clone(), y.clone()]);
                let holds = self.apply(relation, &pair, place)?;
                reach[i * n + j] = self.truth(&holds, place)?;
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i * n + j] |= reach[i * n + k] && reach[k * n + j];
                }
            }
        }
        let product = Value::lazy(LazyKind::Product(vec![set.clone(), set.clone()]));
        let domain = complain(place, product.list())?;
        Ok(Value::function(domain, reach.into_iter().map(Value::Bool).collect()))
    }
}

pub(super) fn int(value: &Value, place: Place) -> Result<i64> {
    match value {
        Value::Int(n) => Ok(*n),
        other => fail(place, format!("{} is {}, not an integer", other.brief(), other.kind())),
    }
}

fn not_a_sequence<T>(operator: &str, value: &Value, place: Place) -> Result<T> {
    fail(place, format!("{operator} of {}, which is {} and not a sequence", value.brief(), value.kind()))
}

/// How many values an operator makes out of arguments that hold so many.
fn values_made(builtin: Builtin, width: usize) -> usize {
    match builtin {
        Builtin::Append | Builtin::Concat | Builtin::Tail | Builtin::Reverse => width + 1,
        Builtin::SetToSeq | Builtin::Range | Builtin::ToSet | Builtin::SetToBag => width,
        Builtin::BagCup | Builtin::BagMinus | Builtin::BagCardinality => 4 * width,
        Builtin::SubBag => 2 * width,
        _ => 0,
    }
}
