//! What is compared: the mapped variables of all servers, and the messages under way.

use shakedown_cluster::NodeId;
use shakedown_conform::compare::Shown;

/// The mapped variables of a cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecView<V, C> {
    /// Every server; nothing of one that is down.
    pub servers: Vec<Option<V>>,
    /// The messages under way, in order.
    pub net: Vec<Sent<C>>,
}

/// The mapped variables of one server.
pub trait ServerView: PartialEq {
    /// The variables of the specification, in the order in which they are shown.
    const VARIABLES: &'static [&'static str];

    /// Each variable and its value, for people.
    fn show(&self) -> Vec<(&'static str, String)>;
}

/// A message and where it goes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sent<C> {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The contents.
    pub contents: C,
}

impl<V: ServerView, C: PartialEq> SpecView<V, C> {
    /// The view for people, in the order of the specification's variables; `describe` gives a message in a
    /// few words.
    pub(super) fn show(&self, describe: impl Fn(&Sent<C>) -> String) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (number, server) in (1..).zip(&self.servers) {
            let is_up = if server.is_some() { "up" } else { "down" };
            shown.push(Shown::new("active", number, is_up));
            let variables = server.iter().flat_map(ServerView::show);
            shown.extend(variables.map(|(variable, value)| Shown::new(variable, number, value)));
        }
        // By variable first, as the specification declares them: a difference is named by the first of them.
        shown.sort_by_key(|one| V::VARIABLES.iter().position(|known| *known == one.variable));
        for sent in self.net.chunk_by(|a, b| a == b) {
            shown.push(Shown::new("net", describe(&sent[0]), format!("{} under way", sent.len())));
        }
        shown
    }
}
