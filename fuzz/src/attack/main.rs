//! The attack: malformed files, hostile specifications and senseless options, through the command line of a
//! real binary.
//!
//!     cargo run -p shakedown-fuzz --bin attack -- --program target/release/shakedown
//!
//! Every attempt is a process with limits of time and memory, and every process must end well: an exit code
//! that is documented, no panic, little on stderr, nothing that a terminal would obey. The table at the end
//! counts what was tried. Inputs with a bad end are saved, each with its command.

mod attempt;
mod damage;
mod doubles;
mod hostile;
mod options;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use attempt::{Attacker, Attempt, Bad};
use clap::Parser;
use shakedown_fuzz::{READERS, Reader, Room, Seeds};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How the inputs are shared out, by reader: parts of 33.
const SHARES: &[(&str, u64)] =
    &[("failure", 9), ("corpus", 4), ("store", 3), ("spec", 5), ("cfg", 4), ("strategy", 4), ("trace", 4)];

/// Attacks the command line with malformed inputs, kills and double runs, and prints a table of what came of
/// it.
#[derive(Parser)]
struct Arguments {
    /// The program under attack
    #[arg(long, default_value = "target/release/shakedown", value_name = "FILE")]
    program: PathBuf,
    /// How many malformed inputs; options and damaged stores come on top
    #[arg(long, default_value_t = 3_300, value_name = "N")]
    inputs: u64,
    /// How many kills, by scripts/kill.sh; 0: none
    #[arg(long, default_value_t = 115, value_name = "N")]
    kills: u64,
    /// About how many double runs; 0: none
    #[arg(long, default_value_t = 413_478, value_name = "N")]
    double_runs: u64,
    /// Where all randomness comes from
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How many processes side by side
    #[arg(long, short = 'j', default_value_t = 2, value_name = "N")]
    jobs: usize,
    /// Where inputs with a bad end are saved
    #[arg(long, default_value = "target/attack", value_name = "DIR")]
    out: PathBuf,
    /// Writes the seeds of a reader to the folder, and ends
    #[arg(long, hide = true)]
    seeds_of: Option<String>,
}

fn main() -> ExitCode {
    match go(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// A line of the table.
struct Line {
    what: &'static str,
    tried: u64,
    bad: u64,
}

fn go(arguments: &Arguments) -> Result<bool> {
    if let Some(name) = &arguments.seeds_of {
        return write_seeds(find(name)?, &arguments.out);
    }
    std::fs::create_dir_all(&arguments.out)?;
    let attacker = Attacker::new(&arguments.program, &arguments.out)?;
    let mut lines = Vec::new();
    for (name, share) in SHARES {
        let reader = find(name)?;
        let seeds = made_seeds(reader)?;
        let count = arguments.inputs * share / 33;
        // The first cases are the seeds as they are, most of which are in order.
        let first = seeds.count() as u64;
        let attempts = (first..first + count).map(|number| {
            Attempt::of_reader(reader, seeds.case(reader, arguments.seed, number).input, number)
        });
        lines.push(all(&attacker, reader.about, attempts.collect(), arguments.jobs));
        print_last(&lines);
    }
    let groups = [
        (
            "stores with a damaged write-ahead log, or with files missing",
            damage::attempts(&arguments.program)?,
        ),
        ("senseless options", options::attempts()),
        ("hostile specifications", hostile::attempts()),
    ];
    for (what, attempts) in groups {
        lines.push(all(&attacker, what, attempts, arguments.jobs));
        print_last(&lines);
    }
    if arguments.kills > 0 {
        lines.push(kills(arguments)?);
        print_last(&lines);
    }
    if arguments.double_runs > 0 {
        let (tried, bad) = doubles::run(&attacker.program, arguments.double_runs, arguments.seed)?;
        lines.push(Line { what: "double runs, over all pairs of target and strategy", tried, bad });
    }
    print_table(&lines, &attacker);
    Ok(lines.iter().all(|line| line.bad == 0))
}

fn find(name: &str) -> Result<&'static Reader> {
    READERS
        .iter()
        .find(|reader| reader.name == name)
        .ok_or_else(|| format!("there is no reader `{name}`").into())
}

fn print_last(lines: &[Line]) {
    if let Some(Line { what, tried, bad }) = lines.last() {
        eprintln!("{tried:>8} tried, {bad:>3} bad: {what}");
    }
}

fn print_table(lines: &[Line], attacker: &Attacker) {
    println!("\n| what | tried | bad outcomes |\n|---|--:|--:|");
    for Line { what, tried, bad } in lines {
        println!("| {what} | {tried} | {bad} |");
    }
    println!(
        "\nmost resident memory of a process: {} MiB; most processor time: {:.1} s",
        attacker.resident_mib(),
        attacker.seconds()
    );
}

/// Carries out attempts, some side by side.
fn all(attacker: &Attacker, what: &'static str, attempts: Vec<Attempt>, jobs: usize) -> Line {
    let next = AtomicUsize::new(0);
    let bad = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(attempt) = attempts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(Bad { reason, saved }) = attacker.attack(attempt) {
                        *bad.lock().expect("no thread panics while it counts") += 1;
                        eprintln!("BAD {}: {reason}\n    {}", attempt.name, saved.display());
                    }
                }
            });
        }
    });
    Line { what, tried: attempts.len() as u64, bad: bad.into_inner().expect("no thread panicked") }
}

/// Seeds that a reader makes itself. A process of its own makes them, for what it prints is of no interest.
fn made_seeds(reader: &Reader) -> Result<Seeds> {
    let folder = tempfile::tempdir()?;
    let status = Command::new(std::env::current_exe()?)
        .args(["--seeds-of", reader.name, "--out"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("the seeds of {} could not be made: {status}", reader.name).into());
    }
    Ok(Seeds::in_folder(folder.path()))
}

fn write_seeds(reader: &Reader, folder: &Path) -> Result<bool> {
    let seeds = Seeds::of(reader, &Room::new()?);
    for number in 0..seeds.count() {
        std::fs::write(folder.join(format!("{number:04}")), seeds.given(number).unwrap_or_default())?;
    }
    Ok(true)
}

/// `scripts/kill.sh` compares what a campaign comes to after kills with the same one uninterrupted.
fn kills(arguments: &Arguments) -> Result<Line> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/kill.sh");
    let output = Command::new(script).arg(arguments.kills.to_string()).arg(&arguments.program).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        std::fs::write(arguments.out.join("kills.txt"), &text)?;
    }
    eprintln!("{}", text.lines().last().unwrap_or_default());
    let tried = text.lines().filter(|line| line.starts_with("kill ")).count() as u64;
    let tried = if tried == 0 { arguments.kills } else { tried };
    Ok(Line { what: "kills, each followed by resuming", tried, bad: u64::from(!output.status.success()) })
}
