//! The walker: successors with their actions, controlled runs, what blocks an action, the graph.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::collections::HashMap;

use shakedown_tla::walk::{ActionCall, Attempt, Walker};
use shakedown_tla::{Config, Spec, Value};

const COUNTER: &str = r"
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Nodes
VARIABLES count, last
Init == count = [n \in Nodes |-> 0] /\ last = 0
Add(n, k) ==
  /\ n # last
  /\ count[n] < 2
  /\ count' = [count EXCEPT ![n] = @ + k]
  /\ last' = n
Reset == /\ \A n \in Nodes : count[n] >= 2
         /\ count' = [n \in Nodes |-> 0]
         /\ UNCHANGED last
Total == count[1] + count[2]
Next == \/ \E n \in Nodes, k \in 1..2 : Add(n, k)
        \/ Reset
====
";

fn walker() -> Walker {
    let modules = HashMap::from([("Counter".to_string(), COUNTER.to_string())]);
    let config = Config::parse("INIT Init NEXT Next CONSTANT Nodes = {1, 2}").unwrap();
    Walker::new(&Spec::load("Counter", config, &modules).unwrap()).unwrap()
}

fn add(n: i64, k: i64) -> ActionCall {
    ActionCall::new("Add", vec![Value::Int(n), Value::Int(k)])
}

#[test]
fn successors_carry_the_action_and_its_arguments() {
    let mut walker = walker();
    let initial = walker.initial().unwrap();
    assert_eq!(initial.len(), 1);
    let actions: Vec<String> =
        walker.successors(&initial[0]).unwrap().iter().map(|s| s.action.to_string()).collect();
    assert_eq!(actions, ["Add(1, 1)", "Add(1, 2)", "Add(2, 1)", "Add(2, 2)"]);
}

#[test]
fn a_blocked_action_says_which_conjunct_is_false() {
    let mut walker = walker();
    let initial = walker.initial().unwrap().remove(0);
    let Attempt::Taken(after) = walker.attempt(&initial, &add(1, 2)).unwrap() else {
        panic!("Add(1, 2) is enabled")
    };
    assert_eq!(walker.to_text(&after[0]), "/\\ count = <<2, 0>>\n/\\ last = 1");
    let Attempt::Blocked(place) = walker.attempt(&after[0], &add(1, 1)).unwrap() else { panic!("n = last") };
    assert_eq!(place.to_string(), "Counter:8:6");
    let Attempt::Blocked(place) = walker.attempt(&initial, &ActionCall::new("Reset", vec![])).unwrap() else {
        panic!("nothing to reset")
    };
    assert_eq!((place.line, place.module.as_str()), (12, "Counter"));
}

#[test]
fn a_run_counts_stutters() {
    let mut walker = walker();
    let run =
        walker.run(&[add(1, 1), add(1, 1), add(2, 2), add(1, 2), ActionCall::new("Reset", vec![])]).unwrap();
    assert_eq!(run.states.len(), 6);
    assert_eq!(run.stutters.iter().map(|(position, _)| *position).collect::<Vec<_>>(), [1]);
    let last = run.states.last().unwrap().clone();
    assert_eq!(walker.to_json(&last), serde_json::json!({ "count": [0, 0], "last": 1 }));
    assert_eq!(walker.value(&last, "last"), Some(Value::Int(1)));
}

#[test]
fn an_unknown_action_and_a_wrong_number_of_arguments_are_errors() {
    let mut walker = walker();
    let initial = walker.initial().unwrap().remove(0);
    assert!(walker.attempt(&initial, &ActionCall::new("Nothing", vec![])).is_err());
    assert!(walker.attempt(&initial, &ActionCall::new("Add", vec![Value::Int(1)])).is_err());
}

#[test]
fn the_graph_keeps_parallel_edges() {
    let mut walker = walker();
    let graph = walker.graph(1_000).unwrap();
    assert_eq!(graph.initial, 1);
    assert!(graph.edges.len() > graph.states.len());
    let dot = walker.to_dot(&graph);
    assert!(dot.contains("s0 -> s1 [label=\"Add(1, 1)\"]"), "{dot}");
    let json = walker.graph_to_json(&graph);
    assert_eq!(json["edges"][0]["arguments"], serde_json::json!([1, 1]));
    assert!(walker.graph(3).is_err());
}

#[test]
fn values_survive_json() {
    let value = Value::set(vec![
        Value::tuple(vec![Value::Int(1), Value::string("a")]),
        Value::record([("x", Value::Bool(true)), ("y", Value::empty_set())]),
        Value::function_from_pairs(vec![(Value::Int(5), Value::Int(6)), (Value::Int(7), Value::Int(8))]),
    ]);
    assert_eq!(Value::from_json(&value.to_json()).unwrap(), value);
}

#[test]
fn states_carry_what_matters_of_them() {
    let text = COUNTER.replace("Next ==", "Sum == count[1] + count[2]\nNext ==");
    let modules = HashMap::from([("Counter".to_string(), text)]);
    let config = Config::parse("INIT Init NEXT Next CONSTANT Nodes = {1, 2}").unwrap();
    let mut walker = Walker::new(&Spec::load("Counter", config, &modules).unwrap()).unwrap();
    let plain = walker.initial().unwrap().remove(0);
    assert_eq!(plain.abstraction(), plain.fingerprint(), "nothing was printed: everything matters");
    walker.abstract_by("Sum").unwrap();
    let initial = walker.initial().unwrap().remove(0);
    assert_eq!(initial, plain, "fingerprints stay what they are");
    let mut after = |action| match walker.attempt(&initial, &action).unwrap() {
        Attempt::Taken(states) => states[0].clone(),
        Attempt::Blocked(place) => panic!("blocked at {place}"),
    };
    let (one, other, more) = (after(add(1, 1)), after(add(2, 1)), after(add(1, 2)));
    assert!(one != other && one.abstraction() == other.abstraction());
    assert_ne!(one.abstraction(), more.abstraction());
    assert!(walker.abstract_by("Nothing").is_err());
}

#[test]
fn successors_can_be_looked_for_by_action_and_by_what_is_seen_of_the_state() {
    let mut walker = walker();
    let initial = walker.initial().unwrap().remove(0);
    let total = walker.define("Total").unwrap();
    let by_two: shakedown_tla::walk::Choose =
        std::rc::Rc::new(|name, arguments| name.as_str() == "Add" && arguments[1] == Value::Int(2));
    let named = |found: &shakedown_tla::walk::Found| -> Vec<String> {
        found.successors.iter().map(|successor| successor.action.to_string()).collect()
    };
    let found = walker.successors_where(&initial, by_two.clone(), &mut |_| Ok(true)).unwrap();
    assert_eq!((named(&found), found.rejected), (vec!["Add(1, 2)".to_owned(), "Add(2, 2)".to_owned()], 0));
    // `last` is the second variable.
    let found = walker
        .successors_where(&initial, by_two, &mut |draft| Ok(draft.variable(1) == Some(&Value::Int(2))))
        .unwrap();
    assert_eq!((named(&found), found.rejected), (vec!["Add(2, 2)".to_owned()], 1));
    let found = walker
        .attempt_where(&initial, &add(1, 2), &mut |draft| Ok(draft.definition(total)? == Value::Int(2)))
        .unwrap();
    assert_eq!(found.successors.len(), 1);
    assert!(walker.accepts(&initial, &mut |draft| Ok(draft.definition(total)? == Value::Int(0))).unwrap());
    assert!(!walker.accepts(&initial, &mut |draft| Ok(draft.definition(total)? == Value::Int(1))).unwrap());
    let accepted = walker.initial_where(&mut |draft| Ok(draft.variable(1) == Some(&Value::Int(7)))).unwrap();
    assert!(accepted.is_empty());
    // Looking for something leaves nothing behind.
    assert_eq!(walker.successors(&initial).unwrap().len(), 4);
}

#[test]
fn instances_are_all_actions_with_their_arguments_whether_enabled_or_not() {
    let mut walker = walker();
    let initial = walker.initial().unwrap().remove(0);
    let Attempt::Taken(after) = walker.attempt(&initial, &add(1, 2)).unwrap() else {
        panic!("it is enabled")
    };
    let instances: Vec<String> =
        walker.instances(&after[0]).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(instances, ["Add(1, 1)", "Add(1, 2)", "Add(2, 1)", "Add(2, 2)", "Reset"]);
}

#[test]
fn the_graph_has_only_what_both_kinds_of_constraints_let_through() {
    let text = r"
---- MODULE Stairs ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x' = x + 1
Down == x > 0 /\ x' = x - 1
Next == Up \/ Down
Low == x < 3
Forward == x' > x
View == 0
====
";
    let modules = HashMap::from([("Stairs".to_string(), text.to_string())]);
    let walker = |config: &str| {
        let config = Config::parse(&format!("INIT Init NEXT Next CONSTRAINT Low {config}")).unwrap();
        Walker::new(&Spec::load("Stairs", config, &modules).unwrap()).unwrap()
    };
    let both = walker("").graph(100).unwrap();
    assert_eq!((both.states.len(), both.edges.len(), both.is_quotient), (3, 4, false));
    let mut narrowed = walker("ACTION_CONSTRAINT Forward");
    let graph = narrowed.graph(100).unwrap();
    assert_eq!((graph.states.len(), graph.edges.len()), (3, 2));
    assert_eq!(narrowed.successors(&graph.states[1]).unwrap().len(), 2, "a walker goes where it is sent");
    assert!(walker("VIEW View").graph(100).unwrap().is_quotient);
}

#[test]
fn a_counterexample_has_the_values_of_the_bound_names() {
    let cases = [
        (r"\A n \in 1..3 : x[n] < 3", "n = 2"),
        (r"\A n, m \in 1..3 : x[n] = x[m] => n = m", "n = 2, m = 3"),
        (r"\A n, m \in 1..3 : n < m => x[n] > x[m]", "n = 1, m = 2"),
        (r"\A n \in 1..3 : \A k \in 1..x[n] : k * n < 6", "n = 2, k = 3"),
        (r"\A n \in 1..3 : LET d == n + x[n] IN \A k \in {d} : k < 6", "n = 3, k = 6"),
        (r"/\ x[1] = 1 /\ \A <<a, b>> \in {<<1, 2>>, <<2, 4>>} : x[a] = b", "a = 1, b = 2"),
        (r"\E n \in 1..3 : x[n] = 9", ""),
    ];
    for (expression, expected) in cases {
        let text = format!(
            "---- MODULE M ----\nEXTENDS Integers\nCONSTANT N\nVARIABLE x\nD == {expression}\n====\n"
        );
        let modules = HashMap::from([("M".to_string(), text)]);
        let spec = Spec::load("M", Config::parse("CONSTANT N = 1").unwrap(), &modules).unwrap();
        let mut walker = Walker::new(&spec).unwrap();
        let definition = walker.define("D").unwrap();
        let x = Value::tuple([1, 3, 3].map(Value::Int).to_vec());
        let found = walker.counterexample(&[x], definition).unwrap();
        let found: Vec<String> = found.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!(found.join(", "), expected, "{expression}");
    }
}
