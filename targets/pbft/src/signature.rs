//! Digests, and signatures that nobody can forge who does not call this module. See the crate's text for the
//! model.

use std::fmt;
use std::hash::Hash;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakedown_cluster::{Fingerprinter, NodeId, derive_seed};

/// What all secrets are derived from.
const SECRETS: u64 = 0x7062_6674_6b65_7973;

/// 64 bits that stand for some contents; in text, sixteen hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub u64);

impl Digest {
    /// The digest of these contents.
    pub fn of(contents: &impl Hash) -> Digest {
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(contents);
        Digest(fingerprinter.finish().0 as u64)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let bad = |_| serde::de::Error::custom("a digest is up to sixteen hexadecimal digits");
        u64::from_str_radix(&text, 16).map(Digest).map_err(bad)
    }
}

/// A signature. The default one is nobody's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(Digest);

impl Signature {
    /// The signature as a word: it stands for everything that was signed.
    pub fn word(self) -> u64 {
        self.0.0
    }
}

/// What is signed: a signature of one thing is worth nothing under another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Subject {
    Command,
    Propose,
    Write,
    Accept,
    Stop,
    StopData,
    Sync,
}

/// The signature of a client, all of whom share a key.
pub(crate) fn sign_as_client(contents: &impl Hash) -> Signature {
    sign_with(derive_seed(SECRETS, 0), Subject::Command, contents)
}

/// The signature of a node.
pub(crate) fn sign(node: NodeId, subject: Subject, contents: &impl Hash) -> Signature {
    sign_with(derive_seed(SECRETS, node.number() as u64), subject, contents)
}

fn sign_with(secret: u64, subject: Subject, contents: &impl Hash) -> Signature {
    Signature(Digest::of(&(secret, subject as u64, contents)))
}
