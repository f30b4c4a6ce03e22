//! Vector clocks, kept in one flat array: a row of counters per moment, one for every node.
//!
//! They follow from which message brought about which moment, so they are not kept while steps are done:
//! whoever asks for them has them brought up to date.

use std::sync::{Arc, Mutex, PoisonError};

use crate::event::Moment;
use crate::message::MessageInfo;

/// The vector clocks of the moments of an execution: for every node, how many of its moments happened before
/// or at one.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    nodes: usize,
    /// A row for every moment.
    rows: Vec<u32>,
    /// Where the row of the last moment of each node begins.
    last: Vec<Option<usize>>,
}

impl Clocks {
    fn new(nodes: usize) -> Clocks {
        Clocks { nodes, rows: Vec::new(), last: vec![None; nodes] }
    }

    /// The clock of a moment.
    ///
    /// # Panics
    /// If there was no such moment when the clocks were asked for.
    #[inline]
    pub fn of(&self, moment: u32) -> &[u32] {
        let row = moment as usize * self.nodes;
        &self.rows[row..row + self.nodes]
    }

    /// How many moments there are.
    fn len(&self) -> usize {
        self.rows.len() / self.nodes
    }

    /// A new moment of a node, after its last one and after the moment that caused it.
    fn advance(&mut self, node: usize, cause: Option<u32>) {
        let row = self.rows.len();
        match self.last[node] {
            Some(last) => self.rows.extend_from_within(last..last + self.nodes),
            None => self.rows.resize(row + self.nodes, 0),
        }
        let (past, own) = self.rows.split_at_mut(row);
        if let Some(cause) = cause {
            let cause = &past[cause as usize * self.nodes..][..self.nodes];
            own.iter_mut().zip(cause).for_each(|(own, cause)| *own = (*own).max(*cause));
        }
        own[node] += 1;
        self.last[node] = Some(row);
    }
}

/// The clocks as far as somebody has asked for them.
#[derive(Debug, Default)]
pub(crate) struct KnownClocks(Mutex<Arc<Clocks>>);

impl KnownClocks {
    /// The clocks of these moments, of which more may have been added at the end since the last time.
    pub fn up_to_date(&self, nodes: usize, moments: &[Moment], messages: &[MessageInfo]) -> Arc<Clocks> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.nodes == 0 {
            *known = Arc::new(Clocks::new(nodes));
        }
        if known.len() < moments.len() {
            // Nothing is copied, unless somebody still holds on to the clocks of before.
            let clocks = Arc::make_mut(&mut known);
            for moment in &moments[clocks.len()..] {
                let sent_at = moment.received.map(|message| messages[message.index()].sent_at);
                clocks.advance(moment.node.index(), sent_at);
            }
        }
        Arc::clone(&known)
    }
}

impl Clone for KnownClocks {
    fn clone(&self) -> KnownClocks {
        KnownClocks::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_after_the_sending_and_after_its_own_past() {
        let mut clocks = Clocks::new(3);
        clocks.advance(0, None);
        clocks.advance(1, None);
        clocks.advance(1, Some(0));
        clocks.advance(2, Some(2));
        assert_eq!(clocks.of(0), [1, 0, 0]);
        assert_eq!(clocks.of(1), [0, 1, 0]);
        assert_eq!(clocks.of(2), [1, 2, 0]);
        assert_eq!(clocks.of(3), [1, 2, 1]);
    }
}
