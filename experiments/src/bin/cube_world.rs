//! The cube world of the thesis, figures 4.1 and 4.2, as pictures and numbers.
//!
//! ```text
//! cargo run --release -p shakedown-experiments --bin cube_world -- [EPISODES] [SEEDS] [FOLDER]
//! ```
//!
//! Without a folder only the numbers are printed. The pictures show the first seed.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use shakedown_explore::learning::cube_world::{
    Abstraction, CELLS, CUBE, CUBES, Cell, CubeWorld, DEPTH, WIDTH, visited_in,
};
use shakedown_explore::learning::{BonusMax, Uniform, Waypoint};

const HORIZON: usize = 80;
const TARGET: usize = 3;
const ALPHA: f64 = 0.3;
const GAMMA: f64 = 0.99;
const EPSILON: f64 = 0.05;

/// Who explores, in the order of figure 4.1.
const AGENTS: [(&str, Abstraction, usize); 4] = [
    ("Random", Abstraction::None, 0),
    ("BonusMaxRL", Abstraction::None, 0),
    ("BonusMaxRL, depth abstracted away", Abstraction::Depth, 0),
    ("WaypointRL, target cube 3", Abstraction::None, TARGET),
];

fn explore(agent: usize, episodes: usize, seed: u64) -> Vec<bool> {
    let (_, abstraction, target) = AGENTS[agent];
    let world = CubeWorld { horizon: HORIZON, abstraction, target };
    match agent {
        0 => world.explore(&mut Uniform, episodes, seed),
        3 => world.explore(&mut Waypoint::new(ALPHA, GAMMA, EPSILON, TARGET), episodes, seed),
        _ => world.explore(&mut BonusMax::new(ALPHA, GAMMA, EPSILON), episodes, seed),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |place: usize, default: u64| match arguments.get(place).map(|text| text.parse()) {
        None => Some(default),
        Some(parsed) => parsed.ok().filter(|&number: &u64| number > 0),
    };
    let (Some(episodes), Some(seeds)) = (number(0, 5_000), number(1, 10)) else {
        eprintln!("the arguments are numbers above 0 and a folder: EPISODES SEEDS FOLDER");
        return ExitCode::from(2);
    };
    println!(
        "{episodes} episodes of {HORIZON} moves, α {ALPHA}, γ {GAMMA}, ε {EPSILON}, {seeds} seeds: mean (least to most)\n"
    );
    println!("| agent | of all cells | of cube {TARGET} |\n|---|---|---|");
    let mut first = Vec::new();
    for (agent, (name, ..)) in AGENTS.iter().enumerate() {
        let runs: Vec<_> = (1..=seeds).map(|seed| explore(agent, episodes as usize, seed)).collect();
        let all = share(runs.iter().map(|visited| count(visited)), CELLS);
        let cube = share(runs.iter().map(|visited| visited_in(visited, TARGET)), CUBE);
        println!("| {name} | {all} | {cube} |");
        first.extend(runs.into_iter().take(1));
    }
    if let Some(folder) = arguments.get(2)
        && let Err(error) = draw(Path::new(folder), &first)
    {
        eprintln!("no picture could be written to {folder}: {error}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

fn count(visited: &[bool]) -> usize {
    visited.iter().filter(|is_visited| **is_visited).count()
}

fn share(counts: impl Iterator<Item = usize>, of: usize) -> String {
    let shares: Vec<_> = counts.map(|count| 100.0 * count as f64 / of as f64).collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let (least, most) =
        (shares.iter().copied().fold(100.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
    format!("{mean:.1} % ({least:.1} to {most:.1})")
}

fn draw(folder: &Path, runs: &[Vec<bool>]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("cube-world.svg"), tops(runs))?;
    std::fs::write(folder.join("cube-world-3.svg"), depths(&runs[2..]))
}

/// The size of a cell, of the space between grids, and of the space above them, in pixels.
const CELL: usize = 12;
const GAP: usize = 14;
const HEAD: usize = 24;
const GRID: usize = WIDTH * CELL;

/// Figure 4.1: the top of each cube, the darker the more of the depth was visited.
fn tops(runs: &[Vec<bool>]) -> String {
    let rows = AGENTS.iter().zip(runs).map(|((name, ..), visited)| {
        let shade = move |cube: usize, x: usize, y: usize| {
            let is_visited = |depth: &usize| visited[Cell { cube, x, y, depth: *depth }.index()];
            (0..DEPTH).filter(is_visited).count() as f64 / DEPTH as f64
        };
        (format!("{name}: {:.1} % of all cells", 100.0 * count(visited) as f64 / CELLS as f64), shade)
    });
    grids(CUBES, "cube", rows)
}

/// Figure 4.2: cube 3, depth by depth.
fn depths(runs: &[Vec<bool>]) -> String {
    let rows = AGENTS[2..].iter().zip(runs).map(|((name, ..), visited)| {
        let shade = move |depth: usize, x: usize, y: usize| {
            f64::from(u8::from(visited[Cell { cube: TARGET, x, y, depth }.index()]))
        };
        let share = 100.0 * visited_in(visited, TARGET) as f64 / CUBE as f64;
        (format!("{name}: {share:.1} % of cube {TARGET}"), shade)
    });
    grids(DEPTH, "depth", rows)
}

/// Rows of grids whose cells have shades from 0 to 1.
fn grids<S: Fn(usize, usize, usize) -> f64>(
    columns: usize,
    column: &str,
    rows: impl Iterator<Item = (String, S)>,
) -> String {
    let mut body = String::new();
    let mut top = 0;
    for (title, shade) in rows {
        let _ = writeln!(body, r#"<text x="0" y="{}" font-weight="bold">{title}</text>"#, top + 14);
        for grid in 0..columns {
            let (left, head) = (grid * (GRID + GAP), top + HEAD);
            let _ = writeln!(
                body,
                r##"<rect x="{left}" y="{head}" width="{GRID}" height="{GRID}" fill="#f4f4f0" stroke="#888"/>"##
            );
            for (x, y) in (0..WIDTH).flat_map(|x| (0..WIDTH).map(move |y| (x, y))) {
                let opacity = shade(grid, x, y);
                if opacity > 0.0 {
                    let (x, y) = (left + x * CELL, head + y * CELL);
                    let _ = writeln!(
                        body,
                        r##"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#1b4f8a" fill-opacity="{opacity:.2}"/>"##
                    );
                }
            }
            let _ = writeln!(
                body,
                r##"<text x="{left}" y="{}" fill="#666">{column} {grid}</text>"##,
                head + GRID + 13
            );
        }
        top += HEAD + GRID + 24;
    }
    let width = columns * (GRID + GAP);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" font-family="sans-serif" font-size="11">
{body}</svg>
"#
    )
}
