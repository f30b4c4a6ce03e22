//! Reports: what people look at.
//!
//! [`diagram`] draws a trace, [`failure`] describes a failure, [`summary()`] a campaign, all as [`Text`]; `html` makes a page of
//! it, [`junit`] and [`sarif`] make files for machines. Nothing here knows how executions are run.
//!
//! Features: `html` for pages, `compare` for comparisons of strategies.

#[cfg(feature = "compare")]
mod compared;
#[cfg(feature = "compare")]
mod comparison_text;
mod diagram;
mod disorder;
mod escape;
mod finding;
mod harmful;
#[cfg(feature = "html")]
pub mod html;
mod json_lines;
mod junit;
mod properties;
mod reproduction;
mod rounds;
mod sarif;
mod step_notes;
mod summary;
mod text;

#[cfg(feature = "compare")]
pub use compared::{CannotCompare, Compared, ComparedCoverage, ComparedFinding, OverAll, Trial};
#[cfg(feature = "compare")]
pub use comparison_text::comparison;
pub use diagram::{DiagramStyle, diagram};
pub use disorder::Disorder;
pub use finding::FindingReport;
pub use harmful::{safe_json, safe_json_line, safe_json_text};
pub use json_lines::json_lines;
pub use junit::{JUnitSuite, junit};
pub use reproduction::Reproduction;
pub use rounds::{rounds_chart, space};
pub use sarif::sarif;
pub use shakedown_check::SpecStep;
pub use summary::{
    changed_options, failure, grouped, of_version, per_second, replayed_failure, shrinking, summary,
    summary_json,
};
pub use text::{Paint, Painted, Style, Text};
