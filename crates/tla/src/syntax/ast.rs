//! The syntax tree: what a module says, with names not yet resolved.

use std::sync::Arc;

use crate::error::Place;
use crate::symbol::Symbol;

/// A module.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: Symbol,
    /// The modules it extends.
    pub extends: Vec<(Symbol, Place)>,
    /// What it declares and defines, in order.
    pub units: Vec<Unit>,
}

/// One declaration or definition of a module.
#[derive(Debug)]
pub enum Unit {
    /// `CONSTANTS`.
    Constants(Vec<Parameter>),
    /// `VARIABLES`.
    Variables(Vec<Parameter>),
    /// `RECURSIVE`.
    Recursive(Vec<Parameter>),
    /// An operator or function definition.
    Definition(Arc<Definition>),
    /// `INSTANCE M WITH …`; `Name(params) == INSTANCE …` when it has a name.
    Instance(Arc<Instance>),
    /// `ASSUME`.
    Assume(Option<Symbol>, Arc<Expr>),
    /// A theorem with a name and a plain statement, which other definitions may refer to.
    Theorem(Symbol, Arc<Expr>),
    /// A module inside this one.
    Module(Arc<Module>),
}

/// A declared name with the number of its arguments.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name.
    pub name: Symbol,
    /// How many arguments it takes; 0 for a plain value.
    pub arity: usize,
    /// Where it is declared.
    pub place: Place,
}

/// An operator definition `name(parameters) == body`.
#[derive(Debug)]
pub struct Definition {
    /// The name.
    pub name: Symbol,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: Arc<Expr>,
    /// Whether it is a function definition `name[x \in S] == e`; the body is then the function constructor.
    pub function: bool,
    /// Whether it is `LOCAL`.
    pub local: bool,
    /// Where.
    pub place: Place,
}

/// An instance of a module.
#[derive(Debug)]
pub struct Instance {
    /// The name that prefixes its operators; none for a plain `INSTANCE`.
    pub name: Option<Symbol>,
    /// The parameters of the name.
    pub parameters: Vec<Parameter>,
    /// The module.
    pub module: Symbol,
    /// `WITH name <- expression`.
    pub substitutions: Vec<(Symbol, Arc<Expr>)>,
    /// Whether it is `LOCAL`.
    pub local: bool,
    /// Where.
    pub place: Place,
}

/// An expression at a place.
#[derive(Debug)]
pub struct Expr {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: Kind,
}

/// `x, y \in S` or `<<x, y>> \in S`.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The bound names.
    pub names: Vec<Symbol>,
    /// Whether the names are a tuple pattern.
    pub tuple: bool,
    /// The set; shared by all names.
    pub set: Arc<Expr>,
}

/// One step of a path into a function in `EXCEPT`.
#[derive(Debug)]
pub enum Access {
    /// `.field`
    Field(Symbol),
    /// `[index, …]`
    Index(Vec<Arc<Expr>>),
}

/// One step of `A!B(x)!C`.
#[derive(Debug)]
pub enum Step {
    /// A name with arguments.
    Name(Symbol, Vec<Arc<Expr>>),
    /// The n-th part of the definition's body.
    Part(usize),
    /// Arguments of a bound in the definition's body.
    Arguments(Vec<Arc<Expr>>),
    /// `!@`: what the bound names of the definition's body stand for is left open.
    Names,
    /// `!:` and other navigation that is not evaluated.
    Other,
}

/// A LET definition.
#[derive(Debug)]
pub enum Local {
    /// An operator or a function.
    Definition(Arc<Definition>),
    /// An instance.
    Instance(Arc<Instance>),
    /// `RECURSIVE` names.
    Recursive(Vec<Parameter>),
}

/// The kinds of expressions.
#[derive(Debug)]
#[expect(missing_docs, reason = "each variant is the construct of the same name in the TLA+ grammar")]
pub enum Kind {
    Number(i64),
    String(Symbol),
    Bool(bool),
    /// An operator applied to arguments; a plain name has none. Infix, prefix and postfix operators by their
    /// symbol.
    Apply(Symbol, Vec<Arc<Expr>>),
    /// `A!B!C(x)`.
    Path(Vec<Step>),
    Lambda(Vec<Parameter>, Arc<Expr>),
    And(Vec<Arc<Expr>>),
    Or(Vec<Arc<Expr>>),
    Quantified {
        forall: bool,
        bounds: Vec<Bound>,
        body: Arc<Expr>,
    },
    Unbounded {
        quantifier: &'static str,
        names: Vec<Symbol>,
        body: Arc<Expr>,
    },
    Choose {
        names: Vec<Symbol>,
        tuple: bool,
        set: Option<Arc<Expr>>,
        body: Arc<Expr>,
    },
    SetEnum(Vec<Arc<Expr>>),
    SetFilter(Bound, Arc<Expr>),
    SetMap(Arc<Expr>, Vec<Bound>),
    Index(Arc<Expr>, Vec<Arc<Expr>>),
    Function(Vec<Bound>, Arc<Expr>),
    FunctionSet(Arc<Expr>, Arc<Expr>),
    Record(Vec<(Symbol, Arc<Expr>)>),
    RecordSet(Vec<(Symbol, Arc<Expr>)>),
    Field(Arc<Expr>, Symbol),
    Except(Arc<Expr>, Vec<(Vec<Access>, Arc<Expr>)>),
    At,
    Tuple(Vec<Arc<Expr>>),
    Product(Vec<Arc<Expr>>),
    /// `[A]_v`
    Box(Arc<Expr>, Arc<Expr>),
    /// `<<A>>_v`
    Angle(Arc<Expr>, Arc<Expr>),
    Fair {
        strong: bool,
        subscript: Arc<Expr>,
        action: Arc<Expr>,
    },
    If(Arc<Expr>, Arc<Expr>, Arc<Expr>),
    Case(Vec<(Arc<Expr>, Arc<Expr>)>, Option<Arc<Expr>>),
    Let(Vec<Local>, Arc<Expr>),
    /// `name(names) :: e`, with the names that are bound around it.
    Label(Symbol, Vec<Symbol>, Arc<Expr>),
}
