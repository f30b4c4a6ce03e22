//! `shakedown tla`: the commands of the TLA+ engine, and `paths`, which needs more than the engine.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value as Json, json};
use shakedown_conform::ActionCall;
use shakedown_conform::paths::{BadGraph, Cover, Covers, Ends, Path, Shape, StateGraph, Statistics, Swaps};
use shakedown_report::grouped;
use shakedown_tla::command::{Command, CommandError, SpecFiles, print_out};
use shakedown_tla::walk::{State, Walker};

/// Check, simulate and walk TLA+ specifications.
#[derive(Subcommand)]
pub(crate) enum TlaCommand {
    #[command(flatten)]
    Engine(Command),
    /// Turn the state graph into paths that cover it, and print their number
    Paths(Paths),
}

impl TlaCommand {
    /// Runs the command, and says what the process should exit with: the codes are TLC's.
    pub(crate) fn run(&self) -> ExitCode {
        match self {
            TlaCommand::Engine(command) => command.run(),
            TlaCommand::Paths(command) => command.run().map_or_else(CommandError::report, ExitCode::from),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Every action in every state
    Edges,
    /// Every state
    Nodes,
}

#[derive(Clone, Copy, ValueEnum)]
enum Reduce {
    /// The other order is covered, or one that further swaps lead to
    Chained,
    /// The other order itself is covered
    Single,
}

/// Arguments of `paths`.
#[derive(Args)]
pub(crate) struct Paths {
    #[command(flatten)]
    files: SpecFiles,
    /// What the paths have to cover
    #[arg(long, default_value = "edges")]
    cover: What,
    /// Look for fewer steps, instead of going depth first as published
    #[arg(long)]
    greedy: bool,
    /// A path stops after this action; may be repeated
    #[arg(long = "end", value_name = "ACTION")]
    ends: Vec<String>,
    /// If two actions lead to the same state in either order, cover only one of the orders
    #[arg(long, value_name = "SWAPS", num_args = 0..=1, require_equals = true, default_missing_value = "chained")]
    reduce: Option<Reduce>,
    /// Decides which order `--reduce` covers, and which action comes first
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print the first N paths
    #[arg(long, default_value_t = 0, value_name = "N")]
    list: usize,
    /// Give up if there are more states
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    states: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Paths {
    fn run(&self) -> Result<u8, CommandError> {
        let spec = self.files.load()?;
        // What is of no use in the end is said before the graph is built.
        if !spec.config.symmetry.is_empty() || spec.config.view.is_some() {
            return Err(CommandError::usage(BadGraph::Quotient.to_string()));
        }
        let mut walker = Walker::new(&spec)?;
        let (graph, states) = StateGraph::new(walker.graph(self.states)?)
            .map_err(|error| CommandError::usage(error.to_string()))?;
        let cover = self.wanted(&graph)?;
        let mut paths = cover.paths(&graph);
        let mut listed = Vec::new();
        let mut longest = 0;
        for path in &mut paths {
            longest = longest.max(path.edges.len());
            if listed.len() < self.list {
                listed.push(path);
            }
        }
        let found = paths.statistics();
        if self.json {
            let paths: Vec<Json> =
                listed.iter().map(|path| path_json(&mut walker, &graph, &states, path)).collect();
            let json = json!({ "statistics": statistics_json(&graph, found, longest), "paths": paths });
            return Ok(print_out(&format!("{json:#}\n"), 0));
        }
        let mut text = String::new();
        for (number, path) in (1..).zip(&listed) {
            let begins = if graph.initial() > 1 {
                format!(", from initial state {}", path.initial + 1)
            } else {
                String::new()
            };
            text.push_str(&format!("Path {number}: {} actions{begins}\n", path.edges.len()));
            for edge in &path.edges {
                text.push_str(&format!("  {}\n", graph.action(*edge)));
            }
            text.push('\n');
        }
        text.push_str(&self.statistics_text(&graph, found, longest));
        Ok(print_out(&text, 0))
    }

    fn wanted(&self, graph: &StateGraph) -> Result<Cover, CommandError> {
        for name in &self.ends {
            if !graph.labels().iter().any(|action| action.name.as_str() == name) {
                let message = format!("no action {name} is ever taken; those that are: {}", names(graph));
                return Err(CommandError::usage(message));
            }
        }
        if matches!(self.cover, What::Nodes) && self.reduce.is_some() {
            let message = "--reduce leaves out edges, and every state is covered all the same: leave it out";
            return Err(CommandError::usage(message));
        }
        Ok(Cover {
            what: match self.cover {
                What::Edges => Covers::Edges,
                What::Nodes => Covers::Nodes,
            },
            shape: if self.greedy { Shape::Greedy } else { Shape::DepthFirst },
            reduce: self.reduce.is_some(),
            swaps: match self.reduce {
                Some(Reduce::Single) => Swaps::Single,
                _ => Swaps::Chained,
            },
            ends: Ends { actions: self.ends.clone(), states: Vec::new() },
            seed: self.seed,
        })
    }

    fn statistics_text(&self, graph: &StateGraph, found: Statistics, longest: usize) -> String {
        let beyond = |reached: u64, all: u32| match u64::from(all) - reached {
            0 => String::new(),
            rest => format!("  ({} more lie beyond an end)", grouped(rest)),
        };
        let what = match self.cover {
            What::Edges => "edges",
            What::Nodes => "states",
        };
        let mean = found.steps as f64 / found.paths.max(1) as f64;
        format!(
            "states   {}{}\nedges    {}{}\ntargets  {} {what}\npaths    {}\n\
             steps    {}  ({mean:.1} a path, {longest} at most)\n",
            grouped(found.states),
            beyond(found.states, graph.states()),
            grouped(found.edges),
            beyond(found.edges, graph.edges()),
            grouped(found.targets),
            grouped(found.paths),
            grouped(found.steps)
        )
    }
}

/// The names of all actions that are taken.
fn names(graph: &StateGraph) -> String {
    let mut names: Vec<&str> = graph.labels().iter().map(|action| action.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

fn statistics_json(graph: &StateGraph, found: Statistics, longest: usize) -> Json {
    json!({
        "graph": { "states": graph.states(), "initial": graph.initial(), "edges": graph.edges() },
        "states": found.states,
        "edges": found.edges,
        "targets": found.targets,
        "covered": found.covered,
        "paths": found.paths,
        "steps": found.steps,
        "longest": longest,
    })
}

/// A path whose actions `tla run` can read.
fn path_json(walker: &mut Walker, graph: &StateGraph, states: &[State], path: &Path) -> Json {
    let initial = walker.to_json(&states[path.initial as usize]);
    let actions: Vec<Json> = path.edges.iter().map(|edge| action_json(graph.action(*edge))).collect();
    json!({ "initial": initial, "actions": actions })
}

fn action_json(action: &ActionCall) -> Json {
    let arguments: Vec<Json> = action.arguments.iter().map(shakedown_conform::Value::to_json).collect();
    json!({ "action": action.name.as_str(), "arguments": arguments })
}
