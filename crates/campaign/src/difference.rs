//! Where two runs of one execution part, and in what.

use std::fmt;

use shakedown_cluster::{Board, Happening, Moment, Step, Trace};

/// The most characters of a value that are shown; what is alike before the difference is left out first.
const VALUE_LENGTH_MAX: usize = 160;
/// How many characters that are alike are shown before the first that differs.
const ALIKE_BEFORE: usize = 40;

/// The first difference between two runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    /// The step, counted from 1; 0 is the boot of the cluster.
    step: usize,
    /// The step itself, if both runs took it.
    taken: Option<Step>,
    what: String,
    first: String,
    second: String,
}

impl Difference {
    /// Where these two part, if they do. Traces in full show states and contents of messages too.
    pub fn between(first: &Trace, second: &Trace) -> Option<Difference> {
        if first.fingerprint() == second.fingerprint() {
            return None;
        }
        let (a, b) = (Run::of(first), Run::of(second));
        let boards = a.board.steps().len().max(b.board.steps().len());
        for step in 0..=boards {
            let taken = step.checked_sub(1).and_then(|at| a.board.steps().get(at));
            if let Some(at) = step.checked_sub(1)
                && a.board.steps().get(at) != b.board.steps().get(at)
            {
                let text = |run: &Run<'_>| match run.board.steps().get(at) {
                    Some(step) => step.to_string(),
                    None => "the end".to_owned(),
                };
                let what = "the step that is taken".to_owned();
                return Some(Difference { step, taken: None, what, first: text(&a), second: text(&b) });
            }
            if let Some((what, first, second)) = parted(&a.seen_in(step), &b.seen_in(step)) {
                return Some(Difference { step, taken: taken.cloned(), what, first, second });
            }
        }
        let what = "the hash of a state, a message or a fact whose text is the same".to_owned();
        let text = |trace: &Trace| format!("fingerprint {}", trace.fingerprint());
        Some(Difference { step: boards, taken: None, what, first: text(first), second: text(second) })
    }

    /// Whether it is known what differed, and not only that something did.
    pub fn is_exact(&self) -> bool {
        !self.what.starts_with("the hash")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { step, taken, what, first, second } = self;
        match (step, taken) {
            _ if !self.is_exact() => f.write_str("two runs of one seed differ in ")?,
            (0, _) => f.write_str("two runs of one seed differ when the cluster boots, in ")?,
            (step, Some(taken)) => write!(f, "two runs of one seed differ at step {step}, `{taken}`, in ")?,
            (step, None) => write!(f, "two runs of one seed differ at step {step}, in ")?,
        }
        let (first, second) = apart(first, second);
        write!(f, "{what}:\none: {first}\nthe other: {second}")
    }
}

/// Two values, cut to where they differ.
fn apart(first: &str, second: &str) -> (String, String) {
    let alike = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
    let skipped = if first.chars().count().max(second.chars().count()) > VALUE_LENGTH_MAX {
        alike.saturating_sub(ALIKE_BEFORE)
    } else {
        0
    };
    let cut = |text: &str| {
        let rest: String = text.chars().skip(skipped).take(VALUE_LENGTH_MAX).collect();
        let before = if skipped > 0 { "…" } else { "" };
        let after = if text.chars().count() > skipped + VALUE_LENGTH_MAX { "…" } else { "" };
        format!("{before}{rest}{after}")
    };
    (cut(first), cut(second))
}

/// What is seen, in words, and its value.
type Sighting = (String, String);

fn parted(first: &[Sighting], second: &[Sighting]) -> Option<(String, String, String)> {
    let at = (0..first.len().max(second.len())).find(|&at| first.get(at) != second.get(at))?;
    let nothing = ("nothing more".to_owned(), "nothing more".to_owned());
    let (a, b) = (first.get(at).unwrap_or(&nothing), second.get(at).unwrap_or(&nothing));
    if a.0 == b.0 {
        return Some((a.0.clone(), a.1.clone(), b.1.clone()));
    }
    let whole = |(what, value): &Sighting| {
        if what == value { what.clone() } else { format!("{what}: {value}") }
    };
    Some(("what happens next".to_owned(), whole(a), whole(b)))
}

/// One of the two runs.
struct Run<'a> {
    trace: &'a Trace,
    board: &'a Board,
}

impl<'a> Run<'a> {
    fn of(trace: &'a Trace) -> Run<'a> {
        Run { trace, board: &trace.board }
    }

    /// Everything that is seen in a step, in order.
    fn seen_in(&self, step: usize) -> Vec<Sighting> {
        let moments = self.board.moments();
        let begin = moments.partition_point(|moment| (moment.step as usize) < step);
        let end = moments.partition_point(|moment| (moment.step as usize) <= step);
        let mut seen = Vec::new();
        let mut events = self.board.events_from(begin as u32).peekable();
        for (number, moment) in (begin..end).zip(&moments[begin..end]) {
            while let Some(event) = events.next_if(|event| event.moment as usize == number) {
                seen.extend(self.sighting(moment, event.what));
            }
            if let Some(state) = self.trace.states.get(number) {
                seen.push((format!("the state of {}", moment.node), state.to_string()));
            }
        }
        seen
    }

    fn sighting(&self, moment: &Moment, what: Happening<'_>) -> Option<Sighting> {
        let node = moment.node;
        Some(match what {
            // The step names it.
            Happening::Received(_) => return None,
            Happening::Sent(index) => {
                let message = self.board.message(index);
                let contents = self.trace.message_texts.get(index.index());
                let what = format!("the {} that {node} sends to {}", message.kind, message.id.to);
                (what, contents.cloned().unwrap_or_default())
            }
            Happening::Internal(fact) => {
                let fields = fact.fields.iter().map(|(name, value)| format!(" {name}={value}"));
                let fields: String = fields.collect();
                (format!("the fact `{}` of {node}", fact.name), fields.trim_start().to_owned())
            }
            Happening::Requested(id) => {
                let request = self.board.requests().get(id.0 as usize)?;
                (format!("the request to {node}"), request.op.to_string())
            }
            Happening::Answered(id) => {
                let answer = self.board.requests().get(id.0 as usize)?.answer.clone();
                (format!("the answer of {node}"), answer.as_deref().unwrap_or_default().to_owned())
            }
            Happening::Redirected(id) => {
                let redirect = self.board.requests().get(id.0 as usize)?.redirect;
                let to = redirect.and_then(|redirect| redirect.0);
                (format!("where {node} sends a client"), to.map_or_else(String::new, |node| node.to_string()))
            }
            Happening::Crashed { lost } => {
                (format!("the unflushed writes that {node} loses"), lost.to_string())
            }
            Happening::Restarted => (format!("the restart of {node}"), String::new()),
            Happening::Panicked(panic) => (format!("the panic of {node}"), panic.to_string()),
        })
    }
}
