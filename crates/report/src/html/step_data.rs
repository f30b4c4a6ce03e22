//! What the script knows of each step: its text, what it brought, the states of the nodes that ran before and after it,
//! and what the specification says. States repeat a lot, so texts stand in a table and steps refer to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::space_time::{Row, SpaceTime};
use crate::SpecStep;
use crate::escape::plain;

/// The longest text of a step, in characters.
pub(super) const STEP_MAX: usize = 400;
/// The longest state.
const STATE_MAX: usize = 2_000;
/// The longest line of what a step brought, and the most of them.
const TOLD_MAX: usize = 400;
const TOLD_LINES_MAX: usize = 20;
/// The most nodes of a step whose states are shown.
const NODES_MAX: usize = 8;

/// The data of all steps that are shown.
pub(super) fn data(picture: &SpaceTime<'_>, spec: &[SpecStep]) -> Value {
    let mut texts = Texts::default();
    let steps: Vec<_> = picture.rows.iter().map(|row| step(row, spec, &mut texts)).collect();
    json!({ "first": picture.left_out + 1, "steps": steps, "texts": texts.list })
}

fn step(row: &Row<'_>, spec: &[SpecStep], texts: &mut Texts) -> Value {
    let told: Vec<_> = row.told.iter().take(TOLD_LINES_MAX).map(|line| plain(line, TOLD_MAX)).collect();
    let nodes: Vec<_> = row
        .moments
        .iter()
        .take(NODES_MAX)
        .filter_map(|moment| {
            let after = texts.place(moment.after?);
            Some(json!([moment.node.to_string(), moment.before.map(|state| texts.place(state)), after]))
        })
        .collect();
    let spec_step = row.number.checked_sub(1).and_then(|at| spec.get(at));
    let before = row.number.checked_sub(2).and_then(|at| spec.get(at));
    let state = |step: Option<&SpecStep>, texts: &mut Texts| {
        step.and_then(|step| step.state.as_deref()).map(|state| texts.place(state))
    };
    let action = spec_step.and_then(|step| step.action.as_deref()).map(|action| plain(action, STEP_MAX));
    let mut value = json!({ "text": plain(&row.step.to_string(), STEP_MAX) });
    let mut add = |name: &str, part: Value| {
        let is_empty = part.is_null() || part.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            value[name] = part;
        }
    };
    add("told", told.into());
    add("nodes", nodes.into());
    add("action", action.into());
    add("specBefore", state(before, texts).into());
    add("specAfter", state(spec_step, texts).into());
    value
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
