//! What a specification is compiled to: trees with every name resolved.
//!
//! Two kinds of trees. An [`Expr`] has a value. An [`Act`] makes successor states: it is run left to right
//! with a continuation, assigning primed variables on the way (see `eval::action`). Bound names, parameters
//! and LET definitions are numbered slots of a frame; operators are expanded where they are called, but for
//! recursive ones, which are [`Function`]s with frames of their own. What depends on constants only is
//! evaluated once ([`ConstCell`]).

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::builtin::Builtin;
use crate::error::Place;
use crate::symbol::Symbol;
use crate::value::{SetValue, Value};

/// A constant expression that is evaluated when it is first needed.
pub(crate) struct ConstCell {
    pub expr: Expr,
    pub slots: u32,
    /// Where it is written.
    pub place: Place,
    pub value: OnceCell<Value>,
}

/// A definition without parameters that is evaluated in a frame of its own.
pub(crate) struct Shared {
    pub expr: Expr,
    pub slots: u32,
}

/// A recursive operator.
pub(crate) struct Function {
    pub body: Expr,
    pub slots: u32,
    /// Whether it is a function, which is not listed, because others that need it are not finished.
    pub unlisted: bool,
}

/// What a bound assigns to.
#[derive(Clone)]
pub(crate) enum Pattern {
    One(u32),
    Tuple(Box<[Pattern]>),
}

impl Pattern {
    /// Visits the slots, in order.
    pub(crate) fn each_slot(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Pattern::One(slot) => visit(*slot),
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| pattern.each_slot(visit)),
        }
    }
}

/// `pattern \in set`.
pub(crate) struct Binder {
    pub pattern: Pattern,
    pub set: Expr,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SetOperation {
    Cup,
    Cap,
    Minus,
}

/// One update of an EXCEPT.
pub(crate) struct Update {
    pub path: Box<[Expr]>,
    /// The slot that holds the old value, for `@`.
    pub at: u32,
    pub value: Expr,
}

/// A pair of operands with their place.
pub(crate) struct Two {
    pub left: Expr,
    pub right: Expr,
    pub place: Place,
}

/// An operand with its place.
pub(crate) struct One {
    pub operand: Expr,
    pub place: Place,
}

/// A quantifier, a set or function constructor: bounds and a body.
pub(crate) struct Comprehension {
    pub binders: Box<[Binder]>,
    /// The bound names, in the order of their slots.
    pub names: Box<[Symbol]>,
    pub body: Expr,
    pub place: Place,
}

/// `CHOOSE`, a filter or a function with one bound, which may turn out to be over an infinite set.
pub(crate) struct Single {
    pub binder: Binder,
    pub body: Rc<Expr>,
    /// The size of the frame it is evaluated in, for closures.
    pub frame: Rc<Cell<u32>>,
    /// Where the function itself is found while its body is evaluated, for recursive function definitions.
    pub this: Option<u32>,
    pub place: Place,
}

/// An operator argument of a built-in higher-order operator: its body over slots.
pub(crate) struct Operator {
    pub slots: Box<[u32]>,
    pub body: Expr,
}

/// An expression whose value is remembered by what it depends on; see `eval::memo`.
pub(crate) struct Memo {
    /// Tells one such expression from another.
    pub site: u32,
    pub body: Expr,
    /// The variables and slots that the value depends on, once known; none if it is not worth remembering.
    pub keys: OnceCell<Box<[Expr]>>,
    pub asked: Cell<u32>,
    pub found: Cell<u32>,
    /// How many evaluations to let go by without asking.
    pub resting: Cell<u32>,
}

/// An expression.
pub(crate) enum Expr {
    Const(Value),
    Cell(Rc<ConstCell>),
    Shared(Rc<Shared>),
    Memo(Box<Memo>),
    /// A slot of this frame.
    Local(u32),
    /// A slot of an enclosing frame: how many frames out, and which.
    Outer(u32, u32),
    /// A parameter or LET definition: evaluated when first needed, then kept in its slot.
    Lazy(u32, Rc<Expr>),
    LazyOuter(u32, u32, Rc<Expr>),
    /// Forgets what the slots hold, then evaluates.
    Scope(Box<[u32]>, Box<Expr>),
    Var(u32, Place),
    Next(u32, Place),
    And(Box<[Expr]>, Place),
    Or(Box<[Expr]>, Place),
    Not(Box<One>),
    Implies(Box<Two>),
    Iff(Box<Two>),
    Equal(Box<Two>),
    Unequal(Box<Two>),
    Arithmetic(Arithmetic, Box<Two>),
    Compare(Comparison, Box<Two>),
    Negate(Box<One>),
    Interval(Box<Two>),
    In(Box<Two>),
    NotIn(Box<Two>),
    Subset(Box<Two>),
    SetOperation(SetOperation, Box<Two>),
    Powerset(Box<One>),
    BigUnion(Box<One>),
    SetEnum(Box<[Expr]>, Place),
    SetFilter(Box<Single>),
    SetMap(Box<Comprehension>),
    Function(Box<Single>),
    FunctionSet(Box<Two>),
    Record(Rc<SetValue>, Box<[Expr]>),
    RecordSet(Rc<SetValue>, Box<[Expr]>),
    Tuple(Box<[Expr]>),
    Product(Box<[Expr]>),
    Apply(Box<Two>),
    Field(Box<One>, Symbol, Cell<u32>),
    Except(Box<One>, Box<[Update]>),
    Domain(Box<One>),
    Exists(Box<Comprehension>),
    Forall(Box<Comprehension>),
    Choose(Box<Single>),
    If(Box<(Expr, Expr, Expr, Place)>),
    Case(Box<[(Expr, Expr)]>, Option<Box<Expr>>, Place),
    /// A recursive operator: which, its arguments, and how many frames out its static link is (none if it
    /// needs none).
    Call(u32, Box<[Expr]>, Option<u32>, Place),
    Builtin(Builtin, Box<[Expr]>, Place),
    HigherOrder(Builtin, Box<[Expr]>, Box<[Operator]>, Place),
    Unchanged(Box<[u32]>, Place),
    /// Whether an action is possible; how many free values its instances need; whether in the next state.
    Enabled(Rc<Act>, u32, bool),
    /// Whether a composed action leads from the state to the next one.
    Leads(Rc<Act>),
    /// The value of an unsupported construct: an error when it is evaluated.
    Error(String, Place),
}

impl Expr {
    /// The expression without the memory that was put around it.
    pub(crate) fn bare(&self) -> &Expr {
        match self {
            Expr::Memo(memo) => &memo.body,
            other => other,
        }
    }

    /// Visits the expressions directly below, but for those with frames of their own and the action of
    /// ENABLED.
    pub(crate) fn each_child(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Expr::Const(_)
            | Expr::Cell(_)
            | Expr::Shared(_)
            | Expr::Local(_)
            | Expr::Outer(..)
            | Expr::Var(..)
            | Expr::Next(..)
            | Expr::Unchanged(..)
            | Expr::Leads(_)
            | Expr::Enabled(..)
            | Expr::Error(..) => {}
            Expr::Memo(memo) => visit(&memo.body),
            Expr::Lazy(_, inner) | Expr::LazyOuter(_, _, inner) => visit(inner),
            Expr::Scope(_, body) => visit(body),
            Expr::And(items, _) | Expr::Or(items, _) | Expr::SetEnum(items, _) => {
                items.iter().for_each(visit)
            }
            Expr::Record(_, items)
            | Expr::RecordSet(_, items)
            | Expr::Tuple(items)
            | Expr::Product(items)
            | Expr::Call(_, items, _, _)
            | Expr::Builtin(_, items, _) => items.iter().for_each(visit),
            Expr::Not(one)
            | Expr::Negate(one)
            | Expr::Powerset(one)
            | Expr::BigUnion(one)
            | Expr::Domain(one)
            | Expr::Field(one, ..) => visit(&one.operand),
            Expr::Implies(two)
            | Expr::Iff(two)
            | Expr::Equal(two)
            | Expr::Unequal(two)
            | Expr::Arithmetic(_, two)
            | Expr::Compare(_, two)
            | Expr::Interval(two)
            | Expr::In(two)
            | Expr::NotIn(two)
            | Expr::Subset(two)
            | Expr::SetOperation(_, two)
            | Expr::FunctionSet(two)
            | Expr::Apply(two) => {
                visit(&two.left);
                visit(&two.right);
            }
            Expr::SetFilter(single) | Expr::Function(single) | Expr::Choose(single) => {
                visit(&single.binder.set);
                visit(&single.body);
            }
            Expr::SetMap(many) | Expr::Exists(many) | Expr::Forall(many) => {
                many.binders.iter().for_each(|binder| visit(&binder.set));
                visit(&many.body);
            }
            Expr::Except(one, updates) => {
                visit(&one.operand);
                for update in updates {
                    update.path.iter().for_each(&mut *visit);
                    visit(&update.value);
                }
            }
            Expr::If(parts) => {
                visit(&parts.0);
                visit(&parts.1);
                visit(&parts.2);
            }
            Expr::Case(arms, other, _) => {
                for (guard, value) in arms {
                    visit(guard);
                    visit(value);
                }
                if let Some(other) = other {
                    visit(other);
                }
            }
            Expr::HigherOrder(_, items, operators, _) => {
                items.iter().for_each(&mut *visit);
                operators.iter().for_each(|operator| visit(&operator.body));
            }
        }
    }

    /// Visits the slots of the frame that this expression itself, not those below it, sets.
    pub(crate) fn each_bound_slot(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Expr::Scope(slots, _) => slots.iter().for_each(|slot| visit(*slot)),
            Expr::SetFilter(single) | Expr::Function(single) | Expr::Choose(single) => {
                single.binder.pattern.each_slot(visit);
                single.this.into_iter().for_each(visit);
            }
            Expr::SetMap(many) | Expr::Exists(many) | Expr::Forall(many) => {
                many.binders.iter().for_each(|binder| binder.pattern.each_slot(visit));
            }
            Expr::Except(_, updates) => updates.iter().for_each(|update| visit(update.at)),
            Expr::HigherOrder(_, _, operators, _) => {
                operators.iter().flat_map(|operator| &operator.slots).for_each(|slot| visit(*slot));
            }
            _ => {}
        }
    }
}

/// The name and arguments of an action, for labels.
pub(crate) struct Label {
    pub name: Symbol,
    pub parameters: Box<[Symbol]>,
    pub place: Place,
}

/// A recursive operator that makes successor states.
pub(crate) struct ActFunction {
    pub body: Act,
    pub slots: u32,
}

/// Something that makes successor states.
pub(crate) enum Act {
    Guard(Expr, Place),
    And(Box<[Act]>),
    Or(Box<[Act]>),
    Exists(Box<[Binder]>, Box<Act>),
    Forall(Box<[Binder]>, Box<Act>),
    If(Expr, Box<(Act, Act)>, Place),
    Case(Box<[(Expr, Act)]>, Option<Box<Act>>, Place),
    Scope(Box<[u32]>, Box<Act>),
    Assign(u32, Expr, Place),
    AssignIn(u32, Expr, Place),
    Unchanged(Box<[u32]>, Place),
    /// A named action: the number of its label, its arguments, its body.
    Named(u32, Box<[Expr]>, Box<Act>),
    /// `A \cdot B`.
    Compose(Box<(Act, Act)>),
    /// A recursive operator: which, its arguments, and how many frames out its static link is (none if it
    /// needs none).
    Call(Rc<OnceCell<ActFunction>>, Box<[Expr]>, Option<u32>, Place),
}
