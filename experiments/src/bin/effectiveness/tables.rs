//! The tables of the bench: found by how many, steps to it, survival, and ranks over all bugs.

use std::collections::BTreeMap;

use shakedown_cluster::Random;
use shakedown_statistics::{holm, sign_flips};

use crate::runs::{Run, Wanted};

/// How often bugs are drawn with replacement, for intervals.
const DRAWS: usize = 2_000;
/// The strategy that all others are compared with.
const JUDGED: &str = "portfolio";

/// The runs of one strategy on one bug.
struct Cell {
    /// Steps to the bug of each seed, in order; those that did not find it stand with the limit.
    steps: Vec<u64>,
    found: usize,
    limit: u64,
}

impl Cell {
    fn of<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<Cell> {
        let (mut steps, mut found, mut most) = (Vec::new(), 0, 0);
        for run in runs {
            // A strategy that cannot be run finds nothing.
            let time = run.steps.filter(|_| !run.is_ruled_out);
            found += usize::from(time.is_some());
            most = most.max(run.limit);
            steps.push(time.unwrap_or(run.limit));
        }
        steps.sort_unstable();
        (!steps.is_empty()).then_some(Cell { steps, found, limit: most })
    }

    /// The median, if half of the seeds found it.
    fn median(&self) -> Option<u64> {
        let middle = (self.steps.len() - 1) / 2;
        (2 * self.found >= self.steps.len() && middle < self.found).then(|| self.steps[middle])
    }

    /// The mean of the logarithms: what a geometric mean is made of.
    fn mean_log(&self) -> f64 {
        self.steps.iter().map(|steps| (*steps as f64).ln()).sum::<f64>() / self.steps.len() as f64
    }

    fn text(&self) -> String {
        match self.median() {
            Some(median) => format!("{}, {}", self.found, short(median)),
            None => self.found.to_string(),
        }
    }
}

/// A number of steps in thousands.
fn short(steps: u64) -> String {
    format!("{:.1}k", steps as f64 / 1_000.0)
}

/// Prints the tables of these runs.
pub fn print(runs: &[Run], wanted: &Wanted) {
    let strategies = match wanted.strategies.is_empty() {
        false => wanted.strategies.clone(),
        true => {
            let mut all: Vec<String> = Vec::new();
            for run in runs.iter().filter(|run| !all.contains(&run.strategy)).cloned().collect::<Vec<_>>() {
                if !all.contains(&run.strategy) {
                    all.push(run.strategy);
                }
            }
            all
        }
    };
    let mut cells: BTreeMap<(usize, usize), Cell> = BTreeMap::new();
    let bugs: Vec<&str> = wanted.bugs().map(|bug| bug.name).collect();
    for (row, bug) in bugs.iter().enumerate() {
        for (column, strategy) in strategies.iter().enumerate() {
            let of_it = runs.iter().filter(|run| run.bug == *bug && run.strategy == *strategy);
            if let Some(cell) = Cell::of(of_it.filter(|run| run.seed <= wanted.seeds)) {
                cells.insert((row, column), cell);
            }
        }
    }
    let whole = |row: usize| (0..strategies.len()).all(|column| cells.contains_key(&(row, column)));
    let rows: Vec<usize> = (0..bugs.len()).filter(|row| whole(*row)).collect();
    found(&bugs, &strategies, &cells, &rows);
    survival(&strategies, &cells, &rows);
    ranks(&strategies, &cells, &rows);
    bars(&bugs, &strategies, &cells, &rows);
}

type Cells = BTreeMap<(usize, usize), Cell>;

fn found(bugs: &[&str], strategies: &[String], cells: &Cells, rows: &[usize]) {
    println!("Found by so many seeds, and the median of steps to it:\n");
    println!("| bug | {} |", strategies.join(" | "));
    println!("|---|{}", "---|".repeat(strategies.len()));
    for row in rows {
        let texts: Vec<String> = (0..strategies.len()).map(|column| cells[&(*row, column)].text()).collect();
        println!("| {} | {} |", bugs[*row], texts.join(" | "));
    }
}

/// Kaplan and Meier's curve, where all that is censored is censored at the limit: the part that is not found
/// yet.
fn survival(strategies: &[String], cells: &Cells, rows: &[usize]) {
    let Some(limit) = cells.values().map(|cell| cell.limit).max() else { return };
    let times: Vec<u64> =
        [1, 3, 10, 30, 100, 300, 1_000].iter().map(|k| k * 1_000).filter(|time| *time <= limit).collect();
    println!("\nNot found yet after so many steps, per cent of all bugs and seeds (Kaplan-Meier):\n");
    println!("| strategy | {} |", times.iter().map(|time| short(*time)).collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---|".repeat(times.len()));
    for (column, strategy) in strategies.iter().enumerate() {
        let part = |time: &u64| {
            let (mut left, mut all) = (0usize, 0usize);
            for row in rows {
                let cell = &cells[&(*row, column)];
                all += cell.steps.len();
                left +=
                    cell.steps.len() - cell.steps[..cell.found].iter().filter(|steps| *steps <= time).count();
            }
            format!("{:.0}", 100.0 * left as f64 / all.max(1) as f64)
        };
        println!("| {strategy} | {} |", times.iter().map(part).collect::<Vec<_>>().join(" | "));
    }
}

/// Ranks over all bugs, geometric means, and whether the differences are more than luck.
fn ranks(strategies: &[String], cells: &Cells, rows: &[usize]) {
    if rows.is_empty() {
        return;
    }
    let log = |row: usize, column: usize| cells[&(row, column)].mean_log();
    let mean = |column: usize, rows: &[usize]| {
        rows.iter().map(|row| log(*row, column)).sum::<f64>() / rows.len() as f64
    };
    let judged = strategies.iter().position(|strategy| strategy == JUDGED);
    let p = judged.map(|judged| {
        let p: Vec<f64> = (0..strategies.len())
            .map(|column| {
                let differences: Vec<f64> =
                    rows.iter().map(|row| log(*row, column) - log(*row, judged)).collect();
                if column == judged { 1.0 } else { sign_flips(&differences).unwrap_or(f64::NAN) }
            })
            .collect();
        holm(&p).unwrap_or(p)
    });
    println!(
        "\nOver {} bugs; ratio: geometric mean of steps beside {JUDGED}'s, with 95 % of it by drawing bugs:\n",
        rows.len()
    );
    println!(
        "| strategy | found | mean rank | geometric mean | ratio | p (Holm) |\n|---|---|---|---|---|---|"
    );
    for (column, strategy) in strategies.iter().enumerate() {
        let rank = |row: usize| {
            let own = log(row, column);
            let (mut before, mut ties) = (0.0, 0.0);
            for other in 0..strategies.len() {
                before += f64::from(u8::from(log(row, other) < own));
                ties += f64::from(u8::from(log(row, other) == own));
            }
            before + (ties + 1.0) / 2.0
        };
        let rank = rows.iter().map(|row| rank(*row)).sum::<f64>() / rows.len() as f64;
        let found: usize = rows.iter().map(|row| cells[&(*row, column)].found).sum();
        let all: usize = rows.iter().map(|row| cells[&(*row, column)].steps.len()).sum();
        let geometric = mean(column, rows).exp();
        let ratio = judged.map_or_else(String::new, |judged| {
            let mut random = Random::new(1);
            let mut ratios: Vec<f64> = (0..DRAWS)
                .map(|_| {
                    let drawn: Vec<usize> = rows.iter().map(|_| rows[random.index(rows.len())]).collect();
                    (mean(column, &drawn) - mean(judged, &drawn)).exp()
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            let ratio = (mean(column, rows) - mean(judged, rows)).exp();
            format!("{ratio:.2} ({:.2}–{:.2})", ratios[DRAWS / 40], ratios[DRAWS - 1 - DRAWS / 40])
        });
        let p = p.as_ref().map_or_else(String::new, |p| format!("{:.3}", p[column]));
        println!(
            "| {strategy} | {found} of {all} | {rank:.2} | {} | {ratio} | {p} |",
            short(geometric as u64)
        );
    }
}

/// The bars of the portfolio: where another strategy finds a bug with 8 of 10 seeds, and how long each takes.
fn bars(bugs: &[&str], strategies: &[String], cells: &Cells, rows: &[usize]) {
    let Some(judged) = strategies.iter().position(|strategy| strategy == JUDGED) else { return };
    println!();
    for row in rows {
        let is_sure = |cell: &Cell| 10 * cell.found >= 8 * cell.steps.len();
        let others = (0..strategies.len()).filter(|column| !strategies[*column].starts_with(JUDGED));
        let sure: Vec<(u64, usize)> = others
            .filter_map(|column| {
                let cell = &cells[&(*row, column)];
                cell.median().filter(|_| is_sure(cell)).map(|median| (median, column))
            })
            .collect();
        let Some((best, column)) = sure.iter().min() else { continue };
        let own = &cells[&(*row, judged)];
        let ratio = own.median().map(|median| median as f64 / (*best).max(1) as f64);
        let is_kept = is_sure(own) && ratio.is_some_and(|ratio| ratio <= 3.0);
        println!(
            "{} {}: {JUDGED} {}, the best is {} with {}{}",
            if is_kept { "kept  " } else { "MISSED" },
            bugs[*row],
            own.text(),
            strategies[*column],
            cells[&(*row, *column)].text(),
            ratio.map_or_else(String::new, |ratio| format!(" (median {ratio:.1} times)"))
        );
    }
}
