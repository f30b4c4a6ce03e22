//! The store: campaigns in a folder that survive whatever ends them.
//!
//! A folder holds one SQLite file with one campaign, or with several that belong together: the trials of a comparison. Every
//! write is one transaction in write-ahead mode, so a process that is killed at any moment leaves the standing that was kept
//! last, whole. [`Store::go_on`] takes a campaign up from there and comes to the same end as one that was never interrupted.

mod error;
mod store;
mod trials;

pub use error::StoreError;
pub use store::{CampaignId, Kept, Store};
pub use trials::run_all;
