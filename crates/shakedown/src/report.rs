//! Failures and campaigns as text, for programs of your own.

pub use shakedown_report::{DiagramStyle, Paint, diagram, failure, summary, summary_json};
