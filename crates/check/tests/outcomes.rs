//! Serializability of outcomes and sequential consistency of final states, against brute force: every subset
//! of the operations without an answer, every order.

use crate::random_histories::{History, drafts, history_of};
use proptest::prelude::*;
use shakedown_check::linearizability::Operation;
use shakedown_check::serializability::majority;
use shakedown_check::{
    LimitHit, Model, RegisterAnswer, RegisterOp, RegisterValues, Registers, SearchLimits,
    SequentialConsistency, Serializability, Strictness, sequential_consistency, serializability,
};
use shakedown_cluster::NodeId;

/// Whether some order of some of the operations, with all that were answered, passes `is_allowed` and leads
/// to the outcome.
fn by_brute_force(
    history: &History,
    outcome: &RegisterValues,
    is_allowed: &dyn Fn(&[usize]) -> bool,
) -> bool {
    fn orders(rest: &[usize], order: &mut Vec<usize>, found: &mut dyn FnMut(&[usize]) -> bool) -> bool {
        if rest.is_empty() {
            return found(order);
        }
        rest.iter().any(|&next| {
            let others: Vec<usize> = rest.iter().copied().filter(|&other| other != next).collect();
            order.push(next);
            let is_found = orders(&others, order, found);
            order.pop();
            is_found
        })
    }
    let pending: Vec<usize> = (0..history.len()).filter(|&at| history[at].answered.is_none()).collect();
    (0..1u32 << pending.len()).any(|subset| {
        let is_in = |at: &usize| match pending.iter().position(|other| other == at) {
            Some(number) => subset >> number & 1 == 1,
            None => true,
        };
        let chosen: Vec<usize> = (0..history.len()).filter(is_in).collect();
        orders(&chosen, &mut Vec::new(), &mut |order| {
            is_allowed(order) && leads_to(history, order) == Some(outcome.clone())
        })
    })
}

fn leads_to(history: &History, order: &[usize]) -> Option<RegisterValues> {
    order.iter().try_fold(RegisterValues::default(), |values, &at| {
        Registers.step(&values, &history[at].op, history[at].answered.as_ref().map(|(_, answer)| answer))
    })
}

fn is_in_real_time(history: &History, order: &[usize]) -> bool {
    order.iter().enumerate().all(|(at, &later)| {
        order[at..].iter().all(|&other| {
            history[other].answered.as_ref().is_none_or(|(answered, _)| *answered >= history[later].called)
        })
    })
}

fn client_of(place: usize) -> NodeId {
    NodeId::from_index(place % 3)
}

/// No operation stands before one to the same node that was answered before it was asked.
fn is_in_program_order(history: &History, order: &[usize]) -> bool {
    let waited = |first: usize, second: usize| {
        client_of(first) == client_of(second)
            && history[first]
                .answered
                .as_ref()
                .is_some_and(|(answered, _)| *answered < history[second].called)
    };
    order.iter().enumerate().all(|(at, &later)| order[..at].iter().all(|&earlier| !waited(later, earlier)))
}

fn has_all_answered(history: &History, order: &[usize]) -> bool {
    (0..history.len()).all(|at| history[at].answered.is_none() || order.contains(&at))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(3_000)
    })]

    #[test]
    fn outcomes_are_judged_as_by_brute_force(
        drafts in drafts(0..6),
        wrong_one_in in 0u8..6,
        outcome in (0u64..3, 0u64..3),
    ) {
        let history = history_of(&drafts, wrong_one_in);
        let outcome = RegisterValues::from_iter([(0, outcome.0), (1, outcome.1)]);
        for strictness in [Strictness::AnyOrder, Strictness::RealTime] {
            let is_allowed =
                |order: &[usize]| strictness == Strictness::AnyOrder || is_in_real_time(&history, order);
            let expected = by_brute_force(&history, &outcome, &is_allowed);
            match serializability::check(&Registers, &history, &outcome, strictness, SearchLimits::default()) {
                Serializability::Serializable(order) => {
                    prop_assert!(expected);
                    prop_assert!(is_allowed(&order) && has_all_answered(&history, &order));
                    prop_assert_eq!(leads_to(&history, &order), Some(outcome.clone()));
                }
                Serializability::NotSerializable(obstacle) => {
                    prop_assert!(!expected);
                    prop_assert!(leads_to(&history, &obstacle.order).is_some(), "a beginning that is explained");
                    prop_assert!(obstacle.misfit.is_none_or(|misfit| !obstacle.order.contains(&misfit)));
                }
                Serializability::Unknown(limit) => prop_assert!(false, "{}", limit),
            }
        }
    }

    #[test]
    fn final_states_are_judged_as_by_brute_force(
        drafts in drafts(0..6),
        wrong_one_in in 0u8..6,
        end in (0u64..3, 0u64..3),
    ) {
        let history = history_of(&drafts, wrong_one_in);
        let state = RegisterValues::from_iter([(0, end.0), (1, end.1)]);
        let expected = by_brute_force(&history, &state, &|order: &[usize]| is_in_program_order(&history, order));
        let requests: Vec<_> =
            history.iter().enumerate().map(|(at, operation)| (client_of(at), operation.clone())).collect();
        let finals: Vec<_> = NodeId::first(3).map(|node| (node, state.clone())).collect();
        match sequential_consistency::check(&Registers, &requests, &finals, SearchLimits::default()) {
            SequentialConsistency::Consistent(order) => {
                prop_assert!(expected);
                prop_assert!(is_in_program_order(&history, &order) && has_all_answered(&history, &order));
                prop_assert_eq!(leads_to(&history, &order), Some(state));
            }
            SequentialConsistency::NoOrder(obstacle) => {
                prop_assert!(!expected);
                prop_assert!(leads_to(&history, &obstacle.order).is_some() && is_in_program_order(&history, &obstacle.order));
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

fn transaction(op: RegisterOp, answer: Option<RegisterAnswer>) -> Operation<RegisterOp, RegisterAnswer> {
    Operation { op, called: 0, answered: answer.map(|answer| (1, answer)) }
}

fn when(key: u8, is: u64, to: u8, value: u64) -> RegisterOp {
    RegisterOp::When { key, is, write: (to, value) }
}

/// The paper's bug of Cassandra 2.0.0: the first transaction is committed again after the second one.
#[test]
fn a_transaction_that_is_committed_twice_is_not_serializable() {
    let applied = Some(RegisterAnswer::Applied(true));
    let transactions = [
        transaction(when(0, 0, 0, 101), applied),
        transaction(when(0, 101, 0, 202), applied),
        transaction(when(1, 0, 1, 303), None),
    ];
    let judge = |outcome: &[(u8, u64)]| {
        let outcome = outcome.iter().copied().collect();
        serializability::check(
            &Registers,
            &transactions,
            &outcome,
            Strictness::AnyOrder,
            SearchLimits::default(),
        )
    };
    assert_eq!(judge(&[(0, 202)]), Serializability::Serializable(vec![0, 1]));
    assert_eq!(judge(&[(0, 202), (1, 303)]), Serializability::Serializable(vec![0, 1, 2]));
    match judge(&[(0, 101)]) {
        Serializability::NotSerializable(obstacle) => {
            assert_eq!(
                (obstacle.order, obstacle.misfit),
                (vec![0, 1], None),
                "only the outcome is in the way"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// The paper's harness for ZooKeeper.
#[test]
fn divergence_and_a_state_that_no_order_explains_are_told_apart() {
    let [s0, s1] = [1, 2].map(NodeId::new);
    let not_applied = Some(RegisterAnswer::Applied(false));
    let applied = Some(RegisterAnswer::Applied(true));
    let requests = [
        (s1, transaction(when(1, 0, 1, 101), None)),
        (s0, transaction(when(1, 101, 0, 200), applied)),
        (s1, transaction(when(1, 0, 1, 301), not_applied)),
        (s0, transaction(when(1, 0, 0, 400), not_applied)),
    ];
    let judge = |states: [&[(u8, u64)]; 2]| {
        let finals: Vec<_> = [s0, s1]
            .into_iter()
            .zip(states.map(|state| state.iter().copied().collect::<RegisterValues>()))
            .collect();
        sequential_consistency::check(&Registers, &requests, &finals, SearchLimits::default())
    };
    let good: &[(u8, u64)] = &[(0, 200), (1, 101)];
    assert_eq!(judge([good, good]), SequentialConsistency::Consistent(vec![0, 1, 2, 3]));
    assert_eq!(judge([good, &[(1, 101)]]), SequentialConsistency::Divergence(s0, s1));
    let odd: &[(u8, u64)] = &[(0, 400), (1, 101)];
    assert!(matches!(judge([odd, odd]), SequentialConsistency::NoOrder(_)));
}

#[test]
fn only_a_client_that_waited_for_its_answer_has_an_order() {
    let node = NodeId::new(1);
    let write = |value, called, answered: Option<u32>| {
        let answered = answered.map(|at| (at, RegisterAnswer::Done));
        (node, Operation { op: RegisterOp::Write(0, value), called, answered })
    };
    let judge = |requests: &[_], value| {
        let finals = [(node, RegisterValues::from_iter([(0, value)]))];
        sequential_consistency::check(&Registers, requests, &finals, SearchLimits::default())
    };
    let waited = [write(1, 0, Some(1)), write(2, 2, Some(3))];
    assert!(matches!(judge(&waited, 2), SequentialConsistency::Consistent(_)));
    assert!(
        matches!(judge(&waited, 1), SequentialConsistency::NoOrder(_)),
        "it cannot come after the second one"
    );
    for in_a_hurry in
        [[write(1, 0, Some(2)), write(2, 1, Some(3))], [write(1, 0, None), write(2, 1, Some(2))]]
    {
        assert!(matches!(judge(&in_a_hurry, 2), SequentialConsistency::Consistent(_)));
        assert!(
            matches!(judge(&in_a_hurry, 1), SequentialConsistency::Consistent(_)),
            "they are of two clients"
        );
    }
}

#[test]
fn limits_are_kept_and_give_no_verdict() {
    let writes: Vec<_> =
        (1..=30).map(|value| transaction(RegisterOp::Write(0, value), Some(RegisterAnswer::Done))).collect();
    let outcome = RegisterValues::from_iter([(0, 99)]);
    let judge = |transactions: &[Operation<RegisterOp, RegisterAnswer>], limits| {
        serializability::check(&Registers, transactions, &outcome, Strictness::AnyOrder, limits)
    };
    let few_steps = SearchLimits { steps_max: 5_000, ..SearchLimits::default() };
    assert_eq!(judge(&writes, few_steps), Serializability::Unknown(LimitHit::Steps(5_000)));
    let little_memory = SearchLimits { memory_bytes_max: 10_000, ..SearchLimits::default() };
    assert_eq!(judge(&writes, little_memory), Serializability::Unknown(LimitHit::Memory(10_000)));
    let many: Vec<_> = writes.iter().cycle().take(65).cloned().collect();
    assert_eq!(judge(&many, SearchLimits::default()), Serializability::Unknown(LimitHit::Operations(64)));
    assert!(matches!(judge(&writes[..12], SearchLimits::default()), Serializability::NotSerializable(_)));
}

#[test]
fn a_majority_is_more_than_half() {
    let holding = |value| RegisterValues::from_iter([(0, value), (1, 5)]);
    assert_eq!(majority(&[holding(1), holding(2), holding(1)]), Ok(holding(1)));
    assert_eq!(majority(&[holding(1), holding(2)]), Err(0));
    assert_eq!(majority(&[holding(0), holding(2), holding(0)]), Ok(holding(0)), "0 is a value too");
    assert_eq!(majority(&[]), Ok(RegisterValues::default()));
}
