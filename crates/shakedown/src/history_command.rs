//! `check-history`: which isolation anomalies a recorded history of transactions has.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use shakedown_histories::{
    Anomaly, Check, History, MODELS, Model, Outcome, Report, edn, json as json_lines, list_append,
    rw_register,
};
use shakedown_report::grouped;

use crate::command_line::{CommandError, ExitStatus};
use crate::terminal::{paint, print_json, print_line};

/// How many transactions of an anomaly are printed.
const TRANSACTIONS_SHOWN: usize = 12;
/// A history in memory takes at most about this many times its text.
const BYTES_FOR_A_BYTE: u64 = 4;

#[derive(Args)]
pub(crate) struct CheckHistory {
    /// The history: Jepsen's EDN or JSON lines; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The consistency model that the history should have
    #[arg(long, value_name = "MODEL", default_value = "strict-serializable", value_parser = model)]
    model: &'static Model,
    /// What the transactions did [default: seen from their operations]
    #[arg(long, value_enum)]
    workload: Option<Workload>,
    /// How the history is written [default: seen from its beginning]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The most anomalies of each kind that are printed
    #[arg(long, value_name = "N", default_value_t = Check::default().most_of_a_kind)]
    most: usize,
    /// Refuse a history that would take more memory
    #[arg(long, value_name = "MiB", default_value_t = 8192)]
    memory: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Workload {
    /// Transactions append unique elements to lists, and read whole lists
    ListAppend,
    /// Transactions write unique values to registers, and read single values
    RwRegister,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Clojure's data notation, as Jepsen writes `history.edn`
    Edn,
    /// One JSON object a line
    Json,
}

fn model(name: &str) -> Result<&'static Model, String> {
    Model::of(name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        format!("it is one of {}", names.join(", "))
    })
}

pub(crate) fn check_history(options: &CheckHistory) -> Result<ExitStatus, CommandError> {
    let shown = options.file.display();
    let text = read(&options.file, options.memory)?;
    let read = match options.format.unwrap_or_else(|| format_of(&text)) {
        Format::Edn => edn::read(&text),
        Format::Json => json_lines::read(&text),
    };
    let history = read.map_err(|error| CommandError(format!("{shown}: {error}")))?;
    if history.is_empty() {
        return Err(CommandError(format!("{shown} has no transactions: there is nothing to check")));
    }
    drop(text);
    let check = Check { most_of_a_kind: options.most, ..Check::default() };
    let report =
        match workload(&history, options.workload).map_err(|why| CommandError(format!("{shown}: {why}")))? {
            Workload::ListAppend => list_append::check(&history, check),
            Workload::RwRegister => rw_register::check(&history, check),
        };
    let is_allowed = report.allows(options.model.name);
    if options.json {
        print_json(&as_json(&history, &report, options.model));
    } else {
        print_report(&history, &report, options);
    }
    Ok(if is_allowed { ExitStatus::Pass } else { ExitStatus::Fail })
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
fn read(path: &Path, mebibytes: u64) -> Result<String, CommandError> {
    let wrong = |error: std::io::Error| CommandError(format!("{}: {error}", path.display()));
    let most = (mebibytes << 20) / BYTES_FOR_A_BYTE;
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().lock().take(most + 1).read_to_string(&mut text),
        false => File::open(path).and_then(|file| file.take(most + 1).read_to_string(&mut text)),
    };
    read.map_err(wrong)?;
    if text.len() as u64 > most {
        return Err(CommandError(format!(
            "{} has more than {} MiB, and a history takes up to {BYTES_FOR_A_BYTE} times its text: allow more with --memory",
            path.display(),
            most >> 20
        )));
    }
    Ok(text)
}

/// JSON objects begin with a text, maps of EDN with a keyword.
fn format_of(text: &str) -> Format {
    let begin = text.trim_start().strip_prefix('{').map(str::trim_start);
    if begin.is_some_and(|rest| rest.starts_with(['"', '}'])) { Format::Json } else { Format::Edn }
}

fn print_report(history: &History, report: &Report, options: &CheckHistory) {
    let paint = paint();
    let count = |outcome: Outcome| {
        grouped(history.ids().filter(|id| history.transaction(*id).outcome == outcome).count() as u64)
    };
    print_line!(
        "{} ({} committed, {} aborted, {} unknown), {}, {}",
        counted(history.len(), "transaction", "transactions"),
        count(Outcome::Ok),
        count(Outcome::Fail),
        count(Outcome::Info),
        counted(history.key_count(), "key", "keys"),
        counted(report.dependencies, "dependency", "dependencies")
    );
    for (kind, count) in &report.counts {
        let times = if *count == 1 { String::new() } else { format!(", {} times", grouped(*count as u64)) };
        print_line!("\n{}: {}{times}", paint.bad(kind.name()), kind.about());
        let of_kind: Vec<&Anomaly> =
            report.anomalies.iter().filter(|anomaly| anomaly.kind == *kind).collect();
        for (place, anomaly) in of_kind.iter().enumerate() {
            if place > 0 && !anomaly.links.is_empty() {
                print_line!("");
            }
            print_anomaly(history, anomaly);
        }
        if *count > of_kind.len() {
            print_line!("  and {} more", grouped((*count - of_kind.len()) as u64));
        }
    }
    let (ruled_out, allowed) = report.models();
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    print_line!("\n{} {}", paint.faint("ruled out"), list(ruled_out));
    print_line!("{}   {}", paint.faint("allowed"), list(allowed));
    let name = options.model.name;
    let verdict = match report.allows(name) {
        true => paint.good(format_args!("PASS: {name} allows this history, as far as it can be inferred")),
        false => paint.bad(format_args!("FAIL: {name} does not allow this history")),
    };
    print_line!("\n{verdict}");
}

fn print_anomaly(history: &History, anomaly: &Anomaly) {
    if anomaly.links.is_empty() {
        return print_line!("  {}", anomaly.text);
    }
    for id in anomaly.transactions.iter().take(TRANSACTIONS_SHOWN) {
        print_line!("  {:<8} {}", format!("T{}", id.0), history.describe(*id));
    }
    for link in anomaly.links.iter().take(TRANSACTIONS_SHOWN) {
        print_line!("    T{} → T{} {:<9} {}", link.from, link.to, link.label, link.why);
    }
    if anomaly.links.len() > TRANSACTIONS_SHOWN {
        print_line!("    and {} more", anomaly.links.len() - TRANSACTIONS_SHOWN);
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}

fn as_json(history: &History, report: &Report, model: &Model) -> Json {
    let anomaly = |anomaly: &Anomaly| {
        let transactions: Vec<Json> = anomaly
            .transactions
            .iter()
            .map(|id| json!({ "id": id.0, "ops": history.describe(*id) }))
            .collect();
        json!({
            "kind": anomaly.kind.name(),
            "text": anomaly.text,
            "transactions": transactions,
            "links": anomaly.links,
        })
    };
    let counts: serde_json::Map<String, Json> =
        report.counts.iter().map(|(kind, count)| (kind.name(), (*count).into())).collect();
    let (ruled_out, allowed) = report.models();
    json!({
        "verdict": if report.allows(model.name) { "pass" } else { "fail" },
        "model": model.name,
        "transactions": history.len(),
        "dependencies": report.dependencies,
        "counts": counts,
        "anomalies": report.anomalies.iter().map(anomaly).collect::<Vec<_>>(),
        "ruled_out": ruled_out,
        "allowed": allowed,
    })
}
