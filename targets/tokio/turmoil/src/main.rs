//! The counter under turmoil: one server, two clients, three additions each, links that fail and are
//! repaired.
//!
//! Usage: `counter-under-turmoil late|at-once SIMULATIONS`. Prints how many simulations ran a second, and
//! which was the first in which an addition was done twice.

#[path = "../../http-counter/src/service.rs"]
mod service;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use service::{Counter, Remember, add, serve};
use turmoil::net::{TcpListener, TcpStream};

/// One simulation. Gives the additions, in order.
fn simulate(seed: u64, remember: Remember) -> Vec<u64> {
    let mut simulation = turmoil::Builder::new()
        .rng_seed(seed)
        .simulation_duration(Duration::from_secs(60))
        .fail_rate(0.05)
        .repair_rate(0.2)
        .build();
    let counter = Counter::default();
    let of_server = counter.clone();
    simulation.host("server", move || {
        let counter = of_server.clone();
        async move {
            let listener = TcpListener::bind(("0.0.0.0", 80)).await?;
            loop {
                let (stream, _) = listener.accept().await?;
                tokio::spawn(serve(stream, counter.clone(), remember));
            }
        }
    });
    for client in 0..2_u64 {
        simulation.client(format!("client{client}"), async move {
            for number in 0..3 {
                add(|| TcpStream::connect(("server", 80)), client * 3 + number + 1).await;
            }
            Ok(())
        });
    }
    // A client that gives up is no failure.
    let _ = simulation.run();
    counter.added()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let remember = match arguments.next().as_deref() {
        Some("late") => Remember::Late,
        _ => Remember::AtOnce,
    };
    let simulations = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(1_000_u64);
    let (began, mut first, mut doubled) = (Instant::now(), None, 0);
    for seed in 1..=simulations {
        let added = simulate(seed, remember);
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
