//! What module TLC knows of the check itself: registers, statistics, the configuration, the behaviour so far.

use super::Machine;
use crate::error::{Place, Result, fail};
use crate::symbol::Symbol;
use crate::value::Value;

/// `TLCGet("level")'`: no specification can write it.
pub(crate) const NEXT_LEVEL: &str = "level'";

/// The mode before anything is checked: while constants get their values.
pub(crate) const NO_CHECK: &str = "";

/// What the names of registers start with.
const NAMED_REGISTER: &str = "s:";

/// How the check was asked for, and of what: `TLCGet("config")` and `TLCGet("spec")`.
#[derive(Clone)]
pub(crate) struct Settings {
    /// "bfs", "simulate", or that nothing is checked yet.
    pub mode: &'static str,
    pub deadlock: bool,
    pub workers: usize,
    pub seed: u64,
    /// How deep a simulated behaviour is, and how many there are.
    pub depth: i64,
    pub behaviours: i64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { mode: "bfs", deadlock: true, workers: 1, seed: 0, depth: 100, behaviours: -1 }
    }
}

/// The behaviour that evaluation is about.
#[derive(Default)]
pub(crate) struct Behaviour {
    /// Whether the specification asks for it, so that the checker keeps it up to date.
    pub wanted: bool,
    /// The states up to the one whose successors are made.
    pub states: Vec<Vec<Value>>,
    /// A whole counterexample while it is shown (`_TETrace`).
    pub whole: Vec<Vec<Value>>,
    /// A counterexample as a graph, for the postcondition.
    pub graph: Option<Value>,
}

impl Machine {
    /// What a register holds.
    pub(super) fn register(&self, name: &Value) -> Option<Value> {
        match name {
            Value::Int(n) => self.registers.get(n).cloned(),
            Value::Str(name) => self.named_registers.get(name).cloned(),
            _ => None,
        }
    }

    pub(super) fn tlc_set(&mut self, name: &Value, value: Value, place: Place) -> Result<Value> {
        self.check_nesting(&value, place)?;
        match name {
            Value::Int(n) => drop(self.registers.insert(*n, value)),
            Value::Str(name) if name.as_str() == "exit" => self.exits |= value == Value::Bool(true),
            Value::Str(name) if name.as_str() == "pause" => {}
            Value::Str(name) if name.as_str().starts_with(NAMED_REGISTER) => {
                self.named_registers.insert(*name, value);
            }
            other => return fail(place, format!("TLCSet of {}", other.brief())),
        }
        Ok(Value::Bool(true))
    }

    pub(super) fn tlc_get(&mut self, name: &Value, place: Place) -> Result<Value> {
        if let Some(value) = self.register(name) {
            return Ok(value);
        }
        let text = match name {
            Value::Int(n) => return fail(place, format!("TLCGet({n}) before any TLCSet({n}, …)")),
            Value::Str(name) => name.as_str(),
            other => return fail(place, format!("TLCGet of {}", other.brief())),
        };
        if let ("distinct" | "generated" | "queue" | "diameter", NO_CHECK) = (text, self.settings.mode) {
            return fail(place, format!("TLCGet(\"{text}\") has no value before the check begins"));
        }
        Ok(match text {
            "level" => Value::Int(self.progress.level),
            // In an initial predicate, whose variables are those of the state being made, there is no such.
            NEXT_LEVEL => Value::Int(self.progress.level + i64::from(self.progress.level > 0)),
            "distinct" => Value::Int(self.progress.distinct),
            "generated" => Value::Int(self.progress.generated),
            "queue" => Value::Int(self.progress.queue),
            "diameter" => Value::Int(self.progress.diameter),
            "duration" => Value::Int(0),
            // TLC's switch for action composition, which is always on here.
            "-Dtlc2.tool.impl.Tool.cdot" => Value::string("true"),
            // A property of a Java program that is not set has its own name for a value.
            property if property.starts_with("-D") => Value::string(property),
            "config" => self.configuration(),
            "stats" => self.statistics(),
            "spec" => self.specification.clone(),
            "revision" => revision(),
            "action" => action_record(self.action_label),
            "all" => self.all_registers(),
            "all:named" => {
                let pairs = self.named_registers.iter();
                let values =
                    pairs.map(|(name, value)| (Value::Str(*name), Value::tuple(vec![value.clone()])));
                Value::function_from_pairs(values.collect())
            }
            other => return fail(place, format!("TLCGet(\"{other}\") is not known")),
        })
    }

    /// Sets how often each of the predicates that are to be possible was true, where TLC has it.
    pub(crate) fn set_possible(&mut self, times: Vec<(Symbol, u64)>) {
        if !times.is_empty() {
            let pairs = times.into_iter().map(|(name, times)| (Value::Str(name), Value::Int(times as i64)));
            let name = Symbol::new("s:_possible");
            self.named_registers.insert(name, Value::function_from_pairs(pairs.collect()));
        }
    }

    fn all_registers(&self) -> Value {
        let pairs = self.registers.iter();
        let values = pairs.map(|(number, value)| (Value::Int(*number), Value::tuple(vec![value.clone()])));
        Value::function_from_pairs(values.collect())
    }

    fn configuration(&self) -> Value {
        let Settings { mode, deadlock, workers, seed, depth, behaviours } = &self.settings;
        let common = [
            ("mode", Value::string(mode)),
            ("deadlock", Value::Bool(*deadlock)),
            ("worker", Value::Int(*workers as i64)),
            ("seed", Value::string(&seed.to_string())),
            ("install", Value::string("")),
        ];
        let own = match *mode {
            "bfs" => vec![("fingerprint", Value::string("0"))],
            _ => vec![
                ("depth", Value::Int(*depth)),
                ("traces", Value::Int(*behaviours)),
                ("aril", Value::string("0")),
                ("sched", Value::string("random")),
            ],
        };
        Value::record(common.into_iter().chain(own))
    }

    fn statistics(&self) -> Value {
        let progress = &self.progress;
        Value::record([
            ("distinct", Value::Int(progress.distinct)),
            ("generated", Value::Int(progress.generated)),
            ("queue", Value::Int(progress.queue)),
            ("diameter", Value::Int(progress.diameter)),
            ("initial", Value::Int(progress.initial)),
            ("traces", Value::Int(0)),
            ("duration", Value::Int(0)),
        ])
    }

    /// The states from an initial one to the one that is evaluated, which may be the one being made.
    pub(super) fn behaviour_so_far(&self) -> Value {
        let level = usize::try_from(self.progress.level).unwrap_or(0);
        let known = &self.behaviour.states;
        let mut states: Vec<Value> =
            known.iter().take(level.max(1)).map(|state| self.record_of(state)).collect();
        if states.len() < level.max(1) {
            states.push(self.record_of(&self.cur));
        }
        Value::tuple(states)
    }

    /// The counterexample that is shown.
    pub(super) fn explored_behaviour(&self, place: Place) -> Result<Value> {
        if self.behaviour.whole.is_empty() {
            return fail(place, "_TETrace has a value only in the ALIAS of a counterexample");
        }
        Ok(Value::tuple(self.behaviour.whole.iter().map(|state| self.record_of(state)).collect()))
    }

    /// A state as a record of its variables.
    pub(crate) fn record_of(&self, state: &[Value]) -> Value {
        let fields = self.names.iter().zip(state).map(|(name, value)| (Value::Str(*name), value.clone()));
        Value::function_from_pairs(fields.collect())
    }

    /// The counterexample as a graph of states and actions; without any, before there is one.
    pub(super) fn counterexample_graph(&self) -> Value {
        let none = || Value::record([("state", Value::empty_set()), ("action", Value::empty_set())]);
        self.behaviour.graph.clone().unwrap_or_else(none)
    }

    /// Sets the counterexample that the postcondition is about: its states and the names of the actions
    /// between them.
    pub(crate) fn set_counterexample(
        &mut self,
        states: &[(Vec<Value>, Option<Symbol>)],
        back_to: Option<usize>,
    ) {
        let numbered: Vec<Value> = (1..)
            .zip(states)
            .map(|(number, (state, _))| Value::tuple(vec![Value::Int(number), self.record_of(state)]))
            .collect();
        let edge = |from: &Value, action: Option<Symbol>, to: &Value| {
            Value::tuple(vec![from.clone(), action_record(action), to.clone()])
        };
        let mut actions: Vec<Value> =
            (1..numbered.len()).map(|to| edge(&numbered[to - 1], states[to].1, &numbered[to])).collect();
        if let (Some(back), Some(last)) = (back_to, numbered.last()) {
            actions.push(edge(last, states[back].1, &numbered[back]));
        }
        let fields = [("state", Value::set(numbered)), ("action", Value::set(actions))];
        self.behaviour.graph = Some(Value::record(fields));
    }
}

/// An action as TLC shows it: its name, and where it is, which is not known here.
fn action_record(name: Option<Symbol>) -> Value {
    let location = Value::record([
        ("beginLine", Value::Int(0)),
        ("beginColumn", Value::Int(0)),
        ("endLine", Value::Int(0)),
        ("endColumn", Value::Int(0)),
        ("module", Value::string("--TLA+ BUILTINS--")),
    ]);
    let name = name.map_or_else(|| Value::string("UnknownAction"), Value::Str);
    Value::record([("name", name), ("location", location)])
}

/// Which program this is, in the form that TLC gives its own revision.
fn revision() -> Value {
    Value::record([
        ("count", Value::Int(0)),
        ("timestamp", Value::Int(0)),
        ("date", Value::string("1970-01-01T00:00:00.0Z")),
        ("tag", Value::string(concat!("shakedown-", env!("CARGO_PKG_VERSION")))),
        ("calver", Value::string(env!("CARGO_PKG_VERSION"))),
    ])
}
