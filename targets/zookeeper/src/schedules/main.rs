//! `shakedown-zookeeper-schedules report=1653 [release=3.4.5] [scenario=…] [times=20]`: how often the
//! schedule of a report upstream shows its bug in the unmodified servers of a release.
//!
//! | report | what is seen | scenarios |
//! |---|---|---|
//! | `2832` | servers hold different values for good | `report`, `later` |
//! | `1653` | a server does not start any more after a crash | `snapshot`, `log`: which file the crash waits for |
//! | `1419` | five servers elect no leader | `rounds`, `free`: votes are delivered in rounds, or pass by themselves |
//!
//! Servers are killed, restarted, paused and asked by the steps that every schedule is made of; only when the
//! next step is done is decided here, by what servers report of themselves. Exit codes: 0 not seen, 1 seen, 2
//! an error, or no execution came to an end.

mod divergence;
mod elections;
mod epochs;
mod play;

use std::process::ExitCode;

use shakedown_statistics::Share;
use shakedown_zookeeper::{RELEASES, Release};

/// What one execution has shown.
struct Shown {
    /// Whether the bug was seen.
    is_bug: bool,
    /// What was seen, for a reader.
    text: String,
}

/// Does the schedule once. The error is the reason why an execution came to no end.
type Once = fn(&Release, &str) -> Result<Shown, String>;

/// A report upstream: its number, the release that its schedule is for, its scenarios, and how it is done.
const REPORTS: &[(&str, &str, &[&str], Once)] = &[
    ("2832", "3.4.9", &["report", "later"], divergence::once),
    ("1653", "3.4.5", &["snapshot", "log"], epochs::once),
    ("1419", "3.4.3", &["rounds", "free"], elections::once),
];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// What a word of the command line gives, as in `times=5`.
fn word(name: &str, default: &str) -> String {
    let found = std::env::args()
        .skip(1)
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
    found.unwrap_or_else(|| default.to_owned())
}

#[expect(clippy::print_stdout, reason = "it is a command line")]
fn run() -> Result<ExitCode, String> {
    let number = word("report", "2832");
    let report = REPORTS.iter().find(|(known, ..)| *known == number);
    let (_, affected, scenarios, once) = report.ok_or_else(|| {
        let known: Vec<_> = REPORTS.iter().map(|(known, ..)| *known).collect();
        format!("there is no schedule for the report {number}: {}", known.join(", "))
    })?;
    let (text, scenario) = (word("release", affected), word("scenario", scenarios[0]));
    if !scenarios.contains(&scenario.as_str()) {
        return Err(format!("there is no scenario {scenario}: {}", scenarios.join(", ")));
    }
    let times: u64 = word("times", "20").parse().map_err(|_| "`times` is no number".to_owned())?;
    let release = RELEASES.iter().find(|release| release.text == text);
    let release = release.ok_or_else(|| format!("there is no release {text}"))?;
    let (mut seen, mut ended) = (0, 0);
    for time in 1..=times {
        match once(release, &scenario) {
            Ok(shown) => {
                (seen, ended) = (seen + u64::from(shown.is_bug), ended + 1);
                println!("{time}: {}{}", if shown.is_bug { "SEEN: " } else { "not seen: " }, shown.text);
            }
            Err(error) => println!("{time}: inconclusive: {error}"),
        }
    }
    println!(
        "ZooKeeper {text}, ZOOKEEPER-{number}, {scenario}: seen in {seen} of {ended} executions{}; {} more inconclusive",
        rate(seen, ended),
        times - ended
    );
    Ok(ExitCode::from(match (seen, ended) {
        (_, 0) => 2,
        (0, _) => 0,
        _ => 1,
    }))
}

/// The 95 % interval of a rate.
fn rate(seen: u64, of: u64) -> String {
    let percent = |part: f64| (part * 100.0).round();
    Share::new(seen, of).map_or_else(
        |_| String::new(),
        |share| {
            let (low, high) = share.interval();
            format!(" ({} to {} %)", percent(low), percent(high))
        },
    )
}
