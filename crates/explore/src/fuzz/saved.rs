//! Inputs as bytes, and back. What comes from a file is checked before it is used.

use std::sync::Arc;

use super::generate::Shape;
use super::input::{Buffer, Deed, Entry, Input};

/// Writes numbers.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub fn new(magic: &[u8]) -> Writer {
        Writer(magic.to_vec())
    }

    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Bytes, and how many there are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn input(&mut self, input: &Input) {
        self.number(input.world.unwrap_or_default());
        self.number(u64::from(input.end));
        self.number(input.entries().len() as u64);
        for Entry { step, deed } in input.entries() {
            let (a, b) = match *deed {
                Deed::Crash { node, keep } => (u16::from(node), keep),
                Deed::Restart(node) | Deed::Request(node) | Deed::Fire(node) | Deed::Flush(node) => {
                    (u16::from(node), 0)
                }
                Deed::Cut(a, b) | Deed::Heal(a, b) => (u16::from(a), b),
                Deed::Drop(buffer) | Deed::Duplicate(buffer) => (buffer.0, 0),
                Deed::Deliver(buffer, most) => (buffer.0, most),
            };
            self.0.extend_from_slice(&step.to_le_bytes());
            self.0.push(deed.rank());
            self.0.extend_from_slice(&a.to_le_bytes());
            self.0.push(b);
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// What the bytes of a single input begin with.
const INPUT_MAGIC: &[u8] = b"shakedown input 1\n";

/// An input on its own.
pub(super) fn input_to_bytes(input: &Input) -> Vec<u8> {
    let mut writer = Writer::new(INPUT_MAGIC);
    writer.input(input);
    writer.finish()
}

/// Reads what [`input_to_bytes`] gave.
pub(super) fn inputs_of_bytes(inputs: &[Vec<u8>], shape: &Shape) -> Result<Vec<Arc<Input>>, String> {
    let read = |bytes: &Vec<u8>| {
        let mut reader = Reader::new(bytes, INPUT_MAGIC)?;
        let input = reader.input(shape)?;
        reader.finish().map(|()| Arc::new(input))
    };
    let numbered = |(number, bytes)| read(bytes).map_err(|reason| format!("input {number}: {reason}"));
    (1..).zip(inputs).map(numbered).collect()
}

/// Reads what a [`Writer`] wrote.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], magic: &[u8]) -> Result<Reader<'a>, String> {
        let rest = bytes.strip_prefix(magic);
        rest.map(Reader)
            .ok_or_else(|| "this was not saved by this version of the strategy in this mode".to_owned())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or("it ends too early")?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn number(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_le_bytes)
    }

    /// A number that need not be whole, and is not below 0.
    pub fn real(&mut self) -> Result<f64, String> {
        let real = f64::from_bits(self.number()?);
        if real.is_finite() && real >= 0.0 { Ok(real) } else { Err(format!("{real} is no amount")) }
    }

    /// What [`Writer::bytes`] wrote, if it is not more than this.
    pub fn bytes(&mut self, most: usize) -> Result<&'a [u8], String> {
        let count = self.count(1)?;
        if count > most {
            return Err(format!("{count} bytes are too many: at most {most} are allowed"));
        }
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        Ok(bytes)
    }

    /// A number of things, each of which takes at least so many bytes.
    pub fn count(&mut self, bytes_min: usize) -> Result<usize, String> {
        let count = self.number()?;
        let fits = (self.0.len() / bytes_min) as u64;
        if count > fits {
            return Err(format!("it announces {count} things and has room for {fits}"));
        }
        Ok(count as usize)
    }

    pub(super) fn input(&mut self, shape: &Shape) -> Result<Input, String> {
        let (world, end) = (self.number()?, self.number()?);
        let end = u16::try_from(end).ok().filter(|end| (*end as usize) < shape.horizon);
        let end = end.ok_or("an input ends beyond the horizon")?;
        let count = self.count(6)?;
        let entries = (0..count).map(|_| self.entry(shape)).collect::<Result<_, _>>()?;
        Ok(Input::played(world, end, entries))
    }

    fn entry(&mut self, shape: &Shape) -> Result<Entry, String> {
        let step = u16::from_le_bytes(self.take()?);
        let [rank] = self.take()?;
        let a = u16::from_le_bytes(self.take()?);
        let [b] = self.take()?;
        if step as usize >= shape.horizon {
            return Err(format!("step {step} lies beyond the horizon {}", shape.horizon));
        }
        let node = |number: u16| {
            let is_known = (number as usize) < shape.nodes;
            if is_known {
                Ok(number as u8)
            } else {
                Err(format!("there is no node {}", u32::from(number) + 1))
            }
        };
        let buffer = || {
            let is_known = (a as usize) < shape.buffers() || Buffer(a) == Buffer::OPEN;
            if is_known { Ok(Buffer(a)) } else { Err(format!("there is no buffer {a}")) }
        };
        let link = || match (node(a)?, node(u16::from(b))?) {
            (a, b) if a != b => Ok((a, b)),
            (a, _) => Err(format!("node {} has no link to itself", a + 1)),
        };
        let deed = match rank {
            0 => Deed::Crash { node: node(a)?, keep: b },
            1 => Deed::Restart(node(a)?),
            2 => link().map(|(a, b)| Deed::Cut(a, b))?,
            3 => link().map(|(a, b)| Deed::Heal(a, b))?,
            4 => Deed::Drop(buffer()?),
            5 => Deed::Duplicate(buffer()?),
            6 if b == 0 => return Err("a delivery of no message".to_owned()),
            6 => Deed::Deliver(buffer()?, b),
            7 => Deed::Request(node(a)?),
            8 => Deed::Fire(node(a)?),
            9 => Deed::Flush(node(a)?),
            _ => return Err(format!("there is no deed {rank}")),
        };
        Ok(Entry { step, deed })
    }

    pub fn finish(self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(format!("{} bytes too many", self.0.len())) }
    }
}
