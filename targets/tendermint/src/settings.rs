//! The options of the target, read.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use shakedown_cluster::{BadOption, Contract, Options, Timers};

/// What a validator is configured with. A tick is half a second of the library's own defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How many heights are decided.
    pub heights: NonZeroU64,
    /// When time-outs go off.
    pub timers: TimerModel,
    /// How many ticks a validator waits for a proposal in round 0.
    pub propose: u64,
    /// How many ticks it waits for more prevotes.
    pub prevote: u64,
    /// How many ticks it waits for more precommits.
    pub precommit: u64,
    /// By how many ticks a time-out becomes longer each time that it has gone off at a height.
    pub delta: u64,
    /// Whether the library hears of a value before it hears of its proposal, or after it. Both travel in one
    /// message here; in a real validator they are two streams.
    pub value_first: bool,
    /// Whether votes and round certificates are sent again when a round takes long.
    pub rebroadcast: bool,
    /// Whether a validator that fell behind asks for what others have decided.
    pub sync: bool,
}

/// When time-outs go off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimerModel {
    /// After their number of ticks.
    WhenDue,
    /// At any time after they were set.
    Anytime,
}

impl Settings {
    /// What holds unless something else is said.
    pub const DEFAULT: Settings = Settings {
        heights: NonZeroU64::new(2).expect("two is not zero"),
        timers: TimerModel::WhenDue,
        propose: 6,
        prevote: 2,
        precommit: 2,
        delta: 1,
        value_first: true,
        rebroadcast: true,
        sync: true,
    };

    /// Reads the options; one that is not given has its default.
    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        fn read<T: FromStr<Err: fmt::Display>>(
            options: &Options,
            name: &str,
            default: T,
        ) -> Result<T, BadOption> {
            match options.text(name) {
                Some(_) => options.get(name),
                None => Ok(default),
            }
        }
        let defaults = Settings::DEFAULT;
        Ok(Settings {
            heights: read(options, "heights", defaults.heights)?,
            timers: read(options, "timers", defaults.timers)?,
            propose: read(options, "propose", defaults.propose)?,
            prevote: read(options, "prevote", defaults.prevote)?,
            precommit: read(options, "precommit", defaults.precommit)?,
            delta: read(options, "delta", defaults.delta)?,
            value_first: read(options, "value_first", defaults.value_first)?,
            rebroadcast: read(options, "rebroadcast", defaults.rebroadcast)?,
            sync: read(options, "sync", defaults.sync)?,
        })
    }

    /// An asynchronous network with crashes and recovery, and one liar: what 4 validators bear. Messages that
    /// arrive twice do no harm to a protocol that counts voters.
    pub fn contract(&self) -> Contract {
        let timers = match self.timers {
            TimerModel::WhenDue => Timers::WhenDue,
            TimerModel::Anytime => Timers::Anytime,
        };
        Contract { timers, byzantine_max: 1, ..Contract::asynchronous() }
    }
}

impl fmt::Display for TimerModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimerModel::WhenDue => "when-due",
            TimerModel::Anytime => "anytime",
        })
    }
}

impl FromStr for TimerModel {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<TimerModel, &'static str> {
        match text {
            "when-due" => Ok(TimerModel::WhenDue),
            "anytime" => Ok(TimerModel::Anytime),
            _ => Err("it is one of when-due, anytime"),
        }
    }
}

/// Which properties are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Properties {
    /// All of them.
    #[default]
    All,
    /// What consensus is for: agreement and validity.
    Agreement,
    /// That locks last.
    Locks,
    /// That no correct validator says two things in a round.
    Equivocation,
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Properties::All => "all",
            Properties::Agreement => "agreement",
            Properties::Locks => "locks",
            Properties::Equivocation => "equivocation",
        })
    }
}

impl FromStr for Properties {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Properties, &'static str> {
        match text {
            "all" => Ok(Properties::All),
            "agreement" => Ok(Properties::Agreement),
            "locks" => Ok(Properties::Locks),
            "equivocation" => Ok(Properties::Equivocation),
            _ => Err("it is one of all, agreement, locks, equivocation"),
        }
    }
}
