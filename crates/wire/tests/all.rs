//! The tests of this crate, as one program: each file is a module.

mod etcd;
mod splits;
mod vectors;
