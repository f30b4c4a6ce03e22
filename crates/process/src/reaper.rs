//! Ends the processes of this program when it is killed itself, and deletes the folder that it has made for
//! them.
//!
//! A process that is killed by signal 9 can do nothing more. So one shell, in a group of its own, reads from
//! a pipe which groups of processes there are. When the pipe ends, because this program has ended in whatever
//! way, the shell kills those that are left. Then it deletes the folder, if the folder holds the mark of this
//! program.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::MARK;

/// Keeps a list of groups; at the end of its input it kills all of them. What a killed process still writes
/// may be in the way of deleting its folder for a moment.
const SCRIPT: &str = "\
live=
folder=
while read -r what group; do
  case $what in
    +) live=\"$live $group\" ;;
    -) rest=
       for one in $live; do [ \"$one\" = \"$group\" ] || rest=\"$rest $one\"; done
       live=$rest ;;
    d) folder=$group ;;
  esac
done
for one in $live; do kill -s KILL -- \"-$one\"; done
[ -n \"$folder\" ] && [ -f \"$folder/$1\" ] || exit 0
tries=0
while ! rm -rf -- \"$folder\" && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
";

struct Reaper {
    input: ChildStdin,
    /// It is never waited for: it ends after this program.
    _shell: Child,
}

fn reaper() -> &'static Mutex<Option<Reaper>> {
    static REAPER: OnceLock<Mutex<Option<Reaper>>> = OnceLock::new();
    REAPER.get_or_init(|| Mutex::new(start()))
}

fn start() -> Option<Reaper> {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "reaper", MARK])
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let input = shell.stdin.take()?;
    Some(Reaper { input, _shell: shell })
}

fn send(line: &str) {
    let mut reaper = reaper().lock().unwrap_or_else(PoisonError::into_inner);
    // Without a shell there is nothing to do: nodes then end when their input ends, as most do.
    if let Some(reaper) = reaper.as_mut() {
        let _ = reaper.input.write_all(line.as_bytes());
    }
}

/// There is a shell that ends what this program leaves behind. To be called before the first group is
/// started.
pub fn prepare() {
    drop(reaper().lock());
}

/// A group has been started.
pub fn add(group: u32) {
    send(&format!("+ {group}\n"));
}

/// A group has been killed.
pub fn remove(group: u32) {
    send(&format!("- {group}\n"));
}

/// The one folder of this program. Its path has no line break.
pub(crate) fn set_folder(path: &str) {
    send(&format!("d {path}\n"));
}
