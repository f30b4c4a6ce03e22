//! Stores as a killed process leaves them, with the write-ahead log damaged or files missing.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shakedown_fuzz::{Form, Mutator, Random};

use crate::Result;
use crate::attempt::Attempt;

const FILES: &[&str] = &["campaign.sqlite", "campaign.sqlite-wal", "campaign.sqlite-shm", "campaign.lock"];
/// How often each of the files is damaged at random.
const DAMAGES: u64 = 30;
const COMMANDS: &[&[&str]] =
    &[&["list"], &["show"], &["report"], &["resume", "--time", "1", "--json"], &["corpus", "replay"]];
/// A log of this size holds several transactions.
const LOG_BYTES: u64 = 64 << 10;

/// A file of a store and what is in it.
type Part = (&'static str, Vec<u8>);

/// Kills a campaign while it writes, and damages what it leaves.
pub(crate) fn attempts(program: &Path) -> Result<Vec<Attempt>> {
    let parts = killed(program)?;
    let mut attempts = Vec::new();
    let mut add = |name: String, parts: Vec<Part>| {
        let command = COMMANDS[attempts.len() % COMMANDS.len()];
        attempts.push(Attempt::new(name, move |room| {
            for (file, bytes) in &parts {
                room.put(&format!("store/{file}"), bytes);
            }
            let mut command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            let at = command.iter().position(|word| word.starts_with("--")).unwrap_or(command.len());
            command.insert(at, room.name("store"));
            command
        }));
    };
    for (which, (file, bytes)) in parts.iter().enumerate() {
        let with = |changed: Option<Vec<u8>>| -> Vec<Part> {
            let mut all = parts.clone();
            match changed {
                Some(bytes) => all[which].1 = bytes,
                None => drop(all.remove(which)),
            }
            all
        };
        add(format!("missing-{file}"), with(None));
        add(format!("empty-{file}"), with(Some(Vec::new())));
        add(format!("zeros-{file}"), with(Some(vec![0; bytes.len()])));
        add(format!("half-{file}"), with(Some(bytes[..bytes.len() / 2].to_vec())));
        let mutator = Mutator { form: Form::Sqlite, donor: bytes };
        for number in 0..DAMAGES {
            let mut random = Random::new(number);
            let changed =
                (0..1 + number % 4).fold(bytes.clone(), |bytes, _| mutator.bytes(&bytes, &mut random));
            add(format!("damaged-{file}-{number}"), with(Some(changed)));
        }
    }
    Ok(attempts)
}

/// The files of a campaign that was killed while its log held transactions.
fn killed(program: &Path) -> Result<Vec<Part>> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store");
    let mut child = Command::new(program.canonicalize()?)
        .args(["run", "planted-raft", "--set", "fault=quorum-third", "--strategy", "fuzz", "--keep-going"])
        .args(["--no-shrink", "--executions", "100000000", "--json", "--keep"])
        .arg(&store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    let log = store.join("campaign.sqlite-wal");
    while !fs::metadata(&log).is_ok_and(|log| log.len() > LOG_BYTES) {
        if start.elapsed() > Duration::from_secs(60) || child.try_wait()?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    let read = |file: &&'static str| Some((*file, fs::read(store.join(file)).ok()?));
    let parts: Vec<Part> = FILES.iter().filter_map(read).collect();
    if parts.len() < 2 {
        return Err("the campaign left no store with a write-ahead log".into());
    }
    Ok(parts)
}
