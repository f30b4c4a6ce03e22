//! A scenario test: what the network does otherwise than a strategy would, and what should come of it.

use shakedown::prelude::*;
use shakedown::scenario::*;

use crate::register::Replicate;

/// The first value that is sent to n3 is lost; it gets a later one. Requests go to any node, and one in three
/// reaches the primary, so there are twenty.
pub fn first_copy_is_lost() -> Scenario<Replicate> {
    let n3 = NodeId::new(3);
    let sent_to_n3 = || is_send().and(kind("Replicate")).and(to(n3));
    Scenario::new("FirstCopyIsLost")
        .about("a backup that misses a write gets the next one")
        .requests(20)
        .faulty(1)
        .filter(when(sent_to_n3().once()).then(drop_message()))
        .property(machine().on(sent_to_n3()).goto("lost").on(is_receive().and(to(n3))).goto_success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register;

    #[test]
    fn a_backup_that_misses_a_write_gets_a_later_one() {
        let lossy = Contract { loss: Loss::Message, ..Contract::reliable() };
        let target = register::target().contract(lossy);
        first_copy_is_lost().check(target, 50).at_least(0.5).never_fails().without_doubt();
    }
}
