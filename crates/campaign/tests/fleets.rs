//! Fleets: whoever runs the executions, the result is the same. The fleet here is in this process; what it gives and takes
//! is what travels.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use shakedown_campaign::{
    AnyTarget, Campaign, CampaignError, Fleet, FleetError, Order, PackedLesson, Plan, Report, Silent,
    Station, Summary, TakeReport, Target, Verdict, Violation,
};
use shakedown_explore::learning::Parameter;
use shakedown_toys::{Teller, teller};

const STRATEGIES: [&str; 14] = [
    "random",
    "pctcp:depth=3,messages=50",
    "pos",
    "fuzz",
    "fuzz:mode=published",
    "bonusmax:generation=7",
    "waypoint:generation=7,waypoints=[Counted(2)]",
    "negvisits:generation=7",
    "ucbzero:generation=7",
    "novelty:generation=7",
    "swarm:[fuzz]",
    "return",
    "portfolio",
    "portfolio:arms=[random, return, fuzz, novelty]",
];

fn target() -> Target<Teller> {
    teller().waypoint("Counted", "a node has counted to x", &[Parameter::Number("x")], |arguments, seen| {
        seen.states().iter().any(|count| *count >= arguments[0])
    })
}

fn campaign<'a>(target: &'a dyn AnyTarget, strategy: &str) -> Campaign<'a> {
    let mut campaign = Campaign::new(target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.plan.keep_going) = (300, true);
    (campaign.plan.shrink, campaign.plan.measures) = (None, vec!["state".to_owned()]);
    campaign.plan.config.options.set("bound", 14);
    campaign
}

/// Two stations in this process. One learns every lesson; the other one joins anew by a snapshot now and then.
struct Here {
    target: &'static Target<Teller>,
    stations: Mutex<Vec<Station<'static>>>,
    /// Changes reports.
    spoil: fn(u64, &mut Report),
}

impl Here {
    fn new(spoil: fn(u64, &mut Report)) -> Arc<Here> {
        Arc::new(Here { target: Box::leak(Box::new(target())), stations: Mutex::default(), spoil })
    }

    fn station(&self, plan: &Plan, learned: Option<&[u8]>, before: u64) -> Station<'static> {
        let mut station =
            Station::new(plan.campaign(self.target).expect("it is of this target")).expect("it runs");
        if let Some(learned) = learned {
            station.take_up(learned, before).expect("it was saved here");
        }
        station
    }
}

impl Fleet for Here {
    fn begin(&self, plan: &Plan, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetError> {
        let station = || self.station(plan, learned.as_deref(), start);
        *self.stations.lock().expect("nobody panics") = vec![station(), station()];
        Ok(())
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetError> {
        let mut stations = self.stations.lock().expect("nobody panics");
        let Range { start, end } = order.numbers;
        let middle = start + (end - start) / 2;
        // The second half is run first.
        let later = stations[1].run(middle..end, &Silent)?;
        let mut reports = stations[0].run(start..middle, &Silent)?;
        reports.extend(later);
        for (number, mut report) in (start..end).zip(reports) {
            (self.spoil)(number, &mut report);
            if take(number, report).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetError> {
        let mut stations = self.stations.lock().expect("nobody panics");
        stations[0].learn(generation.clone(), lessons)?;
        stations[1].take_up(&learned(), generation.end)?;
        Ok(())
    }

    fn end(&self) {}
}

/// What must not depend on who runs the executions.
fn what_counts(summary: &Summary) -> String {
    let findings: Vec<_> = summary.findings.iter().map(|finding| (&finding.failure, finding.hits)).collect();
    let coverage: Vec<_> = summary
        .coverage
        .iter()
        .map(|coverage| (&coverage.curve, coverage.covered(), coverage.never()))
        .collect();
    let Summary { executions, failed, fingerprint, tally, properties, arms, .. } = summary;
    format!("{executions} {failed} {fingerprint} {tally:?} {properties:?} {arms:?} {coverage:?} {findings:?}")
}

#[test]
fn whoever_runs_the_executions_the_result_is_the_same() {
    for strategy in STRATEGIES {
        let target = target();
        let mut campaign = campaign(&target, strategy);
        let (mut here, mut there) =
            (campaign.explorer().expect("it can be made"), campaign.explorer().expect("it can be made"));
        let local = campaign.run_with(here.as_mut(), &Silent).expect("it runs");
        campaign.fleet = Some(Here::new(|_, _| {}));
        let fleet = campaign.run_with(there.as_mut(), &Silent).expect("it runs");
        assert_eq!(what_counts(&fleet), what_counts(&local), "{strategy}");
        assert!(here.save() == there.save(), "{strategy} has learned something else");
    }
}

#[test]
fn a_campaign_that_ends_with_its_first_failure_ends_with_the_same() {
    let target = target();
    let mut campaign = campaign(&target, "random");
    campaign.plan.keep_going = false;
    let local = campaign.run(&Silent).expect("it runs");
    assert!(local.failed == 1 && local.executions < 300, "there is something to find");
    campaign.fleet = Some(Here::new(|_, _| {}));
    assert_eq!(what_counts(&campaign.run(&Silent).expect("it runs")), what_counts(&local));
}

fn spoiled(spoil: fn(u64, &mut Report)) -> String {
    let target = target();
    let mut campaign = campaign(&target, "fuzz");
    campaign.fleet = Some(Here::new(spoil));
    match campaign.run(&Silent) {
        Err(CampaignError::Fleet(error)) => error.to_string(),
        other => panic!("it is {:?}", other.map(|summary| summary.executions)),
    }
}

#[test]
fn reports_that_cannot_be_are_found_out() {
    let lie = spoiled(|number, report| {
        if number == 3 {
            let (property, reason) = ("agreement".to_owned(), "made up".to_owned());
            report.verdict = Verdict::Fail(Violation { property, reason });
        }
    });
    assert!(lie.contains("execution 3") && lie.contains("run here its trace is"), "{lie}");
    let other = spoiled(|_, report| {
        report.fingerprint = report.fingerprint.map(|_| shakedown_cluster::Fingerprint(7))
    });
    assert!(other.contains("execution 0"), "the first one is run here as well: {other}");
    let guides = spoiled(|_, report| report.covered.clear());
    assert!(guides.contains("other guides"), "{guides}");
    let garbage = spoiled(|_, report| report.experience = Some(vec![1, 2, 3]));
    assert!(garbage.contains("not saved by this version"), "{garbage}");
}
