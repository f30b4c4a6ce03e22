//! `check-history`: what is wrong with a recorded history of transactions, or of operations on an object.

#[cfg(feature = "html")]
mod drawings;
mod executions;
mod keys;
mod objects;
mod problems;
mod transactions;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use shakedown_campaign::AnyTarget;
use shakedown_check::SearchLimits;
use shakedown_check::objects::{self as object, Object};
use shakedown_histories::sessions::{self, SessionModel};
use shakedown_histories::workloads::{self, Problems};
use shakedown_histories::{
    Check, History, MODELS, Model, Operation, ReadError, edn, jepsen_log, json as json_lines, list_append,
    operations, rw_register,
};
use shakedown_report::grouped;

use crate::command_line::{CommandError, ExitStatus};
use crate::features::HTML;
use crate::fleet_options::FleetArgs;
use crate::terminal::print_json;

/// A history of transactions in memory takes at most about this many times its text.
const BYTES_FOR_A_BYTE: u64 = 4;
/// A history of single operations keeps every value apart: 24 bytes for one that has a digit and a space, and
/// the room that a growing list leaves free.
const BYTES_FOR_A_BYTE_OF_OPERATIONS: u64 = 32;

#[derive(Args)]
pub(crate) struct CheckHistory {
    /// The history: Jepsen's EDN, JSON lines, or Jepsen's log lines; `-` for standard input. Or a failure
    /// file: it is replayed, and what its clients asked and were answered is the history
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What the history should be: a consistency model of transactions, `linearizable:OBJECT`,
    /// `sequential:OBJECT`, or a model of sessions such as `causal`
    #[arg(long, value_name = "MODEL", default_value = "strict-serializable", value_parser = wanted)]
    model: Wanted,
    /// What clients did [default: inferred from the operations of transactions]
    #[arg(long, value_enum)]
    workload: Option<Workload>,
    /// Registers: each key alone is linearizable, so its versions are in the order of real time
    #[arg(long)]
    linearizable_keys: bool,
    /// Registers: each key alone is sequentially consistent, so each process meets its versions in their
    /// order
    #[arg(long)]
    sequential_keys: bool,
    /// Every value of an operation on an object is a pair of a key and a value
    #[arg(long)]
    keyed: bool,
    /// Banks: what all balances add up to [default: what they add up to in most reads]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    total: Option<i64>,
    /// How the history is written [default: inferred from its beginning]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print at most N anomalies of each kind
    #[arg(long, value_name = "N", default_value_t = Check::default().most_of_a_kind)]
    most: usize,
    /// Refuse a history that would take more memory
    #[arg(long, value_name = "MiB", default_value_t = 8192)]
    memory: u64,
    /// Write a page with a drawing of each anomaly
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Workload {
    /// Transactions append unique elements to lists, and read whole lists
    ListAppend,
    /// Transactions write unique values to registers, and read single values
    RwRegister,
    /// Add elements, and read all of them
    Set,
    /// Add to a counter, and read it
    Counter,
    /// Transfer between accounts, and read all of them
    Bank,
    /// Write each key once, and read several
    LongFork,
    /// Enqueue and dequeue, in any order
    Queue,
    /// Send to logs, and poll them
    Kafka,
}

impl Workload {
    /// The rules of its own that it has, if it is none of transactions.
    fn rules(self) -> Option<&'static workloads::Workload> {
        let name = self.to_possible_value()?.get_name().to_owned();
        workloads::workload(&name)
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Clojure's data notation, as Jepsen writes `history.edn`
    Edn,
    /// One JSON object a line
    Json,
    /// The lines that Jepsen logs
    Log,
}

/// What a history should be.
#[derive(Clone, Copy)]
enum Wanted {
    Isolation(&'static Model),
    Linearizable(Object),
    Sequential(Object),
    Sessions(SessionModel),
}

fn wanted(name: &str) -> Result<Wanted, String> {
    let object = |name: &str| {
        let names = Object::ALL.map(|(name, ..)| name).join(", ");
        Object::of(name).ok_or(format!("the object is one of {names}"))
    };
    match name.split_once(':') {
        Some(("linearizable", name)) => return object(name).map(Wanted::Linearizable),
        Some(("sequential", name)) => return object(name).map(Wanted::Sequential),
        _ => {}
    }
    let isolation = Model::of(name).map(Wanted::Isolation);
    isolation.or(SessionModel::of(name).map(Wanted::Sessions)).ok_or_else(|| {
        let mut names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        names.extend(["linearizable:OBJECT", "sequential:OBJECT"]);
        names.extend(SessionModel::NAMES);
        format!("it is one of {}", names.join(", "))
    })
}

use self::keys::keys_by_fleet;
pub(crate) use executions::write as write_history;
#[cfg(feature = "fleet")]
pub(crate) use keys::bench;

pub(crate) fn check_history(
    targets: &[Box<dyn AnyTarget>],
    options: &CheckHistory,
) -> Result<ExitStatus, CommandError> {
    options.html.as_ref().map_or(Ok(()), |_| HTML.needed_for("--html")).map_err(CommandError)?;
    let is_of_transactions = matches!(options.model, Wanted::Isolation(_))
        && options.workload.is_none_or(|workload| workload.rules().is_none());
    let times = if is_of_transactions { BYTES_FOR_A_BYTE } else { BYTES_FOR_A_BYTE_OF_OPERATIONS };
    let text = read(&options.file, options.memory, times)?;
    let text = executions::replayed(targets, &options.file, &text)?.unwrap_or(text);
    let format = options.format.unwrap_or_else(|| format_of(&text));
    if let Some(rules) = options.workload.and_then(Workload::rules) {
        return check_problems(options, &text, format, &format!("the workload {}", rules.name), |history| {
            (rules.check)(history, workloads::Rules { most_of_a_kind: options.most, total: options.total })
        });
    }
    match options.model {
        Wanted::Isolation(model) => check_transactions(options, &text, format, model),
        Wanted::Linearizable(object) => check_object(options, &text, format, object),
        Wanted::Sequential(object) => check_sequential(options, &text, format, object),
        Wanted::Sessions(model) => {
            let name = format!("{model:?}");
            check_problems(options, &text, format, &problems::words(&name), |history| {
                sessions::check(history, model, options.keyed, options.most)
            })
        }
    }
}

/// Checks a history that has rules of its own.
fn check_problems(
    options: &CheckHistory,
    text: &str,
    format: Format,
    what: &str,
    check: impl FnOnce(&[Operation]) -> Result<Problems, ReadError>,
) -> Result<ExitStatus, CommandError> {
    let shown = options.file.display();
    let wrong = |error: ReadError| CommandError(format!("{shown}: {error}"));
    let history = read_operations(text, format).map_err(wrong)?;
    if history.is_empty() {
        return Err(CommandError(format!("{shown} has no operations: there is nothing to check")));
    }
    let found = check(&history).map_err(wrong)?;
    if options.json {
        print_json(&problems::as_json(what, &history, &found));
    } else {
        problems::print(what, &history, &found);
    }
    #[cfg(feature = "html")]
    write_page(options, |title| drawings::problems(title, what, &history, &found))?;
    Ok(if found.is_valid() { ExitStatus::Pass } else { ExitStatus::Fail })
}

fn check_sequential(
    options: &CheckHistory,
    text: &str,
    format: Format,
    object: Object,
) -> Result<ExitStatus, CommandError> {
    let shown = options.file.display();
    let wrong = |error: ReadError| CommandError(format!("{shown}: {error}"));
    let recorded = read_operations(text, format).map_err(wrong)?;
    let history = object::understand(object, &recorded, options.keyed).map_err(wrong)?;
    if history.is_empty() {
        return Err(CommandError(format!("{shown} has no operations: there is nothing to check")));
    }
    let verdict = object::sequential(&history, &recorded, SearchLimits::default());
    if options.json {
        print_json(&objects::sequential_json(&history, &recorded, &verdict));
    } else {
        objects::print_sequential(&history, &recorded, &verdict);
    }
    Ok(objects::sequential_status(&verdict))
}

fn check_transactions(
    options: &CheckHistory,
    text: &str,
    format: Format,
    model: &'static Model,
) -> Result<ExitStatus, CommandError> {
    let shown = options.file.display();
    let read = match format {
        Format::Edn => edn::read(text),
        Format::Json => json_lines::read(text),
        Format::Log => {
            return Err(CommandError(format!("{shown} has log lines: use --model linearizable:OBJECT")));
        }
    };
    let history = read.map_err(|error| CommandError(format!("{shown}: {error}")))?;
    if history.is_empty() {
        return Err(CommandError(format!("{shown} has no transactions: there is nothing to check")));
    }
    let check = Check {
        most_of_a_kind: options.most,
        linearizable_keys: options.linearizable_keys,
        sequential_keys: options.sequential_keys,
        ..Check::default()
    };
    let report =
        match workload(&history, options.workload).map_err(|why| CommandError(format!("{shown}: {why}")))? {
            Workload::ListAppend => list_append::check(&history, check),
            _ => rw_register::check(&history, check),
        };
    if options.json {
        print_json(&transactions::as_json(&history, &report, model));
    } else {
        transactions::print_report(&history, &report, model);
    }
    #[cfg(feature = "html")]
    write_page(options, |title| drawings::transactions(title, &history, &report, model.name))?;
    Ok(if report.allows(model.name) { ExitStatus::Pass } else { ExitStatus::Fail })
}

fn check_object(
    options: &CheckHistory,
    text: &str,
    format: Format,
    object: Object,
) -> Result<ExitStatus, CommandError> {
    let shown = options.file.display();
    let wrong = |error: ReadError| CommandError(format!("{shown}: {error}"));
    let recorded = read_operations(text, format).map_err(wrong)?;
    let history = object::understand(object, &recorded, options.keyed).map_err(wrong)?;
    if history.is_empty() {
        return Err(CommandError(format!("{shown} has no operations: there is nothing to check")));
    }
    let known = keys_by_fleet(options, text, format, object, &history)?;
    let verdict =
        object::check_beside(&history, SearchLimits::default(), |key| known.get(key).copied().flatten());
    if options.json {
        print_json(&objects::as_json(&history, &recorded, &verdict));
    } else {
        objects::print(&history, &recorded, &verdict);
    }
    #[cfg(feature = "html")]
    write_page(options, |title| drawings::objects(title, &history, &recorded, &verdict))?;
    Ok(objects::exit_status(&verdict))
}

fn read_operations(text: &str, format: Format) -> Result<Vec<Operation>, ReadError> {
    match format {
        Format::Edn => operations::read_edn(text),
        Format::Json => operations::read_json(text),
        Format::Log => jepsen_log::read(text),
    }
}

#[cfg(feature = "html")]
fn write_page(
    options: &CheckHistory,
    page: impl FnOnce(String) -> shakedown_report::html::HtmlReport,
) -> Result<(), CommandError> {
    let Some(out) = &options.html else { return Ok(()) };
    let name = options.file.file_name().unwrap_or(options.file.as_os_str()).to_string_lossy();
    let page = shakedown_report::html::render(&page(format!("The history {name}")));
    crate::finding_report::write_file(out, &page)
}

/// What the transactions did: what was asked for, if the history has nothing else.
fn workload(history: &History, asked: Option<Workload>) -> Result<Workload, &'static str> {
    match (history.has_lists(), history.has_registers(), asked) {
        (true, true, _) => {
            Err("some operations are on lists and some on registers: only one kind can be checked")
        }
        (true, false, Some(Workload::RwRegister)) => Err("the operations are on lists, not on registers"),
        (false, true, Some(Workload::ListAppend)) => Err("the operations are on registers, not on lists"),
        (_, _, Some(asked)) => Ok(asked),
        (_, true, None) => Ok(Workload::RwRegister),
        (_, false, None) => Ok(Workload::ListAppend),
    }
}

/// Reads a file that fits into memory once it has been taken apart.
fn read(path: &Path, mebibytes: u64, times: u64) -> Result<String, CommandError> {
    let wrong = |error: std::io::Error| CommandError(format!("{}: {error}", path.display()));
    let most = (mebibytes << 20) / times;
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().lock().take(most + 1).read_to_string(&mut text),
        false => File::open(path).and_then(|file| file.take(most + 1).read_to_string(&mut text)),
    };
    read.map_err(wrong)?;
    if text.len() as u64 > most {
        return Err(CommandError(format!(
            "{} has more than {} MiB, and a history takes up to {times} times its text: allow more with --memory",
            path.display(),
            most >> 20
        )));
    }
    Ok(text)
}

/// JSON objects begin with a text, maps of EDN with a keyword; log lines have a form of their own.
fn format_of(text: &str) -> Format {
    let begin = text.trim_start().strip_prefix('{').map(str::trim_start);
    match begin {
        Some(rest) if rest.starts_with(['"', '}']) => Format::Json,
        None if jepsen_log::is_log(text) => Format::Log,
        _ => Format::Edn,
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}
