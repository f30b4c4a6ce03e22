//! Measures fuzzing: the tables of docs/results/fuzz.md.
//!
//! ```text
//! cargo run --release -p shakedown-experiments --bin fuzz_tables -- WHAT [NUMBER …] [MODE:GUIDE …] [PARAMETER=VALUE …]
//!
//! micro [seeds] [executions]                      executions to the bug of the microbenchmark
//! planted [seeds] [executions] [FAULT …]          executions to each planted bug, or to these
//! coverage [seeds] [executions] [first seed]      states, code and traces that are covered on raft
//! table FILE …                                    the tables of what these three have told into files, whole or not
//! speed [executions]                              executions a second, with the model and without
//! conformance [executions]                        whether the model takes what raft does
//! omnipaxos [executions]                          whether the model takes what omnipaxos does
//! repeatable [executions]                         whether the code as a guide gives the same twice, and with any number of jobs
//! ```
//!
//! `coverage` with the word `etcd-raft` measures etcd's library in place of `raft`;
//! `targets/etcd-raft/build.sh` builds its hosts. `own:model` and the like run only these; parameters are
//! added to every strategy. Measures of code need counters: `RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo
//! run --release --target-dir target/instrumented …`.

mod conformance;
mod coverage;
mod finds;
mod speed;

use std::error::Error;
use std::time::Duration;

use shakedown_campaign::{AnyTarget, Campaign};
use shakedown_counters::Counters;
use shakedown_planted_raft::Fault;
use shakedown_remote::Encoding;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    if what == "table" {
        let files: Vec<_> = arguments.collect();
        finds::table(&files)?;
        return coverage::table(&files);
    }
    let (mut numbers, mut only, mut faults, mut more) = (Vec::new(), Vec::new(), Vec::new(), String::new());
    let mut target: Box<dyn AnyTarget> = Box::new(shakedown_raft::target());
    for argument in arguments {
        if let Some(fault) = Fault::ALL.into_iter().find(|fault| fault.to_string() == argument) {
            faults.push(fault);
        } else if let Some(host) = shakedown_etcd_raft::HOSTS.iter().find(|host| host.name == argument) {
            target = Box::new(shakedown_etcd_raft::target(host, Encoding::MsgPack));
        } else if argument.contains('=') {
            more += &format!(",{argument}");
        } else if argument.contains(':') {
            only.push(argument);
        } else {
            numbers.push(argument.parse::<u64>().map_err(|error| format!("{argument}: {error}"))?);
        }
    }
    let number = |place: usize, default: u64| numbers.get(place).copied().unwrap_or(default);
    let asked = Asked { only, faults, more, target };
    match what.as_str() {
        "micro" => finds::micro(number(0, 10), number(1, 10_000), &asked),
        "planted" => finds::planted(number(0, 20), number(1, 20_000), &asked),
        "coverage" => coverage::coverage(number(2, 1), number(0, 20), number(1, 100_000), &asked),
        "speed" => speed::speed(number(0, 2_000)),
        "repeatable" => coverage::repeatable(number(0, 1_000)),
        "conformance" => conformance::conformance(number(0, 10_000)),
        "omnipaxos" => conformance::omnipaxos(number(0, 10_000)),
        _ => {
            Err("say what to measure: micro, planted, coverage, table, speed, conformance, omnipaxos or repeatable"
                .into())
        }
    }
}

/// What the command line says about strategies.
struct Asked {
    /// Only these are run, if any are named: a mode and a guide.
    only: Vec<String>,
    /// Only these faults are planted, if any are named.
    faults: Vec<Fault>,
    /// Parameters that are added to all of them.
    more: String,
    /// What coverage is measured on.
    target: Box<dyn AnyTarget>,
}

impl Asked {
    /// Whether this one is to be run: it was asked for, and can be had.
    fn wants(&self, mode: &str, guide: &str) -> bool {
        let can = guide != "code" || Counters::get().is_some();
        can && (self.only.is_empty() || self.only.contains(&format!("{mode}:{guide}")))
    }

    /// The text of the strategy, with these parameters as well.
    fn strategy(&self, mode: &str, guide: &str, rest: &str) -> String {
        format!("fuzz:guide={guide},mode={mode}{rest}{}", self.more)
    }
}

/// The library `raft` as in the paper: 3 nodes, 5 requests, at most 10 crashes.
fn raft_campaign<'a>(target: &'a dyn AnyTarget, strategy: &str, seed: u64, executions: u64) -> Campaign<'a> {
    let mut campaign = Campaign::new(target);
    campaign.plan.executions = executions;
    campaign.plan.seed = seed;
    campaign.plan.shrink = None;
    campaign.plan.keep_going = true;
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    // Nothing is kept: so what was learned need not be written down now and then.
    campaign.keep_every = Duration::MAX;
    campaign.plan.config.requests = 5;
    campaign.plan.config.crashes = 10;
    campaign.plan.config.steps = 2_000;
    campaign.plan.config.options.set("election_tick", 10);
    campaign.plan.config.options.set("library_invariants", false);
    campaign
}
