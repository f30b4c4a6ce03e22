//! Files that tell of a campaign or a failure: pages, JUnit XML, SARIF.

use std::path::{Path, PathBuf};

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Failure, Finding, Replayed, Sameness, Summary, Verdict};
use shakedown_report::html::{self, HtmlReport, ReportVerdict};
use shakedown_report::{FindingReport, JUnitSuite, Reproduction, junit, safe_json, sarif};

use crate::command_line::Trouble;
use crate::replayed::as_replayed;
use crate::telling::{finding_report, finding_report_of, write_file};

/// Which files of a campaign are wanted.
#[derive(Args, Clone)]
pub(crate) struct ReportFiles {
    /// Write a page to look at in a browser, one file that needs no network [default of `report`: report.html in the folder]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the result as JUnit XML, for CI servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

impl ReportFiles {
    /// Writes the files of a campaign that were asked for.
    pub fn write(&self, campaign: &Campaign<'_>, result: &Summary) -> Result<(), Trouble> {
        if [&self.html, &self.junit, &self.sarif].iter().all(|out| out.is_none()) {
            return Ok(());
        }
        let report = |finding: &Finding| {
            finding_report(campaign.target, finding.failure.clone(), finding.path.as_deref())
        };
        let findings = result.findings.iter().map(report).collect();
        let verdict = result.verdict();
        let suite = JUnitSuite {
            name: format!("{} {}", campaign.target.name(), campaign.strategy),
            seconds: (result.elapsed + result.shrinking).as_secs_f64(),
            held: Vec::new(),
            unknown: verdict.unknown_reason().map(str::to_owned),
        };
        self.write_all(&verdict, &suite, findings, |findings| {
            Ok(HtmlReport::of_campaign(campaign, result, findings))
        })
    }

    /// Writes those of these that were asked for.
    pub fn write_all(
        &self,
        verdict: &Verdict,
        suite: &JUnitSuite,
        findings: Vec<FindingReport>,
        page: impl FnOnce(Vec<FindingReport>) -> Result<HtmlReport, Trouble>,
    ) -> Result<(), Trouble> {
        if let Some(out) = &self.junit {
            write_file(out, &junit(suite, &findings))?;
        }
        if let Some(out) = &self.sarif {
            write_file(out, &format!("{}\n", safe_json(&sarif(verdict, &findings))))?;
        }
        if let Some(out) = &self.html {
            write_file(out, &html::render(&page(findings)?))?;
        }
        Ok(())
    }
}

/// A failure that was replayed, as a page, with the line that does it again.
pub(crate) fn write_page(
    target: &dyn AnyTarget,
    out: &Path,
    file: &Path,
    found: Failure,
    replayed: Replayed,
    replay: String,
) -> Result<(), Trouble> {
    let verdict_text = match (&replayed.verdict, replayed.same) {
        (Verdict::Pass, _) => "The schedule violates nothing any more.".to_owned(),
        (Verdict::Unknown(reason), _) => format!("Inconclusive: {reason}."),
        (Verdict::Fail(_), Sameness::Exact) => {
            "The same violation and the same trace as in the failure file, bit for bit.".to_owned()
        }
        (Verdict::Fail(_), Sameness::OtherTrace) => {
            "The same violation, but not quite the same trace: the target has changed.".to_owned()
        }
        (Verdict::Fail(_), Sameness::OtherVerdict) => {
            "Another property is violated than the failure file says.".to_owned()
        }
    };
    let verdict = replayed.verdict;
    // What is shown is what happened now.
    let found = as_replayed(&found, &verdict);
    let what = if matches!(verdict, Verdict::Fail(_)) { "A failure" } else { "A recorded failure" };
    let title = format!("{what} of {}", found.target);
    let trace = replayed.outcome.map(|outcome| outcome.trace);
    let finding = finding_report_of(target, found, Reproduction::of(&verdict), trace, Some(file), replay);
    let page = html::render(&HtmlReport {
        title,
        verdict: ReportVerdict::of(&verdict),
        verdict_text,
        findings: vec![finding],
        ..HtmlReport::default()
    });
    write_file(out, &page)
}
