//! Remembering what expressions gave.
//!
//! Most of a state is the same as in its predecessor, and a variable has far fewer values than there are
//! states. So a quantifier, filter or the like that reads a few variables and bound names is evaluated for
//! the same values again and again. A [`Memo`](crate::compile::ir::Memo) node looks up the values that its
//! expression depends on, its *keys*, in one table of bounded size before it evaluates anything. Keys are
//! compared in full, so nothing is ever mixed up; and an expression whose keys seldom come back stops asking
//! for a while.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::Machine;
use crate::compile::ir::{Expr, Function, Memo};
use crate::error::Result;
use crate::value::Value;
use crate::value::hash::mix;

/// Most keys that an expression may have.
const KEYS_MAX: usize = 10;
/// Entries of the table.
const ENTRIES: usize = 1 << 13;
/// After so many questions it is decided whether to go on asking.
const TRIAL: u32 = 1 << 10;
/// It goes on if so many of them were answered. Asking costs a small part of what evaluating does; a worker
/// that has fewer states because others help it finds less, and must not do much more for that.
const TRIAL_FOUND_MIN: u32 = TRIAL / 16;
/// How many evaluations go by before an expression that gave up asks again.
const REST: u32 = 1 << 16;
/// Largest expression, in nodes, that is remembered as a whole.
const NODES_MAX: usize = 10_000;

/// Keys that an entry holds in place: most expressions have no more.
const KEYS_HERE: usize = 3;

struct Entry {
    hash: u64,
    site: u32,
    keys: [Value; KEYS_HERE],
    more: Box<[Value]>,
    value: Value,
}

const NOTHING: Value = Value::Undefined;
/// Most elements of a value that is kept.
const WIDTH_MAX: usize = 1 << 10;
/// Entries of the table of values that variables had.
const SETTLED: usize = 1 << 11;

/// What expressions gave, by their keys.
#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Values that variables had, by their hash.
    settled: Vec<Value>,
}

impl Table {
    fn slot(hash: u64) -> usize {
        (hash >> 32) as usize & (ENTRIES - 1)
    }

    fn put(&mut self, entry: Entry) {
        if self.entries.is_empty() {
            let empty = || Entry {
                hash: 0,
                site: 0,
                keys: [NOTHING; KEYS_HERE],
                more: Box::default(),
                value: NOTHING,
            };
            self.entries.resize_with(ENTRIES, empty);
        }
        let slot = Table::slot(entry.hash);
        self.entries[slot] = entry;
    }
}

impl Machine {
    /// Puts values that variables had before in the place of new ones that are equal to them. Keys are then
    /// found to be the same without a look inside: once for each value instead of once for each expression
    /// that reads it.
    pub(crate) fn settle_next(&mut self) {
        if self.memos.settled.is_empty() {
            self.memos.settled.resize(SETTLED, NOTHING);
        }
        for (value, before) in self.next.iter_mut().zip(&self.cur) {
            if value.is_simple() || value.is_one_with(before) || value.width() > WIDTH_MAX {
                continue;
            }
            let known = &mut self.memos.settled[value.hash64() as usize >> 16 & (SETTLED - 1)];
            if *known == *value {
                value.clone_from(known);
            } else {
                known.clone_from(value);
            }
        }
    }

    /// The value of an expression that is remembered.
    #[inline(never)]
    pub(super) fn memo(&mut self, memo: &Memo) -> Result<Value> {
        let resting = memo.resting.get();
        if resting > 0 {
            memo.resting.set(resting - 1);
            return self.eval(&memo.body);
        }
        let keys = match memo.keys.get() {
            Some(keys) => keys,
            None => memo.keys.get_or_init(|| keys_of(&memo.body, &self.functions).unwrap_or_default()),
        };
        if keys.is_empty() {
            memo.resting.set(u32::MAX);
            return self.eval(&memo.body);
        }
        let Some(hash) = self.hash_keys(memo.site, keys) else { return self.eval(&memo.body) };
        memo.asked.set(memo.asked.get() + 1);
        if let Some(entry) = self.memos.entries.get(Table::slot(hash))
            && entry.hash == hash
            && entry.site == memo.site
            && keys
                .iter()
                .zip(entry.keys.iter().chain(&entry.more))
                .all(|(key, known)| self.peek(key) == Some(known))
        {
            memo.found.set(memo.found.get() + 1);
            return Ok(entry.value.clone());
        }
        if memo.asked.get() >= TRIAL {
            if memo.found.get() < TRIAL_FOUND_MIN {
                memo.resting.set(REST);
            }
            memo.asked.set(0);
            memo.found.set(0);
        }
        let key = |key| self.peek(key).cloned().unwrap_or(NOTHING);
        let here = std::array::from_fn(|index| keys.get(index).map_or(NOTHING, key));
        let more = keys.iter().skip(KEYS_HERE).map(key).collect();
        let value = self.eval(&memo.body)?;
        if !matches!(value, Value::Lazy(_) | Value::Lambda(_)) && value.width() <= WIDTH_MAX {
            self.memos.put(Entry { hash, site: memo.site, keys: here, more, value: value.clone() });
        }
        Ok(value)
    }

    /// A hash of the keys' values; none if one of them has no value that can be compared.
    fn hash_keys(&mut self, site: u32, keys: &[Expr]) -> Option<u64> {
        let mut hash = u64::from(site);
        for key in keys {
            let part = match self.peek(key) {
                Some(value) => hash_key(value)?,
                // What an argument or a definition gives is found out now; if it is an error, evaluation will
                // say so.
                None => {
                    self.eval(key).ok()?;
                    hash_key(self.peek(key)?)?
                }
            };
            hash = mix(hash, part);
        }
        Some(hash)
    }
}

/// The hash of a key; none if it cannot be compared. That of an interval must not take longer the larger it
/// is.
#[inline]
fn hash_key(value: &Value) -> Option<u64> {
    match value {
        Value::Lazy(_) | Value::Lambda(_) => None,
        Value::Interval(low, high) => Some(mix(*low as u64, *high as u64)),
        // The table counts entries, not bytes: what is large is not kept.
        value if value.width() > WIDTH_MAX => None,
        value => Some(value.hash64()),
    }
}

/// What the value of an expression depends on: variables and slots of its frame. None if there are too many,
/// or if it depends on something else.
fn keys_of(expr: &Expr, functions: &[Rc<Function>]) -> Option<Box<[Expr]>> {
    let mut bound = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut nodes = 0;
    bound_slots(expr, &mut bound, &mut seen, &mut nodes);
    if nodes > NODES_MAX {
        return None;
    }
    let mut search = Search {
        functions,
        bound,
        keys: Vec::new(),
        slots: FxHashSet::default(),
        read: FxHashSet::default(),
        seen: FxHashSet::default(),
        called: FxHashSet::default(),
    };
    search.visit(expr, true)?;
    Some(search.keys.into_boxed_slice())
}

/// The slots that an expression sets itself.
fn bound_slots(
    expr: &Expr,
    bound: &mut FxHashSet<u32>,
    seen: &mut FxHashSet<*const Expr>,
    nodes: &mut usize,
) {
    *nodes += 1;
    if *nodes > NODES_MAX {
        return;
    }
    expr.each_bound_slot(&mut |slot| {
        bound.insert(slot);
    });
    if let Expr::Lazy(_, inner) = expr {
        if seen.insert(Rc::as_ptr(inner)) {
            bound_slots(inner, bound, seen, nodes);
        }
        return;
    }
    expr.each_child(&mut |child| bound_slots(child, bound, seen, nodes));
}

struct Search<'f> {
    functions: &'f [Rc<Function>],
    bound: FxHashSet<u32>,
    keys: Vec<Expr>,
    /// The slots and the variables (unprimed even, primed odd) that are keys.
    slots: FxHashSet<u32>,
    read: FxHashSet<u32>,
    /// Shared expressions and functions that have been visited.
    seen: FxHashSet<*const Expr>,
    called: FxHashSet<u32>,
}

impl Search<'_> {
    fn key(&mut self, key: Expr) -> Option<()> {
        self.keys.push(key);
        (self.keys.len() <= KEYS_MAX).then_some(())
    }

    /// Collects keys; `own` while in the frame of the expression itself, whose slots are keys, too.
    fn visit(&mut self, expr: &Expr, own: bool) -> Option<()> {
        match expr {
            Expr::Var(index, place) => {
                if self.read.insert(*index * 2) {
                    self.key(Expr::Var(*index, *place))?;
                }
            }
            Expr::Next(index, place) => {
                if self.read.insert(*index * 2 + 1) {
                    self.key(Expr::Next(*index, *place))?;
                }
            }
            Expr::Local(slot) => {
                if own && !self.bound.contains(slot) && self.slots.insert(*slot) {
                    self.key(Expr::Local(*slot))?;
                }
            }
            Expr::Lazy(slot, inner) => {
                if own && !self.bound.contains(slot) {
                    if self.slots.insert(*slot) {
                        self.key(Expr::Lazy(*slot, inner.clone()))?;
                    }
                } else if self.seen.insert(Rc::as_ptr(inner)) {
                    self.visit(inner, own)?;
                }
            }
            Expr::Shared(shared) => {
                if self.seen.insert(&raw const shared.expr) {
                    self.visit(&shared.expr, false)?;
                }
            }
            Expr::Call(index, arguments, None, _) => {
                for argument in arguments {
                    self.visit(argument, own)?;
                }
                if self.called.insert(*index) {
                    let function = self.functions.get(*index as usize)?.clone();
                    self.visit(&function.body, false)?;
                }
            }
            Expr::Call(_, _, Some(_), _)
            | Expr::Outer(..)
            | Expr::LazyOuter(..)
            | Expr::Leads(_)
            | Expr::Enabled(..)
            | Expr::Unchanged(..)
            | Expr::Error(..) => return None,
            Expr::Builtin(builtin, ..) | Expr::HigherOrder(builtin, ..)
                if builtin.impure() || builtin.random() =>
            {
                return None;
            }
            _ => {
                let mut all = Some(());
                expr.each_child(&mut |child| {
                    if all.is_some() {
                        all = self.visit(child, own);
                    }
                });
                return all;
            }
        }
        Some(())
    }
}
