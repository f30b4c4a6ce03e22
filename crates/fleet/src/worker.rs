//! A worker: takes batches from the queue, runs them, and reports.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt as _;
use shakedown_campaign::{AnyTarget, Bench, Job, Means, Progress, Station};

use crate::announcement::{object, object_of};
use crate::identity::build_id;
use crate::link::{ACK_WAIT, FULL_PAUSE, Kept, Link, consumer};
use crate::presence::EVERY;
use crate::reports::{decode_lessons, encode_reports};
use crate::wire::{
    BatchMessage, LessonsMessage, PlanMessage, PresenceMessage, RefusalMessage, ReportsMessage,
    SnapshotMessage, check_range, decode, decode_pieces, encode, encode_pieces,
};
use crate::{FleetOptions, FleetTrouble, subjects};

/// How long it waits for a batch before it looks whether it is to end.
const WAIT: Duration = Duration::from_secs(1);
/// How long it waits before it asks again, if the server does not answer.
const PAUSE: Duration = Duration::from_millis(200);
/// After this long without an answer, it reports that.
const SILENCE_SHOWN: Duration = Duration::from_secs(10);
/// How many campaigns and other works it has ready.
const PLACES_MAX: usize = 4;
/// When a batch that it cannot run is offered to others again.
const REFUSED_FOR: Duration = Duration::from_secs(2);
/// The most lessons that are read one after the other before the snapshot must have come.
const LESSONS_MAX: u64 = 1 << 20;

/// Makes the bench of a name for pieces that have this in common; the error says why there is none.
pub type MakeBench<'a> = dyn Fn(&str, &[u8]) -> Result<Box<dyn Bench + 'a>, String> + 'a;

/// How a worker works.
pub struct WorkerOptions<'a> {
    /// How many executions side by side.
    pub jobs: usize,
    /// Set when it is to end: the batch that it runs comes to its end and is reported.
    pub stop: Option<Arc<AtomicBool>>,
    /// What does pieces of work that are no executions.
    pub bench: Box<MakeBench<'a>>,
    /// Prints what a user should know.
    pub notice: Box<dyn Fn(&str) + Send + Sync>,
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worked {
    /// How many executions.
    pub executions: u64,
    /// How many batches.
    pub batches: u64,
    /// How many messages it has sent, and how many bytes.
    pub sent: (u64, u64),
}

/// The name of this process among workers and coordinators.
pub(crate) fn process_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = host.ok().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_else(|| "host".to_owned());
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-' || *letter == '_';
    let host: String =
        host.trim().chars().map(|letter| if is_plain(&letter) { letter } else { '-' }).collect();
    format!("{}-{}", host.get(..host.len().min(64)).unwrap_or("host"), std::process::id())
}

/// Works until it is stopped.
pub fn work<'a>(
    options: &FleetOptions,
    targets: &'a [Box<dyn AnyTarget>],
    how: WorkerOptions<'a>,
    progress: &dyn Progress,
) -> Result<Worked, FleetTrouble> {
    let build = build_id()?;
    let name = process_name();
    let link = Link::connect(options, "shakedown worker")?;
    let (queue, subject) = (format!("workers-{build}"), subjects::all_work(&build));
    let mut batches = link.consumer(&link.work, &queue, &subject)?;
    let mut worker = Worker {
        link: &link,
        targets,
        how: &how,
        progress,
        places: VecDeque::new(),
        desk: Arc::new(Desk::new(name, build, how.jobs)),
    };
    let presence = link.beside(report_presence(link.client.clone(), Arc::clone(&worker.desk)));
    let is_stopped = || how.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    (how.notice)(&format!("{} is ready; build {}", worker.desk.name, worker.desk.build));
    let mut silence = Silence::default();
    while !is_stopped() {
        match link.wait(next_batch(&batches)) {
            Next::Batch(message) => {
                silence.ends(&how);
                worker.handle(*message)?;
            }
            Next::None => silence.ends(&how),
            Next::NoAnswer(reason) => {
                silence.goes_on(&how, &reason);
                // The server may have lost it, or someone has deleted it.
                if let Ok(made) = link.wait(consumer(&link.work, &queue, &subject)) {
                    batches = made;
                }
            }
        }
    }
    presence.abort();
    link.wait(async {
        // Whoever counts workers hears of it at once; without this word it takes a few seconds.
        let _ = link.client.publish(worker.desk.subject(), encode(&worker.desk.presence(true)).into()).await;
        let _ = link.client.flush().await;
    });
    Ok(Worked {
        executions: worker.desk.executions.load(Ordering::Relaxed),
        batches: worker.desk.batches.load(Ordering::Relaxed),
        sent: (link.messages.load(Ordering::Relaxed), link.bytes.load(Ordering::Relaxed)),
    })
}

/// What the queue of batches answers.
enum Next {
    Batch(Box<jetstream::Message>),
    /// None comes for a moment.
    None,
    /// Nothing, or not what was asked for; the text says what is known of it.
    NoAnswer(String),
}

async fn next_batch(consumer: &PullConsumer) -> Next {
    let next = async {
        let asked = consumer.batch().max_messages(1).expires(WAIT).messages().await;
        let mut messages = asked.map_err(|error| error.to_string())?;
        messages.next().await.transpose().map_err(|error| error.to_string())
    };
    let next = match tokio::time::timeout(2 * WAIT, next).await {
        Ok(Ok(Some(message))) => return Next::Batch(Box::new(message)),
        Ok(Ok(None)) => return Next::None,
        Ok(Err(reason)) => Next::NoAnswer(reason),
        Err(_) => Next::NoAnswer(format!("nothing for {} s", 2 * WAIT.as_secs())),
    };
    tokio::time::sleep(PAUSE).await;
    next
}

/// A server that does not answer.
#[derive(Default)]
struct Silence {
    since: Option<Instant>,
    is_shown: bool,
}

impl Silence {
    fn goes_on(&mut self, how: &WorkerOptions<'_>, reason: &str) {
        let since = *self.since.get_or_insert_with(Instant::now);
        if !self.is_shown && since.elapsed() > SILENCE_SHOWN {
            self.is_shown = true;
            (how.notice)(&format!(
                "warning: the NATS server gives no batches: waiting until it does ({reason})"
            ));
        }
    }

    fn ends(&mut self, how: &WorkerOptions<'_>) {
        if self.is_shown {
            (how.notice)("the NATS server answers again");
        }
        *self = Silence::default();
    }
}

/// What others may know of a worker.
struct Desk {
    name: String,
    build: String,
    jobs: u32,
    began: Instant,
    executions: AtomicU64,
    batches: AtomicU64,
    redelivered: AtomicU64,
    busy_ms: AtomicU64,
    campaign: Mutex<Option<String>>,
}

impl Desk {
    fn new(name: String, build: String, jobs: usize) -> Desk {
        Desk {
            name,
            build,
            jobs: u32::try_from(jobs).unwrap_or(u32::MAX),
            began: Instant::now(),
            executions: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            redelivered: AtomicU64::new(0),
            busy_ms: AtomicU64::new(0),
            campaign: Mutex::new(None),
        }
    }

    fn subject(&self) -> String {
        format!("{}.{}", subjects::PRESENCE, self.name)
    }

    fn runs(&self, campaign: Option<String>) {
        *self.campaign.lock().unwrap_or_else(PoisonError::into_inner) = campaign;
    }

    fn presence(&self, leaves: bool) -> PresenceMessage {
        PresenceMessage {
            worker: self.name.clone(),
            build: self.build.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            jobs: self.jobs,
            executions: self.executions.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            redelivered: self.redelivered.load(Ordering::Relaxed),
            busy_ms: self.busy_ms.load(Ordering::Relaxed),
            alive_ms: self.began.elapsed().as_millis() as u64,
            campaign: self.campaign.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            leaves,
        }
    }
}

async fn report_presence(client: async_nats::Client, desk: Arc<Desk>) {
    loop {
        // Nothing depends on one of them.
        let _ = client.publish(desk.subject(), encode(&desk.presence(false)).into()).await;
        tokio::time::sleep(EVERY).await;
    }
}

/// Keeps a batch from being given to another worker while this one runs it.
async fn hold(acker: Arc<Acker>) {
    loop {
        tokio::time::sleep(ACK_WAIT / 3).await;
        let _ = acker.ack_with(AckKind::Progress).await;
    }
}

struct Worker<'w, 'a> {
    link: &'w Link,
    targets: &'a [Box<dyn AnyTarget>],
    how: &'w WorkerOptions<'a>,
    progress: &'w dyn Progress,
    /// The campaigns and other works that it has run last, the latest at the end.
    places: VecDeque<(String, Place<'a>)>,
    desk: Arc<Desk>,
}

/// Where batches are run.
enum Place<'a> {
    /// Those of a campaign.
    Station(Box<Station<'a>>),
    /// Pieces of other work.
    Bench(Box<dyn Bench + 'a>),
}

/// What becomes of a batch.
enum Fate {
    /// It is reported.
    Done,
    /// Nobody wants it any more.
    Over,
    /// It is none.
    Void(String),
    /// Another worker may run it. Whom to report that to, what is refused, and why.
    Refused(String, String, String),
}

impl<'a> Worker<'_, 'a> {
    fn handle(&mut self, message: jetstream::Message) -> Result<(), FleetTrouble> {
        if message.info().is_ok_and(|info| info.delivered > 1) {
            self.desk.redelivered.fetch_add(1, Ordering::Relaxed);
        }
        let (message, acker) = message.split();
        let acker = Arc::new(acker);
        let held = self.link.beside(hold(Arc::clone(&acker)));
        let began = Instant::now();
        let fate = self.run(&message.payload);
        held.abort();
        self.desk.runs(None);
        self.desk.busy_ms.fetch_add(began.elapsed().as_millis() as u64, Ordering::Relaxed);
        let kind = match fate? {
            Fate::Done | Fate::Over => AckKind::Ack,
            Fate::Void(reason) => {
                (self.how.notice)(&format!("a batch was left out: {reason}"));
                AckKind::Term
            }
            Fate::Refused(reply, campaign, reason) => {
                (self.how.notice)(&format!("campaign {campaign} is refused: {reason}"));
                let refusal = RefusalMessage { worker: self.desk.name.clone(), reason };
                let sent = self.link.client.publish(subjects::refusals(&reply), encode(&refusal).into());
                // It is said again with the next batch.
                let _ = self.link.wait(sent);
                AckKind::Nak(Some(REFUSED_FOR))
            }
        };
        // If this is lost, the batch comes again, and so does the same report.
        let _ = self.link.wait(acker.ack_with(kind));
        Ok(())
    }

    fn run(&mut self, payload: &[u8]) -> Result<Fate, FleetTrouble> {
        let batch: BatchMessage = match decode(payload) {
            Ok(batch) => batch,
            Err(reason) => return Ok(Fate::Void(reason)),
        };
        if let Err(reason) = check_range(batch.first, batch.end) {
            return Ok(Fate::Void(reason));
        }
        self.desk.runs(Some(batch.campaign.clone()));
        match self.run_batch(&batch) {
            // What others have written is no reason to stop working.
            Err(FleetTrouble::Poisoned { subject, reason }) => {
                Ok(Fate::Void(format!("a message on {subject} cannot be read: {reason}")))
            }
            other => other,
        }
    }

    fn run_batch(&mut self, batch: &BatchMessage) -> Result<Fate, FleetTrouble> {
        let mut place = match self.place(batch)? {
            Ok(place) => place,
            Err(fate) => return Ok(fate),
        };
        let began = Instant::now();
        let done = match &mut place {
            Place::Station(station) => {
                if let Some(before) = batch.learned
                    && let Err(fate) = self.catch_up(&batch.campaign, station, before)?
                {
                    return Ok(fate);
                }
                let done = station.run(batch.range(), self.progress);
                done.map(encode_reports).map_err(|error| error.to_string())
            }
            Place::Bench(bench) => match self.pieces(batch)? {
                Ok(pieces) => {
                    let means = Means { jobs: self.how.jobs, progress: self.progress };
                    bench.run(&pieces, &means).map(encode_pieces)
                }
                Err(fate) => return Ok(fate),
            },
        };
        let done = match done {
            Ok(done) => done,
            Err(reason) => return Ok(refused(batch, reason)),
        };
        let took = began.elapsed();
        self.places.push_back((batch.campaign.clone(), place));
        self.report(batch, done, took)
    }

    /// What the pieces of a batch say.
    fn pieces(&self, batch: &BatchMessage) -> Result<Result<Vec<Vec<u8>>, Fate>, FleetTrouble> {
        let Some(pieces) = batch.pieces.clone() else {
            return Ok(Err(Fate::Void("its pieces are missing".to_owned())));
        };
        let Some(pieces) = self.link.read(pieces)? else { return Ok(Err(Fate::Over)) };
        Ok(decode_pieces(&pieces, batch.end - batch.first).map_err(Fate::Void))
    }

    fn report(&self, batch: &BatchMessage, done: Vec<u8>, took: Duration) -> Result<Fate, FleetTrouble> {
        self.desk.executions.fetch_add(batch.end - batch.first, Ordering::Relaxed);
        let count = self.desk.batches.fetch_add(1, Ordering::Relaxed);
        let BatchMessage { campaign, first, end, .. } = batch;
        let name =
            object(campaign, batch.epoch, &format!("reports-{first}-{end}-{}-{count}", self.desk.name));
        let mut is_noticed = false;
        let reports = loop {
            match self.link.blob(&name, done.clone()) {
                Ok(reports) => break reports,
                Err(FleetTrouble::Full { reason, .. }) => {
                    if let Some(fate) = self.waits(batch, &mut is_noticed, &reason)? {
                        return Ok(fate);
                    }
                }
                Err(error) => return Err(error),
            }
        };
        let object = object_of(&reports).map(str::to_owned);
        let message = encode(&ReportsMessage {
            campaign: campaign.clone(),
            first: *first,
            end: *end,
            worker: self.desk.name.clone(),
            took_us: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            reports,
        });
        let (subject, id) = (subjects::reports(&batch.reply), batch.id());
        loop {
            match self.link.publish_if_room("keep a report", &subject, Some(&id), &message)? {
                Kept::Yes => return Ok(Fate::Done),
                // Another worker was faster, and nobody will read this one's object.
                Kept::Twice => {
                    object.iter().for_each(|object| self.link.forget(object));
                    return Ok(Fate::Done);
                }
                Kept::Full(reason) => {
                    if let Some(fate) = self.waits(batch, &mut is_noticed, &reason)? {
                        return Ok(fate);
                    }
                }
            }
        }
    }

    /// Waits a moment for room on the server; what becomes of the batch if that is in vain. Its coordinator
    /// has to take some reports first, or another one whose campaign is over.
    fn waits(
        &self,
        batch: &BatchMessage,
        is_noticed: &mut bool,
        reason: &str,
    ) -> Result<Option<Fate>, FleetTrouble> {
        if !std::mem::replace(is_noticed, true) {
            (self.how.notice)(&format!("the stream of reports has no room: waiting ({reason})"));
        }
        let is_stopped = self.how.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let plan: Option<PlanMessage> = self.link.kept("read a plan", &subjects::plan(&batch.campaign))?;
        match plan {
            None => return Ok(Some(Fate::Over)),
            Some(_) if is_stopped => {
                return Ok(Some(refused(batch, "there is no room for its report".to_owned())));
            }
            Some(_) => std::thread::sleep(FULL_PAUSE),
        }
        Ok(None)
    }

    /// Where batches of this campaign or work are run; what becomes of them if they cannot be.
    fn place(&mut self, batch: &BatchMessage) -> Result<Result<Place<'a>, Fate>, FleetTrouble> {
        let campaign = &batch.campaign;
        if let Some(place) = self.places.iter().position(|(known, _)| known == campaign)
            && let Some((_, place)) = self.places.remove(place)
        {
            return Ok(Ok(place));
        }
        let message: Option<PlanMessage> = self.link.kept("read a plan", &subjects::plan(campaign))?;
        let Some(PlanMessage { step_time_ms, bench, plan, .. }) = message else {
            return Ok(Err(Fate::Over));
        };
        let Some(plan) = self.link.read(plan)? else { return Ok(Err(Fate::Over)) };
        while self.places.len() >= PLACES_MAX {
            self.places.pop_front();
        }
        let place = match bench {
            None => self.new_station(&plan, step_time_ms).map(|station| Place::Station(Box::new(station))),
            Some(bench) => (self.how.bench)(&bench, &plan).map(Place::Bench),
        };
        Ok(place.map_err(|reason| refused(batch, reason)))
    }

    fn new_station(&self, job: &[u8], step_time_ms: u64) -> Result<Station<'a>, String> {
        let job: Job =
            serde_json::from_slice(job).map_err(|error| format!("its plan cannot be read: {error}"))?;
        let name = &job.plan.target;
        let target = self.targets.iter().find(|target| target.name() == name);
        let target = target.ok_or_else(|| format!("there is no target `{name}` here"))?;
        if !target.info().is_deterministic {
            return Err(format!("target `{name}` is not deterministic"));
        }
        let mut campaign = job.campaign(target.as_ref()).map_err(|error| error.to_string())?;
        campaign.jobs = self.how.jobs;
        campaign.step_time = Duration::from_millis(step_time_ms.max(1));
        Station::new(campaign).map_err(|error| error.to_string())
    }

    /// Learns everything that was learned before this execution.
    fn catch_up(
        &self,
        campaign: &str,
        station: &mut Station<'_>,
        before: u64,
    ) -> Result<Result<(), Fate>, FleetTrouble> {
        // An earlier life of the campaign wanted it, or the campaign is over.
        let over = || Fate::Over;
        let spoilt =
            |reason| Fate::Void(format!("what campaign {campaign} has learned cannot be read: {reason}"));
        for _ in 0..LESSONS_MAX {
            if station.learned() == before {
                return Ok(Ok(()));
            }
            if station.learned() < before {
                let subject = subjects::lessons(campaign, station.learned());
                let lessons: Option<LessonsMessage> = self.link.kept("read lessons", &subject)?;
                if let Some(LessonsMessage { first, end, lessons }) = lessons
                    && let Some(lessons) = self.link.read(lessons)?
                {
                    let learned = decode_lessons(&lessons, end.saturating_sub(first))
                        .and_then(|lessons| station.learn(first..end, lessons));
                    match learned {
                        Ok(()) => continue,
                        Err(reason) => return Ok(Err(spoilt(reason))),
                    }
                }
            }
            // It is too far behind, or ahead: an earlier life of the campaign had come further.
            let message = self.link.kept("read a snapshot", &subjects::snapshot(campaign))?;
            let Some(SnapshotMessage { before: at, learned }) = message else { return Ok(Err(over())) };
            if at > before || (at <= station.learned() && station.learned() < before) {
                return Ok(Err(over()));
            }
            let Some(learned) = self.link.read(learned)? else { return Ok(Err(over())) };
            if let Err(reason) = station.take_up(&learned, at) {
                return Ok(Err(spoilt(reason)));
            }
        }
        Ok(Err(over()))
    }
}

/// Another worker may run this batch.
fn refused(batch: &BatchMessage, reason: String) -> Fate {
    Fate::Refused(batch.reply.clone(), batch.campaign.clone(), reason)
}
