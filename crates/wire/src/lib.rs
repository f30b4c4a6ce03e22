//! Decoders: the bytes of a TCP connection between real servers as frames with a kind and fields.
//!
//! A proxy that stands between two servers has one [`Decoder`] for each connection. It feeds the bytes that
//! arrive, with their [`End`] that sent them, and forwards the bytes of the [`Frame`]s that come out. So it
//! can hold, drop and show one message of a protocol instead of an arbitrary piece of a stream. Nothing here
//! reads a socket, a file or a clock.
//!
//! - [`Protocol`] is a protocol as a configuration names it; it makes decoders.
//! - [`length_prefixed`] serves protocols of users whose frames begin with their length;
//! - [`etcd`] has the port at which etcd's servers talk to each other;
//! - [`ratis`] has Apache Ratis with Netty, and [`grpc`] every call of gRPC;
//! - [`zookeeper`] has ZooKeeper's leader election and its quorum protocol;
//! - [`Framed`] and [`Framer`] are what a new decoder is made of: a framer cuts the first frame off a slice,
//!   and everything else (buffers, limits, places in errors) is done once.
//!
//! What servers send is hostile until parsed: every length is checked against [`Limits`] before anything is
//! kept for it. A decoder that no longer knows where a frame begins reports it once and for all as a
//! [`LostFrame`], and gives the bytes back that it has not handed out, so that the proxy can end the
//! connection or forward the rest as it is.

mod decoder;
mod error;
pub mod etcd;
mod framed;
pub mod grpc;
pub mod length_prefixed;
mod protocol;
pub mod ratis;
mod reader;
pub mod zookeeper;

pub use decoder::{Decoder, End, Frame, Handling, Loss};
pub use error::{Fault, LostFrame};
pub use framed::{Cut, Framed, Framer, Limits};
pub use protocol::{Connection, Protocol};
pub use reader::{Reader, Stop};
