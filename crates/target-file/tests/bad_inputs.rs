//! What files are refused, and where they are wrong: one line for each kind of error. Nothing is started by
//! reading one.
//!
//! `bad_inputs.txt` holds every input beside its error; `UPDATE_EXPECT=1` writes it anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use expect_test::expect_file;

const HEAD: &str = "version = 1\n[target]\nname = \"x\"\ncommand = [\"./no-such-program\"]\n";
const MODEL: &str = "[model]\nspec = \"Counter.tla\"\nconfig = \"Counter.cfg\"\n";

fn read(text: &str) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model");
    shakedown_target_file::read(text, &folder, Arc::new(|_| panic!("nothing is started")))
        .map(|target| target.name().to_owned())
}

/// A scenario of a file, in its third line and below.
fn scenario(text: &str) -> String {
    format!("[scenarios]\nlate = '''\n{text}\n'''\n")
}

fn inputs() -> Vec<(&'static str, String)> {
    let plain = |more: &str| more.to_owned();
    let model = |more: &str| format!("{MODEL}{more}");
    let constants = "[model.constants]\nNodes = 'Nodes'\n";
    let mut inputs = vec![
        ("a field that there is not", plain("speed = 1\n")),
        ("a value of another kind", plain("nodes = \"three\"\n")),
        ("a limit", plain("nodes = 65\n")),
        ("a command and a library", plain("library = \"./register.so\"\n")),
        ("a process of its own for a command", plain("isolated = true\n")),
        ("a time", plain("reply_seconds = -1.0\n")),
        ("more nodes at least than there are", plain("nodes = 3\nnodes_min = 4\n")),
        ("weights of steps", plain("weights = \"tick=0,tack=3\"\n")),
        ("a word of a contract", plain("[contract]\nloss = \"often\"\n")),
        ("a request that is no JSON", plain("[[request]]\njson = '{'\n")),
        ("a path", plain("[[request]]\njson = '1'\nkey = 'a..b'\n")),
        ("a workload", plain("[workload]\nname = \"regster\"\n")),
        ("a workload and requests", plain("[[request]]\njson = '1'\n[workload]\nname = \"log\"\n")),
        (
            "weights of requests",
            plain("[[request]]\njson = '1'\nweight = 0\n[[request]]\njson = '2'\nweight = 0\n"),
        ),
        ("an oracle that there is not", plain("[oracles]\nlinearisability = true\n")),
        ("an oracle of another kind", plain("[oracles]\nraft = 3\n")),
        ("a field of an oracle", plain("[oracles]\nraft = { epoch = \"term\" }\n")),
        ("an object", plain("[oracles]\nlinearizability = { object = \"heap\" }\n")),
        (
            "an object without operations",
            plain("[oracles]\nlinearizability = true\n[[request]]\njson = '1'\n"),
        ),
        (
            "an operation of another object",
            plain(
                "[oracles]\nlinearizability = { object = \"log\" }\n[[request]]\njson = '1'\noperation = \"write\"\n",
            ),
        ),
        (
            "a key for some operations",
            plain(
                "[oracles]\nlinearizability = true\n[[request]]\njson = '[1]'\noperation = \"read\"\nkey = \"0\"\n\
                 [[request]]\njson = '2'\noperation = \"read\"\n",
            ),
        ),
        (
            "an initial value that is no JSON",
            plain("[oracles]\nlinearizability = { initial = \"{\" }\n[workload]\nname = \"register\"\n"),
        ),
        ("a consistency model", plain("[oracles]\ntransactions = \"strict\"\n")),
        (
            "an invariant that cannot be read",
            plain("[invariants]\nbad = '''\n\\A n \\in Nodes :\n  state[n] = )'''\n"),
        ),
        ("an invariant with a name that there is not", plain("[invariants]\nbad = 'stat[1].x = 2'\n")),
        ("a colour", plain("colour = 'state.x + '\n")),
        ("a waypoint", plain("[waypoints]\nBehind = { parameters = [\"n\"], holds = 'state[1] = m' }\n")),
        ("the name of a waypoint", plain("[waypoints]\nis-behind = { holds = 'TRUE' }\n")),
        ("a file of scenarios that is not there", plain("scenario_files = [\"none.scenario\"]\n")),
        (
            "a model without its specification",
            plain("[model]\nspec = \"None.tla\"\nconfig = \"Counter.cfg\"\n"),
        ),
        (
            "a specification that cannot be read",
            plain("[model]\nspec = \"Broken.tla\"\nconfig = \"Counter.cfg\"\n"),
        ),
        ("a constant that is missing", model("")),
        (
            "an event",
            model(&format!("{constants}[[model.action]]\non = \"recieve Add\"\naction = \"Add\"\n")),
        ),
        (
            "an action that there is not",
            model(&format!("{constants}[[model.action]]\non = \"tick\"\naction = \"Sub\"\n")),
        ),
        (
            "too few arguments",
            model(&format!(
                "{constants}[[model.action]]\non = \"tick\"\naction = \"Add\"\narguments = ['node']\n"
            )),
        ),
        (
            "an argument that cannot be read",
            model(&format!(
                "{constants}[[model.action]]\non = \"tick\"\naction = \"Add\"\narguments = ['node', 'mesage.x']\n"
            )),
        ),
        ("a variable that there is not", model(&format!("{constants}[model.state]\nsum = 'state'\n"))),
    ];
    for (what, text) in [
        ("no property", "nodes 3"),
        ("a statement", "state start\nwhenever sent then drop"),
        ("a condition", "when sent and knd Append then drop\nstate start"),
        ("an action", "when sent then loose\nstate start"),
        ("a missing `then`", "when sent drop\nstate start"),
        ("an open bracket", "when (sent or received then drop\nstate start"),
        ("an open text", "about \"late\nstate start"),
        ("a sign", "when sent & received then drop\nstate start"),
        ("a node", "when from n99 then drop\nstate start"),
        ("a part", "when from h then drop\nstate start"),
        ("a set", "when sent then release late\nstate start"),
        ("a counter", "state start\n  on count votes > 2 goto success"),
        ("a state", "when sent and in state led then drop\nstate start"),
        ("a recorded message", "when message.term = recorded.first.term then drop\nstate start"),
        ("a noted value", "when message.term = noted.term then drop\nstate start"),
        ("a value", "when term = 3 then drop\nstate start"),
        ("a number", "nodes many\nstate start"),
        ("a limit of nodes", "nodes 100\nstate start"),
        ("a request in a scenario", "when sent then request n1 '{'\nstate start"),
        ("the first state", "state led"),
        ("a deadline", "state start within 3 minutes"),
        ("a comparison of counts", "when sent then count a\nstate start\n on count a != 2 goto fail"),
    ] {
        inputs.push((what, scenario(text)));
    }
    inputs.push(("too deep", scenario(&format!("when {}sent then drop\nstate start", "not ".repeat(100)))));
    inputs.push((
        "too long",
        scenario(&format!("when sent{} then drop\nstate start", " and sent".repeat(300))),
    ));
    inputs
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_column() {
    let mut report = String::new();
    for (what, more) in inputs() {
        // What stands before the first table belongs to the whole file.
        let text = if more.starts_with("scenario_files") {
            format!("{more}{HEAD}")
        } else {
            format!("{HEAD}{more}")
        };
        let error = read(&text).expect_err(what);
        let shown = if more.len() > 300 { format!("{}…\n", &more[..60]) } else { more };
        let _ = writeln!(report, "== {what}\n{}\n-- {}\n", shown.trim_end(), error.trim_end());
    }
    expect_file!["bad_inputs.txt"].assert_eq(&report);
}

/// What is wrong with the beginning of a file, which all other inputs share.
#[test]
fn a_head_that_is_wrong_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "version = 7\n[target]\nname = 'x'\n",
            "line 1, column 11: `version` is 7: this program reads version 1",
        ),
        (
            "version = 1\n[target]\nname = 'two words'\n",
            "line 3, column 9: the name of a target is one word, and not `two words`",
        ),
        (
            "version = 1\n\n[target]\nname = 'x'\n",
            "line 3, column 1: `[target]` has no `command`, and there is no `library`",
        ),
        (
            "version = 1\n[target]\nname = 'x'\ncommand = []\n",
            "line 4, column 11: `command` names no program",
        ),
        ("version = 1\n[target]\nname = 'x'\nlibrary = ''\n", "line 4, column 12: `library` names no file"),
        (
            "version = 1\ntarget = { name = 'x' }\n",
            "line 2, column 10: `[target]` has no `command`, and there is no `library`",
        ),
    ] {
        assert_eq!(read(text).expect_err(text), expected);
    }
}

#[test]
fn a_file_of_scenarios_with_one_twice_is_refused_with_the_place_in_that_file() {
    let error = read(&format!("scenario_files = [\"twice.scenario\"]\n{HEAD}")).expect_err("there are two");
    assert_eq!(error, "twice.scenario: line 5, column 1: there are two scenarios `Late`");
}
