//! A library in a process of its own: a host that speaks the node protocol and makes its calls.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use shakedown_cluster::{Fact, ForeignPanic, Message, Name, Value as FactValue};
use shakedown_remote::{
    BadFrame, Encoding, FrameReader, PROTOCOL, Pairs, PlainState, Value, decode, write_frame,
};

use crate::abi::{RawBoot, RawValue};
use crate::collected::{Collected, DiskChange, IN_LIBRARY, Timer};
use crate::names::text_of;
use crate::raw_node::{RawNode, give_back};
use crate::{CannotLoad, Library};

/// Why a host cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The library cannot be used.
    #[error(transparent)]
    Library(#[from] CannotLoad),
    /// A call cannot be read.
    #[error("a call cannot be read: {0}")]
    Call(String),
    /// A pipe failed.
    #[error("I/O error: {0}")]
    Io(#[from] std::io::Error),
}

/// A call, whichever it is.
#[derive(Deserialize)]
#[serde(default)]
struct Heard {
    call: String,
    seq: u64,
    node: u64,
    now: u64,
    id: u64,
    nodes: u32,
    life: u32,
    seed: String,
    options: Pairs<Value>,
    disk: Pairs<Value>,
    from: u32,
    kind: String,
    message: Value,
    timer: String,
    request: Value,
    peer: u32,
    encoding: Option<Encoding>,
}

impl Default for Heard {
    fn default() -> Heard {
        Heard {
            call: String::new(),
            seq: 0,
            node: 0,
            now: 0,
            id: 0,
            nodes: 0,
            life: 0,
            seed: String::new(),
            options: Pairs::default(),
            disk: Pairs::default(),
            from: 0,
            kind: String::new(),
            message: Value::Null,
            timer: String::new(),
            request: Value::Null,
            peer: 0,
            encoding: None,
        }
    }
}

/// A node, and what was shown of it; no node if it has failed.
struct Held {
    node: Option<RawNode>,
    shown: PlainState,
}

/// Serves the nodes of a library over the standard input and output of this process. What the library prints
/// to standard output goes to standard error, so that it cannot break a frame.
pub fn serve_process(file: &Path) -> Result<(), ServeError> {
    #[cfg(unix)]
    let mut output = {
        let kept = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3).map_err(std::io::Error::from)?;
        rustix::stdio::dup2_stdout(std::io::stderr()).map_err(std::io::Error::from)?;
        std::fs::File::from(kept)
    };
    #[cfg(not(unix))]
    let mut output = std::io::stdout();
    serve(file, &mut std::io::stdin(), &mut output)
}

/// Loads a library and serves its nodes until the input ends.
pub fn serve(file: &Path, input: &mut impl Read, output: &mut impl Write) -> Result<(), ServeError> {
    let library = Arc::new(Library::load(file)?);
    let mut reader = FrameReader::default();
    let Some(hello) = next(&mut reader, Encoding::Json, input)? else { return Ok(()) };
    let encoding = hello.encoding.unwrap_or(Encoding::Json);
    write(Encoding::Json, &handshake(&library, encoding), output)?;
    let mut nodes = HashMap::new();
    while let Some(call) = next(&mut reader, encoding, input)? {
        if call.call == "crash" {
            nodes.remove(&call.node);
            continue;
        }
        let reply = perform(&library, &mut nodes, &call)?;
        write(encoding, &reply, output)?;
    }
    Ok(())
}

fn next(
    reader: &mut FrameReader,
    encoding: Encoding,
    input: &mut impl Read,
) -> Result<Option<Heard>, ServeError> {
    match reader.next(encoding, input) {
        Ok(frame) => decode(encoding, frame).map(Some).map_err(ServeError::Call),
        Err(BadFrame::End(false)) => Ok(None),
        Err(error) => Err(ServeError::Call(error.to_string())),
    }
}

fn write(encoding: Encoding, frame: &Value, output: &mut impl Write) -> Result<(), ServeError> {
    let mut buffer = Vec::new();
    write_frame(encoding, frame, &mut buffer).map_err(ServeError::Call)?;
    output.write_all(&buffer)?;
    Ok(output.flush()?)
}

/// A map of these fields.
fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn number(number: impl Into<u64>) -> Value {
    let number = number.into();
    i64::try_from(number).map_or(Value::Large(number), Value::Integer)
}

fn handshake(library: &Library, encoding: Encoding) -> Value {
    let calls = library.calls().into_iter().map(text).collect();
    let kinds = library.kinds().iter().map(|kind| text(kind)).collect();
    map([
        ("protocol", number(PROTOCOL)),
        ("encoding", text(if encoding == Encoding::Json { "json" } else { "msgpack" })),
        ("name", text(library.name())),
        ("version", text(library.version())),
        ("calls", Value::List(calls)),
        ("kinds", Value::List(kinds)),
    ])
}

fn pack(value: &impl serde::Serialize) -> Result<Vec<u8>, ServeError> {
    rmp_serde::to_vec(value).map_err(|error| ServeError::Call(error.to_string()))
}

/// Makes a call and says what came of it.
fn perform(
    library: &Arc<Library>,
    nodes: &mut HashMap<u64, Held>,
    call: &Heard,
) -> Result<Value, ServeError> {
    let collected = if call.call == "boot" {
        let (node, mut collected) = boot(library, call)?;
        if node.is_none() {
            collected.refuse("does not boot, and reports no failure".to_owned());
        }
        nodes.insert(call.node, Held { node, shown: PlainState::default() });
        Some(collected)
    } else {
        let held = nodes.get_mut(&call.node);
        let held = held.ok_or_else(|| ServeError::Call(format!("there is no node {}", call.node)))?;
        match &mut held.node {
            Some(node) => activate(node, call)?,
            None => {
                return Ok(panicked(call.seq, "the node has failed before", IN_LIBRARY));
            }
        }
    };
    let held = nodes.get_mut(&call.node).ok_or_else(|| ServeError::Call("the node is gone".to_owned()))?;
    let mut fields = vec![("seq".to_owned(), number(call.seq))];
    if let Some(mut collected) = collected {
        let failure = collected.take_failure();
        report(&mut collected, &mut fields);
        give_back(collected);
        if let Some(ForeignPanic { message, place }) = failure {
            held.node = None;
            return Ok(panicked(call.seq, &message, &place));
        }
    }
    match observe(held, call.call == "boot" || call.call == "observe") {
        Ok(Some(state)) => fields.push(("state".to_owned(), state)),
        Ok(None) => {}
        Err(ForeignPanic { message, place }) => {
            held.node = None;
            return Ok(panicked(call.seq, &message, &place));
        }
    }
    Ok(Value::Map(fields))
}

fn panicked(seq: u64, message: &str, place: &str) -> Value {
    map([("seq", number(seq)), ("panic", map([("message", text(message)), ("place", text(place))]))])
}

fn boot(library: &Arc<Library>, call: &Heard) -> Result<(Option<RawNode>, Box<Collected>), ServeError> {
    let seed = u64::from_str_radix(&call.seed, 16)
        .map_err(|_| ServeError::Call(format!("the seed `{}` is not sixteen digits", call.seed)))?;
    let options: BTreeMap<&String, &Value> =
        call.options.0.iter().map(|(name, value)| (name, value)).collect();
    let disk: BTreeMap<&String, &Value> = call.disk.0.iter().map(|(name, value)| (name, value)).collect();
    let (options, disk) = (pack(&options)?, pack(&disk)?);
    let id = u32::try_from(call.id).map_err(|_| ServeError::Call(format!("there is no node {}", call.id)))?;
    let boot = RawBoot {
        id,
        nodes: call.nodes,
        life: call.life,
        now: call.now,
        seed,
        options: RawValue::of(&options),
        disk: RawValue::of(&disk),
    };
    Ok(RawNode::boot(Arc::clone(library), &boot))
}

/// Calls a node that runs. Nothing comes of a call that the library does not hear.
fn activate(node: &mut RawNode, call: &Heard) -> Result<Option<Box<Collected>>, ServeError> {
    let name = |text: &str| {
        let name = Name::intern(text).map_err(|error| ServeError::Call(error.to_string()))?;
        Ok::<_, ServeError>(text_of(name))
    };
    let functions = *node.library().functions();
    Ok(match call.call.as_str() {
        "receive" => Some(node.receive(call.now, call.from, &name(&call.kind)?, &pack(&call.message)?)),
        "request" => node.request(call.now, call.id, &pack(&call.request)?),
        "fire" => node.fire(call.now, &name(&call.timer)?),
        "tick" => node.plain(call.now, functions.tick),
        "flushed" => node.plain(call.now, functions.flushed),
        "reconnected" => node.about_peer(call.now, functions.reconnected, call.peer),
        "disconnected" => node.about_peer(call.now, functions.disconnected, call.peer),
        "observe" => None,
        other => return Err(ServeError::Call(format!("the call `{other}` is unknown"))),
    })
}

/// What a node did, as fields of a reply.
fn report(collected: &mut Collected, fields: &mut Vec<(String, Value)>) {
    let mut add = |name: &str, values: Vec<Value>| {
        if !values.is_empty() {
            fields.push((name.to_owned(), Value::List(values)));
        }
    };
    let sent = |(to, message): (shakedown_cluster::NodeId, shakedown_remote::PlainMessage)| {
        let mut sent = vec![
            ("to".to_owned(), number(to.number() as u64)),
            ("kind".to_owned(), text(message.kind())),
            ("message".to_owned(), message.contents().clone()),
        ];
        if let Some(words) = message.text() {
            sent.push(("text".to_owned(), text(words)));
        }
        Value::Map(sent)
    };
    add("sends", collected.sends.drain(..).map(sent).collect());
    let answered = |(id, answer)| map([("id", number(id)), ("answer", answer)]);
    add("answers", collected.answers.drain(..).map(answered).collect());
    add("facts", collected.facts.drain(..).map(|fact| fact_value(&fact)).collect());
    let changed = |timer| match timer {
        Timer::Set(timer, ticks) => map([("set", text(timer.as_str())), ("ticks", number(ticks))]),
        Timer::Cancel(timer) => map([("cancel", text(timer.as_str()))]),
    };
    add("timers", collected.timers.drain(..).map(changed).collect());
    let changed = |change| match change {
        DiskChange::Write { put, delete } => map([
            ("put", Value::Map(put)),
            ("delete", Value::List(delete.into_iter().map(Value::Text).collect())),
        ]),
        DiskChange::Flush => map([("flush", Value::Truth(true))]),
    };
    add("disk", collected.disk.drain(..).map(changed).collect());
}

fn fact_value(fact: &Fact) -> Value {
    let value = |value: &FactValue| match value {
        FactValue::Number(number) => Value::Integer(*number),
        FactValue::Truth(truth) => Value::Truth(*truth),
        FactValue::Text(words) => text(words),
    };
    let fields = fact.fields.iter().map(|(name, field)| (name.to_string(), value(field))).collect();
    map([("name", text(fact.name.as_str())), ("fields", Value::Map(fields))])
}

/// What changed of the state of a node since it was last shown, or all of it.
fn observe(held: &mut Held, whole: bool) -> Result<Option<Value>, ForeignPanic> {
    let Some(node) = &held.node else { return Ok(None) };
    let mut collected = node.observe();
    let failure = collected.take_failure_of_observing();
    let before = held.shown.clone();
    let changed = held.shown.change_packed(&collected.state);
    give_back(collected);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Err(error) = changed {
        let message = format!("shows a state that cannot be read: {error}");
        return Err(ForeignPanic { message, place: IN_LIBRARY.to_owned() });
    }
    let now = held.shown.fields();
    let mut fields: Vec<_> = now
        .filter(|(name, value)| whole || before.get(name) != Some(value))
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    let gone = before.fields().filter(|(name, _)| held.shown.get(name).is_none());
    fields.extend(gone.map(|(name, _)| (name.to_owned(), Value::Null)));
    Ok((whole || !fields.is_empty()).then_some(Value::Map(fields)))
}
