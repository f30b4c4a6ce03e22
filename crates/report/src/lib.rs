//! Reports: what people look at.
//!
//! [`diagram`] draws a trace, [`failure`] reports a failure, [`summary()`] a campaign, all in text; `html` makes a page of it,
//! [`junit`] and [`sarif`] make files for machines. Nothing here knows how executions are run.
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
#[cfg(feature = "html")]
pub mod html;
mod json_lines;
mod junit;
mod paint;
mod rounds;
mod sarif;
mod summary;
mod told;

#[cfg(feature = "compare")]
pub use compared::{CannotCompare, Compared, ComparedCoverage, ComparedFinding, OverAll, Trial};
#[cfg(feature = "compare")]
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
