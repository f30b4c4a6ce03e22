//! Real NATS servers on loopback, each with a folder of its own.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where `scripts/nats-server.sh` puts the server.
const INSTALLED: &str = "target/hosts/nats/bin/nats-server";
/// The longest that something may take that is waited for, on a busy machine as well.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many servers a cluster has.
pub const SERVERS: usize = 3;

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
        let extra = extra.iter().map(|&argument| argument.to_owned()).collect();
        let [port] = free_ports();
        let server = Server::launch(program, folder, port, extra);
        server.wait_until_it_listens();
        server
    }

    fn launch(program: &Path, folder: &Path, port: u16, extra: Vec<String>) -> Server {
        let child = launch(program, folder, port, &extra);
        Server { program: program.to_owned(), folder: folder.to_owned(), port, extra, child }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it without a warning, and starts it again where it was.
    pub fn kill_and_start_again(&mut self) {
        self.kill();
        self.start_again();
    }

    /// The same, and everything that it kept is lost.
    pub fn lose_everything(&mut self) {
        self.kill();
        std::fs::remove_dir_all(&self.folder).expect("it is ours");
        self.start_again();
    }

    fn kill(&mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("it is ours");
    }

    fn start_again(&mut self) {
        self.child = launch(&self.program, &self.folder, self.port, &self.extra);
        self.wait_until_it_listens();
    }

    fn wait_until_it_listens(&self) {
        wait_until("the server listens", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three servers that keep everything three times.
pub struct Cluster {
    servers: Vec<Server>,
    monitors: [u16; SERVERS],
}

impl Cluster {
    pub fn start(program: &Path, folder: &Path) -> Cluster {
        let (ports, routes): ([u16; SERVERS], [u16; SERVERS]) = (free_ports(), free_ports());
        let monitors: [u16; SERVERS] = free_ports();
        let all = routes.map(|port| format!("nats://127.0.0.1:{port}")).join(",");
        let servers = (0..SERVERS).map(|number| {
            let name = format!("s{number}");
            let listen = format!("nats://127.0.0.1:{}", routes[number]);
            let monitor = monitors[number].to_string();
            let extra =
                ["-n", &name, "-cluster_name", "fleet", "-cluster", &listen, "-routes", &all, "-m", &monitor];
            let extra = extra.map(str::to_owned).to_vec();
            Server::launch(program, &folder.join(name.as_str()), ports[number], extra)
        });
        let cluster = Cluster { servers: servers.collect(), monitors };
        (0..SERVERS).for_each(|number| cluster.wait_until_it_is_well(number));
        cluster
    }

    pub fn url(&self) -> String {
        self.servers.iter().map(Server::url).collect::<Vec<_>>().join(",")
    }

    /// Kills one server, and waits until it has caught up with the others again.
    pub fn kill(&mut self, number: usize) {
        self.servers[number].kill_and_start_again();
        self.wait_until_it_is_well(number);
    }

    /// Whether a server has all streams is for itself to say.
    fn wait_until_it_is_well(&self, number: usize) {
        wait_until("the server is well", || is_well(self.monitors[number]));
    }
}

fn is_well(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let asked = stream.write_all(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    let mut answer = String::new();
    asked.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.0 200")
}

/// Waits for something.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ports that nobody listens at.
fn free_ports<const N: usize>() -> [u16; N] {
    let free: [TcpListener; N] =
        std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").expect("a port is free"));
    free.map(|listener| listener.local_addr().expect("it is bound").port())
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
