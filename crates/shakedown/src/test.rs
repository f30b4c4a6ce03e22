//! The builder behind a plain `#[test]`.

mod past;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shakedown_campaign::{
    AnyTarget, Beat, Campaign, CampaignError, CannotReplay, Failure, Finding, Overrides, Replayed, Sameness,
    Silent, Summary, Verdict, guarded,
};
use shakedown_cluster::Recording;
use shakedown_explore::{StrategyChoice, Weights};
use shakedown_report::{DiagramStyle, ForbiddenStep, Reproduction, Text, described_failure, line, summary};

use crate::environment::{failure_folder, setting};
use crate::features::HTML;
use crate::page::{PageOf, write_page};
use crate::regressions::REGRESSIONS;
use crate::replayed::{as_replayed, verdict_of};
use crate::shell::shell_word;
use crate::shrink_budget::ShrinkBudget;
use crate::test_output::remark_in_test;

/// How long one call of a node may take.
const STEP_TIME: Duration = Duration::from_secs(60);

/// The most lines of a diagram in a failing test's output.
const DIAGRAM_LINES_MAX: usize = 40;

/// A test of a target: explore some executions, fail if a property is violated.
///
/// At run time, `SHAKEDOWN_SEED`, `SHAKEDOWN_EXECUTIONS`, `SHAKEDOWN_JOBS` and `SHAKEDOWN_STRATEGY` take
/// precedence over what the test says, `SHAKEDOWN_OUT` is the folder for failure files, `SHAKEDOWN_REPLAY`
/// names a failure file to replay instead of exploring, and `SHAKEDOWN_HTML` the page that is written of a
/// failure, to go through it in a browser. `SHAKEDOWN_REGRESSIONS` names the folder of failures that are
/// tried first; `off` tries none. `SHAKEDOWN_SHRINK_BUDGET` limits the shrinking of a failure to a number of
/// executions (`2000`) or of seconds (`30s`).
///
/// A test that passes prints what happened (how many steps of each kind, and which never came) on standard
/// error: `cargo test -- --nocapture` shows it.
#[must_use = "a test does nothing until it is run"]
pub struct Test {
    target: Box<dyn AnyTarget>,
    executions: u64,
    seed: u64,
    jobs: usize,
    strategy: String,
    overrides: Overrides,
    check_determinism: bool,
    /// Where the failures lie that are tried first.
    regressions: Option<PathBuf>,
}

impl Test {
    /// A test of this target: 1 000 executions by random walk from seed 1, one at a time.
    pub fn new(target: impl AnyTarget + 'static) -> Test {
        Test {
            target: Box::new(target),
            executions: 1_000,
            seed: 1,
            jobs: 1,
            strategy: "random".to_owned(),
            overrides: Overrides::default(),
            check_determinism: false,
            regressions: Some(PathBuf::from(REGRESSIONS)),
        }
    }

    /// How many executions.
    pub fn executions(mut self, executions: u64) -> Test {
        self.executions = executions;
        self
    }

    /// The source of all randomness.
    pub fn seed(mut self, seed: u64) -> Test {
        self.seed = seed;
        self
    }

    /// How many executions side by side. It never changes the result.
    pub fn jobs(mut self, jobs: usize) -> Test {
        self.jobs = jobs;
        self
    }

    /// What chooses the steps: `random`, `pctcp`, `pos`, `fuzz` and all others that `shakedown strategies`
    /// lists. Parameters follow a colon, lists stand in brackets: `pctcp:depth=10`,
    /// `fuzz:guide=state,horizon=100`, `waypoint:waypoints=[LogDiff(1), LogDiff(2)]`.
    pub fn strategy(mut self, strategy: impl Into<String>) -> Test {
        self.strategy = strategy.into();
        self
    }

    /// How many nodes, if not as many as the target says.
    pub fn nodes(mut self, nodes: usize) -> Test {
        self.overrides.nodes = Some(nodes);
        self
    }

    /// The maximum number of steps of an execution, if not as many as the target says, or as the episodes of
    /// a strategy take.
    pub fn steps(mut self, steps: usize) -> Test {
        self.overrides.steps = Some(steps);
        self
    }

    /// How many requests, if not as many as the target says.
    pub fn requests(mut self, requests: usize) -> Test {
        self.overrides.requests = Some(requests);
        self
    }

    /// The most crashes of an execution, if not as many as the target says.
    pub fn crashes(mut self, crashes: usize) -> Test {
        self.overrides.crashes = Some(crashes);
        self
    }

    /// Gives an option of the target a value.
    pub fn set(mut self, option: &str, value: impl Display) -> Test {
        self.overrides.options.set(option, value);
        self
    }

    /// How likely each kind of step is, if not as the target says.
    pub fn weights(mut self, weights: Weights) -> Test {
        self.overrides.weights = Some(weights);
        self
    }

    /// Runs every execution twice and fails if the two are not the same, bit for bit.
    pub fn check_determinism(mut self) -> Test {
        self.check_determinism = true;
        self
    }

    /// Tries the failures of this folder first, in place of those in `shakedown-regressions`.
    pub fn regressions(mut self, folder: impl Into<PathBuf>) -> Test {
        self.regressions = Some(folder.into());
        self
    }

    /// Tries no failures of the past, and saves none.
    pub fn without_regressions(mut self) -> Test {
        self.regressions = None;
        self
    }

    /// Explores, and panics with a report if a property is violated or the result is inconclusive.
    ///
    /// Before that, the failures in the folder `shakedown-regressions` are tried that are of this target with
    /// these options: the test fails if one of them still does. If the folder is there, what is found is
    /// saved in it.
    ///
    /// # Panics
    /// That is how a test fails.
    #[track_caller]
    pub fn run(self) {
        page_wanted();
        if let Some(file) = setting::<PathBuf>("REPLAY") {
            return self.replay(&file);
        }
        let campaign = self.campaign();
        let regressions = self.regression_folder();
        if let Some(folder) = &regressions {
            self.try_regressions(&campaign, folder);
        }
        let result = explored(&campaign);
        match (result.verdict(), result.findings.first()) {
            (Verdict::Fail(_), Some(finding)) => {
                let saved =
                    regressions.map(|folder| past::saved(&finding.failure, &folder)).unwrap_or_default();
                let mut report = self.print_report(finding);
                report.append(saved);
                fail(&report)
            }
            (Verdict::Fail(violation), None) => panic!("{}", harmless(&violation)),
            (Verdict::Unknown(reason), _) => panic!("the test is inconclusive: {}", harmless(&reason)),
            (Verdict::Pass, _) => remark_in_test(&summary(&campaign, &result)),
        }
    }

    /// Explores and expects this property to be violated: gives the finding, of which no failure file is
    /// written ([`Failure::write`] does). For tests of the tests.
    ///
    /// # Panics
    /// If the property is not violated, or another one is before it: that ends the exploration. And if
    /// `SHAKEDOWN_REPLAY` names a failure of this target that is still there: then it is shown.
    #[track_caller]
    pub fn expect_violation(self, property: &str) -> Finding {
        page_wanted();
        if let Some(file) = setting::<PathBuf>("REPLAY") {
            self.replay(&file);
        }
        let Summary { executions, findings, .. } = explored(&Campaign { out: None, ..self.campaign() });
        match findings.into_iter().next() {
            None => panic!("{property} was not violated in {executions} executions"),
            Some(mut finding) if finding.failure.violation.property != property => {
                let path = failure_folder().join(finding.failure.file_name());
                match finding.failure.write(&path) {
                    Ok(()) => finding.path = Some(path),
                    Err(error) => finding.file_error = Some(error.to_string()),
                }
                let several = if executions == 1 { "execution" } else { "executions" };
                panic!(
                    "{property} was not violated in {executions} {several}, but {}",
                    self.print_report(&finding)
                )
            }
            Some(finding) => finding,
        }
    }

    #[track_caller]
    fn campaign(&self) -> Campaign<'_> {
        let mut campaign = Campaign::new(self.target.as_ref());
        campaign.plan.executions = setting("EXECUTIONS").unwrap_or(self.executions);
        campaign.plan.seed = setting("SEED").unwrap_or(self.seed);
        campaign.jobs = setting("JOBS").unwrap_or(self.jobs);
        campaign.plan.strategy = setting("STRATEGY").unwrap_or_else(|| chosen(&self.strategy));
        campaign.plan.check_determinism = self.check_determinism;
        campaign.out = Some(failure_folder());
        campaign.step_time = STEP_TIME;
        if let Some(budget) = setting::<ShrinkBudget>("SHRINK_BUDGET") {
            campaign.plan.shrink = campaign.plan.shrink.map(|limits| budget.of(limits));
        }
        campaign.apply(&self.overrides);
        campaign
    }

    /// What a failing test prints.
    fn print_report(&self, finding: &Finding) -> Text {
        let found = &finding.failure;
        let replayed =
            guarded(STEP_TIME, &Silent, found.found.execution, |beat| self.replayed(found, beat).ok());
        let trace = replayed.as_ref().and_then(|replayed| replayed.outcome.as_ref());
        let style = DiagramStyle { lines_max: DIAGRAM_LINES_MAX, ..DiagramStyle::default() };
        let forbidden = trace.and_then(|outcome| ForbiddenStep::first(&outcome.spec_steps));
        let trace = trace.map(|outcome| &outcome.trace);
        let mut text = described_failure(found, Reproduction::Violated, trace, forbidden.as_ref(), style);
        if let Some(note) = shakedown_report::shrinking(finding) {
            text.blank();
            line!(text, "  {note}");
        }
        if let Some(error) = &finding.file_error {
            text.blank();
            line!(text, "  no failure file could be written: {error}");
        }
        if let Some(path) = &finding.path {
            if let Some(replayed) = replayed {
                text.append(self.page(path, found, replayed));
            }
            text.blank();
            line!(text, "  failure file  {}", path.display());
            line!(text, "  replay        {}", replay_line(path));
        }
        text
    }

    #[track_caller]
    fn replay(&self, file: &Path) {
        let kept = match Failure::read(file) {
            Ok(kept) => kept,
            Err(error) => panic!("SHAKEDOWN_REPLAY: {}", harmless(&error)),
        };
        if kept.target != self.target.name() {
            let mut text = Text::new();
            line!(text, "not replayed here: {} is of target {}", file.display(), kept.target);
            return remark_in_test(&text);
        }
        let replayed = guarded(STEP_TIME, &Silent, kept.found.execution, |beat| self.replayed(&kept, beat));
        let replayed = match replayed {
            Ok(replayed) => replayed,
            Err(error) => panic!("{}", harmless(&error)),
        };
        let verdict = verdict_of(self.target.as_ref(), &kept, &replayed);
        let trace = replayed.outcome.as_ref().map(|outcome| &outcome.trace);
        let reproduction = Reproduction::of(&verdict);
        let forbidden =
            replayed.outcome.as_ref().and_then(|outcome| ForbiddenStep::first(&outcome.spec_steps));
        let described = |shown: &Failure| {
            described_failure(shown, reproduction, trace, forbidden.as_ref(), DiagramStyle::default())
        };
        match (&verdict, replayed.same) {
            (Verdict::Pass, _) => {
                let mut text = described(&kept);
                line!(text, "the schedule of {} violates nothing any more", file.display());
                text.append(self.page(file, &kept, Replayed { verdict, ..replayed }));
                remark_in_test(&text);
            }
            (Verdict::Unknown(reason), _) => panic!("the replay is inconclusive: {}", harmless(reason)),
            (Verdict::Fail(violation), same) => {
                let shown = as_replayed(&kept, &verdict);
                let mut text = described(&shown);
                let note = match same {
                    Sameness::Exact => "the same trace as when it was found, bit for bit".to_owned(),
                    Sameness::OtherTrace => {
                        "not quite the same trace as when it was found: the code has changed".to_owned()
                    }
                    Sameness::Retraced => "the same property is violated; traces are not compared".to_owned(),
                    Sameness::OtherVerdict => format!("now another property is violated: {violation}"),
                    Sameness::Unrepeatable => format!("the target is not deterministic: {violation}"),
                };
                text.blank();
                line!(text, "  {note}");
                text.append(self.page(file, &kept, replayed));
                fail(&text)
            }
        }
    }

    /// Replays a failure: once, for the report and for the page where one is wanted.
    fn replayed(&self, found: &Failure, beat: &Beat) -> Result<Replayed, CannotReplay> {
        found.replay_with_model(self.target.as_ref(), Recording::Full, beat)
    }

    /// Writes the page of a failure where one is wanted, and says so.
    fn page(&self, file: &Path, found: &Failure, replayed: Replayed) -> Text {
        let mut text = Text::new();
        let Some(out) = page_wanted() else { return text };
        text.blank();
        let page = PageOf { file: Some(file), replay: replay_line(file), explained: None, links: Vec::new() };
        match write_page(self.target.as_ref(), &out, found.clone(), replayed, page) {
            Ok(()) => line!(text, "  page          {}", out.display()),
            Err(error) => line!(text, "  SHAKEDOWN_HTML: {}", error.0),
        }
        text
    }
}

/// The strategy that a test names.
#[track_caller]
fn chosen(strategy: &str) -> StrategyChoice {
    match strategy.parse() {
        Ok(strategy) => strategy,
        Err(error) => panic!("{error}"),
    }
}

/// Where the page of a failure is wanted.
///
/// # Panics
/// If one is wanted and this build makes none: what was asked for must not be ignored.
#[track_caller]
fn page_wanted() -> Option<PathBuf> {
    let out = setting("HTML")?;
    if let Err(missing) = HTML.needed_for("SHAKEDOWN_HTML") {
        panic!("{missing}");
    }
    Some(out)
}

/// What came of a campaign.
#[track_caller]
fn explored(campaign: &Campaign<'_>) -> Summary {
    let result: Result<Summary, CampaignError> = campaign.run(&Silent);
    match result {
        Ok(summary) => summary,
        Err(error) => panic!("{}", harmless(&error)),
    }
}

/// Foreign text as one line that is safe on a terminal, for the message of a panic.
fn harmless(foreign: &impl Display) -> String {
    let mut text = Text::new();
    line!(text, "{foreign}");
    text.to_string().trim_end().to_owned()
}

/// The line that replays a failure file in the test that is running, and in no other.
fn replay_line(file: &Path) -> String {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    format!("SHAKEDOWN_REPLAY={} cargo test {test} -- --exact", shell_word(&file.to_string_lossy()))
}

/// Fails the test with this report. Like a panic, but without the panic's own message and backtrace, which
/// would bury the report.
fn fail(report: &Text) -> ! {
    remark_in_test(report);
    std::panic::resume_unwind(Box::new(report.to_string()))
}
