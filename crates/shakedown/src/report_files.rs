//! Files that report a campaign or a failure: pages, JUnit XML, SARIF.

use std::path::PathBuf;

use clap::Args;
use shakedown_campaign::{Campaign, Summary, Verdict};
#[cfg(feature = "html")]
use shakedown_report::html::{self, HtmlReport};
use shakedown_report::{FindingReport, JUnitSuite, junit, safe_json, sarif};

use crate::ci::Ci;
use crate::command_line::CommandError;
use crate::features::HTML;
use crate::printing::write_file;

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

    /// The same, with those of a CI service where none is named.
    pub fn or_those_of(mut self, ci: &Ci<'_>) -> ReportFiles {
        if HTML.needed_for("--html").is_ok() {
            self.html.get_or_insert_with(|| ci.file("report.html"));
        }
        self.junit.get_or_insert_with(|| ci.file("junit.xml"));
        self.sarif.get_or_insert_with(|| ci.file("findings.sarif"));
        self
    }

    /// Writes the files of a campaign that were asked for, given its findings replayed and the verdict on it.
    pub fn write(
        &self,
        campaign: &Campaign<'_>,
        result: &Summary,
        verdict: &Verdict,
        findings: Vec<FindingReport>,
    ) -> Result<(), CommandError> {
        if !self.are_wanted() {
            return Ok(());
        }
        let suite = JUnitSuite {
            name: format!("{} {}", campaign.target.name(), campaign.plan.strategy),
            seconds: (result.elapsed + result.shrinking).as_secs_f64(),
            properties: result.properties.tallies.clone(),
            unknown: verdict.unknown_reason().map(str::to_owned),
        };
        self.write_all(
            verdict,
            &suite,
            findings,
            #[cfg(feature = "html")]
            |findings| {
                let mut page = HtmlReport::of_campaign(campaign, result, findings);
                if result.verdict() != *verdict {
                    // What is known does not count.
                    page.verdict = html::ReportVerdict::of(verdict);
                    page.verdict_text = format!("{} Beside the baseline: {verdict}.", page.verdict_text);
                }
                Ok(page)
            },
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
