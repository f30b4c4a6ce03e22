//! Steps: the one small instruction set that every technique writes.
//!
//! A step has a text form, one line of words, which is what failure files hold and what people read:
//!
//! ```text
//! deliver n1>n2#3 Append        drop n1>n2#3 Append        duplicate n1>n2#3 Append
//! tick n1                       fire n1 election           flush n1
//! request n1 {"put":[1,5]}      retry n2 {"put":[1,5]}     restart n1
//! crash n1                      crash n1 keep 2            cut n1-n2
//! heal n1-n2                    round 2 propose n1,n3      inject n1>n2 TEXT
//! tamper n1>n2#3 Append TEXT
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{MessageId, Name, NodeId, NodeSet};

/// One thing the tester does.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// The message reaches its receiver.
    Deliver(MessageId, Name),
    /// The message is lost.
    Drop(MessageId, Name),
    /// A copy of the message is put on the network.
    Duplicate(MessageId, Name),
    /// The contents of the message are replaced (a Byzantine sender).
    Tamper(MessageId, Name, Arc<str>),
    /// A message that no node sent is put on the network (a Byzantine sender).
    Inject(NodeId, NodeId, Arc<str>),
    /// The clock of the node goes on by one.
    Tick(NodeId),
    /// A timer of the node goes off.
    Fire(NodeId, Name),
    /// What the node has written becomes durable.
    Flush(NodeId),
    /// A client sends a request, given as JSON, to the node.
    Request(NodeId, Arc<str>),
    /// The node stops at once; of its unflushed writes the first `keep` survive.
    Crash {
        /// The node that crashes.
        node: NodeId,
        /// How many of its unflushed writes had reached the disk.
        keep: u32,
    },
    /// The node boots again from its disk.
    Restart(NodeId),
    /// The link between two nodes breaks: what is under way is lost, and so is all that is sent until it
    /// heals.
    Cut(NodeId, NodeId),
    /// The link between two nodes works again.
    Heal(NodeId, NodeId),
    /// A round begins. Nothing happens to the cluster: the step says how the steps up to the next one belong
    /// together.
    Round {
        /// Its phase, counted from 1; 0 is what comes before the first phase.
        phase: u32,
        /// Its name in the phase.
        name: Name,
        /// The nodes that are not cut off in this round.
        kernel: NodeSet,
    },
    /// The client of the oldest such request that has no answer yet asks this node: in the same session, so
    /// the request keeps its number.
    Retry(NodeId, Arc<str>),
}

/// The kinds of steps, for weights, counts and summaries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is the kind of the step of the same name")]
pub enum StepKind {
    Deliver,
    Drop,
    Duplicate,
    Tamper,
    Inject,
    Tick,
    Fire,
    Flush,
    Request,
    Crash,
    Restart,
    Cut,
    Heal,
    Round,
    Retry,
}

impl StepKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [StepKind; 15] = [
        StepKind::Deliver,
        StepKind::Drop,
        StepKind::Duplicate,
        StepKind::Tamper,
        StepKind::Inject,
        StepKind::Tick,
        StepKind::Fire,
        StepKind::Flush,
        StepKind::Request,
        StepKind::Crash,
        StepKind::Restart,
        StepKind::Cut,
        StepKind::Heal,
        StepKind::Round,
        StepKind::Retry,
    ];

    /// The word that begins the text form of such a step.
    pub const fn word(self) -> &'static str {
        match self {
            StepKind::Deliver => "deliver",
            StepKind::Drop => "drop",
            StepKind::Duplicate => "duplicate",
            StepKind::Tamper => "tamper",
            StepKind::Inject => "inject",
            StepKind::Tick => "tick",
            StepKind::Fire => "fire",
            StepKind::Flush => "flush",
            StepKind::Request => "request",
            StepKind::Retry => "retry",
            StepKind::Crash => "crash",
            StepKind::Restart => "restart",
            StepKind::Cut => "cut",
            StepKind::Heal => "heal",
            StepKind::Round => "round",
        }
    }
}

impl FromStr for StepKind {
    type Err = String;

    fn from_str(word: &str) -> Result<StepKind, String> {
        StepKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            let words: Vec<_> = StepKind::ALL.iter().map(|kind| kind.word()).collect();
            format!("`{word}` is not a kind of step: those are {}", words.join(", "))
        })
    }
}

impl Step {
    /// The kind of this step.
    pub fn kind(&self) -> StepKind {
        match self {
            Step::Deliver(..) => StepKind::Deliver,
            Step::Drop(..) => StepKind::Drop,
            Step::Duplicate(..) => StepKind::Duplicate,
            Step::Tamper(..) => StepKind::Tamper,
            Step::Inject(..) => StepKind::Inject,
            Step::Tick(..) => StepKind::Tick,
            Step::Fire(..) => StepKind::Fire,
            Step::Flush(..) => StepKind::Flush,
            Step::Request(..) => StepKind::Request,
            Step::Retry(..) => StepKind::Retry,
            Step::Crash { .. } => StepKind::Crash,
            Step::Restart(..) => StepKind::Restart,
            Step::Cut(..) => StepKind::Cut,
            Step::Heal(..) => StepKind::Heal,
            Step::Round { .. } => StepKind::Round,
        }
    }

    /// The message that the step names, if it names one.
    pub fn message(&self) -> Option<MessageId> {
        match self {
            Step::Deliver(id, _) | Step::Drop(id, _) | Step::Duplicate(id, _) | Step::Tamper(id, _, _) => {
                Some(*id)
            }
            _ => None,
        }
    }

    /// Every node that the step is about; a round is about none, for it does nothing to any.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let pair = match self {
            Step::Deliver(id, _) | Step::Drop(id, _) | Step::Duplicate(id, _) | Step::Tamper(id, _, _) => {
                [Some(id.from), Some(id.to)]
            }
            Step::Inject(a, b, _) | Step::Cut(a, b) | Step::Heal(a, b) => [Some(*a), Some(*b)],
            Step::Tick(node)
            | Step::Fire(node, _)
            | Step::Flush(node)
            | Step::Request(node, _)
            | Step::Retry(node, _)
            | Step::Crash { node, .. }
            | Step::Restart(node) => [Some(*node), None],
            Step::Round { .. } => [None, None],
        };
        pair.into_iter().flatten()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind().word();
        match self {
            Step::Deliver(id, kind) | Step::Drop(id, kind) | Step::Duplicate(id, kind) => {
                write!(f, "{word} {id} {kind}")
            }
            Step::Tamper(id, kind, text) => write!(f, "{word} {id} {kind} {text}"),
            Step::Inject(from, to, text) => write!(f, "{word} {from}>{to} {text}"),
            Step::Tick(node) | Step::Flush(node) | Step::Restart(node) => write!(f, "{word} {node}"),
            Step::Fire(node, timer) => write!(f, "{word} {node} {timer}"),
            Step::Request(node, op) | Step::Retry(node, op) => write!(f, "{word} {node} {op}"),
            Step::Crash { node, keep: 0 } => write!(f, "{word} {node}"),
            Step::Crash { node, keep } => write!(f, "{word} {node} keep {keep}"),
            Step::Cut(a, b) | Step::Heal(a, b) => write!(f, "{word} {a}-{b}"),
            Step::Round { phase, name, kernel } => write!(f, "{word} {phase} {name} {kernel}"),
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A line that is not a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{line}` is not a step: {reason}")]
pub struct NotAStep {
    line: String,
    reason: String,
}

impl FromStr for Step {
    type Err = NotAStep;

    fn from_str(line: &str) -> Result<Step, NotAStep> {
        parse(line).map_err(|reason| NotAStep { line: line.chars().take(120).collect(), reason })
    }
}

fn parse(line: &str) -> Result<Step, String> {
    let (word, rest) = line.split_once(' ').ok_or("it has one word only")?;
    let node = |text: &str| text.parse::<NodeId>().map_err(|e| e.to_string());
    let name = |text: &str| Name::intern(text).map_err(|e| e.to_string());
    let pair = |text: &str, mark: char| -> Result<(NodeId, NodeId), String> {
        let (a, b) =
            text.split_once(mark).ok_or_else(|| format!("two nodes with `{mark}` between are wanted"))?;
        Ok((node(a)?, node(b)?))
    };
    let message = |text: &str| -> Result<(MessageId, Name), String> {
        let (id, kind) = text.split_once(' ').ok_or("a message and its kind are wanted")?;
        Ok((id.parse()?, name(kind)?))
    };
    Ok(match word.parse::<StepKind>()? {
        StepKind::Deliver => message(rest).map(|(id, kind)| Step::Deliver(id, kind))?,
        StepKind::Drop => message(rest).map(|(id, kind)| Step::Drop(id, kind))?,
        StepKind::Duplicate => message(rest).map(|(id, kind)| Step::Duplicate(id, kind))?,
        StepKind::Tamper => {
            let mut words = rest.splitn(3, ' ');
            match (words.next(), words.next(), words.next()) {
                (Some(id), Some(kind), Some(text)) => Step::Tamper(id.parse()?, name(kind)?, text.into()),
                _ => return Err("a message, its kind and the new contents are wanted".to_owned()),
            }
        }
        StepKind::Inject => {
            let (link, text) = rest.split_once(' ').ok_or("a link and the contents are wanted")?;
            let (from, to) = pair(link, '>')?;
            Step::Inject(from, to, text.into())
        }
        StepKind::Tick => Step::Tick(node(rest)?),
        StepKind::Flush => Step::Flush(node(rest)?),
        StepKind::Restart => Step::Restart(node(rest)?),
        StepKind::Fire => {
            let (who, timer) = rest.split_once(' ').ok_or("a node and a timer are wanted")?;
            Step::Fire(node(who)?, name(timer)?)
        }
        StepKind::Request => {
            let (who, op) = rest.split_once(' ').ok_or("a node and a request in JSON are wanted")?;
            Step::Request(node(who)?, op.into())
        }
        StepKind::Retry => {
            let (who, op) = rest.split_once(' ').ok_or("a node and a request in JSON are wanted")?;
            Step::Retry(node(who)?, op.into())
        }
        StepKind::Crash => match rest.split_once(" keep ") {
            None => Step::Crash { node: node(rest)?, keep: 0 },
            Some((who, keep)) => {
                let keep = keep.parse().map_err(|_| format!("`{keep}` is not a number of writes"))?;
                Step::Crash { node: node(who)?, keep }
            }
        },
        StepKind::Cut => pair(rest, '-').map(|(a, b)| Step::Cut(a, b))?,
        StepKind::Heal => pair(rest, '-').map(|(a, b)| Step::Heal(a, b))?,
        StepKind::Round => {
            let words: Vec<_> = rest.split(' ').collect();
            let [phase, round, kernel] = words[..] else {
                return Err("a phase, the name of a round and its kernel are wanted".to_owned());
            };
            Step::Round {
                phase: phase.parse().map_err(|_| format!("`{phase}` is not a phase"))?,
                name: name(round)?,
                kernel: kernel.parse().map_err(|error: crate::NotANode| error.to_string())?,
            }
        }
    })
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Step, D::Error> {
        std::borrow::Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_of_every_step_reads_back_as_the_same_step() {
        let lines = [
            "deliver n1>n2#3 Append",
            "drop n10>n2#30 MsgAppend",
            "duplicate n1>n1#1 Vote",
            "tamper n1>n2#3 Append {\"term\": 3}",
            "inject n3>n1 some text",
            "tick n1",
            "fire n2 election",
            "flush n2",
            "request n3 {\"put\":[1, 2]}",
            "retry n1 {\"put\":[1, 2]}",
            "crash n1",
            "crash n1 keep 2",
            "restart n1",
            "cut n1-n2",
            "heal n1-n2",
            "round 2 propose n1,n3",
            "round 0 begin none",
        ];
        for line in lines {
            assert_eq!(line.parse::<Step>().expect(line).to_string(), line);
        }
        let kinds: std::collections::BTreeSet<_> =
            lines.iter().map(|line| line.parse::<Step>().unwrap().kind()).collect();
        assert_eq!(kinds.len(), StepKind::ALL.len(), "every kind of step is in this test");
    }

    #[test]
    fn a_line_that_is_not_a_step_says_what_is_wanted() {
        let check = |line: &str, reason: &str| {
            let error = line.parse::<Step>().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        };
        check("", "one word only");
        check("dance n1", "`dance` is not a kind of step");
        check("tick n0", "`n0` is not a node");
        check("tick n65", "`n65` is not a node");
        check("deliver n1>n2#0 A", "they look like n1>n2#3");
        check("deliver n1>n2#3", "a message and its kind");
        check("deliver n1>n2#3 A B", "is not a name");
        check("cut n1 n2", "`-` between");
        check("crash n1 keep x", "not a number of writes");
        check("round 1 ack", "its kernel are wanted");
        check("round x ack n1", "`x` is not a phase");
        check("round 1 ack n1,2", "`2` is not a node");
    }
}
