//! From syntax trees to compiled trees.
//!
//! [`Compiler`] holds the environments of all modules and makes [`Expr`]s and [`Act`]s on demand. Operators
//! that are not recursive are expanded at each call, with their arguments bound to lazily evaluated slots;
//! that makes operators as arguments, primed operators and instances all the same thing: an environment. Each
//! worker thread compiles for itself, which takes a few milliseconds and spares all locking.

mod action;
mod action_call;
mod bound;
pub mod builtin;
mod call;
mod configured;
mod expr;
pub(crate) mod ir;
pub(crate) mod level;
mod local;
mod module;
mod native;
mod path;
pub(crate) mod scope;
pub(crate) mod temporal;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use self::ir::{ActFunction, Function, Label};
use self::scope::{Binding, Env, Info, ModuleScope};
use crate::budget::Allowance;
use crate::config::Config;
use crate::error::{Error, Place, Result};
use crate::eval::Outside;
use crate::loader::Sources;
use crate::stack::StackGuard;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::value::Value;

/// Deepest nesting of expanded operators: beyond it a definition must be cyclic.
const EXPANSION_DEPTH_MAX: u32 = 400;

/// Most nodes that a compiled specification may have, so that expansion cannot use up the memory.
const NODES_MAX: u64 = 30_000_000;

/// The slots of one frame while it is being compiled.
struct Frame {
    next: u32,
    high: u32,
    size: Rc<Cell<u32>>,
}

/// What is free inside an ENABLED.
struct Free {
    /// The operators that stand for variables of the module where the ENABLED is written.
    variables: Vec<usize>,
    numbers: HashMap<usize, u32>,
}

impl Free {
    /// What is free inside an ENABLED that is written here.
    fn here(env: &Env) -> Free {
        let pointer = |binding: Binding| match binding {
            Binding::Operator(operator) if operator.stands_for_variable => {
                Some(Rc::as_ptr(&operator).cast::<u8>() as usize)
            }
            _ => None,
        };
        let variables = env.variables().into_iter().filter_map(pointer).collect();
        Free { variables, numbers: HashMap::new() }
    }
}

/// An ASSUME: its name, if it has one, and where it was written.
pub(crate) type Assumption = (Option<Symbol>, Arc<ast::Expr>, Env);

/// Compiles the expressions of one specification under one configuration.
pub(crate) struct Compiler {
    sources: Arc<Sources>,
    replacements: HashMap<Symbol, Binding>,
    qualified: HashMap<(Symbol, Symbol), Binding>,
    /// The variables of the specification, in the order of their declaration.
    pub variables: RefCell<Vec<Symbol>>,
    variable_index: RefCell<HashMap<Symbol, usize>>,
    /// The root module's names.
    pub root: Option<Rc<ModuleScope>>,
    /// Assumptions of the root module and what it extends.
    pub assumptions: RefCell<Vec<Assumption>>,
    submodules: RefCell<HashMap<Symbol, (Arc<ast::Module>, Env)>>,
    frames: Vec<Frame>,
    /// Recursive operators; a hole is one that is being compiled.
    pub functions: Vec<Option<Rc<Function>>>,
    function_infos: Vec<Option<Info>>,
    function_keys: HashMap<Vec<usize>, (u32, Option<u32>)>,
    /// Recursive operators that make successor states, with the depths of their frames.
    act_functions: HashMap<action_call::ActKey, (Rc<OnceCell<ActFunction>>, Option<u32>)>,
    /// The functions whose definitions are being compiled, outermost first.
    defining: Vec<usize>,
    /// Keeps alive what function keys point to.
    function_owners: Vec<Binding>,
    /// The named actions.
    pub labels: Vec<Label>,
    /// Inside ENABLED: what its module's variables stand for, and the numbers of the free values that their
    /// primed values are.
    free: Option<Free>,
    guard: StackGuard,
    expansions: u32,
    nodes: u64,
    /// How many expressions are remembered.
    memos: u32,
    /// What evaluation while compiling needs.
    outside: Outside,
    /// What may be built before the memory is looked at again.
    allowance: RefCell<Allowance>,
    /// That there is no more memory: an error that must not be put off until something is used.
    exhausted: RefCell<Option<Box<Error>>>,
    /// The modules whose units are being read.
    reading: RefCell<Vec<Symbol>>,
    /// Modules without constants and variables, which are the same in every instance: in the root's context,
    /// and in instances.
    plain: RefCell<[HashMap<Symbol, Rc<ModuleScope>>; 2]>,
    plainness: RefCell<HashMap<Symbol, bool>>,
    /// The configuration, for the places of its names.
    config: Config,
    /// Whether anything compiled asks for the behaviour so far.
    pub uses_behaviour: bool,
    /// Whether anything compiled asks for the state or for how far the check has come.
    asks_for_the_state: bool,
}

/// About what a compiled node takes, with its share of environments and slots.
const NODE_BYTES: usize = 256;

impl Compiler {
    /// Reads the modules; nothing is compiled yet.
    pub(crate) fn new(
        sources: Arc<Sources>,
        config: &Config,
        stack_bytes: usize,
        outside: Outside,
    ) -> Result<Compiler> {
        let (replacements, qualified) = configured::bindings(config)?;
        let mut compiler = Compiler {
            sources,
            replacements,
            qualified,
            variables: RefCell::default(),
            variable_index: RefCell::default(),
            root: None,
            assumptions: RefCell::default(),
            submodules: RefCell::default(),
            frames: vec![Frame { next: 0, high: 0, size: Rc::new(Cell::new(0)) }],
            functions: Vec::new(),
            function_infos: Vec::new(),
            function_keys: HashMap::new(),
            act_functions: HashMap::new(),
            defining: Vec::new(),
            function_owners: Vec::new(),
            labels: Vec::new(),
            free: None,
            guard: StackGuard::new(stack_bytes),
            expansions: 0,
            nodes: 0,
            memos: 0,
            allowance: RefCell::new(Allowance::new(&outside.budget)),
            outside,
            exhausted: RefCell::default(),
            reading: RefCell::default(),
            plain: RefCell::default(),
            plainness: RefCell::default(),
            config: config.clone(),
            uses_behaviour: false,
            asks_for_the_state: false,
        };
        compiler.read_root()?;
        compiler.check_configured_names(config)?;
        Ok(compiler)
    }

    /// The environment of the root module.
    pub(crate) fn root_env(&self) -> Env {
        match &self.root {
            Some(root) => Env::default().module(root.clone()),
            None => Env::default(),
        }
    }

    /// How many slots the outermost frame needs.
    pub(crate) fn top_slots(&self) -> u32 {
        self.frames.first().map_or(0, |frame| frame.high)
    }

    fn depth(&self) -> u32 {
        self.frames.len() as u32 - 1
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("there is always an outermost frame")
    }

    /// A fresh slot of the current frame.
    fn slot(&mut self) -> u32 {
        let frame = self.frame();
        let slot = frame.next;
        frame.next += 1;
        frame.high = frame.high.max(frame.next);
        slot
    }

    /// Compiles something in a frame of its own, and says how many slots it needs.
    fn in_new_frame<T>(
        &mut self,
        depth: u32,
        compile: impl FnOnce(&mut Compiler) -> Result<T>,
    ) -> Result<(T, u32)> {
        let saved = self.frames.split_off(depth as usize);
        let size = Rc::new(Cell::new(0));
        self.frames.push(Frame { next: 0, high: 0, size: size.clone() });
        let result = compile(self);
        let slots = self.frame().high;
        size.set(slots);
        self.frames.truncate(depth as usize);
        self.frames.extend(saved);
        Ok((result?, slots))
    }

    /// Finishes the outermost frame: closures made in it learn its size.
    pub(crate) fn finish(&mut self) {
        for frame in &self.frames {
            frame.size.set(frame.high);
        }
    }

    /// Inside ENABLED, the number of the free value that stands for a primed variable of the instance that it
    /// is written in. What stands for variables of instances inside that one is substituted instead.
    fn free_variable(&mut self, operator: &Rc<scope::Operator>) -> Option<u32> {
        if !self.is_free(operator) {
            return None;
        }
        let first = self.variables.borrow().len();
        let free = self.free.as_mut()?;
        let next = (first + free.numbers.len()) as u32;
        Some(*free.numbers.entry(Rc::as_ptr(operator).cast::<u8>() as usize).or_insert(next))
    }

    /// Whether the primed value of what stands for a variable is free here.
    fn is_free(&self, operator: &Rc<scope::Operator>) -> bool {
        let pointer = Rc::as_ptr(operator).cast::<u8>() as usize;
        operator.stands_for_variable
            && self.free.as_ref().is_some_and(|free| free.variables.contains(&pointer))
    }

    fn count_node(&mut self, place: Place) -> Result<()> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(Box::new(Error::semantic(
                place,
                format!("the specification expands to more than {NODES_MAX} nodes"),
            )));
        }
        if self.guard.exceeded() {
            return Err(Box::new(Error::semantic(place, "definitions are nested too deeply")));
        }
        self.room(NODE_BYTES, place)
    }

    /// Takes memory for something that is built: so many bytes.
    fn room(&self, bytes: usize, place: Place) -> Result<()> {
        self.allowance.borrow_mut().take(bytes, place).inspect_err(|error| {
            self.exhausted.borrow_mut().get_or_insert_with(|| error.clone());
        })
    }

    /// The error of a budget that was used up, wherever that was.
    pub(crate) fn within_budget(&self) -> Result<()> {
        self.exhausted.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// What a name stands for, with replacements of the configuration followed.
    fn lookup(&self, env: &Env, name: Symbol, place: Place) -> Result<Binding> {
        let mut binding = match env.lookup(name) {
            Some(binding) => binding,
            None => match core_name(name.as_str()) {
                Some(binding) => binding,
                None => return Err(Box::new(Error::semantic(place, format!("unknown operator `{name}`")))),
            },
        };
        let mut followed = 0;
        while let Binding::Alias(target) = binding {
            followed += 1;
            let found = self.root_env().lookup(target);
            binding = match found {
                Some(found) if followed < 100 => found,
                Some(_) => {
                    return Err(Box::new(Error::semantic(place, format!("`{name}` is replaced by itself"))));
                }
                None => {
                    let message = format!("`{name}` is replaced by `{target}`, which is not defined");
                    return Err(Box::new(Error::semantic(place, message)));
                }
            };
        }
        Ok(binding)
    }
}

/// Names that need no module.
fn core_name(name: &str) -> Option<Binding> {
    Some(match name {
        "BOOLEAN" => Binding::Value(Value::set(vec![Value::Bool(false), Value::Bool(true)])),
        "STRING" => Binding::Builtin(builtin::Builtin::Strings),
        _ => return None,
    })
}

impl Compiler {
    /// The root module's name.
    pub(crate) fn root_name(&self) -> Symbol {
        self.sources.root
    }
}
