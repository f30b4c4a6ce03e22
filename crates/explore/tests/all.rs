//! The tests of this crate, as one program: each file is a module.

mod fuzz;
mod lock_step;
mod pctcp;
mod pos;
mod scripts;
mod sight;
