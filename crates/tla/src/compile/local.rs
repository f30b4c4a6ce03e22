//! LET.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::module::operator_of;
use super::scope::{Binding, Env, NamedInstance, Thunk};
use crate::error::Result;
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind, Local};

impl Compiler {
    /// The environment inside a LET.
    pub(super) fn let_env(
        &mut self,
        locals: &[Local],
        env: &Env,
        primed: bool,
        thunks: &mut Vec<Rc<Thunk>>,
    ) -> Result<Env> {
        let mut inner = env.clone();
        let mut recursive: Vec<Symbol> = Vec::new();
        for local in locals {
            match local {
                Local::Recursive(parameters) => recursive.extend(parameters.iter().map(|p| p.name)),
                Local::Instance(instance) => {
                    let named = NamedInstance {
                        instance: instance.clone(),
                        env: inner.clone(),
                        scope: Default::default(),
                    };
                    if let Some(name) = instance.name {
                        inner = inner.bind(name, Binding::Instance(Rc::new(named)));
                    }
                }
                Local::Definition(definition) => {
                    let is_recursive = recursive.contains(&definition.name);
                    let binding = if is_recursive && !definition.function {
                        self.local_recursion(locals, definition, &inner)
                    } else if definition.parameters.is_empty() && !definition.function {
                        let thunk = self.bind_lazily(&definition.body, &inner, primed);
                        thunks.push(thunk.clone());
                        Binding::Thunk(thunk)
                    } else if definition.function {
                        // A wrapper whose body is the function itself: evaluated once, like any LET value.
                        let operator = operator_of(definition, &inner, false);
                        let hidden = Symbol::new(&format!("{} (LET)", definition.name));
                        let with = inner.bind(hidden, operator);
                        let place = definition.place;
                        let body = Arc::new(ast::Expr { place, kind: Kind::Apply(hidden, Vec::new()) });
                        let thunk = self.bind_lazily(&body, &with, primed);
                        thunks.push(thunk.clone());
                        Binding::Thunk(thunk)
                    } else {
                        operator_of(definition, &inner, false)
                    };
                    inner = inner.bind(definition.name, binding);
                }
            }
        }
        Ok(inner)
    }

    /// A recursive operator of a LET: its environment must hold itself, and the others declared with it.
    fn local_recursion(&mut self, locals: &[Local], definition: &ast::Definition, env: &Env) -> Binding {
        let scope = Rc::new(super::scope::ModuleScope {
            name: Symbol::new("LET"),
            names: Default::default(),
            written: Default::default(),
            private: Default::default(),
            variables: Default::default(),
            depth: env.depth(),
        });
        let inner = env.module(scope.clone());
        let declared: Vec<Symbol> = locals
            .iter()
            .flat_map(|local| match local {
                Local::Recursive(parameters) => parameters.iter().map(|p| p.name).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mut own = None;
        for local in locals {
            let Local::Definition(other) = local else { continue };
            if declared.contains(&other.name) && !other.function {
                let binding = operator_of(other, &inner, true);
                if other.name == definition.name {
                    own = Some(binding.clone());
                }
                scope.names.borrow_mut().insert(other.name, binding);
            }
        }
        own.unwrap_or_else(|| operator_of(definition, &inner, true))
    }
}
