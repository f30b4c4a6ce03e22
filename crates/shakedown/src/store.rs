//! Campaigns in folders, for programs of your own.

pub use shakedown_store::{CampaignId, Kept, Store, StoreError};
