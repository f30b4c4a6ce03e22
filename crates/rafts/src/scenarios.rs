//! Scenarios for every Raft.

use shakedown_cluster::{Message, NodeId};
use shakedown_scenario::{
    Action, Condition, Deed, EventView, Scenario, at, drop_message, fact, fact_with, from, in_state, is_send,
    kind, machine, not, request, split_parts, to, when,
};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);
const N4: NodeId = NodeId::new(4);

/// ConfChangeBug: two leaders change the membership, neither knows of the other's change, and both changes
/// are committed. It succeeds where two different entries are committed at one index. A Raft with the
/// correction never does.
///
/// It is the scenario of Netrix that needs a Raft without the correction of 2015. It runs on any Raft whose
/// kinds of messages, facts and requests have the names that they have here. There are four nodes and not
/// five as in the papers, because here a change counts from when it is in the log: any two majorities of {1,
/// 2, 3, 5} and of {1, 2, 4, 5} meet, those of {1, 2, 3} and {1, 2, 4} need not. Where it counts from when it
/// is committed, take five.
pub fn conf_change_bug<M: Message>() -> Scenario<M> {
    let leads = || fact_with("role", "role", "leader");
    let removed_3 = || fact_with("commit", "change", "remove n3");
    let ask_leader = Action::new("ask the leader to remove n3", |event: &EventView<'_, M>, _, deeds| {
        deeds.push(Deed::Request(event.node(), r#"{"remove":"n3"}"#.into()));
    });
    let first = kind("RequestVote").and(not(from(N1))).or(kind("Append").and(from(N1)));
    let alone = from(N1).or(to(N1)).or(kind("Append").and(to(N3)));
    let otherwise =
        Condition::new("otherwise at the index of that change", |event: &EventView<'_, M>, memory| {
            let is_other = event.fact().is_some_and(|fact| fact.get("change") != Some(&"remove n3".into()));
            is_other && event.number("index") == memory.number("removed 3")
        });
    let note_index = Condition::new("noting its index", |event: &EventView<'_, M>, memory| {
        memory.set_number("removed 3", event.number("index").unwrap_or(0));
        true
    });
    Scenario::new("ConfChangeBug")
        .about("two leaders change the membership: with the correction of 2015, no two entries are committed at one index")
        .nodes(4)
        .steps(2_500)
        .requests(0)
        .faulty(1)
        .set_up(|nodes, memory| {
            let is_first = |node: &NodeId| [N1, N3].contains(node);
            memory.set_part("1 and 3", NodeId::first(nodes).filter(is_first).collect());
            memory.set_part("the others", NodeId::first(nodes).filter(|node| !is_first(node)).collect());
        })
        .filter(when(leads().and(at(N1)).once()).then(request(N1, r#"{"remove":"n4"}"#)))
        .filter(when(leads().and(at(N2).or(at(N4))).once()).then(ask_leader))
        .filter(when(is_send().and(first).and(in_state("start"))).then(drop_message()))
        .filter(when(is_send().and(alone).and(in_state("1 leads"))).then(drop_message()))
        .filter(when(removed_3().once()).then(split_parts(&["1 and 3", "the others"])))
        .property(
            machine()
                .on(leads().and(at(N1)))
                .goto("1 leads")
                .on(removed_3().and(note_index))
                .goto("3 is removed")
                .on(fact("commit").and(otherwise))
                .goto_success(),
        )
}
