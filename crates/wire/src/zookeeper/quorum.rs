//! The quorum port: a learner opens the connection, both ends send packets, and a snapshot may follow one.

use super::packet::{Packet, PacketType};
use super::snapshot::Part;
use super::transaction::describe;
use crate::{Cut, End, Framer, Handling, Limits, Loss, Reader, Stop};

/// Cuts what travels to and from a quorum port.
///
/// A learner that has lost one packet would be out of step with its leader for good, and TCP loses none, so a
/// packet is lost only with its connection. Pings are plumbing.
#[derive(Debug)]
pub struct Quorum {
    limit: usize,
    /// How far the snapshot has come that the leader sends right now.
    snapshot: Option<Part>,
}

impl Quorum {
    /// A framer for a new connection.
    pub fn new(limits: Limits) -> Self {
        Self { limit: limits.frame_bytes_max, snapshot: None }
    }

    fn packet(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        let mut reader = Reader::new(bytes, self.limit);
        let packet = Packet::read(&mut reader)?;
        let handling = match packet.packet_type {
            PacketType::Ping => Handling::Plumbing,
            _ => Handling::Message(Loss::WithConnection),
        };
        let mut cut = Cut::new(reader.at(), packet.packet_type.name(), handling).with("zxid", packet.zxid);
        describe(&packet, &mut cut.fields);
        // Only a leader sends snapshots, and learners open the connections.
        if packet.packet_type == PacketType::Snap && from == End::Acceptor {
            self.snapshot = Some(Part::Start);
        }
        Ok(cut)
    }
}

impl Framer for Quorum {
    const PROTOCOL: &'static str = "zookeeper-quorum";

    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        match self.snapshot {
            Some(part) if from == End::Acceptor => {
                let (cut, next) = part.cut(bytes, self.limit)?;
                self.snapshot = next;
                Ok(cut)
            }
            _ => self.packet(from, bytes),
        }
    }
}
