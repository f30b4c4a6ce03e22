//! A protocol without a will of its own: nodes do what they are told, in words.
//!
//! `A>n2` sends a message of the kind A to n2, `A>n2[B>n1 !x]` sends one whose receiver then does what is in
//! the brackets, `!x` reports the fact x, and `@x` sets a timer that reports it when it goes off. Clients ask
//! nodes to do such words.

use shakedown_cluster::{Context, Fact, Message, Name, Node, NodeId, RequestId};

pub const KINDS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
pub const FACTS: [&str; 3] = ["x", "y", "z"];

/// The one of these names that the text is.
pub fn one_of(names: &[&'static str], text: &str) -> Option<&'static str> {
    names.iter().copied().find(|name| *name == text)
}

/// A message: its kind, and what its receiver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub kind: &'static str,
    pub then: String,
}

impl Message for Order {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn describe(&self) -> String {
        self.then.clone()
    }

    fn encode(&self) -> Option<String> {
        Some(format!("{}[{}]", self.kind, self.then))
    }

    fn decode(text: &str) -> Result<Order, String> {
        let bad = || format!("`{text}` is no order");
        let (kind, rest) = text.split_once('[').ok_or_else(bad)?;
        let then = rest.strip_suffix(']').ok_or_else(bad)?.to_owned();
        Ok(Order { kind: one_of(&KINDS, kind).ok_or_else(bad)?, then })
    }
}

/// A node that does what it is told.
pub struct Puppet;

impl Puppet {
    fn act(&self, words: &str, ctx: &mut Context<'_, Puppet>) {
        for word in split_outside_brackets(words) {
            if let Some(fact) = word.strip_prefix('!') {
                ctx.emit(Fact::new(one_of(&FACTS, fact).expect("a fact is x, y or z")));
                continue;
            }
            if let Some(timer) = word.strip_prefix('@') {
                ctx.set_timer(one_of(&FACTS, timer).expect("a timer is x, y or z"), 5);
                continue;
            }
            let (kind, rest) = word.split_once('>').expect("a word is like A>n2");
            let (to, then) = rest
                .split_once('[')
                .map_or((rest, ""), |(to, then)| (to, then.strip_suffix(']').expect("brackets are closed")));
            let kind = one_of(&KINDS, kind).expect("a kind is one of A to F");
            ctx.send(to.parse().expect("a node is like n2"), Order { kind, then: then.to_owned() });
        }
    }
}

fn split_outside_brackets(words: &str) -> Vec<&str> {
    let mut depth = 0;
    let at_space = |letter: char| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        letter == ' ' && depth == 0
    };
    words.split(at_space).filter(|word| !word.is_empty()).collect()
}

impl Node for Puppet {
    type Message = Order;
    type Request = String;
    type Answer = String;
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Puppet>) -> Puppet {
        Puppet
    }

    fn request(&mut self, _id: RequestId, words: String, ctx: &mut Context<'_, Puppet>) {
        self.act(&words, ctx);
    }

    fn receive(&mut self, _from: NodeId, order: Order, ctx: &mut Context<'_, Puppet>) {
        self.act(&order.then, ctx);
    }

    fn fire(&mut self, timer: Name, ctx: &mut Context<'_, Puppet>) {
        ctx.emit(Fact::new(timer.as_str()));
    }

    fn observe(&self) {}
}
