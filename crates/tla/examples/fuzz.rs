//! Breaks the specifications of the tests at random, and checks them, until the time is over.
//!
//!     cargo run --release -p shakedown-tla --example fuzz -- [--minutes N] [--seed N] [--case N]
//!
//! A child process checks case after case; this process watches it. A case that panics, uses more than two
//! gibibytes, or takes more than thirty seconds of processor time is printed, and the child goes on after it.
//! `--case` does one case again.

#[path = "../tests/mutation/mod.rs"]
mod mutation;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use mutation::{case, seeds, survives};

const STATES_MAX: u64 = 200;
const MEMORY_PAGES_MAX: u64 = (2 << 30) / 4096;
const CPU_TICKS_MAX: u64 = 30 * 100;

fn main() -> ExitCode {
    let (mut minutes, mut seed, mut only, mut child) = (10.0f64, 1u64, None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        let parsed = match word.as_str() {
            "--minutes" => value.parse().map(|n| minutes = n).is_ok(),
            "--seed" => value.parse().map(|n| seed = n).is_ok(),
            "--case" => value.parse().map(|n| only = Some(n)).is_ok(),
            "--child" => value.parse().map(|n| child = Some(n)).is_ok(),
            _ => false,
        };
        if !parsed {
            eprintln!("usage: fuzz [--minutes N] [--seed N] [--case N]");
            return ExitCode::from(2);
        }
    }
    if let Some(number) = only {
        return one(number);
    }
    if let Some(first) = child {
        return cases_from(first);
    }
    watch(seed << 32, Duration::from_secs_f64(minutes * 60.0))
}

fn one(number: u64) -> ExitCode {
    let case = case(&seeds(), number);
    println!("{}\n{}", case.text, case.config);
    match survives(&case, STATES_MAX) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            println!("case {number}: {what}");
            ExitCode::FAILURE
        }
    }
}

/// The child: says which case it is about to check, and what came of it.
fn cases_from(first: u64) -> ExitCode {
    let seeds = seeds();
    for number in first.. {
        let said = writeln!(std::io::stdout(), "case {number}");
        if said.and_then(|()| std::io::stdout().flush()).is_err() {
            break;
        }
        if let Err(what) = survives(&case(&seeds, number), STATES_MAX) {
            println!("failed {number} {what}");
        }
    }
    ExitCode::SUCCESS
}

/// Processor time in ticks and memory in pages of a process, where the system tells.
fn usage(child: &Child) -> (u64, u64) {
    let read =
        |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<u64> =
        stat.rsplit(')').next().unwrap_or("").split_whitespace().map(|f| f.parse().unwrap_or(0)).collect();
    let ticks = fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0);
    let pages = read("statm").split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    (ticks, pages)
}

fn watch(first: u64, time: Duration) -> ExitCode {
    let start = Instant::now();
    let (mut next, mut findings) = (first, 0u32);
    while start.elapsed() < time {
        let mut child = Command::new(std::env::current_exe().expect("a program knows itself"))
            .args(["--child", &next.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this program can be started again");
        let lines = BufReader::new(child.stdout.take().expect("it was piped"));
        let (send, receive) = channel();
        std::thread::spawn(move || lines.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut began = 0;
        let trouble = loop {
            match receive.recv_timeout(Duration::from_millis(200)) {
                Ok(line) => {
                    if let Some(number) = line.strip_prefix("case ").and_then(|n| n.parse().ok()) {
                        next = number;
                        began = usage(&child).0;
                    } else {
                        println!("{line}");
                        findings += 1;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break Some("the process died"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let (ticks, pages) = usage(&child);
            if pages > MEMORY_PAGES_MAX {
                break Some("more than 2 GiB of memory");
            }
            if ticks.saturating_sub(began) > CPU_TICKS_MAX {
                break Some("more than 30 s");
            }
            if start.elapsed() >= time {
                break None;
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        if let Some(trouble) = trouble {
            println!("failed {next} {trouble}");
            findings += 1;
            next += 1;
        }
    }
    println!("{} cases from {first}, {findings} findings", next - first);
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
