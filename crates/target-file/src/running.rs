//! What the nodes of a target run in: a program that is started, or a shared library that is loaded.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shakedown_remote::HostCommand;
use toml::Spanned;

use crate::located::{Located, error_at};
use crate::schema::Head;

/// What the nodes of a target run in.
pub(crate) enum Running {
    /// Programs that speak the node protocol.
    Host(HostCommand),
    /// A shared library, in this process.
    Library(PathBuf),
}

/// What the file names. Paths are relative to its folder.
pub(crate) fn running(spanned: &Spanned<Head>, text: &str, folder: &Path) -> Result<Running, String> {
    let head = spanned.get_ref();
    let isolated = head.isolated.as_ref().filter(|isolated| *isolated.get_ref());
    let Some(library) = &head.library else {
        if let Some(isolated) = isolated {
            let reason = "`isolated` has no effect without `library`: a command has a process of its own";
            return Err(error_at(text, isolated, reason));
        }
        return Ok(Running::Host(limited(command(spanned, text, folder)?, head, text)?));
    };
    let bad = |reason: &str| Err(Located::new(text, library).error(1, 1, reason.to_owned()));
    if head.command.is_some() {
        return bad("a target has a `command` or a `library`, and not both");
    }
    if library.get_ref().is_empty() {
        return bad("`library` names no file");
    }
    let path = folder.join(library.get_ref());
    if isolated.is_none() {
        if head.encoding.is_some() || head.reply_seconds.is_some() || head.memory_mib.is_some() {
            return bad(
                "`encoding`, `reply_seconds` and `memory_mib` have no effect on a library in this process; see `isolated`",
            );
        }
        return Ok(Running::Library(path));
    }
    let program = std::env::current_exe().map_err(|error| format!("`isolated`: {error}"))?;
    let path = std::path::absolute(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let command = HostCommand::new(program).args(["host", "library"]).args([path]);
    Ok(Running::Host(limited(command, head, text)?))
}

fn command(head: &Spanned<Head>, text: &str, folder: &Path) -> Result<HostCommand, String> {
    let Some(command) = &head.get_ref().command else {
        return Err(error_at(text, head, "`[target]` has no `command`, and there is no `library`"));
    };
    let words = command.get_ref().split_first().filter(|(program, _)| !program.is_empty());
    let Some((program, arguments)) = words else {
        return Err(error_at(text, command, "`command` names no program"));
    };
    // As a shell does: a name without a slash is looked for in the folders of `PATH`.
    let command = if folder == Path::new(".") {
        HostCommand::new(program)
    } else if program.contains('/') {
        let path =
            std::path::absolute(folder.join(program)).map_err(|error| format!("{program}: {error}"))?;
        HostCommand::new(path).folder(folder)
    } else {
        HostCommand::new(program).folder(folder)
    };
    Ok(command.args(arguments))
}

/// The command with the limits that the file sets.
fn limited(mut command: HostCommand, head: &Head, text: &str) -> Result<HostCommand, String> {
    if let Some(encoding) = head.encoding {
        command = command.encoding(encoding);
    }
    if let Some(spanned) = &head.reply_seconds {
        let seconds = *spanned.get_ref();
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        let wrong = || error_at(text, spanned, format!("`reply_seconds` cannot be {seconds}"));
        command = command.reply_time(time.ok_or_else(wrong)?);
    }
    if let Some(mebibytes) = head.memory_mib {
        command = command.memory_max(mebibytes.saturating_mul(1 << 20));
    }
    Ok(command)
}
