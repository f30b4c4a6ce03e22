//! What the script knows of each step: its text, what it brought, the states of the nodes that ran before and
//! after it, and what the specification says; by which groups and lanes it can be hidden, and which steps
//! brought it about. States repeat a lot, so texts stand in a table and steps refer to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shakedown_campaign::Need;
use shakedown_cluster::{Name, NodeId, Step};

use super::COLOURS;
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

/// What is known of an execution, beside its picture.
pub(super) struct Known<'a> {
    /// The kinds of messages, in the order of their colours, with how often each was received.
    pub kinds: &'a [(Name, usize)],
    /// What the specification did at each step, that of boot first.
    pub spec: &'a [SpecStep],
    /// Why it failed.
    pub why: Option<&'a Explained>,
    /// The step that the specification forbids.
    pub forbidden: Option<usize>,
}

/// The data of all steps that are shown.
pub(super) fn data(picture: &SpaceTime<'_>, known: &Known<'_>) -> Value {
    let mut texts = Texts::default();
    let mut groups = Groups { kinds: known.kinds, others: Vec::new() };
    let last = picture.left_out + picture.rows.len();
    let one = |row: &Row<'_>| {
        let mut value = step(row, known.spec, &mut texts);
        let lines = known.why.map(|why| why.step_lines(row.number)).filter(|lines| !lines.is_empty());
        if let Some(lines) = lines {
            value["why"] = lines.iter().map(|line| plain(line, TOLD_MAX)).collect::<Vec<_>>().into();
        }
        value["group"] = groups.place(row.step).into();
        value["on"] = lanes(row.step).iter().map(|node| node.index()).collect::<Vec<_>>().into();
        if !row.causes.is_empty() {
            value["causes"] = row.causes.clone().into();
        }
        // What matters stays, even if nothing comes of it.
        let explained = known.why.and_then(|why| why.explanation.steps.get(row.number - 1));
        let is_needed = explained.is_some_and(|step| step.need == Need::Needed);
        if row.is_idle && !is_needed && row.number != last && known.forbidden != Some(row.number) {
            value["idle"] = true.into();
        }
        value
    };
    let steps: Vec<_> = picture.rows.iter().map(one).collect();
    let lanes: Vec<_> = NodeId::first(picture.nodes).map(|node| node.to_string()).collect();
    json!({
        "first": picture.left_out + 1,
        "lanes": lanes,
        "groups": groups.list(),
        "steps": steps,
        "texts": texts.list
    })
}

/// The lanes that a step is about: while one of them is hidden, so is the step.
fn lanes(step: &Step) -> Vec<NodeId> {
    match step {
        Step::Deliver(id, _) => vec![id.to],
        Step::Drop(id, _) | Step::Duplicate(id, _) | Step::Tamper(id, _, _) => vec![id.from, id.to],
        Step::Inject(a, b, _) | Step::Cut(a, b) | Step::Heal(a, b) => vec![*a, *b],
        Step::Tick(node)
        | Step::Fire(node, _)
        | Step::Flush(node)
        | Step::Request(node, _)
        | Step::Retry(node, _)
        | Step::Crash { node, .. }
        | Step::Restart(node) => vec![*node],
        Step::Round { .. } => Vec::new(),
    }
}

/// The groups in which steps are hidden: those of each kind of messages, and those of each kind of other
/// steps.
struct Groups<'a> {
    kinds: &'a [(Name, usize)],
    others: Vec<&'static str>,
}

impl Groups<'_> {
    fn place(&mut self, step: &Step) -> usize {
        if let Step::Deliver(_, kind)
        | Step::Drop(_, kind)
        | Step::Duplicate(_, kind)
        | Step::Tamper(_, kind, _) = step
            && let Some(place) = self.kinds.iter().position(|(known, _)| known == kind)
        {
            return place;
        }
        let word = step.kind().word();
        let place = self.others.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.others.push(word);
            self.others.len() - 1
        });
        self.kinds.len() + place
    }

    /// Their names, and the colours of those that have one.
    fn list(&self) -> Vec<Value> {
        let kinds = self.kinds.iter().enumerate();
        let kinds = kinds
            .map(|(place, (kind, _))| json!({ "name": plain(kind.as_str(), 40), "colour": place % COLOURS }));
        kinds.chain(self.others.iter().map(|word| json!({ "name": word }))).collect()
    }
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
