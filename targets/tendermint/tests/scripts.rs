//! Executions by the book, as text: every file in `scripts/` holds options, steps, and what validators report
//! of themselves in each step.
//!
//! Lines that begin with a space are what the validators reported; the others are read. `all KIND` and
//! `all KIND to NODE` deliver everything of a kind that is under way then, in the order of sending.
//! `UPDATE_EXPECT=1 cargo test` writes the files anew.

use std::fmt::Write;
use std::process::ExitCode;

use shakedown_campaign::AnyTarget;
use shakedown_cases::cases;
use shakedown_check::{Agreement, Oracle, Seen};
use shakedown_cluster::{Cluster, Happening, InProcess, Recording, Setup, Step};
use shakedown_tendermint::{TendermintNode, target};

fn cluster(options_text: &str) -> InProcess<TendermintNode> {
    let target: Box<dyn AnyTarget> = Box::new(target());
    let mut options = target.defaults().options.clone();
    for word in options_text.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("`{word}` is no option"));
        assert!(options.text(name).is_some(), "the target has no option `{name}`");
        options.set(name, value);
    }
    let setup = Setup {
        nodes: 4,
        contract: target.contract(&options).expect("these options are right"),
        options: options.into(),
        workload: Vec::new(),
        steps: 100,
        seed: 1,
        recording: Recording::Brief,
    };
    InProcess::boot(&setup).expect("validators boot on empty disks")
}

/// The steps that a line stands for.
fn expand(line: &str, cluster: &InProcess<TendermintNode>) -> Vec<Step> {
    let Some(wanted) = line.strip_prefix("all ") else {
        return vec![line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))];
    };
    let (kind, to) = wanted.split_once(" to ").unwrap_or((wanted, ""));
    let board = cluster.board();
    let mut under_way = board.deliverable().to_vec();
    under_way.sort_unstable();
    under_way.retain(|&index| {
        let message = board.message(index);
        message.kind.as_str() == kind && (to.is_empty() || message.id.to.to_string() == to)
    });
    under_way.into_iter().map(|index| board.deliver(index)).collect()
}

fn play(text: &str) -> String {
    let mut reported = String::new();
    let mut cluster = None;
    let mut seen = 0;
    let mut agreement = Agreement::default();
    for line in text.lines().filter(|line| !line.starts_with(' ')) {
        writeln!(reported, "{line}").expect("a string takes in any text");
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(cluster) = &mut cluster else {
            cluster = Some(self::cluster(line));
            continue;
        };
        for step in expand(line, cluster) {
            if let Err(refusal) = cluster.perform(&step) {
                writeln!(reported, "  refused: {refusal}").expect("a string takes in any text");
            }
        }
        if let Err(reason) = agreement.after_step(&Seen::new(cluster, 0)) {
            writeln!(reported, "  agreement is violated: {reason}").expect("a string takes in any text");
        }
        let board = cluster.board();
        for event in board.events_from(seen) {
            if let Happening::Internal(fact) = event.what {
                let node = board.moments()[event.moment as usize].node;
                writeln!(reported, "  {node} {fact}").expect("a string takes in any text");
            }
        }
        seen = board.moments().len() as u32;
    }
    for state in cluster.iter().flat_map(|cluster| cluster.states()) {
        writeln!(reported, "  at last {state:?}").expect("a string takes in any text");
    }
    reported
}

fn main() -> ExitCode {
    cases![].and_scripts(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts"), play).run()
}
