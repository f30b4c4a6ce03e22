//! The clauses of Tendermint that the scenarios are to cover, as events.
//!
//! What a validator waits for is not seen from outside, so that is told from the votes that it has received
//! and cast.

use shakedown_cluster::NodeId;
use shakedown_scenario::{Condition, EventView, fact, fact_with};

use crate::scenarios::{QUORUM, sent};
use crate::{Because, Message};

type Event<'a> = EventView<'a, Message>;

/// Which votes a clause is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Anything,
    Nil,
    AValue,
}

/// A validator has a quorum of such votes of one round, its own among them. Votes in certificates are not
/// counted. The name is that of a counter.
fn quorum(name: &'static str, vote: &'static str, own: &'static str, what: For) -> Condition<Message> {
    Condition::new(name, move |event: &Event<'_>, memory| {
        let is_own = event.fact().is_some_and(|fact| fact.name.as_str() == own);
        let is_other = event.is_receive() && event.info().is_some_and(|info| info.kind.as_str() == vote);
        let value = if is_own {
            event.number("value").map(|value| value as u64)
        } else {
            event.message().and_then(Message::value).map(|value| value.0)
        };
        let is_such = match what {
            For::Anything => true,
            For::Nil => value.is_none(),
            For::AValue => value.is_some(),
        };
        if !is_such || !(is_own || is_other) {
            return false;
        }
        let round = event.number("round").or(event.message().map(|message| i64::from(message.round())));
        let kept = value.filter(|_| what == For::AValue).unwrap_or(0);
        let key = vote_key(event.node(), round, kept);
        memory.increment(name, key);
        memory.count(name, key) == QUORUM
    })
}

/// The counter of the prevotes for nil, by validator and round.
const NIL_PREVOTES: &str = "line 44";

fn vote_key(node: NodeId, round: Option<i64>, value: u64) -> u64 {
    value << 16 | (round.unwrap_or(0) as u64 & 0xff) << 8 | node.number() as u64
}

/// The fact that a validator prevotes for a value, which was made in this round or in an earlier one.
fn prevotes(text: &'static str, is_new: bool) -> Condition<Message> {
    fact("prevote").and(Condition::new(text, move |event: &Event<'_>, _| {
        let made_in = event.number("value").map(|value| value / 1_000 % 1_000);
        made_in.is_some() && (made_in == event.number("round")) == is_new
    }))
}

fn enters_because(because: Because) -> Condition<Message> {
    sent("RoundCertificate").and(Condition::new(format!("{because:?}"), move |event: &Event<'_>, _| {
        matches!(event.message(), Some(Message::RoundCertificate(certificate)) if certificate.because == because)
    }))
}

/// The clauses of Tendermint (Buchman, Kwon and Milosevic, arXiv 1807.04938, Algorithm 1), as the events by
/// which an execution covers them.
pub(crate) fn clauses() -> Vec<(&'static str, Condition<Message>)> {
    let no_quorum_for_nil = Condition::new("without a quorum for nil", |event: &Event<'_>, memory| {
        memory.count(NIL_PREVOTES, vote_key(event.node(), event.number("round"), 0)) < QUORUM
    });
    vec![
        ("line 22: upon a new proposal: prevote", prevotes("for a new value", true)),
        (
            "line 28: upon a proposal of an earlier round's polka: prevote",
            prevotes("for an earlier value", false),
        ),
        (
            "line 34: upon 2f+1 prevotes: wait for more",
            quorum("line 34", "Prevote", "prevote", For::Anything),
        ),
        (
            "line 36: upon a proposal and 2f+1 prevotes for it: lock and precommit",
            quorum("line 36", "Prevote", "prevote", For::AValue),
        ),
        (
            "line 44: upon 2f+1 prevotes for nil: precommit nil",
            quorum(NIL_PREVOTES, "Prevote", "prevote", For::Nil),
        ),
        (
            "line 47: upon 2f+1 precommits: wait for more",
            quorum("line 47", "Precommit", "precommit", For::Anything),
        ),
        ("line 49: upon a proposal and 2f+1 precommits for it: decide", fact("commit")),
        ("line 55: upon f+1 messages of a later round: enter it", enters_because(Because::Skip)),
        (
            "line 57: upon the time-out for the proposal: prevote nil",
            fact_with("prevote", "round", 0u64).and(fact_with("prevote", "value", "nil")),
        ),
        (
            "line 61: upon the time-out for prevotes: precommit nil",
            fact_with("precommit", "value", "nil").and(no_quorum_for_nil),
        ),
        (
            "line 65: upon the time-out for precommits: enter the next round",
            enters_because(Because::Precommit),
        ),
    ]
}
