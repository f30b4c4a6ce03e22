//! The counter under madsim: one server, two clients, three additions each, links that fail and are repaired.
//!
//! Usage: `counter-under-madsim late|at-once SIMULATIONS [REPAIR]`. REPAIR is the chance that a link is
//! repaired in a millisecond, 0.2 unless given. Prints how many simulations ran a second, and which was the
//! first in which an addition was done twice.

#[path = "../../http-counter/src/service.rs"]
mod service;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use madsim::net::NetSim;
use madsim::rand::{Rng, thread_rng};
use madsim::runtime::{NodeHandle, Runtime};
use madsim::{Config, task, time};
use service::{Counter, Remember, add, serve};
use tokio::net::{TcpListener, TcpStream};

/// The chance that a link fails in a millisecond.
const FAIL: f64 = 0.05;

fn ip(node: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, node))
}

/// Links between the server and its clients fail, and are repaired.
async fn faults(server: task::NodeId, clients: Vec<task::NodeId>, repair: f64) {
    let network = NetSim::current();
    let mut is_down = vec![false; clients.len()];
    loop {
        time::sleep(Duration::from_millis(1)).await;
        for (client, is_down) in clients.iter().zip(&mut is_down) {
            if !thread_rng().gen_bool(if *is_down { repair } else { FAIL }) {
                continue;
            }
            *is_down = !*is_down;
            for (from, to) in [(server, *client), (*client, server)] {
                if *is_down { network.clog_link(from, to) } else { network.unclog_link(from, to) }
            }
        }
    }
}

/// One simulation. Gives the additions, in order.
fn simulate(seed: u64, remember: Remember, repair: f64) -> Vec<u64> {
    let runtime = Runtime::with_seed_and_config(seed, Config::default());
    let counter = Counter::default();
    let server = runtime.create_node().name("server").ip(ip(1)).build();
    let of_server = counter.clone();
    server.spawn(async move {
        let listener = TcpListener::bind("0.0.0.0:80").await.expect("the port is free");
        while let Ok((stream, _)) = listener.accept().await {
            task::spawn(serve(stream, of_server.clone(), remember));
        }
    });
    let node = |number: u8| runtime.create_node().name(format!("client{number}")).ip(ip(number + 2)).build();
    let clients: Vec<NodeHandle> = (0..2).map(node).collect();
    runtime.block_on(async {
        task::spawn(faults(server.id(), clients.iter().map(NodeHandle::id).collect(), repair));
        let additions = clients.iter().zip(0_u64..).map(|(client, number)| {
            client.spawn(async move {
                for addition in 0..3 {
                    add(|| TcpStream::connect((ip(1), 80)), number * 3 + addition + 1).await;
                }
            })
        });
        for client in additions.collect::<Vec<_>>() {
            client.await.expect("a client that gives up is no failure");
        }
    });
    counter.added()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let remember = match arguments.next().as_deref() {
        Some("late") => Remember::Late,
        _ => Remember::AtOnce,
    };
    let simulations = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(1_000_u64);
    let repair = arguments.next().and_then(|chance| chance.parse().ok()).unwrap_or(0.2);
    let (began, mut first, mut doubled) = (Instant::now(), None, 0);
    for seed in 1..=simulations {
        let added = simulate(seed, remember, repair);
        if added.iter().collect::<BTreeSet<_>>().len() < added.len() {
            first.get_or_insert(seed);
            doubled += 1;
        }
    }
    let a_second = simulations as f64 / began.elapsed().as_secs_f64();
    println!(
        "{simulations} simulations, {a_second:.0} a second, {doubled} of them added twice, the first: {first:?}"
    );
}
