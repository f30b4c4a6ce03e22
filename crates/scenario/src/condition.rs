//! Conditions: what filters and properties ask of an event.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_cluster::{Happening, NodeId, Value};

use crate::{Clock, Counter, EventView, Memory};

type Test<M> = dyn Fn(&EventView<'_, M>, &mut Memory<M>) -> bool + Send + Sync;

/// A question to an event and to the memory of the scenario, with the words for it.
pub struct Condition<M> {
    text: Arc<str>,
    test: Arc<Test<M>>,
    /// What it names, so that a scenario can be checked before it is run.
    pub(crate) names: Arc<Names>,
}

/// What a condition or an action names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Kinds of messages.
    pub kinds: BTreeSet<&'static str>,
    /// Nodes.
    pub nodes: BTreeSet<NodeId>,
    /// Parts of the cluster.
    pub parts: BTreeSet<&'static str>,
    /// States of the property.
    pub states: BTreeSet<&'static str>,
    /// Sets of messages that are asked for or released.
    pub sets_read: BTreeSet<&'static str>,
    /// Sets of messages that something is put into.
    pub sets_written: BTreeSet<&'static str>,
    /// Whether it asks that a message is received.
    pub receives: bool,
    /// Whether it asks for clocks: only then does it see them.
    pub clocks: bool,
}

impl Names {
    pub(crate) fn and(&self, other: &Names) -> Names {
        let mut both = self.clone();
        both.kinds.extend(&other.kinds);
        both.nodes.extend(&other.nodes);
        both.parts.extend(&other.parts);
        both.states.extend(&other.states);
        both.sets_read.extend(&other.sets_read);
        both.sets_written.extend(&other.sets_written);
        both.receives |= other.receives;
        both.clocks |= other.clocks;
        both
    }
}

/// Tells apart conditions and actions that happen once. Only whether two are the same matters, never their
/// order.
pub(crate) fn identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<M> Clone for Condition<M> {
    fn clone(&self) -> Condition<M> {
        Condition {
            text: Arc::clone(&self.text),
            test: Arc::clone(&self.test),
            names: Arc::clone(&self.names),
        }
    }
}

impl<M: 'static> Condition<M> {
    /// A condition of your own: any question to the event, its typed message and the memory.
    pub fn new<F>(text: impl Into<String>, test: F) -> Condition<M>
    where
        F: Fn(&EventView<'_, M>, &mut Memory<M>) -> bool + Send + Sync + 'static,
    {
        Condition { text: text.into().into(), test: Arc::new(test), names: Arc::default() }
    }

    pub(crate) fn naming(mut self, names: Names) -> Condition<M> {
        self.names = Arc::new(names);
        self
    }

    /// Says that a condition of your own asks for clocks ([`EventView::clock`]): otherwise it does not see
    /// them.
    #[must_use]
    pub fn seeing_clocks(self) -> Condition<M> {
        let names = Names { clocks: true, ..(*self.names).clone() };
        self.naming(names)
    }

    /// Whether an event of this sort is for it: clocks are for conditions that ask for them, and for no
    /// other.
    pub(crate) fn sees(&self, event: &EventView<'_, M>) -> bool {
        event.clock().is_none() || self.names.clocks
    }

    /// Whether it holds.
    pub fn holds(&self, event: &EventView<'_, M>, memory: &mut Memory<M>) -> bool {
        (self.test)(event, memory)
    }

    /// The condition in words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Both. The second is asked only if the first holds.
    #[must_use]
    pub fn and(self, other: Condition<M>) -> Condition<M> {
        let names = self.names.and(&other.names);
        let text = format!("{} and {}", self.text, other.text);
        Condition::new(text, move |event, memory| self.holds(event, memory) && other.holds(event, memory))
            .naming(names)
    }

    /// One or the other. The second is asked only if the first does not hold.
    #[must_use]
    pub fn or(self, other: Condition<M>) -> Condition<M> {
        let names = self.names.and(&other.names);
        let text = format!("({} or {})", self.text, other.text);
        Condition::new(text, move |event, memory| self.holds(event, memory) || other.holds(event, memory))
            .naming(names)
    }

    /// Not this.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "it reads like `and` and `or`")]
    pub fn not(self) -> Condition<M> {
        let names = (*self.names).clone();
        let text = format!("not ({})", self.text);
        Condition::new(text, move |event, memory| !self.holds(event, memory)).naming(names)
    }

    /// The first time only.
    #[must_use]
    pub fn once(self) -> Condition<M> {
        let names = (*self.names).clone();
        let identity = identity();
        let text = format!("for the first time {}", self.text);
        Condition::new(text, move |event, memory| {
            !memory.was_done(identity) && self.holds(event, memory) && memory.is_first(identity)
        })
        .naming(names)
    }
}

/// Not this.
pub fn not<M: 'static>(condition: Condition<M>) -> Condition<M> {
    condition.not()
}

/// Every event.
pub fn always<M: 'static>() -> Condition<M> {
    Condition::new("always", |_, _| true)
}

/// A message is sent.
pub fn is_send<M: 'static>() -> Condition<M> {
    Condition::new("sent", |event, _| event.is_send())
}

/// A message is received.
pub fn is_receive<M: 'static>() -> Condition<M> {
    let names = Names { receives: true, ..Names::default() };
    Condition::new("received", |event, _| event.is_receive()).naming(names)
}

/// The clock of a node is about to tick.
pub fn is_tick<M: 'static>() -> Condition<M> {
    Condition::new("tick", |event, _| event.clock() == Some(Clock::Tick)).seeing_clocks()
}

/// A timer of a node is about to go off.
pub fn is_timeout<M: 'static>() -> Condition<M> {
    Condition::new("timeout", |event, _| matches!(event.clock(), Some(Clock::Timer(_)))).seeing_clocks()
}

/// The timer of this name is about to go off.
pub fn timer<M: 'static>(name: &'static str) -> Condition<M> {
    Condition::new(
        format!("timer {name}"),
        move |event, _| matches!(event.clock(), Some(Clock::Timer(timer)) if timer.as_str() == name),
    )
    .seeing_clocks()
}

/// The event is of this node.
pub fn at<M: 'static>(node: NodeId) -> Condition<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Condition::new(format!("at {node}"), move |event, _| event.node() == node).naming(names)
}

/// The message is of this kind.
pub fn kind<M: 'static>(kind: &'static str) -> Condition<M> {
    let names = Names { kinds: [kind].into(), ..Names::default() };
    Condition::new(kind, move |event, _| event.info().is_some_and(|info| info.kind.as_str() == kind))
        .naming(names)
}

/// The message is of one of these kinds.
pub fn kinds<M: 'static>(kinds: &'static [&'static str]) -> Condition<M> {
    let names = Names { kinds: kinds.iter().copied().collect(), ..Names::default() };
    Condition::new(kinds.join(" or "), move |event, _| {
        event.info().is_some_and(|info| kinds.contains(&info.kind.as_str()))
    })
    .naming(names)
}

/// The message is from this node.
pub fn from<M: 'static>(node: NodeId) -> Condition<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Condition::new(format!("from {node}"), move |event, _| event.from() == Some(node)).naming(names)
}

/// The message is to this node.
pub fn to<M: 'static>(node: NodeId) -> Condition<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Condition::new(format!("to {node}"), move |event, _| event.to() == Some(node)).naming(names)
}

/// The message is between these two nodes, in either direction.
pub fn between<M: 'static>(a: NodeId, b: NodeId) -> Condition<M> {
    let names = Names { nodes: [a, b].into(), ..Names::default() };
    Condition::new(format!("between {a} and {b}"), move |event, _| {
        let ends = (event.from(), event.to());
        ends == (Some(a), Some(b)) || ends == (Some(b), Some(a))
    })
    .naming(names)
}

/// The event is of a node of this part.
pub fn at_part<M: 'static>(part: &'static str) -> Condition<M> {
    of_part(format!("at {part}"), part, |event| Some(event.node()))
}

/// The message is from a node of this part.
pub fn from_part<M: 'static>(part: &'static str) -> Condition<M> {
    of_part(format!("from {part}"), part, |event| event.from())
}

/// The message is to a node of this part.
pub fn to_part<M: 'static>(part: &'static str) -> Condition<M> {
    of_part(format!("to {part}"), part, |event| event.to())
}

fn of_part<M: 'static>(
    text: String,
    part: &'static str,
    node: fn(&EventView<'_, M>) -> Option<NodeId>,
) -> Condition<M> {
    let names = Names { parts: [part].into(), ..Names::default() };
    Condition::new(text, move |event, memory| {
        node(event).is_some_and(|node| memory.part(part).contains(node))
    })
    .naming(names)
}

/// By now this has held at every node of these parts at some time. What happened before it was first asked
/// does not count: in a property, that is what happened before its state was entered.
pub fn at_all<M: 'static>(parts: &'static [&'static str], condition: Condition<M>) -> Condition<M> {
    let names = condition.names.and(&Names { parts: parts.iter().copied().collect(), ..Names::default() });
    let identity = identity();
    let text = format!("{} at all of {}", condition.text, parts.join(", "));
    Condition::new(text, move |event, memory| {
        if condition.holds(event, memory) {
            memory.note_node(identity, event.node());
        }
        let has_held = memory.noted_nodes(identity);
        parts.iter().all(|part| memory.part(part).iter().all(|node| has_held.contains(node)))
    })
    .naming(names)
}

/// The message crosses the partition: that of the network, or the parts that the scenario declares (see
/// [`Memory::is_within`]).
pub fn across_partition<M: 'static>() -> Condition<M> {
    Condition::new("across the partition", |event, memory| match (event.from(), event.to()) {
        (Some(from), Some(to)) => !memory.is_within(from, to),
        _ => false,
    })
}

/// The message stays within a part of the partition.
pub fn within_partition<M: 'static>() -> Condition<M> {
    Condition::new("within a part", |event, memory| match (event.from(), event.to()) {
        (Some(from), Some(to)) => memory.is_within(from, to),
        _ => false,
    })
}

/// The message is one that this question about its contents is true of.
pub fn message<M: 'static>(
    text: &'static str,
    test: impl Fn(&M) -> bool + Send + Sync + 'static,
) -> Condition<M> {
    Condition::new(text, move |event, _| event.message().is_some_and(&test))
}

/// A node reports a fact of this name.
pub fn fact<M: 'static>(name: &'static str) -> Condition<M> {
    Condition::new(name, move |event, _| event.fact().is_some_and(|fact| fact.name.as_str() == name))
}

/// A node reports a fact of this name, with this particular.
pub fn fact_with<M: 'static>(
    name: &'static str,
    field: &'static str,
    value: impl Into<Value>,
) -> Condition<M> {
    let value = value.into();
    Condition::new(format!("{name} {field}={value}"), move |event, _| {
        event.fact().is_some_and(|fact| fact.name.as_str() == name && fact.get(field) == Some(&value))
    })
}

/// A node crashes.
pub fn crashed<M: 'static>() -> Condition<M> {
    Condition::new("crashed", |event, _| matches!(event.what(), Some(Happening::Crashed { .. })))
}

/// A client is answered.
pub fn answered<M: 'static>() -> Condition<M> {
    Condition::new("answered", |event, _| matches!(event.what(), Some(Happening::Answered(_))))
}

/// The property is in this state.
pub fn in_state<M: 'static>(state: &'static str) -> Condition<M> {
    let names = Names { states: [state].into(), ..Names::default() };
    Condition::new(format!("in state {state}"), move |_, memory| memory.property_state() == state)
        .naming(names)
}

/// The message is in this set.
pub fn is_in_set<M: 'static>(set: &'static str) -> Condition<M> {
    let names = Names { sets_read: [set].into(), ..Names::default() };
    Condition::new(format!("in set {set}"), move |event, memory| {
        event.index().is_some_and(|index| memory.set(set).contains(&index))
    })
    .naming(names)
}

/// The set has at least this number of messages.
pub fn set_has<M: 'static>(set: &'static str, messages: usize) -> Condition<M> {
    let names = Names { sets_read: [set].into(), ..Names::default() };
    Condition::new(format!("set {set} has {messages}"), move |_, memory| memory.set(set).len() >= messages)
        .naming(names)
}

/// A message was recorded under this name.
pub fn is_recorded<M: 'static>(name: &'static str) -> Condition<M> {
    Condition::new(format!("{name} is recorded"), move |_, memory| memory.recorded(name).is_some())
}

/// The message compares like this with the one that was recorded under this name.
pub fn like_recorded<M: 'static>(
    name: &'static str,
    same: impl Fn(&M, &M) -> bool + Send + Sync + 'static,
) -> Condition<M> {
    Condition::new(
        format!("like {name}"),
        move |event, memory| matches!((event.message(), memory.recorded(name)), (Some(message), Some(known)) if same(message, known)),
    )
}

/// What a counter is compared with.
pub enum Amount<M> {
    /// A number.
    Number(u64),
    /// Another counter.
    Counter(Counter<M>),
}

impl<M> From<u64> for Amount<M> {
    fn from(number: u64) -> Amount<M> {
        Amount::Number(number)
    }
}

impl<M> From<usize> for Amount<M> {
    fn from(number: usize) -> Amount<M> {
        Amount::Number(number as u64)
    }
}

impl<M> From<&Counter<M>> for Amount<M> {
    fn from(counter: &Counter<M>) -> Amount<M> {
        Amount::Counter(counter.clone())
    }
}

/// A counter, to be compared with something.
pub struct Count<M>(Counter<M>);

/// The value of this counter, to be compared with something.
pub fn count<M>(counter: impl Into<Counter<M>>) -> Count<M> {
    Count(counter.into())
}

impl<M: 'static> Count<M> {
    fn compare(
        self,
        words: &str,
        amount: impl Into<Amount<M>>,
        test: fn(&u64, &u64) -> bool,
    ) -> Condition<M> {
        let (counter, amount) = (self.0, amount.into());
        let text = match &amount {
            Amount::Number(number) => format!("{} {words} {number}", counter.name()),
            Amount::Counter(other) => format!("{} {words} {}", counter.name(), other.name()),
        };
        Condition::new(text, move |event, memory| {
            let amount = match &amount {
                Amount::Number(number) => *number,
                Amount::Counter(other) => other.value(event, memory),
            };
            test(&counter.value(event, memory), &amount)
        })
    }

    /// It is below this.
    pub fn less_than(self, amount: impl Into<Amount<M>>) -> Condition<M> {
        self.compare("<", amount, u64::lt)
    }

    /// It is at most this.
    pub fn at_most(self, amount: impl Into<Amount<M>>) -> Condition<M> {
        self.compare("≤", amount, u64::le)
    }

    /// It is this.
    pub fn equals(self, amount: impl Into<Amount<M>>) -> Condition<M> {
        self.compare("=", amount, u64::eq)
    }

    /// It is at least this.
    pub fn at_least(self, amount: impl Into<Amount<M>>) -> Condition<M> {
        self.compare("≥", amount, u64::ge)
    }

    /// It is above this.
    pub fn more_than(self, amount: impl Into<Amount<M>>) -> Condition<M> {
        self.compare(">", amount, u64::gt)
    }
}
