//! The service in a cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shakedown::Target;
use shakedown::check::invariant;
use shakedown::cluster::{Contract, Crashes, NodeId, RequestId};
use shakedown::tokio_node::{Env, NoCalls, Tokio, TokioNode};
use tokio::net::TcpListener;

use crate::{Account, Keys, deposit, serve};

/// The port of the server.
const PORT: u16 = 50051;

/// What a client asks: deposit this, once.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Money {
    /// How much it is. No two deposits are the same.
    pub cents: u64,
}

/// The deposits, in order; on the server.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Ledger(pub Vec<u64>);

/// One node: the server, or a client.
pub struct AccountNode {
    env: Env<AccountNode>,
    account: Account,
}

impl TokioNode for AccountNode {
    type Message = NoCalls;
    type Reply = ();
    type Request = Money;
    type Answer = u64;
    type State = Ledger;
    type Disk = ();

    async fn boot(_disk: (), env: Env<AccountNode>) -> AccountNode {
        let account = Account::default();
        if env.id() == NodeId::new(1) {
            let listener = TcpListener::bind(("0.0.0.0", PORT)).await.expect("the port is free");
            tokio::spawn(serve(listener, account.clone()));
        }
        AccountNode { env, account }
    }

    async fn request(self: Arc<Self>, id: RequestId, Money { cents }: Money) -> Option<u64> {
        let keys = match self.env.options().is_on("key_per_try") {
            true => Keys::PerTry,
            false => Keys::PerDeposit,
        };
        deposit(self.env.address(NodeId::new(1), PORT), keys, id.0.into(), cents).await
    }

    fn observe(&self) -> Ledger {
        Ledger(self.account.ledger())
    }

    /// The first frame of HTTP/2 that the bytes hold: its type is the fourth byte.
    fn kind_of(_port: u16, bytes: &[u8]) -> &'static str {
        match bytes.get(3) {
            _ if bytes.starts_with(b"PRI ") => "Preface",
            Some(0) => "Body",
            Some(1) => "Headers",
            Some(3) => "StreamReset",
            Some(4) => "Settings",
            Some(6) => "Ping",
            Some(7) => "GoAway",
            Some(8) => "Window",
            _ => "Data",
        }
    }
}

/// The account with connections that break, and no crash.
pub fn target() -> Target<Tokio<AccountNode>> {
    Target::new("tonic-deposits")
        .version(env!("CARGO_PKG_VERSION"))
        .about("an account behind gRPC, on tonic")
        .nodes(3)
        .nodes_min(2)
        .steps(200)
        .option("key_per_try", false, "whether a client takes a new key for every try: the bug")
        .contract(Contract { crashes: Crashes::Never, ..Contract::sessions() })
        .requests(6, |number, _| Money { cents: number as u64 + 1 })
        .oracles(|_| {
            vec![invariant("deposited-once", |seen| {
                let Ledger(ledger) = &seen.states()[0];
                let mut known = BTreeSet::new();
                match ledger.iter().find(|cents| !known.insert(**cents)) {
                    Some(cents) => Err(format!("the deposit of {cents} cents was done twice: {ledger:?}")),
                    None => Ok(()),
                }
            })]
        })
}
