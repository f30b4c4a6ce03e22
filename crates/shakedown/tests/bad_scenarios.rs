//! Scenarios that make no sense, and scenarios that never stop: a clear error or a finding, never a hang.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shakedown::CheckScenario;
use shakedown::prelude::*;
use shakedown::scenario::*;
use shakedown_toys::{Gossip, Tell};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N9: NodeId = NodeId::new(9);

/// Three nodes, of which one may lie.
fn gossip() -> Target<Gossip> {
    let contract = Contract { byzantine_max: 1, ..Contract::asynchronous() };
    Target::new("gossip").contract(contract).kinds(&["Tell"]).requests(2, |number, _| number as u64 + 1)
}

fn received() -> Machine<Tell> {
    machine().on(is_receive()).goto_success()
}

fn scenario(name: &'static str) -> Scenario<Tell> {
    Scenario::new(name).nodes(3).steps(60)
}

/// Scenarios that cannot run, and what is said of them.
fn nonsense() -> Vec<(Scenario<Tell>, &'static str)> {
    let drop_all = |condition: Condition<Tell>| when(is_send().and(condition)).then(drop_message());
    vec![
        (scenario("no property"), "scenario `no property` has no property"),
        (
            scenario("no success").property(machine().on(is_send()).goto("sent")),
            "the property of scenario `no success` has no success state, so no iteration could succeed",
        ),
        (
            scenario("no node").filter(drop_all(to(N9))).property(received()),
            "scenario `no node` names n9, but there are only 3 nodes",
        ),
        (
            scenario("no node to ask").filter(when(is_send()).then(request(N9, "1"))).property(received()),
            "scenario `no node to ask` names n9, but there are only 3 nodes",
        ),
        (
            scenario("no kind").filter(drop_all(kind("Ask"))).property(received()),
            "scenario `no kind` names the kind of message `Ask`, but there is none: there are Tell",
        ),
        (
            scenario("no kind to wait for").property(machine().on(kind("Told")).goto_success()),
            "scenario `no kind to wait for` names the kind of message `Told`, but there is none: there are Tell",
        ),
        (
            scenario("no part").parts(&[("rest", 3)]).filter(drop_all(to_part("h"))).property(received()),
            "scenario `no part` names the part `h`, but there is none: there are rest",
        ),
        (
            scenario("big part").parts(&[("h", 1), ("rest", 3)]).property(received()),
            "scenario `big part` wants 3 nodes in the part `rest`, but of 3 nodes 2 are left for it",
        ),
        (
            scenario("weightless").weights("dance=3").property(received()),
            "scenario `weightless`: `dance` is not a kind of step",
        ),
    ]
}

#[test]
fn a_scenario_that_makes_no_sense_says_why() {
    for (scenario, expected) in nonsense() {
        let name = scenario.name();
        let printed = catch_unwind(AssertUnwindSafe(|| scenario.check(gossip(), 1)));
        let printed = printed.err().unwrap_or_else(|| panic!("{name} ran"));
        let printed = printed.downcast_ref::<String>().expect("a panic with a text");
        assert!(printed.starts_with(expected), "{name}: {printed}");
    }
}

#[test]
fn what_nobody_can_read_is_lost_and_counted() {
    let summary = scenario("garbled")
        .filter(when(is_send().and(from(N1))).then(garble(8)))
        .property(machine().on(is_receive().and(from(N1))).goto_success())
        .check(gossip(), 20);
    assert_eq!(summary.successes, 0, "{summary}");
    let lost = summary.total.undecodable;
    assert!(lost >= 20, "{summary}");
    let warning = format!("{lost} messages were changed to contents that cannot be decoded; they were lost");
    assert_eq!(summary.warnings, [warning]);
}

#[test]
fn a_lie_that_makes_a_node_panic_is_a_finding() {
    let lie = tamper("tell of 13", |tell: &mut Tell, _| tell.0 = 13);
    let summary = scenario("bad luck")
        .filter(when(is_send().and(from(N1))).then(lie))
        .property(received())
        .check(gossip(), 20);
    let [(_, violation)] = &summary.violations[..] else { panic!("{summary}") };
    assert!(violation.to_string().contains("13 is bad luck"), "{violation}");
    let printed = catch_unwind(AssertUnwindSafe(|| {
        summary.never_fails();
    }))
    .is_err();
    assert!(printed, "a test that says `never_fails` fails");
}

#[test]
fn filters_that_never_stop_end_with_the_steps() {
    let more = inject("tell more", |_: &EventView<'_, Tell>, _| Some((N1, N2, Tell(7))));
    let again = Action::new("drop it again and again", |event: &EventView<'_, Tell>, _, deeds| {
        deeds.extend(event.index().into_iter().flat_map(|index| (0..9).map(move |_| Deed::Drop(index))));
    });
    let endless = [
        scenario("asks").filter(when(always()).then(request(N1, "3"))),
        scenario("asks nonsense").filter(when(always()).then(request(N1, "nonsense"))),
        scenario("lies").filter(when(always()).then(more)),
        scenario("doubles").filter(when(always()).then(duplicate_message())),
        scenario("restarts who runs").filter(when(always()).then(restart(N1))),
        scenario("drops").filter(when(always()).then(again)),
        scenario("splits").filter(when(always()).then(split(&[1, 2]).and(heal()))),
    ];
    for scenario in endless {
        let summary = scenario.property(machine().success()).check(gossip(), 5);
        assert_eq!(summary.iterations, 5, "{summary}");
        assert!(summary.total.filters[0].matched > 0, "{summary}");
    }
}
