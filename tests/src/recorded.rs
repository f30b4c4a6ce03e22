//! Traces of a target under random faults, changed a little, and judged without the validator.
//!
//! The judge is independent of what it judges: it runs the actions of a trace one after the other with
//! [`Walker::attempt`], and compares the JSON of each state with what the line says. Every action of
//! `RaftEvents` has at most one successor, so there is nothing to search for, and its verdict is exact.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use shakedown_campaign::{Campaign, Silent, Target};
use shakedown_check::SpecTrace;
use shakedown_cluster::{Node, Random};
use shakedown_conform::follow::{EventMapping, Projection, Recorder};
use shakedown_conform::validate::{BadTrace, Header, Limits, Verdict, validate};
use shakedown_conform::{ActionCall, Value};
use shakedown_tla::walk::{Attempt, State, Walker};
use shakedown_tla::{Config, Spec};

/// A trace without its header and its initial state: what is changed.
pub struct Recorded {
    /// The header and the initial state.
    pub begin: [String; 2],
    /// The events.
    pub events: Vec<String>,
}

impl Recorded {
    /// The whole trace with these events.
    pub fn with(&self, events: &[String]) -> String {
        let mut text = self.begin.join("\n");
        for event in events {
            text.push('\n');
            text.push_str(event);
        }
        text
    }
}

/// Traces of a number of executions of a target.
pub fn record<N, M, P>(
    target: Target<N>,
    executions: u64,
    change: impl FnOnce(&mut Campaign<'_>),
    make: fn() -> (M, P),
) -> Vec<Recorded>
where
    N: Node + 'static,
    M: EventMapping<N::State> + 'static,
    P: Projection<N::State> + 'static,
{
    let traces: Arc<Mutex<Vec<SpecTrace>>> = Arc::default();
    let shared = Arc::clone(&traces);
    let target = target.guide("recorded", "writes a trace", move |_| {
        let trace = SpecTrace::default();
        shared.lock().map_err(|error| error.to_string())?.push(trace.clone());
        let (mapping, projection) = make();
        Ok(Box::new(Recorder::new("RaftEvents", mapping, projection, trace)))
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = executions;
    campaign.plan.keep_going = true;
    campaign.plan.shrink = None;
    campaign.plan.measures = vec!["recorded".to_owned()];
    change(&mut campaign);
    campaign.run(&Silent).expect("the campaign runs");
    let traces = std::mem::take(&mut *traces.lock().expect("no thread panicked"));
    let recorded = |trace: SpecTrace| {
        let mut lines = trace.take().into_iter();
        let begin = [lines.next().expect("there is a header"), lines.next().expect("there is a beginning")];
        Recorded { begin, events: lines.collect() }
    };
    traces.into_iter().map(recorded).collect()
}

thread_local! {
    /// The specification that was loaded last: nearly always, the next trace asks for the same one.
    static KNOWN: RefCell<Option<(Header, Spec)>> = const { RefCell::new(None) };
}

/// The specification of the traces.
pub fn spec(header: &Header) -> Result<Spec, String> {
    KNOWN.with_borrow_mut(|known| match known {
        Some((of, spec)) if of == header => Ok(spec.clone()),
        _ => Ok(known.insert((header.clone(), load(header)?)).1.clone()),
    })
}

/// The same, loaded anew.
pub fn load(header: &Header) -> Result<Spec, String> {
    let modules = HashMap::from([
        ("RaftEvents".to_owned(), include_str!("../../specs/RaftEvents.tla").to_owned()),
        ("Raft".to_owned(), include_str!("../../specs/Raft.tla").to_owned()),
    ]);
    let mut config = Config::parse(include_str!("../../specs/RaftEvents.cfg")).map_err(|e| e.to_string())?;
    header.apply(&mut config);
    Spec::load("RaftEvents", config, &modules).map_err(|error| error.to_string())
}

/// What the validator says of a trace.
pub fn validated(trace: &str) -> Result<Verdict, BadTrace> {
    validate(&mut trace.as_bytes(), spec, &[], Limits::default())
}

/// What was done to a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// An event is missing.
    Removed,
    /// An event and the next one are the other way round.
    Swapped,
    /// An argument of an action is another.
    ArgumentAltered,
    /// Something in a state is another.
    StateAltered,
}

/// All of them.
pub const MUTATIONS: [Mutation; 4] =
    [Mutation::Removed, Mutation::Swapped, Mutation::ArgumentAltered, Mutation::StateAltered];

/// The events with one mutation, and the last place that is a right one for it to be noticed: the event after
/// those that were touched, or the one that now stands where one was removed. Nothing if the trace has
/// nothing to mutate like this.
pub fn mutated(events: &[String], mutation: Mutation, random: &mut Random) -> Option<(Vec<String>, usize)> {
    if events.len() < 2 {
        return None;
    }
    let mut events = events.to_vec();
    // Nothing is checked after the last event.
    let place = random.index(events.len() - 1);
    match mutation {
        Mutation::Removed => {
            events.remove(place);
            return Some((events, place));
        }
        Mutation::Swapped => {
            events.swap(place, place + 1);
            return Some((events, place + 2));
        }
        Mutation::ArgumentAltered | Mutation::StateAltered => {
            let mut line: Json = serde_json::from_str(&events[place]).ok()?;
            let key = if mutation == Mutation::ArgumentAltered { "args" } else { "state" };
            let part = line.get_mut(key)?;
            let leaves = count_leaves(part);
            if leaves == 0 {
                return None;
            }
            alter_leaf(part, &mut random.index(leaves), random);
            events[place] = line.to_string();
        }
    }
    Some((events, place + 1))
}

fn count_leaves(json: &Json) -> usize {
    match json {
        Json::Array(items) => items.iter().map(count_leaves).sum(),
        Json::Object(fields) => fields.values().map(count_leaves).sum(),
        Json::Null => 0,
        _ => 1,
    }
}

/// Alters the leaf of this number: a number by one, a truth value or a role to another.
fn alter_leaf(json: &mut Json, left: &mut usize, random: &mut Random) -> bool {
    match json {
        Json::Array(items) => items.iter_mut().any(|item| alter_leaf(item, left, random)),
        Json::Object(fields) => fields.values_mut().any(|field| alter_leaf(field, left, random)),
        Json::Null => false,
        leaf if *left == 0 => {
            *leaf = match &*leaf {
                Json::Bool(b) => Json::Bool(!b),
                Json::Number(n) => {
                    let n = n.as_i64().unwrap_or(0);
                    Json::from(if n > 0 && random.index(2) == 0 { n - 1 } else { n + 1 })
                }
                Json::String(role) => {
                    let others =
                        ["follower", "candidate", "leader"].into_iter().filter(|other| other != role);
                    Json::from(others.collect::<Vec<_>>()[random.index(2)])
                }
                other => other.clone(),
            };
            true
        }
        _ => {
            *left -= 1;
            false
        }
    }
}

/// The place of the first event that the specification does not allow, found by hand.
pub struct Judge {
    walker: Walker,
    initial: State,
}

impl Judge {
    /// A judge of traces with this header.
    pub fn new(header: &str) -> Judge {
        let header = Header::of(header).expect("it can be read").expect("it is one");
        let spec = spec(&header).expect("the specification is ours");
        let mut walker = Walker::new(&spec).expect("it can be walked");
        let initial = walker.initial().expect("it has initial states").remove(0);
        Judge { walker, initial }
    }

    /// The place of the first event that is not allowed; nothing if all are.
    pub fn first_wrong(&mut self, events: &[String]) -> Option<usize> {
        let mut state = self.initial.clone();
        for (place, event) in events.iter().enumerate() {
            let event: Json = serde_json::from_str(event).expect("it is JSON");
            let arguments = event["args"].as_array().expect("it has arguments");
            let arguments =
                arguments.iter().map(|argument| Value::from_json(argument).expect("it is a value"));
            let action =
                ActionCall::new(event["action"].as_str().expect("it has a name"), arguments.collect());
            state = match self.walker.attempt(&state, &action) {
                Ok(Attempt::Taken(mut states)) => {
                    assert_eq!(states.len(), 1, "{action} leads to several states");
                    states.remove(0)
                }
                _ => return Some(place),
            };
            if let Some(seen) = event.get("state") {
                let all = self.walker.to_json(&state);
                let fields = seen.as_object().expect("it is an object");
                if !fields.iter().all(|(name, seen)| agrees(seen, &all[name])) {
                    return Some(place);
                }
            }
        }
        None
    }
}

/// Whether what was seen is part of a value as the walker writes it.
fn agrees(seen: &Json, whole: &Json) -> bool {
    match (seen, whole) {
        (Json::Null, _) => true,
        (Json::Array(seen), Json::Object(set)) => {
            let mut seen = seen.iter().map(ToString::to_string).collect::<Vec<_>>();
            let whole = set.get("#set").and_then(Json::as_array);
            let mut whole: Vec<String> = whole.into_iter().flatten().map(ToString::to_string).collect();
            seen.sort();
            whole.sort();
            seen == whole
        }
        (Json::Array(seen), Json::Array(whole)) => {
            seen.len() == whole.len() && seen.iter().zip(whole).all(|(seen, whole)| agrees(seen, whole))
        }
        // Servers are 1, 2, 3: a function of theirs is a sequence.
        (Json::Object(seen), Json::Array(whole)) => seen.iter().all(|(key, seen)| {
            let place = key.parse::<usize>().expect("servers are numbers") - 1;
            whole.get(place).is_some_and(|whole| agrees(seen, whole))
        }),
        (Json::Object(seen), Json::Object(whole)) => {
            seen.iter().all(|(key, seen)| whole.get(key).is_some_and(|whole| agrees(seen, whole)))
        }
        (seen, whole) => seen == whole,
    }
}
