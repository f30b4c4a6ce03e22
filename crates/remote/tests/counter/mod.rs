//! A host of counters that send each other what was added to them, without a library: the protocol by hand.

use std::collections::BTreeMap;
use std::io::Write;

use shakedown_cluster::Random;
use shakedown_remote::{Encoding, FrameReader, Value, decode, write_frame};

/// The argument that makes the test program a host.
pub const HOST: &str = "serve-counters";

struct Counter {
    id: i64,
    nodes: i64,
    total: i64,
    answered: i64,
    drawn: i64,
    is_reminded: bool,
}

fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn number(frame: &Value, field: &str) -> i64 {
    match frame.get(field) {
        Some(Value::Integer(number)) => *number,
        other => panic!("{field} is {other:?}"),
    }
}

fn words(frame: &Value, field: &str) -> String {
    match frame.get(field) {
        Some(Value::Text(text)) => text.clone(),
        other => panic!("{field} is {other:?}"),
    }
}

/// Serves until the input ends, and misbehaves in this way.
pub fn serve(way: &str) {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut reader = FrameReader::default();
    let greeting = reader.next(Encoding::Json, &mut input).expect("a greeting comes first").to_vec();
    let greeting: Value = decode(Encoding::Json, &greeting).expect("it is JSON");
    let is_json = words(&greeting, "encoding") == "json";
    let encoding = if is_json { Encoding::Json } else { Encoding::MsgPack };
    greet(way, is_json, &mut output);
    let mut nodes = BTreeMap::new();
    while let Ok(frame) = reader.next(encoding, &mut input) {
        let call: Value = decode(encoding, frame).expect("it is well-formed");
        let Some(mut reply) = answer(&call, &mut nodes, way) else { continue };
        if words(&call, "call") == "request" {
            misbehave(way, &mut reply, &mut output);
        }
        let mut bytes = Vec::new();
        write_frame(encoding, &reply, &mut bytes).expect("it can be written");
        if way == "twice" && words(&call, "call") == "request" {
            bytes.extend_from_within(..);
        }
        output.write_all(&bytes).expect("somebody reads");
        output.flush().expect("somebody reads");
    }
}

fn greet(way: &str, is_json: bool, output: &mut impl Write) {
    let calls = match way {
        "deaf" => r#"["request"]"#,
        "odd-calls" => r#"["tick","sing"]"#,
        _ => r#"["tick","request","fire","flushed"]"#,
    };
    let (protocol, encoding) = (if way == "old" { 7 } else { 1 }, if is_json { "json" } else { "msgpack" });
    match way {
        "refuses" => writeln!(output, r#"{{"protocol":1,"error":"no licence"}}"#),
        "silent" => loop {
            std::thread::park();
        },
        "leaves" => {
            eprintln!("out of paper");
            std::process::exit(4);
        }
        "chatty" => writeln!(output, "Starting up!"),
        _ => writeln!(
            output,
            r#"{{"protocol":{protocol},"encoding":"{encoding}","name":"counter","version":"1","calls":{calls},"extra":[]}}"#
        ),
    }
    .and_then(|()| output.flush())
    .expect("somebody reads");
}

fn answer(call: &Value, nodes: &mut BTreeMap<i64, Counter>, way: &str) -> Option<Value> {
    let (seq, node) = (number(call, "seq"), number(call, "node"));
    let mut effects: Vec<(String, Value)> = vec![("seq".to_owned(), Value::Integer(seq))];
    let mut add = |field: &str, effect: Value| effects.push((field.to_owned(), Value::List(vec![effect])));
    match words(call, "call").as_str() {
        "crash" => {
            nodes.remove(&node);
            return None;
        }
        "boot" => {
            let seed = u64::from_str_radix(&words(call, "seed"), 16).expect("it is hexadecimal");
            let total = call.get("disk").and_then(|disk| disk.get("total"));
            let total = if let Some(Value::Integer(total)) = total { *total } else { 0 };
            let (id, nodes_in_all) = (number(call, "id"), number(call, "nodes"));
            let drawn = Random::new(seed).below(8) as i64;
            nodes.insert(
                node,
                Counter { id, nodes: nodes_in_all, total, answered: 0, drawn, is_reminded: false },
            );
        }
        name => {
            let counter = nodes.get_mut(&node).expect("it was booted");
            match name {
                "request" => {
                    counter.total += number(call.get("request").expect("it asks something"), "add");
                    counter.answered += 1;
                    add("disk", map([("put", map([("total", Value::Integer(counter.total))]))]));
                    let to = Value::Integer(counter.id % counter.nodes + 1);
                    let message = map([("total", Value::Integer(counter.total))]);
                    add("sends", map([("to", to), ("kind", text("Add")), ("message", message)]));
                    let id = Value::Integer(number(call, "id"));
                    add("answers", map([("id", id), ("answer", Value::Integer(counter.total))]));
                    add("facts", map([("name", text("added")), ("fields", map([("by", text("a client"))]))]));
                }
                "receive" if words(call, "kind") == "Add" => {
                    counter.total = number(call.get("message").expect("it has contents"), "total");
                    add("disk", map([("put", map([("total", Value::Integer(counter.total))]))]));
                    let to = Value::Integer(number(call, "from"));
                    add("sends", map([("to", to), ("kind", text("Seen")), ("message", Value::Null)]));
                    add("timers", map([("set", text("remind")), ("ticks", Value::Integer(0))]));
                }
                "fire" => counter.is_reminded = true,
                "tick" if way == "deaf" => std::process::exit(1),
                _ => {}
            }
        }
    }
    let counter = &nodes[&node];
    let reminded = if counter.is_reminded { Value::Truth(true) } else { Value::Null };
    let state = [("total", counter.total), ("answered", counter.answered), ("drawn", counter.drawn)];
    let mut fields: Vec<_> =
        state.into_iter().map(|(name, value)| (name.to_owned(), Value::Integer(value))).collect();
    fields.push(("reminded".to_owned(), reminded));
    effects.push(("state".to_owned(), Value::Map(fields)));
    Some(Value::Map(effects))
}

fn misbehave(way: &str, reply: &mut Value, output: &mut impl Write) {
    let Value::Map(fields) = reply else { return };
    let mut set = |name: &str, value: Value| {
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value));
    };
    let send = |to: i64, kind: &str| {
        map([("to", Value::Integer(to)), ("kind", text(kind)), ("message", Value::Null)])
    };
    let mut write = |bytes: &[u8]| {
        // Whoever has had enough closes the pipe.
        let _ = output.write_all(bytes).and_then(|()| output.flush());
    };
    match way {
        "exits" => std::process::exit(3),
        "aborts" => std::process::abort(),
        // Half a frame, and then the process ends as if all were well.
        "leaves-early" => {
            write(b"\0\0\0\x09\x81\xa3");
            std::process::exit(0);
        }
        "hangs" => loop {
            std::thread::park();
        },
        "grows" => grow(),
        "garbage" => write(b"\xff\xfe\xfd\xfc garbage \n"),
        "prints" => write(b"debug: got a request\n"),
        "endless" => loop {
            write(&[b'['; 1 << 16]);
        },
        "wrong-seq" => set("seq", Value::Integer(1)),
        "floods" => set("sends", Value::List(vec![send(2, "Add"); 10_001])),
        "to-nobody" => set("sends", Value::List(vec![send(9, "Add")])),
        "bad-kind" => set("sends", Value::List(vec![send(2, "two words")])),
        "bad-timer" => set("timers", Value::List(vec![map([("ticks", Value::Integer(3))])])),
        "bad-fact" => {
            let list = Value::List(vec![Value::Integer(1)]);
            set("facts", Value::List(vec![map([("name", text("odd")), ("fields", map([("list", list)]))])]));
        }
        "deep" => {
            let mut deep = Value::Null;
            for _ in 0..400 {
                deep = Value::List(vec![deep]);
            }
            set("state", map([("deep", deep)]));
        }
        "panics" => {
            set("panic", map([("message", text("index out of range [3]")), ("place", text("counter.go:12"))]))
        }
        _ => {}
    }
}

fn grow() -> ! {
    let mut hoard = Vec::new();
    loop {
        hoard.push(vec![1u8; 16 << 20]);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
