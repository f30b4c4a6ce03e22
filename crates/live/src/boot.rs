//! How a cluster of servers begins: folders, ports, proxies, files, processes, and waiting until all are
//! ready.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{NodeId, Options, Setup};
use shakedown_process::Scratch;
use shakedown_wire::Limits;

use crate::deployment::{Deployment, Links, TransportKind};
use crate::error::LiveError;
use crate::hub::Hub;
use crate::network::{CutStyle, DecoderMaker, Gate, Network};
use crate::ports::{Ports, address};
use crate::ready::Probe;
use crate::replicas::{Replicas, Turn};
use crate::server::Server;
use crate::settings::{Chosen, Grain, LiveSettings};
use crate::template::fill;
use crate::transport::{Transport, Trouble};

/// How often servers are started anew if a port was taken.
const ATTEMPTS: usize = 3;
/// How long is waited for something to pass on, while servers become ready.
const PAUSE: Duration = Duration::from_millis(5);
/// How often the sockets are looked at in a row.
const PUMPS_MAX: usize = 64;
/// The largest frame of a decoder: snapshots are sent whole.
const FRAME_MAX: usize = 64 << 20;

/// Servers that are ready, and what is between them.
pub(crate) struct Booted {
    pub servers: Vec<Server>,
    pub transport: Box<dyn Transport>,
    /// Where clients reach the servers.
    pub addresses: Vec<SocketAddr>,
    pub ports: Ports,
    /// If others start the servers, they take part in one execution at a time. This is behind what is between
    /// servers: that ends first.
    _turn: Option<Turn>,
    /// The folder of the servers, deleted with this.
    _scratch: Scratch,
}

/// Starts the servers and waits until they are ready.
pub(crate) fn boot(settings: &LiveSettings, setup: &Setup, chosen: &Chosen) -> Result<Booted, LiveError> {
    settings.deployment.check().map_err(LiveError::Deployment)?;
    let mut attempt = 1;
    loop {
        match boot_once(settings, setup, chosen) {
            Err(error) if error.is_port_taken() && attempt < ATTEMPTS => attempt += 1,
            booted => return booted,
        }
    }
}

fn boot_once(settings: &LiveSettings, setup: &Setup, chosen: &Chosen) -> Result<Booted, LiveError> {
    let io = |what: &str| {
        let what = what.to_owned();
        move |error| LiveError::Io { what, error }
    };
    let (deployment, nodes) = (&settings.deployment, setup.nodes);
    let turn = match deployment.listen.as_ref().map(Replicas::turn) {
        Some(None) => {
            let reason = "servers that others start take part in one execution at a time: use `--jobs 1`";
            return Err(LiveError::Deployment(reason.to_owned()));
        }
        turn => turn.flatten(),
    };
    let scratch = Scratch::new().map_err(io("the folder for the servers cannot be made"))?;
    let ports = Ports::take(nodes * deployment.ports.len()).map_err(io("the servers have no ports"))?;
    if chosen.cuts == CutStyle::Lossy
        && !deployment.proxied.iter().all(|name| deployment.decoders.contains_key(name))
    {
        let reason =
            "`cuts=lossy` leaves out messages, so every port that is `proxied` needs one of the `decoders`";
        return Err(LiveError::Deployment(reason.to_owned()));
    }
    let reads = chosen.grain == Grain::Message || chosen.cuts == CutStyle::Lossy;
    let gates = gates(deployment, nodes, &ports, reads).map_err(io("the proxies have no ports"))?;
    let hub = match deployment.transport {
        TransportKind::Library => {
            let hub = match &deployment.listen {
                Some(replicas) => replicas
                    .listen(nodes)
                    .and_then(|listener| Hub::on(listener, replicas.token().to_owned(), nodes, setup.seed)),
                None => Hub::new(nodes, setup.seed),
            };
            Some(hub.map_err(io("servers have no port to register at"))?)
        }
        TransportKind::Proxies => None,
    };
    let options = &setup.options;
    let plan = Plan { settings, nodes, options, ports: &ports, gates: &gates, scratch: scratch.path() };
    let mut servers = Vec::new();
    // Those that others start are no processes of ours.
    let started = if deployment.listen.is_some() { 0 } else { nodes };
    for node in NodeId::first(started) {
        let variables = hub.as_ref().map_or_else(Vec::new, |hub| hub.environment(node));
        servers.push(plan.server(node, variables)?);
    }
    let transport: Box<dyn Transport> = match hub {
        Some(hub) => Box::new(hub),
        None => Box::new(Network::new(nodes, gates, chosen.cuts).map_err(io("the proxies cannot listen"))?),
    };
    let client = deployment.client_port.as_deref().and_then(|name| deployment.port(name)).unwrap_or(0);
    let addresses = match deployment.ports.len() {
        0 => Vec::new(),
        count => (0..nodes).map(|node| address(ports.get(node * count + client))).collect(),
    };
    let mut booted = Booted { servers, transport, addresses, ports, _turn: turn, _scratch: scratch };
    for server in &mut booted.servers {
        server.start()?;
    }
    if deployment.listen.is_some() {
        booted.wait_for_replicas(deployment, nodes)?;
    } else {
        booted.wait_until_ready(deployment)?;
    }
    Ok(booted)
}

/// The listeners that stand for the servers' own ports.
fn gates(deployment: &Deployment, nodes: usize, ports: &Ports, reads: bool) -> std::io::Result<Vec<Gate>> {
    let mut gates = Vec::new();
    for name in &deployment.proxied {
        let Some(port) = deployment.port(name) else { continue };
        let limits = Limits { frame_bytes_max: FRAME_MAX };
        let protocol = deployment.decoders.get(name).filter(|protocol| reads || protocol.rewrites()).cloned();
        let decoder = protocol.map(|protocol| {
            Arc::new(move |connection: &_| protocol.decoder(connection, limits)) as DecoderMaker
        });
        for to in NodeId::first(nodes) {
            let upstream = address(ports.get(to.index() * deployment.ports.len() + port));
            let from: Vec<Option<NodeId>> = match deployment.links {
                Links::Node => vec![None],
                Links::Pair => NodeId::first(nodes).filter(|from| *from != to).map(Some).collect(),
            };
            for from in from {
                let listener = TcpListener::bind(address(0))?;
                gates.push(Gate { listener, from, to, upstream, port, decoder: decoder.clone() });
            }
        }
    }
    Ok(gates)
}

/// What the texts of a deployment are filled from.
struct Plan<'a> {
    settings: &'a LiveSettings,
    nodes: usize,
    options: &'a Options,
    ports: &'a Ports,
    gates: &'a [Gate],
    scratch: &'a Path,
}

impl Plan<'_> {
    /// A server, with these variables in its environment besides those of the deployment.
    fn server(&self, node: NodeId, variables: Vec<(String, String)>) -> Result<Server, LiveError> {
        let deployment = &self.settings.deployment;
        let filled = |text: &str| fill(text, |name| self.value(node, name)).map_err(LiveError::Deployment);
        // An error in the text of a peer has a message of its own.
        fill(&deployment.peer, |name| self.peer_value(node, node, name)).map_err(LiveError::Deployment)?;
        let folder = self.scratch.join(node.to_string());
        let bad_file = |path: &Path| {
            let what = format!("{} cannot be written", path.display());
            move |error| LiveError::Io { what, error }
        };
        fs::create_dir_all(folder.join("data")).map_err(bad_file(&folder))?;
        for file in &deployment.files {
            let path = folder.join(&file.path);
            let parent = path.parent().unwrap_or(&folder);
            fs::create_dir_all(parent).map_err(bad_file(parent))?;
            fs::write(&path, filled(&file.text)?).map_err(bad_file(&path))?;
        }
        let words = deployment.command.iter().map(|word| filled(word)).collect::<Result<Vec<_>, _>>()?;
        let words = self.with_path(words)?;
        let environment = deployment.environment.iter();
        let mut environment = environment
            .map(|(name, text)| Ok((name.clone(), filled(text)?)))
            .collect::<Result<Vec<_>, LiveError>>()?;
        environment.extend(variables);
        Ok(Server::new(node, folder, words, environment))
    }

    /// A program with a slash in its name is relative to the folder of the target file.
    fn with_path(&self, mut words: Vec<String>) -> Result<Vec<String>, LiveError> {
        if let Some(program) = words.first_mut().filter(|program| program.contains('/')) {
            let path = self.settings.here.join(&*program);
            let path = std::path::absolute(&path)
                .map_err(|error| LiveError::Io { what: path.display().to_string(), error })?;
            if !path.is_file() {
                return Err(LiveError::Deployment(format!("there is no program {}", path.display())));
            }
            *program = path.to_string_lossy().into_owned();
        }
        Ok(words)
    }

    /// What a placeholder stands for in a text of this server.
    fn value(&self, node: NodeId, name: &str) -> Option<String> {
        match name {
            "peers" => {
                let one = |peer: NodeId| {
                    fill(&self.settings.deployment.peer, |name| self.peer_value(node, peer, name))
                };
                let all: Result<Vec<_>, _> = NodeId::first(self.nodes).map(one).collect();
                all.ok().map(|all| all.join(&self.settings.deployment.peer_separator))
            }
            _ => self.peer_value(node, node, name),
        }
    }

    /// What a placeholder stands for in what one server reads of another.
    fn peer_value(&self, reader: NodeId, peer: NodeId, name: &str) -> Option<String> {
        let folder = self.scratch.join(peer.to_string());
        Some(match name.split_once(':') {
            None => match name {
                "id" => peer.number().to_string(),
                "name" => peer.to_string(),
                "nodes" => self.nodes.to_string(),
                "folder" => folder.to_string_lossy().into_owned(),
                "data" => folder.join("data").to_string_lossy().into_owned(),
                "here" => std::path::absolute(&self.settings.here).ok()?.to_string_lossy().into_owned(),
                _ => return None,
            },
            Some(("option", option)) => self.options.text(option)?.to_owned(),
            Some(("port", port)) => self.own_port(peer, port)?.to_string(),
            Some(("proxy", port)) => self.reached_port(reader, peer, port)?.to_string(),
            Some(("address", port)) => address(self.reached_port(reader, peer, port)?).to_string(),
            Some(_) => return None,
        })
    }

    /// The port that a server listens on.
    fn own_port(&self, node: NodeId, name: &str) -> Option<u16> {
        let deployment = &self.settings.deployment;
        Some(self.ports.get(node.index() * deployment.ports.len() + deployment.port(name)?))
    }

    /// The port where one server reaches another: that of a proxy, if there is one.
    fn reached_port(&self, reader: NodeId, peer: NodeId, name: &str) -> Option<u16> {
        let port = self.settings.deployment.port(name)?;
        let stands_for = |gate: &&Gate| {
            gate.to == peer && gate.port == port && gate.from.is_none_or(|from| from == reader)
        };
        match self.gates.iter().find(stands_for) {
            Some(gate) => Some(gate.listener.local_addr().ok()?.port()),
            None => self.own_port(peer, name),
        }
    }
}

impl Booted {
    /// Passes on what servers send, until all of them are ready.
    fn wait_until_ready(&mut self, deployment: &Deployment) -> Result<(), LiveError> {
        let ready = &deployment.ready;
        let name = ready.port.as_deref().or(deployment.client_port.as_deref());
        let port = name.and_then(|name| deployment.port(name)).unwrap_or(0);
        let count = deployment.ports.len();
        // A server without a port is ready when it has registered.
        let probe = |place| match count {
            0 => Probe::new(ready.clone(), None),
            _ => Probe::new(ready.clone(), Some(address(self.ports.get(place * count + port)))),
        };
        let mut probes: Vec<Probe> = (0..self.servers.len()).map(probe).collect();
        let mut is_ready = vec![false; self.servers.len()];
        let began = Instant::now();
        while is_ready.contains(&false) {
            for server in &mut self.servers {
                let processes = server.group().map_or_else(Vec::new, |group| {
                    group.is_asleep();
                    group.members().to_vec()
                });
                self.transport.set_processes(server.node, processes);
            }
            self.pass_on()?;
            for (place, server) in self.servers.iter_mut().enumerate() {
                if let Some(ended) = server.trouble(&deployment.limits) {
                    return Err(failed(server, ended));
                }
                is_ready[place] = is_ready[place]
                    || (self.transport.missing(server.node).is_none() && probes[place].is_ready(server));
            }
            if let Some(place) =
                is_ready.iter().position(|ready| !ready).filter(|_| began.elapsed() > ready.time())
            {
                let node = self.servers[place].node;
                let condition = self.transport.missing(node).unwrap_or_else(|| probes[place].condition());
                return Err(LiveError::NeverReady {
                    node,
                    seconds: ready.time().as_secs(),
                    condition,
                    log: self.servers[place].log_end(),
                });
            }
            self.transport.wait(PAUSE, None);
        }
        Ok(())
    }

    /// Waits until all servers have registered that others start.
    fn wait_for_replicas(&mut self, deployment: &Deployment, nodes: usize) -> Result<(), LiveError> {
        let (began, time) = (Instant::now(), deployment.ready.time());
        loop {
            self.pass_on()?;
            let missing = NodeId::first(nodes).filter_map(|node| Some((node, self.transport.missing(node)?)));
            let missing: Vec<_> = missing.collect();
            if missing.is_empty() {
                return Ok(());
            }
            if began.elapsed() > time {
                let texts: Vec<_> = missing.iter().map(|(node, what)| format!("{node}: {what}")).collect();
                let missing = format!("not all servers have registered: {}; all of this", texts.join(", "));
                return Err(LiveError::Missing { missing, seconds: time.as_secs() });
            }
            self.transport.wait(PAUSE, None);
        }
    }

    fn pass_on(&mut self) -> Result<(), LiveError> {
        for _ in 0..PUMPS_MAX {
            if !self.transport.pump() {
                break;
            }
        }
        match self.transport.trouble() {
            Some(Trouble::Unreadable(reason)) => Err(LiveError::Undecodable(reason)),
            // The process ends, or its registration is missed.
            Some(Trouble::Gone(_)) | None => Ok(()),
        }
    }

    /// Whether a server that is not paused is at work on what it was given.
    pub fn is_at_work(&self, nodes: usize) -> bool {
        self.waited_for(nodes).any(|node| self.transport.is_at_work(node))
    }

    /// The servers that steps wait for: those that are not paused.
    fn waited_for(&self, nodes: usize) -> impl Iterator<Item = NodeId> {
        let is_paused = |node: NodeId| self.servers.get(node.index()).is_some_and(Server::is_paused);
        NodeId::first(nodes).filter(move |node| !is_paused(*node))
    }

    /// What servers were given and have not dealt with is not waited for any longer.
    pub fn give_up(&mut self, nodes: usize) {
        let late = self.waited_for(nodes).filter(|node| self.transport.is_at_work(*node));
        for node in late.collect::<Vec<_>>() {
            self.transport.give_up(node);
        }
    }
}

fn failed(server: &mut Server, ended: String) -> LiveError {
    let node = server.node;
    if server.group().is_some_and(|group| group.ended().is_some()) {
        return LiveError::Died { node, ended, log: server.log_end() };
    }
    LiveError::Limit { node, reason: ended }
}
