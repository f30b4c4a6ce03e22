//! The target.

use shakedown_campaign::{AnyTarget, Target};
use shakedown_cluster::{BadOption, Contract, Options, Order};
use shakedown_conform::follow::Following;

use crate::Process;
use crate::model::{AppMasterMapping, AppMasterProjection, model};

/// A master, a worker, the terminator and the client.
pub const FEWEST_NODES: usize = 4;
/// The longest chain of tasks.
const TASKS_MAX: u32 = 10_000;

/// The processes on links that are first in, first out.
pub fn target() -> Target<Process> {
    Target::new("appmaster")
        .version(concat!("shakedown-appmaster ", env!("CARGO_PKG_VERSION")))
        .about("the microbenchmark of model-guided fuzzing: careless=true fails in one order of deliveries")
        .nodes(8)
        .nodes_min(FEWEST_NODES)
        .steps(300)
        .option("tasks", 10, "how many executions it takes to serve the request (n)")
        .option("careless", false, "whether a worker without a buffer fails at its last task: the bug")
        .contract_by(|options| {
            tasks(options)?;
            Ok(Contract { order: Order::Fifo, ..Contract::reliable() })
        })
        .follow(
            Following::by::<AppMasterMapping, _>(
                "AppMaster",
                "states of the TLA+ model (specs/AppMaster.tla)",
                |nodes, options| Ok(model(nodes, tasks(options)?)),
            )
            .recorded::<AppMasterMapping, _, _>(|options| Ok(AppMasterProjection { tasks: tasks(options)? })),
        )
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

fn tasks(options: &Options) -> Result<u32, BadOption> {
    let tasks: u32 = options.get("tasks")?;
    if tasks == 0 || tasks > TASKS_MAX {
        let reason = format!("it is a number from 1 to {TASKS_MAX}");
        return Err(BadOption { name: "tasks".to_owned(), value: tasks.to_string(), reason });
    }
    Ok(tasks)
}
