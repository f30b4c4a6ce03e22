//! Campaigns on the toy `clock` for tests of stores.

use shakedown_campaign::{Campaign, Target};
use shakedown_toys::Clock;
pub use shakedown_toys::clock;

/// A campaign that measures coverage and finds something now and then.
pub fn campaign(target: &Target<Clock>, executions: u64) -> Campaign<'_> {
    let mut campaign = Campaign::new(target);
    (campaign.plan.executions, campaign.plan.keep_going) = (executions, true);
    campaign.plan.measures = vec!["state".to_owned(), "trace".to_owned()];
    campaign.plan.config.options.set("bound", 14);
    campaign
}
