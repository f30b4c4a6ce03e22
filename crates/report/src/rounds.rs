//! Rounds: who was isolated when, as a chart with a column for every round; and how large the space is that
//! such executions are sampled from.

use std::fmt::{self, Write};

use shakedown_cluster::{Name, NodeId, NodeSet, Step, Trace};
use shakedown_explore::closure::{LockStep, Phase, Shape, Space};

use crate::line;
use crate::text::{Paint, Text};

/// The most rounds that are drawn; of a longer execution the last ones.
const COLUMNS_MAX: usize = 64;

struct Column {
    phase: u32,
    name: Name,
    kernel: NodeSet,
}

/// A chart of the rounds of an execution, phases set apart: `●` for a process in the kernel, `·` for one that
/// is isolated. Nothing if there are no rounds in which somebody is isolated.
pub fn rounds_chart(trace: &Trace) -> Option<Text> {
    let columns: Vec<Column> = trace
        .board
        .steps()
        .iter()
        .filter_map(|step| match step {
            Step::Round { phase: phase @ 1.., name, kernel } => {
                Some(Column { phase: *phase, name: *name, kernel: *kernel })
            }
            _ => None,
        })
        .collect();
    let nodes = trace.board.size();
    if columns.iter().all(|column| column.kernel == NodeSet::first(nodes)) {
        return None;
    }
    let columns = &columns[columns.len().saturating_sub(COLUMNS_MAX)..];
    let begins_phase = |at: usize| at == 0 || columns[at].phase != columns[at - 1].phase;
    let are_hops = names(columns).iter().all(|name| Phase::is_hop(name));
    let mut head = String::from(if are_hops { "  group " } else { "  phase " });
    for (at, column) in columns.iter().enumerate() {
        let label = if begins_phase(at) { format!(" {}", column.phase) } else { String::new() };
        let _ = write!(head, "{label:<2}");
    }
    let mut text = Text::new();
    line!(text, "{}", Paint.faint(head));
    for node in NodeId::first(nodes) {
        let row = Row { node, columns, begins_phase: &begins_phase };
        line!(text, "  {:<6}{row}", node.to_string());
    }
    let legend = match are_hops {
        true => "the target defines no phase: rounds are grouped by the period of isolations".to_owned(),
        false => format!("rounds of a phase: {}", names(columns).join(", ")),
    };
    line!(text, "  {}", Paint.faint(legend));
    Some(text)
}

/// One process in all rounds.
struct Row<'a> {
    node: NodeId,
    columns: &'a [Column],
    begins_phase: &'a dyn Fn(usize) -> bool,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, column) in self.columns.iter().enumerate() {
            let gap = if (self.begins_phase)(at) && at > 0 { Paint.faint("│") } else { Paint.plain(" ") };
            let sign = if column.kernel.contains(self.node) { Paint.plain("●") } else { Paint.bad("·") };
            write!(f, "{gap}{sign}")?;
        }
        Ok(())
    }
}

/// The names of the rounds, each once, in the order in which they come.
fn names(columns: &[Column]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for column in columns {
        if !names.contains(&column.name.as_str()) {
            names.push(column.name.as_str());
        }
    }
    names
}

/// What `rounds R, period K, isolations D` come to.
fn shape_text(shape: &Shape) -> String {
    let isolations = match shape.isolations {
        Some(1) => "1 isolation".to_owned(),
        Some(isolations) => format!("{isolations} isolations"),
        None => "any isolations".to_owned(),
    };
    format!("{} nodes, {} rounds, period {}, {isolations}", shape.nodes, shape.rounds, shape.period)
}

/// The size of the sample space in one line.
pub(crate) fn space_line(shape: &Shape) -> String {
    let space = Space(*shape);
    format!(
        "{} executions ({}); any one of them is met in {} with 95 % confidence",
        space.size(),
        shape_text(shape),
        space.executions_for(0.95)
    )
}

/// The size of the sample space beside those of other ways to sample (table 1 of the paper), and how many
/// executions it takes to meet any one of its members with this confidence.
pub fn space(lock_step: &LockStep, confidence: f64) -> Text {
    let space = Space(lock_step.shape);
    let mut text = Text::new();
    line!(text, "{}", Paint.strong(shape_text(&lock_step.shape)));
    text.blank();
    let mut row = |what: &str, size: &str| line!(text, "  {what:<42} {size:>16}");
    row("executions to choose from", "");
    for (what, size) in space.others() {
        row(&format!("  {what}"), &size.to_string());
    }
    row("  these isolations", &space.size().to_string());
    let wanted = format!("to meet any one of these with {} % confidence", confidence * 100.0);
    text.blank();
    line!(text, "  {wanted}: {} executions", space.executions_for(confidence));
    text
}
