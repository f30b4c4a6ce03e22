//! A client of PostgreSQL's protocol, version 3: simple queries over a Unix socket, without a password.
//!
//! Why not the crate `postgres`: five kinds of messages are all that is needed, every value is text, and
//! there is neither TLS nor a pool. The crate would bring some forty packages into the lock file for a tool
//! that runs by hand.

use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The longest message that is taken from a server.
const MESSAGE_MAX: usize = 64 << 20;
/// Version 3.0 of the protocol.
const VERSION: i32 = 3 << 16;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a query did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server refused it; the connection goes on.
    #[error("{code}: {message}")]
    Refused {
        /// The five characters of SQLSTATE.
        code: String,
        /// In words.
        message: String,
    },
    /// Nobody knows what became of it; the connection is of no use any more.
    #[error("the connection failed: {0}")]
    Broken(String),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Broken(error.to_string())
    }
}

/// A row of a result; columns that are NULL are nothing.
pub type Row = Vec<Option<String>>;

/// What a query gave: its rows, and the tag of the last command, such as `COMMIT`.
type Answer = (Vec<Row>, String);

/// A connection to a server.
pub struct Connection {
    stream: BufReader<UnixStream>,
}

impl Connection {
    /// Connects to the server whose socket is in this folder.
    pub fn open(folder: &Path, port: u16) -> Result<Connection, Failure> {
        let stream = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut connection = Connection { stream: BufReader::new(stream) };
        let mut body = VERSION.to_be_bytes().to_vec();
        body.extend_from_slice(b"user\0postgres\0database\0postgres\0\0");
        connection.send(None, &body)?;
        connection.finish()?;
        Ok(connection)
    }

    /// Runs one or more commands.
    pub fn query(&mut self, sql: &str) -> Result<Answer, Failure> {
        let mut body = sql.as_bytes().to_vec();
        body.push(0);
        self.send(Some(b'Q'), &body)?;
        self.finish()
    }

    fn send(&mut self, kind: Option<u8>, body: &[u8]) -> Result<(), Failure> {
        let length = i32::try_from(body.len() + 4).map_err(|_| Failure::Broken("too long".to_owned()))?;
        let mut message: Vec<u8> = kind.into_iter().collect();
        message.extend_from_slice(&length.to_be_bytes());
        message.extend_from_slice(body);
        Ok(self.stream.get_mut().write_all(&message)?)
    }

    fn receive(&mut self) -> Result<(u8, Vec<u8>), Failure> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let length = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
        let length = length.filter(|length| *length <= MESSAGE_MAX);
        let length = length.ok_or_else(|| Failure::Broken("a message has no sensible length".to_owned()))?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((head[0], body))
    }

    /// Takes messages until the server is ready for the next query.
    fn finish(&mut self) -> Result<Answer, Failure> {
        let (mut rows, mut tag, mut refused) = (Vec::new(), String::new(), None);
        loop {
            let (kind, body) = self.receive()?;
            match kind {
                b'R' if body.first_chunk() != Some(&0_i32.to_be_bytes()) => {
                    return Err(Failure::Broken("the server asks for a password".to_owned()));
                }
                b'D' => rows.push(row(&body).ok_or_else(|| Failure::Broken("a row is cut off".to_owned()))?),
                b'C' => tag = text(&body),
                b'E' => refused = Some(error(&body)),
                b'Z' => return refused.map_or(Ok((rows, tag)), Err),
                // Notices, parameters, descriptions of rows.
                _ => {}
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

fn row(body: &[u8]) -> Option<Row> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let mut row = Row::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        rest = after;
        match usize::try_from(i32::from_be_bytes(*length)) {
            Ok(length) => {
                row.push(Some(String::from_utf8_lossy(rest.get(..length)?).into_owned()));
                rest = &rest[length..];
            }
            Err(_) => row.push(None),
        }
    }
    Some(row)
}

/// The fields of an error: a letter and a text each.
fn error(body: &[u8]) -> Failure {
    let field = |letter: u8| {
        let mut fields = body.split(|byte| *byte == 0);
        fields
            .find(|field| field.first() == Some(&letter))
            .map_or_else(String::new, |field| text(&field[1..]))
    };
    Failure::Refused { code: field(b'C'), message: field(b'M') }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection to a server that sends these bytes and hangs up, and reads nothing.
    fn to_server_that_sends(bytes: &[u8]) -> Connection {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        theirs.write_all(bytes).expect("it fits into the buffer");
        Connection { stream: BufReader::new(ours) }
    }

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as i32 + 4).to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    #[test]
    fn rows_and_tags_are_read() {
        let row = [&2_u16.to_be_bytes()[..], &3_i32.to_be_bytes(), b"1 2", &(-1_i32).to_be_bytes()].concat();
        let bytes =
            [message(b'T', b"x"), message(b'D', &row), message(b'C', b"SELECT 1\0"), message(b'Z', b"I")];
        let (rows, tag) = to_server_that_sends(&bytes.concat()).finish().expect("it succeeds");
        assert_eq!((rows, tag.as_str()), (vec![vec![Some("1 2".to_owned()), None]], "SELECT 1"));
    }

    #[test]
    fn a_refusal_has_its_code() {
        let bytes =
            [message(b'E', b"SERROR\0C40001\0Mcould not serialize\0\0"), message(b'Z', b"E")].concat();
        let refused = to_server_that_sends(&bytes).finish().expect_err("it is refused");
        assert_eq!(refused.to_string(), "40001: could not serialize");
    }

    #[test]
    fn nonsense_breaks_the_connection_and_nothing_else() {
        let cut_row = [&2_u16.to_be_bytes()[..], &9_i32.to_be_bytes(), b"1"].concat();
        for bytes in [
            Vec::new(),
            message(b'D', &cut_row),
            message(b'R', &3_i32.to_be_bytes()),
            [&b"Z"[..], &i32::MAX.to_be_bytes()].concat(),
            [&b"Z"[..], &(-1_i32).to_be_bytes()].concat(),
            [&b"Z"[..], &3_i32.to_be_bytes()].concat(),
        ] {
            let failure = to_server_that_sends(&bytes).finish().expect_err("it is nonsense");
            assert!(matches!(failure, Failure::Broken(_)), "{failure}");
        }
    }
}
