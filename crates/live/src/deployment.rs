//! A deployment: how the servers of a cluster are started, what they listen on, and how it is known that they
//! are ready.
//!
//! It is the table `[deployment]` of a target file, or is made by a target in Rust. Texts in it have
//! placeholders in braces; see [`crate::template`].

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

use serde::Deserialize;
use shakedown_wire::Protocol;

use crate::replicas::Replicas;

/// The most ports of one server.
pub const PORTS_MAX: usize = 16;
/// The longest that servers may take to become ready.
const READY_SECONDS_MAX: u64 = 600;

/// How the servers of a cluster are started.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// The program of a server and its arguments, with placeholders.
    #[serde(default)]
    pub command: Vec<String>,
    /// Where servers register that others start, in place of a command; only with a library.
    pub listen: Option<Replicas>,
    /// What is between servers: proxies, or the library through which they speak to this program.
    #[serde(default)]
    pub transport: TransportKind,
    /// The names of the ports that a server listens on.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Those of them that other servers connect to: they do so through proxies.
    #[serde(default)]
    pub proxied: Vec<String>,
    /// The port that clients connect to.
    pub client_port: Option<String>,
    /// Where servers find their peers: at an address for each pair of servers, or for each server.
    #[serde(default)]
    pub links: Links,
    /// What each server is in the list of servers, with placeholders: `{peers}` is all of them.
    #[serde(default)]
    pub peer: String,
    /// What stands between two servers in that list.
    #[serde(default = "comma")]
    pub peer_separator: String,
    /// How bytes between servers are read as messages, for each proxied port. Without it, only links are
    /// controlled.
    #[serde(default)]
    pub decoders: BTreeMap<String, Protocol>,
    /// Variables of the environment of a server, with placeholders.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files that are written into the folder of a server before it starts for the first time.
    #[serde(default, rename = "file")]
    pub files: Vec<FileTemplate>,
    /// When a server is ready.
    #[serde(default)]
    pub ready: Ready,
    /// What a server may use.
    #[serde(default)]
    pub limits: ServerLimits,
    /// What asks the servers: a program that reads requests and writes outcomes, one a line.
    pub client: Option<ClientCommand>,
    /// What clients ask after the network was healed, as JSON. All of it has to be answered: that is the
    /// property `availability`.
    #[serde(default)]
    pub final_requests: Vec<String>,
    /// More of these, with names. What is found is named after those that were not answered.
    #[serde(default)]
    pub final_properties: BTreeMap<String, String>,
    /// Every request has to be answered, also those that were asked while there were faults. This is the name
    /// that is found if one is not.
    #[serde(default)]
    pub answers: Option<String>,
}

fn comma() -> String {
    ",".to_owned()
}

/// What is between servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransportKind {
    /// Proxies, which they know nothing of.
    #[default]
    Proxies,
    /// A library: servers give their messages to this program, and tell it more than messages.
    Library,
}

/// Where servers find their peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Each server has an address of its own for each of its peers. A connection is known by the address that
    /// it was made to.
    #[default]
    Pair,
    /// A server has one address for all its peers, because servers compare their lists. Who opened a
    /// connection is found in `/proc`.
    Node,
}

/// A file that a server needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileTemplate {
    /// Where, in the folder of the server.
    pub path: String,
    /// What stands in it, with placeholders.
    pub text: String,
}

/// When a server is ready. Without any condition it is ready when its client port, or else its first port,
/// accepts connections.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// A port that accepts connections.
    pub port: Option<String>,
    /// A path that is answered with status 200 at the client port.
    pub http: Option<String>,
    /// What the answer has to contain.
    pub contains: Option<String>,
    /// A text that stands in the log.
    pub log: Option<String>,
    /// How long servers have to become ready.
    pub seconds: Option<u64>,
}

impl Ready {
    /// How long servers have to become ready.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(20))
    }
}

/// What a server may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerLimits {
    /// Memory that one process of it may use, in mebibytes.
    pub memory_mib: u64,
    /// What its folder may hold, in mebibytes.
    pub disk_mib: u64,
    /// How long an execution may last, in seconds.
    pub seconds: u64,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits { memory_mib: 2048, disk_mib: 1024, seconds: 300 }
    }
}

/// A program that asks the servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientCommand {
    /// The program and its arguments, with the placeholders of the server that it asks first.
    pub command: Vec<String>,
}

impl Deployment {
    /// A deployment of this command, without ports.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Deployment {
        Deployment {
            command: command.into_iter().map(Into::into).collect(),
            listen: None,
            transport: TransportKind::Proxies,
            ports: Vec::new(),
            proxied: Vec::new(),
            client_port: None,
            links: Links::Pair,
            peer: String::new(),
            peer_separator: comma(),
            decoders: BTreeMap::new(),
            environment: BTreeMap::new(),
            files: Vec::new(),
            ready: Ready::default(),
            limits: ServerLimits::default(),
            client: None,
            final_requests: Vec::new(),
            final_properties: BTreeMap::new(),
            answers: None,
        }
    }

    /// Whether it makes sense, before anything is started.
    pub fn check(&self) -> Result<(), String> {
        let has_library = self.transport == TransportKind::Library;
        if self.listen.is_some() {
            let started = [
                ("command", !self.command.is_empty()),
                ("ports", !self.ports.is_empty()),
                ("environment", !self.environment.is_empty()),
                ("file", !self.files.is_empty()),
                ("client", self.client.is_some()),
            ];
            if let Some((name, _)) = started.iter().find(|(_, is_there)| *is_there) {
                return Err(format!("`{name}` has no effect with `listen`: others start the servers"));
            }
            if !has_library {
                return Err("`listen` needs `transport = \"library\"`".to_owned());
            }
        } else if self.command.first().is_none_or(String::is_empty) {
            return Err("`command` names no program".to_owned());
        }
        let ports_min = usize::from(!has_library);
        if self.ports.len() < ports_min || self.ports.len() > PORTS_MAX {
            let count = self.ports.len();
            return Err(format!("`ports` names {count} ports: a server has {ports_min} to {PORTS_MAX}"));
        }
        if has_library && !(self.proxied.is_empty() && self.decoders.is_empty()) {
            return Err("`proxied` and `decoders` have no effect with `transport = \"library\"`".to_owned());
        }
        let known = |name: &String| self.ports.contains(name);
        let named = [("proxied", self.proxied.iter().collect::<Vec<_>>())]
            .into_iter()
            .chain([("client_port", self.client_port.iter().collect())])
            .chain([("decoders", self.decoders.keys().collect())])
            .chain([("ready.port", self.ready.port.iter().collect())]);
        for (what, names) in named {
            if let Some(name) = names.into_iter().find(|name| !known(name)) {
                return Err(format!("`{what}` names the port `{name}`, which `ports` does not"));
            }
        }
        if let Some(name) = self.decoders.keys().find(|name| !self.proxied.contains(name)) {
            return Err(format!("`decoders` names the port `{name}`, which is not `proxied`"));
        }
        let trouble = |(name, protocol): (&String, &Protocol)| {
            Some(format!("`decoders.{name}`: {}", protocol.trouble()?))
        };
        if let Some(trouble) = self.decoders.iter().find_map(trouble) {
            return Err(trouble);
        }
        let is_json = |text: &&String| serde_json::from_str::<serde_json::Value>(text).is_ok();
        if let Some(text) = self.final_requests.iter().find(|text| !is_json(text)) {
            return Err(format!("`final_requests`: `{text}` is no JSON"));
        }
        if let Some(text) = self.final_properties.values().find(|text| !is_json(text)) {
            return Err(format!("`final_properties`: `{text}` is no JSON"));
        }
        let names = self.final_properties.keys().chain(&self.answers);
        let is_word = |name: &&String| {
            !name.is_empty()
                && name.len() <= 32
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if let Some(name) = names.into_iter().find(|name| !is_word(name)) {
            return Err(format!("`{name}` is no name of a property: letters, digits and hyphens are"));
        }
        if self.ready.http.is_some() && self.client_port.is_none() {
            return Err("`ready.http` asks the client port, and there is no `client_port`".to_owned());
        }
        if self.ready.time() > Duration::from_secs(READY_SECONDS_MAX) {
            return Err(format!("`ready.seconds` is more than {READY_SECONDS_MAX}"));
        }
        let is_inside = |path: &str| {
            !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
        };
        match self.files.iter().find(|file| !is_inside(&file.path)) {
            Some(file) => Err(format!("the file `{}` is not in the folder of the server", file.path)),
            None => Ok(()),
        }
    }

    /// What is asked in the end: each request, with its name if it has one.
    pub(crate) fn last_requests(&self) -> Vec<(Option<String>, String)> {
        let plain = self.final_requests.iter().map(|text| (None, text.clone()));
        let named = self.final_properties.iter().map(|(name, text)| (Some(name.clone()), text.clone()));
        plain.chain(named).collect()
    }

    /// Whether anything has to be answered in the end.
    pub(crate) fn asks_in_the_end(&self) -> bool {
        self.answers.is_some() || !self.final_requests.is_empty() || !self.final_properties.is_empty()
    }

    /// The place of a port among those of a server.
    pub(crate) fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|port| port == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment() -> Deployment {
        Deployment { ports: vec!["peer".to_owned()], ..Deployment::new(["server"]) }
    }

    #[test]
    fn what_names_no_port_or_leaves_the_folder_is_refused() {
        assert_eq!(deployment().check(), Ok(()));
        let check = |change: fn(&mut Deployment), reason: &str| {
            let mut changed = deployment();
            change(&mut changed);
            let error = changed.check().expect_err(reason);
            assert!(error.contains(reason), "{error}");
        };
        check(|all| all.command.clear(), "names no program");
        check(|all| all.ports.clear(), "names 0 ports");
        let replicas = || Some(Replicas::new(([127, 0, 0, 1], 7700).into()).expect("it is of this machine"));
        check(
            |all| {
                all.listen =
                    Some(Replicas::new(([127, 0, 0, 1], 7700).into()).expect("it is of this machine"))
            },
            "`command` has no effect with `listen`",
        );
        let library = TransportKind::Library;
        let listens = Deployment { listen: replicas(), transport: library, ..Deployment::new([""; 0]) };
        assert_eq!(listens.check(), Ok(()));
        assert!(Deployment { transport: TransportKind::Proxies, ..listens }.check().is_err());
        assert!(Replicas::new(([192, 168, 0, 1], 7700).into()).is_err());
        check(|all| all.proxied = vec!["pear".to_owned()], "`proxied` names the port `pear`");
        check(|all| all.client_port = Some("web".to_owned()), "`client_port` names the port `web`");
        check(|all| all.ready.http = Some("/health".to_owned()), "there is no `client_port`");
        check(|all| all.ready.seconds = Some(9999), "more than 600");
        check(|all| all.final_properties = [("P1".to_owned(), "{".to_owned())].into(), "is no JSON");
        check(|all| all.answers = Some("P 3".to_owned()), "`P 3` is no name of a property");
        for path in ["../up", "/etc/passwd", ""] {
            let file = FileTemplate { path: path.to_owned(), text: String::new() };
            let changed = Deployment { files: vec![file], ..deployment() };
            assert!(changed.check().is_err_and(|error| error.contains("not in the folder")), "{path}");
        }
    }
}
