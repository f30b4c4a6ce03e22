//! Histories of transactions: which anomalies they have, and which models these rule out.

use serde_json::{Value as Json, json};
use shakedown_histories::{Anomaly, AnomalyKind, History, Model, Outcome, Report};
use shakedown_report::grouped;

use super::counted;
use crate::terminal::{paint, print_line};

/// How many transactions of an anomaly are printed.
const TRANSACTIONS_SHOWN: usize = 12;

pub(super) fn print_report(history: &History, report: &Report, model: &Model) {
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
    let (ruled_out, allowed) = models(report);
    print_line!("\n{} {ruled_out}", paint.faint("ruled out"));
    print_line!("{}   {allowed}", paint.faint("allowed"));
    if !report.undecided.is_empty() {
        let names = report.undecided.join(", ");
        print_line!(
            "{} {names}: no cycle rules them out, and not all orders were tried",
            paint.faint("undecided")
        );
    }
    let name = model.name;
    let verdict = match report.allows(name) {
        true => paint.good(format_args!("PASS: {name} allows this history, as far as it can be inferred")),
        false => paint.bad(format_args!("FAIL: {name} does not allow this history")),
    };
    print_line!("\n{verdict}");
}

/// The models that a history rules out and those that it allows, in words: the weakest and the strongest
/// first.
pub(super) fn models(report: &Report) -> (String, String) {
    let words = |edge: Vec<&str>, all: Vec<&str>, others: &str| {
        let rest: Vec<&str> = all.into_iter().filter(|name| !edge.contains(name)).collect();
        match (edge.is_empty(), rest.is_empty()) {
            (true, _) => "none".to_owned(),
            (_, true) => edge.join(", "),
            _ => format!("{}; {others}: {}", edge.join(", "), rest.join(", ")),
        }
    };
    let (weakest, strongest) = report.boundary();
    let (ruled_out, allowed) = report.models();
    (words(weakest, ruled_out, "so also"), words(strongest, allowed, "so also"))
}

fn print_anomaly(history: &History, anomaly: &Anomaly) {
    if anomaly.links.is_empty() {
        return print_line!("  {}", anomaly.text);
    }
    for id in anomaly.transactions.iter().take(TRANSACTIONS_SHOWN) {
        print_line!("  {:<8} {}", format!("T{}", id.0), history.describe(*id));
    }
    if !anomaly.also.is_empty() {
        print_line!("    it is also {}", also(anomaly));
    }
    for link in anomaly.links.iter().take(TRANSACTIONS_SHOWN) {
        print_line!("    T{} → T{} {:<9} {}", link.from, link.to, link.label, link.why);
    }
    if anomaly.links.len() > TRANSACTIONS_SHOWN {
        print_line!("    and {} more", anomaly.links.len() - TRANSACTIONS_SHOWN);
    }
}

/// What a cycle shows besides its kind.
pub(super) fn also(anomaly: &Anomaly) -> String {
    let word = |kind: &AnomalyKind| format!("{} ({})", kind.name(), kind.about());
    anomaly.also.iter().map(word).collect::<Vec<_>>().join(", ")
}

pub(super) fn as_json(history: &History, report: &Report, model: &Model) -> Json {
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
            "also": anomaly.also.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        })
    };
    let counts: serde_json::Map<String, Json> =
        report.counts.iter().map(|(kind, count)| (kind.name(), (*count).into())).collect();
    let also: serde_json::Map<String, Json> =
        report.also.iter().map(|(kind, count)| (kind.name(), (*count).into())).collect();
    let (ruled_out, allowed) = report.models();
    let (weakest_ruled_out, strongest_allowed) = report.boundary();
    json!({
        "verdict": if report.allows(model.name) { "pass" } else { "fail" },
        "model": model.name,
        "transactions": history.len(),
        "dependencies": report.dependencies,
        "undecided": report.undecided,
        "counts": counts,
        "also": also,
        "anomalies": report.anomalies.iter().map(anomaly).collect::<Vec<_>>(),
        "ruled_out": ruled_out,
        "allowed": allowed,
        "weakest_ruled_out": weakest_ruled_out,
        "strongest_allowed": strongest_allowed,
    })
}
