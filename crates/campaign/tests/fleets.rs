//! Fleets: whoever runs the executions, the result is the same. The fleet here is in this process; what it
//! gives and takes is what travels.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use shakedown_campaign::{
    AnyTarget, Campaign, CampaignError, Failure, Fleet, FleetError, Job, Means, Order, PackedLesson, Pieces,
    Report, ShrinkLimits, Shrunk, Silent, Station, Summary, TakePiece, TakeReport, Target, Verdict,
    Violation, bench_of, shrink_side_by_side,
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

/// Two stations in this process. One learns every lesson; the other one joins anew by a snapshot now and
/// then.
struct Here {
    target: &'static Target<Teller>,
    stations: Mutex<Vec<Station<'static>>>,
    /// Changes reports.
    spoil: fn(u64, &mut Report),
    /// Changes what comes of pieces.
    spoil_piece: fn(&mut Vec<u8>),
    /// How many pieces there were.
    pieces: AtomicU64,
}

impl Here {
    fn new(spoil: fn(u64, &mut Report)) -> Arc<Here> {
        let target = Box::leak(Box::new(target()));
        let (stations, pieces) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Here { target, stations, spoil, spoil_piece: |_| {}, pieces })
    }

    fn station(&self, job: &Job, learned: Option<&[u8]>, before: u64) -> Station<'static> {
        let mut station =
            Station::new(job.campaign(self.target).expect("it is of this target")).expect("it runs");
        if let Some(learned) = learned {
            station.take_up(learned, before).expect("it was saved here");
        }
        station
    }
}

impl Fleet for Here {
    fn begin(&self, job: &Job, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetError> {
        let station = || self.station(job, learned.as_deref(), start);
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

    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Eight pieces at a time, of which the later ones are done first.
    fn spread(&self, pieces: &Pieces<'_>, take: &mut TakePiece<'_>) -> Result<(), FleetError> {
        let targets: Vec<Box<dyn AnyTarget>> = vec![Box::new(target())];
        let bench = bench_of(&targets, pieces.bench, &pieces.common).ok_or("there is no such bench")??;
        let means = Means { jobs: 1, progress: &Silent };
        let mut next = pieces.numbers.start;
        while next < pieces.numbers.end && !(pieces.is_late)() {
            let end = pieces.numbers.end.min(next + 8);
            let mut asked: Vec<Vec<u8>> = (next..end).map(pieces.piece).collect();
            asked.reverse();
            let mut done = bench.run(&asked, &means)?;
            done.reverse();
            for (number, mut result) in (next..end).zip(done) {
                self.pieces.fetch_add(1, Ordering::Relaxed);
                (self.spoil_piece)(&mut result);
                if take(number, result).is_break() {
                    return Ok(());
                }
            }
            next = end;
        }
        Ok(())
    }
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

/// A failure as it was found, not shrunk.
fn found(target: &Target<Teller>) -> Failure {
    let mut campaign = campaign(target, "random");
    (campaign.plan.measures, campaign.plan.keep_going) = (Vec::new(), false);
    campaign.run(&Silent).expect("it runs").findings.remove(0).failure
}

fn shrunk_by(
    target: &Target<Teller>,
    failure: &Failure,
    executions: u64,
    fleet: Option<&dyn Fleet>,
) -> Shrunk {
    let limits = ShrinkLimits { executions, time: None };
    shrink_side_by_side(target, failure, limits, 1, Duration::from_secs(30), fleet, &Silent)
}

#[test]
fn whoever_tries_the_candidates_of_a_shrinking_the_result_is_the_same() {
    let target = target();
    let failure = found(&target);
    // What another process says of a candidate: the truth, that all succeed, and nothing that can be read.
    let truth: fn(&mut Vec<u8>) = |_| {};
    for (number, spoil_piece) in
        [truth, |result| *result = b"[1,1,0]".to_vec(), |result| result.clear()].into_iter().enumerate()
    {
        let executions = if number == 0 { 60_000 } else { 4_000 };
        let local = shrunk_by(&target, &failure, executions, None);
        let here = Here::new(|_, _| {});
        let mut here = Arc::into_inner(here).expect("there is one");
        here.spoil_piece = spoil_piece;
        let fleet = shrunk_by(&target, &failure, executions, Some(&here));
        assert_eq!(fleet.failure, local.failure);
        assert_eq!(
            (fleet.executions, fleet.fruitless, fleet.cut_short),
            (local.executions, local.fruitless, local.cut_short)
        );
        assert!(number > 0 || here.pieces.load(Ordering::Relaxed) > 0, "the fleet had something to do");
    }
}

#[test]
fn what_is_no_candidate_is_refused() {
    let targets: Vec<Box<dyn AnyTarget>> = vec![Box::new(target())];
    assert!(bench_of(&targets, "shrink", b"{}").is_some_and(|bench| bench.is_err()));
    assert!(bench_of(&targets, "trial", b"").is_some_and(|bench| {
        let means = Means { jobs: 1, progress: &Silent };
        bench.is_ok_and(|bench| bench.run(&[b"{}".to_vec()], &means).is_err())
    }));
    assert!(bench_of(&targets, "another", b"").is_none());
}
