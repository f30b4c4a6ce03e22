//! The tests of this crate, as one program: each file is a module.

mod birth;
mod clock;
mod damage;
mod merge;
mod overviews;
mod parts;
mod versions;
