//! Trace validation on small specifications: what is explained, what is not and why, hidden actions, limits,
//! hostile lines.

use std::collections::HashMap;

use shakedown_conform::validate::{BadTrace, Header, Limits, Refusal, Verdict, Why, validate};
use shakedown_tla::{Config, Spec};

/// A lock that clients wait for and a server hands out; messages are hidden in `sent`.
const LOCK: &str = r"
---- MODULE Lock ----
EXTENDS Naturals, Sequences
CONSTANTS Clients, Free
VARIABLES holder, waiting, count
Init == holder = Free /\ waiting = <<>> /\ count \in 0..2
Ask(c) ==
  /\ c # holder
  /\ \A k \in 1..Len(waiting) : waiting[k] # c
  /\ waiting' = Append(waiting, c)
  /\ UNCHANGED <<holder, count>>
Grant ==
  /\ holder = Free
  /\ waiting # <<>>
  /\ holder' = Head(waiting)
  /\ waiting' = Tail(waiting)
  /\ count' = count + 1
Release(c) ==
  /\ holder = c
  /\ holder' = Free
  /\ UNCHANGED <<waiting, count>>
Next == \/ \E c \in Clients : Ask(c) \/ Release(c)
        \/ Grant
Busy == holder # Free
Length == Len(waiting)
Steals(c, d) == holder = d /\ holder' = c /\ UNCHANGED <<waiting, count>>
====
";

fn spec(header: &Header) -> Result<Spec, String> {
    let modules = HashMap::from([("Lock".to_owned(), LOCK.to_owned())]);
    let mut config = Config::parse("CONSTANTS Clients = {a, b} Free = Free\nINIT Init NEXT Next")
        .map_err(|error| error.to_string())?;
    header.apply(&mut config);
    Spec::load("Lock", config, &modules).map_err(|error| error.to_string())
}

fn read(trace: &str, hidden: &[&str], limits: Limits) -> Result<Verdict, BadTrace> {
    let hidden: Vec<String> = hidden.iter().map(|name| (*name).to_owned()).collect();
    validate(&mut trace.as_bytes(), spec, &hidden, limits)
}

fn verdict(trace: &str, hidden: &[&str]) -> Verdict {
    read(trace, hidden, Limits::default()).unwrap_or_else(|error| panic!("{error}\n{trace}"))
}

fn refusal(trace: &str, hidden: &[&str]) -> Refusal {
    match verdict(trace, hidden) {
        Verdict::Refused(refusal, _) => *refusal,
        other => panic!("{other:?}\n{trace}"),
    }
}

#[test]
fn traces_are_explained_as_far_as_something_is_known_of_them() {
    let cases = [
        // Everything is known.
        (
            r##"
            {"initial": {"holder": "Free", "waiting": [], "count": 0}}
            {"action": "Ask", "args": ["a"], "state": {"waiting": ["a"]}}
            {"action": "Grant", "state": {"holder": "a", "count": 1}}
            {"action": "Release", "args": {"c": "a"}, "state": {"holder": {"#model": "Free"}}, "note": "well"}"##,
            1,
        ),
        // Neither arguments nor states: three initial states and either client remain.
        (r##"{"action": "Ask"}"##, 6),
        (r##"{"action": "Ask", "args": [null]}"##, 6),
        // The state tells who it was, and how far the count was.
        (r##"{"action": "Ask", "state": {"waiting": ["b"]}}"##, 3),
        (
            r##"
            {"action": "Ask", "state": {"waiting": {"1": "b"}}}
            {"action": "Grant", "state": {"count": 3}}"##,
            1,
        ),
        // Not even which action it was: either nothing or one.
        (r##"{"state": {"count": 1}}"##, 3),
        (r##"{"state": {"Busy": false, "Length": 1}}"##, 6),
        ("{}\n\n   \n{}", 21),
        // A definition that is no part of the next-state action.
        (
            r##"
            {"action": "Ask", "args": ["a"]}
            {"action": "Grant"}
            {"action": "Steals", "args": [{"#model": "b"}, {"#model": "a"}], "state": {"holder": "b"}}"##,
            3,
        ),
        // A header sets constants, and a trace may be empty.
        (
            r##"
            {"format": "shakedown-trace", "version": 1, "spec": "Lock", "constants": {"Clients": [1, 2, 3], "Free": 0}}
            {"action": "Ask", "args": [3], "state": {"holder": 0}}"##,
            3,
        ),
        ("", 0),
    ];
    for (trace, candidates) in cases {
        match verdict(trace, &[]) {
            Verdict::Explained(summary) => assert_eq!(summary.candidates, candidates, "{trace}"),
            other => panic!("{other:?}\n{trace}"),
        }
    }
}

#[test]
fn what_is_refused_is_refused_at_its_line_with_what_is_in_the_way() {
    let cases = [
        // A conjunct is false.
        (
            "{\"action\": \"Ask\", \"args\": [\"a\"]}\n{\"action\": \"Release\", \"args\": [\"a\"]}",
            2,
            r"Release(a): is blocked at Lock:19:6: /\ holder = c",
        ),
        // The state is another.
        (
            "{\"action\": \"Ask\", \"args\": [\"a\"], \"state\": {\"waiting\": [\"b\"]}}",
            1,
            "Ask(a): leads to a state where waiting[1] is a, the trace says \"b\"",
        ),
        // An argument that is not in the range of the next-state action is none.
        ("{\"action\": \"Ask\", \"args\": [\"c\"]}", 1, "Ask(\"c\"): has nothing that it could be done to"),
        // Arguments that make no sense to an action that is called.
        (
            "\n{\"action\": \"Steals\", \"args\": [1, 2]}",
            2,
            "Steals(1, 2): is blocked at Lock:26:17: Steals(c, d) == holder = d /\\ holder' = c /\\ UNCHANGED <<waiting, count>>",
        ),
        // No initial state is like this.
        (
            "{\"initial\": {\"count\": 7}}",
            1,
            "the initial predicate: leads to a state where count is 0, the trace says 7",
        ),
    ];
    for (trace, line, reason) in cases {
        let refusal = refusal(trace, &[]);
        let obstacles: Vec<String> =
            refusal.obstacles.iter().map(|o| format!("{}: {}", o.action, o.why)).collect();
        assert_eq!(refusal.line, line, "{trace}");
        assert!(obstacles.iter().any(|o| o == reason), "{trace}\n{obstacles:#?}");
    }
}

#[test]
fn a_refusal_has_the_candidates_and_every_action_that_could_have_been_it() {
    let trace = "{\"initial\": {\"count\": 0}}\n{\"action\": \"Ask\", \"args\": [\"a\"]}\n{\"state\": {\"count\": 2}}";
    let refusal = refusal(trace, &[]);
    assert_eq!((refusal.line, refusal.candidates, refusal.states.len()), (3, 1, 1));
    assert_eq!(refusal.explained, Some((2, "Ask(\"a\")".to_owned())));
    assert_eq!(refusal.states[0].text, "/\\ holder = Free\n/\\ waiting = <<a>>\n/\\ count = 0");
    let actions: Vec<&str> = refusal.obstacles.iter().map(|obstacle| obstacle.action.as_str()).collect();
    assert_eq!(actions, ["nothing happened", "Ask(b)", "Grant", "Ask(a)", "Release(a)", "Release(b)"]);
    assert!(refusal.obstacles[..3].iter().all(|obstacle| matches!(obstacle.why, Why::Differs(_))));
    assert!(refusal.obstacles[3..].iter().all(|obstacle| matches!(obstacle.why, Why::Blocked { .. })));
}

#[test]
fn hidden_actions_happen_between_lines() {
    let trace = "{\"initial\": {\"count\": 0}}\n{\"state\": {\"count\": 1}}\n{\"state\": {\"count\": 2}}";
    assert_eq!(refusal(trace, &[]).line, 2);
    assert_eq!(refusal(trace, &["Ask"]).line, 3);
    for hidden in [&["Ask", "Release"][..], &["*"][..]] {
        assert!(matches!(verdict(trace, hidden), Verdict::Explained(_)), "{hidden:?}");
    }
    let header =
        format!("{{\"format\":\"shakedown-trace\",\"version\":1,\"hidden\":[\"Ask\",\"Release\"]}}\n{trace}");
    assert!(matches!(verdict(&header, &[]), Verdict::Explained(_)));
    // One hidden action is too few between the second line and the third, and that is said.
    let limits = Limits { hidden: 0, ..Limits::default() };
    match read(trace, &["Ask"], limits).expect("the trace can be read") {
        Verdict::Refused(refusal, _) => assert!(refusal.line == 2 && refusal.hidden_cut, "{refusal:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn too_many_candidates_make_a_refusal_doubtful_but_not_an_explanation() {
    let limits = Limits { candidates: 2, ..Limits::default() };
    let explained = read("{}\n{}", &[], limits).expect("the trace can be read");
    assert!(matches!(explained, Verdict::Explained(_)), "{explained:?}");
    // The third initial state was left out.
    let doubtful = read("{}\n{\"state\": {\"count\": 2}}", &[], limits).expect("the trace can be read");
    assert!(matches!(doubtful, Verdict::Unknown(_, _, 1)), "{doubtful:?}");
}

#[test]
fn lines_that_make_no_sense_are_errors_with_their_numbers() {
    let long = format!("{{}}\n{{\"note\": \"{}\"}}", "x".repeat(5 << 20));
    let deep = format!("{{\"state\": {{\"holder\": {}}}}}", "[".repeat(100_000));
    let cases = [
        ("{", "line 1: it is no JSON"),
        ("{}\n7", "line 2: a line is a JSON object, not 7"),
        ("{}\n{\"stat\": {}}", "line 2: `stat` is not known"),
        ("{\"args\": [1]}", "line 1: `args` without `action`"),
        ("{\"action\": 3}", "line 1: `action` is the name of an action"),
        ("{\"action\": \"Ask\", \"args\": 3}", "line 1: `args` is an array"),
        ("{\"action\": \"Ask\", \"args\": []}", "line 1: Ask has 1 arguments (c), 0 are given"),
        ("{\"action\": \"Ask\", \"args\": {\"d\": 1}}", "line 1: Ask has no parameter `d`: it has c"),
        (
            "{\"action\": \"Asks\"}",
            "line 1: `Asks` is neither an action of the next-state action (Ask, Grant, Release)",
        ),
        (
            "{\"action\": \"Steals\", \"args\": [1, null]}",
            "all its arguments have to be known: null is no TLA+ value",
        ),
        ("{\"action\": \"Steals\", \"args\": [1]}", "Steals takes 2 arguments, 1 are given"),
        ("{\"state\": {\"holds\": 1}}", "line 1: `holds` is neither a variable (count, holder, waiting)"),
        ("{\"state\": []}", "line 1: `state` is an object"),
        ("{\"state\": {\"count\": 1.5}}", "line 1: `state`, count: 1.5 is no integer"),
        ("{}\n{\"initial\": {}}", "line 2: `initial` comes before all events"),
        ("{\"initial\": {}, \"action\": \"Grant\"}", "line 1: a line with `initial` has no action"),
        ("{\"format\": \"other\"}", "line 1: its format is \"other\""),
        ("{\"format\": \"shakedown-trace\", \"version\": 2}", "line 1: format version 2"),
        ("{\"format\": \"shakedown-trace\"}", "line 1: the header has no version"),
        ("{}\n{\"format\": \"shakedown-trace\", \"version\": 1}", "line 2: a header comes first"),
        (
            "{\"format\": \"shakedown-trace\", \"version\": 1, \"constants\": {\"Free\": null}}",
            "constant Free: null",
        ),
        (&long, "line 2: it has more than"),
        (&deep, "line 1: it is no JSON: recursion limit"),
    ];
    for (trace, reason) in cases {
        let error = read(trace, &[], Limits::default()).expect_err(trace).to_string();
        assert!(error.contains(reason), "{error} instead of {reason}");
    }
    let error = read("{}", &["Asks"], Limits::default()).expect_err("there is no such action").to_string();
    assert!(error.contains("no part called `Asks`") && error.contains("Ask, Grant, Release"), "{error}");
    let bytes =
        validate(&mut &b"{}\n\xff\xfe\n"[..], spec, &[], Limits::default()).expect_err("it is no text");
    assert!(bytes.to_string().contains("line 2: it is no UTF-8"), "{bytes}");
    let few = read("{}\n{}\n{}", &[], Limits { lines: 2, ..Limits::default() }).expect_err("too many");
    assert!(few.to_string().contains("line 3: a trace has at most 2 lines"), "{few}");
}
