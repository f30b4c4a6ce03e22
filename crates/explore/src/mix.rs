//! The mix of an execution: which kinds of steps are on and how likely each is, how many crashes and requests
//! there are at most, and how long it goes on. A campaign has one mix for all its executions; under swarm
//! testing each draws its own (Groce et al., ISSTA 2012).

use std::fmt;
use std::str::FromStr;

use shakedown_cluster::{Random, StepKind, derive_seed};

use crate::{Surroundings, Weights};

/// One of so many executions draws a mix of its own; the others keep that of the campaign.
const MIXED: u64 = 3;
/// Faults, each with what undoes it: they are on or off together.
const FAULTS: [(StepKind, Option<StepKind>); 4] = [
    (StepKind::Drop, None),
    (StepKind::Duplicate, None),
    (StepKind::Crash, Some(StepKind::Restart)),
    (StepKind::Cut, Some(StepKind::Heal)),
];
/// Kinds that are never off, for without them nothing goes on: only how likely they are is drawn.
const PACES: [StepKind; 4] = [StepKind::Tick, StepKind::Fire, StepKind::Flush, StepKind::Request];
/// The mean lengths of stalls that are drawn, in steps.
const STALLS: [usize; 3] = [8, 24, 80];
/// The part of a mix's seed that its stalls are drawn from.
const STALL_PART: u64 = 1;
/// The largest weight that is drawn.
const WEIGHT_MAX: u32 = 2_000;

/// What an execution is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mix {
    /// How likely each kind of step is.
    pub weights: Weights,
    /// The most crashes.
    pub crashes: usize,
    /// The most requests.
    pub requests: usize,
    /// The most steps.
    pub steps: usize,
    /// After how many steps, on average, other links and clocks stall; 0 if none ever do.
    pub stall: usize,
}

/// What each execution draws for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draws {
    /// Which faults are on, weights and lengths.
    pub mixes: bool,
    /// Whether links and clocks stall, and for how long.
    pub stalls: bool,
}

impl Draws {
    /// Whether anything is drawn.
    pub fn any(self) -> bool {
        self.mixes || self.stalls
    }
}

impl Mix {
    /// The mix of the campaign itself.
    pub fn of(surroundings: &Surroundings<'_>) -> Mix {
        Mix {
            weights: surroundings.weights.clone(),
            crashes: surroundings.crashes,
            requests: surroundings.requests,
            steps: surroundings.steps,
            stall: 0,
        }
    }

    /// A mix of which this is drawn, and the rest as it is here.
    #[must_use]
    pub fn draw_some(&self, draws: Draws, seed: u64) -> Mix {
        let mut mix = if draws.mixes { self.draw(seed) } else { self.clone() };
        let mut random = Random::new(derive_seed(seed, STALL_PART));
        if draws.stalls && random.chance(0.5) {
            mix.stall = STALLS[random.index(STALLS.len())];
        }
        mix
    }

    /// A mix within this one: nothing that is off here is on there, and no limit is higher. What is allowed
    /// at all is for the contract to say, as always.
    #[must_use]
    pub fn draw(&self, seed: u64) -> Mix {
        let mut random = Random::new(seed);
        if random.below(MIXED) != 0 {
            return self.clone();
        }
        let mut mix = self.clone();
        for (fault, undone_by) in FAULTS {
            let is_on = random.chance(0.5);
            // From half as likely to eight times.
            let power = random.below(5) as u32;
            let undone = random.below(3) as u32;
            if is_on {
                mix.scale(fault, power, 1);
                if let Some(kind) = undone_by {
                    mix.scale(kind, undone, 1);
                }
            } else {
                mix.weights = mix.weights.with(fault, 0);
            }
        }
        for kind in PACES {
            // From a quarter as likely to four times.
            mix.scale(kind, random.below(5) as u32, 2);
        }
        if random.chance(0.25) && mix.requests > 1 {
            mix.requests = 1 + random.index(mix.requests);
        }
        if random.chance(0.25) && mix.crashes > 1 {
            mix.crashes = 1 + random.index(mix.crashes);
        }
        mix.steps = match random.below(4) {
            0 => (mix.steps / 2).max(1),
            _ => mix.steps,
        };
        mix
    }

    /// Makes a kind 2^(power − less) times as likely, but never impossible if it was possible.
    fn scale(&mut self, kind: StepKind, power: u32, less: u32) {
        let weight = self.weights.of(kind);
        if weight > 0 {
            let scaled = (u64::from(weight) << power) >> less;
            let most = u64::from(weight.max(WEIGHT_MAX));
            self.weights = self.weights.clone().with(kind, scaled.clamp(1, most) as u32);
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mix { weights, crashes, requests, steps, stall } = self;
        write!(f, "crashes={crashes} requests={requests} steps={steps} ")?;
        if *stall > 0 {
            write!(f, "stall={stall} ")?;
        }
        write!(f, "weights={weights}")
    }
}

impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Mix, String> {
        let mut mix = Mix { weights: Weights::none(), crashes: 0, requests: 0, steps: 0, stall: 0 };
        for part in text.split_whitespace() {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("`{part}` is not of the form name=value"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("`{value}` is not a number"));
            match name {
                "crashes" => mix.crashes = number()?,
                "requests" => mix.requests = number()?,
                "steps" => mix.steps = number()?,
                "stall" => mix.stall = number()?,
                "weights" => mix.weights = Weights::none().changed_by(value)?,
                _ => return Err(format!("a mix has no `{name}`")),
            }
        }
        Ok(mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Mix {
        let weights = Weights::default().with(StepKind::Duplicate, 0);
        Mix { weights, crashes: 3, requests: 8, steps: 400, stall: 0 }
    }

    #[test]
    fn a_mix_stays_within_the_one_that_it_is_drawn_from() {
        let base = base();
        let (mut plain, mut without_crashes) = (0, 0);
        for seed in 0..400 {
            let mix = base.draw(seed);
            assert!(mix.crashes <= 3 && mix.requests <= 8 && mix.steps <= 400 && mix.steps >= 200);
            assert_eq!(mix.weights.of(StepKind::Duplicate), 0, "what is off stays off");
            assert_eq!(mix.weights.of(StepKind::Deliver), base.weights.of(StepKind::Deliver));
            assert!(PACES.iter().all(|kind| mix.weights.of(*kind) > 0), "{mix}");
            plain += usize::from(mix == base);
            without_crashes += usize::from(mix.weights.of(StepKind::Crash) == 0);
        }
        assert!((220..310).contains(&plain), "{plain} of 400 keep the mix of the campaign");
        assert!((40..100).contains(&without_crashes), "{without_crashes} of 400 have no crashes");
    }

    #[test]
    fn half_of_the_executions_stall_where_stalls_are_drawn_and_none_elsewhere() {
        let drawn = |mixes, stalls, seed| base().draw_some(Draws { mixes, stalls }, seed);
        let stalling = (0..400).filter(|seed| drawn(true, true, *seed).stall > 0).count();
        assert!((160..240).contains(&stalling), "{stalling} of 400");
        for seed in 0..50 {
            assert_eq!(drawn(true, false, seed), base().draw(seed));
            assert_eq!(Mix { stall: 0, ..drawn(false, true, seed) }, base());
        }
    }

    #[test]
    fn a_mix_is_read_as_it_is_printed() {
        for seed in 0..50 {
            let mix = base().draw_some(Draws { mixes: true, stalls: true }, seed);
            assert_eq!(mix.to_string().parse(), Ok(mix));
        }
        let before = "crashes=1 requests=2 steps=3 weights=deliver=4".parse::<Mix>();
        assert_eq!(before.map(|mix| mix.stall), Ok(0), "files from before stalls were drawn");
        for bad in ["crashes", "crashes=x", "luck=3", "weights=dance=1"] {
            assert!(bad.parse::<Mix>().is_err(), "{bad}");
        }
    }
}
