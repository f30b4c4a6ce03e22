//! What names stand for, as far as their use can be checked.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::error::Place;
use crate::symbol::Symbol;

/// What kind of thing a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Constant,
    Variable,
    Definition,
    /// A parameter or a bound name.
    Bound,
}

/// How a name may be used.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// With so many arguments; of each, how many arguments it takes itself.
    Operator(Rc<[usize]>),
    /// A function of so many arguments.
    Function(usize),
    /// `Name(…) == INSTANCE Module`.
    Instance(Symbol, usize),
}

/// The arity of a parameter that is not known: a RECURSIVE declaration says only how many parameters there
/// are.
pub(super) const UNKNOWN: usize = usize::MAX;

impl Shape {
    /// An operator that is declared, and not yet defined.
    pub(super) fn announced(arity: usize) -> Shape {
        Shape::Operator(vec![UNKNOWN; arity].into())
    }

    pub(super) fn plain(arity: usize) -> Shape {
        Shape::Operator(vec![0; arity].into())
    }

    /// How many arguments it takes.
    pub(super) fn arity(&self) -> usize {
        match self {
            Shape::Operator(parameters) => parameters.len(),
            Shape::Function(_) => 0,
            Shape::Instance(_, parameters) => *parameters,
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub role: Role,
    pub shape: Shape,
    /// The module where it was defined first.
    pub module: Symbol,
    pub place: Place,
    /// Whether a definition of the same name may take its place: names of our own community modules.
    pub yields: bool,
    pub local: bool,
}

/// A module from outside: what it gives to others, and what an instance of it must replace.
#[derive(Default)]
pub(super) struct Table {
    pub names: FxHashMap<Symbol, Entry>,
    /// Modules inside it.
    pub modules: FxHashMap<Symbol, Rc<Table>>,
}

impl Table {
    /// The constants and variables, in the order of their names.
    pub(super) fn declared(&self) -> Vec<(Symbol, &Entry)> {
        let mut declared: Vec<_> = self
            .names
            .iter()
            .filter(|(_, entry)| matches!(entry.role, Role::Constant | Role::Variable))
            .map(|(name, entry)| (*name, entry))
            .collect();
        declared.sort_by_key(|(name, _)| name.as_str());
        declared
    }
}
