//! Panics that never leave a node's call: an executor, a join or a drop catches them. Each of them is a
//! finding.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use shakedown_campaign::{
    Beat, Campaign, Failure, Finding, Sameness, ShrinkLimits, Silent, Summary, Target, Verdict, shrink,
};
use shakedown_cluster::{Context, Contract, Crashes, Message, Node, NodeId, Recording, StepKind};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Ping;

impl Message for Ping {
    fn kind(&self) -> &'static str {
        "Ping"
    }
}

/// Where the panic is lost: an option of the target, by its place in [`PLACES`].
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Nowhere,
    Task,
    TwoTasks,
    JoinedThread,
    NamedThread,
    LostThread,
    Drop,
    Cancelled,
    End,
}

const PLACES: [Where; 9] = [
    Where::Nowhere,
    Where::Task,
    Where::TwoTasks,
    Where::JoinedThread,
    Where::NamedThread,
    Where::LostThread,
    Where::Drop,
    Where::Cancelled,
    Where::End,
];

/// A future that waits for ever, and panics when it is dropped.
struct Patient;

impl Future for Patient {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut TaskContext<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for Patient {
    fn drop(&mut self) {
        // Executors catch what the drop of a task panics with.
        let _ = catch_unwind(|| panic!("cancelled half-way"));
    }
}

/// Has a little executor inside, and meets its fault at the second message that it receives.
struct Shell {
    fault: Where,
    received: u64,
    tasks: Vec<Pin<Box<dyn Future<Output = ()>>>>,
}

impl Shell {
    fn spawn(&mut self, task: impl Future<Output = ()> + 'static) {
        self.tasks.push(Box::pin(task));
    }

    /// Polls every task once. A task that panics is forgotten.
    fn run(&mut self) {
        let mut context = TaskContext::from_waker(Waker::noop());
        self.tasks.retain_mut(|task| {
            let poll = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(&mut context)));
            matches!(poll, Ok(Poll::Pending))
        });
    }
}

impl Node for Shell {
    type Message = Ping;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let place = ctx.options().get::<usize>("fault").expect("the target has this option");
        Shell { fault: PLACES[place], received: 0, tasks: Vec::new() }
    }

    fn receive(&mut self, _from: NodeId, _message: Ping, _ctx: &mut Context<'_, Self>) {
        self.received += 1;
        if self.received != 2 {
            return;
        }
        match self.fault {
            Where::Task => self.spawn(async { panic!("a task panics") }),
            Where::TwoTasks => {
                self.spawn(async { panic!("the first") });
                self.spawn(async { panic!("the second") });
            }
            Where::JoinedThread => {
                let _ = std::thread::spawn(|| panic!("a thread panics")).join();
            }
            Where::NamedThread => {
                let thread = std::thread::Builder::new().name("worker".to_owned());
                let _ = thread.spawn(|| panic!("a thread with a name panics")).expect("it starts").join();
            }
            Where::LostThread => drop(std::thread::spawn(|| panic!("a thread panics unseen"))),
            Where::Drop => drop(Patient),
            Where::Cancelled => self.spawn(Patient),
            Where::End | Where::Nowhere => {}
        }
        self.run();
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        for peer in ctx.peers() {
            ctx.send(peer, Ping);
        }
    }

    fn observe(&self) -> u64 {
        self.received
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if self.fault == Where::End && self.received > 1 {
            panic!("it cannot go")
        }
    }
}

fn target(fault: Where) -> Target<Shell> {
    let contract = Contract { crashes: Crashes::Minority, ..Contract::asynchronous() };
    let place = PLACES.iter().position(|place| *place == fault).expect("all are listed");
    Target::new("shell").contract(contract).crashes(3).steps(60).option("fault", place, "where it panics")
}

fn campaign(target: &Target<Shell>, crashes: u32) -> Campaign<'_> {
    let mut campaign = Campaign::new(target);
    campaign.plan.executions = 20;
    campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
    campaign.plan.weights = campaign.plan.weights.clone().with(StepKind::Crash, crashes);
    campaign
}

fn run(target: &Target<Shell>, crashes: u32) -> Summary {
    campaign(target, crashes).run(&Silent).expect("the campaign runs")
}

/// The finding of a campaign that must fail. Its file replays.
fn finding(fault: Where, crashes: u32) -> Finding {
    let target = target(fault);
    let mut summary = run(&target, crashes);
    assert_eq!(summary.findings.len(), 1, "a lost panic is a finding");
    let finding = summary.findings.remove(0);
    let text = serde_json::to_string(&finding.failure).expect("it has a JSON form");
    let kept: Failure = serde_json::from_str(&text).expect("it can be read");
    let replayed = kept.replay(&target, Recording::Full).expect("it replays");
    assert_eq!(replayed.verdict, Verdict::Fail(finding.failure.violation.clone()));
    let trace = &replayed.outcome.expect("it booted").trace;
    assert_eq!(trace.states.len(), trace.board.moments().len(), "there is one state for each moment");
    if fault != Where::LostThread {
        assert_eq!(replayed.same, Sameness::Exact);
    }
    assert!(finding.failure.violation.property.starts_with("panic at crates/campaign/tests/lost_panics.rs:"));
    assert!(finding.failure.found.shrunk);
    finding
}

#[test]
fn a_panic_in_a_task_that_the_executor_catches_is_a_finding() {
    let failure = finding(Where::Task, 0).failure;
    assert!(
        failure.violation.reason.ends_with("panicked in receive: a task panics"),
        "{}",
        failure.violation
    );
    assert_eq!(failure.schedule.steps.len(), 4, "two ticks and two deliveries are enough");
}

#[test]
fn a_panic_recorded_in_another_checkout_or_on_another_line_is_recognised() {
    let target = target(Where::Task);
    let mut failure = finding(Where::Task, 0).failure;
    let here = failure.violation.clone();
    let line: u32 = here.property.rsplit(':').nth(1).and_then(|line| line.parse().ok()).expect("a line");
    let moved = |line: u32, path: &str| format!("panic at {path}:{line}:9");
    for (property, is_known) in [
        (moved(line, "monorepo/crates/campaign/tests/lost_panics.rs"), true),
        (moved(line, "tests/lost_panics.rs"), true),
        (moved(line + 7, "tests/lost_panics.rs"), true),
        (moved(line, "tests/other.rs"), false),
    ] {
        failure.violation.property = property;
        let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
        assert_eq!(replayed.verdict, Verdict::Fail(here.clone()));
        assert_eq!(replayed.same == Sameness::Exact, is_known, "{}", failure.violation.property);
        let limits = ShrinkLimits { executions: 20, time: None };
        let shrunk = shrink(&target, &failure, limits, &Beat::default()).failure;
        assert_eq!((shrunk.repeats, shrunk.violation == here), (is_known, is_known));
    }
    failure.violation.property = moved(line + 7, "tests/lost_panics.rs");
    failure.violation.reason = "n1 panicked in receive: something else".to_owned();
    let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
    assert_eq!(replayed.same, Sameness::OtherVerdict, "neither the line nor the message is the same");
}

#[test]
fn the_first_of_several_caught_panics_counts() {
    let failure = finding(Where::TwoTasks, 0).failure;
    assert!(failure.violation.reason.ends_with("the first"), "{}", failure.violation);
}

#[test]
fn a_panic_in_a_drop_that_catches_it_is_a_finding() {
    let failure = finding(Where::Drop, 0).failure;
    assert!(failure.violation.reason.ends_with("panicked in receive: cancelled half-way"));
}

#[test]
fn a_panic_in_a_future_that_is_cancelled_by_a_crash_is_a_finding() {
    let target = target(Where::Cancelled);
    let mut campaign = campaign(&target, 200);
    campaign.plan.keep_going = true;
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let replayed = summary.findings[0].failure.replay(&target, Recording::Brief).expect("it replays");
    assert_eq!(replayed.same, Sameness::Exact);
    let violation = &summary.findings[0].failure.violation;
    assert!(violation.reason.ends_with("panicked in its drop: cancelled half-way"), "{violation}");
}

#[test]
fn a_node_that_panics_when_the_execution_ends_is_a_finding() {
    let failure = finding(Where::End, 0).failure;
    assert!(
        failure.violation.reason.ends_with("panicked in its drop: it cannot go"),
        "{}",
        failure.violation
    );
    assert_eq!(failure.schedule.steps.len(), 4);
}

#[test]
fn caught_panics_are_no_findings_where_the_target_tolerates_them() {
    let tolerant = target(Where::Task).tolerates_caught_panics(true);
    assert_eq!((run(&tolerant, 0).failed, run(&tolerant, 0).executions), (0, 20));
    let tolerant = target(Where::JoinedThread).tolerates_caught_panics(true);
    assert_eq!((run(&tolerant, 0).failed, run(&tolerant, 0).executions), (0, 20));
    let loud = target(Where::End).tolerates_caught_panics(true);
    assert_eq!(run(&loud, 0).failed, 1, "nothing of the target caught this one");
}

#[test]
#[cfg(target_os = "linux")]
fn a_panic_on_a_thread_that_is_joined_is_a_finding() {
    let failure = finding(Where::JoinedThread, 0).failure;
    let reason = &failure.violation.reason;
    assert!(reason.ends_with("panicked in a thread of the target: a thread panics"), "{reason}");
    assert_eq!(failure.schedule.steps.len(), 4, "the call that joined it is the last step");
}

#[test]
#[cfg(target_os = "linux")]
fn a_panic_on_a_thread_that_nothing_waits_for_is_a_finding() {
    let failure = finding(Where::LostThread, 0).failure;
    let reason = &failure.violation.reason;
    assert!(reason.ends_with("panicked in a thread of the target: a thread panics unseen"), "{reason}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_panic_of_a_thread_is_found_with_any_number_of_jobs() {
    let target = target(Where::JoinedThread);
    let found = [1, 2, 4].map(|jobs| {
        let summary = Campaign { jobs, ..campaign(&target, 0) }.run(&Silent).expect("the campaign runs");
        (summary.findings[0].failure.clone(), summary.executions, summary.fingerprint)
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn panics_of_other_tests_in_the_same_process_are_no_findings() {
    // What a harness of tests does: threads, with and without names, that panic while executions run
    // elsewhere.
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let quiet = |name: Option<&str>| {
        let mut thread = std::thread::Builder::new();
        if let Some(name) = name {
            thread = thread.name(name.to_owned());
        }
        thread.spawn(|| panic!("of no concern")).expect("it starts").join().expect_err("it panics");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                quiet(None);
                quiet(Some("tests::another"));
            }
        });
        let target = target(Where::Nowhere);
        let mut campaign = campaign(&target, 5);
        (campaign.plan.executions, campaign.jobs) = (500, 2);
        let summary = campaign.run(&Silent);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let summary = summary.expect("the campaign runs");
        assert_eq!((summary.executions, summary.failed, summary.unknown), (500, 0, 0));
    });
}

#[test]
fn a_named_thread_in_a_process_of_tests_cannot_be_attributed() {
    // It is the one that stays a PASS; docs/nondeterminism.md names it. Its panic is printed as ever.
    let target = target(Where::NamedThread);
    assert_eq!(run(&target, 0).failed, 0);
}
