//! The names of streams and the subjects of messages.

/// The stream of batches.
pub(crate) const WORK: &str = "SHAKEDOWN_WORK";
/// The stream of reports.
pub(crate) const REPORTS: &str = "SHAKEDOWN_REPORTS";
/// The stream of plans, lessons and snapshots.
pub(crate) const STATE: &str = "SHAKEDOWN_STATE";
/// The object store.
pub(crate) const OBJECTS: &str = "SHAKEDOWN";
/// Every worker reports here that it lives.
pub(crate) const PRESENCE: &str = "shakedown.presence";

/// Batches of a campaign, for workers of this build.
pub(crate) fn work(build: &str, campaign: &str) -> String {
    format!("shakedown.work.{build}.{campaign}")
}

/// Batches of all campaigns, for workers of this build.
pub(crate) fn all_work(build: &str) -> String {
    format!("shakedown.work.{build}.*")
}

/// Reports of a campaign.
pub(crate) fn reports(campaign: &str) -> String {
    format!("shakedown.reports.{campaign}")
}

/// The plan of a campaign.
pub(crate) fn plan(campaign: &str) -> String {
    format!("shakedown.state.{campaign}.plan")
}

/// Everything that was learned by the last snapshot.
pub(crate) fn snapshot(campaign: &str) -> String {
    format!("shakedown.state.{campaign}.snapshot")
}

/// What there is to learn of the generation that begins with this execution.
pub(crate) fn lessons(campaign: &str, start: u64) -> String {
    format!("shakedown.state.{campaign}.lessons.{start}")
}

/// All lessons of a campaign.
pub(crate) fn all_lessons(campaign: &str) -> String {
    format!("shakedown.state.{campaign}.lessons.*")
}

/// Everything of a campaign that is kept.
pub(crate) fn all_state(campaign: &str) -> String {
    format!("shakedown.state.{campaign}.>")
}

/// Why workers refuse a campaign.
pub(crate) fn refusals(campaign: &str) -> String {
    format!("shakedown.refusal.{campaign}")
}
