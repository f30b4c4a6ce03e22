//! What stands in one row of a diagram, before it is known how much room there is.

use shakedown_cluster::{Board, MessageId, Name, NodeId, NodeSet, Step, Trace};

use crate::birth::Birth;
use crate::step_notes::{step_notes, writes};

/// One step, or several ticks of one node in a row.
pub(super) struct Row {
    /// The place of the step in the schedule, of the last one if there are several.
    pub at: usize,
    /// How many steps it stands for.
    pub count: usize,
    pub sign: Sign,
    /// What the step brought.
    pub notes: Vec<String>,
    /// Whether the notes say what the label says, if there is no room for that.
    pub is_named: bool,
    /// Whether it is a fault.
    pub is_fault: bool,
}

/// What is drawn in the lanes.
pub(super) enum Sign {
    /// A sign in the lane of a node, with a label beside it.
    Mark { node: NodeId, sign: char, label: String },
    /// A message that arrives. It was sent at the given step; 0 is the boot.
    Arrow { id: MessageId, kind: Name, sent: usize },
    /// A link that is cut or healed.
    Link { a: NodeId, b: NodeId, is_cut: bool },
    /// A round that begins, and who takes part in it.
    Round { kernel: NodeSet },
}

impl Row {
    /// The row of the step at this place, which stands for `count` steps.
    pub fn of(trace: &Trace, births: &[Birth], at: usize, count: usize) -> Row {
        let board = &trace.board;
        let step = &board.steps()[at];
        let sent = |id: MessageId, kind: Name| sent_at(board, births, id, kind);
        let mark = |node: NodeId, sign: char, label: String| Sign::Mark { node, sign, label };
        let (sign, note) = match step {
            Step::Deliver(id, kind) => {
                let sent = sent(*id, *kind).unwrap_or(0);
                (Sign::Arrow { id: *id, kind: *kind, sent }, message_text(trace, *id, *kind))
            }
            Step::Drop(id, kind) => (
                mark(id.from, '✗', format!("lost {kind}")),
                Some(format!("{kind} {id}{} is lost", since(sent(*id, *kind)))),
            ),
            Step::Duplicate(id, kind) => (
                mark(id.from, '⧉', kind.to_string()),
                Some(format!("{kind} {id}{} is doubled", since(sent(*id, *kind)))),
            ),
            Step::Tamper(id, kind, lie) => (
                mark(id.from, '!', format!("tamper {kind}")),
                Some(format!("{id}{} becomes {lie}", since(sent(*id, *kind)))),
            ),
            Step::Inject(from, to, lie) => {
                (mark(*from, '!', "inject".into()), Some(format!("to {to}: {lie}")))
            }
            Step::Tick(node) if count == 1 => (mark(*node, '●', "tick".into()), None),
            Step::Tick(node) => (mark(*node, '●', format!("tick ×{count}")), None),
            Step::Fire(node, timer) => (mark(*node, '●', format!("timer {timer}")), None),
            Step::Flush(node) => (mark(*node, '●', "flush".into()), None),
            Step::Request(node, op) => (mark(*node, '●', "request".into()), Some(op.to_string())),
            Step::Retry(node, op) => (mark(*node, '●', "retry".into()), Some(op.to_string())),
            Step::Crash { node, keep } => {
                (mark(*node, '✖', "crash".into()), (*keep > 0).then(|| writes(*keep, "kept")))
            }
            Step::Restart(node) => (mark(*node, '●', "restart".into()), None),
            Step::Cut(a, b) => (Sign::Link { a: *a, b: *b, is_cut: true }, Some(step.to_string())),
            Step::Heal(a, b) => (Sign::Link { a: *a, b: *b, is_cut: false }, Some(step.to_string())),
            Step::Round { phase, name, kernel } => {
                (Sign::Round { kernel: *kernel }, Some(round_words(board, *phase, *name, *kernel)))
            }
        };
        let notes = note.into_iter().chain(step_notes(board, at)).collect();
        let is_named = matches!(step, Step::Drop(..) | Step::Duplicate(..));
        Row { at, count, sign, notes, is_named, is_fault: is_fault(step) }
    }
}

fn is_fault(step: &Step) -> bool {
    matches!(step, Step::Drop(..) | Step::Tamper(..) | Step::Inject(..) | Step::Crash { .. } | Step::Cut(..))
}

/// The step at which a message was put on the network.
fn sent_at(board: &Board, births: &[Birth], id: MessageId, kind: Name) -> Option<usize> {
    Some(births[board.find(id, kind)?.index()].step)
}

/// When a message was sent, as diagrams write it.
fn since(sent: Option<usize>) -> String {
    sent.map_or_else(String::new, |step| format!(" @{step}"))
}

fn message_text(trace: &Trace, id: MessageId, kind: Name) -> Option<String> {
    let index = trace.board.find(id, kind)?;
    trace.message_texts.get(index.index()).filter(|text| !text.is_empty()).cloned()
}

/// The round that begins, and who is isolated in it.
fn round_words(board: &Board, phase: u32, name: Name, kernel: NodeSet) -> String {
    let isolated = NodeSet::first(board.size()).without(kernel);
    let phase = if phase == 0 { String::new() } else { format!("phase {phase}, ") };
    let isolated = if isolated.is_empty() { String::new() } else { format!("; isolated: {isolated}") };
    format!("{phase}{name}{isolated}")
}
