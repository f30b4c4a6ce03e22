//! The tests of this crate, as one program: each file is a module.

mod campaign;
mod node;
mod scenarios;
