//! The service: `bank.Account/Deposit` puts money into an account, once for each key, however often the
//! client tries.
//!
//! The types and the stubs are what tonic's generator would make of a `.proto` file, by hand, so that no
//! compiler for such files is needed. With [`Keys::PerTry`] the client makes a new key for every try. That
//! looks right as long as a try that failed did nothing, and is wrong when a reply is lost.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::UnaryService;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

const DEPOSIT: &str = "/bank.Account/Deposit";
/// How often a client tries, how long each time, and what it waits in between.
const TRIES: u64 = 5;
const PATIENCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(20);

/// Money for the account.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Deposit {
    /// What makes it this deposit and no other.
    #[prost(uint64, tag = "1")]
    pub key: u64,
    /// How much it is.
    #[prost(uint64, tag = "2")]
    pub cents: u64,
}

/// What is in the account.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Balance {
    /// How much it is.
    #[prost(uint64, tag = "1")]
    pub cents: u64,
}

/// What a client takes as the key of a deposit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keys {
    /// One for all tries.
    PerDeposit,
    /// A new one for each try: the bug.
    PerTry,
}

#[derive(Default)]
struct Held {
    /// The deposits, in order.
    ledger: Vec<u64>,
    replies: HashMap<u64, Balance>,
}

/// The account and its replies.
#[derive(Clone, Default)]
pub struct Account(Arc<Mutex<Held>>);

impl Account {
    fn with<T>(&self, work: impl FnOnce(&mut Held) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All deposits, in order.
    pub fn ledger(&self) -> Vec<u64> {
        self.with(|held| held.ledger.clone())
    }

    fn deposit(&self, deposit: Deposit) -> Balance {
        self.with(|held| {
            let Held { ledger, replies } = held;
            *replies.entry(deposit.key).or_insert_with(|| {
                ledger.push(deposit.cents);
                Balance { cents: ledger.iter().sum() }
            })
        })
    }
}

impl UnaryService<Deposit> for Account {
    type Response = Balance;
    type Future = BoxFuture<Response<Balance>, Status>;

    fn call(&mut self, request: Request<Deposit>) -> Self::Future {
        let account = self.clone();
        Box::pin(async move { Ok(Response::new(account.deposit(request.into_inner()))) })
    }
}

impl Service<http::Request<Body>> for Account {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<http::Response<Body>, Infallible>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let account = self.clone();
        Box::pin(async move {
            if request.uri().path() != DEPOSIT {
                return Ok(Status::unimplemented("no such method").into_http());
            }
            let mut grpc = tonic::server::Grpc::new(ProstCodec::<Balance, Deposit>::default());
            Ok(grpc.unary(account, request).await)
        })
    }
}

/// Serves the account to all who connect.
pub async fn serve(listener: TcpListener, account: Account) {
    // It ends with the node.
    let _ = Server::builder().serve_with_incoming(account, TcpIncoming::from(listener)).await;
}

async fn try_once(channel: &Channel, deposit: Deposit) -> Result<Balance, Status> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = ProstCodec::<Deposit, Balance>::default();
    let reply = grpc.unary(Request::new(deposit), PathAndQuery::from_static(DEPOSIT), codec).await?;
    Ok(reply.into_inner())
}

/// Deposits, and gives what is in the account then. Tries again when a try fails or takes too long; the
/// channel connects anew by itself.
pub async fn deposit(server: SocketAddr, keys: Keys, key: u64, cents: u64) -> Option<u64> {
    let channel = Endpoint::from_shared(format!("http://{server}")).ok()?.connect_lazy();
    for attempt in 0..TRIES {
        let key = match keys {
            Keys::PerDeposit => key,
            Keys::PerTry => key * TRIES + attempt,
        };
        let tried = tokio::time::timeout(PATIENCE, try_once(&channel, Deposit { key, cents }));
        if let Ok(Ok(balance)) = tried.await {
            return Some(balance.cents);
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}
