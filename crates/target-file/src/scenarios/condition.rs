//! The grammar of conditions.
//!
//! `or` binds least, then `and`, then `not` and `once`. Each turns into the combinator of the same name.

use shakedown_cluster::{Happening, Message, NODES_MAX, NodeId, Value};
use shakedown_scenario::{
    Condition, across_partition, always, answered, at, at_all, at_part, between, count, crashed, fact,
    fact_with, from, from_part, in_state, is_in_set, is_receive, is_recorded, is_send, is_tick, is_timeout,
    kinds, set_has, timer, to, to_part, within_partition,
};

use super::BadScenarioText;
use super::names::Sort;
use super::operand::{Comparison, Operand, word_value};
use super::reader::Reader;
use super::tokens::{Place, Token, kept};

/// How deep conditions and actions may be nested, and of how many parts each may be: they are called one from
/// the other.
const DEPTH_MAX: usize = 32;
pub(super) const SIZE_MAX: usize = 256;

/// A node by its number, or a part by its name.
#[derive(Clone, Copy)]
pub(super) enum Where {
    Node(NodeId),
    Part(&'static str),
}

impl<M: Message> Reader<M> {
    /// A condition, with room of its own.
    pub fn whole_condition(&mut self) -> Result<Condition<M>, BadScenarioText> {
        self.size = 0;
        self.condition()
    }

    fn condition(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let mut condition = self.conjunction()?;
        while self.takes("or") {
            condition = condition.or(self.conjunction()?);
        }
        Ok(condition)
    }

    fn conjunction(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let mut condition = self.negation()?;
        while self.takes("and") {
            condition = condition.and(self.negation()?);
        }
        Ok(condition)
    }

    fn negation(&mut self) -> Result<Condition<M>, BadScenarioText> {
        self.size += 1;
        if self.depth >= DEPTH_MAX || self.size > SIZE_MAX {
            return Err(self.place().error(format!(
                "the condition is too long: at most {SIZE_MAX} parts, nested {DEPTH_MAX} deep"
            )));
        }
        self.depth += 1;
        let condition = if self.takes("not") {
            self.negation().map(Condition::not)
        } else if self.takes("once") {
            self.negation().map(Condition::once)
        } else if self.takes_sign("(") {
            self.condition().and_then(|condition| self.expect_sign(")").map(|()| condition))
        } else {
            self.atom()
        };
        self.depth -= 1;
        condition
    }

    fn atom(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let place = self.place();
        let Token::Word(word) = *self.peek() else { return self.comparison() };
        if matches!(self.peek_second(), Token::Sign(sign) if Comparison::of(sign).is_some() || *sign == "+") {
            return self.comparison();
        }
        // These are values where something is compared, and conditions elsewhere.
        if word.starts_with("message.") {
            return self.truth();
        }
        self.take();
        Ok(match word {
            "always" => always(),
            "sent" => is_send(),
            "received" => is_receive(),
            "tick" => is_tick(),
            "timeout" => is_timeout(),
            "timer" => timer(self.name("timer")?),
            "answered" => answered(),
            "crashed" => crashed(),
            "restarted" => {
                Condition::new("restarted", |event, _| matches!(event.what(), Some(Happening::Restarted)))
            }
            "kind" => {
                let mut all = vec![self.name("kind of message")?];
                while self.takes_sign("|") {
                    all.push(self.name("kind of message")?);
                }
                kinds(Vec::leak(all))
            }
            "from" => match self.node_or_part()? {
                Where::Node(node) => from(node),
                Where::Part(part) => from_part(part),
            },
            "to" => match self.node_or_part()? {
                Where::Node(node) => to(node),
                Where::Part(part) => to_part(part),
            },
            "at" if self.takes("all") => self.at_all()?,
            "at" => match self.node_or_part()? {
                Where::Node(node) => at(node),
                Where::Part(part) => at_part(part),
            },
            "between" => between(self.node()?, self.node()?),
            "across" => self.expect("partition").map(|()| across_partition())?,
            "within" => self.expect("partition").map(|()| within_partition())?,
            "fact" => self.fact()?,
            "in" if self.takes("set") => {
                let set = self.used(Sort::Set, "set")?;
                is_in_set(set)
            }
            "in" => {
                self.expect("state")?;
                let state = self.used(Sort::State, "state")?;
                in_state(state)
            }
            "set" => {
                let set = self.used(Sort::Set, "set")?;
                self.expect("has")?;
                set_has(set, self.number("the number of messages", 1 << 20)?)
            }
            "recorded" => is_recorded(self.used(Sort::Record, "recorded message")?),
            "note" => self.note()?,
            "count" => self.count()?,
            other => return Err(place.error(format!("`{other}` is no condition"))),
        })
    }

    /// A name that has to be made somewhere.
    pub fn used(&mut self, sort: Sort, what: &str) -> Result<&'static str, BadScenarioText> {
        let place = self.place();
        let name = self.name(what)?;
        self.names.use_of(sort, name, place);
        Ok(name)
    }

    /// `n1`, or the name of a part.
    pub fn node_or_part(&mut self) -> Result<Where, BadScenarioText> {
        let place = self.place();
        let name = self.name("node or part")?;
        if let Some(node) = node_of(name, place)? {
            return Ok(Where::Node(node));
        }
        self.names.use_of(Sort::Part, name, place);
        Ok(Where::Part(name))
    }

    fn node(&mut self) -> Result<NodeId, BadScenarioText> {
        let place = self.place();
        let name = self.name("node")?;
        node_of(name, place)?.ok_or_else(|| place.error(format!("`{name}` is no node: nodes are n1, n2, …")))
    }

    /// `at all PART, … (CONDITION)`
    fn at_all(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let mut parts = vec![self.used(Sort::Part, "part")?];
        while self.takes_sign(",") {
            parts.push(self.used(Sort::Part, "part")?);
        }
        self.expect_sign("(")?;
        let condition = self.condition()?;
        self.expect_sign(")")?;
        Ok(at_all(Vec::leak(parts), condition))
    }

    /// `fact NAME` and `fact NAME(FIELD = VALUE, …)`
    fn fact(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let name = self.name("fact")?;
        if !self.takes_sign("(") {
            return Ok(fact(name));
        }
        let mut condition: Option<Condition<M>> = None;
        loop {
            let field = self.name("field")?;
            let sign = self.comparison_sign()?;
            let value = self.literal()?;
            let one = match sign {
                Comparison::Equal => fact_with(name, field, value),
                sign => Condition::new(format!("{name} {field} {sign:?} {value}"), move |event, _| {
                    let fact = event.fact().filter(|fact| fact.name.as_str() == name);
                    sign.holds(fact.and_then(|fact| fact.get(field)), Some(&value))
                }),
            };
            condition = Some(match condition {
                Some(condition) => condition.and(one),
                None => one,
            });
            if !self.takes_sign(",") {
                break;
            }
        }
        self.expect_sign(")")?;
        condition.ok_or_else(|| self.expected("a field"))
    }

    /// `count NAME > NUMBER` and `count NAME > count NAME`
    fn count(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let name = self.used(Sort::Counter, "counter")?;
        let counter = self.counter(name);
        let place = self.place();
        let sign = self.comparison_sign()?;
        if self.takes("count") {
            let other = self.used(Sort::Counter, "counter")?;
            let other = self.counter(other);
            return compared(count(&counter), sign, &other, place);
        }
        let number = self.number("a count", usize::MAX >> 1)?;
        compared(count(&counter), sign, number, place)
    }

    /// `note NAME = OPERAND`: true where the operand is a number, which is kept.
    fn note(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let (name, operand) = self.noted()?;
        let contents = self.contents;
        Ok(Condition::new(format!("{name} is noted"), move |event, memory| {
            match operand.value(event, memory, contents) {
                Some(Value::Number(number)) => {
                    memory.set_number(name, number);
                    true
                }
                _ => false,
            }
        }))
    }

    /// What follows `note`.
    pub fn noted(&mut self) -> Result<(&'static str, Operand), BadScenarioText> {
        let name = self.name("noted value")?;
        self.names.make(Sort::Note, name);
        self.expect_sign("=")?;
        Ok((name, self.operand()?))
    }

    fn comparison_sign(&mut self) -> Result<Comparison, BadScenarioText> {
        let sign = match *self.peek() {
            Token::Sign(sign) => Comparison::of(sign),
            _ => None,
        };
        let sign = sign.ok_or_else(|| self.expected("one of = != < <= > >="))?;
        self.take();
        Ok(sign)
    }

    /// `OPERAND = OPERAND`
    fn comparison(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let left = self.operand()?;
        let sign = self.comparison_sign()?;
        let right = self.operand()?;
        let contents = self.contents;
        let words = format!("{} {sign:?} {}", left.shown(), right.shown());
        Ok(Condition::new(words, move |event, memory| {
            let (left, right) = (left.value(event, memory, contents), right.value(event, memory, contents));
            sign.holds(left.as_ref(), right.as_ref())
        }))
    }

    /// `message.reject`: a field that is true.
    fn truth(&mut self) -> Result<Condition<M>, BadScenarioText> {
        let (operand, contents) = (self.operand()?, self.contents);
        Ok(Condition::new(operand.shown(), move |event, memory| {
            operand.value(event, memory, contents) == Some(Value::Truth(true))
        }))
    }

    /// A number, a text, a field, or `node`, `from`, `to`; with a number added to it, or not.
    pub fn operand(&mut self) -> Result<Operand, BadScenarioText> {
        let place = self.place();
        let operand = match self.take() {
            Token::Number(number) => Operand::Exactly(Value::Number(number)),
            Token::Text(text) => Operand::Exactly(Value::from(text)),
            Token::Word("node") => Operand::Node,
            Token::Word("from") => Operand::From,
            Token::Word("to") => Operand::To,
            Token::Word(word) => self.field(word, place)?,
            other => return Err(place.error(format!("here comes a value, and not {}", other.shown()))),
        };
        if !self.takes_sign("+") {
            return Ok(operand);
        }
        let more = self.number("what is added", i64::MAX as usize)?;
        Ok(Operand::Sum(Box::new(operand), more as i64))
    }

    fn field(&mut self, word: &'static str, place: Place) -> Result<Operand, BadScenarioText> {
        let parts: Vec<&'static str> = word.split('.').map(kept).collect();
        match parts.as_slice() {
            ["message", path @ ..] if !path.is_empty() => Ok(Operand::Message(path.to_vec())),
            ["fact", field] => Ok(Operand::Fact(field)),
            ["recorded", name, path @ ..] if !path.is_empty() => {
                self.names.use_of(Sort::Record, name, place);
                Ok(Operand::Recorded(name, path.to_vec()))
            }
            ["noted", name] => {
                self.names.use_of(Sort::Note, name, place);
                Ok(Operand::Noted(name))
            }
            ["true" | "false"] => Ok(Operand::Exactly(word_value(word))),
            _ => Err(place.error(format!(
                "`{word}` is no value: values are numbers, texts in quotes, message.FIELD, fact.FIELD, recorded.NAME.FIELD, noted.NAME, node, from and to"
            ))),
        }
    }

    /// A number, a text, or a word that stands for itself.
    fn literal(&mut self) -> Result<Value, BadScenarioText> {
        let place = self.place();
        match self.take() {
            Token::Number(number) => Ok(Value::Number(number)),
            Token::Text(text) => Ok(Value::from(text)),
            Token::Word(word) => Ok(word_value(word)),
            other => Err(place.error(format!("here comes a value, and not {}", other.shown()))),
        }
    }
}

fn compared<M: Message>(
    counted: shakedown_scenario::Count<M>,
    sign: Comparison,
    amount: impl Into<shakedown_scenario::Amount<M>>,
    place: Place,
) -> Result<Condition<M>, BadScenarioText> {
    Ok(match sign {
        Comparison::Equal => counted.equals(amount),
        Comparison::Below => counted.less_than(amount),
        Comparison::AtMost => counted.at_most(amount),
        Comparison::Above => counted.more_than(amount),
        Comparison::AtLeast => counted.at_least(amount),
        Comparison::Different => return Err(place.error("counts compare by = < <= > >=")),
    })
}

/// The node of a name such as `n4`; nothing if the name is of another form.
fn node_of(name: &str, place: Place) -> Result<Option<NodeId>, BadScenarioText> {
    let digits =
        name.strip_prefix('n').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    let Some(digits) = digits else { return Ok(None) };
    match digits.parse() {
        Ok(number @ 1..=NODES_MAX) => Ok(Some(NodeId::new(number))),
        _ => Err(place.error(format!("there is no node {name}: nodes are n1 to n{NODES_MAX}"))),
    }
}
