//! The builder behind a plain `#[test]`.

use std::path::PathBuf;
use std::time::Duration;

use shakedown_campaign::{
    AnyTarget, Campaign, CannotReplay, Failure, Finding, Progress, Sameness, Silent, Summary, Verdict,
    guarded,
};
use shakedown_cluster::{Options, Recording};
use shakedown_explore::Weights;
use shakedown_report::{DiagramStyle, failure};

use crate::environment::{failure_folder, setting};

/// How long one call of a node may take.
const STEP_TIME: Duration = Duration::from_secs(60);

/// The most lines of a diagram in a failing test's output.
const DIAGRAM_LINES_MAX: usize = 40;

/// A test of a target: explore some executions, fail if a property is violated.
///
/// At run time, `SHAKEDOWN_SEED`, `SHAKEDOWN_EXECUTIONS`, `SHAKEDOWN_JOBS` and `SHAKEDOWN_STRATEGY` take precedence over
/// what the test says, `SHAKEDOWN_OUT` is the folder for failure files, and `SHAKEDOWN_REPLAY` names a failure file to
/// replay instead of exploring.
#[must_use = "a test does nothing until it is run"]
pub struct Test {
    target: Box<dyn AnyTarget>,
    executions: u64,
    seed: u64,
    jobs: usize,
    strategy: String,
    nodes: Option<usize>,
    steps: Option<usize>,
    requests: Option<usize>,
    options: Options,
    weights: Option<Weights>,
    check_determinism: bool,
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
            nodes: None,
            steps: None,
            requests: None,
            options: Options::default(),
            weights: None,
            check_determinism: false,
        }
    }

    /// How many executions.
    pub fn executions(mut self, executions: u64) -> Test {
        self.executions = executions;
        self
    }

    /// Where all randomness comes from.
    pub fn seed(mut self, seed: u64) -> Test {
        self.seed = seed;
        self
    }

    /// How many executions side by side. It never changes the result.
    pub fn jobs(mut self, jobs: usize) -> Test {
        self.jobs = jobs;
        self
    }

    /// What chooses the steps: `random`, `pctcp`, `pos`; with parameters as in `pctcp:depth=10`.
    pub fn strategy(mut self, strategy: impl Into<String>) -> Test {
        self.strategy = strategy.into();
        self
    }

    /// How many nodes, if not as many as the target says.
    pub fn nodes(mut self, nodes: usize) -> Test {
        self.nodes = Some(nodes);
        self
    }

    /// The most steps of an execution, if not as many as the target says.
    pub fn steps(mut self, steps: usize) -> Test {
        self.steps = Some(steps);
        self
    }

    /// How many requests, if not as many as the target says.
    pub fn requests(mut self, requests: usize) -> Test {
        self.requests = Some(requests);
        self
    }

    /// Gives an option of the target a value.
    pub fn set(mut self, option: &str, value: impl std::fmt::Display) -> Test {
        self.options.set(option, value);
        self
    }

    /// How likely each kind of step is, if not as the target says.
    pub fn weights(mut self, weights: Weights) -> Test {
        self.weights = Some(weights);
        self
    }

    /// Runs every execution twice and fails if the two are not the same, bit for bit.
    pub fn check_determinism(mut self) -> Test {
        self.check_determinism = true;
        self
    }

    /// Explores, and panics with a report if a property is violated, or if nothing can be said.
    ///
    /// # Panics
    /// That is how a test fails.
    pub fn run(self) {
        if let Some(file) = setting::<PathBuf>("REPLAY") {
            return self.replay(&file);
        }
        let (summary, text) = self.explore(&Silent);
        match summary {
            Err(error) => panic!("{error}"),
            Ok(_) if text.is_some() => fail(&text.unwrap_or_default()),
            Ok(summary) if summary.unknown > 0 => {
                let reason = summary.unknown_reason.unwrap_or_default();
                panic!(
                    "nothing can be said of {} of {} executions: {reason}",
                    summary.unknown, summary.executions
                )
            }
            Ok(_) => {}
        }
    }

    /// Explores and expects this property to be violated: gives the finding. For tests of the tests.
    ///
    /// # Panics
    /// If the property is not violated.
    pub fn expect_violation(self, property: &str) -> Finding {
        let (summary, _) = self.explore(&Silent);
        let summary = summary.unwrap_or_else(|error| panic!("{error}"));
        let executions = summary.executions;
        let finding = summary.findings.into_iter().find(|f| f.failure.violation.property == property);
        finding.unwrap_or_else(|| panic!("{property} was not violated in {executions} executions"))
    }

    fn explore(
        &self,
        progress: &dyn Progress,
    ) -> (Result<Summary, shakedown_campaign::CampaignError>, Option<String>) {
        let campaign = self.campaign();
        let summary = campaign.run(progress);
        let text = match &summary {
            Ok(summary) => summary.findings.first().map(|finding| self.tell(finding)),
            Err(_) => None,
        };
        (summary, text)
    }

    fn campaign(&self) -> Campaign<'_> {
        let mut campaign = Campaign::new(self.target.as_ref());
        campaign.executions = setting("EXECUTIONS").unwrap_or(self.executions);
        campaign.seed = setting("SEED").unwrap_or(self.seed);
        campaign.jobs = setting("JOBS").unwrap_or(self.jobs);
        campaign.strategy = setting("STRATEGY").unwrap_or_else(|| self.strategy.clone());
        campaign.check_determinism = self.check_determinism;
        campaign.out = Some(failure_folder());
        campaign.step_time = STEP_TIME;
        if let Some(weights) = &self.weights {
            campaign.weights = weights.clone();
        }
        let config = &mut campaign.config;
        config.nodes = self.nodes.unwrap_or(config.nodes);
        config.steps = self.steps.unwrap_or(config.steps);
        config.requests = self.requests.unwrap_or(config.requests);
        for (option, value) in self.options.iter() {
            config.options.set(option, value);
        }
        campaign
    }

    /// What a failing test prints.
    fn tell(&self, finding: &Finding) -> String {
        let replayed = guarded(STEP_TIME, &Silent, finding.failure.found.execution, |beat| {
            finding.failure.replay_watched(self.target.as_ref(), Recording::Full, beat).ok()
        });
        let trace = replayed.and_then(|replayed| replayed.outcome).map(|outcome| outcome.trace);
        let style = DiagramStyle { lines_max: DIAGRAM_LINES_MAX, ..DiagramStyle::default() };
        let mut text = failure(&finding.failure, trace.as_ref(), style);
        if let Some(note) = shakedown_report::shrinking(finding) {
            text.push_str(&format!("\n  {note}\n"));
        }
        if let Some(error) = &finding.file_error {
            text.push_str(&format!("\n  no failure file could be written: {error}\n"));
        }
        if let Some(path) = &finding.path {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            let path = path.display();
            text.push_str(&format!(
                "\n  failure file  {path}\n  replay        SHAKEDOWN_REPLAY={path} cargo test {test}\n"
            ));
        }
        text
    }

    fn replay(&self, file: &std::path::Path) {
        let kept = Failure::read(file).unwrap_or_else(|error| panic!("{error}"));
        if kept.target != self.target.name() {
            eprintln!("not replayed here: {} is of target {}", file.display(), kept.target);
            return;
        }
        let replayed = guarded(STEP_TIME, &Silent, kept.found.execution, |beat| {
            kept.replay_watched(self.target.as_ref(), Recording::Full, beat)
        });
        let replayed = match replayed {
            Ok(replayed) => replayed,
            Err(CannotReplay::Diverged(divergence)) => panic!("{divergence}"),
            Err(error) => panic!("{error}"),
        };
        let trace = replayed.outcome.as_ref().map(|outcome| &outcome.trace);
        match (&replayed.verdict, replayed.same) {
            (Verdict::Pass, _) => eprintln!("the schedule of {} violates nothing any more", file.display()),
            (Verdict::Unknown(reason), _) => panic!("nothing can be said: {reason}"),
            (Verdict::Fail(violation), same) => {
                let text = failure(&kept, trace, DiagramStyle::default());
                let note = match same {
                    Sameness::Exact => "the same trace as when it was found, bit for bit".to_owned(),
                    Sameness::OtherTrace => {
                        "not quite the same trace as when it was found: the code has changed".to_owned()
                    }
                    Sameness::OtherVerdict => format!("now another property is violated: {violation}"),
                };
                fail(&format!("{text}\n  {note}\n"))
            }
        }
    }
}

/// Fails the test with this report. Like a panic, but without the panic's own message and backtrace, which would bury
/// the report.
fn fail(report: &str) -> ! {
    eprintln!("{report}");
    std::panic::resume_unwind(Box::new(report.to_owned()))
}
