//! How long the scenarios are: filters and lines, beside those of the authors' unit tests (thesis, table
//! 3.3). The second count of lines takes in every function of the file that a scenario uses.

use std::collections::{BTreeMap, BTreeSet};

use shakedown_campaign::AnyTarget;

/// The authors' unit tests: name, filters, lines.
const PAPER: [(&str, usize, usize); 34] = [
    ("Liveness", 5, 64),
    ("LivenessNoCQ", 5, 64),
    ("NoLiveness", 5, 33),
    ("ConfChangeBug", 5, 94),
    ("DropHeartbeat", 2, 69),
    ("DropVotes", 1, 44),
    ("DropFVotes", 1, 57),
    ("DropAppend", 1, 81),
    ("ReVote", 2, 54),
    ("ManyReVote", 2, 64),
    ("MultiReVote", 2, 60),
    ("ExpectUnlock", 3, 90),
    ("Relocked", 4, 115),
    ("LockedCommit", 3, 85),
    ("LaggingReplica", 3, 71),
    ("ForeverLaggingReplica", 5, 89),
    ("RoundSkip", 3, 74),
    ("BlockVotes", 2, 55),
    ("PrecommitInvariant", 1, 68),
    ("CommitAfterRoundSkip", 3, 82),
    ("DifferentDecisions", 8, 180),
    ("NilPrevotes", 2, 61),
    ("ProposalNilPrevote", 1, 56),
    ("NotNilDecide", 2, 49),
    ("GarbledMessage", 1, 68),
    ("HigherRound", 1, 91),
    ("DPropForP", 2, 60),
    ("DPropSame", 2, 40),
    ("DropWrite", 1, 30),
    ("DropWriteForP", 1, 33),
    ("ExpectNewEpoch", 1, 28),
    ("ExpectStop", 1, 38),
    ("ByzLeaderChange", 3, 46),
    ("PrevEpochProposal", 2, 53),
];

/// The functions of a source file by name, each with its lines; comments above it are not counted.
fn functions(source: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut functions: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut current = None;
    for line in source.lines() {
        if !line.starts_with(' ')
            && let Some((_, rest)) = line.split_once("fn ")
        {
            current = rest.split(['(', '<']).next();
        }
        if let Some(name) = current {
            functions.entry(name).or_default().push(line);
        }
        if line == "}" {
            current = None;
        }
    }
    functions
}

/// The functions that a function calls, those that they call, and so on.
fn called<'a>(functions: &BTreeMap<&'a str, Vec<&str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        let body = functions[name].join("\n");
        let is_called = |other: &str| {
            body.match_indices(&format!("{other}("))
                .any(|(at, _)| !body[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        for &other in functions.keys() {
            if is_called(other) && found.insert(other) {
                open.push(other);
            }
        }
    }
    found
}

/// The function that makes a scenario: it has its name, or is given it where scenarios are listed.
fn maker<'a>(functions: &BTreeMap<&'a str, Vec<&str>>, scenario: &str) -> Option<&'a str> {
    let quoted = format!("(\"{scenario}\"");
    let (name, lines) =
        functions.iter().find(|(_, lines)| lines.iter().any(|line| line.contains(&quoted)))?;
    if *name != "scenarios" {
        return Some(name);
    }
    let line = lines.iter().find(|line| line.contains(&quoted))?;
    let given_to = line.split(&quoted).next()?.trim();
    functions.keys().find(|name| **name == given_to).copied()
}

fn main() {
    let sources = [
        include_str!("../../../targets/raft/src/scenarios.rs"),
        include_str!("../../../crates/rafts/src/scenarios.rs"),
        include_str!("../../../targets/tendermint/src/scenarios.rs"),
        include_str!("../../../targets/pbft/src/scenarios.rs"),
    ];
    let targets: [Box<dyn AnyTarget>; 3] = [
        Box::new(shakedown_raft::target()),
        Box::new(shakedown_tendermint::target()),
        Box::new(shakedown_pbft::target()),
    ];
    let files = sources.map(functions);
    let infos: Vec<_> = targets.iter().flat_map(|target| &target.info().scenarios).collect();
    println!("scenario               filters  paper  lines  with what they share  paper");
    let (mut own_sum, mut paper_sum) = (0, 0);
    for (name, filters_paper, lines_paper) in PAPER {
        let info = infos.iter().find(|info| info.name == name).expect("every scenario of the paper is there");
        let found = files.iter().find_map(|functions| maker(functions, name).map(|maker| (functions, maker)));
        let (functions, maker) = found.unwrap_or_else(|| panic!("{name} is in one of the files"));
        let own = functions[maker].len();
        let shared: usize = called(functions, maker).into_iter().map(|name| functions[name].len()).sum();
        let filters = info.filters.len();
        (own_sum, paper_sum) = (own_sum + own, paper_sum + lines_paper);
        println!("{name:<22} {filters:>7} {filters_paper:>6} {own:>6} {shared:>21} {lines_paper:>6}");
    }
    let mean = |sum: usize| sum as f64 / PAPER.len() as f64;
    println!("mean {:.1} lines, the paper {:.1}", mean(own_sum), mean(paper_sum));
}
