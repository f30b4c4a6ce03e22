//! Programs that call TLC, its PlusCal translator or the server of ModelFuzz can call this one.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};
use shakedown_tla::pluscal::{Options, translate};

const PROGRAM: &str = env!("CARGO_BIN_EXE_shakedown-tla");

/// A folder of its own that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("shakedown-dropin-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn put(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A translated algorithm of the tests, with definitions of its own and a configuration.
    fn algorithm(&self, name: &str, more: &str, config: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pluscal/{name}.tla"));
        let text = std::fs::read_to_string(path).unwrap();
        let text = translate(name, &text, &Options::default()).unwrap().text;
        self.put(&format!("{name}.cfg"), config);
        self.put(&format!("{name}.tla"), &text.replace("\n====", &format!("\n{more}\n====")))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The codes and severities of the messages, and their texts.
fn messages(output: &Output) -> Vec<(String, String)> {
    let text = text(&output.stdout);
    let parts = text.split("@!@!@STARTMSG ").skip(1);
    let message = |part: &str| {
        let (code, rest) = part.split_once(" @!@!@\n").unwrap();
        let number = code.split(':').next().unwrap();
        let (text, _) = rest.split_once(&format!("\n@!@!@ENDMSG {number} @!@!@")).unwrap();
        (code.to_string(), text.to_string())
    };
    parts.map(message).collect()
}

/// Messages of TLC that have no counterpart: partial counts of initial states, the outdegree, the time of the
/// temporal check, and the stack of an evaluation.
const WITHOUT: [&str; 4] = ["2269:0", "2268:0", "2267:0", "2103:1"];

/// Checks that the messages are those that TLC sent for the same module.
fn has_codes(output: &Output, tlc: &str) {
    let found: Vec<String> = messages(output).into_iter().map(|(code, _)| code).collect();
    let expected: Vec<&str> = tlc.split(' ').filter(|code| !WITHOUT.contains(code)).collect();
    assert_eq!(found, expected, "{}", text(&output.stdout));
}

/// The text of the first message with a code.
fn message(output: &Output, code: &str) -> String {
    messages(output).into_iter().find(|(known, _)| known == code).unwrap().1
}

/// The first line of each state.
fn states(output: &Output) -> Vec<String> {
    let states = messages(output).into_iter().filter(|(code, _)| code.ends_with(":4"));
    states.map(|(_, text)| text.lines().next().unwrap().to_string()).collect()
}

#[test]
fn messages_and_exit_codes_are_those_of_tlc() {
    let folder = Folder::new("tlc");
    let spec = folder.algorithm("Count", "", "SPECIFICATION Spec\n");
    let output = run(&["tlc", "-tool", "-modelcheck", "-workers", "1", "-cleanup", &spec]);
    assert_eq!(output.status.code(), Some(0));
    has_codes(
        &output,
        "2262:0 2187:0 2220:0 2219:0 2185:0 2189:0 2269:0 2190:0 2193:0 2200:0 2199:0 2194:0 2268:0 2186:0",
    );
    assert_eq!(
        message(&output, "2199:0"),
        "18 states generated, 15 distinct states found, 0 states left on queue."
    );
    assert_eq!(message(&output, "2194:0"), "The depth of the complete state graph search is 7.");
    assert!(
        message(&output, "2190:0")
            .starts_with("Finished computing initial states: 3 distinct states generated at ")
    );

    let spec = folder.algorithm("Count", "Small == x < 4", "SPECIFICATION Spec\nINVARIANT Small\n");
    let output = run(&["tlc", "-tool", &spec, "-config", "Count.cfg"]);
    assert_eq!(output.status.code(), Some(12));
    has_codes(
        &output,
        "2262:0 2187:0 2220:0 2219:0 2185:0 2189:0 2269:0 2190:0 2110:1 2121:1 2217:4 2217:4 2217:4 2200:0 2199:0 2194:0 2186:0",
    );
    let step = "<Loop line 24, col 9 to line 31, col 28 of module Count>";
    assert_eq!(states(&output), ["1: <Initial predicate>", &format!("2: {step}"), &format!("3: {step}")]);

    let spec = folder.algorithm("NoFairness", "", "SPECIFICATION Spec\nPROPERTY Termination\n");
    let output = run(&["tlc", "-tool", &spec]);
    assert_eq!(output.status.code(), Some(13));
    let tail = "2116:1 2264:1 2217:4 2217:4 2218:4 2267:0 2200:0 2199:0 2194:0 2186:0";
    has_codes(&output, &format!("2262:0 2187:0 2220:0 2219:0 2185:0 2189:0 2190:0 {tail}"));
    let second = "2: <a line 20, col 6 to line 22, col 17 of module NoFairness>";
    assert_eq!(states(&output), ["1: <Initial predicate>", second, "3: Stuttering"]);

    let spec = folder.algorithm("Philosophers", "", "SPECIFICATION Spec\n");
    let output = run(&["tlc", "-tool", &spec]);
    assert_eq!(output.status.code(), Some(11));
    assert_eq!((message(&output, "2114:1").as_str(), states(&output).len()), ("Deadlock reached.", 7));
    assert_eq!(run(&["tlc", "-tool", "-deadlock", &spec]).status.code(), Some(0));

    let spec = folder.algorithm("FailedAssert", "", "SPECIFICATION Spec\n");
    let output = run(&["tlc", "-tool", &spec]);
    assert_eq!(output.status.code(), Some(14));
    assert_eq!(
        message(&output, "2132:1"),
        "The first argument of Assert evaluated to FALSE; the second argument was:\n\
         \"Failure of assertion at line 6, column 20 of macro called at line 9, column 10.\""
    );

    let spec = folder.put("Bad.tla", "---- MODULE Bad ----\nx == y\n====\n");
    folder.put("Bad.cfg", "INIT x\nNEXT x\n");
    let output = run(&["tlc", "-tool", &spec]);
    assert_eq!(output.status.code(), Some(150));
    has_codes(&output, "2262:0 2187:0 2220:0 2219:0 2185:0 3002:1 2186:0");
    assert!(
        text(&output.stdout).contains("line 2, col 6 to line 2, col 6 of module Bad\n"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn plain_messages_are_those_of_tlc_too() {
    let folder = Folder::new("plain");
    let spec = folder.algorithm("Count", "Small == x < 4", "SPECIFICATION Spec\nINVARIANT Small\n");
    let output = run(&["tlc", "-difftrace", "-coverage", "1", &spec]);
    let out = text(&output.stdout);
    let step = "<Loop line 24, col 9 to line 31, col 28 of module Count>";
    for part in [
        "Error: Invariant Small is violated.\nError: The behavior up to this point is:\nState 1: <Initial predicate>\n",
        &format!("State 2: {step}\n/\\ x = 2\n\nState 3: {step}\n/\\ x = 4\n\n"),
        "<Loop line 24, col 1 to line 24, col 4 of module Count>: 5:",
        "The depth of the complete state graph search is 3.\n",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let output = run(&["tlc", "-simulate", "num=3", "-depth", "5", "-seed", "1", "-deadlock", &spec]);
    assert!(text(&output.stdout).contains("Running Random Simulation with seed 1 "));
    for option in ["-recover", "-bogus", "-dfid"] {
        let output = run(&["tlc", option, &spec]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).contains(option), "{}", text(&output.stdout));
    }
}

#[test]
fn a_trace_is_named_in_the_environment_and_the_depth_first_queue_is_accepted() {
    let folder = Folder::new("trace");
    folder.put("trace.ndjson", "{\"n\": 1}\n{\"n\": 2}\n");
    let module = "---- MODULE Follows ----
EXTENDS Naturals, Sequences, Json, IOUtils
Log == ndJsonDeserialize(IOEnv.SHAKEDOWN_TRACE)
VARIABLES l, n
Init == l = 1 /\\ n = 0
Next == l <= Len(Log) /\\ l' = l + 1 /\\ n' = n + 1 /\\ n' = Log[l].n
Open == l <= Len(Log)
====
";
    let spec = folder.put("Follows.tla", module);
    folder.put("Follows.cfg", "INIT Init NEXT Next INVARIANT Open CHECK_DEADLOCK FALSE");
    let output = Command::new(PROGRAM)
        .args(["tlc", "-tool", "-Dtlc2.tool.queue.IStateQueue=StateDeque", &spec])
        .env("SHAKEDOWN_TRACE", "trace.ndjson")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(12), "{}", text(&output.stdout));
    assert_eq!(states(&output).len(), 3);
}

#[test]
fn counterexamples_are_written_in_the_forms_of_tlc() {
    let folder = Folder::new("dump");
    let spec = folder.algorithm("Count", "Small == x < 4", "SPECIFICATION Spec\nINVARIANT Small\n");
    let [json_file, tla_file, dot_file] = ["t.json", "t.tla", "g.dot"].map(|name| folder.0.join(name));
    let [json_name, tla_name, dot_name] =
        [&json_file, &tla_file, &dot_file].map(|path| path.display().to_string());
    run(&[
        "tlc",
        "-dumpTrace",
        "json",
        &json_name,
        "-dumpTrace",
        "tla",
        &tla_name,
        "-dump",
        "dot",
        &dot_name,
        &spec,
    ]);
    let found: Json = serde_json::from_slice(&std::fs::read(&json_file).unwrap()).unwrap();
    let state = |number: u32, x: u32| json!([number, { "x": x, "y": 2, "pc": "Loop" }]);
    let location =
        json!({ "beginLine": 24, "beginColumn": 9, "endLine": 31, "endColumn": 28, "module": "Count" });
    let action = json!({ "name": "Loop", "location": location });
    // What TLC writes for this module, but for the order of fields.
    let expected = json!({
        "counterexample": {
            "action": [[state(1, 0), action, state(2, 2)], [state(2, 2), action, state(3, 4)]],
            "state": [state(1, 0), state(2, 2), state(3, 4)],
        },
        "vars": ["pc", "x", "y"],
    });
    assert_eq!(found, expected);
    let module = std::fs::read_to_string(&tla_file).unwrap();
    assert!(module.starts_with(
        "---- MODULE t ----\nLOCAL INSTANCE TLC\n\nCounterExample == \n\t[action |-> {<<<<1, ["
    ));
    // The module can be read again.
    folder.put("Again.cfg", "INIT Init\nNEXT Next\nINVARIANT Three\n");
    let again = folder.put(
        "Again.tla",
        "---- MODULE Again ----\nEXTENDS t, FiniteSets\nVARIABLE x\nInit == x = Cardinality(CounterExample.state)\n\
         Next == UNCHANGED x\nThree == x = 3\n====\n",
    );
    assert_eq!(run(&["check", &again]).status.code(), Some(0));
    assert!(std::fs::read_to_string(&dot_file).unwrap().starts_with("digraph"));
}

#[test]
fn algorithms_are_translated_in_place_and_checked_for_changes() {
    let folder = Folder::new("pcal");
    let source =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pluscal/Count.tla"))
            .unwrap();
    let file = folder.put("Count.tla", &source);
    folder.put("Count.cfg", "SPECIFICATION Spec\n");
    let output = run(&["check", &file]);
    assert_eq!(output.status.code(), Some(151), "there is no Spec yet");
    assert!(
        text(&output.stderr).contains("is not translated: `shakedown tla pcal "),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(run(&["pcal", "--check", &file]).status.code(), Some(1));
    let printed = text(&run(&["pcal", "--stdout", &file]).stdout);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), source);
    assert_eq!(run(&["pcal", &file]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    assert_eq!(run(&["pcal", "--check", &file]).status.code(), Some(0));
    let output = run(&["check", &file]);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    folder.put("Count.tla", &printed.replace("x := x + y", "x := y + x"));
    assert!(text(&run(&["check", &file]).stderr).contains("has changed since it was translated"));
}

const LAMP: &str = "---- MODULE Lamp ----
EXTENDS Naturals
VARIABLES on, level
Init == on = FALSE /\\ level = 0
Switch == on' = ~on /\\ UNCHANGED level
Dim(by) == on /\\ level + by <= 3 /\\ level' = level + by /\\ UNCHANGED on
Next == Switch \\/ \\E n \\in 1..2 : Dim(n)
====
";

/// A server, with its address and token.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(folder: &Folder, more: &[&str]) -> Server {
        folder.put("Lamp.cfg", "INIT Init\nNEXT Next\n");
        let spec = folder.put("Lamp.tla", LAMP);
        let mut command = Command::new(PROGRAM);
        let mut child =
            command.args(["serve", &spec, "--port", "0"]).args(more).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address =
            first.strip_prefix("listening on http://").unwrap().trim_end_matches("/execute").to_string();
        let has_token = !more.contains(&"--no-token");
        let token =
            if has_token { lines.next().unwrap().unwrap().replace("token: ", "") } else { String::new() };
        Server { child, address, token }
    }

    /// Sends a request; gives the status and the body of the answer.
    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(stream, "{head}\r\nHost: {}\r\nContent-Length: {length}\r\n\r\n{body}", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_string())
    }

    fn execute(&self, body: &Json) -> (u16, String) {
        let head = format!("POST /execute HTTP/1.1\r\nAuthorization: Bearer {}", self.token);
        self.ask(&head, &body.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_walks_along_the_events_of_a_fuzzer() {
    let folder = Folder::new("serve");
    let server = Server::start(&folder, &[]);
    let dim = |by: u32| json!({ "Name": "Dim", "Params": { "by": by } });
    let events =
        json!([{ "Name": "Switch", "Params": {} }, dim(2), dim(2), { "Reset": true }, { "Name": "Nobody" }]);
    let (status, body) = server.execute(&events);
    assert_eq!(status, 200, "{body}");
    let answer: Json = serde_json::from_str(&body).unwrap();
    let state = |on: &str, level: u32| format!("/\\ on = {on}\n/\\ level = {level}");
    let expected = json!([state("FALSE", 0), state("TRUE", 0), state("TRUE", 2), state("TRUE", 2)]);
    assert_eq!(answer["states"], expected, "the last event is not enabled");
    let keys: Vec<i64> = answer["keys"].as_array().unwrap().iter().map(|key| key.as_i64().unwrap()).collect();
    assert_eq!((keys.len(), keys[2] == keys[3], keys[0] == keys[1]), (4, true, false));
    assert_eq!(server.execute(&events), (status, body), "the walk starts anew");

    let bearer = format!("Authorization: Bearer {}", server.token);
    for (head, body, status, part) in [
        ("POST /execute HTTP/1.1".to_string(), "[]", 401, "token"),
        (format!("GET /execute HTTP/1.1\r\n{bearer}"), "", 405, "POST"),
        (format!("POST /other HTTP/1.1\r\n{bearer}"), "[]", 404, "/execute"),
        (format!("POST /execute HTTP/1.1\r\n{bearer}"), "{", 400, "no array"),
        (
            format!("POST /execute HTTP/1.1\r\n{bearer}"),
            "[{\"Name\": \"Off\"}]",
            400,
            "these are: Dim, Switch",
        ),
        (
            format!("POST /execute HTTP/1.1\r\n{bearer}"),
            "[{\"Name\": \"Dim\"}]",
            400,
            "parameter by, which is missing",
        ),
        (format!("POST /execute HTTP/1.1\r\n{bearer}\r\nOrigin: http://x"), "[]", 403, "web pages"),
        (format!("POST /execute HTTP/1.1\r\n{bearer}\r\nContent-Length: 99999999"), "[]", 413, "at most"),
        ("hello".to_string(), "", 400, "no HTTP/1"),
    ] {
        let (found, answer) = server.ask(&head, body);
        assert_eq!(found, status, "{head}: {answer}");
        assert!(answer.contains(part), "{head}: {answer}");
    }
}

#[test]
fn a_server_without_a_token_can_pass_over_what_it_does_not_know() {
    let folder = Folder::new("open");
    let server = Server::start(&folder, &["--no-token", "--skip-unknown"]);
    let events = json!([{ "name": "Nobody" }, { "name": "Switch" }]);
    let (status, body) = server.ask("POST /execute HTTP/1.1", &events.to_string());
    assert_eq!(status, 200, "{body}");
    let answer: Json = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["states"].as_array().unwrap().len(), 2);
}
