//! Names and what they stand for.
//!
//! An [`Env`] is a chain of bindings, innermost first; the definitions of a module are one link of it.
//! Environments are shared and never change once built, but for the table of a module, which fills while its
//! units are read.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::builtin::Builtin;
use super::ir::{ConstCell, Expr, Shared};
use crate::error::Place;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::value::Value;

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Binding {
    /// A constant whose value is known.
    Value(Value),
    /// A declared constant without a value.
    Missing(Symbol),
    /// A variable of the specification.
    Variable(u32),
    /// A bound name: the depth of its frame and its slot.
    Slot(u32, u32),
    /// A parameter or a LET definition without parameters.
    Thunk(Rc<Thunk>),
    /// A defined operator.
    Operator(Rc<Operator>),
    /// An operator of a standard module.
    Builtin(Builtin),
    /// A named instance.
    Instance(Rc<NamedInstance>),
    /// Whatever this name stands for in the root module (`<-` in the configuration).
    Alias(Symbol),
}

/// An expression that is evaluated when it is first needed, in the frame where it was bound.
pub(crate) struct Thunk {
    pub body: Arc<ast::Expr>,
    pub env: Env,
    pub primed: bool,
    pub depth: u32,
    pub slot: u32,
    /// Whether anybody has used the slot, so that it must be reset.
    pub used: Cell<bool>,
    pub compiled: (Rc<Expr>, Info),
}

/// A definition and where it was made.
pub(crate) struct Operator {
    pub name: Symbol,
    pub parameters: Vec<ast::Parameter>,
    pub body: Arc<ast::Expr>,
    pub env: Env,
    pub recursive: bool,
    pub function: bool,
    /// Whether it stands for a variable of an instantiated module.
    pub stands_for_variable: bool,
    pub place: Place,
    /// The compiled body of a definition without parameters: unprimed and primed.
    pub compiled: RefCell<[Option<(Compiled, Info)>; 2]>,
    /// Its level, once known; see `level`.
    pub level: Cell<Option<u8>>,
}

/// The compiled body of a definition without parameters.
#[derive(Clone)]
pub(crate) enum Compiled {
    Cell(Rc<ConstCell>),
    Shared(Rc<Shared>),
    Const(Value),
    Var(u32),
    Next(u32),
}

/// No slot at all.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// What is known of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    /// 0 constant, 1 state, 2 action, 3 temporal.
    pub level: u8,
    /// The lowest slot of the current frame that it uses; 0 if it uses other frames, `NO_SLOT` if it uses
    /// none.
    pub low: u32,
    /// Whether evaluating it twice may differ or be noticed.
    pub impure: bool,
    /// Whether it draws at random; a definition without parameters that does is still evaluated once, as in
    /// TLC.
    pub random: bool,
    /// Roughly how many nodes it has.
    pub cost: u32,
}

impl Info {
    pub(crate) const CONST: Info = Info { level: 0, low: NO_SLOT, impure: false, random: false, cost: 1 };

    pub(crate) fn join(self, other: Info) -> Info {
        Info {
            level: self.level.max(other.level),
            low: self.low.min(other.low),
            impure: self.impure || other.impure,
            random: self.random || other.random,
            cost: self.cost.saturating_add(other.cost),
        }
    }
}

impl Info {
    /// What is known outside a scope whose slots start at `start`.
    pub(crate) fn outside(self, start: u32) -> Info {
        Info { low: if self.low >= start { NO_SLOT } else { self.low }, ..self }
    }

    /// Whether it has one value for good.
    pub(crate) fn is_constant(self) -> bool {
        self.level == 0 && self.low == NO_SLOT && !self.impure && !self.random
    }
}

/// `Name(parameters) == INSTANCE …` and where it was written.
pub(crate) struct NamedInstance {
    pub instance: Arc<ast::Instance>,
    pub env: Env,
    pub scope: RefCell<Option<Rc<ModuleScope>>>,
}

/// The definitions of a module.
pub(crate) struct ModuleScope {
    pub name: Symbol,
    pub names: RefCell<FxHashMap<Symbol, Binding>>,
    /// The definitions of an instance that the configuration replaces, as they are written: what stands in
    /// their place may name them (`Instance!Name`), while those of the module mean what replaces them.
    pub written: RefCell<FxHashMap<Symbol, Binding>>,
    /// Names that are not visible to those who extend or instantiate the module.
    pub private: RefCell<FxHashSet<Symbol>>,
    /// The variables that it declares, or takes over by EXTENDS.
    pub variables: RefCell<Vec<Symbol>>,
    /// The depth of the innermost frame that its substitutions live in.
    pub depth: Option<u32>,
}

/// A chain of bindings.
#[derive(Clone, Default)]
pub(crate) struct Env(Option<Rc<Node>>);

struct Node {
    what: Link,
    parent: Env,
    /// The depth of the innermost frame that a slot bound here or further out lives in.
    depth: Option<u32>,
}

enum Link {
    Name(Symbol, Binding),
    Module(Rc<ModuleScope>),
}

impl Binding {
    /// The depth of the innermost frame it lives in; none if it lives in no frame.
    pub(crate) fn depth(&self) -> Option<u32> {
        match self {
            Binding::Slot(depth, _) => Some(*depth),
            Binding::Thunk(thunk) => Some(thunk.depth),
            Binding::Operator(operator) => operator.env.depth(),
            Binding::Instance(instance) => instance.env.depth(),
            _ => None,
        }
    }
}

impl Env {
    pub(crate) fn bind(&self, name: Symbol, binding: Binding) -> Env {
        let depth = self.depth().max(binding.depth());
        Env(Some(Rc::new(Node { what: Link::Name(name, binding), parent: self.clone(), depth })))
    }

    pub(crate) fn module(&self, scope: Rc<ModuleScope>) -> Env {
        let depth = self.depth().max(scope.depth);
        Env(Some(Rc::new(Node { what: Link::Module(scope), parent: self.clone(), depth })))
    }

    /// The definition of a name as it is written in the module here, if the configuration replaces it.
    pub(crate) fn written(&self, name: Symbol) -> Option<Binding> {
        match self.0.as_ref().map(|node| &node.what) {
            Some(Link::Module(scope)) => scope.written.borrow().get(&name).cloned(),
            _ => None,
        }
    }

    /// The depth of the innermost frame that anything bound here lives in; none if nothing does.
    pub(crate) fn depth(&self) -> Option<u32> {
        self.0.as_ref().and_then(|node| node.depth)
    }

    /// What the variables that the modules here declare stand for.
    pub(crate) fn variables(&self) -> Vec<Binding> {
        let mut bindings = Vec::new();
        let mut env = self;
        while let Some(node) = &env.0 {
            if let Link::Module(scope) = &node.what {
                let names = scope.names.borrow();
                bindings.extend(scope.variables.borrow().iter().filter_map(|name| names.get(name).cloned()));
            }
            env = &node.parent;
        }
        bindings
    }

    pub(crate) fn lookup(&self, name: Symbol) -> Option<Binding> {
        let mut env = self;
        while let Some(node) = &env.0 {
            match &node.what {
                Link::Name(bound, binding) if *bound == name => return Some(binding.clone()),
                Link::Name(..) => {}
                Link::Module(scope) => {
                    if let Some(binding) = scope.names.borrow().get(&name) {
                        return Some(binding.clone());
                    }
                }
            }
            env = &node.parent;
        }
        None
    }
}
