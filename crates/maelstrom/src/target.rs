//! The target: processes as nodes, the requests and the checks of a workload, and an end in which the network
//! is healed.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use shakedown_check::{OracleInfo, SpecTrace};
use shakedown_cluster::{BadOption, Contract, Options, Recording, StepKind};
use shakedown_explore::{Execution, Strategy, Weights};
use shakedown_histories::{MODELS, Model};
use shakedown_scenario::{BadScenario, MonitorOptions};
use shakedown_target::{AnyTarget, CannotBegin, Config, Live, Target, TargetInfo};

use crate::checks::oracles;
use crate::nemesis::Nemesis;
use crate::node::MaelstromNode;
use crate::programs::{Programs, beginning};
use crate::settle::Settling;
use crate::topology::Topology;
use crate::workload::Workload;
use crate::{NodeCommand, TICK_OPTION, TOPOLOGY_OPTION, WORKLOAD_OPTION};

/// The name of the target; failure files hold it.
pub const NAME: &str = "maelstrom";
/// The option that holds what goes wrong.
pub const NEMESIS_OPTION: &str = "nemesis";
/// The option that holds how long nodes have after healing, in milliseconds.
pub const SETTLE_OPTION: &str = "settle_ms";
/// The option that holds the consistency model of transactions.
pub const CONSISTENCY_OPTION: &str = "consistency";

/// A consistency model by its name.
struct Consistency(String);

impl FromStr for Consistency {
    type Err = String;

    fn from_str(text: &str) -> Result<Consistency, String> {
        match Model::of(text) {
            Some(_) => Ok(Consistency(text.to_owned())),
            None => {
                let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
                Err(format!("it is one of {}", names.join(", ")))
            }
        }
    }
}

impl fmt::Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Nodes written for Maelstrom as a target. What they do depends on their own threads and clocks: it is not
/// deterministic.
pub struct MaelstromTarget(Target<MaelstromNode>);

impl MaelstromTarget {
    /// Nodes that this command starts, under this workload. Nothing is started yet.
    pub fn new(command: NodeCommand, workload: Workload) -> MaelstromTarget {
        let target = Target::<MaelstromNode>::new(NAME)
            .about("nodes written for Maelstrom")
            .version(command.to_string())
            .nodes(if workload == Workload::Echo { 1 } else { 3 })
            .steps(120)
            .crashes(2)
            .not_deterministic()
            .option(WORKLOAD_OPTION, workload, "what clients ask, and what must hold")
            .option(NEMESIS_OPTION, Nemesis::default(), "what goes wrong besides delays")
            .option(TOPOLOGY_OPTION, Topology::Grid, "the neighbours that broadcast nodes are given")
            .option(
                CONSISTENCY_OPTION,
                Consistency("strict-serializable".to_owned()),
                "the model of transactions",
            )
            .option(TICK_OPTION, 10u64, "how much real time a tick gives a node, in milliseconds")
            .option(SETTLE_OPTION, 10_000u64, "how long nodes have after healing, in milliseconds")
            .contract_by(|options| Ok(options.get::<Nemesis>(NEMESIS_OPTION)?.contract()))
            .weights(weights())
            .workload(12, |config, random| {
                let workload: Workload = config.options.get(WORKLOAD_OPTION).unwrap_or(Workload::Echo);
                workload.requests(config.requests, random)
            })
            .oracles(|config| {
                let workload: Workload = config.options.get(WORKLOAD_OPTION).unwrap_or(Workload::Echo);
                oracles(workload, config.options.text(CONSISTENCY_OPTION).unwrap_or_default())
            })
            .environment(Arc::new(Programs::new(command)));
        MaelstromTarget(target)
    }

    /// The execution with its end.
    fn settling(&self, config: &Config, inner: Box<dyn Live>) -> Result<Box<dyn Live>, CannotBegin> {
        let text = |name: &str| config.options.text(name).or_else(|| self.defaults().options.text(name));
        let number = |name: &str| {
            text(name).and_then(|text| text.parse().ok()).map_or(Duration::ZERO, Duration::from_millis)
        };
        let workload = text(WORKLOAD_OPTION).and_then(|text| text.parse().ok()).unwrap_or(Workload::Echo);
        let (slice, time) = (number(TICK_OPTION), number(SETTLE_OPTION));
        Ok(Box::new(Settling { inner, workload, execution: beginning(), slice, time }))
    }
}

/// Executions are short, for each step waits for a process: clients ask often.
fn weights() -> Weights {
    Weights::default()
        .with(StepKind::Tick, 6)
        .with(StepKind::Request, 25)
        .with(StepKind::Cut, 3)
        .with(StepKind::Heal, 4)
        .with(StepKind::Drop, 3)
        .with(StepKind::Duplicate, 3)
        .with(StepKind::Crash, 2)
}

impl AnyTarget for MaelstromTarget {
    fn info(&self) -> &TargetInfo {
        self.0.info()
    }

    fn validate_scenario(&self, scenario: &str, nodes: usize) -> Result<(), BadScenario> {
        self.0.validate_scenario(scenario, nodes)
    }

    fn monitor(
        &self,
        scenario: &str,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Option<Box<dyn Strategy>> {
        self.0.monitor(scenario, options, inner, execution, nodes)
    }

    fn contract(&self, options: &Options) -> Result<Contract, BadOption> {
        AnyTarget::contract(&self.0, options)
    }

    fn oracles(&self, config: &Config) -> Result<Vec<OracleInfo>, CannotBegin> {
        AnyTarget::oracles(&self.0, config)
    }

    fn begin_guided(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: &[String],
    ) -> Result<Box<dyn Live>, CannotBegin> {
        let inner = self.0.begin_guided(config, seed, recording, guides)?;
        self.settling(config, inner)
    }

    fn begin_traced(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        trace: &SpecTrace,
    ) -> Result<Box<dyn Live>, CannotBegin> {
        self.0.begin_traced(config, seed, recording, trace)
    }
}
