//! Where executions are run for the page: in processes of their own, one at a time, each with a limit of
//! time.
//!
//! The program is this one, its arguments are a list, and no shell is between. What it reads was written
//! here, into a folder that only this user can open, or is the folder of the campaign.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use shakedown_campaign::Failure;
use shakedown_http::random_token;
use shakedown_report::html::PAGE_SIZE_MAX;
use shakedown_report::html::live::LiveReplay;

use super::board::{Board, Browsable};
use crate::command_error::CommandError;
use crate::printing::target_files;

/// How long a process may take.
const TIME_MAX: Duration = Duration::from_secs(60);
/// How often it is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long its last words are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The most bytes of its output that are read.
const OUTPUT_MAX: u64 = 1 << 20;
/// The longest message of an error, in characters.
const MESSAGE_MAX: usize = 1_000;
/// The most replays that wait.
const QUEUE_MAX: usize = 32;
/// The most pages that are remembered.
const PAGES_MAX: usize = 16;

/// Where executions are run.
pub(super) struct Workshop {
    /// The folder for what is written here.
    scratch: PathBuf,
    /// Held by whoever runs a process; the number names its folder.
    bench: Arc<Mutex<u64>>,
    queue: SyncSender<Job>,
    /// The pages that were made last.
    pages: Mutex<Vec<(String, Arc<str>)>>,
    board: Arc<Board>,
}

/// A replay that waits.
struct Job {
    name: String,
    failure: Failure,
}

/// What a process printed.
struct Printed {
    code: Option<i32>,
    out: Vec<u8>,
    error: String,
}

impl Workshop {
    pub fn new(board: Arc<Board>) -> Result<Workshop, CommandError> {
        let scratch = std::env::temp_dir().join(format!("shakedown-serve-{}", random_token()));
        private_folder(&scratch).map_err(|error| CommandError(format!("{}: {error}", scratch.display())))?;
        let (queue, jobs) = mpsc::sync_channel(QUEUE_MAX);
        let workshop = Workshop { scratch, bench: Arc::default(), queue, pages: Mutex::default(), board };
        workshop.start(jobs);
        Ok(workshop)
    }

    /// Removes what was written.
    pub fn close(&self) {
        // What cannot be removed lies among temporary files.
        let _ = fs::remove_dir_all(&self.scratch);
    }

    /// Asks for a replay of a failure.
    pub fn replay(&self, failure: &Failure) -> Result<(), (u16, &'static str)> {
        let name = failure.file_name();
        if !self.board.note_replay(&name, LiveReplay::Waiting) {
            return Ok(());
        }
        let full = match self.queue.try_send(Job { name: name.clone(), failure: failure.clone() }) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(_)) => (429, "too many replays wait already"),
            Err(TrySendError::Disconnected(_)) => (503, "the server ends"),
        };
        let detail = full.1.to_owned();
        self.board.note_replay(&name, LiveReplay::Done { word: "inconclusive".to_owned(), detail });
        Err(full)
    }

    /// Runs the replays that are asked for, one after another.
    fn start(&self, jobs: Receiver<Job>) {
        let scratch = self.scratch.join("replays");
        let (board, bench) = (Arc::clone(&self.board), Arc::clone(&self.bench));
        thread::spawn(move || {
            for Job { name, failure } in jobs {
                let _at_the_bench = bench.lock().unwrap_or_else(PoisonError::into_inner);
                let (word, detail) =
                    replayed(&scratch, &failure).unwrap_or_else(|reason| ("inconclusive".to_owned(), reason));
                board.note_replay(&name, LiveReplay::Done { word, detail });
            }
        });
    }

    /// The page of a finding.
    pub fn finding_page(
        &self,
        of: &Browsable,
        failure: &Failure,
        links: &[String],
    ) -> Result<Arc<str>, String> {
        let file = failure.file_name();
        let shown_as = shakedown_store::failures_in(&of.folder).join(&file);
        self.page(&format!("{} {file}", of.folder.display()), links, |folder| {
            let path = folder.join("failure.json");
            failure.write(&path).map_err(|error| error.to_string())?;
            Ok(vec!["show".into(), path.into(), "--shown-as".into(), shown_as.clone().into()])
        })
    }

    /// The page of an execution.
    pub fn execution_page(&self, of: &Browsable, number: u64, links: &[String]) -> Result<Arc<str>, String> {
        let Browsable { folder, place, .. } = of;
        self.page(&format!("{} {place} {number}", folder.display()), links, |_| {
            let [number, place] = [format!("--execution={number}"), format!("--campaign={place}")];
            Ok(vec!["show".into(), folder.into(), number.into(), place.into()])
        })
    }

    /// A page that the program writes, given its arguments but for the file.
    fn page(
        &self,
        key: &str,
        links: &[String],
        arguments: impl FnOnce(&Path) -> Result<Vec<OsString>, String>,
    ) -> Result<Arc<str>, String> {
        let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = self.remembered(key) {
            return Ok(page);
        }
        *bench += 1;
        let folder = Folder::make(self.scratch.join(format!("page-{bench}")))?;
        let out = folder.0.join("page.html");
        let mut arguments = arguments(&folder.0)?;
        arguments.extend(links.iter().map(|link| format!("--link={link}").into()));
        arguments.extend(["--html".into(), OsString::from(&out)]);
        let printed = run(&arguments)?;
        let page = read_whole(&out, PAGE_SIZE_MAX as u64).map_err(|_| printed.reason())?;
        let page: Arc<str> = page.into();
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() == PAGES_MAX {
            pages.remove(0);
        }
        pages.push((key.to_owned(), Arc::clone(&page)));
        Ok(page)
    }

    fn remembered(&self, key: &str) -> Option<Arc<str>> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.iter().find(|(known, _)| known == key).map(|(_, page)| Arc::clone(page))
    }
}

/// What has become of a failure, in a word or two and in more.
fn replayed(scratch: &Path, failure: &Failure) -> Result<(String, String), String> {
    let folder = Folder::make(scratch.to_owned())?;
    failure.write(&folder.0.join(failure.file_name())).map_err(|error| error.to_string())?;
    let printed = run(&["replay".into(), OsString::from(&folder.0), "--json".into()])?;
    let value: Value = serde_json::from_slice(&printed.out).map_err(|_| printed.reason())?;
    let of = |name: &str| value["failures"][0][name].as_str().map(|text| shortened(text.to_owned()));
    Ok((of("fate").ok_or_else(|| printed.reason())?, of("detail").unwrap_or_default()))
}

impl Printed {
    /// Why the process did not do what it was to.
    fn reason(&self) -> String {
        let error = self.error.trim();
        let error = error.strip_prefix("error: ").unwrap_or(error);
        match (error.is_empty(), self.code) {
            (false, _) => shortened(error.to_owned()),
            (true, Some(code)) => format!("the program ended with {code}"),
            (true, None) => "the program was ended".to_owned(),
        }
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MESSAGE_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Runs this program with these arguments, and ends it when it takes too long.
fn run(arguments: &[OsString]) -> Result<Printed, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let mut command = Command::new(program);
    for file in target_files() {
        command.arg("--target-file").arg(file);
    }
    command.args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
    let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| format!("the program cannot be started: {error}"))?;
    let (out, error) = (bytes_of(child.stdout.take()), bytes_of(child.stderr.take()));
    let status = wait(&mut child)?;
    let last = |bytes: &Receiver<Vec<u8>>| bytes.recv_timeout(LAST_WORDS).unwrap_or_default();
    let error = String::from_utf8_lossy(&last(&error)).into_owned();
    Ok(Printed { code: status.code(), out: last(&out), error })
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, String> {
    let began = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status),
            None if began.elapsed() > TIME_MAX => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took more than {} s and was ended", TIME_MAX.as_secs()));
            }
            None => thread::sleep(LOOK_EVERY),
        }
    }
}

/// Reads a pipe on a thread of its own: what the process has started may hold it open after its end.
fn bytes_of(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = Vec::new();
        let _ = pipe.by_ref().take(OUTPUT_MAX).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
        // The process must not wait for a reader.
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

/// A folder that only this user can open, removed with all that is in it when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn make(path: PathBuf) -> Result<Folder, String> {
        private_folder(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a folder that was not there, for this user alone.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn read_whole(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other("the page is too large"));
    }
    Ok(text)
}
