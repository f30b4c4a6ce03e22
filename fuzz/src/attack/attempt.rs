//! One attempt: a process with limits, and the rules of a good end.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shakedown_fuzz::{Reader, Room};

use crate::Result;

/// The most processor time of a process. What explores stops after a second or two by its own limits.
const PROCESSOR_TIME_MAX: Duration = Duration::from_secs(30);
/// The longest that a process may wait without using the processor. The load of the machine does not count.
const IDLE_TIME_MAX: Duration = Duration::from_secs(30);
/// Ticks of processor time in a second, as `/proc` counts them.
const TICKS: u64 = 100;
/// The most address space. The stack of a worker of the TLA+ engine alone is half a gibibyte of it.
const ADDRESS_SPACE_KIB: u64 = 3 << 20;
/// The most resident memory.
const RESIDENT_BYTES_MAX: u64 = 1 << 30;
/// The most lines on stderr: an error, and what the parser of arguments adds.
const ERROR_LINES_MAX: usize = 12;
/// The most bytes of output.
const OUTPUT_BYTES_MAX: usize = 8 << 20;

/// Exit codes: pass, fail, and neither.
const CODES: &[i32] = &[0, 1, 2];
/// Those of TLC.
const TLC_CODES: &[i32] = &[0, 1, 2, 10, 11, 12, 13, 14, 75, 76, 77, 150, 151, 152, 153, 255];
/// Texts that only a defect prints.
const DEFECTS: &[&str] = &["panicked at", "RUST_BACKTRACE", "a bug of the checker", "memory allocation of"];

/// Puts files into a room, and says with which arguments the program is called.
type Prepare = Box<dyn Fn(&Room) -> Vec<String> + Send + Sync>;

/// Something to try.
pub(crate) struct Attempt {
    pub name: String,
    prepare: Prepare,
}

impl Attempt {
    /// This command, after this preparation.
    pub fn new(name: String, prepare: impl Fn(&Room) -> Vec<String> + Send + Sync + 'static) -> Attempt {
        Attempt { name, prepare: Box::new(prepare) }
    }

    /// An input of a reader.
    pub fn of_reader(reader: &'static Reader, input: Vec<u8>, number: u64) -> Attempt {
        Attempt::new(format!("{}-{number}", reader.name), move |room| (reader.command)(room, &input))
    }
}

/// A bad end, and the folder with what led to it.
pub(crate) struct Bad {
    pub reason: String,
    pub saved: PathBuf,
}

/// Carries out attempts.
pub(crate) struct Attacker {
    pub program: PathBuf,
    out: PathBuf,
    resident_bytes: AtomicU64,
    milliseconds: AtomicU64,
}

impl Attacker {
    pub fn new(program: &Path, out: &Path) -> Result<Attacker> {
        let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
        let (resident_bytes, milliseconds) = Default::default();
        Ok(Attacker { program, out: out.to_owned(), resident_bytes, milliseconds })
    }

    /// The most resident memory that a process had.
    pub fn resident_mib(&self) -> u64 {
        self.resident_bytes.load(Ordering::Relaxed) >> 20
    }

    /// The most processor time that a process took.
    pub fn seconds(&self) -> f64 {
        self.milliseconds.load(Ordering::Relaxed) as f64 / 1e3
    }

    /// Carries out an attempt; how it ended, if not well.
    pub fn attack(&self, attempt: &Attempt) -> std::result::Result<(), Bad> {
        let room = Room::new().expect("a folder for temporary files");
        let arguments = (attempt.prepare)(&room);
        let reason = match self.run(&room, &arguments) {
            Ok(faults) if faults.is_empty() => return Ok(()),
            Ok(faults) => faults.join("; "),
            Err(error) => error.to_string(),
        };
        let saved = self.out.join(&attempt.name);
        let _ = fs::remove_dir_all(&saved);
        let _ = copy(&room.path(""), &saved);
        let _ = fs::write(saved.join("command"), format!("{}\n{reason}\n", arguments.join(" ")));
        Err(Bad { reason, saved })
    }

    fn run(&self, room: &Room, arguments: &[String]) -> Result<Vec<String>> {
        let (stdout, stderr) = (room.path(".stdout"), room.path(".stderr"));
        let start = Instant::now();
        let mut child = Command::new("sh")
            .args(["-c", r#"ulimit -v "$0" && exec "$@""#, &ADDRESS_SPACE_KIB.to_string()])
            .arg(&self.program)
            .args(arguments)
            .current_dir(room.path(""))
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .spawn()?;
        let end = self.wait(&mut child, start)?;
        let mut faults = match end {
            End::Status(status) => faults_of_status(status, arguments),
            End::Fault(fault) => vec![fault],
        };
        faults.extend(faults_of_output(&fs::read(&stdout)?, &fs::read(&stderr)?));
        Ok(faults)
    }

    fn wait(&self, child: &mut Child, start: Instant) -> Result<End> {
        let mut pause = Duration::from_millis(1);
        let (mut ticks, mut active) = (0, start);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(End::Status(status));
            }
            let resident = resident_bytes(child);
            let used = processor_ticks(child);
            self.milliseconds.fetch_max(used * 1_000 / TICKS, Ordering::Relaxed);
            if used > ticks {
                (ticks, active) = (used, Instant::now());
            }
            self.resident_bytes.fetch_max(resident, Ordering::Relaxed);
            let fault = if resident > RESIDENT_BYTES_MAX {
                format!("{} MiB of memory", resident >> 20)
            } else if ticks > PROCESSOR_TIME_MAX.as_secs() * TICKS {
                format!("more than {} s of processor time", PROCESSOR_TIME_MAX.as_secs())
            } else if active.elapsed() > IDLE_TIME_MAX {
                format!("it hangs: {} s without doing anything", IDLE_TIME_MAX.as_secs())
            } else {
                std::thread::sleep(pause);
                pause = (pause * 3 / 2).min(Duration::from_millis(50));
                continue;
            };
            child.kill()?;
            child.wait()?;
            return Ok(End::Fault(fault));
        }
    }
}

enum End {
    Status(ExitStatus),
    Fault(String),
}

fn resident_bytes(child: &Child) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{}/statm", child.id())).unwrap_or_default();
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn processor_ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn faults_of_status(status: ExitStatus, arguments: &[String]) -> Vec<String> {
    let is_tla = arguments.first().is_some_and(|command| command == "tla");
    let good = if is_tla { TLC_CODES } else { CODES };
    match (status.code(), status.signal()) {
        (Some(code), _) if good.contains(&code) => vec![],
        (Some(code), _) => vec![format!("exit code {code}")],
        (None, signal) => vec![format!("ended by signal {}", signal.unwrap_or(0))],
    }
}

fn faults_of_output(stdout: &[u8], stderr: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let texts = [("stdout", stdout), ("stderr", stderr)];
    for (name, bytes) in texts {
        let text = String::from_utf8_lossy(bytes);
        faults.extend(
            DEFECTS
                .iter()
                .filter(|defect| text.contains(**defect))
                .map(|defect| format!("`{defect}` on {name}")),
        );
        if let Some(c) = text.chars().find(|c| is_obeyed(*c)) {
            faults.push(format!("U+{:04X} on {name}", u32::from(c)));
        }
        if bytes.len() > OUTPUT_BYTES_MAX {
            faults.push(format!("{} MiB on {name}", bytes.len() >> 20));
        }
    }
    let lines = stderr.iter().filter(|byte| **byte == b'\n').count();
    if lines > ERROR_LINES_MAX {
        faults.push(format!("{lines} lines on stderr"));
    }
    faults
}

/// Whether a terminal does something at this character other than showing it: controls, and what changes the
/// direction of text.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Copies regular files and folders.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&path, &target)?;
        } else if entry.file_type()?.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
