//! A connection to the server, for code that waits: a runtime on a thread of its own keeps it alive.

use std::error::Error as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::context::{CreateStreamErrorKind, PublishError, PublishErrorKind};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{
    Config as StreamConfig, DirectGetErrorKind, DiscardPolicy, RetentionPolicy, Stream,
};
use async_nats::jetstream::{self, Context, ErrorCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::Runtime;

use crate::bytes::Bytes;
use crate::subjects::{OBJECTS, REPORTS, STATE, WORK};
use crate::wire::{Blob, INLINE_MAX, OBJECT_MAX, PIECES_INLINE_MAX, decode, encode};
use crate::{FleetOptions, FleetTrouble};

/// For how long the server may not answer before it is given up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The deadline of a batch: a worker that has not been heard of for this long has lost it.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(10);
/// How often one message of the queue is given to a worker before it is given up.
const DELIVERIES_MAX: i64 = 8;
/// How long messages that nobody has taken are kept.
const AGE_MAX: Duration = Duration::from_secs(24 * 3600);
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
        let (client, context, [work, reports, state], objects) = runtime.block_on(async {
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
            Ok::<_, FleetTrouble>((client, context, streams, objects))
        })?;
        Ok(Link {
            runtime,
            client,
            context,
            work,
            reports,
            state,
            objects,
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        })
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
                Kept::Yes => return Ok(()),
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
        self.insist(what, || async {
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

    /// The message of this subject in the stream of plans, lessons and snapshots, if there is one.
    pub fn kept<T: DeserializeOwned>(
        &self,
        what: &'static str,
        subject: &str,
    ) -> Result<Option<T>, FleetTrouble> {
        let message = self.insist(what, || async {
            match self.state.direct_get_last_for_subject(subject).await {
                Ok(message) => Ok(Some(message.payload)),
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
                Err(error) => Err(error.to_string()),
            }
        })?;
        let poisoned = |reason| FleetTrouble::Poisoned { subject: subject.to_owned(), reason };
        message.map(|payload| decode(&payload).map_err(poisoned)).transpose()
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
        self.messages.fetch_add(size.div_ceil(128 << 10), Ordering::Relaxed);
        self.bytes.fetch_add(size, Ordering::Relaxed);
        self.insist("keep an object", || async {
            self.objects.put(name, &mut &bytes[..]).await.map_err(|error| error.to_string())
        })?;
        Ok(Blob::Object(name.to_owned(), size))
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
        self.insist("read an object", || async {
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

    /// Deletes the messages of these subjects.
    pub fn purge(&self, stream: &Stream, subject: &str) -> Result<(), FleetTrouble> {
        self.insist("delete old messages", || async {
            stream.purge().filter(subject).await.map(drop).map_err(|error| error.to_string())
        })
    }

    /// The consumer of this name, for messages of these subjects.
    pub fn consumer(&self, stream: &Stream, name: &str, subject: &str) -> Result<PullConsumer, FleetTrouble> {
        let config = PullConfig {
            durable_name: Some(name.to_owned()),
            filter_subject: subject.to_owned(),
            ack_wait: ACK_WAIT,
            max_deliver: DELIVERIES_MAX,
            max_ack_pending: 1 << 16,
            // Nobody listens any more: the consumer goes, and what waits is kept for the next one of the
            // name.
            inactive_threshold: AGE_MAX,
            ..PullConfig::default()
        };
        self.insist("make a consumer", || async {
            stream.get_or_create_consumer(name, config.clone()).await.map_err(|error| error.to_string())
        })
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
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, FleetTrouble> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(50);
        loop {
            let reason = match self.wait(attempt()) {
                Ok(done) => return Ok(done),
                Err(reason) => reason,
            };
            if began.elapsed() > PATIENCE {
                return Err(FleetTrouble::NoAnswer { what, seconds: began.elapsed().as_secs(), reason });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }
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
        max_bytes: 1 << 30,
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
