//! A node of a library, as a node like any other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::panic_any;
use std::sync::Arc;

use shakedown_cluster::{Context, ForeignPanic, Message, Name, Node, NodeId, RequestId};
use shakedown_remote::{KeyValueWrite, KeyValues, PlainMessage, PlainState, Value};

use crate::SharedLibrary;
use crate::abi::{RawBoot, RawValue};
use crate::collected::{Collected, DiskChange, IN_LIBRARY, Timer};
use crate::names::text_of;
use crate::raw_node::{RawNode, give_back};

/// A node that lives in a shared library. The target needs a [`SharedLibrary`] as its environment.
pub struct NativeNode {
    raw: RawNode,
    /// Where values are packed that come from elsewhere.
    buffer: Vec<u8>,
    /// What it last showed of its state, as MessagePack.
    shown: RefCell<Vec<u8>>,
    /// Whether it was called since then.
    is_stale: Cell<bool>,
}

/// Ends the activation with a finding.
fn fail(message: String) -> ! {
    panic_any(ForeignPanic { message, place: IN_LIBRARY.to_owned() })
}

/// Writes a value as MessagePack.
fn pack(value: &impl serde::Serialize, buffer: &mut Vec<u8>) {
    buffer.clear();
    if let Err(error) = rmp_serde::encode::write(buffer, value) {
        fail(format!("a value cannot be packed: {error}"));
    }
}

impl NativeNode {
    /// Carries out what the node did, if it heard the call at all.
    fn carry_out(&self, collected: Option<Box<Collected>>, ctx: &mut Context<'_, NativeNode>) {
        if let Some(collected) = collected {
            self.is_stale.set(true);
            carry_out(collected, ctx);
        }
    }
}

/// Carries out what a node did, or fails as it did.
fn carry_out(mut collected: Box<Collected>, ctx: &mut Context<'_, NativeNode>) {
    if let Some(failure) = collected.take_failure() {
        give_back(collected);
        panic_any(failure);
    }
    for change in collected.disk.drain(..) {
        match change {
            DiskChange::Write { put, delete } => ctx.write(KeyValueWrite::new(put, delete)),
            DiskChange::Flush => ctx.flush(),
        }
    }
    collected.facts.drain(..).for_each(|fact| ctx.emit(fact));
    collected.sends.drain(..).for_each(|(to, message)| ctx.send(to, message));
    collected.answers.drain(..).for_each(|(id, answer)| ctx.answer(RequestId(id), &answer));
    for timer in collected.timers.drain(..) {
        match timer {
            Timer::Set(timer, ticks) => ctx.set_timer(timer, ticks),
            Timer::Cancel(timer) => ctx.cancel_timer(timer),
        }
    }
    give_back(collected);
}

/// The number of a node as the interface has it.
fn number(node: NodeId) -> u32 {
    u32::try_from(node.number()).unwrap_or(u32::MAX)
}

impl Node for NativeNode {
    type Message = PlainMessage;
    type Request = Value;
    type Answer = Value;
    type State = PlainState;
    type Disk = KeyValues;

    const HEARS_DISCONNECTED: bool = true;

    fn boot(disk: &KeyValues, ctx: &mut Context<'_, NativeNode>) -> NativeNode {
        let library =
            ctx.environment::<SharedLibrary>().expect("the target has a library as its environment");
        let library = Arc::clone(library.library().unwrap_or_else(|error| fail(error.to_string())));
        let (mut options, mut pairs) = (Vec::new(), Vec::new());
        pack(&ctx.options().iter().collect::<BTreeMap<_, _>>(), &mut options);
        pack(disk.pairs(), &mut pairs);
        let boot = RawBoot {
            id: number(ctx.id()),
            nodes: u32::try_from(ctx.nodes().len()).unwrap_or(u32::MAX),
            life: ctx.life(),
            now: ctx.now(),
            seed: ctx.random().next_u64(),
            options: RawValue::of(&options),
            disk: RawValue::of(&pairs),
        };
        let (raw, collected) = RawNode::boot(library, &boot);
        carry_out(collected, ctx);
        let raw = raw.unwrap_or_else(|| fail("does not boot, and reports no failure".to_owned()));
        NativeNode { raw, buffer: options, shown: RefCell::default(), is_stale: Cell::new(true) }
    }

    fn receive(&mut self, from: NodeId, message: PlainMessage, ctx: &mut Context<'_, NativeNode>) {
        let kind = text_of(Name::new(message.kind()));
        let collected = match message.as_packed() {
            Some(bytes) => self.raw.receive(ctx.now(), number(from), &kind, bytes),
            None => {
                let buffer = &mut self.buffer;
                pack(message.contents(), buffer);
                self.raw.receive(ctx.now(), number(from), &kind, buffer)
            }
        };
        self.carry_out(Some(collected), ctx);
    }

    fn observe(&self) -> PlainState {
        let mut state = PlainState::default();
        self.shown.borrow_mut().clear();
        self.is_stale.set(true);
        self.observe_again(&mut state);
        state
    }

    fn observe_again(&self, state: &mut PlainState) -> bool {
        if !self.is_stale.replace(false) {
            return false;
        }
        let mut collected = self.raw.observe();
        let failure = collected.take_failure_of_observing();
        let mut shown = self.shown.borrow_mut();
        let changed =
            if *shown == collected.state { Ok(false) } else { state.change_packed(&collected.state) };
        shown.clone_from(&collected.state);
        give_back(collected);
        if let Some(failure) = failure {
            panic_any(failure);
        }
        changed.unwrap_or_else(|error| fail(format!("shows a state that cannot be read: {error}")))
    }

    fn tick(&mut self, ctx: &mut Context<'_, NativeNode>) {
        let function = self.raw.library().functions().tick;
        let collected = self.raw.plain(ctx.now(), function);
        self.carry_out(collected, ctx);
    }

    fn fire(&mut self, timer: Name, ctx: &mut Context<'_, NativeNode>) {
        let collected = self.raw.fire(ctx.now(), &text_of(timer));
        self.carry_out(collected, ctx);
    }

    fn request(&mut self, id: RequestId, request: Value, ctx: &mut Context<'_, NativeNode>) {
        let buffer = &mut self.buffer;
        pack(&request, buffer);
        let collected = self.raw.request(ctx.now(), id.0.into(), buffer);
        self.carry_out(collected, ctx);
    }

    fn flushed(&mut self, ctx: &mut Context<'_, NativeNode>) {
        let function = self.raw.library().functions().flushed;
        let collected = self.raw.plain(ctx.now(), function);
        self.carry_out(collected, ctx);
    }

    fn reconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, NativeNode>) {
        let function = self.raw.library().functions().reconnected;
        let collected = self.raw.about_peer(ctx.now(), function, number(peer));
        self.carry_out(collected, ctx);
    }

    fn disconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, NativeNode>) {
        let function = self.raw.library().functions().disconnected;
        let collected = self.raw.about_peer(ctx.now(), function, number(peer));
        self.carry_out(collected, ctx);
    }
}
