//! The histories of etcd that Jepsen recorded: verdicts equal those that porcupine-rs publishes, and the
//! shortest beginning that is not linearizable is the shortest.

mod etcd_histories;

use etcd_histories::{History, histories};
use shakedown_check::linearizability::{check, minimal_prefix};
use shakedown_check::objects::Object;
use shakedown_check::{Linearizability, SearchLimits};

fn verdict(history: &History) -> Linearizability {
    check(&Object::Cas, history, SearchLimits::default())
}

/// What was known when the answer at this position came; with the answer, or just before it.
fn until(history: &History, position: u32, with_answer: bool) -> History {
    let mut history = history.clone();
    history.retain(|operation| operation.called < position);
    for operation in &mut history {
        let is_known = |&(at, _): &(u32, _)| at < position || at == position && with_answer;
        operation.answered = operation.answered.take().filter(is_known);
    }
    history
}

#[test]
fn histories_of_etcd_are_judged_as_published() {
    let histories = histories();
    assert_eq!(histories.len(), 102);
    assert_eq!(histories.iter().filter(|(_, is_linearizable, _)| *is_linearizable).count(), 23);
    for (number, is_linearizable, history) in &histories {
        let obstacle = match verdict(history) {
            Linearizability::Linearizable(_) => {
                assert!(is_linearizable, "history {number}");
                continue;
            }
            Linearizability::NotLinearizable(obstacle) => obstacle,
            Linearizability::Unknown(limit) => panic!("history {number}: {limit}"),
        };
        assert!(!is_linearizable, "history {number}");
        let prefix = minimal_prefix(&Object::Cas, history, obstacle, SearchLimits::default());
        assert!(prefix.is_minimal, "history {number}");
        let (end, _) = history[prefix.culprit].answered.as_ref().expect("it ends with an answer");
        let (with, without) = (until(history, *end, true), until(history, *end, false));
        assert!(matches!(verdict(&with), Linearizability::NotLinearizable(_)), "history {number}");
        assert!(matches!(verdict(&without), Linearizability::Linearizable(_)), "history {number}");
    }
}
