//! Where servers speak to this program through a library, in place of proxies between them:
//! `docs/live-library.md` is the protocol.
//!
//! Each server connects once, says who it is and hands in what it does. Messages stay here until a step
//! delivers them; timers go off and actions are allowed by steps. Like the proxies, it has no thread: sockets
//! are looked at when the cluster is polled. What servers write is hostile until it is read, and everything
//! has a limit.

mod channel;
mod said;
mod seat;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use serde_json::Value as Json;
use shakedown_cluster::{Fact, Name, NodeId, RequestId, derive_seed};
use shakedown_http::{is_same_secret, random_token};
use shakedown_remote::{Bytes, Plain, Value, Vocabulary};

use crate::cluster::{PAUSE, RESUME};
use crate::ports::address;
use crate::transport::{News, Report, Ticket, Transport, Trouble, What, wait_for};
use channel::{Bad, Channel};
use said::{Given, PROTOCOL, Said};
use seat::Seat;

/// The variables in which servers find where to connect, the secret word, their number, and how many servers
/// there are.
pub(crate) const VARIABLES: [&str; 4] =
    ["SHAKEDOWN_LIVE", "SHAKEDOWN_TOKEN", "SHAKEDOWN_NODE", "SHAKEDOWN_NODES"];
/// The longest line of a server, in bytes.
pub(crate) const LINE_MAX: usize = 16 << 20;
/// The longest line of a connection that has not said who it is.
const HELLO_MAX: usize = 4 << 10;
/// How long such a connection may take.
const HELLO_TIME: Duration = Duration::from_secs(10);
/// The most of them at once.
const STRANGERS_MAX: usize = 64;
/// The most bytes of messages that wait.
const WAITING_BYTES_MAX: usize = 256 << 20;
/// The most things that servers hand in between two looks of the cluster.
const REPORTS_MAX: usize = 100_000;

/// A message that waits.
#[derive(Clone)]
struct Parcel {
    from: NodeId,
    to: NodeId,
    kind: Name,
    fields: Value,
    payload: Bytes,
    size: usize,
}

/// A connection that has not said who it is.
struct Stranger {
    channel: Channel,
    since: Instant,
}

/// See the module's text.
pub(crate) struct Hub {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    seed: u64,
    strangers: Vec<Stranger>,
    seats: Vec<Seat>,
    parcels: BTreeMap<Ticket, Parcel>,
    next_ticket: Ticket,
    waiting_bytes: usize,
    is_holding: bool,
    news: News,
    /// Why the last connection was refused that could not be said to be of any server.
    refused: Option<String>,
}

impl Hub {
    /// Listens for this number of servers. What they draw comes from the seed.
    pub fn new(nodes: usize, seed: u64) -> io::Result<Hub> {
        Hub::on(TcpListener::bind(address(0))?, random_token(), nodes, seed)
    }

    /// The same, where they register with this token.
    pub fn on(listener: TcpListener, token: String, nodes: usize, seed: u64) -> io::Result<Hub> {
        listener.set_nonblocking(true)?;
        Ok(Hub {
            address: listener.local_addr()?,
            listener,
            token,
            seed,
            strangers: Vec::new(),
            seats: NodeId::first(nodes).map(Seat::new).collect(),
            parcels: BTreeMap::new(),
            next_ticket: 0,
            waiting_bytes: 0,
            is_holding: true,
            news: News::default(),
            refused: None,
        })
    }

    /// What a server finds in its environment.
    pub fn environment(&self, node: NodeId) -> Vec<(String, String)> {
        let values = [
            self.address.to_string(),
            self.token.clone(),
            node.number().to_string(),
            self.seats.len().to_string(),
        ];
        VARIABLES.into_iter().map(str::to_owned).zip(values).collect()
    }

    fn stop(&mut self, trouble: Trouble) {
        self.news.trouble.get_or_insert(trouble);
    }

    fn stop_at(&mut self, node: NodeId, reason: &str) {
        self.stop(Trouble::Unreadable(format!("{node} {reason}")));
    }

    fn report(&mut self, node: NodeId, what: What) {
        if self.news.reports.len() >= REPORTS_MAX {
            let reason =
                format!("hands in more after {REPORTS_MAX} things were handed in while one step was done");
            return self.stop_at(node, &reason);
        }
        self.news.reports.push(Report { node, what });
    }

    fn accept(&mut self) -> bool {
        let mut has_moved = false;
        while let Ok((stream, _)) = self.listener.accept() {
            has_moved = true;
            if self.strangers.len() < STRANGERS_MAX
                && let Ok(channel) = Channel::new(stream)
            {
                self.strangers.push(Stranger { channel, since: Instant::now() });
            }
        }
        has_moved
    }

    /// Hears those that have not said who they are.
    fn hear_strangers(&mut self) -> bool {
        let mut has_moved = false;
        for mut stranger in std::mem::take(&mut self.strangers) {
            has_moved |= stranger.channel.read();
            match stranger.channel.line(HELLO_MAX) {
                Ok(Some(line)) => self.admit(&line, stranger.channel),
                Ok(None) if stranger.since.elapsed() < HELLO_TIME => {
                    self.strangers.push(stranger);
                    continue;
                }
                Ok(None) => self.refuse(stranger.channel, "it has not said who it is"),
                Err(Bad::Closed) => self.refused = Some("it was closed before it said who it is".to_owned()),
                Err(Bad::TooLong) => self.refuse(
                    stranger.channel,
                    &format!("its first line is longer than {HELLO_MAX} bytes and no hello"),
                ),
            }
            has_moved = true;
        }
        has_moved
    }

    /// A connection is closed, with the reason as its last line.
    fn refuse(&mut self, mut channel: Channel, reason: &str) {
        channel.give(&Given::Error { reason });
        channel.write();
        self.refused = Some(reason.to_owned());
    }

    /// The first line of a connection. With the token it is of a server of ours, and what is wrong with it
    /// ends the execution.
    fn admit(&mut self, line: &[u8], mut channel: Channel) {
        let (protocol, token, number) = match Said::read(line) {
            Ok(Said::Hello { protocol, token, node }) => (protocol, token, node),
            Ok(_) => return self.refuse(channel, "its first line is no hello"),
            Err(error) => return self.refuse(channel, &format!("its first line is no hello: {error}")),
        };
        if !is_same_secret(&self.token, &token) {
            return self.refuse(channel, "its token is wrong");
        }
        let seats = self.seats.len();
        let Some(seat) = number.checked_sub(1).and_then(|place| self.seats.get_mut(place)) else {
            let reason = format!("a server has registered as number {number} of {seats}");
            self.refuse(channel, &reason);
            return self.stop(Trouble::Unreadable(reason));
        };
        let node = seat.node;
        if protocol != PROTOCOL {
            let reason =
                format!("speaks version {protocol} of the library's protocol, and not version {PROTOCOL}");
            self.refuse(channel, &format!("{node} {reason}"));
            return self.stop_at(node, &reason);
        }
        if seat.has_registered {
            let reason = "has registered twice in one life";
            self.refuse(channel, &format!("{node} {reason}"));
            return self.stop_at(node, reason);
        }
        let seed = derive_seed(derive_seed(self.seed, node.index() as u64), seat.life.into());
        let welcome = Given::Welcome {
            protocol: PROTOCOL,
            node: number,
            nodes: seats,
            life: seat.life + 1,
            seed: format!("{seed:016x}"),
        };
        channel.give(&welcome);
        seat.welcome(channel);
    }

    /// Reads what a server has written, and writes what it is given.
    fn serve(&mut self, place: usize) -> bool {
        let node = self.seats[place].node;
        let Some(channel) = &mut self.seats[place].channel else { return false };
        let mut has_moved = channel.read();
        while self.news.trouble.is_none() {
            let Some(channel) = &mut self.seats[place].channel else { break };
            match channel.line(LINE_MAX) {
                Ok(None) => break,
                Ok(Some(line)) => match Said::read(&line) {
                    Ok(said) => self.hear(place, said),
                    Err(error) => self.stop_at(node, &format!("wrote what is not of the protocol: {error}")),
                },
                Err(Bad::TooLong) => {
                    self.stop_at(node, &format!("wrote a line of more than {} MiB", LINE_MAX >> 20));
                }
                Err(Bad::Closed) => {
                    self.seats[place].channel = None;
                    self.stop(Trouble::Gone(node));
                }
            }
            has_moved = true;
        }
        if let Some(channel) = &mut self.seats[place].channel {
            has_moved |= channel.write();
            if channel.is_full() {
                self.stop_at(node, "does not read what it is given: more than 64 MiB wait for it");
            }
        }
        if self.seats[place].is_overwhelmed() {
            self.stop_at(node, "leaves more than 10 000 things without acknowledgement");
        }
        has_moved
    }

    /// Takes in what a server says.
    fn hear(&mut self, place: usize, said: Said) {
        let node = self.seats[place].node;
        if let Err(reason) = self.take(place, said) {
            self.stop_at(node, &reason);
        }
    }

    fn take(&mut self, place: usize, said: Said) -> Result<(), String> {
        let node = self.seats[place].node;
        match said {
            Said::Hello { .. } => return Err("said hello once more on its connection".to_owned()),
            Said::Ready { requests } => self.seats[place].begin(requests)?,
            Said::Send { to, kind, fields, payload, text } => {
                let receiver = to
                    .checked_sub(1)
                    .and_then(|place| self.seats.get(place))
                    .ok_or_else(|| format!("sent a message to number {to} of {}", self.seats.len()))?
                    .node;
                return self.send(node, receiver, &kind, Value::Map(fields.0), payload, text);
            }
            Said::Event { event } => {
                let fact = event.read().map_err(|error| format!("reported what is no event: {error}"))?;
                self.report(node, What::Fact(fact));
            }
            Said::State { fields } => {
                let is_ours = |(name, _): &&(String, Value)| OWN_FIELDS.contains(&name.as_str());
                if let Some((name, _)) = fields.0.iter().find(is_ours) {
                    return Err(format!("shows a field `{name}` of its state, a name that is taken"));
                }
                self.report(node, What::State(fields));
            }
            Said::Timer { id, name, ms } => {
                let timer = free_name("a timer", &name)?;
                self.seats[place].set_timer(timer, id)?;
                self.report(node, What::TimerSet(timer, Duration::from_millis(ms)));
            }
            Said::Clear { name } => {
                let timer = free_name("a timer", &name)?;
                if self.seats[place].clear_timer(timer) {
                    self.report(node, What::TimerCleared(timer));
                }
            }
            Said::Action { id, action } => {
                let fact = action.read().map_err(|error| format!("asked for what is no action: {error}"))?;
                let name = free_name("an action", fact.name.as_str())?;
                let mut asks = Fact::new("asks").with("action", name.as_str());
                asks.fields.extend(fact.fields.iter().cloned());
                self.seats[place].ask(name, id, fact)?;
                self.report(node, What::Fact(asks));
                self.report(node, What::Asked(name));
            }
            Said::Answer { id, answer } => {
                self.seats[place].answer(id)?;
                self.report(node, What::Answered(RequestId(id), answer));
            }
            Said::Done { seq } => self.seats[place].has_done(seq)?,
        }
        Ok(())
    }

    fn send(
        &mut self,
        from: NodeId,
        to: NodeId,
        kind: &str,
        fields: Value,
        payload: Bytes,
        text: Option<String>,
    ) -> Result<(), String> {
        let kind = Name::intern(kind).map_err(|error| format!("sent a message of a bad kind: {error}"))?;
        let contents = Plain::read_message(kind.as_str(), fields.clone(), text)?;
        let size = payload.0.len() + fields_size(&fields);
        let parcel = Parcel { from, to, kind, fields, payload, size };
        if !self.is_holding {
            self.hand_over(&parcel);
            return Ok(());
        }
        let ticket = self.keep(parcel);
        if self.waiting_bytes > WAITING_BYTES_MAX {
            return Err(format!(
                "sent a message when more than {} MiB of messages wait already",
                WAITING_BYTES_MAX >> 20
            ));
        }
        self.report(from, What::Sent { to, contents, ticket });
        Ok(())
    }

    fn keep(&mut self, parcel: Parcel) -> Ticket {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting_bytes += parcel.size;
        self.parcels.insert(ticket, parcel);
        ticket
    }

    fn take_out(&mut self, ticket: Ticket) -> Option<Parcel> {
        let parcel = self.parcels.remove(&ticket)?;
        self.waiting_bytes -= parcel.size;
        Some(parcel)
    }

    fn hand_over(&mut self, parcel: &Parcel) {
        let (from, kind) = (parcel.from.number(), parcel.kind.as_str());
        let (fields, payload) = (&parcel.fields, &parcel.payload);
        self.seats[parcel.to.index()].give(|seq| Given::Deliver { seq, from, kind, fields, payload });
    }
}

/// Servers that are not ended with the execution learn that it is over.
impl Drop for Hub {
    fn drop(&mut self) {
        for channel in self.seats.iter_mut().filter_map(|seat| seat.channel.as_mut()) {
            channel.give(&Given::End);
            channel.write();
        }
    }
}

/// The fields of a state that this program fills in.
const OWN_FIELDS: [&str; 2] = ["status", "life"];

/// A name for something that steps fire.
fn free_name(what: &str, text: &str) -> Result<Name, String> {
    let name = Name::intern(text).map_err(|error| format!("named {what} badly: {error}"))?;
    if [PAUSE, RESUME].contains(&name) {
        return Err(format!("named {what} `{name}`, a name that is taken"));
    }
    Ok(name)
}

/// About how many bytes the fields of a message take.
fn fields_size(fields: &Value) -> usize {
    match fields {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(values) => values.iter().map(fields_size).sum::<usize>() + 16,
        Value::Map(pairs) => {
            pairs.iter().map(|(name, value)| name.len() + fields_size(value)).sum::<usize>() + 16
        }
        _ => 16,
    }
}

impl Transport for Hub {
    fn pump(&mut self) -> bool {
        let mut has_moved = self.accept() | self.hear_strangers();
        for place in 0..self.seats.len() {
            has_moved |= self.serve(place);
        }
        has_moved
    }

    fn wait(&self, longest: Duration, other: Option<BorrowedFd<'_>>) {
        let mut fds = vec![PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN)];
        let channels = self.strangers.iter().map(|stranger| &stranger.channel);
        for channel in channels.chain(self.seats.iter().filter_map(|seat| seat.channel.as_ref())) {
            let mut flags = PollFlags::IN;
            flags.set(PollFlags::OUT, channel.has_output());
            fds.push(PollFd::from_borrowed_fd(channel.as_fd(), flags));
        }
        wait_for(fds, longest, other);
    }

    fn news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    fn trouble(&mut self) -> Option<Trouble> {
        self.news.trouble.take()
    }

    fn set_passage(&mut self, is_holding: bool, _delay: Duration) {
        self.is_holding = is_holding;
    }

    fn deliver(&mut self, ticket: Ticket) {
        if let Some(parcel) = self.take_out(ticket) {
            self.hand_over(&parcel);
        }
    }

    fn lose(&mut self, ticket: Ticket) {
        self.take_out(ticket);
    }

    fn double(&mut self, ticket: Ticket) -> Option<Ticket> {
        let parcel = self.parcels.get(&ticket)?.clone();
        Some(self.keep(parcel))
    }

    fn forget(&mut self, node: NodeId) {
        self.seats[node.index()].end_life();
        // It was ended, and did not end.
        if matches!(self.news.trouble, Some(Trouble::Gone(gone)) if gone == node) {
            self.news.trouble = None;
        }
    }

    fn missing(&self, node: NodeId) -> Option<String> {
        let seat = &self.seats[node.index()];
        if seat.channel.is_some() {
            return (!seat.is_ready).then(|| "it has registered, and not said that it is ready".to_owned());
        }
        if seat.has_registered {
            return Some("it has closed the connection on which it had registered".to_owned());
        }
        let refused = self.refused.as_ref().map(|reason| format!("; a connection was refused: {reason}"));
        Some(format!("it has not registered at {}{}", self.address, refused.unwrap_or_default()))
    }

    fn is_at_work(&self, node: NodeId) -> bool {
        self.seats[node.index()].is_at_work()
    }

    fn give_up(&mut self, node: NodeId) {
        let given = self.seats[node.index()].give_up();
        self.report(node, What::Fact(Fact::new("unacknowledged").with("given", given)));
    }

    fn request(&mut self, node: NodeId, id: RequestId, request: &Json) -> bool {
        self.seats[node.index()].request(id.0, request)
    }

    fn open_requests(&self) -> usize {
        self.seats.iter().map(Seat::open_requests).sum()
    }

    fn fire(&mut self, node: NodeId, name: Name) -> bool {
        match self.seats[node.index()].fire(name) {
            Some((fact, is_offered)) => {
                self.report(node, What::Fact(fact));
                is_offered
            }
            None => false,
        }
    }
}
