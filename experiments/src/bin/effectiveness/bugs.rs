//! The bugs that this repository knows and that can be run fast enough: in this process, or in a program that
//! does nothing else.

use shakedown_campaign::{AnyTarget, Campaign};

/// A bug: a target and the configuration in which it is there.
pub struct Bug {
    /// Its name in tables.
    pub name: &'static str,
    /// The target.
    pub target: Home,
    /// Options that are not the target's defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// The number of nodes, if it is not the target's default.
    pub nodes: Option<usize>,
    /// Steps, requests and crashes, where they are not the target's defaults.
    pub limits: (Option<usize>, Option<usize>, Option<usize>),
}

/// Where a target lives.
#[derive(Clone, Copy)]
pub enum Home {
    /// In this process.
    Here(fn() -> Box<dyn AnyTarget>),
    /// In a program with the whole command line, which lies beside this one.
    Program {
        /// The name of the program.
        program: &'static str,
        /// The name of the target there.
        target: &'static str,
        /// More arguments of its command line. Paths begin at the repository.
        more: &'static [&'static str],
    },
}

const PLAIN: (Option<usize>, Option<usize>, Option<usize>) = (None, None, None);

const fn planted(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    Bug {
        name,
        target: Home::Here(|| Box::new(shakedown_planted_raft::target())),
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
    Bug { name, target: Home::Here(target), options, nodes: None, limits: PLAIN }
}

/// A bug in a program.
const fn program(name: &'static str, target: Home, options: &'static [(&'static str, &'static str)]) -> Bug {
    Bug { name, target, options, nodes: None, limits: PLAIN }
}

/// A program that has a target of this name, and more arguments for it.
const fn home(program: &'static str, target: &'static str, more: &'static [&'static str]) -> Home {
    Home::Program { program, target, more }
}

const fn openraft_0_9_24(more: &'static [&'static str]) -> Home {
    home("shakedown-openraft-0-9-24", "openraft", more)
}

const fn txn_store(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    bug(name, || Box::new(shakedown_txn_store::target()), options)
}

const fn tendermint(name: &'static str, options: &'static [(&'static str, &'static str)]) -> Bug {
    bug(name, || Box::new(shakedown_tendermint::target()), options)
}

/// How many bugs were in the bench when strategies were tuned on it.
const TUNED: usize = 28;

/// Every bug. Of those that were there when strategies were tuned, the ones with an even place, counted from
/// 0, were for tuning; all others are for judging. This was fixed before anything was tuned, and the order is
/// that of the targets and of their own lists. The bugs after them came later, and nothing was tuned on them.
pub static BUGS: [Bug; 41] = [
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
    bug("pbft unchecked-view", || Box::new(shakedown_pbft::target()), &[("new_view_check", "false")]),
    bug("zab zookeeper-2832", || Box::new(shakedown_zab::target()), &[("truncate", "false")]),
    program(
        "omnipaxos 0.2.2 agreement",
        home("shakedown-omnipaxos-0-2-2", "omnipaxos-0.2.2", &[]),
        &[("oracles", "agreement")],
    ),
    program(
        "omnipaxos 0.2.3 decided",
        home("shakedown-omnipaxos-0-2-3", "omnipaxos-0.2.3", &[]),
        &[("oracles", "decided")],
    ),
    program(
        "openraft 0.9.14 leader",
        home("shakedown-openraft-0-9-14", "openraft", &[]),
        &[("snapshots", "false")],
    ),
    Bug {
        nodes: Some(7),
        limits: (Some(800), Some(40), Some(0)),
        ..program(
            "openraft 0.9.24 quorum-7",
            openraft_0_9_24(&[]),
            &[("snapshots", "false"), ("payload", "1")],
        )
    },
    Bug {
        nodes: Some(5),
        limits: (Some(400), Some(40), Some(0)),
        ..program(
            "openraft 0.9.24 quorum-5",
            openraft_0_9_24(&["--weights=request=12"]),
            &[
                ("snapshots", "false"),
                ("payload", "1"),
                ("membership", "true"),
                ("oracles", "durable-by-quorum"),
            ],
        )
    },
    Bug {
        limits: (Some(300), Some(40), None),
        ..program(
            "openraft 0.9.24 membership",
            openraft_0_9_24(&["--weights=request=20,cut=3"]),
            &[("membership", "true"), ("oracles", "membership-in-log")],
        )
    },
    Bug {
        limits: (Some(300), Some(40), None),
        ..program(
            "openraft 0.9.24 panic",
            openraft_0_9_24(&["--weights=request=20,cut=3"]),
            &[("membership", "true"), ("oracles", "none")],
        )
    },
    Bug {
        limits: (Some(300), Some(40), Some(0)),
        ..program(
            "openraft 0.9.25 stops",
            home("shakedown-openraft", "openraft", &["--weights=request=20,flush=10,cut=3"]),
            &[("buffered", "true")],
        )
    },
    program("http-counter late", home("shakedown-http-counter", "http-counter", &[]), &[("late", "true")]),
    program(
        "tonic-deposits keys",
        home("shakedown-tonic-deposits", "tonic-deposits", &[]),
        &[("key_per_try", "true")],
    ),
    program("etcd-raft 3.5 next", home("shakedown-etcd-raft", "etcd-raft-3.5", &[]), &[]),
];

/// Which part a bug belongs to.
pub fn is_for_tuning(place: usize) -> bool {
    place < TUNED && place.is_multiple_of(2)
}

impl Bug {
    /// A campaign in this process in which the bug is there.
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

    /// The same for the command line of a program.
    pub fn arguments(&self, strategy: &str) -> Vec<String> {
        let mut arguments = Vec::new();
        for (name, value) in self.options {
            arguments.push(format!("--set={name}={value}"));
        }
        let (steps, requests, crashes) = self.limits;
        // An episode has a length of its own.
        let in_episodes = ["bonusmax", "novelty"].iter().any(|name| strategy.starts_with(name));
        let numbers = [
            ("nodes", self.nodes),
            ("steps", steps.filter(|_| !in_episodes)),
            ("requests", requests),
            ("crashes", crashes),
        ];
        arguments.extend(
            numbers.iter().filter_map(|(name, number)| number.map(|number| format!("--{name}={number}"))),
        );
        if let Home::Program { more, .. } = self.target {
            arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        }
        arguments
    }
}
