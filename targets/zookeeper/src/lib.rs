//! Apache ZooKeeper, unmodified, as a target of Shakedown.
//!
//! Three servers run as processes of the releases that `setup.sh` fetches; proxies hold what they send to
//! each other's election and quorum ports. Clients are sessions of the crate zookeeper-client. What is asked
//! and answered is in `vocabulary`; `client` asks; `registers` is what ZooKeeper promises of writes,
//! conditional writes and reads after `sync`, and `sessions` what it promises of plain reads.

mod client;
mod registers;
mod sessions;
mod target;
mod vocabulary;

pub use client::ZooKeeperClients;
pub use registers::VersionedRegisters;
pub use sessions::Sessions;
pub use target::{RELEASES, Release, contract, settings, target};
pub use vocabulary::{Answer, Ask, Held, Told};
