//! Failures of the past beside a campaign: regressions, which are tried before it explores, and a baseline,
//! which says what is known already.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use shakedown_campaign::{Campaign, Cause, Failure, Finding, Standing, Summary, Verdict, have_one_cause};
use shakedown_report::{FindingState, JobFinding};

use crate::command_error::CommandError;
use crate::printing::replay_line;
use crate::regressions::{Fate, REGRESSIONS, Tried, counted, try_all};
use crate::replay_several::as_value;
use crate::terminal::{paint, print_line, remark};

/// Which failures of the past are looked at.
#[derive(Args)]
pub(crate) struct PastOptions {
    /// Try the failures in this folder first, those of the target with the same options
    #[arg(long, value_name = "DIR", default_value = REGRESSIONS)]
    regressions: PathBuf,
    /// Try no failures of the past
    #[arg(long)]
    no_regressions: bool,
    /// Save what is found in the folder of --regressions
    #[arg(long, conflicts_with = "no_regressions")]
    save_regressions: bool,
    /// The failures in this folder, or of the campaign that is stored in it, are known: only others fail.
    /// Implies --keep-going
    #[arg(long, value_name = "DIR")]
    pub baseline: Option<PathBuf>,
}

/// What has become of the failures of the past.
pub(crate) struct Past {
    regressions: Vec<Tried>,
    /// How many files of the folder are of other targets or options.
    others: usize,
    baseline: Option<Vec<Tried>>,
    /// Where findings are saved.
    save_in: Option<PathBuf>,
}

impl Past {
    /// Tries the failures of the past that are of this campaign's target and options.
    pub fn of(campaign: &Campaign<'_>, options: &PastOptions) -> Result<Past, CommandError> {
        let tried = |folder| try_all(campaign.target, &campaign.plan.config, folder, campaign.step_time);
        let (regressions, others) = match options.no_regressions {
            true => (Vec::new(), 0),
            false => tried(&options.regressions)?,
        };
        let is_named = options.regressions != Path::new(REGRESSIONS);
        if is_named && !options.save_regressions && !options.regressions.exists() {
            let folder = options.regressions.display();
            remark!(
                "warning: the folder {folder} of --regressions does not exist: no failures of the past were tried"
            );
        }
        let baseline = options.baseline.as_ref().map(|folder| tried(folder)).transpose()?;
        let save_in = options.save_regressions.then(|| options.regressions.clone());
        Ok(Past { regressions, others, baseline: baseline.map(|(tried, _)| tried), save_in })
    }

    /// Whether a failure is in the baseline, and was not seen to be fixed there.
    pub fn is_known(&self, failure: &Failure) -> bool {
        let found = &failure.violation;
        let mut baseline = self.baseline.iter().flatten().filter(|known| known.fate != Fate::Fixed);
        // A panic whose line has moved is known; another step that the specification forbids is not.
        baseline.any(|Tried { failure: Failure { violation: known, .. }, .. }| {
            known.is_like(found) && (found.is_panic() || have_one_cause(known, found))
        })
    }

    /// The regressions that fail again.
    fn failing(&self) -> Vec<Finding> {
        let failing = self.regressions.iter().filter(|tried| tried.fate.is_failure());
        failing
            .map(|Tried { path, failure, fate }| {
                let mut failure = failure.clone();
                if let Fate::FailsOtherwise(violation) = fate {
                    failure.violation = violation.clone();
                }
                let causes = BTreeMap::from([(Cause::of(&failure.violation).label(), 1)]);
                Finding {
                    failure,
                    hits: 1,
                    causes,
                    path: Some(path.clone()),
                    file_error: None,
                    shrink_executions: 0,
                    shrink_cut_short: None,
                }
            })
            .collect()
    }

    /// What a campaign comes to that is not to be explored, because a regression fails that is not known.
    pub fn ends(&self, campaign: &Campaign<'_>) -> Result<Option<Summary>, CommandError> {
        let is_new = self.failing().iter().any(|finding| !self.is_known(&finding.failure));
        if !is_new || campaign.plan.keep_going {
            return Ok(None);
        }
        let mut summary = campaign.summarise(Standing::default())?;
        self.add_to(&mut summary);
        Ok(Some(summary))
    }

    /// Adds the regressions that fail to what a campaign came to, before what it found.
    pub fn add_to(&self, summary: &mut Summary) {
        let failing = self.failing();
        summary.failed += failing.len() as u64;
        summary.findings.splice(0..0, failing);
    }

    /// Saves what was found, if that is wanted. A failure that does not repeat would be tried in vain.
    pub fn save(&self, summary: &Summary) -> Result<Vec<PathBuf>, CommandError> {
        let Some(folder) = &self.save_in else { return Ok(Vec::new()) };
        let mut saved = Vec::new();
        for finding in summary.findings.iter().filter(|finding| finding.failure.repeats) {
            let path = folder.join(finding.failure.file_name());
            finding.failure.write(&path)?;
            saved.push(path);
        }
        Ok(saved)
    }

    /// The verdict: with a baseline, what is known does not count.
    pub fn verdict(&self, summary: &mut Summary) -> Verdict {
        if self.baseline.is_none() {
            return summary.verdict();
        }
        let is_new = |finding: &&Finding| !self.is_known(&finding.failure);
        if let Some(finding) = summary.findings.iter().find(is_new) {
            return Verdict::Fail(finding.failure.violation.clone());
        }
        let (failed, findings) = (std::mem::take(&mut summary.failed), std::mem::take(&mut summary.findings));
        let verdict = summary.verdict();
        (summary.failed, summary.findings) = (failed, findings);
        verdict
    }

    /// What a job's summary has beside the findings of the campaign: what became of the baseline.
    pub fn of_baseline(&self, summary: &Summary) -> Vec<JobFinding> {
        let is_found = |known: &Tried| {
            let mut findings = summary.findings.iter();
            known.fate != Fate::Fixed
                && findings.any(|finding| known.failure.violation.is_like(&finding.failure.violation))
        };
        let rest = self.baseline.iter().flatten().filter(|known| !is_found(known));
        rest.map(|Tried { path, failure, fate }| {
            let (state, reason) = match fate {
                Fate::Fixed => (FindingState::Fixed, "its schedule violates nothing any more".to_owned()),
                Fate::StillFails => (FindingState::Known, failure.violation.reason.clone()),
                fate => (FindingState::Unclear, format!("{} {}", fate.word(), fate.detail())),
            };
            JobFinding {
                state,
                property: failure.violation.property.clone(),
                reason,
                steps: failure.schedule.steps.len(),
                replay: replay_line(path),
                text: String::new(),
            }
        })
        .collect()
    }

    /// Prints what was tried.
    pub fn print(&self, summary: &Summary) {
        let faint = |name: &str| paint().faint(format!("{name:<11}"));
        if !self.regressions.is_empty() || self.others > 0 {
            let left_out = match self.others {
                0 => String::new(),
                others => format!("; {others} of other targets or options not tried"),
            };
            let tried = self.regressions.len();
            let counts = if tried == 0 { String::new() } else { format!(": {}", counted(&self.regressions)) };
            print_line!("  {} {tried} tried{counts}{left_out}", faint("regressions"));
        }
        if let Some(baseline) = &self.baseline {
            let known = summary.findings.iter().filter(|finding| self.is_known(&finding.failure)).count();
            let new = summary.findings.len() - known;
            let counts = if baseline.is_empty() { "nothing in it".to_owned() } else { counted(baseline) };
            print_line!("  {} {new} new, {known} known; of the baseline: {counts}", faint("baseline"));
        }
    }

    /// The same for JSON.
    pub fn add_to_json(&self, value: &mut Value, verdict: &Verdict, summary: &Summary) {
        if !self.regressions.is_empty() {
            value["regressions"] = self.regressions.iter().map(as_value).collect();
        }
        if let Some(baseline) = &self.baseline {
            value["verdict"] = json!(verdict.word());
            value["verdict_reason"] = json!(verdict.unknown_reason());
            value["baseline"] = baseline.iter().map(as_value).collect();
            if let Some(findings) = value["findings"].as_array_mut() {
                for (value, finding) in findings.iter_mut().zip(&summary.findings) {
                    value["known"] = json!(self.is_known(&finding.failure));
                }
            }
        }
    }

    /// Whether there is a baseline.
    pub fn has_baseline(&self) -> bool {
        self.baseline.is_some()
    }
}
