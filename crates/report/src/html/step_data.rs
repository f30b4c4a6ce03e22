//! What the script knows of each step: its text, what it brought, the states of the nodes that ran before and after it,
//! and what the specification says. States repeat a lot, so texts stand in a table and steps refer to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shakedown_cluster::Step;

use super::space_time::{End, Row, SpaceTime};
use crate::SpecStep;
use crate::escape::plain;

/// The longest text of a step, in characters.
pub(super) const STEP_MAX: usize = 400;
/// The longest state.
const STATE_MAX: usize = 2_000;
/// The longest line of what a step brought, and the most of them.
const TOLD_MAX: usize = 400;
const TOLD_LINES_MAX: usize = 20;
/// The most actions of a specification that are shown of one step.
const ACTIONS_MAX: usize = 20;
/// The most nodes of a step whose states are shown.
const NODES_MAX: usize = 8;

/// The data of all steps that are shown.
pub(super) fn data(picture: &SpaceTime<'_>, spec: &[SpecStep]) -> Value {
    let mut texts = Texts::default();
    let steps: Vec<_> = picture.rows.iter().map(|row| step(row, spec, &mut texts)).collect();
    json!({ "first": picture.left_out + 1, "steps": steps, "texts": texts.list })
}

fn step(row: &Row<'_>, spec: &[SpecStep], texts: &mut Texts) -> Value {
    let step_notes: Vec<_> =
        row.step_notes.iter().take(TOLD_LINES_MAX).map(|line| plain(line, TOLD_MAX)).collect();
    let nodes: Vec<_> = row
        .moments
        .iter()
        .take(NODES_MAX)
        .filter_map(|moment| {
            let after = texts.place(moment.after?);
            Some(json!([moment.node.to_string(), moment.before.map(|state| texts.place(state)), after]))
        })
        .collect();
    // The first one is that of boot.
    let spec_step = spec.get(row.number);
    let before = row.number.checked_sub(1).and_then(|at| spec.get(at));
    let state = |step: Option<&SpecStep>, texts: &mut Texts| step.map(|step| texts.place(&step.state));
    let actions = spec_step.map(|step| {
        step.actions.iter().take(ACTIONS_MAX).map(|action| plain(action, STEP_MAX)).collect::<Vec<_>>()
    });
    let mut value = json!({ "text": plain(&row.step.to_string(), STEP_MAX), "about": about(row) });
    let mut add = |name: &str, part: Value| {
        let is_empty = part.is_null() || part.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            value[name] = part;
        }
    };
    add("notes", step_notes.into());
    add("nodes", nodes.into());
    add("actions", actions.into());
    // Where there is no state after it, the step was not done to its end.
    add("specBefore", spec_step.and_then(|_| state(before, texts)).into());
    add("specAfter", state(spec_step, texts).into());
    value
}

/// The step in a sentence, for whoever does not know the language of schedules yet.
fn about(row: &Row<'_>) -> String {
    let lost = row.ending.iter().filter(|arrow| matches!(arrow.end, End::Lost(_))).count();
    let lost = match (row.step, lost) {
        (Step::Drop(..), _) | (_, 0) => String::new(),
        (_, 1) => " One message is lost.".to_owned(),
        (_, lost) => format!(" {lost} messages are lost."),
    };
    let what = match row.step {
        Step::Deliver(id, kind) => format!("{} receives {kind} from {}.", id.to, id.from),
        Step::Drop(id, kind) => format!("{kind} from {} to {} is lost.", id.from, id.to),
        Step::Duplicate(id, kind) => {
            format!("The network makes a copy of {kind} from {} to {}.", id.from, id.to)
        }
        Step::Tamper(id, kind, _) => {
            format!("{} lies: its {kind} to {} says something else now.", id.from, id.to)
        }
        Step::Inject(from, to, _) => format!("{from} lies: it sends {to} what its protocol would not."),
        Step::Tick(node) => format!("The clock of {node} goes on by one."),
        Step::Fire(node, timer) => format!("The timer {timer} of {node} goes off."),
        Step::Flush(node) => format!("What {node} has written becomes durable."),
        Step::Request(node, _) => format!("A client asks {node}."),
        Step::Crash { node, .. } => format!("{node} crashes."),
        Step::Restart(node) => format!("{node} boots again from its disk."),
        Step::Cut(a, b) => format!("The link between {a} and {b} breaks."),
        Step::Heal(a, b) => format!("The link between {a} and {b} works again."),
        Step::Round { phase: 0, name, kernel } => format!("The round {name} begins; not isolated: {kernel}."),
        Step::Round { phase, name, kernel } => {
            format!("The round {name} of phase {phase} begins; not isolated: {kernel}.")
        }
    };
    what + &lost
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Texts {
    fn place(&mut self, text: &str) -> usize {
        let text = plain(text, STATE_MAX);
        let next = self.list.len();
        let place = *self.places.entry(text.clone()).or_insert(next);
        if place == next {
            self.list.push(text);
        }
        place
    }
}
