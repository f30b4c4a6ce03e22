//! The monitor: it stands for the network, between the cluster and the strategy.
//!
//! For every event, in the order in which they happen: first the property takes at most one transition; then
//! the filters are tried in order, and the first that matches takes the event; what no filter took is the
//! strategy's.
//!
//! A clock is an event before it goes on, for a filter to hold it: when the strategy wants a tick or a timer,
//! the filters that ask for clocks are tried first, and the property sees it only if it happens.

use std::collections::VecDeque;
use std::sync::Arc;

use shakedown_cluster::{
    Board, Happening, Loss, Message, MessageIndex, NodeId, NodeSet, Random, Step, StepKind, Trace,
    catch_panic, derive_seed,
};
use shakedown_explore::{Execution, Experience, Sight, Strategy};

use crate::action::{Deed, Filter};
use crate::event::Seen;
use crate::machine::Deadline;
use crate::{Clock, Condition, EventView, IterationReport, Memory, Scenario, deed_word};

/// A clause of a protocol ("upon … do …"), as the condition under which an execution has covered it. Clauses
/// have a memory of their own: what they count or note changes nothing for the filters and the property of a
/// scenario.
pub struct Clause<M> {
    /// The clause.
    pub text: &'static str,
    /// When it is covered.
    pub condition: Condition<M>,
}

/// How a monitor works.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MonitorOptions {
    /// The filters that are left out, counted from 1.
    pub without: Vec<usize>,
    /// Whether to keep a log that says for every event which filter matched.
    pub explain: bool,
    /// Whether filters only look: they match and remember, but do nothing to messages.
    pub observe: bool,
}

/// One iteration of a scenario on top of a strategy.
pub struct Monitor<M> {
    scenario: Arc<Scenario<M>>,
    clauses: Arc<[Clause<M>]>,
    options: MonitorOptions,
    inner: Box<dyn Strategy>,
    memory: Memory<M>,
    clause_memory: Memory<M>,
    report: IterationReport,
    steps_max: usize,
    /// How many moments have been taken in.
    known: u32,
    /// The contents of every message, as far as they are known.
    contents: Vec<Option<M>>,
    withheld: Vec<bool>,
    queue: VecDeque<Wanted>,
    /// The last step that a filter wanted, and how many steps had been done before it.
    issued: Option<(Wanted, usize)>,
    /// The message that a filter has just put on the network: it is on its way already, so no filter takes
    /// it.
    injected: Option<MessageIndex>,
    /// When the property entered its state: steps, and ticks of the clock that is ahead.
    entered: (u64, u64),
    /// The message of which a copy is to be made before it is delivered.
    copying: Option<MessageIndex>,
    /// The last message of which a copy was tried: once is enough.
    tried: Option<MessageIndex>,
    /// Whether a filter or the property asks for clocks: otherwise they are no events.
    asks_for_clocks: bool,
    is_over: bool,
}

/// A step that a filter wants.
#[derive(Clone)]
struct Wanted {
    step: Step,
    /// The message that must be delivered if it is possible, or lost if it cannot be read.
    message: Option<MessageIndex>,
}

impl<M: Message> Monitor<M> {
    /// The monitor for one execution of so many nodes.
    pub fn new(
        scenario: Arc<Scenario<M>>,
        clauses: Arc<[Clause<M>]>,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Monitor<M> {
        let random = Random::new(derive_seed(execution.seed, 3));
        let memory = scenario.memory(nodes, random);
        let clause_memory = Memory::new(Random::new(derive_seed(execution.seed, 4)), [].into());
        let mut report = IterationReport::default();
        report.filters.resize_with(scenario.filters.len(), Default::default);
        report.states.resize(memory.state_names.len(), 0);
        report.clauses.resize(clauses.len(), 0);
        if let Some(first) = report.states.first_mut() {
            *first = 1;
        }
        let asks_for_clocks =
            scenario.names().clocks || clauses.iter().any(|clause| clause.condition.names.clocks);
        Monitor {
            scenario,
            asks_for_clocks,
            clauses,
            options,
            inner,
            memory,
            clause_memory,
            report,
            steps_max: execution.steps_max,
            known: 0,
            contents: Vec::new(),
            withheld: Vec::new(),
            queue: VecDeque::new(),
            issued: None,
            injected: None,
            entered: (0, 0),
            copying: None,
            tried: None,
            is_over: false,
        }
    }

    fn take_in(&mut self, sight: &Sight<'_>) {
        let board = sight.board();
        for number in self.contents.len()..board.messages().len() {
            let contents =
                sight.contents(MessageIndex(number as u32)).and_then(|any| any.downcast_ref::<M>());
            self.contents.push(contents.cloned());
            self.withheld.push(false);
        }
        for event in board.events_from(self.known) {
            if self.is_over {
                break;
            }
            let node = board.moments()[event.moment as usize].node;
            self.see(board, node, event.what);
        }
        self.known = board.moments().len() as u32;
        if self.is_late(board) && !self.options.observe {
            self.enter_fail(board);
        }
    }

    fn see(&mut self, board: &Board, node: NodeId, what: Happening<'_>) {
        let contents = self.contents_in(what);
        let event = EventView { board, node, what: Seen::Past(what), contents: contents.as_ref() };
        // The property first …
        self.step_property(&event);
        // … then the filters.
        let is_injected = event.is_send() && event.index() == self.injected;
        let taken_by = if is_injected { None } else { self.taker(&event) };
        if let Some(number) = taken_by {
            self.apply(number, &event);
        }
        if self.options.explain {
            let taken = match taken_by {
                Some(number) => self.words_of(number),
                None if is_injected => "injected".to_owned(),
                None if event.is_send() => "to the strategy".to_owned(),
                None => String::new(),
            };
            self.explain(&event, &taken);
        }
    }

    /// The filter that takes the event: the first whose condition holds.
    fn taker(&mut self, event: &EventView<'_, M>) -> Option<usize> {
        let scenario = Arc::clone(&self.scenario);
        let mut filters = scenario.filters.iter().enumerate();
        let taker = filters.find(|(number, filter)| {
            let is_left_out = self.options.without.contains(&(number + 1));
            !is_left_out && filter.condition.sees(event) && filter.condition.holds(event, &mut self.memory)
        });
        taker.map(|(number, _)| number)
    }

    fn words_of(&self, filter: usize) -> String {
        format!("filter {}: {}", filter + 1, self.scenario.filters[filter].name)
    }

    /// Whether the step may be done. A clock stands still if a filter takes it and does not let it go on.
    fn may_happen(&mut self, board: &Board, step: &Step) -> bool {
        let Some((node, clock)) = Clock::of(step).filter(|_| self.asks_for_clocks) else { return true };
        let event = EventView { board, node, what: Seen::Clock(clock), contents: None };
        let taken_by = self.taker(&event);
        let goes_on = taken_by.is_none_or(|number| self.apply_to_clock(number, &event));
        if goes_on {
            self.step_property(&event);
        }
        if self.options.explain {
            let taken = taken_by.map_or(String::new(), |number| self.words_of(number));
            self.explain(&event, &taken);
        }
        goes_on
    }

    /// What a filter does when it has taken a clock. Gives whether the clock goes on.
    fn apply_to_clock(&mut self, number: usize, event: &EventView<'_, M>) -> bool {
        let mut deeds = Vec::new();
        self.scenario.filters[number].action.perform(event, &mut self.memory, &mut deeds);
        let tally = &mut self.report.filters[number];
        tally.matched += 1;
        if self.options.observe {
            tally.at.push(self.report.received);
            return true;
        }
        let goes_on = deeds.iter().any(|deed| matches!(deed, Deed::GoOn));
        if !goes_on {
            *tally.deeds.entry("kept back").or_insert(0) += 1;
        }
        for deed in deeds {
            debug_assert!(deed_word(deed.word()).is_some(), "reports with it could not be read");
            *self.report.filters[number].deeds.entry(deed.word()).or_insert(0) += 1;
            self.plan(event.board(), deed);
        }
        goes_on
    }

    fn contents_in(&self, what: Happening<'_>) -> Option<M> {
        match what {
            Happening::Sent(index) | Happening::Received(index) => self.contents[index.index()].clone(),
            _ => None,
        }
    }

    /// Counts the clauses that an event covers, and lets the property take a transition.
    fn step_property(&mut self, event: &EventView<'_, M>) {
        self.report.received += u64::from(event.is_receive());
        let clauses = self.clauses.iter().zip(&mut self.report.clauses);
        for (clause, count) in clauses.filter(|(clause, _)| clause.condition.sees(event)) {
            *count += u64::from(clause.condition.holds(event, &mut self.clause_memory));
        }
        let scenario = Arc::clone(&self.scenario);
        if let Some(property) = &scenario.property
            && let Some(state) = property.next(event, &mut self.memory)
        {
            self.enter(event.board(), state);
        }
    }

    fn explain(&mut self, event: &EventView<'_, M>, taken: &str) {
        let contents = event.message().map(Message::describe).filter(|contents| !contents.is_empty());
        let contents = contents.map_or(String::new(), |contents| format!(" ({contents})"));
        let what = format!("{}{contents}", event.describe());
        // What is long moves the rest of the line, but by few different widths, so that lines stay in
        // columns.
        let width = 44 + what.chars().count().saturating_sub(44).div_ceil(20) * 20;
        let line = format!("{what:<width$} [{}] {taken}", self.memory.property_state());
        self.report.log.push(line.trim_end().to_owned());
    }

    /// What came of the last step of an execution that ended by itself, for one because an oracle was
    /// violated. The property and the clauses see it; for filters there is nothing left to do.
    fn see_the_end(&mut self, board: &Board) {
        self.contents.resize_with(board.messages().len(), || None);
        for event in board.events_from(self.known) {
            if self.is_over {
                break;
            }
            let node = board.moments()[event.moment as usize].node;
            let contents = self.contents_in(event.what);
            let event = EventView { board, node, what: Seen::Past(event.what), contents: contents.as_ref() };
            self.step_property(&event);
            if self.options.explain {
                self.explain(&event, "");
            }
        }
    }

    fn enter(&mut self, board: &Board, state: usize) {
        if state == self.memory.state {
            return;
        }
        self.memory.state = state;
        self.report.states[state] += 1;
        self.entered = now(board);
        // Who only looks, looks to the end.
        let is_fail = self.scenario.property.as_ref().is_some_and(|property| property.is_fail(state));
        self.is_over |= is_fail && !self.options.observe;
    }

    /// Whether the property has been in its state for too long.
    fn is_late(&self, board: &Board) -> bool {
        let Some(property) = &self.scenario.property else { return false };
        let (steps, ticks) = now(board);
        match property.states[self.memory.state].deadline {
            Some(Deadline::Steps(most)) => steps - self.entered.0 > most,
            Some(Deadline::Ticks(most)) => ticks - self.entered.1 > most,
            None => false,
        }
    }

    fn enter_fail(&mut self, board: &Board) {
        let Some(property) = &self.scenario.property else { return };
        let fail = property.states.iter().position(|state| state.name == crate::machine::FAIL);
        if self.options.explain {
            self.report.log.push(format!("too long in state {}", self.memory.property_state()));
        }
        match fail {
            Some(fail) => self.enter(board, fail),
            None => {
                // A machine without a fail state fails by never getting further.
                self.report.is_fail = true;
                self.is_over = true;
            }
        }
    }

    fn apply(&mut self, number: usize, event: &EventView<'_, M>) {
        let scenario = Arc::clone(&self.scenario);
        let mut deeds = Vec::new();
        scenario.filters[number].action.perform(event, &mut self.memory, &mut deeds);
        let tally = &mut self.report.filters[number];
        tally.matched += 1;
        if self.options.observe {
            tally.at.push(self.report.received);
            return;
        }
        if let Some(index) = event.index().filter(|_| event.is_send()) {
            self.withheld[index.index()] = true;
            if deeds.is_empty() {
                *tally.deeds.entry("kept back").or_insert(0) += 1;
            }
        } else if let Some(index) = event.index().filter(|_| scenario.filters[number].stores_received()) {
            if self.memory.copy_of(index).is_some() {
                *tally.deeds.entry("stored").or_insert(0) += 1;
            } else {
                self.refuse(NO_COPY.to_owned());
            }
        }
        for deed in deeds {
            *self.report.filters[number].deeds.entry(deed.word()).or_insert(0) += 1;
            self.plan(event.board(), deed);
        }
    }

    fn plan(&mut self, board: &Board, deed: Deed<M>) {
        let named = |index: MessageIndex| (board.message(index).id, board.message(index).kind);
        let lies = |text: Option<String>| text.ok_or("the target gives its messages no text form");
        match deed {
            Deed::Deliver(index) => self.want_delivered(board, index),
            Deed::Pass(index) => self.withheld[index.index()] = false,
            // That is decided where the clock was about to go on; it has no effect on anything else.
            Deed::GoOn => {}
            Deed::Drop(index) => {
                self.withheld[index.index()] = true;
                if board.contract().loss == Loss::Message {
                    let (id, kind) = named(index);
                    self.want(Step::Drop(id, kind), None);
                }
            }
            Deed::Duplicate(index) => {
                let (id, kind) = named(index);
                self.want(Step::Duplicate(id, kind), None);
            }
            Deed::Tamper(index, contents) => match lies(contents.encode()) {
                Ok(text) => {
                    let (id, kind) = named(index);
                    self.contents[index.index()] = Some(contents);
                    self.want(Step::Tamper(id, kind, text.into()), Some(index));
                    self.want_delivered(board, index);
                }
                Err(reason) => self.refuse(reason.to_owned()),
            },
            Deed::Garble(index, text) => {
                let (id, kind) = named(index);
                self.contents[index.index()] = read(&text);
                self.want(Step::Tamper(id, kind, text.into()), Some(index));
                self.want_delivered(board, index);
            }
            Deed::Inject(from, to, contents) => match lies(contents.encode()) {
                Ok(text) => self.want(Step::Inject(from, to, text.into()), None),
                Err(reason) => self.refuse(reason.to_owned()),
            },
            Deed::Request(node, op) => self.want(Step::Request(node, op), None),
            Deed::Crash(node) => self.want(Step::Crash { node, keep: 0 }, None),
            Deed::Restart(node) => self.want(Step::Restart(node), None),
            Deed::Isolate(node) => {
                let mut parts = self.memory.partition().to_vec();
                if parts.is_empty() {
                    parts.push(NodeSet::first(board.size()));
                }
                parts.iter_mut().for_each(|part| {
                    part.remove(node);
                });
                parts.push(NodeSet::from_iter([node]));
                self.split(board, parts);
            }
            Deed::Split(parts) => self.split(board, parts),
            Deed::Heal => self.split(board, vec![NodeSet::first(board.size())]),
            Deed::End => self.is_over = true,
        }
    }

    fn want(&mut self, step: Step, message: Option<MessageIndex>) {
        self.queue.push_back(Wanted { step, message });
    }

    fn want_delivered(&mut self, board: &Board, index: MessageIndex) {
        self.want(board.deliver(index), Some(index));
    }

    /// Cuts every link across parts, and heals those within.
    fn split(&mut self, board: &Board, parts: Vec<NodeSet>) {
        let is_whole = parts.len() == 1 && parts[0] == NodeSet::first(board.size());
        let together = |a, b| parts.iter().any(|part: &NodeSet| part.contains(a) && part.contains(b));
        for a in NodeId::first(board.size()) {
            for b in NodeId::first(board.size()).filter(|&b| a < b) {
                match (self.will_be_cut(board, a, b), together(a, b)) {
                    (false, false) => self.want(Step::Cut(a, b), None),
                    (true, true) => self.want(Step::Heal(a, b), None),
                    _ => {}
                }
            }
        }
        self.memory.set_partition(if is_whole { Vec::new() } else { parts });
    }

    /// Whether the link is cut once everything is done that filters have wanted so far.
    fn will_be_cut(&self, board: &Board, a: NodeId, b: NodeId) -> bool {
        let wanted = self.queue.iter().rev().find_map(|wanted| match wanted.step {
            Step::Cut(one, other) if (one, other) == (a, b) => Some(true),
            Step::Heal(one, other) if (one, other) == (a, b) => Some(false),
            _ => None,
        });
        wanted.unwrap_or_else(|| board.is_cut(a, b))
    }

    /// What the strategy wants, of what filters leave to it.
    fn ask_strategy(&mut self, sight: &Sight<'_>) -> Option<Step> {
        if !self.withheld.contains(&true) {
            return self.inner.next(sight);
        }
        let is_free = |index: &MessageIndex| !self.withheld[index.index()];
        let free: Vec<_> = sight.deliverable().iter().copied().filter(is_free).collect();
        self.inner.next(&sight.narrowed(&free))
    }

    fn refuse(&mut self, reason: String) {
        self.report.refused += 1;
        self.report.first_refused.get_or_insert(reason);
    }

    /// Delivers the message that was just put on the network, the only one that has not been taken in yet.
    fn deliver_injected(&mut self, board: &Board) {
        let index = MessageIndex(self.contents.len() as u32);
        if board.is_deliverable(index) {
            self.queue.push_front(Wanted { step: board.deliver(index), message: Some(index) });
        }
        self.injected = Some(index);
    }

    /// Makes a copy of a message that is about to be received and then stored, before it is delivered. Gives
    /// the step to do.
    fn copied_first(&mut self, board: &Board, step: Step) -> Step {
        let Step::Deliver(id, kind) = &step else { return step };
        let (id, kind) = (*id, *kind);
        if !self.scenario.filters.iter().any(Filter::stores_received)
            || self.options.observe
            || !board.contract().allows(StepKind::Duplicate, board.size())
        {
            return step;
        }
        let Some(index) = board.find(id, kind).filter(|&index| board.is_deliverable(index)) else {
            return step;
        };
        if self.tried == Some(index) || !self.will_be_stored(board, index) {
            return step;
        }
        (self.copying, self.tried) = (Some(index), Some(index));
        self.queue.push_front(Wanted { step, message: Some(index) });
        Step::Duplicate(id, kind)
    }

    /// Whether the filter that takes the receipt of this message will store it. What is asked on the way is
    /// forgotten.
    fn will_be_stored(&self, board: &Board, index: MessageIndex) -> bool {
        let mut memory = self.memory.clone();
        let what = Happening::Received(index);
        let contents = self.contents_in(what);
        let node = board.message(index).id.to;
        let event = EventView { board, node, what: Seen::Past(what), contents: contents.as_ref() };
        if let Some(property) = &self.scenario.property
            && let Some(state) = property.next(&event, &mut memory)
        {
            memory.state = state;
        }
        let filters = self.scenario.filters.iter().enumerate();
        let mut allowed = filters.filter(|(number, _)| !self.options.without.contains(&(number + 1)));
        let taker = allowed.find(|(_, filter)| filter.condition.holds(&event, &mut memory));
        taker.is_some_and(|(_, filter)| filter.stores_received())
    }

    /// Keeps the copy that was just made of a message back, until it is delivered from its set.
    fn take_copy(&mut self, board: &Board) {
        let Some(index) = self.copying.take() else { return };
        // A copy that was refused is not there; that is reported when the message is received.
        let copy = MessageIndex(self.contents.len() as u32);
        if copy.index() < board.messages().len() {
            self.contents.push(self.contents[index.index()].clone());
            self.withheld.push(true);
            self.memory.note_copy(index, copy);
        }
    }

    /// Looks whether the last step that a filter wanted was done.
    fn follow_up(&mut self, board: &Board) {
        let Some((wanted, steps)) = self.issued.take() else { return };
        if board.steps().len() > steps {
            if wanted.step.kind() == StepKind::Inject {
                self.deliver_injected(board);
            }
            return;
        }
        match (wanted.step.kind(), wanted.message) {
            (StepKind::Tamper, Some(index)) => {
                // Contents that nobody can read are as good as lost to the receiver; and what was to be
                // changed and could not be is not to arrive as it was.
                if can_be_read::<M>(&wanted.step) {
                    self.refuse(format!("`{}` was refused", wanted.step));
                } else {
                    self.report.undecodable += 1;
                }
                self.queue.retain(|other| other.message != Some(index));
                self.plan(board, Deed::Drop(index));
            }
            // It is not its turn yet, where links are first in, first out: the strategy will come to it.
            (StepKind::Deliver, Some(index)) => self.withheld[index.index()] = false,
            _ => self.refuse(format!("`{}` was refused", wanted.step)),
        }
    }
}

/// Why a message that is received could not be stored.
const NO_COPY: &str = "a message that was received could not be stored: no copy of it was made, for the contract rules out \
    duplicates, or the filter matched only when the message had arrived";

/// The contents that a text stands for. It is read by the protocol's own code, which may panic of what nobody
/// wrote.
fn read<M: Message>(text: &str) -> Option<M> {
    catch_panic(|| M::decode(text).ok()).ok().flatten()
}

/// Whether the contents that the message is to get are those of a message of its kind.
fn can_be_read<M: Message>(tamper: &Step) -> bool {
    let Step::Tamper(_, kind, text) = tamper else { return false };
    let is_of_kind = |contents: M| catch_panic(|| contents.kind() == kind.as_str()).unwrap_or(false);
    read(text).is_some_and(is_of_kind)
}

/// How many clocks filters may keep back one after the other, with nothing else happening, before the
/// iteration ends.
const CLOCKS_KEPT_MAX: usize = 1_000;

/// How many steps there were, and the ticks of the clock that is ahead.
fn now(board: &Board) -> (u64, u64) {
    let ticks = NodeId::first(board.size()).map(|node| board.node(node).ticks).max();
    (board.steps().len() as u64, ticks.unwrap_or(0))
}

impl<M: Message> Strategy for Monitor<M> {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        self.follow_up(board);
        self.take_copy(board);
        self.take_in(sight);
        // The events of the last step are to be seen too, so one step is kept in hand.
        if self.is_over || board.steps().len() + 1 >= self.steps_max {
            return None;
        }
        for _ in 0..CLOCKS_KEPT_MAX {
            if let Some(wanted) = self.queue.pop_front() {
                let step = self.copied_first(board, wanted.step.clone());
                if step == wanted.step {
                    self.issued = Some((wanted, board.steps().len()));
                }
                return Some(step);
            }
            let step = self.ask_strategy(sight)?;
            if self.may_happen(board, &step) {
                return Some(self.copied_first(board, step));
            }
            if self.is_over {
                return None;
            }
        }
        // Nothing is left but clocks that filters keep back.
        None
    }

    fn experience(mut self: Box<Self>, trace: &Trace) -> Experience {
        self.see_the_end(&trace.board);
        let property = self.scenario.property.as_ref();
        self.report.is_success =
            !self.report.is_fail && property.is_some_and(|property| property.is_success(self.memory.state));
        self.report.is_fail |= property.is_some_and(|property| property.is_fail(self.memory.state));
        self.report.state = self.memory.property_state();
        Box::new(self.report)
    }
}
