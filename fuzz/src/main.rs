//! The fuzzer: reads changed inputs with every reader for some time each, on stable Rust.
//!
//! ```text
//! cargo run -p shakedown-fuzz -- [READER …] [--seconds 10] [--seed 1] [--jobs 2] [--out target/fuzz]
//! cargo run -p shakedown-fuzz -- READER --input FILE        reads one input again, in this process
//! ```

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Parser;
use shakedown_fuzz::{
    ChildOptions, Limits, READERS, Reader, Room, SELF_TEST, Watched, read, read_cases, watch,
};

/// Reads changed inputs with every reader for some time each, and saves those that panic, hang or take too
/// much memory.
#[derive(Parser)]
struct Arguments {
    /// The readers [default: all]
    readers: Vec<String>,
    /// How long each of them reads
    #[arg(long, default_value_t = 10, value_name = "SECONDS")]
    seconds: u64,
    /// How many inputs each of them reads, at most
    #[arg(long, default_value_t = u64::MAX, value_name = "N")]
    cases: u64,
    /// Where all randomness comes from
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How many readers side by side
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// The most processor time for one input
    #[arg(long, default_value_t = 10, value_name = "SECONDS")]
    case_time: u64,
    /// The most resident memory; four times as much address space
    #[arg(long, default_value_t = 1024, value_name = "MIB")]
    memory: u64,
    /// Where inputs with a bad end are saved
    #[arg(long, default_value = "target/fuzz", value_name = "DIR")]
    out: PathBuf,
    /// Read this input only, in this process
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    #[arg(long, hide = true)]
    child: Option<String>,
    #[arg(long, hide = true, default_value_t = 0)]
    first: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match go(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn go(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    if let Some(name) = &arguments.child {
        let options = ChildOptions {
            seed: arguments.seed,
            first: arguments.first,
            cases: arguments.cases,
            folder: &arguments.out,
        };
        read_cases(find(name)?, &options)?;
        return Ok(true);
    }
    let readers: Vec<&Reader> = match &arguments.readers[..] {
        [] => READERS.iter().collect(),
        names => names.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    if let Some(path) = &arguments.input {
        let input = std::fs::read(path)?;
        for reader in readers {
            let outcome = read(reader, &Room::new()?, &input);
            eprintln!("{}: {outcome:?}", reader.name);
            outcome?;
        }
        return Ok(true);
    }
    read_all(arguments, &readers)
}

fn find(name: &str) -> Result<&'static Reader, String> {
    let known = || READERS.iter().map(|reader| reader.name).collect::<Vec<_>>().join(", ");
    READERS
        .iter()
        .chain([&SELF_TEST])
        .find(|reader| reader.name == name)
        .ok_or_else(|| format!("there is no reader `{name}`: choose from {}", known()))
}

/// All readers, some side by side; whether there was no finding.
fn read_all(arguments: &Arguments, readers: &[&Reader]) -> Result<bool, Box<dyn std::error::Error>> {
    let limits = Limits {
        time: Duration::from_secs(arguments.seconds),
        cases: arguments.cases,
        case_time: Duration::from_secs(arguments.case_time),
        address_space_bytes: arguments.memory.saturating_mul(4 << 20),
        resident_bytes: arguments.memory.saturating_mul(1 << 20),
    };
    let next = AtomicUsize::new(0);
    let findings = Mutex::new(0);
    println!("{:<10} {:>10} {:>10} {:>6} {:>9}", "reader", "inputs", "taken", "seeds", "findings");
    let work = || -> std::io::Result<()> {
        while let Some(reader) = readers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let watched = watch(reader, arguments.seed, limits, &arguments.out)?;
            print(reader, &watched);
            *findings.lock().expect("no thread panics while it counts") += watched.findings.len();
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let findings = findings.into_inner()?;
    println!("{findings} findings in all");
    Ok(findings == 0)
}

fn print(reader: &Reader, watched: &Watched) {
    let Watched { cases, taken, seeds, findings } = watched;
    let mut text = format!("{:<10} {cases:>10} {taken:>10} {seeds:>6} {:>9}", reader.name, findings.len());
    for (reason, path) in findings {
        text.push_str(&format!("\n  {reason}\n    {}", path.display()));
    }
    println!("{text}");
}
