//! The rounds of an execution as columns: who was in the kernel when, and who was isolated.

use shakedown_cluster::{Name, NodeId, NodeSet, Step, Trace};

use shakedown_explore::closure::Phase;

use crate::escape::text;

/// The most rounds that are drawn; of a longer execution the last ones.
const COLUMNS_MAX: usize = 120;
/// The size of a cell, in pixels.
const CELL: i32 = 18;
const LEFT: i32 = 40;
const TOP: i32 = 24;

struct Column {
    phase: u32,
    name: Name,
    kernel: NodeSet,
}

/// A chart with a column for every round. Nothing if there are no rounds in which somebody is isolated.
pub(super) fn rounds_grid(trace: &Trace) -> Option<String> {
    let nodes = trace.board.size();
    let steps = trace.board.steps();
    let rounds = steps.iter().rev().filter_map(|step| match step {
        Step::Round { phase: phase @ 1.., name, kernel } => {
            Some(Column { phase: *phase, name: *name, kernel: *kernel })
        }
        _ => None,
    });
    let mut columns: Vec<Column> = rounds.take(COLUMNS_MAX).collect();
    columns.reverse();
    if columns.iter().all(|column| column.kernel == NodeSet::first(nodes)) {
        return None;
    }
    let (width, height) = (LEFT + CELL * columns.len() as i32 + 8, TOP + CELL * nodes as i32 + 4);
    let mut html = format!(
        "<figure class=\"card rounds\">\n<figcaption>Rounds <small>filled: heard by the others; ring: isolated</small></figcaption>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rounds\"><svg class=\"rounds-grid\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"Who was isolated in which round\">"
    );
    for node in NodeId::first(nodes) {
        let y = middle(TOP, node.index());
        put!(html, "<text class=\"number\" x=\"{}\" y=\"{}\">{node}</text>", LEFT - 12, y + 4);
    }
    for (place, column) in columns.iter().enumerate() {
        let x = middle(LEFT, place);
        if place == 0 || columns[place - 1].phase != column.phase {
            let left = x - CELL / 2;
            put!(
                html,
                "<path class=\"phase\" d=\"M{left} 6V{height}\"/><text class=\"phase-name\" x=\"{}\" y=\"15\">{}</text>",
                left + 4,
                column.phase
            );
        }
        let of = if Phase::is_hop(column.name.as_str()) { "group" } else { "phase" };
        put!(html, "<g><title>{of} {}, {}</title>", column.phase, text(column.name.as_str(), 64));
        for node in NodeId::first(nodes) {
            let class = if column.kernel.contains(node) { "in" } else { "out" };
            put!(html, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{}\" r=\"5\"/>", middle(TOP, node.index()));
        }
        html.push_str("</g>");
    }
    html.push_str("</svg></div>\n</figure>\n");
    Some(html)
}

fn middle(start: i32, place: usize) -> i32 {
    start + CELL * place as i32 + CELL / 2
}
