//! A flow: work that is divided among workers, whose results are handed over in order. Executions of a
//! campaign are one, and pieces of other work are one.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::announcement::Announcement;
use crate::batches::{Batches, Cost};
use crate::link::{Kept, Link, NO_PATIENCE, PATIENCE, consumer};
use crate::presence::Roll;
use crate::wire::{
    BatchMessage, Blob, PlanMessage, RefusalMessage, ReportsMessage, TEXT_MAX, check_range, decode, encode,
};
use crate::{FleetTrouble, subjects};

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

/// The side of the coordinator that all its flows share.
pub(crate) struct Base {
    pub link: Link,
    pub build: String,
    pub roll: Roll,
    pub notice: Box<dyn Fn(&str) + Send + Sync>,
    /// How many messages could not be read.
    poisoned: AtomicU64,
}

/// Where reports and refusals come in.
pub(crate) struct Ears {
    reply: String,
    /// Reports as they come.
    arrived: mpsc::Receiver<Vec<u8>>,
    refusals: mpsc::Receiver<RefusalMessage>,
    /// The tasks that listen.
    listeners: Vec<JoinHandle<()>>,
}

/// Reads what came of so many numbers.
pub(crate) type Read<R> = fn(&[u8], u64) -> Result<Vec<R>, String>;
/// What pieces say, as a worker reads it.
pub(crate) type Say<'a> = &'a dyn Fn(Range<u64>) -> Vec<u8>;

/// Work under way.
pub(crate) struct Flow<R> {
    pub plan: Announcement,
    pub batches: Batches<R>,
    /// Where the explorer stands, if there is one that learns.
    pub learned: Option<u64>,
    read: Read<R>,
    checked: Instant,
    has_waited: bool,
    /// Whether the stream of batches had no room the last time.
    is_full: bool,
    refused: Vec<RefusalMessage>,
    /// The objects of batches that were too large for a message.
    pub objects: Vec<String>,
}

/// Which numbers are wanted.
pub(crate) struct Wanted<'a> {
    /// Everything before this number, now.
    pub end: u64,
    /// Up to this one, work may be done ahead of time.
    pub horizon: u64,
    /// Whether no more is to be begun.
    pub is_late: &'a (dyn Fn() -> bool + Sync),
    /// What the pieces say, if they are no executions.
    pub say: Option<Say<'a>>,
}

impl Ears {
    /// Listens for what comes to this name.
    pub fn open(link: &Link, reply: &str) -> Result<Ears, FleetTrouble> {
        let (name, subject) = (consumer_name(reply), subjects::reports(reply));
        let consumer = link.consumer(&link.reports, &name, &subject)?;
        let again = Again { stream: link.reports.clone(), name, subject };
        let (reports, arrived) = mpsc::channel(WAITING_MAX);
        let (refusing, refusals) = mpsc::channel(WAITING_MAX);
        let refused = link.wait(link.client.subscribe(subjects::refusals(reply)));
        let refused = refused
            .map_err(|error| FleetTrouble::Refused { what: "a subscription", reason: error.to_string() })?;
        let listeners = vec![
            link.beside(receive(consumer, again, reports)),
            link.beside(hear_refusals(refused, refusing)),
        ];
        Ok(Ears { reply: reply.to_owned(), arrived, refusals, listeners })
    }

    /// Listens no more. What comes to the name may be for another one.
    pub fn stop(&self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }

    /// Listens no more, and nor does anyone else.
    pub fn close(self, link: &Link) {
        self.stop();
        // What cannot be deleted now goes by its age.
        let _ = link.purge(&link.reports, &subjects::reports(&self.reply), NO_PATIENCE);
        link.dismiss(&link.reports, &consumer_name(&self.reply));
    }
}

impl<R> Flow<R> {
    pub fn new(plan: Announcement, batches: Batches<R>, read: Read<R>) -> Flow<R> {
        Flow {
            plan,
            batches,
            learned: None,
            read,
            checked: Instant::now(),
            has_waited: false,
            is_full: false,
            refused: Vec::new(),
            objects: Vec::new(),
        }
    }
}

impl Base {
    pub fn new(
        link: Link,
        build: String,
        notice: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Base, FleetTrouble> {
        let roll = Roll::listen(&link)?;
        Ok(Base { link, build, roll, notice, poisoned: AtomicU64::new(0) })
    }

    /// Hands over what comes of the numbers that are wanted, in order. What is kept on the server beside the
    /// plan is renewed now and then.
    pub fn run<R>(
        &self,
        flow: &mut Flow<R>,
        ears: &mut Ears,
        wanted: &Wanted<'_>,
        take: &mut dyn FnMut(u64, R) -> ControlFlow<()>,
        renew: &mut dyn FnMut(&Announcement) -> Result<(), FleetTrouble>,
    ) -> Result<(), FleetTrouble> {
        let check_every = CHECK_EVERY.min(self.link.renewal() / 2);
        loop {
            while flow.batches.next() < wanted.end
                && let Some((number, report)) = flow.batches.pop()
            {
                if take(number, report).is_break() {
                    return Ok(());
                }
            }
            if flow.batches.next() >= wanted.end || (wanted.is_late)() {
                return Ok(());
            }
            self.give_out(flow, ears, wanted)?;
            self.receive(flow, ears)?;
            if flow.checked.elapsed() > check_every {
                flow.checked = Instant::now();
                self.check(flow, ears)?;
                renew(&flow.plan)?;
            }
        }
    }

    /// Gives out as much as there is room for, and once more what is late.
    fn give_out<R>(&self, flow: &mut Flow<R>, ears: &Ears, wanted: &Wanted<'_>) -> Result<(), FleetTrouble> {
        let workers = self.roll.workers().iter().filter(|worker| worker.build == self.build).count();
        while let Some(range) = flow.batches.plan(wanted.horizon, workers, Instant::now()) {
            self.publish(flow, ears, wanted, range, 1)?;
        }
        if workers > 0 {
            for (range, times) in flow.batches.late(Instant::now()) {
                if times == TIMES_SHOWN && !flow.is_full {
                    self.warn_of(flow, wanted, &range, times - 1);
                }
                self.publish(flow, ears, wanted, range, times)?;
            }
        }
        Ok(())
    }

    fn warn_of<R>(&self, _flow: &Flow<R>, wanted: &Wanted<'_>, range: &Range<u64>, times: u32) {
        let Range { start, end } = *range;
        let lost =
            format!("were given to workers {times} times and no report came: a worker may die in them");
        let text = match wanted.say {
            None => format!(
                "warning: executions {start} to {} {lost}; `--first {start} --executions {}` runs them here",
                end - 1,
                end - start
            ),
            Some(_) => format!("warning: pieces {start} to {} {lost}", end - 1),
        };
        (self.notice)(&text);
    }

    fn publish<R>(
        &self,
        flow: &mut Flow<R>,
        ears: &Ears,
        wanted: &Wanted<'_>,
        range: Range<u64>,
        times: u32,
    ) -> Result<(), FleetTrouble> {
        let pieces = wanted.say.map(|say| {
            let name = flow.plan.object(&format!("pieces-{}", range.start));
            self.link.piece_blob(&name, say(range.clone()))
        });
        let pieces = pieces.transpose()?;
        if let Some(Blob::Object(name, _)) = &pieces
            && times == 1
        {
            flow.objects.push(name.clone());
        }
        let batch = BatchMessage {
            campaign: flow.plan.campaign.clone(),
            first: range.start,
            end: range.end,
            learned: flow.learned,
            reply: ears.reply.clone(),
            pieces,
            epoch: flow.plan.epoch,
            times,
        };
        let subject = subjects::work(&self.build, &flow.plan.campaign);
        match self.link.publish_if_room("give a batch out", &subject, Some(&batch.id()), &encode(&batch))? {
            Kept::Yes | Kept::Twice => flow.is_full = false,
            // It is given out again as one that is late.
            Kept::Full(reason) if !flow.is_full => {
                flow.is_full = true;
                (self.notice)(&format!(
                    "warning: the stream of batches has no room ({reason}): waiting until workers have taken some"
                ));
            }
            Kept::Full(_) => {}
        }
        Ok(())
    }

    /// Takes in the reports that have come; waits a moment if there are none.
    fn receive<R>(&self, flow: &mut Flow<R>, ears: &mut Ears) -> Result<(), FleetTrouble> {
        let arrived = &mut ears.arrived;
        let Ok(Some(first)) =
            self.link.wait(async { tokio::time::timeout(LOOK_EVERY, arrived.recv()).await })
        else {
            return Ok(());
        };
        let mut next = Some(first);
        while let Some(message) = next {
            if let Err(reason) = self.take_in(flow, &message)? {
                let known = self.poisoned.fetch_add(1, Ordering::Relaxed);
                if known < POISONED_SHOWN {
                    (self.notice)(&format!("warning: a report was left out, it cannot be read: {reason}"));
                }
            }
            next = ears.arrived.try_recv().ok();
        }
        Ok(())
    }

    /// Takes in a message with reports; the inner error says why it is none.
    fn take_in<R>(&self, flow: &mut Flow<R>, message: &[u8]) -> Result<Result<(), String>, FleetTrouble> {
        let read = || {
            let message: ReportsMessage = decode(message)?;
            let range = check_range(message.first, message.end)?;
            Ok::<_, String>((range, message))
        };
        let (range, ReportsMessage { campaign, took_us, reports, .. }) = match read() {
            Ok(read) => read,
            Err(reason) => return Ok(Err(reason)),
        };
        let object = match &reports {
            Blob::Object(name, _) => Some(name.clone()),
            Blob::Here(_) => None,
        };
        // What is left of earlier work is wanted no more, nor is what another worker has reported first.
        let is_wanted = campaign == flow.plan.campaign && flow.batches.wants(&range);
        let bytes = match is_wanted.then(|| self.link.read(reports)) {
            None => None,
            Some(Ok(Some(bytes))) => Some(Ok(bytes)),
            Some(Ok(None)) => Some(Err("its object is gone".to_owned())),
            Some(Err(FleetTrouble::Poisoned { reason, .. })) => Some(Err(reason)),
            Some(Err(error)) => return Err(error),
        };
        if let Some(object) = object {
            self.link.forget(&object);
        }
        let bytes = match bytes {
            None => return Ok(Ok(())),
            Some(Ok(bytes)) => bytes,
            Some(Err(reason)) => return Ok(Err(reason)),
        };
        let cost = Cost { took: Duration::from_micros(took_us.min(3_600_000_000)), bytes: bytes.len() };
        Ok((flow.read)(&bytes, range.end - range.start)
            .map(|reports| flow.batches.take_in(range, reports, cost, Instant::now())))
    }

    /// Looks whether this is still the coordinator of the work, and whether there are workers.
    fn check<R>(&self, flow: &mut Flow<R>, ears: &mut Ears) -> Result<(), FleetTrouble> {
        let subject = subjects::plan(&flow.plan.campaign);
        match self.link.latest::<PlanMessage>("look at the plan", &subject, PATIENCE)? {
            Some(plan) if plan.epoch != flow.plan.epoch => {
                return Err(FleetTrouble::TakenOver(plan.coordinator));
            }
            Some(_) if flow.plan.age() < self.link.renewal() => {}
            // Without it, workers take the campaign to be over.
            _ => flow.plan.keep(&self.link)?,
        }
        let workers = self.roll.workers();
        let (fit, others): (Vec<_>, Vec<_>) =
            workers.into_iter().partition(|worker| worker.build == self.build);
        if fit.is_empty() && !flow.has_waited {
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
        flow.has_waited = fit.is_empty();
        while let Ok(refusal) = ears.refusals.try_recv() {
            if flow.refused.iter().all(|known| known.worker != refusal.worker) {
                (self.notice)(&format!(
                    "warning: {} refuses the campaign: {}",
                    refusal.worker, refusal.reason
                ));
                flow.refused.push(refusal);
            }
        }
        let refuses = |name: &String| flow.refused.iter().any(|refusal| refusal.worker == *name);
        match flow.refused.last() {
            Some(last) if !fit.is_empty() && fit.iter().all(|worker| refuses(&worker.worker)) => {
                Err(FleetTrouble::NoWorkerFits { reason: last.reason.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Reports how many messages could not be read, if not each was reported.
    pub fn report_poisoned(&self) {
        let poisoned = self.poisoned.swap(0, Ordering::Relaxed);
        if poisoned > POISONED_SHOWN {
            (self.notice)(&format!("warning: {poisoned} reports in all could not be read"));
        }
    }
}

/// The consumer of the reports that come to a name.
fn consumer_name(reply: &str) -> String {
    format!("coordinator-{reply}")
}

/// How a consumer is made that is there no more.
struct Again {
    stream: Stream,
    name: String,
    subject: String,
}

/// Hands reports over as they come, and begins again when the server was away, or the consumer is.
async fn receive(mut from: PullConsumer, again: Again, reports: mpsc::Sender<Vec<u8>>) {
    loop {
        if let Ok(mut messages) = from
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
        if let Ok(made) = consumer(&again.stream, &again.name, &again.subject).await {
            from = made;
        }
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
