//! Vector clocks, kept in one flat array: a row of `nodes` counters per moment.

/// The vector clocks of all moments of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    nodes: usize,
    rows: Vec<u32>,
    /// The row of the last moment of each node, if it had one.
    last: Vec<Option<u32>>,
}

impl Clocks {
    /// No moments yet, with room for so many.
    pub fn new(nodes: usize, moments: usize) -> Clocks {
        Clocks { nodes, rows: Vec::with_capacity(nodes * moments), last: vec![None; nodes] }
    }

    /// The clock of a moment.
    pub fn of(&self, moment: u32) -> &[u32] {
        let start = moment as usize * self.nodes;
        &self.rows[start..start + self.nodes]
    }

    /// A new moment of a node, after its last one and after the moment that caused it.
    pub fn advance(&mut self, node: usize, cause: Option<u32>) -> u32 {
        let (nodes, start) = (self.nodes, self.rows.len());
        let moment = (start / nodes) as u32;
        self.rows.resize(start + nodes, 0);
        let (past, row) = self.rows.split_at_mut(start);
        if let Some(last) = self.last[node] {
            let last = last as usize * nodes;
            row.copy_from_slice(&past[last..last + nodes]);
        }
        if let Some(cause) = cause {
            let cause = cause as usize * nodes;
            for (mine, theirs) in row.iter_mut().zip(&past[cause..cause + nodes]) {
                *mine = (*mine).max(*theirs);
            }
        }
        row[node] += 1;
        self.last[node] = Some(moment);
        moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_after_the_sending_and_after_its_own_past() {
        let mut clocks = Clocks::new(3, 0);
        let a = clocks.advance(0, None);
        let b = clocks.advance(1, None);
        let c = clocks.advance(1, Some(a));
        let d = clocks.advance(2, Some(c));
        assert_eq!(clocks.of(a), [1, 0, 0]);
        assert_eq!(clocks.of(b), [0, 1, 0]);
        assert_eq!(clocks.of(c), [1, 2, 0]);
        assert_eq!(clocks.of(d), [1, 2, 1]);
    }
}
