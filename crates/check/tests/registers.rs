//! The vocabulary of registers, and the harnesses made of it.

use std::collections::BTreeSet;

use expect_test::expect;
use shakedown_check::{Harness, Harnesses, Model, RegisterAnswer, RegisterOp, RegisterValues, Registers};
use shakedown_cluster::Random;

fn text(harness: &Harness) -> String {
    harness.iter().map(|(node, op)| format!("{node}: {op}\n")).collect()
}

#[test]
fn requests_and_answers_have_these_json_forms() {
    let requests = [
        (RegisterOp::Read(1), r#"{"read":1}"#),
        (RegisterOp::Write(0, 101), r#"{"write":[0,101]}"#),
        (
            RegisterOp::When { key: 1, is: 101, write: (0, 202) },
            r#"{"when":{"key":1,"is":101,"write":[0,202]}}"#,
        ),
    ];
    for (op, json) in requests {
        assert_eq!(serde_json::to_string(&op).unwrap(), json);
        assert_eq!(serde_json::from_str::<RegisterOp>(json).unwrap(), op);
    }
    let answers = [
        (RegisterAnswer::Value(101), r#"{"value":101}"#),
        (RegisterAnswer::Done, r#""done""#),
        (RegisterAnswer::Applied(true), r#"{"applied":true}"#),
        (RegisterAnswer::Applied(false), r#"{"applied":false}"#),
    ];
    for (answer, json) in answers {
        assert_eq!(serde_json::to_string(&answer).unwrap(), json);
        assert_eq!(serde_json::from_str::<RegisterAnswer>(json).unwrap(), answer);
    }
}

#[test]
fn what_is_not_of_the_vocabulary_is_an_error() {
    for json in [
        "",
        "null",
        r#"{"read":256}"#,
        r#"{"read":-1}"#,
        r#"{"write":[0]}"#,
        r#"{"write":[0,1,2]}"#,
        r#"{"write":[0,-1]}"#,
        r#"{"when":{"key":0,"write":[0,1]}}"#,
        r#"{"when":{"key":0,"is":0,"write":[0,1],"else":[0,2]}}"#,
        r#"{"read":1,"write":[0,1]}"#,
    ] {
        assert!(serde_json::from_str::<RegisterOp>(json).is_err(), "{json}");
    }
    for json in ["done", r#"{"value":-1}"#, r#"{"applied":1}"#, r#"{"done":true}"#] {
        assert!(serde_json::from_str::<RegisterAnswer>(json).is_err(), "{json}");
    }
}

#[test]
fn registers_give_the_answers_that_are_possible_and_no_others() {
    use RegisterAnswer::{Applied, Done, Value};
    let zero = RegisterValues::default();
    let one = RegisterValues::from_iter([(0, 7)]);
    let read = RegisterOp::Read(0);
    let write = RegisterOp::Write(0, 7);
    let when = RegisterOp::When { key: 1, is: 0, write: (0, 7) };
    let step = |state: &RegisterValues, op: &RegisterOp, answer| Registers.step(state, op, answer);
    assert_eq!(step(&zero, &read, Some(&Value(0))), Some(zero.clone()));
    assert_eq!(step(&zero, &read, Some(&Value(7))), None);
    assert_eq!(step(&one, &read, Some(&Value(7))), Some(one.clone()));
    assert_eq!(step(&one, &read, None), Some(one.clone()));
    assert_eq!(step(&zero, &write, Some(&Done)), Some(one.clone()));
    assert_eq!(step(&zero, &write, None), Some(one.clone()));
    assert_eq!(step(&zero, &write, Some(&Applied(true))), None, "not an answer to a write");
    assert_eq!(step(&zero, &when, Some(&Applied(true))), Some(one.clone()));
    assert_eq!(step(&zero, &when, Some(&Applied(false))), None);
    let other = RegisterValues::from_iter([(1, 1)]);
    assert_eq!(step(&other, &when, Some(&Applied(false))), Some(other.clone()));
    assert_eq!(step(&other, &when, None), Some(other));
    assert_eq!(step(&one, &RegisterOp::Write(0, 0), None), Some(zero), "0 is as good as absent");
}

#[test]
fn harnesses_are_as_many_as_the_closed_form_says_and_all_different() {
    for (nodes, requests) in [(1, 0), (1, 1), (3, 1), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (3, 3), (1, 4)]
    {
        let harnesses = Harnesses::new(nodes, requests);
        let factorial: u128 = (1..=requests as u128 + 2).product();
        let closed_form = (2 * nodes as u128).pow(requests as u32) * factorial / 2;
        assert_eq!(harnesses.count(), Some(closed_form), "{nodes} nodes, {requests} requests");
        let all: BTreeSet<Harness> = harnesses.all().collect();
        assert_eq!(all.len() as u128, closed_form);
        assert_eq!(harnesses.all().count() as u128, closed_form);
    }
    assert_eq!(Harnesses::new(3, 4).count(), Some(466_560));
    assert_eq!(Harnesses::new(3, 100).count(), None, "too many to say");
    assert_eq!(Harnesses::new(3, 100).all().take(3).count(), 3, "but they can be gone through");
}

/// Every harness by brute force: all sequences of requests over all values that could occur, those kept that
/// are harnesses.
#[test]
fn harnesses_are_those_that_the_definition_allows() {
    let values = [0, 101, 102, 201, 202];
    let mut ops = Vec::new();
    for to in 0..2 {
        for value in &values[1..] {
            ops.push(RegisterOp::Write(to, *value));
            for key in 0..2 {
                ops.extend(values.map(|is| RegisterOp::When { key, is, write: (to, *value) }));
            }
        }
    }
    let nodes: Vec<_> = shakedown_cluster::NodeId::first(2).collect();
    let items: Vec<_> = nodes.iter().flat_map(|node| ops.iter().map(move |op| (*node, *op))).collect();
    let names_its_writer = |place: u64, (node, op): &(shakedown_cluster::NodeId, RegisterOp)| {
        op.written().is_some_and(|(_, value)| value == 100 * (place + 1) + node.number() as u64)
    };
    let is_possible = |op: &RegisterOp, earlier: &[RegisterOp]| match op {
        RegisterOp::When { key, is, .. } => {
            *is == 0 || earlier.iter().any(|op| op.written() == Some((*key, *is)))
        }
        _ => true,
    };
    let mut expected = BTreeSet::new();
    for first in &items {
        for second in &items {
            if names_its_writer(0, first)
                && names_its_writer(1, second)
                && is_possible(&first.1, &[])
                && is_possible(&second.1, &[first.1])
            {
                expected.insert(vec![*first, *second]);
            }
        }
    }
    assert_eq!(Harnesses::new(2, 2).all().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn samples_are_uniform_within_a_chi_square_of_one_in_a_thousand() {
    let harnesses = Harnesses::new(2, 2);
    let all: Vec<Harness> = harnesses.all().collect();
    let mut counts = vec![0u32; all.len()];
    let mut random = Random::new(1);
    for _ in 0..all.len() * 200 {
        let harness = harnesses.sample(&mut random);
        counts[all.iter().position(|known| *known == harness).expect("one of all")] += 1;
    }
    let chi: f64 = counts.iter().map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0).sum();
    // 191 degrees of freedom.
    assert!(all.len() == 192 && chi < 256.0, "chi-square {chi} of {}", all.len());
}

#[test]
fn a_seed_stands_for_the_same_harness_in_every_version() {
    expect![[r#"
        n1: write k0=101
        n2: write k1=202
        n1: when k0=101 write k1=301
        n1: when k1=0 write k1=401
        n2: when k1=401 write k1=502
    "#]]
    .assert_eq(&text(&Harnesses::new(3, 5).sample(&mut Random::new(7))));
}
