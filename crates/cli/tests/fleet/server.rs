//! A real NATS server on loopback, with a folder of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where `scripts/nats-server.sh` puts the server.
const INSTALLED: &str = "target/hosts/nats/bin/nats-server";

/// The program; nothing if it is not installed, which is a failure where everything has to be.
pub fn program() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("SHAKEDOWN_NATS_SERVER").map(PathBuf::from);
    let found = given.into_iter().chain([root.join(INSTALLED)]).find(|path| path.is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(),
            "nats-server is missing: run scripts/nats-server.sh"
        );
        eprintln!("left out: nats-server is missing, scripts/nats-server.sh installs it");
    }
    found
}

/// A server that ends with the test.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    extra: Vec<String>,
    child: Child,
}

impl Server {
    pub fn start(program: &Path, folder: &Path, extra: &[&str]) -> Server {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let extra: Vec<String> = extra.iter().map(|&argument| argument.to_owned()).collect();
        let child = launch(program, folder, port, &extra);
        let server = Server { program: program.to_owned(), folder: folder.to_owned(), port, extra, child };
        server.wait_until_it_listens();
        server
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Ends it without a warning, and starts it again where it was.
    pub fn kill_and_start_again(&mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("it is ours");
        self.child = launch(&self.program, &self.folder, self.port, &self.extra);
        self.wait_until_it_listens();
    }

    fn wait_until_it_listens(&self) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(program: &Path, folder: &Path, port: u16, extra: &[String]) -> Child {
    Command::new(program)
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(folder)
        .args(extra)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}
