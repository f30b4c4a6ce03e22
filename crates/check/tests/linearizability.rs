//! The checker against brute force, and against two checkers that others wrote: crates porcupine-rs and
//! todc-utils.

use std::collections::BTreeSet;

use crate::random_histories::{History, drafts, history_of};
use proptest::prelude::*;
use shakedown_check::linearizability::{Operation, check};
use shakedown_check::{
    LimitHit, Linearizability, Model, Obstacle, RegisterAnswer, RegisterOp, RegisterValues, Registers,
    SearchLimits,
};

/// Registers that do not tell which keys an operation touches.
struct WithoutKeys;

impl Model for WithoutKeys {
    type State = RegisterValues;
    type Op = RegisterOp;
    type Answer = RegisterAnswer;

    fn initial(&self) -> RegisterValues {
        Registers.initial()
    }

    fn step(
        &self,
        values: &RegisterValues,
        op: &RegisterOp,
        answer: Option<&RegisterAnswer>,
    ) -> Option<RegisterValues> {
        Registers.step(values, op, answer)
    }
}

fn comes_before(
    a: &Operation<RegisterOp, RegisterAnswer>,
    b: &Operation<RegisterOp, RegisterAnswer>,
) -> bool {
    a.answered.as_ref().is_some_and(|(answered, _)| *answered < b.called)
}

/// Every order, without any memory.
fn by_brute_force(history: &History, done: &mut Vec<usize>, values: &RegisterValues) -> bool {
    let rest: Vec<usize> = (0..history.len()).filter(|place| !done.contains(place)).collect();
    if rest.iter().all(|&place| history[place].answered.is_none()) {
        return true;
    }
    rest.iter().any(|&place| {
        if rest.iter().any(|&other| other != place && comes_before(&history[other], &history[place])) {
            return false;
        }
        let answer = history[place].answered.as_ref().map(|(_, answer)| answer);
        let Some(after) = Registers.step(values, &history[place].op, answer) else { return false };
        done.push(place);
        let found = by_brute_force(history, done, &after);
        done.pop();
        found
    })
}

/// What an operation is to the other checkers, which know answered operations only: one without an answer is
/// one that is answered last of all, with whatever answer.
type Answered = (RegisterOp, Option<RegisterAnswer>);

fn by_todc(history: &History) -> bool {
    use todc_utils::{Action, Specification, WGLChecker};
    struct Spec;
    impl Specification for Spec {
        type State = RegisterValues;
        type Operation = Answered;

        fn init() -> RegisterValues {
            RegisterValues::default()
        }

        fn apply((op, answer): &Answered, values: &RegisterValues) -> (bool, RegisterValues) {
            match Registers.step(values, op, answer.as_ref()) {
                Some(after) => (true, after),
                None => (false, values.clone()),
            }
        }
    }
    if history.is_empty() {
        return true;
    }
    let mut actions = Vec::new();
    for (number, operation) in history.iter().enumerate() {
        let answer = operation.answered.as_ref().map(|(_, answer)| *answer);
        let answered = operation.answered.as_ref().map_or(u32::MAX, |(place, _)| *place);
        let what = (operation.op, answer);
        actions.push((operation.called, number, Action::Call(what)));
        actions.push((answered, number, Action::Response(what)));
    }
    actions.sort_by_key(|(place, number, _)| (*place, *number));
    let actions = actions.into_iter().map(|(_, number, action)| (number, action)).collect();
    WGLChecker::<Spec>::is_linearizable(todc_utils::History::from_actions(actions))
}

fn by_porcupine(history: &History) -> bool {
    #[derive(Clone)]
    struct Spec;
    impl porcupine_rs::Model for Spec {
        type State = RegisterValues;
        type Op = Answered;
        type Metadata = ();

        fn init() -> RegisterValues {
            RegisterValues::default()
        }

        fn step(values: &RegisterValues, (op, answer): &Answered) -> (bool, RegisterValues) {
            match Registers.step(values, op, answer.as_ref()) {
                Some(after) => (true, after),
                None => (false, values.clone()),
            }
        }
    }
    let operations: Vec<_> = history
        .iter()
        .map(|operation| porcupine_rs::Operation::<Spec> {
            client_id: None,
            call_time: operation.called.into(),
            return_time: operation.answered.as_ref().map_or(i64::MAX, |(place, _)| i64::from(*place)),
            op: (operation.op, operation.answered.as_ref().map(|(_, answer)| *answer)),
            metadata: None,
        })
        .collect();
    porcupine_rs::check_operations(&operations)
}

/// What the order leads to; it is an order of different operations, none before one that was answered before
/// its call.
fn follow(history: &History, order: &[usize]) -> RegisterValues {
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), order.len(), "each at most once");
    for (at, &later) in order.iter().enumerate() {
        for &earlier in &order[..at] {
            assert!(!comes_before(&history[later], &history[earlier]), "{later} was over before {earlier}");
        }
    }
    order.iter().fold(RegisterValues::default(), |values, &place| {
        let answer = history[place].answered.as_ref().map(|(_, answer)| answer);
        Registers.step(&values, &history[place].op, answer).expect("the order explains every answer")
    })
}

/// Whether the history is linearizable, with the order or the obstacle looked through.
fn verdict<M>(model: &M, history: &History) -> bool
where
    M: Model<State = RegisterValues, Op = RegisterOp, Answer = RegisterAnswer>,
{
    match check(model, history, SearchLimits::default()) {
        Linearizability::Linearizable(order) => {
            follow(history, &order);
            for (place, operation) in history.iter().enumerate() {
                assert!(operation.answered.is_none() || order.contains(&place), "{place} is left out");
            }
            true
        }
        Linearizability::NotLinearizable(Obstacle { operations, order, misfit }) => {
            follow(history, &order);
            let misfit = misfit.expect("an answer is in the way");
            assert!(operations.contains(&misfit) && !order.contains(&misfit));
            assert!(history[misfit].answered.is_some());
            assert!(order.iter().all(|place| operations.contains(place)));
            false
        }
        Linearizability::Unknown(limit) => panic!("{limit}"),
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn small_histories_are_judged_as_by_brute_force(drafts in drafts(0..7), wrong_one_in in 0u8..4) {
        let history = history_of(&drafts, wrong_one_in);
        let expected = by_brute_force(&history, &mut Vec::new(), &RegisterValues::default());
        prop_assert!(expected || wrong_one_in > 0, "what a correct object gave is linearizable");
        prop_assert_eq!(verdict(&Registers, &history), expected);
        prop_assert_eq!(verdict(&WithoutKeys, &history), expected, "without partitioning");
    }

    #[test]
    fn histories_are_judged_as_by_porcupine_and_todc(drafts in drafts(1..24), wrong_one_in in 0u8..12) {
        let history = history_of(&drafts, wrong_one_in);
        let found = verdict(&Registers, &history);
        prop_assert!(found || wrong_one_in > 0, "what a correct object gave is linearizable");
        prop_assert_eq!(found, verdict(&WithoutKeys, &history), "without partitioning");
        prop_assert_eq!(found, by_porcupine(&history), "porcupine");
        prop_assert_eq!(found, by_todc(&history), "todc");
    }
}

/// The cases above are worth something only if both verdicts, and operations without an answer, are common in
/// them.
#[test]
fn random_histories_are_of_all_kinds() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::new(config(1));
    let (mut linearizable, mut pending) = (0, 0);
    for case in 0..1_000u32 {
        let drafts = drafts(1..24).new_tree(&mut runner).expect("drafts can be drawn").current();
        let history = history_of(&drafts, (case % 12) as u8);
        linearizable += usize::from(verdict(&Registers, &history));
        pending += usize::from(history.iter().any(|operation| operation.answered.is_none()));
    }
    assert!((200..800).contains(&linearizable), "{linearizable} of 1000 are linearizable");
    assert!(pending > 300, "{pending} of 1000 have operations without an answer");
}

/// Writes that all overlap, and then reads that no order explains: every order has to be looked at.
fn hard_history(writes: u32) -> History {
    let write = |number: u32| Operation {
        op: RegisterOp::Write(0, u64::from(number) + 1),
        called: number,
        answered: Some((1_000 + number, RegisterAnswer::Done)),
    };
    let read = |number: u32, value| Operation {
        op: RegisterOp::Read(0),
        called: 2_000 + 2 * number,
        answered: Some((2_001 + 2 * number, RegisterAnswer::Value(value))),
    };
    (0..writes).map(write).chain([read(0, 1), read(1, 2)]).collect()
}

#[test]
fn limits_are_kept_and_give_no_verdict() {
    let history = hard_history(40);
    let few_steps = SearchLimits { steps_max: 1_000, ..SearchLimits::default() };
    assert_eq!(check(&Registers, &history, few_steps), Linearizability::Unknown(LimitHit::Steps(1_000)));
    let little_memory = SearchLimits { memory_bytes_max: 100_000, ..SearchLimits::default() };
    assert_eq!(
        check(&Registers, &history, little_memory),
        Linearizability::Unknown(LimitHit::Memory(100_000))
    );
    let small = hard_history(8);
    assert!(matches!(
        check(&Registers, &small, SearchLimits::default()),
        Linearizability::NotLinearizable(_)
    ));
}

#[test]
fn a_violation_under_one_key_is_told_even_if_another_key_uses_up_the_limits() {
    let mut history = hard_history(40);
    history.push(Operation {
        op: RegisterOp::Read(1),
        called: 5_000,
        answered: Some((5_001, RegisterAnswer::Value(7))),
    });
    let few_steps = SearchLimits { steps_max: 1_000, ..SearchLimits::default() };
    let found = check(&Registers, &history, few_steps);
    assert_eq!(
        found,
        Linearizability::NotLinearizable(Obstacle {
            operations: vec![42],
            order: Vec::new(),
            misfit: Some(42)
        })
    );
}

#[test]
fn times_that_make_no_sense_are_taken_without_panic() {
    let at = |called, answered| Operation {
        op: RegisterOp::Write(0, 1),
        called,
        answered: Some((answered, RegisterAnswer::Done)),
    };
    let history = vec![at(u32::MAX, 0), at(0, u32::MAX), at(5, 5), at(5, 5)];
    assert!(matches!(check(&Registers, &history, SearchLimits::default()), Linearizability::Linearizable(_)));
    assert_eq!(check(&Registers, &[], SearchLimits::default()), Linearizability::Linearizable(Vec::new()));
}
