//! What is agreed on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::signature::{Digest, Signature, sign_as_client};

/// What a client asks for, signed by it: replicas can repeat a command, but not invent one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Command {
    /// The number of the request in its execution, counted from 0.
    pub request: u32,
    /// What is to be appended to the replicated log.
    pub value: u64,
    /// The client's signature.
    #[serde(default)]
    pub signature: Signature,
}

impl Command {
    /// The command of a client.
    pub(crate) fn signed(request: u32, value: u64) -> Command {
        Command { request, value, signature: sign_as_client(&(request, value)) }
    }

    /// A command that no client gave.
    pub fn forged(request: u32, value: u64) -> Command {
        Command { request, value, signature: Signature::default() }
    }

    /// Whether a client gave it.
    pub fn is_signed(&self) -> bool {
        self.signature == sign_as_client(&(self.request, self.value))
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        if self.is_signed() { Ok(()) } else { f.write_str(" (forged)") }
    }
}

/// What an instance decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// Nothing: a new leader fills the gaps between prepared instances with it.
    Nothing,
    /// A command.
    Command(Command),
}

impl Value {
    /// What votes name instead of the value.
    pub fn digest(&self) -> Digest {
        Digest::of(self)
    }

    /// The command, if it is one.
    pub fn command(&self) -> Option<Command> {
        match self {
            Value::Nothing => None,
            Value::Command(command) => Some(*command),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str("nothing"),
            Value::Command(command) => write!(f, "{command:?}"),
        }
    }
}
