//! The register of messages: how many of each kind were sent on each link, which is what gives a message its
//! number; and how a message is found by it.

use std::sync::{Mutex, PoisonError};

use crate::message::MessageInfo;
use crate::{Fingerprinter, MessageIndex, Name};

/// A kind of message.
#[derive(Clone, Debug)]
struct Kind {
    name: Name,
    /// Stands for the kind in fingerprints.
    word: u32,
}

/// For how many kinds there is room from the beginning.
const KINDS: usize = 8;

/// Of how many kinds it is remembered where they are.
const LATELY: usize = 32;

/// Messages are numbered in series: one for every kind on every link.
#[derive(Clone, Debug)]
pub(super) struct Register {
    links: usize,
    kinds: Vec<Kind>,
    /// How many messages each series has; that of a kind and a link is at `kind * links + link`.
    counts: Vec<u32>,
    /// The places of kinds that were met lately, by where their names lie in memory. They are never trusted,
    /// only tried first.
    lately: [u8; LATELY],
    lists: Lists,
}

/// What a message is entered as.
pub(super) struct Entered {
    pub series: u32,
    pub number: u32,
    /// Stands for the kind in fingerprints.
    pub word: u32,
}

impl Register {
    pub fn new(links: usize) -> Register {
        Register {
            links,
            kinds: Vec::with_capacity(KINDS),
            counts: Vec::with_capacity(KINDS * links),
            lately: [0; LATELY],
            lists: Lists::default(),
        }
    }

    /// Enters the next message of its kind on a link.
    ///
    /// # Panics
    /// If the kind is new and not one word: a finding, for this is called while a node is activated.
    #[inline]
    pub fn enter(&mut self, name: Name, link: usize) -> Entered {
        let lately = usize::from(self.lately[name.place() % LATELY]);
        let kind = match self.kinds.get(lately) {
            Some(kind) if kind.name.is_identical(name) => lately,
            _ => self.search(name),
        };
        let series = kind * self.links + link;
        let count = &mut self.counts[series];
        *count += 1;
        Entered { series: series as u32, number: *count, word: self.kinds[kind].word }
    }

    /// The place of a kind that was not met lately, or never.
    #[cold]
    fn search(&mut self, name: Name) -> usize {
        let identical = self.kinds.iter().position(|kind| kind.name.is_identical(name));
        let kind = identical.or_else(|| self.kind(name)).unwrap_or_else(|| self.meet(name));
        self.lately[name.place() % LATELY] = u8::try_from(kind).unwrap_or(0);
        kind
    }

    /// A place for a kind that is new.
    fn meet(&mut self, name: Name) -> usize {
        if let Err(error) = Name::check(name.as_str()) {
            panic!("a kind of message needs a name: {error}");
        }
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(&name);
        self.kinds.push(Kind { name, word: fingerprinter.finish().0 as u32 });
        self.counts.resize(self.kinds.len() * self.links, 0);
        self.kinds.len() - 1
    }

    fn kind(&self, name: Name) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.name == name)
    }

    /// Looks at all messages of a kind on a link, in the order of sending. `messages` are those of the
    /// execution.
    pub fn look<T>(
        &self,
        name: Name,
        link: usize,
        messages: &[MessageInfo],
        look: impl FnOnce(&[MessageIndex]) -> T,
    ) -> T {
        match self.kind(name) {
            Some(kind) => self.lists.look(kind * self.links + link, self.counts.len(), messages, look),
            None => look(&[]),
        }
    }
}

/// The messages of each series. Most executions name the message that they have just been offered, so the
/// lists are not kept while messages are sent: they catch up when somebody looks.
#[derive(Debug, Default)]
struct Lists(Mutex<(usize, Vec<Vec<MessageIndex>>)>);

impl Lists {
    fn look<T>(
        &self,
        series: usize,
        count: usize,
        messages: &[MessageInfo],
        look: impl FnOnce(&[MessageIndex]) -> T,
    ) -> T {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, lists) = &mut *guard;
        lists.resize(count, Vec::new());
        for (index, message) in (0..).zip(messages).skip(*known) {
            lists[message.series as usize].push(MessageIndex(index));
        }
        *known = messages.len();
        look(&lists[series])
    }
}

/// A copy makes its own lists when somebody looks.
impl Clone for Lists {
    fn clone(&self) -> Lists {
        Lists::default()
    }
}
