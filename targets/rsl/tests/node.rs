//! What holds of the protocol.

use shakedown::Test;
use shakedown_campaign::{AnyTarget, Campaign, Silent};
use shakedown_cluster::{NodeId, Recording, Step};

use shakedown_rsl::{Ballot, Bug, Durable, Entry, Message, Replica, Role, Timing, target};

const TIMING: Timing = Timing { heartbeat: 3, retry: 5, grace: 0 };

fn node(number: usize) -> NodeId {
    NodeId::new(number)
}

fn ballot(number: u64, owner: usize) -> Ballot {
    Ballot { number, owner: Some(node(owner)) }
}

fn replica(number: usize, bug: Bug, durable: Durable) -> Replica {
    let mut replica = Replica::boot(node(number), 3, TIMING, bug, durable);
    replica.set_patience(10);
    replica
}

fn sent(replica: &mut Replica) -> Vec<(usize, Message)> {
    replica.outputs().map(|(to, message)| (to.number(), message)).collect()
}

/// The first replica, primary of ballot 1.
fn primary() -> Replica {
    let mut first = replica(1, Bug::None, Durable::default());
    (0..10).for_each(|_| first.tick());
    first.receive(node(2), Message::Promise { ballot: ballot(1, 1), decree: 1, vote: None });
    assert_eq!(first.role(), Role::Primary);
    sent(&mut first);
    first
}

#[test]
fn a_primary_has_one_decree_under_way_at_a_time() {
    let mut first = primary();
    assert!(first.propose(7) && first.propose(8));
    let accept = |decree, value| Message::Accept { ballot: ballot(1, 1), decree, value };
    assert_eq!(sent(&mut first), [(2, accept(1, 7)), (3, accept(1, 7))]);
    first.receive(node(3), Message::Accepted { ballot: ballot(1, 1), decree: 1 });
    assert_eq!(sent(&mut first), [(2, accept(2, 8)), (3, accept(2, 8))]);
    assert_eq!(first.durable().decided.len(), 1);
    // A vote that comes late, or twice, is not one for the next decree.
    first.receive(node(2), Message::Accepted { ballot: ballot(1, 1), decree: 1 });
    assert_eq!(first.durable().decided.len(), 1);
}

#[test]
fn the_proposal_of_a_decree_says_that_the_one_before_it_in_this_ballot_is_decided() {
    let mut second = replica(2, Bug::None, Durable::default());
    let accept = |ballot, decree, value| Message::Accept { ballot, decree, value };
    second.receive(node(1), accept(ballot(1, 1), 1, 7));
    second.receive(node(1), accept(ballot(1, 1), 2, 8));
    assert_eq!(second.durable().decided.iter().map(|entry| entry.value).collect::<Vec<_>>(), [7]);
    // In another ballot it need not be what was voted for: that has to be fetched.
    sent(&mut second);
    second.receive(node(3), accept(ballot(2, 3), 3, 9));
    assert_eq!(second.durable().decided.len(), 1);
    assert_eq!(sent(&mut second), [(3, Message::Fetch { decree: 2 })]);
}

#[test]
fn a_new_primary_takes_over_the_vote_of_the_highest_ballot() {
    let vote = |number, owner, value| Some(Entry { ballot: ballot(number, owner), value });
    let durable = Durable { promised: ballot(2, 2), vote: vote(1, 1, 7), ..Durable::default() };
    let mut third = replica(3, Bug::None, durable);
    (0..10).for_each(|_| third.tick());
    third.receive(node(2), Message::Promise { ballot: ballot(3, 3), decree: 1, vote: vote(2, 2, 8) });
    let value = third.durable().vote.map(|vote| (vote.ballot, vote.value));
    assert_eq!((third.role(), value), (Role::Primary, Some((ballot(3, 3), 8))));
}

#[test]
fn a_primary_that_learns_a_decree_from_others_steps_down() {
    let mut first = primary();
    first.propose(7);
    first.receive(
        node(2),
        Message::Learn { first: 1, entries: vec![Entry { ballot: ballot(2, 2), value: 9 }] },
    );
    assert_eq!((first.role(), first.durable().decided[0].value), (Role::Secondary, 9));
}

#[test]
fn with_the_bug_an_old_vote_is_taken_as_decided() {
    for (bug, decided) in [(Bug::None, 9), (Bug::InconsistentLog, 7)] {
        let vote = Some(Entry { ballot: ballot(1, 1), value: 7 });
        let mut first = replica(1, bug, Durable { vote, ..Durable::default() });
        first.receive(
            node(2),
            Message::Learn { first: 1, entries: vec![Entry { ballot: ballot(2, 2), value: 9 }] },
        );
        assert_eq!(first.durable().decided[0].value, decided);
    }
}

#[test]
fn nothing_is_wrong_whatever_the_strategy() {
    for strategy in ["random", "pctcp", "bonusmax", "novelty", "closure"] {
        Test::new(target()).executions(300).strategy(strategy).run();
        Test::new(target().nodes(5)).executions(100).strategy(strategy).run();
    }
}

#[test]
fn the_bug_is_found_shrunk_and_replayed_by_a_strategy_that_learns() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy =
        "waypoint:waypoints=[AnyBallot(2), PrimaryInBallot(2)]".parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.plan.config.steps, campaign.plan.config.requests) = (3_000, 4_000, 5);
    campaign.plan.config.options.set("bug", Bug::InconsistentLog);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let finding = summary.findings.first().expect("the bug is found");
    assert_eq!(finding.failure.violation.property, "agreement");
    assert!(finding.failure.schedule.steps.len() < finding.failure.found.steps);
    let mut live =
        target.begin(&finding.failure.config, finding.failure.seed, Recording::Brief).expect("it begins");
    let broken =
        finding.failure.schedule.steps.iter().any(|step: &Step| {
            live.perform(step).expect("every step of a shrunk schedule can be done").is_err()
        });
    assert!(broken, "the schedule replays");
}
