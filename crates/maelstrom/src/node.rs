//! A node of the cluster that is a process: what happens to it becomes lines on its input, and what it writes
//! becomes messages, answers and requests to services.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use shakedown_cluster::{Context, Name, Node, NodeId, RequestId, Saved};

use crate::message::{Envelope, Party, line};
use crate::process::{Ended, Process};
use crate::programs::{Execution, Programs, START_PAUSE, START_TIME, beginning, init};
use crate::topology::Topology;
use crate::workload::{FINAL, Workload};
use crate::{TICK_OPTION, TOPOLOGY_OPTION, WORKLOAD_OPTION};

/// How much of a line is shown when it is no message.
const LINE_SHOWN: usize = 300;

/// What can be seen of a node without knowing its program.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub(crate) struct NodeState {
    /// The type of the last message that it wrote.
    pub wrote: &'static str,
    /// What is wrong with it, if anything is.
    pub trouble: Option<Trouble>,
}

/// What is wrong with a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Trouble {
    /// It ended by itself, or was ended because it broke a limit.
    Ended(Arc<str>),
    /// It wrote something that is no message.
    BadLine(Arc<str>),
}

impl Serialize for Trouble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (Trouble::Ended(text) | Trouble::BadLine(text)) = self;
        serializer.serialize_str(text)
    }
}

/// How far a node has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has not answered `init`.
    Init,
    /// It has not answered `topology`.
    Topology,
    Ready,
}

/// See the module's text.
pub(crate) struct MaelstromNode {
    id: NodeId,
    process: Option<Process>,
    execution: Rc<Execution>,
    stage: Stage,
    /// Lines that came before the node had answered `init`.
    waiting: VecDeque<String>,
    topology: Option<Value>,
    state: NodeState,
}

impl Node for MaelstromNode {
    type Message = Envelope;
    type Request = Value;
    type Answer = Value;
    type State = NodeState;
    /// What nodes share: a node that is restarted belongs to the same execution.
    type Disk = Saved<Option<Rc<Execution>>>;

    fn boot(disk: &Self::Disk, ctx: &mut Context<'_, Self>) -> Self {
        let execution = disk.0.clone().unwrap_or_else(beginning);
        ctx.write(Some(Rc::clone(&execution)));
        let nodes = ctx.nodes().len();
        let mut node = MaelstromNode {
            id: ctx.id(),
            process: None,
            execution,
            stage: Stage::Init,
            waiting: VecDeque::new(),
            topology: topology(ctx),
            state: NodeState { wrote: "nothing", trouble: None },
        };
        let programs = ctx.environment::<Programs>().expect("the target has its programs");
        match programs.process() {
            Ok(mut process) => {
                process.write_line(&line("c0", ctx.id(), &init(ctx.id(), nodes)));
                node.process = Some(process);
                node.wait_until_ready(ctx);
            }
            Err(error) => node.state.trouble = Some(Trouble::Ended(error.to_string().into())),
        }
        node
    }

    fn receive(&mut self, from: NodeId, message: Envelope, ctx: &mut Context<'_, Self>) {
        match message.service {
            Some(service) if !message.is_reply => {
                let mut reply = self.execution.services.borrow_mut().handle(
                    service,
                    self.id,
                    &message.body,
                    ctx.random(),
                );
                reply["in_reply_to"] = message.body.get("msg_id").cloned().unwrap_or(Value::Null);
                ctx.send(self.id, Envelope::of_service(service, true, reply));
                // What it wrote meanwhile is of this moment too.
                self.take_output(ctx, |process, lines| process.until_quiet(lines));
            }
            Some(service) => self.hand(line(service.text(), self.id, &message.body), true, ctx),
            None => {
                let is_reply = message.body.get("in_reply_to").is_some();
                self.hand(line(&from.to_string(), self.id, &message.body), is_reply, ctx);
            }
        }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        let by_options = || Duration::from_millis(ctx.options().get(TICK_OPTION).unwrap_or_default());
        let slice = self.execution.slice.borrow().unwrap_or_else(by_options);
        self.take_output(ctx, |process, lines| process.for_a_while(slice, lines));
    }

    fn request(&mut self, id: RequestId, request: Value, ctx: &mut Context<'_, Self>) {
        let mut body = request;
        let client = id.0 + 1;
        if let Value::Object(fields) = &mut body {
            fields.remove(FINAL);
            fields.insert("msg_id".to_owned(), client.into());
        }
        self.hand(line(&format!("c{client}"), self.id, &body), false, ctx);
    }

    fn observe(&self) -> NodeState {
        self.state.clone()
    }
}

/// The message with the neighbours of each node, if the workload has one.
fn topology(ctx: &Context<'_, MaelstromNode>) -> Option<Value> {
    let options = ctx.options();
    let workload: Workload = options.get(WORKLOAD_OPTION).ok()?;
    let topology: Topology = options.get(TOPOLOGY_OPTION).ok()?;
    workload.has_topology().then(
        || json!({ "type": "topology", "msg_id": 2, "topology": topology.neighbours(ctx.nodes().len()) }),
    )
}

impl MaelstromNode {
    /// Waits for the answers to the first messages. A node that asks others before it answers is not waited
    /// for.
    fn wait_until_ready(&mut self, ctx: &mut Context<'_, Self>) {
        let began = Instant::now();
        while self.stage != Stage::Ready && self.process.is_some() && began.elapsed() < START_TIME {
            let asked = self.take_output(ctx, |process, lines| process.for_a_while(START_PAUSE, lines));
            if asked && self.stage != Stage::Ready {
                return;
            }
        }
        if self.stage != Stage::Ready && self.process.is_some() {
            let text = format!("did not answer init within {} s", START_TIME.as_secs());
            self.state.trouble = Some(Trouble::Ended(text.into()));
        }
    }

    /// Hands a line to the process, or keeps it until the process has answered the first messages. A reply is
    /// not kept: a process may ask a service or another node before it answers `init`.
    fn hand(&mut self, line: String, is_reply: bool, ctx: &mut Context<'_, Self>) {
        match &mut self.process {
            Some(process) if is_reply || self.stage == Stage::Ready => process.write_line(&line),
            _ => self.waiting.push_back(line),
        }
        self.take_output(ctx, |process, lines| process.until_quiet(lines));
    }

    /// Lets the process work, and carries out what it wrote. Whether it wrote to other nodes or to services.
    fn take_output(
        &mut self,
        ctx: &mut Context<'_, Self>,
        work: impl FnOnce(&mut Process, &mut Vec<String>) -> Result<(), Ended>,
    ) -> bool {
        let Some(process) = &mut self.process else { return false };
        let mut lines = Vec::new();
        let mut worked = work(process, &mut lines);
        let mut has_asked = false;
        loop {
            for line in std::mem::take(&mut lines) {
                has_asked |= self.carry_out(&line, ctx);
            }
            if let Err(ended) = worked {
                self.process = None;
                self.state.trouble.get_or_insert(Trouble::Ended(ended.to_string().into()));
                return has_asked;
            }
            let Some(process) = self.process.as_mut().filter(|_| self.stage == Stage::Ready) else {
                return has_asked;
            };
            if self.waiting.is_empty() {
                return has_asked;
            }
            self.waiting.drain(..).for_each(|line| process.write_line(&line));
            worked = process.until_quiet(&mut lines);
        }
    }

    /// Carries out one line. Whether it was for another node or for a service.
    fn carry_out(&mut self, line: &str, ctx: &mut Context<'_, Self>) -> bool {
        if line.trim().is_empty() {
            return false;
        }
        let shown = || line.chars().take(LINE_SHOWN).collect::<String>();
        let message: Value = match serde_json::from_str(line) {
            Ok(message) => message,
            Err(error) => return self.bad_line(format!("wrote `{}`, which is no JSON: {error}", shown())),
        };
        let (Some(dest), Some(body)) =
            (message["dest"].as_str(), message.get("body").filter(|b| b.is_object()))
        else {
            return self.bad_line(format!("wrote `{}`, which has no dest or no body", shown()));
        };
        let kind = body.get("type").and_then(Value::as_str).and_then(|kind| Name::intern(kind).ok());
        self.state.wrote = kind.map_or("message", Name::as_str);
        match Party::read(dest, ctx.nodes().len()) {
            None => self
                .bad_line(format!("wrote to `{dest}`, which is no node, client or service: `{}`", shown())),
            Some(Party::Node(node)) => {
                ctx.send(node, Envelope::between_nodes(body.clone()));
                true
            }
            Some(Party::Service(service)) => {
                ctx.send(self.id, Envelope::of_service(service, false, body.clone()));
                true
            }
            Some(Party::Client(client)) => {
                self.answer(client, body.clone(), ctx);
                false
            }
        }
    }

    fn bad_line(&mut self, text: String) -> bool {
        self.state.trouble.get_or_insert(Trouble::BadLine(text.into()));
        false
    }

    /// An answer to a client. What answers nothing that the client asked is ignored, as clients do.
    fn answer(&mut self, client: u32, mut body: Value, ctx: &mut Context<'_, Self>) {
        let asked = body.get("in_reply_to").and_then(Value::as_u64);
        if client == 0 {
            match (self.stage, asked) {
                (Stage::Init, Some(1)) => self.begin(),
                (Stage::Topology, Some(2)) => self.stage = Stage::Ready,
                _ => {}
            }
            return;
        }
        if asked != Some(u64::from(client)) {
            return;
        }
        if let Value::Object(fields) = &mut body {
            fields.remove("in_reply_to");
            fields.remove("msg_id");
        }
        ctx.answer(RequestId(client - 1), &body);
    }

    /// The node has answered `init`.
    fn begin(&mut self) {
        self.stage = Stage::Ready;
        if let Some(topology) = self.topology.take() {
            self.stage = Stage::Topology;
            let line = line("c0", self.id, &topology);
            if let Some(process) = &mut self.process {
                process.write_line(&line);
            }
        }
    }
}
