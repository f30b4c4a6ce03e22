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
    pub fn new(nodes: usize) -> Clocks {
        Clocks { nodes, rows: Vec::with_capacity(nodes * 256), last: vec![None; nodes] }
    }

    /// The clock of a moment.
    pub fn of(&self, moment: u32) -> &[u32] {
        let start = moment as usize * self.nodes;
        &self.rows[start..start + self.nodes]
    }

    /// A new moment of a node, after its last one and after the moment that caused it.
    pub fn advance(&mut self, node: usize, cause: Option<u32>) -> u32 {
        let start = self.rows.len();
        let moment = (start / self.nodes) as u32;
        match self.last[node] {
            Some(last) => {
                let last = last as usize * self.nodes;
                self.rows.extend_from_within(last..last + self.nodes);
            }
            None => self.rows.resize(start + self.nodes, 0),
        }
        if let Some(cause) = cause {
            let cause = cause as usize * self.nodes;
            for i in 0..self.nodes {
                self.rows[start + i] = self.rows[start + i].max(self.rows[cause + i]);
            }
        }
        self.rows[start + node] += 1;
        self.last[node] = Some(moment);
        moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_after_the_sending_and_after_its_own_past() {
        let mut clocks = Clocks::new(3);
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
