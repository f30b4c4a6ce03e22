//! The tests of this crate, as one program: each file is a module.

mod campaigns;
mod causes;
mod corpus;
mod coverage;
mod failures;
mod fleets;
mod learning;
mod limits;
mod lost_writes;
mod nondeterminism;
mod plans;
mod portfolio;
mod reruns;
mod shrinking;
mod unknown;
