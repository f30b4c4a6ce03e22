//! The grammar of actions.

use shakedown_cluster::{Message, NODES_MAX, NodeId, NodeSet, Value};
use shakedown_scenario::{
    Action, Deed, EventView, Memory, crash, deliver_message, deliver_set, drop_message, duplicate_message,
    end_iteration, garble, heal, increment, isolate, pass_message, record, release_set, request, restart,
    split, split_parts, store_in, tamper,
};

use super::BadScenarioText;
use super::condition::{SIZE_MAX, Where};
use super::names::Sort;
use super::operand::Operand;
use super::reader::Reader;
use super::tokens::{Token, kept};

/// A node that an action is done to.
#[derive(Clone, Copy)]
enum Whom {
    Fixed(NodeId),
    /// The only member of a part.
    Role(&'static str),
    /// The node of the event.
    Node,
}

impl Whom {
    fn of<M>(self, event: &EventView<'_, M>, memory: &Memory<M>) -> Option<NodeId> {
        match self {
            Whom::Fixed(node) => Some(node),
            Whom::Role(part) => memory.role(part),
            Whom::Node => Some(event.node()),
        }
    }
}

impl<M: Message> Reader<M> {
    /// `ACTION, ACTION, …`
    pub fn actions(&mut self) -> Result<Action<M>, BadScenarioText> {
        let mut actions = self.one_action()?;
        let mut count = 1;
        while self.takes_sign(",") {
            count += 1;
            if count > SIZE_MAX {
                return Err(self.place().error(format!("a filter does at most {SIZE_MAX} things")));
            }
            actions = actions.and(self.one_action()?);
        }
        Ok(actions)
    }

    fn one_action(&mut self) -> Result<Action<M>, BadScenarioText> {
        let is_once = self.takes("once");
        let place = self.place();
        let Token::Word(word) = self.take() else { return Err(place.error("here comes an action")) };
        let action = match word {
            "deliver" if self.takes("set") => deliver_set(self.used(Sort::Set, "set")?),
            "deliver" => deliver_message(),
            "pass" => pass_message(),
            "drop" => drop_message(),
            "double" => duplicate_message(),
            "withhold" => Action::new("withhold", |_, _, _| {}).keeping_back(),
            "store" => {
                self.expect("in")?;
                let set = self.name("set")?;
                self.names.make(Sort::Set, set);
                store_in(set)
            }
            "release" => release_set(self.used(Sort::Set, "set")?),
            "count" => {
                let counter = self.name("counter")?;
                self.names.make(Sort::Counter, counter);
                increment(self.counter(counter))
            }
            "record" => {
                let name = self.name("recorded message")?;
                self.names.make(Sort::Record, name);
                record(name)
            }
            "note" => self.note_action()?,
            "change" => self.change()?,
            "garble" => garble(self.number("the number of letters", 1 << 16)?),
            "request" => self.request()?,
            "crash" => self.done_to("crash", crash, Deed::Crash)?,
            "restart" => self.done_to("restart", restart, Deed::Restart)?,
            "isolate" => self.done_to("isolate", isolate, Deed::Isolate)?.keeping_back(),
            "split" => self.split()?,
            "heal" => heal(),
            "name" => self.name_part()?,
            "draw" => self.draw()?,
            "end" => end_iteration(),
            other => return Err(place.error(format!("`{other}` is no action"))),
        };
        Ok(if is_once { action.once() } else { action })
    }

    fn whom(&mut self) -> Result<Whom, BadScenarioText> {
        if self.takes("node") {
            return Ok(Whom::Node);
        }
        Ok(match self.node_or_part()? {
            Where::Node(node) => Whom::Fixed(node),
            Where::Part(part) => Whom::Role(part),
        })
    }

    fn done_to(
        &mut self,
        word: &'static str,
        fixed: fn(NodeId) -> Action<M>,
        deed: fn(NodeId) -> Deed<M>,
    ) -> Result<Action<M>, BadScenarioText> {
        Ok(match self.whom()? {
            Whom::Fixed(node) => fixed(node),
            whom => {
                Action::new(word, move |event, memory, deeds| deeds.extend(whom.of(event, memory).map(deed)))
            }
        })
    }

    /// `request n1 'JSON'`
    fn request(&mut self) -> Result<Action<M>, BadScenarioText> {
        let whom = self.whom()?;
        let place = self.place();
        let op = self.text("a request as JSON")?;
        if let Err(error) = serde_json::from_str::<serde_json::Value>(op) {
            return Err(place.error(format!("the request is no JSON: {error}")));
        }
        Ok(match whom {
            Whom::Fixed(node) => request(node, op),
            whom => Action::new(format!("ask {op}"), move |event, memory, deeds| {
                deeds.extend(whom.of(event, memory).map(|node| Deed::Request(node, op.into())));
            }),
        })
    }

    /// `note NAME = OPERAND`
    fn note_action(&mut self) -> Result<Action<M>, BadScenarioText> {
        let (name, operand) = self.noted()?;
        let contents = self.contents;
        Ok(Action::new(format!("note {name}"), move |event, memory, _| {
            if let Some(Value::Number(number)) = operand.value(event, memory, contents) {
                memory.set_number(name, number);
            }
        }))
    }

    /// `change message.FIELD = OPERAND`: a Byzantine sender.
    fn change(&mut self) -> Result<Action<M>, BadScenarioText> {
        let place = self.place();
        let path: Vec<&'static str> = match self.take() {
            Token::Word(word) if word.starts_with("message.") => word.split('.').skip(1).map(kept).collect(),
            other => {
                return Err(place.error(format!("`change` takes message.FIELD, and not {}", other.shown())));
            }
        };
        self.expect_sign("=")?;
        let place = self.place();
        let (value, contents) = (self.operand()?, self.contents);
        if matches!(value, Operand::Fact(_) | Operand::Node | Operand::From | Operand::To) {
            return Err(
                place.error(format!("a message cannot be changed to {}: note it before", value.shown()))
            );
        }
        let words = kept(&format!("change {}", path.join(".")));
        Ok(tamper(words, move |message: &mut M, memory| {
            if let Some(value) = value.of_contents(message, memory, contents) {
                (contents.change)(message, &path, &value);
            }
        }))
    }

    /// `split 2 3` into parts of these sizes, or `split a b | n3` along parts of the scenario and nodes.
    fn split(&mut self) -> Result<Action<M>, BadScenarioText> {
        if matches!(self.peek(), Token::Number(_)) {
            let mut sizes = Vec::new();
            while matches!(self.peek(), Token::Number(_)) {
                sizes.push(self.number("the size of a part", NODES_MAX)?);
            }
            return Ok(split(Vec::leak(sizes)));
        }
        let mut groups = vec![self.group()?];
        while self.takes_sign("|") {
            groups.push(self.group()?);
        }
        let only_part = |group: &Vec<Where>| match group[..] {
            [Where::Part(part)] => Some(part),
            _ => None,
        };
        if let Some(parts) = groups.iter().map(only_part).collect::<Option<Vec<_>>>() {
            return Ok(split_parts(Vec::leak(parts)));
        }
        Ok(Action::new("split", move |_, memory: &mut Memory<M>, deeds| {
            let nodes = |member: &Where| match *member {
                Where::Node(node) => NodeSet::from_iter([node]),
                Where::Part(part) => memory.part(part),
            };
            let union = |group: &Vec<Where>| -> NodeSet {
                group.iter().flat_map(|member| nodes(member).iter().collect::<Vec<_>>()).collect()
            };
            deeds.push(Deed::Split(groups.iter().map(union).collect()));
        })
        .keeping_back())
    }

    /// The parts and nodes that are one side of a split.
    fn group(&mut self) -> Result<Vec<Where>, BadScenarioText> {
        let mut members = vec![self.node_or_part()?];
        while matches!(self.peek(), Token::Word(word) if !ENDS_GROUP.contains(word)) {
            members.push(self.node_or_part()?);
        }
        Ok(members)
    }

    /// `name PART`: the node of the event is this part.
    fn name_part(&mut self) -> Result<Action<M>, BadScenarioText> {
        let part = self.made_part()?;
        Ok(Action::new(format!("name {part}"), move |event, memory: &mut Memory<M>, _| {
            memory.set_part(part, NodeSet::from_iter([event.node()]));
        }))
    }

    /// `draw PART N PART N …`: parts of these sizes, of the nodes other than that of the event.
    fn draw(&mut self) -> Result<Action<M>, BadScenarioText> {
        let mut parts = Vec::new();
        while matches!(self.peek(), Token::Word(_)) && matches!(self.peek_second(), Token::Number(_)) {
            parts.push((self.made_part()?, self.number("the size of a part", NODES_MAX)?));
        }
        if parts.is_empty() {
            return Err(self.expected("a part and its size"));
        }
        Ok(Action::new("draw parts", move |event, memory: &mut Memory<M>, _| {
            let nodes = NodeId::first(event.board().size());
            let mut others: Vec<_> = nodes.filter(|&node| node != event.node()).collect();
            memory.random.shuffle(&mut others);
            let mut rest = others.into_iter();
            for (part, size) in &parts {
                memory.set_part(part, rest.by_ref().take(*size).collect());
            }
        }))
    }

    fn made_part(&mut self) -> Result<&'static str, BadScenarioText> {
        let part = self.name("part")?;
        self.names.make(Sort::Part, part);
        self.parts_made.push(part);
        Ok(part)
    }
}

/// The words that may follow a list of parts.
const ENDS_GROUP: [&str; 6] = ["when", "state", "as", "scenario", "role", "counter"];
