//! The grammar of scenarios: what they need, their filters, their property.

use shakedown_cluster::Fingerprinter;
use shakedown_cluster::Message;
use shakedown_scenario::{Condition, Counter, Deadline, EventView, Scenario, machine, when};

use super::names::{Names, Sort};
use super::operand::Operand;
use super::tokens::{Place, Token, kept, tokens};
use super::{BadScenarioText, Contents, TEXT_MAX};

/// What a scenario may begin a statement with.
const STATEMENTS: &str =
    "about, nodes, steps, requests, set, weights, faulty, role, parts, counter, when, state";

/// A transition: when, and to which state.
type Transition<M> = (Condition<M>, &'static str);

/// A state of the property as it was read.
struct State<M> {
    name: &'static str,
    is_success: bool,
    deadline: Option<Deadline>,
    transitions: Vec<Transition<M>>,
}

/// Reads tokens one after the other.
pub(super) struct Reader<M> {
    tokens: Vec<(Token, Place)>,
    at: usize,
    pub contents: Contents<M>,
    pub names: Names,
    /// The counters that are told apart by something.
    counters: Vec<Counter<M>>,
    /// The parts that actions make.
    pub parts_made: Vec<&'static str>,
    /// How deep the condition or action is that is being read, and of how many parts it is.
    pub depth: usize,
    pub size: usize,
}

impl<M: Message> Reader<M> {
    pub fn new(text: &str, contents: Contents<M>) -> Result<Reader<M>, BadScenarioText> {
        if text.len() > TEXT_MAX {
            let place = Place { line: 1, column: 1 };
            return Err(
                place.error(format!("the text has {} bytes; at most {TEXT_MAX} are read", text.len()))
            );
        }
        Ok(Reader {
            tokens: tokens(text)?,
            at: 0,
            contents,
            names: Names::default(),
            counters: Vec::new(),
            parts_made: Vec::new(),
            depth: 0,
            size: 0,
        })
    }

    pub fn is_at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    /// Where the next token stands.
    pub fn place(&self) -> Place {
        self.tokens[self.at].1
    }

    pub fn take(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is this word.
    pub fn takes(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Word(next) if *next == word);
        if is_it {
            self.take();
        }
        is_it
    }

    pub fn takes_sign(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if is_it {
            self.take();
        }
        is_it
    }

    /// An error: something else was expected here.
    pub fn expected(&self, what: &str) -> BadScenarioText {
        self.place().error(format!("here comes {what}, and not {}", self.peek().shown()))
    }

    pub fn expect(&mut self, word: &str) -> Result<(), BadScenarioText> {
        if self.takes(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub fn expect_sign(&mut self, sign: &str) -> Result<(), BadScenarioText> {
        if self.takes_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// A name: a word, or a text in quotes where it has spaces.
    pub fn name(&mut self, what: &str) -> Result<&'static str, BadScenarioText> {
        match *self.peek() {
            Token::Word(name) | Token::Text(name) => {
                self.take();
                Ok(name)
            }
            _ => Err(self.expected(&format!("the name of a {what}"))),
        }
    }

    pub fn text(&mut self, what: &str) -> Result<&'static str, BadScenarioText> {
        match *self.peek() {
            Token::Text(text) => {
                self.take();
                Ok(text)
            }
            _ => Err(self.expected(&format!("{what} in quotes"))),
        }
    }

    pub fn number(&mut self, what: &str, most: usize) -> Result<usize, BadScenarioText> {
        let place = self.place();
        match self.take() {
            Token::Number(number) => usize::try_from(number)
                .ok()
                .filter(|number| *number <= most)
                .ok_or_else(|| place.error(format!("{what} is 0 to {most}, and not {number}"))),
            other => Err(place.error(format!("here comes {what}, a number, and not {}", other.shown()))),
        }
    }

    /// The counter of this name.
    pub fn counter(&self, name: &'static str) -> Counter<M> {
        let known = self.counters.iter().find(|counter| counter.name() == name);
        known.cloned().unwrap_or_else(|| Counter::new(name))
    }

    /// `scenario NAME …`
    pub fn named_scenario(&mut self) -> Result<Scenario<M>, BadScenarioText> {
        self.expect("scenario")?;
        let name = self.name("scenario")?;
        self.scenario(name)
    }

    /// A scenario to the end of the text.
    pub fn only_scenario(&mut self, name: &str) -> Result<Scenario<M>, BadScenarioText> {
        let scenario = self.scenario(kept(name))?;
        if self.is_at_end() { Ok(scenario) } else { Err(self.expected(STATEMENTS)) }
    }

    fn scenario(&mut self, name: &'static str) -> Result<Scenario<M>, BadScenarioText> {
        let place = self.place();
        (self.names, self.counters, self.parts_made) = (Names::default(), Vec::new(), Vec::new());
        let mut scenario = Scenario::new(name);
        let mut states: Vec<State<M>> = Vec::new();
        while !self.is_at_end() && *self.peek() != Token::Word("scenario") {
            scenario = self.statement(scenario, &mut states)?;
        }
        self.names.check()?;
        match states.first() {
            None => {
                return Err(
                    place.error(format!("scenario `{name}` has no property: `state start` is missing"))
                );
            }
            Some(first) if first.name != "start" => {
                return Err(place.error(format!("the first state is `start`, and not `{}`", first.name)));
            }
            Some(_) => {}
        }
        let mut property = machine();
        for State { name, is_success, deadline, transitions } in states {
            property = property.from_state(name);
            if is_success {
                property = property.success();
            }
            if let Some(deadline) = deadline {
                property = property.within(deadline);
            }
            for (condition, to) in transitions {
                property = property.on(condition).goto(to).from_state(name);
            }
        }
        Ok(scenario.parts_made_later(&self.parts_made).property(property))
    }

    fn statement(
        &mut self,
        scenario: Scenario<M>,
        states: &mut Vec<State<M>>,
    ) -> Result<Scenario<M>, BadScenarioText> {
        let place = self.place();
        let Token::Word(word) = self.take() else {
            return Err(place.error(format!("here comes one of {STATEMENTS}")));
        };
        Ok(match word {
            "about" => scenario.about(self.text("one line")?),
            "nodes" => scenario.nodes(self.number("the number of nodes", shakedown_cluster::NODES_MAX)?),
            "steps" => scenario.steps(self.number("the number of steps", shakedown_target::STEPS_MAX)?),
            "requests" => {
                scenario.requests(self.number("the number of requests", shakedown_target::REQUESTS_MAX)?)
            }
            "faulty" => {
                scenario.faulty(self.number("the number of faulty nodes", shakedown_cluster::NODES_MAX)?)
            }
            "weights" => scenario.weights(self.text("weights")?),
            "set" => {
                let option = self.name("option")?;
                self.expect_sign("=")?;
                match self.take() {
                    Token::Word(value) | Token::Text(value) => scenario.set(option, value),
                    Token::Number(value) => scenario.set(option, value),
                    other => {
                        return Err(place.error(format!("an option has a value, and not {}", other.shown())));
                    }
                }
            }
            "role" => {
                let role = self.name("role")?;
                self.names.make(Sort::Part, role);
                scenario.role(role)
            }
            "parts" => {
                let mut parts = Vec::new();
                loop {
                    let part = self.name("part")?;
                    self.names.make(Sort::Part, part);
                    parts.push((part, self.number("the size of a part", shakedown_cluster::NODES_MAX)?));
                    if !self.takes_sign(",") {
                        break;
                    }
                }
                scenario.parts(Vec::leak(parts))
            }
            "counter" => {
                self.keyed_counter()?;
                scenario
            }
            "when" => scenario.filter(self.filter()?),
            "state" => {
                states.push(self.state()?);
                scenario
            }
            other => {
                return Err(place.error(format!("`{other}` begins nothing: here comes one of {STATEMENTS}")));
            }
        })
    }

    /// `counter NAME per OPERAND, …`
    fn keyed_counter(&mut self) -> Result<(), BadScenarioText> {
        let name = self.name("counter")?;
        self.expect("per")?;
        let mut keys = vec![self.operand()?];
        while self.takes_sign(",") {
            keys.push(self.operand()?);
        }
        let contents = self.contents;
        let memoryless = |operand: &Operand| !matches!(operand, Operand::Recorded(..) | Operand::Noted(_));
        if !keys.iter().all(memoryless) {
            return Err(self
                .place()
                .error("counters are told apart by fields of the event, not by what was recorded"));
        }
        self.counters.push(Counter::new(name).per(move |event: &EventView<'_, M>| {
            let mut fingerprinter = Fingerprinter::default();
            for key in &keys {
                fingerprinter.add(&key.of_event(event, contents));
            }
            fingerprinter.finish().0 as u64
        }));
        Ok(())
    }

    /// `CONDITION then ACTIONS [as NAME]`
    fn filter(&mut self) -> Result<shakedown_scenario::Filter<M>, BadScenarioText> {
        let condition = self.whole_condition()?;
        self.expect("then")?;
        let filter = when(condition).then(self.actions()?);
        Ok(if self.takes("as") { filter.named(self.text("the name of a filter")?) } else { filter })
    }

    /// `NAME [success] [within N ticks] { on CONDITION goto NAME }`
    fn state(&mut self) -> Result<State<M>, BadScenarioText> {
        let name = self.name("state")?;
        self.names.make(Sort::State, name);
        let is_success = self.takes("success");
        let deadline = match self.takes("within") {
            true => {
                let number = self.number("a deadline", shakedown_target::STEPS_MAX)? as u64;
                match self.takes("ticks") {
                    true => Some(Deadline::Ticks(number)),
                    false => {
                        self.expect("steps")?;
                        Some(Deadline::Steps(number))
                    }
                }
            }
            false => None,
        };
        let mut transitions = Vec::new();
        while self.takes("on") {
            let condition = self.whole_condition()?;
            self.expect("goto")?;
            let to = self.name("state")?;
            self.names.make(Sort::State, to);
            transitions.push((condition, to));
        }
        Ok(State { name, is_success, deadline, transitions })
    }
}
