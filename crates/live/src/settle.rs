//! The end of an execution: the network is healed, servers that are down are started, those that are paused
//! go on, and clients ask once more. From then on everything has to work again, within a time.
//!
//! All of it is steps, behind a mark of their own. A schedule that is done again is done up to the mark; then
//! the execution ends anew, because how long servers take is theirs to decide.

use std::time::{Duration, Instant};

use shakedown_cluster::{Cluster, Fact, Name, NodeId, NodeSet, Noted, RequestId, Step};
use shakedown_target::SETTLING;

use crate::LiveCluster;
use crate::cluster::{PAUSE, RESUME};

/// The fact that an execution ends with.
pub(crate) const SETTLED: &str = "settled";
/// How long a request that is to be answered after healing may take before it is asked again.
const PATIENCE: Duration = Duration::from_millis(2_000);
/// How long servers have to become quiet after each step.
const HASTE: Duration = Duration::from_millis(1);
/// The pause after a request that failed: servers that refuse at once should not be kept from electing a
/// leader.
const RETRY: Duration = Duration::from_millis(250);
/// How long is waited where there is nothing to deliver.
const IDLE: Duration = Duration::from_millis(2);

impl LiveCluster {
    pub(crate) fn bring_to_an_end(&mut self) {
        // Nothing is chosen any more, so nothing is gained by waiting until servers are quiet.
        self.chosen.quiet = self.chosen.quiet.min(HASTE);
        self.chosen.still = Duration::ZERO;
        let kernel = NodeSet::first(self.board.size());
        self.step(&Step::Round { phase: 0, name: Name::new(SETTLING), kernel });
        let nodes: Vec<NodeId> = NodeId::first(self.board.size()).collect();
        for (a, b) in nodes.iter().flat_map(|a| nodes.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b) {
            if self.board.is_cut(a, b) {
                self.step(&Step::Heal(a, b));
            }
        }
        for node in self.board.down().collect::<Vec<_>>() {
            self.step(&Step::Restart(node));
        }
        for node in nodes {
            if self.board.node(node).timers.iter().any(|(timer, _)| *timer == RESUME) {
                self.step(&Step::Fire(node, RESUME));
            }
        }
        self.ask_once_more();
    }

    /// Asks until everything is answered, or the time is over. A request without an outcome is asked again:
    /// clients do that.
    fn ask_once_more(&mut self) {
        let began = Instant::now();
        let requests = self.settings.deployment.last_requests();
        // What was asked before has to be answered too, if the deployment says so.
        let earlier: Vec<RequestId> = (0..self.board.requests().len() as u32).map(RequestId).collect();
        // For each what was asked last, and when it is asked again.
        let mut open: Vec<(usize, Option<RequestId>, Instant)> =
            (0..requests.len()).map(|place| (place, None, began)).collect();
        let mut next = 0;
        while began.elapsed() < self.chosen.settle && self.board.stopped().is_none() {
            for (place, asked, again) in &mut open {
                if *again <= Instant::now() {
                    let node = NodeId::from_index(next % self.board.size());
                    next += 1;
                    let id = RequestId(self.board.requests().len() as u32);
                    self.step(&Step::Request(node, requests[*place].1.as_str().into()));
                    (*asked, *again) = (Some(id), Instant::now() + PATIENCE);
                }
            }
            self.deliver_all();
            let outcomes = std::mem::take(&mut self.outcomes);
            for (id, is_answered) in outcomes {
                match open.iter().position(|(_, asked, _)| *asked == Some(id)) {
                    Some(place) if is_answered => drop(open.swap_remove(place)),
                    Some(place) => open[place].2 = Instant::now() + RETRY,
                    None => {}
                }
            }
            if open.is_empty() && self.open_requests() == 0 {
                break;
            }
        }
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        open.sort_by_key(|(place, ..)| *place);
        let mut names: Vec<&str> =
            open.iter().filter_map(|(place, ..)| requests[*place].0.as_deref()).collect();
        let (mut asked, mut left) = (requests.len(), open.len());
        if let Some(name) = &self.settings.deployment.answers {
            let is_open = |id: &&RequestId| {
                self.board.requests().get(id.0 as usize).is_some_and(|request| request.answer.is_none())
            };
            let unanswered = earlier.iter().filter(is_open).count();
            (asked, left) = (asked + earlier.len(), left + unanswered);
            names.extend((unanswered > 0).then_some(name.as_str()));
        }
        let fact = Fact::new(SETTLED)
            .with("asked", asked)
            .with("open", left)
            .with("ms", took)
            .with("names", names.join("+"));
        let first = NodeId::from_index(0);
        let moment = self.begin_moment(first);
        self.board.fingerprinter().add(&fact);
        self.board.note(moment, Noted::Internal(fact));
    }

    /// Delivers what waits, in the order in which it was sent.
    fn deliver_all(&mut self) {
        self.poll();
        for _ in 0..self.board.in_flight_count().max(1) {
            let Some(first) = self.board.deliverable().iter().min().copied() else {
                self.let_clocks_go_on();
                return self.for_a_while(IDLE);
            };
            let step = self.board.deliver(first);
            self.step(&step);
        }
    }

    /// Where the servers' clocks are this program's: a tick of every server, and the timers and actions that
    /// are due then.
    fn let_clocks_go_on(&mut self) {
        if !self.has_library() {
            return;
        }
        for node in self.board.up().collect::<Vec<_>>() {
            self.step(&Step::Tick(node));
        }
        let is_due = |(node, timer): &(NodeId, Name)| {
            let info = self.board.node(*node);
            ![PAUSE, RESUME].contains(timer)
                && info.timers.iter().any(|(known, due)| known == timer && *due <= info.ticks)
        };
        for (node, timer) in self.board.ripe_timers().filter(is_due).collect::<Vec<_>>() {
            self.step(&Step::Fire(node, timer));
        }
    }

    fn step(&mut self, step: &Step) {
        // What is refused cannot happen any more: the cluster has stopped.
        let _ = self.perform(step);
    }
}
