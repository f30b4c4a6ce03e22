//! What reports look like, in text, on a page, and for machines.

mod compared;
mod diagrams;
mod for_machines;
mod html;
mod sarif_rules;
mod speaker;
mod xml;
