//! Paths through the state graph of a specification: the test suite that a model is (Mocket).
//!
//! A [`StateGraph`] holds all states of a model and the actions that lead from one to another. A [`Cover`]
//! says what paths have to cover (every action in every state, or every state), where they end and how they
//! are found; [`Paths`] hands them out one by one. Each [`Path`] begins in an initial state, because a fresh
//! implementation can begin nowhere else.
//!
//! Read [`Cover`] first. `region` is what can be reached without going beyond an end, `reduction` says which
//! of two orders of independent actions is left out, `depth_first` is the traversal as published and `greedy`
//! our shorter one.

mod bits;
mod cover;
mod depth_first;
mod graph;
mod greedy;
mod pending;
mod reduction;
mod region;

pub use cover::{Cover, Covers, Ends, Path, Paths, Shape, Statistics, Swaps};
pub use graph::{BadGraph, StateGraph};
