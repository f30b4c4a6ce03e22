//! The fifteen Tendermint scenarios of Netrix.
//!
//! Four validators: `h`, to whom things happen; `faulty`, who lies; and two more. Z is the proposal of round
//! 0, N a later one of another value. Where the papers lie for more than one validator, or rely on how
//! Tendermint Core gossips, the point of the scenario is taken: one liar, and a network that loses messages.

use shakedown_cluster::NodeId;
use shakedown_scenario::{
    Action, Condition, Counter, EventView, Filter, SUCCESS, Scenario, at_all, at_part, count,
    deliver_message, drop_message, fact, fact_with, from_part, garble, in_state, increment, is_receive,
    is_send, kind, kinds, like_recorded, machine, message, not, record, release_set, store_in, tamper,
    to_part, when,
};

use crate::{Message, Proposal, Value};

/// How many validators may lie.
const F: u64 = 1;
pub(crate) const QUORUM: u64 = 2 * F + 1;
/// What n1 proposes in round 0 of height 1.
const Z: Value = Value::made_by(NodeId::new(1), 1, 0);
const EVERYBODY: &[&str] = &["h", "faulty", "rest"];
const VOTES: &[&str] = &["Prevote", "Precommit"];
/// Certificates carry votes too: whoever loses the votes of somebody loses these with them.
const VOTES_AND_CERTIFICATES: &[&str] = &["Prevote", "Precommit", "RoundCertificate", "PolkaCertificate"];

type Event<'a> = EventView<'a, Message>;

pub(crate) fn scenarios() -> Vec<Scenario<Message>> {
    vec![
        expect_unlock(),
        relocked(),
        locked_commit(),
        lagging_replica(),
        forever_lagging_replica(),
        round_skip(),
        block_votes(),
        precommit_invariant(),
        commit_after_round_skip(),
        different_decisions(),
        nil_prevotes(),
        proposal_nil_prevote(),
        not_nil_decide(),
        garbled_message(),
        higher_round(),
    ]
}

/// Four validators that decide once, and say everything once. Time-outs may go off at any time: the network
/// is slow.
fn four(name: &'static str) -> Scenario<Message> {
    Scenario::new(name)
        .nodes(4)
        .steps(500)
        .set("heights", 1)
        .set("rebroadcast", false)
        .set("delta", 0)
        .set("oracles", "agreement")
        .set("timers", "anytime")
        .weights("tick=0,fire=4")
}

/// Four validators in their three parts.
fn parted(name: &'static str) -> Scenario<Message> {
    four(name).parts(&[("h", 1), ("faulty", 1), ("rest", 2)]).faulty(1)
}

pub(crate) fn sent(kind_of_message: &'static str) -> Condition<Message> {
    is_send().and(kind(kind_of_message))
}

fn sent_votes() -> Condition<Message> {
    is_send().and(kinds(VOTES_AND_CERTIFICATES))
}

fn of_round(round: u32) -> Condition<Message> {
    Condition::new(format!("of round {round}"), move |event: &Event<'_>, _| {
        event.message().is_some_and(|message| message.round() == round)
    })
}

/// The faulty part votes nil, whatever it thinks.
fn faulty_votes_nil() -> Filter<Message> {
    let vote_nil =
        tamper("vote nil", |message: &mut Message, _| *message = message.clone().with_vote_for(None));
    when(is_send().and(kinds(VOTES)).and(from_part("faulty"))).then(vote_nil)
}

/// The faulty part votes nil, and for N once there is one.
fn faulty_votes_nil_then_n() -> Filter<Message> {
    let vote = tamper("vote nil or N", |message: &mut Message, memory| {
        let n = memory.recorded("N").and_then(Message::value);
        *message = message.clone().with_vote_for(n);
    });
    when(is_send().and(kinds(VOTES)).and(from_part("faulty"))).then(vote)
}

fn proposal_of_z() -> Condition<Message> {
    sent("Proposal").and(of_round(0))
}

/// A later round proposes Z again, because somebody saw a polka for it.
fn z_again() -> Condition<Message> {
    sent("Proposal").and(not(of_round(0))).and(like_recorded("Z", |a: &Message, b| a.value() == b.value()))
}

/// A validator enters this round or a later one.
fn enters(round: i64) -> Condition<Message> {
    Condition::new(format!("in round {round}"), move |event: &Event<'_>, _| {
        event.fact().is_some_and(|fact| fact.name.as_str() == "step") && event.number("round") >= Some(round)
    })
}

/// A correct validator decides.
fn commit() -> Condition<Message> {
    fact("commit").and(not(at_part("faulty")))
}

/// The fact that h votes, for the value that was recorded under this name.
fn h_votes(vote: &'static str, name: &'static str) -> Condition<Message> {
    fact(vote).and(at_part("h")).and(about(name))
}

/// The fact is about the value that was recorded under this name.
fn about(name: &'static str) -> Condition<Message> {
    Condition::new(format!("for {name}"), move |event: &Event<'_>, memory| {
        let value = memory.recorded(name).and_then(Message::value);
        value.is_some_and(|value| event.number("value") == Some(value.0 as i64))
    })
}

/// A correct validator decides otherwise than another.
fn differing_commit() -> Condition<Message> {
    let differs = Condition::new("otherwise", |event: &Event<'_>, memory| {
        let value = event.number("value").unwrap_or(0);
        let known = memory.number("committed").unwrap_or(value);
        memory.set_number("committed", known);
        known != value
    });
    commit().and(differs)
}

fn expect_unlock() -> Scenario<Message> {
    let in_round_2 = Condition::new("in round 2", |event: &Event<'_>, _| event.number("round") >= Some(2));
    parted("ExpectUnlock")
        .about("a validator that locked Z votes for something else later")
        .filter(faulty_votes_nil())
        .filter(when(proposal_of_z()).then(record("Z").and(deliver_message())))
        .filter(when(sent_votes().and(from_part("h")).or(z_again())).then(drop_message()))
        .property(
            machine()
                .on(h_votes("precommit", "Z"))
                .goto("locked Z")
                .on(at_all(EVERYBODY, enters(1)))
                .goto("round 1")
                .on(fact("prevote").and(at_part("h")).and(in_round_2).and(not(about("Z"))))
                .goto_success(),
        )
}

fn relocked() -> Scenario<Message> {
    parted("Relocked")
        .about("a validator that locked Z locks N when there is a polka for it")
        .filter(faulty_votes_nil_then_n())
        .filter(when(proposal_of_z()).then(record("Z").and(deliver_message())))
        .filter(when(sent_votes().and(from_part("h")).or(z_again())).then(drop_message()))
        .filter(when(sent("Proposal")).then(record("N").and(deliver_message())))
        .property(
            machine()
                .on(h_votes("precommit", "Z"))
                .goto("locked Z")
                .on(at_all(EVERYBODY, enters(1)))
                .goto("round 1")
                .on(h_votes("precommit", "N"))
                .goto_success(),
        )
}

fn locked_commit() -> Scenario<Message> {
    let empty = tamper("propose nothing", |message: &mut Message, _| {
        if let Message::Proposal(Proposal { value, signature, .. }) = message {
            (*value, *signature) = (None, None);
        }
    });
    let precommits = is_send().and(kinds(&["Precommit", "RoundCertificate"])).and(of_round(0));
    parted("LockedCommit")
        .about("validators that locked in round 0 and did not decide do so later")
        .set_up(|nodes, memory| {
            // The liar is who proposes in round 1.
            let liar = NodeId::new(2);
            let mut others: Vec<_> = NodeId::first(nodes).filter(|&node| node != liar).collect();
            memory.random.shuffle(&mut others);
            memory.set_part("faulty", [liar].into_iter().collect());
            memory.set_part("h", others.drain(..1).collect());
            memory.set_part("rest", others.into_iter().collect());
        })
        .filter(faulty_votes_nil())
        .filter(
            when(precommits.and(from_part("h").or(to_part("h")).or(to_part("faulty")))).then(drop_message()),
        )
        .filter(when(sent("Proposal").and(of_round(1)).and(from_part("faulty"))).then(empty))
        .property(machine().on(at_all(EVERYBODY, enters(1))).goto("round 1").on(commit()).goto_success())
}

fn lagging_replica() -> Scenario<Message> {
    parted("LaggingReplica")
        .about("a validator that is ten rounds behind catches up, and only then is there a quorum")
        .steps(1_500)
        .filter(faulty_votes_nil())
        .filter(when(sent_votes().and(from_part("h")).and(of_round(0))).then(drop_message()))
        .filter(when(sent_votes().and(to_part("h")).and(in_state("start"))).then(drop_message()))
        .property(
            machine()
                .on(commit())
                .goto_fail()
                .on(at_all(&["faulty", "rest"], enters(10)))
                .goto("round 10")
                .on(commit())
                .goto_success(),
        )
}

fn forever_lagging_replica() -> Scenario<Message> {
    let note_round = Action::new("note the round", |event: &Event<'_>, memory, _| {
        let highest = memory.number("round").max(event.number("round"));
        memory.set_number("round", highest.unwrap_or(0));
    });
    let past = Condition::new("of a past round", |event: &Event<'_>, memory| {
        event.message().map(|message| i64::from(message.round())) < memory.number("round")
    });
    parted("ForeverLaggingReplica")
        .about("a validator that is five rounds behind catches up by what is said in the present round alone")
        .steps(1_000)
        .filter(faulty_votes_nil())
        .filter(when(sent_votes().and(from_part("h")).and(of_round(0))).then(drop_message()))
        .filter(when(sent_votes().and(to_part("h")).and(in_state("start"))).then(drop_message()))
        .filter(when(fact("step")).then(note_round))
        .filter(when(is_send().and(to_part("h")).and(not(in_state("start"))).and(past)).then(drop_message()))
        .property(
            machine().on(at_all(&["faulty", "rest"], enters(5))).goto("round 5").on(commit()).goto_success(),
        )
}

fn round_skip() -> Scenario<Message> {
    parted("RoundSkip")
        .about("without the prevotes of a correct validator and of the liar, rounds pass")
        .filter(faulty_votes_nil())
        .filter(when(enters(2).once()).then(release_set("late")))
        .filter(when(sent("Prevote").and(from_part("h"))).then(store_in("late")))
        .property(
            machine()
                .on(fact_with("step", "height", 1u64))
                .goto("height 1")
                .on(differing_commit())
                .goto_fail()
                .on(at_all(EVERYBODY, enters(2)))
                .goto(SUCCESS)
                .on(differing_commit())
                .goto_fail(),
        )
}

fn block_votes() -> Scenario<Message> {
    // A validator counts its own prevote too, which is never sent: that is one of the 2f.
    let prevotes =
        Counter::new("prevotes").per(|event: &Event<'_>| event.to().map_or(0, |to| to.number() as u64));
    four("BlockVotes")
        .about("with 2f prevotes nobody gets any further")
        .faulty(1)
        .filter(
            when(sent("Prevote").and(count(&prevotes).less_than(2 * F - 1)))
                .then(deliver_message().and(increment(&prevotes))),
        )
        .filter(when(sent("Prevote")).then(drop_message()))
        .property(machine().success().on(fact("commit").or(enters(1))).goto_fail())
}

fn precommit_invariant() -> Scenario<Message> {
    let for_a_block = not(fact_with("precommit", "value", "nil"));
    four("PrecommitInvariant")
        .about("nobody precommits what there was no quorum of prevotes for")
        .faulty(1)
        .filter(when(proposal_of_z()).then(record("Z").and(drop_message())))
        .property(machine().success().on(fact_with("precommit", "round", 0u64).and(for_a_block)).goto_fail())
}

fn commit_after_round_skip() -> Scenario<Message> {
    parted("CommitAfterRoundSkip")
        .about("votes of round 0 that come in round 1 still count for Z")
        .filter(faulty_votes_nil())
        .filter(when(at_all(EVERYBODY, enters(1)).once()).then(release_set("late")))
        .filter(when(sent_votes().and(from_part("h")).and(of_round(0))).then(store_in("late")))
        .property(
            machine()
                .on(at_all(EVERYBODY, enters(1)))
                .goto("round 1")
                .on(differing_commit())
                .goto_fail()
                .on(commit().and(fact_with("commit", "value", Z.0)))
                .goto(SUCCESS)
                .on(differing_commit())
                .goto_fail(),
        )
}

fn different_decisions() -> Scenario<Message> {
    let precommits = sent("Precommit").and(from_part("h").or(from_part("faulty")));
    let prevotes = sent("Prevote").and(from_part("h").or(from_part("rest")));
    four("DifferentDecisions")
        .about("a validator that locked Z keeps it, though the others would decide N and one of them Z")
        .parts(&[("h", 1), ("faulty", 1), ("delay", 1), ("rest", 1)])
        .faulty(1)
        .filter(when(to_part("delay").and(of_round(0)).and(precommits.or(prevotes))).then(store_in("late")))
        .filter(when(proposal_of_z()).then(record("Z").and(deliver_message())))
        .filter(when(is_send().and(to_part("delay"))).then(drop_message()))
        .filter(faulty_votes_nil_then_n())
        .filter(when(is_send().and(kinds(VOTES)).and(from_part("h")).and(of_round(0))).then(drop_message()))
        .filter(when(z_again()).then(drop_message()))
        .filter(when(sent("Proposal")).then(record("N").and(deliver_message())))
        .filter(when(h_votes("prevote", "N")).then(release_set("late")))
        .property(
            machine()
                .on(h_votes("precommit", "Z"))
                .goto("locked Z")
                .success()
                .on(h_votes("precommit", "N").or(differing_commit()))
                .goto_fail(),
        )
}

fn nil_prevotes() -> Scenario<Message> {
    let for_nil = is_receive()
        .and(kind("Prevote"))
        .and(message("for nil", |message: &Message| message.value().is_none()));
    four("NilPrevotes")
        .about("a quorum of prevotes for nil leads to a precommit for nil")
        .role("r")
        .faulty(1)
        .filter(when(sent("Proposal")).then(drop_message()))
        .filter(when(for_nil.and(to_part("r"))).then(increment("prevotes for nil")))
        .property(
            machine()
                .on(count("prevotes for nil").at_least(QUORUM))
                .goto("a quorum for nil")
                .on(fact_with("precommit", "value", "nil").and(at_part("r")))
                .goto_success(),
        )
}

fn proposal_nil_prevote() -> Scenario<Message> {
    let prevote = || fact_with("prevote", "round", 0u64).and(at_part("h"));
    four("ProposalNilPrevote")
        .about("a validator that does not hear of the proposal votes nil")
        .role("h")
        .faulty(1)
        .filter(when(proposal_of_z().and(to_part("h"))).then(drop_message()))
        .property(
            machine()
                .on(prevote().and(fact_with("prevote", "value", "nil")))
                .goto_success()
                .on(prevote())
                .goto_fail(),
        )
}

fn not_nil_decide() -> Scenario<Message> {
    parted("NotNilDecide")
        .about("where a round ends in nil, the next one begins, and nothing is decided")
        .filter(faulty_votes_nil())
        .filter(when(sent_votes().and(from_part("h"))).then(drop_message()))
        .property(
            machine()
                .on(fact_with("commit", "value", Value::EMPTY.0))
                .goto_fail()
                .on(at_all(&["rest"], enters(1)))
                .goto(SUCCESS)
                .on(fact_with("commit", "value", Value::EMPTY.0))
                .goto_fail(),
        )
}

fn garbled_message() -> Scenario<Message> {
    parted("GarbledMessage")
        .about("nothing that a validator says can be read, and the others decide all the same")
        .filter(when(is_send().and(from_part("faulty"))).then(garble(100)))
        .property(machine().on(is_receive().and(from_part("faulty"))).goto_fail().on(commit()).goto_success())
}

fn higher_round() -> Scenario<Message> {
    let later = tamper("vote two rounds later", |message: &mut Message, _| {
        let round = message.round() + 2;
        *message = message.clone().with_round(round);
    });
    let is_later = message("of a later round", |message: &Message| message.round() >= 2);
    parted("HigherRound")
        .about("the votes of a liar for later rounds do not keep the others from deciding")
        .filter(when(is_send().and(kinds(VOTES)).and(from_part("faulty"))).then(later))
        .property(
            machine()
                .on(is_receive().and(from_part("faulty")).and(is_later))
                .goto("lied to")
                .on(commit())
                .goto_success(),
        )
}
