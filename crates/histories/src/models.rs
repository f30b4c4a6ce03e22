//! Consistency models, and which anomalies rule them out.

use crate::anomaly::{AnomalyKind, CycleKind, Orders};

/// A consistency model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    isolation: Isolation,
    orders: Orders,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}

const fn model(name: &'static str, isolation: Isolation, orders: Orders) -> Model {
    Model { name, isolation, orders }
}

/// The models that a history can rule out, weaker ones before stronger ones. Repeatable read and snapshot isolation do not
/// imply each other.
pub const MODELS: &[Model] = &[
    model("read-uncommitted", Isolation::ReadUncommitted, Orders::Data),
    model("read-committed", Isolation::ReadCommitted, Orders::Data),
    model("repeatable-read", Isolation::RepeatableRead, Orders::Data),
    model("snapshot-isolation", Isolation::Snapshot, Orders::Data),
    model("strong-session-snapshot-isolation", Isolation::Snapshot, Orders::Process),
    model("strong-snapshot-isolation", Isolation::Snapshot, Orders::RealTime),
    model("serializable", Isolation::Serializable, Orders::Data),
    model("strong-session-serializable", Isolation::Serializable, Orders::Process),
    model("strict-serializable", Isolation::Serializable, Orders::RealTime),
];

impl Model {
    /// The model of a name.
    pub fn of(name: &str) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// Whether a history with such an anomaly is none of this model.
    pub fn forbids(&self, anomaly: AnomalyKind) -> bool {
        use Isolation::{ReadCommitted, RepeatableRead, Snapshot};
        match anomaly {
            AnomalyKind::GarbageRead
            | AnomalyKind::DuplicateElements
            | AnomalyKind::DuplicateAppends
            | AnomalyKind::DuplicateWrites
            | AnomalyKind::IncompatibleOrder => true,
            AnomalyKind::G1a | AnomalyKind::G1b | AnomalyKind::DirtyUpdate => self.isolation >= ReadCommitted,
            AnomalyKind::Internal | AnomalyKind::LostUpdate => self.isolation >= RepeatableRead,
            AnomalyKind::Cycle(kind, orders) => {
                orders <= self.orders
                    && match kind {
                        CycleKind::G0 => true,
                        CycleKind::G1c => self.isolation >= ReadCommitted,
                        CycleKind::GSingle | CycleKind::GNonadjacent => self.isolation >= RepeatableRead,
                        CycleKind::G2Item => self.isolation >= RepeatableRead && self.isolation != Snapshot,
                    }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled_out_by(kind: AnomalyKind) -> Vec<&'static str> {
        MODELS.iter().filter(|model| model.forbids(kind)).map(|model| model.name).collect()
    }

    #[test]
    fn write_skew_rules_out_what_elle_says() {
        assert_eq!(
            ruled_out_by(AnomalyKind::Cycle(CycleKind::G2Item, Orders::Data)),
            ["repeatable-read", "serializable", "strong-session-serializable", "strict-serializable"]
        );
        assert_eq!(
            ruled_out_by(AnomalyKind::Cycle(CycleKind::G2Item, Orders::RealTime)),
            ["strict-serializable"]
        );
    }

    /// The models of the Elle paper, figure 1, that are here: what a weaker one forbids, a stronger one forbids.
    #[test]
    fn stronger_models_forbid_what_weaker_ones_do() {
        use AnomalyKind as Kind;
        let mut kinds = vec![
            Kind::GarbageRead,
            Kind::DuplicateElements,
            Kind::DuplicateAppends,
            Kind::DuplicateWrites,
            Kind::IncompatibleOrder,
            Kind::G1a,
            Kind::G1b,
            Kind::DirtyUpdate,
            Kind::Internal,
            Kind::LostUpdate,
        ];
        use CycleKind::{G0, G1c, G2Item, GNonadjacent, GSingle};
        for cycle in [G0, G1c, GSingle, GNonadjacent, G2Item] {
            kinds.extend(
                [Orders::Data, Orders::Process, Orders::RealTime].map(|orders| Kind::Cycle(cycle, orders)),
            );
        }
        for (weaker, stronger) in [
            ("read-uncommitted", "read-committed"),
            ("read-committed", "repeatable-read"),
            ("read-committed", "snapshot-isolation"),
            ("repeatable-read", "serializable"),
            ("snapshot-isolation", "serializable"),
            ("snapshot-isolation", "strong-session-snapshot-isolation"),
            ("strong-session-snapshot-isolation", "strong-snapshot-isolation"),
            ("strong-session-snapshot-isolation", "strong-session-serializable"),
            ("strong-snapshot-isolation", "strict-serializable"),
            ("serializable", "strong-session-serializable"),
            ("strong-session-serializable", "strict-serializable"),
        ] {
            let [weak, strong] = [weaker, stronger].map(|name| Model::of(name).expect("it is a model"));
            for kind in &kinds {
                assert!(!weak.forbids(*kind) || strong.forbids(*kind), "{weaker} {stronger} {kind:?}");
            }
            assert!(
                kinds.iter().any(|kind| strong.forbids(*kind) && !weak.forbids(*kind))
                    || weaker == "repeatable-read"
            );
        }
    }

    #[test]
    fn a_write_cycle_rules_out_everything_and_an_aborted_read_all_but_the_weakest() {
        assert_eq!(ruled_out_by(AnomalyKind::Cycle(CycleKind::G0, Orders::Data)).len(), MODELS.len());
        assert_eq!(ruled_out_by(AnomalyKind::G1a).len(), MODELS.len() - 1);
    }
}
