//! What a fleet does: its workers, and what waits in its streams.

use std::time::Duration;

use async_nats::jetstream::stream::Stream;

use crate::link::Link;
use crate::presence::{EVERY, Roll};
use crate::subjects::{REPORTS, STATE, WORK};
use crate::{FleetOptions, FleetTrouble};

/// What a fleet does.
#[derive(Clone, Debug)]
pub struct Status {
    /// Its workers, by name.
    pub workers: Vec<WorkerStatus>,
    /// Its streams.
    pub streams: Vec<StreamStatus>,
    /// How many batches wait for a worker.
    pub waiting: u64,
    /// How many batches are with workers.
    pub under_way: u64,
    /// How many deliveries were repeated.
    pub redelivered: u64,
}

/// What a worker does.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// Its name: host and process.
    pub name: String,
    /// Its build id.
    pub build: String,
    /// The version of Shakedown.
    pub version: String,
    /// How many executions it runs side by side.
    pub jobs: u32,
    /// How many executions it has run.
    pub executions: u64,
    /// How many a second since it lives.
    pub rate: f64,
    /// The share of its life in which it worked.
    pub busy: f64,
    /// How many batches came to it that another worker had not finished.
    pub redelivered: u64,
    /// The campaign that it runs now.
    pub campaign: Option<String>,
}

/// What waits in a stream.
#[derive(Clone, Debug)]
pub struct StreamStatus {
    /// Its name.
    pub name: &'static str,
    /// How many messages.
    pub messages: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Looks at a fleet; this takes as long as workers take to report.
pub fn status(options: &FleetOptions) -> Result<Status, FleetTrouble> {
    let observer = Observer::new(options)?;
    std::thread::sleep(EVERY + Duration::from_millis(500));
    observer.look()
}

/// Looks at a fleet again and again.
pub struct Observer {
    link: Link,
    roll: Roll,
}

impl Observer {
    /// Begins to listen. Workers are known as soon as they report, which they do once a second.
    pub fn new(options: &FleetOptions) -> Result<Observer, FleetTrouble> {
        let link = Link::connect(options, "shakedown fleet status")?;
        let roll = Roll::listen(&link)?;
        Ok(Observer { link, roll })
    }

    /// What the fleet does now.
    pub fn look(&self) -> Result<Status, FleetTrouble> {
        look(&self.link, &self.roll)
    }
}

fn look(link: &Link, roll: &Roll) -> Result<Status, FleetTrouble> {
    let workers = roll.workers().into_iter().map(|worker| {
        let seconds = (worker.alive_ms as f64 / 1_000.0).max(0.001);
        WorkerStatus {
            rate: worker.executions as f64 / seconds,
            busy: (worker.busy_ms as f64 / 1_000.0 / seconds).min(1.0),
            name: worker.worker,
            build: worker.build,
            version: worker.version,
            jobs: worker.jobs,
            executions: worker.executions,
            redelivered: worker.redelivered,
            campaign: worker.campaign,
        }
    });
    let workers = workers.collect();
    let waiting = |name: &'static str, stream: &Stream| {
        let refused = |reason: String| FleetTrouble::Refused { what: "what a stream holds", reason };
        let info = link.wait(stream.get_info()).map_err(|error| refused(error.to_string()))?;
        Ok(StreamStatus { name, messages: info.state.messages, bytes: info.state.bytes })
    };
    let streams =
        vec![waiting(WORK, &link.work)?, waiting(REPORTS, &link.reports)?, waiting(STATE, &link.state)?];
    let [waiting, under_way, redelivered] = link.wait(consumers(&link.work));
    Ok(Status { workers, streams, waiting, under_way, redelivered })
}

/// How many batches wait for a worker, how many are with one, and how many of those were given to more than
/// one.
async fn consumers(work: &Stream) -> [u64; 3] {
    use futures_util::StreamExt as _;

    let mut consumers = work.consumers();
    let [mut waiting, mut under_way, mut redelivered] = [0; 3];
    while let Some(Ok(consumer)) = consumers.next().await {
        waiting += consumer.num_pending;
        under_way += consumer.num_ack_pending as u64;
        redelivered += consumer.num_redelivered as u64;
    }
    [waiting, under_way, redelivered]
}
