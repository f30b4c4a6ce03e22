//! The network between servers: listeners that stand for the servers' own ports, and the connections through
//! them.
//!
//! It has no thread. Sockets are looked at when the cluster is polled, one after the other, so what was seen
//! has an order, and when nothing moves and all processes sleep there is nothing under way that nobody knows
//! of.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use shakedown_cluster::NodeId;
use shakedown_wire::{Connection, Decoder, End, Loss};

use crate::line::{Line, Over, Passage, Sent};
use crate::node::message;
use crate::owner::owner;
use crate::transport::{News, Report, Ticket, Transport, Trouble, What, wait_for};

/// How long a server may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_millis(200);
/// How long a connection waits for a server that runs and does not listen yet. Without a proxy its connection
/// would be refused, and it would try again for about as long; a proxy has accepted it already, so to close
/// it is an answer that the server would never give.
const LISTEN_TIME: Duration = Duration::from_secs(1);
/// How often that server is tried.
const LISTEN_PAUSE: Duration = Duration::from_millis(5);
/// The most connections at once.
const LINES_MAX: usize = 1024;

/// What a cut does to connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CutStyle {
    /// They are closed, and new ones too.
    Reset,
    /// They stay, and nothing arrives.
    Silent,
    /// They stay, and new ones can be made; messages are left out, and later ones arrive once the link is
    /// healed.
    Lossy,
}

/// What a listener stands for.
pub(crate) struct Gate {
    pub listener: TcpListener,
    /// The server that connects to it, if there is one listener for each pair.
    pub from: Option<NodeId>,
    /// The server that it stands for, and its own port.
    pub to: NodeId,
    pub upstream: SocketAddr,
    /// Which of the ports of a server it is.
    pub port: usize,
    /// Makes decoders of its connections.
    pub decoder: Option<DecoderMaker>,
}

/// Makes the decoder of a new connection.
pub type DecoderMaker = Arc<dyn Fn(&Connection) -> Box<dyn Decoder> + Send + Sync>;

/// The number of a connection.
type LineId = u64;

/// A message that waits on a connection.
struct Waiting {
    line: LineId,
    end: End,
    loss: Loss,
}

/// A connection to a server that does not listen yet.
struct Early {
    /// The gate, by its place.
    gate: usize,
    from: NodeId,
    to: NodeId,
    stream: TcpStream,
    since: Instant,
    tried: Instant,
}

impl Early {
    fn is_of(&self, node: NodeId) -> bool {
        self.from == node || self.to == node
    }
}

/// See the module's text.
pub(crate) struct Network {
    gates: Vec<Gate>,
    lines: BTreeMap<LineId, Line>,
    next: LineId,
    nodes: usize,
    cut: Vec<bool>,
    cuts: CutStyle,
    /// Connections to servers that cannot be reached and do not say so.
    void: Vec<(NodeId, NodeId, TcpStream)>,
    /// Connections to servers that do not listen yet.
    early: Vec<Early>,
    /// The processes of each server.
    processes: Vec<Vec<u32>>,
    /// Whether messages wait for steps.
    is_holding: bool,
    /// How long bytes take.
    delay: Duration,
    /// Messages that wait.
    waiting: BTreeMap<Ticket, Waiting>,
    next_ticket: Ticket,
    /// What has happened since it was last asked for.
    news: News,
}

impl Network {
    pub fn new(nodes: usize, gates: Vec<Gate>, cuts: CutStyle) -> io::Result<Network> {
        for gate in &gates {
            gate.listener.set_nonblocking(true)?;
        }
        Ok(Network {
            gates,
            lines: BTreeMap::new(),
            next: 0,
            nodes,
            cut: vec![false; nodes * nodes],
            cuts,
            void: Vec::new(),
            early: Vec::new(),
            processes: vec![Vec::new(); nodes],
            is_holding: false,
            delay: Duration::ZERO,
            waiting: BTreeMap::new(),
            next_ticket: 0,
            news: News::default(),
        })
    }

    fn is_cut(&self, a: NodeId, b: NodeId) -> bool {
        self.cut[a.index() * self.nodes + b.index()]
    }

    fn set_cut(&mut self, a: NodeId, b: NodeId, is_cut: bool) {
        for (a, b) in [(a, b), (b, a)] {
            self.cut[a.index() * self.nodes + b.index()] = is_cut;
        }
    }

    /// A message is on a connection.
    fn enter(&mut self, line: LineId, nodes: [NodeId; 2], sent: Sent) {
        let [from, to] = nodes;
        let contents = match message(&sent.kind, &sent.fields) {
            Ok(contents) => contents,
            Err(reason) => {
                return self.report_trouble(format!("{from} sent `{}`: {reason}", sent.kind));
            }
        };
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.insert(ticket, Waiting { line, end: sent.from, loss: sent.loss });
        self.news.reports.push(Report { node: from, what: What::Sent { to, contents, ticket } });
    }

    fn report_trouble(&mut self, reason: String) {
        self.news.trouble.get_or_insert(Trouble::Unreadable(reason));
    }

    fn end(&mut self, id: LineId, over: Over) {
        let Some(line) = self.lines.remove(&id) else { return };
        self.lose_line(id);
        if let Over::Undecodable(reason) = over {
            let (opener, acceptor) = (line.opener, line.acceptor);
            self.report_trouble(format!("the connection of {opener} to {acceptor} cannot be read: {reason}"));
        }
    }

    /// What waits on a connection is lost.
    fn lose_line(&mut self, id: LineId) {
        let lost = &mut self.news.lost;
        self.waiting.retain(|ticket, waiting| {
            lost.extend((waiting.line == id).then_some(*ticket));
            waiting.line != id
        });
    }

    fn accept(&mut self) -> bool {
        let mut accepted = Vec::new();
        for (place, gate) in self.gates.iter().enumerate() {
            while let Ok((stream, peer)) = gate.listener.accept() {
                accepted.push((place, stream, peer));
            }
        }
        let has_moved = !accepted.is_empty();
        for (place, stream, peer) in accepted {
            self.connect(place, stream, peer);
        }
        has_moved
    }

    /// Connects to the server itself. A connection that cannot be made is closed, as the server would do it.
    fn connect(&mut self, place: usize, stream: TcpStream, peer: SocketAddr) {
        let gate = &self.gates[place];
        let from = gate.from.or_else(|| {
            let number = owner(peer, gate.listener.local_addr().ok()?, &self.processes)?;
            Some(NodeId::from_index(number))
        });
        let (Some(from), to) = (from, gate.to) else { return };
        if self.lines.len() + self.early.len() >= LINES_MAX {
            return;
        }
        if self.is_cut(from, to) {
            match self.cuts {
                CutStyle::Silent => return self.void.push((from, to, stream)),
                CutStyle::Reset => return,
                CutStyle::Lossy => {}
            }
        }
        let now = Instant::now();
        self.reach(Early { gate: place, from, to, stream, since: now, tried: now });
    }

    /// Connects to servers that did not listen before. Whether any of them does now, or has taken too long.
    fn try_again(&mut self) -> bool {
        let waiting = self.early.len();
        for early in std::mem::take(&mut self.early) {
            if early.tried.elapsed() < LISTEN_PAUSE {
                self.early.push(early);
            } else if early.since.elapsed() < LISTEN_TIME {
                self.reach(Early { tried: Instant::now(), ..early });
            }
        }
        self.early.len() < waiting
    }

    /// Connects to the server itself, now or later. If it does not run, the connection is closed.
    fn reach(&mut self, early: Early) {
        let gate = &self.gates[early.gate];
        let (from, to) = (early.from, early.to);
        let Ok(server) = TcpStream::connect_timeout(&gate.upstream, CONNECT_TIME) else {
            if !self.processes[to.index()].is_empty() {
                self.early.push(early);
            }
            return;
        };
        let is_back = |other: &&Gate| {
            other.port == gate.port && other.to == from && other.from.is_none_or(|back| back == to)
        };
        let way_back = self.gates.iter().find(is_back).and_then(|back| back.listener.local_addr().ok());
        let connection = Connection { way_back: way_back.map(|address| address.to_string()) };
        let decoder = gate.decoder.as_ref().map(|make| make(&connection));
        if let Ok(mut line) = Line::new((from, to), [early.stream, server], decoder) {
            line.is_lossy = self.is_cut(from, to);
            self.lines.insert(self.next, line);
            self.next += 1;
        }
    }

    fn between(&self, a: NodeId, b: NodeId) -> Vec<LineId> {
        let is_between = |line: &Line| [(a, b), (b, a)].contains(&(line.opener, line.acceptor));
        self.lines.iter().filter(|(_, line)| is_between(line)).map(|(id, _)| *id).collect()
    }
}

impl Transport for Network {
    fn pump(&mut self) -> bool {
        let mut has_moved = self.accept() | self.try_again();
        let time = Instant::now() + self.delay;
        let ids: Vec<LineId> = self.lines.keys().copied().collect();
        for id in ids {
            let Some(line) = self.lines.get_mut(&id) else { continue };
            let mut sent = Vec::new();
            let passage = match (self.is_holding, self.delay.is_zero()) {
                (true, _) => Passage::Held(&mut sent),
                (false, false) => Passage::At(time),
                (false, true) => Passage::Free,
            };
            let pumped = line.pump(passage);
            let ends = End::BOTH.map(|end| line.node(end));
            for sent in sent {
                let nodes = if sent.from == End::BOTH[0] { ends } else { [ends[1], ends[0]] };
                self.enter(id, nodes, sent);
            }
            match pumped {
                Ok(moved) => has_moved |= moved,
                Err(over) => {
                    self.end(id, over);
                    has_moved = true;
                }
            }
        }
        has_moved
    }

    fn wait(&self, longest: Duration, other: Option<BorrowedFd<'_>>) {
        let longest = if self.early.is_empty() { longest } else { longest.min(LISTEN_PAUSE) };
        let due = self.lines.values().filter_map(Line::due).min();
        let longest = due.map_or(longest, |due| longest.min(due.saturating_duration_since(Instant::now())));
        let gates =
            self.gates.iter().map(|gate| PollFd::from_borrowed_fd(gate.listener.as_fd(), PollFlags::IN));
        let mut fds: Vec<PollFd<'_>> = gates.collect();
        for line in self.lines.values() {
            for end in End::BOTH {
                let (stream, reads, writes) = line.interest(end);
                let mut flags = PollFlags::empty();
                flags.set(PollFlags::IN, reads);
                flags.set(PollFlags::OUT, writes);
                if !flags.is_empty() {
                    fds.push(PollFd::from_borrowed_fd(stream.as_fd(), flags));
                }
            }
        }
        wait_for(fds, longest, other);
    }

    fn news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    fn trouble(&mut self) -> Option<Trouble> {
        self.news.trouble.take()
    }

    fn set_passage(&mut self, is_holding: bool, delay: Duration) {
        (self.is_holding, self.delay) = (is_holding, delay);
    }

    /// The message is the oldest of its connection.
    fn deliver(&mut self, ticket: Ticket) {
        let Some(waiting) = self.waiting.remove(&ticket) else { return };
        if let Some(line) = self.lines.get_mut(&waiting.line) {
            line.deliver(waiting.end);
        }
    }

    /// The message is the oldest of its connection. Where the protocol cannot go on without it, the
    /// connection is closed.
    fn lose(&mut self, ticket: Ticket) {
        let Some(waiting) = self.waiting.remove(&ticket) else { return };
        match waiting.loss {
            Loss::Alone => {
                if let Some(line) = self.lines.get_mut(&waiting.line) {
                    line.leave_out(waiting.end);
                }
            }
            Loss::WithConnection => self.end(waiting.line, Over::Closed),
        }
    }

    fn cut(&mut self, a: NodeId, b: NodeId) {
        self.set_cut(a, b, true);
        self.early.retain(|early| !(early.is_of(a) && early.is_of(b)));
        let ids: Vec<LineId> = self.between(a, b);
        for id in ids {
            self.lose_line(id);
            match self.cuts {
                CutStyle::Reset => self.end(id, Over::Closed),
                CutStyle::Silent => {
                    if let Some(line) = self.lines.get_mut(&id) {
                        line.is_severed = true;
                    }
                }
                CutStyle::Lossy => {
                    if let Some(line) = self.lines.get_mut(&id) {
                        line.lose_all();
                    }
                }
            }
        }
    }

    /// The link works again. Connections that were silent are closed: what was sent on them is lost. Those
    /// that lost messages stay.
    fn heal(&mut self, a: NodeId, b: NodeId) {
        self.set_cut(a, b, false);
        for id in self.between(a, b) {
            match (self.cuts, self.lines.get_mut(&id)) {
                (CutStyle::Lossy, Some(line)) => line.is_lossy = false,
                _ => self.end(id, Over::Closed),
            }
        }
        self.void.retain(|(from, to, _)| (*from, *to) != (a, b) && (*from, *to) != (b, a));
    }

    fn forget(&mut self, node: NodeId) {
        self.early.retain(|early| !early.is_of(node));
        let is_of = |line: &Line| line.opener == node || line.acceptor == node;
        let ids: Vec<LineId> = self.lines.iter().filter(|(_, line)| is_of(line)).map(|(id, _)| *id).collect();
        for id in ids {
            self.end(id, Over::Closed);
        }
    }

    fn set_processes(&mut self, node: NodeId, processes: Vec<u32>) {
        self.processes[node.index()] = processes;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// A network of two servers in which the first connects to the second, and the address of the proxy and
    /// of the second, which does not listen.
    fn network(processes: &[u32]) -> (Network, SocketAddr, SocketAddr) {
        let bind = || TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = |listener: &TcpListener| listener.local_addr().expect("it is bound");
        let (listener, upstream) = (bind(), address(&bind()));
        let (near, [from, to]) = (address(&listener), [0, 1].map(NodeId::from_index));
        let gate = Gate { listener, from: Some(from), to, upstream, port: 0, decoder: None };
        let mut network = Network::new(2, vec![gate], CutStyle::Reset).expect("it can listen");
        network.processes[1] = processes.to_vec();
        (network, near, upstream)
    }

    fn pump_until(network: &mut Network, is_so: impl Fn(&Network) -> bool) {
        let began = Instant::now();
        while !is_so(network) {
            assert!(began.elapsed() < Duration::from_secs(60), "it does not come to that");
            network.pump();
            network.wait(LISTEN_PAUSE, None);
        }
    }

    #[test]
    fn a_connection_waits_for_a_server_that_runs_and_does_not_listen_yet() {
        let (mut network, near, upstream) = network(&[1]);
        let mut opener = TcpStream::connect(near).expect("the proxy listens");
        opener.write_all(b"hello").expect("it is open");
        pump_until(&mut network, |network| !network.early.is_empty());
        let server = TcpListener::bind(upstream).expect("the port is still free");
        pump_until(&mut network, |network| network.lines.len() == 1);
        let (mut accepted, _) = server.accept().expect("the proxy has connected");
        while network.pump() {}
        let mut bytes = [0; 5];
        accepted.read_exact(&mut bytes).expect("it was passed on");
        assert_eq!(&bytes, b"hello");
    }

    #[test]
    fn a_connection_to_a_server_that_does_not_run_is_closed() {
        let (mut network, near, _) = network(&[]);
        let mut opener = TcpStream::connect(near).expect("the proxy listens");
        while !network.pump() {}
        assert!(network.early.is_empty() && network.lines.is_empty());
        assert_eq!(opener.read(&mut [0; 1]).expect("it was closed"), 0);
    }

    #[test]
    fn a_connection_that_waits_ends_with_a_cut_and_after_a_time() {
        let (mut network, near, _) = network(&[1]);
        let mut openers = [(); 2].map(|()| TcpStream::connect(near).expect("the proxy listens"));
        pump_until(&mut network, |network| network.early.len() == 2);
        network.cut(NodeId::from_index(1), NodeId::from_index(0));
        assert!(network.early.is_empty() && network.lines.is_empty());
        for opener in &mut openers {
            assert_eq!(opener.read(&mut [0; 1]).expect("it was closed"), 0);
        }
        network.heal(NodeId::from_index(0), NodeId::from_index(1));
        let mut late = TcpStream::connect(near).expect("the proxy listens");
        pump_until(&mut network, |network| !network.early.is_empty());
        pump_until(&mut network, |network| network.early.is_empty());
        assert_eq!(late.read(&mut [0; 1]).expect("it was closed"), 0);
    }
}
