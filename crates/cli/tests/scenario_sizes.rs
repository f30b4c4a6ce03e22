//! The scenarios are short: no more filters than the authors' unit tests, and no more lines (thesis, table 3.3), with every
//! function of the file counted that a scenario uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use expect_test::expect;
use shakedown::AnyTarget;

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

#[test]
fn no_scenario_has_more_filters_or_lines_than_the_authors() {
    let sources = [
        include_str!("../../../targets/raft/src/scenarios.rs"),
        include_str!("../../rafts/src/scenarios.rs"),
        include_str!("../../../targets/tendermint/src/scenarios.rs"),
        include_str!("../../../targets/pbft/src/scenarios.rs"),
    ];
    let targets: [Box<dyn AnyTarget>; 3] = [
        Box::new(shakedown_raft::target()),
        Box::new(shakedown_tendermint::target()),
        Box::new(shakedown_pbft::target()),
    ];
    let files = sources.map(functions);
    let mut infos = targets.iter().flat_map(|target| &target.info().scenarios);
    let mut table =
        String::from("scenario               filters  paper  lines  with what they share  paper\n");
    let (mut own_sum, mut paper_sum) = (0, 0);
    for (name, filters_paper, lines_paper) in PAPER {
        let info = infos.next().expect("as many scenarios as the paper has");
        assert_eq!(info.name, name, "the scenarios are in the order of the paper");
        let found = files.iter().find_map(|functions| maker(functions, name).map(|maker| (functions, maker)));
        let (functions, maker) = found.unwrap_or_else(|| panic!("{name} is in one of the files"));
        let own = functions[maker].len();
        let shared: usize = called(functions, maker).into_iter().map(|name| functions[name].len()).sum();
        let filters = info.filters.len();
        assert!(filters <= filters_paper, "{name} has {filters} filters, the paper's has {filters_paper}");
        assert!(shared <= lines_paper, "{name} has {shared} lines in all, the paper's has {lines_paper}");
        (own_sum, paper_sum) = (own_sum + own, paper_sum + lines_paper);
        writeln!(table, "{name:<22} {filters:>7} {filters_paper:>6} {own:>6} {shared:>21} {lines_paper:>6}")
            .expect("text");
    }
    assert!(infos.next().is_none());
    let mean = |sum: usize| sum as f64 / PAPER.len() as f64;
    writeln!(table, "mean {:.1} lines, the paper {:.1}", mean(own_sum), mean(paper_sum)).expect("text");
    expect![[r#"
        scenario               filters  paper  lines  with what they share  paper
        Liveness                     3      5     24                    39     64
        LivenessNoCQ                 3      5     24                    39     64
        NoLiveness                   5      5     27                    33     33
        ConfChangeBug                5      5     43                    43     94
        DropHeartbeat                2      2     21                    27     69
        DropVotes                    1      1     17                    23     44
        DropFVotes                   1      1     13                    19     57
        DropAppend                   1      1     18                    21     81
        ReVote                       2      2     11                    31     54
        ManyReVote                   2      2     22                    42     64
        MultiReVote                  1      2     13                    16     60
        ExpectUnlock                 3      3     17                    67     90
        Relocked                     4      4     17                    69    115
        LockedCommit                 3      3     25                    66     85
        LaggingReplica               3      3     17                    58     71
        ForeverLaggingReplica        5      5     20                    61     89
        RoundSkip                    3      3     18                    63     74
        BlockVotes                   2      2     14                    39     55
        PrecommitInvariant           1      1      8                    36     68
        CommitAfterRoundSkip         3      3     18                    68     82
        DifferentDecisions           8      8     24                    77    180
        NilPrevotes                  2      2     18                    38     61
        ProposalNilPrevote           1      1     15                    43     56
        NotNilDecide                 2      2     15                    48     49
        GarbledMessage               1      1      6                    29     68
        HigherRound                  1      1     17                    40     91
        DPropForP                    2      2     16                    29     60
        DPropSame                    2      2     14                    23     40
        DropWrite                    1      1      6                    19     30
        DropWriteForP                1      1      7                    13     33
        ExpectNewEpoch               1      1      7                    20     28
        ExpectStop                   1      1      7                    17     38
        ByzLeaderChange              3      3      9                    26     46
        PrevEpochProposal            2      2     14                    27     53
        mean 16.5 lines, the paper 66.1
    "#]]
    .assert_eq(&table);
}
