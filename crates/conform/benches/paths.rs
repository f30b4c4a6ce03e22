//! How many paths and steps cover the state graphs of our models, by each setting, and how long it takes to
//! find them.
//!
//! `cargo bench -p shakedown-conform --bench paths [-- SPEC/CONFIG...]`; without names, the models below.
//! Seconds are those of the processor where the system tells (Linux), so that other work on the machine does
//! not count. Memory is the most that the process has had so far, so graphs come in the order of their size.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

use shakedown_conform::paths::{Cover, Covers, Shape, StateGraph, Swaps};
use shakedown_tla::walk::Walker;
use shakedown_tla::{Config, Loader, Spec};

const MODELS: [(&str, &str); 7] = [
    ("AppMaster", "AppMaster"),
    ("Raft", "Raft"),
    ("SequencePaxos", "SequencePaxos"),
    ("TwoPhaseCommit", "TwoPhaseCommit"),
    ("Raft", "Raft-three"),
    ("Raft", "Raft-large"),
    ("TwoPhaseCommit", "TwoPhaseCommit-large"),
];

struct Folder(PathBuf);

impl Loader for Folder {
    fn module(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(format!("{name}.tla"))).ok()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let named: Vec<(&str, &str)> = named.iter().filter_map(|name| name.split_once('/')).collect();
    let models = if named.is_empty() { &MODELS[..] } else { &named };
    for (spec, config) in models {
        measure(spec, config)?;
    }
    Ok(())
}

fn measure(spec: &str, config: &str) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let start = seconds();
    let text = std::fs::read_to_string(folder.join(format!("{config}.cfg")))?;
    let spec = Spec::load(spec, Config::parse(&text)?, &Folder(folder))?;
    let graph = Walker::new(&spec)?.graph(10_000_000)?;
    let (graph, states) = StateGraph::new(graph)?;
    println!(
        "\n{config}: {} states, {} edges, {} labels; {:.1} s to build, {} MiB",
        graph.states(),
        graph.edges(),
        graph.labels().len(),
        seconds() - start,
        memory_mib()
    );
    drop(states);
    println!(
        "| cover | shape | reduced | targets | paths | steps | longest path | seconds | MiB |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|"
    );
    for (what, shape, swaps) in [
        (Covers::Edges, Shape::DepthFirst, None),
        (Covers::Edges, Shape::DepthFirst, Some(Swaps::Single)),
        (Covers::Edges, Shape::DepthFirst, Some(Swaps::Chained)),
        (Covers::Edges, Shape::Greedy, None),
        (Covers::Edges, Shape::Greedy, Some(Swaps::Single)),
        (Covers::Edges, Shape::Greedy, Some(Swaps::Chained)),
        (Covers::Nodes, Shape::DepthFirst, None),
        (Covers::Nodes, Shape::Greedy, None),
    ] {
        let (reduce, swaps) = (swaps.is_some(), swaps.unwrap_or_default());
        let cover = Cover { what, shape, reduce, swaps, ..Cover::default() };
        let start = seconds();
        let mut paths = cover.paths(&graph);
        let longest = (&mut paths).map(|path| path.edges.len()).max().unwrap_or_default();
        let seconds = seconds() - start;
        let found = paths.statistics();
        assert_eq!(found.covered, found.targets, "everything is covered");
        let reduced = if reduce { format!("{swaps:?}") } else { "no".to_owned() };
        println!(
            "| {what:?} | {shape:?} | {reduced} | {} | {} | {} | {longest} | {seconds:.2} | {} |",
            found.targets,
            found.paths,
            found.steps,
            memory_mib()
        );
    }
    Ok(())
}

/// How long this thread has been on a processor, or else how long it is since the first question.
fn seconds() -> f64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match told.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => FIRST.elapsed().as_secs_f64(),
    }
}

/// The most memory that this process has had, where the system tells.
fn memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1024
}
