//! A disk together with the copy of it that a node works with.

use std::cell::{Cell, Ref, RefCell};
use std::future::Future;
use std::rc::Rc;

use shakedown_cluster::Disk;

use crate::{AsyncNode, Env};

/// What is on the disk of a node, or will be: every write goes to the disk and to a copy in memory, which the
/// node reads.
///
/// It knows how much of something is durable, of entries in a log, say. How much there is, a function of the
/// disk says.
pub struct Mirror<N: AsyncNode> {
    env: Env<N>,
    disk: Rc<RefCell<N::Disk>>,
    amount: fn(&N::Disk) -> u64,
    durable: Rc<Cell<u64>>,
}

impl<N: AsyncNode> Clone for Mirror<N> {
    fn clone(&self) -> Mirror<N> {
        Mirror {
            env: self.env.clone(),
            disk: Rc::clone(&self.disk),
            amount: self.amount,
            durable: Rc::clone(&self.durable),
        }
    }
}

impl<N: AsyncNode> Mirror<N>
where
    <N::Disk as Disk>::Write: Clone,
{
    /// The disk that a node has booted with: all of it is durable.
    pub fn new(env: Env<N>, disk: N::Disk, amount: fn(&N::Disk) -> u64) -> Mirror<N> {
        let durable = Rc::new(Cell::new(amount(&disk)));
        Mirror { env, disk: Rc::new(RefCell::new(disk)), amount, durable }
    }

    /// The world of the node.
    pub fn env(&self) -> &Env<N> {
        &self.env
    }

    /// What the node reads. Give it back before the next `.await`.
    pub fn get(&self) -> Ref<'_, N::Disk> {
        self.disk.borrow()
    }

    /// How much is durable.
    pub fn durable(&self) -> u64 {
        self.durable.get()
    }

    fn amount(&self) -> u64 {
        (self.amount)(&self.disk.borrow())
    }

    /// Writes; see [`Env::write`].
    pub fn write(&self, write: <N::Disk as Disk>::Write) {
        self.disk.borrow_mut().apply(write.clone());
        self.env.write(write);
        self.durable.set(self.amount().min(self.durable()));
    }

    /// Waits until everything that was written by the time that this is first waited for is durable.
    pub fn flush(&self) -> impl Future<Output = ()> + use<N> {
        let this = self.clone();
        async move {
            let written = this.amount();
            this.env.flush().await;
            this.durable.set(this.amount().min(written).max(this.durable()));
        }
    }

    /// Writes, and waits until that is durable.
    pub async fn save(&self, write: <N::Disk as Disk>::Write) {
        self.write(write);
        self.flush().await;
    }
}
