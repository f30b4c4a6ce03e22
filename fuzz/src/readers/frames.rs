//! Frames of the node protocol, as a host writes them, and files that describe targets.

use std::path::Path;
use std::sync::Arc;

use shakedown::remote;
use shakedown_remote::{Encoding, FrameReader, Pairs, Reply, Value, decode, write_frame};

use crate::{Outcome, Room};

/// What a host may write, one frame a line.
const FRAMES: &str = r#"{"protocol":1,"encoding":"json","name":"register","version":"1","calls":["tick","request"],"kinds":["Add"]}
{"seq":1,"state":{"total":0,"log":[]}}
{"seq":2,"sends":[{"to":2,"kind":"Add","message":{"total":5},"text":"five"},{"to":3,"kind":"Add","message":null}],"state":{"total":5}}
{"seq":3,"answers":[{"id":0,"answer":{"applied":5}}],"facts":[{"name":"commit","fields":{"index":7,"leads":true,"by":"n1"}}]}
{"seq":4,"timers":[{"set":"election","ticks":5},{"cancel":"election"}],"disk":[{"put":{"a":1},"delete":["b"]},{"flush":true}]}
{"seq":5,"panic":{"message":"index out of range","place":"raft.go:12"}}
{"seq":18446744073709551615,"state":{"float":1.5,"deep":[[[[[]]]]],"text":"Zm9v","negative":-9223372036854775808}}
"#;

/// The frames, and each of them alone.
pub(super) fn json_frames(_: &Room) -> Vec<Vec<u8>> {
    let alone = FRAMES.lines().map(|line| format!("{line}\n").into_bytes());
    alone.chain([FRAMES.as_bytes().to_vec()]).collect()
}

/// The same in MessagePack.
pub(super) fn msgpack_frames(_: &Room) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for line in FRAMES.lines() {
        let frame: Value = decode(Encoding::Json, line.as_bytes()).unwrap_or_default();
        let mut bytes = Vec::new();
        if write_frame(Encoding::MsgPack, &frame, &mut bytes).is_ok() {
            all.extend_from_slice(&bytes);
            inputs.push(bytes);
        }
    }
    inputs.push(all);
    inputs
}

/// A host that writes these bytes, whatever it is called with.
pub(super) fn host(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("frames", input);
    ["host", "check", "--json", "--", "cat", &file].map(str::to_owned).to_vec()
}

pub(super) fn read_json(input: &[u8]) -> Result<Outcome, String> {
    read(Encoding::Json, input)
}

pub(super) fn read_msgpack(input: &[u8]) -> Result<Outcome, String> {
    read(Encoding::MsgPack, input)
}

/// Reads all frames, as a host's replies. What is read as a value has to be the same when it is written and
/// read again.
fn read(encoding: Encoding, input: &[u8]) -> Result<Outcome, String> {
    let (mut reader, mut source) = (FrameReader::default(), input);
    let mut taken = Outcome::Refused;
    while let Ok(frame) = reader.next(encoding, &mut source) {
        if decode::<Reply<Value, Pairs<Value>>>(encoding, frame).is_ok() {
            taken = Outcome::Taken;
        }
        let Ok(value) = decode::<Value>(encoding, frame) else { continue };
        let mut again = Vec::new();
        write_frame(encoding, &value, &mut again)?;
        let (mut second, mut source) = (FrameReader::default(), &again[..]);
        let frame = second.next(encoding, &mut source).map_err(|error| error.to_string())?;
        let same: Value = decode(encoding, frame)?;
        if same != value && value.to_string() != same.to_string() {
            return Err(format!("{value} is read back as {same}"));
        }
    }
    Ok(taken)
}

/// Oracles, a workload, scenarios, colours, waypoints and a mapping; the files that it names are not there.
const TARGET_TEXT: &str = r#"version = 1
[target]
name = "register"
command = ["./register"]
kinds = ["Write", "Ack"]
colour = '<<state.role, state.term>>'
[workload]
name = "register"
keys = 3
[oracles]
raft = { term = "t", role = "r.0", compacted = "c", leader = "L" }
agreement = { log = "log", decided = "commit" }
linearizability = { object = "register", initial = "0" }
transactions = "serializable"
[waypoints]
Behind = { about = "late", parameters = ["n"], holds = 'state[1].version >= n' }
[scenarios]
late = '''
about "late"  nodes 4  steps 50  requests 2  faulty 1  weights "tick=1"
set fixed = true
role r
parts h 1, rest 2
counter votes per message.term, to, fact.x + 1
when once fact role(role = leader, term >= 3) then name l, draw f 1 g 1, split l f | g f, split 2 1, heal
when sent and kind Write | Ack and (from n4 or to r) and not in state start then drop, count votes
when received and message.a.0 = recorded.first.b and from = noted.x then store in late as "x"
when at all h, rest (count votes > 2) or across partition or between n1 n2 then release late, deliver set late
when note x = message.term and set late has 1 and in set late then record first, note y = node, once crash node
when message.reject then change message.round = message.round + 2, garble 9, request n1 '{"a":1}', restart r, isolate n2, end
state start within 9 ticks
  on recorded first goto led
state led success within 3 steps
  on answered or crashed or restarted or always goto fail
'''
"#;

/// A file that describes a target with everything in it.
pub(super) fn target_files(_: &Room) -> Vec<Vec<u8>> {
    let whole = r#"version = 1
[target]
name = "register"
about = "a register"
command = ["./register", "--fast"]
encoding = "json"
reply_seconds = 2.5
memory_mib = 64
nodes = 3
nodes_min = 2
steps = 100
crashes = 1
requests = 4
weights = "tick=0,deliver=5"
[contract]
base = "sessions"
order = "any"
disk = "buffered"
timers = "anytime"
[options.fixed]
default = "false"
about = "mends the bug"
[[request]]
json = '{"write":[$number,$below(4)]}'
weight = 3
[[request]]
json = '"read"'
[invariants]
versions = '\A a, b \in Nodes : state[a].version = state[b].version => state[a].value = state[b].value'
answers = '\A i \in 1..Len(requests) : requests[i].answered => requests[i].node \in up'
"#;
    vec![whole.as_bytes().to_vec(), TARGET_TEXT.as_bytes().to_vec()]
}

pub(super) fn target_file_command(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("target.toml", input);
    ["targets", "--target-file", &file].map(str::to_owned).to_vec()
}

pub(super) fn read_target_file(input: &[u8]) -> Result<Outcome, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(Outcome::Refused) };
    let read = remote::read(text, Path::new("."), Arc::new(|_| {}));
    Ok(if read.is_ok() { Outcome::Taken } else { Outcome::Refused })
}
