//! Scenarios for etcd's library alone.

use shakedown_cluster::NodeId;
use shakedown_raft::RaftMessage;
use shakedown_scenario::{
    Action, Condition, Deed, EventView, Scenario, answered, at, deliver_set, drop_message, fact_with, from,
    in_state, is_receive, is_send, kind, machine, message, not, request, set_has, store_in, to, when,
};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);

type Event<'a> = EventView<'a, RaftMessage>;

/// A leader that was replaced is asked to read (etcd-io/etcd issue 20418). A request for a read index, and
/// the answer to a heartbeat that confirmed it, arrive a second time: releases before 3.7 take them for a
/// confirmation of every read that came in between. The scenario succeeds where the replaced leader answers;
/// the answer is old, so the history is not linearizable.
pub fn stale_read() -> Scenario<RaftMessage> {
    let leads = || fact_with("role", "role", "leader");
    let wrote = |op| fact_with::<RaftMessage>("commit", "op", op);
    let is_early = in_state("start").or(in_state("n1 leads")).or(in_state("n1 wrote"));
    let is_late = || in_state("n3 read").or(in_state("n1 is replaced")).or(in_state("replaced and written"));
    let confirms = message("it confirms a read", |message: &RaftMessage| !message.0.context.is_empty());
    let ask_leader = Action::new("ask the new leader to write", |event: &Event<'_>, _, deeds| {
        deeds.push(Deed::Request(event.node(), r#"{"write":[0,2]}"#.into()));
    });
    let again = request(N1, r#"{"read":0}"#).and(deliver_set("late request")).and(deliver_set("late answer"));
    let at_others = || -> Condition<RaftMessage> { at(N2).or(at(N3)) };
    Scenario::new("StaleRead")
        .about("a request for a read index and its confirmation come twice: a leader that was replaced does not answer a read")
        .nodes(3)
        .steps(800)
        .requests(0)
        .faulty(0)
        .set("registers", true)
        .set("reads", "index")
        .set("library_invariants", false)
        .set("compaction", false)
        .weights("tick=10")
        .filter(when(leads().and(at(N1)).once()).then(request(N1, r#"{"write":[0,1]}"#)))
        .filter(when(wrote("write k0=1").and(at(N1)).once()).then(request(N3, r#"{"read":0}"#)))
        .filter(when(leads().and(at_others()).and(is_late()).once()).then(ask_leader))
        .filter(when(wrote("write k0=2").and(at_others()).once()).then(again))
        .filter(when(is_send().and(kind("RequestVote")).and(not(from(N1))).and(is_early)).then(drop_message()))
        .filter(when(is_send().and(from(N1).or(to(N1))).and(is_late())).then(drop_message()))
        .filter(
            when(is_receive().and(kind("ReadIndex")).and(at(N1)).and(in_state("n1 wrote"))).then(store_in("late request")),
        )
        .filter(
            when(
                is_receive()
                    .and(kind("HeartbeatResponse"))
                    .and(from(N2))
                    .and(at(N1))
                    .and(confirms)
                    .and(set_has("late request", 1)),
            )
            .then(store_in("late answer")),
        )
        .property(
            machine()
                .on(leads().and(at(N1)))
                .goto("n1 leads")
                .on(wrote("write k0=1").and(at(N1)))
                .goto("n1 wrote")
                .on(answered().and(at(N3)))
                .goto("n3 read")
                .on(leads().and(at_others()))
                .goto("n1 is replaced")
                .on(wrote("write k0=2").and(at_others()))
                .goto("replaced and written")
                .on(answered().and(at(N1)))
                .goto_success(),
        )
}
