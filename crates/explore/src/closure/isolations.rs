//! Which processes are isolated when: the sample space of the paper's Algorithm 1, and drawing from it.
//!
//! r rounds are cut into ⌈r/k⌉ periods of k rounds, the last of which may be shorter. An *isolation* is a
//! process, a period, and the round of the period in which it begins; it lasts to the end of the period. A
//! member of the space is a set of exactly d isolations, at most one for each process and period, and every
//! member is as likely as any other: d distinct pairs of period and process are drawn without replacement,
//! and then a first round for each.

use shakedown_cluster::{NODES_MAX, NodeId, NodeSet, Random};

use crate::draw::draw_distinct;

/// The most rounds in which processes may be isolated.
pub const ROUNDS_MAX: usize = 100_000;

/// A process that is isolated for the rest of a period.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Isolation {
    /// The period, counted from 0.
    pub period: usize,
    /// The process.
    pub node: NodeId,
    /// The first round of the period in which it is isolated, counted from 0.
    pub start: usize,
}

/// The parameters of the sample space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many processes (n).
    pub nodes: usize,
    /// How many rounds (r).
    pub rounds: usize,
    /// After how many rounds isolated processes join again (k).
    pub period: usize,
    /// How many isolations (d); nothing for any number.
    pub isolations: Option<usize>,
}

/// Parameters that describe no sample space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadShape {
    /// Too few or too many nodes or rounds, or an empty period.
    #[error("{what} cannot be {value}: expected a number from 1 to {most}")]
    Number {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: usize,
        /// The largest value.
        most: usize,
    },
    /// More isolations than there are pairs of process and period.
    #[error(
        "{isolations} isolations do not fit: {nodes} nodes in {periods} periods of {period} rounds leave room for {most}"
    )]
    TooMany {
        /// How many were asked for.
        isolations: usize,
        /// How many processes.
        nodes: usize,
        /// How many periods.
        periods: usize,
        /// The length of a period.
        period: usize,
        /// How many fit.
        most: usize,
    },
}

impl Shape {
    /// The shape, if it describes a sample space.
    pub fn check(self) -> Result<Shape, BadShape> {
        for (what, value, most) in [
            ("nodes", self.nodes, NODES_MAX),
            ("rounds", self.rounds, ROUNDS_MAX),
            ("period", self.period, ROUNDS_MAX),
        ] {
            if !(1..=most).contains(&value) {
                return Err(BadShape::Number { what, value, most });
            }
        }
        let (nodes, periods, period) = (self.nodes, self.periods(), self.period);
        let most = nodes * periods;
        match self.isolations {
            Some(isolations) if isolations > most => {
                Err(BadShape::TooMany { isolations, nodes, periods, period, most })
            }
            _ => Ok(self),
        }
    }

    /// How many periods there are: ⌈r/k⌉.
    pub fn periods(&self) -> usize {
        self.rounds.div_ceil(self.period)
    }

    /// How many rounds this period has.
    pub fn length(&self, period: usize) -> usize {
        (self.rounds - period * self.period).min(self.period)
    }

    /// A uniformly random member of the space.
    pub fn draw(&self, random: &mut Random) -> Vec<Isolation> {
        let Some(isolations) = self.isolations else { return self.draw_any(random) };
        let whole =
            if self.length(self.periods() - 1) == self.period { self.periods() } else { self.periods() - 1 };
        let in_last = if whole == self.periods() { 0 } else { self.draw_last(isolations, whole, random) };
        let whole_pairs = draw_distinct(isolations - in_last, self.nodes * whole, random);
        let last_pairs = draw_distinct(in_last, self.nodes, random);
        let pairs =
            whole_pairs.into_iter().chain(last_pairs.into_iter().map(|pair| self.nodes * whole + pair));
        let mut drawn: Vec<_> = pairs
            .map(|pair| {
                let period = pair / self.nodes;
                let start = random.index(self.length(period));
                Isolation { period, node: NodeId::from_index(pair % self.nodes), start }
            })
            .collect();
        drawn.sort_unstable();
        drawn
    }

    /// How many of d isolations fall into the last period when it is shorter than the others: t of them with
    /// weight C(n, t) · C(n·w, d−t) · k^(d−t) · l^t, where w is the number of whole periods and l the length
    /// of the last.
    fn draw_last(&self, isolations: usize, whole: usize, random: &mut Random) -> usize {
        let (n, d, rest) = (self.nodes, isolations, self.nodes * whole);
        let share = self.length(whole) as f64 / self.period as f64;
        let least = d.saturating_sub(rest);
        let most = n.min(d);
        // From one weight to the next by its ratio: multiplications and divisions give the same on every
        // machine.
        let mut weights = vec![1.0];
        for t in least..most {
            let ratio = (n - t) as f64 / (t + 1) as f64 * (d - t) as f64 / (rest + t + 1 - d) as f64 * share;
            weights.push(weights[t - least] * ratio);
        }
        let mut left = random.unit() * weights.iter().sum::<f64>();
        let place = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        least + place.unwrap_or(weights.len() - 1)
    }

    /// Any number of isolations: every process of every period begins its isolation in one of the rounds, or
    /// never.
    fn draw_any(&self, random: &mut Random) -> Vec<Isolation> {
        let mut drawn = Vec::new();
        for period in 0..self.periods() {
            for node in NodeId::first(self.nodes) {
                let start = random.index(self.length(period) + 1);
                if start < self.length(period) {
                    drawn.push(Isolation { period, node, start });
                }
            }
        }
        drawn
    }

    /// The kernel of every round: the processes that are not isolated in it.
    pub fn kernels(&self, isolations: &[Isolation]) -> Vec<NodeSet> {
        let mut kernels = vec![NodeSet::first(self.nodes); self.rounds];
        for isolation in isolations {
            let begin = isolation.period * self.period;
            for kernel in &mut kernels[begin + isolation.start..begin + self.length(isolation.period)] {
                kernel.remove(isolation.node);
            }
        }
        kernels
    }

    /// The isolations that these kernels of the first rounds come from, as far as they show.
    pub fn isolations_in(&self, kernels: &[NodeSet]) -> Vec<Isolation> {
        let mut found = Vec::new();
        for period in 0..self.periods() {
            let begin = period * self.period;
            let seen = kernels.get(begin..kernels.len().min(begin + self.length(period))).unwrap_or_default();
            for node in NodeId::first(self.nodes) {
                if let Some(start) = seen.iter().position(|kernel| !kernel.contains(node)) {
                    found.push(Isolation { period, node, start });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::closure::Space;

    /// Every member of the space, by brute force: every process of every period starts in some round or
    /// never.
    fn every_member(shape: Shape) -> Vec<Vec<Isolation>> {
        let mut members = vec![Vec::new()];
        for period in 0..shape.periods() {
            for node in NodeId::first(shape.nodes) {
                let with = |member: &Vec<Isolation>| {
                    let starts = (0..shape.length(period)).map(|start| Isolation { period, node, start });
                    let longer = starts.map(|one| member.iter().copied().chain([one]).collect());
                    std::iter::once(member.clone()).chain(longer).collect::<Vec<_>>()
                };
                members = members.iter().flat_map(with).collect();
            }
        }
        members.retain(|member| shape.isolations.is_none_or(|d| member.len() == d));
        members
    }

    /// The 99.9 % point of the chi-square distribution with this many degrees of freedom (Wilson and
    /// Hilferty).
    fn chi_square_999(freedom: f64) -> f64 {
        let spread = 2.0 / (9.0 * freedom);
        freedom * (1.0 - spread + 3.0902 * spread.sqrt()).powi(3)
    }

    #[test]
    fn every_member_of_a_small_space_is_drawn_equally_often() {
        let shapes = [
            (2, 4, 2, Some(2)),
            (3, 4, 2, Some(3)),
            (2, 6, 3, Some(4)),
            (3, 6, 3, Some(1)),
            // The last period is shorter.
            (2, 5, 2, Some(2)),
            (2, 5, 3, Some(3)),
            (3, 4, 3, Some(5)),
            (3, 4, 3, Some(6)),
            (2, 3, 2, None),
            (2, 4, 1, Some(3)),
        ];
        for (nodes, rounds, period, isolations) in shapes {
            let shape = Shape { nodes, rounds, period, isolations }.check().expect("it is a shape");
            let members = every_member(shape);
            let size = members.len();
            assert_eq!(Space(shape).size().exact, Some(size as u128), "{shape:?}");
            let mut counts: BTreeMap<_, u32> = members.into_iter().map(|member| (member, 0)).collect();
            let mut random = Random::new(5);
            let expected = 50.0;
            for _ in 0..size * expected as usize {
                let drawn = shape.draw(&mut random);
                *counts.get_mut(&drawn).expect("what is drawn is a member") += 1;
            }
            let chi: f64 =
                counts.values().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            assert!(chi < chi_square_999(size as f64 - 1.0), "{shape:?}: chi-square {chi}, {size} members");
            // The paper's guarantee: no member is less likely than one in (n·r)^d.
            if let Some(d) = isolations {
                assert!(size as f64 <= ((nodes * rounds) as f64).powi(d as i32), "{shape:?}");
            }
        }
    }

    #[test]
    fn what_describes_no_space_is_refused() {
        let shape = |rounds, period, d| Shape { nodes: 3, rounds, period, isolations: Some(d) }.check();
        assert!(shape(16, 4, 12).is_ok());
        assert_eq!(
            shape(16, 4, 13).expect_err("13 do not fit").to_string(),
            "13 isolations do not fit: 3 nodes in 4 periods of 4 rounds leave room for 12"
        );
        assert!(shape(0, 4, 0).is_err());
        assert!(shape(4, 0, 0).is_err());
        assert!(shape(ROUNDS_MAX + 1, 4, 0).is_err());
        for nodes in [0, 65, usize::MAX] {
            let error = Shape { nodes, rounds: 16, period: 4, isolations: None }.check();
            let expected = format!("nodes cannot be {nodes}: expected a number from 1 to 64");
            assert_eq!(error.expect_err("no cluster has so many").to_string(), expected);
        }
    }

    #[test]
    fn isolations_are_found_again_in_the_kernels_that_they_make() {
        let shape = Shape { nodes: 3, rounds: 11, period: 4, isolations: Some(5) };
        let mut random = Random::new(1);
        for _ in 0..1_000 {
            let drawn = shape.draw(&mut random);
            assert_eq!(shape.isolations_in(&shape.kernels(&drawn)), drawn);
        }
    }
}
