//! `shakedown worker` and `shakedown fleet status`.

use clap::{Args, Subcommand};
use shakedown_campaign::{AnyTarget, Bench, Silent, bench_of};
use shakedown_fleet::{Status, StreamStatus, WorkerOptions, WorkerStatus, status, work};
use shakedown_report::grouped;

use crate::command_error::CommandError;
use crate::exit_status::ExitStatus;
use crate::fleet_options::FleetAccess;
use crate::history_command::bench as history_bench;
use crate::interruption::interruptions;
use crate::jobs::Jobs;
use crate::terminal::{print_json, print_line, remark};

#[derive(Args)]
pub(crate) struct Worker {
    /// The NATS server, as nats://127.0.0.1:4222 or tls://HOST:4222
    #[arg(long, value_name = "URL")]
    fleet: String,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    access: FleetAccess,
}

#[derive(Subcommand)]
pub(crate) enum FleetCommand {
    /// Print the workers of a fleet, and what waits for them
    Status(FleetStatus),
}

#[derive(Args)]
pub(crate) struct FleetStatus {
    /// The NATS server, as nats://127.0.0.1:4222 or tls://HOST:4222
    #[arg(long, value_name = "URL")]
    fleet: String,
    #[command(flatten)]
    access: FleetAccess,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Works until it is interrupted or asked to end; then it finishes the batch that it runs.
pub(crate) fn worker(targets: &[Box<dyn AnyTarget>], options: &Worker) -> Result<ExitStatus, CommandError> {
    let bench = |name: &str, common: &[u8]| match bench_of(targets, name, common) {
        Some(bench) => bench,
        None => history_bench(name, common).map(|bench| -> Box<dyn Bench> { bench }),
    };
    let how = WorkerOptions {
        jobs: options.jobs.or_cores(),
        stop: interruptions(),
        bench: Box::new(bench),
        notice: Box::new(|text| remark!("{text}")),
    };
    let worked = work(&options.access.options(&options.fleet), targets, how, &Silent)?;
    let (messages, bytes) = worked.sent;
    print_line!(
        "{} executions in {} batches; {} messages, {} bytes sent",
        grouped(worked.executions),
        grouped(worked.batches),
        grouped(messages),
        grouped(bytes)
    );
    Ok(ExitStatus::Pass)
}

pub(crate) fn fleet(command: &FleetCommand) -> Result<ExitStatus, CommandError> {
    let FleetCommand::Status(options) = command;
    let status = status(&options.access.options(&options.fleet))?;
    if options.json {
        print_json(&as_json(&status));
    } else {
        print_status(&status);
    }
    Ok(ExitStatus::Pass)
}

fn print_status(status: &Status) {
    match status.workers.len() {
        0 => print_line!("no workers"),
        1 => print_line!("1 worker"),
        count => print_line!("{count} workers"),
    }
    for worker in &status.workers {
        let WorkerStatus { name, build, jobs, executions, rate, busy, redelivered, campaign, .. } = worker;
        let campaign = campaign.as_deref().unwrap_or("-");
        print_line!(
            "  {name}  jobs {jobs}  executions {}  {rate:.0}/s  busy {:.0} %  redelivered {redelivered}  campaign {campaign}  \
             build {build}",
            grouped(*executions),
            busy * 100.0
        );
    }
    for StreamStatus { name, messages, bytes } in &status.streams {
        print_line!("  {name}  {} messages, {} bytes", grouped(*messages), grouped(*bytes));
    }
    print_line!(
        "  {} batches wait for a worker, {} are with one, {} were delivered again",
        status.waiting,
        status.under_way,
        status.redelivered
    );
}

fn as_json(status: &Status) -> serde_json::Value {
    let worker = |worker: &WorkerStatus| {
        serde_json::json!({
            "name": worker.name, "build": worker.build, "version": worker.version, "jobs": worker.jobs,
            "executions": worker.executions, "executions_per_second": worker.rate, "busy": worker.busy,
            "redelivered": worker.redelivered, "campaign": worker.campaign,
        })
    };
    let stream = |stream: &StreamStatus| serde_json::json!({ "name": stream.name, "messages": stream.messages, "bytes": stream.bytes });
    serde_json::json!({
        "workers": status.workers.iter().map(worker).collect::<Vec<_>>(),
        "streams": status.streams.iter().map(stream).collect::<Vec<_>>(),
        "waiting": status.waiting,
        "under_way": status.under_way,
        "redelivered": status.redelivered,
    })
}
