//! `shakedown-etcd-load [seconds=5] [repeats=3]`: what the proxies cost. The same load of clients in a closed
//! loop on three servers that reach each other directly, through proxies that pass bytes on, and through
//! proxies that read every message.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shakedown_cluster::{Contract, Random, Recording, Setup};
use shakedown_etcd::gateway::{Gateway, Gateways};
use shakedown_etcd::{deployment, request, target};
use shakedown_live::{Deployment, GRAIN_OPTION, LiveCluster, LiveSettings};
use shakedown_target::AnyTarget;

/// How many clients there are, one after the other.
const CLIENTS: [usize; 2] = [1, 16];
/// How long one operation may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The ways in which servers reach each other.
const WAYS: [&str; 3] = ["direct", "link", "message"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// A number that a word of the command line gives, as in `seconds=5`.
fn number(name: &str, default: u64) -> Result<u64, String> {
    let word = std::env::args()
        .skip(1)
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
    match word {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| format!("{name}={text} is no number")),
    }
}

#[expect(clippy::print_stdout, reason = "it is a command line")]
fn run() -> Result<(), String> {
    let (seconds, repeats) = (number("seconds", 5)?, number("repeats", 3)?);
    println!("way      clients  operations/s  median ms  99 % ms");
    let mut best = vec![f64::INFINITY; WAYS.len() * CLIENTS.len()];
    for _ in 0..repeats {
        for (place, way) in WAYS.iter().enumerate() {
            let mut cluster = boot(way)?;
            for (kind, clients) in CLIENTS.into_iter().enumerate() {
                let times = load(&mut cluster, clients, Duration::from_secs(seconds));
                let at = |part: f64| {
                    times.get((times.len() as f64 * part) as usize).copied().unwrap_or_default() * 1e3
                };
                let rate = times.len() as f64 / seconds as f64;
                println!("{way:<8} {clients:>7}  {rate:>12.0}  {:>9.2}  {:>7.2}", at(0.5), at(0.99));
                let best = &mut best[place * CLIENTS.len() + kind];
                *best = best.min(at(0.5));
            }
        }
    }
    for (kind, clients) in CLIENTS.into_iter().enumerate() {
        for (place, way) in WAYS.iter().enumerate().skip(1) {
            let ratio = best[place * CLIENTS.len() + kind] / best[kind];
            println!(
                "{way}, {clients} clients: the least median is {ratio:.2} times that of servers without proxies"
            );
        }
    }
    Ok(())
}

fn boot(way: &str) -> Result<LiveCluster, String> {
    let target = target();
    let mut options = target.defaults().options.clone();
    options.set(GRAIN_OPTION, if way == "message" { "message" } else { "link" });
    let mut deployment = deployment();
    if way == "direct" {
        deployment = Deployment { proxied: Vec::new(), decoders: Default::default(), ..deployment };
    }
    let settings = LiveSettings { deployment, here: PathBuf::from("."), clients: Some(Arc::new(Gateways)) };
    let setup = Setup {
        nodes: 3,
        contract: Contract::sessions(),
        options: Arc::new(options),
        workload: Vec::new(),
        steps: 0,
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = LiveCluster::boot(Arc::new(settings), &setup).map_err(|error| error.to_string())?;
    cluster.let_pass();
    Ok(cluster)
}

/// How long each operation took, in seconds, in order of length.
fn load(cluster: &mut LiveCluster, clients: usize, time: Duration) -> Vec<f64> {
    let servers = cluster.addresses();
    let (is_over, next) = (AtomicBool::new(false), AtomicU64::new(0));
    let ask = |client: usize| {
        let mut gateway = Gateway::new(servers.clone(), client);
        let mut random = Random::new(client as u64);
        let mut times = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            let op = request(next.fetch_add(1, Ordering::Relaxed), &mut random);
            let began = Instant::now();
            if gateway.ask(&op, began + PATIENCE).is_ok() {
                times.push(began.elapsed().as_secs_f64());
            }
        }
        times
    };
    let ask = &ask;
    let mut times: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(move || ask(client))).collect();
        cluster.for_a_while(time);
        is_over.store(true, Ordering::Relaxed);
        // The last operations need the proxies too.
        while threads.iter().any(|thread| !thread.is_finished()) {
            cluster.for_a_while(Duration::from_millis(2));
        }
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    times.sort_by(f64::total_cmp);
    times
}
