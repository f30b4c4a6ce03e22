//! How to reach the NATS server, and what may travel in plain text.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};

use crate::FleetTrouble;

/// How long a connection may take.
const CONNECT_TIME: Duration = Duration::from_secs(15);

/// How to reach the NATS server.
#[derive(Clone, Debug, Default)]
pub struct FleetOptions {
    /// Its address, or several with commas between them: `nats://127.0.0.1:4222`, `tls://nats.example:4222`.
    pub url: String,
    /// A file of credentials, as `nsc` makes them.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// A file with the certificates that sign the server's.
    pub ca: Option<PathBuf>,
    /// The client's own certificate and its key, if the server asks for them.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Whether plain text may leave this machine.
    pub insecure: bool,
    /// How many servers of a cluster keep each stream that does not exist yet; 1 or 0 for one.
    pub replicas: usize,
}

impl FleetOptions {
    /// The addresses, each allowed by what was asked for.
    pub(crate) fn addresses(&self) -> Result<Vec<ServerAddr>, FleetTrouble> {
        self.url.split(',').map(|url| self.address(url.trim())).collect()
    }

    fn address(&self, url: &str) -> Result<ServerAddr, FleetTrouble> {
        let wrong = |reason: String| FleetTrouble::Address { url: without_secret(url), reason };
        if url.is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        let address: ServerAddr = url.parse().map_err(|error: std::io::Error| wrong(error.to_string()))?;
        match address.scheme() {
            "nats" | "tls" => {}
            other => return Err(wrong(format!("it speaks {other}"))),
        }
        let is_safe = address.tls_required() || self.asks_for_tls() || is_loopback(address.host());
        match is_safe || self.insecure {
            true => Ok(address),
            false => Err(FleetTrouble::PlainText { host: address.host().to_owned() }),
        }
    }

    fn asks_for_tls(&self) -> bool {
        self.ca.is_some() || self.certificate.is_some()
    }

    /// The options of the client.
    pub(crate) fn client(&self, name: &str) -> Result<ConnectOptions, FleetTrouble> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT_TIME)
            .request_timeout(Some(CONNECT_TIME))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempt| Duration::from_millis((50 << attempt.min(5)) as u64));
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .map_err(|source| FleetTrouble::File { path: path.display().to_string(), source })
        };
        if let Some(path) = &self.creds {
            let file = |source| FleetTrouble::File { path: path.display().to_string(), source };
            options = options.credentials(&read(path)?).map_err(file)?;
        }
        if let Some(path) = &self.nkey {
            let seed = read(path)?.trim().to_owned();
            if !seed.starts_with("SU") {
                let source = std::io::Error::other("it is no seed of a user's nkey, which begins with SU");
                return Err(FleetTrouble::File { path: path.display().to_string(), source });
            }
            options = options.nkey(seed);
        }
        if let Some(path) = &self.ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options.require_tls(self.asks_for_tls()))
    }

    /// The address as it may be printed.
    pub(crate) fn shown(&self) -> String {
        self.url.split(',').map(|url| without_secret(url.trim())).collect::<Vec<_>>().join(",")
    }
}

/// An address without the name and the password that may be in it.
fn without_secret(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => format!("{}{}", &url[..scheme + 3], &url[at + 1..]),
        _ => url.to_owned(),
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addressed(url: &str) -> Result<usize, String> {
        let options = FleetOptions { url: url.to_owned(), ..FleetOptions::default() };
        options.addresses().map(|all| all.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn plain_text_stays_on_this_machine_unless_it_is_allowed() {
        for url in [
            "nats://127.0.0.1:4222",
            "nats://localhost",
            "nats://[::1]:4222",
            "tls://nats.example",
            "127.0.0.1",
        ] {
            assert_eq!(addressed(url), Ok(1), "{url}");
        }
        let beyond =
            addressed("nats://127.0.0.1,nats://nats.example:4222").expect_err("it leaves the machine");
        assert!(beyond.contains("nats.example") && beyond.contains("--fleet-insecure"), "{beyond}");
        let url = "nats://nats.example".to_owned();
        let allowed = FleetOptions { url, insecure: true, ..FleetOptions::default() };
        assert!(allowed.addresses().is_ok());
    }

    #[test]
    fn what_is_no_address_is_named_without_its_password() {
        let wrong = addressed("http://me:secret@127.0.0.1").expect_err("it is no NATS");
        assert!(wrong.contains("http") && !wrong.contains("secret"), "{wrong}");
        assert!(addressed("").is_err());
    }
}
