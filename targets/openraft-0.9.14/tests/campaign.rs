//! openraft 0.9.14: a vote that is merely seen counts as granted.

#[path = "../../openraft/tests/finds/mod.rs"]
mod finds;

use finds::{find, set};

#[test]
fn a_leader_lacks_what_was_committed_before() {
    find("leader-completeness", 500, |campaign| set(campaign, &[("snapshots", "false")]));
}
