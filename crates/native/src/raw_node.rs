//! A node of a library, behind safe functions.
#![expect(unsafe_code, reason = "functions of another language are called by their addresses")]

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::Library;
use crate::abi::{Env, PeerCall, PlainCall, RawBoot, RawValue};
use crate::collected::Collected;

thread_local! {
    /// What is written down during a call. It stays where it is until the thread ends, so that an address
    /// which a library kept is found out, not followed into other memory.
    static COLLECTED: Cell<Option<Box<Collected>>> = const { Cell::new(None) };
}

/// Hands over an env, and then what was written down under it. A library that calls Shakedown from within a
/// call cannot come here: its actions only write down.
fn collect<R>(nodes: usize, now: u64, call: impl FnOnce(*mut Env) -> R) -> (R, Box<Collected>) {
    let mut collected = COLLECTED.take().unwrap_or_default();
    collected.state.clear();
    (collected.nodes, collected.now, collected.is_active) = (nodes, now, true);
    let result = call((&raw mut *collected).cast());
    collected.is_active = false;
    (result, collected)
}

/// Gives back what [`collect`] handed over, after everything was taken out of it.
pub fn give_back(collected: Box<Collected>) {
    debug_assert!(collected.is_quiet(), "nothing is left for the next call");
    COLLECTED.set(Some(collected));
}

/// A node of a library. It ends when this is dropped.
pub struct RawNode {
    library: Arc<Library>,
    node: NonNull<c_void>,
    nodes: usize,
}

impl RawNode {
    /// Starts a node. Nothing if it could not.
    pub fn boot(library: Arc<Library>, boot: &RawBoot) -> (Option<RawNode>, Box<Collected>) {
        let nodes = boot.nodes as usize;
        let function = library.functions().boot;
        // SAFETY: the function is one of the library, which is loaded; the env and what it is handed last
        // during the call.
        let (node, collected) = collect(nodes, boot.now, |env| unsafe { function(env, boot) });
        (NonNull::new(node).map(|node| RawNode { library, node, nodes }), collected)
    }

    pub fn receive(&mut self, now: u64, from: u32, kind: &CStr, message: &[u8]) -> Box<Collected> {
        let (function, node) = (self.library.functions().receive, self.node.as_ptr());
        let message = RawValue::of(message);
        // SAFETY: as for `boot`; the node is one that the library made and has not ended.
        collect(self.nodes, now, |env| unsafe { function(node, env, from, kind.as_ptr(), message) }).1
    }

    pub fn observe(&self) -> Box<Collected> {
        let (function, node) = (self.library.functions().observe, self.node.as_ptr());
        // SAFETY: as for `receive`.
        collect(self.nodes, 0, |env| unsafe { function(node, env) }).1
    }

    /// A call without arguments, if the library hears it.
    pub fn plain(&mut self, now: u64, function: Option<PlainCall>) -> Option<Box<Collected>> {
        let (function, node) = (function?, self.node.as_ptr());
        // SAFETY: as for `receive`.
        Some(collect(self.nodes, now, |env| unsafe { function(node, env) }).1)
    }

    /// A call about a peer, if the library hears it.
    pub fn about_peer(&mut self, now: u64, function: Option<PeerCall>, peer: u32) -> Option<Box<Collected>> {
        let (function, node) = (function?, self.node.as_ptr());
        // SAFETY: as for `receive`.
        Some(collect(self.nodes, now, |env| unsafe { function(node, env, peer) }).1)
    }

    pub fn fire(&mut self, now: u64, timer: &CStr) -> Option<Box<Collected>> {
        let (function, node) = (self.library.functions().fire?, self.node.as_ptr());
        // SAFETY: as for `receive`.
        Some(collect(self.nodes, now, |env| unsafe { function(node, env, timer.as_ptr()) }).1)
    }

    pub fn request(&mut self, now: u64, id: u64, request: &[u8]) -> Option<Box<Collected>> {
        let (function, node) = (self.library.functions().request?, self.node.as_ptr());
        let request = RawValue::of(request);
        // SAFETY: as for `receive`.
        Some(collect(self.nodes, now, |env| unsafe { function(node, env, id, request) }).1)
    }

    /// The library that the node is of.
    pub fn library(&self) -> &Library {
        &self.library
    }
}

impl Drop for RawNode {
    fn drop(&mut self) {
        let function = self.library.functions().end;
        // SAFETY: the library made the node, and nothing calls it afterwards.
        unsafe { function(self.node.as_ptr()) }
    }
}
