//! TLA+ expressions of a target file: compiled once for each thread and number of nodes, with errors at their
//! place in the file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_tla::walk::{Definition, Walker};
use shakedown_tla::{Config, Spec, Value as TlaValue};

use crate::located::Located;

const MODULE: &str = "Expression";
/// How many lines stand before an expression.
const LINES_BEFORE: usize = 5;
/// How far an expression is indented, so that it stands to the right of its definition.
const INDENT: usize = 2;

/// Expressions over the same variables.
pub(crate) struct Expressions {
    /// Tells apart those of different files.
    number: u64,
    variables: &'static [&'static str],
    /// What each is called in errors, and its text.
    list: Vec<(String, Located)>,
}

/// An expression that was compiled, for one thread and one number of nodes.
struct Compiled {
    walker: Walker,
    definition: Definition,
}

type Key = (u64, usize, usize);

thread_local! {
    static COMPILED: RefCell<HashMap<Key, Rc<RefCell<Compiled>>>> = RefCell::new(HashMap::new());
}

impl Expressions {
    pub fn new(variables: &'static [&'static str]) -> Expressions {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Expressions { number: NEXT.fetch_add(1, Ordering::Relaxed), variables, list: Vec::new() }
    }

    /// Adds one, and gives its place.
    pub fn add(&mut self, name: impl Into<String>, text: Located) -> usize {
        self.list.push((name.into(), text));
        self.list.len() - 1
    }

    /// Whether an expression has this word in it.
    pub fn mentions(&self, place: usize, word: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.list[place].1.text.split(|c| !is_part(c)).any(|part| part == word)
    }

    /// Compiles all of them.
    pub fn check(&self, nodes: usize) -> Result<(), String> {
        (0..self.list.len()).try_for_each(|place| self.compiled(place, nodes).map(drop))
    }

    /// The value of an expression where the variables have these values.
    pub fn evaluate(&self, place: usize, nodes: usize, values: &[TlaValue]) -> Result<TlaValue, String> {
        let compiled = self.compiled(place, nodes)?;
        let Compiled { walker, definition } = &mut *compiled.borrow_mut();
        let (name, text) = &self.list[place];
        walker
            .evaluate(values, *definition)
            .map_err(|error| format!("{name} cannot be evaluated: {}", in_file(text, &error.to_string())))
    }

    /// The same of one that is true or false.
    pub fn holds(&self, place: usize, nodes: usize, values: &[TlaValue]) -> Result<bool, String> {
        let value = self.evaluate(place, nodes, values)?;
        value
            .as_bool()
            .ok_or_else(|| format!("{} is neither true nor false, but {value}", self.list[place].0))
    }

    /// With which values of its bound names an expression is false, where it is: `a = 1, i = 2`. Nothing if
    /// it has none.
    pub fn counterexample(&self, place: usize, nodes: usize, values: &[TlaValue]) -> Result<String, String> {
        let compiled = self.compiled(place, nodes)?;
        let Compiled { walker, definition } = &mut *compiled.borrow_mut();
        let found = walker.counterexample(values, *definition).map_err(|error| error.to_string())?;
        Ok(found.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "))
    }

    fn compiled(&self, place: usize, nodes: usize) -> Result<Rc<RefCell<Compiled>>, String> {
        let key = (self.number, place, nodes);
        if let Some(compiled) = COMPILED.with_borrow(|known| known.get(&key).cloned()) {
            return Ok(compiled);
        }
        let (name, text) = &self.list[place];
        let compiled = compile(&text.text, self.variables, nodes)
            .map_err(|error| format!("{name} cannot be read: {}", in_file(text, &error.to_string())))?;
        let compiled = Rc::new(RefCell::new(compiled));
        COMPILED.with_borrow_mut(|known| known.insert(key, Rc::clone(&compiled)));
        Ok(compiled)
    }
}

fn compile(expression: &str, variables: &[&str], nodes: usize) -> shakedown_tla::Result<Compiled> {
    let indent = " ".repeat(INDENT);
    let lines: String = expression.lines().map(|line| format!("{indent}{line}\n")).collect();
    let module = format!(
        "---- MODULE {MODULE} ----\nEXTENDS Integers, Sequences, FiniteSets\nCONSTANT Nodes\nVARIABLES {}\n{MODULE} ==\n{lines}====\n",
        variables.join(", ")
    );
    let numbers: Vec<_> = (1..=nodes).map(|node| node.to_string()).collect();
    let config = Config::parse(&format!("CONSTANT Nodes = {{{}}}\n", numbers.join(", ")))?;
    let spec = Spec::load(MODULE, config, &HashMap::from([(MODULE.to_owned(), module)]))?;
    let mut walker = Walker::new(&spec)?;
    let definition = walker.define(MODULE)?;
    Ok(Compiled { walker, definition })
}

/// An error with its place in the file, and not in the module around the expression.
fn in_file(text: &Located, error: &str) -> String {
    let place = error.strip_prefix(MODULE).and_then(|rest| rest.strip_prefix(':'));
    let split = place.and_then(|rest| {
        let (line, rest) = rest.split_once(':')?;
        let (column, rest) = rest.split_once(':')?;
        let line = line.parse::<usize>().ok()?.checked_sub(LINES_BEFORE)?;
        Some((line, column.parse::<usize>().ok()?.saturating_sub(INDENT), rest.trim_start()))
    });
    match split {
        Some((line @ 1.., column, rest)) => text.error(line, column, rest),
        // An expression that is not complete makes the whole module unreadable.
        _ if error.contains("syntax error") => {
            text.error(1, 1, "syntax error: the expression is not complete")
        }
        _ => error.to_owned(),
    }
}
