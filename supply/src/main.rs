//! What Shakedown is built from: a check of licences, bans and versions, the `unsafe` inventory, and a bill
//! of materials.
//!
//! ```text
//! cargo run -p shakedown-supply -- check [--advisories PATH]     rules of `deny.toml`; advisories of a database on disk
//! cargo run -p shakedown-supply -- unsafe                        where `unsafe` stands, ours and in dependencies
//! cargo run -p shakedown-supply -- sbom                          CycloneDX JSON of the command line, on stdout
//! ```
//!
//! Everything comes from `cargo metadata`, the lock file and the sources of packages: nothing is fetched.

mod advisories;
mod bill;
mod inventory;
mod metadata;
mod rules;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use metadata::Metadata;

/// Prints a line; a reader that has closed the pipe has seen enough.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// The package whose bill of materials is made.
const PRODUCT: &str = "shakedown-cli";
/// The packages of ours in which `unsafe` may stand; ARCHITECTURE.md has the reasons.
const MAY_BE_UNSAFE: [&str; 3] = ["shakedown-counters", "shakedown-native", "shakedown-tokio"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match &words[..] {
        ["check"] => check(None),
        ["check", "--advisories", path] => check(Some(path.into())),
        ["unsafe"] => unsafe_code(),
        ["sbom"] => sbom(),
        _ => Err("usage: supply check [--advisories PATH] | unsafe | sbom".into()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The folders of all workspaces: this one, and the old versions of a target.
const WORKSPACES: [&str; 8] = [
    "",
    "targets/omnipaxos-0.2.2",
    "targets/omnipaxos-0.2.3",
    "targets/openraft-0.9.13",
    "targets/openraft-0.9.14",
    "targets/openraft-0.9.24",
    "targets/openraft-story",
    "targets/tokio",
];

/// The workspace, and the old versions of a target, which are workspaces of their own.
fn workspaces() -> Result<Vec<(PathBuf, Metadata)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for folder in WORKSPACES {
        let folder = root.join(folder);
        if folder.join("Cargo.toml").exists() {
            all.push((folder.clone(), Metadata::read(&folder)?));
        }
    }
    Ok(all)
}

fn check(database: Option<PathBuf>) -> Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut bad = 0;
    for (folder, metadata) in workspaces()? {
        // Systems under test may bring what Shakedown itself must not: their workspace has rules of its own.
        let own = folder.join("deny.toml");
        let rules = rules::Rules::read(&if own.exists() { own } else { root.join("deny.toml") })?;
        let mut faults = rules.faults(&metadata);
        if folder == root.join("") {
            faults.extend(rules.unused(&metadata));
        }
        if let Some(database) = &database {
            faults.extend(advisories::faults(database, &metadata)?);
        }
        faults.sort();
        faults.dedup();
        bad += faults.len();
        for fault in &faults {
            say!("{fault}");
        }
        let others = metadata.packages.iter().filter(|package| package.source.is_some()).count();
        say!("{}: {others} packages of others, {} faults", metadata.name(), faults.len());
    }
    Ok(bad == 0)
}

fn unsafe_code() -> Result<bool> {
    let metadata = Metadata::read_for_host(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    let product = metadata.needed_by(PRODUCT);
    let mut rows = inventory::inventory(&metadata)?;
    rows.sort_by(|a, b| (a.is_ours, b.count, &a.name).cmp(&(b.is_ours, a.count, &b.name)));
    say!("| package | `unsafe` | in the product |\n|---|--:|---|");
    for row in rows.iter().filter(|row| row.count > 0) {
        let inside = if product.contains(&row.id) { "yes" } else { "no: tests and tools" };
        say!("| {} {} | {} | {inside} |", row.name, row.version, row.count);
    }
    let (ours, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_ours);
    let with = |rows: &[&inventory::Row]| rows.iter().filter(|row| row.count > 0).count();
    say!("\n{} of our {} packages have `unsafe`", with(&ours), ours.len());
    say!("{} of {} packages of others have it", with(&others), others.len());
    let forbidden: Vec<_> =
        ours.iter().filter(|row| row.count > 0 && !MAY_BE_UNSAFE.contains(&row.name.as_str())).collect();
    for row in &forbidden {
        eprintln!("fault: {} of ours has `unsafe`; only {} may", row.name, MAY_BE_UNSAFE.join(" and "));
    }
    Ok(forbidden.is_empty())
}

fn sbom() -> Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let metadata = Metadata::read_for_host(&root)?;
    say!("{:#}", bill::of(&metadata, PRODUCT, &bill::checksums(&root.join("Cargo.lock"))?));
    Ok(true)
}
