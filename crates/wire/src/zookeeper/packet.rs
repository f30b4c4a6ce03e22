//! A packet of the quorum protocol: type, zxid, data and who asks.

use crate::{Fault, Reader, Stop};

/// How many identities a packet may carry: a client has one for each way in which it proved who it is.
const IDENTITIES_MAX: usize = 256;

/// The types of packets, by the numbers that they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PacketType {
    Request = 1,
    Proposal = 2,
    Ack = 3,
    Commit = 4,
    Ping = 5,
    Revalidate = 6,
    Sync = 7,
    Inform = 8,
    CommitAndActivate = 9,
    NewLeader = 10,
    FollowerInfo = 11,
    UpToDate = 12,
    Diff = 13,
    Trunc = 14,
    Snap = 15,
    ObserverInfo = 16,
    LeaderInfo = 17,
    AckEpoch = 18,
    InformAndActivate = 19,
}

use PacketType::{
    Ack, AckEpoch, Commit, CommitAndActivate, Diff, FollowerInfo, Inform, InformAndActivate, LeaderInfo,
    NewLeader, ObserverInfo, Ping, Proposal, Request, Revalidate, Snap, Sync, Trunc, UpToDate,
};

/// All types with their names as ZooKeeper writes them, in the order of their numbers.
const TYPES: [(PacketType, &str); 19] = [
    (Request, "REQUEST"),
    (Proposal, "PROPOSAL"),
    (Ack, "ACK"),
    (Commit, "COMMIT"),
    (Ping, "PING"),
    (Revalidate, "REVALIDATE"),
    (Sync, "SYNC"),
    (Inform, "INFORM"),
    (CommitAndActivate, "COMMITANDACTIVATE"),
    (NewLeader, "NEWLEADER"),
    (FollowerInfo, "FOLLOWERINFO"),
    (UpToDate, "UPTODATE"),
    (Diff, "DIFF"),
    (Trunc, "TRUNC"),
    (Snap, "SNAP"),
    (ObserverInfo, "OBSERVERINFO"),
    (LeaderInfo, "LEADERINFO"),
    (AckEpoch, "ACKEPOCH"),
    (InformAndActivate, "INFORMANDACTIVATE"),
];

impl PacketType {
    fn of(number: i32) -> Result<Self, Fault> {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let found = place.and_then(|place| TYPES.get(place)).map(|(packet_type, _)| *packet_type);
        found.ok_or_else(|| Fault::Unexpected { what: "the type of a packet", found: number.to_string() })
    }

    pub(super) fn name(self) -> &'static str {
        TYPES[self as usize - 1].1
    }
}

/// A packet.
#[derive(Debug)]
pub(super) struct Packet<'b> {
    pub(super) packet_type: PacketType,
    pub(super) zxid: i64,
    pub(super) data: Option<&'b [u8]>,
}

impl<'b> Packet<'b> {
    /// Reads a packet in Jute, ZooKeeper's encoding.
    pub(super) fn read(reader: &mut Reader<'b>) -> Result<Self, Stop> {
        let packet_type = PacketType::of(reader.i32()?)?;
        let zxid = reader.i64()?;
        let data = reader.buffer("the data of a packet")?;
        let identities = reader.length("identities", IDENTITIES_MAX)?.unwrap_or(0);
        for _ in 0..identities {
            reader.buffer("the scheme of an identity")?;
            reader.buffer("the name of an identity")?;
        }
        Ok(Self { packet_type, zxid, data })
    }
}
