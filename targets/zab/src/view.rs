//! What can be seen of a server.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use shakedown_check::RegisterValues;

use crate::{Peer, Role, Transaction, Zxid};

/// A server as it is seen from outside.
#[derive(Clone, Debug, Hash, Serialize)]
pub struct View {
    /// What it does.
    pub role: Role,
    /// The last epoch that it accepted.
    pub accepted: u64,
    /// The epoch of the last leader whose history it took over.
    pub current: u64,
    /// The last transaction that it has applied.
    pub applied: Zxid,
    /// What every key holds after it.
    #[serde(serialize_with = "shown")]
    pub values: RegisterValues,
    /// The transaction of the snapshot on its disk.
    pub snapshot: Zxid,
    /// The log on its disk.
    #[serde(serialize_with = "transactions")]
    pub log: Arc<Vec<Transaction>>,
}

impl View {
    pub(crate) fn of(peer: &Peer) -> View {
        let durable = peer.durable();
        let (values, applied) = peer.state();
        View {
            role: peer.role(),
            accepted: durable.accepted,
            current: durable.current,
            applied,
            values: values.clone(),
            snapshot: durable.snapshot.zxid,
            log: Arc::clone(&durable.log),
        }
    }
}

fn shown<S: Serializer>(values: &RegisterValues, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(values)
}

fn transactions<S: Serializer>(log: &Arc<Vec<Transaction>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(log.iter().map(|transaction| format!("{transaction:?}")))
}
