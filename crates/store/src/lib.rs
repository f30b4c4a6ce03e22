//! The store: campaigns in a folder that survive whatever ends them.
//!
//! A folder holds one SQLite file with one campaign, or with several that belong together: the trials of a
//! comparison, or the parts of a campaign. The file is made under another name and renamed when it is whole,
//! so a process that is killed while it begins leaves a folder that counts as new. After that every write is
//! one transaction in write-ahead mode, so a process that is killed at any moment leaves its last checkpoint,
//! whole. [`Store::go_on`] takes a campaign up from there and comes to the same end as one that was never
//! interrupted. Every row has a checksum.

mod checksum;
mod connect;
mod entries;
mod error;
mod folder;
mod kept;
mod parts;
mod reading;
mod sql_error;
mod store;
mod trials;
mod writing;

pub use error::StoreError;
pub use folder::{failures_in, is_worked_on, last_change};
pub use kept::{CampaignId, Kept, Overview};
pub use store::Store;
pub use trials::run_all;
