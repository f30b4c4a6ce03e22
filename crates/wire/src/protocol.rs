//! Protocols as a configuration names them.

use serde::{Deserialize, Serialize};

use crate::etcd::Peer;
use crate::grpc::Grpc;
use crate::length_prefixed::{Layout, LengthPrefixed};
use crate::ratis::RatisNetty;
use crate::zookeeper::{Election, Quorum};
use crate::{Decoder, Framed, Limits};

/// What is known of a connection before its first byte.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Connection {
    /// Where the acceptor should reach the opener, if it is to go through a proxy: `127.0.0.1:4001`.
    /// Protocols whose handshakes carry the opener's own address have it replaced by this one.
    pub way_back: Option<String>,
}

/// A protocol that a decoder can be made for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Protocol {
    /// Frames that begin with their length.
    LengthPrefixed(Layout),
    /// ZooKeeper's election port.
    ZookeeperElection,
    /// ZooKeeper's quorum port.
    ZookeeperQuorum,
    /// The port at which etcd's servers talk to each other.
    EtcdPeer,
    /// Apache Ratis with Netty.
    RatisNetty,
    /// Calls of gRPC in plain text.
    Grpc,
}

impl Protocol {
    /// What is wrong with the settings, if something is.
    pub fn trouble(&self) -> Option<String> {
        match self {
            Self::LengthPrefixed(layout) => layout.trouble(),
            Self::ZookeeperElection
            | Self::ZookeeperQuorum
            | Self::EtcdPeer
            | Self::RatisNetty
            | Self::Grpc => None,
        }
    }

    /// Whether a decoder puts other addresses into what servers send. Such a decoder is needed wherever there
    /// is a proxy.
    pub fn rewrites(&self) -> bool {
        matches!(self, Self::ZookeeperElection)
    }

    /// A decoder for a new connection.
    pub fn decoder(&self, connection: &Connection, limits: Limits) -> Box<dyn Decoder> {
        match self {
            Self::LengthPrefixed(layout) => {
                Box::new(Framed::new(LengthPrefixed::new(*layout, limits), limits))
            }
            Self::ZookeeperElection => {
                Box::new(Framed::new(Election::new(connection.way_back.clone(), limits), limits))
            }
            Self::ZookeeperQuorum => Box::new(Framed::new(Quorum::new(limits), limits)),
            Self::RatisNetty => Box::new(Framed::new(RatisNetty::new(limits), limits)),
            Self::Grpc => Box::new(Framed::new(Grpc::new(limits), limits)),
            Self::EtcdPeer => Box::new(Framed::new(Peer::new(limits), limits)),
        }
    }
}
