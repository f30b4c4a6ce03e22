//! Small harnesses: which requests clients send to which nodes, all of them or a uniform sample.
//!
//! A harness is a sequence of writes and conditional writes over two keys. Every value names its writer: the
//! request at place p (from 0) at node n writes 100·(p + 1) + n, so that a reader of a failure sees at once
//! where a value comes from. A condition asks whether a key holds 0, or a value that an earlier request of
//! the harness writes under that key.
//!
//! At place p there are, for each of the nodes and of the keys that it writes, 1 unconditional write, 2
//! conditions "holds 0" and one condition for each of the p earlier requests: nodes · 2 · (3 + p) choices,
//! whatever the earlier ones are. So the number of harnesses is a product, every harness has a number, and
//! independent uniform choices are a uniform sample.

use shakedown_cluster::{NodeId, Random};

use crate::RegisterOp;

/// How many keys harnesses write.
pub const HARNESS_KEYS: u8 = 2;

/// A sequence of requests, each with the node that is asked.
pub type Harness = Vec<(NodeId, RegisterOp)>;

/// Every harness of so many requests for so many nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Harnesses {
    nodes: usize,
    requests: usize,
}

impl Harnesses {
    /// All harnesses of this many requests for a cluster of this many nodes.
    ///
    /// # Panics
    /// If there are no nodes or more than [`shakedown_cluster::NODES_MAX`].
    pub fn new(nodes: usize, requests: usize) -> Harnesses {
        assert!((1..=shakedown_cluster::NODES_MAX).contains(&nodes), "a cluster has nodes, but not too many");
        Harnesses { nodes, requests }
    }

    /// How many there are: the product of (2·nodes)·(3 + p) over all places p, which is (2·nodes)^requests ·
    /// (requests + 2)! / 2. Nothing if the number is too large to be said.
    pub fn count(&self) -> Option<u128> {
        (0..self.requests).try_fold(1u128, |count, place| count.checked_mul(self.choices(place).into()))
    }

    /// All of them, in a fixed order, one at a time.
    pub fn all(&self) -> AllHarnesses {
        AllHarnesses { of: *self, next: Some(vec![0; self.requests]) }
    }

    /// One of them, each with the same probability.
    pub fn sample(&self, random: &mut Random) -> Harness {
        let choices: Vec<u64> = (0..self.requests).map(|place| random.below(self.choices(place))).collect();
        self.harness(&choices)
    }

    /// How many requests are possible at this place.
    fn choices(&self, place: usize) -> u64 {
        let (nodes, keys) = (self.nodes as u64, u64::from(HARNESS_KEYS));
        nodes * keys * (1 + keys + place as u64)
    }

    /// The harness that a choice for every place stands for.
    fn harness(&self, choices: &[u64]) -> Harness {
        let mut harness = Harness::with_capacity(self.requests);
        for (place, &choice) in choices.iter().enumerate() {
            let (choice, node) = (choice / self.nodes as u64, choice % self.nodes as u64);
            let (condition, to) = (choice / u64::from(HARNESS_KEYS), choice % u64::from(HARNESS_KEYS));
            let node = NodeId::from_index(node as usize);
            let write = (to as u8, 100 * (place as u64 + 1) + node.number() as u64);
            let (keys, condition) = (usize::from(HARNESS_KEYS), condition as usize);
            let op = match condition {
                0 => RegisterOp::Write(write.0, write.1),
                key if key <= keys => RegisterOp::When { key: key as u8 - 1, is: 0, write },
                earlier => {
                    let (key, is) =
                        harness[earlier - keys - 1].1.written().expect("every request of a harness writes");
                    RegisterOp::When { key, is, write }
                }
            };
            harness.push((node, op));
        }
        harness
    }
}

/// Every harness, one at a time; see [`Harnesses::all`].
#[derive(Clone, Debug)]
pub struct AllHarnesses {
    of: Harnesses,
    /// The choices of the next one: a number whose digit at each place counts up to [`Harnesses::choices`].
    next: Option<Vec<u64>>,
}

impl Iterator for AllHarnesses {
    type Item = Harness;

    fn next(&mut self) -> Option<Harness> {
        let choices = self.next.as_mut()?;
        let harness = self.of.harness(choices);
        // The last digit goes first, so that harnesses with a common beginning follow each other.
        let grows = (0..choices.len()).rev().find(|&place| {
            choices[place] += 1;
            let fits = choices[place] < self.of.choices(place);
            if !fits {
                choices[place] = 0;
            }
            fits
        });
        if grows.is_none() {
            self.next = None;
        }
        Some(harness)
    }
}
