//! What is compared of a cluster.

use shakedown_cluster::{NODES_MAX, NodeId, NodeSet};
use shakedown_conform::Value;
use shakedown_conform::compare::{Misread, Shown, Variables, read};

use super::Body;
use crate::{BallotView, View};

/// The mapped variables of a cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecView {
    /// Every server; nothing of one that is down.
    pub servers: Vec<Option<ServerView>>,
    /// The links that are cut, the lower end first.
    pub cuts: Vec<(NodeId, NodeId)>,
    /// The messages under way, link by link, and of each link the oldest first.
    pub net: Vec<Sent>,
}

/// The mapped variables of one server.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are those of the node's own view")]
pub struct ServerView {
    pub promised: BallotView,
    pub accepted: BallotView,
    pub log: Vec<u64>,
    pub decided: u64,
    pub standing: Standing,
}

/// What the library shows of a server besides: only looked at where it is compared with a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Whether it is in its accept phase.
    pub accepts: bool,
    /// The ballot with which it runs for leader.
    pub ballot: BallotView,
    /// How far it knows the logs of all servers to be accepted, as a leader.
    pub lens: Vec<u64>,
}

/// A message and where it goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sent {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// What it says.
    pub body: Body,
}

impl Sent {
    /// Reads a message of the specification, in a cluster of this many servers.
    pub(super) fn read(message: &Value, servers: usize) -> Result<Sent, Misread> {
        let end = |name| node(read::field(message, name)?);
        Ok(Sent { from: end("from")?, to: end("to")?, body: Body::read(message, servers)? })
    }

    /// The same as the specification has it.
    pub(super) fn value(&self, servers: usize) -> Value {
        self.body.value((self.from, self.to), servers)
    }
}

impl SpecView {
    /// Reads the variables of the specification.
    pub(super) fn read(variables: &Variables) -> Result<SpecView, Misread> {
        let of_all = |name: &'static str| read::sequence(name, variables.get(name)?);
        let (promised, accepted, logs) = (of_all("promised")?, of_all("accepted")?, of_all("log")?);
        let (decided, phases) = (of_all("decided")?, of_all("phase")?);
        let (leading, elections) = (of_all("leading")?, of_all("ble")?);
        let size = promised.len();
        let up = nodes(variables.get("up")?)?;
        let server = |id: NodeId| {
            let i = id.index();
            let lens = read::sequence("lens", read::field(&leading[i], "lens")?)?;
            Ok(ServerView {
                promised: ballot(&promised[i], size)?,
                accepted: ballot(&accepted[i], size)?,
                log: entries("log", &logs[i])?,
                decided: read::number("decided", &decided[i])?,
                standing: Standing {
                    accepts: read::text("phase", &phases[i])? == "accept",
                    ballot: ballot(read::field(&elections[i], "mine")?, size)?,
                    lens: lens.iter().map(|len| read::number("lens", len)).collect::<Result<_, _>>()?,
                },
            })
        };
        let servers = NodeId::first(size).map(|id| up.contains(id).then(|| server(id)).transpose());
        let servers = servers.collect::<Result<_, _>>()?;
        let mut net = Vec::new();
        for (_, queue) in variables.get("net")?.pairs() {
            for message in read::sequence("net", &queue)? {
                net.push(Sent::read(message, size)?);
            }
        }
        let mut view = SpecView { servers, cuts: links(variables.get("cuts")?)?, net };
        view.sort();
        Ok(view)
    }

    /// Puts links in order; the messages of a link stay as they are.
    pub(super) fn sort(&mut self) {
        self.cuts.sort_unstable();
        self.net.sort_by_key(|sent| (sent.from, sent.to));
    }

    /// The view for people, in the order of the specification's variables.
    pub(super) fn show(&self) -> Vec<Shown> {
        const VARIABLES: [&str; 9] =
            ["up", "promised", "accepted", "log", "decided", "phase", "leading", "ble", "cuts"];
        let mut shown = Vec::new();
        for (number, server) in (1..).zip(&self.servers) {
            shown.push(Shown::new("up", number, server.is_some()));
            let Some(server) = server else { continue };
            let mut show = |variable, value: String| shown.push(Shown::new(variable, number, value));
            show("promised", server.promised.to_string());
            show("accepted", server.accepted.to_string());
            show("log", format!("{:?}", server.log));
            show("decided", server.decided.to_string());
            show("phase", if server.standing.accepts { "accept" } else { "another" }.to_owned());
            show("leading", format!("lens {:?}", server.standing.lens));
            show("ble", format!("mine {}", server.standing.ballot));
        }
        // By variable first, as the specification declares them: a difference is named by the first of them.
        shown.sort_by_key(|one| VARIABLES.iter().position(|known| *known == one.variable));
        shown.extend(self.cuts.iter().map(|(a, b)| Shown::new("cuts", format!("{a}-{b}"), "cut")));
        for link in self.net.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
            for (place, Sent { from, to, body }) in (1..).zip(link) {
                shown.push(Shown::new("net", format!("{from}>{to} #{place}"), format!("{body:?}")));
            }
        }
        shown
    }
}

impl ServerView {
    /// What is compared of a node that shows this; nothing if it was not asked for its standing.
    pub(super) fn of(view: &View) -> Option<ServerView> {
        Some(ServerView {
            promised: view.promise,
            accepted: view.accepted_round,
            log: view.log.iter().map(|entry| entry.0).collect(),
            decided: view.decided,
            standing: view.standing.as_deref()?.clone(),
        })
    }
}

/// A server: the specification numbers them from 1.
pub(super) fn node(value: &Value) -> Result<NodeId, Misread> {
    match read::number("a server", value)? {
        number if (1..=NODES_MAX as u64).contains(&number) => Ok(NodeId::new(number as usize)),
        number => Err(Misread::new("a server", "a number from 1 on", number)),
    }
}

fn nodes(value: &Value) -> Result<NodeSet, Misread> {
    read::set("a set of servers", value)?.iter().map(node).collect()
}

fn links(value: &Value) -> Result<Vec<(NodeId, NodeId)>, Misread> {
    let link = |ends: &Value| match read::set("a link", ends)?.as_slice() {
        [a, b] => {
            let (a, b) = (node(a)?, node(b)?);
            Ok((a.min(b), a.max(b)))
        }
        _ => Err(Misread::new("a link", "a set of two servers", ends)),
    };
    read::set("cuts", value)?.iter().map(link).collect()
}

/// A ballot: the specification counts those of all servers.
pub(super) fn ballot(value: &Value, servers: usize) -> Result<BallotView, Misread> {
    let number = read::number("a ballot", value)?;
    let width = servers as u64 + 1;
    let n = u32::try_from(number / width).map_err(|_| Misread::new("a ballot", "a ballot", number))?;
    Ok(BallotView { n, priority: 0, pid: number % width })
}

/// The entries of a sequence.
pub(super) fn entries(what: &'static str, value: &Value) -> Result<Vec<u64>, Misread> {
    read::sequence(what, value)?.iter().map(|entry| read::number(what, entry)).collect()
}
