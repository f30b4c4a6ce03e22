//! What a space-time diagram shows, told from a trace: rows, one for each step, and arrows, one for each
//! message. Where it all stands on the page is the business of [`super::drawing`].

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use shakedown_cluster::{Board, Fate, Happening, Loss, MessageId, Name, NodeId, Step, StepKind, Trace};

use super::causes::direct_causes;
use crate::birth::{Birth, Origin, numbered};
use crate::step_notes::{happenings, step_notes};

/// The most messages that are drawn as lost at one step, and the most as under way since one step. A step
/// delivers one.
const ARROWS_MAX: usize = 24;

/// An execution, or the end of one.
pub(super) struct SpaceTime<'a> {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many steps at the beginning are left out.
    pub left_out: usize,
    /// The steps that are shown, in order.
    pub rows: Vec<Row<'a>>,
    /// How many lost or waiting messages are left out because a row has too many of them.
    pub arrows_left_out: usize,
    /// When which node was down: from the step of the crash to that of the restart.
    pub down: Vec<(NodeId, RangeInclusive<usize>)>,
    /// When which link was cut: from the step of the cut to that of the healing.
    pub cut: Vec<(NodeId, NodeId, RangeInclusive<usize>)>,
}

/// One step.
pub(super) struct Row<'a> {
    /// Its number, counted from 1.
    pub number: usize,
    /// The step.
    pub step: &'a Step,
    /// Whether it is a tick that brought about nothing.
    pub is_quiet: bool,
    /// Whether it changed no node's state and nothing was reported: ticks, heartbeats and their like.
    pub is_idle: bool,
    /// The steps that brought it about directly, by their numbers.
    pub causes: Vec<usize>,
    /// Whether messages begin their way at this step.
    pub sends: bool,
    /// What nodes told of themselves, answered, or died of.
    pub step_notes: Vec<String>,
    /// The nodes that answered a request.
    pub answers: Vec<NodeId>,
    /// The node that panicked.
    pub panicked: Option<NodeId>,
    /// The nodes that ran, with their states.
    pub moments: Vec<Activation<'a>>,
    /// The messages that were received or lost at this step.
    pub ending: Vec<Arrow<'a>>,
    /// The messages that were sent at this step and were under way to the end.
    pub waiting: Vec<Arrow<'a>>,
}

/// One node that ran during a step.
pub(super) struct Activation<'a> {
    /// The node.
    pub node: NodeId,
    /// Its state before; none at its boot, and in a brief trace.
    pub before: Option<&'a str>,
    /// Its state afterwards; none in a brief trace.
    pub after: Option<&'a str>,
}

/// One message.
pub(super) struct Arrow<'a> {
    /// Its identity.
    pub id: MessageId,
    /// Its kind.
    pub kind: Name,
    /// Its contents.
    pub text: &'a str,
    /// The step at which it was put on the network; 0 is the boot.
    pub sent: usize,
    /// What became of it.
    pub end: End,
    /// How it came about, if no node sent it as it is.
    pub origin: Origin,
}

/// What became of a message, and at which step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// It was received.
    Received(usize),
    /// It was lost: by a step of its own, with a link, or with a session.
    Lost(usize),
    /// It was still under way in the end.
    UnderWay,
}

impl<'a> SpaceTime<'a> {
    /// The last `steps_max` steps of a trace.
    pub fn of(trace: &'a Trace, steps_max: usize) -> SpaceTime<'a> {
        let board = &trace.board;
        let steps = board.steps();
        let left_out = steps.len().saturating_sub(steps_max);
        let births = Birth::of(board);
        let mut rows = rows(trace, &births, left_out);
        let mut arrows_left_out = 0;
        for arrow in arrows(trace, &births) {
            let (number, is_waiting) = match arrow.end {
                End::Received(at) | End::Lost(at) => (at, false),
                // What was sent at boot has no row of its own.
                End::UnderWay => (arrow.sent.max(1), true),
            };
            let Some(row) = number.checked_sub(left_out + 1).and_then(|place| rows.get_mut(place)) else {
                continue;
            };
            let list = if is_waiting { &mut row.waiting } else { &mut row.ending };
            if list.len() < ARROWS_MAX { list.push(arrow) } else { arrows_left_out += 1 }
        }
        let is_shown = |end: usize| end > left_out;
        let (down, cut) = outages(steps);
        SpaceTime {
            nodes: board.size(),
            left_out,
            arrows_left_out,
            rows,
            down: down.into_iter().filter(|(_, when)| is_shown(*when.end())).collect(),
            cut: cut.into_iter().filter(|(_, _, when)| is_shown(*when.end())).collect(),
        }
    }
}

fn rows<'a>(trace: &'a Trace, births: &[Birth], left_out: usize) -> Vec<Row<'a>> {
    let board = &trace.board;
    let mut causes = direct_causes(board, births);
    let mut states = vec![None; board.size()];
    let mut moments = board.moments().iter().enumerate().peekable();
    let mut rows = Vec::new();
    for (at, step) in std::iter::once(None).chain(board.steps().iter().map(Some)).enumerate() {
        let mut active = Vec::new();
        while let Some((place, moment)) = moments.next_if(|(_, moment)| moment.step as usize == at) {
            let after = trace.states.get(place).map(AsRef::as_ref);
            let before = std::mem::replace(&mut states[moment.node.index()], after);
            active.push(Activation { node: moment.node, before, after });
        }
        // Before the first step the cluster boots: nodes have states then, but there is no row.
        if let Some(step) = step
            && at > left_out
        {
            rows.push(Row { causes: std::mem::take(&mut causes[at - 1]), ..row(board, at, step, active) });
        }
    }
    rows
}

fn row<'a>(board: &'a Board, number: usize, step: &'a Step, moments: Vec<Activation<'a>>) -> Row<'a> {
    let seen: Vec<_> = happenings(board, number - 1).collect();
    let who = |is_meant: fn(&Happening<'_>) -> bool| {
        seen.iter().filter(move |(_, what)| is_meant(what)).map(|(node, _)| *node)
    };
    let step_notes = step_notes(board, number - 1);
    let is_quiet = step.kind() == StepKind::Tick && seen.is_empty();
    let is_routine =
        matches!(step.kind(), StepKind::Tick | StepKind::Deliver | StepKind::Fire | StepKind::Flush);
    let is_unchanged = |moment: &Activation<'_>| moment.after.is_some() && moment.before == moment.after;
    Row {
        number,
        step,
        is_quiet,
        is_idle: is_quiet || is_routine && step_notes.is_empty() && moments.iter().all(is_unchanged),
        causes: Vec::new(),
        sends: step.kind() == StepKind::Duplicate
            || who(|what| matches!(what, Happening::Sent(_))).next().is_some(),
        step_notes,
        answers: who(|what| matches!(what, Happening::Answered(_))).collect(),
        panicked: who(|what| matches!(what, Happening::Panicked(_))).next(),
        moments,
        ending: Vec::new(),
        waiting: Vec::new(),
    }
}

/// Every message, with the steps at which it began and ended.
fn arrows<'a>(trace: &'a Trace, sent: &[Birth]) -> Vec<Arrow<'a>> {
    let board = &trace.board;
    let lost = losses(board, sent);
    let step_of = |moment: u32| board.moments()[moment as usize].step as usize;
    let arrow = |(place, message): (usize, &shakedown_cluster::MessageInfo)| Arrow {
        id: message.id,
        kind: message.kind,
        text: trace.message_texts.get(place).map_or("", String::as_str),
        sent: sent[place].step,
        end: match message.fate {
            Fate::Received(moment) => End::Received(step_of(moment)),
            Fate::Lost => End::Lost(lost.get(&place).copied().unwrap_or(sent[place].step)),
            Fate::InFlight | Fate::Parked => End::UnderWay,
        },
        origin: sent[place].origin,
    };
    board.messages().iter().enumerate().map(arrow).collect()
}

/// At which step each lost message was lost. The board knows that it was, and the steps say by what: one that
/// drops it, one that cuts its link, or the crash of either end where connections are sessions. One for which
/// there is no such step was sent into nothing.
fn losses(board: &Board, sent: &[Birth]) -> BTreeMap<usize, usize> {
    let is_session = board.contract().loss == Loss::Session;
    let mut lost = BTreeMap::new();
    let mut under_way: BTreeMap<(NodeId, NodeId), Vec<usize>> = BTreeMap::new();
    let mut next = 0;
    for (number, step) in numbered(board.steps()) {
        // What is sent at a step cannot be lost by it.
        while next < sent.len() && sent[next].step < number {
            let message = &board.messages()[next];
            if message.fate == Fate::Lost {
                under_way.entry((message.id.from, message.id.to)).or_default().push(next);
            }
            next += 1;
        }
        match step {
            Step::Drop(id, kind) => {
                lost.extend(board.find(*id, *kind).map(|index| (index.index(), number)));
            }
            Step::Cut(a, b) => {
                for link in [(*a, *b), (*b, *a)] {
                    for message in under_way.remove(&link).unwrap_or_default() {
                        lost.entry(message).or_insert(number);
                    }
                }
            }
            Step::Crash { node, .. } if is_session => {
                for (_, messages) in under_way.iter_mut().filter(|((from, to), _)| from == node || to == node)
                {
                    for message in messages.drain(..) {
                        lost.entry(message).or_insert(number);
                    }
                }
            }
            _ => {}
        }
    }
    lost
}

type Down = Vec<(NodeId, RangeInclusive<usize>)>;
type Cuts = Vec<(NodeId, NodeId, RangeInclusive<usize>)>;

/// When nodes were down and links were cut.
fn outages(steps: &[Step]) -> (Down, Cuts) {
    // What never comes back is out beyond the last step.
    let end = steps.len() + 1;
    let (mut down, mut cut): (BTreeMap<NodeId, usize>, BTreeMap<(NodeId, NodeId), usize>) =
        Default::default();
    let (mut downs, mut cuts) = (Vec::new(), Vec::new());
    for (number, step) in numbered(steps) {
        match step {
            Step::Crash { node, .. } => {
                down.insert(*node, number);
            }
            Step::Restart(node) => downs.extend(down.remove(node).map(|from| (*node, from..=number))),
            Step::Cut(a, b) => {
                cut.insert((*a.min(b), *a.max(b)), number);
            }
            Step::Heal(a, b) => {
                let (a, b) = (*a.min(b), *a.max(b));
                cuts.extend(cut.remove(&(a, b)).map(|from| (a, b, from..=number)));
            }
            _ => {}
        }
    }
    downs.extend(down.into_iter().map(|(node, from)| (node, from..=end)));
    cuts.extend(cut.into_iter().map(|((a, b), from)| (a, b, from..=end)));
    cuts.sort_by_key(|(a, b, when)| (*when.start(), *a, *b));
    (downs, cuts)
}
