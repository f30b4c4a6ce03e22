//! What stands in a target file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use shakedown_cluster::{Contract, Crashes, DiskModel, Loss, NODES_MAX, Order, Timers};
use shakedown_live::Deployment;
use shakedown_remote::Encoding;
use shakedown_target::{REQUESTS_MAX, STEPS_MAX};
use toml::Spanned;

use crate::abstractions::WaypointTable;
use crate::model::ModelTable;
use crate::oracles::OracleTables;
use crate::path::Path;
use crate::template::Template;
use crate::within::Within;
use crate::workload::WorkloadName;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetFile {
    pub version: Spanned<u32>,
    pub target: Spanned<Head>,
    pub contract: Option<ContractTable>,
    /// Settings of the command `run`: see `profiles`.
    #[serde(default, rename = "profile")]
    pub _profile: Option<IgnoredAny>,
    /// Servers that are started as they are, in place of `command` or `library`.
    pub deployment: Option<Spanned<Deployment>>,
    #[serde(default)]
    pub options: BTreeMap<String, OptionTable>,
    #[serde(default)]
    pub request: Vec<RequestTable>,
    pub workload: Option<WorkloadTable>,
    #[serde(default)]
    pub oracles: OracleTables,
    #[serde(default)]
    pub invariants: BTreeMap<String, Spanned<String>>,
    /// Scenarios as text, by name.
    #[serde(default)]
    pub scenarios: BTreeMap<String, Spanned<String>>,
    pub model: Option<ModelTable>,
    #[serde(default)]
    pub waypoints: BTreeMap<String, WaypointTable>,
    /// Files of scenarios, beside this one.
    #[serde(default)]
    pub scenario_files: Vec<Spanned<String>>,
}

/// `[target]`: what it is, and how it is run unless something else is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub name: Spanned<String>,
    pub about: Option<String>,
    pub version: Option<String>,
    pub command: Option<Spanned<Vec<String>>>,
    /// A shared library in place of a command, and whether it has a process of its own.
    pub library: Option<Spanned<String>>,
    pub isolated: Option<Spanned<bool>>,
    pub encoding: Option<Encoding>,
    pub reply_seconds: Option<Spanned<f64>>,
    pub memory_mib: Option<u64>,
    pub nodes: Option<Within<1, NODES_MAX>>,
    pub nodes_min: Option<Spanned<Within<1, NODES_MAX>>>,
    pub steps: Option<Within<0, STEPS_MAX>>,
    pub crashes: Option<Within<0, STEPS_MAX>>,
    pub requests: Option<Within<0, REQUESTS_MAX>>,
    /// How likely each kind of step is, as `--weights` takes it.
    pub weights: Option<Spanned<String>>,
    /// Every kind of message that there is.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// What matters of a state to strategies that learn.
    pub colour: Option<Spanned<String>>,
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
            // The node protocol has no word for a redirect.
            clients: base.clients,
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
    pub json: Template,
    /// How often it is asked, beside the others.
    pub weight: Option<Spanned<u64>>,
    /// The operation of the object of `linearizability` that it is.
    pub operation: Option<Spanned<String>>,
    /// Where the key stands in the request.
    pub key: Option<Path>,
    /// Where the value stands in the request.
    pub value: Option<Path>,
    /// Where what was read stands in the answer.
    #[serde(default)]
    pub answer: Path,
    /// What is in an answer that means: this did not happen.
    pub failed: Option<Path>,
    /// Where the client stands in the request, for locks; otherwise the node that was asked stands for it.
    pub client: Option<Path>,
}

/// `[workload]`: requests by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadTable {
    pub name: Spanned<WorkloadName>,
    /// How many keys.
    #[serde(default = "two")]
    pub keys: u64,
}

fn two() -> u64 {
    2
}
