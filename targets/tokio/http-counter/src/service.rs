//! The service: `POST /add/ID` adds one to a counter, once for each ID, however often the client tries. It
//! takes its connections as they come, so that other simulators can run it too.
//!
//! The server remembers its replies, so that a client that never got one may ask again. With
//! [`Remember::Late`] it does so when the addition has been stored, some milliseconds later. That looks
//! right, and is wrong: when a connection breaks, hyper drops the future that serves it, and what comes after
//! an `.await` in it never happens.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

/// How long the store takes.
const STORE_TIME: Duration = Duration::from_millis(5);
/// How often a client tries, how long each time, and what it waits in between.
const TRIES: u32 = 5;
const PATIENCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(20);

/// When the server remembers its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remember {
    /// With the addition.
    AtOnce,
    /// When the addition has been stored: the bug.
    Late,
}

#[derive(Default)]
struct Held {
    value: u64,
    /// The additions, in order.
    added: Vec<u64>,
    replies: HashMap<u64, u64>,
}

/// The counter and its replies.
#[derive(Clone, Default)]
pub struct Counter(Arc<Mutex<Held>>);

impl Counter {
    fn with<T>(&self, work: impl FnOnce(&mut Held) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The IDs of all additions, in order.
    pub fn added(&self) -> Vec<u64> {
        self.with(|held| held.added.clone())
    }

    async fn add(&self, id: u64, remember: Remember) -> u64 {
        let known = self.with(|held| held.replies.get(&id).copied());
        if let Some(reply) = known {
            return reply;
        }
        let reply = self.with(|held| {
            held.value += 1;
            held.added.push(id);
            if remember == Remember::AtOnce {
                held.replies.insert(id, held.value);
            }
            held.value
        });
        // The addition is stored.
        tokio::time::sleep(STORE_TIME).await;
        self.with(|held| held.replies.insert(id, reply));
        reply
    }
}

/// Serves one connection until it ends.
pub async fn serve<S>(stream: S, counter: Counter, remember: Remember)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let counter = counter.clone();
        async move {
            let id = request.uri().path().rsplit('/').next().and_then(|id| id.parse().ok());
            let reply = match id {
                Some(id) => counter.add(id, remember).await.to_string(),
                None => "no such thing".to_owned(),
            };
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(reply))))
        }
    });
    // A connection that breaks is the client's concern.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Adds one over this connection, and gives the value after that.
async fn add_over<S>(stream: S, id: u64) -> Result<u64, Failed>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let request = Request::post(format!("/add/{id}")).header("host", "counter").body(Empty::<Bytes>::new())?;
    let answered = async {
        let body = sender.send_request(request).await?.into_body().collect().await?.to_bytes();
        Ok(std::str::from_utf8(&body)?.parse()?)
    };
    // A client that waits no longer closes its connection.
    let answer = tokio::time::timeout(PATIENCE, answered).await;
    connection.abort();
    answer?
}

/// Adds one, and gives the value after that. Tries again on a new connection when one breaks, or takes too
/// long.
pub async fn add<S, F>(connect: impl Fn() -> F, id: u64) -> Option<u64>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future<Output = std::io::Result<S>>,
{
    for _ in 0..TRIES {
        if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, connect()).await
            && let Ok(value) = add_over(stream, id).await
        {
            return Some(value);
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}
