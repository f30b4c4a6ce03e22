//! Reports: what people look at.
//!
//! [`diagram`] draws a trace, [`failure`] describes a failure, [`summary()`] a campaign, all as [`Text`];
//! `html` makes a page of it, [`junit`] and [`sarif`] make files for machines. Nothing here knows how
//! executions are run.
//!
//! Features: `html` for pages, `compare` for comparisons of strategies.

mod alignment;
mod beside;
mod birth;
#[cfg(feature = "compare")]
mod compared;
#[cfg(feature = "compare")]
mod comparison_text;
mod diagram;
mod disorder;
mod escape;
mod explained;
mod explanation_json;
mod explanation_text;
mod finding;
mod forbidden_step;
mod harmful;
#[cfg(feature = "html")]
pub mod html;
mod job_summary;
mod json_lines;
mod junit;
mod properties;
mod reproduction;
mod rounds;
mod sarif;
mod step_notes;
mod step_words;
mod strip;
mod summary;
mod text;

pub use alignment::Alignment;
pub use beside::beside;
#[cfg(feature = "compare")]
pub use compared::{CannotCompare, Compared, ComparedCoverage, ComparedFinding, OverAll, Trial};
#[cfg(feature = "compare")]
pub use comparison_text::comparison;
pub use diagram::{DiagramStyle, diagram};
pub use disorder::Disorder;
pub use explained::Explained;
pub use explanation_json::explanation_json;
pub use explanation_text::explanation;
pub use finding::FindingReport;
pub use forbidden_step::ForbiddenStep;
pub use harmful::{safe_json, safe_json_line, safe_json_text};
pub use job_summary::{FindingState, JobFinding, JobSummary, annotations, job_summary};
pub use json_lines::json_lines;
pub use junit::{JUnitSuite, junit};
pub use reproduction::Reproduction;
pub use rounds::{rounds_chart, space};
pub use sarif::sarif;
pub use shakedown_check::SpecStep;
pub use summary::{
    changed_options, described_failure, failure, grouped, of_version, per_second, replayed_failure,
    shrinking, summary, summary_json, summary_without_verdict,
};
pub use text::{Paint, Painted, Style, Text};
