//! Reports: what people look at.
//!
//! [`diagram`] draws a trace, [`failure`] tells of a failure, [`summary()`] of a campaign. Nothing here knows how
//! executions are run.

mod compared;
mod comparison_text;
mod diagram;
mod disorder;
mod paint;
mod rounds;
mod summary;

pub use compared::{CannotCompare, Compared, ComparedCoverage, ComparedFinding, OverAll, Trial};
pub use comparison_text::comparison;
pub use diagram::{DiagramStyle, diagram};
pub use disorder::Disorder;
pub use paint::Paint;
pub use rounds::{rounds_chart, space};
pub use summary::{failure, grouped, shrinking, summary, summary_json};
