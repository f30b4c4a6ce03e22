//! The tests of this crate, as one program: each file is a module.

mod bad_inputs;
mod files;
mod oracles;
mod register_in_go;
mod servers;
