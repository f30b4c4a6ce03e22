//! Processes of systems under test.
//!
//! - [`reaper`] ends processes and deletes folders of this program when the program itself ends, in whatever
//!   way;
//! - [`Sleepers`] finds out from `/proc` whether a group of processes is quiet;
//! - [`Group`] is a server in a group of its own: started, killed, paused;
//! - [`FileWatch`] sees what a server does to its files, as it happens;
//! - [`Scratch`] makes folders that this program marks, and deletes only those.
//!
//! The crate knows no cluster and no protocol. It needs Linux, for `/proc`.

mod files;
mod group;
mod quiet;
pub mod reaper;
mod scratch;

pub use files::{Change, FileWatch};
pub use group::{Group, GroupCommand};
pub use quiet::Sleepers;
pub use scratch::{MARK, Scratch};
