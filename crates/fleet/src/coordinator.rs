//! The coordinator: gives batches of executions out, and hands their reports to the campaign in order.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use shakedown_campaign::{Fleet, FleetError, Order, PackedLesson, Plan, TakeReport};
use tokio::sync::mpsc;

use crate::batches::{Batches, Cost};
use crate::identity::{build_id, campaign_id};
use crate::link::Link;
use crate::presence::Roll;
use crate::reports::{decode_reports, encode_lessons};
use crate::wire::{
    BatchMessage, LessonsMessage, PlanMessage, RefusalMessage, ReportsMessage, SnapshotMessage, TEXT_MAX,
    check_range, decode, encode,
};
use crate::{FleetOptions, FleetTrouble, subjects};

/// How long it waits for a report before it looks at the clock again.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often it looks whether another coordinator has taken over, and whether there are workers.
const CHECK_EVERY: Duration = Duration::from_secs(5);
/// How many reports wait in memory before the server has to keep them.
const WAITING_MAX: usize = 16;
/// How many messages that cannot be read are reported.
const POISONED_SHOWN: u64 = 3;
/// After this many times, it is reported that a batch does not come back.
const TIMES_SHOWN: u32 = 4;
/// A snapshot is kept when the lessons since the last one have this many times its size: whoever joins reads no more than that.
const SNAPSHOT_FACTOR: u64 = 2;
/// Nor is one kept before the lessons have this many bytes.
const SNAPSHOT_MIN: u64 = 64 << 10;

/// Runs campaigns by workers on other machines. See the crate's text.
pub struct Coordinator {
    link: Link,
    build: String,
    name: String,
    roll: Roll,
    step_time: Duration,
    notice: Box<dyn Fn(&str) + Send + Sync>,
    now: Mutex<Option<UnderWay>>,
}

/// A campaign under way.
struct UnderWay {
    campaign: String,
    epoch: u64,
    batches: Batches,
    /// Reports as they come.
    arrived: mpsc::Receiver<Vec<u8>>,
    refusals: mpsc::Receiver<RefusalMessage>,
    /// The tasks that listen.
    listeners: Vec<tokio::task::JoinHandle<()>>,
    /// Where the explorer stands, if the strategy learns.
    learned: Option<u64>,
    snapshot: Snapshot,
    checked: Instant,
    has_waited: bool,
    poisoned: u64,
    refused: Vec<RefusalMessage>,
}

/// The last snapshot.
#[derive(Default)]
struct Snapshot {
    bytes: u64,
    /// The bytes of lessons since.
    since: u64,
    /// Its object, if it is too large for a message, and that of the one before.
    objects: Vec<String>,
}

impl Coordinator {
    /// Connects. `step_time` is the most time that a call of a node may take; `notice` prints what a user should know.
    pub fn new(
        options: &FleetOptions,
        step_time: Duration,
        notice: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Arc<Coordinator>, FleetTrouble> {
        let build = build_id()?;
        let link = Link::connect(options, "shakedown coordinator")?;
        let roll = Roll::listen(&link)?;
        let name = crate::worker::process_name();
        Ok(Arc::new(Coordinator { link, build, name, roll, step_time, notice, now: Mutex::new(None) }))
    }

    fn begin(&self, plan: &Plan, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetTrouble> {
        let text = serde_json::to_vec(plan).expect("a plan is plain data");
        let campaign = campaign_id(&self.build, &text);
        // Batches of an earlier life wait for nothing: what of them is still wanted is given out again.
        self.link.purge(&self.link.work, &subjects::work(&self.build, &campaign))?;
        let mut snapshot = Snapshot::default();
        let has_learned = learned.as_ref().map(|_| start);
        if let Some(learned) = learned {
            self.keep_snapshot(&campaign, start, learned, &mut snapshot)?;
        }
        let epoch = epoch();
        let plan = PlanMessage {
            epoch,
            coordinator: self.name.clone(),
            step_time_ms: u64::try_from(self.step_time.as_millis()).unwrap_or(u64::MAX),
            plan: self.link.blob(&format!("{campaign}-plan"), text)?,
        };
        self.link.keep("keep the plan", &subjects::plan(&campaign), &plan)?;
        let consumer = self.link.consumer(
            &self.link.reports,
            &consumer_name(&campaign),
            &subjects::reports(&campaign),
        )?;
        let (reports, arrived) = mpsc::channel(WAITING_MAX);
        let (refusing, refusals) = mpsc::channel(WAITING_MAX);
        let refused = self.link.wait(self.link.client.subscribe(subjects::refusals(&campaign)));
        let refused = refused
            .map_err(|error| FleetTrouble::Refused { what: "a subscription", reason: error.to_string() })?;
        let listeners = vec![
            self.link.beside(receive(consumer, reports)),
            self.link.beside(hear_refusals(refused, refusing)),
        ];
        let mut batches = Batches::default();
        batches.begin(start);
        let under_way = UnderWay {
            campaign,
            epoch,
            batches,
            arrived,
            refusals,
            listeners,
            learned: has_learned,
            snapshot,
            checked: Instant::now(),
            has_waited: false,
            poisoned: 0,
            refused: Vec::new(),
        };
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some(under_way);
        Ok(())
    }

    fn keep_snapshot(
        &self,
        campaign: &str,
        before: u64,
        learned: Vec<u8>,
        last: &mut Snapshot,
    ) -> Result<(), FleetTrouble> {
        let name = format!("{campaign}-{before}");
        (last.bytes, last.since) = (learned.len() as u64, 0);
        let learned = self.link.blob(&name, learned)?;
        self.link.keep(
            "keep a snapshot",
            &subjects::snapshot(campaign),
            &SnapshotMessage { before, learned },
        )?;
        last.objects.push(name);
        // Whoever has just read the message before this one still finds its object.
        if last.objects.len() > 2 {
            self.link.forget(&last.objects.remove(0));
        }
        Ok(())
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetTrouble> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.as_mut().expect("a campaign begins before it runs");
        loop {
            while now.batches.next() < order.numbers.end
                && let Some((number, report)) = now.batches.pop()
            {
                if take(number, report).is_break() {
                    return Ok(());
                }
            }
            if now.batches.next() >= order.numbers.end || (order.is_late)() {
                return Ok(());
            }
            self.give_out(now, order.horizon)?;
            self.receive(now)?;
            if now.checked.elapsed() > CHECK_EVERY {
                now.checked = Instant::now();
                self.check(now)?;
            }
        }
    }

    /// Gives out as much as there is room for, and once more what is late.
    fn give_out(&self, now: &mut UnderWay, horizon: u64) -> Result<(), FleetTrouble> {
        let workers = self.roll.workers().iter().filter(|worker| worker.build == self.build).count();
        while let Some(range) = now.batches.plan(horizon, workers, now.learned.is_some(), Instant::now()) {
            self.publish(now, range, 1)?;
        }
        if workers > 0 {
            for (range, times) in now.batches.late(Instant::now()) {
                if times == TIMES_SHOWN {
                    (self.notice)(&format!(
                        "warning: executions {} to {} were given to workers {} times and no report came: a worker may die in \
                         them; `--first {} --executions {}` runs them here",
                        range.start,
                        range.end - 1,
                        times - 1,
                        range.start,
                        range.end - range.start
                    ));
                }
                self.publish(now, range, times)?;
            }
        }
        Ok(())
    }

    fn publish(&self, now: &UnderWay, range: Range<u64>, times: u32) -> Result<(), FleetTrouble> {
        let batch = BatchMessage {
            campaign: now.campaign.clone(),
            first: range.start,
            end: range.end,
            learned: now.learned,
            epoch: now.epoch,
            times,
        };
        let subject = subjects::work(&self.build, &now.campaign);
        self.link.publish("give a batch out", &subject, Some(&batch.id()), encode(&batch))
    }

    /// Takes in the reports that have come; waits a moment if there are none.
    fn receive(&self, now: &mut UnderWay) -> Result<(), FleetTrouble> {
        let arrived = &mut now.arrived;
        let Ok(Some(first)) =
            self.link.wait(async { tokio::time::timeout(LOOK_EVERY, arrived.recv()).await })
        else {
            return Ok(());
        };
        let mut next = Some(first);
        while let Some(message) = next {
            if let Err(reason) = self.take_in(now, &message)? {
                now.poisoned += 1;
                if now.poisoned <= POISONED_SHOWN {
                    (self.notice)(&format!("warning: a report was left out, it cannot be read: {reason}"));
                }
            }
            next = now.arrived.try_recv().ok();
        }
        Ok(())
    }

    /// Takes in a message with reports; the inner error says why it is none.
    fn take_in(&self, now: &mut UnderWay, message: &[u8]) -> Result<Result<(), String>, FleetTrouble> {
        let read = || {
            let message: ReportsMessage = decode(message)?;
            let range = check_range(message.first, message.end)?;
            Ok::<_, String>((range, message))
        };
        let (range, ReportsMessage { took_us, reports, .. }) = match read() {
            Ok(read) => read,
            Err(reason) => return Ok(Err(reason)),
        };
        let object = match &reports {
            crate::wire::Blob::Object(name, _) => Some(name.clone()),
            crate::wire::Blob::Here(_) => None,
        };
        let Some(bytes) = self.link.read(reports)? else { return Ok(Err("its object is gone".to_owned())) };
        if let Some(object) = object {
            self.link.forget(&object);
        }
        let cost = Cost { took: Duration::from_micros(took_us.min(3_600_000_000)), bytes: bytes.len() };
        Ok(decode_reports(&bytes, range.end - range.start)
            .map(|reports| now.batches.take_in(range, reports, cost, Instant::now())))
    }

    /// Looks whether this is still the coordinator of the campaign, and whether there are workers.
    fn check(&self, now: &mut UnderWay) -> Result<(), FleetTrouble> {
        let plan: Option<PlanMessage> = self.link.kept("look at the plan", &subjects::plan(&now.campaign))?;
        if let Some(plan) = plan.filter(|plan| plan.epoch != now.epoch) {
            return Err(FleetTrouble::TakenOver(plan.coordinator));
        }
        let workers = self.roll.workers();
        let (fit, others): (Vec<_>, Vec<_>) =
            workers.into_iter().partition(|worker| worker.build == self.build);
        if fit.is_empty() && !now.has_waited {
            now.has_waited = true;
            let others = match others.first() {
                None => String::new(),
                Some(other) => format!(
                    "; {} of another build are there, such as {} ({}, build {})",
                    others.len(),
                    other.worker,
                    other.version,
                    other.build
                ),
            };
            (self.notice)(&format!("waiting for workers of this build ({}){others}", self.build));
        }
        if !fit.is_empty() {
            now.has_waited = false;
        }
        while let Ok(refusal) = now.refusals.try_recv() {
            if now.refused.iter().all(|known| known.worker != refusal.worker) {
                (self.notice)(&format!(
                    "warning: {} refuses the campaign: {}",
                    refusal.worker, refusal.reason
                ));
                now.refused.push(refusal);
            }
        }
        let refuses = |name: &String| now.refused.iter().any(|refusal| refusal.worker == *name);
        match now.refused.last() {
            Some(last) if !fit.is_empty() && fit.iter().all(|worker| refuses(&worker.worker)) => {
                Err(FleetTrouble::NoWorkerFits { reason: last.reason.clone() })
            }
            _ => Ok(()),
        }
    }

    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetTrouble> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.as_mut().expect("a campaign begins before it learns");
        let lessons = encode_lessons(lessons);
        now.snapshot.since += lessons.len() as u64;
        let (first, end) = (generation.start, generation.end);
        let name = format!("{}-lessons-{first}", now.campaign);
        let message = LessonsMessage { first, end, lessons: self.link.blob(&name, lessons)? };
        self.link.keep("keep lessons", &subjects::lessons(&now.campaign, first), &message)?;
        now.learned = Some(end);
        if now.snapshot.since > SNAPSHOT_MIN.max(SNAPSHOT_FACTOR * now.snapshot.bytes) {
            let mut snapshot = std::mem::take(&mut now.snapshot);
            self.keep_snapshot(&now.campaign, end, learned(), &mut snapshot)?;
            now.snapshot = snapshot;
            // Whoever is behind takes the snapshot up.
            self.link.purge(&self.link.state, &subjects::all_lessons(&now.campaign))?;
        }
        Ok(())
    }

    fn end(&self) {
        let Some(now) = self.now.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        now.listeners.iter().for_each(tokio::task::JoinHandle::abort);
        // What cannot be deleted now goes by its age.
        let _ = self.link.purge(&self.link.work, &subjects::work(&self.build, &now.campaign));
        let _ = self.link.purge(&self.link.state, &subjects::all_state(&now.campaign));
        let _ = self.link.purge(&self.link.reports, &subjects::reports(&now.campaign));
        self.link.dismiss(&self.link.reports, &consumer_name(&now.campaign));
        now.snapshot.objects.iter().for_each(|object| self.link.forget(object));
        if now.poisoned > POISONED_SHOWN {
            (self.notice)(&format!("warning: {} reports in all could not be read", now.poisoned));
        }
    }
}

impl Fleet for Coordinator {
    fn begin(&self, plan: &Plan, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetError> {
        Ok(Coordinator::begin(self, plan, start, learned)?)
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetError> {
        Ok(Coordinator::run(self, order, take)?)
    }

    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetError> {
        Ok(Coordinator::teach(self, generation, lessons, learned)?)
    }

    fn end(&self) {
        Coordinator::end(self);
    }
}

/// The consumer of a campaign's reports.
fn consumer_name(campaign: &str) -> String {
    format!("coordinator-{campaign}")
}

/// A number that no earlier life of a coordinator had. It decides nothing but who has taken over.
fn epoch() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(40)
}

/// Hands reports over as they come, and begins again when the server was away.
async fn receive(consumer: PullConsumer, reports: mpsc::Sender<Vec<u8>>) {
    loop {
        if let Ok(mut messages) = consumer
            .stream()
            .max_messages_per_batch(WAITING_MAX)
            .heartbeat(Duration::from_secs(2))
            .expires(Duration::from_secs(10))
            .messages()
            .await
        {
            while let Some(Ok(message)) = messages.next().await {
                let (message, acker) = message.split();
                if reports.send(message.payload.to_vec()).await.is_err() {
                    return;
                }
                // If this is lost, the report comes again, which changes nothing.
                let _ = acker.ack().await;
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn hear_refusals(mut refused: async_nats::Subscriber, refusals: mpsc::Sender<RefusalMessage>) {
    while let Some(message) = refused.next().await {
        if message.payload.len() <= TEXT_MAX
            && let Ok(refusal) = decode::<RefusalMessage>(&message.payload)
        {
            // Workers refuse again and again: one that finds no room is heard the next time.
            let _ = refusals.try_send(refusal);
        }
    }
}
