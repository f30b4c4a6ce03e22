//! Histories as pages.

use shakedown_check::objects::{ObjectHistory, ObjectVerdict};
use shakedown_histories::workloads::Problems;
use shakedown_histories::{Anomaly, History, Operation, Report};
use shakedown_report::grouped;
use shakedown_report::html::{
    CycleTransaction, HistoryDrawing, HistoryFinding, HtmlReport, ReportVerdict, Timeline, TimelineBar,
};

use super::objects::{describe, sentence};
use super::transactions::{also, models};

/// The page of a history of transactions.
pub(super) fn transactions(title: String, history: &History, report: &Report, model: &str) -> HtmlReport {
    let (ruled_out, allowed) = models(report);
    let is_allowed = report.allows(model);
    HtmlReport {
        title,
        verdict: if is_allowed { ReportVerdict::Pass } else { ReportVerdict::Fail },
        verdict_text: match is_allowed {
            true => format!("{model} allows this history, as far as it can be inferred."),
            false => format!("{model} does not allow this history."),
        },
        facts: vec![
            ("transactions".to_owned(), grouped(history.len() as u64)),
            ("keys".to_owned(), grouped(history.key_count() as u64)),
            ("dependencies".to_owned(), grouped(report.dependencies as u64)),
            ("ruled out".to_owned(), ruled_out),
            ("allowed".to_owned(), allowed),
        ],
        histories: report.anomalies.iter().map(|anomaly| finding(history, anomaly)).collect(),
        ..HtmlReport::default()
    }
}

fn finding(history: &History, anomaly: &Anomaly) -> HistoryFinding {
    let transaction = |link: &shakedown_histories::Link| CycleTransaction {
        name: format!("T{}", link.from),
        ops: history
            .describe(shakedown_histories::TransactionId(link.from))
            .split("; ")
            .map(str::to_owned)
            .collect(),
        label: link.label.to_owned(),
        why: link.why.clone(),
    };
    let is_cycle = !anomaly.links.is_empty();
    HistoryFinding {
        title: anomaly.kind.name(),
        about: match anomaly.also.is_empty() {
            true => format!("This is {}.", anomaly.kind.about()),
            false => format!("This is {}. It is also {}.", anomaly.kind.about(), also(anomaly)),
        },
        lines: match is_cycle {
            true => anomaly.links.iter().map(|link| link.why.clone()).collect(),
            false => vec![anomaly.text.clone()],
        },
        drawing: is_cycle.then(|| HistoryDrawing::Cycle(anomaly.links.iter().map(transaction).collect())),
    }
}

/// The page of a history of operations on objects.
pub(super) fn objects(
    title: String,
    history: &ObjectHistory,
    recorded: &[Operation],
    verdict: &ObjectVerdict,
) -> HtmlReport {
    let mut sentence = sentence(history, recorded, verdict);
    sentence.push('.');
    HtmlReport {
        title,
        verdict: match verdict {
            ObjectVerdict::Linearizable(_) => ReportVerdict::Pass,
            ObjectVerdict::NotLinearizable(_) => ReportVerdict::Fail,
            ObjectVerdict::Unknown(_) => ReportVerdict::Unknown,
        },
        verdict_text: format!("linearizable:{}: {sentence}", history.object),
        facts: vec![
            ("operations".to_owned(), grouped(history.len() as u64)),
            ("keys".to_owned(), grouped(history.keys.len() as u64)),
        ],
        histories: match verdict {
            ObjectVerdict::NotLinearizable(found) => vec![timeline(history, recorded, found)],
            _ => Vec::new(),
        },
        ..HtmlReport::default()
    }
}

/// What had been called when the history stopped being linearizable.
fn timeline(
    history: &ObjectHistory,
    recorded: &[Operation],
    found: &shakedown_check::objects::NotLinearizable,
) -> HistoryFinding {
    let places = &history.recorded[found.key];
    let end = recorded[places[found.culprit]].ended.unwrap_or(u32::MAX);
    let mut clients: Vec<i64> = recorded.iter().map(|operation| operation.process).collect();
    clients.sort_unstable();
    clients.dedup();
    let bars = (0..places.len()).filter(|place| recorded[places[*place]].began <= end).map(|place| {
        let operation = &recorded[places[place]];
        TimelineBar {
            client: clients.partition_point(|client| *client < operation.process),
            began: operation.began,
            ended: operation.ended.filter(|ended| *ended <= end),
            label: describe(operation),
            place: found.obstacle.order.iter().position(|ordered| *ordered == place),
            is_culprit: place == found.culprit,
        }
    });
    let line = |place: &usize| {
        format!("P{}: {}", recorded[places[*place]].process, describe(&recorded[places[*place]]))
    };
    let mut lines: Vec<String> = found.obstacle.order.iter().rev().take(20).map(line).collect();
    lines.reverse();
    lines.extend(found.obstacle.misfit.iter().map(|misfit| format!("nothing leads to {}", line(misfit))));
    HistoryFinding {
        title: "not linearizable".to_owned(),
        about: "The longest order that was found, and what does not fit then. Without the answer in red, the history up to \
                there is linearizable."
            .to_owned(),
        lines,
        drawing: Some(HistoryDrawing::Timeline(Timeline {
            bars: bars.collect(),
            clients: clients.iter().map(|client| format!("P{client}")).collect(),
        })),
    }
}

/// The page of a history that has rules of its own: its problems in words.
pub(super) fn problems(title: String, what: &str, history: &[Operation], found: &Problems) -> HtmlReport {
    let finding = |kind: &&'static str| HistoryFinding {
        title: (*kind).to_owned(),
        about: format!("Found {} times.", grouped(found.counts[kind] as u64)),
        lines: found
            .problems
            .iter()
            .filter(|problem| problem.kind == *kind)
            .map(|problem| format!("{}{}", problem.text, super::problems::lines(problem)))
            .collect(),
        drawing: None,
    };
    let mut facts = vec![("operations".to_owned(), grouped(history.len() as u64))];
    facts.extend(found.undecided.clone().map(|undecided| ("not decided".to_owned(), undecided)));
    HtmlReport {
        title,
        verdict: if found.is_valid() { ReportVerdict::Pass } else { ReportVerdict::Fail },
        verdict_text: match found.is_valid() {
            true => format!("{what} allows this history."),
            false => format!("{what} does not allow this history."),
        },
        facts,
        histories: found.counts.keys().map(finding).collect(),
        ..HtmlReport::default()
    }
}
