//! A 128-bit fingerprint of a trace: two executions with equal fingerprints did, sent and were the same.

use std::fmt;
use std::hash::{Hash, Hasher};

use siphasher::sip128::{Hasher128, SipHasher13};

/// 128 bits that stand for everything an execution did, sent and was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Takes in what happened, piece by piece.
#[derive(Clone)]
pub struct Fingerprinter(SipHasher13);

impl Default for Fingerprinter {
    fn default() -> Fingerprinter {
        // Fixed keys: a fingerprint must mean the same in every process.
        Fingerprinter(SipHasher13::new_with_keys(0x7368_616b_6564_6f77, 0x6e2d_7472_6163_6531))
    }
}

impl Fingerprinter {
    /// Takes in a value.
    pub fn add(&mut self, value: &impl Hash) {
        value.hash(&mut self.0);
    }

    /// The fingerprint of all that was taken in so far.
    pub fn finish(&self) -> Fingerprint {
        Fingerprint(self.0.finish128().as_u128())
    }
}

impl Hasher for Fingerprinter {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_u32(&mut self, value: u32) {
        self.0.write_u32(value);
    }

    fn write_u64(&mut self, value: u64) {
        self.0.write_u64(value);
    }

    fn finish(&self) -> u64 {
        Hasher::finish(&self.0)
    }
}

/// Lets anything that can be formatted be taken into a hasher without building the text.
pub(crate) struct FormatInto<'a>(pub &'a mut dyn Hasher);

impl fmt::Write for FormatInto<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
