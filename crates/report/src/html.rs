//! Reports as one HTML file that opens from disk, with no network: summary, coverage, comparison, and for
//! every finding a space-time diagram that can be gone through step by step.
//!
//! [`render`] takes plain data ([`HtmlReport`]) and gives the page. The page is whole without its script,
//! which only adds stepping, explanations and copying. Everything that comes from a target is hostile: it is
//! escaped (`escape`), cut to a length, and kept from making the page larger than [`PAGE_SIZE_MAX`].
//!
//! ```
//! use shakedown_report::html::{CoverageCurve, CoveragePlot, CoveragePoint, HtmlReport, render};
//!
//! let point = |executions, mean, low, high| CoveragePoint { executions, mean, low, high };
//! let page = render(&HtmlReport {
//!     title: "my-protocol".to_owned(),
//!     plots: vec![CoveragePlot {
//!         measure: "distinct states".to_owned(),
//!         band: "lowest to highest of 10 seeds".to_owned(),
//!         curves: vec![CoverageCurve {
//!             label: "random".to_owned(),
//!             points: vec![point(0, 0.0, 0.0, 0.0), point(1_000, 61.5, 58.0, 66.0)],
//!         }],
//!     }],
//!     ..HtmlReport::default()
//! });
//! assert!(page.starts_with("<!DOCTYPE html>"));
//! ```

/// Writes to a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($out, $($text)*);
    }};
}

mod beside;
mod budget;
mod campaign;
mod causes;
mod compared_page;
mod comparison;
mod curves;
mod cycle;
mod drawing;
mod finding;
mod front;
mod geometry;
mod history;
mod input;
pub mod live;
mod means;
mod page;
mod rounds_grid;
mod space_time;
mod step_data;
mod timeline;
mod why;

/// How many colours the style sheet has for kinds of messages and for strategies; after that they come again.
const COLOURS: usize = 8;

pub use history::{CycleTransaction, HistoryDrawing, HistoryFinding, Timeline, TimelineBar};
pub use input::{
    BesideReport, Comparison, ComparisonRow, CoverageCurve, CoveragePlot, CoveragePoint, Fired, HtmlReport,
    MeanInterval, ReportVerdict,
};
pub use page::{PAGE_SIZE_MAX, policy, render};
