//! Double runs: every execution twice, over all pairs of target and strategy.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// The names that a command lists: what begins a line.
fn names(program: &Path, command: &str) -> Result<Vec<String>> {
    let output = Command::new(program).arg(command).output()?;
    let text = String::from_utf8(output.stdout)?;
    let lines = text.lines().filter(|line| line.starts_with(|c: char| c.is_alphabetic()));
    Ok(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

/// About this many in all; how many there were, and how many processes or executions did not do the same
/// twice.
pub(crate) fn run(program: &Path, executions: u64, seed: u64) -> Result<(u64, u64)> {
    let mut pairs = Vec::new();
    for target in names(program, "targets")? {
        for strategy in names(program, "strategies")? {
            if run_pair(program, &target, &strategy, 1, seed)?.is_some() {
                pairs.push((target.clone(), strategy));
            }
        }
    }
    let each = executions.div_ceil(pairs.len().max(1) as u64);
    let (mut tried, mut bad) = (0, 0);
    for (target, strategy) in &pairs {
        match run_pair(program, target, strategy, each, seed)? {
            Some((executions, differences)) => {
                tried += executions;
                bad += differences;
                if differences > 0 {
                    eprintln!(
                        "BAD {target} with {strategy}: {differences} executions differ when they run again"
                    );
                }
            }
            None => {
                bad += 1;
                eprintln!("BAD {target} with {strategy}: no summary");
            }
        }
    }
    Ok((tried, bad))
}

/// How many executions were run twice, and how many of them differ; nothing if the target rules the strategy
/// out.
fn run_pair(
    program: &Path,
    target: &str,
    strategy: &str,
    executions: u64,
    seed: u64,
) -> Result<Option<(u64, u64)>> {
    let out = tempfile::tempdir()?;
    let output = Command::new(program)
        .args(["run", target, "--strategy", strategy, "--seed", &seed.to_string(), "--check-determinism"])
        .args(["--keep-going", "--no-shrink", "--json", "--executions", &executions.to_string(), "--out"])
        .arg(out.path())
        .output()?;
    let Ok(summary) = serde_json::from_slice::<Value>(&output.stdout) else { return Ok(None) };
    let findings = summary["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let differ = findings.iter().filter(|finding| finding["property"] == "determinism");
    let differences = differ.filter_map(|finding| finding["hits"].as_u64()).sum();
    Ok(Some((summary["executions"].as_u64().unwrap_or(0), differences)))
}
