//! The TLA+ models that library crates of Shakedown embed: each a module's name and its text.
//!
//! They are a crate because a package holds only files of its own folder. Models that only targets follow lie
//! in the same folder and are read from there.

/// Raft: elections, replication, snapshots, crashes.
pub const RAFT: (&str, &str) = ("Raft", include_str!("../Raft.tla"));

/// The actions of [`RAFT`] as events of an implementation; extends it.
pub const RAFT_EVENTS: (&str, &str) = ("RaftEvents", include_str!("../RaftEvents.tla"));

/// Changes of the membership, of one server at a time; extends [`RAFT`].
pub const RAFT_MEMBERSHIP: (&str, &str) = ("RaftMembership", include_str!("../RaftMembership.tla"));

/// The events of an implementation whose membership changes; extends [`RAFT_EVENTS`] and [`RAFT_MEMBERSHIP`].
pub const RAFT_MEMBERSHIP_EVENTS: (&str, &str) =
    ("RaftMembershipEvents", include_str!("../RaftMembershipEvents.tla"));
