//! Executions to a bug: the microbenchmark (paper, figure 4 and table 1) and the planted bugs.

use std::cmp::Ordering;
use std::error::Error;

use shakedown_campaign::{Campaign, Silent};
use shakedown_planted_raft::Fault;

use crate::{Asked, Outcome};

/// What is compared, and what the others are compared with: a mode and a guide. Random inputs are the same in
/// both modes.
const STRATEGIES: [(&str, &str); 9] = [
    ("own", "none"),
    ("own", "model"),
    ("own", "trace"),
    ("own", "state"),
    ("own", "code"),
    ("published", "model"),
    ("published", "trace"),
    ("published", "state"),
    ("published", "code"),
];

/// One campaign and how many executions it took to find the bug, if it did.
#[derive(Clone)]
struct Find {
    case: String,
    mode: String,
    guide: String,
    seed: u64,
    most: u64,
    executions: Option<u64>,
}

impl Find {
    fn line(&self) -> String {
        let Find { case, mode, guide, seed, most, .. } = self;
        let executions = self.executions.map_or("-".to_owned(), |executions| executions.to_string());
        format!("find\t{case}\t{mode}\t{guide}\t{seed}\t{most}\t{executions}")
    }

    fn read(line: &str) -> Option<Find> {
        let fields: Vec<_> = line.strip_prefix("find\t")?.split('\t').map(str::to_owned).collect();
        let [case, mode, guide, seed, most, executions] = <[String; 6]>::try_from(fields).ok()?;
        let (seed, most, executions) = (seed.parse().ok()?, most.parse().ok()?, executions.parse().ok());
        Some(Find { case, mode, guide, seed, most, executions })
    }

    /// Who found nothing needs more than who did.
    fn needs(&self) -> u64 {
        self.executions.unwrap_or(self.most + 1)
    }
}

/// The microbenchmark: m workers and n tasks.
pub fn micro(seeds: u64, executions: u64, asked: &Asked) -> Outcome {
    let target = shakedown_appmaster::target();
    let mut finds = Vec::new();
    for (workers, tasks) in [5, 6, 7].into_iter().flat_map(|m| [10, 20, 30, 40].map(|n| (m, n))) {
        let mut campaign = Campaign::new(&target);
        campaign.plan.config.nodes = workers + 3;
        campaign.plan.config.options.set("tasks", tasks);
        campaign.plan.config.options.set("careless", true);
        let case = format!("m = {workers}, n = {tasks}");
        finds.extend(run(&case, &campaign, ",horizon=100,messages=1,ticks=0", seeds, executions, asked)?);
    }
    report(&finds);
    Ok(())
}

/// The planted bugs, but for that of reconfiguration, which needs changes of the membership, and so another
/// model.
pub fn planted(seeds: u64, executions: u64, asked: &Asked) -> Outcome {
    let target = shakedown_planted_raft::target();
    let mut finds = Vec::new();
    for fault in Fault::ALL {
        let is_asked = asked.faults.is_empty() || asked.faults.contains(&fault);
        if !fault.violates_invariants() || fault == Fault::ReconfigurationUnfixed || !is_asked {
            continue;
        }
        let mut campaign = Campaign::new(&target);
        campaign.plan.config.nodes =
            if matches!(fault, Fault::QuorumThird | Fault::DuplicateVoteCounted) { 4 } else { 3 };
        campaign.plan.config.steps = 3_000;
        campaign.plan.config.crashes = 10;
        campaign.plan.config.options.set("fault", fault);
        let case = format!("`{fault}`, {} nodes", campaign.plan.config.nodes);
        finds.extend(run(&case, &campaign, ",horizon=100", seeds, executions, asked)?);
    }
    report(&finds);
    Ok(())
}

/// The tables of runs that were told before.
pub fn table(files: &[String]) -> Outcome {
    let mut finds = Vec::new();
    for file in files {
        finds.extend(std::fs::read_to_string(file)?.lines().filter_map(Find::read));
    }
    report(&finds);
    Ok(())
}

/// Runs every strategy with every seed, and tells each as soon as it is done.
fn run(
    case: &str,
    campaign: &Campaign<'_>,
    rest: &str,
    seeds: u64,
    most: u64,
    asked: &Asked,
) -> Result<Vec<Find>, Box<dyn Error>> {
    let mut finds = Vec::new();
    for (mode, guide) in STRATEGIES.into_iter().filter(|(mode, guide)| asked.wants(mode, guide)) {
        for seed in 1..=seeds {
            let strategy = asked.strategy(mode, guide, rest);
            let chosen = strategy.parse()?;
            let mut campaign = campaign.clone();
            campaign.plan.executions = most;
            campaign.plan.seed = seed;
            campaign.plan.strategy = chosen;
            campaign.plan.shrink = None;
            let summary = campaign.run(&Silent)?;
            let executions = (summary.failed > 0).then_some(summary.executions);
            let (case, mode, guide) = (case.to_owned(), mode.to_owned(), guide.to_owned());
            let find = Find { case, mode, guide, seed, most, executions };
            println!("{}", find.line());
            finds.push(find);
        }
    }
    Ok(finds)
}

/// Medians, how many seeds found the bug, and Â₁₂ of each strategy against the model in the same mode.
fn report(finds: &[Find]) {
    let mut cases: Vec<&str> = Vec::new();
    for find in finds {
        if !cases.contains(&find.case.as_str()) {
            cases.push(&find.case);
        }
    }
    let of = |case: &str, mode: &str, guide: &str| -> Vec<&Find> {
        let is_of = |find: &&Find| find.case == case && find.mode == mode && find.guide == guide;
        finds.iter().filter(is_of).collect()
    };
    let ran: Vec<_> = STRATEGIES
        .into_iter()
        .filter(|(mode, guide)| finds.iter().any(|find| find.mode == *mode && find.guide == *guide))
        .collect();
    if ran.is_empty() {
        return;
    }
    let names: Vec<_> = ran.iter().map(|(mode, guide)| format!("{mode}:{guide}")).collect();
    println!("\nexecutions to the bug: median (found/seeds) Â₁₂ against the model in the same mode\n");
    println!("| | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(ran.len()));
    for case in cases {
        let cell = |(mode, guide): &(&str, &str)| {
            // Random inputs belong to both modes.
            let models = ["own", "published"].map(|mode| of(case, mode, "model"));
            let is_own = *mode == "own" && !models[0].is_empty();
            cell(&of(case, mode, guide), &models[usize::from(!is_own)])
        };
        let cells: Vec<_> = ran.iter().map(cell).collect();
        println!("| {case} | {} |", cells.join(" | "));
    }
}

fn cell(finds: &[&Find], model: &[&Find]) -> String {
    let mut needs: Vec<_> = finds.iter().map(|find| (find.needs(), find.executions)).collect();
    needs.sort_unstable();
    let Some((_, median)) = needs.get(needs.len() / 2) else { return "–".to_owned() };
    let median = median.map_or("–".to_owned(), |median| median.to_string());
    let found = finds.iter().filter(|find| find.executions.is_some()).count();
    let size = if model.is_empty() { String::new() } else { format!(" {:.2}", a12(finds, model)) };
    format!("{median} ({found}/{}){size}", finds.len())
}

/// How likely it is that the first needs more executions than the second (Vargha and Delaney): above a half,
/// the second is better.
fn a12(first: &[&Find], second: &[&Find]) -> f64 {
    let mut wins = 0.0;
    for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
        wins += match a.needs().cmp(&b.needs()) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        };
    }
    wins / (first.len() * second.len()) as f64
}
