//! The tests of this crate, as one program: each file is a module.

mod campaign;
mod conform;
mod node;
mod scenarios;
mod text_scenarios;
