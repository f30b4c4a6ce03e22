//! What monitors do, as text: every file in `tests/scripts/` holds what clients ask, filters and a property,
//! and below the line what comes of it.
//!
//! What is above the line:
//!
//! - `nodes 3`, `one-liar`, `no-duplicates`, `timers-anytime` and `steps 20`: the cluster, and the most steps
//!   of an iteration. `kinds A B`: the kinds of messages that there are.
//! - `set-up victims n2 n3`: a part that is made when an iteration is set up; `parts h=1 rest=2`: parts that
//!   are drawn.
//! - `clause count votes`: a clause of the protocol that every event covers, and that counts in its memory.
//! - `n1 asks A>n2 B>n3`: a client has n1 send these messages; see `puppet.rs`. `tick n1`, `crash n1`,
//!   `restart n1`: so the strategy. It delivers the oldest message that is left to it, and does the next of
//!   these lines when there is none.
//! - `filter CONDITION -> ACTIONS`, and `property STATE: …`: see `words.rs`.
//!
//! Below the line are the events as the monitor explains them, the steps with who wanted each (the strategy
//! underneath, or a filter), and the report. `UPDATE_EXPECT=1 cargo test` writes it anew.

mod puppet;
mod words;

use std::any::Any;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use puppet::{Order, Puppet};
use shakedown_cases::cases;
use shakedown_cluster::{
    Cluster, Contract, InProcess, MessageIndex, Options, Recording, Setup, Step, Timers,
};
use shakedown_explore::{Execution, Insight, Sight, Strategy};
use shakedown_scenario::{Clause, IterationReport, Machine, Monitor, MonitorOptions, Scenario, machine};

const LINE: &str = "----";

/// What is above the line.
struct Script {
    nodes: usize,
    steps_max: usize,
    contract: Contract,
    /// The kinds of messages that there are, if the script says so.
    kinds: Vec<&'static str>,
    /// What the strategy does, but for delivering.
    plan: Vec<Step>,
    scenario: Scenario<Order>,
    clauses: Vec<Clause<Order>>,
}

fn read(text: &str) -> Script {
    let mut script = Script {
        nodes: 3,
        steps_max: 100,
        contract: Contract::asynchronous(),
        kinds: Vec::new(),
        plan: Vec::new(),
        scenario: Scenario::new("script"),
        clauses: Vec::new(),
    };
    let mut property: Option<Machine<Order>> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(filter) = line.strip_prefix("filter ") {
            script.scenario = script.scenario.filter(words::filter(filter));
        } else if let Some(state) = line.strip_prefix("property ") {
            property = Some(words::describe_state(property.unwrap_or_else(machine), state));
        } else if let Some((node, asked)) = line.split_once(" asks ") {
            let op = format!("\"{asked}\"").into();
            script.plan.push(Step::Request(node.parse().expect("a node is like n1"), op));
        } else if let Some(nodes) = line.strip_prefix("nodes ") {
            script.nodes = nodes.parse().expect("a number");
        } else if let Some(steps) = line.strip_prefix("steps ") {
            script.steps_max = steps.parse().expect("a number");
        } else if let Some(kinds) = line.strip_prefix("kinds ") {
            script.kinds = kinds.split(' ').map(words::keep).collect();
        } else if let Some(part) = line.strip_prefix("set-up ") {
            script.scenario = words::set_up(script.scenario, part);
        } else if let Some(parts) = line.strip_prefix("parts ") {
            script.scenario = script.scenario.parts(words::parts(parts));
        } else if let Some(counter) = line.strip_prefix("clause count ") {
            script.clauses.push(words::counting_clause(counter));
        } else if line == "one-liar" {
            script.contract.byzantine_max = 1;
        } else if line == "no-duplicates" {
            script.contract.duplication = false;
        } else if line == "timers-anytime" {
            script.contract.timers = Timers::Anytime;
        } else {
            script.plan.push(line.parse().unwrap_or_else(|error| panic!("`{line}`: {error}")));
        }
    }
    if let Some(property) = property {
        script.scenario = script.scenario.property(property);
    }
    script
}

/// Delivers the oldest message that it may; when there is none, does what comes next in its plan.
struct Oldest {
    plan: std::vec::IntoIter<Step>,
    /// Its steps, with their places in the execution. A filter may keep one back, and have another done in
    /// its place.
    mine: Arc<Mutex<Vec<(usize, Step)>>>,
}

impl Strategy for Oldest {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let oldest = sight.deliverable().iter().min().map(|&index| sight.board().deliver(index));
        let step = oldest.or_else(|| self.plan.next())?;
        self.mine.lock().expect("nobody panicked").push((sight.board().steps().len(), step.clone()));
        Some(step)
    }
}

struct Open<'a>(&'a InProcess<Puppet>);

impl Insight for Open<'_> {
    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.0.contents(message)
    }
}

fn play(text: &str) -> String {
    let input = text.split_once(LINE).map_or(text, |(input, _)| input).trim_end();
    let script = read(input);
    let mut out = format!("{input}\n{LINE}\n");
    match script.scenario.validate(script.nodes, &script.kinds) {
        Ok(()) => run(script, &mut out),
        Err(error) => writeln!(out, "error: {error}").expect("text"),
    }
    out
}

fn run(script: Script, out: &mut String) {
    let setup = Setup {
        nodes: script.nodes,
        contract: script.contract,
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        seed: 1,
        recording: Recording::Full,
        steps: script.steps_max,
    };
    let execution = Execution { number: 0, seed: 1, steps_max: script.steps_max };
    let mine = Arc::new(Mutex::new(Vec::new()));
    let inner = Oldest { plan: script.plan.into_iter(), mine: Arc::clone(&mine) };
    let options = MonitorOptions { explain: true, ..MonitorOptions::default() };
    let scenario = Arc::new(script.scenario);
    let mut monitor = Monitor::new(
        Arc::clone(&scenario),
        script.clauses.into(),
        options,
        Box::new(inner),
        &execution,
        script.nodes,
    );
    let mut cluster = InProcess::<Puppet>::boot(&setup).expect("puppets boot");
    for _ in 0..1_000 {
        let Some(step) = monitor.next(&Sight::new(cluster.board(), &Open(&cluster))) else { break };
        if let Err(refusal) = cluster.perform(&step) {
            writeln!(out, "refused: {step}: {refusal}").expect("text");
        }
    }
    let trace = Box::new(cluster).finish();
    let report = Box::new(monitor).experience(&trace).downcast::<IterationReport>().expect("a report");
    let mine = mine.lock().expect("nobody panicked");
    write_report(out, &report, &scenario, trace.board.steps(), &mine);
}

fn write_report(
    out: &mut String,
    report: &IterationReport,
    scenario: &Scenario<Order>,
    steps: &[Step],
    mine: &[(usize, Step)],
) {
    for line in &report.log {
        writeln!(out, "{line}").expect("text");
    }
    out.push('\n');
    for (number, step) in steps.iter().enumerate() {
        let is_mine = mine.iter().any(|(place, wanted)| (*place, wanted) == (number, step));
        let who = if is_mine { "strategy" } else { "filter" };
        writeln!(out, "{who:<9}{step}").expect("text");
    }
    out.push('\n');
    for (number, tally) in (1..).zip(&report.filters) {
        let deeds: Vec<_> = tally.deeds.iter().map(|(word, count)| format!("{word} {count}")).collect();
        let deeds = if deeds.is_empty() { "did nothing".to_owned() } else { deeds.join(", ") };
        writeln!(out, "filter {number} matched {}: {deeds}", tally.matched).expect("text");
    }
    let states = scenario.info().states;
    let entered: Vec<_> =
        states.iter().zip(&report.states).map(|(state, times)| format!("{state} {times}")).collect();
    let outcome = match (report.is_success, report.is_fail) {
        (true, _) => "success",
        (_, true) => "failure",
        _ => "neither",
    };
    writeln!(out, "states {}; {outcome} in {}", entered.join(", "), report.state).expect("text");
    for count in &report.clauses {
        writeln!(out, "clause covered {count} times").expect("text");
    }
    if report.undecodable + report.refused > 0 {
        let first = report.first_refused.as_deref().unwrap_or("none");
        writeln!(out, "undecodable {}, refused {}: {first}", report.undecodable, report.refused)
            .expect("text");
    }
}

fn a_script_is_the_same_every_time() {
    let text = "n1 asks A>n2 B>n3\nfilter sent -> split 1 2\nproperty start: received -> success";
    assert_eq!(play(text), play(text));
}

fn a_line_that_is_no_word_of_scripts_is_an_error() {
    for line in ["filter sent -> dance", "property start: sent => success", "node 3", "clause sum votes"] {
        assert!(std::panic::catch_unwind(|| play(line)).is_err(), "{line}");
    }
}

fn main() -> ExitCode {
    cases![a_script_is_the_same_every_time, a_line_that_is_no_word_of_scripts_is_an_error]
        .and_scripts(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts"), play)
        .run()
}
