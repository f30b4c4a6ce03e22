//! A connection to the server, for code that waits: a runtime on a thread of its own keeps it alive.

use std::cell::Cell;
use std::error::Error as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::context::{CreateStreamErrorKind, PublishError, PublishErrorKind};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{
    Config as StreamConfig, DirectGetErrorKind, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy,
    Stream,
};
use async_nats::jetstream::{self, Context, ErrorCode};
use futures_util::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::Runtime;

use crate::bytes::Bytes;
use crate::subjects::{OBJECTS, REPORTS, STATE, WORK};
use crate::wire::{Blob, INLINE_MAX, OBJECT_MAX, PIECES_INLINE_MAX, PlanMessage, decode, encode};
use crate::{FleetOptions, FleetTrouble};

/// For how long the server may not answer before it is given up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// What need not be done, such as deleting what goes by its age, is tried once.
pub(crate) const NO_PATIENCE: Duration = Duration::ZERO;
/// Objects come at this many bytes a second, at least.
const OBJECT_BYTES_PER_SECOND: u64 = 1 << 20;
/// The deadline of a batch: a worker that has not been heard of for this long has lost it.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(10);
/// How often one message of the queue is given to a worker before it is given up.
const DELIVERIES_MAX: i64 = 8;
/// How long messages that nobody has taken are kept.
const AGE_MAX: Duration = Duration::from_secs(24 * 3600);
/// How often it is kept anew in that time, if it is to stay.
const RENEWALS: u32 = 4;
/// The object store holds two snapshots, however large they are, and the lessons since.
const OBJECTS_BYTES: i64 = 2 * OBJECT_MAX as i64 + (512 << 20);
/// Two messages with one id within this time are one.
const DUPLICATES: Duration = Duration::from_secs(120);

/// For how long a cluster of servers may have nobody who makes streams.
const ELECTION_PATIENCE: Duration = Duration::from_secs(20);
/// For how long a full stream may have no room.
const FULL_PATIENCE: Duration = Duration::from_secs(10);
/// After which time it is asked again.
pub(crate) const FULL_PAUSE: Duration = Duration::from_millis(200);

/// Whether a stream has kept a message.
pub(crate) enum Kept {
    Yes,
    /// Another one of its id was there already.
    Twice,
    /// It has no room; what the server says of it.
    Full(String),
}

/// Whether the server refuses a message because there is no room.
fn is_full(error: &PublishError) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<jetstream::Error>());
    source.is_some_and(|error| {
        let full = [
            ErrorCode::STREAM_STORE_FAILED,
            ErrorCode::INSUFFICIENT_RESOURCES,
            ErrorCode::STORAGE_RESOURCES_EXCEEDED,
        ];
        full.contains(&error.error_code())
    })
}

/// A connection to the server.
pub(crate) struct Link {
    runtime: Runtime,
    pub client: Client,
    pub context: Context,
    pub work: Stream,
    pub reports: Stream,
    pub state: Stream,
    objects: ObjectStore,
    /// The stream that the objects are in.
    object_stream: Stream,
    /// What is to be kept for longer than this is kept anew: it would go by its age.
    renewal: Duration,
    /// What was sent, for those who measure.
    pub messages: AtomicU64,
    pub bytes: AtomicU64,
}

impl Link {
    /// Connects, and makes the streams if they are not there.
    pub fn connect(options: &FleetOptions, name: &str) -> Result<Link, FleetTrouble> {
        let addresses = options.addresses()?;
        let client = options.client(name)?;
        let machine =
            |source| FleetTrouble::Machine { what: "no thread can be started for the connection", source };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("shakedown-fleet")
            .enable_all()
            .build()
            .map_err(machine)?;
        let (client, context, [work, reports, state], objects, object_stream) = runtime.block_on(async {
            let client = client
                .connect(&addresses[..])
                .await
                .map_err(|error| FleetTrouble::Connect { url: options.shown(), reason: error.to_string() })?;
            let context = jetstream::new(client.clone());
            let streams = [
                stream(&context, work_stream(options.replicas)).await?,
                stream(&context, reports_stream(options.replicas)).await?,
                stream(&context, state_stream(options.replicas)).await?,
            ];
            let objects = objects(&context, options.replicas).await?;
            let refused =
                |reason: String| FleetTrouble::Refused { what: "the stream of its object store", reason };
            let object_stream = context.get_stream(format!("OBJ_{OBJECTS}")).await;
            let object_stream = object_stream.map_err(|error| refused(error.to_string()))?;
            Ok::<_, FleetTrouble>((client, context, streams, objects, object_stream))
        })?;
        let ages = [&state, &object_stream].map(|stream| stream.cached_info().config.max_age);
        let age = ages.into_iter().filter(|age| !age.is_zero()).min().unwrap_or(AGE_MAX);
        Ok(Link {
            runtime,
            client,
            context,
            work,
            reports,
            state,
            objects,
            object_stream,
            renewal: age / RENEWALS,
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        })
    }

    /// What is to stay is kept anew after this time.
    pub fn renewal(&self) -> Duration {
        self.renewal
    }

    /// Waits for something.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Lets something go on beside.
    pub fn beside(&self, future: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
        self.runtime.spawn(future)
    }

    /// Publishes to a stream, and waits until it is kept. Messages of one id are kept once. Where a stream is
    /// full, it may have room in a moment.
    pub fn publish(
        &self,
        what: &'static str,
        subject: &str,
        id: Option<&str>,
        payload: Vec<u8>,
    ) -> Result<(), FleetTrouble> {
        let began = Instant::now();
        loop {
            match self.publish_if_room(what, subject, id, &payload)? {
                Kept::Yes | Kept::Twice => return Ok(()),
                Kept::Full(reason) if began.elapsed() > FULL_PATIENCE => {
                    return Err(FleetTrouble::Full { what, reason });
                }
                Kept::Full(_) => std::thread::sleep(FULL_PAUSE),
            }
        }
    }

    /// The same, but where the stream is full, that is the answer.
    pub fn publish_if_room(
        &self,
        what: &'static str,
        subject: &str,
        id: Option<&str>,
        payload: &[u8],
    ) -> Result<Kept, FleetTrouble> {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(payload.len() as u64, Ordering::Relaxed);
        let attempts = Cell::new(0);
        self.insist(what, PATIENCE, || async {
            attempts.set(attempts.get() + 1);
            let mut message = jetstream::message::PublishMessage::build().payload(payload.to_vec().into());
            if let Some(id) = id {
                message = message.message_id(id);
            }
            let sent = self.context.send_publish(subject.to_owned(), message).await;
            let kept = match sent {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            match kept {
                // After the first attempt the one that is there may be this one, whose answer was lost.
                Ok(answer) if answer.duplicate && attempts.get() == 1 => Ok(Ok(Kept::Twice)),
                Ok(_) => Ok(Ok(Kept::Yes)),
                // It would be as large the next time.
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    Ok(Err(FleetTrouble::Refused { what, reason: error.to_string() }))
                }
                Err(error) if is_full(&error) => Ok(Ok(Kept::Full(error.to_string()))),
                Err(error) => Err(error.to_string()),
            }
        })?
    }

    /// The message of this subject in the stream of plans, lessons and snapshots, if there is one. Of a
    /// cluster, any server answers that has one, which may be an older one; none is only what their leader
    /// does not have.
    pub fn kept<T: DeserializeOwned>(
        &self,
        what: &'static str,
        subject: &str,
    ) -> Result<Option<T>, FleetTrouble> {
        let message = self.insist(what, PATIENCE, || async {
            match self.state.direct_get_last_for_subject(subject).await {
                Ok(message) => Ok(Some(message.payload.to_vec())),
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => self.by_leader(subject).await,
                Err(error) => Err(error.to_string()),
            }
        })?;
        message.map(|payload| read_kept(subject, &payload)).transpose()
    }

    /// The same, and it is the latest one.
    pub fn latest<T: DeserializeOwned>(
        &self,
        what: &'static str,
        subject: &str,
        patience: Duration,
    ) -> Result<Option<T>, FleetTrouble> {
        let message = self.insist(what, patience, || self.by_leader(subject))?;
        message.map(|payload| read_kept(subject, &payload)).transpose()
    }

    async fn by_leader(&self, subject: &str) -> Result<Option<Vec<u8>>, String> {
        match self.state.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(message.payload.to_vec())),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Keeps a message in the stream of plans, lessons and snapshots, in the place of the one of the same
    /// subject.
    pub fn keep<T: Serialize>(
        &self,
        what: &'static str,
        subject: &str,
        message: &T,
    ) -> Result<(), FleetTrouble> {
        self.publish(what, subject, None, encode(message))
    }

    /// Something that may be too large for a message. If it is, it is kept as an object of this name.
    pub fn blob(&self, name: &str, bytes: Vec<u8>) -> Result<Blob, FleetTrouble> {
        self.blob_of(INLINE_MAX, name, bytes)
    }

    /// The same for what many batches have of their own: the queue is to hold some of each worker.
    pub fn piece_blob(&self, name: &str, bytes: Vec<u8>) -> Result<Blob, FleetTrouble> {
        self.blob_of(PIECES_INLINE_MAX, name, bytes)
    }

    fn blob_of(&self, inline_max: usize, name: &str, bytes: Vec<u8>) -> Result<Blob, FleetTrouble> {
        if bytes.len() <= inline_max {
            return Ok(Blob::Here(Bytes(bytes)));
        }
        let size = bytes.len() as u64;
        if bytes.len() > OBJECT_MAX {
            let reason = format!(
                "{size} bytes, of {OBJECT_MAX} at most: it grows with generations and what is learned"
            );
            return Err(FleetTrouble::Refused { what: "so large an object", reason });
        }
        let began = Instant::now();
        while let Some(reason) = self.no_room_for(size)? {
            if began.elapsed() > FULL_PATIENCE {
                return Err(FleetTrouble::Full { what: "keep an object", reason });
            }
            std::thread::sleep(FULL_PAUSE);
        }
        self.messages.fetch_add(size.div_ceil(128 << 10), Ordering::Relaxed);
        self.bytes.fetch_add(size, Ordering::Relaxed);
        self.insist_for(size, "keep an object", || async {
            self.objects.put(name, &mut &bytes[..]).await.map_err(|error| error.to_string())
        })?;
        Ok(Blob::Object(name.to_owned(), size))
    }

    /// Why there is no room for an object of this size, if there is none. One that does not fit would leave
    /// its beginning there.
    fn no_room_for(&self, size: u64) -> Result<Option<String>, FleetTrouble> {
        let info = self.insist("look at the object store", PATIENCE, || async {
            self.object_stream.get_info().await.map_err(|error| error.to_string())
        })?;
        let Ok(most @ 1..) = u64::try_from(info.config.max_bytes) else { return Ok(None) };
        let held = info.state.bytes;
        let needed = size + size / 64 + (64 << 10);
        let is_full = held.saturating_add(needed) > most;
        Ok(is_full.then(|| format!("the object store holds {held} of {most} bytes, and {size} are to come")))
    }

    /// What a blob stands for; nothing if its object is gone.
    pub fn read(&self, blob: Blob) -> Result<Option<Vec<u8>>, FleetTrouble> {
        let (name, size) = match blob {
            Blob::Here(Bytes(bytes)) => return Ok(Some(bytes)),
            Blob::Object(name, size) => (name, size),
        };
        let too_large = || FleetTrouble::Poisoned {
            subject: name.clone(),
            reason: format!("it is no object of {size} bytes"),
        };
        let size = usize::try_from(size).ok().filter(|size| *size <= OBJECT_MAX).ok_or_else(too_large)?;
        self.insist_for(size as u64, "read an object", || async {
            let object = match self.objects.get(&name).await {
                Ok(object) => object,
                Err(error) if error.kind() == object_store::GetErrorKind::NotFound => return Ok(Ok(None)),
                Err(error) => return Err(error.to_string()),
            };
            let mut bytes = Vec::new();
            let read = object.take(size as u64 + 1).read_to_end(&mut bytes).await;
            match read {
                Ok(_) if bytes.len() == size => Ok(Ok(Some(bytes))),
                // It would be no other one the next time.
                Ok(_) => Ok(Err(too_large())),
                Err(error) => Err(error.to_string()),
            }
        })?
    }

    /// Deletes an object, if it is there.
    pub fn forget(&self, name: &str) {
        // It is deleted by its age otherwise.
        let _ = self.wait(self.objects.delete(name));
    }

    /// Deletes the objects of these names.
    pub fn forget_those(&self, is_meant: impl Fn(&str) -> bool) {
        let list = async {
            let mut names = Vec::new();
            let mut listed = self.objects.list().await.ok()?;
            while let Some(object) = listed.next().await {
                names.extend(object.ok().map(|object| object.name).filter(|name| is_meant(name)));
            }
            Some(names)
        };
        // What is not found now goes by its age.
        let listed = self.wait(async { tokio::time::timeout(FULL_PATIENCE, list).await });
        listed.ok().flatten().unwrap_or_default().iter().for_each(|name| self.forget(name));
    }

    /// Deletes the messages of these subjects.
    pub fn purge(&self, stream: &Stream, subject: &str, patience: Duration) -> Result<(), FleetTrouble> {
        self.insist("delete old messages", patience, || async {
            stream.purge().filter(subject).await.map(drop).map_err(|error| error.to_string())
        })
    }

    /// Deletes what a campaign keeps in the stream of plans, lessons and snapshots, if its plan is still that
    /// of this life of the coordinator. Whether it was is the answer.
    pub fn clear(
        &self,
        plan: &str,
        all: &str,
        is_mine: impl Fn(&PlanMessage) -> bool,
    ) -> Result<bool, FleetTrouble> {
        let what = "delete what was kept";
        // What comes after this is of another one.
        let last = self.insist(what, NO_PATIENCE, || async {
            self.state
                .get_info()
                .await
                .map(|info| info.state.last_sequence)
                .map_err(|error| error.to_string())
        })?;
        let plan: Option<PlanMessage> = self.latest(what, plan, NO_PATIENCE)?;
        if plan.is_some_and(|plan| !is_mine(&plan)) {
            return Ok(false);
        }
        self.insist(what, NO_PATIENCE, || async {
            let purged = self.state.purge().sequence(last.saturating_add(1)).filter(all).await;
            purged.map(drop).map_err(|error| error.to_string())
        })?;
        Ok(true)
    }

    /// The consumer of this name, for messages of these subjects.
    pub fn consumer(&self, stream: &Stream, name: &str, subject: &str) -> Result<PullConsumer, FleetTrouble> {
        self.insist("make a consumer", PATIENCE, || consumer(stream, name, subject))
    }

    /// Deletes a consumer, if it is there.
    pub fn dismiss(&self, stream: &Stream, name: &str) {
        // It goes by itself when nobody has listened for a day.
        let _ = self.wait(stream.delete_consumer(name));
    }

    /// Tries until it succeeds: servers restart, and networks break.
    fn insist<T, F: Future<Output = Result<T, String>>>(
        &self,
        what: &'static str,
        patience: Duration,
        attempt: impl FnMut() -> F,
    ) -> Result<T, FleetTrouble> {
        self.attempt(what, patience, PATIENCE, attempt)
    }

    /// The same for so many bytes, which take their time.
    fn insist_for<T, F: Future<Output = Result<T, String>>>(
        &self,
        bytes: u64,
        what: &'static str,
        attempt: impl FnMut() -> F,
    ) -> Result<T, FleetTrouble> {
        let limit = PATIENCE + Duration::from_secs(bytes / OBJECT_BYTES_PER_SECOND);
        self.attempt(what, PATIENCE, limit, attempt)
    }

    fn attempt<T, F: Future<Output = Result<T, String>>>(
        &self,
        what: &'static str,
        patience: Duration,
        limit: Duration,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, FleetTrouble> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(50);
        loop {
            let tried = self.wait(async { tokio::time::timeout(limit, attempt()).await });
            let reason = match tried {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(reason)) => reason,
                Err(_) => format!("no end after {} s", limit.as_secs()),
            };
            if began.elapsed() >= patience {
                return Err(FleetTrouble::NoAnswer { what, seconds: began.elapsed().as_secs(), reason });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }
}

/// The consumer of this name, for messages of these subjects.
pub(crate) async fn consumer(stream: &Stream, name: &str, subject: &str) -> Result<PullConsumer, String> {
    let config = PullConfig {
        durable_name: Some(name.to_owned()),
        filter_subject: subject.to_owned(),
        ack_wait: ACK_WAIT,
        max_deliver: DELIVERIES_MAX,
        max_ack_pending: 1 << 16,
        // Nobody listens any more: the consumer goes, and what waits is kept for the next one of the name.
        inactive_threshold: AGE_MAX,
        ..PullConfig::default()
    };
    stream.get_or_create_consumer(name, config).await.map_err(|error| error.to_string())
}

/// Reads a message that was kept.
fn read_kept<T: DeserializeOwned>(subject: &str, payload: &[u8]) -> Result<T, FleetTrouble> {
    decode(payload).map_err(|reason| FleetTrouble::Poisoned { subject: subject.to_owned(), reason })
}

/// A stream of this configuration; one that is there already stays as its owner has made it.
async fn stream(context: &Context, config: StreamConfig) -> Result<Stream, FleetTrouble> {
    let began = Instant::now();
    loop {
        match context.get_or_create_stream(&config).await {
            Ok(stream) => return Ok(stream),
            // A cluster that has just lost a server elects others first.
            Err(error) if is_passing(&error.kind()) && began.elapsed() < ELECTION_PATIENCE => {
                tokio::time::sleep(FULL_PAUSE).await;
            }
            Err(error) => {
                return Err(FleetTrouble::Refused {
                    what: "a stream (it must run with JetStream: nats-server -js)",
                    reason: error.to_string(),
                });
            }
        }
    }
}

/// Whether the reason why there is no stream may be gone in a moment.
fn is_passing(kind: &CreateStreamErrorKind) -> bool {
    match kind {
        CreateStreamErrorKind::TimedOut => true,
        CreateStreamErrorKind::JetStream(error) => error.error_code() == ErrorCode::CLUSTER_NOT_AVAILABLE,
        _ => false,
    }
}

async fn objects(context: &Context, replicas: usize) -> Result<ObjectStore, FleetTrouble> {
    if let Ok(objects) = context.get_object_store(OBJECTS).await {
        return Ok(objects);
    }
    let config = object_store::Config {
        bucket: OBJECTS.to_owned(),
        max_age: AGE_MAX,
        max_bytes: OBJECTS_BYTES,
        num_replicas: replicas.max(1),
        ..object_store::Config::default()
    };
    let refused = |reason: String| FleetTrouble::Refused { what: "an object store", reason };
    match context.create_object_store(config).await {
        Ok(objects) => Ok(objects),
        // Another one may have made it at the same moment.
        Err(error) => context.get_object_store(OBJECTS).await.map_err(|_| refused(error.to_string())),
    }
}

fn work_stream(replicas: usize) -> StreamConfig {
    StreamConfig {
        name: WORK.to_owned(),
        subjects: vec!["shakedown.work.>".to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: 1 << 20,
        max_bytes: 64 << 20,
        max_message_size: PIECES_INLINE_MAX as i32 + (64 << 10),
        max_age: AGE_MAX,
        duplicate_window: DUPLICATES,
        num_replicas: replicas.max(1),
        ..StreamConfig::default()
    }
}

fn reports_stream(replicas: usize) -> StreamConfig {
    StreamConfig {
        name: REPORTS.to_owned(),
        subjects: vec!["shakedown.reports.>".to_owned()],
        retention: RetentionPolicy::WorkQueue,
        // A full stream holds workers back until the coordinator has taken some.
        discard: DiscardPolicy::New,
        max_bytes: 256 << 20,
        max_age: AGE_MAX,
        duplicate_window: DUPLICATES,
        num_replicas: replicas.max(1),
        ..StreamConfig::default()
    }
}

fn state_stream(replicas: usize) -> StreamConfig {
    StreamConfig {
        name: STATE.to_owned(),
        subjects: vec!["shakedown.state.>".to_owned()],
        discard: DiscardPolicy::New,
        max_messages_per_subject: 1,
        max_bytes: 512 << 20,
        max_age: AGE_MAX,
        allow_direct: true,
        num_replicas: replicas.max(1),
        ..StreamConfig::default()
    }
}
