//! Clients: sessions of the crate zookeeper-client, asked one thing at a time.
//!
//! A request whose connection is lost after a write was sent has an unknown outcome, and stays unknown: the crate does not send it
//! again, and neither do we. A session that has expired is replaced by a new one at the next request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use shakedown_cluster::NodeId;
use shakedown_live::{Client, Clients, Outcome};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout_at;
use zookeeper_client::{self as zookeeper, Acls, CreateMode, Error};

use crate::target::SESSION_TIME;
use crate::vocabulary::{Answer, Ask, Held, Told};

/// Makes sessions. Every second one knows its own server only, so that it is known which server is asked; the others know all
/// servers, and move to another when their server is gone.
pub struct ZooKeeperClients {
    runtime: Arc<Runtime>,
    /// The release, for what releases before 3.5 do not know.
    version: (u32, u32, u32),
    made: AtomicUsize,
}

impl ZooKeeperClients {
    /// Clients for servers of a release.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn new(version: (u32, u32, u32)) -> std::io::Result<ZooKeeperClients> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
        Ok(ZooKeeperClients { runtime: Arc::new(runtime), version, made: AtomicUsize::new(0) })
    }
}

impl Clients for ZooKeeperClients {
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String> {
        let stays = self.made.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let known = if stays { &servers[first.index()..=first.index()] } else { servers };
        let servers = known.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(",");
        let (runtime, version) = (Arc::clone(&self.runtime), self.version);
        Ok(Box::new(Session { runtime, version, servers, client: None, stage: Stage::Harmless }))
    }
}

/// How far a request has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was sent that changes a register.
    Harmless,
    /// A write was sent, and its outcome is not known.
    Written,
}

struct Session {
    runtime: Arc<Runtime>,
    version: (u32, u32, u32),
    servers: String,
    client: Option<zookeeper::Client>,
    stage: Stage,
}

impl Client for Session {
    fn call(&mut self, request: &str, until: Instant) -> Outcome {
        let ask: Ask = match serde_json::from_str(request) {
            Ok(ask) => ask,
            Err(error) => return Outcome::Failed(format!("no request to registers: {error}")),
        };
        self.stage = Stage::Harmless;
        let runtime = Arc::clone(&self.runtime);
        let answered = runtime.block_on(async { timeout_at(until.into(), self.answer(ask)).await });
        let error = match answered {
            Ok(Ok(answer)) => {
                return Outcome::Answer(serde_json::to_string(&answer).expect("answers are plain"));
            }
            Ok(Err(error)) => error,
            Err(_) => Error::Timeout,
        };
        if is_over(&error) {
            self.client = None;
        }
        match self.stage {
            Stage::Harmless => Outcome::Failed(error.to_string()),
            Stage::Written => Outcome::Unknown(error.to_string()),
        }
    }
}

/// Whether a session can do nothing more after this error.
fn is_over(error: &Error) -> bool {
    matches!(error, Error::NoHosts | Error::SessionExpired | Error::AuthFailed | Error::ClientClosed)
}

fn path(key: u8) -> String {
    format!("/r{key}")
}

impl Session {
    /// The session, opened if there is none.
    async fn opened(&mut self) -> Result<zookeeper::Client, Error> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let (major, minor, patch) = self.version;
        let connector = zookeeper::Client::connector()
            .with_session_timeout(SESSION_TIME)
            .with_connection_timeout(SESSION_TIME / 2)
            .with_server_version(major, minor, patch);
        let client = connector.connect(&self.servers).await?;
        self.client = Some(client.clone());
        Ok(client)
    }

    async fn answer(&mut self, ask: Ask) -> Result<Answer, Error> {
        let client = self.opened().await?;
        let session = client.session_id().to_string();
        let key = ask.key();
        let told = match ask {
            Ask::Read(_) => Told::Value(read(&client, key).await?),
            Ask::Sync(_) => {
                client.sync(&path(key)).await?;
                Told::Value(read(&client, key).await?)
            }
            Ask::Set(_, value) => Told::Done(self.write(&client, key, value, None).await?),
            Ask::Swap(_, value) => {
                let held = read(&client, key).await?;
                match self.write(&client, key, value, Some(held.version)).await {
                    Ok(_) => Told::Swapped(held),
                    Err(Error::BadVersion) => Told::Missed(held.version),
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Answer { told, session })
    }

    /// Writes a register, and the version that this makes. A register that is not there yet is made first, and holds 0.
    async fn write(
        &mut self,
        client: &zookeeper::Client,
        key: u8,
        value: u64,
        version: Option<i32>,
    ) -> Result<i32, Error> {
        loop {
            self.stage = Stage::Written;
            let written = client.set_data(&path(key), value.to_string().as_bytes(), version).await;
            // Everything but these leaves open whether it was written.
            if matches!(written, Ok(_) | Err(Error::BadVersion | Error::NoNode)) {
                self.stage = Stage::Harmless;
            }
            match written {
                Ok(stat) => return Ok(stat.version),
                Err(Error::NoNode) => make(client, key).await?,
                Err(error) => return Err(error),
            }
        }
    }
}

/// Makes a register that holds 0, unless there is one. An outcome that is unknown does no harm: nobody sees the difference.
async fn make(client: &zookeeper::Client, key: u8) -> Result<(), Error> {
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    match client.create(&path(key), b"0", &options).await {
        Ok(_) | Err(Error::NodeExists) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Reads a register where the session is. One that is not there yet holds 0.
async fn read(client: &zookeeper::Client, key: u8) -> Result<Held, Error> {
    let (data, stat) = match client.get_data(&path(key)).await {
        Ok(found) => found,
        Err(Error::NoNode) => return Ok(Held::default()),
        Err(error) => return Err(error),
    };
    let value = std::str::from_utf8(&data).ok().and_then(|text| text.parse().ok());
    let unreadable = || Error::UnexpectedError(format!("{} holds no number", path(key)));
    Ok(Held { value: value.ok_or_else(unreadable)?, version: stat.version })
}

/// Sessions need at least two ticks of the servers.
const _: () = assert!(SESSION_TIME.as_millis() >= Duration::from_millis(600).as_millis());
