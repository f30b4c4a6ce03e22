//! Files that report a campaign or a failure: pages, JUnit XML, SARIF.

use std::path::PathBuf;

use clap::Args;
use shakedown_campaign::{Campaign, Finding, Summary, Verdict};
#[cfg(feature = "html")]
use shakedown_report::html::{self, HtmlReport};
use shakedown_report::{FindingReport, JUnitSuite, Reproduction, junit, safe_json, sarif};

use crate::command_line::CommandError;
use crate::features::HTML;
use crate::finding_report::Shown;
use crate::printing::{replay_line, write_file};

/// Which files of a campaign are wanted.
#[derive(Args, Clone)]
pub(crate) struct ReportFiles {
    /// Write an HTML page, one file that needs no network [default of `report`: report.html in the folder]
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
    /// An error if a file is wanted that this build cannot make.
    pub fn can_be_made(&self) -> Result<(), CommandError> {
        self.html.as_ref().map_or(Ok(()), |_| HTML.needed_for("--html")).map_err(CommandError)
    }

    /// Whether any file was asked for.
    pub fn are_wanted(&self) -> bool {
        [&self.html, &self.junit, &self.sarif].iter().any(|out| out.is_some())
    }

    /// Writes the files of a campaign that were asked for, given its findings replayed.
    pub fn write(
        &self,
        campaign: &Campaign<'_>,
        result: &Summary,
        shown: Vec<Shown>,
    ) -> Result<(), CommandError> {
        if !self.are_wanted() {
            return Ok(());
        }
        let report = |(finding, shown): (&Finding, Shown)| {
            let file = finding.path.as_deref();
            let replay = file.map(replay_line).unwrap_or_default();
            shown.report(campaign.target, finding.failure.clone(), Reproduction::Violated, file, replay)
        };
        let findings = result.findings.iter().zip(shown).map(report).collect();
        let verdict = result.verdict();
        let suite = JUnitSuite {
            name: format!("{} {}", campaign.target.name(), campaign.plan.strategy),
            seconds: (result.elapsed + result.shrinking).as_secs_f64(),
            properties: result.properties.tallies.clone(),
            unknown: verdict.unknown_reason().map(str::to_owned),
        };
        self.write_all(
            &verdict,
            &suite,
            findings,
            #[cfg(feature = "html")]
            |findings| Ok(HtmlReport::of_campaign(campaign, result, findings)),
        )
    }

    /// Writes those of these that were asked for.
    pub fn write_all(
        &self,
        verdict: &Verdict,
        suite: &JUnitSuite,
        findings: Vec<FindingReport>,
        #[cfg(feature = "html")] page: impl FnOnce(Vec<FindingReport>) -> Result<HtmlReport, CommandError>,
    ) -> Result<(), CommandError> {
        if let Some(out) = &self.junit {
            write_file(out, &junit(suite, &findings))?;
        }
        if let Some(out) = &self.sarif {
            write_file(out, &format!("{}\n", safe_json(&sarif(verdict, &findings))))?;
        }
        #[cfg(feature = "html")]
        if let Some(out) = &self.html {
            write_file(out, &html::render(&page(findings)?))?;
        }
        Ok(())
    }
}
