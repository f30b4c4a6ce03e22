//! Online chain partition: splitting a growing partial order into few chains, without knowing what comes.
//!
//! This is the partition that PCTCP needs (Ozkan et al. 2018, after Agarwal and Garg 2005). Chains are kept
//! in groups; group i (counted from 0) holds at most i + 1 chains, and within a group the last elements of
//! the chains are pairwise unordered. For a partial order of width w no more than w groups are ever opened,
//! hence at most w(w + 1)/2 ≤ w² chains.

/// The place of a chain in the order of their opening.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChainId(pub usize);

/// Where an element was put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inserted {
    /// The chain.
    pub chain: ChainId,
    /// Whether the element is the only one of its chain: it was opened for it, or had been emptied.
    pub is_new: bool,
}

/// A partition of elements of type `E` into chains, of which only the last element matters.
#[derive(Clone, Debug)]
pub struct Chains<E> {
    /// Of each chain: the elements that may still become its last one again, newest at the end.
    chains: Vec<Vec<E>>,
    groups: Vec<Vec<ChainId>>,
}

impl<E> Default for Chains<E> {
    fn default() -> Chains<E> {
        Chains { chains: Vec::new(), groups: Vec::new() }
    }
}

impl<E: Copy> Chains<E> {
    /// How many chains there are.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// The last element of a chain; an emptied chain has none.
    pub fn last(&self, chain: ChainId) -> Option<E> {
        self.chains[chain.0].last().copied()
    }

    /// Takes the last element off a chain: it has left the order altogether.
    pub fn pop(&mut self, chain: ChainId) {
        self.chains[chain.0].pop();
    }

    /// Puts a new element, which is below none of the old ones, onto a chain; `is_below(e)` says whether e is
    /// below it.
    pub fn insert(&mut self, element: E, mut is_below: impl FnMut(E) -> bool) -> Inserted {
        for i in 0..self.groups.len() {
            let fits = |chain: &ChainId| self.chains[chain.0].last().is_none_or(|&last| is_below(last));
            if let Some(at) = self.groups[i].iter().position(fits) {
                let chain = self.groups[i][at];
                // Of what was below the old last element nothing can be needed again but the old last element
                // itself: only the newest element of a chain is ever taken off.
                let kept = &mut self.chains[chain.0];
                let is_new = kept.is_empty();
                if kept.len() > 1 {
                    kept.remove(0);
                }
                kept.push(element);
                if i > 0 {
                    self.reform(i, at);
                }
                return Inserted { chain, is_new };
            }
        }
        let chain = ChainId(self.chains.len());
        self.chains.push(vec![element]);
        match self.groups.iter().enumerate().position(|(i, group)| group.len() < i + 1) {
            Some(i) => self.groups[i].push(chain),
            None => self.groups.push(vec![chain]),
        }
        Inserted { chain, is_new: true }
    }

    /// Chain q of group i > 0 took an element that no chain of group i − 1 could take: so the last elements
    /// of group i − 1 together with q's are pairwise unordered. B′ᵢ = Bᵢ₋₁ ∪ {q} and B′ᵢ₋₁ = Bᵢ \ {q}.
    fn reform(&mut self, i: usize, at: usize) {
        let chain = self.groups[i].remove(at);
        self.groups.swap(i - 1, i);
        self.groups[i].push(chain);
        debug_assert!(self.groups[i - 1].len() <= i && self.groups[i].len() <= i + 1, "no group overfills");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shakedown_cluster::Random;

    use super::*;

    /// A partial order on 0..n: the pairs of which the first is below the second.
    type Order = BTreeSet<(usize, usize)>;

    /// The transitive closure of random edges from smaller to larger numbers.
    fn random_order(n: usize, density: f64, random: &mut Random) -> Order {
        let mut order = Order::new();
        for b in 0..n {
            for a in 0..b {
                if random.chance(density) {
                    let below_a: Vec<_> = (0..a).filter(|&c| order.contains(&(c, a))).collect();
                    order.extend(below_a.into_iter().chain([a]).map(|c| (c, b)));
                }
            }
        }
        order
    }

    /// The size of the largest antichain, by trying all sets.
    fn width(order: &Order, n: usize) -> usize {
        let is_antichain = |set: &u32| {
            let within = |&(a, b): &(usize, usize)| set >> a & 1 == 1 && set >> b & 1 == 1;
            !order.iter().any(within)
        };
        (0u32..1 << n).filter(is_antichain).map(|set| set.count_ones() as usize).max().unwrap_or(0)
    }

    #[test]
    fn a_partition_has_chains_only_and_at_most_w_times_w_plus_1_halves_of_them() {
        let mut random = Random::new(1);
        for round in 0..300 {
            let n = 3 + random.index(9);
            let order = random_order(n, [0.1, 0.25, 0.5, 0.8][round % 4], &mut random);
            let mut chains = Chains::default();
            let mut members: Vec<Vec<usize>> = Vec::new();
            for m in 0..n {
                let Inserted { chain, is_new } = chains.insert(m, |last| order.contains(&(last, m)));
                if is_new {
                    members.push(Vec::new());
                }
                members[chain.0].push(m);
            }
            for chain in &members {
                let ordered = chain.windows(2).all(|pair| order.contains(&(pair[0], pair[1])));
                assert!(ordered, "{chain:?} is not a chain");
            }
            let w = width(&order, n);
            assert!(chains.len() <= w * (w + 1) / 2, "{} chains for width {w}", chains.len());
        }
    }

    #[test]
    fn an_element_that_left_makes_room_for_another_one() {
        let mut chains = Chains::default();
        let first = chains.insert(1, |_| false);
        chains.pop(first.chain);
        assert_eq!(chains.last(first.chain), None);
        assert_eq!(chains.insert(2, |_| false), first, "an emptied chain is as good as a new one");
    }
}
