//! Files that tell of a campaign or a failure: pages, JUnit XML, SARIF.

use std::path::{Path, PathBuf};

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Failure, Finding, Replayed, Sameness, Summary, Verdict};
use shakedown_report::html::{self, HtmlReport, ReportVerdict};
use shakedown_report::{FindingReport, JUnitSuite, junit, sarif};

use crate::command_line::Trouble;
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
        let suite = JUnitSuite {
            name: format!("{} {}", campaign.target.name(), campaign.strategy),
            seconds: (result.elapsed + result.shrinking).as_secs_f64(),
            held: Vec::new(),
            unknown: result.untold(),
        };
        self.write_all(&suite, findings, |findings| Ok(HtmlReport::of_campaign(campaign, result, findings)))
    }

    /// Writes those of these that were asked for.
    pub fn write_all(
        &self,
        suite: &JUnitSuite,
        findings: Vec<FindingReport>,
        page: impl FnOnce(Vec<FindingReport>) -> Result<HtmlReport, Trouble>,
    ) -> Result<(), Trouble> {
        if let Some(out) = &self.junit {
            write_file(out, &junit(suite, &findings))?;
        }
        if let Some(out) = &self.sarif {
            write_file(out, &format!("{:#}\n", sarif(&findings)))?;
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
    mut found: Failure,
    replayed: Replayed,
    replay: String,
) -> Result<(), Trouble> {
    let Verdict::Fail(violation) = replayed.verdict else {
        let verdict = replayed.verdict;
        return Err(Trouble(format!(
            "no page was written, for there is no failure to show any more: {verdict}"
        )));
    };
    let verdict_text = match replayed.same {
        Sameness::Exact => "The same violation and the same trace as in the failure file, bit for bit.",
        Sameness::OtherTrace => "The same violation, but not quite the same trace: the target has changed.",
        Sameness::Unrepeatable => "The target is not deterministic: two replays differ from each other.",
        Sameness::OtherVerdict => "Another property is violated than the failure file says.",
    };
    // What is shown is what happened now.
    found.violation = violation;
    let title = format!("A failure of {}", found.target);
    let trace = replayed.outcome.map(|outcome| outcome.trace);
    let finding = finding_report_of(target, found, trace, Some(file), replay);
    let page = html::render(&HtmlReport {
        title,
        verdict: ReportVerdict::Fail,
        verdict_text: verdict_text.to_owned(),
        findings: vec![finding],
        ..HtmlReport::default()
    });
    write_file(out, &page)
}
