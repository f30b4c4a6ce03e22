//! The fuzzers learn, and what they have learned survives: as bytes, and only as bytes that make sense.

use shakedown_cluster::{Contract, Random};
use shakedown_explore::{Execution, Explorer, Lesson, StrategyChoice, Surroundings, Weights};

fn explorer(text: &str) -> Box<dyn Explorer> {
    let surroundings = Surroundings {
        weights: &Weights::default(),
        contract: &Contract::asynchronous(),
        nodes: 3,
        crashes: 2,
        steps: 100,
        requests: 2,
        phase: None,
        harnesses: &[],
        waypoints: &[],
        guides: &[],
    };
    text.parse::<StrategyChoice>()
        .and_then(|choice| choice.explorer(&surroundings))
        .expect("this is a strategy")
}

fn execution(number: u64) -> Execution {
    Execution { number, seed: number * 7 + 1, steps_max: 100 }
}

/// Teaches so many generations, in which every third execution covers something new. Gives the sizes of the
/// generations.
fn teach(explorer: &mut dyn Explorer, from: u64, generations: usize) -> (u64, Vec<u64>) {
    let (mut number, mut sizes) = (from, Vec::new());
    for _ in 0..generations {
        let size = explorer.generation().expect("it learns");
        sizes.push(size);
        let played: Vec<_> = (number..number + size)
            .map(|number| (number, explorer.strategy(&execution(number)).experience(&no_trace())))
            .collect();
        for (number, experience) in played {
            let covered = [number, number + 1_000_000];
            let new = if number % 3 == 0 { &covered[..] } else { &[] };
            explorer.learn(
                &execution(number),
                experience,
                &Lesson { failed: false, covered: &covered, new, ..Lesson::default() },
            );
        }
        number += size;
    }
    (number, sizes)
}

fn no_trace() -> shakedown_cluster::Trace {
    let board = shakedown_cluster::Board::new(3, Contract::asynchronous(), Vec::new(), 0);
    shakedown_cluster::Trace { board, message_texts: Vec::new(), states: Vec::new() }
}

#[test]
fn a_fuzzer_that_was_saved_and_loaded_goes_on_as_if_nothing_had_happened() {
    for text in ["fuzz:model,mode=published", "fuzz:model,mode=published,reseed=100", "fuzz:model,mode=own"] {
        let mut first = explorer(text);
        let (number, _) = teach(first.as_mut(), 0, 5);
        let mut second = explorer(text);
        second.load(&first.save()).expect("what was saved can be loaded");
        let again = teach(second.as_mut(), number, 5);
        assert_eq!(teach(first.as_mut(), number, 5), again, "{text}");
        assert_eq!(first.save(), second.save(), "{text}");
        assert!(first.save().len() > 1_000, "{text}");
    }
}

#[test]
fn a_fuzzer_learns_after_as_many_executions_as_it_is_asked_to() {
    let learned = |text: &str, generations: usize| {
        let mut fuzzer = explorer(text);
        let (_, sizes) = teach(fuzzer.as_mut(), 0, generations);
        (sizes, fuzzer.save())
    };
    let usual = learned("fuzz", 4);
    assert_eq!(usual.0, [32; 4]);
    assert_eq!(learned("fuzz:generation=32", 4), usual, "the default has its name");
    let larger = learned("fuzz:generation=64", 2);
    assert_eq!(larger.0, [64; 2]);
    assert!(larger.1 != usual.1, "the second half of a generation knows nothing of the first");
}

#[test]
fn the_published_queue_is_worked_off_before_random_inputs_come_again() {
    let mut fuzzer = explorer("fuzz:model,mode=published,initial=20,mutations=5");
    assert_eq!(fuzzer.generation(), Some(20));
    // Of the first 20 executions 7 cover two new things each: 7 × 2 × 5 mutants wait.
    let (_, sizes) = teach(fuzzer.as_mut(), 0, 3);
    assert_eq!(sizes, [20, 64, 64]);
    // Every 30 executions what waits is thrown away, before anything of it was run in vain.
    let (_, sizes) = teach(explorer("fuzz:model,mode=published,initial=20,reseed=30").as_mut(), 0, 5);
    assert_eq!(sizes, [20, 10, 20, 10, 20]);
    assert!(explorer("fuzz:none").generation().is_none(), "without a guide there is nothing to learn");
    let mut idle = explorer("fuzz:model,mode=published");
    for number in 0..100 {
        if number % 20 == 0 {
            assert_eq!(idle.generation(), Some(20), "nothing new, so nothing waits");
        }
        let experience = idle.strategy(&execution(number)).experience(&no_trace());
        idle.learn(&execution(number), experience, &Lesson::default());
    }
}

#[test]
fn a_mutant_runs_in_the_world_of_its_parent_if_asked_to() {
    let mut fuzzer = explorer("fuzz:model,mode=published,initial=1,world=parent");
    assert_eq!(fuzzer.world(&execution(0)), None);
    let experience = fuzzer.strategy(&execution(0)).experience(&no_trace());
    fuzzer.learn(
        &execution(0),
        experience,
        &Lesson { failed: false, covered: &[1], new: &[1], ..Lesson::default() },
    );
    assert_eq!(fuzzer.generation(), Some(5));
    assert_eq!(fuzzer.world(&execution(3)), Some(execution(0).seed));
}

#[test]
fn bytes_that_nobody_saved_are_refused_and_never_believed() {
    for text in ["fuzz:model,mode=published", "fuzz:model,mode=own"] {
        let mut fuzzer = explorer(text);
        teach(fuzzer.as_mut(), 0, 2);
        let saved = fuzzer.save();
        let mut other = explorer(text);
        for length in (1..saved.len()).step_by(7) {
            assert!(other.load(&saved[..length]).is_err(), "{text}: cut off after {length} bytes");
        }
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let mut bytes = saved.clone();
            let place = random.index(bytes.len());
            bytes[place] ^= 1 << random.index(8);
            // Many changes make another input that is as good; what matters is that nothing breaks.
            if other.load(&bytes).is_ok() {
                let _ = other.strategy(&execution(random.below(1_000)));
            }
        }
        assert!(explorer("fuzz:model,mode=own,horizon=3").load(&saved).is_err(), "another horizon, or mode");
        assert!(explorer("fuzz:none").load(&[]).is_ok());
    }
}

/// Bytes of a single input: a magic word, the world, the end, how many entries; then six bytes for each
/// entry.
fn with_bounds_of_zero(input: &[u8]) -> Vec<u8> {
    let (head, mut bytes) = (b"shakedown input 1\n".len() + 24, input.to_vec());
    for entry in bytes[head..].chunks_exact_mut(6).filter(|entry| entry[2] == 6) {
        entry[5] = 0;
    }
    bytes
}

#[test]
fn a_delivery_of_no_message_at_all_is_refused() {
    for text in ["fuzz:model,mode=published", "fuzz:model,mode=own"] {
        let mut fuzzer = explorer(text);
        teach(fuzzer.as_mut(), 0, 2);
        let inputs: Vec<_> = fuzzer.inputs().iter().map(|input| with_bounds_of_zero(input)).collect();
        // A mutant may draw a smaller bound than its parent's, and there is none below 1.
        let refused = explorer(text).begin_with(&inputs);
        assert_eq!(refused, Err("input 1: a delivery of no message".to_owned()), "{text}");
    }
}

#[test]
fn as_many_mutants_as_may_be_asked_for_can_be_saved_and_loaded() {
    let text = "fuzz:model,mode=published,mutations=1000000";
    let mut fuzzer = explorer(text);
    let covered: Vec<u64> = (0..5_000).collect();
    let experience = fuzzer.strategy(&execution(0)).experience(&no_trace());
    fuzzer.learn(
        &execution(0),
        experience,
        &Lesson { failed: false, covered: &covered, new: &covered, ..Lesson::default() },
    );
    let mut other = explorer(text);
    other.load(&fuzzer.save()).expect("what was saved can be loaded");
    assert_eq!(other.save(), fuzzer.save());
}

#[test]
fn more_crashes_than_an_input_has_steps_need_no_room() {
    let surroundings = Surroundings {
        weights: &Weights::default(),
        contract: &Contract::asynchronous(),
        nodes: 3,
        crashes: usize::MAX,
        steps: 100,
        requests: 2,
        phase: None,
        harnesses: &[],
        waypoints: &[],
        guides: &[],
    };
    for text in ["fuzz:none", "fuzz:none,mode=published"] {
        let explorer = text
            .parse::<StrategyChoice>()
            .and_then(|choice| choice.explorer(&surroundings))
            .expect("this is a strategy");
        explorer.strategy(&execution(0)).experience(&no_trace());
    }
}
