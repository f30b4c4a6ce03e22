//! Histories of transactions: which anomalies they have, and which models these rule out.

use serde_json::{Value as Json, json};
use shakedown_histories::{Anomaly, History, Model, Outcome, Report};
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
    let (ruled_out, allowed) = report.models();
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    print_line!("\n{} {}", paint.faint("ruled out"), list(ruled_out));
    print_line!("{}   {}", paint.faint("allowed"), list(allowed));
    let name = model.name;
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
