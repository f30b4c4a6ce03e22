//! A node that lives in a host.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::panic_any;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shakedown_cluster::{
    Context, Disk, Fact, ForeignPanic, Message, Name, Node, NodeId, RequestId, SENDS_MAX,
};

use crate::frame::{DiskChange, Pairs, ReportedFact, TimerChange, shorten};
use crate::{Call, Failure, Host, HostFailure, HostPool, Reply, Value};

/// Where a failure of a host is reported, for it has no place in a source file that is known.
const IN_HOST: &str = "the host";
/// The longest text that a host may give a message.
const TEXT_MAX: usize = 400;

/// What nodes of a protocol send, are asked and show, in types of this program.
pub trait Vocabulary: 'static {
    /// What nodes send each other.
    type Message: Message;
    /// The contents of a message on the wire.
    type Contents: Serialize + DeserializeOwned;
    /// What clients ask.
    type Request: Serialize + DeserializeOwned;
    /// What can be seen of a node.
    type State: Clone + Debug + Default + Hash + Serialize + 'static;
    /// The fields of the state that changed, as hosts report them.
    type Changes: DeserializeOwned;

    /// Reads a message that a node sent; `text` is what its host says of it in a few words.
    fn read_message(
        kind: &str,
        contents: Self::Contents,
        text: Option<String>,
    ) -> Result<Self::Message, String>;

    /// The contents of a message for the node that receives it.
    fn contents(message: &Self::Message) -> Self::Contents;

    /// Takes changes of a state in. A node that boots begins with the default.
    fn change(state: &mut Self::State, changes: Self::Changes) -> Result<(), String>;
}

/// A node that lives in a host. The target needs a [`HostPool`] as its environment.
pub struct RemoteNode<V: Vocabulary> {
    host: Rc<RefCell<Host>>,
    /// Its number in the host.
    number: u64,
    /// What changed of its state since it was last looked at.
    changes: RefCell<Option<V::Changes>>,
}

/// What a host keeps on disk: values by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyValues(BTreeMap<String, Value>);

/// One write: a crash keeps all of it or nothing.
#[derive(Clone, Debug)]
pub struct KeyValueWrite {
    put: Vec<(String, Value)>,
    delete: Vec<String>,
}

impl KeyValues {
    /// Every key with its value, in order.
    pub fn pairs(&self) -> &BTreeMap<String, Value> {
        &self.0
    }
}

impl KeyValueWrite {
    /// A write of these pairs, without these keys.
    pub fn new(put: Vec<(String, Value)>, delete: Vec<String>) -> KeyValueWrite {
        KeyValueWrite { put, delete }
    }
}

impl Disk for KeyValues {
    type Write = KeyValueWrite;

    fn apply(&mut self, write: KeyValueWrite) {
        for key in &write.delete {
            self.0.remove(key);
        }
        self.0.extend(write.put);
    }
}

type ReplyOf<V> = Reply<<V as Vocabulary>::Contents, <V as Vocabulary>::Changes>;
type CallOf<'a, V> = Call<'a, <V as Vocabulary>::Contents, <V as Vocabulary>::Request>;

/// Ends the activation with a finding.
fn fail(message: String) -> ! {
    panic_any(ForeignPanic { message, place: IN_HOST.to_owned() })
}

impl<V: Vocabulary> RemoteNode<V> {
    /// Calls the node if its host wants the call, and carries out what it did.
    fn call(
        &mut self,
        name: &'static str,
        call: impl FnOnce(u64, u64) -> CallOf<'static, V>,
        ctx: &mut Context<'_, Self>,
    ) {
        let mut host = self.host.borrow_mut();
        if !host.hears(name) {
            return;
        }
        let call = call(host.next_seq(), self.number);
        let reply = exchange::<V>(&mut host, &call, ctx);
        drop(host);
        self.carry_out(reply, ctx);
    }

    fn carry_out(&self, reply: ReplyOf<V>, ctx: &mut Context<'_, Self>) {
        let Reply { sends, answers, facts, timers, disk, state, panic, .. } = reply;
        if let Some(Failure { message, place }) = panic {
            panic_any(ForeignPanic { message, place });
        }
        disk.into_iter().for_each(|change| change_disk(change, ctx));
        facts.into_iter().for_each(|fact| ctx.emit(read_fact(fact)));
        if sends.len() > SENDS_MAX {
            fail(format!("sends {} messages at once; at most {SENDS_MAX} are allowed", sends.len()));
        }
        for sent in sends {
            if !(1..=ctx.nodes().len()).contains(&sent.to) {
                fail(format!(
                    "sends a {} to node {}, which does not exist",
                    shorten(&sent.kind, 40),
                    sent.to
                ));
            }
            let text = sent.text.map(|text| shorten(&text, TEXT_MAX));
            match V::read_message(&sent.kind, sent.message, text) {
                Ok(message) => ctx.send(NodeId::new(sent.to), message),
                Err(error) => {
                    fail(format!("sends a {} that cannot be read: {error}", shorten(&sent.kind, 40)))
                }
            }
        }
        for answered in answers {
            ctx.answer(RequestId(answered.id), &answered.answer);
        }
        timers.into_iter().for_each(|change| change_timer(change, ctx));
        if let Some(changes) = state {
            *self.changes.borrow_mut() = Some(changes);
        }
    }
}

/// Makes a call of a host that wants it. If the host fails, so does the node.
fn exchange<V: Vocabulary>(
    host: &mut Host,
    call: &CallOf<'_, V>,
    ctx: &Context<'_, RemoteNode<V>>,
) -> ReplyOf<V> {
    host.call(call).unwrap_or_else(|failure| {
        let HostFailure { stderr, .. } = &failure;
        if !stderr.is_empty()
            && let Some(pool) = ctx.environment::<HostPool>()
        {
            pool.notify(&format!("a host failed; its standard error ends with:\n{stderr}"));
        }
        fail(format!("the host, at the call `{}`, {failure}", call.name()))
    })
}

fn change_disk<V: Vocabulary>(change: DiskChange, ctx: &mut Context<'_, RemoteNode<V>>) {
    let DiskChange { put: Pairs(put), delete, flush } = change;
    if !put.is_empty() || !delete.is_empty() {
        ctx.write(KeyValueWrite { put, delete });
    }
    if flush {
        ctx.flush();
    }
}

fn change_timer<V: Vocabulary>(change: TimerChange, ctx: &mut Context<'_, RemoteNode<V>>) {
    match (change.set, change.cancel) {
        (Some(timer), None) => ctx.set_timer(name_of("a timer", &timer), change.ticks),
        (None, Some(timer)) => ctx.cancel_timer(name_of("a timer", &timer)),
        _ => fail("changes a timer without `set` or `cancel`, or with both".to_owned()),
    }
}

/// A name that came from a host, for all time.
pub(crate) fn name_of(what: &str, text: &str) -> Name {
    Name::intern(text).unwrap_or_else(|error| fail(format!("the name of {what} is bad: {error}")))
}

fn read_fact(fact: ReportedFact) -> Fact {
    fact.read().unwrap_or_else(|error| fail(error))
}

impl<V: Vocabulary> Node for RemoteNode<V> {
    type Message = V::Message;
    type Request = V::Request;
    type Answer = Value;
    type State = V::State;
    type Disk = KeyValues;

    const HEARS_DISCONNECTED: bool = true;

    fn boot(disk: &KeyValues, ctx: &mut Context<'_, Self>) -> Self {
        let pool = ctx.environment::<HostPool>().expect("the target has a pool of hosts as its environment");
        let host = pool.host().unwrap_or_else(|error| fail(error.to_string()));
        let (number, reply) = {
            let mut host = host.borrow_mut();
            let number = host.new_node();
            let seed = format!("{:016x}", ctx.random().next_u64());
            let call = Call::Boot {
                seq: host.next_seq(),
                node: number,
                id: ctx.id().number(),
                nodes: ctx.nodes().len(),
                life: ctx.life(),
                now: ctx.now(),
                seed,
                options: ctx.options().iter().collect(),
                disk: &disk.0,
            };
            (number, exchange::<V>(&mut host, &call, ctx))
        };
        let node = RemoteNode { host, number, changes: RefCell::new(None) };
        node.carry_out(reply, ctx);
        node
    }

    fn receive(&mut self, from: NodeId, message: V::Message, ctx: &mut Context<'_, Self>) {
        let (now, from, kind) = (ctx.now(), from.number(), message.kind());
        let message = V::contents(&message);
        self.call("receive", |seq, node| Call::Receive { seq, node, now, from, kind, message }, ctx);
    }

    fn observe(&self) -> V::State {
        let mut state = V::State::default();
        match self.changes.take() {
            Some(changes) => change::<V>(&mut state, changes),
            None => {
                let mut host = self.host.borrow_mut();
                let call: CallOf<'_, V> = Call::Observe { seq: host.next_seq(), node: self.number };
                let reply: Result<ReplyOf<V>, _> = host.call(&call);
                match reply {
                    Ok(Reply { state: Some(changes), .. }) => change::<V>(&mut state, changes),
                    Ok(_) => {}
                    Err(failure) => fail(format!("the host, at the call `observe`, {failure}")),
                }
            }
        }
        state
    }

    fn observe_again(&self, state: &mut V::State) -> bool {
        match self.changes.take() {
            Some(changes) => {
                change::<V>(state, changes);
                true
            }
            None => false,
        }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        let now = ctx.now();
        self.call("tick", |seq, node| Call::Tick { seq, node, now }, ctx);
    }

    fn fire(&mut self, timer: Name, ctx: &mut Context<'_, Self>) {
        let (now, timer) = (ctx.now(), timer.as_str());
        self.call("fire", |seq, node| Call::Fire { seq, node, now, timer }, ctx);
    }

    fn request(&mut self, id: RequestId, request: V::Request, ctx: &mut Context<'_, Self>) {
        let mut host = self.host.borrow_mut();
        if host.hears("request") {
            let (seq, now) = (host.next_seq(), ctx.now());
            let call = Call::Request { seq, node: self.number, now, id: id.0, request: &request };
            let reply = exchange::<V>(&mut host, &call, ctx);
            drop(host);
            self.carry_out(reply, ctx);
        }
    }

    fn flushed(&mut self, ctx: &mut Context<'_, Self>) {
        let now = ctx.now();
        self.call("flushed", |seq, node| Call::Flushed { seq, node, now }, ctx);
    }

    fn reconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        let (now, peer) = (ctx.now(), peer.number());
        self.call("reconnected", |seq, node| Call::Reconnected { seq, node, now, peer }, ctx);
    }

    fn disconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        let (now, peer) = (ctx.now(), peer.number());
        self.call("disconnected", |seq, node| Call::Disconnected { seq, node, now, peer }, ctx);
    }
}

fn change<V: Vocabulary>(state: &mut V::State, changes: V::Changes) {
    if let Err(error) = V::change(state, changes) {
        fail(format!("shows a state that cannot be read: {error}"));
    }
}

impl<V: Vocabulary> Drop for RemoteNode<V> {
    fn drop(&mut self) {
        if let Ok(mut host) = self.host.try_borrow_mut() {
            let call: CallOf<'_, V> = Call::Crash { seq: host.next_seq(), node: self.number };
            host.queue(&call);
        }
    }
}
