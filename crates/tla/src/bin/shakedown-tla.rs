//! `shakedown-tla check SPEC`: the checker on the command line, with TLC's exit codes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use shakedown_tla::check::{Options, Outcome, Report, SimulationOptions, check, simulate};
use shakedown_tla::{Config, Error, Loader, Spec};

/// Modules beside the root module, and in folders given by `--path`.
struct Folders(Vec<PathBuf>);

impl Loader for Folders {
    fn module(&self, name: &str) -> Option<String> {
        self.0.iter().find_map(|folder| read(&folder.join(format!("{name}.tla"))))
    }

    fn file(&self, path: &str) -> Option<String> {
        self.0.iter().find_map(|folder| read(&folder.join(path)))
    }
}

/// A file's text; bytes that are not UTF-8 are replaced, for they occur in comments only.
fn read(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

struct Arguments {
    spec: PathBuf,
    config: Option<PathBuf>,
    paths: Vec<PathBuf>,
    options: Options,
    simulation: Option<SimulationOptions>,
}

const USAGE: &str = "usage: shakedown-tla check SPEC [--config CFG] [--workers N] [--no-deadlock] [--seed N] \
[--depth N] [--path FOLDER]... [--simulate BEHAVIOURS]";

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() != Some("check") {
        return Err(USAGE.to_string());
    }
    let mut parsed = Arguments {
        spec: PathBuf::new(),
        config: None,
        paths: Vec::new(),
        options: Options::default(),
        simulation: None,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
        match word.as_str() {
            "--config" => parsed.config = Some(PathBuf::from(value()?)),
            "--workers" => parsed.options.workers = number(value()?)? as usize,
            "--seed" => parsed.options.seed = number(value()?)?,
            "--depth" => parsed.options.depth_max = number(value()?)?,
            "--no-deadlock" => parsed.options.deadlock = Some(false),
            "--path" => parsed.paths.push(PathBuf::from(value()?)),
            "--simulate" => {
                let behaviours = number(value()?)?;
                parsed.simulation = Some(SimulationOptions { behaviours, ..SimulationOptions::default() });
            }
            other if other.starts_with("--") => return Err(format!("unknown option {other}\n{USAGE}")),
            other => parsed.spec = PathBuf::from(other),
        }
    }
    if parsed.spec.as_os_str().is_empty() {
        return Err(USAGE.to_string());
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(153);
        }
    };
    let start = Instant::now();
    match run(&arguments) {
        Ok(report) => {
            print(&report);
            println!("Finished in {:.3} s", start.elapsed().as_secs_f64());
            ExitCode::from(report.exit_code() as u8)
        }
        Err(error) => {
            println!("Error: {error}");
            ExitCode::from(if matches!(error, Error::Config { .. }) { 151 } else { 150 })
        }
    }
}

fn run(arguments: &Arguments) -> Result<Report, Error> {
    let spec = &arguments.spec;
    let folder = spec.parent().map(Path::to_path_buf).unwrap_or_default();
    let name = spec.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let path = arguments.config.clone().unwrap_or_else(|| spec.with_extension("cfg"));
    let text = read(&path)
        .ok_or_else(|| Error::Config { line: 0, message: format!("{} cannot be read", path.display()) })?;
    let config = Config::parse(&text).map_err(|e| *e)?;
    let mut folders = vec![folder];
    folders.extend(arguments.paths.iter().cloned());
    let mut options = arguments.options.clone();
    options.deadlock = options.deadlock.or(config.check_deadlock);
    let spec = Spec::load(&name, config, &Folders(folders)).map_err(|e| *e)?;
    Ok(match &arguments.simulation {
        Some(simulation) => {
            let seed = options.seed;
            let deadlock = options.deadlock.unwrap_or(true);
            simulate(&spec, &SimulationOptions { seed, deadlock, ..simulation.clone() })
        }
        None => check(&spec, &options),
    })
}

fn print(report: &Report) {
    for line in &report.output {
        println!("{line}");
    }
    match &report.outcome {
        Outcome::Success => println!("No error has been found."),
        Outcome::Violation(violation) => {
            println!("Error: {:?} {} is violated. {}", violation.kind, violation.name, violation.message);
            print!("{}", violation.trace);
        }
        Outcome::Error(error, trace) => {
            println!("Error: {error}");
            print!("{trace}");
        }
        Outcome::Limit(message) => println!("Stopped: {message}"),
    }
    println!(
        "{} states generated, {} distinct states found, {} states left on queue.",
        report.generated, report.distinct, report.queue
    );
    println!("The depth of the complete state graph search is {}.", report.depth);
    println!("Probability of a fingerprint collision: {:.1e}", report.collision_probability());
    for action in &report.actions {
        println!("  {}: {} generated, {} distinct", action.name, action.generated, action.distinct);
    }
}
