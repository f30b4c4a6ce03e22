//! What is in this build, and what to report when a user asks for what is not: every such error names the
//! feature.

/// A part of Shakedown that a feature of this crate adds, and whether this build has it.
pub(crate) struct Feature {
    name: &'static str,
    is_on: bool,
    /// The commands that it adds.
    #[cfg(feature = "cli")]
    commands: &'static [&'static str],
}

macro_rules! feature {
    ($name:literal, $commands:expr) => {
        Feature {
            name: $name,
            is_on: cfg!(feature = $name),
            #[cfg(feature = "cli")]
            commands: $commands,
        }
    };
}

pub(crate) const HTML: Feature = feature!("html", &["report", "serve"]);
#[cfg(feature = "cli")]
pub(crate) const STORE: Feature =
    feature!("store", &["resume", "compare", "report", "serve", "show", "list", "merge"]);
#[cfg(feature = "cli")]
const TLA: Feature = feature!("tla", &["conform", "tla", "validate"]);
#[cfg(feature = "cli")]
pub(crate) const REMOTE: Feature = feature!("remote", &["host", "init"]);
#[cfg(feature = "cli")]
pub(crate) const FLEET: Feature = feature!("fleet", &["worker", "fleet"]);
#[cfg(feature = "cli")]
const MAELSTROM: Feature = feature!("maelstrom", &["maelstrom"]);

impl Feature {
    /// An error if something is asked for that needs this feature, and it is off.
    pub(crate) fn needed_for(&self, what: &str) -> Result<(), String> {
        if self.is_on { Ok(()) } else { Err(self.missing(what)) }
    }

    /// What to report of something that needs this feature, where it is off.
    pub(crate) fn missing(&self, what: &str) -> String {
        format!("{what} needs the feature `{}` of the crate shakedown, which is off in this build", self.name)
    }
}

/// What to report of arguments that name a command which is not in this build.
#[cfg(feature = "cli")]
pub(crate) fn missing_command(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};

    let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let mut features = [STORE, HTML, TLA, REMOTE, MAELSTROM, FLEET].into_iter();
    let feature = features.find(|feature| !feature.is_on && feature.commands.contains(&command.as_str()))?;
    Some(feature.missing(&format!("the command `{command}`")))
}
