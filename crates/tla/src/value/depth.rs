//! How deep values are nested.
//!
//! Dropping, comparing, hashing, encoding and printing a value recurse as deep as it is nested. A fold, a
//! register and the steps of a behaviour can nest a value further and further without recursion of their own,
//! so they ask here.

use super::{LazyKind, Value};

/// The deepest nesting of a value that a fold, a register or a variable may hold. Whatever recurses over such
/// a value fits into the stack that a caller's thread is assumed to have.
pub(crate) const NESTING_MAX: u32 = 2_000;

impl Value {
    /// How deep the value is nested: none for numbers and texts. Each compound value remembers its own.
    pub(crate) fn depth(&self) -> u32 {
        match self {
            Value::Set(set) => remembered(&set.depth, || deepest(&set.items)),
            Value::Tuple(tuple) => remembered(&tuple.depth, || deepest(&tuple.items)),
            Value::Function(function) => remembered(&function.depth, || {
                let domain = remembered(&function.domain.depth, || deepest(&function.domain.items));
                deepest(&function.values).max(domain - 1)
            }),
            Value::Lazy(set) => remembered(&set.depth, || match set.kind() {
                LazyKind::Nat | LazyKind::Int | LazyKind::Real | LazyKind::Strings | LazyKind::Any => 0,
                LazyKind::Seq(of) | LazyKind::Powerset(of) => of.depth(),
                LazyKind::Functions(a, b)
                | LazyKind::Cup(a, b)
                | LazyKind::Cap(a, b)
                | LazyKind::Minus(a, b) => a.depth().max(b.depth()),
                LazyKind::Records(_, sets) | LazyKind::Product(sets) => deepest(sets),
                LazyKind::Filter(of, closure) => of.depth().max(deepest(closure.frame())),
            }),
            Value::Lambda(lambda) => {
                remembered(lambda.depth(), || lambda.domain().depth().max(deepest(lambda.closure().frame())))
            }
            _ => 0,
        }
    }
}

fn deepest(items: &[Value]) -> u32 {
    items.iter().map(Value::depth).max().unwrap_or(0)
}

/// One more than the deepest inside; 0 stands for what has not been asked yet.
#[inline]
fn remembered(known: &std::cell::Cell<u32>, inside: impl FnOnce() -> u32) -> u32 {
    if known.get() == 0 {
        known.set(inside() + 1);
    }
    known.get()
}
