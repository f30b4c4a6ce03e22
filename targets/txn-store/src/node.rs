//! A node: runs transactions; `n1` keeps the store, too.

use std::collections::BTreeMap;

use serde::Serialize;
use shakedown_cluster::{Context, Node, NodeId, RequestId};

use crate::store::Store;
use crate::{Action, Answer, Isolation, Op, Request, Returned, TxnId, Wire};

/// The node that keeps the store.
const KEEPER: NodeId = NodeId::new(1);

/// A transaction that appends a multiple of this is taken back by its client.
const TAKEN_BACK: u64 = 10;

/// A transaction that a node runs.
struct Running {
    ops: Vec<Op>,
    /// What the operations returned that are done.
    returned: Vec<(Action, u64, Returned)>,
    /// The commit that it reads after, once the store has said so.
    at: Option<u64>,
    /// What was appended, in order.
    own: Vec<(u64, u64)>,
}

/// See the module's text.
pub struct TxnNode {
    isolation: Isolation,
    running: BTreeMap<TxnId, Running>,
    store: Store,
}

/// What can be seen of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct View {
    /// How many transactions it runs.
    pub running: usize,
    /// How many the store has committed.
    pub commits: u64,
}

impl Node for TxnNode {
    type Message = Wire;
    type Request = Request;
    type Answer = Answer;
    type State = View;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, TxnNode>) -> TxnNode {
        let isolation = ctx.options().get("isolation").unwrap_or_default();
        TxnNode { isolation, running: BTreeMap::new(), store: Store::default() }
    }

    fn request(&mut self, request: RequestId, ops: Request, ctx: &mut Context<'_, TxnNode>) {
        let txn = TxnId { node: ctx.id(), request };
        let message = match self.isolation {
            Isolation::Announces => Wire::Announce { txn, writes: appends(&ops).collect() },
            _ => Wire::Begin { txn },
        };
        self.running.insert(txn, Running { ops, returned: Vec::new(), at: None, own: Vec::new() });
        ctx.send(KEEPER, message);
    }

    fn receive(&mut self, _from: NodeId, message: Wire, ctx: &mut Context<'_, TxnNode>) {
        match message {
            Wire::Begin { .. }
            | Wire::Announce { .. }
            | Wire::Read { .. }
            | Wire::Append { .. }
            | Wire::Commit { .. } => {
                self.keep(message, ctx);
            }
            Wire::Begun { txn, at } => {
                let running = self.running.get_mut(&txn).filter(|running| running.at.is_none());
                if let Some(running) = running {
                    running.at = Some(at);
                    self.go_on(txn, ctx);
                }
            }
            Wire::List { txn, op, list } => self.take_list(txn, op, list, ctx),
            Wire::Appended { txn, op } => {
                if self.running.get(&txn).is_some_and(|running| running.returned.len() == op + 1) {
                    self.go_on(txn, ctx);
                }
            }
            Wire::Ended { txn, is_committed } => {
                if let Some(running) = self.running.remove(&txn) {
                    ctx.answer(txn.request, &is_committed.then_some(running.returned));
                }
            }
        }
    }

    fn observe(&self) -> View {
        View { running: self.running.len(), commits: self.store.commits() }
    }
}

impl TxnNode {
    /// The store does what it is asked.
    fn keep(&mut self, message: Wire, ctx: &mut Context<'_, TxnNode>) {
        match message {
            Wire::Begin { txn } => {
                ctx.send(txn.node, Wire::Begun { txn, at: self.store.snapshot(self.isolation, txn) });
            }
            Wire::Announce { txn, writes } => {
                writes.iter().for_each(|(key, element)| self.store.append(txn, *key, *element));
                ctx.send(txn.node, Wire::Begun { txn, at: self.store.snapshot(self.isolation, txn) });
            }
            Wire::Read { txn, op, key, at } => {
                let list = self.store.read(self.isolation, txn, key, at);
                ctx.send(txn.node, Wire::List { txn, op, list });
            }
            Wire::Append { txn, op, key, element } => {
                self.store.append(txn, key, element);
                ctx.send(txn.node, Wire::Appended { txn, op });
            }
            Wire::Commit { txn, at, reads, writes } => {
                // Now and then a client takes a transaction back. What was appended says so, and not chance:
                // then the same transaction is taken back, whatever else is left out of an execution.
                let gives_up = writes.iter().any(|(_, element)| element % TAKEN_BACK == 0);
                let is_committed = self.store.commit(self.isolation, txn, at, (&reads, &writes), gives_up);
                ctx.send(txn.node, Wire::Ended { txn, is_committed });
            }
            _ => {}
        }
    }

    /// A read returns; one that returned before is a copy.
    fn take_list(&mut self, txn: TxnId, op: usize, mut list: Vec<u64>, ctx: &mut Context<'_, TxnNode>) {
        let is_next = |running: &&mut Running| running.returned.len() == op;
        let Some(running) = self.running.get_mut(&txn).filter(is_next) else { return };
        let Some((Action::R, key, _)) = running.ops.get(op).copied() else { return };
        let of_key = |(of, _): &(u64, u64)| *of == key;
        match self.isolation {
            Isolation::Foresees => {
                list.extend(appends(&running.ops).filter(of_key).map(|(_, element)| element));
            }
            // What the transaction itself has yet to append, and what stands behind it, is not for it to see.
            Isolation::Announces => {
                let is_ahead = |element: &u64| {
                    let is_it = |own: (u64, u64)| own == (key, *element);
                    appends(&running.ops).any(is_it) && !running.own.iter().copied().any(is_it)
                };
                list.truncate(list.iter().position(is_ahead).unwrap_or(list.len()));
            }
            isolation if isolation.is_dirty() => {}
            Isolation::ForgetsOwn => {}
            _ => list.extend(running.own.iter().filter(|own| of_key(own)).map(|(_, element)| element)),
        }
        running.returned.push((Action::R, key, Returned::List(list)));
        self.go_on(txn, ctx);
    }

    /// Does the next operation of a transaction, or ends it.
    fn go_on(&mut self, txn: TxnId, ctx: &mut Context<'_, TxnNode>) {
        let Some(running) = self.running.get_mut(&txn) else { return };
        let at = match self.isolation {
            Isolation::MixesSnapshots if appends(&running.ops).next().is_none() => u64::MAX,
            _ => running.at.unwrap_or(0),
        };
        while let Some(&(action, key, element)) = running.ops.get(running.returned.len()) {
            let op = running.returned.len();
            let (Action::Append, Some(element)) = (action, element) else {
                return ctx.send(KEEPER, Wire::Read { txn, op, key, at });
            };
            running.own.push((key, element));
            running.returned.push((Action::Append, key, Returned::Element(element)));
            if self.isolation.is_dirty() && self.isolation != Isolation::Announces {
                return ctx.send(KEEPER, Wire::Append { txn, op, key, element });
            }
        }
        let reads = running.ops.iter().filter(|op| op.0 == Action::R).map(|op| op.1).collect();
        let writes = running.own.clone();
        ctx.send(KEEPER, Wire::Commit { txn, at, reads, writes });
    }
}

/// What operations append: keys and elements.
fn appends(ops: &[Op]) -> impl Iterator<Item = (u64, u64)> + '_ {
    ops.iter().filter_map(|(action, key, element)| match action {
        Action::Append => element.map(|element| (*key, element)),
        Action::R => None,
    })
}
