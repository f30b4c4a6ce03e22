//! What a coordinator keeps on the server of a campaign or other work, for workers to read.

use std::time::{Duration, Instant};

use crate::link::Link;
use crate::wire::{Blob, PlanMessage};
use crate::{FleetTrouble, subjects};

/// The plan of a campaign or of other work, and who gives it out.
pub(crate) struct Announcement {
    pub campaign: String,
    /// Which life of the coordinator.
    pub epoch: u64,
    pub coordinator: String,
    pub step_time_ms: u64,
    /// What does the pieces; nothing for a campaign.
    pub bench: Option<String>,
    pub plan: Vec<u8>,
    pub kept: Instant,
    /// The object that the plan is in, if it is too large for a message.
    pub object: Option<String>,
}

impl Announcement {
    /// Keeps it on the server, in the place of the one that is there.
    pub fn keep(&mut self, link: &Link) -> Result<(), FleetTrouble> {
        let plan = link.blob(&self.object("plan"), self.plan.clone())?;
        self.object = object_of(&plan).map(str::to_owned);
        let message = PlanMessage {
            epoch: self.epoch,
            coordinator: self.coordinator.clone(),
            step_time_ms: self.step_time_ms,
            bench: self.bench.clone(),
            plan,
        };
        link.keep("keep the plan", &subjects::plan(&self.campaign), &message)?;
        self.kept = Instant::now();
        Ok(())
    }

    /// For how long it is there.
    pub fn age(&self) -> Duration {
        self.kept.elapsed()
    }

    /// The name of an object that goes with it.
    pub fn object(&self, what: &str) -> String {
        object(&self.campaign, self.epoch, what)
    }

    /// Deletes everything that is kept of it, if no other life of the coordinator has taken its place.
    /// Whether none has is the answer.
    pub fn clear(&self, link: &Link) -> Result<bool, FleetTrouble> {
        let Announcement { campaign, epoch, .. } = self;
        let is_mine = |plan: &PlanMessage| plan.epoch == *epoch;
        link.clear(&subjects::plan(campaign), &subjects::all_state(campaign), is_mine)
    }

    /// Whether this is the name of an object of this campaign: of this life of the coordinator, and of any.
    pub fn has_object(&self, name: &str) -> [bool; 2] {
        [name.starts_with(&self.object("")), name.starts_with(&format!("{}-", self.campaign))]
    }
}

/// The name of an object of a campaign. No other life of its coordinator has it, so each deletes its own.
pub(crate) fn object(campaign: &str, epoch: u64, what: &str) -> String {
    format!("{campaign}-{epoch:x}-{what}")
}

/// Whether something is an object.
pub(crate) fn object_of(blob: &Blob) -> Option<&str> {
    match blob {
        Blob::Object(name, _) => Some(name),
        Blob::Here(_) => None,
    }
}
