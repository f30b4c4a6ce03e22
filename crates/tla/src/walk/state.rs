//! States outside the machine.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::budget::Allowance;
use crate::error::{Place, Result};
use crate::value::Value;
use crate::value::encode::{Decoder, encode_all};

/// About what a state takes beside its bytes, with its places in lists and tables.
const STATE_BYTES: usize = 128;

/// A state of a specification. Two states are equal if their fingerprints are: equal variables, or equal
/// views and equal up to symmetry if the configuration asks for it.
#[derive(Clone)]
pub struct State {
    bytes: Arc<[u8]>,
    fingerprint: u64,
    abstraction: u64,
}

impl State {
    /// The fingerprint: the same in every process.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many bytes its encoding has.
    pub(super) fn encoded_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// A number for what [`super::Walker::abstract_by`] says matters; the fingerprint if nothing was said.
    pub fn abstraction(&self) -> u64 {
        self.abstraction
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "State({:016x})", self.fingerprint)
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.fingerprint);
    }
}

/// Turns values into states and back; remembers the last one made, which is most often the next one entered.
pub(super) struct Store {
    decoder: Decoder<'static>,
    buffer: Vec<u8>,
    last: Option<(u64, Vec<Value>)>,
}

impl Store {
    pub(super) fn new() -> Store {
        Store { decoder: Decoder::new(), buffer: Vec::new(), last: None }
    }

    /// A state out of values; `None` if one of them is infinite.
    pub(super) fn encode(
        &mut self,
        values: &[Value],
        allowance: &mut Allowance,
        (fingerprint, abstraction): (u64, u64),
    ) -> Result<Option<State>> {
        self.buffer.clear();
        if encode_all(values, &mut self.buffer, None, allowance)?.is_some() {
            return Ok(None);
        }
        allowance.take(self.buffer.len() + STATE_BYTES, Place::none())?;
        match &mut self.last {
            Some((print, last)) => {
                *print = fingerprint;
                last.clear();
                last.extend_from_slice(values);
            }
            None => self.last = Some((fingerprint, values.to_vec())),
        }
        Ok(Some(State { bytes: self.buffer.as_slice().into(), fingerprint, abstraction }))
    }

    pub(super) fn decode(&mut self, state: &State, variables: usize) -> Option<Vec<Value>> {
        let mut bytes = &*state.bytes;
        (0..variables).map(|_| self.decoder.decode(&mut bytes)).collect()
    }

    /// Puts a state's values where they are wanted; false if they do not fit.
    pub(super) fn enter(&mut self, state: &State, values: &mut [Value]) -> bool {
        if let Some((print, last)) = &self.last
            && *print == state.fingerprint
            && last.len() == values.len()
        {
            values.clone_from_slice(last);
            return true;
        }
        let mut bytes = &*state.bytes;
        for value in values.iter_mut() {
            match self.decoder.decode(&mut bytes) {
                Some(decoded) => *value = decoded,
                None => return false,
            }
        }
        bytes.is_empty()
    }
}
