//! The eleven Raft scenarios of Netrix, and the clauses of the protocol that they are to cover.
//!
//! Where the papers' text and the authors' tests disagree, the point of the scenario is taken: the loss of
//! progress shows with the options off, and is absent with them on.

use shakedown_cluster::{NodeId, NodeSet};
use shakedown_rafts::conf_change_bug;
use shakedown_scenario::{
    Action, Condition, Counter, Deadline, Deed, EventView, Machine, SUCCESS, Scenario, at, at_part, between,
    count, drop_message, fact, fact_with, from, from_part, in_state, increment, is_receive, is_send, kind,
    kinds, like_recorded, machine, message, not, release_set, store_in, to, to_part, when,
};

use crate::RaftMessage;

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);
const N4: NodeId = NodeId::new(4);
const N5: NodeId = NodeId::new(5);

const VOTES: &[&str] = &["RequestVote", "PreVote"];
const FROM_LEADERS: &[&str] = &["Heartbeat", "Append", "Snapshot"];

type Event<'a> = EventView<'a, RaftMessage>;

pub(crate) fn scenarios() -> Vec<Scenario<RaftMessage>> {
    vec![
        liveness("Liveness", true).about(
            "a leader keeps one follower, CheckQuorum on: more than four elections, and nothing is committed",
        ),
        liveness("LivenessNoCQ", false).about("the same with CheckQuorum off"),
        no_liveness(),
        conf_change_bug().nodes(5).steps(1_500).set("compaction", false).weights(TICKS),
        drop_heartbeat(),
        drop_votes(),
        lose_votes("DropFVotes", 2).about("a leader is elected though f votes of every election are lost"),
        drop_append(),
        re_vote(),
        many_re_vote(),
        multi_re_vote(),
    ]
}

/// Clocks go slowly beside the messages, which are mostly there before the next tick.
const TICKS: &str = "tick=10";

/// Five nodes that wait for ten heartbeats, as is usual.
fn five(name: &'static str) -> Scenario<RaftMessage> {
    Scenario::new(name).nodes(5).steps(1_500).set("compaction", false).set("election_tick", 10).weights(TICKS)
}

fn is_role(role: &'static str) -> Condition<RaftMessage> {
    fact_with("role", "role", role)
}

/// More than four election attempts, and nothing is committed before the iteration ends.
fn stalled() -> Machine<RaftMessage> {
    let attempts = || count("attempts").more_than(4u64);
    let steps_down = || is_role("follower").and(at_part("leader"));
    let cut = machine().on(is_role("leader")).goto("cut").on(fact("commit")).goto_fail();
    let deposed = cut.on(steps_down()).goto("deposed").on(fact("commit")).goto_fail();
    let over = deposed.on(attempts()).goto(SUCCESS).on(fact("commit")).goto_fail();
    let stalled = over.from_state("cut").on(attempts()).goto("stalled").success();
    stalled.on(fact("commit")).goto_fail().on(steps_down()).goto("deposed")
}

/// The leader keeps one follower, one node is cut off from all, and the rest see each other and that
/// follower. It is loyal, as the papers have it: it hears of no other candidate while its leader leads.
fn liveness(name: &'static str, check_quorum: bool) -> Scenario<RaftMessage> {
    let cut = Action::new("leave the leader one follower", |event: &Event<'_>, memory, deeds| {
        let mut others: Vec<_> = NodeId::first(5).filter(|&node| node != event.node()).collect();
        memory.random.shuffle(&mut others);
        let [follower, _isolated, rest @ ..] = &others[..] else { return };
        let majority: NodeSet = rest.iter().chain([follower]).copied().collect();
        memory.set_part("leader", NodeSet::from_iter([event.node()]));
        memory.set_part("follower", NodeSet::from_iter([*follower]));
        memory.set_part("majority", majority);
        deeds.push(Deed::Split(vec![NodeSet::from_iter([event.node(), *follower]), majority]));
    })
    .keeping_back();
    let asks_follower =
        is_send().and(kind("RequestVote")).and(from_part("majority")).and(to_part("follower"));
    five(name)
        .steps(600)
        .set("check_quorum", check_quorum)
        .faulty(2)
        .parts_made_later(&["leader", "follower", "majority"])
        .filter(when(is_role("leader").once()).then(cut))
        .filter(when(asks_follower.and(in_state("cut").or(in_state("stalled")))).then(drop_message()))
        .filter(when(is_role("candidate").and(at_part("majority"))).then(increment("attempts")))
        .property(stalled())
}

fn no_liveness() -> Scenario<RaftMessage> {
    let campaigns = || is_send().and(kinds(VOTES)).and(not(from(N4)));
    let cut = is_send().and(between(N1, N4).or(between(N3, N4)));
    five("NoLiveness")
        .about("the same cuts, with PreVote and CheckQuorum: the leader steps down, and another one commits")
        .set("check_quorum", true)
        .set("pre_vote", true)
        .faulty(2)
        .filter(when(is_send().and(from(N5).or(to(N5)))).then(drop_message()))
        .filter(when(campaigns().and(in_state("start"))).then(drop_message()))
        .filter(when(cut.and(not(in_state("start")))).then(drop_message()))
        .filter(when(campaigns().and(to(N2)).and(in_state("cut"))).then(drop_message()))
        .filter(when(is_role("candidate").and(not(in_state("start")))).then(increment("attempts")))
        .property(
            machine()
                .on(is_role("leader").and(at(N4)))
                .goto("cut")
                .within(Deadline::Ticks(200))
                .on(is_role("follower").and(at(N4)))
                .goto("stepped down")
                .within(Deadline::Ticks(200))
                .on(count("attempts").more_than(4u64))
                .goto_fail()
                .on(fact("commit").and(not(at(N4))))
                .goto_success(),
        )
}

fn drop_heartbeat() -> Scenario<RaftMessage> {
    five("DropHeartbeat")
        .about("a node that no longer hears of the leader campaigns")
        .role("r")
        .requests(24)
        .set("compaction", true)
        .weights("tick=10,request=1")
        .faulty(1)
        .filter(when(is_send().and(kind("RequestVoteResponse")).and(to_part("r"))).then(drop_message()))
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
    let is_heard = || is_receive().and(kind("RequestVote")).and(from(N4));
    five("DropVotes")
        .about("a node that campaigns, and whose vote requests are lost, follows")
        .set("election_tick", 4)
        .faulty(1)
        .filter(when(is_send().and(kind("RequestVote")).and(from(N4))).then(drop_message()))
        .property(
            machine()
                .on(is_role("candidate").and(at(N4)))
                .goto("4 campaigns")
                .on(is_heard())
                .goto_fail()
                .on(is_send().and(kind("Append")).and(to(N4)))
                .goto_success(),
        )
}

/// So many votes of every election are lost.
fn lose_votes(name: &'static str, lost: u64) -> Scenario<RaftMessage> {
    let votes = Counter::new("votes").per(|event: &Event<'_>| {
        let receiver = event.to().map_or(0, |node| node.number() as u64);
        event.message().map_or(0, |message| message.0.term) << 8 | receiver
    });
    five(name)
        .faulty(2)
        .filter(
            when(is_send().and(kind("RequestVoteResponse")).and(count(&votes).less_than(lost)))
                .then(drop_message().and(increment(&votes))),
        )
        .property(machine().on(is_role("leader")).goto_success())
}

fn drop_append() -> Scenario<RaftMessage> {
    let note = Condition::new("which is noted", |event: &Event<'_>, memory| {
        event.message().is_some_and(|append| {
            memory.record("first", append.clone());
            true
        })
    });
    let again = like_recorded("first", |append: &RaftMessage, first: &RaftMessage| {
        let key = |append: &RaftMessage| (append.0.from, append.0.to, append.0.term, append.0.index);
        key(append) == key(first)
    });
    let sends = || is_send().and(kind("Append"));
    five("DropAppend")
        .about("an append that was lost is sent again")
        .faulty(1)
        .filter(when(sends().once()).then(drop_message()))
        .property(machine().on(sends().and(note)).goto("sent").on(sends().and(again)).goto_success())
}

/// The first leader, whose term is remembered.
fn first_leader() -> Condition<RaftMessage> {
    is_role("leader").and(Condition::new("whose term is noted", |event: &Event<'_>, memory| {
        event.number("term").is_some_and(|term| {
            memory.set_number("term", term);
            true
        })
    }))
}

/// The vote of n4 in the term of the first leader.
fn vote_of_4() -> Condition<RaftMessage> {
    let in_its_term = Condition::new("in the first leader's term", |event: &Event<'_>, memory| {
        event.message().map(|message| message.0.term as i64) == memory.number("term")
    });
    kind("RequestVoteResponse").and(from(N4)).and(in_its_term)
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
        .property(machine().on(first_leader()).goto("led").on(is_receive().and(vote_of_4())).goto_success())
}

fn many_re_vote() -> Scenario<RaftMessage> {
    let follows = || is_receive().and(kind("Append")).and(to(N4));
    five("ManyReVote")
        .about("a vote that comes when its voter follows the leader already")
        .faulty(1)
        .filter(when(follows()).then(release_set("late")))
        .filter(
            when(is_send().and(kind("RequestVoteResponse")).and(from(N4)).and(not(in_state("4 follows"))))
                .then(store_in("late")),
        )
        .property(
            machine()
                .on(first_leader())
                .goto("led")
                .on(is_receive().and(vote_of_4()))
                .goto_fail()
                .on(follows())
                .goto("4 follows")
                .on(is_receive().and(vote_of_4()))
                .goto_success(),
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

/// Scenarios in which the point of another one is missing: with them, a test shows that it matters.
pub fn controls() -> Vec<Scenario<RaftMessage>> {
    vec![
        lose_votes("DropTooManyVotes", 3)
            .about("one vote more is lost than in DropFVotes: nobody is elected"),
    ]
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
    ]
}
