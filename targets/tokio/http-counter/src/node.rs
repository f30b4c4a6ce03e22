//! The service in a cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shakedown::Target;
use shakedown::check::invariant;
use shakedown::cluster::{Contract, Crashes, NodeId, RequestId};
use shakedown::tokio_node::{Env, NoCalls, Tokio, TokioNode};
use tokio::net::{TcpListener, TcpStream};

use crate::{Counter, Remember, add, serve};

/// The port of the server.
const PORT: u16 = 80;

/// What a client asks: add one, once.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Add {
    /// What makes it this addition and no other.
    pub id: u64,
}

/// The IDs of what was added, in order; on the server.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Counted(pub Vec<u64>);

/// One node: the server, or a client.
pub struct CounterNode {
    env: Env<CounterNode>,
    counter: Counter,
}

impl TokioNode for CounterNode {
    type Message = NoCalls;
    type Reply = ();
    type Request = Add;
    type Answer = u64;
    type State = Counted;
    type Disk = ();

    async fn boot(_disk: (), env: Env<CounterNode>) -> CounterNode {
        let counter = Counter::default();
        if env.id() == NodeId::new(1) {
            let listener = TcpListener::bind(("0.0.0.0", PORT)).await.expect("the port is free");
            let is_late = env.options().get("late").unwrap_or(false);
            let remember = if is_late { Remember::Late } else { Remember::AtOnce };
            let counter = counter.clone();
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, counter.clone(), remember));
                }
            });
        }
        CounterNode { env, counter }
    }

    async fn request(self: Arc<Self>, _id: RequestId, Add { id }: Add) -> Option<u64> {
        let server = self.env.address(NodeId::new(1), PORT);
        add(|| TcpStream::connect(server), id).await
    }

    fn observe(&self) -> Counted {
        Counted(self.counter.added())
    }

    fn kind_of(_port: u16, bytes: &[u8]) -> &'static str {
        if bytes.starts_with(b"HTTP/") { "Response" } else { "Post" }
    }
}

/// The counter with connections that break, and no crash.
pub fn target() -> Target<Tokio<CounterNode>> {
    Target::new("http-counter")
        .version(env!("CARGO_PKG_VERSION"))
        .about("a counter behind HTTP, on hyper and tokio")
        .nodes(3)
        .nodes_min(2)
        .steps(200)
        .option("late", false, "whether the server remembers a reply only when it is stored: the bug")
        .contract(Contract { crashes: Crashes::Never, ..Contract::sessions() })
        .requests(6, |number, _| Add { id: number as u64 + 1 })
        .oracles(|_| {
            vec![invariant("added-once", |seen| {
                let Counted(added) = &seen.states()[0];
                let mut known = BTreeSet::new();
                match added.iter().find(|id| !known.insert(**id)) {
                    Some(id) => Err(format!("addition {id} was done twice: {added:?}")),
                    None => Ok(()),
                }
            })]
        })
}
