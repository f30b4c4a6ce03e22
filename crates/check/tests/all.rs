//! The tests of this crate, as one program: each file is a module.

mod answers;
mod liars;
mod linearizability;
mod liveness;
mod order_oracles;
mod outcomes;
mod random_histories;
mod registers;
mod workload_rules;
