//! What the configuration puts in the place of names.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::level::CONSTANT;
use super::scope::{Binding, Env, Operator};
use crate::config::{Config, ConfigValue, Constant, Replacement};
use crate::error::{Error, Place, Result};
use crate::eval::NO_CHECK;
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind};
use crate::value::Value;

/// What names stand for in all modules, and names of one module in that one.
type Bindings = (HashMap<Symbol, Binding>, HashMap<(Symbol, Symbol), Binding>);

/// A value of a constant operator: its arguments, the value, and the line.
type Case<'c> = (&'c [ConfigValue], &'c ConfigValue, u32);

/// What the names of a configuration stand for.
pub(super) fn bindings(config: &Config) -> Result<Bindings> {
    let mut replacements = HashMap::new();
    let mut qualified = HashMap::new();
    let mut cases: Vec<(Option<Symbol>, Symbol, Vec<Case<'_>>)> = Vec::new();
    let mut bind = |module: Option<Symbol>, name, binding| match module {
        Some(module) => qualified.insert((module, name), binding),
        None => replacements.insert(name, binding),
    };
    for Constant { name, module, replacement, line } in &config.constants {
        match replacement {
            Replacement::Value(value) => drop(bind(*module, *name, Binding::Value(value.to_value()))),
            Replacement::Operator(operator) => drop(bind(*module, *name, Binding::Alias(*operator))),
            Replacement::Case(arguments, value) => {
                let case = (arguments.as_slice(), value, *line);
                match cases.iter_mut().find(|(of, known, _)| (of, known) == (module, name)) {
                    Some((.., known)) => known.push(case),
                    None => cases.push((*module, *name, vec![case])),
                }
            }
        }
    }
    for (module, name, cases) in cases {
        bind(module, name, by_cases(name, &cases, config)?);
    }
    Ok((replacements, qualified))
}

/// A constant operator whose values are listed: `CASE first = 1 /\ second = a -> …`.
fn by_cases(name: Symbol, cases: &[Case<'_>], config: &Config) -> Result<Binding> {
    let arity = cases.first().map_or(0, |(arguments, ..)| arguments.len());
    let line = cases.first().map_or(0, |(.., line)| *line);
    if let Some((.., line)) = cases.iter().find(|(arguments, ..)| arguments.len() != arity) {
        let message = format!("{name} is given values for different numbers of arguments");
        return Err(Box::new(Error::Config { file: config.file.clone(), line: *line, column: 1, message }));
    }
    let place = Place { module: Symbol::new("configuration"), line, column: 1 };
    let expr = |kind| Arc::new(ast::Expr { place, kind });
    let mut env = Env::default();
    // Names that no specification can write.
    let mut value = |value: &ConfigValue, position: usize| {
        let known = Symbol::new(&format!("value {position}"));
        env = env.bind(known, Binding::Value(value.to_value()));
        expr(Kind::Apply(known, Vec::new()))
    };
    let parameters: Vec<Symbol> =
        (1..=arity).map(|position| Symbol::new(&format!("argument {position}"))).collect();
    let mut arms = Vec::new();
    let mut values = 0..;
    let mut next = || values.next().unwrap_or_default();
    for (arguments, result, _) in cases {
        let equal = |(parameter, argument): (&Symbol, &ConfigValue)| {
            let parameter = expr(Kind::Apply(*parameter, Vec::new()));
            expr(Kind::Apply(Symbol::new("="), vec![parameter, value(argument, next())]))
        };
        let guard = expr(Kind::And(parameters.iter().zip(*arguments).map(equal).collect()));
        arms.push((guard, value(result, next())));
    }
    Ok(Binding::Operator(Rc::new(Operator {
        name,
        parameters: parameters.into_iter().map(|name| ast::Parameter { name, arity: 0, place }).collect(),
        body: expr(Kind::Case(arms, None)),
        env,
        recursive: false,
        function: false,
        stands_for_variable: false,
        place,
        compiled: RefCell::default(),
        level: Cell::new(None),
    })))
}

impl Compiler {
    /// Whether every name that the configuration replaces by an operator is one that some module has: one
    /// that is misspelt would do nothing. Like TLC, values of names that no module has are passed over. A
    /// program may give more than a specification needs; those have no line.
    pub(super) fn check_configured_names(&self, config: &Config) -> Result<()> {
        for Constant { name, module, line, replacement } in &config.constants {
            let is_operator = matches!(replacement, Replacement::Operator(_));
            if *line == 0 || !is_operator || self.sources.has_name(*name, *module) {
                continue;
            }
            let place =
                module.map_or_else(|| "the specification".to_owned(), |module| format!("module {module}"));
            let message = format!("{name} does not appear in {place}");
            return Err(Box::new(Error::Config {
                file: config.file.clone(),
                line: *line,
                column: 1,
                message,
            }));
        }
        Ok(())
    }

    /// That definitions that stand for constants have values before there is a state. Like TLC, one that asks
    /// for the state is accepted if its value does not depend on it.
    pub(crate) fn check_constants(&mut self, config: &Config) -> Result<()> {
        let env = self.root_env();
        for Constant { name, line, replacement, .. } in &config.constants {
            let Replacement::Operator(operator) = replacement else { continue };
            let Some(Binding::Operator(target)) = env.lookup(*operator) else { continue };
            if !target.parameters.is_empty() || !self.sources.declares_constant(*name) {
                continue;
            }
            let kind = Kind::Apply(*operator, Vec::new());
            let expr = Arc::new(ast::Expr { place: target.place, kind });
            self.asks_for_the_state = false;
            // What cannot be compiled is an error where it is used.
            let Ok((compiled, info)) = self.expr(&expr, &env, false) else { continue };
            if info.level == CONSTANT && !self.asks_for_the_state {
                continue;
            }
            let mut machine = self.machine();
            machine.settings.mode = NO_CHECK;
            if let Err(error) = machine.eval(&compiled) {
                if matches!(*error, Error::Limit { .. }) {
                    return Err(error);
                }
                let message =
                    format!("the constant {name} is replaced by {operator}, which is not constant: {error}");
                let (file, line) = (config.file.clone(), *line);
                return Err(Box::new(Error::Config { file, line, column: 1, message }));
            }
        }
        Ok(())
    }

    /// The value of an expression that has one for good; none if it cannot be evaluated.
    pub(crate) fn lasting_value(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Option<Value>> {
        let (compiled, info) = self.expr(expr, env, false)?;
        Ok(if info.is_constant() { self.value_of(&compiled).ok() } else { None })
    }

    /// An error of what a name in the configuration stands for.
    pub(crate) fn wrong_configuration(&self, name: Symbol, message: String) -> Box<Error> {
        let (line, column) = self.config.place_of(name);
        Box::new(Error::Config { file: self.config.file.clone(), line, column, message })
    }
}
