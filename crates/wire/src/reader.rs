//! Reading numbers, buffers and strings off a slice that may end too early.

use crate::Fault;

/// Why reading stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The bytes end before the frame does.
    Incomplete,
    /// The bytes are wrong, whatever follows.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Reads big-endian values, as Java writes them, off the front of a slice.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The greatest length of a buffer.
    limit: usize,
}

impl<'b> Reader<'b> {
    /// A reader at the start of a slice; a buffer longer than the limit is a fault, even if its bytes are not
    /// there yet.
    pub fn new(bytes: &'b [u8], limit: usize) -> Self {
        Self { bytes, at: 0, limit }
    }

    /// How many bytes were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Everything that was not read.
    pub fn remaining(&self) -> &'b [u8] {
        &self.bytes[self.at..]
    }

    /// So many bytes.
    ///
    /// # Errors
    ///
    /// The slice ends before.
    pub fn bytes(&mut self, length: usize) -> Result<&'b [u8], Stop> {
        let found = self.remaining().get(..length).ok_or(Stop::Incomplete)?;
        self.at += length;
        Ok(found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let bytes = self.bytes(N)?;
        Ok(bytes.try_into().expect("as many bytes as were asked for"))
    }

    /// One byte.
    ///
    /// # Errors
    ///
    /// The slice ends before.
    pub fn u8(&mut self) -> Result<u8, Stop> {
        Ok(self.array::<1>()?[0])
    }

    /// A number of four bytes.
    ///
    /// # Errors
    ///
    /// The slice ends before.
    pub fn i32(&mut self) -> Result<i32, Stop> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    ///
    /// The slice ends before.
    pub fn i64(&mut self) -> Result<i64, Stop> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A length or count of four bytes, at most so large; −1 stands for nothing at all.
    ///
    /// # Errors
    ///
    /// The slice ends before, or the number is out of bounds.
    pub fn length(&mut self, what: &'static str, limit: usize) -> Result<Option<usize>, Stop> {
        match self.i32()? {
            -1 => Ok(None),
            length if length < 0 => Err(Fault::Negative { what, length: i64::from(length) }.into()),
            length => {
                let length = usize::try_from(length).expect("not negative");
                if length > limit {
                    return Err(Fault::TooLong { what, length: length as u64, limit: limit as u64 }.into());
                }
                Ok(Some(length))
            }
        }
    }

    /// A buffer behind its length.
    ///
    /// # Errors
    ///
    /// The slice ends before, or the length is out of bounds.
    pub fn buffer(&mut self, what: &'static str) -> Result<Option<&'b [u8]>, Stop> {
        match self.length(what, self.limit)? {
            None => Ok(None),
            Some(length) => self.bytes(length).map(Some),
        }
    }

    /// A text behind its length; what is not UTF-8 is replaced, for texts are only shown.
    ///
    /// # Errors
    ///
    /// The slice ends before, or the length is out of bounds.
    pub fn text(&mut self, what: &'static str) -> Result<Option<String>, Stop> {
        Ok(self.buffer(what)?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }
}
