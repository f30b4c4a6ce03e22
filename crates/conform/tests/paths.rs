//! Paths through random graphs, held against definitions that are checked edge by edge.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shakedown_conform::ActionCall;
use shakedown_conform::paths::{BadGraph, Cover, Covers, Ends, Path, Shape, StateGraph, Statistics, Swaps};

const LABELS: u32 = 5;

fn labels(count: u32) -> Vec<ActionCall> {
    (0..count).map(|label| ActionCall::new(&format!("A{label}"), Vec::new())).collect()
}

fn graph(states: u32, initial: u32, edges: &[(u32, u32, u32)]) -> StateGraph {
    StateGraph::from_edges(states, initial, labels(LABELS), edges.to_vec()).expect("the numbers fit")
}

/// Any small graph: dense and sparse, with loops, cycles, parallel edges, actions with several outcomes,
/// states out of reach.
fn any_graph() -> impl Strategy<Value = StateGraph> {
    (1u32..12).prop_flat_map(|states| {
        let edges = prop::collection::vec((0..states, 0..states, 0..LABELS), 0..50);
        (edges, 1..=states.min(3)).prop_map(move |(edges, initial)| graph(states, initial, &edges))
    })
}

/// Counters that go up one by one, with a few edges of any kind on top: full of diamonds that overlap.
fn counters() -> impl Strategy<Value = StateGraph> {
    let edges = prop::collection::vec((0u32..27, 0u32..27, 0..LABELS), 0..8);
    (edges, prop::collection::btree_set(0u32..54, 0..8)).prop_map(|(more, gone)| {
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for state in 0..27u32 {
            for (label, unit) in [(0, 1), (1, 3), (2, 9)] {
                if state / unit % 3 < 2 {
                    edges.push((state, state + unit, label));
                }
            }
        }
        let mut place = 0;
        edges.retain(|_| {
            place += 1;
            !gone.contains(&(place - 1))
        });
        edges.extend(more);
        graph(27, 1, &edges)
    })
}

fn any_cover() -> impl Strategy<Value = Cover> {
    let ends = (prop::collection::vec(0..LABELS, 0..2), prop::collection::vec(0u32..12, 0..3));
    (any::<[bool; 4]>(), ends, 0u64..4).prop_map(
        |([nodes, greedy, reduce, single], (actions, states), seed)| Cover {
            what: if nodes { Covers::Nodes } else { Covers::Edges },
            shape: if greedy { Shape::Greedy } else { Shape::DepthFirst },
            reduce,
            swaps: if single { Swaps::Single } else { Swaps::Chained },
            ends: Ends { actions: actions.iter().map(|label| format!("A{label}")).collect(), states },
            seed,
        },
    )
}

/// The edges that paths may take and the states that they come to, by the definition: what follows from what
/// is repeated until nothing is new.
struct Reach {
    /// States that may be gone on from.
    open: BTreeSet<u32>,
    edges: BTreeSet<u32>,
    states: BTreeSet<u32>,
}

fn stops(graph: &StateGraph, ends: &Ends, edge: u32) -> bool {
    ends.states.contains(&graph.to(edge))
        || ends.actions.iter().any(|name| graph.action(edge).name.as_str() == name)
}

fn reach(graph: &StateGraph, ends: &Ends, allowed: impl Fn(u32) -> bool) -> Reach {
    let states: BTreeSet<u32> = (0..graph.initial()).collect();
    let open = states.iter().copied().filter(|state| !ends.states.contains(state)).collect();
    let mut reach = Reach { open, edges: BTreeSet::new(), states };
    loop {
        let mut is_new = false;
        for edge in (0..graph.edges()).filter(|edge| allowed(*edge)) {
            if reach.open.contains(&graph.from(edge)) {
                is_new |= reach.edges.insert(edge);
                is_new |= reach.states.insert(graph.to(edge));
                if !stops(graph, ends, edge) {
                    is_new |= reach.open.insert(graph.to(edge));
                }
            }
        }
        if !is_new {
            return reach;
        }
    }
}

/// All paths and the statistics at the end; each path is a path from an initial state that does not go beyond
/// an end.
fn real_paths(graph: &StateGraph, cover: &Cover) -> Result<(Vec<Path>, Statistics), TestCaseError> {
    let mut paths = cover.paths(graph);
    let mut found = Vec::new();
    // Far more than there can be: a traversal without an end is a failure, and not a test without one.
    let limit = 2 * graph.edges() as usize + graph.states() as usize;
    for path in &mut paths {
        prop_assert!(path.initial < graph.initial());
        let mut at = path.initial;
        let mut may_go_on = !cover.ends.states.contains(&at);
        for edge in &path.edges {
            prop_assert!(may_go_on, "a path goes on from an end");
            prop_assert_eq!(graph.from(*edge), at);
            at = graph.to(*edge);
            may_go_on = !stops(graph, &cover.ends, *edge);
        }
        found.push(path);
        prop_assert!(found.len() <= limit, "there is no end of paths");
    }
    Ok((found, paths.statistics()))
}

fn taken(paths: &[Path]) -> BTreeSet<u32> {
    paths.iter().flat_map(|path| path.edges.iter().copied()).collect()
}

fn visited(graph: &StateGraph, paths: &[Path]) -> BTreeSet<u32> {
    paths
        .iter()
        .flat_map(|path| std::iter::once(path.initial).chain(path.edges.iter().map(|edge| graph.to(*edge))))
        .collect()
}

/// Every diamond of the edges: both orders.
fn diamonds(graph: &StateGraph, ends: &Ends, edges: &BTreeSet<u32>) -> Vec<([u32; 2], [u32; 2])> {
    let mut pairs: BTreeMap<(u32, u32, u32, u32), Vec<[u32; 2]>> = BTreeMap::new();
    for first in edges.iter().filter(|edge| !stops(graph, ends, **edge)) {
        for second in edges.iter().filter(|edge| graph.from(**edge) == graph.to(*first)) {
            let key = (graph.from(*first), graph.to(*second), graph.label(*first), graph.label(*second));
            pairs.entry(key).or_default().push([*first, *second]);
        }
    }
    let mut diamonds = Vec::new();
    for ((from, to, a, b), orders) in &pairs {
        if a != b
            && let Some(others) = pairs.get(&(*from, *to, *b, *a))
        {
            diamonds.extend(orders.iter().flat_map(|order| others.iter().map(|other| (*order, *other))));
        }
    }
    diamonds
}

fn check(graph: &StateGraph, cover: &Cover) -> Result<(), TestCaseError> {
    let reach = reach(graph, &cover.ends, |_| true);
    let (paths, statistics) = real_paths(graph, cover)?;
    let (edges, states) = (taken(&paths), visited(graph, &paths));
    prop_assert_eq!(statistics.states, reach.states.len() as u64);
    prop_assert_eq!(statistics.edges, reach.edges.len() as u64);
    prop_assert_eq!(statistics.paths, paths.len() as u64);
    prop_assert_eq!(statistics.steps, paths.iter().map(|path| path.edges.len() as u64).sum::<u64>());
    prop_assert_eq!(statistics.covered, statistics.targets);
    prop_assert!(edges.is_subset(&reach.edges));
    // Whatever is covered, every state is come to.
    prop_assert_eq!(&states, &reach.states);
    match (cover.what, cover.reduce) {
        (Covers::Nodes, _) => prop_assert_eq!(statistics.targets, reach.states.len() as u64),
        (Covers::Edges, false) => {
            prop_assert_eq!(statistics.targets, reach.edges.len() as u64);
            prop_assert_eq!(&edges, &reach.edges);
        }
        (Covers::Edges, true) => {}
    }
    // Every initial state has a path of its own to be compared in.
    for initial in 0..graph.initial() {
        prop_assert!(paths.iter().any(|path| path.initial == initial));
    }
    let again: Vec<Path> = cover.paths(graph).collect();
    prop_assert_eq!(paths, again);
    Ok(())
}

/// What is left out by the reduction is there in another order.
fn check_reduction(graph: &StateGraph, cover: &Cover) -> Result<(), TestCaseError> {
    // Depth first takes targets and nothing else, so what it takes are the targets.
    let depth_first = Cover { what: Covers::Edges, shape: Shape::DepthFirst, reduce: true, ..cover.clone() };
    let (paths, statistics) = real_paths(graph, &depth_first)?;
    let targets = taken(&paths);
    prop_assert_eq!(statistics.targets, targets.len() as u64);
    let all = reach(graph, &cover.ends, |_| true);
    let diamonds = diamonds(graph, &cover.ends, &all.edges);
    let mut stood_for = targets.clone();
    loop {
        let before = stood_for.clone();
        for (order, other) in &diamonds {
            if other.iter().all(|edge| before.contains(edge)) {
                stood_for.extend(order);
            }
        }
        if cover.swaps == Swaps::Single || stood_for == before {
            break;
        }
    }
    prop_assert_eq!(&stood_for, &all.edges, "nothing stands for some edges that are left out");
    let by_targets = reach(graph, &cover.ends, |edge| targets.contains(&edge));
    prop_assert_eq!(&by_targets.open, &all.open);
    prop_assert_eq!(&by_targets.states, &all.states);
    let greedy = Cover { shape: Shape::Greedy, ..depth_first };
    let (paths, statistics) = real_paths(graph, &greedy)?;
    prop_assert_eq!(statistics.targets, targets.len() as u64);
    prop_assert!(targets.is_subset(&taken(&paths)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_cover_what_can_be_reached_and_nothing_beyond_an_end(graph in any_graph(), cover in any_cover()) {
        check(&graph, &cover)?;
    }

    #[test]
    fn paths_cover_graphs_full_of_diamonds(graph in counters(), cover in any_cover()) {
        check(&graph, &cover)?;
    }

    #[test]
    fn what_a_reduction_leaves_out_is_covered_in_another_order(graph in any_graph(), cover in any_cover()) {
        check_reduction(&graph, &cover)?;
    }

    #[test]
    fn overlapping_diamonds_are_never_left_out_on_both_sides(graph in counters(), cover in any_cover()) {
        check_reduction(&graph, &cover)?;
    }
}

/// s0 –a→ s1 –b→ s3, s0 –b→ s2 –a→ s3.
const DIAMOND: [(u32, u32, u32); 4] = [(0, 1, 0), (1, 3, 1), (0, 2, 1), (2, 3, 0)];

#[test]
fn one_order_of_a_diamond_is_enough_but_both_states_between_are_visited() {
    let graph = graph(4, 1, &DIAMOND);
    let reduced = |seed| {
        let paths: Vec<Path> = Cover { reduce: true, seed, ..Cover::default() }.paths(&graph).collect();
        let order = paths.iter().max_by_key(|path| path.edges.len()).expect("there are paths").edges.clone();
        let labels: Vec<u32> = order.iter().map(|edge| graph.label(*edge)).collect();
        (taken(&paths).len(), labels)
    };
    let orders: BTreeSet<(usize, Vec<u32>)> = (0..20).map(reduced).collect();
    assert_eq!(orders, BTreeSet::from([(3, vec![0, 1]), (3, vec![1, 0])]));
}

#[test]
fn depth_first_covers_the_diamond_as_published() {
    let graph = graph(4, 1, &DIAMOND);
    let mut paths = Cover::default().paths(&graph);
    let found: Vec<Path> = (&mut paths).collect();
    assert_eq!(found.iter().map(|path| path.edges.len()).collect::<Vec<_>>(), [2, 2]);
    let expected = Statistics { states: 4, edges: 4, targets: 4, covered: 4, paths: 2, steps: 4 };
    assert_eq!(paths.statistics(), expected);
}

#[test]
fn a_very_long_path_needs_no_deep_stack() {
    let length = 300_000;
    let edges: Vec<(u32, u32, u32)> = (0..length).map(|state| (state, state + 1, 0)).collect();
    let graph = graph(length + 1, 1, &edges);
    for shape in [Shape::DepthFirst, Shape::Greedy] {
        let paths: Vec<Path> = Cover { shape, reduce: true, ..Cover::default() }.paths(&graph).collect();
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].edges.len(), length as usize);
    }
}

#[test]
fn numbers_that_are_no_graph_are_refused() {
    let edge = |edge| StateGraph::from_edges(2, 1, labels(1), vec![edge]).map(|_| ());
    assert_eq!(edge((0, 2, 0)), Err(BadGraph::Edge { position: 0, what: "state", number: 2, count: 2 }));
    assert_eq!(edge((0, 1, 1)), Err(BadGraph::Edge { position: 0, what: "label", number: 1, count: 1 }));
    assert_eq!(
        StateGraph::from_edges(1, 2, Vec::new(), Vec::new()).map(|_| ()),
        Err(BadGraph::Initial { initial: 2, states: 1 })
    );
}

#[test]
fn the_same_edge_counts_once_and_parallel_edges_each() {
    let graph = graph(2, 1, &[(0, 1, 0), (0, 1, 0), (0, 1, 1)]);
    assert_eq!(graph.edges(), 2);
    assert_eq!(Cover::default().paths(&graph).count(), 2);
}
