//! The crate `mini-redis` as a target of Shakedown: its server and its client, as they were published.
//!
//! Both open sockets of tokio themselves. n1 runs the server; a request to any node goes through mini-redis's
//! client, on a connection of its own, to n1. The server keeps nothing on disk, so no node crashes;
//! connections break.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mini_redis::{client, server};
use shakedown::Target;
use shakedown::check::{Linearizable, RegisterAnswer, RegisterOp};
use shakedown::cluster::{Contract, Crashes, NodeId, Options, Random, RequestId};
use shakedown::tokio_node::{Env, NoCalls, Settings, Tokio, TokioNode};
use tokio::net::TcpListener;

/// The port of the server.
const PORT: u16 = 6379;
/// How often a client tries, if it tries again.
const TRIES: u32 = 5;
/// What a client waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// One node: the server, or a client.
pub struct MiniRedis {
    env: Env<MiniRedis>,
    answered: AtomicU64,
}

impl MiniRedis {
    /// Asks the server once.
    async fn ask(&self, op: &RegisterOp) -> mini_redis::Result<RegisterAnswer> {
        let mut client = client::connect(self.env.address(NodeId::new(1), PORT)).await?;
        match op {
            RegisterOp::Read(key) => {
                let value = client.get(&key.to_string()).await?;
                let number = value.map(|bytes| String::from_utf8_lossy(&bytes).parse());
                Ok(RegisterAnswer::Value(number.transpose()?.unwrap_or(0)))
            }
            RegisterOp::Write(key, value) => {
                client.set(&key.to_string(), Bytes::from(value.to_string())).await?;
                Ok(RegisterAnswer::Done)
            }
            RegisterOp::When { .. } => Err("mini-redis has no conditional writes".into()),
        }
    }
}

impl TokioNode for MiniRedis {
    type Message = NoCalls;
    type Reply = ();
    type Request = RegisterOp;
    type Answer = RegisterAnswer;
    /// How many requests the node has answered.
    type State = u64;
    type Disk = ();

    async fn boot(_disk: (), env: Env<MiniRedis>) -> MiniRedis {
        if env.id() == NodeId::new(1) {
            let listener = TcpListener::bind(("0.0.0.0", PORT)).await.expect("the port is free");
            tokio::spawn(server::run(listener, std::future::pending::<()>()));
        }
        MiniRedis { env, answered: AtomicU64::new(0) }
    }

    async fn request(self: Arc<Self>, _id: RequestId, op: RegisterOp) -> Option<RegisterAnswer> {
        let tries = if self.env.options().get("retries").unwrap_or(false) { TRIES } else { 1 };
        for _ in 0..tries {
            if let Ok(answer) = self.ask(&op).await {
                self.answered.fetch_add(1, Ordering::Relaxed);
                return Some(answer);
            }
            tokio::time::sleep(PAUSE).await;
        }
        None
    }

    fn observe(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// The protocol of Redis: arrays are commands, the rest are replies.
    fn kind_of(_port: u16, bytes: &[u8]) -> &'static str {
        match bytes.first() {
            Some(b'*') => "Command",
            Some(b'-') => "Error",
            _ => "Reply",
        }
    }

    fn settings(options: &Options) -> Settings {
        Settings { segment_max: options.get("segment").unwrap_or(1 << 16), ..Settings::default() }
    }
}

fn op(number: usize, random: &mut Random) -> RegisterOp {
    let key = random.below(2) as u8;
    if random.chance(0.5) { RegisterOp::Read(key) } else { RegisterOp::Write(key, number as u64 + 1) }
}

/// mini-redis with connections that break, and no crash.
pub fn target() -> Target<Tokio<MiniRedis>> {
    Target::new("mini-redis")
        // The package has the version of the library that it pins.
        .version(concat!("mini-redis ", env!("CARGO_PKG_VERSION")))
        .about("the crate mini-redis, server and client, on tokio as it is")
        .nodes(3)
        .nodes_min(2)
        .steps(200)
        .option("retries", false, "whether clients try again when a connection breaks, up to five times")
        .option("segment", 1usize << 16, "the most bytes of a segment")
        .contract(Contract { crashes: Crashes::Never, ..Contract::sessions() })
        .requests(10, op)
        .oracles(|_| vec![Box::new(Linearizable::registers())])
}
