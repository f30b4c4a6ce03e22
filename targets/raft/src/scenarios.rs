//! The eleven Raft scenarios of Netrix, and the clauses of the protocol that they are to cover.
//!
//! Where the papers' text and the authors' tests disagree, the point of the scenario is taken: the loss of progress shows
//! with the options off, and is absent with them on.

use shakedown_cluster::{NodeId, NodeSet};
use shakedown_scenario::{
    Action, Condition, Counter, Deadline, Deed, EventView, Machine, Scenario, always, at, at_part, between,
    count, drop_message, fact, fact_with, from, in_state, increment, is_receive, is_send, kind, kinds,
    machine, message, not, record, release_set, request, store_in, to, to_part, when,
};

use crate::RaftMessage;

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);
const N4: NodeId = NodeId::new(4);
const N5: NodeId = NodeId::new(5);

const VOTES: &[&str] = &["RequestVote", "PreVote"];
const VOTE_RESPONSES: &[&str] = &["RequestVoteResponse", "PreVoteResponse"];
const FROM_LEADERS: &[&str] = &["Heartbeat", "Append", "Snapshot"];

type Event<'a> = EventView<'a, RaftMessage>;

pub(crate) fn scenarios() -> Vec<Scenario<RaftMessage>> {
    vec![
        liveness("Liveness", true)
            .about("a leader keeps one follower: more than four elections before anything is committed, CheckQuorum on"),
        liveness("LivenessNoCQ", false)
            .about("the same with CheckQuorum off"),
        no_liveness(),
        conf_change_bug(),
        drop_heartbeat(),
        drop_votes(),
        drop_f_votes(),
        drop_append(),
        re_vote(),
        many_re_vote(),
        multi_re_vote(),
    ]
}

/// Five nodes, and a clock that goes slowly beside the messages: they are mostly there before the next tick.
fn five(name: &'static str) -> Scenario<RaftMessage> {
    Scenario::new(name).nodes(5).steps(1_500).set("compaction", false).weights("tick=10")
}

fn is_role(role: &'static str) -> Condition<RaftMessage> {
    fact_with("role", "role", role)
}

/// An entry is committed that comes after all that were committed when the network was cut.
fn new_commit() -> Condition<RaftMessage> {
    Condition::new("a new commit", |event: &Event<'_>, memory| {
        let is_commit = event.fact().is_some_and(|fact| fact.name.as_str() == "commit");
        is_commit && event.number("index") > memory.number("committed")
    })
}

/// One of the nodes that could elect a leader.
fn in_majority() -> Condition<RaftMessage> {
    Condition::new("in the majority", |event: &Event<'_>, memory| {
        memory.part("majority").contains(event.node())
    })
}

fn note_commit() -> Action<RaftMessage> {
    Action::new("note the commit", |event: &Event<'_>, memory, _| {
        let known = memory.number("committed").max(event.number("index"));
        memory.set_number("committed", known.unwrap_or(0));
    })
}

/// More than four election attempts, and nothing was committed meanwhile.
fn stalled(cut: Condition<RaftMessage>) -> Machine<RaftMessage> {
    machine()
        .on(cut)
        .goto("cut")
        .on(new_commit())
        .goto_fail()
        .on(count("attempts").more_than(4u64))
        .goto_success()
}

fn liveness(name: &'static str, check_quorum: bool) -> Scenario<RaftMessage> {
    let cut = Action::new("leave the leader one follower", |event: &Event<'_>, memory, deeds| {
        let mut others: Vec<_> = NodeId::first(5).filter(|&node| node != event.node()).collect();
        memory.random.shuffle(&mut others);
        let [follower, _isolated, rest @ ..] = &others[..] else { return };
        let with_leader = NodeSet::from_iter([event.node(), *follower]);
        let without_leader: NodeSet = rest.iter().chain([follower]).copied().collect();
        memory.set_part("majority", without_leader);
        deeds.push(Deed::Split(vec![with_leader, without_leader]));
        // An entry that only the follower gets: from now on nobody else can win an election.
        deeds.push(Deed::Request(event.node(), r#"{"put":[1,1]}"#.into()));
    });
    five(name)
        .set("check_quorum", check_quorum)
        .faulty(2)
        .filter(when(is_role("leader").once()).then(cut))
        .filter(when(is_role("candidate").and(in_majority())).then(increment("attempts")))
        .property(stalled(is_role("leader")))
}

fn no_liveness() -> Scenario<RaftMessage> {
    let led_by_4 = || is_role("leader").and(at(N4));
    five("NoLiveness")
        .about("the same kind of cut, with PreVote and CheckQuorum: a leader commits all the same")
        .set("check_quorum", true)
        .set("pre_vote", true)
        .faulty(2)
        .filter(when(is_send().and(from(N5).or(to(N5)))).then(drop_message()))
        .filter(
            when(is_send().and(kinds(VOTES)).and(not(from(N4))).and(in_state("start"))).then(drop_message()),
        )
        .filter(
            when(is_send().and(between(N1, N4).or(between(N3, N4))).and(not(in_state("start"))))
                .then(drop_message()),
        )
        .filter(when(is_role("candidate").and(not(in_state("start")))).then(increment("attempts")))
        .property(
            machine()
                .on(led_by_4())
                .goto("cut")
                .within(Deadline::Ticks(200))
                .on(new_commit().and(not(at(N4))))
                .goto_success()
                .on(count("attempts").more_than(4u64))
                .goto_fail(),
        )
}

fn conf_change_bug() -> Scenario<RaftMessage> {
    five("ConfChangeBug")
        .about("two changes of membership under two leaders; the fix keeps them from committing differently")
        .steps(2_500)
        .requests(0)
        .faulty(1)
        .filter(when(is_role("leader").and(at(N1)).once()).then(request(N1, r#"{"remove":"n4"}"#)))
        .filter(
            when(is_role("leader").and(at(N2)).and(not(in_state("start"))).once())
                .then(request(N2, r#"{"remove":"n3"}"#)),
        )
        .filter(
            when(is_role("leader").and(at(N4)).and(not(in_state("start"))).once())
                .then(request(N4, r#"{"remove":"n3"}"#)),
        )
        .filter(
            when(is_send().and(kinds(VOTES)).and(not(from(N1))).and(in_state("start"))).then(drop_message()),
        )
        .filter(when(is_send().and(from(N1).or(to(N1))).and(in_state("first change"))).then(drop_message()))
        .filter(
            when(is_send().and(kind("Append")).and(to(N3)).and(in_state("first change")))
                .then(drop_message()),
        )
        .filter(when(fact("commit").and(fact_with("commit", "change", "remove n3"))).then(note_commit()))
        .property(
            machine()
                .on(is_role("leader").and(at(N1)))
                .goto("first change")
                .on(fact_with("commit", "change", "remove n3"))
                .goto("second change")
                .on(fact_with("commit", "change", "remove n4").and(commits_otherwise()))
                .goto_success(),
        )
}

/// An entry is committed where another one was committed already.
fn commits_otherwise() -> Condition<RaftMessage> {
    Condition::new("at the same index", |event: &Event<'_>, memory| {
        event.number("index") == memory.number("committed")
    })
}

fn drop_heartbeat() -> Scenario<RaftMessage> {
    five("DropHeartbeat")
        .about("a node that no longer hears of the leader campaigns")
        .role("r")
        .faulty(1)
        .filter(when(is_send().and(kinds(VOTE_RESPONSES)).and(to_part("r"))).then(drop_message()))
        .filter(
            when(is_send().and(kinds(FROM_LEADERS)).and(to_part("r")).and(not(in_state("start"))))
                .then(drop_message()),
        )
        .property(
            machine()
                .on(is_role("leader"))
                .goto("led")
                .on(is_role("candidate").and(at_part("r")))
                .goto_success(),
        )
}

fn drop_votes() -> Scenario<RaftMessage> {
    five("DropVotes")
        .about("a node whose vote requests are lost follows")
        .faulty(1)
        .filter(when(is_send().and(kinds(VOTES)).and(from(N4))).then(drop_message()))
        .property(
            machine()
                .on(is_receive().and(kinds(VOTES)).and(from(N4)))
                .goto_fail()
                .on(is_send().and(kind("Append")).and(to(N4)))
                .goto_success(),
        )
}

fn drop_f_votes() -> Scenario<RaftMessage> {
    let votes = Counter::new("votes").per(|event: &Event<'_>| {
        let receiver = event.to().map_or(0, |node| node.number() as u64);
        event.message().map_or(0, |message| message.0.term) << 8 | receiver
    });
    five("DropFVotes")
        .about("a leader is elected though f votes of every election are lost")
        .faulty(2)
        .filter(
            when(is_send().and(kind("RequestVoteResponse")).and(count(&votes).less_than(2u64)))
                .then(drop_message().and(increment(&votes))),
        )
        .property(machine().on(is_role("leader")).goto_success())
}

fn drop_append() -> Scenario<RaftMessage> {
    let again = || {
        Condition::new("of the lost one's index and receiver", |event: &Event<'_>, memory| {
            let lost = memory.recorded("lost").map(|lost| (lost.0.index, lost.0.to));
            lost.is_some() && event.message().map(|message| (message.0.index, message.0.to)) == lost
        })
    };
    five("DropAppend")
        .about("an append that was lost is sent again")
        .faulty(1)
        .filter(when(is_send().and(kind("Append")).once()).then(record("lost").and(drop_message())))
        .property(
            machine()
                .on(is_send().and(kind("Append")))
                .goto("lost")
                .on(is_send().and(kind("Append")).and(again()))
                .goto_success(),
        )
}

fn re_vote() -> Scenario<RaftMessage> {
    five("ReVote")
        .about("a vote that comes when the leader is elected already")
        .faulty(1)
        .filter(when(is_role("leader")).then(release_set("late")))
        .filter(
            when(is_send().and(kind("RequestVoteResponse")).and(from(N4)).and(in_state("start")))
                .then(store_in("late")),
        )
        .property(
            machine()
                .on(is_role("leader"))
                .goto("led")
                .on(is_receive().and(kind("RequestVoteResponse")).and(from(N4)))
                .goto_success(),
        )
}

fn many_re_vote() -> Scenario<RaftMessage> {
    five("ManyReVote")
        .about("votes of a node that come when it follows somebody")
        .faulty(1)
        .filter(when(is_role("follower").and(at(N4)).and(not(in_state("start")))).then(release_set("late")))
        .filter(when(is_send().and(kind("RequestVoteResponse")).and(from(N4))).then(store_in("late")))
        .property(
            machine().on(is_role("leader")).goto("led").on(is_role("follower").and(at(N4))).goto_success(),
        )
}

fn multi_re_vote() -> Scenario<RaftMessage> {
    five("MultiReVote")
        .about("a follower whose append responses are lost is still sent heartbeats")
        .faulty(1)
        .filter(when(is_send().and(kind("AppendResponse")).and(from(N4))).then(drop_message()))
        .property(
            machine()
                .on(is_receive().and(kinds(&["AppendResponse", "HeartbeatResponse"])).and(from(N4)))
                .goto_fail()
                .on(is_send().and(kind("Heartbeat")).and(to(N4)))
                .goto_success(),
        )
}

/// The clauses of Raft (Ongaro's thesis, figure 3.1), as the events by which an execution covers them.
pub(crate) fn clauses() -> Vec<(&'static str, Condition<RaftMessage>)> {
    let rejects = |text| message(text, |message: &RaftMessage| message.0.reject);
    vec![
        ("upon election timeout: become candidate, request votes", is_send().and(kind("RequestVote"))),
        (
            "upon a vote request of an up-to-date candidate: grant the vote",
            is_send().and(kind("RequestVoteResponse")).and(not(rejects("refused"))),
        ),
        (
            "upon a vote request of a stale candidate or after voting: refuse",
            is_send().and(kind("RequestVoteResponse")).and(rejects("refused")),
        ),
        ("upon votes of a majority: become leader", is_role("leader")),
        ("upon becoming leader, and periodically: send heartbeats", is_send().and(kind("Heartbeat"))),
        ("upon a higher term: become follower", is_role("follower")),
        (
            "upon a command: append it and replicate",
            is_send()
                .and(kind("Append"))
                .and(message("entries", |message: &RaftMessage| !message.0.entries.is_empty())),
        ),
        (
            "upon an append that fits: append and acknowledge",
            is_send().and(kind("AppendResponse")).and(not(rejects("refused"))),
        ),
        (
            "upon an append that does not fit: refuse",
            is_send().and(kind("AppendResponse")).and(rejects("refused")),
        ),
        (
            "upon a refused append: go back and try again",
            is_receive().and(kind("AppendResponse")).and(rejects("refused")),
        ),
        ("upon a majority that holds an entry of this term: commit it", fact("commit")),
        ("upon a follower too far behind: send a snapshot", is_send().and(kind("Snapshot"))),
        (
            "upon a change of membership that is committed: apply it",
            fact("commit").and(Condition::new("a change", |event: &Event<'_>, _| {
                event.fact().is_some_and(|fact| fact.get("change").is_some())
            })),
        ),
        ("upon anything at all", always()),
    ]
}
