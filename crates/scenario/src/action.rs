//! Actions: what a filter does when it matches.
//!
//! A message whose sending a filter takes is withheld from the strategy; whatever the actions do with it is
//! all that happens to it. So an empty list of actions withholds it for good, as dropping does where the
//! network may lose messages. A clock that a filter takes stands still in the same way, unless an action
//! delivers it or leaves it to the strategy.

use std::sync::Arc;

use shakedown_cluster::{MessageIndex, NodeId, NodeSet, Random};

use crate::condition::{Names, identity};
use crate::{Condition, Counter, EventView, Memory};

/// One thing that an action does to the cluster.
pub enum Deed<M> {
    /// The message is delivered now, before anything else.
    Deliver(MessageIndex),
    /// The message goes to the strategy, as if no filter had taken it.
    Pass(MessageIndex),
    /// The clock goes on, as the strategy wanted it.
    GoOn,
    /// The message is lost.
    Drop(MessageIndex),
    /// A copy of the message is put on the network, for the strategy.
    Duplicate(MessageIndex),
    /// The contents of the message are replaced, and it is delivered now.
    Tamper(MessageIndex, M),
    /// The contents of the message are replaced by this text, whether it can be read or not, and it is
    /// delivered now.
    Garble(MessageIndex, String),
    /// A message that nobody sent is put on the network and delivered now. The property sees it sent; filters
    /// do not take it.
    Inject(NodeId, NodeId, M),
    /// A client asks a node, in JSON.
    Request(NodeId, Arc<str>),
    /// The node crashes.
    Crash(NodeId),
    /// The node restarts.
    Restart(NodeId),
    /// The node is cut off from all others, on top of how the network is split already, until it is healed.
    Isolate(NodeId),
    /// The network is split: messages across parts are lost, until it is healed.
    Split(Vec<NodeSet>),
    /// The network is whole again.
    Heal,
    /// The iteration ends.
    End,
}

impl<M> Deed<M> {
    /// The word for it in summaries.
    pub fn word(&self) -> &'static str {
        match self {
            Deed::Deliver(_) => "delivered",
            Deed::Pass(_) => "passed on",
            Deed::GoOn => "went on",
            Deed::Drop(_) => "dropped",
            Deed::Duplicate(_) => "doubled",
            Deed::Tamper(..) => "tampered with",
            Deed::Garble(..) => "garbled",
            Deed::Inject(..) => "injected",
            Deed::Request(..) => "asked",
            Deed::Crash(_) => "crashed",
            Deed::Restart(_) => "restarted",
            Deed::Isolate(_) => "isolated",
            Deed::Split(_) => "split",
            Deed::Heal => "healed",
            Deed::End => "ended",
        }
    }
}

type Perform<M> = dyn Fn(&EventView<'_, M>, &mut Memory<M>, &mut Vec<Deed<M>>) + Send + Sync;

/// What is done when a filter matches, with the words for it.
pub struct Action<M> {
    text: Arc<str>,
    perform: Arc<Perform<M>>,
    pub(crate) names: Arc<Names>,
    pub(crate) traits: Traits,
}

/// What can be told of an action before it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Traits {
    /// Whether it lies for a node.
    pub is_lie: bool,
    /// Whether it keeps messages back, for a while or for good.
    pub keeps_back: bool,
    /// Whether it puts messages into a set.
    pub stores: bool,
}

impl Traits {
    fn and(self, other: Traits) -> Traits {
        Traits {
            is_lie: self.is_lie || other.is_lie,
            keeps_back: self.keeps_back || other.keeps_back,
            stores: self.stores || other.stores,
        }
    }
}

impl<M> Clone for Action<M> {
    fn clone(&self) -> Action<M> {
        let (text, perform, names) =
            (Arc::clone(&self.text), Arc::clone(&self.perform), Arc::clone(&self.names));
        Action { text, perform, names, traits: self.traits }
    }
}

impl<M: 'static> Action<M> {
    /// An action of your own: it may look at the event and the memory, and do anything.
    pub fn new<F>(text: impl Into<String>, perform: F) -> Action<M>
    where
        F: Fn(&EventView<'_, M>, &mut Memory<M>, &mut Vec<Deed<M>>) + Send + Sync + 'static,
    {
        Action {
            text: text.into().into(),
            perform: Arc::new(perform),
            names: Arc::default(),
            traits: Traits::default(),
        }
    }

    fn naming(mut self, names: Names) -> Action<M> {
        self.names = Arc::new(names);
        self
    }

    fn lying(mut self) -> Action<M> {
        self.traits.is_lie = true;
        self
    }

    /// Says that an action of your own keeps messages back, for a while or for good: then it has a distance.
    #[must_use]
    pub fn keeping_back(mut self) -> Action<M> {
        self.traits.keeps_back = true;
        self
    }

    /// Lets a clock go on that the filter took.
    fn and_clocks_go_on(self) -> Action<M> {
        let (text, names, traits) = (self.text.to_string(), (*self.names).clone(), self.traits);
        let action = Action::new(text, move |event: &EventView<'_, M>, memory, deeds| {
            self.perform(event, memory, deeds);
            deeds.extend(event.clock().map(|_| Deed::GoOn));
        });
        Action { traits, ..action.naming(names) }
    }

    pub(crate) fn perform(&self, event: &EventView<'_, M>, memory: &mut Memory<M>, deeds: &mut Vec<Deed<M>>) {
        (self.perform)(event, memory, deeds);
    }

    /// The action in words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// This one, then the other.
    #[must_use]
    pub fn and(self, other: Action<M>) -> Action<M> {
        let (names, traits) = (self.names.and(&other.names), self.traits.and(other.traits));
        let text = format!("{}, {}", self.text, other.text);
        let both = Action::new(text, move |event, memory, deeds| {
            self.perform(event, memory, deeds);
            other.perform(event, memory, deeds);
        });
        Action { traits, ..both.naming(names) }
    }

    /// The first time only.
    #[must_use]
    pub fn once(self) -> Action<M> {
        let (names, traits, identity) = ((*self.names).clone(), self.traits, identity());
        let once = Action::new(format!("once {}", self.text), move |event, memory, deeds| {
            if memory.is_first(identity) {
                self.perform(event, memory, deeds);
            }
        });
        Action { traits, ..once.naming(names) }
    }
}

fn of_message<M: 'static>(text: &'static str, deed: fn(MessageIndex) -> Deed<M>) -> Action<M> {
    // A message that was received already is beyond reach.
    Action::new(text, move |event, _, deeds| {
        deeds.extend(event.index().filter(|_| event.is_send()).map(deed));
    })
}

/// Delivers the message now; a clock goes on.
pub fn deliver_message<M: 'static>() -> Action<M> {
    of_message("deliver", Deed::Deliver).and_clocks_go_on()
}

/// Leaves the message to the strategy; a clock goes on.
pub fn pass_message<M: 'static>() -> Action<M> {
    of_message("leave to the strategy", Deed::Pass).and_clocks_go_on()
}

/// Loses the message; a clock stands still.
pub fn drop_message<M: 'static>() -> Action<M> {
    of_message("drop", Deed::Drop).keeping_back()
}

/// Puts a copy of the message on the network, and leaves both to the strategy.
pub fn duplicate_message<M: 'static>() -> Action<M> {
    Action::new("double", |event, _, deeds| {
        if let Some(index) = event.index().filter(|_| event.is_send()) {
            deeds.push(Deed::Duplicate(index));
            deeds.push(Deed::Pass(index));
        }
    })
}

/// Stores the message in a set: keeps back one that is sent; of one that is received, stores a copy, so that
/// it can be delivered again.
///
/// The copy is made by the network, just before the message arrives: the contract has to allow duplicates,
/// and the condition of the filter has to contain [`is_receive`](crate::is_receive). Where it cannot be made,
/// the summary counts it as refused.
pub fn store_in<M: 'static>(set: &'static str) -> Action<M> {
    let names = Names { sets_written: [set].into(), ..Names::default() };
    let mut action = Action::new(format!("store in {set}"), move |event: &EventView<'_, M>, memory, _| {
        let Some(index) = event.index() else { return };
        let stored = if event.is_send() { Some(index) } else { memory.copy_of(index) };
        if let Some(stored) = stored {
            memory.store(set, stored);
        }
    })
    .naming(names)
    .keeping_back();
    action.traits.stores = true;
    action
}

/// Delivers everything in the set now, in the order of sending.
pub fn deliver_set<M: 'static>(set: &'static str) -> Action<M> {
    let names = Names { sets_read: [set].into(), ..Names::default() };
    Action::new(format!("deliver all of {set}"), move |_, memory, deeds| {
        deeds.extend(memory.take_set(set).into_iter().map(Deed::Deliver));
    })
    .naming(names)
}

/// Gives everything in the set to the strategy.
pub fn release_set<M: 'static>(set: &'static str) -> Action<M> {
    let names = Names { sets_read: [set].into(), ..Names::default() };
    Action::new(format!("release {set}"), move |_, memory, deeds| {
        deeds.extend(memory.take_set(set).into_iter().map(Deed::Pass));
    })
    .naming(names)
}

/// Adds one to a counter.
pub fn increment<M: 'static>(counter: impl Into<Counter<M>>) -> Action<M> {
    let counter = counter.into();
    Action::new(format!("count {}", counter.name()), move |event, memory, _| {
        let key = counter.key(event);
        memory.increment(counter.name(), key);
    })
}

/// Records the message under this name; a later one replaces it.
pub fn record<M: Clone + 'static>(name: &'static str) -> Action<M> {
    Action::new(format!("record {name}"), move |event: &EventView<'_, M>, memory, _| {
        if let Some(message) = event.message() {
            memory.record(name, message.clone());
        }
    })
}

/// Byzantine: changes the contents of the message, and delivers it now. The target's own encoding signs it
/// for its sender.
pub fn tamper<M: Clone + 'static>(
    text: &'static str,
    change: impl Fn(&mut M, &mut Memory<M>) + Send + Sync + 'static,
) -> Action<M> {
    Action::new(text, move |event: &EventView<'_, M>, memory, deeds| {
        if let (Some(index), Some(message)) = (event.index().filter(|_| event.is_send()), event.message()) {
            let mut changed = message.clone();
            change(&mut changed, memory);
            deeds.push(Deed::Tamper(index, changed));
        }
    })
    .lying()
}

/// Byzantine: replaces the contents of the message by so many random letters.
pub fn garble<M: 'static>(letters: usize) -> Action<M> {
    Action::new(format!("garble with {letters} letters"), move |event, memory, deeds| {
        let letter = |random: &mut Random| char::from(b'!' + random.index(94) as u8);
        let text = (0..letters).map(|_| letter(&mut memory.random)).collect();
        deeds.extend(event.index().filter(|_| event.is_send()).map(|index| Deed::Garble(index, text)));
    })
    .lying()
}

/// Byzantine: sends a message in the name of a node, and delivers it now. No filter takes it from the one
/// that made it.
pub fn inject<M: 'static>(
    text: &'static str,
    make: impl Fn(&EventView<'_, M>, &mut Memory<M>) -> Option<(NodeId, NodeId, M)> + Send + Sync + 'static,
) -> Action<M> {
    Action::new(text, move |event, memory, deeds| {
        deeds.extend(make(event, memory).map(|(from, to, message)| Deed::Inject(from, to, message)));
    })
    .lying()
}

/// A client asks this node, in JSON.
pub fn request<M: 'static>(node: NodeId, op: &'static str) -> Action<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Action::new(format!("ask {node} {op}"), move |_, _, deeds| deeds.push(Deed::Request(node, op.into())))
        .naming(names)
}

/// The node crashes.
pub fn crash<M: 'static>(node: NodeId) -> Action<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Action::new(format!("crash {node}"), move |_, _, deeds| deeds.push(Deed::Crash(node))).naming(names)
}

/// The node restarts.
pub fn restart<M: 'static>(node: NodeId) -> Action<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Action::new(format!("restart {node}"), move |_, _, deeds| deeds.push(Deed::Restart(node))).naming(names)
}

/// The node is cut off from all others, until the network is healed. Whoever was cut off before stays so.
pub fn isolate<M: 'static>(node: NodeId) -> Action<M> {
    let names = Names { nodes: [node].into(), ..Names::default() };
    Action::new(format!("isolate {node}"), move |_, _, deeds| deeds.push(Deed::Isolate(node)))
        .naming(names)
        .keeping_back()
}

/// The network is split into parts of these sizes, with members that are drawn anew each time; whoever is
/// left over is in a last part of its own.
pub fn split<M: 'static>(sizes: &'static [usize]) -> Action<M> {
    Action::new(format!("split {sizes:?}"), move |event, memory, deeds| {
        let mut nodes: Vec<_> = NodeId::first(event.board().size()).collect();
        memory.random.shuffle(&mut nodes);
        let mut rest = nodes.as_slice();
        let mut parts = Vec::new();
        for &size in sizes {
            let (part, left) = rest.split_at(size.min(rest.len()));
            parts.push(part.iter().copied().collect());
            rest = left;
        }
        if !rest.is_empty() {
            parts.push(rest.iter().copied().collect());
        }
        deeds.push(Deed::Split(parts));
    })
    .keeping_back()
}

/// The network is split along these parts of the scenario; whoever is in none of them is cut off from
/// everybody.
pub fn split_parts<M: 'static>(parts: &'static [&'static str]) -> Action<M> {
    let names = Names { parts: parts.iter().copied().collect(), ..Names::default() };
    Action::new(format!("split {}", parts.join(" | ")), move |_, memory, deeds| {
        deeds.push(Deed::Split(parts.iter().map(|part| memory.part(part)).collect()));
    })
    .naming(names)
    .keeping_back()
}

/// The network is whole again.
pub fn heal<M: 'static>() -> Action<M> {
    Action::new("heal", |_, _, deeds| deeds.push(Deed::Heal))
}

/// The iteration ends.
pub fn end_iteration<M: 'static>() -> Action<M> {
    Action::new("end", |_, _, deeds| deeds.push(Deed::End))
}

/// `If(condition).Then(actions)`: what the network does otherwise than the strategy would.
pub struct Filter<M> {
    /// What it is called in summaries.
    pub name: String,
    pub(crate) condition: Condition<M>,
    pub(crate) action: Action<M>,
}

impl<M> Filter<M> {
    /// Whether it stores messages when they are received.
    pub(crate) fn stores_received(&self) -> bool {
        self.action.traits.stores && self.condition.names.receives
    }
}

impl<M: 'static> Filter<M> {
    /// The same filter under a name of its own.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Filter<M> {
        self.name = name.into();
        self
    }
}

/// A filter that waits for its action.
pub struct When<M>(Condition<M>);

/// A filter for events of which this holds.
pub fn when<M: 'static>(condition: Condition<M>) -> When<M> {
    When(condition)
}

impl<M: 'static> When<M> {
    /// What it does.
    pub fn then(self, action: Action<M>) -> Filter<M> {
        Filter { name: format!("{} → {}", self.0.text(), action.text()), condition: self.0, action }
    }
}
