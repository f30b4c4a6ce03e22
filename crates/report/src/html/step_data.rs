//! What the script knows of each step: its text, what it brought, the states of the nodes that ran before and after it,
//! and what the specification says. States repeat a lot, so texts stand in a table and steps refer to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shakedown_cluster::Step;

use super::space_time::{End, Row, SpaceTime};
use crate::escape::plain;
use crate::step_words::step_words;
use crate::{Explained, SpecStep};

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
pub(super) fn data(picture: &SpaceTime<'_>, spec: &[SpecStep], why: Option<&Explained>) -> Value {
    let mut texts = Texts::default();
    let one = |row: &Row<'_>| {
        let mut value = step(row, spec, &mut texts);
        if let Some(lines) = why.map(|why| why.step_lines(row.number)).filter(|lines| !lines.is_empty()) {
            value["why"] = lines.iter().map(|line| plain(line, TOLD_MAX)).collect::<Vec<_>>().into();
        }
        value
    };
    let steps: Vec<_> = picture.rows.iter().map(one).collect();
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
    let words = step_words(row.step);
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    // Nodes are called n1, not N1.
    let is_node = letters.as_str().starts_with(|c: char| c.is_ascii_digit());
    let what = if is_node { words } else { first + letters.as_str() };
    format!("{what}.{lost}")
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
