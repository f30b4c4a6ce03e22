//! `run --ci`: everything that a CI service takes, in one call.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use shakedown_campaign::{Campaign, Summary, Verdict};
use shakedown_report::{
    FindingReport, JobFinding, JobSummary, annotations, changed_options, job_summary, of_version,
};

use crate::command_error::CommandError;
use crate::past::Past;
use crate::printing::write_file;
use crate::terminal::{paint, print_line, remark};

/// The folder of what a CI service takes, unless another one is named.
pub(crate) const CI_FOLDER: &str = "shakedown-ci";

/// Whether this process runs on GitHub.
fn is_on_github() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
}

/// The folder to write into: the one that was named, or the usual one on GitHub, unless that was declined.
pub(crate) fn ci_folder(named: Option<&Path>, is_declined: bool) -> Option<&Path> {
    named.or_else(|| (is_on_github() && !is_declined).then(|| Path::new(CI_FOLDER)))
}

/// The most bytes of a job's summary: the service refuses more.
const SUMMARY_MAX: usize = 1_000_000;

/// What is written for a CI service: a folder, and what the service reads as the job runs.
pub(crate) struct Ci<'a> {
    folder: &'a Path,
    /// Whether GitHub reads what is printed.
    is_github: bool,
    /// The file to which the summary of the job is added.
    step_summary: Option<PathBuf>,
}

impl<'a> Ci<'a> {
    /// For the service that this process runs on, by its environment.
    pub fn new(folder: &'a Path) -> Ci<'a> {
        let is_github = is_on_github();
        let step_summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        Ci { folder, is_github, step_summary: step_summary.filter(|_| is_github).map(PathBuf::from) }
    }

    /// Where the failure files go.
    pub fn failures(&self) -> PathBuf {
        self.folder.join("failures")
    }

    /// A file of the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Makes the folder.
    pub fn begin(&self) -> Result<(), CommandError> {
        let io = |error| CommandError(format!("{}: {error}", self.folder.display()));
        std::fs::create_dir_all(self.folder).map_err(io)
    }

    /// Writes the summary of the job, and annotates its run.
    pub fn write(
        &self,
        campaign: &Campaign<'_>,
        result: &Summary,
        past: &Past,
        verdict: &Verdict,
        findings: &[FindingReport],
        as_json: bool,
    ) -> Result<(), CommandError> {
        let summary = job(campaign, result, past, verdict, findings);
        let mut text = job_summary(&summary);
        let cut = (0..=SUMMARY_MAX).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(cut.unwrap_or_default());
        write_file(&self.file("summary.md"), &text)?;
        if let Some(path) = &self.step_summary {
            let io = |error| CommandError(format!("{}: {error}", path.display()));
            let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
            file.write_all(text.as_bytes()).map_err(io)?;
        }
        if self.is_github {
            for line in annotations(&summary) {
                // Standard output is JSON alone, where that is wanted; the service reads both.
                match as_json {
                    true => remark!("{line}"),
                    false => print_line!("{line}"),
                }
            }
        }
        if !as_json {
            print_line!("  {}         {}", paint().faint("for CI"), self.folder.display());
        }
        Ok(())
    }
}

fn job(
    campaign: &Campaign<'_>,
    result: &Summary,
    past: &Past,
    verdict: &Verdict,
    findings: &[FindingReport],
) -> JobSummary {
    let mut findings: Vec<_> = findings.iter().map(JobFinding::of).collect();
    findings.extend(past.of_baseline(result));
    let plan = &campaign.plan;
    let target = of_version(campaign.target.name(), campaign.target.version());
    let changed = changed_options(campaign.target, &plan.config);
    let changed = if changed.is_empty() { changed } else { format!(", {changed},") };
    JobSummary {
        title: format!("{target}{changed} with {}, seed {}", plan.strategy, plan.seed),
        verdict: verdict.clone(),
        executions: (result.executions, result.planned),
        findings,
    }
}
