//! Specifications and configurations.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use shakedown_tla::check::Options;
use shakedown_tla::{Budget, Config, Error, Spec};

use crate::{Outcome, Room};

/// The line between a specification and its configuration in one input.
const CUT: &str = "\n#### cfg\n";
/// The limits of a case: a bound that has become a million would keep it busy for hours.
const STATES_MAX: u64 = 200;
const STEPS_MAX: u64 = 2_000_000;
const MEMORY_BYTES_MAX: usize = 64 << 20;
/// The most memory that the process may take, in bytes.
const RESIDENT_BYTES_MAX: usize = 512 << 20;
/// The size of a page of memory.
const PAGE_BYTES: usize = 4096;

/// The specification that configurations are tried on: every part of a configuration has something to name.
const CONFIGURED: &str = r"---- MODULE Configured ----
EXTENDS Integers, TLC
CONSTANTS N, Server, Op(_), Limit
VARIABLE x
Init == x = 0
Next == x < Limit /\ x' = x + 1
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Small == x <= 3
Bound == x < 3
Live == <>(x = 2)
Symmetric == Permutations(Server)
Other == 3
Twice(y) == 2 * y
Seen == <<x>>
Shown == [x |-> x, n |-> N]
Done == TLCGet(1) = 0
====
";

/// The specifications of the TLA+ engine's own tests that have one module.
pub(super) fn specs(_: &Room) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tla/tests/specs");
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "tla"));
    paths.sort();
    let both = |path: &std::path::PathBuf| {
        let config = fs::read_to_string(path.with_extension("cfg")).ok()?;
        Some([fs::read_to_string(path).ok()?, config].join(CUT).into_bytes())
    };
    paths.iter().filter_map(both).collect()
}

/// A specification, the name of its module, and its configuration.
fn parts(text: &str) -> (&str, String, &str) {
    let (module, config) = text.rsplit_once(CUT).unwrap_or((text, "INIT Init\nNEXT Next\n"));
    let after = module.split_once("MODULE").map_or("", |(_, after)| after.trim_start());
    let name = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').take(60).collect();
    (module, name, config)
}

/// Checks a specification; bytes that are no text are its own affair.
pub(super) fn spec_command(room: &Room, input: &[u8]) -> Vec<String> {
    let lossy = String::from_utf8_lossy(input);
    let (module, name, config) = parts(&lossy);
    let is_text = std::str::from_utf8(input).is_ok();
    let file = room.put(&format!("{name}.tla"), if is_text { module.as_bytes() } else { input });
    room.put(&format!("{name}.cfg"), config.as_bytes());
    check(&file, &[])
}

/// A check within limits.
fn check(file: &str, more: &[&str]) -> Vec<String> {
    let limits = ["--states", "200", "--depth", "12", "--memory", "64", "--steps", "2000000"];
    [&["tla", "check", file][..], more, &limits].concat().into_iter().map(str::to_owned).collect()
}

/// What this process may take, everything together: values that a specification builds are not states.
fn budget() -> Budget {
    let resident = || {
        let pages = fs::read_to_string("/proc/self/statm").ok();
        let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<usize>().ok());
        pages.unwrap_or(0) * PAGE_BYTES
    };
    Budget::new(RESIDENT_BYTES_MAX, Some(Box::new(resident)))
}

/// Loads and checks a specification within limits, without files.
pub(super) fn spec(input: &[u8]) -> Result<Outcome, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(Outcome::Refused) };
    let (module, name, config) = parts(text);
    let modules = HashMap::from([(name.clone(), module.to_owned())]);
    let run = || {
        let spec = Spec::load_within(&name, Config::parse(config)?, &modules, budget())?;
        let options = Options {
            states_max: STATES_MAX,
            depth_max: 12,
            memory_bytes_max: MEMORY_BYTES_MAX,
            steps_max: STEPS_MAX,
            ..Options::default()
        };
        Ok::<_, Box<Error>>(shakedown_tla::check::check(&spec, &options))
    };
    match run() {
        Ok(report) => match report.outcome {
            shakedown_tla::check::Outcome::Error(error, _) => error_is_good(&error.to_string()),
            _ => Ok(Outcome::Taken),
        },
        Err(error) => error_is_good(&error.to_string()),
    }
}

/// An error has a message, and blames the input.
fn error_is_good(message: &str) -> Result<Outcome, String> {
    if message.is_empty() {
        return Err("an error without a message".to_owned());
    }
    if message.contains("a bug of the checker") {
        return Err(message.to_owned());
    }
    Ok(Outcome::Refused)
}

/// Configurations of [`CONFIGURED`].
pub(super) fn cfgs(_: &Room) -> Vec<Vec<u8>> {
    let constants = "CONSTANTS N = 2 Server = {s1, s2} Op <- Twice Limit = 3\n";
    let all = [
        format!("{constants}INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"),
        format!("{constants}SPECIFICATION Spec\nPROPERTY Live\nCONSTRAINT Bound\nCHECK_DEADLOCK FALSE\n"),
        format!("{constants}SPECIFICATION Spec\nSYMMETRY Symmetric\nVIEW Seen\nALIAS Shown\n"),
        "CONSTANT N <- Other Server = {} Op <- Twice Limit = -1\nINIT Init NEXT Next\n".to_owned(),
    ];
    all.map(String::into_bytes).into()
}

/// Checks [`CONFIGURED`] with a configuration.
pub(super) fn cfg_command(room: &Room, input: &[u8]) -> Vec<String> {
    let module = room.put("Configured.tla", CONFIGURED.as_bytes());
    let config = room.put("Configured.cfg", input);
    check(&module, &["--config", &config])
}
