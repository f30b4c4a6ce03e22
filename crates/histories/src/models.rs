//! Consistency models, and which anomalies rule them out.
//!
//! The order of models is that of Elle (`consistency_model.clj`, version 0.2.8), which takes it from Adya's
//! thesis (`PL-…`), Bailis and others (HAT, 2013), Cerone, Bernardi and Gotsman (2015), and Daudjee and Salem
//! (sessions). A model rules out what it names itself and what the models that it implies rule out.

use crate::anomaly::{AnomalyKind, CycleKind, Orders, Promise};

/// A consistency model.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What Adya calls it, if he does.
    pub adya: Option<&'static str>,
    /// The models that it implies directly.
    implies: &'static [&'static Model],
    /// What it rules out beside what these do.
    forbids: &'static [AnomalyKind],
}

const fn data(kind: CycleKind) -> AnomalyKind {
    AnomalyKind::Cycle(kind, Orders::Data)
}

const fn process(kind: CycleKind) -> AnomalyKind {
    AnomalyKind::Cycle(kind, Orders::Process)
}

const fn real_time(kind: CycleKind) -> AnomalyKind {
    AnomalyKind::Cycle(kind, Orders::RealTime)
}

use AnomalyKind::{
    CyclicVersions, DirtyUpdate, DuplicateAppends, DuplicateElements, DuplicateWrites, FracturedRead,
    FutureRead, G1a, G1b, GMonotonic, GUpdate, GarbageRead, IncompatibleOrder, Internal, LostUpdate,
    Vanishing,
};
use CycleKind::{G0, G1c, G2Item, GNonadjacent, GSingle};

static READ_UNCOMMITTED: Model = Model {
    name: "read-uncommitted",
    adya: Some("PL-1"),
    implies: &[],
    forbids: &[data(G0), GarbageRead, DuplicateElements, DuplicateAppends, DuplicateWrites, CyclicVersions],
};

static READ_COMMITTED: Model = Model {
    name: "read-committed",
    adya: Some("PL-2"),
    implies: &[&READ_UNCOMMITTED],
    forbids: &[data(G1c), G1a, G1b, DirtyUpdate, IncompatibleOrder, FutureRead],
};

static CURSOR_STABILITY: Model = Model {
    name: "cursor-stability",
    adya: Some("PL-CS"),
    implies: &[&READ_COMMITTED],
    forbids: &[LostUpdate],
};

static MONOTONIC_VIEW: Model = Model {
    name: "monotonic-view",
    adya: Some("PL-2L"),
    implies: &[&READ_COMMITTED],
    forbids: &[GMonotonic],
};

static MONOTONIC_ATOMIC_VIEW: Model =
    Model { name: "monotonic-atomic-view", adya: None, implies: &[&READ_COMMITTED], forbids: &[Vanishing] };

static CONSISTENT_VIEW: Model = Model {
    name: "consistent-view",
    adya: Some("PL-2+"),
    implies: &[&CURSOR_STABILITY, &MONOTONIC_VIEW],
    forbids: &[data(GSingle)],
};

/// A history without the times of commits never tells it from consistent view.
static FORWARD_CONSISTENT_VIEW: Model = Model {
    name: "forward-consistent-view",
    adya: Some("PL-FCV"),
    implies: &[&CONSISTENT_VIEW],
    forbids: &[],
};

static UPDATE_SERIALIZABLE: Model = Model {
    name: "update-serializable",
    adya: Some("PL-3U"),
    implies: &[&FORWARD_CONSISTENT_VIEW],
    forbids: &[GUpdate],
};

static READ_ATOMIC: Model = Model {
    name: "read-atomic",
    adya: None,
    implies: &[&MONOTONIC_ATOMIC_VIEW],
    forbids: &[Internal, FracturedRead],
};

static UPDATE_ATOMIC: Model =
    Model { name: "update-atomic", adya: None, implies: &[&READ_ATOMIC], forbids: &[LostUpdate] };

/// A cycle with one overwritten read is what it rules out beside the others (Cerone, Gotsman and Yang 2015).
static PARALLEL_SNAPSHOT_ISOLATION: Model = Model {
    name: "parallel-snapshot-isolation",
    adya: None,
    implies: &[&UPDATE_ATOMIC],
    forbids: &[data(GSingle)],
};

/// Reads of one transaction that differ are what it is named after; Elle does not count them.
static REPEATABLE_READ: Model = Model {
    name: "repeatable-read",
    adya: Some("PL-2.99"),
    implies: &[&CURSOR_STABILITY, &MONOTONIC_ATOMIC_VIEW],
    forbids: &[data(GSingle), data(GNonadjacent), data(G2Item), Internal],
};

static SNAPSHOT_ISOLATION: Model = Model {
    name: "snapshot-isolation",
    adya: Some("PL-SI"),
    implies: &[&FORWARD_CONSISTENT_VIEW, &MONOTONIC_ATOMIC_VIEW, &PARALLEL_SNAPSHOT_ISOLATION],
    forbids: &[data(GNonadjacent), AnomalyKind::NoOrder(Promise::Snapshot, Orders::Data)],
};

static SERIALIZABLE: Model = Model {
    name: "serializable",
    adya: Some("PL-3"),
    implies: &[&REPEATABLE_READ, &UPDATE_SERIALIZABLE, &SNAPSHOT_ISOLATION],
    forbids: &[AnomalyKind::NoOrder(Promise::Serial, Orders::Data)],
};

static STRONG_SESSION_READ_UNCOMMITTED: Model = Model {
    name: "strong-session-read-uncommitted",
    adya: None,
    implies: &[&READ_UNCOMMITTED],
    forbids: &[process(G0)],
};

static STRONG_SESSION_READ_COMMITTED: Model = Model {
    name: "strong-session-read-committed",
    adya: None,
    implies: &[&READ_COMMITTED, &STRONG_SESSION_READ_UNCOMMITTED],
    forbids: &[process(G1c)],
};

static STRONG_SESSION_SNAPSHOT_ISOLATION: Model = Model {
    name: "strong-session-snapshot-isolation",
    adya: None,
    implies: &[&SNAPSHOT_ISOLATION, &STRONG_SESSION_READ_COMMITTED],
    forbids: &[
        process(GSingle),
        process(GNonadjacent),
        AnomalyKind::NoOrder(Promise::Snapshot, Orders::Process),
    ],
};

static STRONG_SESSION_SERIALIZABLE: Model = Model {
    name: "strong-session-serializable",
    adya: None,
    implies: &[&SERIALIZABLE, &STRONG_SESSION_SNAPSHOT_ISOLATION],
    forbids: &[process(G2Item), AnomalyKind::NoOrder(Promise::Serial, Orders::Process)],
};

static STRONG_READ_UNCOMMITTED: Model = Model {
    name: "strong-read-uncommitted",
    adya: None,
    implies: &[&STRONG_SESSION_READ_UNCOMMITTED],
    forbids: &[real_time(G0)],
};

static STRONG_READ_COMMITTED: Model = Model {
    name: "strong-read-committed",
    adya: None,
    implies: &[&STRONG_SESSION_READ_COMMITTED, &STRONG_READ_UNCOMMITTED],
    forbids: &[real_time(G1c)],
};

static STRONG_SNAPSHOT_ISOLATION: Model = Model {
    name: "strong-snapshot-isolation",
    adya: None,
    implies: &[&STRONG_SESSION_SNAPSHOT_ISOLATION, &STRONG_READ_COMMITTED],
    forbids: &[
        real_time(GSingle),
        real_time(GNonadjacent),
        AnomalyKind::NoOrder(Promise::Snapshot, Orders::RealTime),
    ],
};

static STRICT_SERIALIZABLE: Model = Model {
    name: "strict-serializable",
    adya: Some("PL-SS"),
    implies: &[&STRONG_SESSION_SERIALIZABLE, &STRONG_SNAPSHOT_ISOLATION],
    forbids: &[real_time(G2Item), AnomalyKind::NoOrder(Promise::Serial, Orders::RealTime)],
};

/// The models that a history can rule out, each behind those that it implies.
pub static MODELS: &[&Model] = &[
    &READ_UNCOMMITTED,
    &READ_COMMITTED,
    &CURSOR_STABILITY,
    &MONOTONIC_VIEW,
    &MONOTONIC_ATOMIC_VIEW,
    &CONSISTENT_VIEW,
    &FORWARD_CONSISTENT_VIEW,
    &UPDATE_SERIALIZABLE,
    &READ_ATOMIC,
    &UPDATE_ATOMIC,
    &PARALLEL_SNAPSHOT_ISOLATION,
    &REPEATABLE_READ,
    &SNAPSHOT_ISOLATION,
    &SERIALIZABLE,
    &STRONG_SESSION_READ_UNCOMMITTED,
    &STRONG_SESSION_READ_COMMITTED,
    &STRONG_SESSION_SNAPSHOT_ISOLATION,
    &STRONG_SESSION_SERIALIZABLE,
    &STRONG_READ_UNCOMMITTED,
    &STRONG_READ_COMMITTED,
    &STRONG_SNAPSHOT_ISOLATION,
    &STRICT_SERIALIZABLE,
];

impl Model {
    /// The model of a name, or of Adya's name for it.
    pub fn of(name: &str) -> Option<&'static Model> {
        MODELS.iter().copied().find(|model| model.name == name || model.adya == Some(name))
    }

    /// Whether a history with such an anomaly is none of this model.
    pub fn forbids(&self, anomaly: AnomalyKind) -> bool {
        self.forbids.contains(&anomaly) || self.implies.iter().any(|weaker| weaker.forbids(anomaly))
    }

    /// Whether it rules out such an anomaly that no model rules out which it implies.
    pub(crate) fn own(&self, anomaly: AnomalyKind) -> bool {
        self.forbids.contains(&anomaly)
    }

    /// The models that it implies directly.
    pub fn implied(&self) -> impl Iterator<Item = &'static Model> {
        self.implies.iter().copied()
    }

    /// Whether every history of this model is one of the other; of itself, too.
    pub fn implies(&self, other: &Model) -> bool {
        self.name == other.name || self.implied().any(|weaker| weaker.implies(other))
    }
}
