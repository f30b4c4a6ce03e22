//! The tests of this crate, as one program: each file is a module.

mod command;
mod dropin;
mod fuzz;
mod hostile;
mod messages;
mod modules;
mod mutation;
mod walk;
