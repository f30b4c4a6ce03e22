//! The options of the target, read.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use shakedown_cluster::{BadOption, Options};
use shakedown_conform::{NO_SPEC, SPEC_OPTION};

use crate::model::FOLLOWED;

/// The most ticks, and the most entries of a batch: the library makes room for all of a batch.
const NUMBER_MAX: u64 = 1_000_000;

/// What a server is configured with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// After how many ticks a server looks whether the leader still lives.
    pub election_tick: NonZeroU64,
    /// After how many ticks a server sends again what seems lost.
    pub resend_tick: NonZeroU64,
    /// How many entries are sent and stored together.
    pub batch_size: NonZeroU64,
    /// After how many ticks an unfinished batch is sent and stored.
    pub flush_batch_tick: NonZeroU64,
    /// Whether servers send each other heartbeats.
    pub heartbeats: bool,
    /// Whether the whole state is compared with a specification.
    pub is_compared: bool,
}

const fn positive(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("the defaults are positive")
}

impl Settings {
    /// What holds unless something else is said.
    pub const DEFAULT: Settings = Settings {
        election_tick: positive(1),
        resend_tick: positive(20),
        batch_size: positive(1),
        flush_batch_tick: positive(5),
        heartbeats: true,
        is_compared: false,
    };

    /// Reads the options; one that is not given has its default.
    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        let read = |name: &str, default: NonZeroU64| match options.text(name) {
            Some(text) => match options.get::<NonZeroU64>(name) {
                Ok(number) if number.get() <= NUMBER_MAX => Ok(number),
                _ => Err(BadOption {
                    name: name.to_owned(),
                    value: text.to_owned(),
                    reason: format!("it is a number from 1 to {NUMBER_MAX}"),
                }),
            },
            None => Ok(default),
        };
        Ok(Settings {
            election_tick: read("election_tick", Settings::DEFAULT.election_tick)?,
            resend_tick: read("resend_tick", Settings::DEFAULT.resend_tick)?,
            batch_size: read("batch_size", Settings::DEFAULT.batch_size)?,
            flush_batch_tick: read("flush_batch_tick", Settings::DEFAULT.flush_batch_tick)?,
            heartbeats: match options.text("heartbeats") {
                Some(_) => options.get("heartbeats")?,
                None => Settings::DEFAULT.heartbeats,
            },
            is_compared: options.text(SPEC_OPTION).is_some_and(|spec| spec != NO_SPEC && spec != FOLLOWED),
        })
    }
}

/// Which properties are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Properties {
    /// All of them.
    #[default]
    All,
    /// That no two servers decide differently.
    Agreement,
    /// That the decided index of a server never goes back.
    Decided,
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Properties::All => "all",
            Properties::Agreement => "agreement",
            Properties::Decided => "decided",
        })
    }
}

impl FromStr for Properties {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Properties, &'static str> {
        match text {
            "all" => Ok(Properties::All),
            "agreement" => Ok(Properties::Agreement),
            "decided" => Ok(Properties::Decided),
            _ => Err("it is one of all, agreement, decided"),
        }
    }
}
