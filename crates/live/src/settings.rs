//! What a cluster of servers is made from, apart from what every cluster is made from.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use shakedown_cluster::{BadOption, Contract, DiskModel, Loss, Options, Order};

use crate::client::Clients;
use crate::deployment::{Deployment, TransportKind};
use crate::network::CutStyle;

/// The option that holds what is controlled: messages or links.
pub const GRAIN_OPTION: &str = "grain";
/// The option that holds what a cut does to connections.
pub const CUTS_OPTION: &str = "cuts";
/// The option that holds what a server that is started again finds.
pub const DATA_OPTION: &str = "data";
/// The option that holds whether servers are paused.
pub const PAUSES_OPTION: &str = "pauses";
/// The option that holds how long a tick takes, in milliseconds.
pub const TICK_OPTION: &str = "tick_ms";
/// The option that holds how long is waited until servers are quiet, in milliseconds.
pub const QUIET_OPTION: &str = "quiet_ms";
/// The option that holds how long a step waits until servers have dealt with what they were given, in
/// milliseconds; only with a library.
pub const ACKNOWLEDGE_OPTION: &str = "acknowledge_ms";
/// The option that holds how long nothing may have come from servers before a step ends, in milliseconds;
/// only with a library.
pub const STILL_OPTION: &str = "still_ms";
/// The option that holds how long clients wait for an answer, in milliseconds.
pub const REQUEST_OPTION: &str = "request_ms";
/// The option that holds how long servers have after healing, in milliseconds.
pub const SETTLE_OPTION: &str = "settle_ms";
/// The option that holds how long bytes take between servers, in milliseconds; only where links are
/// controlled.
pub const DELAY_OPTION: &str = "delay_ms";

/// What is controlled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Grain {
    /// Every message waits until a step delivers it.
    #[default]
    Message,
    /// Messages pass by themselves; links are cut and healed.
    Link,
}

/// What a server that is started again finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Data {
    /// Everything that it has written. A kill loses nothing that the kernel has, also what was never flushed.
    #[default]
    Kept,
    /// Nothing.
    Lost,
    /// What the last step `flush` has copied, or everything: the crash says which. Most servers do not
    /// promise to survive that.
    Snapshot,
}

/// Cuts, as an option has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cuts(pub CutStyle);

macro_rules! words {
    ($type:ty, $($value:path => $word:literal),+) => {
        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<$type, String> {
                match text {
                    $($word => Ok($value.into()),)+
                    _ => Err(format!("it is one of {}", [$($word),+].join(", "))),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(if *self == <$type>::from($value) {
                    return f.write_str($word);
                })+
                Ok(())
            }
        }
    };
}

impl From<CutStyle> for Cuts {
    fn from(style: CutStyle) -> Cuts {
        Cuts(style)
    }
}

words!(Grain, Grain::Message => "message", Grain::Link => "link");
words!(Data, Data::Kept => "kept", Data::Lost => "lost", Data::Snapshot => "snapshot");
words!(Cuts, CutStyle::Reset => "reset", CutStyle::Silent => "silent", CutStyle::Lossy => "lossy");

/// The options of an execution, as they are given.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub grain: Grain,
    pub cuts: CutStyle,
    pub data: Data,
    pub pauses: bool,
    pub tick: Duration,
    pub quiet: Duration,
    pub acknowledge: Duration,
    pub still: Duration,
    pub request: Duration,
    pub settle: Duration,
    pub delay: Duration,
}

impl Chosen {
    pub fn of(options: &Options) -> Result<Chosen, BadOption> {
        let time = |name: &str| options.get::<u64>(name).map(Duration::from_millis);
        // Some options are there with proxies only, and some with a library only.
        let time_or_none = |name: &str| options.text(name).map_or(Ok(Duration::ZERO), |_| time(name));
        Ok(Chosen {
            grain: options.text(GRAIN_OPTION).map_or(Ok(Grain::Message), |_| options.get(GRAIN_OPTION))?,
            cuts: options
                .text(CUTS_OPTION)
                .map_or(Ok(Cuts(CutStyle::Reset)), |_| options.get(CUTS_OPTION))?
                .0,
            data: options.text(DATA_OPTION).map_or(Ok(Data::Kept), |_| options.get(DATA_OPTION))?,
            pauses: options.is_on(PAUSES_OPTION),
            tick: time(TICK_OPTION)?,
            quiet: time(QUIET_OPTION)?,
            acknowledge: time_or_none(ACKNOWLEDGE_OPTION)?,
            still: time_or_none(STILL_OPTION)?,
            request: time(REQUEST_OPTION)?,
            settle: time(SETTLE_OPTION)?,
            delay: time_or_none(DELAY_OPTION)?,
        })
    }
}

/// The contract of servers with these options. Connections between them keep the order of messages and double
/// none; with a library there are no connections, and the network does what the target says.
pub(crate) fn contract(
    base: &Contract,
    options: &Options,
    transport: TransportKind,
) -> Result<Contract, BadOption> {
    let data = options.text(DATA_OPTION).map_or(Ok(Data::Kept), |_| options.get(DATA_OPTION))?;
    let disk = if data == Data::Snapshot { DiskModel::Buffered } else { DiskModel::Synchronous };
    if transport == TransportKind::Library {
        return Ok(Contract { disk, byzantine_max: 0, ..base.clone() });
    }
    let loss = if base.loss == Loss::Never { Loss::Session } else { base.loss };
    Ok(Contract { order: Order::Fifo, duplication: false, disk, loss, byzantine_max: 0, ..base.clone() })
}

/// What a live target is made from.
pub struct LiveSettings {
    /// How servers are started.
    pub deployment: Deployment,
    /// The folder of the target file, for programs and `{here}`.
    pub here: PathBuf,
    /// What asks the servers.
    pub clients: Option<Arc<dyn Clients>>,
}
