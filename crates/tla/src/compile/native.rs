//! Calling native operators, and operators of the language as arguments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::builtin::Builtin;
use super::call::Argument;
use super::ir::{self, Expr};
use super::level::ACTION;
use super::scope::{Binding, Env, Info, Operator};
use crate::error::{Error, Place, Result};
use crate::eval::NEXT_LEVEL;
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind};
use crate::value::Value;

impl Compiler {
    pub(super) fn call_builtin(
        &mut self,
        builtin: Builtin,
        arguments: Vec<Argument>,
        place: Place,
        primed: bool,
    ) -> Result<(Expr, Info)> {
        if arguments.len() != builtin.arity() {
            let message = format!("{} takes {} arguments", builtin.name(), builtin.arity());
            return Err(Box::new(Error::semantic(place, message)));
        }
        if builtin == Builtin::TraceExpr {
            self.uses_behaviour = true;
        }
        self.asks_for_the_state |= builtin.asks_for_the_state();
        if let (Builtin::TlcEvalDefinition, [Argument::Written(name, _)]) = (builtin, arguments.as_slice()) {
            let Kind::String(name) = &name.kind else {
                return Err(Box::new(Error::semantic(place, "TLCEvalDefinition takes a name in quotes")));
            };
            let binding = self.lookup(&self.root_env(), *name, place)?;
            return self.call(&binding, Vec::new(), place, primed);
        }
        let mut info = Info { impure: builtin.impure(), random: builtin.random(), ..Info::CONST };
        let mut values = Vec::new();
        let mut operators = Vec::new();
        let start = self.frame().next;
        for (position, argument) in arguments.iter().enumerate() {
            let operator_arity =
                builtin.operators().iter().find(|(p, _)| *p == position).map(|(_, arity)| *arity);
            if let Some(arity) = operator_arity {
                let binding = match argument {
                    Argument::Bound(binding) => binding.clone(),
                    Argument::Written(expr, env) => self.operator_argument(expr, env)?,
                };
                let slots: Vec<u32> = (0..arity).map(|_| self.slot()).collect();
                let depth = self.depth();
                let bound = slots.iter().map(|slot| Argument::Bound(Binding::Slot(depth, *slot))).collect();
                let (body, body_info) = self.call(&binding, bound, place, primed)?;
                info = info.join(body_info);
                operators.push(ir::Operator { slots: slots.into_boxed_slice(), body });
            } else {
                let (expr, argument_info) = match argument {
                    Argument::Bound(binding) => self.call(binding, Vec::new(), place, primed)?,
                    Argument::Written(expr, env) => self.expr(expr, env, primed)?,
                };
                info = info.join(argument_info);
                values.push(expr);
            }
        }
        self.frame().next = start;
        let mut info = info.outside(start);
        // The level of the state being made.
        if let (Builtin::TlcGet, true, [Expr::Const(Value::Str(name))]) =
            (builtin, primed, values.as_mut_slice())
            && name.as_str() == "level"
        {
            *name = Symbol::new(NEXT_LEVEL);
            info.level = ACTION;
        }
        let expr = if operators.is_empty() {
            native(builtin, values, place)
        } else {
            Expr::HigherOrder(builtin, values.into_boxed_slice(), operators.into_boxed_slice(), place)
        };
        Ok(self.settle(expr, info))
    }
}

/// Operators that have nodes of their own.
fn native(builtin: Builtin, mut values: Vec<Expr>, place: Place) -> Expr {
    use super::ir::{Arithmetic as A, Comparison as C, One, Two};
    let mut two = |make: &dyn Fn(Box<Two>) -> Expr| {
        let right = values.pop();
        let left = values.pop();
        match (left, right) {
            (Some(left), Some(right)) => make(Box::new(Two { left, right, place })),
            _ => Expr::Error("an operand is missing".to_string(), place),
        }
    };
    match builtin {
        Builtin::Plus => two(&|two| Expr::Arithmetic(A::Add, two)),
        Builtin::Minus => two(&|two| Expr::Arithmetic(A::Subtract, two)),
        Builtin::Times => two(&|two| Expr::Arithmetic(A::Multiply, two)),
        Builtin::Divide => two(&|two| Expr::Arithmetic(A::Divide, two)),
        Builtin::Modulo => two(&|two| Expr::Arithmetic(A::Modulo, two)),
        Builtin::Power => two(&|two| Expr::Arithmetic(A::Power, two)),
        Builtin::Less => two(&|two| Expr::Compare(C::Less, two)),
        Builtin::LessEqual => two(&|two| Expr::Compare(C::LessEqual, two)),
        Builtin::Greater => two(&|two| Expr::Compare(C::Greater, two)),
        Builtin::GreaterEqual => two(&|two| Expr::Compare(C::GreaterEqual, two)),
        Builtin::DotDot => two(&Expr::Interval),
        Builtin::Negative => match values.pop() {
            Some(operand) => Expr::Negate(Box::new(One { operand, place })),
            None => Expr::Error("an operand is missing".to_string(), place),
        },
        _ => Expr::Builtin(builtin, values.into_boxed_slice(), place),
    }
}

pub(super) fn core_operator(name: &str) -> bool {
    matches!(
        name,
        "=" | "#"
            | "\\in"
            | "\\notin"
            | "\\cup"
            | "\\cap"
            | "\\"
            | "\\subseteq"
            | "=>"
            | "<=>"
            | "SUBSET"
            | "UNION"
            | "DOMAIN"
            | "~"
            | "/\\"
            | "\\/"
            | "\\X"
            | "'"
            | "UNCHANGED"
            | "ENABLED"
    )
}

/// A core operator as an argument: `LAMBDA a, b : a op b`.
pub(super) fn core_lambda(name: Symbol, place: Place) -> Binding {
    let one = matches!(name.as_str(), "SUBSET" | "UNION" | "DOMAIN" | "~" | "'" | "UNCHANGED" | "ENABLED");
    let names: Vec<Symbol> =
        if one { vec!["a"] } else { vec!["a", "b"] }.into_iter().map(Symbol::new).collect();
    let operands: Vec<Arc<ast::Expr>> =
        names.iter().map(|n| Arc::new(ast::Expr { place, kind: Kind::Apply(*n, Vec::new()) })).collect();
    let kind = match name.as_str() {
        "/\\" => Kind::And(operands),
        "\\/" => Kind::Or(operands),
        "\\X" => Kind::Product(operands),
        _ => Kind::Apply(name, operands),
    };
    let parameters = names.into_iter().map(|name| ast::Parameter { name, arity: 0, place }).collect();
    Binding::Operator(Rc::new(Operator {
        name,
        parameters,
        body: Arc::new(ast::Expr { place, kind }),
        env: Env::default(),
        recursive: false,
        function: false,
        stands_for_variable: false,
        place,
        compiled: RefCell::default(),
        level: Cell::new(None),
    }))
}
