//! The snapshot that follows a SNAP packet: its length is written nowhere, but its parts say where it ends.
//!
//! It is the sessions with their time-outs, the access lists with their numbers, the nodes of the tree with
//! their paths until the path `/`, and the text `BenWasHere`. Each part becomes a frame of its own, so a
//! snapshot of any size passes in pieces that the limits allow. A part that cannot be one, or another text at
//! the end, is a lost frame.

use crate::{Cut, Fault, Handling, Reader, Stop};

/// What a snapshot ends with.
const SIGNATURE: &str = "BenWasHere";
/// How many sessions, access lists, and entries in one there may be.
const SESSIONS_MAX: usize = 1 << 24;
const LISTS_MAX: usize = 1 << 24;
const ENTRIES_MAX: usize = 1 << 16;
/// A node's access list and what is kept of it: four numbers of eight bytes, three of four, two of eight.
const STAT_BYTES: usize = 8 + 60;

/// How far a snapshot has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The number of sessions comes next.
    Start,
    /// So many sessions are left; then comes the number of access lists.
    Sessions(usize),
    /// So many access lists are left; then come the nodes.
    Lists(usize),
    /// Another node, or the end of the tree.
    Nodes,
    /// The text at the end.
    Signature,
}

impl Part {
    /// Cuts the next part; what follows it, and nothing if it was the last.
    pub(super) fn cut(self, bytes: &[u8], limit: usize) -> Result<(Cut, Option<Self>), Stop> {
        let mut reader = Reader::new(bytes, limit);
        let (kind, next) = match self {
            Self::Start => {
                let sessions = reader.length("sessions", SESSIONS_MAX)?.unwrap_or(0);
                ("SnapshotStart", Some(Self::Sessions(sessions)))
            }
            Self::Sessions(0) => {
                let lists = reader.length("access lists", LISTS_MAX)?.unwrap_or(0);
                ("SnapshotLists", Some(Self::lists(lists)))
            }
            Self::Sessions(left) => {
                reader.bytes(12)?;
                ("SnapshotSession", Some(Self::Sessions(left - 1)))
            }
            Self::Lists(left) => {
                read_list(&mut reader)?;
                ("SnapshotList", Some(Self::lists(left - 1)))
            }
            Self::Nodes => return node(reader),
            Self::Signature => {
                let text = reader.text("the end of a snapshot")?.unwrap_or_default();
                if text != SIGNATURE {
                    let found = format!("{:?}", text.chars().take(SIGNATURE.len()).collect::<String>());
                    return Err(Fault::Unexpected { what: "the end of a snapshot", found }.into());
                }
                ("SnapshotEnd", None)
            }
        };
        Ok((Cut::new(reader.at(), kind, Handling::Plumbing), next))
    }

    fn lists(left: usize) -> Self {
        if left == 0 { Self::Nodes } else { Self::Lists(left) }
    }
}

/// An access list: its number, and permissions with whom they are for.
fn read_list(reader: &mut Reader<'_>) -> Result<(), Stop> {
    reader.i64()?;
    for _ in 0..reader.length("an access list", ENTRIES_MAX)?.unwrap_or(0) {
        reader.i32()?;
        reader.buffer("a scheme")?;
        reader.buffer("an identity")?;
    }
    Ok(())
}

/// A node of the tree, or the path that ends it. The root has the empty path.
fn node(mut reader: Reader<'_>) -> Result<(Cut, Option<Part>), Stop> {
    let path = reader.text("a path")?.unwrap_or_default();
    if path == "/" {
        return Ok((Cut::new(reader.at(), "SnapshotTreeEnd", Handling::Plumbing), Some(Part::Signature)));
    }
    if !path.is_empty() && !path.starts_with('/') {
        let found = format!("{:?}", path.chars().take(64).collect::<String>());
        return Err(Fault::Unexpected { what: "the path of a node", found }.into());
    }
    reader.buffer("the data of a node")?;
    reader.bytes(STAT_BYTES)?;
    let cut = Cut::new(reader.at(), "SnapshotNode", Handling::Plumbing).with("path", path);
    Ok((cut, Some(Part::Nodes)))
}
