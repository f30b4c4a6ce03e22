//! Clients that run transactions at the same time, and the history of what they did.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use shakedown_histories::generate::{Generator, record};

use crate::transaction::run as run_transaction;
use crate::{Connection, Failure, Isolation, Table};

/// What to ask of a server.
pub struct Load {
    /// The folder with the server's socket.
    pub folder: PathBuf,
    /// The server's port, which is part of the socket's name.
    pub port: u16,
    /// The isolation level of every transaction.
    pub isolation: Isolation,
    /// What the table holds.
    pub table: Table,
    /// How many clients there are.
    pub clients: u64,
    /// How long.
    pub time: Duration,
    /// The most transactions.
    pub transactions_max: u64,
    /// Where numbers come from.
    pub seed: u64,
}

/// How many transactions ended how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Committed.
    pub committed: u64,
    /// Aborted.
    pub aborted: u64,
    /// Nobody knows.
    pub unknown: u64,
}

/// What the clients share. A lock around both makes the order of records one in which things happened.
struct Shared<'w> {
    generator: Generator,
    random: u64,
    out: &'w mut (dyn Write + Send),
    begun: u64,
    totals: Totals,
}

/// Runs the load, and writes the history as JSON lines.
pub fn run(load: &Load, generator: Generator, out: &mut (dyn Write + Send)) -> Result<Totals, Failure> {
    let shared =
        Mutex::new(Shared { generator, random: load.seed, out, begun: 0, totals: Totals::default() });
    let end = Instant::now() + load.time;
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..load.clients)
            .map(|client| {
                scope.spawn({
                    let shared = &shared;
                    move || client_loop(load, client, end, shared)
                })
            })
            .collect();
        let broken = || Err(Failure::Broken("a client panicked".to_owned()));
        clients.into_iter().map(|client| client.join().unwrap_or_else(|_| broken())).collect()
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.out.flush()?;
    results.into_iter().collect::<Result<(), Failure>>()?;
    Ok(shared.totals)
}

fn client_loop(load: &Load, client: u64, end: Instant, shared: &Mutex<Shared<'_>>) -> Result<(), Failure> {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let mut connection = Connection::open(&load.folder, load.port)?;
    // A process whose transaction has no outcome is never heard of again; its client goes on as another one.
    let mut process = client;
    while Instant::now() < end {
        let ops = {
            let mut shared = lock();
            if shared.begun >= load.transactions_max {
                break;
            }
            shared.begun += 1;
            let Shared { generator, random, out, .. } = &mut *shared;
            let (f, ops) = generator.next(&mut |bound| below(random, bound));
            writeln!(out, "{}", record(process, "invoke", f, &ops))?;
            ops
        };
        let result = run_transaction(&mut connection, load.isolation, load.table, &ops);
        let mut shared = lock();
        let (kind, value) = match &result {
            Ok(Some(done)) => ("ok", done),
            Ok(None) => ("fail", &ops),
            Err(_) => ("info", &ops),
        };
        writeln!(shared.out, "{}", record(process, kind, "txn", value))?;
        match result {
            Ok(Some(_)) => shared.totals.committed += 1,
            Ok(None) => shared.totals.aborted += 1,
            Err(_) => {
                shared.totals.unknown += 1;
                drop(shared);
                process += load.clients;
                connection = Connection::open(&load.folder, load.port)?;
            }
        }
    }
    Ok(())
}

/// A number below a bound, and the next state.
fn below(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % bound.max(1)
}
