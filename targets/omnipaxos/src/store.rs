//! The storage that the library is given.
//!
//! The library owns its storage and writes in the middle of its calls, where no context is at hand. So a
//! store keeps what the disk will hold, and a journal of writes that the node hands on to the simulated disk
//! after each call. How the library calls it differs between versions: see `interface`.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use shakedown_cluster::Disk as _;

use crate::{Disk, Write};

/// A storage; clones are the same storage.
#[derive(Clone, Debug, Default)]
pub struct Store(Rc<RefCell<Journaled>>);

#[derive(Debug, Default)]
struct Journaled {
    disk: Disk,
    journal: Vec<Write>,
}

impl Store {
    /// The storage that finds this on its disk.
    pub fn new(disk: Disk) -> Store {
        Store(Rc::new(RefCell::new(Journaled { disk, journal: Vec::new() })))
    }

    /// What is stored.
    pub fn disk(&self) -> Ref<'_, Disk> {
        Ref::map(self.0.borrow(), |journaled| &journaled.disk)
    }

    /// Stores something.
    pub fn write(&self, write: Write) {
        let mut journaled = self.0.borrow_mut();
        journaled.journal.push(write.clone());
        journaled.disk.apply(write);
    }

    /// The writes since this was last asked, in order.
    pub fn take_journal(&self) -> Vec<Write> {
        std::mem::take(&mut self.0.borrow_mut().journal)
    }
}
