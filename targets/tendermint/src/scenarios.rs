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

use crate::Value;

/// How many validators may lie.
const F: u64 = 1;
pub(crate) const QUORUM: u64 = 2 * F + 1;
/// What n1 proposes in round 0 of height 1.
const Z: Value = Value::made_by(NodeId::new(1), 1, 0);
const EVERYBODY: &[&str] = &["faulty", "h", "rest"];
const VOTES: &[&str] = &["Prevote", "Precommit"];

type Event<'a, M> = EventView<'a, M>;

/// What the scenarios ask of the messages of an implementation.
pub trait ScenarioMessage: shakedown_cluster::Message {
    /// How many steps an execution takes, compared with one of Malachite.
    const STEPS: usize;
    /// The options with which validators say everything once.
    const OPTIONS: &'static [(&'static str, &'static str)];
    /// How likely steps are.
    const WEIGHTS: &'static str;
    /// The kinds of messages that carry votes. Certificates do too: whoever loses the votes of somebody loses
    /// these with them.
    const CARRY_VOTES: &'static [&'static str];
    /// The kinds of messages that carry precommits.
    const CARRY_PRECOMMITS: &'static [&'static str];
    /// Whether f+1 votes of a later round let a validator enter it.
    const SKIPS: bool;

    /// The round that the message is about.
    fn round(&self) -> u32;
    /// What the message is for; nothing stands for nil.
    fn value(&self) -> Option<Value>;
    /// Whose proposal or vote the message is.
    fn signer(&self) -> Option<NodeId>;
    /// Whether the message only reports how far its sender is.
    fn is_report(&self) -> bool;
    /// If the message is a vote of its sender, it is now for what this proposal is for, or for nil.
    fn vote_for(&mut self, proposal: Option<&Self>);
    /// If the message is a proposal of its sender, it now proposes nothing.
    fn propose_nothing(&mut self);
    /// If the message is a vote or a proposal of its sender, it is now of this round.
    fn set_round(&mut self, round: u32);
}

/// The fifteen scenarios, for any implementation whose options, kinds of messages and facts are those of this
/// target.
pub fn scenarios<M: ScenarioMessage>() -> Vec<Scenario<M>> {
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
fn four<M: ScenarioMessage>(name: &'static str) -> Scenario<M> {
    let scenario = Scenario::new(name)
        .nodes(4)
        .steps(500 * M::STEPS)
        .set("heights", 1)
        .set("delta", 0)
        .set("oracles", "agreement")
        .set("timers", "anytime")
        .weights(M::WEIGHTS);
    M::OPTIONS.iter().fold(scenario, |scenario, (name, value)| scenario.set(name, value))
}

/// Four validators in their three parts.
fn parted<M: ScenarioMessage>(name: &'static str) -> Scenario<M> {
    four(name).parts(&[("h", 1), ("faulty", 1), ("rest", 2)]).faulty(1)
}

pub(crate) fn sent<M: shakedown_cluster::Message>(kind_of_message: &'static str) -> Condition<M> {
    is_send().and(kind(kind_of_message))
}

fn sent_votes<M: ScenarioMessage>() -> Condition<M> {
    is_send().and(kinds(M::CARRY_VOTES))
}

fn of_round<M: ScenarioMessage>(round: u32) -> Condition<M> {
    Condition::new(format!("of round {round}"), move |event: &Event<'_, M>, _| {
        event.message().is_some_and(|message| message.round() == round)
    })
}

/// The faulty part votes. Where it passes votes of others on, it has signed nothing.
fn faulty_votes<M: ScenarioMessage>() -> Condition<M> {
    let own = Condition::new("of its own", |event: &Event<'_, M>, _| {
        event.message().and_then(M::signer) == Some(event.node())
    });
    is_send().and(kinds(VOTES)).and(from_part("faulty")).and(own)
}

/// The faulty part votes nil, whatever it thinks.
fn faulty_votes_nil<M: ScenarioMessage>() -> Filter<M> {
    let vote_nil = tamper("vote nil", |message: &mut M, _| message.vote_for(None));
    when(faulty_votes()).then(vote_nil)
}

/// The faulty part votes nil, and for N once there is one.
fn faulty_votes_nil_then_n<M: ScenarioMessage>() -> Filter<M> {
    let vote = tamper("vote nil or N", |message: &mut M, memory| {
        message.vote_for(memory.recorded("N"));
    });
    when(faulty_votes()).then(vote)
}

fn proposal_of_z<M: ScenarioMessage>() -> Condition<M> {
    sent("Proposal").and(of_round(0))
}

/// A later round proposes Z again, because somebody saw a polka for it.
fn z_again<M: ScenarioMessage>() -> Condition<M> {
    sent("Proposal").and(not(of_round(0))).and(like_recorded("Z", |a: &M, b| a.value() == b.value()))
}

/// A validator enters this round or a later one.
fn enters<M: ScenarioMessage>(round: i64) -> Condition<M> {
    Condition::new(format!("in round {round}"), move |event: &Event<'_, M>, _| {
        event.fact().is_some_and(|fact| fact.name.as_str() == "step") && event.number("round") >= Some(round)
    })
}

/// A correct validator decides.
fn commit<M: ScenarioMessage>() -> Condition<M> {
    fact("commit").and(not(at_part("faulty")))
}

/// The fact that h votes, for the value that was recorded under this name.
fn h_votes<M: ScenarioMessage>(vote: &'static str, name: &'static str) -> Condition<M> {
    fact(vote).and(at_part("h")).and(about(name))
}

/// The fact is about the value that was recorded under this name.
fn about<M: ScenarioMessage>(name: &'static str) -> Condition<M> {
    Condition::new(format!("for {name}"), move |event: &Event<'_, M>, memory| {
        let value = memory.recorded(name).and_then(M::value);
        value.is_some_and(|value| event.number("value") == Some(value.0 as i64))
    })
}

/// A correct validator decides otherwise than another.
fn differing_commit<M: ScenarioMessage>() -> Condition<M> {
    let differs = Condition::new("otherwise", |event: &Event<'_, M>, memory| {
        let value = event.number("value").unwrap_or(0);
        let known = memory.number("committed").unwrap_or(value);
        memory.set_number("committed", known);
        known != value
    });
    commit().and(differs)
}

fn expect_unlock<M: ScenarioMessage>() -> Scenario<M> {
    let in_round_2 = Condition::new("in round 2", |event: &Event<'_, M>, _| event.number("round") >= Some(2));
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

fn relocked<M: ScenarioMessage>() -> Scenario<M> {
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

/// Without skipping, h needs three precommits to leave round 0, and they must not decide: its own, one more
/// for Z, and that of the liar. The liar stays behind.
fn locked_commit<M: ScenarioMessage>() -> Scenario<M> {
    let empty = tamper("propose nothing", |message: &mut M, _| message.propose_nothing());
    let precommits = is_send().and(kinds(M::CARRY_PRECOMMITS)).and(of_round(0));
    let of_far = Condition::new("of far", |event: &Event<'_, M>, memory| {
        event.message().and_then(M::signer).is_some_and(|signer| memory.part("far").contains(signer))
    });
    let (kept_from_h, in_round_1) =
        if M::SKIPS { (to_part("h"), EVERYBODY) } else { (to_part("h").and(of_far), &EVERYBODY[1..]) };
    parted("LockedCommit")
        .about("validators that locked in round 0 and did not decide do so later")
        .set_up(|nodes, memory| {
            // The liar is who proposes in round 1.
            let liar = NodeId::new(2);
            let mut others: Vec<_> = NodeId::first(nodes).filter(|&node| node != liar).collect();
            memory.random.shuffle(&mut others);
            memory.set_part("faulty", [liar].into_iter().collect());
            memory.set_part("h", others.drain(..1).collect());
            memory.set_part("far", others[..1].iter().copied().collect());
            memory.set_part("rest", others.into_iter().collect());
        })
        .filter(faulty_votes_nil())
        .filter(
            when(precommits.and(from_part("h").or(kept_from_h).or(to_part("faulty")))).then(drop_message()),
        )
        .filter(when(sent("Proposal").and(of_round(1)).and(from_part("faulty"))).then(empty))
        .property(machine().on(at_all(in_round_1, enters(1))).goto("round 1").on(commit()).goto_success())
}

fn lagging_replica<M: ScenarioMessage>() -> Scenario<M> {
    parted("LaggingReplica")
        .about("a validator that is ten rounds behind catches up, and only then is there a quorum")
        .steps(1_500 * M::STEPS)
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

fn forever_lagging_replica<M: ScenarioMessage>() -> Scenario<M> {
    let note_round = Action::new("note the round", |event: &Event<'_, M>, memory, _| {
        let highest = memory.number("round").max(event.number("round"));
        memory.set_number("round", highest.unwrap_or(0));
    });
    let past = Condition::new("of a past round", |event: &Event<'_, M>, memory| {
        event.message().map(|message| i64::from(message.round())) < memory.number("round")
    });
    parted("ForeverLaggingReplica")
        .about("a validator that is five rounds behind catches up by what is said in the present round alone")
        .steps(1_000 * M::STEPS)
        .filter(faulty_votes_nil())
        .filter(when(sent_votes().and(from_part("h")).and(of_round(0))).then(drop_message()))
        .filter(when(sent_votes().and(to_part("h")).and(in_state("start"))).then(drop_message()))
        .filter(when(fact("step")).then(note_round))
        .filter(when(is_send().and(to_part("h")).and(not(in_state("start"))).and(past)).then(drop_message()))
        .property(
            machine().on(at_all(&["faulty", "rest"], enters(5))).goto("round 5").on(commit()).goto_success(),
        )
}

fn round_skip<M: ScenarioMessage>() -> Scenario<M> {
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

fn block_votes<M: ScenarioMessage>() -> Scenario<M> {
    // A validator counts its own prevote too, which is never sent: that is one of the 2f.
    let prevotes =
        Counter::new("prevotes").per(|event: &Event<'_, M>| event.to().map_or(0, |to| to.number() as u64));
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

fn precommit_invariant<M: ScenarioMessage>() -> Scenario<M> {
    let for_a_block = not(fact_with("precommit", "value", "nil"));
    four("PrecommitInvariant")
        .about("nobody precommits what there was no quorum of prevotes for")
        .faulty(1)
        .filter(when(proposal_of_z()).then(record("Z").and(drop_message())))
        .property(machine().success().on(fact_with("precommit", "round", 0u64).and(for_a_block)).goto_fail())
}

fn commit_after_round_skip<M: ScenarioMessage>() -> Scenario<M> {
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

fn different_decisions<M: ScenarioMessage>() -> Scenario<M> {
    let precommits = sent("Precommit").and(from_part("h").or(from_part("faulty")));
    let prevotes = sent("Prevote").and(from_part("h").or(from_part("rest")));
    four("DifferentDecisions")
        .about("a validator that locked Z keeps it, though the others would decide N and one of them Z")
        .parts(&[("h", 1), ("faulty", 1), ("delay", 1), ("rest", 1)])
        .faulty(1)
        .filter(when(to_part("delay").and(of_round(0)).and(precommits.or(prevotes))).then(store_in("late")))
        .filter(when(proposal_of_z()).then(record("Z").and(deliver_message())))
        .filter(
            when(is_send().and(not(message("a report", M::is_report))).and(to_part("delay")))
                .then(drop_message()),
        )
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

fn nil_prevotes<M: ScenarioMessage>() -> Scenario<M> {
    let for_nil =
        is_receive().and(kind("Prevote")).and(message("for nil", |message: &M| message.value().is_none()));
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

fn proposal_nil_prevote<M: ScenarioMessage>() -> Scenario<M> {
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

fn not_nil_decide<M: ScenarioMessage>() -> Scenario<M> {
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

fn garbled_message<M: ScenarioMessage>() -> Scenario<M> {
    parted("GarbledMessage")
        .about("nothing that a validator says can be read, and the others decide all the same")
        .filter(when(is_send().and(from_part("faulty"))).then(garble(100)))
        .property(machine().on(is_receive().and(from_part("faulty"))).goto_fail().on(commit()).goto_success())
}

fn higher_round<M: ScenarioMessage>() -> Scenario<M> {
    let later = tamper("vote two rounds later", |message: &mut M, _| {
        message.set_round(message.round() + 2);
    });
    let is_later = message("of a later round", |message: &M| message.round() >= 2);
    parted("HigherRound")
        .about("the votes of a liar for later rounds do not keep the others from deciding")
        .filter(when(faulty_votes()).then(later))
        .property(
            machine()
                .on(is_receive().and(from_part("faulty")).and(is_later))
                .goto("lied to")
                .on(commit())
                .goto_success(),
        )
}
