//! Reports: what people look at.
//!
//! [`diagram`] draws a trace, [`failure`] tells of a failure, [`summary()`] of a campaign, all in text; [`html`] makes a
//! page of it, [`junit`] and [`sarif`] files for machines. Nothing here knows how executions are run.

mod compared;
mod comparison_text;
mod diagram;
mod disorder;
mod escape;
mod finding;
pub mod html;
mod json_lines;
mod junit;
mod paint;
mod rounds;
mod sarif;
mod summary;
mod told;

pub use compared::{CannotCompare, Compared, ComparedCoverage, ComparedFinding, OverAll, Trial};
pub use comparison_text::comparison;
pub use diagram::{DiagramStyle, diagram};
pub use disorder::Disorder;
pub use finding::FindingReport;
pub use json_lines::json_lines;
pub use junit::{JUnitSuite, junit};
pub use paint::Paint;
pub use rounds::{rounds_chart, space};
pub use sarif::sarif;
pub use shakedown_check::SpecStep;
pub use summary::{changed_options, failure, grouped, of_version, shrinking, summary, summary_json};
