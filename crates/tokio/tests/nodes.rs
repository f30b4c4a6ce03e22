//! Nodes on tokio in a cluster, step by step: sockets, time, random numbers, crashes, lost sessions, threads.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rand::Rng;
use serde::{Deserialize, Serialize};
use shakedown_cluster::{
    Cluster, Contract, InProcess, Message, NodeId, Options, Recording, RequestId, Setup, Step, Stop,
};
use shakedown_tokio::{Env, NoCalls, Settings, Tokio, TokioNode, Uncontrolled};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::Instant;

const PORT: u16 = 7_000;

/// What a client makes the node do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ask {
    /// Opens a connection to this port of n2, sends, and notes what comes back.
    Call(u16),
    /// The same, with this many bytes.
    CallLong(usize),
    /// Sends n2 a datagram, and notes the answer.
    Post,
    /// Notes how long it has slept, by three clocks.
    Sleep(u64),
    /// Notes everything that is drawn.
    Draw,
    /// Notes which of two sleeps ended first, and when.
    Race,
    Spin,
    Thread,
    Block,
    SleepThread,
    /// A task panics, and nobody looks.
    Panic,
}

struct Server {
    env: Env<Server>,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn note(&self, note: impl Into<String>) {
        self.notes.lock().expect("no panic").push(note.into());
    }

    async fn call(&self, port: u16, length: usize) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.env.address(NodeId::new(2), port)).await?;
        let sent: Vec<u8> = (0..length).map(|n| b'a' + (n % 26) as u8).collect();
        let (mut reader, mut writer) = stream.split();
        let mut received = Vec::new();
        let (written, read) = tokio::join!(
            async {
                writer.write_all(&sent).await?;
                writer.shutdown().await
            },
            reader.read_to_end(&mut received)
        );
        written.and(read)?;
        Ok(received)
    }
}

// Without debug information, a place is the name of a function that was not inlined.
#[inline(never)]
fn start_a_thread() {
    drop(std::thread::spawn(|| {}).join());
}

#[inline(never)]
fn spawn_blocking_work() -> tokio::task::JoinHandle<()> {
    let handle = tokio::task::spawn_blocking(|| {});
    // A call in the last place would leave no trace of this function.
    std::hint::black_box(&handle);
    handle
}

#[inline(never)]
fn sleep_in_the_thread() {
    std::thread::sleep(Duration::from_millis(1));
    std::hint::black_box(());
}

/// Sends everything back, in capitals.
async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    let mut buffer = vec![0; 10_000];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            read => stream.write_all(&buffer[..read].to_ascii_uppercase()).await?,
        }
    }
}

impl TokioNode for Server {
    type Message = NoCalls;
    type Reply = ();
    type Request = Ask;
    type Answer = String;
    type State = Vec<String>;
    type Disk = ();

    async fn boot(_disk: (), env: Env<Server>) -> Server {
        let listener = TcpListener::bind(("0.0.0.0", PORT)).await.expect("the port is free");
        let notes = Arc::new(Mutex::new(vec![format!("life {}", env.life())]));
        let accepted = Arc::clone(&notes);
        tokio::spawn(async move {
            while let Ok((stream, peer)) = listener.accept().await {
                accepted
                    .lock()
                    .expect("no panic")
                    .push(format!("{} is {peer}", stream.peer_addr().expect("it is connected")));
                tokio::spawn(echo(stream));
            }
        });
        let socket = UdpSocket::bind((env.ip(env.id()), PORT)).await.expect("the port is free");
        tokio::spawn(async move {
            let mut buffer = [0; 100];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let _ = socket.send_to(&buffer[..length].to_ascii_uppercase(), from).await;
            }
        });
        Server { env, notes }
    }

    async fn request(self: Arc<Self>, _id: RequestId, ask: Ask) -> Option<String> {
        let ms = Duration::from_millis;
        match ask {
            Ask::Call(port) => {
                let received =
                    self.call(port, 3).await.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                self.note(format!("{:?}", received.map_err(|error| error.kind())));
            }
            Ask::CallLong(length) => {
                let received = self.call(PORT, length).await;
                self.note(format!(
                    "{:?} bytes",
                    received.map(|bytes| bytes.len()).map_err(|error| error.kind())
                ));
            }
            Ask::Post => {
                let socket = UdpSocket::bind("0.0.0.0:0").await.expect("there are ports");
                socket.send_to(b"hello", self.env.address(NodeId::new(2), PORT)).await.expect("it is sent");
                let mut buffer = [0; 100];
                let (length, from) = socket.recv_from(&mut buffer).await.expect("an answer");
                self.note(format!("{from} answers {}", buffer[..length].escape_ascii()));
            }
            Ask::Sleep(length) => {
                let (tokios, date) = (Instant::now(), SystemTime::now());
                let stds = std::time::Instant::now();
                tokio::time::sleep(ms(length)).await;
                let dates = date.elapsed().expect("the clock goes on");
                self.note(format!("slept {:?} {:?} {dates:?}", tokios.elapsed(), stds.elapsed()));
            }
            Ask::Draw => {
                let set: HashSet<u32> = (0..8).collect();
                let map: HashMap<u32, u32> = (0..8).map(|n| (n, n)).collect();
                let mut chosen = String::new();
                for _ in 0..16 {
                    chosen +=
                        tokio::select! { () = async {} => "a", () = async {} => "b", () = async {} => "c" };
                }
                let drawn: u64 = rand::thread_rng().r#gen();
                let date = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
                let keys: Vec<u32> = map.into_keys().collect();
                self.note(format!("{drawn:x} {chosen} {set:?} {keys:?} {date:?}"));
            }
            Ask::Race => {
                let began = Instant::now();
                let which = tokio::select! {
                    () = tokio::time::sleep(ms(7)) => "second",
                    () = tokio::time::sleep(ms(3)) => "first",
                };
                self.note(format!("{which} after {:?}", began.elapsed()));
                tokio::time::sleep(ms(3)).await;
                self.note(format!("then {:?}", began.elapsed()));
            }
            Ask::Spin => loop {
                tokio::task::yield_now().await;
            },
            Ask::Thread => start_a_thread(),
            Ask::Block => drop(spawn_blocking_work().await),
            Ask::SleepThread => sleep_in_the_thread(),
            Ask::Panic => drop(tokio::spawn(async { panic!("a task of its own") }).await),
        }
        Some("done".to_owned())
    }

    fn observe(&self) -> Vec<String> {
        self.notes.lock().expect("no panic").clone()
    }

    fn settings(options: &Options) -> Settings {
        let tolerated = options.text("threads") == Some("tolerated");
        let uncontrolled = if tolerated { Uncontrolled::Tolerated } else { Uncontrolled::Finding };
        Settings {
            uncontrolled,
            segment_max: options.get("segment").unwrap_or(1 << 16),
            ..Settings::default()
        }
    }
}

type Servers = InProcess<Tokio<Server>>;

fn boot_with(asks: &[Ask], contract: Contract, options: &[(&str, &str)], seed: u64) -> Servers {
    let mut known = Options::default();
    for (name, value) in options {
        known.set(*name, value);
    }
    let text = |ask| serde_json::to_string(ask).expect("plain data").into();
    let setup = Setup {
        nodes: 3,
        contract,
        options: Arc::new(known),
        workload: asks.iter().map(text).collect(),
        steps: 100,
        seed,
        recording: Recording::Full,
    };
    InProcess::boot(&setup).expect("it boots")
}

fn boot(asks: &[Ask]) -> Servers {
    boot_with(asks, Contract::sessions(), &[], 1)
}

fn ask(cluster: &mut Servers) {
    let op = Arc::clone(cluster.board().next_request().expect("there is one more"));
    cluster.perform(&Step::Request(NodeId::new(1), op)).expect("it is possible");
}

/// Delivers messages until there are none. Gives their kinds.
fn deliver_all(cluster: &mut Servers) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    while let Some(&first) = cluster.board().deliverable().first() {
        let step = cluster.board().deliver(first);
        kinds.push(cluster.board().message(first).kind.as_str());
        cluster.perform(&step).expect("it is possible");
        assert!(kinds.len() < 10_000, "it ends");
    }
    kinds
}

fn tick(cluster: &mut Servers, node: usize) {
    cluster.perform(&Step::Tick(NodeId::new(node))).expect("it is possible");
}

fn last_note(cluster: &Servers) -> String {
    assert_eq!(cluster.board().stopped(), None);
    cluster.states()[0].last().expect("it notes its life").clone()
}

fn panic_of(cluster: &Servers) -> (String, String) {
    match cluster.board().stopped() {
        Some(Stop::Panicked(_, panic)) => (panic.message.clone(), panic.place.clone()),
        other => panic!("it should have panicked: {other:?}"),
    }
}

#[test]
fn what_a_connection_carries_are_messages() {
    let mut cluster = boot(&[Ask::Call(PORT)]);
    ask(&mut cluster);
    assert_eq!(cluster.board().deliverable().len(), 1, "one message is under way");
    let kinds = deliver_all(&mut cluster);
    assert_eq!(kinds, ["Connect", "Accepted", "Data", "Fin", "Data", "Fin"]);
    assert_eq!(last_note(&cluster), "Ok(\"ABC\")");
    assert_eq!(cluster.states()[1][1], "10.0.0.1:49152 is 10.0.0.1:49152");
}

#[test]
fn a_port_where_nothing_listens_refuses() {
    let mut cluster = boot(&[Ask::Call(PORT + 1)]);
    ask(&mut cluster);
    assert_eq!(deliver_all(&mut cluster), ["Connect", "Refused"]);
    assert_eq!(last_note(&cluster), "Err(ConnectionRefused)");
}

#[test]
fn a_lost_session_breaks_its_connections_off() {
    let mut cluster = boot(&[Ask::Call(PORT), Ask::Call(PORT), Ask::Call(PORT)]);
    let (n1, n2) = (NodeId::new(1), NodeId::new(2));
    ask(&mut cluster);
    for _ in 0..2 {
        let first = cluster.board().deliverable()[0];
        cluster.perform(&cluster.board().deliver(first)).expect("it is possible");
    }
    cluster.perform(&Step::Cut(n1, n2)).expect("it is possible");
    assert_eq!(last_note(&cluster), "Err(ConnectionReset)");
    // A connection to a node that cannot be reached is not opened.
    ask(&mut cluster);
    assert_eq!(last_note(&cluster), "Err(HostUnreachable)");
    cluster.perform(&Step::Heal(n1, n2)).expect("it is possible");
    ask(&mut cluster);
    deliver_all(&mut cluster);
    assert_eq!(last_note(&cluster), "Ok(\"ABC\")");
}

#[test]
fn a_connection_carries_more_than_a_socket_has_room_for() {
    let mut cluster = boot(&[Ask::CallLong(3_000_000)]);
    ask(&mut cluster);
    deliver_all(&mut cluster);
    assert_eq!(last_note(&cluster), "Ok(3000000) bytes");
}

#[test]
fn segments_that_arrive_in_another_order_are_put_in_order() {
    let contract = Contract { order: shakedown_cluster::Order::Any, ..Contract::sessions() };
    let mut cluster = boot_with(&[Ask::CallLong(26)], contract, &[("segment", "5")], 1);
    ask(&mut cluster);
    let mut delivered = 0;
    while let Some(&last) = cluster.board().deliverable().last() {
        cluster.perform(&cluster.board().deliver(last)).expect("it is possible");
        delivered += 1;
    }
    assert!(delivered > 10, "there are many segments");
    assert_eq!(last_note(&cluster), "Ok(26) bytes");
}

#[test]
fn datagrams_are_messages_that_may_be_lost() {
    let mut cluster = boot_with(&[Ask::Post], Contract::asynchronous(), &[], 1);
    ask(&mut cluster);
    assert_eq!(deliver_all(&mut cluster), ["Datagram", "Datagram"]);
    assert_eq!(last_note(&cluster), "10.0.0.2:7000 answers HELLO");
}

#[test]
fn a_connection_on_a_network_that_loses_single_messages_is_refused() {
    let mut cluster = boot_with(&[Ask::Call(PORT)], Contract::asynchronous(), &[], 1);
    ask(&mut cluster);
    assert!(panic_of(&cluster).0.contains("connections lose no single segments"));
}

#[test]
fn a_sleep_ends_with_a_tick_and_all_clocks_agree() {
    let mut cluster = boot(&[Ask::Sleep(25)]);
    ask(&mut cluster);
    tick(&mut cluster, 1);
    tick(&mut cluster, 1);
    assert_eq!(last_note(&cluster), "life 1");
    tick(&mut cluster, 1);
    assert_eq!(last_note(&cluster), "slept 25ms 25ms 25ms");
}

#[test]
fn timers_within_a_tick_go_off_one_after_the_other() {
    let mut cluster = boot(&[Ask::Race]);
    ask(&mut cluster);
    tick(&mut cluster, 1);
    assert_eq!(cluster.states()[0][1..], ["first after 3ms", "then 6ms"]);
}

#[test]
fn whatever_is_drawn_follows_from_the_seed() {
    let drawn = |seed: u64| {
        let mut cluster = boot_with(&[Ask::Draw, Ask::Draw], Contract::sessions(), &[], seed);
        ask(&mut cluster);
        tick(&mut cluster, 1);
        ask(&mut cluster);
        let state = cluster.states()[0].clone();
        assert_eq!(state.len(), 3);
        state
    };
    let first = drawn(1);
    for _ in 0..20 {
        assert_eq!(drawn(1), first);
    }
    let second = drawn(2);
    let parts = |state: &[String]| state[1].split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(&first), parts(&second));
    assert_ne!(one[0], other[0], "the generator of the thread has another seed");
    assert_ne!(one[1], other[1], "`select!` chooses otherwise");
    assert_ne!(one[2..18], other[2..18], "hash maps have other keys");
    // Another process, or another day, draws the same.
    assert_eq!(first[1], include_str!("drawn.txt").trim_end(), "{first:?}");
}

#[test]
fn a_node_that_never_goes_quiet_is_a_finding() {
    let mut cluster = boot(&[Ask::Spin]);
    ask(&mut cluster);
    assert!(panic_of(&cluster).0.starts_with("it never goes quiet"));
}

#[test]
fn a_thread_is_a_finding_with_its_place() {
    for (work, what) in [
        (Ask::Thread, "it starts a thread in nodes::start_a_thread"),
        (Ask::Block, "it starts a thread in nodes::spawn_blocking_work"),
        (Ask::SleepThread, "it puts its thread to sleep in nodes::sleep_in_the_thread"),
    ] {
        let mut cluster = boot(&[work]);
        ask(&mut cluster);
        let (message, _) = panic_of(&cluster);
        assert!(message.starts_with(what), "{message}");
    }
    let mut cluster = boot_with(&[Ask::Thread], Contract::sessions(), &[("threads", "tolerated")], 1);
    ask(&mut cluster);
    assert_eq!(cluster.board().stopped(), None);
}

#[test]
fn a_panic_in_a_task_is_a_finding_with_its_own_place() {
    let mut cluster = boot(&[Ask::Panic]);
    ask(&mut cluster);
    let (message, place) = panic_of(&cluster);
    assert_eq!(message, "a task of its own");
    assert!(place.contains("tests/nodes.rs"), "{place}");
}

#[test]
fn a_crash_ends_every_task_and_connection() {
    let mut cluster = boot(&[Ask::Sleep(25), Ask::Call(PORT)]);
    let n1 = NodeId::new(1);
    ask(&mut cluster);
    cluster.perform(&Step::Crash { node: n1, keep: 0 }).expect("it is possible");
    cluster.perform(&Step::Restart(n1)).expect("it is possible");
    for _ in 0..4 {
        tick(&mut cluster, 1);
    }
    assert_eq!(cluster.states()[0], ["life 2"]);
    ask(&mut cluster);
    deliver_all(&mut cluster);
    assert_eq!(last_note(&cluster), "Ok(\"ABC\")");
}

#[test]
fn messages_are_named_by_their_kind() {
    let connection =
        shakedown_tokio::ConnectionId { opener: NodeId::new(1), life: 1, number: 1, is_opener: false };
    let packet = shakedown_tokio::Packet::<Server>::Segment(shakedown_tokio::Segment::Reset(connection));
    assert_eq!((packet.kind(), packet.describe()), ("Reset", "Reset(n1.1.1)".to_owned()));
}
