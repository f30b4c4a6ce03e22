//! Liveness.
use crate::error::Result;
use crate::eval::Machine;
use crate::model::Model;
use super::Violation;

pub(crate) struct Recorder {}
impl Recorder {
    pub(crate) fn new(_model: &Model) -> Recorder { Recorder {} }
    pub(crate) fn initial(&mut self, _print: u64, _id: u32) {}
    pub(crate) fn node(&mut self, _m: &mut Machine, _print: u64, _id: u32) -> Result<()> { Ok(()) }
    pub(crate) fn edge(&mut self, _m: &mut Machine, _from: u64, _to: u64) -> Result<()> { Ok(()) }
    pub(crate) fn check(self, _m: &mut Model) -> Result<Option<Violation>> { Ok(None) }
}
