//! Vector clocks, kept in one flat array: a row of `nodes` counters per moment.

/// The vector clocks of all moments of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    nodes: usize,
    /// A row of zeros, for what has no past; then a row for every moment.
    rows: Vec<u32>,
    /// Where the row of the last moment of each node begins.
    last: Vec<usize>,
}

impl Clocks {
    /// No moments yet, with room for so many.
    pub fn new(nodes: usize, moments: usize) -> Clocks {
        let mut rows = Vec::with_capacity(nodes * (moments + 1));
        rows.resize(nodes, 0);
        Clocks { nodes, rows, last: vec![0; nodes] }
    }

    fn row_of(&self, moment: u32) -> usize {
        (moment as usize + 1) * self.nodes
    }

    /// The clock of a moment.
    #[inline]
    pub fn of(&self, moment: u32) -> &[u32] {
        let row = self.row_of(moment);
        &self.rows[row..row + self.nodes]
    }

    /// A new moment of a node, after its last one and after the moment that caused it.
    pub fn advance(&mut self, node: usize, cause: Option<u32>) -> u32 {
        let row = self.rows.len();
        let last = self.last[node];
        let cause = cause.map_or(0, |moment| self.row_of(moment));
        for i in 0..self.nodes {
            self.rows.push(self.rows[last + i].max(self.rows[cause + i]));
        }
        self.rows[row + node] += 1;
        self.last[node] = row;
        (row / self.nodes - 1) as u32
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
