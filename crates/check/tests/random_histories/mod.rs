//! Random histories of registers: what a correct object could have answered, and the same with answers
//! changed.

use proptest::prelude::*;
use shakedown_check::linearizability::Operation;
use shakedown_check::{RegisterAnswer, RegisterOp, RegisterValues};

pub type History = Vec<Operation<RegisterOp, RegisterAnswer>>;

/// An operation to be: which one, when it is called, how long after that it takes effect and is answered, and
/// what becomes of its answer.
pub type Draft = ((u8, u8, u8), (u8, u8, u8), u8);

pub fn drafts(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Draft>> {
    // Calls lie close together, so that several operations are under way at a time.
    let times = (0u8..60, 0u8..12, 0u8..12);
    prop::collection::vec((any::<(u8, u8, u8)>(), times, any::<u8>()), count)
}

fn op_of((kind, key, value): (u8, u8, u8)) -> RegisterOp {
    let (key, other, value) = (key % 2, key / 2 % 2, u64::from(value % 3));
    match kind % 8 {
        0..=2 => RegisterOp::Read(key),
        3..=5 => RegisterOp::Write(key, value),
        _ => RegisterOp::When { key, is: value, write: (other, u64::from(kind % 3)) },
    }
}

/// A history that a correct object gave, but for one answer in `wrong_one_in`, which is changed (never, if it
/// is 0).
pub fn history_of(drafts: &[Draft], wrong_one_in: u8) -> History {
    const CALL: u8 = 0;
    const EFFECT: u8 = 1;
    const ANSWER: u8 = 2;
    let mut timed = Vec::new();
    for (number, (_, (called, until_effect, until_answer), _)) in drafts.iter().enumerate() {
        let (called, effect) = (u16::from(*called), u16::from(*called) + u16::from(*until_effect));
        let answered = effect + u16::from(*until_answer);
        timed.extend([(called, CALL, number), (effect, EFFECT, number), (answered, ANSWER, number)]);
    }
    timed.sort_unstable();
    let ops: Vec<RegisterOp> = drafts.iter().map(|(op, ..)| op_of(*op)).collect();
    let mut history: History =
        ops.iter().map(|op| Operation { op: *op, called: 0, answered: None }).collect();
    let mut answers = vec![RegisterAnswer::Done; drafts.len()];
    let mut values = RegisterValues::default();
    for (place, (_, what, number)) in timed.into_iter().enumerate() {
        let place = place as u32;
        let fate = drafts[number].2;
        match what {
            CALL => history[number].called = place,
            // One in sixteen never takes effect; one in eight has no answer.
            EFFECT if !fate.is_multiple_of(16) => answers[number] = ops[number].apply(&mut values),
            ANSWER if !fate.is_multiple_of(8) => {
                let is_wrong = wrong_one_in > 0 && (fate / 8).is_multiple_of(wrong_one_in);
                let answer = if is_wrong { changed(answers[number]) } else { answers[number] };
                history[number].answered = Some((place, answer));
            }
            _ => {}
        }
    }
    history
}

fn changed(answer: RegisterAnswer) -> RegisterAnswer {
    match answer {
        RegisterAnswer::Value(value) => RegisterAnswer::Value((value + 1) % 3),
        RegisterAnswer::Done => RegisterAnswer::Done,
        RegisterAnswer::Applied(applied) => RegisterAnswer::Applied(!applied),
    }
}
