//! Invariants: TLA+ expressions over what can be seen of the nodes.
//!
//! | name | value |
//! |---|---|
//! | `Nodes` | the numbers of the nodes, 1 to n |
//! | `state` | a function from nodes to their states, records of the fields that they show |
//! | `before` | the same before the last step |
//! | `up` | the nodes that run |
//! | `requests` | a sequence of records: `node`, `request`, and `answer`, which is "none" until there is one |

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_check::{Oracle, Seen, described_invariant};
use shakedown_cluster::NodeId;
use shakedown_remote::{PlainState, Value};
use shakedown_tla::walk::{Definition, Walker};
use shakedown_tla::{Config, Spec, Value as TlaValue};

const MODULE: &str = "Invariant";
/// What stands before an expression, and how many lines that is.
const BEFORE: &str = "---- MODULE Invariant ----\n\
    EXTENDS Integers, Sequences, FiniteSets\n\
    CONSTANT Nodes\n\
    VARIABLES state, before, up, requests\n\
    Invariant ==\n";
const LINES_BEFORE: u32 = 5;
/// How far an expression is indented, so that it stands to the right of its definition.
const INDENT: u32 = 2;

/// An invariant that cannot be evaluated.
#[derive(Debug, thiserror::Error)]
#[error("the invariant `{name}` {reason}")]
pub struct BadInvariant {
    /// Its name.
    pub name: String,
    /// What is wrong, and where.
    pub reason: String,
}

/// The invariants of a target.
pub(crate) struct Invariants {
    number: u64,
    expressions: Vec<(String, String)>,
}

/// An invariant that was compiled, for one thread and one number of nodes.
struct Compiled {
    walker: Walker,
    invariant: Definition,
}

type Key = (u64, usize, usize);

thread_local! {
    static COMPILED: RefCell<HashMap<Key, Rc<RefCell<Compiled>>>> = RefCell::new(HashMap::new());
}

impl Invariants {
    pub fn new(expressions: BTreeMap<String, String>) -> Result<Invariants, BadInvariant> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        for name in expressions.keys() {
            if name.is_empty() || name.contains(char::is_whitespace) {
                let reason = "needs a name of one word, such as `no-two-leaders`".to_owned();
                return Err(BadInvariant { name: name.clone(), reason });
            }
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Invariants { number, expressions: expressions.into_iter().collect() })
    }

    /// Compiles all of them.
    pub fn check(&self, nodes: usize) -> Result<(), BadInvariant> {
        (0..self.expressions.len()).try_for_each(|place| self.compiled(place, nodes).map(drop))
    }

    pub fn oracles(&self, nodes: usize) -> Vec<Box<dyn Oracle<PlainState>>> {
        let oracle = |(place, (name, _)): (usize, &(String, String))| match self.compiled(place, nodes) {
            Ok(compiled) => watch(name, compiled, nodes),
            // It was compiled when the file was read, only for another number of nodes.
            Err(error) => described_invariant(name, ABOUT, move |_: &Seen<'_, _>| Err(error.to_string())),
        };
        self.expressions.iter().enumerate().map(oracle).collect()
    }

    fn compiled(&self, place: usize, nodes: usize) -> Result<Rc<RefCell<Compiled>>, BadInvariant> {
        let key = (self.number, place, nodes);
        if let Some(compiled) = COMPILED.with_borrow(|known| known.get(&key).cloned()) {
            return Ok(compiled);
        }
        let (name, expression) = &self.expressions[place];
        let compiled = compile(expression, nodes).map_err(|error| {
            let reason = format!("cannot be read: {}", in_expression(&error.to_string()));
            BadInvariant { name: name.clone(), reason }
        })?;
        let compiled = Rc::new(RefCell::new(compiled));
        COMPILED.with_borrow_mut(|known| known.insert(key, Rc::clone(&compiled)));
        Ok(compiled)
    }
}

const ABOUT: &str = "an invariant of the target file";

fn compile(expression: &str, nodes: usize) -> shakedown_tla::Result<Compiled> {
    let indent = " ".repeat(INDENT as usize);
    let lines: String = expression.lines().map(|line| format!("{indent}{line}\n")).collect();
    let module = format!("{BEFORE}{lines}====\n");
    let numbers: Vec<_> = (1..=nodes).map(|node| node.to_string()).collect();
    let config = Config::parse(&format!("CONSTANT Nodes = {{{}}}\n", numbers.join(", ")))?;
    let spec = Spec::load(MODULE, config, &HashMap::from([(MODULE.to_owned(), module)]))?;
    let mut walker = Walker::new(&spec)?;
    let invariant = walker.define(MODULE)?;
    Ok(Compiled { walker, invariant })
}

/// An error with its place in the expression, and not in the module around it.
fn in_expression(error: &str) -> String {
    let place = error.strip_prefix(MODULE).and_then(|rest| rest.strip_prefix(':'));
    let split = place.and_then(|rest| {
        let (line, rest) = rest.split_once(':')?;
        let (column, rest) = rest.split_once(':')?;
        let line = line.parse::<u32>().ok()?.checked_sub(LINES_BEFORE)?;
        Some((line, column.parse::<u32>().ok()?.saturating_sub(INDENT), rest))
    });
    match split {
        Some((line, column, rest)) => format!("line {line}, column {column}:{rest}"),
        None => error.to_owned(),
    }
}

fn watch(name: &str, compiled: Rc<RefCell<Compiled>>, nodes: usize) -> Box<dyn Oracle<PlainState>> {
    let mut states: Vec<TlaValue> = Vec::new();
    let mut before = None;
    described_invariant(name, ABOUT, move |seen: &Seen<'_, PlainState>| {
        if states.is_empty() {
            states = seen.states().iter().map(state_value).collect::<Result<_, _>>()?;
        } else {
            for (node, state) in seen.fresh() {
                states[node.index()] = state_value(state)?;
            }
        }
        let up = NodeId::first(nodes)
            .filter(|node| seen.board().is_up(*node))
            .map(|node| TlaValue::Int(number(node)));
        let pairs =
            NodeId::first(nodes).map(|node| (TlaValue::Int(number(node)), states[node.index()].clone()));
        let state = TlaValue::function_from_pairs(pairs.collect());
        let last = before.replace(state.clone());
        let variables =
            [state.clone(), last.unwrap_or(state), TlaValue::set(up.collect()), requests_value(seen)?];
        let Compiled { walker, invariant } = &mut *compiled.borrow_mut();
        match walker.evaluate(&variables, *invariant) {
            Ok(value) => match value.as_bool() {
                Some(true) => Ok(()),
                Some(false) => Err("the invariant of the target file is false".to_owned()),
                None => Err(format!("the invariant is neither true nor false, but {value}")),
            },
            Err(error) => {
                Err(format!("the invariant cannot be evaluated: {}", in_expression(&error.to_string())))
            }
        }
    })
}

fn number(node: NodeId) -> i64 {
    node.number() as i64
}

fn requests_value(seen: &Seen<'_, PlainState>) -> Result<TlaValue, String> {
    let read = |text: &str| -> Result<TlaValue, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        value_of(&value)
    };
    let mut requests = Vec::new();
    for request in seen.board().requests() {
        let answer = request.answer.as_deref().map_or_else(|| Ok(TlaValue::string("none")), read)?;
        requests.push(TlaValue::record([
            ("node", TlaValue::Int(number(request.node))),
            ("request", read(&request.op)?),
            ("answer", answer),
        ]));
    }
    Ok(TlaValue::tuple(requests))
}

fn state_value(state: &PlainState) -> Result<TlaValue, String> {
    let fields: Vec<_> =
        state.fields().map(|(name, value)| Ok((name, value_of(value)?))).collect::<Result<_, String>>()?;
    Ok(TlaValue::record(fields))
}

/// A value in the terms of TLA+: lists are sequences, maps are records. Nothing is the string "null".
fn value_of(value: &Value) -> Result<TlaValue, String> {
    Ok(match value {
        Value::Null => TlaValue::string("null"),
        Value::Truth(truth) => TlaValue::Bool(*truth),
        Value::Integer(number) => TlaValue::Int(*number),
        Value::Large(number) => return Err(format!("TLA+ has no number as large as {number} here")),
        Value::Float(number) => return Err(format!("TLA+ has no number like {number}")),
        Value::Text(text) => TlaValue::string(text),
        Value::Bytes(bytes) => {
            TlaValue::tuple(bytes.iter().map(|byte| TlaValue::Int(i64::from(*byte))).collect())
        }
        Value::List(values) => TlaValue::tuple(values.iter().map(value_of).collect::<Result<_, _>>()?),
        Value::Map(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| Ok((name.as_str(), value_of(value)?)))
                .collect::<Result<_, String>>()?;
            TlaValue::record(fields)
        }
    })
}
