//! What stands in a target file.

use std::collections::BTreeMap;

use serde::Deserialize;
use shakedown_cluster::{Contract, Crashes, DiskModel, Loss, Order, Timers};
use shakedown_remote::Encoding;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetFile {
    pub version: u32,
    pub target: Head,
    pub contract: Option<ContractTable>,
    #[serde(default)]
    pub options: BTreeMap<String, OptionTable>,
    #[serde(default)]
    pub request: Vec<RequestTable>,
    #[serde(default)]
    pub invariants: BTreeMap<String, String>,
}

/// `[target]`: what it is, and how it is run unless something else is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub name: String,
    pub about: Option<String>,
    pub version: Option<String>,
    pub command: Vec<String>,
    pub encoding: Option<Encoding>,
    pub reply_seconds: Option<f64>,
    pub memory_mib: Option<u64>,
    pub nodes: Option<usize>,
    pub nodes_min: Option<usize>,
    pub steps: Option<usize>,
    pub crashes: Option<usize>,
    pub requests: Option<usize>,
    /// How likely each kind of step is, as `--weights` takes it.
    pub weights: Option<String>,
}

/// `[contract]`: what the network, the disks and the clocks may do; what is left out is as `base` has it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractTable {
    #[serde(default)]
    base: Base,
    order: Option<Order>,
    loss: Option<Loss>,
    duplication: Option<bool>,
    crashes: Option<Crashes>,
    disk: Option<DiskModel>,
    timers: Option<Timers>,
    byzantine_max: Option<usize>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Base {
    #[default]
    Asynchronous,
    Sessions,
    Reliable,
}

impl ContractTable {
    pub fn contract(self) -> Contract {
        let base = match self.base {
            Base::Asynchronous => Contract::asynchronous(),
            Base::Sessions => Contract::sessions(),
            Base::Reliable => Contract::reliable(),
        };
        Contract {
            order: self.order.unwrap_or(base.order),
            loss: self.loss.unwrap_or(base.loss),
            duplication: self.duplication.unwrap_or(base.duplication),
            crashes: self.crashes.unwrap_or(base.crashes),
            disk: self.disk.unwrap_or(base.disk),
            timers: self.timers.unwrap_or(base.timers),
            byzantine_max: self.byzantine_max.unwrap_or(base.byzantine_max),
        }
    }
}

/// `[options.NAME]`: an option that nodes get at boot and `--set` changes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionTable {
    pub default: String,
    #[serde(default)]
    pub about: String,
}

/// `[[request]]`: something that clients ask.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestTable {
    /// JSON, with `$number` and `$below(N)` in it.
    pub json: String,
    /// How often it is asked, beside the others.
    #[serde(default = "one")]
    pub weight: u64,
}

fn one() -> u64 {
    1
}
