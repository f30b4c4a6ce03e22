//! The bugs that this repository knows and can run in this process.

use shakedown_campaign::{AnyTarget, Campaign};

/// A bug: a target and the configuration in which it is there.
pub struct Bug {
    /// Its name in tables.
    pub name: &'static str,
    /// The target.
    pub target: fn() -> Box<dyn AnyTarget>,
    /// Options that are not the target's defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// The number of nodes, if it is not the target's default.
    pub nodes: Option<usize>,
    /// Steps, requests and crashes, where they are not the target's defaults.
    pub limits: (Option<usize>, Option<usize>, Option<usize>),
}

const PLAIN: (Option<usize>, Option<usize>, Option<usize>) = (None, None, None);

const fn planted(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    Bug {
        name,
        target: || Box::new(shakedown_planted_raft::target()),
        options,
        nodes: Some(5),
        limits: PLAIN,
    }
}

const fn bug(
    name: &'static str,
    target: fn() -> Box<dyn AnyTarget>,
    options: &'static [(&'static str, &'static str)],
) -> Bug {
    Bug { name, target, options, nodes: None, limits: PLAIN }
}

const fn txn_store(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    bug(name, || Box::new(shakedown_txn_store::target()), options)
}

const fn tendermint(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    bug(name, || Box::new(shakedown_tendermint::target()), options)
}

/// Every bug. Those with an even place, counted from 0, are for tuning; the others are for judging. This was
/// fixed before anything was tuned, and the order is that of the targets and of their own lists.
pub static BUGS: [Bug; 28] = [
    planted("planted quorum-third", &[("fault", "quorum-third")]),
    planted("planted vote-not-persisted", &[("fault", "vote-not-persisted")]),
    planted("planted term-not-persisted", &[("fault", "term-not-persisted")]),
    planted("planted duplicate-vote-counted", &[("fault", "duplicate-vote-counted")]),
    planted("planted commit-older-term", &[("fault", "commit-older-term")]),
    planted("planted no-truncation", &[("fault", "no-truncation")]),
    planted("planted snapshot-over-newer", &[("fault", "snapshot-over-newer")]),
    planted("planted stale-append", &[("fault", "stale-append")]),
    planted("planted noop-in-comparison", &[("fault", "noop-in-comparison")]),
    planted(
        "planted reconfiguration-unfixed",
        &[("fault", "reconfiguration-unfixed"), ("membership", "true")],
    ),
    bug("raft next-above-match", || Box::new(shakedown_raft::target()), &[]),
    Bug {
        limits: (Some(600), Some(16), None),
        ..bug(
            "raft removed-leader",
            || Box::new(shakedown_raft::target()),
            &[("membership", "true"), ("step_down_when_removed", "false"), ("library_invariants", "false")],
        )
    },
    Bug {
        limits: (Some(600), Some(16), None),
        ..bug(
            "raft sole-voter",
            || Box::new(shakedown_raft::target()),
            &[("membership", "true"), ("disk", "buffered"), ("library_invariants", "false")],
        )
    },
    Bug {
        limits: (None, Some(16), Some(0)),
        ..bug("omnipaxos trim", || Box::new(shakedown_omnipaxos::target()), &[("trim", "20"), ("lead", "20")])
    },
    tendermint("malachite lost-lock", &[("value_first", "false"), ("heights", "1"), ("oracles", "locks")]),
    tendermint(
        "malachite votes-twice",
        &[("value_first", "false"), ("heights", "1"), ("oracles", "equivocation")],
    ),
    tendermint(
        "malachite certificate",
        &[("timers", "anytime"), ("rebroadcast", "false"), ("heights", "1"), ("oracles", "equivocation")],
    ),
    bug("figure1 prepare", || Box::new(shakedown_figure1::target()), &[("last", "prepare")]),
    bug("lwt cassandra-6023", || Box::new(shakedown_lwt::target()), &[("distinguish", "false")]),
    bug("pbft own-choice", || Box::new(shakedown_pbft::target()), &[("new_view_choice", "own")]),
    bug("appmaster careless", || Box::new(shakedown_appmaster::target()), &[("careless", "true")]),
    bug("rsl inconsistent-log", || Box::new(shakedown_rsl::target()), &[("bug", "inconsistent-log")]),
    txn_store("txn lagging", &[("isolation", "lagging")]),
    txn_store("txn snapshot", &[("isolation", "snapshot")]),
    txn_store("txn read-committed", &[("isolation", "read-committed")]),
    txn_store("txn commits-twice", &[("isolation", "commits-twice")]),
    txn_store("txn forks", &[("isolation", "forks")]),
    txn_store("txn tears-commits", &[("isolation", "tears-commits")]),
];

/// Which half a bug belongs to.
pub fn is_for_tuning(place: usize) -> bool {
    place.is_multiple_of(2)
}

impl Bug {
    /// A campaign in which the bug is there.
    pub fn campaign<'a>(&self, target: &'a dyn AnyTarget) -> Campaign<'a> {
        let mut campaign = Campaign::new(target);
        let config = &mut campaign.plan.config;
        for (name, value) in self.options {
            config.options.set(*name, value);
        }
        let (steps, requests, crashes) = self.limits;
        config.nodes = self.nodes.unwrap_or(config.nodes);
        config.steps = steps.unwrap_or(config.steps);
        config.requests = requests.unwrap_or(config.requests);
        config.crashes = crashes.unwrap_or(config.crashes);
        campaign.plan.shrink = None;
        campaign
    }
}
