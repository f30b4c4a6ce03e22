//! A check whose states are in a folder gives what a check in memory gives, also when it is ended anywhere
//! and continued.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use shakedown_tla::Spec;
use shakedown_tla::check::{Folder, Options, Outcome, Report, Spill, check};

/// What a file has, how much of it survives a crash, and whether its name does.
#[derive(Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    persisted: usize,
}

/// A folder in memory that works for a number of operations, as if the process were killed then.
#[derive(Default)]
struct Mortal {
    files: Mutex<(HashMap<String, Content>, u64)>,
}

impl Mortal {
    fn with<T>(&self, what: impl FnOnce(&mut HashMap<String, Content>) -> Result<T>) -> Result<T> {
        let (files, left) = &mut *self.files.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.checked_sub(1).ok_or_else(|| Error::other("the process is gone"))?;
        what(files)
    }

    /// What there is after a crash of the machine, or of the process only; it works for so many operations.
    fn again(&self, machine: bool, operations: u64) -> Mortal {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner).0.clone();
        for content in files.values_mut().filter(|_| machine) {
            content.bytes.truncate(content.persisted);
        }
        Mortal { files: Mutex::new((files, operations)) }
    }

    fn has(&self, name: &str) -> bool {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).0.contains_key(name)
    }
}

fn get<'f>(files: &'f mut HashMap<String, Content>, name: &str) -> Result<&'f mut Content> {
    files.get_mut(name).ok_or_else(|| ErrorKind::NotFound.into())
}

impl Folder for Mortal {
    fn append(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.with(|files| {
            files.entry(name.to_string()).or_default().bytes.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn read_at(&self, name: &str, position: u64, bytes: &mut [u8]) -> Result<()> {
        self.with(|files| {
            let content = &get(files, name)?.bytes;
            let part = content.get(position as usize..position as usize + bytes.len());
            bytes.copy_from_slice(part.ok_or(ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    fn length(&self, name: &str) -> Result<u64> {
        self.with(|files| Ok(get(files, name)?.bytes.len() as u64))
    }

    fn cut(&self, name: &str, length: u64) -> Result<()> {
        self.with(|files| {
            let content = get(files, name)?;
            content.bytes.truncate(length as usize);
            content.persisted = content.persisted.min(length as usize);
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.with(|files| {
            files.remove(name);
            Ok(())
        })
    }

    fn persist(&self, name: &str) -> Result<()> {
        self.with(|files| {
            let content = get(files, name)?;
            content.persisted = content.bytes.len();
            Ok(())
        })
    }

    fn replace(&self, from: &str, to: &str) -> Result<()> {
        self.with(|files| {
            let content = files.remove(from).ok_or(ErrorKind::NotFound)?;
            files.insert(to.to_string(), content);
            Ok(())
        })
    }

    fn names(&self) -> Result<Vec<String>> {
        self.with(|files| Ok(files.keys().cloned().collect()))
    }
}

/// How often a check uses its folder when states may take so many bytes.
pub fn uses_of_the_folder(spec: &Spec, options: &Options, memory_bytes: usize) -> (Report, u64) {
    let folder = Arc::new(Mortal::default().again(false, u64::MAX));
    let spill = Spill { folder: folder.clone(), memory_bytes, checkpoints: None, recover: false };
    let report = check(spec, &Options { spill: Some(spill), ..options.clone() });
    let left = folder.files.lock().unwrap_or_else(PoisonError::into_inner).1;
    (report, u64::MAX - left)
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn of(text: &str) -> Dice {
        Dice(
            text.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// How much memory states may take: often none at all.
    fn memory_bytes(&mut self) -> usize {
        [0, 0, 600, 5_000, 150_000][self.below(5) as usize]
    }
}

/// What must be the same.
fn facts(report: &Report, traces: bool) -> String {
    let outcome = match &report.outcome {
        Outcome::Violation(violation) if !traces => {
            format!("{:?} {} after {}", violation.kind, violation.name, violation.trace.steps.len())
        }
        Outcome::Violation(violation) => format!("{violation:?}"),
        other => format!("{other:?}"),
    };
    let Report { generated, distinct, depth, queue, .. } = report;
    let mut text =
        format!("{outcome}\n{generated} generated, {distinct} distinct, depth {depth}, {queue} left");
    if traces {
        report.actions.iter().for_each(|a| text += &format!("\n{} {} {}", a.name, a.generated, a.distinct));
    }
    text
}

fn spilling(folder: &Arc<Mortal>, memory_bytes: usize, checkpoints: bool, recover: bool) -> Option<Spill> {
    let checkpoints = checkpoints.then(|| Arc::new(|| true) as shakedown_tla::check::Due);
    Some(Spill { folder: folder.clone(), memory_bytes, checkpoints, recover })
}

/// Checks a specification in memory and in a folder.
pub fn agrees(config: &Path, spec: &Spec, options: &Options) {
    let mut dice = Dice::of(&config.file_name().unwrap_or_default().to_string_lossy());
    for workers in [1, 2] {
        let options = Options { workers, ..options.clone() };
        let expected = facts(&check(spec, &options), workers == 1);
        let folder = Arc::new(Mortal::default().again(false, u64::MAX));
        let memory_bytes = dice.memory_bytes();
        let spill = spilling(&folder, memory_bytes, false, false);
        let report = check(spec, &Options { spill, ..options.clone() });
        assert_eq!(facts(&report, workers == 1), expected, "{workers} workers, {memory_bytes} bytes");
        assert!(folder.names().unwrap().is_empty(), "files are left");
    }
}

/// Ends a check again and again, after more and more operations on its folder, and continues it from its last
/// checkpoint.
pub fn survives(config: &Path, spec: &Spec, options: &Options) {
    let mut dice = Dice::of(&config.display().to_string());
    let workers = 1 + dice.below(2) as usize;
    let options = Options { workers, ..options.clone() };
    let expected = facts(&check(spec, &options), workers == 1);
    let mut operations = 100 + dice.below(1_000);
    let mut folder = Arc::new(Mortal::default().again(false, operations));
    loop {
        let recover = folder.has("checkpoint.json");
        let spill = spilling(&folder, dice.memory_bytes(), true, recover);
        let report = check(spec, &Options { spill, ..options.clone() });
        match &report.outcome {
            Outcome::Limit(message) if message.contains("the process is gone") => {}
            _ if report.warnings.iter().any(|warning| warning.contains("it is cut")) => {}
            Outcome::Error(error, _) if error.to_string().starts_with("checkpoints") => return,
            _ => {
                assert_eq!(
                    facts(&report, workers == 1),
                    expected,
                    "{workers} workers, {operations} operations"
                );
                return;
            }
        }
        operations = 3 * operations + dice.below(1_000);
        folder = Arc::new(folder.again(dice.below(2) == 0, operations));
        if !folder.has("checkpoint.json") {
            folder = Arc::new(Mortal::default().again(false, operations));
        }
    }
}

/// A checkpoint with a changed bit, or without one of its files, is an error.
pub fn refuses_damage(spec: &Spec, options: &Options) {
    let folder = Arc::new(Mortal::default().again(false, u64::MAX));
    let spill = spilling(&folder, 0, true, false);
    let report = check(spec, &Options { spill, depth_max: 4, ..options.clone() });
    assert!(matches!(&report.outcome, Outcome::Limit(message) if message.contains("4 levels")), "{report:?}");
    let manifest = folder.with(|files| Ok(get(files, "checkpoint.json")?.bytes.clone())).unwrap();
    let manifest = String::from_utf8(manifest).unwrap();
    let mut names = folder.names().unwrap();
    // What the checkpoint does not name is removed.
    names.retain(|name| name == "checkpoint.json" || manifest.contains(&format!("\"{name}\"")));
    names.sort();
    assert!(names.len() >= 5, "{names:?}");
    let recover = |folder: Mortal| {
        let spill = spilling(&Arc::new(folder), 0, true, true);
        check(spec, &Options { spill, ..options.clone() }).outcome
    };
    let mut dice = Dice::of("damage");
    for name in &names {
        let without = folder.again(false, u64::MAX);
        without.remove(name).unwrap();
        let changed = folder.again(false, u64::MAX);
        changed
            .with(|files| {
                let bytes = &mut get(files, name)?.bytes;
                let position = dice.below(bytes.len() as u64) as usize;
                bytes[position] ^= 1 << dice.below(8);
                Ok(())
            })
            .unwrap();
        for damaged in [without, changed] {
            let outcome = recover(damaged);
            assert!(
                matches!(&outcome, Outcome::Limit(message) if message.contains("folder")),
                "{name}: {outcome:?}"
            );
        }
    }
    assert!(matches!(recover(folder.again(true, u64::MAX)), Outcome::Success));
}
