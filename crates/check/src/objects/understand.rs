//! Recorded operations as those of an object.

use std::collections::BTreeMap;

use shakedown_histories::{Item, Operation as Recorded, Outcome, ReadError};

use super::model::{Object, ObjectAnswer, ObjectOp, Symbol};
use crate::linearizability::Operation;

/// What clients did to objects of one kind.
pub struct ObjectHistory {
    /// What the objects are.
    pub object: Object,
    /// For each key what was done to it, in the order of the recorded history; one without a name, if the
    /// history has no keys.
    pub keys: Vec<(String, Vec<Operation<ObjectOp, ObjectAnswer>>)>,
    /// For each of these operations its place in the recorded history.
    pub recorded: Vec<Vec<usize>>,
    symbols: Vec<Item>,
}

impl ObjectHistory {
    /// A value as it was recorded.
    pub fn shown(&self, symbol: Symbol) -> String {
        self.symbols[symbol.0 as usize].shown()
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.recorded.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Default)]
struct Symbols(BTreeMap<Item, Symbol>);

impl Symbols {
    fn of(&mut self, item: &Item) -> Symbol {
        if let Some(symbol) = self.0.get(item) {
            return *symbol;
        }
        let symbol = Symbol(self.0.len() as u32);
        self.0.insert(item.clone(), symbol);
        symbol
    }

    fn of_all<C: FromIterator<Symbol>>(&mut self, items: &[Item]) -> C {
        items.iter().map(|item| self.of(item)).collect()
    }
}

/// Reads a history as one of such objects. If it `is_keyed`, every value is a pair of a key and a value.
pub fn understand(object: Object, history: &[Recorded], is_keyed: bool) -> Result<ObjectHistory, ReadError> {
    let mut symbols = Symbols::default();
    let mut places = BTreeMap::<Item, usize>::new();
    let (mut keys, mut recorded) = (Vec::new(), Vec::new());
    for (place, operation) in history.iter().enumerate() {
        let (key, asked, answered) = match is_keyed {
            true => split(operation)?,
            false => (Item::Nil, operation.asked.clone(), operation.answered.clone()),
        };
        let read = one(object, operation, &asked, &answered, &mut symbols);
        let Some((op, answer)) = read.map_err(|message| operation.wrong(message))? else { continue };
        let at = *places.entry(key.clone()).or_insert_with(|| {
            keys.push((if is_keyed { key.shown() } else { String::new() }, Vec::new()));
            recorded.push(Vec::new());
            keys.len() - 1
        });
        let answered = operation.ended.zip(answer);
        keys[at].1.push(Operation { op, called: operation.began, answered });
        recorded[at].push(place);
    }
    let mut by_symbol: Vec<(Symbol, Item)> = symbols.0.into_iter().map(|(item, at)| (at, item)).collect();
    by_symbol.sort_by_key(|(symbol, _)| *symbol);
    let symbols = by_symbol.into_iter().map(|(_, item)| item).collect();
    Ok(ObjectHistory { object, keys, recorded, symbols })
}

/// The key, what was asked of it and what was answered, of a value `[key value]`.
fn split(operation: &Recorded) -> Result<(Item, Item, Item), ReadError> {
    let pair = |item: &Item| match item {
        Item::List(pair) if pair.len() == 2 => Some((pair[0].clone(), pair[1].clone())),
        _ => None,
    };
    let (asked, answered) = (pair(&operation.asked), pair(&operation.answered));
    let Some(key) = asked.as_ref().or(answered.as_ref()).map(|(key, _)| key.clone()) else {
        let shown = operation.value().shown();
        return Err(operation.wrong(format!("{shown} is no pair of a key and a value")));
    };
    let value = |pair: Option<(Item, Item)>| pair.map_or(Item::Nil, |(_, value)| value);
    Ok((key, value(asked), value(answered)))
}

type Read = Option<(ObjectOp, Option<ObjectAnswer>)>;

/// An operation and its answer; nothing if it did not happen.
fn one(
    object: Object,
    operation: &Recorded,
    asked: &Item,
    answered: &Item,
    symbols: &mut Symbols,
) -> Result<Read, String> {
    let f = operation.f.as_str();
    let (name, names) = object.names();
    if !names.contains(&f) {
        return Err(format!("the operation `{f}` is unknown: a {name} has {}", names.join(", ")));
    }
    let outcome = operation.outcome;
    let input = if *asked == Item::Nil { answered } else { asked };
    let op = match (object, f) {
        (_, "read") => ObjectOp::Read,
        (_, "write") => ObjectOp::Write(symbols.of(some(input)?)),
        (_, "cas") => {
            let Item::List(pair) = input else { return Err(format!("{} is no pair", input.shown())) };
            let [from, to] = pair.as_slice() else { return Err(format!("{} is no pair", input.shown())) };
            ObjectOp::Cas(symbols.of(from), symbols.of(to))
        }
        (Object::Counter, "add") => ObjectOp::Add(number(input)?),
        (Object::Log, "append") => ObjectOp::Put(symbols.of(some(appended(input))?)),
        (_, "enqueue" | "push" | "add") => ObjectOp::Put(symbols.of(some(input)?)),
        (_, "dequeue" | "pop") => ObjectOp::Take,
        (_, "remove") => ObjectOp::Remove(symbols.of(some(input)?)),
        (_, "acquire") => ObjectOp::Acquire(operation.process),
        _ => ObjectOp::Release(operation.process),
    };
    let answer = match outcome {
        Outcome::Info => None,
        Outcome::Fail if object == Object::Cas && f == "cas" => Some(ObjectAnswer::Applied(false)),
        Outcome::Fail => return Ok(None),
        Outcome::Ok => Some(answer(object, &op, answered, symbols)?),
    };
    // A read without an answer changes nothing and shows nothing.
    Ok((op != ObjectOp::Read || answer.is_some()).then_some((op, answer)))
}

fn answer(
    object: Object,
    op: &ObjectOp,
    answered: &Item,
    symbols: &mut Symbols,
) -> Result<ObjectAnswer, String> {
    let value = |symbols: &mut Symbols| match answered {
        Item::Nil => ObjectAnswer::Value(None),
        item => ObjectAnswer::Value(Some(symbols.of(item))),
    };
    let list = || answered.list().ok_or_else(|| format!("{} is no list", answered.shown()));
    Ok(match (object, op) {
        (Object::Set, ObjectOp::Read) => ObjectAnswer::Set(symbols.of_all(list()?)),
        (Object::Log, ObjectOp::Read) => ObjectAnswer::List(symbols.of_all(list()?)),
        (Object::Counter, ObjectOp::Read) => ObjectAnswer::Number(number(answered)?),
        (_, ObjectOp::Read | ObjectOp::Take) => value(symbols),
        (_, ObjectOp::Cas(..)) => ObjectAnswer::Applied(true),
        (Object::Log, ObjectOp::Put(_)) => match answered {
            Item::List(pair) if pair.len() == 2 => match usize::try_from(number(&pair[1])?) {
                Ok(place) => ObjectAnswer::At(place),
                Err(_) => return Err(format!("{} is no place in a log", pair[1].shown())),
            },
            _ => ObjectAnswer::Done,
        },
        (Object::Set, ObjectOp::Remove(_)) => match answered {
            Item::Truth(was_there) => ObjectAnswer::Applied(*was_there),
            _ => ObjectAnswer::Done,
        },
        _ => ObjectAnswer::Done,
    })
}

/// What was appended: the value, or the first of a pair of it and its place.
fn appended(input: &Item) -> &Item {
    match input {
        Item::List(pair) if pair.len() == 2 => &pair[0],
        item => item,
    }
}

fn some(item: &Item) -> Result<&Item, String> {
    match item {
        Item::Nil => Err("the operation has no value".to_owned()),
        item => Ok(item),
    }
}

fn number(item: &Item) -> Result<i64, String> {
    item.number().ok_or_else(|| format!("{} is no number", item.shown()))
}
