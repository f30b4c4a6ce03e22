//! The election port: a handshake of the opener, then notifications both ways.

use super::config_version;
use crate::{Cut, End, Fault, Framer, Handling, Limits, Loss, Reader, Stop};

/// What a server accepts as the addresses of a handshake, and as a notification, in bytes.
const ADDRESSES_BYTES_MAX: usize = 2048;
const NOTIFICATION_BYTES_MAX: usize = 512 << 10;

/// Cuts what travels to and from an election port.
///
/// The opener begins with its number (until 3.4.5), or with a version, its number and its own election
/// addresses. A server with a greater number closes such a connection and opens one of its own **to that
/// address**, so a proxy has to put its own there. After the handshake both ends send notifications. A server
/// keeps only the last notification for a peer that it cannot reach, so one may be lost alone.
#[derive(Debug)]
pub struct Election {
    way_back: Option<String>,
    notification_bytes_max: usize,
    is_opened: bool,
}

impl Election {
    /// A framer for a new connection; the address stands for the opener's own in the handshake.
    pub fn new(way_back: Option<String>, limits: Limits) -> Self {
        let notification_bytes_max = limits.frame_bytes_max.min(NOTIFICATION_BYTES_MAX);
        Self { way_back, notification_bytes_max, is_opened: false }
    }

    fn handshake(&self, bytes: &[u8]) -> Result<Cut, Stop> {
        let mut reader = Reader::new(bytes, ADDRESSES_BYTES_MAX);
        let first = reader.i64()?;
        if first >= 0 {
            return Ok(Cut::new(reader.at(), "Handshake", Handling::Plumbing).with("sid", first));
        }
        if !(-65536..=-65535).contains(&first) {
            let found = first.to_string();
            return Err(Fault::Unexpected { what: "the version of an election handshake", found }.into());
        }
        let sid = reader.i64()?;
        let addresses = reader.text("election addresses")?.unwrap_or_default();
        let mut cut = Cut::new(reader.at(), "Handshake", Handling::Plumbing)
            .with("version", first)
            .with("sid", sid)
            .with("addresses", addresses);
        if let Some(address) = &self.way_back {
            cut = cut.with("forwarded", address.clone());
            cut.instead = Some(handshake_bytes(first, sid, address));
        }
        Ok(cut)
    }

    fn notification(&self, bytes: &[u8]) -> Result<Cut, Stop> {
        let mut reader = Reader::new(bytes, self.notification_bytes_max);
        let body = reader.buffer("a notification")?.unwrap_or_default();
        // Shorter ones are read by no server.
        if body.len() < 28 {
            let found = format!("{} bytes", body.len());
            return Err(Fault::Unexpected { what: "the length of a notification", found }.into());
        }
        let cut = Cut::new(reader.at(), "Notification", Handling::Message(Loss::Alone));
        fields(Reader::new(body, self.notification_bytes_max), cut)
    }
}

/// The handshake of a server with this number and address.
fn handshake_bytes(version: i64, sid: i64, address: &str) -> Vec<u8> {
    let length = u32::try_from(address.len()).expect("an address is short");
    let numbers = version.to_be_bytes().into_iter().chain(sid.to_be_bytes());
    numbers.chain(length.to_be_bytes()).chain(address.bytes()).collect()
}

/// The name of a server's state.
fn state(number: i32) -> Result<&'static str, Fault> {
    match number {
        0 => Ok("LOOKING"),
        1 => Ok("FOLLOWING"),
        2 => Ok("LEADING"),
        3 => Ok("OBSERVING"),
        _ => Err(Fault::Unexpected { what: "the state in a notification", found: number.to_string() }),
    }
}

/// The contents of a notification. Releases before 3.4 end after the election epoch, later ones have more.
fn fields(mut body: Reader<'_>, cut: Cut) -> Result<Cut, Stop> {
    let mut cut = cut
        .with("state", state(body.i32()?)?)
        .with("leader", body.i64()?)
        .with("zxid", body.i64()?)
        .with("election_epoch", body.i64()?);
    if let Ok(peer_epoch) = body.i64() {
        cut = cut.with("peer_epoch", peer_epoch);
    }
    if let Ok(version) = body.i32() {
        cut = cut.with("version", version);
    }
    if let Ok(Some(config)) = body.buffer("a configuration") {
        cut = cut.with("config_version", config_version(config));
    }
    Ok(cut)
}

impl Framer for Election {
    const PROTOCOL: &'static str = "zookeeper-election";

    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        if from == End::Acceptor || self.is_opened {
            return self.notification(bytes);
        }
        let cut = self.handshake(bytes)?;
        self.is_opened = true;
        Ok(cut)
    }
}
