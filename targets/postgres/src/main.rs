//! `shakedown-postgres SOCKET_FOLDER HISTORY_FILE name=value…`: load for a server that runs already.
//! `scripts/postgres.sh` starts one.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use shakedown_histories::generate::{Generator, Shape};
use shakedown_postgres::{Connection, Load, Table, create, run};

const USAGE: &str = "shakedown-postgres SOCKET_FOLDER HISTORY_FILE [isolation=serializable] [workload=list-append] [clients=8] \
                     [seconds=10] [transactions=200000] [keys=6] [writes_per_key=24] [ops=4] [seed=1] [port=5432]";

/// What the words of the command line ask for.
struct Options(Vec<(String, String)>);

impl Options {
    fn text<'o>(&'o self, name: &str, default: &'o str) -> &'o str {
        self.0.iter().rfind(|(known, _)| known == name).map_or(default, |(_, value)| value)
    }

    fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        let text = self.text(name, "");
        if text.is_empty() {
            Ok(default)
        } else {
            text.parse().map_err(|_| format!("{name}={text} is no number"))
        }
    }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command line")]
fn main() -> ExitCode {
    match load() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn load() -> Result<String, String> {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(out)) = (words.next(), words.next()) else {
        return Err(format!("usage: {USAGE}"));
    };
    let pair = |word: String| {
        let (name, value) =
            word.split_once('=').ok_or(format!("`{word}` is no name=value; usage: {USAGE}"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let options = Options(words.map(pair).collect::<Result<_, String>>()?);
    let workload = options.text("workload", "list-append");
    let table = match workload {
        "list-append" => Table::Lists,
        "rw-register" => Table::Registers,
        other => return Err(format!("workload={other}: it is list-append or rw-register")),
    };
    let shape = Shape {
        keys: options.number("keys", 6)?,
        writes_per_key: options.number("writes_per_key", 24)?,
        ops: options.number("ops", 4)?,
        skew: 0,
    };
    let generator = Generator::of(workload, shape).ok_or("the workload is unknown")?;
    let load = Load {
        folder: PathBuf::from(folder),
        port: u16::try_from(options.number("port", 5432)?).map_err(|_| "the port is too high")?,
        isolation: options.text("isolation", "serializable").parse()?,
        table,
        clients: options.number("clients", 8)?.clamp(1, 64),
        time: Duration::from_secs(options.number("seconds", 10)?),
        transactions_max: options.number("transactions", 200_000)?,
        seed: options.number("seed", 1)?,
    };
    write_history(&load, generator, Path::new(&out))
}

fn write_history(load: &Load, generator: Generator, out: &Path) -> Result<String, String> {
    let mut connection = Connection::open(&load.folder, load.port).map_err(|error| error.to_string())?;
    create(&mut connection).map_err(|error| error.to_string())?;
    let file = File::create(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let totals = run(load, generator, &mut BufWriter::new(file)).map_err(|error| error.to_string())?;
    Ok(format!(
        "{}: {} committed, {} aborted, {} unknown",
        load.isolation, totals.committed, totals.aborted, totals.unknown
    ))
}
