//! Who may join: nkeys, credentials files and TLS, each by what NATS itself has for it.

use std::path::Path;
use std::process::Command;

use crate::processes::{SHAKEDOWN, refused};
use crate::server::{Server, program};

/// The keys and credentials of these tests.
fn file(name: &str) -> String {
    format!("{}/tests/fleet/credentials/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Who may join sees the fleet.
fn joins(arguments: &[&str]) {
    let output =
        Command::new(SHAKEDOWN).args(["fleet", "status"]).args(arguments).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
}

#[test]
fn an_nkey_opens_a_server_and_a_strange_one_does_not() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, folder.path(), &["-c", &file("nkey.conf")]);
    let url = server.url();
    joins(&["--fleet", &url, "--fleet-nkey", &file("worker.nk")]);
    for strange in [&["--fleet-nkey", &file("stranger.nk")][..], &[]] {
        let error = refused(&[&["worker", "--fleet", &url], strange].concat());
        assert!(error.contains("authorization violation"), "{error}");
    }
    let error = refused(&["worker", "--fleet", &url, "--fleet-nkey", &file("nkey.conf")]);
    assert!(error.contains("cannot read") && error.contains("begins with SU"), "{error}");
}

#[test]
fn credentials_open_a_server_and_strange_ones_do_not() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, folder.path(), &["-c", &file("server.conf")]);
    let url = server.url();
    joins(&["--fleet", &url, "--fleet-creds", &file("worker.creds")]);
    let error = refused(&["run", "planted-raft", "--fleet", &url, "--fleet-creds", &file("stranger.creds")]);
    assert!(error.contains("authorization violation"), "{error}");
    let error = refused(&["worker", "--fleet", &url, "--fleet-creds", &file("nkey.conf")]);
    assert!(error.contains("cannot read") && error.contains("nkey.conf"), "{error}");
}

/// A certificate for this machine, and its key.
fn certificate(folder: &Path) -> Option<(String, String)> {
    let (certificate, key) = (folder.join("server.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=fleet", "-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    match made {
        Ok(made) if made.status.success() => {
            Some((certificate.display().to_string(), key.display().to_string()))
        }
        _ => {
            assert!(std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "openssl makes no certificate");
            eprintln!("left out: openssl makes no certificate");
            None
        }
    }
}

#[test]
fn a_server_with_tls_is_spoken_to_if_its_certificate_is_known() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let Some((certificate, key)) = certificate(folder.path()) else { return };
    let tls = ["--tls", "--tlscert", &certificate, "--tlskey", &key];
    let server = Server::start(&nats, &folder.path().join("nats"), &tls);
    joins(&["--fleet", &server.url(), "--fleet-ca", &certificate]);
    let error = refused(&["worker", "--fleet", &server.url()]);
    assert!(error.contains("cannot connect") && error.contains("certificate"), "{error}");
    // A server that asks for the certificates of its clients.
    let mutual = [&tls[..], &["--tlsverify", "--tlscacert", &certificate]].concat();
    let server = Server::start(&nats, &folder.path().join("mutual"), &mutual);
    let known = ["--fleet", &server.url(), "--fleet-ca", &certificate];
    joins(&[&known[..], &["--fleet-cert", &certificate, "--fleet-key", &key]].concat());
    let error = refused(&[&["worker"][..], &known].concat());
    assert!(error.contains("cannot connect"), "{error}");
}
