//! What processes send each other.

use std::hash::{Hash, Hasher};

use shakedown_cluster::{Message, NodeId};

/// A message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mail {
    /// A worker or the terminator is there.
    Register,
    /// The client wants something done.
    Request,
    /// Do a task; so many are left, this one counted.
    Execute {
        /// How many.
        left: u32,
    },
    /// Clear a worker.
    Terminate {
        /// Which one.
        worker: NodeId,
    },
    /// Give up the buffer.
    Flush,
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::Register => "Register",
            Mail::Request => "Request",
            Mail::Execute { .. } => "Execute",
            Mail::Terminate { .. } => "Terminate",
            Mail::Flush => "Flush",
        }
    }

    fn describe(&self) -> String {
        match self {
            Mail::Execute { left } => format!("{left} left"),
            Mail::Terminate { worker } => worker.to_string(),
            _ => String::new(),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}
