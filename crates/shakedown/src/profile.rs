//! `run --profile NAME`: arguments that stand in a file under a name. They come before those of the command
//! line, so that those count.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Command;
use shakedown_target_file::{FILE_NAME, Profile, ProfileSetting, ProfileValue, load_profiles};

use crate::command_error::CommandError;
use crate::near::did_you_mean;

/// The arguments with those of the profile that they name, if they do.
pub(crate) fn with_profile(
    arguments: Vec<OsString>,
    command: &Command,
) -> Result<Vec<OsString>, CommandError> {
    let Some(run) = arguments.iter().position(|argument| argument == "run") else { return Ok(arguments) };
    let (before, after) = arguments.split_at(run + 1);
    let Some((name, rest)) = taken(after, "--profile")? else { return Ok(arguments) };
    let mut files = Vec::new();
    let mut left = [before, &rest].concat();
    while let Some((file, rest)) = taken(&left, "--target-file")? {
        files.push(PathBuf::from(file));
        left = rest;
    }
    if files.is_empty() {
        files.push(PathBuf::from(FILE_NAME));
    }
    let name = name.to_string_lossy();
    let (file, profile) = find_profile(&files, &name)?;
    let run = command.find_subcommand("run").ok_or_else(|| CommandError("there is no `run`".to_owned()))?;
    let mut expanded = before.to_vec();
    for setting in &profile.settings {
        expanded.extend(arguments_of(setting, run).map_err(|reason| {
            let (file, place) = (file.display(), &setting.place);
            CommandError(format!("{file}: {place}: profile `{name}`: {reason}"))
        })?);
    }
    expanded.extend(rest);
    Ok(expanded)
}

/// The value of an option among arguments, and the arguments without it.
fn taken(arguments: &[OsString], option: &str) -> Result<Option<(OsString, Vec<OsString>)>, CommandError> {
    for (place, argument) in arguments.iter().enumerate() {
        let text = argument.to_string_lossy();
        if text == "--" {
            break;
        }
        let (value, length) = if text == option {
            let missing = || CommandError(format!("{option} needs a value"));
            (arguments.get(place + 1).cloned().ok_or_else(missing)?, 2)
        } else if let Some(value) = text.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            (OsString::from(value), 1)
        } else {
            continue;
        };
        let rest = [&arguments[..place], &arguments[place + length..]].concat();
        return Ok(Some((value, rest)));
    }
    Ok(None)
}

/// The profile of this name, and the file that has it.
fn find_profile<'a>(files: &'a [PathBuf], name: &str) -> Result<(&'a Path, Profile), CommandError> {
    let mut known = Vec::new();
    for file in files {
        if !file.exists() {
            let file = file.display();
            return Err(CommandError(format!(
                "there is no profile `{name}`: the file {file} does not exist"
            )));
        }
        for profile in load_profiles(file).map_err(|error| CommandError(error.to_string()))? {
            if profile.name == name {
                return Ok((file, profile));
            }
            known.push(profile.name);
        }
    }
    let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    let meant = did_you_mean(name, known.iter().map(String::as_str));
    Err(CommandError(format!("there is no profile `{name}` in {}{meant}", files.join(", "))))
}

/// A setting as arguments of `run`.
fn arguments_of(setting: &ProfileSetting, run: &Command) -> Result<Vec<OsString>, String> {
    let ProfileSetting { name, value, .. } = setting;
    if name == "target" {
        return match value {
            ProfileValue::Values(values) if values.len() == 1 && !values[0].starts_with('-') => {
                Ok(vec![OsString::from(&values[0])])
            }
            _ => Err("`target` is the name of one target".to_owned()),
        };
    }
    let options = || run.get_arguments().filter_map(|argument| argument.get_long());
    let option = run.get_arguments().find(|argument| argument.get_long() == Some(name) && name != "profile");
    let option =
        option.ok_or_else(|| format!("`run` has no option `--{name}`{}", did_you_mean(name, options())))?;
    let takes_values = option.get_action().takes_values();
    match value {
        ProfileValue::Given(true) => Ok(vec![OsString::from(format!("--{name}"))]),
        ProfileValue::Given(false) if !takes_values => Ok(Vec::new()),
        ProfileValue::Values(values) if takes_values => {
            Ok(values.iter().map(|value| OsString::from(format!("--{name}={value}"))).collect())
        }
        ProfileValue::Given(false) => Err(format!("`--{name}` takes a value, and not false")),
        ProfileValue::Values(_) => Err(format!("`--{name}` takes no value: it is true or false")),
    }
}
