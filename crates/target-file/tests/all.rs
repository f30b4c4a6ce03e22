//! The tests of this crate, as one program: each file is a module.

mod bad_inputs;
mod files;
mod live_microraft;
mod live_paths;
mod live_register_in_go;
mod oracles;
mod register_in_go;
mod servers;
