//! The tests of this crate, as one program: each file is a module.

#![allow(dead_code, reason = "not every test uses all of it")]

mod brute_force;
mod definitions;
mod generate;
mod models;
mod needle;
mod random_operations;
mod random_transactions;
mod sessions;
mod workloads;
