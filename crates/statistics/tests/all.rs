//! The tests of this crate, as one program: each file is a module.

#![expect(clippy::unwrap_used, reason = "everything here is a test: what fails should panic")]

mod cases;
mod degenerate;
mod facts;
mod properties;
mod published;
